//! `apollo eval`: the numbers are those of a direct computation, every reference and every stage is
//! there, and what cannot be measured is named while the rest is.

use crate::support::{self, Folder, apollo, run};
use apollo_scip::data::example::{Example, examples};
use apollo_scip::data::file::{Instance, Meta};
use apollo_scip::data::pool::{Pool, TEMPERATURE, Teacher};
use apollo_scip::evaluation::report::STAGES;
use apollo_scip::network::export::{self, About};
use apollo_scip::network::{Config, Network};
use apollo_scip::onnx::Onnx;
use apollo_scip::prediction::{Predictor, Question};
use apollo_scip::problem::{Kind, Problem};
use apollo_scip::scip::Relaxation;
use apollo_scip::settings::Device;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Two small auctions and a small set cover, collected for a second each.
fn collected(folder: &Folder) -> PathBuf {
    let (instances, data) = (folder.path("instances"), folder.path("data"));
    for (family, count, options) in
        [("ca", "2", ["items=30", "bids=90"]), ("sc", "1", ["rows=50", "columns=80"])]
    {
        let mut command = apollo();
        command.args(["generate", family, "--count", count, "--out"]).arg(&instances);
        command.args(options.iter().flat_map(|option| ["--set", option]));
        let (good, said) = run(&mut command);
        assert!(good, "{said}");
    }
    let options = ["--time", "1", "--augment", "3", "--augment-time", "0.3"];
    let (good, said) = run(apollo().arg("collect").arg(&instances).arg("--out").arg(&data).args(options));
    assert!(good, "{said}");
    data
}

/// A small network with random weights, trained on `ca` by its own account.
fn model(folder: &Folder, name: &str, seed: u64) -> PathBuf {
    let path = folder.path(name);
    let config = Config { width: 8, convolutions: 2, ..Config::default() };
    let about = About { family: "ca".into(), ..About::default() };
    std::fs::write(&path, export::onnx(&Network::new(config, seed).unwrap(), &about)).unwrap();
    path
}

/// An instance of two binaries with two solutions.
fn toy(path: &Path, family: Option<&str>) -> Instance {
    let mut problem = Problem::default();
    problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
    problem.add_column(2.0, 0.0, 1.0, Kind::Binary);
    problem.rows.push(1.0, [(0, 1.0), (1, 1.0)], 2.0);
    let mut pool = Pool::new(&problem, 9);
    pool.insert(&[1.0, 0.0], 1.0, 0.0, Teacher::Scip);
    pool.insert(&[0.0, 1.0], 2.0, 0.0, Teacher::Scip);
    let mut meta = Meta::new(&path.file_stem().unwrap().to_string_lossy(), &problem);
    meta.family = family.map(str::to_string);
    let instance = Instance { meta, problem: Some(problem), pool, augmented: vec![] };
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    instance.write(path).unwrap();
    instance
}

fn ask(predictor: &mut dyn Predictor, example: &Example<'_>) -> Vec<f64> {
    let Example { reduced, fixings, pool, .. } = example;
    let question = Question { reduced, fixings, seconds: f64::INFINITY };
    let probability = predictor.predict(&question).unwrap().probability;
    pool.binaries.iter().map(|&j| probability[j]).collect()
}

/// The numbers of one prediction, each written down as its definition says.
struct Direct {
    loss: f64,
    auc: f64,
    calibration_error: f64,
    /// Precision at 10, 50 and 100 % coverage.
    zeros: [f64; 3],
    ones: [f64; 3],
}

fn direct(p: &[f64], pool: &Pool) -> Direct {
    let (targets, best) = (pool.targets(TEMPERATURE), &pool.solutions[0].binaries);
    let n = p.len() as f64;
    let loss = p.iter().zip(&targets).map(|(p, t)| -t * p.ln() - (1.0 - t) * (1.0 - p).ln()).sum::<f64>() / n;
    let places = |value: u8| (0..p.len()).filter(|&j| best[j] == value).collect::<Vec<_>>();
    let (zeros, ones) = (places(0), places(1));
    let mut won = 0.0;
    for &one in &ones {
        for &zero in &zeros {
            won += if p[one] > p[zero] {
                1.0
            } else if p[one] == p[zero] {
                0.5
            } else {
                0.0
            };
        }
    }
    let mut off = 0.0;
    for bin in 0..10 {
        let inside = |&j: &usize| p[j] >= bin as f64 / 10.0 && (p[j] < (bin + 1) as f64 / 10.0 || bin == 9);
        let inside: Vec<usize> = (0..p.len()).filter(inside).collect();
        off += inside.iter().map(|&j| p[j] - f64::from(best[j])).sum::<f64>().abs();
    }
    let precision = |value: u8, all: usize| {
        let mut order: Vec<usize> = (0..p.len()).collect();
        let doubt = |j: usize| if value == 0 { p[j] } else { -p[j] };
        order.sort_by(|&a, &b| doubt(a).total_cmp(&doubt(b))); // stable: ties by index
        [0.1, 0.5, 1.0].map(|coverage: f64| {
            let k = ((coverage * all as f64).round() as usize).max(1);
            order[..k].iter().filter(|&&j| best[j] == value).count() as f64 / k as f64
        })
    };
    Direct {
        loss,
        auc: won / (zeros.len() * ones.len()) as f64,
        calibration_error: off / n,
        zeros: precision(0, zeros.len()),
        ones: precision(1, ones.len()),
    }
}

