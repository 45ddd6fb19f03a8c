//! Predictors examined on training data: what each of them says about the binaries of an instance, and
//! how far that is from its pool. `apollo eval` is this for a folder; docs/EVALUATION.md explains the
//! numbers.
//!
//! [`examine`] measures one instance, [`report`] makes means of many, [`table`] and [`plots`] show them.

pub mod plots;
pub mod report;
pub mod table;

use crate::data::example::{Example, examples};
use crate::data::file::Instance;
use crate::data::pool::{Pool, TEMPERATURE};
use crate::data::relaxations;
use crate::error::{Error, Result};
use crate::onnx::Onnx;
use crate::prediction::Prediction;
use crate::quality::Quality;
use crate::relaxation::Relaxed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Who predicts.
pub enum Candidate {
    /// A model file: the plugin's own predictor.
    Model(Box<Onnx<'static>>),
    /// The relaxation predictor, the one without training.
    Relaxation,
    /// The same probability for every binary: the mean target of the problem, the best that can be said
    /// without a difference between binaries.
    Constant,
    /// The other solutions of the pool about its best one: what is left to say when good solutions are
    /// known.
    Pool,
}

/// The words for those that are no model file.
pub const REFERENCES: [&str; 3] = ["relaxation", "constant", "pool"];

impl Candidate {
    fn needs_relaxation(&self) -> bool {
        match self {
            Candidate::Model(onnx) => onnx.features().has_relaxation(),
            Candidate::Relaxation => true,
            Candidate::Constant | Candidate::Pool => false,
        }
    }

    /// The one of [`REFERENCES`] with this name.
    pub fn reference(word: &str) -> Option<Candidate> {
        match word {
            "relaxation" => Some(Candidate::Relaxation),
            "constant" => Some(Candidate::Constant),
            "pool" => Some(Candidate::Pool),
            _ => None,
        }
    }
}

/// A predictor and what it is called in the report.
pub struct Named {
    /// The name.
    pub name: String,
    /// The predictor.
    pub candidate: Candidate,
}

/// What was measured on one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the instance.
    pub name: String,
    /// Its hash.
    pub hash: String,
    /// Its family.
    pub family: Option<String>,
    /// The instance itself, then its augmented ones.
    pub examples: Vec<Examined>,
}

/// What was measured on one example.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Examined {
    /// The share of the integer variables that is fixed: 0 for the instance itself.
    pub alpha: f64,
    /// Its binaries.
    pub binaries: usize,
    /// How many of them are 1 in the best solution.
    pub ones: usize,
    /// Solutions in its pool.
    pub solutions: usize,
    /// How good each predictor is.
    pub quality: BTreeMap<String, Quality>,
    /// Why those that are missing there gave no answer.
    pub missing: BTreeMap<String, String>,
}

/// Examines the predictors on an instance and on its augmented ones; those without binaries or without
/// solutions say nothing and are left out. `path` is the instance's file: the LP relaxations, if
/// anybody needs them, are kept beside it.
pub fn examine(instance: &Instance, path: &Path, predictors: &mut [Named]) -> Result<Record> {
    let refuse = |why: &str| Err(Error::Lesson(format!("{}: {why}", instance.meta.name)));
    if instance.problem.is_none() {
        return refuse("has no problem in it (stripped): evaluate the file that still has it");
    }
    let mut relaxed = vec![];
    if predictors.iter().any(|named| named.candidate.needs_relaxation()) {
        relaxed = relaxations::load_or_solve(instance, path, || false)?;
    }
    let mut examined = vec![];
    for (k, example) in examples(instance).enumerate() {
        if !example.pool.binaries.is_empty() && !example.pool.solutions.is_empty() {
            let relaxed = relaxed.get(k).and_then(Option::as_ref);
            examined.push(examine_example(&example, relaxed, predictors)?);
        }
    }
    if examined.is_empty() {
        return refuse("has no binaries with solutions: there is nothing to compare a prediction with");
    }
    let meta = &instance.meta;
    let (name, hash) = (meta.name.clone(), meta.hash.clone());
    Ok(Record { name, hash, family: meta.family.clone(), examples: examined })
}

fn examine_example(
    example: &Example<'_>,
    relaxed: Option<&Relaxed>,
    predictors: &mut [Named],
) -> Result<Examined> {
    let pool = example.pool;
    let targets = pool.targets(TEMPERATURE);
    let solutions: Vec<&[u8]> = pool.solutions.iter().map(|one| &one.binaries[..]).collect();
    let (mut quality, mut missing) = (BTreeMap::new(), BTreeMap::new());
    for Named { name, candidate } in predictors {
        match measure(candidate, example, relaxed, &targets, &solutions) {
            Ok(measured) => {
                quality.insert(name.clone(), measured);
            }
            Err(error) => {
                missing.insert(name.clone(), error.to_string());
            }
        }
    }
    Ok(Examined {
        alpha: example.alpha,
        binaries: pool.binaries.len(),
        ones: solutions[0].iter().filter(|&&value| value == 1).count(),
        solutions: solutions.len(),
        quality,
        missing,
    })
}

