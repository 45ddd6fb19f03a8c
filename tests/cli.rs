//! The command line: what programs read, what people read, and what errors say.

use crate::support::{self, Folder};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// Runs `apollo` with these arguments.
fn apollo(arguments: &[&str]) -> Output {
    support::apollo().args(arguments).output().expect("the program starts")
}

/// Standard output of a run that must succeed.
fn told(arguments: &[&str]) -> String {
    let output = apollo(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Its last line on stderr, of a run that must fail.
fn refused(arguments: &[&str]) -> String {
    let output = apollo(arguments);
    assert!(!output.status.success(), "{arguments:?} should fail");
    let text = String::from_utf8(output.stderr).expect("text");
    assert!(!text.contains("panicked"), "{text}");
    text.lines().rev().find(|line| !line.is_empty()).unwrap_or_default().to_string()
}

fn cover(folder: &Folder) -> String {
    let file = folder.path("cover.lp");
    std::fs::write(&file, support::set_cover(80, 60)).unwrap();
    file.to_str().unwrap().to_string()
}

const FORCED: [&str; 4] = ["--set", "minbinaries=1", "--set", "budget/nodes=40"];

#[test]
fn solve_as_json_has_everything() {
    let folder = Folder::new("cli-json");
    let file = cover(&folder);
    let outcome: Value =
        serde_json::from_str(&told(&[&["solve", &file, "--json", "--seed", "3"], &FORCED[..]].concat()))
            .unwrap();
    let plain: Value = serde_json::from_str(&told(&["solve", &file, "--json", "--plain"])).unwrap();
    assert_eq!(outcome["status"], "optimal");
    assert_eq!(outcome["objective"], plain["objective"]);
    let trajectory = outcome["trajectory"].as_array().unwrap();
    let objectives: Vec<f64> = trajectory.iter().map(|step| step[1].as_f64().unwrap()).collect();
    assert!(objectives.windows(2).all(|pair| pair[1] < pair[0]), "improvements only: {objectives:?}");
    assert_eq!(objectives.last(), outcome["objective"].as_f64().as_ref());
    assert!((outcome["bound"].as_f64().unwrap() - outcome["objective"].as_f64().unwrap()).abs() < 1e-6);
    assert!((0.0..=1.0).contains(&outcome["primal_integral"].as_f64().unwrap()));
    assert_eq!((&outcome["predictor"], &outcome["device"]), (&"relaxation".into(), &"cpu".into()));
    let round = &outcome["rounds"][0];
    for key in
        ["round", "step", "unfixed", "zeros", "ones", "radius", "fixed", "newly_fixed", "ending", "reference"]
    {
        assert!(round.get(key).is_some(), "{key} is missing in {round}");
    }
    assert!(outcome["time"].is_f64() && outcome["versions"]["scip"].as_str().unwrap().starts_with("10."));
    assert!(plain["rounds"].as_array().unwrap().is_empty() && plain["predictor"].is_null());
}

#[test]
fn solve_for_people_has_a_summary() {
    let folder = Folder::new("cli-people");
    let text = told(&[&["solve", &cover(&folder), "--time", "20"], &FORCED[..]].concat());
    for part in ["status     optimal", "objective", "bound", "Apollo with predictor relaxation", "SCIP 10."] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
}

#[test]
fn every_strategy_has_its_word() {
    let folder = Folder::new("cli-strategies");
    let file = cover(&folder);
    let optimum = told(&["solve", &file, "--json", "--plain"]);
    let optimum: Value = serde_json::from_str(&optimum).unwrap();
    for strategy in ["apollo", "ps", "nd", "multi-stage", "direct", "ws-ps", "ws-apollo"] {
        let text = told(&[&["solve", &file, "--json", "--strategy", strategy], &FORCED[..]].concat());
        let outcome: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(outcome["objective"], optimum["objective"], "{strategy}");
        let rounds = outcome["rounds"].as_array().unwrap();
        assert!(!rounds.is_empty(), "{strategy}");
        let with_region = rounds.iter().any(|round| round["radius"].is_u64());
        assert_eq!(with_region, !matches!(strategy, "nd" | "ws-ps" | "ws-apollo"), "{strategy}");
    }
}

#[test]
fn errors_say_what_and_what_to_do() {
    let folder = Folder::new("cli-errors");
    let file = cover(&folder);
    let garbage = folder.path("garbage.mps");
    std::fs::write(&garbage, "this is no problem").unwrap();
    let garbage = garbage.to_str().unwrap();
    for (arguments, parts) in [
        (vec!["solve", "/no/such.mps"], vec!["/no/such.mps", "no such file"]),
        (vec!["solve", garbage], vec!["garbage.mps", "cannot read"]),
        (vec!["solve", &file, "--strategy", "appollo"], vec!["appollo", "multi-stage"]),
        (vec!["solve", &file, "--set", "no/such=1"], vec!["no/such", "no parameter"]),
        (vec!["solve", &file, "--set", "rounds=many"], vec!["rounds", "whole number"]),
        (vec!["solve", &file, "--set", "rounds=-4"], vec!["rounds", "not accept"]),
        (vec!["solve", &file, "--settings", "/no/such.set"], vec!["/no/such.set", "no such settings file"]),
        (vec!["predict", &file, "--model", "/no/such.onnx"], vec!["/no/such.onnx", "cannot be read"]),
        (vec!["generate", "caa"], vec!["caa", "ca-small"]),
        (vec!["generate", "ip", "--set", "bins=-1"], vec!["bins", "-1"]),
    ] {
        let sentence = refused(&arguments);
        for part in parts {
            assert!(sentence.contains(part), "{arguments:?} says: {sentence}");
        }
    }
}

#[test]
fn predict_orders_the_binaries() {
    let folder = Folder::new("cli-predict");
    let file = cover(&folder);
    assert!(told(&["predict", &file]).contains("80 binaries of 80 variables"));
    let all: Value = serde_json::from_str(&told(&["predict", &file, "--json"])).unwrap();
    let all = all.as_object().unwrap();
    assert_eq!(all.len(), 80);
    assert!(all.values().all(|p| (0.0..=1.0).contains(&p.as_f64().unwrap())));
}

#[test]
fn doctor_finds_everything_in_its_place() {
    let text = told(&["doctor"]);
    for part in [
        "ok  SCIP           10.",
        "ok  a small solve",
        "ok  plugin",
        "ok  ONNX Runtime",
        "ok  devices        cpu",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    let sick = support::apollo().arg("doctor").env("ORT_DYLIB_PATH", "/no/such.so").output().unwrap();
    let text = String::from_utf8_lossy(&sick.stdout).into_owned();
    assert!(
        !sick.status.success() && text.contains("BAD ONNX Runtime") && text.contains("/no/such.so"),
        "{text}"
    );
}

#[test]
fn demo_writes_its_plot_and_its_numbers() {
    let folder = Folder::new("cli-demo");
    let out = folder.path("demo");
    let text = told(&["demo", "--time", "4", "--out", out.to_str().unwrap()]);
    assert!(text.contains("SCIP + Apollo") && text.contains("primal integral"));
    let size = |name: &str| std::fs::metadata(out.join(name)).map_or(0, |file| file.len());
    assert!(
        size("primal-bound.png") > 1000 && size("primal-bound.svg") > 1000 && size("outcomes.json") > 1000
    );
}

#[test]
fn generate_gives_the_same_bytes_whatever_the_count() {
    let folder = Folder::new("cli-generate");
    let (one, two) = (folder.path("one"), folder.path("two"));
    let make = |out: &Path, count: &str| {
        let options = ["--set", "items=20", "--set", "bids=30"];
        told(
            &[
                &["generate", "ca", "--count", count, "--seed", "7", "--out", out.to_str().unwrap()],
                &options[..],
            ]
            .concat(),
        )
    };
    make(&one, "3");
    make(&two, "2");
    let read = |folder: &Path, k: usize| std::fs::read(folder.join(format!("ca-7-{k}.mps.gz"))).unwrap();
    assert_eq!(read(&one, 0), read(&two, 0));
    assert_eq!(read(&one, 1), read(&two, 1));
    assert_ne!(read(&one, 0), read(&one, 1));
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    use std::process::Stdio;
    let mut child =
        support::apollo().arg("parameters").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut text = String::new();
    std::io::Read::read_to_string(child.stderr.as_mut().unwrap(), &mut text).unwrap();
    child.wait().unwrap();
    assert!(!text.contains("panicked"), "{text}");
}
