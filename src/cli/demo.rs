//! `apollo demo`: the same problem with plain SCIP and with Apollo, side by side. Whatever comes out
//! is shown.

use super::Done;
use apollo_scip::instances::{self, mps};
use apollo_scip::measure::{self, Outcome, Task};
use apollo_scip::plot::{self, Curve};
use apollo_scip::{Error, Result};
use std::path::{Path, PathBuf};

/// Solve an example with plain SCIP and with Apollo, side by side, with a plot
#[derive(clap::Args)]
pub struct Arguments {
    /// Where the instance, the plot and the outcomes go
    #[arg(long, default_value = "demo", value_name = "FOLDER")]
    out: PathBuf,
    /// Time limit for each of the two runs, in seconds
    #[arg(long, default_value_t = 45.0, value_name = "SECONDS")]
    time: f64,
    /// The instance: a file of your own instead of a generated one
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Seed of the generated instance
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

const FAMILY: &str = "ip";

/// Runs both and shows both.
pub fn run(arguments: &Arguments) -> Done {
    let folder = &arguments.out;
    std::fs::create_dir_all(folder)
        .map_err(|error| Error::File { path: folder.clone(), why: error.to_string() })?;
    let file = match &arguments.file {
        Some(file) => file.clone(),
        None => make_instance(folder, arguments.seed)?,
    };
    println!("{} with a limit of {} s, one thread:\n", file.display(), arguments.time);
    let plain = one(arguments, &file, "SCIP", vec![])?;
    let apollo = one(arguments, &file, "SCIP + Apollo", primal_first())?;
    table(&plain, &apollo);

    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let title = format!("{name}: best objective over time");
    let picture = folder.join("primal-bound");
    let curves = [
        Curve { name: "SCIP", steps: &plain.trajectory },
        Curve { name: "SCIP + Apollo", steps: &apollo.trajectory },
    ];
    plot::primal_bounds(&picture, &title, arguments.time, &curves)?;
    let json = folder.join("outcomes.json");
    let outcomes =
        serde_json::json!({ "file": name, "limit": arguments.time, "scip": plain, "apollo": apollo });
    let text = serde_json::to_string_pretty(&outcomes).expect("plain numbers and texts");
    std::fs::write(&json, text)
        .map_err(|error| Error::File { path: json.clone(), why: error.to_string() })?;
    println!("\nthe plot is {0}.svg and {0}.png, all numbers are in {1}", picture.display(), json.display());
    Ok(true)
}

/// Nearly all of the time for the primal side, as in the paper: both runs are about solutions here.
fn primal_first() -> Vec<(String, String)> {
    [("budget/share", "0.9"), ("budget/effort", "1e20")]
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec()
}

fn make_instance(folder: &Path, seed: u64) -> Result<PathBuf> {
    let failed = |path: &Path, why: String| Error::File { path: path.to_path_buf(), why };
    let named =
        instances::generate(FAMILY, &[], seed, 0).map_err(|error| failed(folder, error.to_string()))?;
    let path = folder.join(format!("{}.mps.gz", named.name));
    mps::write(&named, &path).map_err(|error| failed(&path, error.to_string()))?;
    Ok(path)
}

fn one(arguments: &Arguments, file: &Path, name: &str, parameters: Vec<(String, String)>) -> Result<Outcome> {
    println!("  {name} …");
    let apollo = !parameters.is_empty();
    let mut task = Task { file: file.to_path_buf(), apollo, parameters, ..Task::default() };
    task.parameters.push(("limits/time".to_string(), arguments.time.to_string()));
    measure::solve(&task, |_, _| {})
}

fn table(plain: &Outcome, apollo: &Outcome) {
    // Both runs against the better of them.
    let best = match (plain.objective, apollo.objective) {
        (Some(a), Some(b)) => {
            let maximise =
                plain.bound.zip(plain.objective).is_some_and(|(bound, objective)| bound > objective);
            Some(if maximise { a.max(b) } else { a.min(b) })
        }
        (a, b) => a.or(b),
    };
    let number = |value: Option<f64>| value.map_or("none".to_string(), |value| format!("{value:.4}"));
    let first = |outcome: &Outcome| {
        let reached = |step: &&(f64, f64)| best.is_some_and(|best| measure::primal_gap(step.1, best) <= 0.1);
        outcome.trajectory.iter().find(reached).map_or("never".to_string(), |step| format!("{:.1} s", step.0))
    };
    let integral = |outcome: &Outcome| measure::primal_integral(&outcome.trajectory, best, outcome.time);
    println!("\n  {:<34}{:>16}{:>16}", "", "SCIP", "SCIP + Apollo");
    println!("  {:<34}{:>16}{:>16}", "best objective", number(plain.objective), number(apollo.objective));
    println!("  {:<34}{:>16}{:>16}", "bound", number(plain.bound), number(apollo.bound));
    println!("  {:<34}{:>16}{:>16}", "within 10 % of the better one after", first(plain), first(apollo));
    println!(
        "  {:<34}{:>16.4}{:>16.4}",
        "primal integral (less is better)",
        integral(plain),
        integral(apollo)
    );
    println!("  {:<34}{:>16}{:>16}", "status", plain.status, apollo.status);
    println!("  {:<34}{:>15.1}s{:>15.1}s", "time", plain.time, apollo.time);
}
