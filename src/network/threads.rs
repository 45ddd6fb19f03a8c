//! Work shared among threads, with the number of threads in the caller's hand.
//!
//! Tasks are cut by the size of the problem, never by the number of threads, and none reads what
//! another writes: results are the same bit for bit with any number of threads.

/// Runs every task, on at most `threads` threads, this one among them. Tasks go around like cards.
pub fn share<Task: Send>(threads: usize, tasks: Vec<Task>, run: impl Fn(Task) + Sync) {
    let threads = threads.clamp(1, tasks.len().max(1));
    if threads == 1 {
        return tasks.into_iter().for_each(run);
    }
    let mut hands: Vec<Vec<Task>> = (0..threads).map(|_| vec![]).collect();
    for (i, task) in tasks.into_iter().enumerate() {
        hands[i % threads].push(task);
    }
    let run = &run;
    std::thread::scope(|scope| {
        let own = hands.pop().unwrap_or_default();
        for hand in hands {
            scope.spawn(move || hand.into_iter().for_each(run));
        }
        own.into_iter().for_each(run);
    });
}

/// Cuts a slice into consecutive pieces of these lengths.
pub fn cut<T>(mut slice: &mut [T], lengths: impl IntoIterator<Item = usize>) -> Vec<&mut [T]> {
    let mut pieces = vec![];
    for length in lengths {
        let (piece, rest) = slice.split_at_mut(length);
        pieces.push(piece);
        slice = rest;
    }
    pieces
}
