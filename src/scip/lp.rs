//! A linear program in an LP solver of our own, from the host's SCIP.
//!
//! Independent of the user's LP: nothing of the main SCIP changes. The simplex runs in slices, so that
//! a stop of the user's solve is seen soon whatever the size of the LP.

use super::call::scip;
use crate::error::Result;
use crate::problem::Problem;
use scip_sys::{self as ffi, SCIP_LPI};
use std::ptr;
use std::time::{Duration, Instant};

/// An optimal solution.
#[derive(Clone, Debug)]
pub(super) struct LpSolution {
    /// One value a column.
    pub values: Vec<f64>,
    /// One reduced cost a column.
    pub reduced_costs: Vec<f64>,
}

/// How a solve ended.
#[derive(Clone, Debug)]
pub(super) enum Solved<T> {
    /// With this.
    Optimal(T),
    /// There is no optimum: infeasible or unbounded.
    NoOptimum,
    /// Time was over, or somebody stopped it.
    Stopped,
}

/// An LP, freed when it goes.
pub(super) struct Lp {
    raw: *mut SCIP_LPI,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Drop for Lp {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: created by SCIPlpiCreate and freed only here. A failure leaks, no more.
            let _ = unsafe { scip!(SCIPlpiFree(&mut self.raw)) };
        }
    }
}

/// The simplex comes up for air after so many iterations where the result must be repeatable …
const SLICE_ITERATIONS: i32 = 10_000;
/// … and after so many seconds where there is a deadline anyway.
const SLICE_SECONDS: f64 = 1.0;

impl Lp {
    /// The relaxation of a problem.
    pub(super) fn new(problem: &Problem) -> Result<Lp> {
        let mut lp = Lp { raw: ptr::null_mut(), lower: vec![], upper: vec![] };
        let (sense, name) = (ffi::SCIP_ObjSen_SCIP_OBJSEN_MINIMIZE, c"relaxation".as_ptr());
        // SAFETY: a valid place for the pointer; a null message handler means silence.
        unsafe { scip!(SCIPlpiCreate(&mut lp.raw, ptr::null_mut(), name, sense)) }?;
        lp.load(problem)?;
        lp.set_int(ffi::SCIP_LPParam_SCIP_LPPAR_LPINFO, 0)?;
        lp.set_int(ffi::SCIP_LPParam_SCIP_LPPAR_TIMING, ffi::SCIP_ClockType_SCIP_CLOCKTYPE_WALL as i32)?;
        Ok(lp)
    }

    fn set_int(&self, parameter: ffi::SCIP_LPPARAM, value: i32) -> Result<()> {
        // SAFETY: a live LPI; the parameter is one that SCIP itself sets in every LP solver.
        unsafe { scip!(SCIPlpiSetIntpar(self.raw, parameter, value)) }
    }

    /// Starts from a basis: the status of every column and of every row, as SCIP numbers them.
    pub(super) fn start_from(&self, columns: &[i32], rows: &[i32]) -> Result<()> {
        // SAFETY: a live LPI; the caller took the two arrays from an LP of the same shape.
        unsafe { scip!(SCIPlpiSetBase(self.raw, columns.as_ptr(), rows.as_ptr())) }
    }

    /// The bounds of a column, whatever it was restricted to.
    pub(super) fn bounds(&self, column: usize) -> (f64, f64) {
        (self.lower[column], self.upper[column])
    }

    /// Gives these columns other bounds, and all others their own.
    pub(super) fn restrict(&self, bounds: impl IntoIterator<Item = (usize, f64, f64)>) -> Result<()> {
        let (mut lower, mut upper) = (self.lower.clone(), self.upper.clone());
        for (column, least, most) in bounds {
            lower[column] = least;
            upper[column] = most;
        }
        let index: Vec<i32> = (0..lower.len() as i32).collect();
        let count = index.len() as i32;
        // SAFETY: a live LPI; three arrays of `count` entries, indices of existing columns.
        unsafe { scip!(SCIPlpiChgBounds(self.raw, count, index.as_ptr(), lower.as_ptr(), upper.as_ptr())) }
    }

    /// Solves, for so many seconds, until `stop` says so.
    pub(super) fn solve(&self, seconds: f64, mut stop: impl FnMut() -> bool) -> Result<Solved<LpSolution>> {
        let time = Duration::try_from_secs_f64(seconds).ok();
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        if deadline.is_none() {
            self.set_int(ffi::SCIP_LPParam_SCIP_LPPAR_LPITLIM, SLICE_ITERATIONS)?;
        }
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if stop() || left.is_some_and(|left| left.is_zero()) {
                return Ok(Solved::Stopped);
            }
            if let Some(left) = left {
                let slice = left.as_secs_f64().min(SLICE_SECONDS);
                // SAFETY: a live LPI; the parameter is one that SCIP itself sets in every LP solver.
                unsafe { scip!(SCIPlpiSetRealpar(self.raw, ffi::SCIP_LPParam_SCIP_LPPAR_LPTILIM, slice)) }?;
            }
            // SAFETY: a live LPI that holds an LP.
            unsafe { scip!(SCIPlpiSolveDual(self.raw)) }?;
            // SAFETY: as above, after a solve.
            let sliced =
                unsafe { ffi::SCIPlpiIsIterlimExc(self.raw) != 0 || ffi::SCIPlpiIsTimelimExc(self.raw) != 0 };
            if !sliced {
                return self.solution();
            }
        }
    }

    fn solution(&self) -> Result<Solved<LpSolution>> {
        // SAFETY: a live LPI after a solve.
        if unsafe { ffi::SCIPlpiIsOptimal(self.raw) } == 0 {
            return Ok(Solved::NoOptimum);
        }
        let columns = self.lower.len();
        let mut solution = LpSolution { values: vec![0.0; columns], reduced_costs: vec![0.0; columns] };
        let (values, costs) = (solution.values.as_mut_ptr(), solution.reduced_costs.as_mut_ptr());
        let unwanted = ptr::null_mut();
        // SAFETY: the two arrays are as long as the LP has columns; null means "not wanted".
        unsafe { scip!(SCIPlpiGetSol(self.raw, unwanted, values, unwanted, unwanted, costs)) }?;
        Ok(Solved::Optimal(solution))
    }

    /// Hands the problem over, column by column as the interface wants it.
    fn load(&mut self, problem: &Problem) -> Result<()> {
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
        let infinity = unsafe { ffi::SCIPlpiInfinity(self.raw) };
        let finite =
            |values: &[f64]| values.iter().map(|v| v.clamp(-infinity, infinity)).collect::<Vec<f64>>();
        (self.lower, self.upper) = (finite(&problem.lower), finite(&problem.upper));
        let (lhs, rhs) = (finite(&rows.lhs), finite(&rows.rhs));
        // SAFETY: every array has the length that the counts before it promise, `begin` starts each
        // column inside `index` and `value`, and the interface copies them all.
        unsafe {
            scip!(SCIPlpiLoadColLP(
                self.raw,
                ffi::SCIP_ObjSen_SCIP_OBJSEN_MINIMIZE,
                columns as i32,
                problem.objective.as_ptr(),
                self.lower.as_ptr(),
                self.upper.as_ptr(),
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
}
