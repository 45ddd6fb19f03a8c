//! The command line.

mod bench;
mod collect;
mod data;
mod demo;
mod doctor;
mod eval;
mod generate;
mod predict;
mod progress;
mod relax;
mod report;
mod solve;
mod train;
mod workers;

use apollo_scip::bench::tables::number;
use apollo_scip::error::Result;
use apollo_scip::settings;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Apollo-MILP for SCIP: better solutions sooner on hard mixed-integer programs.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Try it:
  apollo demo                                   plain SCIP and SCIP with Apollo side by side
  apollo solve problem.mps.gz --time 60         one solve, with a summary
  apollo scip -s scip_settings/apollo.set -f x.mps    SCIP's own shell with Apollo inside
  apollo doctor                                 is everything in its place?"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Solve a problem with SCIP and Apollo, and say what was found when
    Solve(solve::Arguments),
    /// SCIP's own shell with Apollo inside; takes the arguments of `scip`
    #[command(disable_help_flag = true)]
    Scip {
        /// What `scip` takes, e.g. -s apollo.set -f problem.mps
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Predict the binaries of a problem without solving it
    Predict(predict::Arguments),
    /// Make instances of a benchmark family
    Generate(generate::Arguments),
    /// Look at training data: info, strip, export, relax
    #[command(subcommand)]
    Data(data::Command),
    /// Collect good solutions of instances as training data
    Collect(collect::Arguments),
    /// Measure how good predictors are on training data
    Eval(eval::Arguments),
    /// Train a network on training data, into a model file
    Train(train::Arguments),
    /// Measure strategies side by side on a suite of instances
    Bench(bench::Arguments),
    /// Draw the report of a measurement again, or compare two
    Report(report::Arguments),
    /// Solve an example with plain SCIP and with Apollo, side by side, with a plot
    Demo(demo::Arguments),
    /// Say which SCIP and ONNX Runtime are used, what is wrong, and how to mend it
    Doctor(doctor::Arguments),
    /// Print all parameters of the heuristic (docs/PARAMETERS.md)
    Parameters,
}

/// Parses, runs, and tells errors in one sentence.
pub fn main() -> ExitCode {
    sigpipe::reset(); // `apollo … | head` ends quietly
    let outcome = match Arguments::parse().command {
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Scip { arguments } => apollo_scip::scip::run_shell(&arguments).map(|()| true),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Data(command) => data::run(&command),
        Command::Collect(arguments) => collect::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Train(arguments) => train::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Demo(arguments) => demo::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Parameters => {
            print!("{}", settings::markdown());
            Ok(true)
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("apollo: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well, for the exit code; an error is told and fails too.
type Done = Result<bool>;

/// `name=value`, as `--set` takes it.
fn assignment(text: &str) -> std::result::Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err("write it as name=value".to_string()),
    }
}

/// A number greater than 0.
fn positive(text: &str) -> std::result::Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && *value > 0.0)
        .ok_or_else(|| "a number greater than 0 is wanted".to_string())
}

/// A number between 0 and 1.
fn share(text: &str) -> std::result::Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value| (0.0..=1.0).contains(value))
        .ok_or_else(|| "a number between 0 and 1 is wanted".to_string())
}
