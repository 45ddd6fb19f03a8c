//! The network run on a graph, with everything kept that the way back needs.

use super::architecture::{Architecture, Bias, Heads, Id, Machine, Norm, Side};
use super::gnn::{Gradient, Network};
use super::input::Input;
use super::kernel::{self, Edges, Real, Weights};
use super::{matrix, norm};

/// How a value was made.
enum Operation {
    Features,
    Linear { terms: Vec<(usize, Id)>, bias: Bias, relu: bool },
    Norm { of: usize, norm: Norm },
    Messages { to: Side, target: usize, source: usize, edge: Id, norm: Norm },
}

/// A table of numbers, one row for each node of a side, and how it was made.
struct Value<T> {
    data: Vec<T>,
    operation: Operation,
}

/// One run of the network. It ends with [`Tape::backward`].
pub struct Tape<'a, T> {
    network: &'a Network<T>,
    input: &'a Input<T>,
    threads: usize,
    /// The coefficients, standardised, in the order of the rows of each side.
    coefficient: [Vec<T>; 2],
    values: Vec<Value<T>>,
    heads: Heads<usize>,
}

impl<'a, T: Real> Tape<'a, T> {
    pub(super) fn new(
        network: &'a Network<T>,
        architecture: &Architecture,
        input: &'a Input<T>,
        threads: usize,
    ) -> Tape<'a, T> {
        let coefficient = network.prenorm.coefficients.apply(&input.coefficient);
        let coefficient = Side::BOTH.map(|side| input.rows[side as usize].arrange(&coefficient));
        let heads = Heads { logits: 0, selection: None, bits: None };
        let mut tape = Tape { network, input, threads, coefficient, values: vec![], heads };
        tape.heads = architecture.run(&mut tape);
        tape
    }

    /// One logit for each variable: the probability of 1 is its sigmoid.
    pub fn logits(&self) -> &[T] {
        &self.values[self.heads.logits].data
    }

    /// The logit of the selection head, if there is one: is this variable's prediction to be trusted?
    pub fn selection(&self) -> Option<&[T]> {
        self.heads.selection.map(|place| &self.values[place].data[..])
    }

    /// The logits of the bits of each variable, most significant first, if there is a head for them.
    pub fn bits(&self) -> Option<&[T]> {
        self.heads.bits.map(|place| &self.values[place].data[..])
    }

    fn push(&mut self, data: Vec<T>, operation: Operation) -> usize {
        self.values.push(Value { data, operation });
        self.values.len() - 1
    }

    fn parameter(&self, id: Id) -> &'a [T] {
        &self.network.parameters[id].data
    }

    fn shape(&self, id: Id) -> [usize; 2] {
        let shape = &self.network.parameters[id].shape;
        [shape[0], shape[1]]
    }

    fn weights(&self, edge: Id, norm: Norm) -> Weights<'a, T> {
        let [edge, gain, bias] = [edge, norm.gain, norm.bias].map(|id| self.parameter(id));
        Weights { edge, gain, bias }
    }

    fn edges(&self, to: Side, target: usize, source: usize) -> Edges<'_, T> {
        Edges {
            rows: &self.input.rows[to as usize],
            coefficient: &self.coefficient[to as usize],
            target: &self.values[target].data,
            source: &self.values[source].data,
        }
    }

    /// The derivatives of a loss by all parameters, given those by the logits and, with a selection
    /// head, by what [`Tape::selection`] returned.
    pub fn backward(self, by_logits: Vec<T>, by_selection: Option<Vec<T>>) -> Gradient<T> {
        self.backward_with_bits(by_logits, by_selection, None)
    }

    /// The same, given also the derivatives by what [`Tape::bits`] returned.
    pub fn backward_with_bits(
        mut self,
        by_logits: Vec<T>,
        by_selection: Option<Vec<T>>,
        by_bits: Option<Vec<T>>,
    ) -> Gradient<T> {
        let mut gradient = Gradient::zero(self.network);
        let mut waiting: Vec<Option<Vec<T>>> = (0..self.values.len()).map(|_| None).collect();
        collect(&mut waiting[self.heads.logits], by_logits);
        for (place, slope) in [(self.heads.selection, by_selection), (self.heads.bits, by_bits)] {
            if let (Some(place), Some(slope)) = (place, slope) {
                collect(&mut waiting[place], slope);
            }
        }
        for place in (0..self.values.len()).rev() {
            if let Some(up) = waiting[place].take() {
                self.back(place, up, &mut waiting, &mut gradient.0);
            }
            // Whoever read this value has been here already.
            self.values[place].data = vec![];
        }
        gradient
    }

    /// The way back through one operation.
    fn back(&self, place: usize, mut up: Vec<T>, waiting: &mut [Option<Vec<T>>], gradient: &mut [Vec<T>]) {
        let value = &self.values[place];
        match &value.operation {
            Operation::Features => {}
            Operation::Linear { terms, bias, relu } => {
                if *relu {
                    for (up, &value) in up.iter_mut().zip(&value.data) {
                        if value <= T::zero() {
                            *up = T::zero();
                        }
                    }
                }
                match *bias {
                    Bias::None => {}
                    Bias::Once(id) => {
                        let columns = gradient[id].len();
                        up.chunks_exact(columns).for_each(|row| matrix::add(&mut gradient[id], row));
                    }
                    Bias::EachEdge(id, side) => {
                        let columns = gradient[id].len();
                        for (row, &degree) in up.chunks_exact(columns).zip(&self.input.degree[side as usize])
                        {
                            for (sum, &up) in gradient[id].iter_mut().zip(row) {
                                *sum += degree * up;
                            }
                        }
                    }
                }
                for &(x, weight) in terms {
                    let (x_data, shape) = (&self.values[x].data, self.shape(weight));
                    matrix::to_weight(&mut gradient[weight], x_data, &up, shape, self.threads);
                    if !matches!(self.values[x].operation, Operation::Features) {
                        let by_x = waiting[x].get_or_insert_with(|| vec![T::zero(); x_data.len()]);
                        matrix::to_input(by_x, &up, self.parameter(weight), shape, self.threads);
                    }
                }
            }
            Operation::Norm { of, norm } => {
                let (x, gain) = (&self.values[*of].data, self.parameter(norm.gain));
                let [by_x, by_gain, by_bias] = norm::backward(x, gain, &up, self.threads);
                matrix::add(&mut gradient[norm.gain], &by_gain);
                matrix::add(&mut gradient[norm.bias], &by_bias);
                collect(&mut waiting[*of], by_x);
            }
            &Operation::Messages { to, target, source, edge, norm } => {
                let edges = self.edges(to, target, source);
                let by_source = &self.input.rows[to.other() as usize];
                let back = kernel::backward(edges, by_source, self.weights(edge, norm), &up, self.threads);
                matrix::add(&mut gradient[edge], &back.edge);
                matrix::add(&mut gradient[norm.gain], &back.gain);
                matrix::add(&mut gradient[norm.bias], &back.bias);
                collect(&mut waiting[target], back.target);
                collect(&mut waiting[source], back.source);
            }
        }
    }
}

