//! Training data on disk: numpy reads what the library wrote, and `apollo data` tells, strips and
//! exports it.

use crate::support::{self, Folder, python, run};
use apollo_scip::data::file::{Instance, Meta, Sample};
use apollo_scip::data::pool::{POOL, Pool, TEMPERATURE, Teacher};
use apollo_scip::graph::{Features, Graph};
use apollo_scip::measure::{self, Task};
use apollo_scip::problem::{Fixings, Kind, Problem};
use apollo_scip::scip::read_problem;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What numpy finds in a file: each member with its type, its shape and its numbers.
fn loaded(path: &Path) -> Option<Value> {
    let code = "import json, sys, numpy as np; d = np.load(sys.argv[1]); print(json.dumps({k: json.loads(d[k]) \
                if k == 'meta.json' else [str(d[k].dtype), d[k].shape, d[k].tolist()] for k in d.files}))";
    let (succeeded, said) = run(python()?.args(["-c", code]).arg(path));
    assert!(succeeded, "{said}");
    // Python writes Infinity, which is no JSON.
    Some(serde_json::from_str(&said.replace("-Infinity", "\"-inf\"").replace("Infinity", "\"inf\"")).unwrap())
}

/// A maximised problem with an integer, a continuous variable and an empty row.
fn problem() -> Problem {
    let mut problem = Problem { maximise: true, offset: -1.5, ..Problem::default() };
    for (objective, upper, kind) in [
        (-4.0, 1.0, Kind::Binary),
        (2.0, 9.0, Kind::Integer),
        (-1.0, 1.0, Kind::Binary),
        (0.5, f64::INFINITY, Kind::Continuous),
    ] {
        problem.add_column(objective, 0.0, upper, kind);
    }
    problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (1, 2.0), (3, -0.25)], 8.0);
    problem.rows.push(0.0, [], 1.0);
    problem.rows.push(1.0, [(0, 1.0), (2, 1.0)], 2.0);
    problem
}

fn instance(name: &str) -> Instance {
    let problem = problem();
    let mut pool = Pool::new(&problem, POOL);
    pool.insert(&[1.0, 3.0, 1.0, 0.0], -0.5, 1.0, Teacher::Scip);
    pool.insert(&[1.0, 2.0, 0.0, 0.0], -0.495, 0.5, Teacher::Apollo);
    let fixings = Fixings::from([(0, 1.0)]);
    let mut left = Pool::new(&problem.reduce(&fixings).problem, POOL);
    left.insert(&[3.0, 1.0, 0.0], -0.5, 2.0, Teacher::Neighbourhood);
    let mut meta = Meta::new(name, &problem);
    meta.family = Some("toy".into());
    meta.seed = 7;
    Instance { meta, problem: Some(problem), pool, augmented: vec![Sample { fixings, pool: left }] }
}

/// A folder `full` with two instances, one of them a folder deeper.
fn written(folder: &Folder) -> PathBuf {
    let full = folder.path("full");
    std::fs::create_dir_all(full.join("deep")).unwrap();
    instance("one").write(&full.join("one.npz")).unwrap();
    instance("two").write(&full.join("deep/two.npz")).unwrap();
    full
}

fn apollo(arguments: &[&str], paths: &[&Path]) -> Command {
    let mut command = support::apollo();
    command.arg("data").args(arguments).args(&paths[..1]);
    if let Some(out) = paths.get(1) {
        command.arg("--out").arg(out);
    }
    command
}

#[test]
fn numpy_reads_every_member() {
    let folder = Folder::new("data-numpy");
    let path = folder.path("one.npz");
    let whole = instance("one");
    whole.write(&path).unwrap();
    let Some(read) = loaded(&path) else { return };
    let graph = Graph::new(&problem());
    let same = |name: &str, expected: Value| assert_eq!(read[name], expected, "{name}");
    let meta = &read["meta.json"];
    assert_eq!((&meta["hash"], &meta["seed"]), (&whole.meta.hash.clone().into(), &7.into()));
    assert_eq!((&meta["maximise"], &meta["offset"]), (&true.into(), &(-1.5).into()));
    assert_eq!((&meta["stripped"], &meta["augmented"]), (&false.into(), &1.into()));
    same("objective", serde_json::json!(["float64", [4], [-4.0, 2.0, -1.0, 0.5]]));
    same("upper", serde_json::json!(["float64", [4], [1.0, 9.0, 1.0, "inf"]]));
    same("kind", serde_json::json!(["uint8", [4], [0, 1, 0, 2]]));
    same("lhs", serde_json::json!(["float64", [3], ["-inf", 0.0, 1.0]]));
    same("edges", serde_json::json!(["int32", [2, 5], [[0, 0, 0, 2, 2], [0, 1, 3, 0, 2]]]));
    same("coefficients", serde_json::json!(["float64", [5], [1.0, 2.0, -0.25, 1.0, 1.0]]));
    let rows: Vec<&[f32]> = graph.variable_features.chunks(18).collect();
    same("variables", serde_json::json!(["float32", [4, 18], rows]));
    let rows: Vec<&[f32]> = graph.constraint_features.chunks(4).collect();
    same("constraints", serde_json::json!(["float32", [3, 4], rows]));
    same("binaries", serde_json::json!(["int32", [2], [0, 2]]));
    same("solutions", serde_json::json!(["uint8", [2, 2], [[1, 1], [1, 0]]]));
    same("integer_values", serde_json::json!(["int64", [2, 1], [[3], [2]]]));
    same("objectives", serde_json::json!(["float64", [2], [0.5, 0.495]]));
    same("teachers", serde_json::json!(["uint8", [2], [0, 1]]));
    same("augmented/0/fixed", serde_json::json!(["int32", [1], [0]]));
    same("augmented/0/values", serde_json::json!(["float64", [1], [1.0]]));
    same("augmented/0/binaries", serde_json::json!(["int32", [1], [2]]));
    same("augmented/0/integers", serde_json::json!(["int32", [1], [1]]));
    same("augmented/0/solutions", serde_json::json!(["uint8", [1, 1], [[1]]]));
    assert_eq!(read.as_object().unwrap().len(), 1 + 10 + 7 + 9, "and nothing else");
    assert_eq!(Instance::read(&path).unwrap(), whole);
}

