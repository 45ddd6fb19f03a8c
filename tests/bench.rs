//! `apollo bench` and `apollo report`: right numbers in every file, a run that may be stopped anywhere,
//! crashes as results, every refusal.

use crate::support::{self, Folder};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The suite of these tests: two instances that take a moment, three strategies.
const SUITE: &str = r#"
about = "A suite for a test."
time = 20
memory = 3000
best_known = "best.json"
strategies = [
  "scip",
  { label = "aggressive & co", strategy = "scip-aggressive" },
  { strategy = "apollo", settings = ["own.set"], parameters = { "budget/nodes" = 40, minbinaries = 1 } },
]

[[instances]]
family = "cover"
files = ["*.lp"]

[[instances]]
family = "sc"
generate = { seed = 3, count = 1, options = { rows = 80, columns = 120, density = 0.1 } }
"#;

fn suite(folder: &Folder, text: &str) -> PathBuf {
    std::fs::write(folder.path("cover.lp"), support::set_cover(60, 40)).unwrap();
    std::fs::write(folder.path("own.set"), "heuristics/apollo/rounds = 2\n").unwrap();
    let path = folder.path("tiny.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// `apollo bench` with these further arguments: whether it succeeded, and what it said.
fn bench(suite: &Path, out: &Path, more: &[&str]) -> (bool, String) {
    support::run(support::apollo().arg("bench").arg(suite).arg("--out").arg(out).args(more))
}

fn runs(out: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(out.join("runs.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn a_suite_from_the_file_to_the_page() {
    let folder = Folder::new("bench-whole");
    let (suite, out) = (suite(&folder, SUITE), folder.path("out"));
    let (fine, said) = bench(&suite, &out, &[]);
    assert!(fine, "{said}");
    let runs = runs(&out);
    assert_eq!(runs.len(), 6);
    let mut optima: Vec<(&str, f64)> = vec![];
    for run in &runs {
        assert_eq!(run["status"], "optimal", "{run}");
        assert!(run["violation"].as_f64().unwrap() <= 1e-6);
        let objective = run["objective"].as_f64().unwrap();
        assert_eq!(run["trajectory"].as_array().unwrap().last().unwrap()[1].as_f64(), Some(objective));
        assert!(run["machine"]["cores"].as_u64().unwrap() > 0 && run["peak_memory"].as_u64().unwrap() > 0);
        assert!(run["versions"]["scip"].as_str().unwrap().starts_with("10."));
        let apollo = run["strategy"] == "apollo";
        assert_eq!(!run["rounds"].as_array().unwrap().is_empty(), apollo);
        assert!(run["local"].is_null() || apollo, "{run}");
        assert_eq!(run["conditions"]["method"]["settings"].as_array().unwrap().len(), usize::from(apollo));
        assert_eq!(run["conditions"]["method"]["aggressive"], run["strategy"] == "aggressive & co");
        optima.push((run["instance"].as_str().unwrap(), objective));
    }
    let rounds = &runs.iter().find(|run| run["strategy"] == "apollo").unwrap()["rounds"];
    assert!(rounds.as_array().unwrap().iter().all(|round| round["round"].as_u64().unwrap() <= 2), "own.set");
    // All strategies on one instance before the next one, and not always the same first.
    let order: Vec<&Value> = runs.iter().map(|run| &run["instance"]).collect();
    assert!(order[..3].iter().all(|name| *name == order[0]) && order[3] != order[0]);
    assert_ne!(runs[0]["strategy"], runs[3]["strategy"]);

    let best: Value = serde_json::from_str(&read(folder.path("best.json"))).unwrap();
    assert_eq!(best.as_object().unwrap().len(), 2);
    let (markdown, page) = (read(out.join("report.md")), read(out.join("report.html")));
    let csv = read(out.join("report.csv"));
    assert_eq!(csv.lines().count(), 7);
    for (name, objective) in optima {
        let kept = best.as_object().unwrap().values().find(|best| best["instance"] == name).unwrap();
        assert_eq!(kept["objective"].as_f64(), Some(objective));
        assert!(csv.lines().any(|line| line.contains(name) && line.contains(&format!(",{objective},"))));
        assert!(markdown.contains(name) && page.contains(name));
        assert!(page.contains(&format!("{objective:.0}")) && markdown.contains(&format!("{objective:.0}")));
    }
    for part in
        ["A suite for a test.", "aggressive &amp; co", "<svg", "prefers-color-scheme: dark", "tiny.toml"]
    {
        assert!(page.contains(part), "{part} is missing");
    }
    for outside in ["http:", "https:", "src=", "@import", "url(", "<script", "<link"] {
        assert!(!page.contains(outside), "the page is not self-contained: {outside}");
    }
    for name in ["curves-cover.svg", "curves-sc.png", "summary.csv", "suite.json"] {
        assert!(out.join(name).is_file(), "{name} is missing");
    }

    // Again: nothing is left to do, nothing changes; and the report comes back from the runs alone.
    let before = read(out.join("runs.jsonl"));
    let (fine, said) = bench(&suite, &out, &[]);
    assert!(fine && said.contains("6 of 6 runs are there already"), "{said}");
    std::fs::remove_file(out.join("report.html")).unwrap();
    let (fine, said) = support::run(support::apollo().arg("report").arg(&out));
    assert!(fine && said.contains("aggressive & co"), "{said}");
    assert_eq!((read(out.join("runs.jsonl")), read(out.join("report.html"))), (before, page));

    // Against itself nothing has changed.
    let (fine, said) = support::run(support::apollo().arg("report").arg(&out).arg("--against").arg(&out));
    assert!(fine && said.contains("6 runs in common") && said.contains("0 better, 0 worse, of 1"), "{said}");

    // Other conditions are not mixed in.
    let mut other = SUITE.replace("time = 20", "time = 19");
    std::fs::write(&suite, &other).unwrap();
    let (fine, said) = bench(&suite, &out, &[]);
    assert!(!fine && said.contains("time limit 20 instead of 19") && said.contains("--out"), "{said}");
    other = SUITE.replace("\"budget/nodes\" = 40", "\"budget/nodes\" = 41");
    std::fs::write(&suite, &other).unwrap();
    let (fine, said) = bench(&suite, &out, &[]);
    assert!(!fine && said.contains("strategy apollo"), "{said}");
    // Nor beside what is there: both would stand in one table.
    std::fs::write(&suite, SUITE.replace("time = 20", "time = 19").replace("\"scip\",", "\"ws-ps\","))
        .unwrap();
    let (fine, said) = bench(&suite, &out, &["--only", "ws-ps"]);
    assert!(!fine && said.contains("time limit 20 instead of 19"), "{said}");
}

#[test]
fn killed_in_the_middle_it_goes_on() {
    let folder = Folder::new("bench-killed");
    let (suite, out) = (suite(&folder, SUITE), folder.path("out"));
    let mut first = support::apollo();
    first.arg("bench").arg(&suite).arg("--out").arg(&out).stdout(Stdio::null()).stderr(Stdio::null());
    let mut first = first.spawn().unwrap();
    let began = Instant::now();
    let there = || std::fs::read_to_string(out.join("runs.jsonl")).unwrap_or_default();
    while there().lines().count() < 2 {
        assert!(began.elapsed() < Duration::from_secs(120), "no run is ever done");
        std::thread::sleep(Duration::from_millis(5));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let done = there();
    // A machine that loses power may leave half a line.
    std::fs::write(out.join("runs.jsonl"), format!("{done}{{\"instance\":\"cov")).unwrap();
    let (fine, said) = bench(&suite, &out, &[]);
    assert!(fine && said.contains("runs are there already"), "{said}");
    assert!(there().starts_with(&done), "what was done stays");
    let runs = runs(&out);
    let cells: BTreeSet<String> =
        runs.iter().map(|run| format!("{} {}", run["instance"], run["strategy"])).collect();
    assert_eq!((runs.len(), cells.len()), (6, 6), "each run once");
}

#[test]
fn a_crash_is_a_result() {
    let folder = Folder::new("bench-crash");
    // The program is larger than this: no run gets anywhere.
    let suite = suite(&folder, &SUITE.replace("memory = 3000", "memory = 8"));
    let out = folder.path("out");
    let (fine, said) = bench(&suite, &out, &["--only", "scip,cover"]);
    assert!(fine, "{said}");
    let runs = runs(&out);
    assert_eq!((runs.len(), &runs[0]["status"]), (1, &Value::from("crashed")), "{said}");
    assert!(runs[0]["objective"].is_null() && runs[0]["failure"].is_string());
    assert!(read(out.join("report.md")).contains("cover, scip, seed 0: "));
    assert!(!folder.path("best.json").exists(), "nothing was found");
}

#[test]
fn what_is_known_only_improves() {
    let folder = Folder::new("bench-known");
    let (suite, out) = (suite(&folder, SUITE), folder.path("out"));
    let only = ["--only", "scip,cover"];
    assert!(bench(&suite, &out, &only).0);
    let known = read(folder.path("best.json"));
    let mut entries: Value = serde_json::from_str(&known).unwrap();
    let hash = entries.as_object().unwrap().keys().next().unwrap().clone();
    let optimum = entries[&hash]["objective"].as_f64().unwrap();
    for (kept, after) in [(optimum - 5.0, optimum - 5.0), (optimum + 5.0, optimum)] {
        entries[&hash]["objective"] = kept.into();
        std::fs::write(folder.path("best.json"), entries.to_string()).unwrap();
        let out = folder.path(&format!("out{kept}"));
        let (fine, said) = bench(&suite, &out, &only);
        assert!(fine, "{said}");
        assert_eq!(said.contains("better than the best known"), after != kept, "{said}");
        let now: Value = serde_json::from_str(&read(folder.path("best.json"))).unwrap();
        assert_eq!(now[&hash]["objective"].as_f64(), Some(after));
        let gap = (optimum - after).abs();
        let summary = read(out.join("summary.csv"));
        assert!(summary.lines().nth(1).unwrap().starts_with(&format!("cover,1,scip,{gap},")), "{summary}");
    }
}

#[test]
fn what_cannot_be_measured_is_said_before_the_first_run() {
    let folder = Folder::new("bench-refused");
    for (from, to, why) in [
        ("own.set", "missing.set", "missing.set"),
        ("strategy = \"apollo\"", "strategy = \"appolo\"", "'appolo' is not one of scip,"),
        ("minbinaries = 1", "fixing = \"often\"", "'often' is not one of"),
        ("minbinaries = 1", "\"limits/nothing\" = 1", "limits/nothing"),
        ("\"scip\",", "\"scip\", \"scip\",", "two strategies are called scip"),
        ("*.lp", "*.mps", "there is no file"),
        ("rows = 80", "lines = 80", "no option lines"),
        ("time = 20", "time = 0", "time = 0"),
        ("time = 20", "tim = 20", "tim"),
        ("time = 20", "time = 1e20", "are the most"),
        ("time = 20", "time = 20\nseeds = [1, 1]", "1 is there twice"),
        ("time = 20", "time = 20\nseeds = [3000000000]", "3000000000"),
        ("minbinaries = 1", "seed = 1", "`seeds`"),
        ("minbinaries = 1", "\"limits/time\" = 1", "`time`"),
        ("family = \"cover\"", "family = \"co/ver\"", "without slashes"),
        ("settings =", "families = [\"covers\"], settings =", "there is no family covers"),
        ("settings =", "model = { sc = \"nowhere\" }, settings =", "there is no model for cover"),
        ("best.json", "nowhere/best.json", "no such folder"),
        ("settings =", "model = \"nowhere\", settings =", "there is no model nowhere"),
    ] {
        let suite = suite(&folder, &SUITE.replacen(from, to, 1));
        let out = folder.path("out");
        let (fine, said) = bench(&suite, &out, &[]);
        let last = said.lines().last().unwrap_or_default();
        assert!(!fine && last.starts_with("apollo: ") && last.contains(why), "{to}: {said}");
        assert!(runs(&out).is_empty(), "{to}");
    }
    let suite = suite(&folder, SUITE);
    let (fine, said) = bench(&suite, &folder.path("out"), &["--only", "gurobi"]);
    assert!(!fine && said.contains("--only gurobi: there is nothing of this name"), "{said}");
    let (fine, said) = support::run(support::apollo().arg("report").arg(folder.path("nowhere")));
    assert!(!fine && said.contains("apollo bench"), "{said}");
}

#[test]
fn a_missing_model_or_file_may_be_allowed_for() {
    let folder = Folder::new("bench-fallback");
    let text = SUITE
        .replace("settings = [", "model = \"{family}-net\", fallback = \"relaxation\", settings = [")
        .replace("files = [\"*.lp\"]", "files = [\"*.lp\", \"*.mps\"]\noptional = true");
    let (suite, out) = (suite(&folder, &text), folder.path("out"));
    let (fine, said) = bench(&suite, &out, &["--only", "apollo,cover"]);
    assert!(fine, "{said}");
    for part in
        ["there is no model cover-net; the relaxation predicts instead", "*.mps is not there: left out"]
    {
        assert!(said.contains(part) && read(out.join("report.md")).contains(part), "{said}");
    }
    assert_eq!(runs(&out)[0]["predictor"], "relaxation");
    std::fs::write(&suite, text.replace("\"relaxation\"", "\"skip\"")).unwrap();
    let (fine, said) = bench(&suite, &folder.path("skip"), &["--only", "apollo,cover"]);
    assert!(fine && said.contains("nothing to measure") && said.contains("left out"), "{said}");
}

/// The suites of the repository are readable; those whose models are not made yet say so.
#[test]
fn every_suite_of_the_repository_is_one() {
    let folder = Folder::new("bench-suites");
    for entry in std::fs::read_dir(support::root().join("bench")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        // A name that does not exist: everything before it has been read, and nothing is drawn.
        let (fine, said) = bench(&path, &folder.path("out"), &["--only", "nobody"]);
        assert!(!fine && said.contains("--only nobody: there is nothing"), "{}: {said}", path.display());
    }
}
