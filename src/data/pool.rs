//! The best solutions of one problem, distinct in the binaries.

use crate::bits::Interval;
use crate::problem::{Kind, Problem};
use std::collections::HashSet;

/// How many solutions a pool keeps unless told otherwise.
pub const POOL: usize = 50;

/// The temperature of [`Pool::targets`] unless told otherwise: a solution that is 1 % worse than the
/// best counts e times less.
pub const TEMPERATURE: f64 = 0.01;

/// One solution: what is worth keeping of it. Continuous variables follow from the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// 0 or 1 for each binary, in the order of [`Pool::binaries`].
    pub binaries: Vec<u8>,
    /// The value of each general integer, in the order of [`Pool::integers`].
    pub integers: Vec<i64>,
    /// Its objective, in minimisation sense.
    pub objective: f64,
    /// Seconds after which its teacher had it.
    pub seconds: f64,
    /// Who found it.
    pub teacher: Teacher,
}

/// Who found a solution. The numbers are those of the files on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Teacher {
    /// SCIP.
    Scip = 0,
    /// SCIP with Apollo.
    Apollo = 1,
    /// Somebody else: a `.sol` file.
    Import = 2,
    /// A neighbourhood of a solution that one of the others found.
    Neighbourhood = 3,
}

impl Teacher {
    /// All of them, by number.
    pub const ALL: [Teacher; 4] = [Teacher::Scip, Teacher::Apollo, Teacher::Import, Teacher::Neighbourhood];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Teacher::Scip => "scip",
            Teacher::Apollo => "apollo",
            Teacher::Import => "import",
            Teacher::Neighbourhood => "neighbourhood",
        }
    }
}

/// What is wanted of the bits of general integers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BitTargets {
    /// Places in a table with so many bits for each column: those that belong to an integer.
    pub places: Vec<usize>,
    /// For each of them the share of solutions whose bit is 1.
    pub targets: Vec<f64>,
}

/// The best solutions of one problem, the best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// The columns that are binary, ascending.
    pub binaries: Vec<usize>,
    /// The columns that are general integers, ascending.
    pub integers: Vec<usize>,
    /// The solutions, the best first.
    pub solutions: Vec<Solution>,
    capacity: usize,
}

impl Pool {
    /// An empty pool for solutions of this problem.
    pub fn new(problem: &Problem, capacity: usize) -> Pool {
        let of = |kind| (0..problem.columns()).filter(|&j| problem.kind[j] == kind).collect();
        Pool { binaries: of(Kind::Binary), integers: of(Kind::Integer), solutions: vec![], capacity }
    }

    /// A pool as it was kept in a file: sorted and distinct already. It has room for [`POOL`] solutions,
    /// or for those that it has.
    pub(super) fn from_parts(binaries: Vec<usize>, integers: Vec<usize>, solutions: Vec<Solution>) -> Pool {
        let capacity = solutions.len().max(POOL);
        Pool { binaries, integers, solutions, capacity }
    }

    /// The best objective, in minimisation sense.
    pub fn best(&self) -> Option<f64> {
        self.solutions.first().map(|solution| solution.objective)
    }

    /// It holds as many solutions as it may.
    pub fn is_full(&self) -> bool {
        self.solutions.len() >= self.capacity
    }

    /// Takes a solution with all its values; says whether it is among the best and new. Of two that
    /// agree in the binaries the better one stays.
    pub fn insert(&mut self, values: &[f64], objective: f64, seconds: f64, teacher: Teacher) -> bool {
        let binaries = self.binaries.iter().map(|&j| (values[j] > 0.5) as u8).collect();
        let integers = self.integers.iter().map(|&j| values[j].round() as i64).collect();
        self.insert_solution(Solution { binaries, integers, objective, seconds, teacher })
    }

    /// The same for a solution that is one already.
    pub fn insert_solution(&mut self, solution: Solution) -> bool {
        if let Some(twin) = self.solutions.iter().position(|known| known.binaries == solution.binaries) {
            if self.solutions[twin].objective <= solution.objective {
                return false;
            }
            self.solutions.remove(twin);
        }
        let place = self.solutions.partition_point(|known| known.objective <= solution.objective);
        if place >= self.capacity {
            return false;
        }
        self.solutions.insert(place, solution);
        self.solutions.truncate(self.capacity);
        true
    }

    /// Rewrites every solution; those that become alike are one from then on.
    pub fn relabel(&mut self, mut representative: impl FnMut(&Solution) -> Solution) {
        for solution in &mut self.solutions {
            *solution = representative(solution);
        }
        let mut seen = HashSet::new();
        self.solutions.retain(|solution| seen.insert(solution.binaries.clone()));
    }

