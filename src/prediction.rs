//! A prediction: for each variable of a reduced problem the probability that it is 1 in a good
//! solution. [`Predictor`] is the seam between the method and whatever knows how to guess: a network,
//! the LP relaxation, or code of your own.

use crate::error::{Error, Result};
use crate::problem::{Fixings, Reduced};

/// P(x = 1) for every column of a reduced problem. Only the entries of binary variables mean
/// anything.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// One probability a column.
    pub probability: Vec<f64>,
}

/// What a predictor is asked.
pub struct Question<'a> {
    /// The problem with the fixings substituted out.
    pub reduced: &'a Reduced,
    /// The fixings that were substituted.
    pub fixings: &'a Fixings,
    /// Seconds the answer may take; infinite when limits are in nodes.
    pub seconds: f64,
}

/// Whoever answers "how likely is each variable 1?".
///
/// The question is about the *reduced* problem: an answer that ignores the fixings makes the
/// alternation of prediction and correction a sham.
pub trait Predictor {
    /// What this is, for the log: `relaxation`, `onnx on cpu`, …
    fn name(&self) -> String;

    /// The device that runs it.
    fn device(&self) -> String {
        "cpu".to_string()
    }

    /// One probability for each column of the reduced problem.
    fn predict(&mut self, question: &Question<'_>) -> Result<Prediction>;
}

impl Prediction {
    /// Refuses answers of the wrong length, and values that are no probability at a binary.
    pub fn checked(self, reduced: &Reduced) -> Result<Prediction> {
        let expected = reduced.problem.columns();
        if self.probability.len() != expected {
            let got = self.probability.len();
            return Err(Error::Prediction(format!("{got} values for {expected} variables")));
        }
        match reduced.problem.binaries().find(|&j| !(0.0..=1.0).contains(&self.probability[j])) {
            None => Ok(self),
            Some(j) => Err(Error::Prediction(format!(
                "variable {} has the value {}, which is no probability",
                reduced.origin[j], self.probability[j]
            ))),
        }
    }
}
