//! The network itself: its configuration, its parameters, and what is done with them.

use super::architecture::{Architecture, Start};
use super::input::{Input, Prenorm};
use super::kernel::{Real, WIDTHS};
use super::matrix;
use super::tape::Tape;
use crate::bits;
use crate::error::{Error, Result};
use crate::graph::{Features, Graph};
use crate::prediction::{Bits, Prediction};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::RngCore;
use serde::{Deserialize, Serialize};

/// What a network looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Numbers for each node between the layers: 8, 16, 32, 64 or 128.
    pub width: usize,
    /// Half-convolutions: variables to constraints, and back, and so on. An even number, so that the
    /// last one reaches the variables.
    pub convolutions: usize,
    /// Whether there is a second head that says which predictions are to be trusted (SelectiveNet).
    pub selection: bool,
    /// What it sees at each node.
    #[serde(default)]
    pub features: Features,
    /// Bits that a third head predicts of each general integer ([`crate::bits`]); 0 for no such head.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bits: usize,
}

/// Files of networks without bits are as they were before there were any.
fn is_zero(bits: &usize) -> bool {
    *bits == 0
}

impl Default for Config {
    /// The paper's.
    fn default() -> Config {
        Config { width: 64, convolutions: 4, selection: false, features: Features::Static, bits: 0 }
    }
}

impl Config {
    /// Refuses what there is no network for.
    pub fn check(&self) -> Result<()> {
        let refuse = |name: &str, why: String| Err(Error::Network(format!("{name}: {why}")));
        if !WIDTHS.contains(&self.width) {
            return refuse("width", format!("{} is not one of {WIDTHS:?}", self.width));
        }
        if self.convolutions == 0 || !self.convolutions.is_multiple_of(2) || self.convolutions > 64 {
            return refuse("convolutions", format!("{} is not 2, 4, 6, … or 64", self.convolutions));
        }
        if self.bits > bits::MOST {
            return refuse("bits", format!("{} is more than {}", self.bits, bits::MOST));
        }
        Ok(())
    }
}

/// A named table of numbers that training changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter<T> {
    /// Its name, e.g. `convolution.0.source.weight`.
    pub name: String,
    /// Its sides; a weight is inputs × outputs.
    pub shape: Vec<usize>,
    /// Its numbers, row-major.
    pub data: Vec<T>,
}

/// A network: configuration and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Network<T> {
    config: Config,
    /// How what enters is scaled: set it once, before training.
    pub prenorm: Prenorm<T>,
    pub(super) parameters: Vec<Parameter<T>>,
}

impl<T: Real> Network<T> {
    /// A network with random parameters: the same for the same seed, on every machine.
    pub fn new(config: Config, seed: u64) -> Result<Network<T>> {
        config.check()?;
        let mut dice = Pcg64::new(u128::from(seed), 0x0a02_bdbf_7bb3_c0a7_ac28_fa16_a64a_bf96);
        let mut unit = || (dice.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let plans = Architecture::new(&config).plans;
        let parameters = plans.into_iter().map(|plan| {
            let mut draw = || match plan.start {
                Start::Uniform(inner) => (2.0 * unit() - 1.0) / (inner as f64).sqrt(),
                Start::Constant(value) => value,
            };
            let data = (0..plan.shape.iter().product()).map(|_| T::real(draw())).collect();
            Parameter { name: plan.name, shape: plan.shape, data }
        });
        Ok(Network { config, prenorm: Prenorm::none(config.features), parameters: parameters.collect() })
    }

    /// Lets every prediction start near this share of ones instead of near one half: where ones are rare,
    /// the first steps would go into learning just that.
    pub fn begin_at(&mut self, share: f64) {
        self.begin("head.1.bias", &[share]);
    }

    /// The same for each of the bits, if there is a head for them.
    pub fn begin_bits_at(&mut self, shares: &[f64]) {
        if self.config.bits > 0 {
            self.begin("bits.1.bias", shares);
        }
    }

    fn begin(&mut self, name: &str, shares: &[f64]) {
        let head = self.parameters.iter_mut().find(|parameter| parameter.name == name);
        let bias = &mut head.expect("the head that is asked for").data;
        for (bias, share) in bias.iter_mut().zip(shares) {
            let share = share.clamp(1e-4, 1.0 - 1e-4);
            *bias = T::real((share / (1.0 - share)).ln());
        }
    }

    /// What it looks like.
    pub fn config(&self) -> Config {
        self.config
    }

    /// Its parameters.
    pub fn parameters(&self) -> &[Parameter<T>] {
        &self.parameters
    }

    /// Runs it, on a graph with the features of its configuration. The result is the same bit for bit
    /// with any number of threads.
    ///
    /// # Panics
    /// If the graph has features of another version: the caller chose both.
    pub fn forward<'a>(&'a self, input: &'a Input<T>, threads: usize) -> Tape<'a, T> {
        assert_eq!(input.version, self.config.features, "features of the graph and of the network");
        Tape::new(self, &Architecture::new(&self.config), input, threads)
    }

    /// The probability of 1 for each variable of a graph, as the exported file gives it.
    pub fn probabilities(&self, graph: &Graph, threads: usize) -> Result<Vec<f64>> {
        Ok(self.predict(graph, threads)?.probability)
    }

    /// Everything that the exported file predicts about a graph.
    pub fn predict(&self, graph: &Graph, threads: usize) -> Result<Prediction> {
        if graph.features != self.config.features {
            return Err(Error::Prediction(format!(
                "the network sees features of version {}, and the graph has version {}",
                self.config.features.version(),
                graph.features.version()
            )));
        }
        let input = Input::new(graph)?;
        let tape = self.forward(&input, threads);
        let likely = |logits: &[T]| logits.iter().map(|x| super::loss::sigmoid(x.double())).collect();
        let bits = tape.bits().map(|logits| Bits { width: self.config.bits, probability: likely(logits) });
        Ok(Prediction { probability: likely(tape.logits()), bits, selection: tape.selection().map(likely) })
    }
}

/// The derivatives of a loss, in the order of [`Network::parameters`].
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient<T>(pub(super) Vec<Vec<T>>);

impl<T: Real> Gradient<T> {
    /// Zero for every parameter.
    pub fn zero(network: &Network<T>) -> Gradient<T> {
        Gradient(network.parameters.iter().map(|parameter| vec![T::zero(); parameter.data.len()]).collect())
    }

    /// Adds another, as for a batch of several graphs.
    pub fn add(&mut self, other: &Gradient<T>) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, other)| matrix::add(sum, other));
    }

    /// Multiplies all of it.
    pub fn scale(&mut self, factor: f64) {
        self.0.iter_mut().flatten().for_each(|value| *value *= T::real(factor));
    }

    /// Its length as a vector.
    pub fn norm(&self) -> f64 {
        self.0.iter().flatten().map(|value| value.double().powi(2)).sum::<f64>().sqrt()
    }
}
