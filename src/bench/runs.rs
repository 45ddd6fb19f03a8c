//! What the runs found: one line of JSON each, appended when the run is over.
//!
//! A line is written at once or not at all, so that a measurement may be stopped anywhere; what a crash
//! of the machine left of a last line is cut off when the file is opened again.

use super::machine::Machine;
use super::method::Method;
use super::suite::{Cell, Suite};
use crate::error::{Error, Result};
use crate::search::LocalReport;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The name of the file.
pub const FILE: &str = "runs.jsonl";

/// A solution that breaks the problem by more than this is none. SCIP's feasibility tolerance is a tenth of
/// it, but holds for the presolved problem: what it accepts there may break the user's own by more.
pub const TOLERANCE: f64 = 1e-5;

/// A solution that breaks it by more than this is never the best known one: SCIP's feasibility tolerance, and
/// a little for adding up in another order.
const EXACT: f64 = 1.01e-6;

/// One run.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Run {
    /// The instance's name.
    pub instance: String,
    /// Its family.
    pub family: String,
    /// SHA-256 of its text.
    pub hash: String,
    /// The label of the strategy.
    pub strategy: String,
    /// The seed.
    pub seed: u32,
    /// What went wrong, if anything did: a crash, a run that had to be ended.
    pub failure: Option<String>,
    /// What was found.
    #[serde(flatten)]
    pub found: Found,
    /// Seconds from the start of the process to its end, reading included.
    pub wall: f64,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// On what.
    pub machine: Machine,
    /// Under which conditions.
    pub conditions: Conditions,
}

/// What a run found. Of one that crashed only what it said before.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Found {
    /// Why it ended, in SCIP's words; `crashed` and `overshoot` are ours.
    pub status: String,
    /// Larger objectives are better.
    pub maximise: Option<bool>,
    /// The best objective.
    pub objective: Option<f64>,
    /// The bound.
    pub bound: Option<f64>,
    /// By how much the best solution breaks the problem, where that was checked.
    pub violation: Option<f64>,
    /// Seconds of the solve.
    pub time: f64,
    /// Nodes of the tree.
    pub nodes: u64,
    /// Every improvement: (seconds, objective).
    pub trajectory: Vec<(f64, f64)>,
    /// Who predicted.
    pub predictor: Option<String>,
    /// On which device.
    pub device: Option<String>,
    /// Seconds for reading the problem into Apollo, once.
    pub snapshot_seconds: Option<f64>,
    /// What each round of Apollo did.
    pub rounds: Vec<serde_json::Value>,
    /// What its local search did before the root LP, beside the rounds, and in later turns.
    pub opening: Option<LocalReport>,
    /// See above.
    pub local: Option<LocalReport>,
    /// See above.
    pub later: Vec<LocalReport>,
    /// The most memory it had, in MB.
    pub peak_memory: Option<u64>,
    /// How busy the machine was when it began: processes that wanted to run, mean of a minute.
    pub load: Option<f64>,
    /// Which versions did it.
    pub versions: Versions,
}

/// Which versions did it.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Versions {
    /// This program.
    pub apollo: String,
    /// Its commit.
    pub commit: String,
    /// SCIP.
    pub scip: String,
}

/// What must be equal for two runs to be compared.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Conditions {
    /// The suite's name.
    pub suite: String,
    /// Time limit in seconds.
    pub time: f64,
    /// Memory limit in MB.
    pub memory: u64,
    /// Cores of each run.
    pub threads: usize,
    /// Runs side by side.
    pub jobs: usize,
    /// The strategy, made concrete.
    pub method: Method,
}

impl Conditions {
    /// Those of a run of this suite.
    pub fn of(suite: &Suite, method: &Method, jobs: usize) -> Conditions {
        Conditions {
            suite: suite.name.clone(),
            time: suite.time,
            memory: suite.memory,
            threads: suite.threads,
            jobs,
            method: method.without_places(),
        }
    }

    /// What differs besides the strategy, in words.
    pub fn other_limits(&self, other: &Conditions) -> Option<String> {
        differs("time limit", self.time, other.time)
            .or_else(|| differs("memory limit", self.memory, other.memory))
            .or_else(|| differs("threads", self.threads, other.threads))
            .or_else(|| differs("jobs", self.jobs, other.jobs))
    }

    /// What differs in the strategy, in words.
    pub fn other_method(&self, other: &Conditions) -> Option<String> {
        let text = |method: &Method| serde_json::to_string(method).expect("plain texts");
        differs(&format!("strategy {}:", self.method.strategy), text(&self.method), text(&other.method))
    }
}

fn differs<T: PartialEq + std::fmt::Display>(what: &str, a: T, b: T) -> Option<String> {
    (a != b).then(|| format!("{what} {a} instead of {b}"))
}

