//! Processes of this program side by side, one for each file, and what they answer.
//!
//! They share nothing; one that crashes is one sentence. All are gone when the user stops the run.

use super::progress::Progress;
use apollo_scip::{Error, Result};
use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

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

/// A worker at work; killed when it goes out of sight, so that nothing runs on after a stop.
struct Worker {
    child: Child,
    file: PathBuf,
    /// Standard output and error, read while it works: a process whose pipe is full waits forever.
    says: Option<[JoinHandle<String>; 2]>,
}

impl Worker {
    fn new(mut child: Child, file: PathBuf) -> Worker {
        let says = Some([listen(child.stdout.take()), listen(child.stderr.take())]);
        Worker { child, file, says }
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
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let jobs = self.jobs.unwrap_or(cores);
        let progress = Progress::new(files.len(), jobs);
        let mut waiting: VecDeque<&PathBuf> = files.iter().collect();
        let mut working: Vec<Worker> = vec![];
        while !(waiting.is_empty() && working.is_empty()) {
            if self.stop.load(Ordering::SeqCst) {
                return Ok(false);
            }
            while working.len() < jobs
                && let Some(file) = waiting.pop_front()
            {
                let child = command(file)?.spawn().map_err(|error| Error::File {
                    path: file.clone(),
                    why: format!("cannot start a process for it: {error}"),
                })?;
                working.push(Worker::new(child, file.clone()));
            }
            let mut i = 0;
            while i < working.len() {
                match working[i].child.try_wait() {
                    Ok(None) => i += 1,
                    // Ctrl-C reaches the workers, too, and maybe sooner.
                    _ if self.stop.load(Ordering::SeqCst) => return Ok(false),
                    _ => {
                        let worker = working.swap_remove(i);
                        progress.line(&answer_of(worker, &mut tell));
                    }
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(true)
    }
}

/// What a worker that has ended said.
fn answer_of(
    mut worker: Worker,
    tell: &mut impl FnMut(&Path, std::result::Result<&str, String>) -> String,
) -> String {
    let says = worker.says.take().map(|says| says.map(|channel| channel.join().unwrap_or_default()));
    let [out, err] = says.unwrap_or_default();
    let file = worker.file.clone();
    match worker.child.wait() {
        Ok(status) if status.success() => {
            let answer = out.lines().rev().find_map(|line| line.strip_prefix(ANSWER));
            tell(&file, Ok(answer.unwrap_or_default()))
        }
        Ok(status) => {
            let said = err.lines().rev().find_map(|line| line.strip_prefix("apollo: "));
            let why = said.map_or_else(
                || format!("{}: the process for it ended with {status}", file.display()),
                str::to_string,
            );
            tell(&file, Err(why))
        }
        Err(error) => tell(&file, Err(format!("{}: {error}", file.display()))),
    }
}
