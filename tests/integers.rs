//! General integers by bits, from training data to the user's optimum: what is predicted of them is
//! searched around, settled and reported, and every file and every refusal on the way.

use crate::onnx_file;
use crate::safety::solve::answering;
use crate::support::{self, Folder, apollo, run};
use apollo_scip::bits::Interval;
use apollo_scip::graph::Graph;
use apollo_scip::instances;
use apollo_scip::network::export::{self, About};
use apollo_scip::network::{Config, Network};
use apollo_scip::onnx::Onnx;
use apollo_scip::onnx::file::Model as File;
use apollo_scip::prediction::{Bits, Prediction, Predictor, Question};
use apollo_scip::problem::{Fixings, Kind, Problem};
use apollo_scip::scip::{self, PredictorFactory};
use apollo_scip::search::Report;
use apollo_scip::settings::Device;
use apollo_scip::train::{self, Event, Outcome};
use prost::Message;
use russcip::prelude::*;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

const WIDTH: usize = 5;

/// Knows the value of every variable, and of each general integer the first `known` bits.
fn oracle(values: Vec<f64>, known: usize) -> PredictorFactory {
    answering(move |question: &Question<'_>| {
        let (problem, origin) = (&question.reduced.problem, &question.reduced.origin);
        let likely = |yes: bool| if yes { 0.98 } else { 0.02 };
        let probability = origin.iter().map(|&j| likely(values[j] > 0.5)).collect();
        let mut bits = vec![0.5; WIDTH * origin.len()];
        for (place, row) in bits.chunks_exact_mut(WIDTH).enumerate() {
            let bounds = Interval::of(problem.lower[place], problem.upper[place]);
            let Some(bounds) = bounds.filter(|_| problem.kind[place] == Kind::Integer) else { continue };
            let (offset, own) = (bounds.offset(values[origin[place]]), bounds.bits());
            for bit in (own.saturating_sub(known)..own).rev() {
                row[WIDTH - 1 - bit] = likely(offset >> bit & 1 == 1);
            }
        }
        let bits = Some(Bits { width: WIDTH, probability: bits });
        Ok(Prediction { bits, ..Prediction::new(probability) })
    })
}

/// The optimum of a problem by plain SCIP, and its values in the order of the file.
fn optimum(file: &str) -> (f64, Vec<f64>) {
    let model = Model::new().hide_output().include_default_plugins().read_prob(file).unwrap();
    let (_, names) = scip::read_problem(&model).unwrap();
    let solved = model.solve();
    let best = solved.best_sol().unwrap();
    let values: HashMap<String, f64> =
        solved.orig_vars().iter().map(|var| (var.name(), best.val(var).round())).collect();
    (solved.obj_val(), names.iter().map(|name| values[name]).collect())
}

/// Only Apollo looks for solutions, in one node of the tree. No optimal solution is lost in presolve.
fn only_apollo(file: &str, predictor: PredictorFactory, set: &[(&str, &str)]) -> (Option<f64>, Report) {
    let model = Model::new().hide_output().include_default_plugins();
    apollo_scip::include_with(&model, predictor).unwrap();
    let model = model.set_heuristics(ParamSetting::Off).read_prob(file).unwrap();
    let fixed = [
        ("heuristics/apollo/freq", "0"),
        ("heuristics/apollo/minbinaries", "1"),
        ("heuristics/apollo/budget/nodes", "400"),
        ("heuristics/apollo/timing", "before"),
        ("limits/nodes", "1"),
        ("misc/allowstrongdualreds", "FALSE"),
        ("misc/allowweakdualreds", "FALSE"),
        ("misc/usesymmetry", "0"),
    ];
    for (name, value) in fixed.iter().chain(set) {
        scip::set_parameter(&model, name, value).unwrap();
    }
    let solved = model.solve();
    (solved.best_sol().map(|best| best.obj_val()), scip::report(&solved).unwrap())
}

