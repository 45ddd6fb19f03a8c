//! Products of row-major matrices, in blocks of rows that threads share.

use super::kernel::Real;
use super::threads::share;
use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

/// Rows in one task.
pub(super) const BLOCK: usize = 1024;

fn view<T>(data: &[T], columns: usize) -> ArrayView2<'_, T> {
    ArrayView2::from_shape((data.len() / columns, columns), data).expect("whole rows")
}

fn add_product<T: Real>(out: &mut [T], a: ArrayView2<'_, T>, b: ArrayView2<'_, T>) {
    let mut out = ArrayViewMut2::from_shape((a.nrows(), b.ncols()), out).expect("whole rows");
    general_mat_mul(T::one(), &a, &b, T::one(), &mut out);
}

/// `out += x · w`, with w of `inner` rows and `columns` columns.
pub(super) fn forward<T: Real>(
    out: &mut [T],
    x: &[T],
    w: &[T],
    [inner, columns]: [usize; 2],
    threads: usize,
) {
    let tasks = out.chunks_mut(BLOCK * columns).zip(x.chunks(BLOCK * inner)).collect();
    share(threads, tasks, |(out, x)| add_product(out, view(x, inner), view(w, columns)));
}

/// `out += g · wᵀ`: the way back to x.
pub(super) fn to_input<T: Real>(
    out: &mut [T],
    g: &[T],
    w: &[T],
    [inner, columns]: [usize; 2],
    threads: usize,
) {
    let tasks = out.chunks_mut(BLOCK * inner).zip(g.chunks(BLOCK * columns)).collect();
    share(threads, tasks, |(out, g)| add_product(out, view(g, columns), view(w, columns).reversed_axes()));
}

/// `out += xᵀ · g`: the way back to w. The sum over the rows is made block by block, then over blocks.
pub(super) fn to_weight<T: Real>(
    out: &mut [T],
    x: &[T],
    g: &[T],
    [inner, columns]: [usize; 2],
    threads: usize,
) {
    let blocks: Vec<_> = x.chunks(BLOCK * inner).zip(g.chunks(BLOCK * columns)).collect();
    let mut sums = vec![T::zero(); blocks.len() * inner * columns];
    let tasks = sums.chunks_exact_mut(inner * columns).zip(blocks).collect();
    share(threads, tasks, |(sum, (x, g))| add_product(sum, view(x, inner).reversed_axes(), view(g, columns)));
    for sum in sums.chunks_exact(inner * columns) {
        add(out, sum);
    }
}

/// `out += x`.
pub(super) fn add<T: Real>(out: &mut [T], x: &[T]) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out += x;
    }
}
