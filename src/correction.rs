//! A correction: what the search of a trust region returned. [`Corrector`] is the seam between the
//! method and the solver.

use crate::bits::Intervals;
use crate::error::Result;
use crate::partial::PartialSolution;
use crate::problem::Fixings;
use crate::region::TrustRegion;

/// A solution x̃ to compare the predicted values with.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Its objective, in minimisation sense.
    pub objective: f64,
    /// One value for every variable of the whole problem.
    pub values: Vec<f64>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// The best point of the reduced problem is known.
    Optimal,
    /// There is no point, or (with an objective limit) none better than the incumbent.
    Infeasible,
    /// Time, nodes or memory of this search ran out.
    Limit,
    /// The user's solve is over: interrupt, time limit, or solved.
    Stopped,
}

/// What a search returned.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// Why it ended.
    pub ending: Ending,
    /// The best solution it found, if it found any.
    pub found: Option<Reference>,
    /// Branch-and-bound nodes it used.
    pub nodes: u64,
    /// Seconds it used before the search itself: copying, and adding the region.
    pub setup_seconds: f64,
}

/// One search: the problem with `fixings` fixed, restricted or started as asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Search<'a> {
    /// Number of this search, for its random seed.
    pub number: usize,
    /// Values settled in earlier rounds.
    pub fixings: &'a Fixings,
    /// Bounds of general integers settled in earlier rounds.
    pub intervals: &'a Intervals,
    /// Stay inside this region.
    pub region: Option<&'a TrustRegion>,
    /// Offer this partial solution as a start.
    pub start: Option<&'a PartialSolution>,
    /// Accept only points strictly better than the incumbent (otherwise also points as good as it).
    pub strictly_better: bool,
    /// Seconds it may take.
    pub seconds: f64,
    /// Nodes it may take.
    pub nodes: Option<u64>,
}

/// Whoever searches.
pub trait Corrector {
    /// Runs one search. Every improving solution is handed to the user's solve when it is found.
    fn correct(&mut self, search: &Search<'_>) -> Result<Correction>;

    /// Hands a point of the whole problem to the user's solve; false if that refuses it.
    fn offer(&mut self, _values: &[f64]) -> Result<bool> {
        Ok(false)
    }

    /// The values of variables that can have no other in a better solution, as far as the solver knows.
    /// None where the problem that we see is not all of it: then nobody but the solver can say what is
    /// feasible.
    fn settled(&mut self) -> Option<Fixings> {
        None
    }

    /// The objective, in minimisation sense, that a point must be below to be of use: the incumbent's, or a
    /// limit of the user's own.
    fn limit(&mut self) -> f64 {
        self.incumbent().map_or(f64::INFINITY, |incumbent| incumbent.objective)
    }

    /// The best solution of the user's solve.
    fn incumbent(&mut self) -> Option<Reference>;

    /// Its objective, for whoever wants no more.
    fn best_objective(&mut self) -> Option<f64> {
        self.incumbent().map(|incumbent| incumbent.objective)
    }

    /// Seconds since the user's solve began.
    fn seconds(&self) -> f64;

    /// The user's solve is over.
    fn stopped(&self) -> bool;

    /// Two values of a binary are the same, by the solver's tolerance.
    fn same(&self, a: f64, b: f64) -> bool;
}
