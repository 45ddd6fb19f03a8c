//! `apollo collect`: the labels are right, a run may be stopped anywhere and goes on, and whatever cannot
//! be used is named in a sentence while the rest is collected.

use crate::onnx_file;
use crate::support::{Folder, apollo, data, python, run};
use apollo_scip::data::file::{Instance, Meta};
use apollo_scip::data::pool::{Pool, Solution, Teacher};
use apollo_scip::data::symmetry::Symmetry;
use apollo_scip::measure::{self, Task};
use apollo_scip::problem::{Fixings, Kind, Problem};
use apollo_scip::scip::read_problem;
use apollo_scip::teach::collect::ALPHA;
use apollo_scip::teach::import::best_completion;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// `apollo collect` of these instances.
fn collect(instances: &[impl AsRef<OsStr>], out: &Path, options: &[&str]) -> Command {
    let mut command = apollo();
    command.arg("collect").args(instances).arg("--out").arg(out).args(options);
    command
}

/// What a run that must succeed says.
fn collected(instances: &[impl AsRef<OsStr>], out: &Path, options: &[&str]) -> String {
    let (succeeded, said) = run(&mut collect(instances, out, options));
    assert!(succeeded, "{said}");
    said
}

/// What a run that must fail says: in sentences.
fn refused(instances: &[impl AsRef<OsStr>], out: &Path, options: &[&str]) -> String {
    let (succeeded, said) = run(&mut collect(instances, out, options));
    assert!(!succeeded && !said.contains("panicked"), "{options:?}: {said}");
    said
}

fn some(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| data(name)).collect()
}

/// Small instances of item placement: not solved in a few seconds, with interchangeable bins.
fn placements(folder: &Folder, count: u8) -> PathBuf {
    let out = folder.path("instances");
    let options = ["--seed", "7", "--set", "small_items=20", "--set", "large_items=2", "--set", "bins=4"];
    let mut command = apollo();
    command.args(["generate", "ip", "--count", &count.to_string()]).args(options).arg("--out").arg(&out);
    assert!(run(&mut command).0);
    out
}

/// The names of all files in a folder; none if there is no folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Each file of a folder with its bytes and its time.
fn state(folder: &Path) -> Vec<(String, Vec<u8>, SystemTime)> {
    let file = |name: String| {
        let path = folder.join(&name);
        (name, fs::read(&path).unwrap(), fs::metadata(&path).unwrap().modified().unwrap())
    };
    names(folder).into_iter().map(file).collect()
}

/// The data of an instance: the one file that has its name.
fn read(folder: &Path, name: &str) -> Instance {
    let all = names(folder);
    let mut own = all.iter().filter(|file| file.starts_with(&format!("{name}-")));
    let (Some(file), None) = (own.next(), own.next()) else { panic!("one file of {name} in {all:?}") };
    Instance::read(&folder.join(file)).unwrap()
}

/// Reads all data in a folder; there is nothing else in it.
fn all_are_whole(folder: &Path) -> usize {
    let files = names(folder);
    for name in &files {
        assert!(name.ends_with(".npz"), "{name} is left over");
        Instance::read(&folder.join(name)).unwrap();
    }
    files.len()
}

/// The discrete values of a solution, by column.
fn discrete(pool: &Pool, solution: &Solution) -> Fixings {
    let binaries = pool.binaries.iter().zip(&solution.binaries).map(|(&j, &x)| (j, f64::from(x)));
    let integers = pool.integers.iter().zip(&solution.integers).map(|(&j, &x)| (j, x as f64));
    binaries.chain(integers).collect()
}

fn objective(problem: &Problem, values: &[f64]) -> f64 {
    problem.offset + problem.objective.iter().zip(values).map(|(c, x)| c * x).sum::<f64>()
}

/// Every solution is feasible and worth what the pool says, and they are distinct and sorted. Where there
/// are continuous variables it may be worth more: SCIP's heuristics do not always find the best for them.
fn assert_right(problem: &Problem, pool: &Pool, name: &str) {
    assert!(!pool.solutions.is_empty(), "{name}");
    for solution in &pool.solutions {
        let values = best_completion(problem, &discrete(pool, solution)).unwrap();
        let values = values.unwrap_or_else(|| panic!("{name}: a solution is not feasible"));
        let (known, right) = (solution.objective, objective(problem, &values));
        let (exact, small) = (!problem.kind.contains(&Kind::Continuous), 1e-6 * right.abs().max(1.0));
        assert!(known >= right - small, "{name}: {known} cannot be better than {right}");
        assert!(!exact || known <= right + small, "{name}: {known} should be {right}");
    }
    let distinct: BTreeSet<_> = pool.solutions.iter().map(|one| &one.binaries).collect();
    assert_eq!(distinct.len(), pool.solutions.len(), "{name}: distinct in the binaries");
    assert!(pool.solutions.is_sorted_by(|a, b| a.objective <= b.objective), "{name}: the best first");
}

