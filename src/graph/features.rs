//! Which numbers a network sees at each node, by version.
//!
//! A version is a promise: its columns, their order and their meaning never change. It is written into
//! every model file and checked when one is loaded; an Apollo that knows a version runs every model of
//! it. Version 1 is the paper's table. Version 2 adds bounds, locks, and what the LP relaxation says.

use serde::{Deserialize, Serialize};

/// Bits of the relative position among the variable features.
pub const POSITION_BITS: usize = 12;

/// Variables, version 1: what stands before the position bits.
pub(super) const VARIABLES: [&str; 6] =
    ["objective", "mean_coefficient", "degree", "max_coefficient", "min_coefficient", "is_integer"];

/// Constraints, version 1.
const CONSTRAINTS: [&str; 4] = ["mean_coefficient", "degree", "right_hand_side", "sense"];

/// Variables, version 2: what follows the columns of version 1.
pub(super) const MORE_VARIABLES: [&str; 12] = [
    "is_binary",
    "has_lower",
    "lower",
    "has_upper",
    "upper",
    "down_locks",
    "up_locks",
    "lp_is_known",
    "lp_value",
    "lp_fractionality",
    "lp_reduced_cost",
    "lp_probability",
];

/// Constraints, version 2: what follows the columns of version 1.
pub(super) const MORE_CONSTRAINTS: [&str; 3] = ["is_two_sided", "lp_is_tight", "lp_slack"];

/// A version of the features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub enum Features {
    /// Version 1: the paper's, from the problem alone.
    #[default]
    Static,
    /// Version 2: more of the problem, and its LP relaxation.
    Relaxation,
}

impl Features {
    /// All that there are.
    pub const ALL: [Features; 2] = [Features::Static, Features::Relaxation];

    /// Its number.
    pub fn version(self) -> u32 {
        match self {
            Features::Static => 1,
            Features::Relaxation => 2,
        }
    }

    /// The one with this number.
    pub fn of_version(version: u32) -> Option<Features> {
        Features::ALL.into_iter().find(|features| features.version() == version)
    }

    /// Whether the LP relaxation is among them.
    pub fn has_relaxation(self) -> bool {
        self == Features::Relaxation
    }

    /// The names of the variable columns: `objective`, …, `position_11`, ….
    pub fn variable_columns(self) -> Vec<String> {
        let bits = (0..POSITION_BITS).map(|bit| format!("position_{bit}"));
        let first = VARIABLES.iter().map(|name| name.to_string()).chain(bits);
        let more: &[&str] = if self.has_relaxation() { &MORE_VARIABLES } else { &[] };
        first.chain(more.iter().map(|name| name.to_string())).collect()
    }

    /// The names of the constraint columns.
    pub fn constraint_columns(self) -> Vec<String> {
        let more: &[&str] = if self.has_relaxation() { &MORE_CONSTRAINTS } else { &[] };
        CONSTRAINTS.iter().chain(more).map(|name| name.to_string()).collect()
    }

    /// Numbers for each variable.
    pub fn variable_width(self) -> usize {
        VARIABLES.len() + POSITION_BITS + if self.has_relaxation() { MORE_VARIABLES.len() } else { 0 }
    }

    /// Numbers for each constraint.
    pub fn constraint_width(self) -> usize {
        CONSTRAINTS.len() + if self.has_relaxation() { MORE_CONSTRAINTS.len() } else { 0 }
    }
}

impl TryFrom<u32> for Features {
    type Error = String;

    fn try_from(version: u32) -> Result<Features, String> {
        Features::of_version(version).ok_or_else(|| {
            let known: Vec<String> = Features::ALL.iter().map(|f| f.version().to_string()).collect();
            format!(
                "features version {version} is unknown to this Apollo, which has version {}",
                known.join(" and ")
            )
        })
    }
}

impl From<Features> for u32 {
    fn from(features: Features) -> u32 {
        features.version()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_name_of_its_own() {
        for features in Features::ALL {
            for (columns, width) in [
                (features.variable_columns(), features.variable_width()),
                (features.constraint_columns(), features.constraint_width()),
            ] {
                let names: std::collections::BTreeSet<&String> = columns.iter().collect();
                assert_eq!((columns.len(), names.len()), (width, width));
            }
            assert_eq!(Features::try_from(features.version()), Ok(features));
        }
        assert!(Features::try_from(7).unwrap_err().contains("version 7"));
    }
}
