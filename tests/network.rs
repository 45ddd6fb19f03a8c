//! Our own network as a model file: the numbers of the network itself, in our runtime with the fused
//! operator and in a stock one without it, with any number of threads and in every run.

use crate::onnx_file;
use crate::support::{self, Folder};
use apollo_scip::graph::{Features, Graph};
use apollo_scip::instances;
use apollo_scip::network::export::{self, About};
use apollo_scip::network::loss::{cross_entropy, sigmoid};
use apollo_scip::network::{Adam, Config, Input, Network, Prenorm};
use apollo_scip::onnx::Onnx;
use apollo_scip::prediction::{Predictor, Question};
use apollo_scip::problem::{Fixings, Kind, Problem};
use apollo_scip::scip;
use apollo_scip::settings::Device;
use std::path::Path;

/// A set cover with coefficients of all sizes.
fn problem(rows: &str, columns: &str, density: &str) -> Problem {
    let options = [("rows", rows), ("columns", columns), ("density", density)];
    let mut problem = instances::generate("sc", &options, 1, 0).unwrap().problem;
    for (e, coefficient) in problem.rows.coefficient.iter_mut().enumerate() {
        *coefficient = [1.0, -0.5, 3_000.0, 0.02][e % 4];
    }
    problem
}

/// Enough that four threads have something to do at the same time: a task of the kernel is 4,096 edges
/// and rows.
fn large() -> Problem {
    let problem = problem("1000", "1600", "0.0105");
    assert!(problem.nonzeros() > 4 * 4096, "{} nonzeros", problem.nonzeros());
    problem
}

/// Without the kernel there are tables of edges × width, which several threads share at this size.
fn small() -> Problem {
    problem("300", "500", "0.06")
}

/// A network with all heads that was trained a little, so that its answers are far apart.
fn network(graph: &Graph) -> Network<f32> {
    let config = Config { features: graph.features, selection: true, bits: BITS, ..Config::default() };
    let mut network = Network::new(config, 11).unwrap();
    let input = Input::new(graph).unwrap();
    network.prenorm = Prenorm::fit(std::slice::from_ref(&input));
    let binaries: Vec<usize> = (0..graph.variables).collect();
    let targets: Vec<f64> = binaries.iter().map(|j| (j % 2) as f64).collect();
    let mut adam = Adam::new(&network, 3e-3);
    for _ in 0..20 {
        let tape = network.forward(&input, 2);
        let (_, by_logits) = cross_entropy(tape.logits(), &binaries, &targets);
        let (_, by_selection) = cross_entropy(tape.selection().expect("a second head"), &binaries, &targets);
        let places: Vec<usize> = (0..BITS * graph.variables).collect();
        let wanted: Vec<f64> = places.iter().map(|k| (k / BITS % 2) as f64).collect();
        let (_, by_bits) = cross_entropy(tape.bits().expect("a third head"), &places, &wanted);
        let gradient = tape.backward_with_bits(by_logits, Some(by_selection), Some(by_bits));
        adam.step(&mut network, &gradient);
    }
    network
}

/// Bits of each variable.
const BITS: usize = 3;

fn about() -> About {
    About { family: "sc".into(), entries: vec![("loss".into(), "0.25".into())] }
}

fn ask(predictor: &mut Onnx<'_>, problem: &Problem) -> Vec<f64> {
    let reduced = problem.reduce(&Fixings::new());
    let question = Question { reduced: &reduced, fixings: &Fixings::new(), seconds: f64::INFINITY };
    predictor.predict(&question).unwrap().probability
}

fn load(path: &Path, threads: usize) -> Onnx<'static> {
    Onnx::load(path.to_str().unwrap(), Device::Cpu, threads).unwrap()
}

/// What the network itself says, in training's own forward pass: of each head one value a variable, and
/// of the bits [`BITS`].
fn expected(network: &Network<f32>, graph: &Graph) -> [Vec<f64>; 3] {
    let input = Input::new(graph).unwrap();
    let tape = network.forward(&input, 1);
    [tape.logits(), tape.selection().expect("a second head"), tape.bits().expect("a third head")]
        .map(|logits| logits.iter().map(|&logit| sigmoid(logit.into())).collect())
}

