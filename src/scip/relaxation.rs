//! The relaxation predictor: probabilities from the LP relaxation, without any training
//! ([`crate::relaxation`] has the formula).
//!
//! Each round solves the LP of its own reduced problem, so that the fixings speak in the answer. Where
//! the user's SCIP has solved the LP of the root node, that is where it starts from. Rows that make the
//! relaxation tighter ([`crate::strengthen`]) are in it either way.

use super::lp::{Lp, LpSolution, Solved};
use super::root_lp::RootLp;
use crate::condense::condensed;
use crate::error::{Error, Result};
use crate::local::trim::trim;
use crate::prediction::{Prediction, Predictor, Question};
use crate::problem::Problem;
use crate::relaxation::Relaxed;

/// Predicts from the LP relaxation.
pub struct Relaxation<'a> {
    /// The LP of the root node.
    root: Option<RootLp>,
    /// The user's solve is over.
    stopped: Box<dyn Fn() -> bool + 'a>,
    /// The last answer, (value, reduced cost) over the variables of the whole problem: what is left to
    /// say when an LP takes too long.
    last: Vec<(f64, f64)>,
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
    fn solve(&self, question: &Question<'_>) -> Result<Solved<LpSolution>> {
        // An answer from before leaves half of the time for the search.
        let seconds = question.seconds * if self.last.is_empty() { 1.0 } else { 0.5 };
        match &self.root {
            Some(root) => match root.solve(question.fixings, question.reduced, seconds, &self.stopped)? {
                // Better the LP as the user's SCIP solved it than nothing.
                Solved::Stopped if self.last.is_empty() => Ok(Solved::Optimal(root.first(question.reduced))),
                solved => Ok(solved),
            },
            None => solve(&question.reduced.problem, seconds, &self.stopped),
        }
    }

    /// The relaxation of a question's problem; of the last one that could be solved, if this one cannot
    /// be in time.
    pub fn relax(&mut self, question: &Question<'_>) -> Result<Relaxed> {
        let origin = &question.reduced.origin;
        let trouble = match self.solve(question)? {
            Solved::Optimal(LpSolution { values, reduced_costs }) => {
                self.last = vec![(f64::NAN, f64::NAN); origin.last().map_or(0, |&j| j + 1)];
                for ((&j, &value), &cost) in origin.iter().zip(&values).zip(&reduced_costs) {
                    self.last[j] = (value, cost);
                }
                return Ok(Relaxed::new(values, reduced_costs, f64::NEG_INFINITY));
            }
            Solved::NoOptimum => "the LP relaxation of the linear constraints has no optimum",
            Solved::Stopped => "the LP relaxation was not solved in the time given",
        };
        if self.last.is_empty() {
            return Err(Error::Prediction(trouble.to_string()));
        }
        log::debug!("{trouble}: the last one answers");
        let answer = |&j: &usize| self.last.get(j).copied().unwrap_or((f64::NAN, f64::NAN));
        let (values, reduced_costs) = origin.iter().map(answer).unzip();
        Ok(Relaxed::new(values, reduced_costs, f64::NEG_INFINITY))
    }
}

/// Solves the LP relaxation of a problem, with the rows that make it tighter and without what cannot
/// matter; none if that has no optimum or `stopped` says so first.
pub fn relax(problem: &Problem, seconds: f64, stopped: impl FnMut() -> bool) -> Result<Option<Relaxed>> {
    let Solved::Optimal(lp) = solve(problem, seconds, stopped)? else { return Ok(None) };
    let bound = problem.offset + problem.objective.iter().zip(&lp.values).map(|(c, x)| c * x).sum::<f64>();
    Ok(Some(Relaxed::new(lp.values, lp.reduced_costs, bound)))
}

/// The solution of that LP, over all columns. What cannot move has no reduced cost.
fn solve(problem: &Problem, seconds: f64, stopped: impl FnMut() -> bool) -> Result<Solved<LpSolution>> {
    let trimmed = trim(problem).strengthened();
    let left = condensed(&trimmed.left.problem).problem;
    Ok(match Lp::new(&left)?.solve(seconds, stopped)? {
        Solved::Optimal(LpSolution { values, reduced_costs }) => {
            let mut costs = vec![0.0; problem.columns()];
            trimmed.left.origin.iter().zip(&reduced_costs).for_each(|(&j, &cost)| costs[j] = cost);
            let values = trimmed.whole(&values[..trimmed.left.origin.len()]);
            Solved::Optimal(LpSolution { values, reduced_costs: costs })
        }
        Solved::NoOptimum => Solved::NoOptimum,
        Solved::Stopped => Solved::Stopped,
    })
}

impl Predictor for Relaxation<'_> {
    fn name(&self) -> String {
        "relaxation".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> Result<Prediction> {
        Ok(Prediction::new(self.relax(question)?.probability))
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
