//! What one turn of local search learned and a later one, on the same problem, may use.

use super::elite::Elite;
use super::ways::Ways;

/// All of it. A new one knows nothing.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Turns so far.
    pub(super) turns: u64,
    /// What the first prediction said of each column of the whole problem.
    pub(super) guide: Option<Vec<f64>>,
    /// Good solutions from different beginnings.
    pub(super) elite: Elite,
    /// What each way was worth.
    pub(super) ways: Ways,
}
