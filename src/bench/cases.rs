//! The instances of a suite: files, patterns of files, or drawn from a family.

use crate::error::{Error, Result};
use crate::instances::{self, mps};
use crate::teach::collect::instance_name;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One entry of `instances` in a suite.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instances {
    /// What they are called together in the tables.
    pub family: String,
    /// Files, or patterns like `*.mps.gz`, relative to the suite.
    #[serde(default)]
    files: Vec<String>,
    /// Or instances to draw.
    generate: Option<Generate>,
    /// Go on without them where the files are not there.
    #[serde(default)]
    optional: bool,
}

/// What to draw, as `apollo generate` takes it.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Generate {
    /// Without it the name of the entry.
    family: Option<String>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    first: u64,
    count: u64,
    #[serde(default)]
    options: BTreeMap<String, toml::Value>,
}

/// One instance.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Instance {
    /// Its name, once in a suite.
    pub name: String,
    /// Its row of the tables.
    pub family: String,
    /// Its file.
    pub file: PathBuf,
    /// SHA-256 of the file's text, compressed or not.
    pub hash: String,
}

/// An instance that is named, but not looked at or drawn yet.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    /// Its name.
    pub name: String,
    /// Its family.
    pub family: String,
    file: PathBuf,
    draw: Option<Draw>,
}

/// How an instance is drawn.
#[derive(Clone, Debug)]
struct Draw {
    family: String,
    options: Vec<(String, String)>,
    seed: u64,
    k: u64,
}

/// The instances of an entry. Those that are drawn will be in `folder`.
pub(super) fn plan(
    entry: &Instances,
    beside: &Path,
    folder: &Path,
    remarks: &mut Vec<String>,
) -> std::result::Result<Vec<Planned>, String> {
    let family = &entry.family;
    let mut planned = vec![];
    for pattern in &entry.files {
        let full = beside.join(pattern);
        // Only what is written in the suite is a pattern, not the folder that it lies in.
        let escaped = PathBuf::from(glob::Pattern::escape(&beside.to_string_lossy())).join(pattern);
        let found = glob::glob(&escaped.to_string_lossy())
            .map_err(|error| format!("files: '{pattern}' is no pattern: {error}"))?;
        let before = planned.len();
        for file in found.flatten().filter(|path| path.is_file()) {
            planned.push(Planned { name: instance_name(&file), family: family.clone(), file, draw: None });
        }
        if planned.len() == before {
            if !entry.optional {
                return Err(format!("family {family}: there is no file {}", full.display()));
            }
            remarks.push(format!("{family}: {} is not there: left out", full.display()));
        }
    }
    let Some(spec) = &entry.generate else {
        let nothing =
            entry.files.is_empty().then(|| format!("family {family}: give it `files` or `generate`"));
        return nothing.map_or(Ok(planned), Err);
    };
    let drawn = spec.family.as_ref().unwrap_or(family);
    instances::family(drawn).map_err(|error| error.to_string())?;
    let options: Vec<(String, String)> =
        spec.options.iter().map(|(name, value)| (name.clone(), super::method::text_of(value))).collect();
    for k in spec.first..spec.first.saturating_add(spec.count) {
        // Options make another problem under the same seed: it needs a name and a file of its own.
        let mut name = format!("{family}-{}-{k}", spec.seed);
        if !options.is_empty() {
            name += &format!("-{}", &hexadecimal(format!("{options:?}").as_bytes())[..6]);
        }
        let file = folder.join(format!("{name}.mps.gz"));
        let draw = Some(Draw { family: drawn.clone(), options: options.clone(), seed: spec.seed, k });
        planned.push(Planned { name, family: family.clone(), file, draw });
    }
    Ok(planned)
}

impl Planned {
    /// Draws it if its file is not there yet, and takes its hash.
    pub(super) fn make(self) -> std::result::Result<Instance, String> {
        let Planned { name, family, file, draw } = self;
        if let Some(Draw { family: drawn, options, seed, k }) = draw.filter(|_| !file.exists()) {
            let options: Vec<(&str, &str)> = options.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            let mut named = instances::generate(&drawn, &options, seed, k)
                .map_err(|error| format!("generate {drawn}: {error}"))?;
            named.name = name.clone();
            let folder = file.parent().unwrap_or(Path::new(""));
            std::fs::create_dir_all(folder)
                .and_then(|()| mps::write(&named, &file))
                .map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let hash = text_hash(&file).map_err(|error| error.to_string())?;
        Ok(Instance { name, family, file, hash })
    }
}

/// SHA-256 in hexadecimal.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of a file's text: the same before and after compression.
fn text_hash(path: &Path) -> Result<String> {
    let failed = |error: std::io::Error| Error::File { path: path.into(), why: error.to_string() };
    let mut bytes = std::fs::read(path).map_err(failed)?;
    if path.extension().is_some_and(|ending| ending == "gz") {
        let mut text = vec![];
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text).map_err(failed)?;
        bytes = text;
    }
    Ok(hexadecimal(&bytes))
}
