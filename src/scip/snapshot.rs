//! The user's problem, read once, and where its binaries and general integers went in presolve.

use super::call::scip;
use super::main_scip::{MainScip, copied};
use crate::error::Result;
use crate::problem::{Fixings, Kind, Problem};
use scip_sys::{self as ffi, SCIP_VAR};
use std::ffi::CStr;

/// Where a binary or a general integer of the original problem is in the transformed one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// It is this active variable, or one minus it.
    Active {
        /// The active variable.
        variable: *mut SCIP_VAR,
        /// It is one minus it.
        negated: bool,
    },
    /// A general integer: `factor · variable + constant`.
    Affine {
        /// The active variable.
        variable: *mut SCIP_VAR,
        /// It is multiplied by this, which is not 0.
        factor: f64,
        /// Then this is added.
        constant: f64,
    },
    /// Presolve fixed it, or replaced it by a sum of several variables: not ours to fix.
    Gone,
}

/// The original problem and its way into the transformed one.
pub(super) struct Snapshot {
    /// The original problem.
    pub problem: Problem,
    /// Its variables, in the order of the problem's columns.
    pub original: Vec<*mut SCIP_VAR>,
    /// Where each column is now; `Gone` for everything that is continuous.
    pub target: Vec<Target>,
    /// The problem has all constraints: there are none that are not linear.
    pub is_whole: bool,
}

/// The problem in a SCIP of russcip's, as the user wrote it, and the names of its variables.
/// Constraints that are not linear are left out: the predictor sees the linear part, the searches see
/// everything.
#[cfg(feature = "russcip")]
pub fn read_problem<T>(model: &russcip::Model<T>) -> Result<(Problem, Vec<String>)> {
    // SAFETY: the model owns a live SCIP, and is used by the thread that holds the reference.
    let (problem, original, _) = read(unsafe { MainScip::new(model.scip_ptr()) })?;
    // SAFETY: a variable of a live SCIP; its name is a C string.
    let name = |&var: &*mut SCIP_VAR| unsafe { CStr::from_ptr(ffi::SCIPvarGetName(var)) };
    let names = original.iter().map(|var| name(var).to_string_lossy().into_owned()).collect();
    Ok((problem, names))
}

/// Whether larger objectives are better in a SCIP of russcip's with a problem.
#[cfg(feature = "russcip")]
pub fn maximises<T>(model: &russcip::Model<T>) -> bool {
    // SAFETY: the model owns a live SCIP, and is used by the thread that holds the reference.
    unsafe { MainScip::new(model.scip_ptr()) }.maximises()
}

/// The original problem, its variables, and how many constraints are not in it because they are not linear.
fn read(scip: MainScip<'_>) -> Result<(Problem, Vec<*mut SCIP_VAR>, usize)> {
    let raw = scip.raw();
    // SAFETY: live SCIP with a problem; the array has as many entries as SCIP says.
    let mut original = unsafe { copied(ffi::SCIPgetOrigVars(raw), ffi::SCIPgetNOrigVars(raw)) };
    // SCIP keeps its variables sorted by type. Their indices are in the order of creation, which is
    // the order of the file.
    // SAFETY: variables of a live SCIP.
    original.sort_by_key(|&var| unsafe { ffi::SCIPvarGetIndex(var) });

    let maximise = scip.maximises();
    let sign = if maximise { -1.0 } else { 1.0 };
    // SAFETY: live SCIP with a problem.
    let offset = sign * unsafe { ffi::SCIPgetOrigObjoffset(raw) };
    let mut problem = Problem { maximise, offset, ..Problem::default() };
    let mut column_at = vec![0u32; original.len()];
    for (j, &var) in original.iter().enumerate() {
        // SAFETY: an original variable of a live SCIP, here and in the next lines.
        let place = unsafe { ffi::SCIPvarGetProbindex(var) };
        column_at[place as usize] = j as u32;
        // SAFETY: see above.
        let (lower, upper) = unsafe { (ffi::SCIPvarGetLbOriginal(var), ffi::SCIPvarGetUbOriginal(var)) };
        // SAFETY: see above.
        let (kind, objective) = unsafe { (ffi::SCIPvarGetType(var), ffi::SCIPvarGetObj(var)) };
        let kind = match kind {
            ffi::SCIP_Vartype_SCIP_VARTYPE_BINARY => Kind::Binary,
            ffi::SCIP_Vartype_SCIP_VARTYPE_INTEGER if lower == 0.0 && upper == 1.0 => Kind::Binary,
            ffi::SCIP_Vartype_SCIP_VARTYPE_INTEGER => Kind::Integer,
            _ => Kind::Continuous,
        };
        problem.add_column(sign * objective, scip.unbounded(lower), scip.unbounded(upper), kind);
    }
    let skipped = read_rows(scip, &column_at, &mut problem)?;
    if skipped > 0 {
        log::debug!("{skipped} constraints are not linear: the predictor does not see them");
    }
    Ok((problem, original, skipped))
}

