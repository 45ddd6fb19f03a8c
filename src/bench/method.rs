//! The strategies of a suite, and what they are for one family: parameters, files, the model.

use super::cases::hexadecimal;
use crate::error::{Error, Result};
use crate::measure::{self, Task};
use crate::onnx::models;
use crate::scip;
use crate::settings::PREFIX;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The strategies that have a name of their own. `conps` is `ps` with a network that was trained with
/// the contrastive loss: its suite names that network.
pub const STRATEGIES: [&str; 10] =
    ["scip", "scip-aggressive", "apollo", "ps", "nd", "conps", "multi-stage", "direct", "ws-ps", "ws-apollo"];

/// What holds for every strategy with Apollo in it.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// Settings files, relative to the suite.
    #[serde(default)]
    settings: Vec<PathBuf>,
    /// Parameters of Apollo or SCIP.
    #[serde(default)]
    parameters: BTreeMap<String, toml::Value>,
    /// Who predicts.
    model: Option<ModelEntry>,
    /// What to do where the model is not there.
    fallback: Option<Fallback>,
}

/// One entry of `strategies` in a suite: a name, or a table.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(untagged)]
pub enum StrategyEntry {
    /// One of [`STRATEGIES`].
    Name(String),
    /// With details.
    Table(Box<StrategyTable>),
}

/// A strategy with details.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrategyTable {
    /// What it is called in the tables; without it its `strategy`.
    label: Option<String>,
    /// One of [`STRATEGIES`]; without it `apollo`.
    strategy: Option<String>,
    /// Settings files, relative to the suite.
    #[serde(default)]
    settings: Vec<PathBuf>,
    /// Parameters of Apollo or SCIP, set after the files.
    #[serde(default)]
    parameters: BTreeMap<String, toml::Value>,
    /// Who predicts.
    model: Option<ModelEntry>,
    /// What to do where the model is not there.
    fallback: Option<Fallback>,
    /// Only for these families.
    families: Option<Vec<String>>,
}

/// Who predicts: `relaxation`, the path of a model file, or the name of a shipped one; `{family}` stands
/// for the family. A table gives one for each family.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(untagged)]
enum ModelEntry {
    All(String),
    Each(BTreeMap<String, String>),
}

/// What to do where a model is not there.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Fallback {
    /// The relaxation predicts.
    Relaxation,
    /// The strategy is left out for this family.
    Skip,
}

/// A strategy made concrete for one family.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Method {
    /// The label of the strategy.
    pub strategy: String,
    /// The family that it is for.
    pub family: String,
    /// With Apollo in SCIP, or plain.
    pub apollo: bool,
    /// With SCIP's emphasis on primal heuristics.
    pub aggressive: bool,
    /// Settings files.
    pub settings: Vec<Content>,
    /// Parameters.
    pub parameters: Vec<(String, String)>,
    /// The model file; without it the relaxation, or what Apollo's defaults say.
    pub model: Option<Content>,
}

/// A file by its name and what is in it: where it lies does not matter to a result.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Content {
    /// Where it is now.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<PathBuf>,
    /// Its name.
    pub name: String,
    /// SHA-256 of its bytes.
    pub hash: String,
}

impl PartialEq for Content {
    fn eq(&self, other: &Content) -> bool {
        (&self.name, &self.hash) == (&other.name, &other.hash)
    }
}

impl Content {
    fn of(path: &Path) -> Result<Content> {
        let failed = |error: std::io::Error| Error::File { path: path.into(), why: error.to_string() };
        let hash = hexadecimal(&std::fs::read(path).map_err(failed)?);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Content { path: Some(path.into()), name, hash })
    }
}

impl StrategyEntry {
    /// What it is called in the tables.
    pub fn label(&self) -> &str {
        match self {
            StrategyEntry::Name(name) => name,
            StrategyEntry::Table(table) => table.label.as_deref().unwrap_or(self.strategy()),
        }
    }

    /// The families that it is for; none if it is for all.
    pub(super) fn families(&self) -> &[String] {
        match self {
            StrategyEntry::Table(table) => table.families.as_deref().unwrap_or_default(),
            StrategyEntry::Name(_) => &[],
        }
    }

    fn strategy(&self) -> &str {
        match self {
            StrategyEntry::Name(name) => name,
            StrategyEntry::Table(table) => table.strategy.as_deref().unwrap_or("apollo"),
        }
    }
}