/// The optimal value in tests/data/known.solu.
fn optimum(name: &str) -> f64 {
    let known = fs::read_to_string(data("known.solu")).unwrap();
    let mut lines = known.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.find_map(|words| (words[..2] == ["=opt=", name]).then(|| words[2].parse().unwrap())).unwrap()
}

fn assert_optimal(folder: &Path, name: &str) -> Instance {
    let instance = read(folder, name);
    let problem = instance.problem.as_ref().unwrap();
    let (best, right) = (problem.user_objective(instance.pool.best().unwrap()), optimum(name));
    assert!((best - right).abs() < 1e-6, "{name}: {best} should be {right}");
    instance
}

#[test]
fn pools_have_the_optimum_and_only_feasible_solutions() {
    let folder = Folder::new("collect-right");
    let out = folder.path("out");
    let small = ["knapsack.lp", "setcover.lp", "binpacking.lp", "facility.mps", "assignment.lp"];
    let said = collected(&some(&small), &out, &["--time", "1.5"]);
    assert!(said.contains("5 of 5 instances are in"), "{said}");
    // SCIP alone proves this one in two seconds.
    collected(&some(&["lotsizing.mps"]), &out, &["--time", "60", "--improve", "0"]);
    for name in ["knapsack", "setcover", "binpacking", "facility", "assignment", "lotsizing"] {
        let instance = assert_optimal(&out, name);
        assert_right(instance.problem.as_ref().unwrap(), &instance.pool, name);
        assert_eq!(instance.meta.name, name);
        assert_eq!(instance.problem.unwrap().maximise, name == "knapsack");
    }
    let Meta { bound, scip, .. } = read(&out, "lotsizing").meta;
    assert!((bound.unwrap() - 2086.0).abs() < 1e-6 && scip.starts_with("10."), "{bound:?} {scip}");
    assert!(
        read(&out, "knapsack").meta.bound.unwrap() >= 637.0 - 1e-6,
        "an upper bound, in the user's sense"
    );
}

#[test]
fn a_second_run_changes_nothing_and_augment_adds_what_is_missing() {
    let folder = Folder::new("collect-twice");
    let out = folder.path("out");
    let instances = some(&["knapsack.lp", "setcover.lp"]);
    collected(&instances, &out, &["--time", "0.3"]);
    let before = state(&out);
    let said = collected(&instances, &out, &["--time", "0.3"]);
    assert!(said.contains("2 of 2 instances are collected already"), "{said}");
    assert_eq!(state(&out), before);

    let pools = ["knapsack", "setcover"].map(|name| read(&out, name).pool);
    let said = collected(&instances[..1], &out, &["--time", "0.3", "--augment", "1"]);
    assert!(said.contains("1 reduced instances"), "{said}");
    let first = read(&out, "knapsack").augmented;
    collected(&instances, &out, &["--time", "0.3", "--augment", "2"]);
    let [one, two] = ["knapsack", "setcover"].map(|name| read(&out, name));
    assert_eq!([one.augmented.len(), two.augmented.len()], [2, 2]);
    assert_eq!(one.augmented[..1], first, "what was there stays");
    assert_eq!([one.pool, two.pool], pools);
    let before = state(&out);
    collected(&instances, &out, &["--time", "0.3", "--augment", "1"]);
    assert_eq!(state(&out), before, "there is more than was asked for");
}

/// Also where nothing is improved somebody searches the reduced problem: its pool is no single guess.
#[test]
fn reduced_instances_have_pools_of_their_own() {
    let folder = Folder::new("collect-reduced");
    let out = folder.path("out");
    collected(&some(&["knapsack.lp"]), &out, &["--time", "2", "--improve", "0", "--augment", "3"]);
    let instance = read(&out, "knapsack");
    let problem = instance.problem.as_ref().unwrap();
    for sample in &instance.augmented {
        let reduced = problem.reduce(&sample.fixings).problem;
        let best = best_completion(&reduced, &Fixings::new()).unwrap().expect("it is feasible");
        let (right, found) = (objective(&reduced, &best), sample.pool.best().unwrap());
        assert!((right - found).abs() < 1e-6, "{found} should be {right}");
    }
}

