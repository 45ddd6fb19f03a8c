//! One page that tells the whole measurement: the finding first, then what it rests on. It needs nothing
//! but itself: styles and figures are inside, and it has no scripts.

use super::figures::Figure;
use super::metrics::{FamilyResult, InstanceScores, Row};
use super::report::Report;
use super::statistics::{Estimate, FEWEST};
use super::tables::{self, Table, number, percent};
use super::{glossary, rounds};
use crate::error::Result;

/// A page needs no such name in its figures, and without it nothing in the page looks like an address.
const NAMESPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// What came out for one family, in a few words.
struct Verdict {
    /// Surely better, surely worse, or neither.
    good: Option<bool>,
    /// The number.
    big: String,
    /// What it is.
    what: String,
    /// The same as a part of a sentence.
    clause: String,
}

/// The strategy that the page is about: Apollo, or of those that are no baseline the best among the ones
/// that were tried on most families.
pub(super) fn subject(report: &Report) -> Option<String> {
    let families = &report.analysis.families;
    let rows = |name: &str| families.iter().filter_map(|family| row(family, name)).collect::<Vec<_>>();
    let mut names: Vec<&String> = vec![];
    for row in families.iter().flat_map(|family| &family.rows) {
        if !names.contains(&&row.strategy) && !report.setup.baselines.contains(&row.strategy) {
            names.push(&row.strategy);
        }
    }
    let most = names.iter().map(|name| rows(name).len()).max()?;
    let gap = |name: &String| rows(name).iter().map(|row| row.gap_rel).sum::<f64>();
    let best = || {
        let tried = names.iter().filter(|name| rows(name).len() == most);
        tried.min_by(|a, b| gap(a).total_cmp(&gap(b)))
    };
    names.iter().find(|name| **name == "apollo").or_else(best).map(|name| name.to_string())
}

fn row<'a>(family: &'a FamilyResult, strategy: &str) -> Option<&'a Row> {
    family.rows.iter().find(|row| row.strategy == strategy)
}

/// Whether an estimate is surely above (true) or below (false) a value.
fn surely(estimate: Estimate, value: f64) -> Option<bool> {
    let (low, high) = estimate.interval?;
    if low > value {
        Some(true)
    } else if high < value {
        Some(false)
    } else {
        None
    }
}

fn verdict(family: &FamilyResult, subject: &str) -> Option<Verdict> {
    let (row, baseline) = (row(family, subject)?, family.baseline?);
    let name = |k: usize| &family.rows[baseline[k]].strategy;
    let mostly_solved = 2 * family.rows[baseline[2]].solved >= family.instances.len();
    if let Some(ratio) = row.seconds_ratio.filter(|_| mostly_solved) {
        return Some(Verdict {
            good: surely(ratio, 1.0).map(|slower| !slower),
            big: format!("{:.2}×", ratio.value),
            what: format!("the time of {} to optimality; {} lost", name(2), row.lost.len()),
            clause: format!("{:.2}× the time to optimality on {}", ratio.value, family.family),
        });
    }
    let reduction = row.reduction?;
    let (word, share) =
        if reduction.value >= 0.0 { ("smaller", reduction.value) } else { ("larger", -reduction.value) };
    let interval = reduction.interval.map_or(String::new(), |(low, high)| {
        format!(" (95 %: {} to {} smaller)", percent(low), percent(high))
    });
    let [wins, ties, losses] = row.wins;
    Some(Verdict {
        good: row.gain.and_then(|gain| surely(gain, 0.0)),
        big: format!("{} {word}", percent(share)),
        what: format!("mean gap than {}{interval}; {wins} won, {ties} tied, {losses} lost", name(0)),
        clause: format!("a mean gap {} {word} on {}", percent(share), family.family),
    })
}

fn verdicts(report: &Report) -> Vec<Verdict> {
    let Some(subject) = subject(report) else { return vec![] };
    report.analysis.families.iter().filter_map(|family| verdict(family, &subject)).collect()
}