fn near(got: &Value, expected: f64, what: &str) {
    let got = got.as_f64().unwrap_or_else(|| panic!("{what}: {got}"));
    assert!((got - expected).abs() < 1e-9, "{what}: {got} is not {expected}");
}

fn same(got: &Value, expected: &Direct, what: &str) {
    near(&got["loss"], expected.loss, &format!("loss of {what}"));
    near(&got["auc"], expected.auc, &format!("AUC of {what}"));
    near(&got["calibration_error"], expected.calibration_error, &format!("calibration of {what}"));
    for (k, place) in [1, 9, 19].into_iter().enumerate() {
        near(&got["zeros"]["best"][place], expected.zeros[k], &format!("zeros of {what} at {place}"));
        near(&got["ones"]["best"][place], expected.ones[k], &format!("ones of {what} at {place}"));
    }
}

#[test]
fn the_numbers_are_those_of_a_direct_computation() {
    let folder = Folder::new("eval-numbers");
    let (data, path) = (collected(&folder), model(&folder, "m.onnx", 5));
    let (json, plots) = (folder.path("e.json"), folder.path("plots"));
    let mut command = apollo();
    command.arg("eval").arg(&path).arg(&data).arg("--json").arg(&json).arg("--plot").arg(&plots);
    let (good, said) = run(&mut command);
    assert!(good, "{said}");
    assert!(said.contains("m.onnx was trained on ca, and is measured on sc"), "{said}");
    assert!(said.contains("ca, whole instances: 2 instances, 90 binaries"), "{said}");
    for part in ["relaxation", "constant", "pool", "zeros right at 50 %", "ones right at 10 %", "reduced, α"]
    {
        assert!(said.contains(part), "{part} is missing:\n{said}");
    }
    assert!(plots.join("ca-whole-reliability.svg").is_file() && plots.join("sc-whole-ones.png").is_file());

    let report: Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    let mut onnx = Onnx::load(path.to_str().unwrap(), Device::Cpu, 1).unwrap();
    let mut whole = vec![];
    for entry in std::fs::read_dir(&data).unwrap() {
        let instance = Instance::read(&entry.unwrap().path()).unwrap();
        let records = report["instances"].as_array().unwrap();
        let record = records.iter().find(|record| record["hash"] == instance.meta.hash[..]).unwrap();
        assert_eq!(record["family"].as_str(), instance.meta.family.as_deref());
        let all: Vec<Example<'_>> = examples(&instance).collect();
        assert_eq!(record["examples"].as_array().unwrap().len(), all.len());
        for (k, (example, got)) in all.iter().zip(record["examples"].as_array().unwrap()).enumerate() {
            let what = format!("{} {k}", instance.meta.name);
            near(&got["alpha"], example.alpha, &what);
            let network = direct(&ask(&mut onnx, example), example.pool);
            same(&got["quality"]["m.onnx"], &network, &what);
            // The plugin's own predictor, which has solved nothing before.
            let relaxed = direct(&ask(&mut Relaxation::new(|| false), example), example.pool);
            let got = &got["quality"]["relaxation"];
            // Its probabilities reach 0 and 1, where the logarithm is clipped.
            same(got, &Direct { loss: got["loss"].as_f64().unwrap(), ..relaxed }, &what);
            if k == 0 && instance.meta.family.as_deref() == Some("ca") {
                whole.push((network.auc, relaxed.auc));
            }
        }
    }
    let group = &report["groups"][0];
    assert_eq!((&group["family"], &group["stage"]), (&"ca".into(), &STAGES[0].into()));
    near(&group["predictors"][0]["auc"]["mean"], (whole[0].0 + whole[1].0) / 2.0, "mean AUC");
    // Of two values the standard error is half their difference.
    near(&group["predictors"][1]["auc"]["error"], (whole[0].1 - whole[1].1).abs() / 2.0, "its error");
    for key in ["versions", "conditions", "predictors"] {
        assert!(report[key].is_object() || report[key].is_array(), "{key} is missing");
    }
    assert_eq!(report["predictors"][0]["sha256"].as_str().map(str::len), Some(64));
}