#[test]
fn going_on_keeps_the_best_and_the_reduced_instances() {
    let folder = Folder::new("collect-again");
    let out = folder.path("out");
    let instances = [placements(&folder, 1)];
    collected(&instances, &out, &["--time", "2", "--augment", "2", "--augment-time", "0.2"]);
    let before = read(&out, "ip-7-0");
    // Far too short to find anything as good from nothing.
    collected(&instances, &out, &["--time", "0.05", "--again"]);
    let after = read(&out, "ip-7-0");
    let best = |instance: &Instance| instance.pool.best().unwrap();
    assert!(best(&after) <= best(&before) + 1e-9, "{} after {}", best(&after), best(&before));
    let best_before = &before.pool.solutions[0];
    let kept = |one: &Solution| one.binaries == best_before.binaries && one.teacher == best_before.teacher;
    assert!(after.pool.solutions.iter().any(kept), "it began with them");
    assert_eq!(after.augmented, before.augmented);
    collected(&instances, &out, &["--time", "0.05", "--again", "--augment", "1"]);
    let made_anew = read(&out, "ip-7-0").augmented;
    assert_eq!(made_anew.len(), 2);
    assert_eq!(made_anew[1], before.augmented[1]);
}

/// Processes that work for this folder.
fn workers(out: &Path) -> Vec<u32> {
    let out = out.to_str().unwrap().as_bytes();
    let pids =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let works = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let has = |part: &[u8]| line.windows(part.len()).any(|window| window == part);
        has(out) && has(b"--worker")
    };
    pids.filter(works).collect()
}

/// Waits until it is so.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(120), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(name: &str, pid: u32) {
    assert!(Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status().unwrap().success());
}

/// A run on four instances, one at a time, of which one is done and the next begun.
fn in_the_middle(instances: &Path, out: &Path) -> Child {
    let mut command = collect(&[instances], out, &STOPPED);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("a first file", || names(out).iter().any(|name| name.ends_with(".npz")));
    let done = names(out).len();
    wait_until("the next worker", || names(out).len() > done || workers(out).len() == 1);
    child
}

const STOPPED: [&str; 4] = ["--time", "1", "--jobs", "1"];

/// What a killed process may have left of an instance's file: half of it, under another name.
fn leave_half(instance: &Path, out: &Path) -> PathBuf {
    let model = measure::load(&Task { file: instance.into(), ..Task::default() }).unwrap();
    let (problem, _) = read_problem(&model).unwrap();
    let name = instance.file_name().unwrap().to_str().unwrap().strip_suffix(".mps.gz").unwrap();
    let half = out.join(format!("{}.tmp-4711", Meta::new(name, &problem).file_name()));
    fs::write(&half, "PK half").unwrap();
    half
}

#[test]
fn interrupted_it_leaves_whole_files_and_no_process_and_goes_on() {
    let folder = Folder::new("collect-interrupt");
    let (instances, out) = (placements(&folder, 4), folder.path("out"));
    for name in ["INT", "TERM"] {
        let mut child = in_the_middle(&instances, &out);
        signal(name, child.id());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
        assert!(workers(&out).is_empty(), "nobody works on");
        let done = all_are_whole(&out);
        assert!((1..4).contains(&done), "{done} files: {said}");
        assert!(
            said.contains("stopped; ") && said.contains("the same command goes on with the rest"),
            "{said}"
        );
    }
    let before = state(&out);
    leave_half(&instances.join("ip-7-3.mps.gz"), &out);
    let said = collected(&[&instances], &out, &STOPPED);
    assert!(said.contains("4 of 4 instances are in"), "{said}");
    assert_eq!(all_are_whole(&out), 4, "and the half file is gone");
    let after = state(&out);
    assert!(before.iter().all(|file| after.contains(file)), "what was done is not done again");
}

#[test]
fn killed_it_leaves_whole_files_and_goes_on() {
    let folder = Folder::new("collect-kill");
    let (instances, out) = (placements(&folder, 4), folder.path("out"));
    let mut child = in_the_middle(&instances, &out);
    signal("KILL", child.id());
    child.wait().unwrap();
    let done = all_are_whole(&out);
    assert!((1..4).contains(&done), "{done} files");
    // Nobody could stop the workers: the system ends them (on Linux; elsewhere they end their instance).
    wait_until("the workers' end", || workers(&out).is_empty());
    let said = collected(&[&instances], &out, &STOPPED);
    assert!(said.contains("4 of 4 instances are in"), "{said}");
    assert_eq!(all_are_whole(&out), 4);
    let said = collected(&[instances], &out, &STOPPED);
    assert!(said.contains("4 of 4 instances are collected already"), "{said}");
}

#[test]
fn a_worker_that_dies_is_one_sentence() {
    let folder = Folder::new("collect-crash");
    let (instances, out) = (placements(&folder, 2), folder.path("out"));
    let mut command = collect(&[instances], &out, &STOPPED);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("a worker", || !workers(&out).is_empty());
    signal("KILL", workers(&out)[0]);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("ip-7-0.mps.gz: the process for it ended with signal: 9"), "{said}");
    assert_eq!(all_are_whole(&out), 1, "the other one is there");
}