/// Answers that are all the same prove nothing.
fn assert_far_apart(values: &[f64]) {
    let (low, high) = values.iter().fold((1.0f64, 0.0f64), |(low, high), &p| (low.min(p), high.max(p)));
    assert!(high - low > 0.2, "from {low} to {high}");
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn the_model_file_gives_the_networks_numbers_in_every_run_on_any_number_of_threads() {
    let folder = Folder::new("network-parity");
    let (problem, path) = (large(), folder.path("m.onnx"));
    let graph = Graph::new(&problem);
    let network = network(&graph);
    std::fs::write(&path, export::onnx(&network, &about())).unwrap();
    let [expected, ..] = expected(&network, &graph);
    assert_far_apart(&expected);
    let mut first = None;
    for threads in [1, 2, 4] {
        let mut predictor = load(&path, threads);
        assert_eq!(predictor.family(), Some("sc"));
        for run in 0..100 {
            let got = ask(&mut predictor, &problem);
            let worst = distance(&got, &expected);
            assert!(worst < 1e-5, "run {run} on {threads} threads: off by {worst}");
            assert_eq!(&got, first.get_or_insert_with(|| got.clone()), "run {run} on {threads} threads");
        }
    }
}

/// Features of version 2: the predictor solves the LP itself, or takes the one it is given.
#[test]
fn a_model_of_version_2_sees_the_relaxation() {
    let folder = Folder::new("network-relaxation");
    let (problem, path) = (small(), folder.path("m.onnx"));
    let relaxed = scip::relax(&problem, f64::INFINITY, || false).unwrap().expect("it has an optimum");
    let graph = Graph::with_features(&problem, Features::Relaxation, Some(&relaxed));
    let network = network(&graph);
    std::fs::write(&path, export::onnx(&network, &about())).unwrap();
    let expected = network.probabilities(&graph, 1).unwrap();
    let mut predictor = load(&path, 2);
    assert_eq!(predictor.features(), Features::Relaxation);
    assert!(distance(&ask(&mut predictor, &problem), &expected) < 1e-5);
    assert!(distance(&predictor.probabilities(&problem, Some(&relaxed)).unwrap(), &expected) < 1e-5);
    let mut given = load(&path, 1).with_relaxation(Box::new(|_| Ok(relaxed.clone())));
    assert!(distance(&ask(&mut given, &problem), &expected) < 1e-5);

    // Without an LP it answers what the network says about one that nobody knows.
    let without = Graph::with_features(&problem, Features::Relaxation, None);
    let expected = network.probabilities(&without, 1).unwrap();
    let failed = || Err(apollo_scip::Error::Prediction("no LP".into()));
    let mut given = load(&path, 1).with_relaxation(Box::new(move |_| failed()));
    assert!(distance(&ask(&mut given, &problem), &expected) < 1e-5);

    let error = network.probabilities(&Graph::new(&problem), 1).unwrap_err().to_string();
    assert!(error.contains("version 2") && error.contains("version 1"), "{error}");
}

/// The same inside a solve, where the LP of the root node answers, and from the command line.
#[test]
fn a_model_of_version_2_predicts_inside_a_solve_and_without_one() {
    let folder = Folder::new("network-relaxation-solve");
    let (model, cover) = (folder.path("m.onnx"), folder.path("cover.lp"));
    let config = Config { width: 8, features: Features::Relaxation, ..Config::default() };
    let network = Network::<f32>::new(config, 2).unwrap();
    std::fs::write(&model, export::onnx(&network, &About::default())).unwrap();
    std::fs::write(&cover, support::set_cover(60, 40)).unwrap();
    let (model, cover) = (model.to_str().unwrap(), cover.to_str().unwrap());
    for timing in ["before", "after"] {
        let (good, text) = support::run(
            support::apollo()
                .args(["solve", cover, "--model", model, "--json", "--set", "budget/nodes=40"])
                .args([
                    "--set",
                    "minbinaries=1",
                    "--set",
                    "device=cpu",
                    "--set",
                    &format!("timing={timing}"),
                ]),
        );
        assert!(good && text.contains("onnx m.onnx on cpu"), "{timing}: {text}");
    }
    let json = |arguments: &[&str]| {
        let (good, text) = support::run(support::apollo().args(["predict", cover, "--json"]).args(arguments));
        assert!(good, "{text}");
        serde_json::from_str::<std::collections::BTreeMap<String, f64>>(&text).unwrap()
    };
    let answers = json(&["--model", model]);
    let (mut least, mut most) = (1.0f64, 0.0f64);
    answers.values().for_each(|&p| (least, most) = (least.min(p), most.max(p)));
    assert!(answers.len() == 60 && least < most, "{least} {most}");
}

#[test]
fn our_runtime_takes_the_fused_operator_and_not_the_functions_body() {
    let folder = Folder::new("network-operator");
    let (problem, path) = (small(), folder.path("m.onnx"));
    let graph = Graph::new(&problem);
    let network = network(&graph);
    // A body that gives other numbers: whoever takes it shows.
    let mut model = export::model(&network, &about());
    let relu = model.functions[0].node.iter_mut().find(|node| node.op_type == "Relu").unwrap();
    relu.op_type = "Neg".into();
    onnx_file::write(&model, &path);
    let worst = distance(&ask(&mut load(&path, 1), &problem), &network.probabilities(&graph, 1).unwrap());
    assert!(worst < 1e-5, "off by {worst}");
}

#[test]
fn problems_without_rows_and_a_second_head_are_no_trouble() {
    let folder = Folder::new("network-small");
    let path = folder.path("m.onnx");
    let config = Config { width: 8, convolutions: 2, selection: true, ..Config::default() };
    let network = Network::<f32>::new(config, 2).unwrap();
    std::fs::write(&path, export::onnx(&network, &About::default())).unwrap();
    let mut predictor = load(&path, 2);
    assert_eq!(predictor.family(), None);
    let mut problem = Problem::default();
    problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
    let expected = network.probabilities(&Graph::new(&problem), 1).unwrap();
    assert!(distance(&ask(&mut predictor, &problem), &expected) < 1e-5);
}

#[test]
fn weights_that_do_not_fit_together_are_refused_with_a_sentence() {
    let folder = Folder::new("network-damaged");
    let path = folder.path("m.onnx");
    let network = Network::<f32>::new(Config { width: 8, ..Config::default() }, 2).unwrap();
    for name in
        ["convolution.0.edge.weight", "convolution.1.message_norm.gain", "convolution.1.message_norm.bias"]
    {
        let mut model = export::model(&network, &About::default());
        let tables = &mut model.graph.as_mut().unwrap().initializer;
        let table = tables.iter_mut().find(|table| table.name == name).unwrap();
        *table.dims.last_mut().unwrap() = 4;
        table.raw.truncate(16);
        onnx_file::write(&model, &path);
        let error = Onnx::load(path.to_str().unwrap(), Device::Cpu, 1).err().expect("refused").to_string();
        assert!(error.contains("m.onnx: does not run") && error.contains("EdgeConv: the "), "{error}");
    }
}

/// Runs a model a hundred times on each number of threads in Python's own ONNX Runtime, and compares
/// every value of every output with what is expected.
const STOCK: &str = r#"
import sys
import numpy as np
import onnxruntime as ort
folder = sys.argv[1]
load = lambda name, kind, width: np.fromfile(f"{folder}/{name}", kind).reshape(-1, width)
inputs = {"variables": load("variables", "f4", 18), "constraints": load("constraints", "f4", 4),
          "edges": np.fromfile(f"{folder}/edges", "i8").reshape(2, -1),
          "coefficients": load("coefficients", "f4", 1)}
names = ["probabilities", "selection", "bits"]
expected = [np.fromfile(f"{folder}/{name}", "f8") for name in names]
expected[2] = expected[2].reshape(-1, 3)
for threads in [1, 2, 4]:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that wait in a loop make a busy machine crawl.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = ort.InferenceSession(f"{folder}/m.onnx", options, providers=["CPUExecutionProvider"])
    worst = 0.0
    for run in range(100):
        for got, right in zip(session.run(names, inputs), expected, strict=True):
            assert got.shape == right.shape
            worst = max(worst, float(np.abs(got - right).max()))
    assert worst < 1e-5, f"{threads} threads: off by {worst}"
    print(f"{threads} threads: off by {worst:.1e}")
meta = session.get_modelmeta()
print(meta.producer_name, meta.custom_metadata_map["features"], meta.custom_metadata_map["family"],
      meta.custom_metadata_map["loss"], meta.custom_metadata_map["constraint_columns"])
"#;

#[test]
fn a_stock_runtime_gives_the_same_numbers_from_the_functions_body() {
    let Some(mut python) = support::python() else { return };
    let has_runtime = support::run(python.args(["-c", "import onnxruntime"])).0;
    if !has_runtime {
        return eprintln!("skipped: this Python has no onnxruntime");
    }
    let folder = Folder::new("network-stock");
    let graph = Graph::new(&small());
    let network = network(&graph);
    let put = |name: &str, bytes: Vec<u8>| std::fs::write(folder.path(name), bytes).unwrap();
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
    put("m.onnx", export::onnx(&network, &about()));
    put("variables", floats(&graph.variable_features));
    put("constraints", floats(&graph.constraint_features));
    put("coefficients", floats(&graph.edge_coefficient));
    let ends = graph.edge_constraint.iter().chain(&graph.edge_variable);
    put("edges", ends.flat_map(|node| node.to_le_bytes()).collect());
    for (name, expected) in ["probabilities", "selection", "bits"].into_iter().zip(expected(&network, &graph))
    {
        assert_far_apart(&expected);
        put(name, expected.iter().flat_map(|p| p.to_le_bytes()).collect());
    }
    let Some(mut python) = support::python() else { return };
    let (good, text) = support::run(python.args(["-c", STOCK]).arg(folder.path("")));
    assert!(good, "{text}");
    assert!(text.contains("apollo-scip 1 sc 0.25 mean_coefficient,degree,right_hand_side,sense"), "{text}");
    println!("{text}");
}

#[test]
fn the_checker_of_onnx_has_nothing_to_say_about_a_model_file() {
    let Some(mut python) = support::python() else { return };
    if !support::run(python.args(["-c", "import onnx"])).0 {
        return eprintln!("skipped: this Python has no onnx");
    }
    let folder = Folder::new("network-checker");
    for (selection, bits) in [(false, 0), (true, 0), (true, 5)] {
        let path = folder.path("m.onnx");
        let network = Network::<f32>::new(Config { selection, bits, ..Config::default() }, 1).unwrap();
        std::fs::write(&path, export::onnx(&network, &about())).unwrap();
        let Some(mut python) = support::python() else { return };
        let check = "import onnx, sys; onnx.checker.check_model(sys.argv[1], full_check=True)";
        let (good, text) = support::run(python.args(["-c", check]).arg(&path));
        assert!(good, "{text}");
    }
}