#[test]
fn info_counts_plots_and_names_what_is_bad() {
    let folder = Folder::new("data-info");
    let full = written(&folder);
    let (succeeded, said) = run(&mut apollo(&["info"], &[&full]));
    assert!(succeeded, "{said}");
    for part in ["deep (toy)", "augmented instances", "1 / 1.5 / 2", "1.00 %", "nats"] {
        assert!(said.contains(part), "{part} is missing:\n{said}");
    }
    assert!(full.join("spread.svg").exists() && full.join("spread.png").exists());

    std::fs::write(full.join("bad.npz"), "nothing").unwrap();
    let plot = folder.path("figure");
    let (succeeded, said) = run(apollo(&["info"], &[&full]).arg("--plot").arg(&plot));
    assert!(!succeeded && said.contains("bad.npz: is damaged") && said.contains("deep (toy)"), "{said}");
    assert!(plot.with_extension("svg").exists());

    let empty = folder.path("empty");
    std::fs::create_dir(&empty).unwrap();
    let (succeeded, said) = run(&mut apollo(&["info"], &[&empty]));
    assert!(!succeeded && said.contains("empty: has no .npz file"), "{said}");
    let (succeeded, said) = run(&mut apollo(&["info"], &[&folder.path("missing")]));
    assert!(!succeeded && said.contains("missing: cannot be read"), "{said}");
}

#[test]
fn strip_keeps_the_pools_and_nothing_else() {
    let folder = Folder::new("data-strip");
    let full = written(&folder);
    let small = folder.path("small");
    for _ in 0..2 {
        let (succeeded, said) = run(&mut apollo(&["strip"], &[&full, &small]));
        assert!(succeeded && said.contains("2 files from 2 instances"), "the second time too: {said}");
    }
    let stripped = Instance::read(&small.join("deep/two.npz")).unwrap();
    assert_eq!(stripped, Instance { problem: None, ..instance("two") });
    assert!(run(&mut apollo(&["info"], &[&small])).0);
    let (succeeded, said) = run(&mut apollo(&["export"], &[&small, &folder.path("export")]));
    assert!(!succeeded && said.contains("stripped"), "{said}");
}

#[test]
fn nothing_is_overwritten() {
    let folder = Folder::new("data-over");
    let full = written(&folder);
    let link = folder.path("link");
    std::os::unix::fs::symlink(&full, &link).unwrap();
    for out in [full.clone(), full.join("inside"), link.join("deep")] {
        for what in ["strip", "export"] {
            let (succeeded, said) = run(&mut apollo(&[what], &[&full, &out]));
            assert!(!succeeded && said.contains("is in the folder that is read"), "{said}");
        }
    }
    assert!(!full.join("inside").exists());
    let other = folder.path("other");
    std::fs::create_dir(&other).unwrap();
    instance("one").write(&other.join("one.npz")).unwrap();
    let (succeeded, said) = run(&mut apollo(&["strip"], &[&full, &other]));
    assert!(!succeeded && said.contains("one.npz: is another file that is already there"), "{said}");
    assert_eq!(Instance::read(&other.join("one.npz")).unwrap(), instance("one"));
}

#[test]
fn a_full_disk_leaves_no_half_file() {
    let folder = Folder::new("data-full");
    let full = written(&folder);
    let small = folder.path("small");
    // As good as a full disk: a process that may not write files of more than 512 bytes.
    let script = "ulimit -f 1; trap '' XFSZ; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_apollo"), "data", "strip"]);
    let (succeeded, said) = run(command.arg(&full).arg("--out").arg(&small));
    assert!(!succeeded && said.contains("one.npz: cannot be written"), "{said}");
    assert_eq!(std::fs::read_dir(small.join("deep")).unwrap().count(), 0, "nothing is left");
}

