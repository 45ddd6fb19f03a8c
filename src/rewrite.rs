//! A problem written anew, so that searches of it are quick: without what cannot matter
//! ([trimmed](crate::local::trim)), with rows that make its relaxation tighter
//! ([`crate::strengthen`]), and with short rows in place of long ones that say nearly the same
//! ([`crate::condense`]).
//!
//! A search is then this problem with its fixings substituted out and with its trust region as rows. Its
//! points are points of the whole problem again, and the other way round. On workload apportionment the
//! first LP takes a fifth of the time that it takes in a copy of the user's problem.

use crate::condense::{Condensed, condensed};
use crate::correction::Search;
use crate::local::trim::{Trimmed, trim_with};
use crate::problem::{Fixings, Kind, Problem, Reduced};
use crate::region::{Auxiliary, TrustRegion};

/// A whole problem, written anew.
pub struct Rewritten {
    trimmed: Trimmed,
    short: Condensed<'static>,
}

impl Rewritten {
    /// Writes a problem in which these values are settled; none if there is nothing to gain, because no
    /// rows can be written in short.
    pub fn new(problem: &Problem, settled: Fixings) -> Option<Rewritten> {
        let trimmed = trim_with(problem, settled);
        if condensed(&trimmed.left.problem).is_nothing_new() {
            return None;
        }
        let trimmed = trimmed.strengthened();
        let short = condensed(&trimmed.left.problem).into_owned();
        Some(Rewritten { trimmed, short })
    }

    /// What a search is about.
    pub fn restricted(&self, search: &Search<'_>) -> Restricted<'_> {
        let place = |j: &usize| self.trimmed.left.origin.binary_search(j).ok();
        let fixings = search.fixings.iter().filter_map(|(j, &value)| Some((place(j)?, value))).collect();
        let mut reduced = self.short.problem.reduce(&fixings);
        let intervals = search.intervals.iter();
        reduced.tighten(&intervals.filter_map(|(j, &interval)| Some((place(j)?, interval))).collect());
        let mut restricted = Restricted { rewritten: self, fixings, reduced, auxiliaries: vec![] };
        if let Some(region) = search.region {
            restricted.stay_inside(region);
        }
        restricted
    }
}

/// One search of it.
pub struct Restricted<'a> {
    rewritten: &'a Rewritten,
    /// What is fixed, by the columns of the short problem.
    fixings: Fixings,
    /// What is left of it, and behind its columns those of the auxiliary variables.
    reduced: Reduced,
    auxiliaries: Vec<Auxiliary>,
}

/// Where a column of the whole problem is.
enum Place {
    /// This column.
    Free(usize),
    /// Nowhere: it has this value.
    Fixed(f64),
}

