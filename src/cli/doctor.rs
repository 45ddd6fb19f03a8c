//! `apollo doctor`: which parts are there, what is wrong, and how to mend it.

use super::Done;
use apollo_scip::onnx::{self, Onnx};
use apollo_scip::prediction::Predictor;
use apollo_scip::settings::Device;
use apollo_scip::{measure, scip};
use std::path::{Path, PathBuf};

/// Say which SCIP and ONNX Runtime are used, what is wrong, and how to mend it
#[derive(clap::Args)]
pub struct Arguments {
    /// Also try to load these model files
    models: Vec<PathBuf>,
}

/// One finding.
fn report(well: bool, what: &str, text: &str) -> bool {
    println!("{} {what:<14} {text}", if well { "ok " } else { "BAD" });
    well
}

/// Looks at everything; false if something is wrong.
pub fn run(arguments: &Arguments) -> Done {
    let mut well = true;
    match scip::find_host() {
        Ok(host) => {
            let (major, minor, tech) = host.version;
            let place =
                host.library.map_or("part of this program".to_string(), |path| path.display().to_string());
            report(true, "SCIP", &format!("{major}.{minor}.{tech}, {place}"));
        }
        Err(error) => well &= report(false, "SCIP", &error.to_string()),
    }
    well &= small_solve();
    well &= plugin();
    match onnx::find_runtime() {
        Ok(runtime) => {
            // The real file behind links has the version in its name.
            let path = std::fs::canonicalize(&runtime.path).unwrap_or(runtime.path.clone());
            report(true, "ONNX Runtime", &path.display().to_string());
            report(true, "devices", &runtime.devices().join(", "));
        }
        Err(error) => {
            report(
                false,
                "ONNX Runtime",
                &format!("{error} (needed for networks only; the relaxation predictor works without)"),
            );
            well = false;
        }
    }
    let shipped = models_beside();
    if shipped.is_empty() && arguments.models.is_empty() {
        report(true, "models", "none shipped with this build; the relaxation predictor needs none");
    }
    for path in shipped.iter().chain(&arguments.models) {
        well &= match Onnx::load(&path.to_string_lossy(), Device::Auto, 1) {
            Ok(model) => {
                let family = model.family().unwrap_or("unknown family");
                report(true, "model", &format!("{} ({family}) runs on {}", path.display(), model.device()))
            }
            Err(error) => report(false, "model", &error.to_string()),
        };
    }
    println!(
        "\n{}",
        if well {
            "everything is in its place"
        } else {
            "something is wrong: see the lines that begin with BAD"
        }
    );
    Ok(well)
}

/// A small problem, solved for real with Apollo inside.
fn small_solve() -> bool {
    let file = std::env::temp_dir().join(format!("apollo-doctor-{}.lp", std::process::id()));
    let terms: Vec<String> = (0..30).map(|j| format!("{} x{j}", 3 + (7 * j) % 11)).collect();
    let weights: Vec<String> = (0..30).map(|j| format!("{} x{j}", 2 + (5 * j) % 13)).collect();
    let binaries: Vec<String> = (0..30).map(|j| format!("x{j}")).collect();
    let text = format!(
        "Maximize\n obj: {}\nSubject To\n c: {} <= 60\nBinaries\n {}\nEnd\n",
        terms.join(" + "),
        weights.join(" + "),
        binaries.join(" ")
    );
    let solved = std::fs::write(&file, text).map_err(|error| error.to_string()).and_then(|()| {
        let task = measure::Task { file: file.clone(), apollo: true, ..measure::Task::default() };
        measure::solve(&task, |_, _| {}).map_err(|error| error.to_string())
    });
    // A leftover in the temporary folder harms nobody.
    let _ = std::fs::remove_file(&file);
    match solved {
        Ok(outcome) if outcome.status == "optimal" => report(true, "a small solve", "optimal"),
        Ok(outcome) => report(false, "a small solve", &format!("ended with {}", outcome.status)),
        Err(error) => report(false, "a small solve", &error),
    }
}

/// Where the plugin file is, for `LD_PRELOAD` and for programs.
fn plugin() -> bool {
    let name = if cfg!(target_os = "macos") { "libheur_apollo.dylib" } else { "libheur_apollo.so" };
    let folder =
        std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf)).unwrap_or_default();
    let places = [folder.join(name), folder.join("../lib").join(name)];
    match places.iter().find(|path| path.is_file()) {
        Some(path) => {
            let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            report(true, "plugin", &path.display().to_string())
        }
        None => report(
            false,
            "plugin",
            &format!("no {name} beside this program: run `make build` or `make install`"),
        ),
    }
}

/// The model files that came with this build or installation.
fn models_beside() -> Vec<PathBuf> {
    let folder =
        std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_path_buf)).unwrap_or_default();
    let places = [folder.join("../share/apollo/models"), folder.join("../../models")];
    let files = places.iter().filter_map(|place| std::fs::read_dir(place).ok()).flatten().flatten();
    let mut models: Vec<PathBuf> = files
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "onnx"))
        .collect();
    models.sort();
    models
}
