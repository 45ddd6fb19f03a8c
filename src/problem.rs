//! A mixed-integer linear program as plain vectors, and what is left of it once some variables are
//! fixed.
//!
//! Everything that is not search reads the problem from here: the graph, the predictors and the
//! generators. The problem is the *original* one, as the user wrote it: variables in file order,
//! always in minimisation sense. SCIP's presolve, version and settings leave no trace in it.

use crate::bits::Intervals;
use std::collections::BTreeMap;

/// Values that are settled: variable index → value.
///
/// Ordered, so that whatever walks over it does so in the same order every time.
pub type Fixings = BTreeMap<usize, f64>;

/// What values a variable may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 0 or 1: what the predictor speaks about.
    Binary,
    /// Any integer between its bounds.
    Integer,
    /// Any number between its bounds.
    Continuous,
}

/// minimise `objective · x + offset` subject to `lhs ≤ A x ≤ rhs` and `lower ≤ x ≤ upper`.
///
/// Infinite bounds and sides are `f64::INFINITY` and its negative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// The user maximises: `objective` and `offset` are the negated originals.
    pub maximise: bool,
    /// Objective coefficients, in minimisation sense.
    pub objective: Vec<f64>,
    /// Constant of the objective, in minimisation sense.
    pub offset: f64,
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
    /// Kinds of the variables.
    pub kind: Vec<Kind>,
    /// The constraints.
    pub rows: Rows,
}

/// Linear constraints in compressed row form.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Row i owns the entries `start[i]..start[i + 1]`.
    pub start: Vec<usize>,
    /// Column of each entry.
    pub column: Vec<u32>,
    /// Coefficient of each entry.
    pub coefficient: Vec<f64>,
    /// Left-hand sides.
    pub lhs: Vec<f64>,
    /// Right-hand sides.
    pub rhs: Vec<f64>,
}

impl Default for Rows {
    fn default() -> Self {
        Rows { start: vec![0], column: vec![], coefficient: vec![], lhs: vec![], rhs: vec![] }
    }
}

impl Rows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.lhs.len()
    }

    /// No row at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends `lhs ≤ Σ terms ≤ rhs`.
    pub fn push(&mut self, lhs: f64, terms: impl IntoIterator<Item = (usize, f64)>, rhs: f64) {
        for (column, coefficient) in terms {
            self.column.push(column as u32);
            self.coefficient.push(coefficient);
        }
        self.start.push(self.column.len());
        self.lhs.push(lhs);
        self.rhs.push(rhs);
    }

    /// The terms of row `i`: (column, coefficient).
    pub fn terms(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let entries = self.start[i]..self.start[i + 1];
        self.column[entries.clone()]
            .iter()
            .map(|&column| column as usize)
            .zip(self.coefficient[entries].iter().copied())
    }
}

/// A problem without its fixed variables, and where its columns come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// What is left.
    pub problem: Problem,
    /// For each column that is left, its index in the problem that was reduced.
    pub origin: Vec<usize>,
}

impl Reduced {
    /// Gives the columns that are left these bounds, by their index in the whole problem.
    pub fn tighten(&mut self, intervals: &Intervals) {
        for (variable, interval) in intervals {
            if let Ok(j) = self.origin.binary_search(variable) {
                (self.problem.lower[j], self.problem.upper[j]) = (interval.lower, interval.upper);
            }
        }
    }
}

impl Problem {
    /// Number of variables.
    pub fn columns(&self) -> usize {
        self.objective.len()
    }

    /// Number of nonzero coefficients in the constraints.
    pub fn nonzeros(&self) -> usize {
        self.rows.column.len()
    }

    /// Appends a variable and returns its index.
    pub fn add_column(&mut self, objective: f64, lower: f64, upper: f64, kind: Kind) -> usize {
        self.objective.push(objective);
        self.lower.push(lower);
        self.upper.push(upper);
        self.kind.push(kind);
        self.columns() - 1
    }

    /// The most by which a point breaks a bound, a side or integrality, relative to the numbers there as
    /// SCIP's feasibility tolerance is; infinite where a value is no number.
    pub fn violation(&self, point: &[f64]) -> f64 {
        let outside = |value: f64, least: f64, most: f64| {
            let (side, excess) =
                if value < least { (least, least - value) } else { (most, (value - most).max(0.0)) };
            if value.is_nan() { f64::INFINITY } else { excess / 1f64.max(value.abs()).max(side.abs()) }
        };
        let bounds = (0..self.columns()).map(|j| {
            let continuous = self.kind[j] == Kind::Continuous;
            let fraction = if continuous { 0.0 } else { (point[j] - point[j].round()).abs() };
            outside(point[j], self.lower[j], self.upper[j]).max(fraction)
        });
        let sides = (0..self.rows.len()).map(|i| {
            let activity = self.rows.terms(i).map(|(j, coefficient)| coefficient * point[j]).sum();
            outside(activity, self.rows.lhs[i], self.rows.rhs[i])
        });
        bounds.chain(sides).fold(0.0, f64::max)
    }

