//! `apollo report`: the report of a measurement, drawn again from its runs, and two of them compared.

use super::Done;
use apollo_scip::Error;
use apollo_scip::bench::best_known::BestKnown;
use apollo_scip::bench::report::Report;
use apollo_scip::bench::{compare, tables};
use std::path::PathBuf;

/// Draw the report of a measurement again, or compare two
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  apollo report apollo-bench/main
  apollo report apollo-bench/main --best-known bench/best_known.json
  apollo report new --against old              into new/compare.md")]
pub struct Arguments {
    /// Folder that `apollo bench` has filled
    folder: PathBuf,
    /// Compare with this folder instead of drawing
    #[arg(long, value_name = "FOLDER")]
    against: Option<PathBuf>,
    /// Best known objectives: those that are better than what was known at the time count
    #[arg(long, value_name = "FILE")]
    best_known: Option<PathBuf>,
}

/// Draws, or compares.
pub fn run(arguments: &Arguments) -> Done {
    let known = arguments.best_known.as_deref().map(BestKnown::read).transpose()?;
    let report = Report::read(&arguments.folder, known.as_ref())?;
    if report.runs.is_empty() {
        let why = "has no runs yet".to_string();
        return Err(Error::File { path: arguments.folder.clone(), why });
    }
    if let Some(old) = &arguments.against {
        let text = compare::markdown(&report, &Report::read(old, None)?);
        let path = arguments.folder.join("compare.md");
        std::fs::write(&path, &text)
            .map_err(|error| Error::File { path: path.clone(), why: error.to_string() })?;
        print!("{text}");
        return Ok(true);
    }
    report.write()?;
    print!("{}", tables::terminal(&report));
    println!("\nthe report is {}", arguments.folder.join("report.html").display());
    Ok(true)
}