#[test]
fn export_has_the_features_of_a_solve() {
    let folder = Folder::new("data-export");
    let full = written(&folder);
    let out = folder.path("export");
    let (succeeded, said) = run(&mut apollo(&["export"], &[&full, &out]));
    assert!(succeeded && said.contains("4 files from 2 instances"), "{said}");
    let whole = instance("two");
    let Sample { fixings, pool } = &whole.augmented[0];
    // As in a solve, a row without a column leaves also where nothing is fixed.
    let [first, reduced] = [&Fixings::new(), fixings].map(|fixings| problem().reduce(fixings).problem);
    for (file, problem, pool) in
        [("deep/two.npz", first, &whole.pool), ("deep/two-augmented-0.npz", reduced, pool)]
    {
        let Some(read) = loaded(&out.join(file)) else { return };
        let graph = Graph::new(&problem);
        let e = graph.edge_coefficient.len();
        let variables: Vec<&[f32]> = graph.variable_features.chunks(18).collect();
        let constraints: Vec<&[f32]> = graph.constraint_features.chunks(4).collect();
        let coefficients: Vec<&[f32]> = graph.edge_coefficient.chunks(1).collect();
        let solutions: Vec<_> = pool.solutions.iter().map(|one| &one.binaries).collect();
        let objectives: Vec<f64> = pool.solutions.iter().map(|one| -one.objective).collect();
        let targets: Vec<f32> = pool.targets(TEMPERATURE).iter().map(|&target| target as f32).collect();
        let (s, b) = (solutions.len(), pool.binaries.len());
        let expected = serde_json::json!({
            "variables": ["float32", [graph.variables, 18], variables],
            "constraints": ["float32", [graph.constraints, 4], constraints],
            "edges": ["int64", [2, e], [graph.edge_constraint, graph.edge_variable]],
            "coefficients": ["float32", [e, 1], coefficients],
            "binaries": ["int64", [b], pool.binaries],
            "solutions": ["uint8", [s, b], solutions],
            "objectives": ["float64", [s], objectives],
            "targets": ["float32", [b], targets],
        });
        assert_eq!(read, expected, "{file}");
    }
}

/// Stopped in the middle of an LP it keeps what is done, and says so as everything that can be stopped does.
#[test]
fn relaxing_can_be_stopped() {
    let folder = Folder::new("data-relax-stop");
    let (data, lp) = (folder.path("data"), folder.path("large.lp"));
    std::fs::create_dir_all(&data).unwrap();
    instance("one").write(&data.join("one.npz")).unwrap();
    std::fs::write(&lp, support::set_cover(4000, 2000)).unwrap(); // many seconds
    let model = measure::load(&Task { file: lp, ..Task::default() }).unwrap();
    let (problem, _) = read_problem(&model).unwrap();
    let mut pool = Pool::new(&problem, POOL);
    let all = vec![1.0; problem.columns()];
    pool.insert(&all, problem.objective.iter().sum(), 0.0, Teacher::Import);
    let large =
        Instance { meta: Meta::new("two", &problem), problem: Some(problem), pool, augmented: vec![] };
    large.write(&data.join("two.npz")).unwrap();

    let mut command = apollo(&["relax", "--jobs", "1"], &[&data]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while !data.join("relaxations/one.npz").exists() {
        assert!(began.elapsed() < Duration::from_secs(120) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("stopped; the same command goes on with what is left"), "{said}");
    assert!(!data.join("relaxations/two.npz").exists());
}

/// The LPs are solved once, kept beside the data, exported, and in nobody's way.
#[test]
fn relaxations_are_kept_and_exported() {
    let folder = Folder::new("data-relax");
    let full = written(&folder);
    let (good, said) = run(&mut apollo(&["relax", "--jobs", "1"], &[&full]));
    assert!(good && said.contains("one: 2 LPs") && said.contains("two: 2 LPs"), "{said}");
    let kept = full.join("deep/relaxations/two.npz");
    let bytes = std::fs::read(&kept).unwrap();
    let (good, said) = run(&mut apollo(&["info"], &[&full]));
    assert!(good, "only the instances are read: {said}");
    let out = folder.path("export");
    let (good, said) = run(&mut apollo(&["export", "--features", "2"], &[&full, &out]));
    assert!(good && said.contains("4 files from 2 instances"), "{said}");
    assert_eq!(std::fs::read(&kept).unwrap(), bytes);
    let (good, said) = run(&mut apollo(&["export", "--features", "3"], &[&full, &folder.path("other")]));
    assert!(!good && said.contains("features version 3 is unknown"), "{said}");

    let Some(read) = loaded(&out.join("deep/two.npz")) else { return };
    let problem = problem().reduce(&Fixings::new()).problem;
    let relaxed = apollo_scip::scip::relax(&problem, f64::INFINITY, || false).unwrap();
    let graph = Graph::with_features(&problem, Features::Relaxation, relaxed.as_ref());
    let variables: Vec<&[f32]> = graph.variable_features.chunks(30).collect();
    assert_eq!(read["variables"], serde_json::json!(["float32", [4, 30], variables]));
    assert_eq!(read["constraints"][1], serde_json::json!([2, 7]));
}
