//! `apollo doctor`: which parts are there, what is wrong, and how to mend it.

use super::Done;
use apollo_scip::onnx::{self, Onnx, models};
use apollo_scip::prediction::Predictor;
use apollo_scip::settings::Device;
use apollo_scip::{Error, measure, scip};
use std::path::Path;
use std::time::Instant;

/// Say which SCIP and ONNX Runtime are used, what is wrong, and how to mend it
#[derive(clap::Args)]
pub struct Arguments {
    /// Also try to load these model files, or shipped models by name
    models: Vec<String>,
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
    let shipped = models::shipped();
    let none = "none is shipped with this build, and the relaxation predictor needs none";
    let count = if shipped.is_empty() { none.into() } else { format!("{} are shipped", shipped.len()) };
    report(true, "models", &format!("{count}; {}", models::places()));
    let named = arguments.models.iter().map(|name| models::find(name));
    for path in shipped.into_iter().map(|(_, path)| Ok(path)).chain(named) {
        let loaded = path.and_then(|path| -> Result<String, Error> {
            let began = Instant::now();
            let model = Onnx::load(&path.to_string_lossy(), Device::Auto, 1)?;
            let milliseconds = began.elapsed().as_secs_f64() * 1e3;
            let (family, version) = (model.family().unwrap_or("unknown family"), model.features().version());
            Ok(format!(
                "{} ({family}, features version {version}) runs on {}, loaded in {milliseconds:.0} ms",
                path.display(),
                model.device()
            ))
        });
        well &= match loaded {
            Ok(text) => report(true, "model", &text),
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