impl Restricted<'_> {
    /// The problem to solve.
    pub fn problem(&self) -> &Problem {
        &self.reduced.problem
    }

    fn place(&self, j: usize) -> Place {
        let Trimmed { fixed, left } = &self.rewritten.trimmed;
        let Ok(short) = left.origin.binary_search(&j) else { return Place::Fixed(fixed[&j]) };
        let free = self.reduced.origin.binary_search(&short);
        free.map_or_else(|_| Place::Fixed(self.fixings[&short]), Place::Free)
    }

    /// Adds `Σ terms ≤ rhs` over columns of the whole problem and, behind them, of this one.
    fn push(&mut self, terms: &[(usize, f64)], own: impl IntoIterator<Item = (usize, f64)>, mut rhs: f64) {
        let mut free = vec![];
        for &(j, coefficient) in terms {
            match self.place(j) {
                Place::Free(column) => free.push((column, coefficient)),
                Place::Fixed(value) => rhs -= coefficient * value,
            }
        }
        self.reduced.problem.rows.push(f64::NEG_INFINITY, free.into_iter().chain(own), rhs);
    }

    fn stay_inside(&mut self, region: &TrustRegion) {
        let mut distances = vec![];
        for auxiliary in region.auxiliaries() {
            let distance = self.reduced.problem.add_column(0.0, 0.0, f64::INFINITY, Kind::Continuous);
            for (coefficient, rhs) in auxiliary.sides {
                self.push(&[(auxiliary.variable, coefficient)], [(distance, -auxiliary.width)], rhs);
            }
            distances.push((distance, 1.0));
            self.auxiliaries.push(auxiliary);
        }
        let row = region.row();
        self.push(&row.terms, distances, row.rhs);
    }

    /// A point of this problem as a point of the whole one.
    pub fn whole(&self, point: &[f64]) -> Vec<f64> {
        let Rewritten { trimmed, short } = self.rewritten;
        let mut all = vec![0.0; short.problem.columns()];
        self.fixings.iter().for_each(|(&j, &value)| all[j] = value);
        self.reduced.origin.iter().zip(point).for_each(|(&j, &value)| all[j] = value);
        trimmed.whole(&all[..trimmed.left.origin.len()])
    }

    /// A point of the whole problem as a point of this one. It is feasible here if it agrees with what is
    /// fixed, and otherwise perhaps not.
    pub fn part(&self, whole: &[f64]) -> Vec<f64> {
        let Rewritten { trimmed, short } = self.rewritten;
        let all = short.complete(trimmed.part(whole));
        let distances = self.auxiliaries.iter().map(|auxiliary| auxiliary.least(whole[auxiliary.variable]));
        self.reduced.origin.iter().map(|&j| all[j]).chain(distances).collect()
    }

    /// Some values of the whole problem, by columns of this one; those that are fixed are left out.
    pub fn columns(&self, values: &Fixings) -> Vec<(usize, f64)> {
        let column = |(&j, &value): (&usize, &f64)| match self.place(j) {
            Place::Free(column) => Some((column, value)),
            Place::Fixed(_) => None,
        };
        values.iter().filter_map(column).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{Interval, Intervals, Leading};
    use crate::partial::{PartialSolution, Predicted};
    use crate::problem::Rows;

    /// Ten binaries, each of which switches a continuous column on; whichever one is left out, the others
    /// must carry 3. One more that is settled, and a general integer that costs.
    fn carriers() -> Problem {
        let mut problem = Problem::default();
        for _ in 0..10 {
            problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        }
        for j in 0..10 {
            problem.add_column(0.0, 0.0, 1.0, Kind::Continuous);
            problem.rows.push(f64::NEG_INFINITY, [(10 + j, 1.0), (j, -2.0)], 0.0);
        }
        problem.add_column(5.0, 0.0, 1.0, Kind::Binary);
        problem.add_column(0.1, 0.0, 9.0, Kind::Integer);
        for out in 0..10 {
            let carried = (0..10).filter(|&j| j != out).map(|j| (10 + j, 1.0));
            problem.rows.push(3.0, carried.chain([(20, 1.0)]), f64::INFINITY);
        }
        problem.rows.push(2.0, [(0, 1.0), (21, 1.0)], f64::INFINITY);
        problem
    }

    fn search<'a>(fixings: &'a Fixings, intervals: &'a Intervals, region: &'a TrustRegion) -> Search<'a> {
        Search {
            number: 0,
            fixings,
            intervals,
            region: Some(region),
            start: None,
            strictly_better: false,
            seconds: 1.0,
            nodes: None,
        }
    }

    #[test]
    fn points_go_both_ways_and_keep_what_they_are_worth() {
        let problem = carriers();
        let rewritten = Rewritten::new(&problem, Fixings::from([(20, 0.0)])).unwrap();
        let (fixings, intervals) = (Fixings::from([(1, 1.0), (2, 0.0)]), Intervals::new());
        // x̂: 0 and 3 are 1, 4 is 0, the integer is 2; at most one of them may be otherwise.
        let predicted = [(0, 1.0), (3, 1.0), (4, 0.0)]
            .map(|(variable, value)| Predicted { variable, probability: value, value })
            .to_vec();
        let (interval, bounds) = (Interval { lower: 2.0, upper: 2.0 }, Interval { lower: 0.0, upper: 9.0 });
        let leading = vec![Leading { variable: 21, bounds, free: 0, interval, confidence: 1.0 }];
        let region = TrustRegion { partial: PartialSolution { predicted, leading }, radius: 1 };
        let restricted = rewritten.restricted(&search(&fixings, &intervals, &region));
        for k in 0..1u32 << 10 {
            for integer in 0..4u32 {
                let mut point: Vec<f64> = (0..10).map(|j| f64::from(k >> j & 1)).collect();
                (point[1], point[2]) = (1.0, 0.0);
                point.extend(point.clone());
                point.extend([0.0, f64::from(integer)]);
                let part = restricted.part(&point);
                assert_eq!(restricted.whole(&part), point);
                let objective = |problem: &Problem, point: &[f64]| {
                    problem.offset + problem.objective.iter().zip(point).map(|(c, x)| c * x).sum::<f64>()
                };
                let same = objective(&problem, &point) - objective(restricted.problem(), &part);
                assert!(same.abs() < 1e-9);
                let distance =
                    (1.0 - point[0]) + (1.0 - point[3]) + point[4] + f64::from(integer.abs_diff(2));
                let inside = problem.violation(&point) < 1e-9 && distance <= 1.0;
                assert_eq!(restricted.problem().violation(&part) < 1e-9, inside, "{point:?}");
            }
        }
        assert_eq!(restricted.columns(&Fixings::from([(0, 1.0), (1, 1.0), (20, 0.0)])), [(0, 1.0)]);
    }

    #[test]
    fn what_has_no_long_rows_is_not_written_anew() {
        let mut problem = carriers();
        assert!(Rewritten::new(&problem, Fixings::new()).is_some());
        let settled = (10..20).map(|j| (j, 1.0)).collect();
        assert!(Rewritten::new(&problem, settled).is_none(), "nothing is left of the long rows");
        problem.rows = Rows::default();
        assert!(Rewritten::new(&problem, Fixings::new()).is_none());
    }
}
