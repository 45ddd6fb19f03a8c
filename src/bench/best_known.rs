//! The best objective that anybody has found for an instance, in a file that only improves.
//!
//! An instance is known by the hash of its text. Only solutions that were checked against the problem,
//! outside of SCIP, get in. Several measurements may share the file: each takes the lock of its folder,
//! reads what is there now, and puts the better of both in its place at once.

use super::runs::Run;
use crate::data::npz::save;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The usual name of the file.
pub const FILE: &str = "best_known.json";

/// The best objective of one instance.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Best {
    /// The instance's name.
    pub instance: String,
    /// The objective.
    pub objective: f64,
    /// Larger objectives are better.
    pub maximise: bool,
    /// Who found it: a strategy, or a catalogue.
    pub by: String,
    /// In a run of so many seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<f64>,
}

/// Best objectives by the hash of the instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BestKnown {
    /// Where they are kept.
    path: PathBuf,
    /// By hash.
    pub entries: BTreeMap<String, Best>,
}

/// Whether the first is the better objective, by more than rounding.
pub fn is_better(new: f64, old: f64, maximise: bool) -> bool {
    let gain = if maximise { new - old } else { old - new };
    gain > 1e-9 * old.abs().max(1.0)
}

impl BestKnown {
    /// Refuses a place in which nothing could be kept.
    pub fn check_place(path: &Path) -> Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_none_or(Path::is_dir) {
            return Ok(());
        }
        let why = "best known objectives are kept there, and there is no such folder".to_string();
        Err(Error::File { path: path.into(), why })
    }

    /// Reads the file; one that is not there knows nothing.
    pub fn read(path: &Path) -> Result<BestKnown> {
        let failed = |why: String| Error::File { path: path.into(), why };
        let entries = match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| failed(format!("is no list of best known objectives: {error}")))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(failed(error.to_string())),
        };
        Ok(BestKnown { path: path.into(), entries })
    }

    /// Takes a run's objective if it is checked and better than what the file has; says what it was before.
    pub fn improve(&mut self, run: &Run) -> Result<Option<Option<f64>>> {
        let found = &run.found;
        let (Some(objective), Some(maximise), true) = (found.objective, found.maximise, run.is_exact())
        else {
            return Ok(None);
        };
        let improves = |known: &BTreeMap<String, Best>| {
            known.get(&run.hash).is_none_or(|best| is_better(objective, best.objective, maximise))
        };
        if !improves(&self.entries) {
            return Ok(None);
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let lock = File::open(folder).and_then(|folder| folder.lock().map(|()| folder));
        let _lock = lock.map_err(|error| Error::File { path: folder.into(), why: error.to_string() })?;
        self.entries = BestKnown::read(&self.path)?.entries;
        if !improves(&self.entries) {
            return Ok(None);
        }
        let best = Best {
            instance: run.instance.clone(),
            objective,
            maximise,
            by: run.strategy.clone(),
            limit: Some(run.conditions.time),
        };
        let before = self.entries.insert(run.hash.clone(), best);
        self.write()?;
        Ok(Some(before.map(|best| best.objective)))
    }

    /// Takes what `other` knows better, of the instances that are `wanted`.
    pub fn merge(&mut self, other: &BestKnown, wanted: impl Fn(&String) -> bool) {
        for (hash, best) in other.entries.iter().filter(|(hash, _)| wanted(hash)) {
            let better = |old: &Best| is_better(best.objective, old.objective, best.maximise);
            if self.entries.get(hash).is_none_or(better) {
                self.entries.insert(hash.clone(), best.clone());
            }
        }
    }

    /// The best of these runs, in no file; what is not exact counts where there is nothing else.
    pub fn of<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> BestKnown {
        let mut best = BestKnown::among(runs.clone().filter(|run| run.is_exact()));
        let others = BestKnown::among(runs.filter(|run| run.is_sound()));
        let known: Vec<String> = best.entries.keys().cloned().collect();
        best.merge(&others, |hash| !known.contains(hash));
        best
    }

    fn among<'a>(runs: impl Iterator<Item = &'a Run>) -> BestKnown {
        let mut best = BestKnown::default();
        for run in runs {
            let Some((objective, maximise)) = run.found.objective.zip(run.found.maximise) else { continue };
            let better = |old: &Best| is_better(objective, old.objective, maximise);
            if best.entries.get(&run.hash).is_none_or(better) {
                let (instance, by) = (run.instance.clone(), run.strategy.clone());
                let limit = Some(run.conditions.time);
                best.entries.insert(run.hash.clone(), Best { instance, objective, maximise, by, limit });
            }
        }
        best
    }

    /// Writes the file.
    pub fn write(&self) -> Result<()> {
        save(&self.path, self.text().as_bytes())
    }

    /// One line an instance, by name: a change is easy to see.
    fn text(&self) -> String {
        let mut lines: Vec<(&str, String)> = vec![];
        for (hash, best) in &self.entries {
            let value = serde_json::to_string(best).expect("plain numbers and texts");
            lines.push((&best.instance, format!("  \"{hash}\": {value}")));
        }
        lines.sort();
        let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }
}
