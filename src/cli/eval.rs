//! `apollo eval`: how good predictors are on training data.
//!
//! Every instance is measured in a process of its own, as `apollo collect` does it: an LP that never
//! ends goes with Ctrl-C, and one that crashes is one sentence.

use super::Done;
use super::workers::{self, Workers};
use apollo_scip::bench::machine;
use apollo_scip::data::file::{self, Contents, Instance};
use apollo_scip::data::{self, info, pool};
use apollo_scip::evaluation::report::{self, Group};
use apollo_scip::evaluation::table::{self, Style};
use apollo_scip::evaluation::{self, Candidate, Named, Record};
use apollo_scip::measure::Versions;
use apollo_scip::onnx::{Onnx, models};
use apollo_scip::settings::Device;
use apollo_scip::teach::collect::source_hash;
use apollo_scip::{Error, Result, quality};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Measure how good predictors are on training data
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  apollo eval ca.onnx data/ca/test
  apollo eval new.onnx old.onnx data/ca/test --json eval.json --plot figures
  apollo eval relaxation data                       without a model

What is a folder, or ends in .npz, is data; everything else is a model. docs/EVALUATION.md explains
every line of the table.")]
pub struct Arguments {
    /// Models (.onnx files, or the words of --references) and folders of training data
    #[arg(required = true, value_name = "MODEL|DATA")]
    what: Vec<PathBuf>,
    /// One more model
    #[arg(long = "model", value_name = "MODEL")]
    models: Vec<String>,
    /// What the models are compared with; `none` for nothing
    #[arg(
        long,
        value_name = "WORDS",
        value_delimiter = ',',
        default_value = "relaxation,constant,pool",
        value_parser = ["relaxation", "constant", "pool", "none"],
    )]
    references: Vec<String>,
    /// Instances side by side [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Write everything, also the numbers of each instance, as JSON; `-` prints it instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The table as Markdown
    #[arg(long)]
    markdown: bool,
    /// Folder for plots: reliability, and precision over coverage
    #[arg(long, value_name = "FOLDER")]
    plot: Option<PathBuf>,
    /// One file, in this process: how the command calls itself
    #[arg(long, hide = true)]
    worker: bool,
}

/// Measures and tells.
pub fn run(arguments: &Arguments) -> Done {
    if arguments.worker {
        machine::end_with_parent();
        let instance = Instance::read(&arguments.what[0])?;
        let mut predictors = arguments.predictors(&arguments.models)?;
        let record = evaluation::examine(&instance, &arguments.what[0], &mut predictors)?;
        workers::answer(&serde_json::to_string(&record).expect("plain numbers and texts"));
        return Ok(true);
    }
    manage(arguments)
}

impl Arguments {
    /// Data and models among what was named.
    fn sort(&self) -> (Vec<&Path>, Vec<String>) {
        let is_data = |path: &&PathBuf| path.is_dir() || path.extension().is_some_and(|end| end == "npz");
        let (data, models): (Vec<&PathBuf>, Vec<&PathBuf>) = self.what.iter().partition(is_data);
        let models = models.into_iter().map(|path| path.to_string_lossy().into_owned());
        (
            data.into_iter().map(PathBuf::as_path).collect(),
            models.chain(self.models.iter().cloned()).collect(),
        )
    }

    /// The models, then the references that are not among them.
    fn predictors(&self, models: &[String]) -> Result<Vec<Named>> {
        let names = short_names(models);
        let mut predictors = vec![];
        for (model, name) in models.iter().zip(names) {
            let candidate = match Candidate::reference(model) {
                Some(candidate) => candidate,
                None => {
                    let file = models::find(model)?;
                    Candidate::Model(Box::new(Onnx::load(&file.to_string_lossy(), Device::Cpu, 1)?))
                }
            };
            predictors.push(Named { name, candidate });
        }
        for word in &self.references {
            if let Some(candidate) = Candidate::reference(word).filter(|_| !models.contains(word)) {
                predictors.push(Named { name: word.clone(), candidate });
            }
        }
        Ok(predictors)
    }

    /// The command line of a worker for this file.
    fn worker(&self, models: &[String], file: &Path) -> Result<Command> {
        let mut command = Command::new(workers::own_program()?);
        command.arg("eval").arg(file).arg("--worker");
        command.arg(format!("--references={}", self.references.join(",")));
        command.args(models.iter().map(|model| format!("--model={model}")));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command)
    }
}

