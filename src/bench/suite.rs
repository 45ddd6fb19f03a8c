//! A suite: the TOML file that says what to measure, read and made concrete.
//!
//! Everything that can be wrong with it is said before the first run.

use super::best_known::FILE as BEST_KNOWN;
use super::cases::{self, Instance, Instances};
use super::method::{self, Common, Method, StrategyEntry};
use crate::error::{Error, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is written in the file.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// One or two sentences for the report.
    #[serde(default)]
    about: String,
    /// Time limit of each run, in seconds.
    time: f64,
    /// Memory limit of each run, in MB.
    #[serde(default = "usual_memory")]
    memory: u64,
    /// Cores of each run.
    #[serde(default = "usual_threads")]
    threads: usize,
    /// One run for each.
    #[serde(default = "usual_seeds")]
    seeds: Vec<u32>,
    /// The strategies that others are compared with; without it `scip` and `scip-aggressive`.
    baselines: Option<Vec<String>>,
    /// The file of best known objectives; without it `best_known.json` beside the suite. `none` keeps
    /// them with the results alone.
    best_known: Option<PathBuf>,
    /// What holds for every strategy with Apollo in it.
    #[serde(default)]
    apollo: Common,
    instances: Vec<Instances>,
    strategies: Vec<StrategyEntry>,
}

fn usual_memory() -> u64 {
    6000
}

fn usual_threads() -> usize {
    1
}

fn usual_seeds() -> Vec<u32> {
    vec![0]
}

/// What to measure.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its name: the file's without the ending.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// Time limit of each run, in seconds.
    pub time: f64,
    /// Memory limit of each run, in MB.
    pub memory: u64,
    /// Cores of each run.
    pub threads: usize,
    /// Seeds, one run each.
    pub seeds: Vec<u32>,
    /// The strategies that others are compared with.
    pub baselines: Vec<String>,
    /// The file of best known objectives.
    pub best_known: PathBuf,
    /// The instances.
    pub instances: Vec<Instance>,
    /// The strategies made concrete: one entry for each strategy and family that it is for.
    pub methods: Vec<Method>,
    /// What somebody should know before the runs: what is left out, and why.
    pub remarks: Vec<String>,
}

/// One run that is to be done.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// What to solve.
    pub instance: &'a Instance,
    /// How.
    pub method: &'a Method,
    /// The seed.
    pub seed: u32,
}

impl Suite {
    /// Reads a suite and finds everything that it names. `folder` is where its results will be, with the
    /// instances that are drawn in `instances/`.
    /// `only` keeps the strategies, families and instances of these names.
    pub fn read(path: &Path, folder: &Path, only: &[String]) -> Result<Suite> {
        let wrong = |why: String| Error::File { path: path.into(), why };
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let written: Written = toml::from_str(&text).map_err(|error| wrong(sentence(&error)))?;
        let beside = path.parent().unwrap_or(Path::new(""));
        check(&written).map_err(wrong)?;

        let (labels, families) = (labels(&written), families(&written));
        let wanted = |name: &str, among: &[String]| {
            !only.iter().any(|word| among.contains(word)) || only.iter().any(|word| word == name)
        };
        let mut remarks = vec![];
        let (mut planned, mut unknown) = (vec![], only.to_vec());
        for entry in &written.instances {
            let folder = folder.join("instances");
            planned.extend(cases::plan(entry, beside, &folder, &mut remarks).map_err(wrong)?);
        }
        let names: Vec<String> = planned.iter().map(|one| one.name.clone()).collect();
        let all = [&labels, &families, &names];
        unknown.retain(|word| !all.iter().any(|known| known.contains(word)));
        if let Some(word) = unknown.first() {
            let known = all.map(|known| known.join(", ")).join("; ");
            return Err(wrong(format!("--only {word}: there is nothing of this name (there are {known})")));
        }
        if names.len() != names.iter().collect::<BTreeSet<_>>().len() {
            return Err(wrong("two instances have the same name".to_string()));
        }
        // Drawing takes a while: only what is wanted.
        planned.retain(|one| wanted(&one.family, &families) && wanted(&one.name, &names));
        let there: BTreeSet<String> = planned.iter().map(|one| one.family.clone()).collect();
        let mut methods = vec![];
        let mut missing = vec![];
        for entry in written.strategies.iter().filter(|entry| wanted(entry.label(), &labels)) {
            for family in &there {
                match method::resolve(entry, family, &written.apollo, written.threads, beside) {
                    Ok((method, remark)) => {
                        methods.extend(method);
                        remarks.extend(remark);
                    }
                    Err(Error::Model { why, .. }) => missing.push(why),
                    Err(error) => return Err(wrong(error.to_string())),
                }
            }
        }
        if !missing.is_empty() {
            return Err(wrong(format!(
                "{}; `fallback = \"relaxation\"` or `\"skip\"` in the suite goes on without, --only runs the others",
                missing.join("; ")
            )));
        }
        let instances = planned.into_iter().map(cases::Planned::make).collect::<std::result::Result<_, _>>();
        let usual = || ["scip", "scip-aggressive"].map(str::to_string).to_vec();
        let mut baselines = written.baselines.unwrap_or_else(usual);
        baselines.retain(|label| labels.contains(label));
        Ok(Suite {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            about: written.about,
            time: written.time,
            memory: written.memory,
            threads: written.threads,
            seeds: written.seeds,
            baselines,
            best_known: match written.best_known {
                Some(none) if none == Path::new("none") => folder.join(BEST_KNOWN),
                Some(own) => beside.join(own),
                None => beside.join(BEST_KNOWN),
            },
            instances: instances.map_err(wrong)?,
            methods,
            remarks,
        })
    }

