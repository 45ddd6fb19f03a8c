//! The ONNX predictor with a small real network: right numbers, the contract, and every refusal.

use crate::onnx_file;
use crate::support::{self, Folder};
use apollo_scip::graph::{Features, Graph};
use apollo_scip::onnx::Onnx;
use apollo_scip::onnx::file::{Entry, Model};
use apollo_scip::prediction::{Predictor, Question};
use apollo_scip::problem::{Fixings, Kind, Problem};
use apollo_scip::settings::Device;

fn problem() -> Problem {
    let mut problem = Problem::default();
    for j in 0..40 {
        let kind = if j % 7 == 6 { Kind::Continuous } else { Kind::Binary };
        problem.add_column((j % 5) as f64 - 1.0, 0.0, 1.0, kind);
    }
    for i in 0..25 {
        let terms = (0..40).filter(|j| (i * 3 + j) % 4 == 0).map(|j| (j, (1 + (i * j) % 3) as f64));
        problem.rows.push(f64::NEG_INFINITY, terms, (3 + i % 4) as f64);
    }
    problem
}

fn ask(predictor: &mut Onnx<'_>, problem: &Problem, fixings: &Fixings) -> Vec<f64> {
    let reduced = problem.reduce(fixings);
    let question = Question { reduced: &reduced, fixings, seconds: f64::INFINITY };
    predictor.predict(&question).unwrap().checked(&reduced).unwrap().probability
}

/// The network's formula, by hand.
fn by_hand(problem: &Problem, w: &[f32], u: &[f32]) -> Vec<f64> {
    let graph = Graph::new(problem);
    let dot = |features: &[f32], weights: &[f32]| -> f64 {
        features.iter().zip(weights).map(|(&f, &w)| f as f64 * w as f64).sum()
    };
    let mut logit: Vec<f64> = graph.variable_features.chunks(w.len()).map(|row| dot(row, w)).collect();
    let heard: Vec<f64> = graph.constraint_features.chunks(u.len()).map(|row| dot(row, u)).collect();
    for (e, &coefficient) in graph.edge_coefficient.iter().enumerate() {
        logit[graph.edge_variable[e] as usize] +=
            coefficient as f64 * heard[graph.edge_constraint[e] as usize];
    }
    logit.into_iter().map(|logit| 1.0 / (1.0 + (-logit).exp())).collect()
}

#[test]
fn the_network_gets_every_feature_and_every_edge() {
    let folder = Folder::new("onnx-numbers");
    let w: Vec<f32> = (0..Features::Static.variable_width()).map(|k| 0.1 * (k as f32 - 7.0)).collect();
    let u = [0.3, -0.05, 0.7, -0.2];
    let path = folder.path("m.onnx");
    onnx_file::write(&onnx_file::network(&w, &u), &path);
    for threads in [1, 2] {
        let mut predictor = Onnx::load(path.to_str().unwrap(), Device::Cpu, threads).unwrap();
        assert_eq!((predictor.device().as_str(), predictor.family()), ("cpu", Some("test")));
        for fixings in [Fixings::new(), Fixings::from([(0, 1.0), (3, 0.0), (17, 1.0)])] {
            let reduced = problem().reduce(&fixings).problem;
            let (got, expected) = (ask(&mut predictor, &problem(), &fixings), by_hand(&reduced, &w, &u));
            assert_eq!(got.len(), expected.len());
            let worst = got.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-5, "{worst}");
        }
    }
}

#[test]
fn a_gpu_that_is_not_there_is_told_and_the_cpu_runs() {
    let folder = Folder::new("onnx-gpu");
    let path = folder.path("m.onnx");
    onnx_file::write(&onnx_file::cheap_is_one(), &path);
    for (device, name) in [(Device::Cuda, "cuda"), (Device::TensorRt, "tensorrt")] {
        let predictor = Onnx::load(path.to_str().unwrap(), device, 1).unwrap();
        if predictor.device() == "cpu" {
            assert!(
                predictor.remarks().iter().any(|remark| remark.contains(name)),
                "{:?}",
                predictor.remarks()
            );
        }
    }
    assert!(Onnx::load(path.to_str().unwrap(), Device::Auto, 1).is_ok());
}

#[test]
fn a_file_that_changes_is_loaded_again() {
    let folder = Folder::new("onnx-again");
    let path = folder.path("m.onnx");
    let ones = |constant: f32| {
        let mut w = [0.0; 18];
        w[5] = constant; // is_integer: the same for every binary
        onnx_file::network(&w, &[0.0; 4])
    };
    onnx_file::write(&ones(5.0), &path);
    let first =
        ask(&mut Onnx::load(path.to_str().unwrap(), Device::Cpu, 1).unwrap(), &problem(), &Fixings::new())[0];
    std::thread::sleep(std::time::Duration::from_millis(20));
    onnx_file::write(&ones(-5.0), &path);
    let second =
        ask(&mut Onnx::load(path.to_str().unwrap(), Device::Cpu, 1).unwrap(), &problem(), &Fixings::new())[0];
    assert!(first > 0.9 && second < 0.1);
}