fn measure(
    candidate: &Candidate,
    example: &Example<'_>,
    relaxed: Option<&Relaxed>,
    targets: &[f64],
    solutions: &[&[u8]],
) -> Result<Quality> {
    let Example { reduced, pool, .. } = example;
    let of_binaries = |probability: Vec<f64>| -> Result<Vec<f64>> {
        let prediction = Prediction::new(probability).checked(reduced)?;
        Ok(pool.binaries.iter().map(|&j| prediction.probability[j]).collect())
    };
    let probability = match candidate {
        Candidate::Pool => return the_pool_itself(pool, targets),
        Candidate::Constant => vec![targets.iter().sum::<f64>() / targets.len() as f64; targets.len()],
        Candidate::Relaxation => {
            let none = || Error::Prediction("the LP relaxation has no optimum".to_string());
            of_binaries(relaxed.ok_or_else(none)?.probability.clone())?
        }
        Candidate::Model(onnx) => of_binaries(onnx.probabilities(&reduced.problem, relaxed)?)?,
    };
    Ok(Quality::new(&probability, targets, solutions))
}

/// The pool without its best solution predicts that one. The loss is the least there is: that of the
/// targets themselves.
fn the_pool_itself(pool: &Pool, targets: &[f64]) -> Result<Quality> {
    let mut others = pool.clone();
    let best = others.solutions.remove(0);
    if others.solutions.is_empty() {
        return Err(Error::Prediction("the pool has only one solution".to_string()));
    }
    let measured = Quality::new(&others.targets(TEMPERATURE), targets, &[&best.binaries]);
    Ok(Quality { loss: crate::quality::cross_entropy(targets, targets), ..measured })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::file::{Meta, Sample};
    use crate::data::pool::Teacher;
    use crate::problem::{Fixings, Kind, Problem};
    use crate::quality::cross_entropy;

    /// max 3a + 2b + c with a + b + c ≤ 2 (as a minimisation), its two best solutions, and what fixing
    /// c to 0 leaves.
    fn instance() -> Instance {
        let mut problem = Problem::default();
        for cost in [-3.0, -2.0, -1.0] {
            problem.add_column(cost, 0.0, 1.0, Kind::Binary);
        }
        problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (1, 1.0), (2, 1.0)], 2.0);
        let mut pool = Pool::new(&problem, 9);
        pool.insert(&[1.0, 1.0, 0.0], -5.0, 0.0, Teacher::Scip);
        pool.insert(&[1.0, 0.0, 1.0], -4.0, 0.0, Teacher::Scip);
        let fixings = Fixings::from([(2, 0.0)]);
        let mut left = Pool::new(&problem.reduce(&fixings).problem, 9);
        left.insert(&[1.0, 1.0], -5.0, 0.0, Teacher::Scip);
        let meta = Meta::new("x", &problem);
        Instance { meta, problem: Some(problem), pool, augmented: vec![Sample { fixings, pool: left }] }
    }

    fn references() -> Vec<Named> {
        let named = |word: &str| Candidate::reference(word).map(|candidate| (word.to_string(), candidate));
        let all = REFERENCES.into_iter().filter_map(named);
        all.map(|(name, candidate)| Named { name, candidate }).collect()
    }

    #[test]
    fn every_reference_by_hand() {
        let folder = std::env::temp_dir().join(format!("apollo-examine-{}", std::process::id()));
        let record = examine(&instance(), &folder.join("x.npz"), &mut references()).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let [whole, reduced] = &record.examples[..] else { panic!("{record:?}") };
        assert_eq!((whole.alpha, whole.binaries, whole.ones, whole.solutions), (0.0, 3, 2, 2));
        let targets = instance().pool.targets(TEMPERATURE);
        // a and b are 1 in the best solution and first in the relaxation.
        assert_eq!(whole.quality["relaxation"].auc, Some(1.0));
        assert_eq!(whole.quality["constant"].auc, Some(0.5));
        let mean = targets.iter().sum::<f64>() / 3.0;
        assert!((whole.quality["constant"].loss - cross_entropy(&[mean; 3], &targets)).abs() < 1e-12);
        // The other solution says 1, 0, 1 about 1, 1, 0: half of one pair of two, none of the zeros.
        let pool = &whole.quality["pool"];
        assert_eq!(pool.auc, Some(0.25));
        assert_eq!(pool.zeros.as_ref().unwrap().best[19], 0.0);
        assert_eq!(pool.ones.as_ref().unwrap().best[19], 0.5);
        assert!(pool.loss < whole.quality["constant"].loss);
        // One solution: no other can speak.
        assert!((reduced.alpha - 1.0 / 3.0).abs() < 1e-12 && reduced.binaries == 2);
        assert!(reduced.missing["pool"].contains("only one solution"), "{reduced:?}");
        assert_eq!(reduced.quality["relaxation"].auc, None);
    }

    #[test]
    fn what_cannot_be_measured_is_a_sentence() {
        let stripped = Instance { problem: None, ..instance() };
        assert!(
            examine(&stripped, Path::new(""), &mut references())
                .unwrap_err()
                .to_string()
                .contains("stripped")
        );
        let mut empty = instance();
        empty.augmented.clear();
        empty.pool.solutions.clear();
        let mut constant = vec![references().remove(1)];
        let refused = examine(&empty, Path::new(""), &mut constant).unwrap_err().to_string();
        assert!(refused.contains("nothing to compare"), "{refused}");
    }
}
