//! How good a prediction is, in numbers: loss, AUC, calibration, and the precision of the surest values.
//! docs/EVALUATION.md explains each of them. Nothing here knows where a prediction or a solution comes
//! from.

use crate::partial::PartialSolution;
use serde::{Deserialize, Serialize};

/// Probabilities are kept this far from 0 and 1 before their logarithm is taken: what a network's
/// single precision can tell apart.
pub const CLIP: f64 = 1e-7;

/// Bins of the probabilities for the calibration, all of one width.
pub const BINS: usize = 10;

/// Precision is measured at the coverages 1/20, 2/20, … 20/20.
pub const COVERAGES: usize = 20;

/// One bin of the probabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Binaries whose probability is in it.
    pub binaries: usize,
    /// The sum of their probabilities.
    pub probability: f64,
    /// How many of them are 1 in the best solution.
    pub ones: usize,
}

impl Bin {
    /// How far the mean probability is from the share of ones, times the binaries.
    fn off(&self) -> f64 {
        (self.probability - self.ones as f64).abs()
    }
}

/// The precision of the surest values at each coverage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// The share that is right in the best solution.
    pub best: [f64; COVERAGES],
    /// The share that is right in the solution of the pool in which most of them are.
    pub nearest: [f64; COVERAGES],
}

/// How good a prediction is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Cross-entropy with the targets, per binary, in nats.
    pub loss: f64,
    /// The chance that a one of the best solution has a higher probability than a zero of it; none if
    /// it has only ones or only zeros.
    pub auc: Option<f64>,
    /// The expected calibration error.
    pub calibration_error: f64,
    /// The bins of the calibration.
    pub bins: [Bin; BINS],
    /// Of the surest zeros; none if the best solution has no zero.
    pub zeros: Option<Precision>,
    /// Of the surest ones; none if the best solution has no one.
    pub ones: Option<Precision>,
}

impl Quality {
    /// Measures a prediction for the binaries against the targets and against solutions, the best first.
    ///
    /// # Panics
    /// Without a solution, or where the lengths differ.
    pub fn new(probability: &[f64], targets: &[f64], solutions: &[&[u8]]) -> Quality {
        let best = solutions[0];
        let ones: Vec<f64> = best.iter().map(|&value| f64::from(value)).collect();
        let bins = bins(probability, best);
        Quality {
            loss: cross_entropy(probability, targets),
            auc: auc(probability, &ones),
            calibration_error: calibration_error(&bins),
            bins,
            zeros: precision(probability, solutions, 0),
            ones: precision(probability, solutions, 1),
        }
    }
}

/// The mean of −t ln p − (1 − t) ln(1 − p), in nats; 0 without any. The probabilities are clipped by
/// [`CLIP`].
pub fn cross_entropy(probability: &[f64], targets: &[f64]) -> f64 {
    assert_eq!(probability.len(), targets.len(), "one target for each probability");
    let one = |(&p, &t): (&f64, &f64)| {
        let p = p.clamp(CLIP, 1.0 - CLIP);
        -t * p.ln() - (1.0 - t) * (1.0 - p).ln()
    };
    probability.iter().zip(targets).map(one).sum::<f64>() / targets.len().max(1) as f64
}

/// The area under the ROC curve: the chance that a one has a higher probability than a zero, where equal
/// ones count half. `ones` says for each how much of it is a one: 0, 1, or a share. None if all are ones
/// or all are zeros.
pub fn auc(probability: &[f64], ones: &[f64]) -> Option<f64> {
    assert_eq!(probability.len(), ones.len(), "one value for each probability");
    let mut order: Vec<usize> = (0..ones.len()).collect();
    order.sort_by(|&a, &b| probability[a].total_cmp(&probability[b]));
    let (mut zeros_below, mut all_ones, mut won) = (0.0, 0.0, 0.0);
    for equal in order.chunk_by(|&a, &b| probability[a] == probability[b]) {
        let here: f64 = equal.iter().map(|&j| ones[j]).sum();
        let zeros = equal.len() as f64 - here;
        won += here * (zeros_below + 0.5 * zeros);
        zeros_below += zeros;
        all_ones += here;
    }
    (all_ones > 0.0 && zeros_below > 0.0).then(|| won / (all_ones * zeros_below))
}

