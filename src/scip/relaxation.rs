//! The relaxation predictor: probabilities from the LP relaxation, without any training.
//!
//! A variable's LP value x and reduced cost d say how it would like to be: at 0 with a large positive
//! d it is almost surely 0, at 1 with a large negative d almost surely 1, in between it is open. Both
//! count half:
//!
//! ```text
//!   p = x / 2 + (1 − r) / 4,      r = d / (|d| + mean |d|)  in (−1, 1)
//! ```
//!
//! Each round solves the LP of its own reduced problem, so that the fixings speak in the answer. The
//! first round takes the LP of the root node where the user's SCIP has solved it already.

use super::lp::{self, LpSolution};
use crate::error::{Error, Result};
use crate::prediction::{Prediction, Predictor, Question};
use std::time::{Duration, Instant};

/// Predicts from the LP relaxation.
pub struct Relaxation<'a> {
    /// The LP of the root node, over the columns of the whole problem.
    root: Option<LpSolution>,
    /// The user's solve is over.
    stopped: Box<dyn Fn() -> bool + 'a>,
    /// The last answer, over the columns of the whole problem: what is left to say when an LP takes
    /// too long.
    last: Option<Vec<f64>>,
}

impl<'a> Relaxation<'a> {
    /// A predictor that gives up when `stopped` says so.
    pub fn new(stopped: impl Fn() -> bool + 'a) -> Relaxation<'a> {
        Relaxation { root: None, stopped: Box::new(stopped), last: None }
    }

    /// The same with the root node's LP, to be read instead of solving it again.
    pub(super) fn with_root(self, root: Option<LpSolution>) -> Relaxation<'a> {
        Relaxation { root, ..self }
    }
}

fn probabilities(lp: &LpSolution) -> Vec<f64> {
    let mean = lp.reduced_costs.iter().map(|d| d.abs()).sum::<f64>() / lp.reduced_costs.len().max(1) as f64;
    let probability = |(x, d): (&f64, &f64)| {
        let pull = if *d == 0.0 { 0.0 } else { d / (d.abs() + mean) };
        (x.clamp(0.0, 1.0) / 2.0 + (1.0 - pull) / 4.0).clamp(0.0, 1.0)
    };
    lp.values.iter().zip(&lp.reduced_costs).map(probability).collect()
}

impl Predictor for Relaxation<'_> {
    fn name(&self) -> String {
        "relaxation".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> Result<Prediction> {
        let reduced = question.reduced;
        if let (Some(root), true) = (self.root.take(), question.fixings.is_empty()) {
            let probability = probabilities(&root);
            self.last = Some(probability.clone());
            return Ok(Prediction { probability });
        }
        // An answer from before leaves half of the time for the search.
        let share = if self.last.is_some() { 0.5 } else { 1.0 };
        let deadline = Duration::try_from_secs_f64(question.seconds * share)
            .ok()
            .and_then(|time| Instant::now().checked_add(time));
        let late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if let Some(lp) = lp::solve(&reduced.problem, || (self.stopped)() || late())? {
            let probability = probabilities(&lp);
            let mut last = vec![0.5; reduced.origin.last().map_or(0, |&j| j + 1)];
            for (&j, &p) in reduced.origin.iter().zip(&probability) {
                last[j] = p;
            }
            self.last = Some(last);
            return Ok(Prediction { probability });
        }
        match &self.last {
            Some(last) => {
                let probability = reduced.origin.iter().map(|&j| *last.get(j).unwrap_or(&0.5)).collect();
                Ok(Prediction { probability })
            }
            None => Err(Error::Prediction("the LP relaxation was not solved in the time given".to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Fixings, Kind, Problem};

    /// max 3a + 2b + c with a + b + c ≤ 2 (as a minimisation): the LP takes a and b.
    fn knapsack() -> Problem {
        let mut problem = Problem::default();
        for cost in [-3.0, -2.0, -1.0] {
            problem.add_column(cost, 0.0, 1.0, Kind::Binary);
        }
        problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (1, 1.0), (2, 1.0)], 2.0);
        problem
    }

    fn ask(problem: &Problem, fixings: &Fixings) -> Vec<f64> {
        let reduced = problem.reduce(fixings);
        let question = Question { reduced: &reduced, fixings, seconds: f64::INFINITY };
        Relaxation::new(|| false).predict(&question).unwrap().checked(&reduced).unwrap().probability
    }

    #[test]
    fn values_and_reduced_costs_order_the_variables() {
        let p = ask(&knapsack(), &Fixings::new());
        assert!(p[0] > p[1] && p[1] > p[2], "{p:?}");
        assert!(p[0] > 0.75 && p[2] <= 0.25, "{p:?}");
    }

    #[test]
    fn fixings_change_the_answer() {
        let p = ask(&knapsack(), &Fixings::from([(0, 0.0)]));
        assert_eq!(p.len(), 2);
        assert!(p.iter().all(|&p| p > 0.5), "without a both b and c fit: {p:?}");
    }

    #[test]
    fn no_time_and_no_earlier_answer_is_an_error_not_a_guess() {
        let problem = knapsack();
        let reduced = problem.reduce(&Fixings::new());
        let question = Question { reduced: &reduced, fixings: &Fixings::new(), seconds: 0.0 };
        assert!(Relaxation::new(|| false).predict(&question).is_err());
    }
}
