//! Two measurements beside each other: what has changed, how sure that is, and on which instances.

use super::best_known::BestKnown;
use super::metrics::{self, Analysis, FamilyResult};
use super::report::Report;
use super::runs::Run;
use super::statistics::{bootstrap, mean};
use super::tables::{Table, figure, number, percent, with_interval};
use std::collections::BTreeSet;

/// Gaps this close, relative to the best known objective, have not changed.
const SAME: f64 = 1e-6;

/// The comparison as Markdown. Both sides are measured against the best that either knows.
pub fn markdown(new: &Report, old: &Report) -> String {
    let mut best = BestKnown::of(new.runs.iter().chain(&old.runs));
    best.merge(&new.known, |_| true);
    best.merge(&old.known, |_| true);
    // Each side keeps to the instances that the other has too, under the same text.
    let cells = |runs: &[Run]| -> BTreeSet<(String, String, u32)> {
        runs.iter().map(|run| (run.hash.clone(), run.strategy.clone(), run.seed)).collect()
    };
    let both: BTreeSet<_> = cells(&new.runs).intersection(&cells(&old.runs)).cloned().collect();
    let evaluate = |report: &Report| {
        let common = |run: &&Run| both.contains(&(run.hash.clone(), run.strategy.clone(), run.seed));
        let runs: Vec<Run> = report.runs.iter().filter(common).cloned().collect();
        let setup = &new.setup;
        metrics::analyse(&runs, &best, &setup.strategies, &setup.families, &setup.baselines)
    };
    let mut text = format!("# {} against {}\n\n", new.folder.display(), old.folder.display());
    if both.is_empty() {
        return text + "The two have no run in common (same instance, strategy and seed).\n";
    }
    text += &format!("{} runs in common. Differences are new minus old: below 0 is better.\n\n", both.len());
    for difference in differences(new, old) {
        text += &format!("- Not the same: {difference}.\n");
    }
    let (after, before) = (evaluate(new), evaluate(old));
    after.families.iter().for_each(|family| text += &section(family, &before));
    text
}

/// Conditions that are not the same on both sides.
fn differences(new: &Report, old: &Report) -> Vec<String> {
    type Fact = fn(&Run) -> String;
    let facts = |report: &Report, of: Fact| -> BTreeSet<String> { report.runs.iter().map(of).collect() };
    let list = |facts: BTreeSet<String>| facts.into_iter().collect::<Vec<_>>().join(", ");
    let kinds: [(&str, Fact); 4] = [
        ("time limit", |run| run.conditions.time.to_string()),
        ("memory limit", |run| run.conditions.memory.to_string()),
        ("version", |run| format!("{} with SCIP {}", run.found.versions.commit, run.found.versions.scip)),
        ("machine", |run| format!("{} with {} cores", run.machine.processor, run.machine.cores)),
    ];
    let differs = |(what, of): (&str, Fact)| {
        let (new, old) = (facts(new, of), facts(old, of));
        (new != old).then(|| format!("{what} ({}; before: {})", list(new), list(old)))
    };
    kinds.into_iter().filter_map(differs).collect()
}

fn section(after: &FamilyResult, before: &Analysis) -> String {
    let Some(before) = before.families.iter().find(|family| family.family == after.family) else {
        return String::new();
    };
    let mut text = format!("\n## {}\n\n", after.family);
    let columns =
        ["strategy", "gap_abs old", "gap_abs new", "difference", "integral old", "integral new", "changed"];
    let mut table = Table { columns: columns.map(str::to_string).to_vec(), rows: vec![] };
    let mut changes = vec![];
    for (k, row) in after.rows.iter().enumerate() {
        let Some(other) = before.rows.iter().position(|before| before.strategy == row.strategy) else {
            continue;
        };
        let pairs: Vec<_> = after
            .instances
            .iter()
            .filter_map(|instance| {
                let old = before.instances.iter().find(|before| before.name == instance.name)?;
                Some((instance, &old.scores[other], &instance.scores[k]))
            })
            .collect();
        let gains: Vec<f64> = pairs.iter().map(|(_, old, new)| new.gap_abs - old.gap_abs).collect();
        let pick = |sample: &[usize]| Some(mean(&sample.iter().map(|&i| gains[i]).collect::<Vec<_>>()));
        let Some(difference) = bootstrap(pairs.len(), pick).filter(|_| !pairs.is_empty()) else { continue };
        let means = |of: &dyn Fn(usize) -> f64| mean(&(0..pairs.len()).map(of).collect::<Vec<_>>());
        let mut counts = [0; 2];
        for (instance, old, new) in &pairs {
            // Each side has a gap of its own for what has no solution.
            let gain = match (old.objective, new.objective) {
                (None, None) => 0.0,
                (None, Some(_)) => f64::NEG_INFINITY,
                (Some(_), None) => f64::INFINITY,
                _ => new.gap_abs - old.gap_abs,
            };
            if gain.abs() > SAME * instance.best.abs().max(1.0) {
                counts[usize::from(gain > 0.0)] += 1;
                let objective = |value: Option<f64>| value.map_or("none".to_string(), number);
                changes.push(format!(
                    "- {}, {}: {} → {} (gap {} → {}), {}\n",
                    instance.name,
                    row.strategy,
                    objective(old.objective),
                    objective(new.objective),
                    percent(old.gap_rel),
                    percent(new.gap_rel),
                    if gain < 0.0 { "better" } else { "worse" }
                ));
            }
        }
        table.rows.push(vec![
            row.strategy.clone(),
            figure(means(&|i| pairs[i].1.gap_abs)),
            figure(means(&|i| pairs[i].2.gap_abs)),
            with_interval(difference, figure),
            figure(means(&|i| pairs[i].1.integral)),
            figure(means(&|i| pairs[i].2.integral)),
            format!("{} better, {} worse, of {}", counts[0], counts[1], pairs.len()),
        ]);
    }
    text += &table.markdown();
    if !changes.is_empty() {
        text += &format!("\n{}", changes.concat());
    }
    text
}
