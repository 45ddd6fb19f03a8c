//! A problem without what can be seen to be useless: columns that cannot move, or that no good solution
//! moves, and rows that cannot be violated.
//!
//! A neighbourhood is a copy of the problem, made hundreds of times: of the 61,000 columns and 64,000
//! rows of a workload-apportionment instance a tenth is left, and SCIP's presolve need not find that
//! out each time.

use crate::problem::{Fixings, Kind, Problem, Reduced, Rows};
use crate::relaxation::Relaxed;
use crate::strengthen::strengthened;

/// What is left of a problem, with the columns that were fixed by their own bounds.
#[derive(Clone, Debug)]
pub struct Trimmed {
    /// The columns that could not move.
    pub fixed: Fixings,
    /// What is left.
    pub left: Reduced,
}

/// Leaves out columns with equal bounds, and rows that hold whatever the values are.
pub fn trim(problem: &Problem) -> Trimmed {
    trim_with(problem, Fixings::new())
}

/// The same where these columns cannot move either.
pub fn trim_with(problem: &Problem, mut settled: Fixings) -> Trimmed {
    let stuck = (0..problem.columns()).filter(|&j| problem.lower[j] == problem.upper[j]);
    settled.extend(stuck.map(|j| (j, problem.lower[j])));
    without(problem, settled)
}

/// The same for these columns, and rows that hold without them.
fn without(problem: &Problem, fixed: Fixings) -> Trimmed {
    let mut left = problem.reduce(&fixed);
    let all = std::mem::take(&mut left.problem.rows);
    let mut needed = Rows::default();
    for i in 0..all.len() {
        let (lowest, highest) = activity(&left.problem, all.terms(i));
        if lowest < all.lhs[i] || highest > all.rhs[i] {
            needed.push(all.lhs[i], all.terms(i), all.rhs[i]);
        }
    }
    left.problem.rows = needed;
    Trimmed { fixed, left }
}

/// The least and the greatest value that the terms of a row can have.
fn activity(problem: &Problem, terms: impl Iterator<Item = (usize, f64)>) -> (f64, f64) {
    terms.fold((0.0, 0.0), |(lowest, highest), (j, a)| {
        let (lower, upper) = (problem.lower[j], problem.upper[j]);
        if a > 0.0 {
            (lowest + a * lower, highest + a * upper)
        } else if a < 0.0 {
            (lowest + a * upper, highest + a * lower)
        } else {
            (lowest, highest) // 0 · ∞ is no number
        }
    })
}

impl Trimmed {
    /// The same with the rows that make its relaxation tighter.
    pub fn strengthened(mut self) -> Trimmed {
        self.left.problem = strengthened(self.left.problem);
        self
    }

    /// Leaves out what no solution up to the objective `cutoff` moves: a discrete column at one of its
    /// bounds whose reduced cost alone would make it worse than that. `relaxed` is the relaxation of
    /// what is left now.
    pub fn cut_off(&self, relaxed: &Relaxed, cutoff: f64) -> Trimmed {
        let problem = &self.left.problem;
        let room = cutoff - relaxed.bound + 1e-6 * cutoff.abs().max(1.0);
        let mut fixed = Fixings::new();
        for j in (0..problem.columns()).filter(|&j| problem.kind[j] != Kind::Continuous) {
            let (value, cost) = (relaxed.values[j], relaxed.reduced_costs[j]);
            for (bound, cost) in [(problem.lower[j], cost), (problem.upper[j], -cost)] {
                if cost > room && (value - bound).abs() < 1e-9 {
                    fixed.insert(j, bound);
                }
            }
        }
        let Trimmed { fixed: inner, left } = without(problem, fixed);
        let mut fixed = self.fixed.clone();
        fixed.extend(inner.into_iter().map(|(j, value)| (self.left.origin[j], value)));
        let origin = left.origin.iter().map(|&j| self.left.origin[j]).collect();
        Trimmed { fixed, left: Reduced { problem: left.problem, origin } }
    }

    /// Whether a point of the whole problem has what was left out where it is.
    pub fn has(&self, whole: &[f64]) -> bool {
        self.fixed.iter().all(|(&j, &value)| (whole[j] - value).abs() < 0.5)
    }

    /// A point of the whole problem as a point of what is left.
    pub fn part(&self, whole: &[f64]) -> Vec<f64> {
        self.left.origin.iter().map(|&j| whole[j]).collect()
    }

    /// A point of what is left as a point of the whole problem.
    pub fn whole(&self, values: &[f64]) -> Vec<f64> {
        let mut whole = vec![0.0; self.fixed.len() + values.len()];
        for (&j, &value) in &self.fixed {
            whole[j] = value;
        }
        for (&j, &value) in self.left.origin.iter().zip(values) {
            whole[j] = value;
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Kind;

    #[test]
    fn only_what_can_matter_is_left() {
        let mut problem = Problem::default();
        problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        problem.add_column(5.0, 2.0, 2.0, Kind::Continuous);
        problem.add_column(1.0, 0.0, f64::INFINITY, Kind::Continuous);
        problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (1, 1.0)], 3.0); // x0 ≤ 1
        problem.rows.push(1.0, [(0, 1.0), (2, 1.0)], f64::INFINITY);
        problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (2, 1.0)], 4.0);
        let trimmed = trim(&problem);
        assert_eq!(trimmed.left.origin, [0, 2]);
        assert_eq!(trimmed.left.problem.rows.len(), 2, "the first row cannot be violated");
        assert_eq!(trimmed.left.problem.offset, 10.0);
        assert_eq!(trimmed.whole(&[1.0, 3.0]), [1.0, 2.0, 3.0]);
    }
}
