//! A sub-SCIP: a copy of the user's problem with some variables fixed, or another problem beside it, that
//! frees itself.

use super::call::scip;
use super::main_scip::{MainScip, text};
use super::write::write;
use crate::error::{Error, Result};
use crate::problem::Problem;
use scip_sys::{self as ffi, SCIP, SCIP_HASHMAP, SCIP_SOL, SCIP_VAR};
use std::ffi::CStr;
use std::path::Path;
use std::ptr;

/// A SCIP for a search beside the main one.
pub(super) struct SubScip {
    raw: *mut SCIP,
    /// Of a copy the copy of each active variable of the main SCIP, in their order, as SCIP's functions that
    /// translate solutions want it; null where there is none. Of another problem its columns.
    pub variables: Vec<*mut SCIP_VAR>,
}

/// A hash map of SCIP's that frees itself.
struct Map(*mut SCIP_HASHMAP);

impl Drop for Map {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: created by SCIPhashmapCreate and freed only here.
            unsafe { ffi::SCIPhashmapFree(&mut self.0) };
        }
    }
}

impl Drop for SubScip {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: created by SCIPcreate and freed only here. A failure leaks, no more.
            let _ = unsafe { scip!(SCIPfree(&mut self.raw)) };
        }
    }
}

/// From so many seconds on a search gets SCIP at nearly full strength.
const LONG_SEARCH: f64 = 2.0;

impl SubScip {
    /// Copies the problem of `main` with `fixings` fixed. `variables` are main's active variables.
    pub(super) fn copy(
        main: MainScip<'_>,
        variables: &[*mut SCIP_VAR],
        fixings: &[(*mut SCIP_VAR, f64)],
    ) -> Result<SubScip> {
        let mut sub = SubScip::create()?;
        let mut map = Map(ptr::null_mut());
        // SAFETY: a valid place for the map, and the memory of a live SCIP that outlives it: `map` is
        // dropped before `sub` because it is declared later.
        unsafe { scip!(SCIPhashmapCreate(&mut map.0, ffi::SCIPblkmem(sub.raw), variables.len() as i32)) }?;
        let (mut fixed, mut values): (Vec<_>, Vec<_>) = fixings.iter().copied().unzip();
        let (mut success, mut valid) = (0, 0);
        // SAFETY: two live SCIPs, the source in stage SOLVING and the target just created; arrays as
        // long as the count says; fixed variables are active variables of the source, each once.
        unsafe {
            scip!(SCIPcopyLargeNeighborhoodSearch(
                main.raw(),
                sub.raw,
                map.0,
                c"apollo".as_ptr(),
                fixed.as_mut_ptr(),
                values.as_mut_ptr(),
                fixed.len() as i32,
                0,
                0,
                &mut success,
                &mut valid
            ))
        }?;
        // SAFETY: a live map; an origin that is not in it gives null.
        let copy = |&var: &*mut SCIP_VAR| unsafe { ffi::SCIPhashmapGetImage(map.0, var.cast()) }.cast();
        sub.variables = variables.iter().map(copy).collect();
        Ok(sub)
    }

    fn create() -> Result<SubScip> {
        let mut sub = SubScip { raw: ptr::null_mut(), variables: vec![] };
        // SAFETY: a valid place for the new SCIP.
        unsafe { scip!(SCIPcreate(&mut sub.raw)) }?;
        Ok(sub)
    }