/// Covering rows over integers x0 … x7 between 0 and 9, each with a twin y = 9 − x of which presolve
/// makes one variable, and over binaries.
fn twins() -> String {
    let mut state = 77u64;
    let mut dice = move |sides: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % sides
    };
    let names: Vec<String> =
        (0..24).map(|j| ["x", "y", "b"][j / 8].to_string() + &(j % 8).to_string()).collect();
    let sum = |dice: &mut dyn FnMut(u64) -> u64, least: u64| {
        let terms: Vec<String> = names.iter().map(|name| format!("{} {name}", least + dice(17))).collect();
        terms.join(" + ")
    };
    let mut text = format!("Minimize\n obj: {}\nSubject To\n", sum(&mut dice, 3));
    for i in 0..10 {
        text += &format!(" c{i}: {} >= {}\n", sum(&mut dice, 0), 550 + dice(40));
    }
    for j in 0..8 {
        text += &format!(" t{j}: x{j} + y{j} = 9\n");
    }
    text += "Bounds\n";
    names[..16].iter().for_each(|name| text += &format!(" 0 <= {name} <= 9\n"));
    text + &format!("Generals\n {}\nBinaries\n {}\nEnd\n", names[..16].join(" "), names[16..].join(" "))
}

/// A perfect prediction of every bit is the optimal solution in the first round, whatever it is used for;
/// also where presolve has made other variables of the integers. The binaries are left to the search.
#[test]
fn every_strategy_turns_perfect_bits_into_the_optimum() {
    let folder = Folder::new("integers-strategies");
    let linked = folder.path("twins.lp");
    fs::write(&linked, twins()).unwrap();
    for file in [support::data("lotsizing.mps"), linked] {
        let file = file.to_str().unwrap();
        let (best, values) = optimum(file);
        for strategy in ["apollo", "nd", "multi-stage", "direct", "ws-apollo"] {
            let set = [
                ("heuristics/apollo/strategy", strategy),
                ("heuristics/apollo/k0", "0"),
                ("heuristics/apollo/k1", "0"),
                ("heuristics/apollo/radius", "0"),
                ("heuristics/apollo/integers", "1"),
            ];
            let (found, report) = only_apollo(file, oracle(values.clone(), WIDTH), &set);
            let first = &report.rounds[0];
            assert!(first.integers > 3, "{file} {strategy}: {first:?}");
            for found in [found, first.found] {
                let is_best = found.is_some_and(|found| (found - best).abs() < 1e-6);
                assert!(is_best, "{file} {strategy}: {best}, but {first:?}");
            }
        }
    }
}

/// max x + y + z, all between 0 and 9, and two binaries: only what is predicted keeps it back. The
/// oracle says that all integers are 2, of four bits 0010, and the binaries 0.
fn kept_back(folder: &Folder, known: usize, set: &[(&str, &str)]) -> Report {
    let file = folder.path("free.lp");
    let bounds = "0 <= x <= 9\n 0 <= y <= 9\n 0 <= z <= 9";
    let rows = "obj: x + y + z + a\nSubject To\n c: x + y + z + a + b <= 26";
    let text = format!("Maximize\n {rows}\nBounds\n {bounds}\nGenerals\n x y z\nBinaries\n a b\nEnd\n");
    fs::write(&file, text).unwrap();
    let fixed = [
        ("heuristics/apollo/k0", "2"),
        ("heuristics/apollo/k1", "0"),
        ("heuristics/apollo/integers", "1"),
        ("presolving/maxrounds", "0"),
    ];
    let set: Vec<_> = fixed.iter().chain(set).copied().collect();
    only_apollo(file.to_str().unwrap(), oracle(vec![2.0, 2.0, 2.0, 0.0, 0.0], known), &set).1
}

#[test]
fn the_radius_counts_how_far_integers_are_left() {
    let folder = Folder::new("integers-radius");
    let found = |known: usize, radius: &str| {
        let set = [("heuristics/apollo/strategy", "ps"), ("heuristics/apollo/radius", radius)];
        let report = kept_back(&folder, known, &set);
        assert_eq!(report.rounds[0].integers, 3);
        report.rounds[0].found.unwrap().round()
    };
    assert_eq!(found(4, "0"), 6.0);
    assert_eq!(found(4, "5"), 6.0 + 5.0, "all bits are known: each step counts 1");
    assert_eq!(found(2, "0"), 9.0, "00·· is 0 … 3");
    assert_eq!(found(2, "1"), 9.0 + 4.0, "four steps are one width of the interval");
    assert_eq!(found(2, "3"), 9.0 + 12.0);
}

