//! Rows that follow from others and make the LP relaxation tighter.
//!
//! A binary y often switches several variables r_k ≥ 0 on (`r_k ≤ u_k y`), and a row limits what they do
//! together (`Σ a_k r_k ≤ c`). With y = 0 all of them are 0, so the limit is really
//!
//! ```text
//! Σ_k a_k r_k ≤ c y
//! ```
//!
//! The same holds for one of them alone: `r ≤ u y` with a larger u than r can ever be is really
//! `r ≤ (the most that r can be) · y`.
//!
//! No integral point is lost, but the relaxation cannot pay for a tenth of a worker any more and have all
//! of him. On a workload-apportionment instance (`wa-500-0`) it rises from 413 to 705 where the optimum is at most 710; SCIP's
//! presolve does not do this, and its cuts get there only slowly. Searches add these rows to their
//! sub-SCIPs; the user's own problem stays as it is.

use crate::problem::{Kind, Problem, Rows};
use std::collections::HashMap;

/// The rows that a problem can be given without losing an integral point.
pub fn strengthen(problem: &Problem) -> Rows {
    let mut found = Rows::default();
    for Stronger { row, sign, y, side } in stronger(problem) {
        let moving = moving(problem, row, sign);
        found.push(f64::NEG_INFINITY, moving.chain([(y, -side)]), 0.0);
    }
    found
}

/// A problem with these rows in place of those that say less, and with switches that allow no more than
/// can be.
pub fn strengthened(mut problem: Problem) -> Problem {
    tighten_switches(&mut problem);
    let more = stronger(&problem);
    if more.is_empty() {
        return problem;
    }
    // Of each column and its switch the least factor u with r ≤ u y that a stronger row implies.
    let mut implied = HashMap::new();
    let mut replaced = HashMap::new();
    for found in &more {
        for (r, a) in moving(&problem, found.row, found.sign) {
            let factor = implied.entry((r, found.y)).or_insert(f64::INFINITY);
            *factor = factor.min(found.side / a);
        }
        replaced.insert(found.row, found);
    }
    let mut rows = Rows::default();
    for i in 0..problem.rows.len() {
        let (lhs, rhs) = (problem.rows.lhs[i], problem.rows.rhs[i]);
        match (replaced.get(&i), switch(&problem, i)) {
            // Σ a r ≤ c follows from Σ a r ≤ c y. Another side, as of an equation, stays.
            (Some(&&Stronger { sign, y, side, .. }), _) => {
                let (lhs, rhs) = if sign > 0.0 { (lhs, f64::INFINITY) } else { (f64::NEG_INFINITY, rhs) };
                if lhs > f64::NEG_INFINITY || rhs < f64::INFINITY {
                    rows.push(lhs, problem.rows.terms(i), rhs);
                }
                rows.push(f64::NEG_INFINITY, moving(&problem, i, sign).chain([(y, -side)]), 0.0);
            }
            (None, Some((sign, (r, of_r), (y, of_y))))
                if other_side(&problem, i, sign) == f64::NEG_INFINITY
                    && implied.get(&(r, y)).is_some_and(|&factor| factor <= -of_y / of_r) => {}
            _ => rows.push(lhs, problem.rows.terms(i), rhs),
        }
    }
    problem.rows = rows;
    problem
}

/// What is stronger than `sign · row ≤ side`: the same with `side · y` on the right.
struct Stronger {
    row: usize,
    sign: f64,
    y: usize,
    side: f64,
}

/// All that there are, at most one a row.
fn stronger(problem: &Problem) -> Vec<Stronger> {
    let switches = switches(problem);
    let mut found = vec![];
    for row in 0..problem.rows.len() {
        for (sign, side) in [(1.0, problem.rows.rhs[row]), (-1.0, -problem.rows.lhs[row])] {
            if side.is_finite()
                && side > 0.0
                && let Some(y) = common_switch(problem, &switches, row, sign)
            {
                found.push(Stronger { row, sign, y, side });
                break;
            }
        }
    }
    found
}

/// The terms of `sign` times a row that can be anything but 0.
fn moving(problem: &Problem, row: usize, sign: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
    let terms = problem.rows.terms(row).map(move |(j, a)| (j, sign * a));
    terms.filter(|&(j, a)| a != 0.0 && problem.upper[j] > 0.0)
}

/// The other side of `sign` times a row `… ≤ 0`.
fn other_side(problem: &Problem, row: usize, sign: f64) -> f64 {
    if sign > 0.0 { problem.rows.lhs[row] } else { -problem.rows.rhs[row] }
}

/// Where `a r + b y ≤ 0` allows more than the upper bound of r, gives y a smaller coefficient. (SCIP's
/// presolve does that too; an LP of our own has nobody else to do it.)
fn tighten_switches(problem: &mut Problem) {
    for i in 0..problem.rows.len() {
        let Some((sign, (r, of_r), (y, of_y))) = switch(problem, i) else { continue };
        // Only where the row has no other side that the coefficient matters for.
        let other = other_side(problem, i, sign);
        let enough = -of_r * problem.upper[r];
        if other == f64::NEG_INFINITY && sign * enough > sign * of_y {
            let entries = problem.rows.start[i]..problem.rows.start[i + 1];
            let place = entries.into_iter().find(|&place| problem.rows.column[place] as usize == y);
            problem.rows.coefficient[place.expect("y is in its row")] = enough;
        }
    }
}

