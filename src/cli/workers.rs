//! Processes of this program side by side, one for each piece of work, and what they answer.
//!
//! They share nothing; one that crashes is one sentence. All are gone when the user stops the run.

use super::progress::Progress;
use apollo_scip::{Error, Result};
use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How a worker's answer begins.
const ANSWER: &str = "answer: ";

/// Says the answer of this worker, on a line of its own: SCIP may have said something before, and its
/// line need not be at its end.
pub fn answer(text: &str) {
    println!("\n{ANSWER}{text}");
}

/// The file of this program. Where there is /proc, it is the one that runs, whatever has been built or
/// installed in its place since.
pub fn own_program() -> Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() {
        return Ok(running.into());
    }
    let failed = |error: std::io::Error| Error::File { path: "apollo".into(), why: error.to_string() };
    std::env::current_exe().map_err(failed)
}

/// A flag that is set when the user wants to stop.
pub fn listen_for_stop() -> Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    ctrlc::set_handler(|| STOP.store(true, Ordering::SeqCst))
        .map_err(|error| Error::File { path: "signal handler".into(), why: error.to_string() })?;
    Ok(&STOP)
}

/// Workers side by side.
pub struct Workers {
    /// How many; without a number as many as there are cores.
    pub jobs: Option<usize>,
    /// Set when all is to stop.
    pub stop: &'static AtomicBool,
}

/// What a worker that has ended said, and how it ended.
pub struct Ended {
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
    /// How it ended.
    pub status: std::io::Result<ExitStatus>,
    /// It was not done in time, and was ended.
    pub overdue: bool,
    /// Seconds that it took.
    pub seconds: f64,
}

impl Ended {
    /// Its answer, or what went wrong, in the worker's own words where it has said any.
    pub fn answer(&self) -> std::result::Result<&str, String> {
        match &self.status {
            _ if self.overdue => Err(format!("had to be ended after {:.0} s", self.seconds)),
            Ok(status) if status.success() => {
                Ok(self.out.lines().rev().find_map(|line| line.strip_prefix(ANSWER)).unwrap_or_default())
            }
            Ok(status) => {
                let said = self.err.lines().rev().find_map(|line| line.strip_prefix("apollo: "));
                Err(said.map_or_else(|| format!("the process for it ended with {status}"), str::to_string))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

/// A worker at work; killed when it goes out of sight, so that nothing runs on after a stop.
struct Worker {
    child: Child,
    /// Which piece of work.
    index: usize,
    /// Its place among those side by side.
    seat: usize,
    began: Instant,
    overdue: bool,
    /// Standard output and error, read while it works: a process whose pipe is full waits forever.
    says: Option<[JoinHandle<String>; 2]>,
}

impl Worker {
    fn new(mut child: Child, index: usize, seat: usize) -> Worker {
        let says = Some([listen(child.stdout.take()), listen(child.stderr.take())]);
        Worker { child, index, seat, began: Instant::now(), overdue: false, says }
    }

    /// Collects what it said. It has ended.
    fn end(mut self) -> Ended {
        let says = self.says.take().map(|says| says.map(|channel| channel.join().unwrap_or_default()));
        let [out, err] = says.unwrap_or_default();
        let seconds = self.began.elapsed().as_secs_f64();
        Ended { out, err, status: self.child.wait(), overdue: self.overdue, seconds }
    }
}

fn listen(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut said = vec![];
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut said)); // what came before an error counts
        String::from_utf8_lossy(&said).into_owned()
    })
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Workers {
    /// Has a worker for each file, started by `command`; `tell` turns its answer, or what went wrong,
    /// into a line. False if it was stopped before the end.
    pub fn run(
        &self,
        files: &[PathBuf],
        command: impl Fn(&Path) -> Result<Command>,
        mut tell: impl FnMut(&Path, std::result::Result<&str, String>) -> String,
    ) -> Result<bool> {
        let answer = |file: &PathBuf, ended: Ended| {
            let own = ended.err.lines().any(|line| line.starts_with("apollo: "));
            let named = |why: String| if own { why } else { format!("{}: {why}", file.display()) };
            Ok(tell(file, ended.answer().map_err(named)))
        };
        self.each(files, None, |file, _| command(file), answer)
    }

    /// Has a worker for each piece of work, started by `command`, which is told its seat: the numbers
    /// from 0 of those side by side. One that takes longer than `patience` is ended. `tell` turns what
    /// came of it into a line. False if it was stopped before the end.
    pub fn each<T>(
        &self,
        work: &[T],
        patience: Option<Duration>,
        command: impl Fn(&T, usize) -> Result<Command>,
        mut tell: impl FnMut(&T, Ended) -> Result<String>,
    ) -> Result<bool> {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let jobs = self.jobs.unwrap_or(cores);
        let progress = Progress::new(work.len(), jobs);
        let mut waiting: VecDeque<usize> = (0..work.len()).collect();
        let mut working: Vec<Worker> = vec![];
        while !(waiting.is_empty() && working.is_empty()) {
            if self.stop.load(Ordering::SeqCst) {
                return Ok(false);
            }
            while working.len() < jobs
                && let Some(index) = waiting.pop_front()
            {
                let taken = |seat: &usize| working.iter().any(|worker| worker.seat == *seat);
                let seat = (0..jobs).find(|seat| !taken(seat)).unwrap_or(0);
                let child = command(&work[index], seat)?.spawn().map_err(|error| Error::File {
                    path: "apollo".into(),
                    why: format!("cannot start another process of it: {error}"),
                })?;
                working.push(Worker::new(child, index, seat));
            }
            let mut i = 0;
            while i < working.len() {
                let worker = &mut working[i];
                if patience.is_some_and(|patience| worker.began.elapsed() > patience) && !worker.overdue {
                    worker.overdue = true;
                    let _ = worker.child.kill(); // it may have ended just now
                }
                match worker.child.try_wait() {
                    Ok(None) => i += 1,
                    // Ctrl-C reaches the workers, too, and maybe sooner.
                    _ if self.stop.load(Ordering::SeqCst) => return Ok(false),
                    _ => {
                        let worker = working.swap_remove(i);
                        let index = worker.index;
                        progress.line(&tell(&work[index], worker.end())?);
                    }
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(true)
    }
}