    /// Another problem, with the plugins and the parameters of `main`.
    pub(super) fn write(main: MainScip<'_>, problem: &Problem) -> Result<SubScip> {
        let mut sub = SubScip::create()?;
        let mut valid = 0;
        // SAFETY: two live SCIPs, the target just created. All kinds of plugins but those that no search
        // needs: readers, pricers, dialogs and tables. The message handler is shared, as in SCIP's copies.
        unsafe {
            scip!(SCIPcopyPlugins(
                main.raw(),
                sub.raw,
                0, // readers
                0, // pricers
                1, // constraint handlers
                1, // conflict handlers
                1, // presolvers
                1, // relaxators
                1, // separators
                1, // cut selectors
                1, // propagators
                1, // heuristics
                1, // event handlers
                1, // node selectors
                1, // branching rules
                0, // finders of infeasible subsystems
                0, // displays
                0, // dialogs
                0, // tables
                1, // expression handlers
                1, // NLP interfaces
                1, // message handler
                &mut valid
            ))
        }?;
        // SAFETY: two live SCIPs; parameters that the target does not know are passed over.
        unsafe { scip!(SCIPcopyParamSettings(main.raw(), sub.raw)) }?;
        // SAFETY: live SCIP without a problem; the name is a C string.
        unsafe { scip!(SCIPcreateProbBasic(sub.raw, c"apollo".as_ptr())) }?;
        // SAFETY: live SCIP with a problem. Heuristics that look after sub-SCIPs see that this is one.
        unsafe { ffi::SCIPsetSubscipDepth(sub.raw, main.nesting() + 1) };
        // SAFETY: live SCIP with a problem that has nothing yet.
        sub.variables = unsafe { write(sub.raw, problem) }?;
        Ok(sub)
    }

    /// The values of its variables in a solution of it.
    pub(super) fn values(&self, solution: *mut SCIP_SOL) -> Vec<f64> {
        // SAFETY: live SCIP, a solution of it, and original variables of it.
        self.variables.iter().map(|&var| unsafe { ffi::SCIPgetSolVal(self.raw, solution, var) }).collect()
    }

    /// The pointer itself, for the other files of this folder.
    pub(super) fn raw(&self) -> *mut SCIP {
        self.raw
    }

    /// Sets the sub-SCIP up for a search of at most `seconds` and `nodes`, with what is left of the
    /// user's limits and nothing of those that are meant for the main problem.
    ///
    /// A short search, or one that counts nodes, gets the settings of SCIP's own sub-MIP heuristics:
    /// almost everything is off. For longer ones that loses (docs/SUB_SCIP.md): they get the user's
    /// settings without separation, and SCIP's default heuristics, also those that search sub-problems
    /// of their own.
    pub(super) fn configure(
        &self,
        main: MainScip<'_>,
        seconds: f64,
        nodes: Option<u64>,
        seed: i32,
    ) -> Result<()> {
        let nodes = nodes.map_or(-1, |nodes| nodes.min(i64::MAX as u64) as i64);
        if seconds.is_finite() && seconds >= LONG_SEARCH {
            self.set_int(c"display/verblevel", 0)?;
            self.set_bool(c"misc/catchctrlc", false)?;
            self.set_bool(c"timing/statistictiming", false)?;
            self.set_bool(c"lp/checkdualfeas", false)?;
            let (off, default) = (
                ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_OFF,
                ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_DEFAULT,
            );
            // SAFETY: live SCIP; quiet; parameters that the user fixed stay.
            unsafe { scip!(SCIPsetSeparating(self.raw, off, 1)) }?;
            // SAFETY: as above.
            unsafe { scip!(SCIPsetHeuristics(self.raw, default, 1)) }?;
            // SAFETY: two live SCIPs; takes over what is left of the time and memory limits.
            unsafe { scip!(SCIPcopyLimits(main.raw(), self.raw)) }?;
            // SAFETY: live SCIP.
            unsafe { scip!(SCIPsetLongintParam(self.raw, c"limits/nodes".as_ptr(), nodes)) }?;
        } else {
            // SAFETY: two live SCIPs. Also takes over what is left of the time and memory limits.
            unsafe { scip!(SCIPsetCommonSubscipParams(main.raw(), self.raw, nodes, -1, -1)) }?;
        }
        self.set_int(c"randomization/randomseedshift", seed)?;
        for name in [
            c"limits/gap",
            c"limits/absgap",
            c"limits/solutions",
            c"limits/bestsol",
            c"limits/totalnodes",
            c"limits/stallnodes",
            c"limits/restarts",
        ] {
            if !self.is_fixed(name) {
                // SAFETY: live SCIP; the name is a C string.
                unsafe { scip!(SCIPresetParam(self.raw, name.as_ptr())) }?;
            }
        }
        if seconds.is_finite() {
            let mut limit = 0.0;
            // SAFETY: live SCIP; a valid place for the answer.
            unsafe { scip!(SCIPgetRealParam(self.raw, c"limits/time".as_ptr(), &mut limit)) }?;
            // SAFETY: live SCIP.
            unsafe { scip!(SCIPsetRealParam(self.raw, c"limits/time".as_ptr(), seconds.min(limit))) }?;
        }
        Ok(())
    }

