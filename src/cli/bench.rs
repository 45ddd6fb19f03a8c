//! `apollo bench`: strategies side by side, one process a run.
//!
//! A run that crashes or does not end is a result. A line is in `runs.jsonl` when its run is over, so
//! that the measurement can be stopped at any moment, and the same command goes on from there.

use super::workers::{self, Ended, Workers};
use super::{Done, number};
use apollo_scip::bench::best_known::BestKnown;
use apollo_scip::bench::machine::{self, Machine};
use apollo_scip::bench::report::{Report, Setup};
use apollo_scip::bench::runs::{Conditions, Found, Run, Store};
use apollo_scip::bench::suite::{Cell, Suite};
use apollo_scip::bench::tables;
use apollo_scip::measure::{self, Task, Versions};
use apollo_scip::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Measure strategies side by side on a suite of instances
#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  apollo bench bench/smoke.toml
  apollo bench bench/main.toml --out results --only ca,scip,apollo
  apollo report results                        draw the report again
  apollo report results --against earlier      what has changed?

Stop it at any moment: the same command goes on. docs/BENCHMARKING.md describes suites and numbers.")]
pub struct Arguments {
    /// The suite: a TOML file
    #[arg(required_unless_present = "worker")]
    suite: Option<PathBuf>,
    /// Folder for the results [default: apollo-bench/SUITE]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Runs side by side; more than one disturb each other
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Only these strategies, families or instances
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Go on with results of other versions of this program
    #[arg(long)]
    mix_versions: bool,
    /// One run, in this process: how the command calls itself
    #[arg(long, hide = true, value_name = "JSON")]
    worker: Option<String>,
}

/// What a worker is told.
#[derive(serde::Serialize, serde::Deserialize)]
struct Order {
    file: PathBuf,
    apollo: bool,
    aggressive: bool,
    settings: Vec<PathBuf>,
    parameters: Vec<(String, String)>,
    memory: u64,
    cores: Vec<usize>,
}

/// How the line of a worker begins that tells an improvement: what is known of a run that crashes.
const STEP: &str = "step: ";

/// Measures.
pub fn run(arguments: &Arguments) -> Done {
    match (&arguments.worker, &arguments.suite) {
        (Some(order), _) => worker(order),
        (None, Some(suite)) => manage(arguments, suite),
        (None, None) => Err(Error::Bench("name a suite".to_string())),
    }
}

/// One run here: keeps to its share of the machine, solves, and says what was found as JSON.
fn worker(order: &str) -> Done {
    let order: Order = serde_json::from_str(order).map_err(|error| Error::Bench(error.to_string()))?;
    let load = machine::load();
    machine::end_with_parent();
    machine::keep_to(&order.cores)?;
    machine::limit_memory(order.memory)?;
    let task = Task {
        file: order.file,
        apollo: order.apollo,
        aggressive: order.aggressive,
        settings: order.settings,
        parameters: order.parameters,
        log: false,
        verify: true,
    };
    let outcome = measure::solve(&task, |seconds, objective| println!("\n{STEP}[{seconds},{objective}]"))?;
    let mut answer = serde_json::to_value(&outcome).expect("plain numbers and texts");
    answer["peak_memory"] = machine::peak_memory().into();
    answer["load"] = load.into();
    workers::answer(&answer.to_string());
    Ok(true)
}

