//! The data that training learns from, in memory, and what it is checked with.
//!
//! Instances are kept as they are in the files; the graph of an example is made when it is its turn.
//! That costs a few percent of a step and saves most of the memory: all graphs of SC would be 4 GB.

use super::Order;
use super::parallel::side_by_side;
use crate::bits::Interval;
use crate::data::example::{self, Example};
use crate::data::file::Instance;
use crate::data::info::{self, Facts};
use crate::data::pool::{BitTargets, Pool, Teacher};
use crate::data::relaxations;
use crate::dice::Dice;
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::graph::Features;
use crate::relaxation::Relaxed;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The most bits of a general integer that are predicted where nothing else is said: what has more
/// values is hardly learned.
const MOST_BITS: usize = 8;

/// The share of the instances that validates where nothing else is said.
const VALIDATION: f64 = 0.2;

/// Where an example is: which instance, and which of its examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The instance.
    pub instance: usize,
    /// 0 for the instance itself, then its augmented ones.
    pub number: usize,
    /// About how much work it is: edges and nodes of its graph.
    pub size: usize,
}

/// The data.
pub struct Set {
    instances: Vec<Instance>,
    files: Vec<PathBuf>,
    /// What the network sees.
    pub features: Features,
    /// The LP relaxations of the examples of each instance, if it sees those.
    relaxed: Vec<Vec<Option<Relaxed>>>,
    /// Bits of general integers that the network predicts; 0 for none.
    pub bits: usize,
    /// What is learned from.
    pub train: Vec<Place>,
    /// What is never learned from.
    pub valid: Vec<Place>,
    /// What can be said about it.
    pub about: About,
}

/// What can be said about the data.
#[derive(Clone, Debug)]
pub struct About {
    /// The family of all instances; empty if they have none.
    pub family: String,
    /// SHA-256 over the instances and their solutions.
    pub hash: String,
    /// Instances to learn from, and to validate with.
    pub instances: [usize; 2],
    /// Their augmented instances.
    pub augmented: [usize; 2],
    /// Mean number of solutions in a pool.
    pub solutions: f64,
    /// Mean share of ones among the targets of the training examples.
    pub ones: f64,
    /// How many labels were compared with much longer searches, and the mean gap to them as a share.
    pub audit: Option<(usize, f64)>,
    /// The fewest binaries of an instance.
    pub binaries: usize,
    /// What the training instances have in common.
    pub fingerprint: Fingerprint,
    /// Who found the solutions of the instances, and how many, in words.
    pub teachers: String,
    /// The versions of this crate and of SCIP that collected.
    pub versions: Vec<String>,
}

/// Which files are which.
struct Files {
    train: Vec<PathBuf>,
    valid: Vec<PathBuf>,
}

/// All data files of a folder.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(info::files(folder)?.into_iter().map(|name| folder.join(name)).collect())
}

impl Files {
    /// A folder with the folders `train` and `valid` in it says itself what is which.
    fn find(order: &Order) -> Result<Files> {
        let (mut train, mut valid) = (vec![], vec![]);
        for folder in &order.data {
            let [learn, check] = ["train", "valid"].map(|name| folder.join(name));
            if order.valid.is_none() && learn.is_dir() && check.is_dir() {
                train.extend(files_of(&learn)?);
                valid.extend(files_of(&check)?);
            } else {
                train.extend(files_of(folder)?);
            }
        }
        if let Some(folder) = &order.valid {
            valid.extend(files_of(folder)?);
        }
        Ok(Files { train, valid })
    }
}

impl Set {
    /// Reads the data; none if it was stopped.
    pub fn read(order: &Order, stop: &AtomicBool) -> Result<Option<Set>> {
        let Files { train, valid } = Files::find(order)?;
        let known = train.len();
        let files: Vec<PathBuf> = train.into_iter().chain(valid).collect();
        let read = |k: usize| Instance::read(&files[k]).and_then(|instance| fit(instance, &files[k]));
        let Some(instances) = side_by_side(order.threads, &vec![1; files.len()], stop, read) else {
            return Ok(None);
        };
        let instances: Vec<Instance> = instances.into_iter().collect::<Result<_>>()?;
        Set::new(order, instances, files, known).map(Some)
    }

