//! The LP relaxations of training data, solved side by side and kept: `apollo data relax`, and whatever
//! needs them before it begins.

use super::Done;
use super::progress::Progress;
use apollo_scip::Result;
use apollo_scip::data::file::Instance;
use apollo_scip::data::relaxations;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Solves what is not kept yet, `jobs` instances side by side (without a number as many as there are
/// cores). A file that fails is named, and the others go on; the process ends if the user stops it.
pub fn solve(files: &[PathBuf], jobs: Option<usize>, stop: &AtomicBool) -> Done {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let jobs = jobs.unwrap_or_else(cores).clamp(1, files.len().max(1));
    let (next, stopped) = (AtomicUsize::new(0), || stop.load(Ordering::SeqCst));
    let (send, receive) = mpsc::channel();
    let mut well = true;
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::SeqCst)) {
                    // Nobody listens any more only if this process ends.
                    if stopped() || send.send((path, one(path, stopped))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let progress = Progress::new(files.len(), jobs);
        for (path, result) in receive {
            if stopped() {
                continue;
            }
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            match result {
                Ok((lps, 0)) => progress.line(&format!("{name}: {lps} LPs")),
                Ok((lps, open)) => {
                    progress.line(&format!("{name}: {lps} LPs, {open} of them without an answer"));
                }
                Err(error) => {
                    well = false;
                    progress.line(&format!("apollo: {error}"));
                }
            }
        }
    });
    if stopped() {
        eprintln!("apollo: stopped; the same command goes on with what is left");
        std::process::exit(130);
    }
    Ok(well)
}

/// The LPs of one file: how many, and how many of them have no optimum or took too long.
fn one(path: &Path, stopped: impl Fn() -> bool) -> Result<(usize, usize)> {
    let instance = Instance::read(path)?;
    let relaxed = relaxations::load_or_solve(&instance, path, stopped)?;
    Ok((relaxed.len(), relaxed.iter().filter(|lp| lp.is_none()).count()))
}