/// The probabilities in [`BINS`] bins of one width, the last one with its upper end.
pub fn bins(probability: &[f64], best: &[u8]) -> [Bin; BINS] {
    assert_eq!(probability.len(), best.len(), "one value for each probability");
    let mut bins = [Bin::default(); BINS];
    for (&p, &value) in probability.iter().zip(best) {
        let bin = &mut bins[((p * BINS as f64) as usize).min(BINS - 1)];
        bin.binaries += 1;
        bin.probability += p;
        bin.ones += usize::from(value);
    }
    bins
}

/// The mean over binaries of how far the mean probability of its bin is from the share of ones there.
pub fn calibration_error(bins: &[Bin; BINS]) -> f64 {
    let binaries: usize = bins.iter().map(|bin| bin.binaries).sum();
    bins.iter().map(Bin::off).sum::<f64>() / binaries.max(1) as f64
}

/// How many values are taken at coverage (place + 1) / [`COVERAGES`] where there are `all`: the nearest
/// whole number, at least one.
pub fn covered(place: usize, all: usize) -> usize {
    (((place + 1) * all + COVERAGES / 2) / COVERAGES).max(1)
}

/// The precision of the surest values that are predicted to be `value`. They are taken as a search takes
/// them: by their probability, ties to the smaller index. Coverage 1 is as many as the best solution,
/// the first, has of this value; none if it has none.
pub fn precision(probability: &[f64], solutions: &[&[u8]], value: u8) -> Option<Precision> {
    let all = solutions[0].iter().filter(|&&known| known == value).count();
    if all == 0 {
        return None;
    }
    let candidates: Vec<(usize, f64)> = probability.iter().copied().enumerate().collect();
    let (k0, k1) = if value == 0 { (all, 0) } else { (0, all) };
    // Surest first: a smaller coverage is the beginning of a larger one.
    let surest = PartialSolution::select(&candidates, k0, k1).predicted;
    let mut right = vec![0usize; solutions.len()];
    let mut taken = 0;
    let mut precision = Precision { best: [0.0; COVERAGES], nearest: [0.0; COVERAGES] };
    for place in 0..COVERAGES {
        let until = covered(place, all);
        for predicted in &surest[taken..until] {
            for (right, solution) in right.iter_mut().zip(solutions) {
                *right += usize::from(solution[predicted.variable] == value);
            }
        }
        taken = until;
        let most = right.iter().copied().max().unwrap_or(0);
        precision.best[place] = right[0] as f64 / until as f64;
        precision.nearest[place] = most as f64 / until as f64;
    }
    Some(precision)
}

/// A mean, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its standard error: the deviation of the values divided by √count; none for a single value.
    pub error: Option<f64>,
    /// How many values there are.
    pub count: usize,
}

