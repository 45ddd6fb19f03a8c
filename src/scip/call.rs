//! SCIP's return codes as results.

use crate::error::{Error, Result};
use scip_sys::{SCIP_RETCODE, SCIP_Retcode_SCIP_OKAY};

/// `Ok` for SCIP_OKAY, else an error that names the call.
pub(super) fn check(call: &'static str, code: SCIP_RETCODE) -> Result<()> {
    if code == SCIP_Retcode_SCIP_OKAY { Ok(()) } else { Err(Error::Scip { call, code }) }
}

/// Calls a SCIP function that returns a code: `scip!(SCIPfree(&mut scip))` is a [`Result`].
///
/// The macro is to be used inside an `unsafe` block of its own, whose `SAFETY:` line says why the
/// call is allowed.
macro_rules! scip {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::scip::call::check(stringify!($function), scip_sys::$function($($argument),*))
    };
}
pub(super) use scip;