    /// Every run, in order: all methods on one instance before the next one, so that whatever happens
    /// to the machine happens to all of them. Who begins takes turns.
    pub fn cells(&self) -> Vec<Cell<'_>> {
        let mut cells = vec![];
        for (turn, instance) in self.instances.iter().enumerate() {
            let mut methods: Vec<&Method> =
                self.methods.iter().filter(|method| method.family == instance.family).collect();
            if !methods.is_empty() {
                let first = turn % methods.len();
                methods.rotate_left(first);
            }
            for &seed in &self.seeds {
                cells.extend(methods.iter().map(|method| Cell { instance, method, seed }));
            }
        }
        cells
    }

    /// The labels of the strategies, in the order of the file.
    pub fn labels(&self) -> Vec<String> {
        let mut labels: Vec<String> = vec![];
        for method in &self.methods {
            if !labels.contains(&method.strategy) {
                labels.push(method.strategy.clone());
            }
        }
        labels
    }
}

/// One line of a parser's many.
fn sentence(error: &toml::de::Error) -> String {
    let what = error.message().trim().replace('\n', " ");
    format!("is no suite: {what} (docs/BENCHMARKING.md describes the file)")
}

fn labels(written: &Written) -> Vec<String> {
    written.strategies.iter().map(|entry| entry.label().to_string()).collect()
}

fn families(written: &Written) -> Vec<String> {
    let all: BTreeSet<&String> = written.instances.iter().map(|entry| &entry.family).collect();
    all.into_iter().cloned().collect()
}

/// The longest time limit, in seconds: more is a slip, and no clock of the system takes any number.
const LONGEST: f64 = 1e8;

/// What is wrong with the file itself.
fn check(written: &Written) -> std::result::Result<(), String> {
    let positive = |name: &str, value: f64| {
        let fine = value.is_finite() && value > 0.0;
        if fine { Ok(()) } else { Err(format!("{name} = {value}: a number greater than 0 is wanted")) }
    };
    positive("time", written.time)?;
    positive("memory", written.memory as f64)?;
    positive("threads", written.threads as f64)?;
    if written.time > LONGEST {
        return Err(format!("time = {}: {LONGEST} seconds are the most", written.time));
    }
    for (i, &seed) in written.seeds.iter().enumerate() {
        if i32::try_from(seed).is_err() || written.seeds[..i].contains(&seed) {
            return Err(format!("seeds: {seed} is there twice, or larger than SCIP's seeds can be"));
        }
    }
    let families = families(written);
    // Figures and instances are files of these names.
    if let Some(family) = families.iter().find(|family| family.is_empty() || family.contains(['/', '\\'])) {
        return Err(format!("family '{family}': a name without slashes is wanted"));
    }
    for entry in &written.strategies {
        if let Some(family) = entry.families().iter().find(|family| !families.contains(family)) {
            return Err(format!("strategy {}: there is no family {family}", entry.label()));
        }
    }
    if written.seeds.is_empty() || written.strategies.is_empty() || written.instances.is_empty() {
        return Err("seeds, strategies and instances need one entry each at least".to_string());
    }
    let labels = labels(written);
    for (i, label) in labels.iter().enumerate() {
        if labels[..i].contains(label) {
            return Err(format!("two strategies are called {label}: give one of them a label of its own"));
        }
    }
    let strangers = written.baselines.iter().flatten().find(|label| !labels.contains(label));
    strangers.map_or(Ok(()), |label| Err(format!("baselines: there is no strategy {label}")))
}
