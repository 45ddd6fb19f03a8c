//! The wall between Rust and SCIP: no panic crosses it.
//!
//! A panic that unwinds into C is undefined behaviour, so every `extern "C"` function of this library
//! runs its work through [`guarded`]. What would have been a panic becomes an [`Error::Panic`], and
//! its message stays off the terminal: the caller says it in one sentence.

use crate::error::{Error, Result};
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the message of a guarded panic, and leaves every other panic to the hook that was there.
fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let other = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                return other(info);
            }
            let payload = info.payload();
            let text = payload
                .downcast_ref::<&str>()
                .map(|text| text.to_string())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "unknown".to_string());
            let place = info.location().map(|at| format!(" at {}:{}", at.file(), at.line()));
            MESSAGE.set(text + &place.unwrap_or_default());
        }));
    });
}

/// Runs `work`; a panic in it becomes an error.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    install_hook();
    let outer = GUARDED.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(outer);
    // The payload of a panic may panic when it is dropped; forgetting it is the only safe thing.
    outcome.unwrap_or_else(|payload| {
        std::mem::forget(payload);
        Err(Error::Panic(MESSAGE.take()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_message() {
        let error = guarded::<()>(|| panic!("no {}", "luck")).unwrap_err();
        assert!(matches!(&error, Error::Panic(text) if text.starts_with("no luck at ")), "{error}");
        assert_eq!(guarded(|| Ok(3)), Ok(3));
    }
}