impl Mean {
    /// The mean of these; none of nothing.
    pub fn of(values: &[f64]) -> Option<Mean> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (count > 1).then(|| (squares / (count - 1) as f64 / count as f64).sqrt());
        Some(Mean { mean, error, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    }

    #[test]
    fn the_loss_by_hand() {
        near(cross_entropy(&[0.5, 0.25], &[1.0, 0.0]), (2f64.ln() + (4.0 / 3.0f64).ln()) / 2.0);
        near(cross_entropy(&[0.5], &[0.3]), 2f64.ln());
        assert!(cross_entropy(&[1.0, 0.0], &[1.0, 0.0]) < 2e-7);
        near(cross_entropy(&[0.0], &[1.0]), -CLIP.ln());
        near(cross_entropy(&[], &[]), 0.0);
    }

    #[test]
    fn auc_by_hand() {
        // Pairs of a one and a zero: 0.8 wins over 0.4 and 0.1, 0.4 ties with 0.4 and wins over 0.1.
        near(auc(&[0.8, 0.4, 0.4, 0.1], &[1.0, 1.0, 0.0, 0.0]).unwrap(), 3.5 / 4.0);
        near(auc(&[0.1, 0.9], &[1.0, 0.0]).unwrap(), 0.0);
        near(auc(&[0.5; 5], &[1.0, 0.0, 0.0, 1.0, 0.0]).unwrap(), 0.5);
        assert_eq!(auc(&[0.1, 0.9], &[1.0, 1.0]), None);
        assert_eq!(auc(&[], &[]), None);
    }

    #[test]
    fn auc_with_shares_is_that_of_the_binaries_written_out() {
        // A share of 1/4 is one one and three zeros at the same probability.
        let shares = auc(&[0.2, 0.7], &[0.25, 0.75]).unwrap();
        let out = auc(&[0.2, 0.2, 0.2, 0.2, 0.7, 0.7, 0.7, 0.7], &[1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
        near(shares, out.unwrap());
    }

    #[test]
    fn calibration_by_hand() {
        // 0.1 and 0.05 are apart: bins are closed below.
        let bins = bins(&[0.05, 0.1, 0.15, 1.0, 0.95], &[0, 0, 1, 1, 1]);
        assert_eq!(bins.map(|bin| bin.binaries), [1, 2, 0, 0, 0, 0, 0, 0, 0, 2]);
        assert_eq!(bins.map(|bin| bin.ones), [0, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
        near(calibration_error(&bins), (0.05 + (0.25f64 - 1.0).abs() + (1.95f64 - 2.0).abs()) / 5.0);
        near(calibration_error(&[Bin::default(); BINS]), 0.0);
    }

    #[test]
    fn precision_by_hand() {
        // Ten zeros in the best solution, so that coverage 5 % … 100 % takes 1, 1, 2, 2, … of them: half
        // a value is rounded up.
        assert_eq!((0..4).map(|place| covered(place, 10)).collect::<Vec<_>>(), [1, 1, 2, 2]);
        assert_eq!((covered(0, 3), covered(9, 3), covered(19, 3)), (1, 2, 3));
        // The surest zeros in order: 2 (wrong in the best), 0 and 1 (a tie), 3.
        let probability = [0.2, 0.2, 0.1, 0.3, 0.9, 0.8];
        let best: &[u8] = &[0, 0, 1, 0, 0, 1];
        let other: &[u8] = &[0, 0, 0, 1, 1, 1];
        let zeros = precision(&probability, &[best, other], 0).unwrap();
        near(zeros.best[4], 0.0); // 25 % of four
        near(zeros.nearest[4], 1.0);
        near(zeros.best[9], 0.5);
        near(zeros.best[14], 2.0 / 3.0);
        near(zeros.nearest[14], 1.0);
        near(zeros.best[19], 0.75);
        near(zeros.nearest[19], 0.75);
        // The surest ones: 4 (wrong in the best), then 5.
        let ones = precision(&probability, &[best, other], 1).unwrap();
        near(ones.best[9], 0.0);
        near(ones.best[19], 0.5);
        near(ones.nearest[19], 1.0);
        assert!(precision(&[0.5], &[&[0]], 1).is_none());
    }

    #[test]
    fn ties_are_broken_as_a_search_breaks_them() {
        let zeros = precision(&[0.5; 4], &[&[0, 1, 0, 1]], 0).unwrap();
        near(zeros.best[9], 1.0); // the first
        near(zeros.best[19], 0.5); // the first two
    }

    #[test]
    fn a_mean_by_hand() {
        let mean = Mean::of(&[1.0, 2.0, 6.0]).unwrap();
        near(mean.mean, 3.0);
        near(mean.error.unwrap(), (14.0f64 / 2.0 / 3.0).sqrt());
        assert_eq!(Mean::of(&[4.0]), Some(Mean { mean: 4.0, error: None, count: 1 }));
        assert_eq!(Mean::of(&[]), None);
    }

    #[test]
    fn all_of_it_together() {
        let quality = Quality::new(&[0.9, 0.2], &[1.0, 0.25], &[&[1, 0], &[1, 1]]);
        assert_eq!(quality.auc, Some(1.0));
        near(quality.loss, (-0.9f64.ln() - 0.25 * 0.2f64.ln() - 0.75 * 0.8f64.ln()) / 2.0);
        near(quality.calibration_error, (0.1 + 0.2) / 2.0);
        assert_eq!(quality.zeros.unwrap().best, [1.0; COVERAGES]);
    }
}
