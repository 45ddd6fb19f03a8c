//! Teachers: who finds the solutions that a network learns from.
//!
//! A lesson has two parts. First a teacher finds solutions on its own: SCIP, SCIP with Apollo, or
//! somebody whose solutions are imported. Then [`improve`] makes them better by local search around the
//! best ([`crate::local`]), again and again, because SCIP alone leaves labels far from the optimum in any
//! time that one can spend on hundreds of instances.

pub mod collect;
pub mod import;
pub mod improve;
