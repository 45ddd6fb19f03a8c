//! `apollo generate`: instances of a benchmark family.

use super::Done;
use apollo_scip::Error;
use apollo_scip::instances::{self, mps};
use std::path::PathBuf;

/// Make instances of a benchmark family
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  apollo generate ip --count 3 --seed 7 --out instances
  apollo generate ca --count 10 --out instances --set items=300 --set bids=1500
  apollo generate sc --options                 what can be set for this family

The same family, options, seed and number make the same file on every machine, whatever --count is.")]
pub struct Arguments {
    /// ca, ca-small, ca-large, sc, sc-large, ip, wa, uc or lot (docs/FAMILIES.md)
    family: String,
    /// How many
    #[arg(long, default_value_t = 1, value_name = "N")]
    count: u64,
    /// Number of the first one
    #[arg(long, default_value_t = 0, value_name = "K")]
    first: u64,
    /// Seed
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Folder for the files
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    out: PathBuf,
    /// Ending of the files
    #[arg(long, default_value = "mps.gz", value_parser = ["mps.gz", "mps"])]
    format: String,
    /// Set an option of the family
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = super::assignment)]
    options: Vec<(String, String)>,
    /// List the options of the family instead
    #[arg(long = "options")]
    list: bool,
}

/// Makes the files.
pub fn run(arguments: &Arguments) -> Done {
    let wrong = |why: String| Error::Generate { family: arguments.family.clone(), why };
    let family = instances::family(&arguments.family).map_err(|error| wrong(error.to_string()))?;
    if arguments.list {
        println!("{}: {}\n", family.name, family.description);
        for option in family.options {
            println!(
                "  {:<22} default {:<8} {}: {}",
                option.name,
                option.default,
                option.allowed(),
                option.help
            );
        }
        return Ok(true);
    }
    let failed =
        |path: &PathBuf, error: std::io::Error| Error::File { path: path.clone(), why: error.to_string() };
    std::fs::create_dir_all(&arguments.out).map_err(|error| failed(&arguments.out, error))?;
    let options: Vec<(&str, &str)> =
        arguments.options.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    for k in arguments.first..arguments.first.saturating_add(arguments.count) {
        let named = instances::generate(&arguments.family, &options, arguments.seed, k)
            .map_err(|e| wrong(e.to_string()))?;
        let path = arguments.out.join(format!("{}.{}", named.name, arguments.format));
        mps::write(&named, &path).map_err(|error| failed(&path, error))?;
        let problem = &named.problem;
        println!(
            "{}  {} rows, {} columns ({} binary), {} nonzeros",
            path.display(),
            problem.rows.len(),
            problem.columns(),
            problem.binaries().count(),
            problem.nonzeros()
        );
    }
    Ok(true)
}
