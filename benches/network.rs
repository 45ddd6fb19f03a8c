//! How long the network takes: `cargo bench --bench network`, or with a number of repetitions.
//!
//! For one instance of CA and one of WA: forward, a step of training (forward, backward, Adam), and
//! the exported file in ONNX Runtime with the fused operator. Minima over the repetitions.

use apollo_scip::graph::Graph;
use apollo_scip::instances;
use apollo_scip::network::export::{self, About};
use apollo_scip::network::{Adam, Config, Input, Network, loss::cross_entropy};
use apollo_scip::onnx::Onnx;
use apollo_scip::prediction::{Predictor, Question};
use apollo_scip::problem::Fixings;
use apollo_scip::settings::Device;
use std::time::Instant;

fn least(repetitions: usize, mut run: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..repetitions).map(once).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let repetitions = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(10);
    let file = std::env::temp_dir().join(format!("apollo-network-bench-{}.onnx", std::process::id()));
    let path = file.to_str().ok_or("the temporary folder has a strange name")?;
    for family in ["ca", "wa"] {
        let problem = instances::generate(family, &[], 1, 0)?.problem;
        let graph = Graph::new(&problem);
        println!(
            "{family}: {} variables, {} constraints, {} nonzeros",
            graph.variables,
            graph.constraints,
            graph.edge_coefficient.len()
        );
        let mut network = Network::<f32>::new(Config::default(), 1)?;
        std::fs::write(&file, export::onnx(&network, &About::default()))?;
        let prepare = least(repetitions, || drop(Input::<f32>::new(&graph)));
        println!("  input prepared: {prepare:.1} ms");
        let input = Input::new(&graph)?;
        let binaries: Vec<usize> = (0..graph.variables).collect();
        let targets = vec![0.3; graph.variables];
        let mut adam = Adam::new(&network, 1e-3);
        for threads in [1, 2] {
            let forward = least(repetitions, || drop(network.forward(&input, threads)));
            let step = least(repetitions, || {
                let tape = network.forward(&input, threads);
                let (_, by_logits) = cross_entropy(tape.logits(), &binaries, &targets);
                let gradient = tape.backward(by_logits, None);
                adam.step(&mut network, &gradient);
            });
            let mut predictor = Onnx::load(path, Device::Cpu, threads)?;
            let (fixings, reduced) = (Fixings::new(), problem.reduce(&Fixings::new()));
            let question = Question { reduced: &reduced, fixings: &fixings, seconds: f64::INFINITY };
            let onnx = least(repetitions, || drop(predictor.predict(&question)));
            println!(
                "  {threads} threads: forward {forward:.1} ms, step {step:.1} ms, ONNX Runtime with the graph {onnx:.1} ms"
            );
        }
    }
    std::fs::remove_file(&file)?;
    Ok(())
}
