//! A prediction: for each variable of a reduced problem the probability that it is 1 in a good
//! solution, and for its general integers, where the predictor knows them, those of their bits.
//! [`Predictor`] is the seam between the method and whatever knows how to guess: a network, the LP
//! relaxation, or code of your own.

use crate::error::{Error, Result};
use crate::problem::{Fixings, Kind, Reduced};

/// P(x = 1) for every column of a reduced problem. Only the entries of binary variables mean
/// anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// One probability a column.
    pub probability: Vec<f64>,
    /// The bits of general integers; none if the predictor says nothing about them.
    pub bits: Option<Bits>,
    /// How much each probability is to be trusted, from 0 to 1; none if the predictor does not say. Neural Diving
    /// fixes what is at least ½.
    pub selection: Option<Vec<f64>>,
}

/// P(bit = 1) for the bits of (value − lower bound), the most significant first ([`crate::bits`]). Only
/// the rows of general integers mean anything; an integer with fewer bits has the last ones of its row.
#[derive(Clone, Debug, PartialEq)]
pub struct Bits {
    /// How many each column has.
    pub width: usize,
    /// `width` probabilities a column.
    pub probability: Vec<f64>,
}

impl Bits {
    /// The bits of a column.
    pub fn row(&self, column: usize) -> &[f64] {
        &self.probability[column * self.width..][..self.width]
    }
}

/// What a predictor is asked.
pub struct Question<'a> {
    /// The problem with the fixings substituted out, and with the bounds of general integers that are
    /// settled.
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
    /// A prediction of the binaries alone.
    pub fn new(probability: Vec<f64>) -> Prediction {
        Prediction { probability, bits: None, selection: None }
    }

    /// Refuses answers of the wrong length, and values that are no probability at a binary or at a bit
    /// of a general integer.
    pub fn checked(self, reduced: &Reduced) -> Result<Prediction> {
        let expected = reduced.problem.columns();
        if self.probability.len() != expected {
            let got = self.probability.len();
            return Err(Error::Prediction(format!("{got} values for {expected} variables")));
        }
        let refused = |j: usize, what: &str, value: f64| {
            let variable = reduced.origin[j];
            Err(Error::Prediction(format!("variable {variable} has {what} {value}, which is no probability")))
        };
        let is_none = |p: &f64| !(0.0..=1.0).contains(p);
        if let Some(j) = reduced.problem.binaries().find(|&j| is_none(&self.probability[j])) {
            return refused(j, "the value", self.probability[j]);
        }
        if let Some(selection) = &self.selection {
            if selection.len() != expected {
                let got = selection.len();
                return Err(Error::Prediction(format!(
                    "a selection of {got} values for {expected} variables"
                )));
            }
            if let Some(j) = reduced.problem.binaries().find(|&j| is_none(&selection[j])) {
                return refused(j, "the selection", selection[j]);
            }
        }
        if let Some(bits) = &self.bits {
            if bits.probability.len() != expected * bits.width {
                let got = bits.probability.len();
                return Err(Error::Prediction(format!(
                    "{got} bits for {expected} variables of {} each",
                    bits.width
                )));
            }
            for j in (0..expected).filter(|&j| reduced.problem.kind[j] == Kind::Integer) {
                if let Some(&bit) = bits.row(j).iter().find(|bit| is_none(bit)) {
                    return refused(j, "a bit of", bit);
                }
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    #[test]
    fn bits_are_checked_where_they_mean_something() {
        let mut problem = Problem::default();
        problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        problem.add_column(1.0, 0.0, 9.0, Kind::Integer);
        let reduced = problem.reduce(&Fixings::new());
        let with = |probability: &[f64]| {
            let bits = Some(Bits { width: 2, probability: probability.to_vec() });
            Prediction { bits, ..Prediction::new(vec![0.5; 2]) }.checked(&reduced)
        };
        assert!(with(&[f64::NAN, 7.0, 0.0, 1.0]).is_ok(), "a binary has no bits");
        for wrong in [&[0.0, 0.0, 0.0, f64::NAN][..], &[0.0, 0.0, 1.5, 0.0], &[0.5; 3]] {
            assert!(with(wrong).is_err(), "{wrong:?}");
        }
    }
}
