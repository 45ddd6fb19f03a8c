//! Colour refinement: a number for every column and row, the same for those that could be exchanged.

use super::exchange::WORK;
use crate::problem::{Kind, Problem};

/// The bits of a number, one pattern for both zeros.
pub(super) fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// Spreads every bit over all of them (splitmix64).
pub(super) fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What an entry adds to the colour of the node at its other end.
pub(super) fn along(entry: u64, colour: u64) -> u64 {
    mix(colour.wrapping_add(entry.wrapping_mul(0xd6e8_feb8_6659_fd93)))
}

/// A number for every column and row; those that an automorphism exchanges have the same.
pub(super) struct Colours {
    pub(super) column: Vec<u64>,
    pub(super) row: Vec<u64>,
}

impl Colours {
    /// Colour refinement: a node's colour takes in those of its neighbours until that tells no more
    /// columns apart, or until every integer variable has a colour of its own.
    pub(super) fn refine(problem: &Problem, work: &mut u64) -> Colours {
        let together = |parts: [u64; 4]| parts.into_iter().fold(0, |hash, part| mix(hash ^ part));
        let mut column: Vec<u64> = (0..problem.columns())
            .map(|j| {
                let numbers = [problem.objective[j], problem.lower[j], problem.upper[j]].map(bits);
                together([numbers[0], numbers[1], numbers[2], problem.kind[j] as u64])
            })
            .collect();
        let rows = &problem.rows;
        let mut row: Vec<u64> =
            (0..rows.len()).map(|i| together([bits(rows.lhs[i]), bits(rows.rhs[i]), 0, 1])).collect();
        let discrete = problem.kind.iter().filter(|&&kind| kind != Kind::Continuous).count();
        let (mut known, mut told_apart) = distinct(problem, &column);
        // Half of the work at most: a long chain takes as many rounds as it has links.
        while told_apart < discrete && *work < WORK / 2 {
            let mut sum = vec![0u64; column.len()];
            for (i, row) in row.iter_mut().enumerate() {
                let terms = || rows.terms(i).map(|(j, a)| (j, bits(a)));
                let seen = terms().fold(0u64, |seen, (j, a)| seen.wrapping_add(along(a, column[j])));
                *row = mix(row.wrapping_add(mix(seen)));
                for (j, a) in terms() {
                    sum[j] = sum[j].wrapping_add(along(a, *row));
                }
            }
            for (colour, sum) in column.iter_mut().zip(sum) {
                *colour = mix(colour.wrapping_add(mix(sum)));
            }
            *work += 2 * problem.nonzeros() as u64 + column.len() as u64;
            let all;
            (all, told_apart) = distinct(problem, &column);
            if all <= known {
                break;
            }
            known = all;
        }
        Colours { column, row }
    }

    /// The integer variables that share a colour, as lists, in the order of their first members.
    pub(super) fn classes(&self, problem: &Problem) -> Vec<Vec<usize>> {
        let mut columns: Vec<usize> =
            (0..problem.columns()).filter(|&j| problem.kind[j] != Kind::Continuous).collect();
        columns.sort_by_key(|&j| (self.column[j], j));
        let mut classes: Vec<Vec<usize>> = columns
            .chunk_by(|&a, &b| self.column[a] == self.column[b])
            .filter(|class| class.len() > 1)
            .map(<[usize]>::to_vec)
            .collect();
        classes.sort();
        classes
    }
}

/// How many colours all columns have, and how many the integer variables.
fn distinct(problem: &Problem, column: &[u64]) -> (usize, usize) {
    let count = |mut colours: Vec<u64>| {
        colours.sort_unstable();
        colours.dedup();
        colours.len()
    };
    let discrete = column.iter().zip(&problem.kind).filter(|&(_, &kind)| kind != Kind::Continuous);
    (count(column.to_vec()), count(discrete.map(|(&colour, _)| colour).collect()))
}
