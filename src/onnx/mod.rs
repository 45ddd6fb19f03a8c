//! The ONNX predictor: a network in a model file, run by ONNX Runtime.
//!
//! The contract of a model file (docs/MODELS.md): four inputs and an output or two by name, and metadata
//! that says for which version of the features it was made. Any model that keeps it works, whoever
//! trained it. A file is loaded once a process and shared by all SCIPs in it.

mod assignment;
mod device;
pub mod file;
pub mod models;
pub(crate) mod operator;
mod runtime;

use crate::bits;
use crate::error::{Error, Result};
use crate::graph::{Features, Graph};
use crate::prediction::{Bits, Prediction, Predictor, Question};
use crate::problem::{Kind, Problem};
use crate::relaxation::Relaxed;
use crate::schedule::Recommended;
use crate::scip;
use crate::settings::Device;
use ort::session::{RunOptions, Session};
use ort::value::{Outlet, Tensor, TensorElementType};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

pub use runtime::{Runtime, find as find_runtime};

/// The model's inputs: (name, element type, fixed width of each row or column).
fn inputs(features: Features) -> [(&'static str, TensorElementType, Option<usize>); 4] {
    [
        ("variables", TensorElementType::Float32, Some(features.variable_width())),
        ("constraints", TensorElementType::Float32, Some(features.constraint_width())),
        ("edges", TensorElementType::Int64, None),
        ("coefficients", TensorElementType::Float32, Some(1)),
    ]
}

/// The model's output.
const OUTPUT: &str = "probabilities";

/// Its output about the bits of general integers, which may be missing.
const BITS: &str = "bits";

/// The name of the output that says which probabilities are to be trusted, if there is one.
const SELECTION: &str = "selection";

/// No network for this job is this large; a file that is has been mistaken for one.
const LARGEST_FILE: u64 = 1 << 28;

/// Seconds that a network may take for the smallest problem. On a GPU it may be compiled first.
fn longest_probe(device: &str) -> f64 {
    if device == "cpu" { 3.0 } else { 600.0 }
}

/// A loaded model.
struct Loaded {
    session: Mutex<Session>,
    device: String,
    features: Features,
    bits: usize,
    family: Option<String>,
    schedule: Option<Recommended>,
    remarks: Vec<String>,
}

/// Solves the LP relaxation of a question's problem.
pub type Relax<'a> = Box<dyn FnMut(&Question<'_>) -> Result<Relaxed> + 'a>;

/// The network in a model file.
pub struct Onnx<'a> {
    path: PathBuf,
    loaded: Arc<Loaded>,
    /// Whom a model that sees the LP relaxation asks for it; by default it is solved from scratch.
    relax: Option<Relax<'a>>,
}

/// A file as it was when it was loaded: one that changes is loaded again.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    path: PathBuf,
    changed: Option<SystemTime>,
    device: Device,
    threads: usize,
}

static LOADED: Mutex<Option<HashMap<Key, Arc<Loaded>>>> = Mutex::new(None);

