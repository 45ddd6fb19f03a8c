//! What can be said about a folder of training data: how much there is, and how good the labels are.

use super::file::{self, Instance, Meta};
use super::pool::{TEMPERATURE, Teacher, mean_entropy};
use super::relaxations;
use crate::error::{Error, Result};
use crate::plot::Bars;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What one file says.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Its folder and its family: what it is counted with.
    pub group: String,
    /// Its size on the disk.
    pub bytes: u64,
    /// What it says about itself.
    pub meta: Meta,
    /// How many solutions each pool has: its own, then those of its augmented instances.
    pub pools: Vec<usize>,
    /// Its binaries.
    pub binaries: usize,
    /// How much worse the middle and the last solution of its own pool are than the best, as a share
    /// of the best.
    pub spread: Option<(f64, f64)>,
    /// How far the best solution is from the bound, as a share of the best.
    pub bound_gap: Option<f64>,
    /// How much worse the best solution is than what a much longer search found, as a share of that.
    pub audit_gap: Option<f64>,
    /// Mean entropy of its targets, in nats.
    pub entropy: Option<f64>,
    /// Share of ones in its solutions.
    pub ones: Option<f64>,
    /// How many of its solutions are each teacher's.
    pub teachers: [usize; Teacher::ALL.len()],
}

/// What the files of a folder say.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// One for each file that can be read.
    pub facts: Vec<Facts>,
    /// One for each that cannot.
    pub bad: Vec<Error>,
    /// How many files there are of each version of the format.
    pub formats: BTreeMap<u32, usize>,
}

/// All `.npz` files of a folder and its folders, relative to it, in order, but for those of LP
/// [`relaxations`]. None is an error.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut found, mut seen) = (vec![], BTreeSet::new());
    walk(folder, Path::new(""), &mut seen, &mut found)?;
    found.sort();
    if found.is_empty() {
        let why = "has no .npz file in it: `apollo collect` makes them".into();
        return Err(Error::File { path: folder.into(), why });
    }
    Ok(found)
}

/// `seen` are the folders that were visited, so that links in a circle end.
fn walk(root: &Path, inside: &Path, seen: &mut BTreeSet<PathBuf>, found: &mut Vec<PathBuf>) -> Result<()> {
    let folder = if inside == Path::new("") { root.into() } else { root.join(inside) };
    let failed = |error: std::io::Error| Error::File {
        path: folder.clone(),
        why: format!("cannot be read ({error}): name a folder of training data"),
    };
    if !seen.insert(folder.canonicalize().map_err(failed)?) {
        return Ok(());
    }
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let name = inside.join(entry.map_err(failed)?.file_name());
        let path = root.join(&name);
        if path.is_dir() {
            if name.file_name().is_some_and(|name| name == relaxations::FOLDER) {
                continue;
            }
            walk(root, &name, seen, found)?;
        } else if path.extension().is_some_and(|ending| ending == "npz") {
            found.push(name);
        }
    }
    Ok(())
}

/// Reads a whole folder, one file at a time.
pub fn survey(folder: &Path) -> Result<Survey> {
    let mut survey = Survey::default();
    for name in files(folder)? {
        let path = folder.join(&name);
        if let Ok(format) = file::format(&path) {
            *survey.formats.entry(format).or_default() += 1;
        }
        match Instance::read(&path) {
            Ok(instance) => {
                let bytes = fs::metadata(&path).map_or(0, |file| file.len());
                survey.facts.push(Facts::new(name.parent(), bytes, &instance));
            }
            Err(error) => survey.bad.push(error),
        }
    }
    Ok(survey)
}

impl Facts {
    /// The facts of one instance.
    pub fn new(folder: Option<&Path>, bytes: u64, instance: &Instance) -> Facts {
        let Instance { meta, pool, augmented, .. } = instance;
        let folder = folder.map(|folder| folder.display().to_string()).filter(|folder| !folder.is_empty());
        let group = match (folder, &meta.family) {
            (Some(folder), Some(family)) => format!("{folder} ({family})"),
            (Some(one), None) => one,
            (None, Some(one)) => one.clone(),
            (None, None) => "no family".into(),
        };
        let minimised = |objective: f64| if meta.maximise { -objective } else { objective };
        let share = |difference: f64, of: f64| difference / of.abs().max(1e-9);
        let solutions = &pool.solutions;
        let values = solutions.len() * pool.binaries.len();
        let ones: usize = solutions.iter().flat_map(|one| &one.binaries).map(|&value| value as usize).sum();
        let worse = |best: f64, k: usize| share(solutions[k].objective - best, best);
        Facts {
            group,
            bytes,
            meta: meta.clone(),
            pools: std::iter::once(pool)
                .chain(augmented.iter().map(|sample| &sample.pool))
                .map(|pool| pool.solutions.len())
                .collect(),
            binaries: pool.binaries.len(),
            spread: pool
                .best()
                .map(|best| (worse(best, solutions.len() / 2), worse(best, solutions.len() - 1))),
            bound_gap: pool.best().zip(meta.bound).map(|(best, bound)| share(best - minimised(bound), best)),
            audit_gap: pool
                .best()
                .zip(meta.audit)
                .map(|(best, audit)| share(best - minimised(audit.objective), audit.objective)),
            entropy: (values > 0).then(|| mean_entropy(&pool.targets(TEMPERATURE))),
            ones: (values > 0).then(|| ones as f64 / values as f64),
            teachers: Teacher::ALL
                .map(|teacher| solutions.iter().filter(|one| one.teacher == teacher).count()),
        }
    }
}

