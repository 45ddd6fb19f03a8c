//! The LP relaxation of a problem, solved with the LP solver inside the host's SCIP.
//!
//! Independent of the user's own LP: nothing of the main SCIP changes, and it works before the root
//! node is solved and for every reduced problem. The simplex runs in slices, so that a stop of the
//! user's solve is seen soon whatever the size of the LP.

use super::call::scip;
use crate::error::Result;
use crate::problem::Problem;
use scip_sys::{self as ffi, SCIP_LPI};
use std::ptr;

/// An optimal solution of an LP relaxation.
#[derive(Clone, Debug)]
pub(super) struct LpSolution {
    /// One value a column.
    pub values: Vec<f64>,
    /// One reduced cost a column.
    pub reduced_costs: Vec<f64>,
}

/// An LP solver with one LP in it, freed when it goes.
struct Lpi(*mut SCIP_LPI);

impl Drop for Lpi {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: created by SCIPlpiCreate and freed only here. A failure leaks, no more.
            let _ = unsafe { scip!(SCIPlpiFree(&mut self.0)) };
        }
    }
}

/// Simplex iterations between two looks at the clock.
const SLICE: i32 = 2_000;

/// Solves the relaxation. None if it has no optimum, or if `stop` says so between two slices.
pub(super) fn solve(problem: &Problem, mut stop: impl FnMut() -> bool) -> Result<Option<LpSolution>> {
    let columns = problem.columns();
    let mut lpi = Lpi(ptr::null_mut());
    // SAFETY: valid places for the pointer and the name; a null message handler means silence.
    unsafe {
        scip!(SCIPlpiCreate(
            &mut lpi.0,
            ptr::null_mut(),
            c"relaxation".as_ptr(),
            ffi::SCIP_ObjSen_SCIP_OBJSEN_MINIMIZE
        ))
    }?;
    load(&lpi, problem)?;
    // SAFETY: a live LPI; the parameter exists in every LP interface.
    unsafe { scip!(SCIPlpiSetIntpar(lpi.0, ffi::SCIP_LPParam_SCIP_LPPAR_LPINFO, 0)) }?;
    // SAFETY: as above.
    unsafe { scip!(SCIPlpiSetIntpar(lpi.0, ffi::SCIP_LPParam_SCIP_LPPAR_LPITLIM, SLICE)) }?;
    loop {
        if stop() {
            return Ok(None);
        }
        // SAFETY: a live LPI that holds an LP.
        unsafe { scip!(SCIPlpiSolveDual(lpi.0)) }?;
        // SAFETY: as above, after a solve.
        if unsafe { ffi::SCIPlpiIsIterlimExc(lpi.0) } == 0 {
            break;
        }
    }
    // SAFETY: as above, after a solve.
    if unsafe { ffi::SCIPlpiIsOptimal(lpi.0) } == 0 {
        return Ok(None);
    }
    let mut solution = LpSolution { values: vec![0.0; columns], reduced_costs: vec![0.0; columns] };
    // SAFETY: the two arrays are as long as the LP has columns; null means "not wanted".
    unsafe {
        scip!(SCIPlpiGetSol(
            lpi.0,
            ptr::null_mut(),
            solution.values.as_mut_ptr(),
            ptr::null_mut(),
            ptr::null_mut(),
            solution.reduced_costs.as_mut_ptr()
        ))
    }?;
    Ok(Some(solution))
}

/// Hands the problem over, column by column as the interface wants it.
fn load(lpi: &Lpi, problem: &Problem) -> Result<()> {
    let (columns, rows) = (problem.columns(), &problem.rows);
    let mut begin = vec![0i32; columns + 1];
    for &j in &rows.column {
        begin[j as usize + 1] += 1;
    }
    for j in 0..columns {
        begin[j + 1] += begin[j];
    }
    let mut next = begin.clone();
    let mut index = vec![0i32; rows.column.len()];
    let mut value = vec![0.0; rows.column.len()];
    for i in 0..rows.len() {
        for (j, coefficient) in rows.terms(i) {
            let place = next[j] as usize;
            index[place] = i as i32;
            value[place] = coefficient;
            next[j] += 1;
        }
    }
    // SAFETY: a live LPI.
    let infinity = unsafe { ffi::SCIPlpiInfinity(lpi.0) };
    let finite = |values: &[f64]| values.iter().map(|v| v.clamp(-infinity, infinity)).collect::<Vec<f64>>();
    let (lower, upper) = (finite(&problem.lower), finite(&problem.upper));
    let (lhs, rhs) = (finite(&rows.lhs), finite(&rows.rhs));
    // SAFETY: every array has the length that the counts before it promise, `begin` starts each
    // column inside `index` and `value`, and the interface copies them all.
    unsafe {
        scip!(SCIPlpiLoadColLP(
            lpi.0,
            ffi::SCIP_ObjSen_SCIP_OBJSEN_MINIMIZE,
            columns as i32,
            problem.objective.as_ptr(),
            lower.as_ptr(),
            upper.as_ptr(),
            ptr::null_mut(),
            rows.len() as i32,
            lhs.as_ptr(),
            rhs.as_ptr(),
            ptr::null_mut(),
            value.len() as i32,
            begin.as_ptr(),
            index.as_ptr(),
            value.as_ptr()
        ))
    }
}
