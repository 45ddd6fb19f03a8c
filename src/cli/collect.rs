//! `apollo collect`: instances become training data.
//!
//! Every instance is collected in a process of its own: jobs share nothing, and one that crashes is one
//! sentence in the report. A file appears when it is whole, so that the run can be stopped at any
//! moment, and the same command goes on from there.

use super::Done;
use super::workers::{self, Workers};
use apollo_scip::bench::machine;
use apollo_scip::data::file::{self, Contents};
use apollo_scip::data::pool::Teacher;
use apollo_scip::onnx::Onnx;
use apollo_scip::settings::Device;
use apollo_scip::teach::collect::{self, Order, Summary, instance_name, source_hash};
use apollo_scip::teach::improve::Lesson;
use apollo_scip::{Error, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

/// Collect good solutions of instances as training data
#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  apollo collect instances --out data --time 60 --jobs 4 --augment 5
  apollo collect instances --out data --teacher apollo --model ca.onnx --again
  apollo collect instances --out data --teacher import --solutions sols
  apollo collect instances --out data --time 60 --audit 5     how good are the labels?
  apollo collect instances --out data --shard 3/100           one part of a hundred

Stop it at any moment: the same command goes on. docs/DATA.md describes the files, docs/CLUSTER.md
many machines.")]
pub struct Arguments {
    /// Files that SCIP reads (.mps, .lp, …, also .gz), or folders of them
    #[arg(required = true)]
    instances: Vec<PathBuf>,
    /// Folder for the data: one .npz file an instance
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// CPU seconds for each instance
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS", value_parser = super::positive)]
    time: f64,
    /// Instances side by side [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Who finds the first solutions: SCIP, SCIP with Apollo, or .sol files of any solver
    #[arg(long, default_value = "scip", value_parser = ["scip", "apollo", "import"])]
    teacher: String,
    /// Share of the time in which neighbourhoods of the solutions are searched for better ones [default:
    /// 0.9; 0 for imported solutions]
    #[arg(long, value_name = "SHARE", value_parser = super::share)]
    improve: Option<f64>,
    /// Folder with .sol files for --teacher import: NAME.sol, NAME-anything.sol or NAME/anything.sol
    #[arg(long, value_name = "FOLDER", required_if_eq("teacher", "import"))]
    solutions: Option<PathBuf>,
    /// Model for --teacher apollo; without it the LP relaxation predicts
    #[arg(long, value_name = "FILE")]
    model: Option<String>,
    /// Set a parameter of SCIP or Apollo for the teacher
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = super::assignment)]
    parameters: Vec<(String, String)>,
    /// Solutions to keep for each instance
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pool: u16,
    /// Reduced instances to make of each, by fixing variables as they are in one of its solutions
    #[arg(long, default_value_t = 0, value_name = "N")]
    augment: u16,
    /// CPU seconds for each reduced instance [default: a tenth of --time]
    #[arg(long, value_name = "SECONDS", value_parser = super::positive)]
    augment_time: Option<f64>,
    /// Seed
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Take only part I of N of the instances (I from 1): for clusters
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,
    /// Go on with instances that are there already, from their solutions
    #[arg(long)]
    again: bool,
    /// Then search so many of the instances ten times longer, and report how far the labels are from that
    #[arg(long, value_name = "N")]
    audit: Option<usize>,
    /// One instance, in this process: how the command calls itself
    #[arg(long, hide = true)]
    worker: Option<Work>,
}

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
enum Work {
    Collect,
    Audit,
}

/// The audit searches so many times longer.
const LONGER: f64 = 10.0;

fn shard(text: &str) -> std::result::Result<(usize, usize), String> {
    text.split_once('/')
        .and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)))
        .filter(|&(part, parts)| 1 <= part && part <= parts)
        .ok_or_else(|| "write it as I/N with I from 1 to N, e.g. 3/100".to_string())
}

/// Collects.
pub fn run(arguments: &Arguments) -> Done {
    match arguments.worker {
        Some(work) => worker(arguments, work),
        None => manage(arguments),
    }
}

impl Arguments {
    fn lesson(&self) -> Lesson {
        let teacher = match self.teacher.as_str() {
            "apollo" => Teacher::Apollo,
            "import" => Teacher::Import,
            _ => Teacher::Scip,
        };
        let mut parameters = vec![];
        if teacher == Teacher::Apollo {
            // All of its time is Apollo's: the tree teaches nothing.
            for (name, value) in [("budget/share", "0.9"), ("budget/effort", "1e20")] {
                parameters.push((format!("heuristics/apollo/{name}"), value.to_string()));
            }
            if let Some(model) = &self.model {
                parameters.push(("heuristics/apollo/predictor".to_string(), "onnx".to_string()));
                parameters.push(("heuristics/apollo/model".to_string(), model.clone()));
            }
        }
        parameters.extend(self.parameters.iter().cloned().map(|(name, value)| (full_name(name), value)));
        let improve = self.improve.unwrap_or(if teacher == Teacher::Import { 0.0 } else { 0.9 });
        Lesson {
            seconds: self.time,
            teacher_share: if teacher == Teacher::Import { 0.0 } else { 1.0 - improve },
            improve: improve > 0.0,
            teacher,
            parameters,
            capacity: self.pool.into(),
            seed: self.seed,
        }
    }