/// The constraint handlers whose constraints are read. Others must not even be asked: SCIP warns each time, and
/// for the weights of an SOS constraint without any it reads from nowhere.
const LINEAR: [&CStr; 5] = [c"linear", c"setppc", c"logicor", c"knapsack", c"varbound"];

/// Reads the linear constraints; returns how many others there are.
fn read_rows(scip: MainScip<'_>, column_at: &[u32], problem: &mut Problem) -> Result<usize> {
    let raw = scip.raw();
    // SAFETY: live SCIP with a problem; the array has as many entries as SCIP says.
    let constraints = unsafe { copied(ffi::SCIPgetOrigConss(raw), ffi::SCIPgetNOrigConss(raw)) };
    let mut vars: Vec<*mut SCIP_VAR> = vec![];
    let mut vals: Vec<f64> = vec![];
    let mut terms: Vec<(usize, f64)> = vec![];
    let all = constraints.len();
    for cons in constraints {
        // SAFETY: a constraint of a live SCIP has a handler with a name, a C string.
        let handler = unsafe { CStr::from_ptr(ffi::SCIPconshdlrGetName(ffi::SCIPconsGetHdlr(cons))) };
        if !LINEAR.contains(&handler) {
            continue;
        }
        let (mut count, mut linear) = (0, 0);
        // SAFETY: a constraint of a live SCIP; valid places for the answers, here and below.
        unsafe { scip!(SCIPgetConsNVars(raw, cons, &mut count, &mut linear)) }?;
        if linear == 0 {
            continue;
        }
        vars.resize(count as usize, std::ptr::null_mut());
        vals.resize(count as usize, 0.0);
        // SAFETY: the array has room for `count` variables.
        unsafe { scip!(SCIPgetConsVars(raw, cons, vars.as_mut_ptr(), count, &mut linear)) }?;
        if linear == 0 {
            continue;
        }
        // SAFETY: the array has room for `count` coefficients.
        unsafe { scip!(SCIPgetConsVals(raw, cons, vals.as_mut_ptr(), count, &mut linear)) }?;
        if linear == 0 {
            continue;
        }
        // SAFETY: as above.
        let lhs = unsafe { ffi::SCIPconsGetLhs(raw, cons, &mut linear) };
        // SAFETY: as above.
        let rhs = unsafe { ffi::SCIPconsGetRhs(raw, cons, &mut linear) };
        if linear == 0 {
            continue;
        }
        let mut constant = 0.0;
        terms.clear();
        for (&var, &coefficient) in vars.iter().zip(&vals) {
            // SAFETY: a variable of a live SCIP; a negated one has a counterpart, constant − x.
            let (var, coefficient) = if unsafe { ffi::SCIPvarIsNegated(var) } != 0 {
                // SAFETY: negated, as just asked.
                constant += coefficient * unsafe { ffi::SCIPvarGetNegationConstant(var) };
                // SAFETY: negated, as just asked.
                (unsafe { ffi::SCIPvarGetNegationVar(var) }, -coefficient)
            } else {
                (var, coefficient)
            };
            // SAFETY: an original variable of a live SCIP.
            let place = unsafe { ffi::SCIPvarGetProbindex(var) };
            if let Some(&j) = usize::try_from(place).ok().and_then(|place| column_at.get(place)) {
                terms.push((j as usize, coefficient));
            }
        }
        // A row may mention a variable twice, and SoPlex crashes on a column that does.
        terms.sort_by_key(|term| term.0);
        terms.dedup_by(|again, first| {
            again.0 == first.0 && {
                first.1 += again.1;
                true
            }
        });
        let (lhs, rhs) = (scip.unbounded(lhs) - constant, scip.unbounded(rhs) - constant);
        problem.rows.push(lhs, terms.iter().copied(), rhs);
    }
    Ok(all - problem.rows.len())
}