/// A line of the table: its name, and what it says about some files.
type Line = (&'static str, fn(&[&Facts]) -> String);

const LINES: [Line; 19] = [
    ("instances", |all| all.len().to_string()),
    ("augmented instances", |all| all.iter().map(|one| one.pools.len() - 1).sum::<usize>().to_string()),
    ("solutions a pool", |all| {
        let sizes = || all.iter().flat_map(|one| one.pools.iter().copied());
        let mean = mean(sizes().map(|size| Some(size as f64))).unwrap_or(0.0);
        format!("{} / {mean:.1} / {}", sizes().min().unwrap_or(0), sizes().max().unwrap_or(0))
    }),
    ("size in all", |all| size(all.iter().map(|one| one.bytes).sum::<u64>() as f64)),
    ("size of a file", |all| size(mean(all.iter().map(|one| Some(one.bytes as f64))).unwrap_or(0.0))),
    ("columns", |all| count(all, |one| one.meta.columns)),
    ("rows", |all| count(all, |one| one.meta.rows)),
    ("nonzeros", |all| count(all, |one| one.meta.nonzeros)),
    ("binaries", |all| count(all, |one| one.binaries)),
    ("worst from best", |all| percent(all, |one| one.spread.map(|spread| spread.1))),
    ("best from bound", |all| percent(all, |one| one.bound_gap)),
    ("best from audit", |all| percent(all, |one| one.audit_gap)),
    ("entropy of a target", |all| match mean(all.iter().map(|one| one.entropy)) {
        Some(nats) => format!("{nats:.4} nats"),
        None => "-".into(),
    }),
    ("… of the most possible", |all| {
        percent(all, |one| one.entropy.map(|nats| nats / std::f64::consts::LN_2))
    }),
    ("ones in solutions", |all| percent(all, |one| one.ones)),
    ("by scip", |all| taught(all, Teacher::Scip)),
    ("by apollo", |all| taught(all, Teacher::Apollo)),
    ("by import", |all| taught(all, Teacher::Import)),
    ("by neighbourhood", |all| taught(all, Teacher::Neighbourhood)),
];

impl Survey {
    /// The facts of each group, by its name.
    fn groups(&self) -> BTreeMap<&str, Vec<&Facts>> {
        let mut groups: BTreeMap<&str, Vec<&Facts>> = BTreeMap::new();
        for facts in &self.facts {
            groups.entry(&facts.group).or_default().push(facts);
        }
        groups
    }

    /// The table: one column for each group. Means are over instances.
    pub fn table(&self) -> String {
        let groups = self.groups();
        let mut rows = vec![(String::new(), groups.keys().map(|name| name.to_string()).collect::<Vec<_>>())];
        rows.extend(
            LINES
                .iter()
                .map(|(name, line)| (name.to_string(), groups.values().map(|all| line(all)).collect())),
        );
        let length = |text: &String| text.chars().count();
        let widths: Vec<usize> = (0..groups.len())
            .map(|k| rows.iter().map(|(_, cells)| length(&cells[k])).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        for (name, cells) in &rows {
            let cells: String =
                cells.iter().zip(&widths).map(|(cell, &width)| format!("  {cell:>width$}")).collect();
            let _ = writeln!(text, "{name:<22}{cells}"); // into a String: cannot fail
        }
        for (name, all) in &groups {
            let mut symmetries: BTreeMap<&str, usize> = BTreeMap::new();
            for facts in all.iter().filter(|facts| !facts.meta.symmetry.is_empty()) {
                *symmetries.entry(&facts.meta.symmetry).or_default() += 1;
            }
            for (symmetry, times) in symmetries {
                let _ = writeln!(text, "symmetry of {name}: {symmetry} ({times} of {})", all.len());
            }
        }
        if self.formats.len() > 1 {
            let formats: Vec<String> = self
                .formats
                .iter()
                .map(|(format, files)| format!("format {format} ({files} files)"))
                .collect();
            let _ = writeln!(text, "several versions in one folder: {}", formats.join(", "));
        }
        text
    }

    /// The spread of every pool, in percent of its best objective, sorted, for the plot.
    pub fn bars(&self) -> Vec<Bars> {
        let groups = self.groups().into_iter();
        groups
            .map(|(name, all)| {
                let spreads = all.iter().filter_map(|facts| facts.spread);
                let mut heights: Vec<(f64, f64)> =
                    spreads.map(|(mid, top)| (100.0 * mid, 100.0 * top)).collect();
                heights.sort_by(|a, b| a.1.total_cmp(&b.1));
                Bars { name: name.to_string(), heights }
            })
            .collect()
    }
}

/// The mean of those that are there.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (sum, count) = values.flatten().fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

fn percent(all: &[&Facts], of: fn(&Facts) -> Option<f64>) -> String {
    mean(all.iter().map(|one| of(one))).map_or("-".into(), |share| format!("{:.2} %", 100.0 * share))
}

fn count(all: &[&Facts], of: fn(&Facts) -> usize) -> String {
    mean(all.iter().map(|one| Some(of(one) as f64))).map_or("-".into(), |mean| format!("{mean:.0}"))
}

fn taught(all: &[&Facts], teacher: Teacher) -> String {
    let own: usize = all.iter().map(|one| one.teachers[teacher as usize]).sum();
    let solutions: usize = all.iter().map(|one| one.teachers.iter().sum::<usize>()).sum();
    format!("{:.1} %", 100.0 * own as f64 / solutions.max(1) as f64)
}

fn size(bytes: f64) -> String {
    match bytes {
        _ if bytes < 1e3 => format!("{bytes:.0} B"),
        _ if bytes < 1e6 => format!("{:.1} kB", bytes / 1e3),
        _ if bytes < 1e9 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.2} GB", bytes / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::file::Audit;
    use crate::data::pool::Pool;
    use crate::problem::{Kind, Problem};

    /// Two binaries, maximised; the solutions are worth 10 and 8.
    fn instance() -> Instance {
        let mut problem = Problem { maximise: true, ..Problem::default() };
        problem.add_column(-8.0, 0.0, 1.0, Kind::Binary);
        problem.add_column(-2.0, 0.0, 1.0, Kind::Binary);
        let mut pool = Pool::new(&problem, 9);
        pool.insert(&[1.0, 1.0], -10.0, 0.0, Teacher::Scip);
        pool.insert(&[1.0, 0.0], -8.0, 0.0, Teacher::Import);
        let mut meta = Meta::new("x", &problem);
        meta.family = Some("toy".into());
        meta.bound = Some(11.0);
        meta.audit = Some(Audit { seconds: 1.0, objective: 12.5 });
        meta.symmetry = "2 equal columns".into();
        Instance { meta, problem: Some(problem), pool, augmented: vec![] }
    }

    #[test]
    fn gaps_are_positive_when_the_labels_are_worse_whatever_the_sense() {
        let facts = Facts::new(Some(Path::new("train")), 7, &instance());
        assert_eq!(facts.group, "train (toy)");
        assert_eq!(facts.spread, Some((0.2, 0.2)));
        assert!((facts.bound_gap.unwrap() - 0.1).abs() < 1e-12);
        assert!((facts.audit_gap.unwrap() - 0.2).abs() < 1e-12);
        assert_eq!(facts.ones, Some(0.75));
        assert_eq!(facts.teachers, [1, 0, 1, 0]);
    }

    #[test]
    fn a_pool_without_solutions_counts_and_says_nothing() {
        let mut empty = instance();
        empty.pool.solutions.clear();
        let facts = vec![Facts::new(None, 7, &empty)];
        let survey = Survey { facts, ..Survey::default() };
        let table = survey.table();
        assert!(table.contains("0 / 0.0 / 0") && !table.contains("NaN"), "{table}");
        assert!(survey.bars()[0].heights.is_empty());
    }

    #[test]
    fn the_table_has_a_column_for_each_group_and_names_symmetries_and_versions() {
        let at = |folder: &'static str| Facts::new(Some(Path::new(folder)), 1500, &instance());
        let survey = Survey {
            facts: vec![at("train"), at("train"), at("valid")],
            formats: BTreeMap::from([(1, 3), (2, 1)]),
            ..Survey::default()
        };
        let table = survey.table();
        for part in [
            "train (toy)",
            "valid (toy)",
            "20.00 %",
            "3.0 kB",
            "symmetry of train (toy): 2 equal columns (2 of 2)",
            "format 1 (3 files), format 2 (1 files)",
        ] {
            assert!(table.contains(part), "{part} is missing:\n{table}");
        }
    }
}