/// Finds what is to be done, has it done, and reports.
fn manage(arguments: &Arguments, path: &Path) -> Done {
    let name = path.file_stem().unwrap_or_default();
    let folder = arguments.out.clone().unwrap_or_else(|| Path::new("apollo-bench").join(name));
    let mut store = Store::open(&folder)?;
    eprintln!("apollo: reading {} and its instances", path.display());
    let suite = Suite::read(path, &folder, &arguments.only)?;
    suite.remarks.iter().for_each(|remark| eprintln!("apollo: {remark}"));
    let seats = seats(suite.threads, arguments.jobs.into())?;
    let jobs = seats.len();
    let cells = suite.cells();
    let versions = Versions::here()?;
    // All that is there must go together, whatever part of the suite is wanted now.
    for run in &store.runs {
        let cell = cells.iter().find(|cell| run.is(cell));
        check_same(run, cell, &suite, jobs, (!arguments.mix_versions).then_some(&versions), &folder)?;
    }
    let mut todo = cells.clone();
    todo.retain(|cell| !store.runs.iter().any(|run| run.is(cell)));
    if cells.is_empty() {
        println!("nothing to measure: what {} needs is not there (see above)", path.display());
        return Ok(true);
    }
    if todo.len() < cells.len() {
        eprintln!("apollo: {} of {} runs are there already", cells.len() - todo.len(), cells.len());
    }
    let setup = Setup::of(&suite, again(path, arguments));
    let setup = match Setup::read(&folder)? {
        Some(earlier) => setup.after(earlier, arguments.only.is_empty()),
        None => setup,
    };
    setup.write(&folder)?;

    BestKnown::check_place(&suite.best_known)?;
    let mut best = BestKnown::read(&suite.best_known)?;
    let (machine, stop) = (Machine::here(), workers::listen_for_stop()?);
    let patience = Duration::from_secs_f64(1.5 * suite.time + 60.0);
    let command = |cell: &Cell<'_>, seat: usize| order(cell, &suite, &seats[seat]);
    let finished =
        Workers { jobs: Some(jobs), stop }.each(&todo, Some(patience), command, |cell, ended| {
            let run = record(cell, &suite, jobs, &machine, &versions, ended);
            if run.found.status == "userinterrupt" {
                return Ok(format!("{}: interrupted, to be done again", cell.instance.name));
            }
            store.add(run.clone())?;
            Ok(tell(&run, best.improve(&run)?))
        })?;
    best = BestKnown::read(&suite.best_known)?;
    if store.runs.is_empty() {
        return stopped(cells.len());
    }
    let report = Report::read(&folder, Some(&best))?;
    report.write()?;
    if !finished {
        return stopped(cells.len());
    }
    print!("{}", tables::terminal(&report));
    println!("\nthe report is {}", folder.join("report.html").display());
    Ok(true)
}

fn stopped(all: usize) -> Done {
    eprintln!("apollo: stopped before all {all} runs were done; the same command goes on with the rest");
    std::process::exit(130)
}

/// The command that does the same again.
fn again(path: &Path, arguments: &Arguments) -> String {
    let mut command = format!("apollo bench {}", path.display());
    if arguments.jobs != 1 {
        command += &format!(" --jobs {}", arguments.jobs);
    }
    if !arguments.only.is_empty() {
        command += &format!(" --only {}", arguments.only.join(","));
    }
    command
}

/// The cores of each of the runs side by side.
fn seats(threads: usize, jobs: usize) -> Result<Vec<Vec<usize>>> {
    let cores = machine::cores();
    if cores.len() < threads * jobs {
        return Err(Error::Bench(format!(
            "{jobs} runs side by side with {threads} threads each need {} cores, and there are {}: lower --jobs or `threads` in the suite",
            threads * jobs,
            cores.len()
        )));
    }
    // From the last core on: the first ones have the system's interrupts to serve.
    Ok(cores.rchunks(threads).take(jobs).map(<[usize]>::to_vec).collect())
}

