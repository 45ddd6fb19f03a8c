//! Fused message passing, the inner loop of the network: for every target t
//!
//! ```text
//!   sum_t = Σ_{edges (t, s) with coefficient c} ReLU( LayerNorm( target_t + source_s + c · edge ) )
//! ```
//!
//! in one pass over the rows of the targets. The Linears before it act on nodes, and the Linear after
//! it commutes with the sum, so nothing of the size edges × width is ever stored. The pass back
//! computes the messages again: first by the rows of the targets, which also leaves three numbers for
//! each edge, then by the rows of the sources. No two threads write to one row, and what is summed
//! over all edges is summed in parts that depend on the graph alone: the results are the same bit for
//! bit with any number of threads.
//!
//! All loops run over arrays of constant width, which the compiler turns into vector instructions;
//! `pulp` picks the best that the machine has while the program runs.

use super::rows::Rows;
use super::threads::{cut, share};
use num_traits::{Float, NumAssign};
use std::ops::Range;

/// What is added to the variance in every LayerNorm.
pub const EPSILON: f64 = 1e-5;

/// The widths that there are loops for.
pub const WIDTHS: [usize; 5] = [8, 16, 32, 64, 128];

/// Edges and rows together in one task.
const WORK: usize = 4096;

/// `f32`, or `f64` for checking derivatives.
pub trait Real: Float + NumAssign + Send + Sync + std::fmt::Debug + 'static {
    /// The nearest number.
    fn real(value: f64) -> Self;

    /// The same number.
    fn double(self) -> f64;
}

impl Real for f32 {
    #[inline(always)]
    fn real(value: f64) -> f32 {
        value as f32
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self.into()
    }
}

impl Real for f64 {
    #[inline(always)]
    fn real(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self
    }
}

/// Calls a function with the width as a constant.
macro_rules! at_width {
    ($width:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $width {
            8 => $function::<_, 8>($($argument),*),
            16 => $function::<_, 16>($($argument),*),
            32 => $function::<_, 32>($($argument),*),
            64 => $function::<_, 64>($($argument),*),
            128 => $function::<_, 128>($($argument),*),
            other => panic!("no loop for width {other}"),
        }
    };
}
#[cfg(feature = "network")]
pub(super) use at_width;

/// What is the same for all edges: the weights of the coefficient, and LayerNorm's gain and bias.
#[derive(Clone, Copy)]
pub struct Weights<'a, T> {
    /// Weight of the coefficient.
    pub edge: &'a [T],
    /// LayerNorm's gain.
    pub gain: &'a [T],
    /// LayerNorm's bias.
    pub bias: &'a [T],
}

/// The edges with their nodes' values, one row of numbers for each node.
#[derive(Clone, Copy)]
pub struct Edges<'a, T> {
    /// The edges in the rows of the targets.
    pub rows: &'a Rows,
    /// The coefficient of each, in the order of the rows.
    pub coefficient: &'a [T],
    /// Values of the targets.
    pub target: &'a [T],
    /// Values of the sources.
    pub source: &'a [T],
}

/// The derivatives of everything that [`forward`] reads.
pub struct Backward<T> {
    /// By the values of the targets.
    pub target: Vec<T>,
    /// By the values of the sources.
    pub source: Vec<T>,
    /// By the weights of the coefficient.
    pub edge: Vec<T>,
    /// By LayerNorm's gain.
    pub gain: Vec<T>,
    /// By LayerNorm's bias.
    pub bias: Vec<T>,
}

/// The sum of an array in a fixed order that vector instructions can follow.
#[inline(always)]
pub(super) fn sum<T: Real, const W: usize>(values: &[T; W]) -> T {
    let mut lanes = [T::zero(); 16];
    for chunk in values.chunks_exact(W.min(16)) {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    let mut few = [T::zero(); 4];
    for (k, lane) in few.iter_mut().enumerate() {
        *lane = (lanes[k] + lanes[k + 4]) + (lanes[k + 8] + lanes[k + 12]);
    }
    (few[0] + few[1]) + (few[2] + few[3])
}

/// Row `i` of a table.
#[inline(always)]
pub(super) fn at<T, const W: usize>(table: &[T], i: usize) -> &[T; W] {
    table[i * W..(i + 1) * W].try_into().expect("a whole row")
}

/// Row `i` of a table, to write to.
#[inline(always)]
pub(super) fn at_mut<T, const W: usize>(table: &mut [T], i: usize) -> &mut [T; W] {
    (&mut table[i * W..(i + 1) * W]).try_into().expect("a whole row")
}

/// Takes the mean out of every row. The mean of a sum of such rows is 0, so LayerNorm on an edge need
/// not look for it.
fn centred<T: Real, const W: usize>(table: &[T]) -> Vec<T> {
    let mut centred = table.to_vec();
    for row in centred.chunks_exact_mut(W) {
        let row: &mut [T; W] = row.try_into().expect("a whole row");
        let mean = sum(row) / T::real(W as f64);
        for value in row.iter_mut() {
            *value -= mean;
        }
    }
    centred
}

/// Everything that the loops over edges read, centred.
struct Centred<'a, T, const W: usize> {
    rows: &'a Rows,
    coefficient: &'a [T],
    target: Vec<T>,
    source: Vec<T>,
    edge: [T; W],
    gain: &'a [T; W],
    bias: &'a [T; W],
}

