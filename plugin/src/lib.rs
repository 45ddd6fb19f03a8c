//! The shared library that SCIP hosts load.
//!
//! Two symbols: [`SCIPincludeHeurApollo`] for programs that call it, and
//! [`SCIPincludeDefaultPlugins`], which stands in front of SCIP's own function of that name when this
//! file is preloaded (`LD_PRELOAD`), so that an unmodified program gets Apollo too. SCIP itself is the
//! host's: no libscip is linked here.

use apollo_scip::scip::{include_raw, next_include_default_plugins};
use scip_sys::{SCIP, SCIP_RETCODE, SCIP_Retcode_SCIP_ERROR, SCIP_Retcode_SCIP_OKAY};
use std::io::Write;
use std::sync::Once;

/// Includes the heuristic `apollo` in a SCIP. Where that cannot be (no SCIP, or one of another major
/// version) it says so in one sentence on stderr and the host goes on without Apollo.
///
/// # Safety
/// `scip` is a live SCIP of the host's, used by this thread, before its problem is transformed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SCIPincludeHeurApollo(scip: *mut SCIP) -> SCIP_RETCODE {
    // SAFETY: the caller's promise.
    if let Err(error) = unsafe { include_raw(scip.cast()) } {
        // Once a process: a preloaded host includes its plugins in sub-SCIPs too.
        static TOLD: Once = Once::new();
        TOLD.call_once(|| tell(&error.to_string()));
    }
    SCIP_Retcode_SCIP_OKAY
}

/// One sentence on stderr. Where nobody listens any more it is lost: a panic must not cross into C.
fn tell(sentence: &str) {
    let _ = writeln!(std::io::stderr(), "apollo: {sentence}");
}

/// SCIP's own default plugins, and Apollo.
///
/// # Safety
/// As for SCIP's function: `scip` is a live SCIP in stage INIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn SCIPincludeDefaultPlugins(scip: *mut SCIP) -> SCIP_RETCODE {
    let Some(include_default_plugins) = next_include_default_plugins() else {
        tell("SCIPincludeDefaultPlugins was called, but no SCIP library is loaded");
        return SCIP_Retcode_SCIP_ERROR;
    };
    // SAFETY: SCIP's own function with the argument it was called with.
    let code = unsafe { include_default_plugins(scip) };
    if code != SCIP_Retcode_SCIP_OKAY {
        return code;
    }
    // SAFETY: the caller's promise; SCIP is still in stage INIT.
    unsafe { SCIPincludeHeurApollo(scip) }
}
