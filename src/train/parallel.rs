//! Tasks of very different sizes on a few threads: the largest first, whoever is free takes the next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Runs `run(k)` for each k below `sizes.len()` on at most `threads` threads and returns the answers in
/// order; none if `stop` was set before all were begun.
pub(super) fn side_by_side<R: Send>(
    threads: usize,
    sizes: &[usize],
    stop: &AtomicBool,
    run: impl Fn(usize) -> R + Sync,
) -> Option<Vec<R>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(sizes[k]));
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(vec![]));
    let work = || {
        while !stop.load(Ordering::SeqCst)
            && let Some(&k) = order.get(next.fetch_add(1, Ordering::SeqCst))
        {
            let answer = run(k);
            answers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((k, answer));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(sizes.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut answers = answers.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    answers.sort_by_key(|(k, _)| *k);
    (answers.len() == sizes.len()).then(|| answers.into_iter().map(|(_, answer)| answer).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_order_and_a_stop_is_heeded() {
        let sizes = [3, 9, 1, 7, 7];
        for threads in [1, 2, 8] {
            let stop = AtomicBool::new(false);
            assert_eq!(side_by_side(threads, &sizes, &stop, |k| 10 * k), Some(vec![0, 10, 20, 30, 40]));
            let stopping = side_by_side(threads, &sizes, &stop, |_| stop.store(true, Ordering::SeqCst));
            assert!(threads > 4 || stopping.is_none());
            assert_eq!(side_by_side(threads, &sizes, &stop, |k| k), None);
        }
        assert_eq!(side_by_side(2, &[], &AtomicBool::new(false), |k| k), Some(vec![]));
    }
}
