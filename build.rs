//! Where libscip is, the run-paths to it, and the identity of the build; nothing else.
//!
//! Only `rustc-link-arg` is used: it reaches the binary, the tests and the examples of this
//! package and not the plugin in plugin/, which must take SCIP's symbols from its host.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let macos = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "macos");
    println!("cargo:rerun-if-changed=build.rs");

    link_libscip(&root, macos);

    let ort = if macos { "libonnxruntime.dylib" } else { "libonnxruntime.so" };
    let ort = root.join(".deps/onnxruntime/lib").join(ort);
    println!("cargo:rustc-env=APOLLO_ORT_HINT={}", ort.display());
    println!("cargo:rustc-env=APOLLO_GIT={}", commit(&root));
}

/// Links libscip of `SCIPOPTDIR`, else the one that tools/fetch.py put into .deps/.
fn link_libscip(root: &Path, macos: bool) {
    println!("cargo:rerun-if-env-changed=SCIPOPTDIR");
    let lib = match env::var_os("SCIPOPTDIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => root.join(dir).join("lib"),
        None => {
            println!("cargo:rerun-if-changed=.deps/scip/stamp");
            root.join(".deps/scip/lib")
        }
    };
    let is_libscip = |name: &str| name.starts_with("libscip.") || name.starts_with("libscip-");
    let found = fs::read_dir(&lib)
        .is_ok_and(|files| files.flatten().any(|f| f.file_name().to_str().is_some_and(is_libscip)));
    if !found {
        // A file that never exists makes cargo ask again at every build, even if the libscip that
        // comes is older than this answer (a copied .deps).
        println!("cargo:rerun-if-changed=.deps/libscip-is-not-here-yet");
        println!("cargo:warning=libscip is not here yet: run `make build`, or set SCIPOPTDIR");
        return;
    }
    let lib = lib.display();
    let origin = if macos { "@loader_path" } else { "$ORIGIN" };
    println!("cargo:rustc-link-arg=-L{lib}");
    println!("cargo:rustc-link-arg=-lscip");
    // First what `make install` puts beside the program, then where it was built.
    println!("cargo:rustc-link-arg=-Wl,-rpath,{origin}/../lib/apollo");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{lib}");
}

/// The commit this is built from, or "unknown" without git (an archive, a vendored copy).
fn commit(root: &Path) -> String {
    let git = |args: &[&str]| {
        let out = Command::new("git").args(args).current_dir(root).output().ok()?;
        let text = String::from_utf8(out.stdout).ok()?.trim().to_owned();
        (out.status.success() && !text.is_empty()).then_some(text)
    };
    if !root.join(".git").exists() {
        return "unknown".to_owned();
    }
    // Commits and checkouts touch the first two, edits that make it "-dirty" the sources.
    // Only what exists: cargo would run this every time for a file that is not there.
    let head = git(&["rev-parse", "--git-path", "HEAD"]);
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    for path in head.into_iter().chain(log).chain(["src".into(), "Cargo.toml".into()]) {
        if root.join(&path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["describe", "--always", "--dirty"]).unwrap_or_else(|| "unknown".to_owned())
}
