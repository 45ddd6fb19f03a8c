//! LayerNorm on the rows of a table, there and back.

use super::kernel::{EPSILON, Real, at, at_mut, at_width, sum};
use super::matrix::{BLOCK, add};
use super::threads::share;

/// A row without its mean, and one over its standard deviation.
#[inline(always)]
fn normal<T: Real, const W: usize>(row: &[T; W]) -> ([T; W], T) {
    let share = T::real(1.0 / W as f64);
    let mean = sum(row) * share;
    let centred = row.map(|x| x - mean);
    let factor = T::one() / (sum(&centred.map(|x| x * x)) * share + T::real(EPSILON)).sqrt();
    (centred.map(|x| x * factor), factor)
}

/// The rows of `x` with mean 0 and variance 1, times `gain`, plus `bias`.
pub(super) fn forward<T: Real>(x: &[T], gain: &[T], bias: &[T], threads: usize) -> Vec<T> {
    at_width!(gain.len(), forward_at(x, gain, bias, threads))
}

fn forward_at<T: Real, const W: usize>(x: &[T], gain: &[T], bias: &[T], threads: usize) -> Vec<T> {
    let (gain, bias): (&[T; W], &[T; W]) = (at(gain, 0), at(bias, 0));
    let mut out = vec![T::zero(); x.len()];
    let best = pulp::Arch::new();
    let tasks = out.chunks_mut(BLOCK * W).zip(x.chunks(BLOCK * W)).collect();
    share(threads, tasks, |(out, x)| {
        best.dispatch(
            #[inline(always)]
            || {
                for i in 0..x.len() / W {
                    let (normal, _) = normal::<T, W>(at(x, i));
                    *at_mut::<T, W>(out, i) = std::array::from_fn(|k| normal[k] * gain[k] + bias[k]);
                }
            },
        );
    });
    out
}

/// The derivatives by x, gain and bias, given that by the result (`up`).
pub(super) fn backward<T: Real>(x: &[T], gain: &[T], up: &[T], threads: usize) -> [Vec<T>; 3] {
    at_width!(gain.len(), backward_at(x, gain, up, threads))
}

fn backward_at<T: Real, const W: usize>(x: &[T], gain: &[T], up: &[T], threads: usize) -> [Vec<T>; 3] {
    let gain: &[T; W] = at(gain, 0);
    let share_of_one = T::real(1.0 / W as f64);
    let mut by_x = vec![T::zero(); x.len()];
    let mut sums = vec![T::zero(); x.len().div_ceil(BLOCK * W) * 2 * W];
    let best = pulp::Arch::new();
    let tasks = by_x
        .chunks_mut(BLOCK * W)
        .zip(sums.chunks_exact_mut(2 * W))
        .zip(x.chunks(BLOCK * W).zip(up.chunks(BLOCK * W)))
        .collect();
    share(threads, tasks, |((by_x, sums), (x, up))| {
        best.dispatch(
            #[inline(always)]
            || {
                let (mut by_gain, mut by_bias) = ([T::zero(); W], [T::zero(); W]);
                for i in 0..x.len() / W {
                    let ((normal, factor), up) = (normal::<T, W>(at(x, i)), at::<T, W>(up, i));
                    let slope: [T; W] = std::array::from_fn(|k| up[k] * gain[k]);
                    let mean = sum(&slope) * share_of_one;
                    let along = sum::<T, W>(&std::array::from_fn(|k| slope[k] * normal[k])) * share_of_one;
                    let out: &mut [T; W] = at_mut(by_x, i);
                    for k in 0..W {
                        by_gain[k] += up[k] * normal[k];
                        by_bias[k] += up[k];
                        out[k] = factor * (slope[k] - mean - normal[k] * along);
                    }
                }
                *at_mut(sums, 0) = by_gain;
                *at_mut(sums, 1) = by_bias;
            },
        );
    });
    let mut total = vec![T::zero(); 2 * W];
    for block in sums.chunks_exact(2 * W) {
        add(&mut total, block);
    }
    let by_bias = total.split_off(W);
    [by_x, total, by_bias]
}
