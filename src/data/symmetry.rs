//! Interchangeable parts of a problem, and one representative for all solutions that differ only by
//! exchanging them.
//!
//! Labels are averages over a pool of good solutions. Where the bins of a placement, the machines of a
//! schedule or the colours of a colouring can be exchanged, a permuted solution is as good, and the
//! average over ten bins says 0.1 everywhere. [`Symmetry::canonical`] writes every solution with its
//! parts in one and the same order before anybody averages.
//!
//! Detection guesses, then proves:
//!
//! 1. Colour refinement sorts columns and rows into classes; what is in different classes is never
//!    exchanged. Most problems end here, every integer variable alone in its class.
//! 2. For two members u and v of a class, everything that must move with them is collected: rows of u
//!    that do not contain v go to rows of v, what only one of two such rows contains goes to what only
//!    the other contains, and so on. Alike candidates are paired in the order in which the problem
//!    lists them: models are written by loops, so this is nearly always right. The search looks at the
//!    two parts and nothing else, so that a failure is cheap too.
//! 3. The exchange counts only if it maps the problem onto itself, compared in full. A wrong guess and
//!    a collision of hashes cost a symmetry, never correctness.
//!
//! Exchanges of one and the same part with several others generate every order of these parts.

mod colours;
mod exchange;

use super::pool::{Pool, Solution};
use crate::problem::{Kind, Problem};
use colours::Colours;
use exchange::Search;
use pathfinding::{kuhn_munkres::kuhn_munkres, matrix::Matrix};
use std::collections::HashMap;

/// Above this many blocks without a twin, pairs are taken greedily: the exact assignment is cubic.
const ASSIGNED_EXACTLY: usize = 256;

/// Blocks of variables that may be exchanged freely.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// `blocks[b][i]` is column i of block b. All blocks are equally long, and exchanging any two of
    /// them, position by position, maps the problem onto itself.
    pub blocks: Vec<Vec<usize>>,
}

/// What may be exchanged in a problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symmetry {
    /// Groups that have no column in common.
    pub groups: Vec<Blocks>,
}

impl Symmetry {
    /// The interchangeable blocks of a problem that have an integer variable in them.
    ///
    /// Not all symmetry is of this kind, and a large problem is given up on after a while; but what is
    /// returned is there.
    pub fn of(problem: &Problem) -> Symmetry {
        let mut work = 0;
        let colours = Colours::refine(problem, &mut work);
        let classes = colours.classes(problem);
        if classes.is_empty() {
            return Symmetry::default();
        }
        let mut search = Search::new(problem, colours, work);
        Symmetry { groups: classes.iter().flat_map(|class| search.groups(class)).collect() }
    }

    /// Rewrites every solution of the pool with its blocks in a canonical order: those of the best
    /// solution by what is in them, those of the others so that as much as possible agrees with it.
    pub fn canonical(&self, problem: &Problem, pool: &mut Pool) {
        if pool.solutions.is_empty() {
            return;
        }
        let weight = weights(problem);
        let arrangements: Vec<Arrangement> = self
            .groups
            .iter()
            .map(|group| Arrangement::new(group, problem, &weight, pool))
            .filter(|arrangement| !arrangement.places[0].is_empty())
            .collect();
        let mut best = pool.solutions[0].clone();
        for arrangement in &arrangements {
            let contents = arrangement.sorted(&best);
            arrangement.write(&contents, &mut best);
        }
        let targets: Vec<Vec<Vec<i64>>> =
            arrangements.iter().map(|arrangement| arrangement.read(&best)).collect();
        // The best itself agrees with `best` in everything and becomes it.
        pool.relabel(|solution| {
            let mut solution = solution.clone();
            for (arrangement, target) in arrangements.iter().zip(&targets) {
                // Sorted first, so that the result does not depend on the order the solution came in.
                let contents = arrangement.sorted(&solution);
                arrangement.write(&closest(target, contents), &mut solution);
            }
            solution
        });
    }
}

/// How much each column weighs in its rows: the sum over them of its coefficient relative to the
/// largest.
///
/// The sum rather than the maximum: in a row "exactly one of these" all weigh the same, and the maximum
/// would be 1 for every column of such a row, the largest item like the smallest.
fn weights(problem: &Problem) -> Vec<f64> {
    let mut weight = vec![0.0; problem.columns()];
    for i in 0..problem.rows.len() {
        let largest = problem.rows.terms(i).map(|(_, a)| a.abs()).fold(f64::MIN_POSITIVE, f64::max);
        for (j, a) in problem.rows.terms(i) {
            weight[j] += a.abs() / largest;
        }
    }
    weight
}