/// What each model is called in the table: its file's name, or all of it where two have the same.
fn short_names(models: &[String]) -> Vec<String> {
    let short = |model: &String| {
        let name = Path::new(model).file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_else(|| model.clone())
    };
    let all: Vec<String> = models.iter().map(short).collect();
    let once = |name: &String| all.iter().filter(|other| *other == name).count() == 1;
    models.iter().zip(&all).map(|(model, name)| if once(name) { name } else { model }.clone()).collect()
}

/// Everything, for programs.
#[derive(Serialize)]
struct Report<'a> {
    versions: Versions,
    conditions: Conditions,
    predictors: Vec<About>,
    groups: &'a [Group],
    instances: &'a [Record],
}

/// What the numbers depend on.
#[derive(Serialize)]
struct Conditions {
    data: Vec<PathBuf>,
    temperature: f64,
    clip: f64,
    bins: usize,
    coverages: Vec<f64>,
    device: &'static str,
    threads: usize,
}

/// A predictor.
#[derive(Serialize)]
struct About {
    name: String,
    model: Option<String>,
    sha256: Option<String>,
    family: Option<String>,
    /// The version of the features that it sees.
    features: Option<u32>,
}

/// Finds what is to be measured, has it measured, and tells.
fn manage(arguments: &Arguments) -> Done {
    let (data, models) = arguments.sort();
    if data.is_empty() {
        let path = arguments.what.last().cloned().unwrap_or_default();
        let why = "is no folder and no .npz file, and no data is named: name a folder of training data";
        return Err(Error::File { path, why: why.to_string() });
    }
    if let Some(twice) = models.iter().enumerate().find(|(k, model)| models[..*k].contains(model)) {
        let why = "is named twice: once is enough".to_string();
        return Err(Error::File { path: twice.1.into(), why });
    }
    let predictors = arguments.predictors(&models)?;
    if predictors.is_empty() {
        return Err(Error::Lesson("no model and no reference is named: there is nothing to measure".into()));
    }
    // Before the work, not after it.
    if let Some(folder) = &arguments.plot {
        let failed = |error: std::io::Error| Error::File { path: folder.clone(), why: error.to_string() };
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    if let Some(parent) = arguments.json.as_deref().and_then(Path::parent)
        && !(parent == Path::new("") || parent.is_dir())
    {
        let why = "there is no such folder for the JSON file: make it, or name another".to_string();
        return Err(Error::File { path: parent.into(), why });
    }
    let (files, families, mut problems) = readable(&data)?;
    warn_of_other_families(&predictors, &families);

    let stop = workers::listen_for_stop()?;
    let mut records: Vec<Record> = vec![];
    let workers = Workers { jobs: arguments.jobs.map(usize::from), stop };
    let command = |file: &Path| arguments.worker(&models, file);
    let finished = workers.run(&files, command, |file, answer| {
        let record = answer.and_then(|answer| {
            serde_json::from_str::<Record>(answer).map_err(|error| format!("{}: {error}", file.display()))
        });
        match record {
            Ok(record) => {
                let line = tell(&record, &predictors);
                records.push(record);
                line
            }
            Err(why) => {
                problems.push(why.clone());
                why
            }
        }
    })?;
    if !finished {
        eprintln!(
            "apollo: stopped; {} of {} instances were measured, and nothing is kept",
            records.len(),
            files.len()
        );
        std::process::exit(130);
    }
    if records.is_empty() {
        let last = problems.pop().unwrap_or_default();
        return Err(Error::Lesson(format!("no instance could be measured: {last}")));
    }
    // Workers end in any order; sums in another order differ in the last digit.
    records.sort_by(|a, b| (&a.family, &a.name, &a.hash).cmp(&(&b.family, &b.name, &b.hash)));
    let names: Vec<String> = predictors.iter().map(|one| one.name.clone()).collect();
    let groups = report::groups(&records, &names);
    show(arguments, &groups, &records)?;
    if let Some(path) = &arguments.json {
        let report = whole_report(&data, &models, &predictors, &groups, &records)?;
        let text = serde_json::to_string(&report).expect("plain numbers and texts") + "\n";
        match path.to_str() {
            Some("-") => print!("{text}"),
            _ => data::save(path, text.as_bytes())?,
        }
    }
    if !problems.is_empty() {
        eprintln!("apollo: {} failed:", problems.len());
        problems.iter().for_each(|problem| eprintln!("  {problem}"));
    }
    Ok(problems.is_empty())
}

/// The files that can be measured, their families, and why the others cannot.
fn readable(data: &[&Path]) -> Result<(Vec<PathBuf>, BTreeSet<String>, Vec<String>)> {
    let (mut files, mut families, mut problems) = (vec![], BTreeSet::new(), vec![]);
    for path in data {
        let found = match path.is_dir() {
            true => info::files(path)?.into_iter().map(|name| path.join(name)).collect(),
            false => vec![path.to_path_buf()],
        };
        for file in found {
            match file::contents(&file) {
                Ok(Contents { stripped: true, .. }) => problems.push(format!(
                    "{}: has no problem in it (stripped): evaluate the file that still has it",
                    file.display()
                )),
                Ok(contents) => {
                    families.extend(contents.meta.family);
                    files.push(file);
                }
                Err(error) => problems.push(error.to_string()),
            }
        }
    }
    if files.is_empty() {
        let all = data.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        let first = problems.swap_remove(0);
        return Err(Error::File {
            path: all.into(),
            why: format!("has no file that can be measured: {first}"),
        });
    }
    Ok((files, families, problems))
}

/// A model knows what it was trained on; elsewhere it is measured all the same.
fn warn_of_other_families(predictors: &[Named], families: &BTreeSet<String>) {
    for Named { name, candidate } in predictors {
        let Candidate::Model(onnx) = candidate else { continue };
        let Some(own) = onnx.family() else { continue };
        let others: Vec<&str> = families.iter().map(String::as_str).filter(|family| *family != own).collect();
        if !others.is_empty() {
            eprintln!("apollo: {name} was trained on {own}, and is measured on {}", others.join(", "));
        }
    }
}

/// A line about one instance.
fn tell(record: &Record, predictors: &[Named]) -> String {
    let first = &record.examples[0];
    let auc = |one: &Named| first.quality.get(&one.name)?.auc.map(|auc| format!("{} {auc:.4}", one.name));
    let aucs: Vec<String> = predictors.iter().filter_map(auc).collect();
    let auc = if aucs.is_empty() { String::new() } else { format!(", AUC {}", aucs.join(", ")) };
    format!("{}: {} problems{auc}", record.name, record.examples.len())
}

/// The table and the plots.
fn show(arguments: &Arguments, groups: &[Group], records: &[Record]) -> Result<()> {
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let style = if arguments.markdown { Style::Markdown } else { Style::Text };
        print!("{}", table::tables(groups, style));
    }
    for (name, (times, why)) in report::missing(records) {
        eprintln!("apollo: {name} gave no answer on {times} problems: {why}");
    }
    let Some(folder) = &arguments.plot else { return Ok(()) };
    for group in groups {
        evaluation::plots::draw(folder, group)?;
    }
    eprintln!("apollo: plots are in {}", folder.display());
    Ok(())
}