impl<'a> Onnx<'a> {
    /// Loads a model file, or takes it from those that are loaded already.
    pub fn load(path: &str, device: Device, threads: usize) -> Result<Onnx<'a>> {
        if path.is_empty() {
            let why = "no model file is named, and the predictor 'onnx' needs one".to_string();
            return Err(Error::Setting { name: "model".to_string(), why });
        }
        let path = PathBuf::from(path);
        let about = models::check_file(&path)?;
        let absolute = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        let key = Key { path: absolute, changed: about.modified().ok(), device, threads };
        let mut all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all.get_or_insert_default();
        let loaded = match all.get(&key) {
            Some(loaded) => loaded.clone(),
            None => {
                let loaded = Arc::new(Loaded::open(&path, device, threads)?);
                all.insert(key, loaded.clone());
                loaded
            }
        };
        Ok(Onnx { path, loaded, relax: None })
    }

    /// The same with somebody who knows a quicker way to the LP relaxation.
    pub fn with_relaxation(self, relax: Relax<'a>) -> Onnx<'a> {
        Onnx { relax: Some(relax), ..self }
    }

    /// What it sees at each node.
    pub fn features(&self) -> Features {
        self.loaded.features
    }

    /// The probability of 1 for each variable of a problem. A model that sees the LP relaxation must be
    /// given it; without, it is told that nobody knows.
    pub fn probabilities(&self, problem: &Problem, relaxed: Option<&Relaxed>) -> Result<Vec<f64>> {
        Ok(self.answer(problem, relaxed, f64::INFINITY)?.probability)
    }

    fn answer(&self, problem: &Problem, relaxed: Option<&Relaxed>, seconds: f64) -> Result<Prediction> {
        let graph = Graph::with_features(problem, self.features(), relaxed);
        let mut session = self.loaded.session.lock().unwrap_or_else(PoisonError::into_inner);
        infer(&mut session, &graph, seconds)
            .map_err(|error| Error::Model { path: self.path.clone(), why: sentence(error) })
    }

    /// How many bits of general integers it predicts: 0 for none.
    pub fn bits(&self) -> usize {
        self.loaded.bits
    }

    /// The relaxation for a model that sees it; none if it cannot be had, with which it goes on.
    fn relaxed(&mut self, question: &Question<'_>) -> Option<Relaxed> {
        if !self.features().has_relaxation() {
            return None;
        }
        let relaxed = match &mut self.relax {
            Some(relax) => relax(question).map(Some),
            None => scip::relax(&question.reduced.problem, question.seconds, || false),
        };
        relaxed.unwrap_or_else(|error| {
            log::debug!("the network goes without the LP relaxation: {error}");
            None
        })
    }

    /// The family of problems that the model was trained on, if it says so.
    pub fn family(&self) -> Option<&str> {
        self.loaded.family.as_deref()
    }

    /// The schedule that suits the model, if it says so.
    pub fn schedule(&self) -> Option<&Recommended> {
        self.loaded.schedule.as_ref()
    }

    /// What a user should know about how it was loaded: a device that could not be had, and why.
    pub fn remarks(&self) -> &[String] {
        &self.loaded.remarks
    }
}

impl Predictor for Onnx<'_> {
    fn name(&self) -> String {
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        format!("onnx {file} on {}", self.loaded.device)
    }

    /// What ONNX Runtime says, not what was asked for.
    fn device(&self) -> String {
        self.loaded.device.clone()
    }

    fn predict(&mut self, question: &Question<'_>) -> Result<Prediction> {
        let relaxed = self.relaxed(question);
        // Late is better than never: an answer that is on its way is waited for.
        let seconds = question.seconds + longest_probe(&self.loaded.device);
        self.answer(&question.reduced.problem, relaxed.as_ref(), seconds)
    }
}

/// ONNX Runtime's messages run over many lines: the first says it.
fn sentence(error: impl std::fmt::Display) -> String {
    error.to_string().lines().next().unwrap_or("unknown error").to_string()
}

