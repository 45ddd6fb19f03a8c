//! The LP of the root node, as the user's SCIP has just solved it: presolved, with its cuts, with an
//! optimal basis. A copy of it answers for every reduced problem after a few dual simplex pivots,
//! where the LP of the original problem would be solved from scratch.

use super::call::scip;
use super::lp::{Columns, Lp, LpSolution, Solved};
use super::main_scip::{MainScip, copied};
use super::snapshot::{Snapshot, Target};
use crate::error::Result;
use crate::problem::{Fixings, Kind, Problem};
use scip_sys::{self as ffi, SCIP_COL, SCIP_ROW};
use std::ptr;

/// The root node's LP.
pub(super) struct RootLp {
    /// A copy of it, in a solver of our own.
    lp: Lp,
    /// The solution that the user's SCIP found.
    first: LpSolution,
    /// Where each original variable is: its column, and whether it is one minus it.
    place: Vec<Option<(usize, bool)>>,
}

impl RootLp {
    /// Copies the LP of the current node; none if it is not solved to optimality.
    pub(super) fn copy(scip: MainScip<'_>, snapshot: &Snapshot) -> Result<Option<RootLp>> {
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
        let rows = unsafe { copied(first, count) };

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
        for &row in &rows {
            add_row(scip, row, &mut problem);
            // SAFETY: a row of the solved LP.
            row_status.push(unsafe { ffi::SCIProwGetBasisStatus(row) } as i32);
        }
        let lp = Lp::new(&problem)?;
        lp.start_from(&column_status, &row_status)?;
        let place = snapshot.target.iter().map(|&target| place(target)).collect();
        Ok(Some(RootLp { lp, first: solution, place }))
    }

    /// The solution for the problem with `fixings` fixed, over the original variables in `wanted`.
    pub(super) fn solve(
        &self,
        fixings: &Fixings,
        wanted: &[usize],
        seconds: f64,
        stop: impl FnMut() -> bool,
    ) -> Result<Solved<Columns>> {
        let solved;
        let solution = if fixings.is_empty() {
            &self.first
        } else {
            let fixed = fixings.iter().filter_map(|(&j, &value)| {
                let (column, negated) = self.place[j]?;
                Some((column, if negated { 1.0 - value } else { value }))
            });
            self.lp.fix(fixed)?;
            match self.lp.solve(seconds, stop)? {
                Solved::Optimal(solution) => {
                    solved = solution;
                    &solved
                }
                Solved::NoOptimum => return Ok(Solved::NoOptimum),
                Solved::Stopped => return Ok(Solved::Stopped),
            }
        };
        let at = |&j: &usize| {
            let (column, negated) = self.place[j]?;
            let (value, cost) = (solution.values[column], solution.reduced_costs[column]);
            Some(if negated { (1.0 - value, -cost) } else { (value, cost) })
        };
        Ok(Solved::Optimal(wanted.iter().map(at).collect()))
    }
}

/// Where a variable is in the LP.
fn place(target: Target) -> Option<(usize, bool)> {
    let Target::Active { variable, negated } = target else { return None };
    // SAFETY: an active variable; only one with the status COLUMN has a column.
    if unsafe { ffi::SCIPvarGetStatus(variable) } != ffi::SCIP_Varstatus_SCIP_VARSTATUS_COLUMN {
        return None;
    }
    // SAFETY: as just asked.
    let position = unsafe { ffi::SCIPcolGetLPPos(ffi::SCIPvarGetCol(variable)) };
    usize::try_from(position).ok().map(|position| (position, negated))
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
