//! The machine that measures: what it is, and how a run is kept to its share of it.

use crate::error::{Error, Result};

/// What a result should say about the machine.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Machine {
    /// The processor.
    pub processor: String,
    /// Cores that this program may use.
    pub cores: usize,
    /// Memory in MB.
    pub memory: u64,
    /// The system.
    pub system: String,
}

impl Machine {
    /// This one; what it does not tell stays empty.
    pub fn here() -> Machine {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let after = |text: &str, key: &str| {
            let line = text.lines().find(|line| line.starts_with(key));
            line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_string())
        };
        let kilobytes = after(&read("/proc/meminfo"), "MemTotal");
        let memory = kilobytes.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
        let release = read("/proc/sys/kernel/osrelease");
        Machine {
            processor: after(&read("/proc/cpuinfo"), "model name").unwrap_or_default(),
            cores: cores().len(),
            memory: memory.unwrap_or(0) / 1024,
            system: format!("{} {} {}", std::env::consts::OS, release.trim(), std::env::consts::ARCH),
        }
    }
}

/// How many processes wanted to run on the machine over the last minute, if it tells.
pub fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// The most memory that this process has had, in MB.
pub fn peak_memory() -> Option<u64> {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF).ok()?;
    let unit = if cfg!(target_os = "macos") { 1 << 20 } else { 1 << 10 };
    u64::try_from(usage.max_rss()).ok().map(|size| size / unit)
}

/// The cores that this process may use.
#[cfg(target_os = "linux")]
pub fn cores() -> Vec<usize> {
    use nix::sched::{CpuSet, sched_getaffinity};
    let Ok(set) = sched_getaffinity(nix::unistd::Pid::from_raw(0)) else { return vec![] };
    (0..CpuSet::count()).filter(|&core| set.is_set(core).unwrap_or(false)).collect()
}

/// The cores that this process may use.
#[cfg(not(target_os = "linux"))]
pub fn cores() -> Vec<usize> {
    (0..std::thread::available_parallelism().map_or(1, |cores| cores.get())).collect()
}

/// Keeps this process, and what it starts, to these cores; where the system cannot, nothing happens.
#[cfg(target_os = "linux")]
pub fn keep_to(cores: &[usize]) -> Result<()> {
    use nix::sched::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    let pinned = cores
        .iter()
        .try_for_each(|&core| set.set(core))
        .and_then(|()| sched_setaffinity(nix::unistd::Pid::from_raw(0), &set));
    pinned.map_err(|error| Error::Bench(format!("cannot keep a run to cores {cores:?}: {error}")))
}

/// Keeps this process, and what it starts, to these cores; where the system cannot, nothing happens.
#[cfg(not(target_os = "linux"))]
pub fn keep_to(_cores: &[usize]) -> Result<()> {
    Ok(())
}

/// Refuses this process more memory than so many MB of address space.
pub fn limit_memory(megabytes: u64) -> Result<()> {
    use nix::sys::resource::{Resource, setrlimit};
    let bytes = megabytes.saturating_mul(1 << 20);
    setrlimit(Resource::RLIMIT_AS, bytes, bytes)
        .map_err(|error| Error::Bench(format!("cannot limit the memory to {megabytes} MB: {error}")))
}

/// Ends this process when the one that started it is gone.
pub fn end_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL); // a leftover run harms nobody
}
