//! A SCIP of our own that holds a plain [`Problem`]: what collecting training data solves with.

use super::call::scip;
use super::heuristic;
use super::main_scip::{MainScip, copied};
use super::parameters;
use super::write::write;
use crate::condense::{Condensed, condensed};
use crate::correction::Ending;
use crate::error::Result;
use crate::problem::Problem;
use scip_sys::{self as ffi, SCIP, SCIP_SOL, SCIP_VAR};
use std::ptr;

/// A SCIP with a problem, freed when it goes. The objective is always minimised, as in [`Problem`].
///
/// Rows that share a long sum are given to SCIP in short ([`condensed`]); nobody outside sees that.
pub struct Milp {
    raw: *mut SCIP,
    /// The problem's columns, and after them those of shared sums.
    vars: Vec<*mut SCIP_VAR>,
    /// How many columns the problem has.
    columns: usize,
    /// The problem in short.
    short: Condensed<'static>,
}

/// A solution that SCIP found.
#[derive(Clone, Debug)]
pub struct Found {
    /// One value a column.
    pub values: Vec<f64>,
    /// Its objective, in minimisation sense.
    pub objective: f64,
    /// Seconds into the solve.
    pub seconds: f64,
}

impl Drop for Milp {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: created by SCIPcreate and freed only here. A failure leaks, no more.
            let _ = unsafe { scip!(SCIPfree(&mut self.raw)) };
        }
    }
}

impl Milp {
    /// Hands a problem to a new, silent SCIP with all its default plugins.
    pub fn new(problem: &Problem) -> Result<Milp> {
        super::find_host()?;
        let (columns, short) = (problem.columns(), condensed(problem).into_owned());
        let mut milp = Milp { raw: ptr::null_mut(), vars: vec![], columns, short };
        // SAFETY: a valid place for the new SCIP.
        unsafe { scip!(SCIPcreate(&mut milp.raw)) }?;
        // SAFETY: a live SCIP, just created.
        unsafe { scip!(SCIPincludeDefaultPlugins(milp.raw)) }?;
        // SAFETY: a live SCIP without a problem; the name is a C string.
        unsafe { scip!(SCIPcreateProbBasic(milp.raw, c"problem".as_ptr())) }?;
        milp.set("display/verblevel", "0")?;
        milp.set("misc/catchctrlc", "FALSE")?;
        milp.set("timing/clocktype", "1")?; // CPU time: labels are as good on a busy machine
        milp.set("timing/statistictiming", "FALSE")?; // or reading the clock takes a fifth of the time
        // SAFETY: a live SCIP with a problem that has nothing yet.
        milp.vars = unsafe { write(milp.raw, &milp.short.problem) }?;
        Ok(milp)
    }

