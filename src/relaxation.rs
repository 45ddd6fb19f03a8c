//! The LP relaxation of a problem, solved, and what it says about the binaries without any training.
//!
//! A variable's LP value x and reduced cost d say how it would like to be: at 0 with a large positive
//! d it is almost surely 0, at 1 with a large negative d almost surely 1, in between it is open. Both
//! count half:
//!
//! ```text
//!   p = x / 2 + (1 − r) / 4,      r = d / (|d| + mean |d|)  in (−1, 1)
//! ```
//!
//! Plain numbers: the relaxation predictor answers with p, networks with features of version 2 see all
//! of it. Whoever solves the LP is in [`crate::scip`].

/// The LP relaxation of a problem, solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Relaxed {
    /// One value a column; NaN where the LP does not have the variable.
    pub values: Vec<f64>,
    /// One reduced cost a column; NaN in the same places.
    pub reduced_costs: Vec<f64>,
    /// Its objective: no solution of the problem is lower. −∞ if nobody knows it.
    pub bound: f64,
    /// The reduced costs between −1 and 1: r above; NaN in the same places.
    pub pull: Vec<f64>,
    /// What the relaxation predictor makes of it, one probability a column: p above, and ½ where the LP
    /// does not have the variable.
    pub probability: Vec<f64>,
}

impl Relaxed {
    /// From values and reduced costs.
    pub fn new(values: Vec<f64>, reduced_costs: Vec<f64>, bound: f64) -> Relaxed {
        let known = reduced_costs.iter().filter(|cost| !cost.is_nan());
        let mean = known.map(|cost| cost.abs()).sum::<f64>() / reduced_costs.len().max(1) as f64;
        let pull = |&cost: &f64| if cost == 0.0 { 0.0 } else { cost / (cost.abs() + mean) };
        let pull: Vec<f64> = reduced_costs.iter().map(pull).collect();
        let probability = |(&value, &pull): (&f64, &f64)| {
            let p = (value.clamp(0.0, 1.0) / 2.0 + (1.0 - pull) / 4.0).clamp(0.0, 1.0);
            if p.is_nan() { 0.5 } else { p }
        };
        let probability = values.iter().zip(&pull).map(probability).collect();
        Relaxed { values, reduced_costs, bound, pull, probability }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_and_reduced_cost_count_half_each() {
        let relaxed =
            Relaxed::new(vec![0.0, 1.0, 0.5, f64::NAN], vec![3.0, -3.0, 0.0, f64::NAN], f64::NEG_INFINITY);
        // mean |d| over all four columns is 1.5, so r is 3 / 4.5.
        let r = 2.0 / 3.0;
        let expected = [(1.0 - r) / 4.0, 0.5 + (1.0 + r) / 4.0, 0.5, 0.5];
        for (p, expected) in relaxed.probability.iter().zip(expected) {
            assert!((p - expected).abs() < 1e-12, "{p} {expected}");
        }
        assert!(relaxed.pull[3].is_nan());
    }

    #[test]
    fn infinite_costs_and_no_columns_are_no_trouble() {
        assert_eq!(Relaxed::new(vec![], vec![], 0.0).probability, Vec::<f64>::new());
        assert_eq!(Relaxed::new(vec![0.0], vec![f64::INFINITY], 0.0).probability, [0.5]);
    }
}