#[test]
fn every_breach_of_the_contract_is_named() {
    let folder = Folder::new("onnx-contract");
    let good = onnx_file::cheap_is_one();
    let changed = |change: &dyn Fn(&mut Model)| {
        let mut model = good.clone();
        change(&mut model);
        model
    };
    let set = |key: &'static str, value: &'static str| {
        move |model: &mut Model| {
            model.metadata.retain(|entry| entry.key != key);
            model.metadata.push(Entry { key: key.into(), value: value.into() });
        }
    };
    let cases: Vec<(Model, &str)> = vec![
        (changed(&|m| m.metadata.clear()), "'features'"),
        (changed(&set("features", "7")), "features version 7, and this Apollo knows 1 and 2"),
        (changed(&set("features", "2")), "'variables' of width 18 instead of 30"),
        (changed(&set("features", "-1")), "features version -1"),
        (changed(&set("variable_columns", "a,b")), "variable_columns"),
        (changed(&|m| m.graph.as_mut().unwrap().output[0].name = "p".into()), ""),
        (onnx_file::network(&[0.0; 17], &[0.0; 4]), "'variables' of width 17"),
        (onnx_file::network(&[f32::NAN; 18], &[0.0; 4]), "not one probability each"),
        (Model::default(), ""),
    ];
    for (i, (model, expected)) in cases.into_iter().enumerate() {
        let path = folder.path(&format!("{i}.onnx"));
        onnx_file::write(&model, &path);
        let error = Onnx::load(path.to_str().unwrap(), Device::Cpu, 1).err().expect("refused").to_string();
        assert!(error.contains(&format!("{i}.onnx")) && error.contains(expected), "{error}");
        assert_eq!(error.lines().count(), 1, "one sentence: {error}");
    }
}

/// The network inside a real solve, through the shell: it predicts, and the log says who and where.
#[test]
fn the_network_predicts_inside_a_solve() {
    let folder = Folder::new("onnx-solve");
    let path = folder.path("cheap.onnx");
    onnx_file::write(&onnx_file::cheap_is_one(), &path);
    let problem = folder.path("cover.lp");
    std::fs::write(&problem, support::set_cover(60, 40)).unwrap();
    let model = path.to_str().unwrap();
    let output = support::apollo()
        .args(["solve", problem.to_str().unwrap(), "--model", model, "--json", "--set", "budget/nodes=40"])
        .args(["--set", "minbinaries=1", "--set", "device=cpu"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let outcome: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(outcome["status"], "optimal");
    assert_eq!(outcome["predictor"], "onnx cheap.onnx on cpu");
    assert_eq!(outcome["device"], "cpu");
    assert!(!outcome["rounds"].as_array().unwrap().is_empty());
}

/// Files that mean harm are refused by the commands, with one sentence, soon and without much memory.
#[test]
fn files_that_mean_harm_are_refused() {
    let folder = Folder::new("onnx-harmful");
    let problem = support::data("setcover.lp");
    for (name, model, word) in onnx_file::harmful() {
        let path = folder.path(&format!("{name}.onnx"));
        onnx_file::write(&model, &path);
        // Not more than 4 GB of addresses: who wants more fails here, not on the user's machine.
        let script = "ulimit -v 4000000; exec \"$@\"";
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_apollo"), "predict"]).arg(&problem);
        let began = std::time::Instant::now();
        let (good, text) = support::run(command.arg("--model").arg(&path));
        assert!(!good && text.contains(&format!("{name}.onnx")) && text.contains(word), "{name}: {text}");
        assert_eq!(text.lines().count(), 1, "{name}: one sentence, not {text}");
        println!("{name}: {:.2} s, {text}", began.elapsed().as_secs_f64());
        if name == "absolute" {
            let (good, text) = support::run(support::apollo().arg("doctor").arg(&path));
            assert!(!good && text.contains(word), "{text}");
        }
    }
}

/// In a solve each of them is one warning, the relaxation predictor stands in, and the optimum is found;
/// in Python too.
#[test]
fn files_that_mean_harm_are_one_warning_in_a_solve() {
    let folder = Folder::new("onnx-harmful-solve");
    let problem = support::data("setcover.lp");
    let check = |name: &str, said: &str| {
        assert_eq!(said.matches("WARNING: apollo").count(), 1, "{name}: {said}");
        let sentence = said.contains(&format!("{name}.onnx")) && said.contains("predictor stands in");
        assert!(sentence && said.contains("predictor relaxation"), "{name}: {said}");
        assert!(
            said.contains("optimal solution found") && !said.contains("[E:onnxruntime"),
            "{name}: {said}"
        );
    };
    let forced = "heuristics/apollo/minbinaries = 1\nheuristics/apollo/budget/nodes = 40\npresolving/maxrounds = 0\nheuristics/apollo/timing = \"before\"\n";
    let python = "import sys, apollo_scip, pyscipopt\nm = pyscipopt.Model()\napollo_scip.include(m)\nm.readParams(sys.argv[1])\nm.readProblem(sys.argv[2])\nm.optimize()\nassert abs(m.getObjVal() - 86) < 1e-6";
    for (name, model, _) in onnx_file::harmful() {
        let (path, settings) = (folder.path(&format!("{name}.onnx")), folder.path("model.set"));
        onnx_file::write(&model, &path);
        let line = format!("heuristics/apollo/model = \"{}\"\n", path.display());
        std::fs::write(&settings, format!("{forced}{line}")).unwrap();
        let mut shell = support::apollo();
        shell.arg("scip").arg("-s").arg(&settings);
        let (good, said) =
            support::run(shell.arg("-c").arg(format!("read {} optimize quit", problem.display())));
        assert!(good, "{name}: {said}");
        check(name, &said);
        // One of each kind is enough: it is the same code in another host.
        if !["circle", "endless", "absolute", "nan"].contains(&name) {
            continue;
        }
        let Some(mut command) = support::python() else { continue };
        command.env("PYTHONPATH", support::root().join("plugin/python"));
        command.env("APOLLO_PLUGIN", support::plugin()).args(["-c", python]);
        let (good, said) = support::run(command.arg(&settings).arg(&problem));
        assert!(good, "{name}: {said}");
        check(name, &said);
    }
}
