//! What several test modules need: where things are, and how to run programs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The project's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the tests' own.
pub fn data(name: &str) -> PathBuf {
    root().join("tests/data").join(name)
}

/// The built plugin: `APOLLO_PLUGIN`, or beside the command line tool.
pub fn plugin() -> PathBuf {
    let beside = Path::new(env!("CARGO_BIN_EXE_apollo")).with_file_name("libheur_apollo.so");
    let plugin = std::env::var_os("APOLLO_PLUGIN").map_or(beside, PathBuf::from);
    assert!(plugin.is_file(), "{} is not there: run `make test`, which builds it", plugin.display());
    plugin
}

/// The command line tool.
pub fn apollo() -> Command {
    Command::new(env!("CARGO_BIN_EXE_apollo"))
}

/// Public instances that stand beside the project on some machines; a test that needs them says that
/// it skips.
pub fn shared_instances() -> Option<PathBuf> {
    let folder = root().join("../shared/instances");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no folder ../shared/instances beside the project");
    None
}

/// Runs a command and returns what it printed, both channels together, and whether it succeeded.
pub fn run(command: &mut Command) -> (bool, String) {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    (status.success(), text)
}

/// A Python with numpy: `APOLLO_PYTHON`, or the one that tools/fetch.py makes.
pub fn python() -> Option<Command> {
    let fetched = root().join(".deps/python/bin/python");
    let python = std::env::var_os("APOLLO_PYTHON").map_or(fetched, PathBuf::from);
    if python.exists() {
        return Some(Command::new(python));
    }
    eprintln!("skipped: no Python with numpy at {}; `tools/fetch.py --python` makes one", python.display());
    None
}

/// A folder of one test's own, gone when the test is.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one.
    pub fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("apollo-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder); // a leftover of an earlier process with this number
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        Folder(folder)
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // what is left in the temporary folder harms nobody
    }
}

/// A set covering problem in LP format that presolve does not solve.
pub fn set_cover(columns: usize, rows: usize) -> String {
    let mut state = 12345u64;
    let mut dice = move |sides: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % sides
    };
    let objective: Vec<String> = (0..columns).map(|j| format!("{} x{j}", 10 + dice(10))).collect();
    let mut text = format!("Minimize\n obj: {}\nSubject To\n", objective.join(" + "));
    for i in 0..rows {
        // One column is sure, so that no row is empty.
        let row: Vec<String> =
            (0..columns).filter(|&j| j == i % columns || dice(12) == 0).map(|j| format!("x{j}")).collect();
        text += &format!(" c{i}: {} >= 1\n", row.join(" + "));
    }
    let names: Vec<String> = (0..columns).map(|j| format!("x{j}")).collect();
    text + &format!("Binaries\n {}\nEnd\n", names.join(" "))
}
