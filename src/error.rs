//! Every way this crate can fail, one sentence each: what happened, to which file or parameter, and
//! what to do about it. Inside a solve an error never travels further than a warning: the heuristic
//! steps aside and SCIP goes on.

use std::fmt;
use std::path::PathBuf;

/// What went wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A setting has a value that means nothing.
    Setting {
        /// Name of the setting, without `heuristics/apollo/`.
        name: String,
        /// Why its value is no good, and what would be.
        why: String,
    },
    /// A parameter of SCIP has a value that it cannot take.
    Parameter {
        /// Its full name.
        name: String,
        /// The value.
        value: String,
        /// Why it cannot take it.
        why: String,
    },
    /// A model file cannot be used.
    Model {
        /// The file.
        path: PathBuf,
        /// Why it cannot be used.
        why: String,
    },
    /// ONNX Runtime itself is missing or unusable.
    Runtime(String),
    /// The predictor gave no usable prediction.
    Prediction(String),
    /// A SCIP function returned an error code.
    Scip {
        /// The function.
        call: &'static str,
        /// SCIP's return code.
        code: i32,
    },
    /// The user's own SCIP returned an error code while it took a solution: the one kind of trouble
    /// that is passed on to it.
    MainScip {
        /// The function.
        call: &'static str,
        /// SCIP's return code.
        code: i32,
    },
    /// The SCIP in this process is not one the plugin knows.
    ScipVersion {
        /// Its major version.
        major: i32,
        /// Its minor version.
        minor: i32,
    },
    /// There is no SCIP in this process.
    NoScip,
    /// A file cannot be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// An instance cannot be made.
    Generate {
        /// The family.
        family: String,
        /// Why not.
        why: String,
    },
    /// No solutions could be collected for an instance.
    Lesson(String),
    /// Something cannot be measured as asked.
    Bench(String),
    /// A network that does not exist, or weights that do not fit it.
    Network(String),
    /// A panic was caught: a bug of this crate or of a predictor that was plugged in.
    Panic(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Setting { name, why } => write!(f, "setting heuristics/apollo/{name}: {why}"),
            Error::Parameter { name, value, why } => write!(f, "parameter {name} = {value}: {why}"),
            Error::Model { path, why } => write!(f, "model {}: {why}", path.display()),
            Error::Runtime(why) => write!(f, "ONNX Runtime: {why}"),
            Error::Prediction(why) => write!(f, "prediction: {why}"),
            Error::Scip { call, code } | Error::MainScip { call, code } => {
                write!(f, "{call} failed with SCIP return code {code}")
            }
            Error::ScipVersion { major, minor } => write!(
                f,
                "this plugin is for SCIP 10 and found SCIP {major}.{minor}: Apollo stays out, everything else works as before"
            ),
            Error::NoScip => {
                write!(f, "no SCIP library is loaded in this process: load SCIP (or import pyscipopt) first")
            }
            Error::File { path, why } => write!(f, "{}: {why}", path.display()),
            Error::Generate { family, why } => write!(f, "generate {family}: {why}"),
            Error::Lesson(why) | Error::Bench(why) => write!(f, "{why}"),
            Error::Network(why) => write!(f, "network: {why}"),
            Error::Panic(what) => {
                write!(f, "internal error ({what}): please report it; the solve goes on without Apollo")
            }
        }
    }
}

impl std::error::Error for Error {}

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;
