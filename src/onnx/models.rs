//! Model files by name: where those that are shipped with Apollo are, and which one fits a problem.
//!
//! Of a file only the metadata is read here: no session is made, ONNX Runtime need not even be there.

use super::file::{self, Entry};
use super::{LARGEST_FILE, features_of};
use crate::error::{Error, Result};
use crate::fingerprint::Fingerprint;
use crate::graph::Features;
use crate::problem::Problem;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The value of the parameter `model` that leaves the choice to Apollo.
pub const AUTO: &str = "auto";

/// What a model file says about itself.
#[derive(Clone, Debug)]
pub struct About {
    /// The version of its features.
    pub features: Features,
    /// What it was trained on.
    pub family: Option<String>,
    /// What the problems that it was trained on have in common.
    pub fingerprint: Option<Fingerprint>,
}

/// Who is to predict.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// The network in this file.
    Model {
        /// The file.
        path: PathBuf,
        /// Why it was chosen, if the choice was Apollo's.
        why: Option<String>,
    },
    /// The relaxation predictor, because no model fits.
    Relaxation {
        /// Why.
        why: String,
    },
}

/// Refuses a file that is none or too large, before anything reads it; returns what the system knows
/// about it.
pub(super) fn check_file(path: &Path) -> Result<fs::Metadata> {
    let refuse = |why: String| Error::Model { path: path.to_path_buf(), why };
    let about = fs::metadata(path).map_err(|error| refuse(format!("cannot be read ({error})")))?;
    if !about.is_file() {
        return Err(refuse("is not a file".to_string()));
    }
    if about.len() > LARGEST_FILE {
        return Err(refuse(format!("has {} bytes: that is no model of ours", about.len())));
    }
    Ok(about)
}

/// Reads the metadata of a file.
pub fn about(path: &Path) -> Result<About> {
    check_file(path)?;
    let refuse = |why: String| Error::Model { path: path.to_path_buf(), why };
    let bytes = fs::read(path).map_err(|error| refuse(format!("cannot be read ({error})")))?;
    let entries = file::metadata(&bytes).ok_or_else(|| refuse("is no whole ONNX file".into()))?;
    let entry =
        |key: &str| entries.iter().find(|entry| entry.key == key).map(|Entry { value, .. }| value.as_str());
    Ok(About {
        features: features_of(entry("features")).map_err(refuse)?,
        family: entry("family").map(str::to_string),
        fingerprint: entry("fingerprint").and_then(|json| serde_json::from_str(json).ok()),
    })
}

/// The folders that shipped models may be in, as they are: `APOLLO_MODELS` if it is set, else where
/// `make install` puts them beside the plugin and the command, else the project's own.
pub fn folders() -> Vec<PathBuf> {
    let wished: Vec<PathBuf> = env::var_os("APOLLO_MODELS")
        .map(|text| env::split_paths(&text).filter(|path| path.as_os_str() != "").collect())
        .unwrap_or_default();
    if !wished.is_empty() {
        return wished;
    }
    let programs = [crate::scip::own_file(), env::current_exe().ok()];
    let beside = programs.into_iter().flatten().filter_map(|file| file.parent().map(Path::to_path_buf));
    let installed = beside.map(|folder| folder.join("../share/apollo/models"));
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/models"));
    let mut folders = vec![];
    for folder in installed.chain([own]) {
        let folder = fs::canonicalize(&folder).unwrap_or(folder);
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The shipped model files by their names, in order; the first folder that has a name counts.
pub fn shipped() -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = vec![];
    for folder in folders() {
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in files.filter(|path| path.extension().is_some_and(|ending| ending == "onnx")) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if !found.iter().any(|(other, _)| *other == name) {
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}

/// The file that a name or a path means. A bare word is a shipped model's name, if there is one.
pub fn find(model: &str) -> Result<PathBuf> {
    let path = PathBuf::from(model);
    let is_word = path.components().count() == 1 && path.extension().is_none();
    if !is_word {
        return Ok(path);
    }
    let shipped = shipped();
    if let Some((_, path)) = shipped.iter().find(|(name, _)| name == model) {
        return Ok(path.clone());
    }
    if path.exists() {
        return Ok(path);
    }
    let names: Vec<&str> = shipped.iter().map(|(name, _)| name.as_str()).collect();
    let names = if names.is_empty() { "none is".to_string() } else { format!("{} are", names.join(", ")) };
    let why =
        format!("there is neither a shipped model nor a file '{model}'; {names} shipped ({})", places());
    Err(Error::Setting { name: "model".to_string(), why })
}

/// Where shipped models were looked for, in words.
pub fn places() -> String {
    let folders: Vec<String> = folders().iter().map(|folder| folder.display().to_string()).collect();
    format!("looked in {}", folders.join(", "))
}

/// Who predicts a problem, by the value of the parameter `model`.
pub fn choose(model: &str, problem: &Problem) -> Result<Choice> {
    if model != AUTO {
        return find(model).map(|path| Choice::Model { path, why: None });
    }
    let own = Fingerprint::of(problem);
    let fitting = shipped().into_iter().filter_map(|(name, path)| {
        let misfit = about(&path).ok()?.fingerprint?.misfit(&own);
        Some((name, path, misfit))
    });
    // Models of the same data fit equally well: the plain one has the shortest name.
    let best = fitting.min_by(|(a, _, at_a), (b, _, at_b)| {
        at_a.distance.total_cmp(&at_b.distance).then(a.len().cmp(&b.len())).then(a.cmp(b))
    });
    Ok(match best {
        None => Choice::Relaxation { why: format!("no model is shipped that could fit ({})", places()) },
        Some((name, path, misfit)) if misfit.distance <= 1.0 => {
            let why = match misfit.distance {
                0.0 => format!("{name}, the problem is like those it was trained on"),
                _ => format!("{name}, the problem is nearly like those it was trained on ({})", misfit.what),
            };
            Choice::Model { path, why: Some(why) }
        }
        Some((name, _, misfit)) => Choice::Relaxation {
            why: format!("no shipped model fits, the nearest is {name} and differs in {}", misfit.what),
        },
    })
}

/// Whether the predictor for this value of the parameter `model` wants the LP of the root node: a
/// network that sees it does, and so does the relaxation predictor where it will stand in.
pub fn wants_lp(model: &str) -> bool {
    let about = |model: &str| find(model).and_then(|path| about(&path));
    model == AUTO || about(model).map_or(true, |about| about.features.has_relaxation())
}