    /// How the audit goes: longer, and from nothing; where solutions were imported, SCIP searches.
    fn audit_lesson(&self) -> Lesson {
        let asked = match self.teacher.as_str() {
            "import" => Arguments { teacher: "scip".to_string(), improve: None, ..self.clone() },
            _ => self.clone(),
        };
        let lesson = asked.lesson();
        Lesson { seconds: LONGER * self.time, seed: self.seed.wrapping_add(1), ..lesson }
    }

    /// Loads the model once, before any work: in a solve, one that cannot be used costs a warning and
    /// the relaxation predicts; nobody wants a day of that by mistake.
    fn check_model(&self) -> Result<()> {
        let Some(model) = &self.model else { return Ok(()) };
        if self.teacher != "apollo" {
            let why = "a model is for --teacher apollo".to_string();
            return Err(Error::File { path: model.into(), why });
        }
        Onnx::load(model, Device::Cpu, 1).map(|_| ())
    }

    fn workers(&self, stop: &'static AtomicBool) -> Workers {
        Workers { jobs: self.jobs.map(usize::from), stop }
    }

    /// The command line of a worker for this file.
    fn worker(&self, work: Work, file: &Path) -> Result<Command> {
        let mut command = Command::new(workers::own_program()?);
        let work = if work == Work::Collect { "collect" } else { "audit" };
        command.arg("collect").arg(file).arg("--out").arg(&self.out).args(["--worker", work]);
        let mut pass = |name: &str, value: String| {
            command.arg(format!("--{name}={value}"));
        };
        pass("time", self.time.to_string());
        pass("teacher", self.teacher.clone());
        pass("pool", self.pool.to_string());
        pass("augment", self.augment.to_string());
        pass("seed", self.seed.to_string());
        for (name, value) in [
            ("improve", self.improve.map(|share| share.to_string())),
            ("solutions", self.solutions.as_ref().map(|path| path.to_string_lossy().into_owned())),
            ("model", self.model.clone()),
            ("augment-time", self.augment_time.map(|seconds| seconds.to_string())),
        ] {
            if let Some(value) = value {
                pass(name, value);
            }
        }
        for (name, value) in &self.parameters {
            pass("set", format!("{name}={value}"));
        }
        if self.again {
            command.arg("--again");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }
}

/// A parameter by its full name: one of Apollo's may be given without `heuristics/apollo/`.
fn full_name(name: String) -> String {
    if name.contains('/') && apollo_scip::settings::find(&name).is_none() {
        name
    } else {
        format!("{}{name}", apollo_scip::settings::PREFIX)
    }
}

/// Collects or audits one instance here, and says what came of it as JSON.
fn worker(arguments: &Arguments, work: Work) -> Done {
    machine::end_with_parent(); // also if that one was killed and could say nothing
    let lesson = arguments.lesson();
    let file = arguments.instances[0].clone();
    let result = match work {
        Work::Collect => serde_json::to_string(&collect::collect(&Order {
            file,
            out: arguments.out.clone(),
            lesson,
            solutions: arguments.solutions.clone(),
            augment: arguments.augment.into(),
            augment_seconds: arguments.augment_time.unwrap_or(arguments.time / 10.0),
            again: arguments.again,
        })?),
        Work::Audit => serde_json::to_string(&collect::audit(&file, &arguments.audit_lesson())?),
    };
    workers::answer(&result.expect("plain numbers and texts"));
    Ok(true)
}

/// Finds what is to be done, has it done, and reports.
fn manage(arguments: &Arguments) -> Done {
    let failed =
        |path: &Path, error: std::io::Error| Error::File { path: path.into(), why: error.to_string() };
    let mut files = find_instances(&arguments.instances)?;
    arguments.check_model()?;
    if let Some((part, parts)) = arguments.shard {
        files = files.into_iter().skip(part - 1).step_by(parts).collect();
    }
    std::fs::create_dir_all(&arguments.out).map_err(|error| failed(&arguments.out, error))?;
    let stop = workers::listen_for_stop()?;
    let mut there = collected(&arguments.out)?;
    let (mut todo, mut problems) = (vec![], vec![]);
    for file in &files {
        match source_hash(file) {
            Ok(hash)
                if !arguments.again
                    && there.get(&hash).is_some_and(|(_, there)| is_whole(there, arguments)) => {}
            Ok(_) => todo.push(file.clone()),
            Err(error) => problems.push(error.to_string()),
        }
    }
    let skipped = files.len() - todo.len() - problems.len();
    if skipped > 0 {
        eprintln!("apollo: {skipped} of {} instances are collected already", files.len());
    }

    let collecting = arguments.workers(stop);
    let mut done = 0;
    let collect = |file: &Path| arguments.worker(Work::Collect, file);
    let finished = collecting.run(&todo, collect, |file, answer| match answer {
        Ok(answer) => match serde_json::from_str::<Summary>(answer) {
            Ok(summary) => {
                done += 1;
                tell(file, &summary)
            }
            Err(_) => format!("{}: done", file.display()),
        },
        Err(why) => {
            problems.push(why.clone());
            why
        }
    })?;
    if let Some(number) = arguments.audit.filter(|_| finished) {
        there = collected(&arguments.out)?;
        let sample = sample(&files, &there, number);
        if !audit(arguments, stop, &sample, &mut problems)? {
            return stopped(done, todo.len());
        }
    }
    if !finished {
        return stopped(done, todo.len());
    }
    println!("{} of {} instances are in {}", skipped + done, files.len(), arguments.out.display());
    if !problems.is_empty() {
        eprintln!("apollo: {} failed:", problems.len());
        problems.iter().for_each(|problem| eprintln!("  {problem}"));
    }
    Ok(problems.is_empty())
}

fn stopped(done: usize, all: usize) -> Done {
    eprintln!("apollo: stopped; {done} of {all} done, the same command goes on with the rest");
    std::process::exit(130)
}

fn tell(file: &Path, summary: &Summary) -> String {
    let mut line = format!(
        "{}: {}{}, {} solutions",
        instance_name(file),
        super::number(summary.objective),
        if summary.optimal { " (optimal)" } else { "" },
        summary.solutions
    );
    if summary.augmented > 0 {
        line += &format!(", {} reduced instances", summary.augmented);
    }
    for remark in &summary.remarks {
        line += &format!("\n    {remark}");
    }
    line
}

/// The files among these paths, and in the folders among them.
fn find_instances(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    const ENDINGS: [&str; 12] =
        ["mps", "lp", "cip", "opb", "wbo", "rlp", "fzn", "zpl", "osil", "pip", "gms", "cnf"];
    let readable = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
    };
    let mut files = vec![];
    for path in paths {
        let failed = |why: String| Error::File { path: path.clone(), why };
        if !path.is_dir() {
            if !path.exists() {
                return Err(failed("there is no such file or folder".to_string()));
            }
            files.push(path.clone());
            continue;
        }
        let mut inside = vec![];
        for entry in std::fs::read_dir(path).map_err(|error| failed(error.to_string()))? {
            let file = entry.map_err(|error| failed(error.to_string()))?.path();
            if file.is_file() && readable(&file) {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(failed("has no instances in it (.mps, .lp, …, also .gz)".to_string()));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// What is in the folder already, by the hash of the instance's file. Files of another version are an
/// error before any work is done.
fn collected(folder: &Path) -> Result<HashMap<String, (PathBuf, Contents)>> {
    let failed = |error: std::io::Error| Error::File { path: folder.into(), why: error.to_string() };
    let mut there = HashMap::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".npz") {
            let contents = file::contents(&path)?;
            there.insert(contents.meta.source.clone(), (path, contents));
        }
    }
    Ok(there)
}

fn is_whole(there: &Contents, arguments: &Arguments) -> bool {
    !there.stripped && there.augmented >= arguments.augment.into()
}

/// So many of the collected instances, evenly spread.
fn sample(files: &[PathBuf], there: &HashMap<String, (PathBuf, Contents)>, number: usize) -> Vec<PathBuf> {
    let known: Vec<PathBuf> =
        files.iter().filter_map(|file| Some(there.get(&source_hash(file).ok()?)?.0.clone())).collect();
    let number = number.min(known.len());
    (0..number).map(|i| known[i * known.len() / number].clone()).collect()
}

/// Audits these files, and reports; false if stopped.
fn audit(
    arguments: &Arguments,
    stop: &'static AtomicBool,
    sample: &[PathBuf],
    problems: &mut Vec<String>,
) -> Result<bool> {
    let longer = LONGER * arguments.time;
    eprintln!("apollo: audit of {} instances, {longer} s each", sample.len());
    let mut gaps = vec![];
    let again = |file: &Path| arguments.worker(Work::Audit, file);
    let finished = arguments.workers(stop).run(sample, again, |file, answer| {
        match answer.map(serde_json::from_str::<(f64, f64)>) {
            Ok(Ok((collected, best))) => {
                let gap = (collected - best).abs() / best.abs().max(1e-9);
                gaps.push(gap);
                format!(
                    "{}: {} collected, {} after {longer} s, gap {:.2} %",
                    instance_name(file),
                    super::number(collected),
                    super::number(best),
                    100.0 * gap
                )
            }
            Ok(Err(_)) => format!("{}: no answer", file.display()),
            Err(why) => {
                problems.push(why.clone());
                why
            }
        }
    })?;
    if !gaps.is_empty() {
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let most = gaps.iter().copied().fold(0.0, f64::max);
        println!(
            "audit: the labels are {:.2} % from the best of searches of {longer} s (mean of {}; worst {:.2} %)",
            100.0 * mean,
            gaps.len(),
            100.0 * most
        );
    }
    Ok(finished)
}
