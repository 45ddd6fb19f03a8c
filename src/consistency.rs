//! Correction of the prediction: which values of the partial solution are settled, now that a search
//! has returned a reference solution x̃.
//!
//! The paper's measure of how much a predicted value may be trusted is the *uncertainty-based error
//! upper bound*
//!
//! ```text
//!   UEBO_j = H(p_j) + d(p_j, q_j),      H(p) = −p ln p − (1 − p) ln(1 − p),
//!   d(p, q) = −q ln p − (1 − q) ln(1 − p),   q the point mass at x̃_j
//! ```
//!
//! and its Theorem 1 says that UEBO rises with the discrepancy d: a value on which prediction and
//! reference agree is the one to fix. So agreement is the default rule, and the others are here to be
//! compared with it.
//!
//! The predicted interval of a general integer agrees with the reference if x̃ is in it; p is then the
//! confidence of its leading bits. What is settled of it are bounds, and a value where only one is left.

use crate::bits::{Interval, Intervals, Leading};
use crate::correction::Reference;
use crate::partial::{PartialSolution, Predicted};
use crate::problem::Fixings;

/// What one round settles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    /// Values, surest first.
    pub fixings: Vec<(usize, f64)>,
    /// Bounds of general integers, surest first.
    pub intervals: Vec<(usize, Interval)>,
}

impl Settled {
    /// Nothing is settled.
    pub fn is_empty(&self) -> bool {
        self.fixings.is_empty() && self.intervals.is_empty()
    }

    /// Takes intervals in; one with a single number is a value.
    pub fn tighten(&mut self, intervals: impl IntoIterator<Item = (usize, Interval)>) {
        for (variable, interval) in intervals {
            match interval.is_value() {
                true => self.fixings.push((variable, interval.lower)),
                false => self.intervals.push((variable, interval)),
            }
        }
    }

    /// What several rounds settled, the oldest first: a later one may say more about a variable.
    pub fn together<'a>(rounds: impl IntoIterator<Item = &'a Settled>) -> (Fixings, Intervals) {
        let (mut fixings, mut intervals) = (Fixings::new(), Intervals::new());
        for round in rounds {
            fixings.extend(round.fixings.iter().copied());
            intervals.extend(round.intervals.iter().copied());
        }
        intervals.retain(|variable, _| !fixings.contains_key(variable));
        (fixings, intervals)
    }
}

/// Which values of a partial solution become fixings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixingRule {
    /// Those on which prediction and reference agree (Apollo-MILP).
    Consistent,
    /// All, at the predicted value (Multi-stage PS).
    Predicted,
    /// All, at the reference value (Direct Fixing).
    Reference,
    /// The share with the lowest UEBO, at the reference value.
    Uebo,
}

/// Probabilities are kept this far from 0 and 1 before a logarithm is taken.
const CLAMP: f64 = 1e-9;

/// The uncertainty-based error upper bound of one prediction against a reference value.
pub fn uebo(probability: f64, reference: f64) -> f64 {
    let p = probability.clamp(CLAMP, 1.0 - CLAMP);
    let entropy = -p * p.ln() - (1.0 - p) * (1.0 - p).ln();
    entropy + discrepancy(p, reference)
}

/// d(p, q) for q the point mass at `reference`.
fn discrepancy(p: f64, reference: f64) -> f64 {
    if reference > 0.5 { -p.ln() } else { -(1.0 - p).ln() }
}

/// The fixings that `rule` draws from a partial solution and a reference: (variable, value), surest
/// first. `same` compares by the solver's tolerance; `share` is how much the UEBO rule takes.
pub fn fixings(
    rule: FixingRule,
    partial: &PartialSolution,
    reference: &Reference,
    share: f64,
    same: impl Fn(f64, f64) -> bool,
) -> Vec<(usize, f64)> {
    let at = |p: &Predicted| reference.values[p.variable];
    let mut chosen: Vec<&Predicted> = partial.predicted.iter().collect();
    match rule {
        FixingRule::Consistent => chosen.retain(|p| same(p.value, at(p))),
        FixingRule::Predicted => return chosen.iter().map(|p| (p.variable, p.value)).collect(),
        FixingRule::Reference => {}
        FixingRule::Uebo => {
            let bound = |p: &Predicted| uebo(p.probability, at(p));
            chosen.sort_by(|a, b| bound(a).total_cmp(&bound(b)).then(a.variable.cmp(&b.variable)));
            chosen.truncate((share * chosen.len() as f64).round() as usize);
        }
    }
    chosen.iter().map(|p| (p.variable, at(p).round())).collect()
}

/// The intervals that `rule` draws from a partial solution and a reference, surest first; those that are
/// *at the reference value* have its leading bits.
fn intervals(
    rule: FixingRule,
    partial: &PartialSolution,
    reference: &Reference,
    share: f64,
) -> Vec<(usize, Interval)> {
    let at = |leading: &Leading| reference.values[leading.variable];
    let agrees = |leading: &Leading| leading.interval.contains(at(leading));
    let mut chosen: Vec<&Leading> = partial.leading.iter().collect();
    match rule {
        FixingRule::Consistent => chosen.retain(|leading| agrees(leading)),
        FixingRule::Predicted => return chosen.iter().map(|one| (one.variable, one.interval)).collect(),
        FixingRule::Reference => {}
        FixingRule::Uebo => {
            let bound = |leading: &Leading| uebo(leading.confidence, agrees(leading) as u8 as f64);
            chosen.sort_by(|a, b| bound(a).total_cmp(&bound(b)).then(a.variable.cmp(&b.variable)));
            chosen.truncate((share * chosen.len() as f64).round() as usize);
        }
    }
    chosen.iter().map(|one| (one.variable, one.at(at(one)))).collect()
}

