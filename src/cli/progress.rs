//! How far long work has come: a bar on a terminal, a line for each step elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::cell::Cell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Progress of a number of steps, told on the error stream.
pub struct Progress {
    bar: Option<ProgressBar>,
    steps: usize,
    side_by_side: usize,
    done: Cell<usize>,
    began: Instant,
}

impl Progress {
    /// Nothing is done yet.
    pub fn new(steps: usize, side_by_side: usize) -> Progress {
        let terminal = std::io::stderr().is_terminal() && steps > 0;
        let bar = terminal.then(|| {
            let bar = ProgressBar::new(steps as u64);
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {elapsed} gone, {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(500));
            bar
        });
        Progress { bar, steps, side_by_side, done: Cell::new(0), began: Instant::now() }
    }

    /// One more step is done; `line` says what came of it.
    pub fn line(&self, line: &str) {
        let done = self.done.get() + 1;
        self.done.set(done);
        let left = self.estimate(done);
        match &self.bar {
            Some(bar) => {
                bar.println(line);
                bar.set_message(left);
                bar.inc(1);
            }
            None => eprintln!("[{done}/{}] {line} ({left})", self.steps),
        }
    }

    /// The time that is left, from the steps so far; those side by side end together.
    fn estimate(&self, done: usize) -> String {
        let turns = |steps: usize| steps.div_ceil(self.side_by_side.max(1)) as f64;
        let left = self.began.elapsed().as_secs_f64() / turns(done) * turns(self.steps - done);
        match left {
            left if left < 90.0 => format!("about {left:.0} s left"),
            left if left < 5400.0 => format!("about {:.0} min left", left / 60.0),
            left => format!("about {:.1} h left", left / 3600.0),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