    fn borrow(&self) -> MainScip<'_> {
        // SAFETY: a live SCIP for as long as `self`, used by the thread that holds the reference:
        // `Milp` holds raw pointers, so it is neither Send nor Sync.
        unsafe { MainScip::new(self.raw) }
    }

    /// Adds Apollo, with its parameters under `heuristics/apollo/`.
    pub fn include_apollo(&self) -> Result<()> {
        heuristic::include_in(self.borrow(), None)
    }

    /// Sets any parameter from its value as text.
    pub fn set(&self, name: &str, value: &str) -> Result<()> {
        parameters::set(self.borrow(), name, value)
    }

    /// Makes SCIP quick rather than thorough: no separation, only fast presolving and heuristics. In
    /// searches of less than a second everything else costs more than it gives (docs/TRAINING_DATA.md).
    pub fn hurry(&self) -> Result<()> {
        let off = ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_OFF;
        let fast = ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_FAST;
        // SAFETY: a live SCIP; quiet, here and below.
        unsafe { scip!(SCIPsetSeparating(self.raw, off, 1)) }?;
        self.presolve_fast()?;
        // SAFETY: see above.
        unsafe { scip!(SCIPsetHeuristics(self.raw, fast, 1)) }
    }

    /// Leaves out presolving that takes long.
    pub fn presolve_fast(&self) -> Result<()> {
        // SAFETY: a live SCIP; quiet.
        unsafe { scip!(SCIPsetPresolving(self.raw, ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_FAST, 1)) }
    }

    /// Lets SCIP accept only what is better than this.
    pub fn set_objective_limit(&self, limit: f64) -> Result<()> {
        // SAFETY: a live SCIP in stage PROBLEM.
        unsafe { scip!(SCIPsetObjlimit(self.raw, limit)) }
    }

    /// Offers a solution; says whether SCIP found it feasible.
    pub fn offer(&self, values: &[f64]) -> Result<bool> {
        let mut solution: *mut SCIP_SOL = ptr::null_mut();
        // SAFETY: a live SCIP with a problem; a valid place for the solution.
        unsafe { scip!(SCIPcreateOrigSol(self.raw, &mut solution, ptr::null_mut())) }?;
        for (&var, value) in self.vars.iter().zip(self.short.complete(values.to_vec())) {
            // SAFETY: a solution and a variable of this SCIP.
            unsafe { scip!(SCIPsetSolVal(self.raw, solution, var, value)) }?;
        }
        let mut feasible = 0;
        // SAFETY: a solution of this SCIP; bounds, integrality and constraints are all checked.
        unsafe { scip!(SCIPcheckSolOrig(self.raw, solution, &mut feasible, 0, 0)) }?;
        let mut stored = 0;
        // SAFETY: our own solution, given away.
        unsafe { scip!(SCIPaddSolFree(self.raw, &mut solution, &mut stored)) }?;
        Ok(feasible != 0)
    }

    /// Solves.
    pub fn solve(&self) -> Result<Ending> {
        // SAFETY: a live SCIP with a problem.
        unsafe { scip!(SCIPsolve(self.raw)) }?;
        // SAFETY: a live SCIP.
        Ok(match unsafe { ffi::SCIPgetStatus(self.raw) } {
            ffi::SCIP_Status_SCIP_STATUS_OPTIMAL => Ending::Optimal,
            ffi::SCIP_Status_SCIP_STATUS_INFEASIBLE | ffi::SCIP_Status_SCIP_STATUS_INFORUNBD => {
                Ending::Infeasible
            }
            ffi::SCIP_Status_SCIP_STATUS_USERINTERRUPT | ffi::SCIP_Status_SCIP_STATUS_TERMINATE => {
                Ending::Stopped
            }
            _ => Ending::Limit,
        })
    }

    /// The bound that SCIP proved: no solution is lower.
    pub fn bound(&self) -> f64 {
        // SAFETY: a live SCIP with a problem.
        self.borrow().unbounded(unsafe { ffi::SCIPgetDualbound(self.raw) })
    }

    /// The solutions that SCIP keeps, the best first.
    pub fn solutions(&self) -> Result<Vec<Found>> {
        // SAFETY: a live SCIP with a problem; the array has as many entries as SCIP says.
        let kept = unsafe { copied(ffi::SCIPgetSols(self.raw), ffi::SCIPgetNSols(self.raw)) };
        let mut found = Vec::with_capacity(kept.len());
        let mut vars = self.vars[..self.columns].to_vec();
        for solution in kept {
            let mut values = vec![0.0; vars.len()];
            let count = vars.len() as i32;
            // SAFETY: a solution and original variables of this SCIP; room for `count` values.
            unsafe {
                scip!(SCIPgetSolVals(self.raw, solution, count, vars.as_mut_ptr(), values.as_mut_ptr()))
            }?;
            // SAFETY: a solution of this SCIP, here and in the next line.
            let objective = unsafe { ffi::SCIPgetSolOrigObj(self.raw, solution) };
            // SAFETY: see above.
            let seconds = unsafe { ffi::SCIPgetSolTime(self.raw, solution) };
            found.push(Found { values, objective, seconds });
        }
        Ok(found)
    }
}