/// A run that is there already must be the one that would be done now, if it would be, and under the same
/// limits and by the same `versions` (if that matters) in any case.
fn check_same(
    run: &Run,
    cell: Option<&Cell<'_>>,
    suite: &Suite,
    jobs: usize,
    versions: Option<&Versions>,
    folder: &Path,
) -> Result<()> {
    let method = cell.map_or(&run.conditions.method, |cell| cell.method);
    let now = Conditions::of(suite, method, jobs);
    let other_instance = || {
        let is_other = cell.is_some_and(|cell| run.hash != cell.instance.hash);
        is_other.then(|| format!("instance {} is another one now", run.instance))
    };
    let other_version = || {
        let there = &run.found.versions;
        let new = versions.filter(|_| !there.scip.is_empty())?;
        let old = format!("{} ({}), SCIP {}", there.apollo, there.commit, there.scip);
        let new = format!("{} ({}), SCIP {}", new.apollo, new.commit, new.scip);
        (old != new).then(|| format!("apollo {old} instead of {new}; --mix-versions goes on all the same"))
    };
    let why = other_instance()
        .or_else(other_version)
        .or_else(|| run.conditions.other_limits(&now))
        .or_else(|| run.conditions.other_method(&now));
    why.map_or(Ok(()), |why| {
        let why = format!("has results of other conditions ({why}): name another folder with --out");
        Err(Error::File { path: folder.into(), why })
    })
}

/// The command line of a worker for this run.
fn order(cell: &Cell<'_>, suite: &Suite, cores: &[usize]) -> Result<Command> {
    let task = cell.method.task(&cell.instance.file, cell.seed, suite.time, suite.memory);
    let order = Order {
        file: task.file,
        apollo: task.apollo,
        aggressive: task.aggressive,
        settings: task.settings,
        parameters: task.parameters,
        memory: suite.memory,
        cores: cores.to_vec(),
    };
    let mut command = Command::new(workers::own_program()?);
    command.arg("bench").arg("--worker").arg(serde_json::to_string(&order).expect("plain texts"));
    // Where memory is at its limit, collecting a backtrace may wait forever.
    command.env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

/// What came of a run. A crash is a result: what it said until then counts.
fn record(
    cell: &Cell<'_>,
    suite: &Suite,
    jobs: usize,
    machine: &Machine,
    versions: &Versions,
    ended: Ended,
) -> Run {
    let answer = ended.answer().and_then(|answer| {
        serde_json::from_str::<Found>(answer).map_err(|error| format!("gave no answer: {error}"))
    });
    let (found, failure) = match answer {
        Ok(found) => (found, None),
        Err(why) => {
            let steps = ended.out.lines().filter_map(|line| line.strip_prefix(STEP));
            let trajectory: Vec<(f64, f64)> =
                steps.filter_map(|step| serde_json::from_str(step).ok()).collect();
            let found = Found {
                status: if ended.overdue { "overshoot" } else { "crashed" }.to_string(),
                objective: trajectory.last().map(|step| step.1),
                time: ended.seconds,
                trajectory,
                versions: apollo_scip::bench::runs::Versions {
                    apollo: versions.apollo.clone(),
                    commit: versions.commit.to_string(),
                    scip: versions.scip.clone(),
                },
                ..Found::default()
            };
            (found, Some(why))
        }
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Run {
        instance: cell.instance.name.clone(),
        family: cell.instance.family.clone(),
        hash: cell.instance.hash.clone(),
        strategy: cell.method.strategy.clone(),
        seed: cell.seed,
        failure,
        found,
        wall: ended.seconds,
        began: now.saturating_sub(ended.seconds as u64),
        machine: machine.clone(),
        conditions: Conditions::of(suite, cell.method, jobs),
    }
}

fn tell(run: &Run, improved: Option<Option<f64>>) -> String {
    let found = &run.found;
    let objective = found.objective.map_or("no solution".to_string(), number);
    let mut line =
        format!("{} {}: {objective}, {}, {:.1} s", run.instance, run.strategy, found.status, found.time);
    if run.conditions.time * 1.05 + 1.0 < found.time {
        line += &format!(" (limit {} s)", run.conditions.time);
    }
    if let Some(remark) = run.remark() {
        line += &format!("; {remark}");
    }
    match improved {
        Some(Some(before)) => line += &format!("; better than the best known {}", number(before)),
        Some(None) => line += "; the first known",
        None => {}
    }
    line
}
