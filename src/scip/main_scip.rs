//! The user's SCIP, borrowed for the length of one callback.

use super::call::scip;
use super::snapshot::active_sum;
use crate::error::{Error, Result};
use crate::settings::{Domain, PREFIX, Parameter, Value};
use scip_sys::{self as ffi, SCIP, SCIP_HEUR, SCIP_SOL, SCIP_VAR};
use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::ptr;

/// A live SCIP that somebody else owns.
///
/// Every method relies on the contract of [`MainScip::new`]: the pointer is valid for `'a`, and the
/// call comes from the thread that SCIP runs in. Where a method is bound to a stage, it says so.
#[derive(Clone, Copy)]
pub(super) struct MainScip<'a> {
    raw: *mut SCIP,
    life: PhantomData<&'a SCIP>,
}

/// Text for SCIP; a NUL inside ends it.
pub(super) fn text(text: &str) -> CString {
    let until = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..until]).unwrap_or_default()
}

impl<'a> MainScip<'a> {
    /// # Safety
    /// `raw` is a live SCIP for `'a`, used by this thread only.
    pub(super) unsafe fn new(raw: *mut SCIP) -> MainScip<'a> {
        MainScip { raw, life: PhantomData }
    }

    /// The pointer itself, for the other files of this folder.
    pub(super) fn raw(self) -> *mut SCIP {
        self.raw
    }

    /// How many SCIPs this one is nested in.
    pub(super) fn nesting(self) -> i32 {
        // SAFETY: live SCIP; allowed in every stage.
        unsafe { ffi::SCIPgetSubscipDepth(self.raw) }
    }

    /// The current node is the root of the tree.
    pub(super) fn at_root(self) -> bool {
        // SAFETY: live SCIP in stage PRESOLVING or SOLVING (heuristics run only there).
        unsafe { ffi::SCIPgetDepth(self.raw) == 0 }
    }

    /// Columns may be added during the solve, so no copy of the problem is the problem.
    pub(super) fn has_pricers(self) -> bool {
        // SAFETY: live SCIP; allowed in every stage.
        unsafe { ffi::SCIPgetNActivePricers(self.raw) > 0 }
    }

    /// A limit was reached or somebody interrupted.
    pub(super) fn stopped(self) -> bool {
        // SAFETY: live SCIP; allowed from stage PROBLEM on.
        unsafe { ffi::SCIPisStopped(self.raw) != 0 }
    }

    /// Seconds since the solve began, by the clock the user chose.
    pub(super) fn seconds(self) -> f64 {
        // SAFETY: live SCIP; allowed in every stage.
        unsafe { ffi::SCIPgetSolvingTime(self.raw) }
    }

    /// The user's clocks run; where they do not, no time ever passes.
    pub(super) fn has_clock(self) -> Result<bool> {
        let mut runs = 0;
        // SAFETY: live SCIP; a valid place for the answer.
        unsafe { scip!(SCIPgetBoolParam(self.raw, c"timing/enabled".as_ptr(), &mut runs)) }?;
        Ok(runs != 0)
    }

    /// The user has put data of his own beside the problem.
    pub(super) fn has_problem_data(self) -> bool {
        // SAFETY: live SCIP with a problem.
        unsafe { !ffi::SCIPgetProbData(self.raw).is_null() }
    }

    /// Seconds that the time limit leaves; infinite without one.
    pub(super) fn seconds_left(self) -> Result<f64> {
        let limit = self.real(c"limits/time")?;
        Ok(if limit >= self.infinity() { f64::INFINITY } else { (limit - self.seconds()).max(0.0) })
    }

    /// What SCIP calls infinite.
    pub(super) fn infinity(self) -> f64 {
        // SAFETY: live SCIP; allowed in every stage.
        unsafe { ffi::SCIPinfinity(self.raw) }
    }

    /// SCIP's infinity as Rust's.
    pub(super) fn unbounded(self, value: f64) -> f64 {
        let infinity = self.infinity();
        if value >= infinity {
            f64::INFINITY
        } else if value <= -infinity {
            f64::NEG_INFINITY
        } else {
            value
        }
    }

    /// The same, by SCIP's feasibility tolerance.
    pub(super) fn same(self, a: f64, b: f64) -> bool {
        // SAFETY: live SCIP; allowed in every stage.
        unsafe { ffi::SCIPisFeasEQ(self.raw, a, b) != 0 }
    }

    /// A variable of this SCIP may have this value.
    pub(super) fn may_take(self, var: *mut SCIP_VAR, value: f64) -> bool {
        // SAFETY: live SCIP, and a variable of it, here and below.
        let (lower, upper) = unsafe { (ffi::SCIPvarGetLbGlobal(var), ffi::SCIPvarGetUbGlobal(var)) };
        // SAFETY: see above.
        let whole =
            unsafe { ffi::SCIPvarIsIntegral(var) == 0 || ffi::SCIPisFeasIntegral(self.raw, value) != 0 };
        whole && lower <= value && value <= upper
    }

    /// The user maximises.
    pub(super) fn maximises(self) -> bool {
        // SAFETY: live SCIP with a problem.
        unsafe { ffi::SCIPgetObjsense(self.raw) == ffi::SCIP_Objsense_SCIP_OBJSENSE_MAXIMIZE }
    }

    /// There is time and memory enough for a copy of the problem.
    pub(super) fn may_copy(self) -> Result<bool> {
        let mut success = 0;
        // SAFETY: live SCIP with a problem; `success` is valid.
        unsafe { scip!(SCIPcheckCopyLimits(self.raw, &mut success)) }?;
        Ok(success != 0)
    }

    /// The active variables of the transformed problem. The slice is SCIP's own: it is valid until the
    /// problem changes, so it is copied.
    pub(super) fn variables(self) -> Vec<*mut SCIP_VAR> {
        // SAFETY: live SCIP with a problem.
        let (first, count) = unsafe { (ffi::SCIPgetVars(self.raw), ffi::SCIPgetNVars(self.raw)) };
        // SAFETY: SCIP's array has as many entries as it says.
        unsafe { copied(first, count) }
    }

    /// The best solution known, or null.
    pub(super) fn best_solution(self) -> *mut SCIP_SOL {
        // SAFETY: live SCIP; allowed from stage PROBLEM on.
        unsafe { ffi::SCIPgetBestSol(self.raw) }
    }

    /// The objective of the best solution known, in minimisation sense.
    pub(super) fn best_objective(self) -> Option<f64> {
        let best = self.best_solution();
        (!best.is_null()).then(|| self.minimised_objective(best))
    }

    /// The objective of a solution of this SCIP, in minimisation sense.
    pub(super) fn minimised_objective(self, solution: *mut SCIP_SOL) -> f64 {
        // SAFETY: live SCIP, and a solution of it.
        let objective = unsafe { ffi::SCIPgetSolOrigObj(self.raw, solution) };
        if self.maximises() { -objective } else { objective }
    }

    /// The values of `variables` in a solution of this SCIP.
    pub(super) fn values(self, solution: *mut SCIP_SOL, variables: &[*mut SCIP_VAR]) -> Vec<f64> {
        // SAFETY: live SCIP, a solution of it, and variables of it.
        variables.iter().map(|&var| unsafe { ffi::SCIPgetSolVal(self.raw, solution, var) }).collect()
    }

    /// The objective that a solution must beat to become the incumbent, in the transformed space.
    pub(super) fn cutoff(self) -> f64 {
        // SAFETY: live SCIP in stage PRESOLVING or SOLVING.
        unsafe { ffi::SCIPgetCutoffbound(self.raw) }
    }

    /// The same as an objective of the original problem, in minimisation sense; infinite if there is none.
    pub(super) fn minimised_cutoff(self) -> f64 {
        let cutoff = self.cutoff();
        if cutoff >= self.infinity() {
            return f64::INFINITY;
        }
        // SAFETY: live SCIP in stage PRESOLVING or SOLVING.
        let original = unsafe { ffi::SCIPretransformObj(self.raw, cutoff) };
        if self.maximises() { -original } else { original }
    }

    /// The objective of the incumbent, in the transformed space.
    pub(super) fn upper_bound(self) -> f64 {
        // SAFETY: live SCIP in stage PRESOLVING or SOLVING.
        unsafe { ffi::SCIPgetUpperbound(self.raw) }
    }

    /// The LP of the current node is solved and can be read.
    pub(super) fn has_lp(self) -> bool {
        // SAFETY: live SCIP in stage SOLVING.
        unsafe {
            ffi::SCIPhasCurrentNodeLP(self.raw) != 0
                && ffi::SCIPgetLPSolstat(self.raw) == ffi::SCIP_LPSolStat_SCIP_LPSOLSTAT_OPTIMAL
        }
    }

    /// Rounds the solution of the current LP in the directions that break nothing, and offers it. SCIP's own
    /// heuristics do that too, but only after ours.
    pub(super) fn round_lp(self) -> Result<()> {
        if !self.has_lp() {
            return Ok(());
        }
        let mut solution = ptr::null_mut();
        // SAFETY: live SCIP in stage SOLVING with a solved LP; nobody is credited; a valid place for the
        // solution.
        unsafe { scip!(SCIPcreateLPSol(self.raw, &mut solution, ptr::null_mut())) }?;
        let mut rounded = 0;
        // SAFETY: a solution of this SCIP that is the LP's, as SCIP's rounding heuristics have it.
        let done = unsafe { scip!(SCIProundSol(self.raw, solution, &mut rounded)) };
        if done.is_err() || rounded == 0 {
            // SAFETY: our own solution, which nobody else has.
            unsafe { scip!(SCIPfreeSol(self.raw, &mut solution)) }?;
            return done;
        }
        self.try_solution(solution).map(|_| ())
    }

    /// A value of one of our parameters.
    pub(super) fn parameter(self, parameter: &Parameter) -> Result<Value> {
        let name = text(&format!("{PREFIX}{}", parameter.name));
        Ok(match parameter.domain {
            Domain::Bool(_) => {
                let mut value = 0;
                // SAFETY: live SCIP; `value` is valid.
                unsafe { scip!(SCIPgetBoolParam(self.raw, name.as_ptr(), &mut value)) }?;
                Value::Bool(value != 0)
            }
            Domain::Real(..) => Value::Real(self.real(&name)?),
            Domain::Int(..) => {
                let mut value = 0;
                // SAFETY: live SCIP; `value` is valid.
                unsafe { scip!(SCIPgetLongintParam(self.raw, name.as_ptr(), &mut value)) }?;
                Value::Int(value)
            }
            Domain::Text(_) | Domain::Word(_) => {
                let mut value: *mut c_char = ptr::null_mut();
                // SAFETY: live SCIP; `value` is valid, and receives a C string that SCIP owns.
                unsafe { scip!(SCIPgetStringParam(self.raw, name.as_ptr(), &mut value)) }?;
                // SAFETY: SCIP's string, unchanged until the parameter is set again; copied here.
                Value::Text(unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned())
            }
        })
    }

    fn real(self, name: &CStr) -> Result<f64> {
        let mut value = 0.0;
        // SAFETY: live SCIP; `value` is valid.
        unsafe { scip!(SCIPgetRealParam(self.raw, name.as_ptr(), &mut value)) }?;
        Ok(value)
    }

    /// Writes a line into SCIP's log, at the verbosity of its own progress lines.
    pub(super) fn say(self, line: &str) {
        self.message(ffi::SCIP_VerbLevel_SCIP_VERBLEVEL_NORMAL, line);
    }

    /// Writes a line at a verbosity.
    pub(super) fn message(self, level: ffi::SCIP_VERBLEVEL, line: &str) {
        let line = text(&format!("apollo: {line}\n"));
        // SAFETY: live SCIP; the text goes through "%s", so nothing in it is a format.
        unsafe { ffi::SCIPverbMessage(self.raw, level, ptr::null_mut(), c"%s".as_ptr(), line.as_ptr()) };
    }

    /// Warns: one sentence on SCIP's warning channel.
    pub(super) fn warn(self, sentence: &str) {
        let line = text(&format!("apollo: {sentence}\n"));
        // SAFETY: live SCIP; the text goes through "%s", so nothing in it is a format.
        unsafe { ffi::SCIPwarningMessage(self.raw, c"%s".as_ptr(), line.as_ptr()) };
    }

    /// A solution of the transformed problem from values of original variables, for whoever calls to offer. What
    /// presolve has replaced by others follows from those; what it has added is 0.
    pub(super) fn solution(
        self,
        heuristic: *mut SCIP_HEUR,
        variables: &[*mut SCIP_VAR],
        values: &[f64],
    ) -> Result<*mut SCIP_SOL> {
        let mut solution = ptr::null_mut();
        // SAFETY: live SCIP in stage PRESOLVING or SOLVING; a heuristic of it; a valid place for the solution.
        unsafe { scip!(SCIPcreateSol(self.raw, &mut solution, heuristic)) }?;
        let mut active = vec![];
        for (&variable, &value) in variables.iter().zip(values) {
            let mut transformed = ptr::null_mut();
            // SAFETY: an original variable of this SCIP; a valid place for the answer.
            unsafe { scip!(SCIPgetTransformedVar(self.raw, variable, &mut transformed)) }?;
            if transformed.is_null() {
                continue;
            }
            // SAFETY: a variable of this SCIP.
            if unsafe { ffi::SCIPvarIsActive(transformed) } != 0 {
                active.push((transformed, value));
            } else if let Some((Some((target, factor)), constant)) = active_sum(self, variable)? {
                // SAFETY: a solution of the transformed problem, and an active variable of it.
                unsafe { scip!(SCIPsetSolVal(self.raw, solution, target, (value - constant) / factor)) }?;
            }
        }
        // Last, because they are what the others were replaced by.
        for (variable, value) in active {
            // SAFETY: as above.
            unsafe { scip!(SCIPsetSolVal(self.raw, solution, variable, value)) }?;
        }
        Ok(solution)
    }

    /// The same as a solution of the original problem. SCIP checks it against the constraints that the problem
    /// had when the solve began, and no others.
    pub(super) fn original_solution(
        self,
        heuristic: *mut SCIP_HEUR,
        variables: &[*mut SCIP_VAR],
        values: &[f64],
    ) -> Result<*mut SCIP_SOL> {
        let mut solution = ptr::null_mut();
        // SAFETY: live SCIP with a problem; a heuristic of it; a valid place for the solution.
        unsafe { scip!(SCIPcreateOrigSol(self.raw, &mut solution, heuristic)) }?;
        for (&variable, &value) in variables.iter().zip(values).filter(|(_, value)| **value != 0.0) {
            // SAFETY: a solution in original space, and an original variable of the same SCIP.
            unsafe { scip!(SCIPsetSolVal(self.raw, solution, variable, value)) }?;
        }
        Ok(solution)
    }

    /// How many constraints solutions are checked against now.
    pub(super) fn checked_constraints(self) -> i32 {
        // SAFETY: live SCIP in stage PRESOLVING or SOLVING.
        unsafe { ffi::SCIPgetNCheckConss(self.raw) }
    }

    /// Offers a solution, and frees it. True if it was kept.
    pub(super) fn try_solution(self, mut solution: *mut SCIP_SOL) -> Result<bool> {
        let mut stored = 0;
        // SAFETY: live SCIP in stage PRESOLVING or SOLVING, a solution of it that we own and SCIP takes.
        unsafe { scip!(SCIPtrySolFree(self.raw, &mut solution, 0, 0, 1, 1, 1, &mut stored)) }.map_err(
            |error| match error {
                Error::Scip { call, code } => Error::MainScip { call, code },
                other => other,
            },
        )?;
        Ok(stored != 0)
    }

    /// The heuristic called `apollo`, or null.
    pub(super) fn find_heuristic(self) -> *mut SCIP_HEUR {
        // SAFETY: live SCIP; the name is a C string.
        unsafe { ffi::SCIPfindHeur(self.raw, super::heuristic::NAME.as_ptr()) }
    }
}

/// Copies one of SCIP's arrays.
///
/// # Safety
/// `first` points to `count` entries, or `count` is 0.
pub(super) unsafe fn copied<T: Copy>(first: *const T, count: i32) -> Vec<T> {
    if count <= 0 || first.is_null() {
        return vec![];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(first, count as usize) }.to_vec()
}