/// Adds a derivative to those that wait.
fn collect<T: Real>(waiting: &mut Option<Vec<T>>, derivative: Vec<T>) {
    match waiting {
        Some(sum) => matrix::add(sum, &derivative),
        None => *waiting = Some(derivative),
    }
}

impl<T: Real> Machine for Tape<'_, T> {
    type Value = usize;

    fn features(&mut self, side: Side) -> usize {
        let features = self.network.prenorm.side(side).apply(&self.input.features[side as usize]);
        self.push(features, Operation::Features)
    }

    fn linear(&mut self, terms: &[(&usize, Id)], bias: Bias, relu: bool) -> usize {
        let terms: Vec<(usize, Id)> = terms.iter().map(|&(&x, weight)| (x, weight)).collect();
        let [inner, columns] = self.shape(terms[0].1);
        let mut out = vec![T::zero(); self.values[terms[0].0].data.len() / inner * columns];
        match bias {
            Bias::None => {}
            Bias::Once(id) => {
                out.chunks_exact_mut(columns).for_each(|row| row.copy_from_slice(self.parameter(id)))
            }
            Bias::EachEdge(id, side) => {
                for (row, &degree) in out.chunks_exact_mut(columns).zip(&self.input.degree[side as usize]) {
                    for (out, &bias) in row.iter_mut().zip(self.parameter(id)) {
                        *out = degree * bias;
                    }
                }
            }
        }
        for &(x, weight) in &terms {
            let (x, shape) = (&self.values[x].data, self.shape(weight));
            matrix::forward(&mut out, x, self.parameter(weight), shape, self.threads);
        }
        if relu {
            for value in &mut out {
                // Not max: a NaN must stay one, not become a confident 0.
                if *value < T::zero() {
                    *value = T::zero();
                }
            }
        }
        self.push(out, Operation::Linear { terms, bias, relu })
    }

    fn norm(&mut self, &of: &usize, norm: Norm) -> usize {
        let (gain, bias) = (self.parameter(norm.gain), self.parameter(norm.bias));
        let out = norm::forward(&self.values[of].data, gain, bias, self.threads);
        self.push(out, Operation::Norm { of, norm })
    }

    fn messages(&mut self, to: Side, &target: &usize, &source: &usize, edge: Id, norm: Norm) -> usize {
        let mut sums = vec![T::zero(); self.values[target].data.len()];
        let weights = self.weights(edge, norm);
        kernel::forward(self.edges(to, target, source), weights, &mut sums, self.threads);
        self.push(sums, Operation::Messages { to, target, source, edge, norm })
    }
}
