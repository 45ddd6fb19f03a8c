//! Where Apollo's time goes: round by round, and in the local search around them.

use super::report::Report;
use super::runs::Run;
use super::statistics::mean;
use super::tables::{Table, figure};
use crate::search::LocalReport;
use serde_json::Value;

/// The means over all runs of a strategy on a family, one row a round; none where it never ran.
pub fn table(report: &Report, family: &str, strategy: &str) -> Option<Table> {
    let own = |run: &&Run| run.family == family && run.strategy == strategy && !run.found.rounds.is_empty();
    let runs: Vec<&Run> = report.runs.iter().filter(own).collect();
    let rounds: Vec<&Value> = runs.iter().flat_map(|run| &run.found.rounds).collect();
    // A round may need several searches; each kind of step has its own row.
    let key = |round: &Value| {
        let step = round["step"].as_str().unwrap_or_default();
        (round["round"].as_u64().unwrap_or(0), step.to_string())
    };
    let mut keys: Vec<(u64, String)> = rounds.iter().map(|round| key(round)).collect();
    keys.sort();
    keys.dedup();
    let row = |(number, step): &(u64, String)| {
        let same: Vec<&&Value> =
            rounds.iter().filter(|round| key(round) == (*number, step.clone())).collect();
        let average =
            |name: &str| mean(&same.iter().filter_map(|round| round[name].as_f64()).collect::<Vec<_>>());
        let share = |fine: &dyn Fn(&Value) -> bool| {
            let count = same.iter().filter(|round| fine(round)).count();
            format!("{:.0} %", 100.0 * count as f64 / same.len() as f64)
        };
        vec![
            if step == "round" { number.to_string() } else { format!("{number} ({step})") },
            same.len().to_string(),
            format!("{:.0}", average("zeros") + average("ones")),
            format!("{:.0} of {:.0}", average("fixed"), average("fixed") + average("unfixed")),
            format!("{:.2}", average("predict_seconds")),
            format!("{:.2}", average("setup_seconds")),
            format!("{:.2}", average("search_seconds")),
            format!("{:.0}", average("nodes")),
            share(&|round| round["improved"] == true),
            share(&|round| !round["found"].is_null()),
        ]
    };
    let columns =
        ["round", "searches", "predicted", "fixed", "predict (s)", "copy (s)", "search (s)", "nodes"];
    let columns = columns.into_iter().chain(["improved", "found something"]);
    (!keys.is_empty()).then(|| Table {
        columns: columns.map(str::to_string).collect(),
        rows: keys.iter().map(row).collect(),
    })
}

/// The same for local search: what each part of it took and gained; none where there was none.
pub fn local(report: &Report, family: &str, strategy: &str) -> Option<Table> {
    let own = |run: &&Run| run.family == family && run.strategy == strategy;
    let runs: Vec<&Run> = report.runs.iter().filter(own).collect();
    let searched = |run: &&Run| run.found.opening.is_some() || run.found.local.is_some();
    if !runs.iter().any(searched) {
        return None;
    }
    let row = |name: &str, of: &dyn Fn(&LocalReport) -> (u64, f64, f64), parts: &dyn Fn(&Run) -> Parts| {
        let all: Vec<Vec<(u64, f64, f64)>> =
            runs.iter().map(|run| parts(run).iter().map(of).collect()).collect();
        let average = |number: &dyn Fn(&(u64, f64, f64)) -> f64| {
            // The sum of no floats is −0.
            mean(&all.iter().map(|parts| 0.0 + parts.iter().map(number).sum::<f64>()).collect::<Vec<_>>())
        };
        vec![
            name.to_string(),
            format!("{:.1}", average(&|part| part.0 as f64)),
            format!("{:.1}", average(&|part| part.1)),
            figure(average(&|part| part.2)),
        ]
    };
    let flips = |local: &LocalReport| (local.bursts, local.burst_seconds, local.burst_gain);
    let neighbourhoods =
        |local: &LocalReport| (local.neighbourhoods, local.neighbourhood_seconds, local.neighbourhood_gain);
    let before = |run: &Run| -> Parts { run.found.opening.iter().cloned().collect() };
    let beside = |run: &Run| -> Parts { run.found.local.iter().chain(&run.found.later).cloned().collect() };
    let both = |run: &Run| [before(run), beside(run)].concat();
    let columns = ["local search", "times", "seconds", "gain in the objective"];
    Some(Table {
        columns: columns.map(str::to_string).to_vec(),
        rows: vec![
            row("flips and exchanges before the root LP", &flips, &before),
            row("flips and exchanges later", &flips, &beside),
            row("neighbourhoods", &neighbourhoods, &both),
        ],
    })
}

/// What local search did in one run.
type Parts = Vec<LocalReport>;