    /// The first `known` instances are those to learn from.
    fn new(order: &Order, instances: Vec<Instance>, files: Vec<PathBuf>, known: usize) -> Result<Set> {
        let failed = |k: usize, why: String| Err(Error::File { path: files[k].clone(), why });
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (k, instance) in instances.iter().enumerate() {
            if let Some(twin) = seen.insert(&instance.meta.hash, k) {
                let twin = files[twin].display();
                return failed(
                    k,
                    format!(
                        "is the same instance as {twin}: name each once, or it would be learned and validated with"
                    ),
                );
            }
        }
        let family = family(order, &instances, &files)?;
        // By hash, so that neither names nor folders decide.
        let sorted: Vec<usize> = seen.into_values().collect();
        let validates: Vec<bool> = if known < instances.len() {
            (0..instances.len()).map(|k| k >= known).collect()
        } else if instances.len() < 2 {
            return failed(0, "is the only instance: collect more, or name others with --valid".into());
        } else {
            let count = ((VALIDATION * instances.len() as f64).round() as usize).max(1);
            let mut validates = vec![false; instances.len()];
            let mut chosen = sorted.clone();
            Dice::new("apollo train: validation", order.options.seed, 0).shuffle_front(&mut chosen, count);
            chosen[..count].iter().for_each(|&k| validates[k] = true);
            validates
        };
        let (mut train, mut valid) = (vec![], vec![]);
        for &k in &sorted {
            let side = if validates[k] { &mut valid } else { &mut train };
            side.extend(places(k, &instances[k], order.options.augmented));
        }
        for (side, what) in [(&train, "to learn from"), (&valid, "to validate with")] {
            if side.is_empty() {
                let which = (0..instances.len()).find(|&k| validates[k] == (what != "to learn from"));
                let why = format!(
                    "and the others have no example {what}: a problem with binary variables and at least one solution is wanted"
                );
                return failed(which.unwrap_or(0), why);
            }
        }
        let about = about(order, &instances, &sorted, &validates, family, &train);
        let features = order.options.config.features;
        let bits = bits(order, &instances)?;
        Ok(Set { instances, files, features, relaxed: vec![], bits, train, valid, about })
    }

    /// What is wanted of the bits of an example's general integers.
    pub fn bit_targets(&self, example: &Example<'_>, temperature: f64) -> BitTargets {
        example.pool.bit_targets(&example.reduced.problem, self.bits, temperature)
    }

    /// For each bit, most significant first, the mean of its targets in the training examples; of the
    /// instances and of one augmented one each, which is enough to know. ½ for one without targets.
    pub fn bit_shares(&self, temperature: f64) -> Vec<f64> {
        let (mut sums, mut counts) = (vec![0.0; self.bits], vec![0.0; self.bits]);
        for place in self.train.iter().filter(|place| place.number <= 1 && self.bits > 0) {
            let BitTargets { places, targets } = self.bit_targets(&self.example(*place), temperature);
            for (place, target) in places.iter().zip(targets) {
                sums[place % self.bits] += target;
                counts[place % self.bits] += 1.0;
            }
        }
        let share = |(sum, count): (f64, f64)| if count > 0.0 { sum / count } else { 0.5 };
        sums.into_iter().zip(counts).map(share).collect()
    }

    /// Gets the LP relaxations that the network sees: those that are not kept yet are solved. `tell`
    /// hears of how many instances they are there. False if it was stopped.
    pub fn relax(&mut self, threads: usize, stop: &AtomicBool, mut tell: impl FnMut(usize)) -> Result<bool> {
        let stopped = || stop.load(Ordering::SeqCst);
        while self.features.has_relaxation() && self.relaxed.len() < self.instances.len() {
            let first = self.relaxed.len();
            let sizes = vec![1; (4 * threads).min(self.instances.len() - first)];
            let relax = |k: usize| {
                relaxations::load_or_solve(&self.instances[first + k], &self.files[first + k], stopped)
            };
            let Some(some) = side_by_side(threads, &sizes, stop, relax).filter(|_| !stopped()) else {
                return Ok(false);
            };
            self.relaxed.extend(some.into_iter().collect::<Result<Vec<_>>>()?);
            tell(self.relaxed.len());
        }
        Ok(true)
    }

    /// The example at a place.
    pub fn example(&self, place: Place) -> Example<'_> {
        example::nth(&self.instances[place.instance], place.number).expect("the place of an example")
    }

    /// Its LP relaxation, if the network sees it and it has one.
    pub fn relaxed(&self, place: Place) -> Option<&Relaxed> {
        self.relaxed.get(place.instance)?.get(place.number)?.as_ref()
    }

    /// The pool of the example at a place.
    pub fn pool(&self, place: Place) -> &Pool {
        pool(&self.instances, place)
    }

    /// The instance of a place by its numbers, whatever its file is called.
    pub fn hash(&self, place: Place) -> &str {
        &self.instances[place.instance].meta.hash
    }

    /// The file that the example at a place is in.
    pub fn file(&self, place: Place) -> &Path {
        &self.files[place.instance]
    }
}

fn pool(instances: &[Instance], place: Place) -> &Pool {
    let instance = &instances[place.instance];
    place.number.checked_sub(1).map_or(&instance.pool, |k| &instance.augmented[k].pool)
}

/// An instance that can be learned from, or why it cannot.
fn fit(instance: Instance, path: &Path) -> Result<Instance> {
    let refused = |why: &str| Err(Error::File { path: path.into(), why: why.into() });
    if instance.problem.is_none() {
        return refused("is stripped of its problem: train with the file that still has it");
    }
    if instance.pool.binaries.is_empty() {
        return refused("has no binary variables: there is nothing to predict");
    }
    Ok(instance)
}

