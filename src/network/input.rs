//! A graph as the network takes it: numbers squashed, edges in rows.
//!
//! Coefficients, degrees and right-hand sides go from 0.001 to 100,000 and more. Every number that
//! enters is squashed by asinh, which is x near 0 and ± ln 2|x| far from it: large numbers become
//! small ones, no two become equal, signs stay. Then each column is shifted and scaled by constants
//! ([`Prenorm`]) that are fitted to the training set once and kept in the model file. Both are the
//! same for every graph. A LayerNorm of the features would be neither: of a single number it leaves
//! nothing, and of several it leaves only how they compare.

use super::architecture::Side;
use super::kernel::Real;
use super::rows::Rows;
use crate::error::{Error, Result};
use crate::graph::{Features, Graph};
use std::borrow::Borrow;

/// The least standard deviation that a column is scaled by: one that hardly varies in the training set
/// must not become huge where it does.
const LEAST_DEVIATION: f64 = 0.1;

/// The place of the column `degree` among the features of one side: the same in every version.
pub(super) fn degree_column(side: Side) -> usize {
    let columns = side.columns(Features::Static);
    columns.iter().position(|column| column == "degree").expect("features have the degree")
}

/// A graph, prepared once and used in every step of training.
#[derive(Clone, Debug)]
pub struct Input<T> {
    /// Which columns the features have.
    pub(super) version: Features,
    /// Nodes of each side: variables, constraints.
    pub(super) nodes: [usize; 2],
    /// Features of each side, squashed.
    pub(super) features: [Vec<T>; 2],
    /// How many edges each node of each side has.
    pub(super) degree: [Vec<T>; 2],
    /// The edges by the nodes of each side.
    pub(super) rows: [Rows; 2],
    /// The coefficients in the order of the graph, squashed.
    pub(super) coefficient: Vec<T>,
}

impl<T: Real> Input<T> {
    /// Prepares a graph.
    pub fn new(graph: &Graph) -> Result<Input<T>> {
        let nodes = [graph.variables, graph.constraints];
        let raw = [&graph.variable_features, &graph.constraint_features];
        let ends = [&graph.edge_variable, &graph.edge_constraint];
        let width = |side: Side| side.width(graph.features);
        let whole =
            Side::BOTH.iter().all(|&side| raw[side as usize].len() == nodes[side as usize] * width(side));
        let rows = |own: Side, other: Side| {
            let (own, other) = (own as usize, other as usize);
            Rows::new(nodes[own], nodes[other], ends[own], ends[other])
        };
        let by = (rows(Side::Variables, Side::Constraints), rows(Side::Constraints, Side::Variables));
        let (Some(by_variable), Some(by_constraint), true) = (by.0, by.1, whole) else {
            return Err(Error::Prediction(
                "the graph is too large, or its edges and features do not fit its nodes".into(),
            ));
        };
        let squash = |values: &[f32]| values.iter().map(|&v| T::real(f64::from(v).asinh())).collect();
        let degree = Side::BOTH.map(|side| {
            let numbers = raw[side as usize].chunks_exact(width(side));
            let column = degree_column(side);
            numbers.map(|row| T::real(row[column].into())).collect()
        });
        Ok(Input {
            version: graph.features,
            nodes,
            features: raw.map(|features| squash(features)),
            degree,
            rows: [by_variable, by_constraint],
            coefficient: squash(&graph.edge_coefficient),
        })
    }

    /// Number of variables.
    pub fn variables(&self) -> usize {
        self.nodes[0]
    }
}

/// What is taken off each column, and what it is multiplied by then.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling<T> {
    /// Taken off.
    pub shift: Vec<T>,
    /// Multiplied by.
    pub scale: Vec<T>,
}

impl<T: Real> Scaling<T> {
    /// One that changes nothing.
    pub(super) fn none(columns: usize) -> Scaling<T> {
        Scaling { shift: vec![T::zero(); columns], scale: vec![T::one(); columns] }
    }

    pub(super) fn apply(&self, table: &[T]) -> Vec<T> {
        let columns = self.shift.len();
        let one = |(k, &value): (usize, &T)| (value - self.shift[k % columns]) * self.scale[k % columns];
        table.iter().enumerate().map(one).collect()
    }
}

/// The sums that mean and deviation of each column follow from.
struct Moments {
    count: f64,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Moments {
    fn new(columns: usize) -> Moments {
        Moments { count: 0.0, sums: vec![0.0; columns], squares: vec![0.0; columns] }
    }

    /// Takes the rows of a table in.
    fn add<T: Real>(&mut self, table: &[T]) {
        for row in table.chunks_exact(self.sums.len()) {
            self.count += 1.0;
            for (k, value) in row.iter().enumerate() {
                self.sums[k] += value.double();
                self.squares[k] += value.double().powi(2);
            }
        }
    }

    /// Mean 0 and deviation 1 for each column of all tables together.
    fn scaling<T: Real>(&self) -> Scaling<T> {
        let mut scaling = Scaling::none(self.sums.len());
        if self.count > 0.0 {
            for k in 0..self.sums.len() {
                let mean: f64 = self.sums[k] / self.count;
                let deviation = (self.squares[k] / self.count - mean * mean).max(0.0).sqrt();
                scaling.shift[k] = T::real(mean);
                // What was the same everywhere has taught nothing: where it is not the same, it is not looked at.
                let is_constant = deviation <= 1e-6 * mean.abs().max(1.0);
                let scale = if is_constant { 0.0 } else { 1.0 / deviation.max(LEAST_DEVIATION) };
                scaling.scale[k] = T::real(scale);
            }
        }
        scaling
    }
}

/// The scaling of everything that enters the network, after the squashing. Training does not change
/// it.
#[derive(Clone, Debug, PartialEq)]
pub struct Prenorm<T> {
    /// Of the features of the variables.
    pub variables: Scaling<T>,
    /// Of the features of the constraints.
    pub constraints: Scaling<T>,
    /// Of the coefficients.
    pub coefficients: Scaling<T>,
}

impl<T: Real> Prenorm<T> {
    /// One that changes nothing.
    pub(super) fn none(features: Features) -> Prenorm<T> {
        let [variables, constraints] = Side::BOTH.map(|side| Scaling::none(side.width(features)));
        Prenorm { variables, constraints, coefficients: Scaling::none(1) }
    }

    /// The scaling that gives every column of the training set mean 0 and deviation 1. All inputs have
    /// the features of the first. They are looked at one after another, so that they need not be in
    /// memory together.
    pub fn fit(inputs: impl IntoIterator<Item = impl Borrow<Input<T>>>) -> Prenorm<T> {
        let mut inputs = inputs.into_iter().peekable();
        let features = inputs.peek().map_or(Features::Static, |input| input.borrow().version);
        let mut sides = Side::BOTH.map(|side| Moments::new(side.width(features)));
        let mut coefficients = Moments::new(1);
        for input in inputs {
            let input = input.borrow();
            sides.iter_mut().zip(&input.features).for_each(|(side, features)| side.add(features));
            coefficients.add(&input.coefficient);
        }
        let [variables, constraints] = sides.map(|side| side.scaling());
        Prenorm { variables, constraints, coefficients: coefficients.scaling() }
    }

    pub(super) fn side(&self, side: Side) -> &Scaling<T> {
        match side {
            Side::Variables => &self.variables,
            Side::Constraints => &self.constraints,
        }
    }
}
