//! Rows that are nearly the same, written with one variable for what they share.
//!
//! Some models say the same long sum many times with one term left out each time: "the load must be
//! carried whichever worker fails" is `Σ_{t ≠ u} r_t ≥ load` for every u. With a new variable
//! z = Σ_t r_t these are `z − r_u ≥ load`: two nonzeros instead of fifty. Nothing changes but the speed
//! of the simplex method, and that by a lot.

use crate::problem::{Kind, Problem, Rows};
use std::borrow::Cow;

/// Shorter rows are not worth a variable.
const LONG: usize = 8;

/// Fewer rows are not worth one either.
const MANY: usize = 4;

/// The same problem, with a new continuous column at the end for each sum that many consecutive rows
/// share but for one term.
#[derive(Clone, Debug)]
pub struct Condensed<'a> {
    /// The problem in short; the one that was asked about if no rows share a sum.
    pub problem: Cow<'a, Problem>,
    /// The terms of each sum, in the order of the new columns.
    sums: Vec<Vec<(usize, f64)>>,
}

impl Condensed<'_> {
    /// No rows share a sum.
    pub fn is_nothing_new(&self) -> bool {
        self.sums.is_empty()
    }

    /// The same without the problem that was asked about.
    pub fn into_owned(self) -> Condensed<'static> {
        Condensed { problem: Cow::Owned(self.problem.into_owned()), sums: self.sums }
    }

    /// A point of the problem that was asked about, with the values of the sums behind it.
    pub fn complete(&self, mut point: Vec<f64>) -> Vec<f64> {
        let sum = |terms: &Vec<(usize, f64)>| terms.iter().map(|&(j, a)| a * point[j]).sum::<f64>();
        let sums: Vec<f64> = self.sums.iter().map(sum).collect();
        point.extend(sums);
        point
    }
}

/// Writes a problem in short.
pub fn condensed(problem: &Problem) -> Condensed<'_> {
    let families = families(&problem.rows);
    if families.is_empty() {
        return Condensed { problem: Cow::Borrowed(problem), sums: vec![] };
    }
    let mut short = Problem { rows: Rows::default(), ..problem.clone() };
    let (mut next, mut sums) = (0, vec![]);
    for Family { first, end, sum } in families {
        copy(problem, next..first, &mut short.rows);
        next = end;
        let (least, most) = range(problem, &sum);
        let z = short.add_column(0.0, least, most, Kind::Continuous);
        short.rows.push(0.0, sum.iter().copied().chain([(z, -1.0)]), 0.0);
        for i in first..end {
            let row = sorted(&problem.rows, i);
            let missing = missing(&sum, &row).map(|(j, a)| (j, -a));
            short.rows.push(problem.rows.lhs[i], [(z, 1.0)].into_iter().chain(missing), problem.rows.rhs[i]);
        }
        sums.push(sum);
    }
    copy(problem, next..problem.rows.len(), &mut short.rows);
    Condensed { problem: Cow::Owned(short), sums }
}

/// Consecutive rows, each of which is a sum without at most one of its terms.
struct Family {
    first: usize,
    end: usize,
    sum: Vec<(usize, f64)>,
}

fn families(rows: &Rows) -> Vec<Family> {
    let length = |i: usize| rows.start[i + 1] - rows.start[i];
    let mut found = vec![];
    let mut first = 0;
    while first + 1 < rows.len() {
        let mut end = first + 1;
        // Rows of different lengths share no sum: that spares most comparisons.
        if length(first) >= LONG && length(first).abs_diff(length(first + 1)) <= 1 {
            let sum = union(&sorted(rows, first), &sorted(rows, first + 1));
            let fits = |i: usize| length(i) + 1 >= sum.len() && is_part(&sorted(rows, i), &sum);
            // A column with two coefficients belongs to no sum: LP solvers want each once in a row.
            let once = sum.windows(2).all(|pair| pair[0].0 != pair[1].0);
            if once && fits(first) && fits(first + 1) {
                end = (first + 2..rows.len()).find(|&i| !fits(i)).unwrap_or(rows.len());
                if end - first >= MANY {
                    found.push(Family { first, end, sum });
                    first = end;
                    continue;
                }
            }
        }
        first = end;
    }
    found
}

fn sorted(rows: &Rows, i: usize) -> Vec<(usize, f64)> {
    let mut terms: Vec<(usize, f64)> = rows.terms(i).collect();
    terms.sort_by_key(|term| term.0);
    terms
}

