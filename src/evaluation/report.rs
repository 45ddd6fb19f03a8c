//! Means over instances: one group for each family, and in it for whole instances and for reduced
//! problems by how much of them is fixed.

use super::{Examined, Record};
use crate::quality::{BINS, Bin, COVERAGES, Mean, Precision, Quality};
use serde::Serialize;
use std::collections::BTreeMap;

/// What is measured together: whole instances, which is what the first round of a search sees, and
/// reduced problems, which is what later rounds see.
pub const STAGES: [&str; 4] = ["whole instances", "reduced, α ≈ 0.3", "reduced, α ≈ 0.5", "reduced, α ≈ 0.7"];

/// The place in [`STAGES`] of a problem of which the share `alpha` is fixed.
pub fn stage(alpha: f64) -> usize {
    match alpha {
        0.0 => 0,
        _ if alpha < 0.4 => 1,
        _ if alpha < 0.6 => 2,
        _ => 3,
    }
}

/// The means of one family at one stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The family; `no family` where the files name none.
    pub family: String,
    /// One of [`STAGES`].
    pub stage: &'static str,
    /// How many instances there are.
    pub instances: usize,
    /// How many problems: an instance may have several reduced ones.
    pub problems: usize,
    /// Mean number of binaries.
    pub binaries: f64,
    /// Mean share of ones in the best solutions.
    pub ones: f64,
    /// One for each predictor.
    pub predictors: Vec<Summary>,
}

/// The means of one predictor. Several problems of one instance are averaged first, so that each
/// instance counts once and the error is that over instances.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Its name.
    pub predictor: String,
    /// On how many problems it gave an answer.
    pub answers: usize,
    /// Cross-entropy.
    pub loss: Option<Mean>,
    /// Area under the ROC curve.
    pub auc: Option<Mean>,
    /// Expected calibration error.
    pub calibration_error: Option<Mean>,
    /// All binaries of all problems together, for the reliability diagram.
    pub bins: [Bin; BINS],
    /// Precision of the surest zeros.
    pub zeros: Curve,
    /// Precision of the surest ones.
    pub ones: Curve,
}

/// Mean precision at the coverages 1/20 … 20/20.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// In the best solution.
    pub best: Vec<Option<Mean>>,
    /// In the nearest solution of the pool.
    pub nearest: Vec<Option<Mean>>,
}

/// The groups of some records, families by name, stages in order. `predictors` says their order.
pub fn groups(records: &[Record], predictors: &[String]) -> Vec<Group> {
    // For each family and stage, for each instance, its problems.
    let mut sorted: BTreeMap<(&str, usize), Vec<Vec<&Examined>>> = BTreeMap::new();
    for record in records {
        let family = record.family.as_deref().unwrap_or("no family");
        let mut stages: BTreeMap<usize, Vec<&Examined>> = BTreeMap::new();
        for example in &record.examples {
            stages.entry(stage(example.alpha)).or_default().push(example);
        }
        for (stage, problems) in stages {
            sorted.entry((family, stage)).or_default().push(problems);
        }
    }
    sorted
        .into_iter()
        .map(|((family, stage), instances)| group(family, stage, &instances, predictors))
        .collect()
}

fn group(family: &str, stage: usize, instances: &[Vec<&Examined>], predictors: &[String]) -> Group {
    let problems: Vec<&Examined> = instances.iter().flatten().copied().collect();
    let mean = |of: &dyn Fn(&Examined) -> f64| {
        problems.iter().map(|one| of(one)).sum::<f64>() / problems.len().max(1) as f64
    };
    Group {
        family: family.to_string(),
        stage: STAGES[stage],
        instances: instances.len(),
        problems: problems.len(),
        binaries: mean(&|one| one.binaries as f64),
        ones: mean(&|one| one.ones as f64 / one.binaries as f64),
        predictors: predictors.iter().map(|name| summary(name, instances)).collect(),
    }
}