/// A value of TOML as SCIP reads it.
pub(super) fn text_of(value: &toml::Value) -> String {
    match value {
        toml::Value::Boolean(value) => value.to_string().to_uppercase(),
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The strategy for this family, none if it is left out, and a remark if something is not as asked.
/// A model that is missing is an [`Error::Model`].
pub(super) fn resolve(
    entry: &StrategyEntry,
    family: &str,
    common: &Common,
    threads: usize,
    beside: &Path,
) -> Result<(Option<Method>, Option<String>)> {
    let table = match entry {
        StrategyEntry::Table(table) => Some(&**table),
        StrategyEntry::Name(_) => None,
    };
    if table.and_then(|table| table.families.as_ref()).is_some_and(|own| !own.iter().any(|f| f == family)) {
        return Ok((None, None));
    }
    let (strategy, label) = (entry.strategy(), entry.label());
    if !STRATEGIES.contains(&strategy) {
        let why = format!("'{strategy}' is not one of {}", STRATEGIES.join(", "));
        return Err(Error::Setting { name: "strategy".to_string(), why });
    }
    let apollo = !strategy.starts_with("scip");
    let none = Common::default();
    let common = if apollo { common } else { &none };
    let mut parameters = vec![];
    if apollo {
        let word = if strategy == "conps" { "ps" } else { strategy };
        parameters.push(("strategy".to_string(), word.to_string()));
        parameters.push(("threads".to_string(), threads.to_string()));
    }
    let own = table.map(|table| &table.parameters);
    let given = || common.parameters.iter().chain(own.into_iter().flatten());
    if let Some((name, _)) = given().find(|(name, _)| SUITES_OWN.contains(&bare(name))) {
        return Err(Error::Bench(format!(
            "strategy {label}: {name} comes from `time`, `memory`, `seeds` or `model` of the suite"
        )));
    }
    parameters.extend(given().map(|(name, value)| (name.clone(), text_of(value))));
    let files = common.settings.iter().chain(table.into_iter().flat_map(|table| &table.settings));
    let settings = files.map(|file| Content::of(&beside.join(file))).collect::<Result<Vec<_>>>()?;

    let asked = table.and_then(|table| table.model.as_ref()).or(common.model.as_ref());
    let fallback = table.and_then(|table| table.fallback).or(common.fallback);
    let (mut model, mut remark) = (None, None);
    let name = asked.map(|asked| asked.of(family));
    match name.as_deref() {
        _ if !apollo => {}
        None => {}
        Some("relaxation") => parameters.push(("predictor".to_string(), "relaxation".to_string())),
        Some(name) => match find_model(name, beside) {
            Some(path) => model = Some(Content::of(&path)?),
            None => {
                let missing = format!("{label} on {family}: there is no model {name}");
                match fallback {
                    Some(Fallback::Skip) => return Ok((None, Some(format!("{missing}; left out")))),
                    Some(Fallback::Relaxation) => {
                        parameters.push(("predictor".to_string(), "relaxation".to_string()));
                        remark = Some(format!("{missing}; the relaxation predicts instead"));
                    }
                    None => return Err(Error::Model { path: name.into(), why: missing }),
                }
            }
        },
    }
    let method = Method {
        strategy: label.to_string(),
        family: family.to_string(),
        apollo,
        aggressive: strategy == "scip-aggressive",
        settings,
        parameters,
        model,
    };
    method.check()?;
    Ok((Some(method), remark))
}

impl ModelEntry {
    /// The model for this family; where a table has none for it, a name that nothing has.
    fn of(&self, family: &str) -> String {
        match self {
            ModelEntry::All(name) => name.replace("{family}", family),
            ModelEntry::Each(each) => each.get(family).cloned().unwrap_or_else(|| format!("for {family}")),
        }
    }
}

/// A model by its path (relative to the suite) or by the name under which it was shipped.
fn find_model(name: &str, beside: &Path) -> Option<PathBuf> {
    let shipped = || models::shipped().into_iter().find(|(own, _)| own == name).map(|(_, path)| path);
    Some(beside.join(name)).filter(|path| path.is_file()).or_else(shipped)
}

/// Parameters that the suite itself sets for every run.
const SUITES_OWN: [&str; 5] =
    ["limits/time", "limits/memory", "randomization/randomseedshift", "seed", "model"];

/// A parameter's name, without what all of Apollo's begin with.
fn bare(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

impl Method {
    /// What one run of it does. The limits come last: no settings file changes them.
    pub fn task(&self, file: &Path, seed: u32, time: f64, memory: u64) -> Task {
        let mut parameters = self.parameters.clone();
        let mut set = |name: &str, value: String| parameters.push((name.to_string(), value));
        set("limits/time", time.to_string());
        // SCIP ends in good order before the process is refused more.
        set("limits/memory", (0.8 * memory as f64).to_string());
        set("randomization/randomseedshift", seed.to_string());
        if self.apollo {
            set("seed", seed.to_string());
        }
        if let Some(path) = self.model.as_ref().and_then(|model| model.path.as_ref()) {
            set("model", path.to_string_lossy().into_owned());
        }
        let settings = self.settings.iter().filter_map(|content| content.path.clone()).collect();
        Task {
            file: file.into(),
            apollo: self.apollo,
            aggressive: self.aggressive,
            settings,
            parameters,
            verify: true,
            log: false,
        }
    }

    /// Whether SCIP and Apollo take all of it.
    fn check(&self) -> Result<()> {
        let model = measure::prepare(&self.task(Path::new(""), 0, 1.0, 1))?;
        if self.apollo {
            scip::settings_of(&model)?;
        }
        Ok(())
    }

    /// The same without where its files are: what a result depends on.
    pub fn without_places(&self) -> Method {
        let bare = |content: &Content| Content { path: None, ..content.clone() };
        Method {
            settings: self.settings.iter().map(bare).collect(),
            model: self.model.as_ref().map(bare),
            ..self.clone()
        }
    }
}