#[test]
fn a_worker_may_say_a_lot() {
    let folder = Folder::new("collect-loud");
    let out = folder.path("out");
    // SCIP's log is more than fits into a pipe.
    let loud = ["--set", "display/verblevel=5", "--set", "display/freq=1"];
    let options = [&["--time", "1", "--improve", "0"], &loud[..]].concat();
    let said = collected(&some(&["hard.lp"]), &out, &options);
    assert!(said.contains("1 of 1 instances are in") && said.contains("hard: "), "{said}");
}

#[test]
fn a_program_that_is_built_anew_meanwhile_goes_on() {
    let folder = Folder::new("collect-rebuilt");
    let (instances, out, program) = (placements(&folder, 2), folder.path("out"), folder.path("apollo"));
    fs::copy(env!("CARGO_BIN_EXE_apollo"), &program).unwrap();
    let mut command = Command::new(&program);
    command.arg("collect").arg(instances).arg("--out").arg(&out).args(["--time", "0.3", "--jobs", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("a worker", || !workers(&out).is_empty());
    fs::remove_file(&program).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(all_are_whole(&out), 2);
}

#[test]
fn what_others_are_writing_into_the_folder_stays() {
    let folder = Folder::new("collect-shared");
    let out = folder.path("out");
    fs::create_dir(&out).unwrap();
    let theirs = "other-0123456789ab.npz.tmp-1";
    fs::write(out.join(theirs), "PK half").unwrap();
    collected(&some(&["setcover.lp"]), &out, &["--time", "0.2"]);
    assert!(names(&out).contains(theirs), "{:?}", names(&out));
}

#[test]
fn shards_are_disjoint_and_together_everything() {
    let folder = Folder::new("collect-shards");
    let instances = folder.path("instances");
    fs::create_dir(&instances).unwrap();
    for name in ["assignment.lp", "knapsack.lp", "maxcut.lp", "partition.lp", "setcover.lp"] {
        fs::copy(data(name), instances.join(name)).unwrap();
    }
    let all = [instances];
    let parts = ["1/2", "2/2"].map(|shard| {
        let out = folder.path(&shard.replace('/', "-of-"));
        collected(&all, &out, &["--time", "0.2", "--shard", shard]);
        out
    });
    let [one, two] = parts.each_ref().map(|part| names(part));
    assert_eq!([one.len(), two.len()], [3, 2]);
    assert!(one.is_disjoint(&two), "{one:?} {two:?}");
    for name in &two {
        fs::copy(parts[1].join(name), parts[0].join(name)).unwrap();
    }
    let before = state(&parts[0]);
    let said = collected(&all, &parts[0], &["--time", "0.2"]);
    assert!(said.contains("5 of 5 instances are collected already"), "{said}");
    assert_eq!(state(&parts[0]), before);
}

#[test]
fn reduced_instances_are_parts_of_solutions_and_their_pools_are_feasible() {
    let folder = Folder::new("collect-augment");
    let out = folder.path("out");
    let options = ["--time", "0.5", "--augment", "4", "--augment-time", "0.2"];
    collected(&some(&["lotsizing.mps", "knapsack.lp"]), &out, &options);
    for name in ["lotsizing", "knapsack"] {
        let Instance { problem, pool, augmented, .. } = read(&out, name);
        let problem = problem.unwrap();
        assert_eq!(augmented.len(), 4);
        let whole: Vec<Fixings> = pool.solutions.iter().map(|one| discrete(&pool, one)).collect();
        for sample in &augmented {
            let share = sample.fixings.len() as f64 / whole[0].len() as f64;
            let rounded_down = 1.0 / whole[0].len() as f64;
            assert!(share > ALPHA.0 - rounded_down && share <= ALPHA.1, "{name}: {share}");
            let part_of = |one: &Fixings| sample.fixings.iter().all(|(j, value)| one.get(j) == Some(value));
            assert!(whole.iter().any(part_of), "{name}: fixed as in no solution");
            let reduced = problem.reduce(&sample.fixings);
            assert_right(&reduced.problem, &sample.pool, name);
            for solution in &sample.pool.solutions {
                let own = discrete(&sample.pool, solution);
                let mut values: Fixings = own.into_iter().map(|(j, x)| (reduced.origin[j], x)).collect();
                values.extend(&sample.fixings);
                assert_eq!(values.len(), whole[0].len());
                let values = best_completion(&problem, &values).unwrap().expect("feasible in the whole");
                assert!(objective(&problem, &values) <= solution.objective + 1e-5, "{name}");
            }
        }
        assert!(augmented[0].fixings != augmented[1].fixings);
    }
}

/// An instance with its names and one optimal solution.
struct Solved {
    file: PathBuf,
    names: Vec<String>,
    values: Vec<f64>,
}

/// Setup costs, whole batches and stocks: binaries, integers and continuous variables.
fn solved(folder: &Folder) -> Solved {
    let file = folder.path("toy.lp");
    let text = "Maximize\n obj: 5 a + 4 b + 3 c + 2 whole - 0.5 flow\nSubject To\n room: 2 a + 3 b + c + whole <= 5\n \
                link: flow - whole >= 0.25\nBounds\n whole <= 4\n flow <= 10\nGenerals\n whole\nBinaries\n a b c\nEnd\n";
    fs::write(&file, text).unwrap();
    let model = measure::load(&Task { file: file.clone(), ..Task::default() }).unwrap();
    let (problem, names) = read_problem(&model).unwrap();
    let values = best_completion(&problem, &Fixings::new()).unwrap().unwrap();
    assert!((problem.user_objective(objective(&problem, &values)) - OPTIMUM).abs() < 1e-9);
    Solved { file, names, values }
}

/// a, c and two batches: 5 + 3 + 4, and a flow of 2.25.
const OPTIMUM: f64 = 10.875;

/// The solution as other solvers write it.
fn styles(solved: &Solved) -> Vec<(&'static str, String)> {
    let lines = |line: &dyn Fn(usize, &str, f64) -> String| -> String {
        let pairs = solved.names.iter().zip(&solved.values).enumerate();
        pairs.map(|(j, (name, &value))| line(j, name, value)).collect()
    };
    let nonzero = |line: String, value: f64| if value == 0.0 { String::new() } else { line };
    vec![
        (
            "scip",
            "solution status: optimal solution found\nobjective value:                               10.875\n"
                .to_string()
                + &lines(&|_, name, x| nonzero(format!("{name:<40} {x:>20} \t(obj:1)\n"), x)),
        ),
        (
            "gurobi",
            "# Solution for model obj\n# Objective value = 10.875\n".to_string()
                + &lines(&|_, name, x| format!("{name} {x}\n")),
        ),
        (
            "highs",
            "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 10.875\n# Columns 5\n".to_string()
                + &lines(&|_, name, x| format!("{name} {x}\n"))
                + "# Rows 2\nroom 5\nlink 0.25\n\n# Dual solution values\nNone\n\n# Basis\nHiGHS v1\nNone\n",
        ),
        (
            "cbc",
            "Optimal - objective value 10.87500000\n".to_string()
                + &lines(&|j, name, x| nonzero(format!("{j:>7} {name:<20} {x:>20} {:>20}\n", 0), x)),
        ),
        (
            "cplex",
            "<?xml version = \"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<CPLEXSolution version=\"1.2\">\n \
             <header\n   problemName=\"toy.lp\"\n   objectiveValue=\"10.875\"\n   primalFeasible=\"1\"/>\n <quality\n   \
             maxPrimalInfeas=\"0\"/>\n <linearConstraints>\n  <constraint name=\"room\" index=\"0\" slack=\"0\"/>\n \
             </linearConstraints>\n <variables>\n"
                .to_string()
                + &lines(&|j, name, x| format!("  <variable name=\"{name}\" index=\"{j}\" value=\"{x}\"/>\n"))
                + " </variables>\n</CPLEXSolution>\n",
        ),
    ]
}

/// Imports the solutions in a folder.
fn import(solved: &Solved, solutions: &Path, out: &Path) -> Command {
    let solutions = solutions.to_str().unwrap();
    collect(&[&solved.file], out, &["--teacher", "import", "--solutions", solutions])
}

#[test]
fn solutions_of_every_solver_are_imported() {
    let folder = Folder::new("collect-import");
    let solved = solved(&folder);
    for (style, text) in styles(&solved) {
        let (solutions, out) = (folder.path(style), folder.path(&format!("{style}-out")));
        fs::create_dir(&solutions).unwrap();
        fs::write(solutions.join("toy.sol"), text).unwrap();
        let (succeeded, said) = run(&mut import(&solved, &solutions, &out));
        assert!(succeeded, "{style}: {said}");
        let Instance { problem, pool, .. } = read(&out, "toy");
        let problem = problem.unwrap();
        assert_eq!(problem.user_objective(pool.best().unwrap()), OPTIMUM, "{style}");
        assert_eq!(pool.solutions.len(), 1);
        assert_eq!(pool.solutions[0].teacher, Teacher::Import);
        assert_right(&problem, &pool, style);
    }
}

#[test]
fn solutions_that_cannot_be_used_are_named_and_the_others_taken() {
    let folder = Folder::new("collect-refused");
    let solved = solved(&folder);
    let (solutions, out) = (folder.path("sols"), folder.path("out"));
    fs::create_dir(&solutions).unwrap();
    let bad: [(&str, &[u8], &str); 9] = [
        ("violates", b"a 1\nb 1\nc 1\nwhole 1\nflow 2\n", "violates constraint number 1 by 2.0"),
        ("bounds", b"whole 7\nflow 8\n", "whole = 7 is not between its bounds 0 and 4"),
        ("unknown", b"x1 1\nx2 0\n", "names no variable of the instance"),
        ("other", b"a 1\nflow 1\nd 1\n", "names a variable that the instance does not have: d"),
        ("fractional", b"a 0.5\nflow 1\n", "a = 0.5 must be a whole number"),
        ("words", b"a one\n", "a = one is no number"),
        ("binary", b"\x7fELF\xff\xfe\x00\x01", "is no text"),
        ("empty", b"", "has no values in it"),
        ("none", b"no solution available\n", "no solution available"),
    ];
    for (name, bytes, why) in bad {
        let file = solutions.join(format!("toy-{name}.sol"));
        fs::write(&file, bytes).unwrap();
        let (succeeded, said) = run(&mut import(&solved, &solutions, &out));
        assert!(!succeeded && said.contains("none of its .sol files can be used"), "{name}: {said}");
        assert!(said.contains(&format!("toy-{name}.sol: ")) && said.contains(why), "{name}: {said}");
        assert!(names(&out).is_empty(), "{name}");
        fs::rename(&file, file.with_extension("aside")).unwrap();
    }
    let (succeeded, said) = run(&mut import(&solved, &solutions, &out));
    assert!(!succeeded && said.contains("toy.lp: there is no .sol file for it"), "{said}");

    // Any of them may stand beside a good one, here in a folder with the instance's name.
    fs::create_dir(solutions.join("toy")).unwrap();
    fs::write(solutions.join("toy/mine.sol"), &styles(&solved)[0].1).unwrap();
    fs::write(solutions.join("toy_2.sol"), b"a 1\nflow 0.25\n").unwrap();
    for (name, ..) in bad {
        let file = solutions.join(format!("toy-{name}.sol"));
        fs::rename(file.with_extension("aside"), file).unwrap();
    }
    let (succeeded, said) = run(&mut import(&solved, &solutions, &out));
    assert!(succeeded, "{said}");
    for (name, _, why) in bad {
        assert!(said.contains(&format!("toy-{name}.sol: ")) && said.contains(why), "{name}: {said}");
    }
    let Instance { problem, pool, .. } = read(&out, "toy");
    let problem = problem.unwrap();
    let objectives = pool.solutions.iter().map(|one| problem.user_objective(one.objective));
    assert_eq!(objectives.collect::<Vec<_>>(), [OPTIMUM, 4.875]);
}

#[test]
fn instances_that_cannot_be_collected_are_named_and_the_others_taken() {
    let folder = Folder::new("collect-bad");
    let out = folder.path("out");
    let written = |name: &str, text: &str| {
        let file = folder.path(name);
        fs::write(&file, text).unwrap();
        (file, name.to_string())
    };
    let there = |name: &str| (data(name), name.to_string());
    let quadratic = "Minimize\n obj: x + y\nSubject To\n c: x + y + [ x^2 + y^2 ] >= 1\nBounds\n y <= 3\nBinaries\n x\nEnd\n";
    let bad = [
        (there("pigeons.lp"), "infeasible"),
        (there("parity.lp"), "infeasible"),
        (there("unbounded.lp"), "unbounded"),
        (
            written("ray.lp", "Maximize\n obj: x + y\nSubject To\n c: x - y <= 1\nBinaries\n x\nEnd\n"),
            "unbounded",
        ),
        (
            written("whole.lp", "Minimize\n obj: x\nSubject To\n c: 2 x >= 3\nGenerals\n x\nEnd\n"),
            "no binary variables",
        ),
        (written("quadratic.lp", quadratic), "constraints that are not linear"),
        (written("garbage.mps", "this is no problem"), "SCIP cannot read it"),
        (written("nothing.lp", ""), "has no binary variables"),
        (written("notes.txt", "x"), "SCIP knows no format with this ending"),
    ];
    let mut instances: Vec<PathBuf> = bad.iter().map(|((path, _), _)| path.clone()).collect();
    instances.insert(2, data("knapsack.lp"));
    instances.push(data("setcover.lp"));
    let said = refused(&instances, &out, &["--time", "0.5"]);
    for ((_, name), why) in &bad {
        let line = said.lines().rev().find(|line| line.contains(name.as_str())).unwrap_or_default();
        assert!(line.contains(why), "{name}: {said}");
    }
    assert!(said.contains("2 of 11 instances are in") && said.contains("9 failed"), "{said}");
    assert_eq!(all_are_whole(&out), 2);
    // A ray that makes nothing better is none.
    let (fine, _) =
        written("fine.lp", "Minimize\n obj: x + y\nSubject To\n c: x - y <= 0\nBinaries\n x\nEnd\n");
    let (split, _) =
        written("split.lp", "Minimize\n obj: x + y - z\nSubject To\n c: x + y - z >= 1\nBinaries\n x\nEnd\n");
    collected(&[fine, split], &out, &["--time", "0.5"]);
}

#[test]
fn mistakes_in_the_command_are_told_before_any_work() {
    let folder = Folder::new("collect-mistakes");
    let (out, empty) = (folder.path("out"), folder.path("empty"));
    fs::create_dir(&empty).unwrap();
    let good = data("setcover.lp");
    let missing = folder.path("missing.lp");
    let onnx = data("foreign.onnx");
    let onnx = onnx.to_str().unwrap();
    for (instances, options, why) in [
        (vec![good.clone(), missing], &[][..], "missing.lp: there is no such file or folder"),
        (vec![good.clone(), empty], &[], "empty: has no instances in it"),
        (vec![good.clone()], &["--shard", "0/2"], "I from 1 to N"),
        (vec![good.clone()], &["--shard", "3/2"], "I from 1 to N"),
        (vec![good.clone()], &["--shard", "x"], "I/N"),
        (vec![good.clone()], &["--time", "0"], "greater than 0"),
        (vec![good.clone()], &["--time", "nan"], "greater than 0"),
        (vec![good.clone()], &["--improve", "2"], "between 0 and 1"),
        (vec![good.clone()], &["--teacher", "import"], "--solutions"),
        (vec![good.clone()], &["--model", onnx], "foreign.onnx: a model is for --teacher apollo"),
        (
            vec![good.clone()],
            &["--teacher", "apollo", "--model", "/no/such.onnx"],
            "model /no/such.onnx: cannot be read",
        ),
        (vec![good.clone()], &["--teacher", "apollo", "--model", onnx], "foreign.onnx: "),
    ] {
        let said = refused(&instances, &out, options);
        assert!(said.contains(why), "{options:?}: {said}");
        assert!(!said.contains("[1/") && names(&out).is_empty(), "{options:?}: {said}");
    }
    let said = refused(&[good], &out, &["--time", "0.2", "--set", "no/such=1"]);
    assert!(
        said.contains("setcover.lp: parameter no/such = 1: SCIP has no parameter of this name"),
        "{said}"
    );
}

/// The file with another version in its `meta.json`; the zip is right.
fn in_another_format(path: &Path) {
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    for k in 0..archive.len() {
        let mut member = archive.by_index(k).unwrap();
        let mut bytes = vec![];
        member.read_to_end(&mut bytes).unwrap();
        let name = member.name().unwrap().to_string();
        if name == "meta.json" {
            bytes = String::from_utf8(bytes).unwrap().replace("\"format\": 1", "\"format\": 7").into_bytes();
        }
        zip.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    fs::write(path, zip.finish().unwrap().into_inner()).unwrap();
}

#[test]
fn data_of_another_version_is_left_alone() {
    let folder = Folder::new("collect-version");
    let out = folder.path("out");
    collected(&some(&["setcover.lp"]), &out, &["--time", "0.2"]);
    in_another_format(&out.join(names(&out).first().unwrap()));
    let before = state(&out);
    for options in [&["--time", "0.2"][..], &["--time", "0.2", "--again"]] {
        let said = refused(&some(&["setcover.lp", "knapsack.lp"]), &out, options);
        let file = &before[0].0;
        assert!(said.contains(&format!("{file}: is in format 7 and this apollo reads format 1")), "{said}");
        assert!(!said.contains("[1/"), "before any work: {said}");
        assert_eq!(state(&out), before);
    }
}

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let folder = Folder::new("collect-full");
    let out = folder.path("out");
    // As good as a full disk: processes that may not write files of more than 512 bytes.
    let script = "ulimit -f 1; trap '' XFSZ; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_apollo"), "collect"]).arg(data("setcover.lp"));
    let output = command.arg("--out").arg(&out).args(["--time", "0.2"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("setcover-") && said.contains(".npz: cannot be written"), "{said}");
    assert!(names(&out).is_empty(), "{:?}", names(&out));
}