/// Where in a solution the integer variables of a group are.
struct Arrangement {
    /// `places[b][i]`: the i-th heaviest variable of block b, as a place among the pool's binaries, or
    /// behind them among its integers.
    places: Vec<Vec<usize>>,
}

impl Arrangement {
    fn new(group: &Blocks, problem: &Problem, weight: &[f64], pool: &Pool) -> Arrangement {
        let first = &group.blocks[0];
        let mut positions: Vec<usize> =
            (0..first.len()).filter(|&i| problem.kind[first[i]] != Kind::Continuous).collect();
        // By the first block for all of them: sums over rows in another order differ in the last bit.
        positions.sort_by(|&a, &b| weight[first[b]].total_cmp(&weight[first[a]]));
        let place = |j: usize| match pool.binaries.binary_search(&j) {
            Ok(place) => place,
            Err(_) => pool.binaries.len() + pool.integers.binary_search(&j).expect("an integer variable"),
        };
        let places =
            group.blocks.iter().map(|block| positions.iter().map(|&i| place(block[i])).collect()).collect();
        Arrangement { places }
    }

    /// What is in each block.
    fn read(&self, solution: &Solution) -> Vec<Vec<i64>> {
        let value = |&place: &usize| match solution.binaries.get(place) {
            Some(&binary) => i64::from(binary),
            None => solution.integers[place - solution.binaries.len()],
        };
        self.places.iter().map(|block| block.iter().map(value).collect()).collect()
    }

    /// What is in the blocks, the largest first.
    fn sorted(&self, solution: &Solution) -> Vec<Vec<i64>> {
        let mut contents = self.read(solution);
        contents.sort_by(|a, b| b.cmp(a));
        contents
    }

    /// Fills the blocks.
    fn write(&self, contents: &[Vec<i64>], solution: &mut Solution) {
        let binaries = solution.binaries.len();
        for (&place, &value) in self.places.iter().flatten().zip(contents.iter().flatten()) {
            if place < binaries {
                solution.binaries[place] = value as u8;
            } else {
                solution.integers[place - binaries] = value;
            }
        }
    }
}

/// The contents in the order that agrees with the target in the most places.
fn closest(target: &[Vec<i64>], contents: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    // Twins first. Some best assignment has them as pairs: places that differ are a metric, so whatever
    // it pairs twins with agrees among itself at least as well. With many identical columns hardly
    // anything is left for the assignment problem. Of several twins the one in place: both are sorted,
    // and what has no twin then tends to stay sorted too.
    let in_place = |t: usize| target[t] == contents[t];
    let mut source: Vec<Option<usize>> = (0..target.len()).map(|t| in_place(t).then_some(t)).collect();
    let mut free: HashMap<&[i64], Vec<usize>> = HashMap::new();
    for t in (0..target.len()).rev().filter(|&t| !in_place(t)) {
        free.entry(&target[t]).or_default().push(t);
    }
    let mut rest = vec![];
    for s in (0..contents.len()).filter(|&s| !in_place(s)) {
        match free.get_mut(contents[s].as_slice()).and_then(Vec::pop) {
            Some(t) => source[t] = Some(s),
            None => rest.push(s),
        }
    }
    let open: Vec<usize> = (0..target.len()).filter(|&t| source[t].is_none()).collect();
    let agreement =
        |t: usize, s: usize| target[t].iter().zip(&contents[s]).filter(|(a, b)| a == b).count() as i64;
    if open.len() > ASSIGNED_EXACTLY {
        for &t in &open {
            // The first of the best: `max_by_key` would take the last.
            let (k, _) = rest
                .iter()
                .enumerate()
                .rev()
                .max_by_key(|&(_, &s)| agreement(t, s))
                .expect("as many as open");
            source[t] = Some(rest.remove(k));
        }
    } else if !open.is_empty() {
        let (_, chosen) =
            kuhn_munkres(&Matrix::from_fn(open.len(), rest.len(), |(t, s)| agreement(open[t], rest[s])));
        for (&t, s) in open.iter().zip(chosen) {
            source[t] = Some(rest[s]);
        }
    }
    source.into_iter().map(|s| contents[s.expect("every block is assigned")].clone()).collect()
}

#[cfg(test)]
mod tests;