/// The one family of all.
fn family(order: &Order, instances: &[Instance], files: &[PathBuf]) -> Result<String> {
    if let Some(family) = &order.family {
        return Ok(family.clone());
    }
    let first = &instances[0].meta.family;
    let name = |family: &Option<String>| family.clone().unwrap_or_else(|| "none".into());
    match instances.iter().position(|instance| instance.meta.family != *first) {
        None => Ok(first.clone().unwrap_or_default()),
        Some(other) => {
            let (own, its) = (name(first), name(&instances[other].meta.family));
            let why = format!(
                "is of the family {its}, and {} of the family {own}: train each family by itself, or name what they are together with --family",
                files[0].display()
            );
            Err(Error::File { path: files[other].clone(), why })
        }
    }
}

/// How many bits the general integers of the data have, or how many the user wants.
fn bits(order: &Order, instances: &[Instance]) -> Result<usize> {
    let of = |instance: &Instance| -> Vec<usize> {
        let Some(problem) = &instance.problem else { return vec![] };
        let bounds = |&j: &usize| Interval::of(problem.lower[j], problem.upper[j]);
        instance.pool.integers.iter().filter_map(bounds).map(Interval::bits).collect()
    };
    let most = order.bits.unwrap_or(MOST_BITS);
    let fitting = instances.iter().flat_map(of).filter(|&bits| bits <= most).max();
    match order.bits {
        Some(wanted) if wanted > 0 && fitting.is_none() => Err(Error::Network(format!(
            "bits: the data has no general integer with finite bounds and at most {wanted} bits: leave --bits out"
        ))),
        Some(wanted) => Ok(wanted),
        None => Ok(fitting.unwrap_or(0)),
    }
}

/// The examples of an instance that have something to learn in them.
fn places(k: usize, instance: &Instance, augmented: bool) -> Vec<Place> {
    let columns = instance.meta.columns.max(1);
    let whole = instance.meta.nonzeros + instance.meta.rows + columns;
    let pools = std::iter::once((&instance.pool, 0)).chain(
        instance.augmented.iter().filter(|_| augmented).map(|sample| (&sample.pool, sample.fixings.len())),
    );
    let usable =
        pools.enumerate().filter(|(_, (pool, _))| !pool.solutions.is_empty() && !pool.binaries.is_empty());
    let place = |(number, (_, fixed)): (usize, (_, usize))| Place {
        instance: k,
        number,
        size: whole - whole / columns * fixed.min(columns),
    };
    usable.map(place).collect()
}

fn about(
    order: &Order,
    instances: &[Instance],
    sorted: &[usize],
    validates: &[bool],
    family: String,
    train: &[Place],
) -> About {
    let mut digest = Sha256::new();
    let mut fingerprint = Fingerprint::default();
    let (mut counts, mut augmented) = ([0; 2], [0; 2]);
    let (mut pools, mut solutions) = (0, 0);
    let (mut audits, mut gaps) = (0, 0.0);
    let mut taught = [0; Teacher::ALL.len()];
    let mut versions: Vec<String> = vec![];
    for &k in sorted {
        let instance = &instances[k];
        let side = validates[k] as usize;
        counts[side] += 1;
        augmented[side] += instance.augmented.len();
        digest.update(instance.meta.hash.as_bytes());
        digest.update([side as u8]);
        for pool in std::iter::once(&instance.pool).chain(instance.augmented.iter().map(|one| &one.pool)) {
            pools += 1;
            solutions += pool.solutions.len();
            for solution in &pool.solutions {
                digest.update(solution.objective.to_le_bytes());
                digest.update(&solution.binaries);
                solution.integers.iter().for_each(|value| digest.update(value.to_le_bytes()));
            }
        }
        if let (0, Some(problem)) = (side, &instance.problem) {
            fingerprint.add(&Fingerprint::of(problem));
        }
        let facts = Facts::new(None, 0, instance);
        if let Some(gap) = facts.audit_gap {
            (audits, gaps) = (audits + 1, gaps + gap);
        }
        taught.iter_mut().zip(facts.teachers).for_each(|(sum, more)| *sum += more);
        let version = format!("{} / {}", instance.meta.apollo, instance.meta.scip);
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    let share = |place: &Place| {
        let targets = pool(instances, *place).targets(order.options.temperature);
        targets.iter().sum::<f64>() / targets.len() as f64
    };
    let teachers = Teacher::ALL.into_iter().zip(taught).filter(|(_, count)| *count > 0);
    let teachers: Vec<String> = teachers.map(|(who, count)| format!("{} {count}", who.name())).collect();
    versions.sort();
    About {
        family,
        hash: digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
        instances: counts,
        augmented,
        solutions: solutions as f64 / pools as f64,
        ones: train.iter().map(share).sum::<f64>() / train.len() as f64,
        audit: (audits > 0).then(|| (audits, gaps / audits as f64)),
        binaries: instances.iter().map(|instance| instance.pool.binaries.len()).min().unwrap_or(0),
        fingerprint,
        teachers: teachers.join(", "),
        versions,
    }
}
