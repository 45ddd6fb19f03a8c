//! The library's diagnostics (crate `log`) in SCIP's own log.
//!
//! What every user sees (the lines of the rounds, warnings) goes to SCIP directly. `log` carries the
//! rest: it appears when the user asks SCIP for more (`display/verblevel` 4 and 5), from the SCIP
//! whose callback runs in this thread. A program that has installed a logger of its own keeps it.

use super::main_scip::MainScip;
use log::{Level, LevelFilter, Log, Metadata, Record};
use scip_sys::{self as ffi, SCIP};
use std::cell::Cell;
use std::ptr;

thread_local! {
    static CURRENT: Cell<*mut SCIP> = const { Cell::new(ptr::null_mut()) };
}

struct ToScip;

impl Log for ToScip {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("apollo_scip")
    }

    fn log(&self, record: &Record<'_>) {
        let scip = CURRENT.get();
        if scip.is_null() || !self.enabled(record.metadata()) {
            return;
        }
        let level = match record.level() {
            Level::Error | Level::Warn | Level::Info => ffi::SCIP_VerbLevel_SCIP_VERBLEVEL_NORMAL,
            Level::Debug => ffi::SCIP_VerbLevel_SCIP_VERBLEVEL_HIGH,
            Level::Trace => ffi::SCIP_VerbLevel_SCIP_VERBLEVEL_FULL,
        };
        // SAFETY: set by `with_current` for the length of a callback in which this SCIP is alive, and
        // read in the same thread.
        unsafe { MainScip::new(scip) }.message(level, &record.args().to_string());
    }

    fn flush(&self) {}
}

/// Sends the library's diagnostics to SCIP, unless the program has a logger already.
pub(super) fn install() {
    if log::set_logger(&ToScip).is_ok() {
        log::set_max_level(LevelFilter::Trace);
    }
}

/// Runs `work` with this SCIP as the one that diagnostics go to.
pub(super) fn with_current<T>(scip: MainScip<'_>, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there before, also when a panic passes through.
    struct Outer(*mut SCIP);
    impl Drop for Outer {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _outer = Outer(CURRENT.replace(scip.raw()));
    work()
}
