//! Local search: better solutions close to a good one, without a model and mostly without an LP.
//!
//! Two kinds of it, for two users (the heuristic, around its rounds, and the teachers):
//! - *flips* (`flips`) and *exchanges* (`exchange`) change one or two decisions at a time and ask
//!   nobody else, a million times a second; of *packings* (`packing`) many evolve;
//! - *neighbourhoods* ([`neighbourhood`], chosen by [`kinds`]) fix most of the problem as it is in a good
//!   solution; somebody else, a small SCIP, searches the rest.
//!
//! Nothing here knows SCIP or a clock.

pub(crate) mod exchange;
pub(crate) mod flips;

pub mod kinds;
pub mod neighbourhood;
pub(crate) mod packing;
mod response;
pub mod trim;
