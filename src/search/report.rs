//! What a run of the loop did, for the log, for JSON, and for whoever measures.

use super::local::LocalReport;
use crate::correction::{Ending, Search};

/// What one search did, for the log and for whoever measures.
#[derive(Clone, Debug, serde::Serialize)]
pub struct RoundReport {
    /// The round, from 1.
    pub round: usize,
    /// How it differs from an ordinary round, if it does.
    pub step: Step,
    /// Binaries that were free when it began.
    pub unfixed: usize,
    /// How many of them were predicted as 0.
    pub zeros: usize,
    /// How many of them were predicted as 1.
    pub ones: usize,
    /// The radius of the trust region, where there was one.
    pub radius: Option<usize>,
    /// Fixings in force during the search.
    pub fixed: usize,
    /// Fixings that it added.
    pub newly_fixed: usize,
    /// General integers whose leading bits were predicted.
    pub integers: usize,
    /// General integers with settled bounds during the search, besides those that are fixed.
    pub tightened: usize,
    /// How many of them it added, or tightened further.
    pub newly_tightened: usize,
    /// Why the search ended.
    pub ending: Ending,
    /// The objective of the search's own best solution, in the user's sense.
    pub found: Option<f64>,
    /// The objective of the reference solution, in the user's sense.
    pub reference: Option<f64>,
    /// The reference is better than everything known when the round began.
    pub improved: bool,
    /// Seconds for reducing the problem and predicting.
    pub predict_seconds: f64,
    /// Seconds for copying the problem.
    pub setup_seconds: f64,
    /// Seconds for the search itself.
    pub search_seconds: f64,
    /// Nodes of the search.
    pub nodes: u64,
}

/// How a search came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// An ordinary round.
    Round,
    /// With a wider region, because nothing was found before.
    Widened,
    /// With fewer predictions, because nothing was found before.
    Dropped,
    /// With the newest fixings relaxed, because the round before was solved completely.
    Relaxed,
}

/// What a whole run did.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Report {
    /// One entry a search.
    pub rounds: Vec<RoundReport>,
    /// The predictor that answered last.
    pub predictor: String,
    /// The device that it ran on.
    pub device: String,
    /// What local search did beside the rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local: Option<LocalReport>,
    /// What it did in later turns.
    pub later: Vec<LocalReport>,
    /// What it did before the root LP, and before presolve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<LocalReport>,
    /// Seconds for reading the problem, before the first round.
    pub snapshot_seconds: f64,
}

impl RoundReport {
    /// The report of a search that has not run yet.
    pub(super) fn of(search: &Search<'_>) -> RoundReport {
        RoundReport {
            round: 0,
            step: Step::Round,
            unfixed: 0,
            zeros: 0,
            ones: 0,
            radius: search.region.map(|region| region.radius),
            fixed: search.fixings.len(),
            newly_fixed: 0,
            integers: 0,
            tightened: search.intervals.len(),
            newly_tightened: 0,
            ending: Ending::Stopped,
            found: None,
            reference: None,
            improved: false,
            predict_seconds: 0.0,
            setup_seconds: 0.0,
            search_seconds: 0.0,
            nodes: 0,
        }
    }

    /// One line of the log; `rounds` is how many there are in all.
    pub fn line(&self, rounds: usize) -> String {
        let step = match self.step {
            Step::Round => String::new(),
            other => format!(" {other:?}").to_lowercase(),
        };
        let radius = self.radius.map_or("-".to_string(), |radius| radius.to_string());
        let reference = match self.reference {
            Some(reference) => {
                format!("reference {reference:.6}{}", if self.improved { " (improved)" } else { "" })
            }
            None => "no solution".to_string(),
        };
        let integers = match self.integers + self.tightened {
            0 => String::new(),
            _ => format!(
                ", {} integers predicted, {} tightened (+{})",
                self.integers, self.tightened, self.newly_tightened
            ),
        };
        let seconds = self.predict_seconds + self.setup_seconds + self.search_seconds;
        format!(
            "round {}/{rounds}{step}: predicted {} of {}, fixed {} (+{}){integers}, radius {radius}, {:?}, {reference}, {seconds:.2} s",
            self.round,
            self.zeros + self.ones,
            self.unfixed,
            self.fixed,
            self.newly_fixed,
            self.ending,
        )
    }
}
