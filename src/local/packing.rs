//! A local search over packings: where every row lets at most one of its columns be 1 (bids for the same item,
//! jobs on the same machine at the same time), a move is to put one column in and to take out whatever is in
//! its way.
//!
//! Every point is feasible, and simulated annealing decides: a move that is worse by δ is made with
//! probability e^{−δ/T}, and T falls from what a column is worth to a small part of it. On auctions a tenth
//! of a second of this is as good as seconds of [flips](super::flips), and ten seconds are no better: what
//! differs is where it ends. So there are many short anneals, and their ends evolve: a child anneals over
//! what either of two parents has, then over everything, and takes the place of the worse one, until all are
//! much the same.

use crate::dice::Dice;
use crate::problem::{Kind, Problem};

/// Where an anneal begins and ends, as multiples of what a column is worth in the mean. Measured on auctions: a
/// third or four times as much is a little worse.
const FROM_NOTHING: [f64; 2] = [1.0, 0.05];
const CHILD: [f64; 2] = [0.1, 0.05];
const POLISH: [f64; 2] = [0.15, 0.03];

/// Moves that are tried for each column, from nothing and for a child, and the most for all.
const SWEEPS: usize = 1_000;
const CHILD_SWEEPS: usize = 200;
const MOST: usize = 3_000_000;

/// So many begin before anybody has children.
const BEGINNERS: usize = 30;

/// After so many children who are no better than the best everything has been seen.
const PATIENCE: u32 = 100;

/// The clock is read once in so many moves that are tried: about a millisecond.
const CHECKED_EVERY: usize = 20_000;

/// The most conflicts that are kept: where rows are long, flips do.
const MOST_CONFLICTS: usize = 5_000_000;

/// A problem of binaries and rows Σ x ≤ 1.
pub(crate) struct Packing {
    /// The columns that share a row with each column.
    conflicts: Vec<Vec<u32>>,
    /// How much each column lowers the objective.
    worth: Vec<f64>,
    /// The columns that lower it at all, and what they are worth in the mean.
    useful: Vec<u32>,
    mean: f64,
    offset: f64,
}

/// A packing of some columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packed {
    pub(crate) worth: f64,
    pub(crate) is_in: Vec<bool>,
}

impl Packing {
    /// None if the problem is anything else, nothing is to be gained, or too much is in the way of everything.
    pub(crate) fn of(problem: &Problem) -> Option<Packing> {
        let rows = &problem.rows;
        let is_packing = |i: usize| {
            rows.rhs[i] == 1.0
                && rows.lhs[i] <= 0.0
                && rows.terms(i).all(|(_, coefficient)| coefficient == 1.0)
        };
        let is_binary =
            |j: usize| problem.kind[j] == Kind::Binary && problem.lower[j] == 0.0 && problem.upper[j] == 1.0;
        if !(0..problem.columns()).all(is_binary) || !(0..rows.len()).all(is_packing) {
            return None;
        }
        let length = |i: usize| rows.start[i + 1] - rows.start[i];
        if (0..rows.len()).map(|i| length(i).saturating_mul(length(i))).sum::<usize>() > MOST_CONFLICTS {
            return None;
        }
        let mut conflicts: Vec<Vec<u32>> = vec![vec![]; problem.columns()];
        for i in 0..rows.len() {
            for (a, _) in rows.terms(i) {
                conflicts[a].extend(rows.terms(i).map(|(b, _)| b as u32).filter(|&b| b as usize != a));
            }
        }
        for others in &mut conflicts {
            others.sort_unstable();
            others.dedup();
        }
        let worth: Vec<f64> = problem.objective.iter().map(|cost| -cost).collect();
        let useful: Vec<u32> = (0..worth.len()).filter(|&j| worth[j] > 0.0).map(|j| j as u32).collect();
        let mean = useful.iter().map(|&j| worth[j as usize]).sum::<f64>() / useful.len().max(1) as f64;
        (!useful.is_empty()).then_some(Packing { conflicts, worth, useful, mean, offset: problem.offset })
    }

