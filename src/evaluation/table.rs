//! The means for people: a table for each group, with a column for each predictor, as text or as
//! Markdown.

use super::report::{Group, Summary};
use crate::quality::{COVERAGES, Mean};
use std::fmt::Write;

/// The coverages in the table, in percent.
const SHOWN: [usize; 4] = [10, 30, 50, 70];

/// How the table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Aligned, for a terminal.
    Text,
    /// Markdown.
    Markdown,
}

/// The tables of all groups.
pub fn tables(groups: &[Group], style: Style) -> String {
    groups.iter().map(|group| table(group, style)).collect::<Vec<_>>().join("\n")
}

fn table(group: &Group, style: Style) -> String {
    let names = group.predictors.iter().map(|one| one.predictor.clone()).collect();
    let mut lines: Vec<(String, Vec<String>)> = vec![(String::new(), names)];
    let mut line = |name: String, cell: &dyn Fn(&Summary) -> String| {
        lines.push((name, group.predictors.iter().map(cell).collect()));
    };
    line("loss (nats a binary)".into(), &|one| number(one.loss, 1.0, 4));
    line("AUC".into(), &|one| number(one.auc, 1.0, 4));
    line("calibration error".into(), &|one| number(one.calibration_error, 1.0, 4));
    for (value, zeros) in [("zeros", true), ("ones", false)] {
        for percent in SHOWN {
            let place = percent * COVERAGES / 100 - 1;
            line(format!("{value} right at {percent} %"), &|one| {
                let curve = if zeros { &one.zeros } else { &one.ones };
                number(curve.best[place], 100.0, 2)
            });
        }
    }
    if group.predictors.iter().any(|one| one.answers < group.problems) {
        line("answers".into(), &|one| format!("{} of {}", one.answers, group.problems));
    }
    let Group { family, stage, instances, problems, binaries, ones, .. } = group;
    let many = if problems == instances { String::new() } else { format!(", {problems} problems") };
    let ones = 100.0 * ones;
    let title =
        format!("{family}, {stage}: {instances} instances{many}, {binaries:.0} binaries, {ones:.1} % ones");
    match style {
        Style::Text => format!("{title}\n{}", aligned(&lines)),
        Style::Markdown => format!("**{title}**\n\n{}", markdown(&lines)),
    }
}

/// A mean with its error.
fn number(mean: Option<Mean>, scale: f64, digits: usize) -> String {
    let Some(Mean { mean, error, .. }) = mean else { return "-".into() };
    let mean = scale * mean;
    match error {
        Some(error) => format!("{mean:.digits$} ± {:.digits$}", scale * error),
        None => format!("{mean:.digits$}"),
    }
}

fn aligned(lines: &[(String, Vec<String>)]) -> String {
    let length = |text: &String| text.chars().count();
    let columns = lines.first().map_or(0, |(_, cells)| cells.len());
    let widths: Vec<usize> =
        (0..columns).map(|k| lines.iter().map(|(_, cells)| length(&cells[k])).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for (name, cells) in lines {
        let cells: String =
            cells.iter().zip(&widths).map(|(cell, &width)| format!("  {cell:>width$}")).collect();
        let _ = writeln!(text, "  {name:<20}{cells}"); // into a String: cannot fail
    }
    text
}

fn markdown(lines: &[(String, Vec<String>)]) -> String {
    let mut text = String::new();
    for (k, (name, cells)) in lines.iter().enumerate() {
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
        if k == 0 {
            let _ = writeln!(text, "|---|{}", "---:|".repeat(cells.len()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::report::groups;
    use super::super::report::tests::{examined, record};
    use super::*;

    fn some() -> Vec<Group> {
        let one = |zero: f64, one: f64| record(Some("toy"), vec![examined(0.0, zero, one)]);
        groups(&[one(0.1, 0.9), one(0.9, 0.2)], &["m".into(), "pool".into()])
    }

    #[test]
    fn the_text_is_aligned_and_says_what_is_missing() {
        let text = tables(&some(), Style::Text);
        assert!(text.starts_with("toy, whole instances: 2 instances, 2 binaries, 50.0 % ones\n"), "{text}");
        assert!(text.contains("AUC") && text.contains("0.5000 ± 0.5000"), "{text}");
        assert!(text.contains("50.00 ± 50.00") && text.contains("0 of 2"), "{text}");
        let lengths: Vec<usize> = text.lines().skip(1).map(|line| line.chars().count()).collect();
        assert!(lengths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
    }

    #[test]
    fn markdown_has_as_many_cells_in_every_line() {
        let text = tables(&some(), Style::Markdown);
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(lines.len(), 14, "{text}");
        assert!(lines.iter().all(|line| line.matches('|').count() == 4), "{text}");
        assert!(text.contains("| ones right at 70 % | 50.00 ± 50.00 | - |"), "{text}");
    }
}
