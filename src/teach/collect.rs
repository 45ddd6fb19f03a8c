//! One instance becomes one file of training data: its pool, reduced instances with pools of their
//! own, labels in canonical order.

use super::import;
use super::improve::{Known, Learned, Lesson, teach};
use crate::data::file::{Audit, Instance, Meta, Sample};
use crate::data::pool::{Pool, TEMPERATURE, Teacher, mean_entropy};
use crate::data::symmetry::Symmetry;
use crate::dice::Dice;
use crate::error::{Error, Result};
use crate::measure::{self, Task, Versions};
use crate::problem::{Fixings, Kind, Problem};
use crate::scip::{Milp, read_problem};
use russcip::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What to collect for one instance.
#[derive(Clone, Debug)]
pub struct Order {
    /// The instance.
    pub file: PathBuf,
    /// The folder for the data.
    pub out: PathBuf,
    /// How.
    pub lesson: Lesson,
    /// Where solutions are imported from, for that teacher.
    pub solutions: Option<PathBuf>,
    /// Reduced instances to make of it.
    pub augment: usize,
    /// Seconds for each of them.
    pub augment_seconds: f64,
    /// Go on with an instance that is there already: its solutions are the start.
    pub again: bool,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The file.
    pub path: PathBuf,
    /// The best objective, in the user's sense.
    pub objective: f64,
    /// Solutions in the pool.
    pub solutions: usize,
    /// Reduced instances.
    pub augmented: usize,
    /// The best one is proved to be optimal.
    pub optimal: bool,
    /// Sentences worth telling: solutions that were refused, say.
    pub remarks: Vec<String>,
}

/// The SHA-256 of a file's bytes: how a later run knows that it has seen it.
pub fn source_hash(path: &Path) -> Result<String> {
    let failed = |error: std::io::Error| Error::File { path: path.into(), why: error.to_string() };
    let bytes = std::fs::read(path).map_err(failed)?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The name of an instance: its file's without `.mps.gz` and the like.
pub fn instance_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_string()
}

/// Collects one instance into its file.
pub fn collect(order: &Order) -> Result<Summary> {
    let refuse = |why: String| Error::File { path: order.file.clone(), why };
    let (problem, names) = read(&order.file)?;
    let mut meta = Meta::new(&instance_name(&order.file), &problem);
    let path = order.out.join(meta.file_name());
    let old = path.exists().then(|| Instance::read(&path)).transpose()?;
    let (mut remarks, mut optimal) = (vec![], false);
    let augmented = old.as_ref().map_or(vec![], |old| old.augmented.clone());
    // Going on makes the reduced instances anew, too; those beyond the number asked for stay.
    let missing = if order.again { 0 } else { augmented.len() }..order.augment;
    let pool = match old {
        // What is there stays; only what is missing is added.
        Some(old) if !order.again => {
            meta = old.meta;
            old.pool
        }
        old => {
            let mut known = old.map_or(Ok(vec![]), |old| complete(&problem, &old.pool))?;
            let (good, all) = import_solutions(order, &problem, &names, &mut known, &mut remarks)?;
            if order.lesson.teacher == Teacher::Import && good == 0 {
                return Err(refuse(match all {
                    0 => "there is no .sol file for it".to_string(),
                    _ => format!("none of its .sol files can be used: {}", remarks.join("; ")),
                }));
            }
            let learned =
                teach(&problem, &known, &order.lesson).map_err(|error| refuse(error.to_string()))?;
            let mut pool = learned.pool;
            optimal = learned.optimal;
            meta.raw_entropy = Some(mean_entropy(&pool.targets(TEMPERATURE)));
            let symmetry = Symmetry::of(&problem);
            symmetry.canonical(&problem, &mut pool);
            meta.bound = learned.bound.map(|bound| problem.user_objective(bound));
            meta.seconds = learned.seconds;
            meta.family = family(&meta.name);
            meta.teacher = teachers(&pool);
            meta.symmetry = describe(&symmetry);
            meta.seed = order.lesson.seed;
            meta.scip = Versions::here()?.scip;
            pool
        }
    };
    meta.source = source_hash(&order.file)?;
    remove_leftovers(&path);
    let mut instance = Instance { meta, problem: Some(problem.clone()), pool, augmented };
    // What is found is kept at once: the reduced instances take their time, and each may fail.
    instance.write(&path)?;
    for number in missing {
        let Instance { meta, pool, augmented, .. } = &mut instance;
        match (reduced_instance(&problem, &meta.hash, pool, order, number), augmented.get_mut(number)) {
            (Ok(sample), Some(earlier)) => *earlier = sample,
            (Ok(sample), None) => augmented.push(sample),
            (Err(error), _) => {
                remarks.push(format!("reduced instance {}: {error}", number + 1));
                continue;
            }
        }
        instance.write(&path)?;
    }
    Ok(Summary {
        path,
        objective: problem.user_objective(instance.pool.best().unwrap_or(f64::NAN)),
        solutions: instance.pool.solutions.len(),
        augmented: instance.augmented.len(),
        optimal,
        remarks,
    })
}