    /// The objective of a packing.
    pub(crate) fn objective(&self, packed: &Packed) -> f64 {
        self.offset - packed.worth
    }

    /// Sums up anew: what was added and subtracted a million times is not exact.
    fn exactly(&self, is_in: Vec<bool>) -> Packed {
        let worth = self.useful.iter().filter(|&&j| is_in[j as usize]).map(|&j| self.worth[j as usize]).sum();
        Packed { worth, is_in }
    }

    /// Lets packings evolve until they have come to an end (true) or the time has. `progress` says how much of
    /// it is over, from 0 to 1; `found` is told points below the objective `target`, and says what the target
    /// is then.
    pub(crate) fn evolve(
        &self,
        packings: &mut Vec<Packed>,
        mut target: f64,
        seed: u64,
        mut progress: impl FnMut() -> f64,
        mut found: impl FnMut(f64, &[f64]) -> f64,
    ) -> bool {
        let mut dice = Dice::new("packing", seed, 0);
        let mut over = || progress() >= 1.0;
        let nothing = self.exactly(vec![false; self.worth.len()]);
        let best = |packings: &[Packed]| packings.iter().map(|packed| packed.worth).fold(0.0, f64::max);
        let (mut most, mut in_vain) = (best(packings), 0);
        while in_vain < PATIENCE {
            let (next, is_over, place);
            if packings.len() < BEGINNERS {
                (next, is_over) =
                    self.anneal(&self.useful, &nothing, FROM_NOTHING, SWEEPS, &mut dice, &mut over);
                place = packings.len();
            } else {
                let mother = dice.below(BEGINNERS);
                let father = (mother + 1 + dice.below(BEGINNERS - 1)) % BEGINNERS;
                let [a, b] = [mother, father].map(|parent| &packings[parent]);
                let better = if a.worth < b.worth { b } else { a };
                place = if a.worth < b.worth { mother } else { father };
                let either = |j: &u32| a.is_in[*j as usize] || b.is_in[*j as usize];
                let either: Vec<u32> = self.useful.iter().copied().filter(either).collect();
                let (child, _) = self.anneal(&either, better, CHILD, CHILD_SWEEPS, &mut dice, &mut over);
                (next, is_over) =
                    self.anneal(&self.useful, &child, POLISH, CHILD_SWEEPS, &mut dice, &mut over);
            }
            if self.objective(&next) < target {
                let values: Vec<f64> = next.is_in.iter().map(|&is_in| f64::from(u8::from(is_in))).collect();
                target = found(self.objective(&next), &values);
            }
            in_vain = if next.worth > most || packings.len() < BEGINNERS { 0 } else { in_vain + 1 };
            most = most.max(next.worth);
            if place < packings.len() {
                packings[place] = next; // never worse than the better parent
            } else if !is_over {
                packings.push(next); // what was interrupted is not ready
            }
            if is_over {
                return false;
            }
        }
        true
    }

    /// One anneal over some columns: the best packing on the way, and whether the time is over.
    fn anneal(
        &self,
        columns: &[u32],
        start: &Packed,
        [hot, cold]: [f64; 2],
        sweeps: usize,
        dice: &mut Dice,
        over: &mut impl FnMut() -> bool,
    ) -> (Packed, bool) {
        let mut at =
            Point { is_in: start.is_in.clone(), lost: vec![0.0; self.worth.len()], worth: start.worth };
        for &j in self.useful.iter().filter(|&&j| start.is_in[j as usize]) {
            self.conflicts[j as usize]
                .iter()
                .for_each(|&other| at.lost[other as usize] += self.worth[j as usize]);
        }
        let mut best = start.clone();
        let checks = (sweeps * columns.len()).min(MOST).div_ceil(CHECKED_EVERY);
        let mut is_over = false;
        for check in 0..checks {
            is_over = over();
            if is_over {
                break;
            }
            let temperature = hot * self.mean * (cold / hot).powf(check as f64 / checks as f64);
            for _ in 0..CHECKED_EVERY {
                let j = columns[dice.below(columns.len())];
                if at.is_in[j as usize] {
                    continue;
                }
                let gain = self.worth[j as usize] - at.lost[j as usize];
                if gain < 0.0 && dice.unit() >= (gain / temperature).exp() {
                    continue;
                }
                self.put(&mut at, j);
                if at.worth > best.worth + 1e-9 * best.worth {
                    best.worth = at.worth;
                    best.is_in.clone_from(&at.is_in);
                }
            }
        }
        (self.exactly(best.is_in), is_over)
    }

