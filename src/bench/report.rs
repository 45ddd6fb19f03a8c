//! Everything that is drawn from a folder of runs, and the facts about the measurement that the runs
//! themselves do not say.

use super::best_known::{self, BestKnown};
use super::metrics::{self, Analysis};
use super::runs::{self, Run};
use super::suite::Suite;
use super::{csv, figures, html, tables};
use crate::data::npz::save;
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// What was asked for, kept beside the runs: it gives the tables their order.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Setup {
    /// The suite's name.
    pub suite: String,
    /// What it is for.
    pub about: String,
    /// Labels of the strategies, in order.
    pub strategies: Vec<String>,
    /// Families, in order.
    pub families: Vec<String>,
    /// Those that others are compared with.
    pub baselines: Vec<String>,
    /// How to do it again, one command a line.
    pub command: String,
    /// What was left out, and why.
    pub remarks: Vec<String>,
}

/// The name of its file in the folder.
const SETUP: &str = "suite.json";

impl Setup {
    /// That of a suite.
    pub fn of(suite: &Suite, command: String) -> Setup {
        let mut families: Vec<String> = vec![];
        for instance in &suite.instances {
            if !families.contains(&instance.family) {
                families.push(instance.family.clone());
            }
        }
        Setup {
            suite: suite.name.clone(),
            about: suite.about.clone(),
            strategies: suite.labels(),
            families,
            baselines: suite.baselines.clone(),
            command,
            remarks: suite.remarks.clone(),
        }
    }

    /// What an earlier call with another part of the suite has asked for comes first. `whole` says that this
    /// call asks for all of the suite: nothing else is needed to do it again.
    pub fn after(mut self, mut earlier: Setup, whole: bool) -> Setup {
        if !whole && !earlier.command.is_empty() && !earlier.command.lines().any(|line| line == self.command)
        {
            self.command = format!("{}\n{}", earlier.command, self.command);
        } else if whole {
            earlier.remarks.clear();
        } else if !earlier.command.is_empty() {
            self.command = earlier.command;
        }
        for (own, before) in [
            (&mut self.remarks, earlier.remarks),
            (&mut self.strategies, earlier.strategies),
            (&mut self.families, earlier.families),
            (&mut self.baselines, earlier.baselines),
        ] {
            let new: Vec<String> = own.iter().filter(|name| !before.contains(name)).cloned().collect();
            *own = [before, new].concat();
        }
        self
    }

    /// Reads that of a folder; none if there is none.
    pub fn read(folder: &Path) -> Result<Option<Setup>> {
        let path = folder.join(SETUP);
        if !path.exists() {
            return Ok(None);
        }
        let failed = |why: String| Error::File { path: path.clone(), why };
        let text = std::fs::read_to_string(&path).map_err(|error| failed(error.to_string()))?;
        serde_json::from_str(&text).map(Some).map_err(|error| failed(error.to_string()))
    }

    /// Writes it.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).expect("plain texts");
        save(&folder.join(SETUP), text.as_bytes())
    }
}

/// A folder of runs, evaluated.
pub struct Report {
    /// The folder.
    pub folder: PathBuf,
    /// What was asked for.
    pub setup: Setup,
    /// All runs.
    pub runs: Vec<Run>,
    /// The best known objectives.
    pub known: BestKnown,
    /// What they say.
    pub analysis: Analysis,
}

impl Report {
    /// Reads a folder. The best known objectives are those that were known when it was measured, and
    /// those of `known` where they are better.
    pub fn read(folder: &Path, known: Option<&BestKnown>) -> Result<Report> {
        let runs = runs::read(folder)?;
        let setup = Setup::read(folder)?.unwrap_or_default();
        let mut best = BestKnown::read(&folder.join(best_known::FILE))?;
        if let Some(known) = known {
            best.merge(known, |hash| runs.iter().any(|run| run.hash == *hash));
            best.write()?;
        }
        let analysis = metrics::analyse(&runs, &best, &setup.strategies, &setup.families, &setup.baselines);
        Ok(Report { folder: folder.into(), setup, runs, known: best, analysis })
    }

    /// Writes tables and figures into the folder.
    pub fn write(&self) -> Result<()> {
        let put = |name: &str, text: String| save(&self.folder.join(name), text.as_bytes());
        put("report.md", tables::markdown(self))?;
        put("report.csv", csv::runs(self))?;
        put("summary.csv", csv::summary(self))?;
        let figures = figures::all(self);
        figures.iter().try_for_each(|figure| figure.write(&self.folder))?;
        put("report.html", html::page(self, &figures)?)
    }

    /// The limit of the runs, in seconds.
    pub fn limit(&self) -> f64 {
        self.runs.iter().map(|run| run.conditions.time).fold(0.0, f64::max)
    }

    /// There is more than one seed.
    pub fn has_seeds(&self) -> bool {
        self.runs.iter().any(|run| run.seed != self.runs[0].seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_measurement_is_told() {
        let part = |only: &str| Setup {
            strategies: vec![only.to_string()],
            command: format!("apollo bench s.toml --only {only}"),
            remarks: vec![format!("{only} has no model")],
            ..Setup::default()
        };
        let both = part("b").after(part("a"), false);
        assert_eq!(both.strategies, ["a", "b"]);
        assert_eq!(both.command, "apollo bench s.toml --only a\napollo bench s.toml --only b");
        assert_eq!(both.remarks, ["a has no model", "b has no model"]);
        assert_eq!(part("a").after(both.clone(), false), both, "once is enough");
        let whole = Setup { command: "apollo bench s.toml".to_string(), ..Setup::default() };
        assert_eq!(whole.after(both, true).command, "apollo bench s.toml");
    }
}