/// Removes what killed processes had begun to write of this file. Only of this one: others may be
/// being written right now, by another part of the run in the same folder.
fn remove_leftovers(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let begun = format!("{}.tmp-", name.to_string_lossy());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&begun) {
            let _ = std::fs::remove_file(entry.path()); // it harms nobody but takes room
        }
    }
}

/// The problem of a file and its variables' names; it must be one that can be taught.
fn read(file: &Path) -> Result<(Problem, Vec<String>)> {
    let refuse = |why: &str| Error::File { path: file.into(), why: why.to_string() };
    let model = measure::load(&Task { file: file.into(), ..Task::default() })?;
    let (problem, names) = read_problem(&model)?;
    if model.n_conss() != problem.rows.len() {
        return Err(refuse(
            "has constraints that are not linear: only mixed-integer linear programs can be collected",
        ));
    }
    if problem.binaries().next().is_none() {
        return Err(refuse("has no binary variables: there is nothing to learn"));
    }
    if has_ray(&problem)? {
        return Err(refuse("is unbounded or infeasible: there is no best solution to learn from"));
    }
    Ok((problem, names))
}

/// Whether there is a direction in which one can go on forever and the objective gets ever better. SCIP
/// gives points on the way to infinity as solutions; nobody should learn from them.
fn has_ray(problem: &Problem) -> Result<bool> {
    let endless = |j: usize| match problem.objective[j] {
        cost if cost > 0.0 => problem.lower[j] == f64::NEG_INFINITY,
        cost if cost < 0.0 => problem.upper[j] == f64::INFINITY,
        _ => false,
    };
    if !(0..problem.columns()).any(endless) {
        return Ok(false); // nearly all problems
    }
    // The directions of length up to 1: what is bounded cannot move.
    let part = |bound: &f64, length: f64| if bound.is_finite() { 0.0 } else { length };
    let mut directions = Problem { offset: 0.0, ..problem.clone() };
    directions.kind.fill(Kind::Continuous);
    directions.lower = problem.lower.iter().map(|lower| part(lower, -1.0)).collect();
    directions.upper = problem.upper.iter().map(|upper| part(upper, 1.0)).collect();
    directions.rows.lhs = problem.rows.lhs.iter().map(|lhs| part(lhs, f64::NEG_INFINITY)).collect();
    directions.rows.rhs = problem.rows.rhs.iter().map(|rhs| part(rhs, f64::INFINITY)).collect();
    let milp = Milp::new(&directions)?;
    milp.set("limits/time", "60")?;
    let best = milp.solve().and(milp.solutions())?.into_iter().next();
    Ok(best.is_some_and(|best| best.objective < -1e-6))
}

