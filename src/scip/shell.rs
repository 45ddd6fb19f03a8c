//! SCIP's own interactive shell with Apollo inside: what `SCIPrunShell` does, and one include more.

use super::call::scip;
use super::heuristic::include_raw;
use crate::error::Result;
use std::ffi::{CString, c_char};
use std::ptr;

/// A SCIP of our own, freed when it goes.
struct Owned(*mut scip_sys::SCIP);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: created by SCIPcreate and freed only here. A failure has nobody left to tell.
        let _ = unsafe { scip!(SCIPfree(&mut self.0)) };
    }
}

/// Runs the shell with the arguments of `scip` (without the program's name).
pub fn run_shell(arguments: &[String]) -> Result<()> {
    let mut scip = Owned(ptr::null_mut());
    // SAFETY: the place to store the new SCIP is valid.
    unsafe { scip!(SCIPcreate(&mut scip.0)) }?;
    // SAFETY: a SCIP that was just created, in stage INIT.
    unsafe { scip!(SCIPincludeDefaultPlugins(scip.0)) }?;
    // SAFETY: a live SCIP in stage INIT, where plugins may be included.
    unsafe { include_raw(scip.0.cast()) }?;

    // A NUL inside an argument cannot come from a command line.
    let program = std::iter::once("apollo scip".to_string());
    let texts: Vec<CString> =
        program.chain(arguments.iter().cloned()).filter_map(|text| CString::new(text).ok()).collect();
    let mut pointers: Vec<*mut c_char> = texts.iter().map(|text| text.as_ptr().cast_mut()).collect();
    // SAFETY: `pointers` holds as many C strings as the count says, alive until the call returns;
    // SCIP reads them only.
    unsafe {
        scip!(SCIPprocessShellArguments(
            scip.0,
            pointers.len() as i32,
            pointers.as_mut_ptr(),
            c"scip.set".as_ptr()
        ))
    }
}
