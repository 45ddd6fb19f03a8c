//! The results as CSV, for other programs: report.csv and summary.csv.

use super::metrics::gaps;
use super::report::Report;
use super::statistics::Estimate;
use crate::measure;

/// report.csv: one line a run.
pub fn runs(report: &Report) -> String {
    let mut text = "family,instance,strategy,seed,status,objective,objective_in_time,bound,best_known,gap_abs,gap_rel,primal_integral,time,nodes,wall,peak_memory_mb,predictor,remark\n".to_string();
    for run in &report.runs {
        let optional = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let (found, best) = (&run.found, report.analysis.best.get(&run.instance).copied());
        let gaps = run.objective_in_time().zip(best).map(|(own, (best, maximise))| gaps(own, best, maximise));
        let best = best.map(|best| best.0);
        let steps = if run.is_sound() { &found.trajectory[..] } else { &[] };
        let integral = best.map(|_| measure::primal_integral(steps, best, run.conditions.time));
        let cells = [
            run.family.clone(),
            run.instance.clone(),
            run.strategy.clone(),
            run.seed.to_string(),
            found.status.clone(),
            optional(found.objective),
            optional(run.objective_in_time()),
            optional(found.bound),
            optional(best),
            optional(gaps.map(|gaps| gaps.0)),
            optional(gaps.map(|gaps| gaps.1)),
            optional(integral),
            found.time.to_string(),
            found.nodes.to_string(),
            run.wall.to_string(),
            found.peak_memory.map_or(String::new(), |size| size.to_string()),
            found.predictor.clone().unwrap_or_default(),
            run.remark().unwrap_or_default(),
        ];
        text += &line(&cells);
    }
    text
}

/// summary.csv: one line a family and strategy.
pub fn summary(report: &Report) -> String {
    let mut text = "family,instances,strategy,gap_abs,gap_abs_low,gap_abs_high,gap_rel,gap_rel_sgm,primal_integral,reduction,reduction_low,reduction_high,integral_ratio,wins,ties,losses,solved,time_sgm,time_ratio\n".to_string();
    let optional = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let ends = |estimate: Option<Estimate>| {
        let interval = estimate.and_then(|estimate| estimate.interval);
        [optional(interval.map(|ends| ends.0)), optional(interval.map(|ends| ends.1))]
    };
    for family in &report.analysis.families {
        for row in &family.rows {
            let [gap_low, gap_high] = ends(Some(row.gap_abs));
            let [low, high] = ends(row.reduction);
            let [wins, ties, losses] = row.wins.map(|count| count.to_string());
            text += &line(&[
                family.family.clone(),
                family.instances.len().to_string(),
                row.strategy.clone(),
                row.gap_abs.value.to_string(),
                gap_low,
                gap_high,
                row.gap_rel.to_string(),
                row.gap_rel_sgm.to_string(),
                row.integral.value.to_string(),
                optional(row.reduction.map(|reduction| reduction.value)),
                low,
                high,
                optional(row.integral_ratio.map(|ratio| ratio.value)),
                wins,
                ties,
                losses,
                row.solved.to_string(),
                row.seconds.to_string(),
                optional(row.seconds_ratio.map(|ratio| ratio.value)),
            ]);
        }
    }
    text
}

/// One line of CSV.
fn line(cells: &[String]) -> String {
    let quoted = cells.iter().map(|cell| {
        if cell.contains([',', '"', '\n']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    });
    quoted.collect::<Vec<_>>().join(",") + "\n"
}