/// Adds what can be imported to `known`; returns how many of how many files were good.
fn import_solutions(
    order: &Order,
    problem: &Problem,
    names: &[String],
    known: &mut Vec<Known>,
    remarks: &mut Vec<String>,
) -> Result<(usize, usize)> {
    let Some(folder) = &order.solutions else { return Ok((0, 0)) };
    let files = import::files_for(&instance_name(&order.file), folder)?;
    let before = known.len();
    for file in &files {
        match import::read(file, problem, names) {
            Ok(values) => known.push((values, Teacher::Import)),
            Err(error) => remarks.push(error.to_string()),
        }
    }
    Ok((known.len() - before, files.len()))
}

/// All values of the solutions of a pool: SCIP finds the continuous ones again.
pub fn complete(problem: &Problem, pool: &Pool) -> Result<Vec<Known>> {
    let mut whole = vec![];
    for solution in &pool.solutions {
        let mut fixings = Fixings::new();
        fixings.extend(pool.binaries.iter().zip(&solution.binaries).map(|(&j, &x)| (j, f64::from(x))));
        fixings.extend(pool.integers.iter().zip(&solution.integers).map(|(&j, &x)| (j, x as f64)));
        let values = import::best_completion(problem, &fixings)?;
        whole.extend(values.map(|values| (values, solution.teacher)));
    }
    Ok(whole)
}

/// Fixes some variables of the problem as they are in one of the pool's solutions, and collects a pool
/// for what is left.
fn reduced_instance(
    problem: &Problem,
    hash: &str,
    pool: &Pool,
    order: &Order,
    number: usize,
) -> Result<Sample> {
    // With the instance's hash, or all instances of a run would have the same variables fixed.
    let mut dice = Dice::new(&format!("augment {hash}"), order.lesson.seed, number as u64);
    let (least, most) = ALPHA;
    let alpha = dice.between(least, most);
    // Any solution of the pool: the fixings of a search are not always those of the best one either.
    let solution = &pool.solutions[dice.below(pool.solutions.len())];
    let discrete: Vec<(usize, f64)> = pool
        .binaries
        .iter()
        .zip(&solution.binaries)
        .map(|(&j, &x)| (j, f64::from(x)))
        .chain(pool.integers.iter().zip(&solution.integers).map(|(&j, &x)| (j, x as f64)))
        .collect();
    let mut places: Vec<usize> = (0..discrete.len()).collect();
    let chosen = (alpha * discrete.len() as f64) as usize;
    dice.shuffle_front(&mut places, chosen);
    let fixings: Fixings = places[..chosen].iter().map(|&place| discrete[place]).collect();
    let reduced = problem.reduce(&fixings);
    let start: Fixings = discrete.iter().copied().filter(|(j, _)| !fixings.contains_key(j)).collect();
    let column: std::collections::HashMap<usize, usize> =
        reduced.origin.iter().enumerate().map(|(new, &old)| (old, new)).collect();
    let start = start.into_iter().map(|(j, value)| (column[&j], value)).collect();
    let known: Vec<Known> = import::best_completion(&reduced.problem, &start)?
        .into_iter()
        .map(|values| (values, solution.teacher))
        .collect();
    // Somebody has to search: where nothing improves what is known, and where solutions came from files,
    // SCIP does.
    let Lesson { teacher, improve, .. } = order.lesson;
    let lesson = Lesson {
        seconds: order.augment_seconds,
        teacher: if teacher == Teacher::Import { Teacher::Scip } else { teacher },
        teacher_share: match (improve, known.is_empty()) {
            (false, _) => 1.0,
            (true, true) => order.lesson.teacher_share.max(0.1),
            (true, false) => 0.0,
        },
        seed: order.lesson.seed.wrapping_add(1 + number as u64),
        ..order.lesson.clone()
    };
    let Learned { mut pool, .. } = teach(&reduced.problem, &known, &lesson)?;
    Symmetry::of(&reduced.problem).canonical(&reduced.problem, &mut pool);
    Ok(Sample { fixings, pool })
}

