//! `apollo predict`: the prediction of the first round, without a solve.

use super::Done;
use apollo_scip::bits::{Interval, Leading};
use apollo_scip::measure::{self, Task};
use apollo_scip::onnx::Onnx;
use apollo_scip::onnx::models::{self, Choice};
use apollo_scip::partial::PartialSolution;
use apollo_scip::prediction::{Predictor, Question};
use apollo_scip::problem::{Fixings, Kind, Problem};
use apollo_scip::scip::{self, Relaxation};
use apollo_scip::settings::Device;
use apollo_scip::{Error, Result};
use std::path::PathBuf;
use std::time::Instant;

/// Predict the binaries of a problem without solving it
#[derive(clap::Args)]
pub struct Arguments {
    /// The problem
    file: PathBuf,
    /// ONNX model file, the name of a shipped one, or `auto`; without it the LP relaxation predicts
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Where the network runs
    #[arg(long, default_value = "auto", value_parser = ["auto", "cpu", "cuda", "tensorrt"])]
    device: String,
    /// Threads for the network
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Show so many of the surest zeros and ones
    #[arg(long, default_value_t = 5)]
    top: usize,
    /// Print every probability as JSON: {"name": probability, …}
    #[arg(long)]
    json: bool,
}

/// Predicts and tells.
pub fn run(arguments: &Arguments) -> Done {
    let model = measure::load(&Task { file: arguments.file.clone(), ..Task::default() })?;
    let (problem, names) = scip::read_problem(&model)?;
    if problem.binaries().next().is_none() {
        return Err(Error::File {
            path: arguments.file.clone(),
            why: "has no binary variables: there is nothing to predict".to_string(),
        });
    }
    let mut predictor = predictor(arguments, &problem)?;
    let fixings = Fixings::new();
    let reduced = problem.reduce(&fixings);
    let began = Instant::now();
    let question = Question { reduced: &reduced, fixings: &fixings, seconds: f64::INFINITY };
    let prediction = predictor.predict(&question)?.checked(&reduced)?;
    let seconds = began.elapsed().as_secs_f64();

    let mut binaries: Vec<(usize, f64)> =
        problem.binaries().map(|j| (j, prediction.probability[j])).collect();
    if arguments.json {
        let all: serde_json::Map<String, serde_json::Value> =
            binaries.iter().map(|&(j, p)| (names[j].clone(), p.into())).collect();
        println!("{}", serde_json::to_string_pretty(&all).expect("plain numbers"));
        return Ok(true);
    }
    println!(
        "{} binaries of {} variables, {} rows, {} nonzeros; predictor {}, {seconds:.3} s",
        binaries.len(),
        problem.columns(),
        problem.rows.len(),
        problem.nonzeros(),
        predictor.name()
    );
    let mut tenths = [0usize; 10];
    for &(_, p) in &binaries {
        tenths[((p * 10.0) as usize).min(9)] += 1;
    }
    println!("\n  probability of 1   binaries");
    for (i, &count) in tenths.iter().enumerate() {
        let bar = "█".repeat((40 * count).div_ceil(binaries.len()));
        println!("  {:.1} … {:.1}        {count:>9}  {bar}", i as f64 / 10.0, (i + 1) as f64 / 10.0);
    }
    binaries.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let list = |title: &str, entries: &mut dyn Iterator<Item = &(usize, f64)>| {
        println!("\n  {title}");
        for &(j, p) in entries.take(arguments.top) {
            println!("    {:<32} {p:.6}", names[j]);
        }
    };
    list("surest zeros", &mut binaries.iter());
    list("surest ones", &mut binaries.iter().rev());
    if let Some(bits) = &prediction.bits {
        let integers: Vec<usize> =
            (0..problem.columns()).filter(|&j| problem.kind[j] == Kind::Integer).collect();
        let leading = |&j: &usize| {
            let bounds = Interval::of(problem.lower[j], problem.upper[j])?;
            Leading::predict(j, bounds, bits.row(j))
        };
        let sure: Vec<Leading> = integers.iter().filter_map(leading).collect();
        println!("\n  leading bits of {} of {} general integers are sure", sure.len(), integers.len());
        for one in &PartialSolution::default().with_leading(sure, arguments.top).leading {
            let Interval { lower, upper } = one.interval;
            println!("    {:<32} {lower} … {upper}, {:.6}", names[one.variable], one.confidence);
        }
    }
    Ok(true)
}

fn predictor(arguments: &Arguments, problem: &Problem) -> Result<Box<dyn Predictor>> {
    let relaxation = || Box::new(Relaxation::new(|| false));
    let Some(model) = &arguments.model else { return Ok(relaxation()) };
    let path = match models::choose(model, problem)? {
        Choice::Model { path, why } => {
            if let Some(why) = why {
                eprintln!("apollo: model auto: {why}");
            }
            path
        }
        Choice::Relaxation { why } => {
            eprintln!("apollo: model auto: the relaxation predictor, because {why}");
            return Ok(relaxation());
        }
    };
    let device = match arguments.device.as_str() {
        "cpu" => Device::Cpu,
        "cuda" => Device::Cuda,
        "tensorrt" => Device::TensorRt,
        _ => Device::Auto,
    };
    let onnx = Onnx::load(&path.to_string_lossy(), device, arguments.threads.into())?;
    for remark in onnx.remarks() {
        eprintln!("apollo: {remark}");
    }
    Ok(Box::new(onnx))
}
