//! Measuring strategies side by side: what a suite asks for, what its runs found, and what follows.
//!
//! ```text
//!   suite.toml ─► suite (instances × methods × seeds) ─► runs.jsonl ─► metrics ─► tables, figures, HTML
//!                                                            │            ▲
//!                                                            └► best known ┘   (a file that only improves)
//! ```
//!
//! The words: a *suite* is a file that says what to measure; a *strategy* is a row of its tables, with a
//! label; a *method* is a strategy made concrete for one family (files and model found, hashes taken); a
//! *run* is one solve of one instance by one method under one seed; the *baseline* is the better of the
//! strategies that the suite compares with. docs/BENCHMARKING.md says what each number means.

pub mod best_known;
pub mod cases;
pub mod compare;
pub mod csv;
pub mod figures;
pub mod glossary;
pub mod html;
pub mod machine;
pub mod method;
pub mod metrics;
pub mod report;
pub mod rounds;
pub mod runs;
pub mod statistics;
pub mod suite;
pub mod tables;