    /// Puts a column in, and takes out what is in its way.
    fn put(&self, at: &mut Point, j: u32) {
        let worth = self.worth[j as usize];
        for &other in &self.conflicts[j as usize] {
            if std::mem::take(&mut at.is_in[other as usize]) {
                let lost = self.worth[other as usize];
                at.worth -= lost;
                self.conflicts[other as usize].iter().for_each(|&next| at.lost[next as usize] -= lost);
            }
            at.lost[other as usize] += worth;
        }
        at.is_in[j as usize] = true;
        at.worth += worth;
    }
}

/// Where an anneal is: what is in, what all of it is worth, and what is in the way of each column.
struct Point {
    is_in: Vec<bool>,
    worth: f64,
    lost: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::generate;

    /// The best objective after so many looks at the clock, and the packings at the end.
    fn best(problem: &Problem, looks: u32, seed: u64) -> (f64, Vec<Packed>) {
        let (mut best, mut looked, mut packings) = (f64::INFINITY, 0, vec![]);
        let progress = || {
            looked += 1;
            f64::from(looked - 1) / f64::from(looks)
        };
        let packing = Packing::of(problem).unwrap();
        packing.evolve(&mut packings, f64::INFINITY, seed, progress, |objective, point| {
            assert!(problem.violation(point) < 1e-9, "what is told is feasible");
            let right: f64 = problem.objective.iter().zip(point).map(|(c, x)| c * x).sum();
            assert!((objective - problem.offset - right).abs() < 1e-6 * right.abs(), "{objective} {right}");
            assert!(objective < best, "and better");
            best = objective;
            best
        });
        (best, packings)
    }

    #[test]
    fn small_packings_are_solved() {
        for seed in 0..20 {
            let mut dice = Dice::new("small", seed, 0);
            let mut problem = Problem { offset: 3.0, ..Problem::default() };
            (0..12).for_each(|_| {
                problem.add_column(-dice.between(1.0, 10.0), 0.0, 1.0, Kind::Binary);
            });
            problem.objective[11] = 1.0; // never of use
            for _ in 0..10 {
                let mut columns: Vec<usize> = (0..12).collect();
                dice.shuffle_front(&mut columns, 4);
                problem.rows.push(f64::NEG_INFINITY, columns[..4].iter().map(|&j| (j, 1.0)), 1.0);
            }
            let optimum = (0..1u32 << 12)
                .filter_map(|set| {
                    let point: Vec<f64> = (0..12).map(|j| f64::from(set >> j & 1)).collect();
                    let value: f64 = problem.objective.iter().zip(&point).map(|(c, x)| c * x).sum();
                    (problem.violation(&point) < 1e-9).then_some(3.0 + value)
                })
                .fold(f64::INFINITY, f64::min);
            let (found, packings) = best(&problem, 60, seed);
            assert!((found - optimum).abs() < 1e-6, "{seed}: {found}, not {optimum}");
            assert_eq!(packings.len(), BEGINNERS);
        }
    }

    #[test]
    fn auctions_are_packings_and_the_same_seed_gives_the_same() {
        let problem = generate("ca-small", &[], 1, 0).unwrap().problem;
        let found = best(&problem, 200, 1);
        assert_eq!(found, best(&problem, 200, 1));
        assert!(found.0 < best(&problem, 2, 1).0, "time helps");
    }

    #[test]
    fn other_problems_are_not() {
        let small: [(&str, &[(&str, &str)]); 2] = [("sc", &[("rows", "50"), ("columns", "80")]), ("ip", &[])];
        for (family, options) in small {
            assert!(Packing::of(&generate(family, options, 1, 0).unwrap().problem).is_none());
        }
    }
}