fn whole_report<'a>(
    data: &[&Path],
    models: &[String],
    predictors: &[Named],
    groups: &'a [Group],
    instances: &'a [Record],
) -> Result<Report<'a>> {
    let about = |(k, Named { name, candidate }): (usize, &Named)| {
        let name = name.clone();
        match candidate {
            Candidate::Model(onnx) => About {
                name,
                model: models.get(k).cloned(),
                sha256: models::find(&models[k]).and_then(|file| source_hash(&file)).ok(),
                family: onnx.family().map(str::to_string),
                features: Some(onnx.features().version()),
            },
            _ => About { name, model: None, sha256: None, family: None, features: None },
        }
    };
    let coverage = |place: usize| (place + 1) as f64 / quality::COVERAGES as f64;
    Ok(Report {
        versions: Versions::here()?,
        conditions: Conditions {
            data: data.iter().map(|path| path.to_path_buf()).collect(),
            temperature: pool::TEMPERATURE,
            clip: quality::CLIP,
            bins: quality::BINS,
            coverages: (0..quality::COVERAGES).map(coverage).collect(),
            device: "cpu",
            threads: 1,
        },
        predictors: predictors.iter().enumerate().map(about).collect(),
        groups,
        instances,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_short_names_where_these_tell_them_apart() {
        let models = ["a/ca.onnx", "b/ca.onnx", "c/sc.onnx"].map(str::to_string);
        assert_eq!(short_names(&models), ["a/ca.onnx", "b/ca.onnx", "sc.onnx"]);
    }
}