impl<'a, T: Real, const W: usize> Centred<'a, T, W> {
    fn new(edges: Edges<'a, T>, weights: Weights<'a, T>) -> Self {
        Centred {
            rows: edges.rows,
            coefficient: edges.coefficient,
            target: centred::<T, W>(edges.target),
            source: centred::<T, W>(edges.source),
            edge: *at(&centred::<T, W>(weights.edge), 0),
            gain: at(weights.gain, 0),
            bias: at(weights.bias, 0),
        }
    }

    /// What LayerNorm sees on an edge.
    #[inline(always)]
    fn mix(&self, target: &[T; W], source: &[T; W], coefficient: T) -> [T; W] {
        std::array::from_fn(|k| target[k] + source[k] + coefficient * self.edge[k])
    }

    /// LayerNorm's factor: one over the standard deviation.
    #[inline(always)]
    fn factor(mixed: &[T; W]) -> T {
        let squares = mixed.map(|x| x * x);
        T::one() / (sum(&squares) / T::real(W as f64) + T::real(EPSILON)).sqrt()
    }

    #[inline(always)]
    fn forward(&self, part: Range<usize>, sums: &mut [T]) {
        for (i, row) in part.enumerate() {
            let target = at(&self.target, row);
            let mut total = [T::zero(); W];
            for edge in self.rows.row(row) {
                let source = at(&self.source, self.rows.neighbour[edge] as usize);
                let mixed = self.mix(target, source, self.coefficient[edge]);
                let factor = Self::factor(&mixed);
                for k in 0..W {
                    let message = mixed[k] * factor * self.gain[k] + self.bias[k];
                    total[k] += if message > T::zero() { message } else { T::zero() };
                }
            }
            *at_mut(sums, i) = total;
        }
    }

    /// The way back by the rows of the targets: the targets' derivatives, the weights' (one after the
    /// other in `weights`), and for each edge LayerNorm's factor and two means.
    #[inline(always)]
    fn backward_by_target(&self, part: Range<usize>, upstream: &[T], out: TargetOut<'_, T>) {
        let TargetOut { target: derivative, norms, weights } = out;
        let share = T::real(1.0 / W as f64);
        let first = self.rows.start[part.start] as usize;
        let (mut edge_sum, mut gain_sum, mut bias_sum) = ([T::zero(); W], [T::zero(); W], [T::zero(); W]);
        for (i, row) in part.enumerate() {
            let (target, up) = (at(&self.target, row), at::<T, W>(upstream, row));
            let mut total = [T::zero(); W];
            for edge in self.rows.row(row) {
                let source = at(&self.source, self.rows.neighbour[edge] as usize);
                let coefficient = self.coefficient[edge];
                let mut normal = self.mix(target, source, coefficient);
                let factor = Self::factor(&normal);
                let mut slope = [T::zero(); W];
                let mut along = [T::zero(); W];
                for k in 0..W {
                    normal[k] *= factor;
                    let active = normal[k] * self.gain[k] + self.bias[k] > T::zero();
                    let up = if active { up[k] } else { T::zero() };
                    gain_sum[k] += up * normal[k];
                    bias_sum[k] += up;
                    slope[k] = up * self.gain[k];
                    along[k] = slope[k] * normal[k];
                }
                let (mean, along) = (sum(&slope) * share, sum(&along) * share);
                for k in 0..W {
                    let derivative = factor * (slope[k] - mean - normal[k] * along);
                    total[k] += derivative;
                    edge_sum[k] += coefficient * derivative;
                }
                norms[edge - first] = [factor, mean, along];
            }
            *at_mut(derivative, i) = total;
        }
        *at_mut(weights, 0) = edge_sum;
        *at_mut(weights, 1) = gain_sum;
        *at_mut(weights, 2) = bias_sum;
    }

    /// The way back by the rows of the sources. `norms` is what the other way left, and `twin` says
    /// where.
    #[inline(always)]
    fn backward_by_source(
        &self,
        part: Range<usize>,
        by_source: &Rows,
        twin: &[u32],
        norms: &[[T; 3]],
        upstream: &[T],
        derivative: &mut [T],
    ) {
        for (i, row) in part.enumerate() {
            let source = at(&self.source, row);
            let mut total = [T::zero(); W];
            for slot in by_source.row(row) {
                let (node, edge) = (by_source.neighbour[slot] as usize, twin[slot] as usize);
                let (target, up) = (at(&self.target, node), at::<T, W>(upstream, node));
                let mixed = self.mix(target, source, self.coefficient[edge]);
                let [factor, mean, along] = norms[edge];
                for k in 0..W {
                    let normal = mixed[k] * factor;
                    let active = normal * self.gain[k] + self.bias[k] > T::zero();
                    let slope = if active { up[k] * self.gain[k] } else { T::zero() };
                    total[k] += factor * (slope - mean - normal * along);
                }
            }
            *at_mut(derivative, i) = total;
        }
    }
}

