//! Training data: pools of good solutions, and the files they are kept in.
//!
//! [`pool`] is what a teacher fills, [`symmetry`] makes its labels canonical, [`file`](mod@file) is the format
//! on disk (docs/DATA.md), [`example`] what is learned from, [`export`] what others train with, [`info`]
//! what can be said about a folder.

mod check;
pub mod example;
pub mod export;
pub mod file;
mod hash;
pub mod info;
pub(crate) mod npz;
pub mod pool;
pub mod symmetry;