/// Runs the network on a graph, for so many seconds: a file may have a loop without an end in it.
fn infer(session: &mut Session, graph: &Graph, seconds: f64) -> ort::Result<Prediction> {
    let edges = [graph.edge_constraint.as_slice(), graph.edge_variable.as_slice()].concat();
    let inputs = ort::inputs![
        "variables" => table(graph.variables, &graph.variable_features, graph.features.variable_width())?,
        "constraints" => table(graph.constraints, &graph.constraint_features, graph.features.constraint_width())?,
        "edges" => Tensor::from_array(([2, graph.edge_constraint.len()], edges))?,
        "coefficients" => Tensor::from_array(([graph.edge_coefficient.len(), 1], graph.edge_coefficient.clone()))?,
    ];
    let options = RunOptions::new()?;
    let (done, waiting) = mpsc::channel::<()>();
    let outputs = std::thread::scope(|scope| {
        if let Ok(time) = Duration::try_from_secs_f64(seconds) {
            let options = &options;
            scope.spawn(move || {
                if waiting.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                    let _ = options.terminate(); // if that fails, waiting is all that is left
                }
            });
        }
        let outputs = session.run_with_options(inputs, &options);
        drop(done);
        outputs
    })?;
    let doubles = |numbers: &[f32]| numbers.iter().copied().map(f64::from).collect();
    let probability = doubles(outputs[OUTPUT].try_extract_tensor::<f32>()?.1);
    let mut bits = None;
    if let Some(output) = outputs.get(BITS) {
        let (shape, numbers) = output.try_extract_tensor::<f32>()?;
        let width = shape.last().map_or(0, |&width| usize::try_from(width).unwrap_or(0));
        bits = Some(Bits { width, probability: doubles(numbers) });
    }
    let mut selection = None;
    if let Some(output) = outputs.get(SELECTION) {
        selection = Some(doubles(output.try_extract_tensor::<f32>()?.1));
    }
    Ok(Prediction { probability, bits, selection })
}

fn table(rows: usize, numbers: &[f32], width: usize) -> ort::Result<Tensor<f32>> {
    Tensor::from_array(([rows, width], numbers.to_vec()))
}

impl Loaded {
    fn open(path: &Path, device: Device, threads: usize) -> Result<Loaded> {
        let refuse = |why: String| Error::Model { path: path.to_path_buf(), why };
        // What ONNX Runtime would do with these is not left to it.
        let bytes = fs::read(path).map_err(|error| refuse(format!("cannot be read ({error})")))?;
        let model = file::read(&bytes).ok_or_else(|| refuse("is no whole ONNX file".into()))?;
        if let Some(table) = model.outside() {
            return Err(refuse(format!("keeps '{table}' in another file: a model is one file")));
        }
        drop((bytes, model));
        let runtime = runtime::find()?;
        let device::Opened { mut session, device, mut remarks } =
            device::open(&runtime.environment, path, device, threads)
                .map_err(|error| refuse(format!("ONNX Runtime cannot load it ({})", sentence(error))))?;
        let features = check_contract(&session).map_err(refuse)?;
        let graph = Graph::with_features(&probe(), features, Some(&probe_relaxed()));
        let probe = infer(&mut session, &graph, longest_probe(&device))
            .map_err(|error| refuse(format!("does not run ({})", sentence(error))))?;
        let Prediction { probability, bits, selection } = probe;
        let (columns, is_none) = (probe_columns(), |p: &f64| !(0.0..=1.0).contains(p));
        if probability.len() != columns || probability.iter().any(is_none) {
            return Err(refuse(format!(
                "answers {probability:?} for a problem of {columns} variables: not one probability each"
            )));
        }
        if let Some(selection) = selection.filter(|all| all.len() != columns || all.iter().any(is_none)) {
            return Err(refuse(format!(
                "has the selection {selection:?} for a problem of {columns} variables: not one number from 0 to 1 each"
            )));
        }
        let bits = match bits {
            None => 0,
            Some(Bits { width, probability }) => {
                let whole = (1..=bits::MOST).contains(&width) && probability.len() == columns * width;
                if !whole || probability.iter().any(is_none) {
                    return Err(refuse(format!(
                        "has bits {probability:?} for a problem of {columns} variables: not 1 to {} probabilities each",
                        bits::MOST
                    )));
                }
                width
            }
        };
        log::debug!("{} loaded with {} on {device}", path.display(), runtime.path.display());
        let entry = |key: &str| session.metadata().ok().and_then(|metadata| metadata.custom(key));
        let (family, mut schedule) = (entry("family"), None);
        if let Some(json) = entry("schedule") {
            match Recommended::parse(&json) {
                Ok(recommended) => schedule = Some(recommended),
                Err(why) => {
                    let path = path.display();
                    remarks.push(format!("model {path}: its schedule is no good ({why}) and is ignored"));
                }
            }
        }
        Ok(Loaded { session: Mutex::new(session), device, features, bits, family, schedule, remarks })
    }
}

