//! Everything that touches SCIP, and the only `unsafe` of the library.
//!
//! The way of a call: `heuristic` (SCIP calls us) → `guard` (no panic gets out) → refusals →
//! `snapshot` (the problem is read once) → [`crate::search::run`] → `corrector` (one `sub_scip` a
//! search) → result. The rules that every `unsafe` block here relies on are in SAFETY.md.

mod call;
mod corrector;
mod guard;
mod heuristic;
mod host;
mod lp;
mod main_scip;
mod message;
#[cfg(feature = "russcip")]
mod milp;
#[cfg(feature = "russcip")]
mod parameters;
mod predictors;
mod relaxation;
mod root_lp;
mod shell;
mod snapshot;
mod sub_scip;
mod write;

pub use heuristic::{PredictorFactory, include_raw};
#[cfg(feature = "russcip")]
pub use heuristic::{include, report, settings_of};
pub use host::{Host, find_host, next_include_default_plugins, own_file};
#[cfg(feature = "russcip")]
pub use milp::{Found, Milp};
#[cfg(feature = "russcip")]
pub use parameters::{read_settings, set_parameter};
pub use relaxation::{Relaxation, relax};
pub use shell::run_shell;
#[cfg(feature = "russcip")]
pub use snapshot::{maximises, read_problem};