/// The share of variables that a reduced instance fixes is drawn from here (the paper's α).
pub const ALPHA: (f64, f64) = (0.3, 0.7);

/// Searches an instance again from nothing, with this lesson, and notes in its file what that found.
/// Returns the best objective known before and the best of both, in the user's sense.
pub fn audit(path: &Path, lesson: &Lesson) -> Result<(f64, f64)> {
    let mut instance = Instance::read(path)?;
    let refuse = |why: String| Error::File { path: path.into(), why };
    let (Some(problem), Some(best)) = (&instance.problem, instance.pool.best()) else {
        return Err(refuse("has no instance in it (stripped): collect it again first".to_string()));
    };
    let learned = teach(problem, &[], lesson).map_err(|error| refuse(error.to_string()))?;
    let longer = learned.pool.best().unwrap_or(f64::INFINITY).min(best);
    let (objective, longer) = (problem.user_objective(best), problem.user_objective(longer));
    instance.meta.audit = Some(Audit { seconds: lesson.seconds, objective: longer });
    instance.write(path)?;
    Ok((objective, longer))
}

/// The family in the name of a generated instance, `ca-small-7-3`.
fn family(name: &str) -> Option<String> {
    let mut parts = name.rsplitn(3, '-');
    let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u64>().is_ok());
    if !is_number(parts.next()) || !is_number(parts.next()) {
        return None; // somebody's own ip-munich-7
    }
    let family = parts.next()?;
    crate::instances::family(family).ok().map(|family| family.name.to_string())
}

/// Who found the solutions, e.g. `neighbourhood 48, scip 2`.
fn teachers(pool: &Pool) -> String {
    let count = |teacher: Teacher| pool.solutions.iter().filter(|s| s.teacher == teacher).count();
    let mut counts: Vec<(usize, &str)> = Teacher::ALL.map(|t| (count(t), t.name())).into();
    counts.retain(|&(count, _)| count > 0);
    counts.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    counts.iter().map(|(count, name)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// The groups in words, e.g. `10 x 108`: ten blocks of 108 columns may be exchanged. Groups that are alike
/// are counted: real problems have thousands.
fn describe(symmetry: &Symmetry) -> String {
    let mut shapes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for group in &symmetry.groups {
        *shapes.entry((group.blocks.len(), group.blocks.first().map_or(0, Vec::len))).or_default() += 1;
    }
    let text = |((blocks, columns), times): (&(usize, usize), &usize)| match times {
        1 => format!("{blocks} x {columns}"),
        _ => format!("{blocks} x {columns} ({times} groups)"),
    };
    let shapes: Vec<String> = shapes.iter().rev().map(text).collect();
    if shapes.is_empty() { "none".to_string() } else { shapes.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::symmetry::Blocks;

    #[test]
    fn groups_that_are_alike_are_counted() {
        let group = |sizes: &[usize]| Blocks { blocks: sizes.iter().map(|&size| vec![0; size]).collect() };
        let words = |groups: Vec<Blocks>| describe(&Symmetry { groups });
        assert_eq!(words(vec![]), "none");
        assert_eq!(words(vec![group(&[108; 10])]), "10 x 108");
        assert_eq!(words(vec![group(&[1; 2]), group(&[1; 3]), group(&[1; 2])]), "3 x 1, 2 x 1 (2 groups)");
    }

    #[test]
    fn only_generated_names_have_a_family() {
        assert_eq!(family("ca-small-7-3").as_deref(), Some("ca-small"));
        assert_eq!(family("ip-0-12").as_deref(), Some("ip"));
        for own in ["ip-munich-7", "ip-7", "ip", "berlin-7-3"] {
            assert_eq!(family(own), None, "{own}");
        }
    }
}