fn summary(name: &str, instances: &[Vec<&Examined>]) -> Summary {
    let quality: Vec<Vec<&Quality>> = instances
        .iter()
        .map(|problems| problems.iter().filter_map(|problem| problem.quality.get(name)).collect())
        .collect();
    let mean = |of: &dyn Fn(&Quality) -> Option<f64>| {
        let of_instance = |problems: &Vec<&Quality>| {
            let values: Vec<f64> = problems.iter().filter_map(|one| of(one)).collect();
            Mean::of(&values).map(|mean| mean.mean)
        };
        Mean::of(&quality.iter().filter_map(of_instance).collect::<Vec<_>>())
    };
    let curve = |side: fn(&Quality) -> &Option<Precision>| {
        let means = |line: fn(&Precision) -> &[f64; COVERAGES]| {
            let at = |place: usize| mean(&|one| side(one).as_ref().map(|precision| line(precision)[place]));
            (0..COVERAGES).map(at).collect()
        };
        Curve { best: means(|precision| &precision.best), nearest: means(|precision| &precision.nearest) }
    };
    let mut bins = [Bin::default(); BINS];
    for one in quality.iter().flatten() {
        for (sum, bin) in bins.iter_mut().zip(&one.bins) {
            sum.binaries += bin.binaries;
            sum.probability += bin.probability;
            sum.ones += bin.ones;
        }
    }
    Summary {
        predictor: name.to_string(),
        answers: quality.iter().flatten().count(),
        loss: mean(&|one| Some(one.loss)),
        auc: mean(&|one| one.auc),
        calibration_error: mean(&|one| Some(one.calibration_error)),
        bins,
        zeros: curve(|one| &one.zeros),
        ones: curve(|one| &one.ones),
    }
}

/// Why predictors gave no answer: for each the number of problems and one of the reasons.
pub fn missing(records: &[Record]) -> BTreeMap<&str, (usize, &str)> {
    let mut missing: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (name, why) in records.iter().flat_map(|record| &record.examples).flat_map(|one| &one.missing) {
        missing.entry(name).or_insert((0, why)).0 += 1;
    }
    missing
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// One example on which the predictor `m` says these about zeros and ones, one each.
    pub(in crate::evaluation) fn examined(alpha: f64, zero: f64, one: f64) -> Examined {
        let quality = Quality::new(&[zero, one], &[0.0, 1.0], &[&[0, 1]]);
        Examined {
            alpha,
            binaries: 2,
            ones: 1,
            solutions: 1,
            quality: BTreeMap::from([("m".to_string(), quality)]),
            missing: BTreeMap::from([("pool".to_string(), "only one".to_string())]),
        }
    }

    pub(in crate::evaluation) fn record(family: Option<&str>, examples: Vec<Examined>) -> Record {
        let family = family.map(str::to_string);
        Record { name: "x".into(), hash: "h".into(), family, examples }
    }

    #[test]
    fn families_and_stages_are_apart_and_every_instance_counts_once() {
        let records = [
            record(
                Some("b"),
                vec![examined(0.0, 0.0, 1.0), examined(0.3, 0.2, 0.9), examined(0.35, 0.9, 0.2)],
            ),
            record(Some("b"), vec![examined(0.31, 0.2, 0.9)]),
            record(Some("a"), vec![examined(0.5, 0.1, 0.2), examined(0.7, 0.2, 0.1)]),
            record(None, vec![examined(0.0, 0.5, 0.5)]),
        ];
        let groups = groups(&records, &["m".into(), "pool".into()]);
        let which: Vec<_> =
            groups.iter().map(|g| (&g.family[..], g.stage, g.instances, g.problems)).collect();
        assert_eq!(
            which,
            [
                ("a", STAGES[2], 1, 1),
                ("a", STAGES[3], 1, 1),
                ("b", STAGES[0], 1, 1),
                ("b", STAGES[1], 2, 3),
                ("no family", STAGES[0], 1, 1),
            ]
        );
        let [m, pool] = &groups[3].predictors[..] else { panic!() };
        // 1 and 0 in the first instance, 1 in the second.
        let auc = m.auc.unwrap();
        assert_eq!((auc.mean, auc.error, auc.count), (0.75, Some(0.25), 2));
        assert_eq!(m.bins.iter().map(|bin| bin.binaries).sum::<usize>(), 6);
        assert_eq!(m.zeros.best[9].unwrap().mean, 0.75);
        assert_eq!((m.answers, pool.answers, pool.loss, pool.zeros.best[0]), (3, 0, None, None));
        assert_eq!(missing(&records)["pool"], (7, "only one"));
    }

    #[test]
    fn stages_by_their_borders() {
        assert_eq!([0.0, 0.2999, 0.3999, 0.4, 0.5999, 0.6, 0.7].map(stage), [0, 1, 1, 2, 2, 3, 3]);
    }
}