/// For each column the binaries that switch it on: without them it is 0.
fn switches(problem: &Problem) -> Vec<Vec<u32>> {
    let mut switches = vec![vec![]; problem.columns()];
    for i in 0..problem.rows.len() {
        if let Some((_, (r, _), (y, _))) = switch(problem, i) {
            switches[r].push(y as u32);
        }
    }
    switches
}

/// A column and its coefficient.
type Term = (usize, f64);

/// Whether `sign` times row `i` is `a r + b y ≤ 0` with a > 0, b < 0, r ≥ 0 and y binary, whichever way it
/// is written: the sign, r and y with their coefficients as they stand in the row.
fn switch(problem: &Problem, i: usize) -> Option<(f64, Term, Term)> {
    let rows = &problem.rows;
    let mut terms = rows.terms(i).filter(|term| term.1 != 0.0);
    let (Some(a), Some(b), None) = (terms.next(), terms.next(), terms.next()) else { return None };
    for (sign, side) in [(1.0, rows.rhs[i]), (-1.0, -rows.lhs[i])] {
        for (r, y) in [(a, b), (b, a)] {
            let is_switch = side == 0.0 && sign * r.1 > 0.0 && sign * y.1 < 0.0;
            if is_switch && problem.kind[y.0] == Kind::Binary && problem.lower[r.0] == 0.0 {
                return Some((sign, r, y));
            }
        }
    }
    None
}

/// The binary that switches on everything that can move in `sign` times row `i`, if all of it only adds
/// up and there are at least two.
fn common_switch(problem: &Problem, switches: &[Vec<u32>], i: usize, sign: f64) -> Option<usize> {
    let mut common: Option<Vec<u32>> = None;
    let mut count = 0;
    for (j, a) in problem.rows.terms(i).filter(|&(_, a)| a != 0.0) {
        if problem.lower[j] != 0.0 || sign * a < 0.0 {
            return None;
        }
        if problem.upper[j] <= 0.0 {
            continue;
        }
        let mut left = common.unwrap_or_else(|| switches[j].clone());
        left.retain(|y| switches[j].contains(y));
        if left.is_empty() {
            return None;
        }
        common = Some(left);
        count += 1;
    }
    common.filter(|_| count > 1).map(|left| left[0] as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y switches r0 and r1 on, a third is always 0, and together they are at most 3.
    fn switched() -> Problem {
        let mut problem = Problem::default();
        for upper in [2.0, 2.0, 0.0] {
            problem.add_column(0.0, 0.0, upper, Kind::Continuous);
        }
        problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (3, -2.0)], 0.0);
        problem.rows.push(0.0, [(3, 4.0), (1, -2.0)], f64::INFINITY); // the same the other way round
        problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (1, 1.5), (2, 1.0)], 3.0);
        problem
    }

    #[test]
    fn a_common_switch_limits_the_sum() {
        let rows = strengthen(&switched());
        assert_eq!(rows.len(), 1);
        assert_eq!(rows.terms(0).collect::<Vec<_>>(), [(0, 1.0), (1, 1.5), (3, -3.0)]);
        assert_eq!((rows.lhs[0], rows.rhs[0]), (f64::NEG_INFINITY, 0.0));
    }

    #[test]
    fn switches_allow_no_more_than_can_be() {
        let mut problem = switched();
        problem.upper[0] = 1.5;
        let tight = strengthened(problem.clone());
        assert_eq!(tight.rows.terms(0).collect::<Vec<_>>(), [(0, 1.0), (3, -1.5)]);
        assert_eq!(tight.rows.terms(1).collect::<Vec<_>>(), [(0, 1.0), (1, 1.5), (3, -3.0)]);
        assert_eq!(tight.rows.len(), 2, "the switch of r1 and the limit of all follow from that");
        // Every integral point stays what it is, whatever the values of r are.
        for k in 0..2_000 {
            let r = |n: u32| f64::from(k * n * 7919 % 97) / 40.0;
            let point = [r(3), r(5), 0.0, f64::from(k % 2)];
            assert_eq!(problem.violation(&point) == 0.0, tight.violation(&point) == 0.0, "{point:?}");
        }
    }

    #[test]
    fn a_switch_with_another_side_stays() {
        let mut problem = switched();
        (problem.upper[0], problem.rows.lhs[0]) = (1.5, -1.0);
        assert_eq!(strengthened(problem).rows.terms(0).collect::<Vec<_>>(), [(0, 1.0), (3, -2.0)]);
    }

    #[test]
    fn the_other_side_of_an_equation_stays() {
        let mut problem = switched();
        problem.rows.lhs[2] = 3.0;
        let tight = strengthened(problem.clone());
        for (r0, y, feasible) in [(0.0, 1.0, true), (1.0, 1.0, false), (0.0, 0.0, false)] {
            let point = [r0, 2.0 * y, 0.0, y];
            assert_eq!(tight.violation(&point) == 0.0, feasible, "{point:?}");
            assert_eq!(problem.violation(&point) == 0.0, feasible, "{point:?}");
        }
    }

    #[test]
    fn nothing_is_claimed_where_something_is_not_switched() {
        type Change = fn(&mut Problem);
        let changes: [Change; 5] = [
            |p| p.rows.rhs[0] = 0.5,          // r0 may be positive without y
            |p| p.kind[3] = Kind::Continuous, // half a switch
            |p| p.lower[0] = -1.0,            // a negative r0 makes room for r1
            |p| p.rows.coefficient[5] = -1.5, // so does a negative coefficient
            |p| p.upper[2] = 1.0,             // nobody switches this one
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut problem = switched();
            change(&mut problem);
            assert!(strengthen(&problem).is_empty(), "change {number}");
        }
    }
}
