//! `apollo data`: what is in a folder of training data, and copies of it for other uses.

use super::{Done, relax, workers};
use apollo_scip::data::file::Instance;
use apollo_scip::data::{export, info, relaxations};
use apollo_scip::graph::Features;
use apollo_scip::{Error, Result, plot};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

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
  apollo data export data/train --out export/train --features 2

Version 2 of the features has the LP relaxation, which is solved first (`apollo data relax`). The arrays of each file have the names, types and shapes of docs/MODELS.md, and the labels.")]
    Export {
        /// Folder with .npz files, also in folders of its own
        folder: PathBuf,
        /// Folder for the files
        #[arg(long, value_name = "FOLDER")]
        out: PathBuf,
        /// Version of the features: 1, or 2 with the LP relaxation
        #[arg(long, value_name = "VERSION", default_value_t = 1)]
        features: u32,
        /// LPs solved side by side [default: the number of cores]
        #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
        jobs: Option<u16>,
    },
    /// Solve the LP relaxations of all instances, which features of version 2 take, and keep them
    #[command(after_help = "\
Example:
  apollo data relax data/train

They go into folders `relaxations` beside the files. What is there already is not solved again; a run
that was stopped goes on where it was.")]
    Relax {
        /// Folder with .npz files, also in folders of its own
        folder: PathBuf,
        /// LPs solved side by side [default: the number of cores]
        #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
        jobs: Option<u16>,
    },
}

/// Does it.
pub fn run(command: &Command) -> Done {
    match command {
        Command::Info { folder, plot } => tell(folder, plot.as_deref()),
        Command::Strip { folder, out } => copy(folder, out, |instance, _, path| {
            Instance { problem: None, ..instance }.write_new(path).map(|()| 1)
        }),
        Command::Export { folder, out, features, jobs } => write(folder, out, *features, *jobs),
        Command::Relax { folder, jobs } => {
            let stop = workers::listen_for_stop()?;
            relax::solve(&all(folder)?, jobs.map(usize::from), stop)
        }
    }
}

/// The files of a folder.
fn all(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(info::files(folder)?.into_iter().map(|name| folder.join(name)).collect())
}

fn write(folder: &Path, out: &Path, version: u32, jobs: Option<u16>) -> Done {
    let features = Features::try_from(version).map_err(|why| Error::Parameter {
        name: "--features".into(),
        value: version.to_string(),
        why,
    })?;
    let (mut solved, stop) = (true, workers::listen_for_stop()?);
    if features.has_relaxation() {
        solved = relax::solve(&all(folder)?, jobs.map(usize::from), stop)?;
    }
    let stopped = || stop.load(Ordering::SeqCst);
    let copied = copy(folder, out, |instance, source, path| {
        if stopped() {
            eprintln!("apollo: stopped; the same command writes all of it");
            std::process::exit(130);
        }
        let relaxed = match features.has_relaxation() {
            true => relaxations::load_or_solve(&instance, source, stopped)?,
            false => vec![],
        };
        export::write(&instance, features, &relaxed, path).map(|files| files.len())
    })?;
    Ok(solved && copied)
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

/// Reads every file and lets `write` make others of it (from the first path) under `out` (the second);
/// says how many. A file that fails
/// is named, and the others go on.
fn copy(folder: &Path, out: &Path, write: impl Fn(Instance, &Path, &Path) -> Result<usize>) -> Done {
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
        let source = folder.join(name);
        let made = Instance::read(&source).and_then(|instance| {
            let parent = path.parent().unwrap_or(out);
            std::fs::create_dir_all(parent).map_err(|error| {
                failed(parent, format!("cannot be made ({error}): name another folder with --out"))
            })?;
            write(instance, &source, &path)
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
