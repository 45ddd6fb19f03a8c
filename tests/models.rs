//! Models by name: shipped ones are found, `auto` picks the one that fits, a recommended schedule is
//! used, and every choice is told in one line.

use crate::onnx_file;
use crate::support::{self, Folder};
use apollo_scip::fingerprint::Fingerprint;
use apollo_scip::instances;
use apollo_scip::onnx::file::{Model, entry};
use apollo_scip::problem::Problem;
use std::path::{Path, PathBuf};

fn problem(family: &str, seed: u64) -> Problem {
    let options: &[(&str, &str)] = match family {
        "sc" => &[("rows", "60"), ("columns", "90"), ("density", "0.1")],
        _ => &[("items", "30"), ("bids", "80")],
    };
    instances::generate(family, options, seed, 0).unwrap().problem
}

/// A model that was trained on a family, so it says.
fn model(family: &str, entries: &[(&str, &str)]) -> Model {
    let mut all = Fingerprint::default();
    (1..4).for_each(|seed| all.add(&Fingerprint::of(&problem(family, seed))));
    let mut model = onnx_file::cheap_is_one();
    model.metadata.push(entry("fingerprint", &serde_json::to_string(&all).unwrap()));
    model.metadata.extend(entries.iter().map(|(key, value)| entry(key, value)));
    model
}

/// A folder of shipped models, and an instance file of each family and of none.
fn prepare(folder: &Folder) -> PathBuf {
    let models = folder.path("models");
    std::fs::create_dir_all(&models).unwrap();
    for (name, family) in [("ca", "ca"), ("sc", "sc"), ("sc-nd", "sc")] {
        onnx_file::write(&model(family, &[]), &models.join(format!("{name}.onnx")));
    }
    let schedule = r#"{"rounds":2,"k0":"0.3","timeshares":"1,2"}"#;
    onnx_file::write(&model("ca", &[("schedule", schedule)]), &models.join("with-schedule.onnx"));
    // Neither a model without a fingerprint nor something else can be chosen.
    onnx_file::write(&onnx_file::cheap_is_one(), &models.join("a.onnx"));
    std::fs::write(models.join("b.onnx"), "no network at all").unwrap();
    for family in ["ca", "sc"] {
        let (name, options) = match family {
            "sc" => ("sc.mps", ["rows=60", "columns=90", "density=0.1"].as_slice()),
            _ => ("ca.mps", ["items=30", "bids=80"].as_slice()),
        };
        let out = folder.path(family);
        let mut command = support::apollo();
        command.args(["generate", family, "--seed", "9", "--count", "1", "--out"]).arg(&out);
        command.args(options.iter().flat_map(|option| ["--set", option]));
        let (good, text) = support::run(&mut command);
        assert!(good, "{text}");
        let made = std::fs::read_dir(&out).unwrap().flatten().map(|entry| entry.path());
        let made = made.filter(|path| path.to_string_lossy().contains(".mps")).collect::<Vec<_>>();
        std::fs::copy(&made[0], folder.path(&format!("{name}.gz"))).unwrap();
    }
    std::fs::write(folder.path("cover.lp"), support::set_cover(60, 40)).unwrap();
    std::fs::copy(support::data("gap.mps"), folder.path("gap.mps")).unwrap(); // of no family
    models
}

fn shell(models: &Path, file: &Path, model: &str, more: &str) -> String {
    let settings = models.with_file_name("model.set");
    // Before the root node, which would solve them, and as they are written.
    let forced = "heuristics/apollo/minbinaries = 1\nheuristics/apollo/budget/nodes = 40\nlimits/nodes = 1\nheuristics/apollo/timing = \"before\"\npresolving/maxrounds = 0\n";
    let text = format!("{forced}heuristics/apollo/model = \"{model}\"\n{more}");
    std::fs::write(&settings, text).unwrap();
    let mut command = support::apollo();
    command.env("APOLLO_MODELS", models).arg("scip").arg("-s").arg(&settings);
    let (good, text) = support::run(command.arg("-c").arg(format!("read {} optimize quit", file.display())));
    assert!(good, "{text}");
    text
}

#[test]
fn names_and_auto_choose_a_model_and_say_why() {
    let folder = Folder::new("models-by-name");
    let models = prepare(&folder);
    let solve = |file: &str, model: &str, more: &str| shell(&models, &folder.path(file), model, more);
    let named = solve("cover.lp", "sc-nd", "");
    assert!(named.contains("predictor onnx sc-nd.onnx on cpu"), "{named}");

    let auto = solve("sc.mps.gz", "auto", "");
    let line = "apollo: model auto: sc, the problem is";
    assert!(auto.contains(line) && auto.contains("predictor onnx sc.onnx on cpu"), "{auto}");
    let other = solve("gap.mps", "auto", "");
    let line = "apollo: model auto: the relaxation predictor, because no shipped model fits, the nearest is";
    assert!(other.contains(line) && other.contains("predictor relaxation"), "{other}");
    assert!(!other.contains("WARNING"), "{other}");

    let missing = solve("cover.lp", "scc", "");
    let line = "neither a shipped model nor a file 'scc'; a, b, ca, sc, sc-nd, with-schedule are shipped";
    assert!(missing.contains(line) && missing.contains("predictor relaxation"), "{missing}");
    assert_eq!(missing.matches("WARNING: apollo").count(), 1, "{missing}");
}

#[test]
fn a_recommended_schedule_is_used_unless_the_user_has_one() {
    let folder = Folder::new("models-schedule");
    let models = prepare(&folder);
    let solve = |more: &str| shell(&models, &folder.path("cover.lp"), "with-schedule", more);
    let recommended = solve("");
    assert!(recommended.contains("with the schedule that its file recommends"), "{recommended}");
    assert!(recommended.contains("round 1/2"), "{recommended}");
    let own = solve("heuristics/apollo/k1 = \"0.1\"\n");
    assert!(!own.contains("recommends") && own.contains("round 1/4"), "{own}");
}

#[test]
fn the_commands_know_the_names_too() {
    let folder = Folder::new("models-commands");
    let models = prepare(&folder);
    let apollo = |arguments: &[&str], file: Option<&str>| {
        let mut command = support::apollo();
        command.env("APOLLO_MODELS", &models).args(arguments);
        command.args(file.map(|file| folder.path(file)));
        support::run(&mut command)
    };
    let (good, text) = apollo(&["predict", "--model", "auto"], Some("ca.mps.gz"));
    assert!(
        good && text.contains("model auto: ca, the problem is") && text.contains("onnx ca.onnx"),
        "{text}"
    );
    let (good, text) = apollo(&["predict", "--model", "auto"], Some("gap.mps"));
    assert!(good && text.contains("model auto: the relaxation predictor, because"), "{text}");
    let (good, text) = apollo(&["predict", "--model", "nobody"], Some("cover.lp"));
    assert!(!good && text.contains("neither a shipped model nor a file 'nobody'"), "{text}");
    // b.onnx is none.
    let (good, text) = apollo(&["doctor", "sc"], None);
    let place = models.display().to_string();
    assert!(!good && text.contains(&format!("looked in {place}")), "{text}");
    assert!(text.contains("sc.onnx (test, features version 1) runs on cpu, loaded in"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("BAD") && line.contains("b.onnx")), "{text}");
}
