//! Writes a plain [`Problem`] into a SCIP.

use super::call::scip;
use super::main_scip::text;
use crate::error::Result;
use crate::problem::{Kind, Problem};
use scip_sys::{self as ffi, SCIP, SCIP_VAR};
use std::ptr;

/// Writes columns, rows and the constant of the objective, which is minimised; returns the variables of
/// the columns. They live as long as the problem of this SCIP.
///
/// # Safety
/// `raw` is a live SCIP in stage PROBLEM, with the plugins for linear constraints.
pub(super) unsafe fn write(raw: *mut SCIP, problem: &Problem) -> Result<Vec<*mut SCIP_VAR>> {
    // SAFETY: the caller's promise, here and in the next lines.
    unsafe { scip!(SCIPaddOrigObjoffset(raw, problem.offset)) }?;
    // SAFETY: see above.
    let infinity = unsafe { ffi::SCIPinfinity(raw) };
    let mut all = Vec::with_capacity(problem.columns());
    for j in 0..problem.columns() {
        // SAFETY: see above.
        all.push(unsafe { write_column(raw, problem, j, infinity) }?);
    }
    for i in 0..problem.rows.len() {
        // SAFETY: see above; the variables are the problem's columns.
        unsafe { write_row(raw, problem, i, infinity, &all) }?;
    }
    Ok(all)
}

unsafe fn write_column(raw: *mut SCIP, problem: &Problem, j: usize, infinity: f64) -> Result<*mut SCIP_VAR> {
    let kind = match problem.kind[j] {
        Kind::Binary => ffi::SCIP_Vartype_SCIP_VARTYPE_BINARY,
        Kind::Integer => ffi::SCIP_Vartype_SCIP_VARTYPE_INTEGER,
        Kind::Continuous => ffi::SCIP_Vartype_SCIP_VARTYPE_CONTINUOUS,
    };
    let (lower, upper) = (problem.lower[j].max(-infinity), problem.upper[j].min(infinity));
    let (mut var, name, cost) = (ptr::null_mut(), text(&format!("x{j}")), problem.objective[j]);
    // SAFETY: a live SCIP in stage PROBLEM (the caller's promise); a valid place for the variable.
    unsafe { scip!(SCIPcreateVarBasic(raw, &mut var, name.as_ptr(), lower, upper, cost, kind)) }?;
    // SAFETY: the variable was just created in this SCIP.
    unsafe { scip!(SCIPaddVar(raw, var)) }?;
    let mut reference = var;
    // SAFETY: our own reference, given back; the problem keeps its own, so the pointer stays valid.
    unsafe { scip!(SCIPreleaseVar(raw, &mut reference)) }?;
    Ok(var)
}

unsafe fn write_row(
    raw: *mut SCIP,
    problem: &Problem,
    i: usize,
    infinity: f64,
    all: &[*mut SCIP_VAR],
) -> Result<()> {
    let (mut vars, mut values): (Vec<_>, Vec<_>) =
        problem.rows.terms(i).map(|(j, coefficient)| (all[j], coefficient)).unzip();
    let (lhs, rhs) = (problem.rows.lhs[i].max(-infinity), problem.rows.rhs[i].min(infinity));
    let (mut cons, name, count) = (ptr::null_mut(), text(&format!("r{i}")), vars.len() as i32);
    let (name, vars, values) = (name.as_ptr(), vars.as_mut_ptr(), values.as_mut_ptr());
    // SAFETY: a live SCIP in stage PROBLEM (the caller's promise); two arrays as long as the count says;
    // variables of this SCIP; a valid place for the constraint; the name is a C string alive here.
    unsafe { scip!(SCIPcreateConsBasicLinear(raw, &mut cons, name, count, vars, values, lhs, rhs)) }?;
    // SAFETY: the constraint was just created in this SCIP.
    unsafe { scip!(SCIPaddCons(raw, cons)) }?;
    // SAFETY: our own reference, given back; the problem keeps its own.
    unsafe { scip!(SCIPreleaseCons(raw, &mut cons)) }
}
