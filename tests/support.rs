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