/// The finding in one sentence.
pub(super) fn headline(report: &Report) -> String {
    let (families, verdicts) = (&report.analysis.families, verdicts(report));
    let (Some(subject), false) = (subject(report), verdicts.is_empty()) else {
        return "There is nothing to compare yet.".to_string();
    };
    let subject = if subject == "apollo" { "Apollo" } else { &subject };
    let count = |good: Option<bool>| verdicts.iter().filter(|verdict| verdict.good == good).count();
    let (better, worse, all) = (count(Some(true)), count(Some(false)), verdicts.len());
    if families.iter().all(|family| family.instances.len() < FEWEST) {
        return format!("Too few instances to say whether {subject} helps.");
    }
    match (better, worse) {
        (0, 0) => format!("{subject} and the baseline cannot be told apart."),
        (better, _) if better == all && all == 1 => format!("{subject} is ahead of the baseline."),
        (_, worse) if worse == all && all == 1 => format!("{subject} is behind the baseline."),
        (better, _) if better == all => format!("{subject} is ahead on {}.", every(all)),
        (_, worse) if worse == all => format!("{subject} is behind on {}.", every(all)),
        (better, 0) => {
            format!("{subject} is ahead on {better} of {all} families and nowhere clearly behind.")
        }
        (0, worse) => format!("{subject} is behind on {worse} of {all} families and nowhere clearly ahead."),
        (better, worse) => format!("{subject} is ahead on {better} of {all} families and behind on {worse}."),
    }
}

fn every(families: usize) -> String {
    if families == 2 { "both families".to_string() } else { format!("all {families} families") }
}