/// Where one task of the way back by targets writes.
struct TargetOut<'a, T> {
    target: &'a mut [T],
    norms: &'a mut [[T; 3]],
    weights: &'a mut [T],
}

/// The sums of all targets, one row each, into `sums`. The width is that of the weights: one of
/// [`WIDTHS`].
pub fn forward<T: Real>(edges: Edges<'_, T>, weights: Weights<'_, T>, sums: &mut [T], threads: usize) {
    forward_with(edges, weights, sums, |tasks, run| share(threads, tasks, run));
}

/// One task of [`forward_with`]: rows, and where their sums go.
pub type Task<'a, T> = (Range<usize>, &'a mut [T]);

/// [`forward`] with tasks that the caller's own threads run, each once and in any order.
pub fn forward_with<T: Real>(
    edges: Edges<'_, T>,
    weights: Weights<'_, T>,
    sums: &mut [T],
    run: impl FnOnce(Vec<Task<'_, T>>, &(dyn Fn(Task<'_, T>) + Sync)),
) {
    at_width!(weights.gain.len(), forward_at(edges, weights, sums, run))
}

fn forward_at<T: Real, const W: usize>(
    edges: Edges<'_, T>,
    weights: Weights<'_, T>,
    sums: &mut [T],
    run: impl FnOnce(Vec<Task<'_, T>>, &(dyn Fn(Task<'_, T>) + Sync)),
) {
    let centred = Centred::<T, W>::new(edges, weights);
    let parts = edges.rows.parts(WORK);
    let pieces = cut(sums, parts.iter().map(|part| part.len() * W));
    let best = pulp::Arch::new();
    run(parts.into_iter().zip(pieces).collect(), &|(part, sums)| {
        best.dispatch(
            #[inline(always)]
            || centred.forward(part, sums),
        );
    });
}

/// The derivatives, given that by the sums (`upstream`). `by_source` has the same edges, made from the
/// same list, in the rows of the sources.
pub fn backward<T: Real>(
    edges: Edges<'_, T>,
    by_source: &Rows,
    weights: Weights<'_, T>,
    upstream: &[T],
    threads: usize,
) -> Backward<T> {
    at_width!(weights.gain.len(), backward_at(edges, by_source, weights, upstream, threads))
}

fn backward_at<T: Real, const W: usize>(
    edges: Edges<'_, T>,
    by_source: &Rows,
    weights: Weights<'_, T>,
    upstream: &[T],
    threads: usize,
) -> Backward<T> {
    let centred = Centred::<T, W>::new(edges, weights);
    let rows = edges.rows;
    let best = pulp::Arch::new();

    let parts = rows.parts(WORK);
    let mut target = vec![T::zero(); edges.target.len()];
    let mut norms = vec![[T::zero(); 3]; rows.edges()];
    let mut sums = vec![T::zero(); parts.len() * 3 * W];
    let edges_of = |part: &Range<usize>| (rows.start[part.end] - rows.start[part.start]) as usize;
    let tasks = parts
        .iter()
        .cloned()
        .zip(cut(&mut target, parts.iter().map(|part| part.len() * W)))
        .zip(cut(&mut norms, parts.iter().map(edges_of)))
        .zip(sums.chunks_exact_mut(3 * W))
        .collect();
    share(threads, tasks, |(((part, target), norms), weights)| {
        best.dispatch(
            #[inline(always)]
            || centred.backward_by_target(part, upstream, TargetOut { target, norms, weights }),
        );
    });

    // Where each edge of the sources' rows is in the targets' rows.
    let mut slot = vec![0u32; rows.edges()];
    for (edge, &place) in rows.place.iter().enumerate() {
        slot[place as usize] = edge as u32;
    }
    let twin = by_source.arrange(&slot);
    let mut source = vec![T::zero(); edges.source.len()];
    let parts = by_source.parts(WORK);
    let pieces = cut(&mut source, parts.iter().map(|part| part.len() * W));
    share(threads, parts.into_iter().zip(pieces).collect(), |(part, source)| {
        best.dispatch(
            #[inline(always)]
            || centred.backward_by_source(part, by_source, &twin, &norms, upstream, source),
        );
    });

    let mut total = vec![T::zero(); 3 * W];
    for part in sums.chunks_exact(3 * W) {
        for (total, &value) in total.iter_mut().zip(part) {
            *total += value;
        }
    }
    let bias = total.split_off(2 * W);
    let gain = total.split_off(W);
    Backward { target, source, edge: total, gain, bias }
}
