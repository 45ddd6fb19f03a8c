//! Rows that follow from others and make the LP relaxation tighter.
//!
//! A binary y often switches several variables r_k ≥ 0 on (`r_k ≤ u_k y`), and a row limits what they do
//! together (`Σ a_k r_k ≤ c`). With y = 0 all of them are 0, so the limit is really
//!
//! ```text
//! Σ_k a_k r_k ≤ c y
//! ```
//!
//! No integral point is lost, but the relaxation cannot pay for a tenth of a worker any more and have all
//! of him. On a workload-apportionment instance (`wa-500-0`) it rises from 413 to 705 where the optimum is at most 710; SCIP's
//! presolve does not do this, and its cuts get there only slowly. Searches add these rows to their
//! sub-SCIPs; the user's own problem stays as it is.

use crate::problem::{Kind, Problem, Rows};

/// The rows that a problem can be given without losing an integral point.
pub fn strengthen(problem: &Problem) -> Rows {
    let switches = switches(problem);
    let mut found = Rows::default();
    for i in 0..problem.rows.len() {
        for (sign, side) in [(1.0, problem.rows.rhs[i]), (-1.0, -problem.rows.lhs[i])] {
            if let Some(y) =
                common_switch(problem, &switches, i, sign).filter(|_| side.is_finite() && side > 0.0)
            {
                let terms = problem.rows.terms(i).map(|(j, a)| (j, sign * a));
                let moving = terms.filter(|&(j, a)| a != 0.0 && problem.upper[j] > 0.0);
                found.push(f64::NEG_INFINITY, moving.chain([(y, -side)]), 0.0);
            }
        }
    }
    found
}

/// A problem with these rows added to its own.
pub fn strengthened(problem: &Problem) -> std::borrow::Cow<'_, Problem> {
    let more = strengthen(problem);
    if more.is_empty() {
        return std::borrow::Cow::Borrowed(problem);
    }
    let mut problem = problem.clone();
    (0..more.len()).for_each(|i| problem.rows.push(more.lhs[i], more.terms(i), more.rhs[i]));
    std::borrow::Cow::Owned(problem)
}

/// For each column the binaries that switch it on: without them it is 0.
fn switches(problem: &Problem) -> Vec<Vec<u32>> {
    let rows = &problem.rows;
    let mut switches = vec![vec![]; problem.columns()];
    for i in 0..rows.len() {
        let mut terms = rows.terms(i).filter(|term| term.1 != 0.0);
        let (Some(a), Some(b), None) = (terms.next(), terms.next(), terms.next()) else { continue };
        // a r + b y ≤ 0 with a > 0, whichever way it is written.
        for (sign, side) in [(1.0, rows.rhs[i]), (-1.0, -rows.lhs[i])] {
            for ((r, of_r), (y, of_y)) in [(a, b), (b, a)] {
                let is_switch = side == 0.0 && sign * of_r > 0.0 && sign * of_y < 0.0;
                if is_switch && problem.kind[y] == Kind::Binary && problem.lower[r] == 0.0 {
                    switches[r].push(y as u32);
                }
            }
        }
    }
    switches
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