/// Everything that `rule` settles: [`fixings`] of binaries, and the bounds of general integers.
pub fn settle(
    rule: FixingRule,
    partial: &PartialSolution,
    reference: &Reference,
    share: f64,
    same: impl Fn(f64, f64) -> bool,
) -> Settled {
    let fixings = fixings(rule, partial, reference, share, same);
    let mut settled = Settled { fixings, intervals: vec![] };
    settled.tighten(intervals(rule, partial, reference, share));
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    fn reference(values: &[f64]) -> Reference {
        Reference { objective: 0.0, values: values.to_vec() }
    }

    /// Predictions 1, 1, 0, 0 against a reference 1, 0, 0 (by tolerance), 1.
    fn case() -> (PartialSolution, Reference) {
        let partial = PartialSolution::select(&[(0, 0.9), (1, 0.8), (2, 0.2), (3, 0.1)], 2, 2);
        (partial, reference(&[1.0, 0.0, 1e-9, 1.0]))
    }

    fn fixed(rule: FixingRule, share: f64) -> Vec<(usize, f64)> {
        let (partial, reference) = case();
        let mut fixed = fixings(rule, &partial, &reference, share, close);
        fixed.sort_by_key(|f| f.0);
        fixed
    }

    #[test]
    fn each_rule_fixes_what_its_name_says() {
        assert_eq!(fixed(FixingRule::Consistent, 0.5), [(0, 1.0), (2, 0.0)]);
        assert_eq!(fixed(FixingRule::Predicted, 0.5), [(0, 1.0), (1, 1.0), (2, 0.0), (3, 0.0)]);
        assert_eq!(fixed(FixingRule::Reference, 0.5), [(0, 1.0), (1, 0.0), (2, 0.0), (3, 1.0)]);
        assert_eq!(fixed(FixingRule::Uebo, 0.5), [(0, 1.0), (2, 0.0)]);
        assert_eq!(fixed(FixingRule::Uebo, 0.0), []);
    }

    /// Theorem 1: for a given prediction UEBO is larger where the reference disagrees with it.
    #[test]
    fn uebo_rises_with_the_discrepancy() {
        for step in 1..500 {
            let p = step as f64 / 1000.0; // predicted value 0
            assert!(uebo(p, 1.0) > uebo(p, 0.0));
            assert!(uebo(1.0 - p, 0.0) > uebo(1.0 - p, 1.0));
            assert!(close(uebo(p, 1.0), uebo(1.0 - p, 0.0)), "the two values are alike");
        }
        assert!(uebo(0.0, 1.0).is_finite() && uebo(1.0, 0.0).is_finite());
    }

    #[test]
    fn a_consistent_value_never_has_a_larger_uebo_than_an_inconsistent_one_as_sure() {
        for step in 0..=1000 {
            let p = step as f64 / 1000.0;
            let predicted = (p > 0.5) as u8 as f64;
            assert!(uebo(p, predicted) <= uebo(p, 1.0 - predicted) + 1e-12);
        }
    }
    /// For all leading bits of an integer between small bounds and all values of the reference: an
    /// interval is kept exactly if the reference is in it, and what the other rules keep holds what they
    /// say.
    #[test]
    fn intervals_are_settled_as_values_are() {
        for upper in 1..=9 {
            let bounds = Interval { lower: 0.0, upper: upper.into() };
            let bits = bounds.bits();
            for (pattern, length) in
                (0..1usize << bits).flat_map(|pattern| (1..=bits).map(move |k| (pattern, k)))
            {
                let p = |k: usize| if k < length { (pattern >> (bits - 1 - k) & 1) as f64 } else { 0.5 };
                let row: Vec<f64> = (0..bits).map(p).collect();
                let leading = Leading::predict(0, bounds, &row).unwrap();
                let partial = PartialSolution::default().with_leading(vec![leading], 1);
                for value in 0..=upper {
                    let reference = reference(&[f64::from(value) + 1e-8]);
                    let settled = |rule| {
                        let settled = settle(rule, &partial, &reference, 1.0, close);
                        let (fixings, intervals) = Settled::together([&settled]);
                        let value = fixings.get(&0).map(|&value| Interval { lower: value, upper: value });
                        value.or(intervals.get(&0).copied())
                    };
                    let inside = (leading.interval.lower..=leading.interval.upper).contains(&value.into());
                    assert_eq!(settled(FixingRule::Consistent), inside.then_some(leading.interval));
                    assert_eq!(settled(FixingRule::Predicted), Some(leading.interval));
                    for rule in [FixingRule::Reference, FixingRule::Uebo] {
                        let kept = settled(rule).unwrap();
                        assert!(kept.contains(value.into()), "{kept:?} {value}");
                        assert!(!inside || kept == leading.interval);
                    }
                }
            }
        }
    }

    #[test]
    fn a_later_round_says_more_about_a_variable() {
        let wide = Interval { lower: 4.0, upper: 7.0 };
        let narrow = Interval { lower: 6.0, upper: 7.0 };
        let mut rounds = [Settled::default(), Settled::default(), Settled::default()];
        rounds[0].tighten([(3, wide), (4, wide)]);
        rounds[1].tighten([(3, narrow)]);
        rounds[2].tighten([(4, Interval { lower: 5.0, upper: 5.0 })]);
        let (fixings, intervals) = Settled::together(&rounds[..2]);
        assert!(fixings.is_empty());
        assert_eq!(intervals, Intervals::from([(3, narrow), (4, wide)]));
        let (fixings, intervals) = Settled::together(&rounds);
        assert_eq!(fixings, Fixings::from([(4, 5.0)]));
        assert_eq!(intervals, Intervals::from([(3, narrow)]));
    }
}
