//! `apollo report`: the report of a measurement, drawn again from its runs.

use super::Done;
use apollo_scip::bench::report::Report;
use apollo_scip::bench::tables;
use std::path::PathBuf;

/// Draw the report of a measurement again, or compare two
#[derive(clap::Args)]
pub struct Arguments {
    /// Folder that `apollo bench` has filled
    folder: PathBuf,
}

/// Draws it.
pub fn run(arguments: &Arguments) -> Done {
    let report = Report::read(&arguments.folder, None)?;
    report.write()?;
    print!("{}", tables::terminal(&report));
    Ok(true)
}
