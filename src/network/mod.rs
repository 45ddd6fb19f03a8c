//! The network: a graph neural network on the bipartite graph of a problem, its training, and its way
//! into a model file.
//!
//! ```no_run
//! # #[cfg(feature = "network")] fn main() -> apollo_scip::Result<()> {
//! use apollo_scip::network::{Adam, Config, Input, Network, Prenorm, export, loss};
//! # let graphs: Vec<apollo_scip::graph::Graph> = vec![];
//! # let (binaries, targets) = (vec![vec![0]], vec![vec![0.5]]);
//! let inputs: Vec<Input<f32>> = graphs.iter().map(Input::new).collect::<apollo_scip::Result<_>>()?;
//! let mut network = Network::<f32>::new(Config::default(), 1)?; // seed 1
//! network.prenorm = Prenorm::fit(&inputs); // of the training set, once
//! let mut adam = Adam::new(&network, 1e-3);
//! for (k, input) in inputs.iter().enumerate() {
//!     let tape = network.forward(input, 1); // on one thread
//!     let (loss, by_logits) = loss::cross_entropy(tape.logits(), &binaries[k], &targets[k]);
//!     let gradient = tape.backward(by_logits, None); // add() several for a batch
//!     adam.step(&mut network, &gradient);
//! }
//! std::fs::write("model.onnx", export::onnx(&network, &export::About::default())).unwrap();
//! # Ok(()) }
//! # #[cfg(not(feature = "network"))] fn main() {}
//! ```
//!
//! [`weights`] keeps a network for later, [`checkpoint`] training in the middle of its way. With one graph per step, several threads pay on graphs of
//! the size of WA; for smaller ones run several graphs side by side: a [`Network`] that is only read
//! may be shared by threads, and gradients can be added. Neither changes a result by a single bit,
//! as long as the gradients are added in the same order.
//!
//! The derivatives are written by hand and each is checked against finite differences. A library
//! would bring a hundred crates and twice to ten times the memory for layers that are a page each;
//! the one that is hard, message passing, would have to be written for it too. [`kernel`] and
//! [`rows`], which inference uses, are always there; the rest needs the feature `network`.

#[cfg(feature = "network")]
pub mod adam;
#[cfg(feature = "network")]
mod architecture;
#[cfg(feature = "network")]
pub mod checkpoint;
#[cfg(feature = "network")]
pub mod export;
#[cfg(feature = "network")]
mod gnn;
#[cfg(feature = "network")]
mod input;
pub mod kernel;
#[cfg(feature = "network")]
pub mod loss;
#[cfg(feature = "network")]
mod matrix;
#[cfg(feature = "network")]
mod norm;
pub mod rows;
#[cfg(feature = "network")]
mod tape;
mod threads;
#[cfg(feature = "network")]
pub mod weights;

#[cfg(feature = "network")]
pub use {
    adam::Adam,
    gnn::{Config, Gradient, Network, Parameter},
    input::{Input, Prenorm, Scaling},
    tape::Tape,
};

#[cfg(all(test, feature = "cli"))]
mod gradient_tests;
#[cfg(all(test, feature = "cli"))]
mod training_tests;
