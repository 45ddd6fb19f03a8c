//! How long the network takes: `cargo bench --bench network`, or with a number of repetitions.
//!
//! For one instance of CA (size a), one of WA (b) and a random problem of 2 million nonzeros (c): the
//! loading of the model file, the file in ONNX Runtime with the fused operator (time and extra memory),
//! and for a and b the network itself, forward and a step of training (forward, backward, Adam). Minima
//! over the repetitions; memory is the largest so far minus that before, where the system tells.

use apollo_scip::graph::Graph;
use apollo_scip::instances;
use apollo_scip::network::export::{self, About};
use apollo_scip::network::{Adam, Config, Input, Network, loss::cross_entropy};
use apollo_scip::onnx::Onnx;
use apollo_scip::prediction::{Predictor, Question};
use apollo_scip::problem::{Fixings, Kind, Problem};
use apollo_scip::settings::Device;
use cpu_time::ProcessTime;
use std::time::Instant;

fn least(repetitions: usize, mut run: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..repetitions).map(once).fold(f64::INFINITY, f64::min)
}

/// The same in time of the processors, all threads together: what a busy machine changes less.
fn least_work(repetitions: usize, mut run: impl FnMut()) -> f64 {
    let once = |_| {
        let start = ProcessTime::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..repetitions).map(once).fold(f64::INFINITY, f64::min)
}

/// Megabytes of memory: the line `name` of Linux's account of this process.
fn memory(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1e3)
}

/// 100,000 variables in 200,000 rows of ten.
fn large() -> Problem {
    let mut problem = Problem::default();
    for j in 0..100_000 {
        problem.add_column((j % 17) as f64 - 3.0, 0.0, 1.0, Kind::Binary);
    }
    for i in 0..200_000usize {
        let terms = (0..10).map(|k| ((i * 7919 + k * 10_007 * (1 + i % 13)) % 100_000, 1.0 + (k % 3) as f64));
        problem.rows.push(f64::NEG_INFINITY, terms, 5.0);
    }
    problem
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let repetitions = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(10);
    let file = std::env::temp_dir().join(format!("apollo-network-bench-{}.onnx", std::process::id()));
    let path = file.to_str().ok_or("the temporary folder has a strange name")?;
    let mut network = Network::<f32>::new(Config::default(), 1)?;
    std::fs::write(&file, export::onnx(&network, &About::default()))?;
    let began = Instant::now();
    Onnx::load(path, Device::Cpu, 1)?;
    println!("first model, with ONNX Runtime: loaded in {:.0} ms", began.elapsed().as_secs_f64() * 1e3);
    let load = (0..repetitions).map(|k| {
        // Another number of threads is another session: nothing is taken from what is loaded already.
        let began = Instant::now();
        Onnx::load(path, Device::Cpu, k + 3).map(|_| began.elapsed().as_secs_f64() * 1e3)
    });
    let load = load.collect::<Result<Vec<f64>, _>>()?.into_iter().fold(f64::INFINITY, f64::min);
    println!("another model: loaded in {load:.1} ms");

    let generated = |family| instances::generate(family, &[], 1, 0).map(|named| named.problem);
    for (name, problem) in [("ca", generated("ca")?), ("wa", generated("wa")?), ("large", large())] {
        let graph = Graph::new(&problem);
        println!(
            "{name}: {} variables, {} constraints, {} nonzeros",
            graph.variables,
            graph.constraints,
            graph.edge_coefficient.len()
        );
        let (fixings, reduced) = (Fixings::new(), problem.reduce(&Fixings::new()));
        let question = Question { reduced: &reduced, fixings: &fixings, seconds: f64::INFINITY };
        for threads in [1, 2] {
            let mut predictor = Onnx::load(path, Device::Cpu, threads)?;
            let before = memory("VmRSS:");
            // From here on the largest is counted anew, where the system lets us.
            let counted = std::fs::write("/proc/self/clear_refs", "5").is_ok();
            let onnx = least(repetitions, || drop(predictor.predict(&question)));
            let extra = match (before, memory("VmHWM:"), counted) {
                (Some(before), Some(most), true) => format!("{:.0} MB more", most - before),
                _ => "memory unknown".to_string(),
            };
            let work = least_work(repetitions, || drop(predictor.predict(&question)));
            println!(
                "  {threads} threads: ONNX Runtime with the graph {onnx:.1} ms (work {work:.1} ms), {extra}"
            );
        }
        if name == "large" {
            continue;
        }
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
            println!("  {threads} threads: forward {forward:.1} ms, step {step:.1} ms");
        }
    }
    std::fs::remove_file(&file)?;
    Ok(())
}