    /// Reads a settings file.
    pub(super) fn read_settings(&self, path: &str) -> Result<()> {
        let unreadable =
            |why: &str| Error::Setting { name: "subscip".to_string(), why: format!("{path}: {why}") };
        if !Path::new(path).is_file() {
            return Err(unreadable("there is no such file"));
        }
        // SAFETY: live SCIP; the path is a C string.
        unsafe { scip!(SCIPreadParams(self.raw, text(path).as_ptr())) }
            .map_err(|_| unreadable("SCIP does not accept this settings file"))
    }

    fn is_fixed(&self, name: &CStr) -> bool {
        // SAFETY: live SCIP; the name is a C string.
        unsafe { ffi::SCIPisParamFixed(self.raw, name.as_ptr()) != 0 }
    }

    /// Sets a whole-number parameter, unless the user fixed it.
    pub(super) fn set_int(&self, name: &CStr, value: i32) -> Result<()> {
        if self.is_fixed(name) {
            return Ok(());
        }
        // SAFETY: live SCIP; the name is a C string.
        unsafe { scip!(SCIPsetIntParam(self.raw, name.as_ptr(), value)) }
    }

    /// Sets a yes-or-no parameter, unless the user fixed it.
    fn set_bool(&self, name: &CStr, value: bool) -> Result<()> {
        if self.is_fixed(name) {
            return Ok(());
        }
        // SAFETY: live SCIP; the name is a C string.
        unsafe { scip!(SCIPsetBoolParam(self.raw, name.as_ptr(), value.into())) }
    }

    /// Adds `Σ terms ≤ rhs`.
    pub(super) fn add_row(&self, terms: &[(*mut SCIP_VAR, f64)], rhs: f64) -> Result<()> {
        let (mut vars, mut vals): (Vec<_>, Vec<_>) = terms.iter().copied().unzip();
        let mut cons = ptr::null_mut();
        // SAFETY: live SCIP in stage PROBLEM; the arrays are as long as the count says, and the
        // variables are this SCIP's.
        unsafe {
            scip!(SCIPcreateConsBasicLinear(
                self.raw,
                &mut cons,
                c"apollo_trust_region".as_ptr(),
                vars.len() as i32,
                vars.as_mut_ptr(),
                vals.as_mut_ptr(),
                -ffi::SCIPinfinity(self.raw),
                rhs
            ))
        }?;
        // SAFETY: the constraint was just created in this SCIP.
        unsafe { scip!(SCIPaddCons(self.raw, cons)) }?;
        // SAFETY: our own reference, given back.
        unsafe { scip!(SCIPreleaseCons(self.raw, &mut cons)) }
    }

    /// Adds an auxiliary variable d ≥ 0 that costs nothing. It lives as long as this SCIP.
    pub(super) fn add_auxiliary(&self) -> Result<*mut SCIP_VAR> {
        let (mut var, kind) = (ptr::null_mut(), ffi::SCIP_Vartype_SCIP_VARTYPE_CONTINUOUS);
        // SAFETY: live SCIP.
        let infinity = unsafe { ffi::SCIPinfinity(self.raw) };
        let name = c"apollo_distance".as_ptr();
        // SAFETY: live SCIP in stage PROBLEM; a valid place for the variable.
        unsafe { scip!(SCIPcreateVarBasic(self.raw, &mut var, name, 0.0, infinity, 0.0, kind)) }?;
        // SAFETY: the variable was just created in this SCIP.
        unsafe { scip!(SCIPaddVar(self.raw, var)) }?;
        let mut reference = var;
        // SAFETY: our own reference, given back; the problem keeps its own, so the pointer stays valid.
        unsafe { scip!(SCIPreleaseVar(self.raw, &mut reference)) }?;
        Ok(var)
    }

