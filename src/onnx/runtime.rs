//! Where ONNX Runtime is.
//!
//! It is loaded when the first model is, never linked: a SCIP without networks does not need it. A
//! user's own `ORT_DYLIB_PATH` wins; then the places where `make build` and `make install` put it;
//! then wherever the system's loader finds one.

use crate::error::{Error, Result};
use ort::environment::Environment;
use ort::logging::LogLevel;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// ONNX Runtime, loaded.
#[derive(Clone)]
pub struct Runtime {
    /// Its file.
    pub path: PathBuf,
    /// What sessions are made in.
    pub(super) environment: Environment,
}

impl Runtime {
    /// The devices it can run networks on, as far as it was built for them.
    pub fn devices(&self) -> Vec<String> {
        super::device::built_in()
    }
}

#[cfg(target_os = "macos")]
const FILE: &str = "libonnxruntime.dylib";
#[cfg(not(target_os = "macos"))]
const FILE: &str = "libonnxruntime.so";

static RUNTIME: Mutex<Option<Runtime>> = Mutex::new(None);

/// Loads ONNX Runtime; once loaded it stays for the life of the process.
pub fn find() -> Result<Runtime> {
    let mut runtime = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = &*runtime {
        return Ok(runtime.clone());
    }
    let path = locate()?;
    let load = || -> std::result::Result<Environment, String> {
        let builder = ort::init_from(&path).map_err(|error| error.to_string())?;
        builder.with_name("apollo").with_telemetry(false).build().map_err(|error| error.to_string())
    };
    let environment = load().map_err(|why| {
        Error::Runtime(format!(
            "{} cannot be loaded ({}); set ORT_DYLIB_PATH to a libonnxruntime of version 1.24 or newer",
            path.display(),
            super::sentence(why)
        ))
    })?;
    // What goes wrong comes back as an error, and is told once: not on the error stream of our host too.
    environment.set_log_level(LogLevel::Fatal);
    Ok(runtime.insert(Runtime { path, environment }).clone())
}

fn locate() -> Result<PathBuf> {
    if let Some(path) = env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        if path.is_file() {
            return Ok(std::fs::canonicalize(&path).unwrap_or(path));
        }
        let why = format!("ORT_DYLIB_PATH is {}, and there is no such file", path.display());
        return Err(Error::Runtime(why));
    }
    let beside = |file: PathBuf| file.parent().map(Path::to_path_buf);
    let plugin = crate::scip::own_file().and_then(beside);
    let program = env::current_exe().ok().and_then(beside);
    let places = [
        plugin.map(|folder| folder.join("apollo").join(FILE)),
        program.map(|folder| folder.join("../lib/apollo").join(FILE)),
        Some(PathBuf::from(env!("APOLLO_ORT_HINT"))),
    ];
    let found = places.into_iter().flatten().find(|path| path.is_file());
    // A bare name leaves the search to the system's loader.
    Ok(found.unwrap_or_else(|| PathBuf::from(FILE)))
}