#[test]
fn several_models_are_measured_on_the_same_instances() {
    let folder = Folder::new("eval-several");
    let data = folder.path("data");
    toy(&data.join("one.npz"), Some("toy"));
    toy(&data.join("deep/two.npz"), None);
    let (a, b) = (model(&folder, "a.onnx", 1), model(&folder, "b.onnx", 2));
    let mut command = apollo();
    command.arg("eval").args([&a, &data]).arg("--model").arg(&b).args(["--references", "pool", "--markdown"]);
    let output = command.output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(table.matches("|  | a.onnx | b.onnx | pool |").count(), 2, "{table}");
    assert!(table.contains("**toy, whole") && table.contains("**no family, whole"), "{table}");

    // A reference instead of a model, and nothing but JSON on the output.
    let output =
        apollo().args(["eval", "constant"]).arg(&data).args(["--references=none", "--json=-"]).output();
    let report: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(report["predictors"].as_array().unwrap().len(), 1);
    let constant = &report["instances"][0]["examples"][0]["quality"]["constant"];
    // One one among two binaries in both solutions, so that the constant is 1/2.
    near(&constant["loss"], 2f64.ln(), "loss of a constant");
    near(&constant["auc"], 0.5, "AUC of a constant");
}

#[test]
fn what_cannot_be_measured_is_named_and_the_rest_goes_on() {
    let folder = Folder::new("eval-bad");
    let data = folder.path("data");
    toy(&data.join("good.npz"), Some("toy"));
    Instance { problem: None, ..toy(&data.join("x.npz"), Some("toy")) }.write(&data.join("x.npz")).unwrap();
    std::fs::write(data.join("damaged.npz"), "no zip").unwrap();
    let mut nothing = toy(&data.join("nothing.npz"), None);
    nothing.pool.solutions.clear();
    nothing.write(&data.join("nothing.npz")).unwrap();
    let (good, said) = run(apollo().args(["eval", "relaxation"]).arg(&data));
    assert!(!good && said.contains("toy, whole instances: 1 instances"), "{said}");
    for part in
        ["3 failed", "x.npz: has no problem in it (stripped)", "damaged.npz: is damaged", "nothing: has no"]
    {
        assert!(said.contains(part), "{part} is missing:\n{said}");
    }
}

#[test]
fn refusals_are_one_sentence() {
    let folder = Folder::new("eval-refused");
    let (empty, data) = (folder.path("empty"), folder.path("data"));
    std::fs::create_dir_all(&empty).unwrap();
    toy(&data.join("good.npz"), Some("toy"));
    let stripped = folder.path("stripped.npz");
    Instance { problem: None, ..toy(&stripped, None) }.write(&stripped).unwrap();
    let broken = folder.path("broken.onnx");
    std::fs::write(&broken, "no model").unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_string();
    let (empty, data, stripped, broken) = (text(&empty), text(&data), text(&stripped), text(&broken));
    let foreign = text(&support::data("foreign.onnx"));
    for (arguments, expected) in [
        (vec!["relaxation", &empty], "has no .npz file in it"),
        (vec!["relaxation", &stripped], "has no file that can be measured"),
        (vec!["relaxation", "nowhere"], "nowhere: is no folder and no .npz file"),
        (vec!["nowhere.onnx", &data], "nowhere.onnx: cannot be read"),
        (vec![&broken, &data], "broken.onnx: ONNX Runtime cannot load it"),
        (vec![&foreign, &data], "foreign.onnx: "),
        (vec!["constant", "constant", &data], "constant: is named twice"),
        (vec![&data, "--references=none"], "there is nothing to measure"),
        (vec!["constant", &data, "--json", "/nonexistent/e.json"], "/nonexistent: there is no such folder"),
    ] {
        let output = apollo().arg("eval").args(&arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && !said.contains("panicked"), "{arguments:?}: {said}");
        let last = said.lines().rev().find(|line| !line.is_empty()).unwrap_or_default();
        assert!(last.starts_with("apollo: ") && last.contains(expected), "{arguments:?}: {said}");
    }
}
