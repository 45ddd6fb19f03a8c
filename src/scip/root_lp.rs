//! The LP of the root node, as the user's SCIP has just solved it: presolved, with its cuts, with an
//! optimal basis. A copy of it answers for every reduced problem after a few dual simplex pivots,
//! where the LP of the original problem would be solved from scratch.

use super::call::scip;
use super::lp::{Lp, LpSolution, Solved};
use super::main_scip::{MainScip, copied};
use super::snapshot::Snapshot;
use crate::error::Result;
use crate::problem::{Fixings, Kind, Problem, Reduced, Rows};
use scip_sys::{self as ffi, SCIP_COL, SCIP_ROW, SCIP_VAR};
use std::collections::BTreeMap;
use std::ptr;

/// The root node's LP.
pub(super) struct RootLp {
    /// A copy of it, in a solver of our own.
    lp: Lp,
    /// The solution that the user's SCIP found.
    first: LpSolution,
    /// Rows were added since: it is not the solution any more.
    is_tighter: bool,
    /// Where each original variable is; none if presolve replaced it by a sum of several.
    place: Vec<Option<Place>>,
    /// The bounds of each original variable, as the user wrote them.
    bounds: Vec<(f64, f64)>,
}

/// Where a variable of the original problem is: `factor · column + constant`.
#[derive(Clone, Copy)]
struct Place {
    /// None for a variable that presolve fixed, or that no row of the LP has: it is the constant.
    column: Option<usize>,
    factor: f64,
    constant: f64,
}

impl RootLp {
    /// Copies the LP of the current node and adds `rows` over the original variables; none if it is not
    /// solved to optimality.
    pub(super) fn copy(scip: MainScip<'_>, snapshot: &Snapshot, rows: &Rows) -> Result<Option<RootLp>> {
        if !scip.has_lp() {
            return Ok(None);
        }
        let raw = scip.raw();
        let (mut first, mut count): (*mut *mut SCIP_COL, i32) = (ptr::null_mut(), 0);
        // SAFETY: live SCIP with a solved LP; valid places for the answers, here and below.
        unsafe { scip!(SCIPgetLPColsData(raw, &mut first, &mut count)) }?;
        // SAFETY: SCIP's array has as many entries as it says.
        let columns = unsafe { copied(first, count) };
        let (mut first, mut count): (*mut *mut SCIP_ROW, i32) = (ptr::null_mut(), 0);
        // SAFETY: as above.
        unsafe { scip!(SCIPgetLPRowsData(raw, &mut first, &mut count)) }?;
        // SAFETY: SCIP's array has as many entries as it says.
        let own_rows = unsafe { copied(first, count) };

        let mut problem = Problem::default();
        let mut solution = LpSolution { values: vec![], reduced_costs: vec![] };
        let mut column_status = vec![];
        for &column in &columns {
            // SAFETY: a column of the solved LP, here and in the next lines.
            let (lower, upper) = unsafe { (ffi::SCIPcolGetLb(column), ffi::SCIPcolGetUb(column)) };
            // SAFETY: see above.
            let objective = unsafe { ffi::SCIPcolGetObj(column) };
            problem.add_column(objective, scip.unbounded(lower), scip.unbounded(upper), Kind::Continuous);
            // SAFETY: see above.
            solution.values.push(unsafe { ffi::SCIPcolGetPrimsol(column) });
            // SAFETY: see above.
            solution.reduced_costs.push(unsafe { ffi::SCIPgetColRedcost(raw, column) });
            // SAFETY: see above.
            column_status.push(unsafe { ffi::SCIPcolGetBasisStatus(column) } as i32);
        }
        let mut row_status = vec![];
        for &row in &own_rows {
            add_row(scip, row, &mut problem);
            // SAFETY: a row of the solved LP.
            row_status.push(unsafe { ffi::SCIProwGetBasisStatus(row) } as i32);
        }
        let place = snapshot.original.iter().map(|&var| place(scip, var)).collect::<Result<Vec<_>>>()?;
        for i in 0..rows.len() {
            if add_original_row(rows, i, &place, &mut problem) {
                row_status.push(ffi::SCIP_BaseStat_SCIP_BASESTAT_BASIC as i32);
            }
        }
        let lp = Lp::new(&problem)?;
        // Without crossover an interior point method leaves no basis.
        // SAFETY: live SCIP with a solved LP.
        if unsafe { ffi::SCIPisLPSolBasic(raw) } != 0 {
            lp.start_from(&column_status, &row_status)?;
        }
        let is_tighter = row_status.len() > own_rows.len();
        let Problem { lower, upper, .. } = &snapshot.problem;
        let bounds = lower.iter().copied().zip(upper.iter().copied()).collect();
        Ok(Some(RootLp { lp, first: solution, is_tighter, place, bounds }))
    }

    /// The bounds of general integers that earlier rounds settled: (column, lower, upper).
    fn tightened(&self, reduced: &Reduced) -> Vec<(usize, f64, f64)> {
        let Problem { lower, upper, kind, .. } = &reduced.problem;
        let integers = (0..reduced.origin.len()).filter(|&j| kind[j] == Kind::Integer);
        let bounds = integers.filter_map(|j| {
            let origin = reduced.origin[j];
            let Place { column, factor, constant } = self.place[origin]?;
            let column = column?;
            if (lower[j], upper[j]) == self.bounds[origin] {
                return None;
            }
            let ends = [lower[j], upper[j]].map(|end| (end - constant) / factor);
            let (own, above) = self.lp.bounds(column);
            let (least, most) = (ends[0].min(ends[1]).max(own), ends[0].max(ends[1]).min(above));
            (least <= most).then_some((column, least, most))
        });
        bounds.collect()
    }