/// The smallest problem with everything in it: a model that cannot answer it cannot answer any.
fn probe() -> Problem {
    let mut problem = Problem::default();
    problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
    problem.add_column(-2.0, 0.0, 1.0, Kind::Binary);
    problem.add_column(0.5, 0.0, 9.0, Kind::Continuous);
    problem.rows.push(1.0, [(0, 1.0), (1, 2.0)], f64::INFINITY);
    problem.rows.push(f64::NEG_INFINITY, [(1, -1.0), (2, 0.5)], 3.0);
    problem
}

fn probe_columns() -> usize {
    probe().columns()
}

/// Its LP relaxation, solved by hand: x₁ alone is worth having.
fn probe_relaxed() -> Relaxed {
    Relaxed::new(vec![0.0, 1.0, 0.0], vec![1.0, -2.0, 0.5], -2.0)
}

/// The contract: names, element types, widths, and the version of the features, which it returns.
fn check_contract(session: &Session) -> std::result::Result<Features, String> {
    let metadata =
        session.metadata().map_err(|error| format!("has no readable metadata ({})", sentence(error)))?;
    let entry = |key: &str| metadata.custom(key);
    let features = features_of(entry("features").as_deref())?;
    for (key, expected) in [
        ("variable_columns", features.variable_columns().join(",")),
        ("constraint_columns", features.constraint_columns().join(",")),
    ] {
        if entry(key).is_some_and(|columns| columns != expected) {
            return Err(format!("lists other {key} than features version {} has", features.version()));
        }
    }
    let inputs = inputs(features);
    for (name, element, width) in inputs {
        let outlet = named(session.inputs(), name).ok_or_else(|| format!("has no input '{name}'"))?;
        check_outlet(outlet, element, width)?;
    }
    if session.inputs().len() != inputs.len() {
        return Err(format!("has {} inputs instead of {}", session.inputs().len(), inputs.len()));
    }
    let output = named(session.outputs(), OUTPUT).ok_or_else(|| format!("has no output '{OUTPUT}'"))?;
    check_outlet(output, TensorElementType::Float32, None)?;
    if let Some(bits) = named(session.outputs(), BITS) {
        check_outlet(bits, TensorElementType::Float32, None)?;
    }
    Ok(features)
}

/// The version of the features that a model's metadata names.
fn features_of(entry: Option<&str>) -> std::result::Result<Features, String> {
    let Some(version) = entry else {
        return Err(
            "has no 'features' entry in its metadata: it was not made for Apollo (docs/MODELS.md)".into()
        );
    };
    version.parse().ok().and_then(Features::of_version).ok_or_else(|| {
        let known = Features::ALL.map(|features| features.version().to_string()).join(" and ");
        format!(
            "was made for features version {version}, and this Apollo knows {known}: use a model and a plugin of the same release"
        )
    })
}

fn named<'a>(outlets: &'a [Outlet], name: &str) -> Option<&'a Outlet> {
    outlets.iter().find(|outlet| outlet.name() == name)
}

fn check_outlet(
    outlet: &Outlet,
    element: TensorElementType,
    width: Option<usize>,
) -> std::result::Result<(), String> {
    let name = outlet.name();
    if outlet.dtype().tensor_type() != Some(element) {
        return Err(format!("has '{name}' of another type than {element:?}"));
    }
    // A dimension below 0 is left open.
    let last = outlet.dtype().tensor_shape().and_then(|shape| shape.last().copied());
    match (last, width) {
        (Some(last), Some(width)) if last >= 0 && last != width as i64 => {
            Err(format!("has '{name}' of width {last} instead of {width}"))
        }
        _ => Ok(()),
    }
}