    /// The indices of the binary variables, ascending.
    pub fn binaries(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns()).filter(|&j| self.kind[j] == Kind::Binary)
    }

    /// The objective of a point, in minimisation sense.
    pub fn minimised_objective(&self, point: &[f64]) -> f64 {
        self.offset + self.objective.iter().zip(point).map(|(cost, value)| cost * value).sum::<f64>()
    }

    /// An objective in the sense the user wrote the problem in.
    pub fn user_objective(&self, minimised: f64) -> f64 {
        if self.maximise { -minimised } else { minimised }
    }

    /// Substitutes the fixed variables out: their columns leave, the sides of their rows move by
    /// `coefficient · value`, and rows without any column left leave too.
    pub fn reduce(&self, fixings: &Fixings) -> Reduced {
        const GONE: u32 = u32::MAX;
        let mut place = vec![0u32; self.columns()];
        // As a vector, because every nonzero of a fixed column asks.
        let mut fixed = vec![0.0; self.columns()];
        for (&j, &value) in fixings {
            (place[j], fixed[j]) = (GONE, value);
        }
        let mut reduced = Problem { maximise: self.maximise, offset: self.offset, ..Problem::default() };
        let mut origin = Vec::with_capacity(self.columns() - fixings.len());
        for (j, place) in place.iter_mut().enumerate() {
            if *place == GONE {
                reduced.offset += self.objective[j] * fixed[j];
            } else {
                *place =
                    reduced.add_column(self.objective[j], self.lower[j], self.upper[j], self.kind[j]) as u32;
                origin.push(j);
            }
        }
        let rows = &mut reduced.rows;
        for i in 0..self.rows.len() {
            let mut moved = 0.0;
            for (j, coefficient) in self.rows.terms(i) {
                if place[j] == GONE {
                    moved += coefficient * fixed[j];
                } else {
                    rows.column.push(place[j]);
                    rows.coefficient.push(coefficient);
                }
            }
            if rows.column.len() > rows.start[rows.len()] {
                rows.start.push(rows.column.len());
                rows.lhs.push(self.rows.lhs[i] - moved);
                rows.rhs.push(self.rows.rhs[i] - moved);
            }
        }
        Reduced { problem: reduced, origin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// min x0 + 2 x1 + 3 x2;  x0 + x1 ≥ 1;  x1 + 5 x2 ≤ 4;  x1 = 1 (as a row of its own).
    fn small() -> Problem {
        let mut problem = Problem::default();
        for cost in [1.0, 2.0, 3.0] {
            problem.add_column(cost, 0.0, 1.0, Kind::Binary);
        }
        problem.rows.push(1.0, [(0, 1.0), (1, 1.0)], f64::INFINITY);
        problem.rows.push(f64::NEG_INFINITY, [(1, 1.0), (2, 5.0)], 4.0);
        problem.rows.push(1.0, [(1, 1.0)], 1.0);
        problem
    }

    #[test]
    fn fixed_columns_leave_and_the_sides_move() {
        let Reduced { problem, origin } = small().reduce(&Fixings::from([(1, 1.0)]));
        assert_eq!(origin, [0, 2]);
        assert_eq!(problem.objective, [1.0, 3.0]);
        assert_eq!(problem.offset, 2.0);
        assert_eq!(problem.rows.len(), 2, "the row of x1 alone is empty now and leaves");
        assert_eq!((problem.rows.lhs[0], problem.rows.rhs[0]), (0.0, f64::INFINITY));
        assert_eq!((problem.rows.lhs[1], problem.rows.rhs[1]), (f64::NEG_INFINITY, 3.0));
        assert_eq!(problem.rows.terms(1).collect::<Vec<_>>(), [(1, 5.0)]);
    }

    #[test]
    fn bounds_are_tightened_where_the_variable_is_now() {
        let interval = crate::bits::Interval { lower: 1.0, upper: 3.0 };
        let mut reduced = small().reduce(&Fixings::from([(1, 1.0)]));
        reduced.tighten(&Intervals::from([(1, interval), (2, interval)]));
        assert_eq!((reduced.problem.lower, reduced.problem.upper), (vec![0.0, 1.0], vec![1.0, 3.0]));
    }

    #[test]
    fn without_fixings_nothing_changes() {
        let problem = small();
        assert_eq!(problem.reduce(&Fixings::new()).problem, problem);
    }
}