    /// The solution for a reduced problem, from which `fixings` were substituted out, over its columns.
    pub(super) fn solve(
        &self,
        fixings: &Fixings,
        reduced: &Reduced,
        seconds: f64,
        stop: impl FnMut() -> bool,
    ) -> Result<Solved<LpSolution>> {
        let solved;
        let tightened = self.tightened(reduced);
        let solution = if fixings.is_empty() && tightened.is_empty() && !self.is_tighter {
            &self.first
        } else {
            let fixed = fixings.iter().filter_map(|(&j, &value)| {
                let Place { column, factor, constant } = self.place[j]?;
                let value = (value - constant) / factor;
                Some((column?, value, value))
            });
            self.lp.restrict(tightened.into_iter().chain(fixed))?;
            match self.lp.solve(seconds, stop)? {
                Solved::Optimal(solution) => {
                    solved = solution;
                    &solved
                }
                Solved::NoOptimum => return Ok(Solved::NoOptimum),
                Solved::Stopped => return Ok(Solved::Stopped),
            }
        };
        Ok(Solved::Optimal(self.over(reduced, solution)))
    }

    /// What the user's SCIP found, over the columns of a reduced problem.
    pub(super) fn first(&self, reduced: &Reduced) -> LpSolution {
        self.over(reduced, &self.first)
    }

    /// A solution of this LP over the columns of a reduced problem.
    fn over(&self, reduced: &Reduced, solution: &LpSolution) -> LpSolution {
        let at = |&j: &usize| match self.place[j] {
            Some(Place { column: Some(column), factor, constant }) => {
                (factor * solution.values[column] + constant, solution.reduced_costs[column] / factor)
            }
            Some(Place { constant, .. }) => (constant, 0.0),
            None => (f64::NAN, f64::NAN),
        };
        let (values, reduced_costs) = reduced.origin.iter().map(at).unzip();
        LpSolution { values, reduced_costs }
    }
}

/// Where an original variable is in the LP.
fn place(scip: MainScip<'_>, original: *mut SCIP_VAR) -> Result<Option<Place>> {
    let mut variable = ptr::null_mut();
    // SAFETY: an original variable of a live SCIP that has transformed its problem; valid places for the
    // answers, here and below.
    unsafe { scip!(SCIPgetTransformedVar(scip.raw(), original, &mut variable)) }?;
    let (mut factor, mut constant) = (1.0, 0.0);
    if variable.is_null() {
        return Ok(None);
    }
    // SAFETY: a transformed variable of a live SCIP.
    unsafe { scip!(SCIPgetProbvarSum(scip.raw(), &mut variable, &mut factor, &mut constant)) }?;
    if variable.is_null() || factor == 0.0 {
        return Ok(Some(Place { column: None, factor: 1.0, constant }));
    }
    // SAFETY: a transformed variable, here and in the next lines.
    let status = unsafe { ffi::SCIPvarGetStatus(variable) };
    if status == ffi::SCIP_Varstatus_SCIP_VARSTATUS_LOOSE {
        // SAFETY: see above. Without a row it stands at its better bound.
        let value = unsafe { ffi::SCIPvarGetLPSol(variable) };
        return Ok(Some(Place { column: None, factor: 1.0, constant: factor * value + constant }));
    }
    if status != ffi::SCIP_Varstatus_SCIP_VARSTATUS_COLUMN {
        return Ok(None);
    }
    // SAFETY: see above; a variable of this status has a column.
    let position = unsafe { ffi::SCIPcolGetLPPos(ffi::SCIPvarGetCol(variable)) };
    let column = usize::try_from(position).ok();
    Ok(column.map(|column| Place { column: Some(column), factor, constant }))
}

/// Appends a row over original variables; not if one of them has no place in the LP.
fn add_original_row(rows: &Rows, i: usize, place: &[Option<Place>], problem: &mut Problem) -> bool {
    let (mut terms, mut shift) = (BTreeMap::new(), 0.0);
    for (j, coefficient) in rows.terms(i) {
        let Some(Place { column, factor, constant }) = place[j] else { return false };
        shift += coefficient * constant;
        if let Some(column) = column {
            *terms.entry(column).or_insert(0.0) += coefficient * factor;
        }
    }
    problem.rows.push(rows.lhs[i] - shift, terms, rows.rhs[i] - shift);
    true
}

/// Appends a row of the user's LP.
fn add_row(scip: MainScip<'_>, row: *mut SCIP_ROW, problem: &mut Problem) {
    // SAFETY: a row of the solved LP; the entries before this count are those of columns in the LP.
    let count = unsafe { ffi::SCIProwGetNLPNonz(row) };
    // SAFETY: the two arrays have at least `count` entries.
    let (columns, values) =
        unsafe { (copied(ffi::SCIProwGetCols(row), count), copied(ffi::SCIProwGetVals(row), count)) };
    // SAFETY: as above.
    let (lhs, rhs, constant) =
        unsafe { (ffi::SCIProwGetLhs(row), ffi::SCIProwGetRhs(row), ffi::SCIProwGetConstant(row)) };
    // SAFETY: columns of the LP.
    let terms = columns
        .iter()
        .zip(&values)
        .map(|(&column, &value)| (unsafe { ffi::SCIPcolGetLPPos(column) } as usize, value));
    problem.rows.push(scip.unbounded(lhs) - constant, terms, scip.unbounded(rhs) - constant);
}