impl Snapshot {
    /// Reads the problem of a SCIP that is solving.
    pub(super) fn take(scip: MainScip<'_>) -> Result<Snapshot> {
        let (problem, original, skipped) = read(scip)?;
        let target = original
            .iter()
            .zip(&problem.kind)
            .map(|(&var, &kind)| match kind {
                Kind::Binary => target(scip, var),
                Kind::Integer => affine(scip, var),
                Kind::Continuous => Ok(Target::Gone),
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(Snapshot { problem, original, target, is_whole: skipped == 0 })
    }

    /// The columns that have only one value left at the root node, and that value.
    pub(super) fn settled(&self, scip: MainScip<'_>) -> Result<Fixings> {
        let mut settled = Fixings::new();
        for (j, &original) in self.original.iter().enumerate() {
            let Some((terms, constant)) = active_sum(scip, original)? else { continue };
            let value = match terms {
                None => constant,
                Some((variable, factor)) => {
                    // SAFETY: an active variable of a live SCIP.
                    let (lower, upper) =
                        unsafe { (ffi::SCIPvarGetLbGlobal(variable), ffi::SCIPvarGetUbGlobal(variable)) };
                    if lower != upper {
                        continue;
                    }
                    factor * lower + constant
                }
            };
            let is_whole = self.problem.kind[j] != Kind::Continuous;
            settled.insert(j, if is_whole { value.round() } else { value });
        }
        Ok(settled)
    }

    /// The binaries and general integers that are still open, ascending.
    pub(super) fn candidates(&self) -> Vec<usize> {
        let open = |target: &Target| !matches!(target, Target::Gone);
        (0..self.target.len()).filter(|&j| open(&self.target[j])).collect()
    }

    /// How many of the candidates are binaries.
    pub(super) fn binaries(&self) -> usize {
        self.target.iter().filter(|target| matches!(target, Target::Active { .. })).count()
    }
}

/// Follows one original binary through presolve.
fn target(scip: MainScip<'_>, original: *mut SCIP_VAR) -> Result<Target> {
    let mut variable = std::ptr::null_mut();
    // SAFETY: a variable of a live SCIP that has been transformed; a valid place for the answer.
    unsafe { scip!(SCIPgetTransformedVar(scip.raw(), original, &mut variable)) }?;
    // SAFETY: a transformed variable, here and below.
    if variable.is_null() || unsafe { ffi::SCIPvarIsBinary(variable) } == 0 {
        return Ok(Target::Gone);
    }
    let mut negated = 0;
    // SAFETY: binary, as just asked; valid places for the answers.
    unsafe { scip!(SCIPvarGetProbvarBinary(&mut variable, &mut negated)) }?;
    // SAFETY: see above.
    let active = unsafe { ffi::SCIPvarIsActive(variable) } != 0;
    // SAFETY: see above.
    let open = active
        && unsafe { ffi::SCIPvarGetLbGlobal(variable) < 0.5 && ffi::SCIPvarGetUbGlobal(variable) > 0.5 };
    Ok(if open { Target::Active { variable, negated: negated != 0 } } else { Target::Gone })
}

/// A variable times a factor; none for nothing.
type Term = Option<(*mut SCIP_VAR, f64)>;

/// An original variable as `factor · active variable + constant`, without the first part if presolve has
/// fixed it; none if presolve replaced it by a sum of several.
pub(super) fn active_sum(scip: MainScip<'_>, original: *mut SCIP_VAR) -> Result<Option<(Term, f64)>> {
    let mut variable = std::ptr::null_mut();
    // SAFETY: a variable of a live SCIP that has been transformed; a valid place for the answer.
    unsafe { scip!(SCIPgetTransformedVar(scip.raw(), original, &mut variable)) }?;
    if variable.is_null() {
        return Ok(None);
    }
    let (mut factor, mut constant) = (1.0, 0.0);
    // SAFETY: a transformed variable; valid places for the answers.
    unsafe { scip!(SCIPgetProbvarSum(scip.raw(), &mut variable, &mut factor, &mut constant)) }?;
    if variable.is_null() || factor == 0.0 {
        return Ok(Some((None, constant)));
    }
    // SAFETY: a transformed variable.
    let is_active = unsafe { ffi::SCIPvarIsActive(variable) } != 0;
    Ok(is_active.then_some((Some((variable, factor)), constant)))
}

/// Follows one original general integer through presolve.
fn affine(scip: MainScip<'_>, original: *mut SCIP_VAR) -> Result<Target> {
    let Some((Some((variable, factor)), constant)) = active_sum(scip, original)? else {
        return Ok(Target::Gone);
    };
    // SAFETY: an active variable of a live SCIP.
    let open = unsafe { ffi::SCIPvarGetLbGlobal(variable) + 0.5 < ffi::SCIPvarGetUbGlobal(variable) };
    Ok(if open { Target::Affine { variable, factor, constant } } else { Target::Gone })
}
