//! Training: a folder of training data becomes a model file.
//!
//! [`set`] reads the data and splits it, [`step`] asks a network about one example and says what it
//! should change, [`run`](mod@run) goes through epochs of them, [`report`] is what is said about the
//! result: the metadata of the model file, its card, its learning curves.
//!
//! Examples of a batch are computed side by side, their gradients added in the order of the batch: the
//! result does not depend on the number of threads. Everything random follows from the seed and the
//! epoch; so a run that was stopped goes on as if nothing had happened, and ends with the same bytes.

mod parallel;
pub mod report;
pub mod run;
pub mod set;
pub mod step;

pub use run::{Epoch, Event, Outcome, run};

use crate::network::Config;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What training minimises: see [`loss`](crate::network::loss).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// Cross-entropy with the weighted pool.
    Ps,
    /// Contrastive: like good solutions, unlike bad ones.
    ConPs,
    /// SelectiveNet: cross-entropy where a second head is sure.
    Nd,
}

impl Loss {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Loss::Ps => "ps",
            Loss::ConPs => "conps",
            Loss::Nd => "nd",
        }
    }
}

/// What a result depends on, besides the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// What is minimised.
    pub loss: Loss,
    /// What the network looks like.
    pub config: Config,
    /// The first step size of Adam.
    pub rate: f64,
    /// Epochs without a better validation loss after which training ends.
    pub patience: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Examples for each step of Adam.
    pub batch: usize,
    /// Whether augmented instances are examples too.
    pub augmented: bool,
    /// Examples for each epoch; 0 for all.
    pub samples: usize,
    /// The share of binaries that the selection head is to choose, for [`Loss::Nd`].
    pub coverage: f64,
    /// The temperature of [`Pool::targets`](crate::data::pool::Pool::targets).
    pub temperature: f64,
}

/// What to train on, where the result goes, and when to stop.
#[derive(Clone, Debug)]
pub struct Order {
    /// What the result depends on.
    pub options: Options,
    /// Folders with training data.
    pub data: Vec<PathBuf>,
    /// A folder with data for validation.
    pub valid: Option<PathBuf>,
    /// The model file.
    pub out: PathBuf,
    /// The family, whatever the data says.
    pub family: Option<String>,
    /// The most epochs.
    pub epochs: usize,
    /// The most seconds, those before a resume included.
    pub seconds: f64,
    /// Bits of general integers to predict; none for what the data needs. What the options say of them
    /// does not count.
    pub bits: Option<usize>,
    /// Threads.
    pub threads: usize,
    /// Leave the checkpoint there at the end.
    pub keep: bool,
    /// What the user typed, for the card.
    pub command: String,
}