#[test]
fn apollo_teaches_with_and_without_a_model() {
    let folder = Folder::new("collect-apollo");
    let (out, with_model) = (folder.path("out"), folder.path("with-model"));
    let options = ["--time", "1", "--teacher", "apollo", "--set", "minbinaries=1"];
    collected(&some(&["knapsack.lp"]), &out, &options);
    let model = folder.path("cheap.onnx");
    onnx_file::write(&onnx_file::cheap_is_one(), &model);
    let options = [&options[..], &["--model", model.to_str().unwrap()]].concat();
    collected(&some(&["knapsack.lp"]), &with_model, &options);
    for folder in [out, with_model] {
        let Instance { problem, pool, .. } = assert_optimal(&folder, "knapsack");
        assert_right(&problem.unwrap(), &pool, "knapsack");
        let teachers: Vec<Teacher> = pool.solutions.iter().map(|one| one.teacher).collect();
        assert!(teachers.contains(&Teacher::Apollo), "{teachers:?}");
        assert!(!teachers.contains(&Teacher::Scip) && !teachers.contains(&Teacher::Import), "{teachers:?}");
    }
}

#[test]
fn an_audit_tells_how_far_the_labels_are_and_notes_it() {
    let folder = Folder::new("collect-audit");
    let (out, solutions) = (folder.path("out"), folder.path("sols"));
    fs::create_dir(&solutions).unwrap();
    // Nothing in the knapsack at all: a feasible solution, and a bad label.
    fs::write(solutions.join("knapsack.sol"), "solution status: feasible\nobjective value: 0\n").unwrap();
    let options =
        ["--teacher", "import", "--solutions", solutions.to_str().unwrap(), "--time", "0.1", "--audit", "1"];
    let said = collected(&some(&["knapsack.lp"]), &out, &options);
    assert!(said.contains("0 collected, 637 after 1 s, gap 100.00 %"), "{said}");
    assert!(
        said.contains("audit: the labels are 100.00 % from the best of searches of 1 s (mean of 1"),
        "{said}"
    );
    let Instance { meta, pool, .. } = read(&out, "knapsack");
    let audit = meta.audit.unwrap();
    assert_eq!((audit.seconds, audit.objective.round()), (1.0, 637.0));
    assert_eq!(pool.best(), Some(0.0), "the labels are as they were");
    let (succeeded, said) = run(apollo().args(["data", "info"]).arg(&out));
    let line = said.lines().find(|line| line.starts_with("best from audit")).unwrap_or_default();
    assert!(succeeded && line.ends_with("100.00 %"), "{said}");

    // Where solutions were imported SCIP searches, and neighbourhoods are searched: for all of the time.
    let (file, first, out) = (data("lotsizing.mps"), folder.path("first"), folder.path("imported"));
    collected(&[&file], &first, &["--time", "0.05", "--improve", "0"]);
    let Instance { problem, pool, .. } = read(&first, "lotsizing");
    let worst = pool.solutions.last().unwrap();
    let values = best_completion(&problem.unwrap(), &discrete(&pool, worst)).unwrap().unwrap();
    let model = measure::load(&Task { file: file.clone(), ..Task::default() }).unwrap();
    let (_, names) = read_problem(&model).unwrap();
    let lines: Vec<String> = names.iter().zip(&values).map(|(name, x)| format!("{name} {x}")).collect();
    fs::write(solutions.join("lotsizing.sol"), lines.join("\n")).unwrap();
    let options = [&options[..4], &["--time", "0.3", "--audit", "1"]].concat();
    collected(&[file], &out, &options);
    let audit = read(&out, "lotsizing").meta.audit.unwrap();
    assert!(audit.objective < 2300.0, "{audit:?}: a tenth of a second finds that");

    let good = folder.path("good");
    let said = collected(&some(&["knapsack.lp"]), &good, &["--time", "2", "--audit", "3"]);
    assert!(said.contains("audit: the labels are 0.00 % from the best"), "{said}");
}