#[test]
fn what_is_settled_of_an_integer_is_kept_in_later_rounds() {
    let folder = Folder::new("integers-settled");
    // After 0 … 3 has been settled, the second round may go far, but not beyond.
    let set = [("heuristics/apollo/rounds", "2"), ("heuristics/apollo/radius", "0,99")];
    let report = kept_back(&folder, 2, &set);
    let [first, second, ..] = &report.rounds[..] else { panic!("{report:?}") };
    assert_eq!((first.integers, first.tightened, first.newly_tightened), (3, 0, 3));
    assert_eq!((second.tightened, second.fixed, second.found.map(f64::round)), (3, 2, Some(9.0)));
    // What is known completely is fixed.
    let report = kept_back(&folder, 4, &set);
    assert_eq!((report.rounds[0].newly_fixed, report.rounds[0].newly_tightened), (5, 0));
    // Switched off, and where no bit is sure, integers are left to the search.
    for (share, known) in [("0", WIDTH), ("1", 0)] {
        let report = kept_back(&folder, known, &[("heuristics/apollo/integers", share)]);
        assert!(report.rounds.iter().all(|round| round.integers + round.tightened == 0), "{report:?}");
    }
}

fn lot() -> Problem {
    let options = [("items", "9"), ("machines", "2"), ("periods", "4"), ("alternatives", "1")];
    instances::generate("lot", &options, 5, 0).unwrap().problem
}

fn ask(path: &Path, threads: usize, problem: &Problem) -> Prediction {
    let reduced = problem.reduce(&Fixings::new());
    let question = Question { reduced: &reduced, fixings: &Fixings::new(), seconds: f64::INFINITY };
    let mut onnx = Onnx::load(path.to_str().unwrap(), Device::Cpu, threads).unwrap();
    onnx.predict(&question).unwrap().checked(&reduced).unwrap()
}

#[test]
fn the_bits_of_a_model_file_are_those_of_the_network() {
    let folder = Folder::new("integers-parity");
    let (path, problem) = (folder.path("m.onnx"), lot());
    let network = Network::<f32>::new(Config { width: 16, bits: 4, ..Config::default() }, 3).unwrap();
    fs::write(&path, export::onnx(&network, &About::default())).unwrap();
    let expected = network.predict(&Graph::new(&problem), 1).unwrap();
    for threads in [1, 2, 4] {
        let got = ask(&path, threads, &problem);
        let (got_bits, bits) = (got.bits.unwrap(), expected.bits.as_ref().unwrap());
        assert_eq!((got_bits.width, got_bits.probability.len()), (4, 4 * problem.columns()));
        let pairs = got.probability.iter().zip(&expected.probability);
        for (a, b) in pairs.chain(got_bits.probability.iter().zip(&bits.probability)) {
            assert!((a - b).abs() < 1e-5, "{a} {b}");
        }
    }
}