/// The numbers to the headline.
pub(super) fn details(report: &Report) -> String {
    let clauses: Vec<String> = verdicts(report).into_iter().map(|verdict| verdict.clause).collect();
    if clauses.is_empty() { String::new() } else { format!("Against the baseline: {}.", clauses.join(", ")) }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A cell: the interval under its number, and what is in backticks as code.
fn cell(text: &str) -> String {
    match text.split_once(" [") {
        Some((value, interval)) => format!("{}<small>[{}</small>", escape(value), escape(interval)),
        None => escape(text),
    }
}

fn table(table: &Table, focus: Option<&str>) -> String {
    let head: String = table.columns.iter().map(|name| format!("<th>{}</th>", escape(name))).collect();
    let body = table.rows.iter().map(|row| {
        let class = if focus == Some(row[0].as_str()) { " class=\"focus\"" } else { "" };
        let cells: String = row.iter().map(|text| format!("<td>{}</td>", cell(text))).collect();
        format!("<tr{class}>{cells}</tr>\n")
    });
    wrap(&head, &body.collect::<String>())
}

fn wrap(head: &str, body: &str) -> String {
    format!(
        "<div class=\"scroll\"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>\n"
    )
}

/// Every instance with every strategy: the objective, and a bar as long as its gap.
fn instances(family: &FamilyResult) -> String {
    let names = family.rows.iter().map(|row| format!("<th>{}</th>", escape(&row.strategy)));
    let head = format!("<th>instance</th><th>best known</th>{}", names.collect::<String>());
    let row = |instance: &InstanceScores| {
        let gaps = || instance.scores.iter().map(|score| score.gap_abs);
        let (least, most) = (gaps().fold(f64::INFINITY, f64::min), gaps().fold(0.0, f64::max));
        let cells = instance.scores.iter().map(|score| {
            let class = if score.gap_abs <= least && least < most { " class=\"best\"" } else { "" };
            let width = if most > 0.0 { (100.0 * score.gap_abs / most).round() } else { 0.0 };
            let objective = score.objective.map_or("–".to_string(), number);
            let time = if score.solved { format!(", {:.1} s", score.seconds) } else { String::new() };
            format!(
                "<td{class} title=\"{}\">{objective}<small>{}{time}</small><span class=\"bar\" style=\"width:{width}%\"></span></td>",
                escape(&score.status),
                percent(score.gap_rel),
            )
        });
        let name = escape(&instance.name);
        format!("<tr><td>{name}</td><td>{}</td>{}</tr>\n", number(instance.best), cells.collect::<String>())
    };
    wrap(&head, &family.instances.iter().map(row).collect::<String>())
}

fn section(report: &Report, family: &FamilyResult, figures: &[Figure]) -> Result<String> {
    let name = escape(&family.family);
    let subject = subject(report);
    let focus = subject.as_deref();
    let count = family.instances.len();
    let mut text = format!("<h2 id=\"{name}\">{name}</h2>\n");
    let plural = if count == 1 { "instance" } else { "instances" };
    text +=
        &format!("<p class=\"note\">{count} {plural}. {}</p>\n", escape(&tables::baseline_sentence(family)));
    text += &table(&tables::solutions(family, report.has_seeds()), focus);
    if let Some(times) = tables::times(family) {
        text += &format!("<h3>Time to optimality</h3>\n{}", table(&times, focus));
    }
    text += "<div class=\"figures\">\n";
    let own = [format!("curves-{}", family.family), format!("scatter-{}", family.family)];
    for figure in figures.iter().filter(|figure| own.contains(&figure.name)) {
        text += &format!("<figure>{}</figure>\n", figure.svg()?.replace(NAMESPACE, ""));
    }
    text += "</div>\n<h3>Instance by instance</h3>\n<p class=\"note\">Best objective in time, its gap below it; green is the best of the row, a longer bar is a larger gap.</p>\n";
    text += &instances(family);
    if let Some(rounds) = focus.and_then(|strategy| rounds::table(report, &family.family, strategy)) {
        text += &format!(
            "<h3>Where the time of {} goes</h3>\n<p class=\"note\">Means over its runs, one row a round.</p>\n{}",
            escape(focus.unwrap_or_default()),
            table(&rounds, None)
        );
    }
    if let Some(local) = focus.and_then(|strategy| rounds::local(report, &family.family, strategy)) {
        text += &table(&local, None);
    }
    if !family.left_out.is_empty() {
        text += &format!("<p class=\"note\">Not counted: {}.</p>\n", escape(&family.left_out.join(", ")));
    }
    Ok(text)
}

/// report.html
pub fn page(report: &Report, figures: &[Figure]) -> Result<String> {
    let (setup, subject) = (&report.setup, subject(report));
    let mut cards = String::new();
    for family in &report.analysis.families {
        let Some(verdict) = subject.as_deref().and_then(|subject| verdict(family, subject)) else { continue };
        let class = match verdict.good {
            Some(true) => "card good",
            Some(false) => "card bad",
            None => "card",
        };
        let name = escape(&family.family);
        cards += &format!(
            "<a class=\"{class}\" href=\"#{name}\"><div class=\"name\">{name}</div><div class=\"big\">{}</div><div class=\"what\">{}</div></a>\n",
            escape(&verdict.big),
            escape(&verdict.what)
        );
    }
    let sections: String = report
        .analysis
        .families
        .iter()
        .map(|family| section(report, family, figures))
        .collect::<Result<Vec<_>>>()?
        .concat();
    let item = |text: &String| format!("<li>{}</li>\n", escape(text).replace('`', ""));
    let facts = tables::conditions(report);
    let conditions: String = facts.iter().filter(|fact| !fact.starts_with("To repeat")).map(item).collect();
    let remarks = tables::remarks(report);
    let remarks = match remarks.len() {
        0 => String::new(),
        count => format!(
            "<details><summary>{count} remarks: what was left out, what went wrong</summary><ul>{}</ul></details>\n",
            remarks.iter().map(item).collect::<String>()
        ),
    };
    let terms = glossary::TERMS.iter();
    let terms: String = terms.map(|(term, is)| format!("<dt>{term}</dt><dd>{}</dd>\n", escape(is))).collect();
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{suite}: {title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>Apollo for SCIP · {suite} · {limit} s</h1>\n<p class=\"headline\">{headline}</p>\n<p class=\"about\">{about}</p>\n<div class=\"cards\">\n{cards}</div>\n{sections}<h2 id=\"conditions\">Conditions</h2>\n<ul>\n{conditions}</ul>\n{remarks}<h3>To repeat it</h3>\n<pre>{command}</pre>\n<h2 id=\"numbers\">What the numbers mean</h2>\n<dl>\n{terms}</dl>\n</main>\n</body>\n</html>\n",
        suite = escape(&setup.suite),
        title = escape(&headline(report)),
        style = include_str!("report.css"),
        limit = report.limit(),
        headline = escape(&headline(report)),
        about = escape(&setup.about),
        command = escape(&setup.command),
    ))
}
