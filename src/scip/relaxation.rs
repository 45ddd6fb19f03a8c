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
//! Each round solves the LP of its own reduced problem, so that the fixings speak in the answer. Where
//! the user's SCIP has solved the LP of the root node, that is where it starts from.

use super::lp::{Columns, Lp, Solved};
use super::root_lp::RootLp;
use crate::error::{Error, Result};
use crate::prediction::{Prediction, Predictor, Question};
use crate::problem::Problem;

/// Predicts from the LP relaxation.
pub struct Relaxation<'a> {
    /// The LP of the root node.
    root: Option<RootLp>,
    /// The user's solve is over.
    stopped: Box<dyn Fn() -> bool + 'a>,
    /// The last answer, over the variables of the whole problem: what is left to say when an LP takes
    /// too long.
    last: Vec<Option<f64>>,
}

impl<'a> Relaxation<'a> {
    /// A predictor that gives up when `stopped` says so.
    pub fn new(stopped: impl Fn() -> bool + 'a) -> Relaxation<'a> {
        Relaxation { root: None, stopped: Box::new(stopped), last: vec![] }
    }

    /// The same with the root node's LP to start from.
    pub(super) fn with_root(self, root: Option<RootLp>) -> Relaxation<'a> {
        Relaxation { root, ..self }
    }

    /// The LP's answer for each column of the reduced problem.
    fn solve(&self, question: &Question<'_>) -> Result<Solved<Columns>> {
        // An answer from before leaves half of the time for the search.
        let seconds = question.seconds * if self.last.is_empty() { 1.0 } else { 0.5 };
        if let Some(root) = &self.root {
            return root.solve(question.fixings, &question.reduced.origin, seconds, &self.stopped);
        }
        Ok(match Lp::new(&question.reduced.problem)?.solve(seconds, &self.stopped)? {
            Solved::Optimal(lp) => {
                Solved::Optimal(lp.values.into_iter().zip(lp.reduced_costs).map(Some).collect())
            }
            Solved::NoOptimum => Solved::NoOptimum,
            Solved::Stopped => Solved::Stopped,
        })
    }
}

/// The LP relaxation of a problem, solved.
#[derive(Clone, Debug)]
pub struct Relaxed {
    /// One value a column.
    pub values: Vec<f64>,
    /// One reduced cost a column.
    pub reduced_costs: Vec<f64>,
    /// Its objective: no solution of the problem is lower.
    pub bound: f64,
    /// What the relaxation predictor makes of it, one probability a column.
    pub probability: Vec<f64>,
}

/// Solves the LP relaxation of a problem; none if that has no optimum or `stopped` says so first.
pub fn relax(problem: &Problem, seconds: f64, stopped: impl FnMut() -> bool) -> Result<Option<Relaxed>> {
    let Solved::Optimal(lp) = Lp::new(problem)?.solve(seconds, stopped)? else { return Ok(None) };
    let bound = problem.offset + problem.objective.iter().zip(&lp.values).map(|(c, x)| c * x).sum::<f64>();
    let columns: Columns =
        lp.values.iter().copied().zip(lp.reduced_costs.iter().copied()).map(Some).collect();
    let probability = probabilities(&columns).into_iter().flatten().collect();
    Ok(Some(Relaxed { values: lp.values, reduced_costs: lp.reduced_costs, bound, probability }))
}

/// Probabilities from (value, reduced cost); none stays none.
fn probabilities(columns: &[Option<(f64, f64)>]) -> Vec<Option<f64>> {
    let costs = columns.iter().flatten().map(|(_, cost)| cost.abs());
    let mean = costs.sum::<f64>() / columns.len().max(1) as f64;
    let probability = |&(value, cost): &(f64, f64)| {
        let pull = if cost == 0.0 { 0.0 } else { cost / (cost.abs() + mean) };
        (value.clamp(0.0, 1.0) / 2.0 + (1.0 - pull) / 4.0).clamp(0.0, 1.0)
    };
    columns.iter().map(|column| column.as_ref().map(probability)).collect()
}

impl Predictor for Relaxation<'_> {
    fn name(&self) -> String {
        "relaxation".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> Result<Prediction> {
        let origin = &question.reduced.origin;
        let trouble = match self.solve(question)? {
            Solved::Optimal(columns) => {
                self.last = vec![None; origin.last().map_or(0, |&j| j + 1)];
                for (&j, p) in origin.iter().zip(probabilities(&columns)) {
                    self.last[j] = p;
                }
                None
            }
            Solved::NoOptimum => Some("the LP relaxation of the linear constraints has no optimum"),
            Solved::Stopped => Some("the LP relaxation was not solved in the time given"),
        };
        if let Some(trouble) = trouble {
            if self.last.is_empty() {
                return Err(Error::Prediction(trouble.to_string()));
            }
            log::debug!("{trouble}: the last one answers");
        }
        let answer = |&j: &usize| self.last.get(j).copied().flatten().unwrap_or(0.5);
        Ok(Prediction { probability: origin.iter().map(answer).collect() })
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