#[test]
fn bits_that_are_none_are_refused_at_load() {
    let folder = Folder::new("integers-refused");
    let path = folder.path("m.onnx");
    let refused = |config: Config, change: &dyn Fn(&mut File)| {
        let network = Network::<f32>::new(config, 3).unwrap();
        let mut model = export::model(&network, &About::default());
        change(&mut model);
        onnx_file::write(&model, &path);
        Onnx::load(path.to_str().unwrap(), Device::Cpu, 1).err().expect("refused").to_string()
    };
    let config = Config { width: 8, bits: 3, ..Config::default() };
    let last = |model: &mut File, op: &str| {
        let node = model.graph.as_mut().unwrap().node.last_mut().unwrap();
        assert_eq!(node.output, ["bits"]);
        node.op_type = op.into();
    };
    let logits = refused(config, &|model| last(model, "Log"));
    assert!(logits.contains("has bits") && logits.contains("1 to 16 probabilities each"), "{logits}");
    // A row instead of a table.
    let flat = refused(config, &|model| {
        let graph = model.graph.as_mut().unwrap();
        let bits = graph.node.iter_mut().find(|node| node.output == ["bits"]).unwrap();
        bits.input[0] = "head.0.bias".into();
        graph.output.last_mut().unwrap().kind.as_mut().unwrap().tensor.as_mut().unwrap().shape = None;
    });
    assert!(flat.contains("has bits"), "{flat}");
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// From fresh instances of LOT to a solve with a network that predicts its integers.
#[test]
fn lot_from_instances_to_a_solve_with_predicted_integers() {
    let folder = Folder::new("integers-lot");
    let (problems, data, out) = (folder.path("instances"), folder.path("data"), folder.path("lot.onnx"));
    let sizes = ["items=9", "machines=2", "periods=4", "alternatives=1"];
    let sizes = sizes.into_iter().flat_map(|size| ["--set", size]);
    let (made, said) = run(apollo()
        .args(["generate", "lot", "--count", "4", "--seed", "5", "--out"])
        .arg(&problems)
        .args(sizes));
    assert!(made, "{said}");
    let collect = ["--time", "0.3", "--augment", "1", "--augment-time", "0.1"];
    let (made, said) = run(apollo().arg("collect").arg(&problems).arg("--out").arg(&data).args(collect));
    assert!(made, "{said}");

    let train = |out: &Path, options: &[&str]| {
        let mut command = apollo();
        command
            .arg("train")
            .arg(&data)
            .arg("--out")
            .arg(out)
            .args(["--width", "16", "--rate", "0.005", "--json"]);
        run(command.args(options))
    };
    let (made, said) = train(&out, &["--epochs", "25", "--patience", "25"]);
    assert!(made, "{said}");
    let summary: serde_json::Value =
        serde_json::from_str(&said[said.find('{').unwrap()..=said.rfind('}').unwrap()]).unwrap();
    let epochs = summary["epochs"].as_array().unwrap();
    let [first, last] = [0, epochs.len() - 1].map(|k| number(&epochs[k]["train"]));
    assert!(last < 0.9 * first, "{last} after {first}");
    let (best, bits) = (&summary["best"], &summary["bits"]);
    assert!(number(&best["valid"]) > number(&best["entropy"]) && number(&best["bits"]) > 0.0, "{best}");
    assert!(number(&bits["floor"]) < number(&bits["entropy"]), "{bits}");
    let width = bits["width"].as_u64().unwrap() as usize;
    assert_eq!(Onnx::load(out.to_str().unwrap(), Device::Cpu, 1).unwrap().bits(), width);
    assert!(fs::read_to_string(out.with_extension("md")).unwrap().contains("bits for each general integer"));

    // The integers of the problem are predicted, and plain SCIP's optimum is found all the same.
    let problem = fs::read_dir(&problems).unwrap().next().unwrap().unwrap().path();
    let (predicted, said) = run(apollo().arg("predict").arg(&problem).arg("--model").arg(&out));
    assert!(predicted && said.contains("general integers are sure"), "{said}");
    let solve = |more: &[&str]| -> serde_json::Value {
        let (solved, said) = run(apollo().arg("solve").arg(&problem).arg("--json").args(more));
        assert!(solved, "{said}");
        serde_json::from_str(&said[said.find('{').unwrap()..=said.rfind('}').unwrap()]).unwrap()
    };
    let plain = solve(&["--plain"]);
    let settings = ["minbinaries=1", "budget/nodes=200", "integers=1", "presolving/maxrounds=0"];
    let settings: Vec<&str> = settings.into_iter().flat_map(|set| ["--set", set]).collect();
    let with = solve(&[&["--model", out.to_str().unwrap()], &settings[..]].concat());
    assert_eq!((&plain["status"], &with["status"]), (&"optimal".into(), &"optimal".into()));
    assert!((number(&plain["objective"]) - number(&with["objective"])).abs() < 1e-3, "{plain} {with}");
    assert!(
        with["rounds"].as_array().unwrap().iter().any(|round| number(&round["integers"]) > 0.0),
        "{with}"
    );

    // Without bits, if so wished; and what was stopped goes on and ends with the same bytes.
    let none = folder.path("none.onnx");
    let (made, said) = train(&none, &["--epochs", "1", "--bits", "0"]);
    assert!(made && !said.contains("\"bits\""), "{said}");
    let model = File::decode(&fs::read(&none).unwrap()[..]).unwrap();
    assert_eq!(model.graph.unwrap().output.len(), 1);
    let order = |name: &str| crate::train::order(&data, folder.path(name));
    let (whole, stopped) = (order("whole.onnx"), order("stopped.onnx"));
    let never = AtomicBool::new(false);
    assert!(matches!(train::run(&whole, &never, |_| {}).unwrap(), Outcome::Done(_)));
    let stop = AtomicBool::new(false);
    let outcome = train::run(&stopped, &stop, |event| {
        if matches!(event, Event::Epoch(epoch, _) if epoch.epoch == 2) {
            stop.store(true, Ordering::SeqCst);
        }
    });
    assert!(matches!(outcome.unwrap(), Outcome::Stopped));
    assert!(matches!(train::run(&stopped, &never, |_| {}).unwrap(), Outcome::Done(_)));
    assert!(fs::read(&whole.out).unwrap() == fs::read(&stopped.out).unwrap());
}
