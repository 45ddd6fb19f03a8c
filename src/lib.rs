//! Apollo-MILP for SCIP: a primal heuristic that alternates prediction and trust-region search.
//!
//! ```text
//!                ┌──────────────────────────────────────────────────┐
//!                │                                                  ▼
//!   problem ─► reduce ─► predict ─► partial solution x̂ ─► search around x̂ ─► reference x̃
//!                ▲        (graph,     (k0 surest zeros,     (sub-SCIP, at most      │
//!                │       GNN or LP)    k1 surest ones)       Δ values changed)      │
//!                └────────── fix the values that x̂ and x̃ agree on ◄────────────────┘
//!                            every better solution goes into the user's tree at once
//! ```
//!
//! The words, each with one meaning:
//! - *prediction*: one probability of being 1 for each binary ([`prediction`]);
//! - *bits*: those of a general integer's value above its lower bound; the *leading bits* that are sure
//!   are a predicted *interval* ([`bits`]);
//! - *predicted value* x̂ and *partial solution*: the surest of them ([`partial`]);
//! - *trust region* and *radius* Δ: how far a search may go from it ([`region`]);
//! - *reference solution* x̃: what the search returned ([`correction`]); *incumbent* means only the
//!   best solution of the user's own SCIP;
//! - *consistent*: x̂ and x̃ agree; *fixing*: a value that is settled ([`consistency`]);
//! - *reduced problem*: what the fixings leave ([`problem`]); *relaxation*: its LP ([`relaxation`]);
//!   *written anew*: the same problem with tighter and shorter rows, for searches ([`rewrite`]);
//! - *local search* around the rounds: *flips* and *exchanges* of single decisions, *packings* that evolve,
//!   *neighbourhoods* of the incumbent, which sub-SCIPs search ([`local`]), and its *crossing* with other good
//!   solutions; *opening*: what comes before the rounds; *turn*: once that the heuristic may work in a solve;
//! - *round*: prediction and correction once ([`search`]); *sub-SCIP*: the solver inside a round.
//!
//! [`search`] is the paper; it knows neither SCIP nor ONNX. [`scip`] and [`onnx`] are the two
//! adapters. The plugin in `plugin/` and the command `apollo` are thin shells around them.

pub mod bits;
pub mod condense;
pub mod consistency;
pub mod correction;
mod dice;
pub mod error;
pub mod fingerprint;
pub mod graph;
pub mod local;
pub mod network;
pub mod onnx;
pub mod partial;
pub mod prediction;
pub mod problem;
pub mod quality;
pub mod region;
pub mod relaxation;
pub mod rewrite;
pub mod schedule;
pub mod scip;
pub mod search;
pub mod settings;
pub mod strengthen;
pub mod turns;

#[cfg(feature = "cli")]
pub mod bench;
#[cfg(feature = "cli")]
pub mod data;
#[cfg(feature = "cli")]
pub mod evaluation;
#[cfg(feature = "cli")]
pub mod instances;
#[cfg(feature = "cli")]
pub mod measure;
#[cfg(feature = "cli")]
pub mod plot;
#[cfg(feature = "cli")]
pub mod teach;
#[cfg(feature = "cli")]
pub mod train;

pub use error::{Error, Result};

/// Adds Apollo to a SCIP of russcip's, like any other of its heuristics. Parameters are under
/// `heuristics/apollo/`.
///
/// ```no_run
/// use russcip::prelude::*;
/// let model = Model::new().include_default_plugins();
/// apollo_scip::include(&model).expect("SCIP 10");
/// let solved = model.read_prob("problem.mps").expect("a readable file").solve();
/// println!("{}", solved.obj_val());
/// ```
#[cfg(feature = "russcip")]
pub fn include<T>(model: &russcip::Model<T>) -> Result<()> {
    scip::include(model, None)
}

/// The same with a predictor of your own.
#[cfg(feature = "russcip")]
pub fn include_with<T>(model: &russcip::Model<T>, predictor: scip::PredictorFactory) -> Result<()> {
    scip::include(model, Some(predictor))
}