    /// How much each solution counts: softmax(−objective / temperature), with sum 1. The temperature is
    /// a share of the best objective's magnitude, so that it means the same for every family.
    pub fn weights(&self, temperature: f64) -> Vec<f64> {
        let Some(best) = self.best() else { return vec![] };
        let scale = temperature * best.abs().max(1e-9);
        let weights: Vec<f64> =
            self.solutions.iter().map(|solution| (-(solution.objective - best) / scale).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// For each binary the share of solutions in which it is 1, by their weights: the targets of
    /// training.
    pub fn targets(&self, temperature: f64) -> Vec<f64> {
        let mut targets = vec![0.0; self.binaries.len()];
        for (solution, weight) in self.solutions.iter().zip(self.weights(temperature)) {
            for (target, &value) in targets.iter_mut().zip(&solution.binaries) {
                *target += weight * f64::from(value);
            }
        }
        targets
    }

    /// The same for the bits of the general integers of `problem`, in a table with `width` bits for each
    /// of its columns, the most significant first ([`crate::bits`]). An integer with fewer bits has the
    /// last ones; one with more, or without finite bounds, has none.
    pub fn bit_targets(&self, problem: &Problem, width: usize, temperature: f64) -> BitTargets {
        let weights = self.weights(temperature);
        let mut wanted = BitTargets::default();
        for (k, &j) in self.integers.iter().enumerate() {
            let bounds = Interval::of(problem.lower[j], problem.upper[j]);
            let Some(bounds) = bounds.filter(|bounds| bounds.bits() <= width) else { continue };
            for bit in (0..bounds.bits()).rev() {
                let is_one = |solution: &Solution| bounds.offset(solution.integers[k] as f64) >> bit & 1 == 1;
                let ones = self.solutions.iter().zip(&weights).filter(|(solution, _)| is_one(solution));
                wanted.places.push((j + 1) * width - 1 - bit);
                wanted.targets.push(ones.map(|(_, weight)| weight).sum::<f64>().min(1.0));
            }
        }
        wanted
    }
}

/// The entropy of a yes-or-no question with this probability, in nats.
pub fn entropy(p: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    part(p) + part(1.0 - p)
}

/// The mean entropy of some targets; 0 without any.
pub fn mean_entropy(targets: &[f64]) -> f64 {
    targets.iter().map(|&p| entropy(p)).sum::<f64>() / targets.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> Problem {
        let mut problem = Problem::default();
        problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        problem.add_column(1.0, 0.0, 9.0, Kind::Integer);
        problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        problem.add_column(1.0, 0.0, 1.0, Kind::Continuous);
        problem
    }

    #[test]
    fn the_best_distinct_ones_stay() {
        let mut pool = Pool::new(&problem(), 2);
        assert!(pool.insert(&[0.0, 3.0, 1.0, 0.5], 5.0, 0.0, Teacher::Scip));
        assert!(!pool.insert(&[1e-9, 7.0, 1.0, 0.0], 6.0, 0.0, Teacher::Scip), "a worse twin");
        assert!(pool.insert(&[0.0, 2.0, 1.0 - 1e-9, 0.0], 4.0, 0.0, Teacher::Scip), "a better twin");
        assert!(pool.insert(&[1.0, 2.0, 1.0, 0.0], 9.0, 0.0, Teacher::Scip));
        assert!(pool.insert(&[0.0, 2.0, 0.0, 0.0], 3.0, 0.0, Teacher::Scip));
        assert!(!pool.insert(&[1.0, 2.0, 0.0, 0.0], 8.0, 0.0, Teacher::Scip), "full of better ones");
        let kept: Vec<_> = pool.solutions.iter().map(|s| (s.objective, s.binaries.clone())).collect();
        assert_eq!(kept, [(3.0, vec![0, 0]), (4.0, vec![0, 1])]);
        assert_eq!(pool.solutions[1].integers, [2]);
    }

    #[test]
    fn targets_prefer_the_better_ones_and_never_overflow() {
        let mut pool = Pool::new(&problem(), 9);
        pool.insert(&[0.0, 0.0, 1.0, 0.0], -97_000.0, 0.0, Teacher::Scip);
        pool.insert(&[1.0, 0.0, 1.0, 0.0], -96_000.0, 0.0, Teacher::Scip);
        let targets = pool.targets(0.01);
        assert_eq!(targets[1], 1.0);
        assert!(targets[0] > 0.0 && targets[0] < 0.5, "{targets:?}");
        assert!((mean_entropy(&[0.5, 0.0]) - 0.5 * 2f64.ln()).abs() < 1e-12);
    }
    #[test]
    fn bits_are_shares_of_solutions_too() {
        let mut problem = problem();
        (problem.lower[1], problem.upper[1]) = (2.0, 11.0); // 0 … 9 above the bound: four bits
        problem.add_column(1.0, 0.0, f64::INFINITY, Kind::Integer);
        problem.add_column(1.0, -1.0, 0.0, Kind::Integer);
        let mut pool = Pool::new(&problem, 9);
        pool.insert(&[0.0, 7.0, 1.0, 0.5, 40.0, -1.0], 100.0, 0.0, Teacher::Scip); // 0101 and 0
        pool.insert(&[1.0, 11.0, 1.0, 0.5, 40.0, 0.0], 100.0, 0.0, Teacher::Scip); // 1001 and 1
        let BitTargets { places, targets } = pool.bit_targets(&problem, 5, TEMPERATURE);
        assert_eq!(places, [6, 7, 8, 9, 29], "the last four of the second row, the last of the sixth");
        assert_eq!(targets, [0.5, 0.5, 0.0, 1.0, 0.5]);
        assert_eq!(pool.bit_targets(&problem, 3, TEMPERATURE).places, [17], "four bits are too many");
    }
}