    /// Tightens the bounds of a variable of this SCIP; not if nothing would be left between them.
    pub(super) fn tighten(&self, var: *mut SCIP_VAR, lower: f64, upper: f64) -> Result<()> {
        // SAFETY: a variable of this SCIP, here and below.
        let (own, above) = unsafe { (ffi::SCIPvarGetLbGlobal(var), ffi::SCIPvarGetUbGlobal(var)) };
        if lower > above || upper < own || lower > upper {
            return Ok(());
        }
        if lower > own {
            // SAFETY: live SCIP in stage PROBLEM; the bound is not above the upper one.
            unsafe { scip!(SCIPchgVarLbGlobal(self.raw, var, lower)) }?;
        }
        if upper < above {
            // SAFETY: live SCIP in stage PROBLEM; the bound is not below the lower one.
            unsafe { scip!(SCIPchgVarUbGlobal(self.raw, var, upper)) }?;
        }
        Ok(())
    }

    /// Solutions must be better than `limit`, in the space of the main SCIP's transformed problem.
    pub(super) fn set_objective_limit(&self, limit: f64) -> Result<()> {
        // SAFETY: live SCIP in stage PROBLEM.
        unsafe { scip!(SCIPsetObjlimit(self.raw, limit)) }
    }

    /// Has partial starts completed, however little they say and whatever the user's settings are.
    pub(super) fn complete_partial_starts(&self) -> Result<()> {
        self.set_int(c"heuristics/completesol/freq", 0)?;
        let name = c"heuristics/completesol/maxunknownrate";
        if self.is_fixed(name) {
            return Ok(());
        }
        // SAFETY: live SCIP; the name is a C string.
        unsafe { scip!(SCIPsetRealParam(self.raw, name.as_ptr(), 1.0)) }
    }

    /// Offers a start: a value for some variables (`partial`), or for all of them.
    pub(super) fn add_start(&self, values: &[(*mut SCIP_VAR, f64)], partial: bool) -> Result<()> {
        let mut solution: *mut SCIP_SOL = ptr::null_mut();
        // SAFETY: live SCIP in stage PROBLEM; a valid place for the solution.
        unsafe {
            if partial {
                scip!(SCIPcreatePartialSol(self.raw, &mut solution, ptr::null_mut()))
            } else {
                scip!(SCIPcreateSol(self.raw, &mut solution, ptr::null_mut()))
            }
        }?;
        for &(var, value) in values {
            // SAFETY: a solution and a variable of this SCIP.
            unsafe { scip!(SCIPsetSolVal(self.raw, solution, var, value)) }?;
        }
        let mut stored = 0;
        // SAFETY: our own solution, which SCIP takes.
        unsafe { scip!(SCIPaddSolFree(self.raw, &mut solution, &mut stored)) }
    }

    /// Solves.
    pub(super) fn solve(&self) -> Result<()> {
        // SAFETY: live SCIP with a problem.
        unsafe { scip!(SCIPsolve(self.raw)) }
    }

    /// Why the solve ended.
    pub(super) fn status(&self) -> ffi::SCIP_STATUS {
        // SAFETY: live SCIP.
        unsafe { ffi::SCIPgetStatus(self.raw) }
    }

    /// Nodes of the solve, restarts included.
    pub(super) fn nodes(&self) -> u64 {
        // SAFETY: live SCIP; allowed from stage PROBLEM on.
        unsafe { ffi::SCIPgetNTotalNodes(self.raw) }.max(0) as u64
    }

    /// The best solution, or null.
    pub(super) fn best_solution(&self) -> *mut SCIP_SOL {
        // SAFETY: live SCIP; allowed from stage PROBLEM on.
        unsafe { ffi::SCIPgetBestSol(self.raw) }
    }
}