/// Seconds that a solver may take at its limit to hand over what an interrupted heuristic has found.
const HANDED_OVER: f64 = 1.0;

impl Run {
    /// Whether this is the run of that cell.
    pub fn is(&self, cell: &Cell<'_>) -> bool {
        (self.instance.as_str(), self.strategy.as_str(), self.seed)
            == (cell.instance.name.as_str(), cell.method.strategy.as_str(), cell.seed)
    }

    /// The best objective within the time limit: a solution that came later does not count. A heuristic
    /// that the limit interrupts hands over what it has just after it; that is in time.
    pub fn objective_in_time(&self) -> Option<f64> {
        if !self.is_sound() {
            return None;
        }
        let in_time = |step: &&(f64, f64)| step.0 <= self.conditions.time + HANDED_OVER;
        self.found.trajectory.iter().rev().find(in_time).map(|step| step.1)
    }

    /// Its best solution is one, as far as anybody has checked.
    pub fn is_sound(&self) -> bool {
        self.found.violation.is_none_or(|violation| violation <= TOLERANCE)
    }

    /// Its best solution was checked, and is exact enough to be the best known one.
    pub fn is_exact(&self) -> bool {
        self.found.violation.is_some_and(|violation| violation <= EXACT)
    }

    /// Seconds until SCIP proved that nothing better than `best`, the best known objective, exists, if it did
    /// in time. A proof of something else is none.
    pub fn seconds_to_optimality(&self, best: f64) -> Option<f64> {
        let solved = self.found.status == "optimal" && self.wrong_claim(best).is_none();
        (solved && self.found.time <= self.conditions.time).then_some(self.found.time)
    }

    /// What it claims to have proved although it is not so, where `best` is known.
    pub fn wrong_claim(&self, best: f64) -> Option<String> {
        let found = &self.found;
        let worse = |objective: f64| {
            let gap = if found.maximise == Some(true) { best - objective } else { objective - best };
            gap > TOLERANCE * best.abs().max(1.0)
        };
        match (found.status.as_str(), found.objective) {
            ("infeasible", _) => Some(format!("says that there is no solution, and {best} is known")),
            ("optimal", Some(objective)) if worse(objective) => {
                Some(format!("says that {objective} is optimal, and {best} is known"))
            }
            ("optimal", _) if !self.is_sound() => Some("says that something infeasible is optimal".into()),
            _ => None,
        }
    }

    /// What somebody should know about it.
    pub fn remark(&self) -> Option<String> {
        let found = &self.found;
        let asked_for_model = self.conditions.method.model.is_some();
        if let Some(failure) = &self.failure {
            Some(failure.clone())
        } else if !self.is_sound() {
            Some("its best solution is not feasible: it does not count".to_string())
        } else if asked_for_model && found.predictor.as_deref() == Some("relaxation") {
            Some("the model did not predict, the relaxation stood in".to_string())
        } else {
            None
        }
    }
}

/// Reads the runs of a folder.
pub fn read(folder: &Path) -> Result<Vec<Run>> {
    let path = folder.join(FILE);
    let failed = |why: String| Error::File { path: path.clone(), why };
    let text = std::fs::read_to_string(&path).map_err(|error| {
        failed(format!("cannot be read ({error}): name a folder that `apollo bench` has filled"))
    })?;
    // A last line without its end is one that is being written, or never was.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let line = |(i, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| failed(format!("line {} is no run: {error}", i + 1)))
    };
    whole.lines().enumerate().map(line).collect()
}

/// The runs of a folder, and the place for more.
pub struct Store {
    path: PathBuf,
    /// Locked as long as it is open: nobody else measures into this folder.
    file: File,
    /// Those that are there.
    pub runs: Vec<Run>,
}

impl Store {
    /// Opens the folder, which is made if it is not there.
    pub fn open(folder: &Path) -> Result<Store> {
        let failed = |path: &Path, why: String| Error::File { path: path.into(), why };
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error.to_string()))?;
        let path = folder.join(FILE);
        let trouble = |error: std::io::Error| failed(&path, error.to_string());
        let file = OpenOptions::new().create(true).append(true).read(true).open(&path).map_err(trouble)?;
        file.try_lock().map_err(|_| failed(folder, "another `apollo bench` is at work in it".to_string()))?;
        let text = std::fs::read(&path).map_err(trouble)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(trouble)?;
        }
        let runs = read(folder)?;
        Ok(Store { path, file, runs })
    }

    /// Appends a run, in one piece.
    pub fn add(&mut self, run: Run) -> Result<()> {
        let mut line = serde_json::to_string(&run).expect("plain numbers and texts");
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| Error::File { path: self.path.clone(), why: error.to_string() })?;
        self.runs.push(run);
        Ok(())
    }
}
