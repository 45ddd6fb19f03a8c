//! `apollo data`: what is in a folder of training data, and copies of it for other uses.

use super::Done;
use apollo_scip::data::file::Instance;
use apollo_scip::data::{export, info};
use apollo_scip::{Error, Result, plot};
use std::path::{Path, PathBuf};

/// What to do with training data.
#[derive(clap::Subcommand)]
pub enum Command {
    /// How much there is and how good the labels are, with a plot of the spread of each pool
    #[command(after_help = "\
Examples:
  apollo data info data/train
  apollo data info data --plot figures/spread

Files that cannot be used are named, the others counted. docs/DATA.md explains every line.")]
    Info {
        /// Folder with .npz files, also in folders of its own
        folder: PathBuf,
        /// Where the plot goes, as .svg and .png [default: spread, in the folder]
        #[arg(long, value_name = "FILE")]
        plot: Option<PathBuf>,
    },
    /// Copies without what follows from the instances: small, for keeping
    Strip {
        /// Folder with .npz files, also in folders of its own
        folder: PathBuf,
        /// Folder for the copies
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
    },
    /// Each instance and each augmented one as a file of the inputs of a network and its targets
    #[command(after_help = "\
Example:
  apollo data export data/train --out export/train

The arrays of each file have the names, types and shapes of docs/MODELS.md, and the labels.")]
    Export {
        /// Folder with .npz files, also in folders of its own
        folder: PathBuf,
        /// Folder for the files
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
    },
}

/// Does it.
pub fn run(command: &Command) -> Done {
    match command {
        Command::Info { folder, plot } => tell(folder, plot.as_deref()),
        Command::Strip { folder, out } => copy(folder, out, |instance, path| {
            Instance { problem: None, ..instance }.write_new(path).map(|()| 1)
        }),
        Command::Export { folder, out } => {
            copy(folder, out, |instance, path| export::write(&instance, path).map(|files| files.len()))
        }
    }
}

fn tell(folder: &Path, plot: Option<&Path>) -> Done {
    let survey = info::survey(folder)?;
    print!("{}", survey.table());
    for error in &survey.bad {
        eprintln!("apollo: {error}");
    }
    if !survey.facts.is_empty() {
        let path = plot.map_or_else(|| folder.join("spread"), Path::to_path_buf);
        plot::spreads(&path, "Spread of the pools", &survey.bars())?;
        println!("plot                    {}", path.with_extension("svg").display());
    }
    Ok(survey.bad.is_empty())
}

/// Reads every file and lets `write` make others of it under `out`; says how many. A file that fails
/// is named, and the others go on.
fn copy(folder: &Path, out: &Path, write: impl Fn(Instance, &Path) -> Result<usize>) -> Done {
    let failed = |path: &Path, why: String| Error::File { path: path.into(), why };
    let names = info::files(folder)?;
    // What would be read again the next time must not be written there, through no link either.
    let place = |path: &Path| {
        let path = std::path::absolute(path).ok()?;
        path.ancestors().find_map(|nearest| nearest.canonicalize().ok())
    };
    if let (Some(from), Some(to)) = (place(folder), place(out))
        && to.starts_with(&from)
    {
        let why = format!("is in the folder that is read, {}: name another one with --out", folder.display());
        return Err(failed(out, why));
    }
    let (mut written, mut bad) = (0, 0);
    for name in &names {
        let path = out.join(name);
        let made = Instance::read(&folder.join(name)).and_then(|instance| {
            let parent = path.parent().unwrap_or(out);
            std::fs::create_dir_all(parent).map_err(|error| {
                failed(parent, format!("cannot be made ({error}): name another folder with --out"))
            })?;
            write(instance, &path)
        });
        match made {
            Ok(files) => written += files,
            Err(error) => {
                eprintln!("apollo: {error}");
                bad += 1;
            }
        }
    }
    println!("{}: {written} files from {} instances", out.display(), names.len() - bad);
    Ok(bad == 0)
}
