//! The results as tables, for the terminal, Markdown and the page. What is in a table is decided once.

use super::metrics::{FamilyResult, Row};
use super::report::Report;
use super::runs::Run;
use super::statistics::Estimate;
use super::{html, rounds};

/// A table of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows; the first cell of each is its name.
    pub rows: Vec<Vec<String>>,
}

/// An objective for people: six digits, no noise.
pub fn number(value: f64) -> String {
    let digits = (5 - value.abs().max(1.0).log10().floor() as i32).clamp(0, 5) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A measured number for people: four digits.
pub fn figure(value: f64) -> String {
    let digits = (3 - value.abs().max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A share as percent.
pub fn percent(share: f64) -> String {
    let value = 100.0 * share;
    if value.abs() < 9.995 { format!("{value:.2} %") } else { format!("{value:.0} %") }
}

/// A number with its interval.
pub fn with_interval(estimate: Estimate, show: impl Fn(f64) -> String) -> String {
    match estimate.interval {
        Some((low, high)) => format!("{} [{}, {}]", show(estimate.value), show(low), show(high)),
        None => show(estimate.value),
    }
}

fn optional(estimate: Option<Estimate>, show: impl Fn(f64) -> String) -> String {
    estimate.map_or("–".to_string(), |estimate| with_interval(estimate, show))
}

/// The solutions of one family's strategies.
pub fn solutions(family: &FamilyResult, seeds: bool) -> Table {
    let mut columns =
        vec!["strategy", "gap_abs", "reduction", "wins/ties/losses", "gap_rel", "gap_rel (sgm)"];
    columns.extend(["primal integral", "× baseline", "objective"]);
    if seeds {
        columns.push("spread over seeds");
    }
    let row = |row: &Row| {
        let without = |text: String| match row.without {
            0 => text,
            without => format!("{text} ({without} without a solution)"),
        };
        let mut cells = vec![
            row.strategy.clone(),
            with_interval(row.gap_abs, figure),
            optional(row.reduction, percent),
            if row.wins == [0; 3] {
                "–".to_string()
            } else {
                row.wins.map(|count| count.to_string()).join("/")
            },
            percent(row.gap_rel),
            percent(row.gap_rel_sgm),
            with_interval(row.integral, figure),
            optional(row.integral_ratio, |ratio| format!("{ratio:.2}")),
            without(row.objective.map_or("–".to_string(), number)),
        ];
        if seeds {
            cells.push(figure(row.spread));
        }
        cells
    };
    Table {
        columns: columns.into_iter().map(str::to_string).collect(),
        rows: family.rows.iter().map(row).collect(),
    }
}

/// The times to optimality of one family's strategies; none where nobody solved anything.
pub fn times(family: &FamilyResult) -> Option<Table> {
    let row = |row: &Row| {
        vec![
            row.strategy.clone(),
            format!("{} of {}", row.solved, family.instances.len()),
            format!("{:.2} s", row.seconds),
            optional(row.seconds_ratio, |ratio| format!("{ratio:.3}")),
            if row.lost.is_empty() { "–".to_string() } else { row.lost.join(", ") },
        ]
    };
    let columns = ["strategy", "solved", "time (sgm)", "× baseline", "lost"];
    family.rows.iter().any(|row| row.solved > 0).then(|| Table {
        columns: columns.map(str::to_string).to_vec(),
        rows: family.rows.iter().map(row).collect(),
    })
}

/// The best objective of every instance and strategy.
pub fn instances(family: &FamilyResult) -> Table {
    let labels = family.rows.iter().map(|row| row.strategy.clone());
    let columns = ["instance".to_string(), "best known".to_string()].into_iter().chain(labels).collect();
    let rows = family.instances.iter().map(|instance| {
        let objectives = instance.scores.iter().map(|score| score.objective.map_or("–".to_string(), number));
        [instance.name.clone(), number(instance.best)].into_iter().chain(objectives).collect()
    });
    Table { columns, rows: rows.collect() }
}

impl Table {
    /// With columns under each other.
    pub fn text(&self) -> String {
        let width = |cell: &String| cell.chars().count();
        let wide = |k: usize| self.rows.iter().chain([&self.columns]).map(|row| width(&row[k])).max();
        let widths: Vec<usize> = (0..self.columns.len()).map(|k| wide(k).unwrap_or(0)).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(k, (cell, &width))| {
                if k == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
        };
        [&self.columns].into_iter().chain(&self.rows).map(line).collect()
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
        let rule = format!("|---{}|\n", "|---:".repeat(self.columns.len() - 1));
        line(&self.columns) + &rule + &self.rows.iter().map(line).collect::<String>()
    }
}

/// The baseline in words.
pub fn baseline_sentence(family: &FamilyResult) -> String {
    let Some([gap, integral, time]) = family.baseline else { return String::new() };
    let name = |k: usize| &family.rows[k].strategy;
    let mut text = format!("Baseline: {} for gap_abs, {} for the integral", name(gap), name(integral));
    if family.rows.iter().any(|row| row.solved > 0) {
        text += &format!(", {} for the time", name(time));
    }
    text + "."
}

/// For the terminal.
pub fn terminal(report: &Report) -> String {
    let mut text = String::new();
    for family in &report.analysis.families {
        text += &format!(
            "\n{}, {} instances. {}\n",
            family.family,
            family.instances.len(),
            baseline_sentence(family)
        );
        text += &solutions(family, report.has_seeds()).text();
        if let Some(times) = times(family) {
            text += "\n";
            text += &times.text();
        }
        if !family.left_out.is_empty() {
            text += &format!("  not counted: {}\n", family.left_out.join(", "));
        }
    }
    text
}

/// report.md
pub fn markdown(report: &Report) -> String {
    let setup = &report.setup;
    let mut text = format!(
        "# {}\n\n**{}** {}\n\n{}\n\n",
        setup.suite,
        html::headline(report),
        html::details(report),
        setup.about
    );
    text += &format!("{}\n\n", conditions(report).join("\n\n"));
    for family in &report.analysis.families {
        text += &format!(
            "## {}\n\n{} instances. {}\n\n",
            family.family,
            family.instances.len(),
            baseline_sentence(family)
        );
        text += &solutions(family, report.has_seeds()).markdown();
        if let Some(times) = times(family) {
            text += &format!("\n{}", times.markdown());
        }
        if let Some(subject) = html::subject(report) {
            if let Some(rounds) = rounds::table(report, &family.family, &subject) {
                let means = format!("Where the time of {subject} goes, means over its runs:");
                text += &format!("\n{means}\n\n{}", rounds.markdown());
            }
            if let Some(local) = rounds::local(report, &family.family, &subject) {
                text += &format!("\n{}", local.markdown());
            }
        }
        text += &format!("\nBest objective of each instance:\n\n{}", instances(family).markdown());
        if !family.left_out.is_empty() {
            text += &format!("\nNot counted: {}.\n", family.left_out.join(", "));
        }
        text += "\n";
    }
    text += "docs/BENCHMARKING.md says what each number means. Brackets are 95 % intervals.\n";
    let remarks = remarks(report);
    if !remarks.is_empty() {
        text += "\n## Remarks\n\n";
        remarks.iter().for_each(|remark| text += &format!("- {remark}\n"));
    }
    text
}

/// What was left out, and what went wrong in runs.
pub fn remarks(report: &Report) -> Vec<String> {
    let of = |run: &Run| {
        let name = format!("{}, {}, seed {}", run.instance, run.strategy, run.seed);
        let best = report.analysis.best.get(&run.instance);
        let wrong = best.and_then(|best| run.wrong_claim(best.0));
        wrong.into_iter().chain(run.remark()).map(move |remark| format!("{name}: {remark}"))
    };
    report.setup.remarks.iter().cloned().chain(report.runs.iter().flat_map(of)).collect()
}

/// Under which conditions the runs were made, in sentences.
pub fn conditions(report: &Report) -> Vec<String> {
    let distinct = |of: &dyn Fn(&Run) -> String| {
        let mut all: Vec<String> = vec![];
        for run in &report.runs {
            let one = of(run);
            if !one.is_empty() && !all.contains(&one) {
                all.push(one);
            }
        }
        all.join("; ")
    };
    let limits = distinct(&|run| {
        let c = &run.conditions;
        format!("{} s, {} MB, {} thread(s), {} run(s) side by side", c.time, c.memory, c.threads, c.jobs)
    });
    let versions = distinct(&|run| {
        let v = &run.found.versions;
        if v.scip.is_empty() {
            String::new()
        } else {
            format!("apollo {} ({}), SCIP {}", v.apollo, v.commit, v.scip)
        }
    });
    let machine = distinct(&|run| {
        let m = &run.machine;
        format!("{}, {} cores, {} MB, {}", m.processor, m.cores, m.memory, m.system)
    });
    let loads: Vec<f64> = report.runs.iter().filter_map(|run| run.found.load).collect();
    let mut lines = vec![
        format!("Limits of each run: {limits}."),
        format!("Versions: {versions}."),
        format!(
            "Machine: {machine}; load when a run began {:.1} in the mean.",
            super::statistics::mean(&loads)
        ),
    ];
    if !report.setup.command.is_empty() {
        lines.push(format!("To repeat: `{}`", report.setup.command.replace('\n', "`, `")));
    }
    lines
}
