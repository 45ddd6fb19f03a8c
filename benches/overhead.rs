//! What Apollo costs besides the search itself: reading the problem, predicting, copying; and what it
//! costs when its budget is 0. `cargo bench --bench overhead` prints the tables of docs/OVERHEAD.md;
//! `cargo bench --bench overhead -- budget` only the last part.
//!
//! Not a test: a busy machine makes every figure worse.

use apollo_scip::instances::{self, mps};
use apollo_scip::measure::{self, Outcome, Task};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[path = "../tests/onnx_file.rs"]
#[allow(dead_code)]
mod onnx_file;

fn main() {
    let folder = std::env::temp_dir().join("apollo-overhead");
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    if std::env::args().any(|argument| argument == "budget") {
        return no_budget(&folder);
    }
    let model = folder.join("small.onnx");
    onnx_file::write(&onnx_file::cheap_is_one(), &model);
    let model = model.to_str().expect("a plain path");

    println!("## Everything that is not search, per run of four rounds\n");
    println!(
        "| instance | nonzeros | predictor | read (ms) | predict, all rounds (ms) | copy, all rounds (ms) | sum (ms) | peak memory (MB) |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut files = vec![generated(&folder, "ca", &[]), generated(&folder, "ip", &[])];
    let public =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/instances/wa/load_balancing_9900.mps.gz");
    files.push(if public.is_file() { public } else { generated(&folder, "wa", &[]) });
    for file in &files {
        row(file, "relaxation", &[("timing", "after")]);
        row(file, "onnx", &[("model", model)]);
    }

    println!("\n## Growth with the number of nonzeros (set covering, ONNX predictor)\n");
    println!(
        "| instance | nonzeros | predictor | read (ms) | predict, all rounds (ms) | copy, all rounds (ms) | sum (ms) | peak memory (MB) |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (rows, columns) in [("400", "500"), ("1250", "1600"), ("2800", "3600"), ("5700", "7020")] {
        let file = generated(&folder, "sc", &[("rows", rows), ("columns", columns)]);
        row(&file, "onnx", &[("model", model)]);
    }

    println!("\n## A budget of 0\n");
    no_budget(&folder);
}

fn generated(folder: &Path, family: &str, options: &[(&str, &str)]) -> PathBuf {
    let named = instances::generate(family, options, 1, 0).expect("valid options");
    let size: Vec<&str> = options.iter().map(|option| option.1).collect();
    let name = if size.is_empty() { family.to_string() } else { format!("{family}-{}", size.join("x")) };
    let path = folder.join(format!("{name}.mps.gz"));
    mps::write(&named, &path).expect("the file is written");
    path
}

/// One run of four rounds of a few seconds each: its parts, without the searches.
fn row(file: &Path, predictor: &str, parameters: &[(&str, &str)]) {
    // Linux resets the peak of the process when 5 is written here; elsewhere there is no figure.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let outcome = solve(
        file,
        true,
        &[
            parameters,
            &[
                ("budget/share", "1"),
                ("budget/effort", "1e20"),
                ("budget/seconds", "16"),
                ("limits/time", "26"),
            ],
        ]
        .concat(),
    );
    let sum = |part: fn(&apollo_scip::search::RoundReport) -> f64| -> f64 {
        1000.0 * outcome.rounds.iter().map(part).sum::<f64>()
    };
    let read = 1000.0 * outcome.snapshot_seconds.unwrap_or(f64::NAN);
    let (predict, copy) = (sum(|round| round.predict_seconds), sum(|round| round.setup_seconds));
    println!(
        "| {} | {} | {predictor} | {read:.0} | {predict:.0} | {copy:.0} | {:.0} | {} |",
        file.file_name().unwrap_or_default().to_string_lossy(),
        nonzeros(file),
        read + predict + copy,
        peak_memory().map_or("-".to_string(), |megabytes| megabytes.to_string())
    );
}

fn nonzeros(file: &Path) -> usize {
    let model =
        measure::load(&Task { file: file.to_path_buf(), ..Task::default() }).expect("a readable file");
    apollo_scip::scip::read_problem(&model).expect("a linear problem").0.nonzeros()
}

fn solve(file: &Path, apollo: bool, parameters: &[(&str, &str)]) -> Outcome {
    let parameters = parameters.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let task = Task { file: file.to_path_buf(), apollo, parameters, ..Task::default() };
    measure::solve(&task, |_, _| {}).expect("a solve")
}

fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// Twenty small instances with plain SCIP and with Apollo at a budget of 0, interleaved, twenty times.
/// The work is the same to the last node (at most 50), so each side's shortest time is its own.
fn no_budget(folder: &Path) {
    const REPEATS: usize = 20;
    const NODES: (&str, &str) = ("limits/nodes", "50");
    let sizes = |k: u64| (["110", "120"][k as usize % 2], ["150", "160", "170"][k as usize % 3]);
    let files: Vec<PathBuf> = (0..20)
        .map(|k| {
            let (rows, columns) = sizes(k);
            let options = [("rows", rows), ("columns", columns)];
            let named = instances::generate("sc", &options, 9, k).expect("valid options");
            let path = folder.join(format!("small-{k}.mps.gz"));
            mps::write(&named, &path).expect("the file is written");
            path
        })
        .collect();
    let (mut plain_sum, mut apollo_sum, mut ratios) = (0.0, 0.0, vec![]);
    for file in &files {
        let (mut plain, mut apollo) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..REPEATS {
            plain = plain.min(seconds(|| solve(file, false, &[NODES])));
            apollo = apollo.min(seconds(|| solve(file, true, &[NODES, ("budget/share", "0")])));
        }
        plain_sum += plain;
        apollo_sum += apollo;
        ratios.push(apollo / plain);
    }
    ratios.sort_by(f64::total_cmp);
    println!(
        "20 instances, the shortest of {REPEATS} runs each: SCIP {plain_sum:.3} s, SCIP with Apollo at budget 0 {apollo_sum:.3} s, ratio {:.4} (median {:.4}, from {:.4} to {:.4})",
        apollo_sum / plain_sum,
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1]
    );
}

fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}