#[test]
fn labels_of_interchangeable_bins_are_in_one_order() {
    let folder = Folder::new("collect-canonical");
    let out = folder.path("out");
    collected(&[placements(&folder, 1)], &out, &["--time", "1", "--augment", "1"]);
    let Instance { meta, problem, pool, augmented } = read(&out, "ip-7-0");
    let problem = problem.unwrap();
    assert!(meta.symmetry.starts_with("4 x "), "{}", meta.symmetry);
    assert_eq!(meta.family.as_deref(), Some("ip"));
    let reduced = problem.reduce(&augmented[0].fixings).problem;
    for (problem, pool) in [(&problem, &pool), (&reduced, &augmented[0].pool)] {
        let mut again = pool.clone();
        Symmetry::of(problem).canonical(problem, &mut again);
        assert_eq!(&again, pool);
        assert_right(problem, pool, "ip");
    }
    assert!(pool.solutions.len() > 1);
}

#[test]
fn python_reads_what_was_collected() {
    let Some(mut python) = python() else { return };
    let folder = Folder::new("collect-python");
    let out = folder.path("out");
    collected(&some(&["knapsack.lp"]), &out, &["--time", "0.5", "--augment", "1"]);
    let code = "import json, sys, numpy as np; d = np.load(sys.argv[1]); m = json.loads(d['meta.json']); \
                print(m['name'], d['objectives'][0], -d['objective'][d['binaries']] @ d['solutions'][0], \
                m['augmented'], len(d['augmented/0/fixed']) + len(d['augmented/0/binaries']))";
    let (succeeded, said) = run(python.args(["-c", code]).arg(out.join(names(&out).first().unwrap())));
    assert!(succeeded && said.trim() == "knapsack 637.0 637.0 1 40", "{said}");
}