/// The terms of a sum that are not among its part's, both sorted by column.
fn missing<'a>(sum: &'a [(usize, f64)], part: &'a [(usize, f64)]) -> impl Iterator<Item = (usize, f64)> + 'a {
    let mut rest = part.iter().peekable();
    sum.iter().copied().filter(move |term| rest.next_if(|other| *other == term).is_none())
}

/// The terms of both, by column; where they disagree it is of no use to anybody.
fn union(a: &[(usize, f64)], b: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut all = [a, b].concat();
    all.sort_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)));
    all.dedup();
    all
}

/// All of these terms are among those, both sorted by column.
fn is_part(terms: &[(usize, f64)], of: &[(usize, f64)]) -> bool {
    let mut rest = of.iter();
    terms.iter().all(|term| rest.any(|other| other == term))
}

/// The least and the greatest value of a sum.
fn range(problem: &Problem, sum: &[(usize, f64)]) -> (f64, f64) {
    sum.iter().fold((0.0, 0.0), |(least, most), &(j, a)| {
        if a == 0.0 {
            return (least, most); // 0 · ∞ is no number
        }
        let (low, high) =
            if a > 0.0 { (problem.lower[j], problem.upper[j]) } else { (problem.upper[j], problem.lower[j]) };
        (least + a * low, most + a * high)
    })
}

fn copy(problem: &Problem, which: std::ops::Range<usize>, to: &mut Rows) {
    let rows = &problem.rows;
    which.for_each(|i| to.push(rows.lhs[i], rows.terms(i), rows.rhs[i]));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten columns of which any nine must add up to 5, after an unrelated row.
    fn any_nine() -> Problem {
        let mut problem = Problem::default();
        for j in 0..10 {
            problem.add_column(1.0, 0.0, 1.0 + j as f64, Kind::Continuous);
        }
        problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (1, 1.0)], 3.0);
        for out in 0..10 {
            let terms = (0..10).filter(|&j| j != out).map(|j| (j, 1.0 + (j % 2) as f64));
            problem.rows.push(5.0, terms, f64::INFINITY);
        }
        problem.rows.push(f64::NEG_INFINITY, [(3, 1.0)], 2.0);
        problem
    }

    #[test]
    fn a_shared_sum_becomes_a_column() {
        let problem = any_nine();
        let short = condensed(&problem).problem;
        assert_eq!((short.columns(), short.rows.len()), (11, 13));
        assert_eq!(short.nonzeros(), 2 + 11 + 10 * 2 + 1);
        assert_eq!((short.lower[10], short.upper[10]), (0.0, 85.0));
    }

    #[test]
    fn no_column_is_twice_in_a_row() {
        let mut problem = Problem::default();
        (0..10).for_each(|_| {
            problem.add_column(1.0, 0.0, 1.0, Kind::Continuous);
        });
        for row in 0..4 {
            let terms = (0..10).map(|j| (j, if j == 9 { 1.0 + f64::from(row % 2) } else { 1.0 }));
            problem.rows.push(5.0, terms, f64::INFINITY);
        }
        let short = condensed(&problem).problem;
        for i in 0..short.rows.len() {
            let mut columns: Vec<usize> = short.rows.terms(i).map(|term| term.0).collect();
            let all = columns.len();
            columns.sort_unstable();
            columns.dedup();
            assert_eq!(columns.len(), all, "row {i}");
        }
    }

    #[test]
    fn every_point_keeps_what_it_breaks() {
        let problem = any_nine();
        let short = condensed(&problem);
        for k in 0..200 {
            let point: Vec<f64> = (0..10).map(|j| f64::from((k * (j + 3) * 7919) % 100) / 90.0).collect();
            let before = problem.violation(&point);
            let after = short.problem.violation(&short.complete(point));
            assert!((before - after).abs() < 1e-9, "{before} {after}");
        }
    }

    #[test]
    fn rows_that_differ_in_more_stay_as_they_are() {
        let mut problem = any_nine();
        problem.rows.coefficient[9] += 1.0; // one coefficient of one of the first two long rows
        let short = condensed(&problem).problem;
        assert_eq!(short.columns(), 11, "the others still share a sum");
        for i in 0..problem.rows.len() {
            for at in problem.rows.start[i]..problem.rows.start[i + 1] {
                problem.rows.coefficient[at] += 0.01 * i as f64;
            }
        }
        assert!(condensed(&problem).is_nothing_new());
    }
}
