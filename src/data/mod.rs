//! Training data: pools of good solutions, and the files they are kept in.
//!
//! [`pool`] is what a teacher fills, [`symmetry`] makes its labels canonical, [`file`](mod@file) is the format
//! on disk (docs/DATA.md).

pub mod pool;
pub mod symmetry;
