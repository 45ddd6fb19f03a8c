//! What is said about a trained network: in the metadata of its model file, in its card beside it, in
//! its learning curves, and as JSON.

use super::run::Epoch;
use super::set::{About as Data, Set};
use super::{Loss, Order};
use crate::data::npz;
use crate::data::pool::{BitTargets, mean_entropy};
use crate::error::{Error, Result};
use crate::network::export::{self, About};
use crate::network::{Config, Network, loss};
use crate::plot::{self, Curve};
use crate::schedule::{Amount, Recommended, schedule};
use serde::Serialize;

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The model file.
    pub model: String,
    /// Its family.
    pub family: String,
    /// What was minimised.
    pub loss: Loss,
    /// Instances to learn from and to validate with, and their augmented ones.
    pub instances: [usize; 2],
    /// Their augmented instances.
    pub augmented: [usize; 2],
    /// SHA-256 over the data.
    pub data_hash: String,
    /// The epoch that was exported.
    pub best: Epoch,
    /// The cross-entropy of the best constant on the validation examples: what a network must beat.
    pub constant: f64,
    /// The mean entropy of their targets: no network can have a smaller cross-entropy.
    pub floor: f64,
    /// The same three of the bits of general integers, if they are predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<BitsSummary>,
    /// Seconds of training.
    pub seconds: f64,
    /// All epochs.
    pub epochs: Vec<Epoch>,
}

/// How well the bits of general integers are predicted, on the validation examples.
#[derive(Clone, Debug, Serialize)]
pub struct BitsSummary {
    /// Bits for each integer.
    pub width: usize,
    /// The cross-entropy with the targets.
    pub entropy: f64,
    /// The same of the training set's share of ones of each bit as the only prediction.
    pub constant: f64,
    /// The mean entropy of the targets.
    pub floor: f64,
}

/// Writes the model file, its card and its learning curves.
pub(super) fn write(
    order: &Order,
    set: &Set,
    network: &Network<f32>,
    curve: &[Epoch],
    best: Option<usize>,
) -> Result<Summary> {
    let best = best.and_then(|best| curve.get(best)).cloned();
    let best =
        best.ok_or_else(|| Error::Network("was not trained for a single epoch: raise --epochs".into()))?;
    let (constant, floor) = references(set, order);
    let bits = best.bits.map(|entropy| {
        let (constant, floor) = bit_references(set, order);
        BitsSummary { width: set.bits, entropy, constant, floor }
    });
    let summary = Summary {
        model: order.out.display().to_string(),
        family: set.about.family.clone(),
        loss: order.options.loss,
        instances: set.about.instances,
        augmented: set.about.augmented,
        data_hash: set.about.hash.clone(),
        best,
        constant,
        floor,
        bits,
        seconds: curve.last().map_or(0.0, |epoch| epoch.seconds),
        epochs: curve.to_vec(),
    };
    let about = About { family: set.about.family.clone(), entries: entries(order, &set.about, &summary) };
    npz::save(&order.out, &export::onnx(network, &about))?;
    npz::save(&order.out.with_extension("md"), card(order, &set.about, &summary).as_bytes())?;
    let points =
        |of: fn(&Epoch) -> f64| curve.iter().map(|one| (one.epoch as f64, of(one))).collect::<Vec<_>>();
    let (train, valid) = (points(|epoch| epoch.train), points(|epoch| epoch.valid));
    let curves = [Curve { name: "training", steps: &train }, Curve { name: "validation", steps: &valid }];
    let title = format!(
        "{}: {} loss",
        order.out.file_name().unwrap_or_default().to_string_lossy(),
        order.options.loss.name()
    );
    plot::learning_curves(&order.out, &title, &curves)?;
    Ok(summary)
}

/// The cross-entropy of the training set's share of ones as the only prediction, and the entropy of the
/// targets: means over the validation examples.
fn references(set: &Set, order: &Order) -> (f64, f64) {
    let logit = (set.about.ones / (1.0 - set.about.ones)).ln().clamp(-30.0, 30.0);
    let (mut constant, mut floor) = (0.0, 0.0);
    for &place in &set.valid {
        let targets = set.pool(place).targets(order.options.temperature);
        let binaries: Vec<usize> = (0..targets.len()).collect();
        constant += loss::cross_entropy(&vec![logit; targets.len()], &binaries, &targets).0;
        floor += mean_entropy(&targets);
    }
    (constant / set.valid.len() as f64, floor / set.valid.len() as f64)
}

/// The same for the bits of general integers, each place with its own share of ones; means over the
/// validation examples that have any.
fn bit_references(set: &Set, order: &Order) -> (f64, f64) {
    let temperature = order.options.temperature;
    let logit = |share: f64| (share / (1.0 - share)).ln().clamp(-30.0, 30.0);
    let logits: Vec<f64> = set.bit_shares(temperature).into_iter().map(logit).collect();
    let (mut constant, mut floor, mut count) = (0.0, 0.0, 0.0f64);
    for &place in &set.valid {
        let BitTargets { places, targets } = set.bit_targets(&set.example(place), temperature);
        if !places.is_empty() {
            let each: Vec<f64> = places.iter().map(|place| logits[place % set.bits]).collect();
            let all: Vec<usize> = (0..targets.len()).collect();
            constant += loss::cross_entropy(&each, &all, &targets).0;
            floor += mean_entropy(&targets);
            count += 1.0;
        }
    }
    (constant / count.max(1.0), floor / count.max(1.0))
}

/// The entries of the model file's metadata (docs/MODELS.md).
fn entries(order: &Order, data: &Data, summary: &Summary) -> Vec<(String, String)> {
    let [train, valid] = data.instances;
    let [more, more_valid] = data.augmented;
    let mut entries = vec![
        ("loss", order.options.loss.name().to_string()),
        (
            "data",
            format!("{train} instances and {more} augmented ones; {valid} and {more_valid} for validation"),
        ),
        ("data_hash", data.hash.clone()),
        ("label_audit", audit(data)),
        ("valid_loss", format!("{:.6}", summary.best.valid)),
        ("valid_auc", summary.best.auc.map_or("-".into(), |auc| format!("{auc:.4}"))),
        ("seed", order.options.seed.to_string()),
        ("fingerprint", serde_json::to_string(&data.fingerprint).unwrap_or_default()),
    ];
    let schedule = recommended(&data.family, data.binaries);
    entries.push(("schedule", serde_json::to_string(&schedule).unwrap_or_default()));
    entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

fn audit(data: &Data) -> String {
    match data.audit {
        Some((count, gap)) => {
            format!("{:.2} % from the best of much longer searches, mean of {count} instances", 100.0 * gap)
        }
        None => "not audited".into(),
    }
}

/// The parameters that a schedule is made of.
const SCHEDULE: [&str; 5] = ["rounds", "k0", "k1", "radius", "timeshares"];

/// The schedules by family, those of the paper where nothing better was measured, and the one for
/// everybody else.
const SCHEDULES: [(&str, &str); 5] = [
    ("ca", include_str!("../../scip_settings/apollo-ca.set")),
    ("sc", include_str!("../../scip_settings/apollo-sc.set")),
    ("ip", include_str!("../../scip_settings/apollo-ip.set")),
    ("wa", include_str!("../../scip_settings/apollo-wa-minute.set")),
    ("", include_str!("../../scip_settings/apollo.set")),
];

/// The schedule that suits the family, as parameters of the heuristic without their prefix. Counts of
/// the paper are taken only where they are less than half of the binaries; shares fit every size.
fn recommended(family: &str, binaries: usize) -> Recommended {
    let read = |text: &str| {
        SCHEDULE.map(|name| {
            let start = format!("heuristics/apollo/{name} = ");
            let value = text.lines().find_map(|line| line.strip_prefix(&start));
            (name, value.unwrap_or_default().trim_matches('"').to_string())
        })
    };
    let fits = |entries: &[(&str, String); 5]| {
        let count = |amount| if let Amount::Count(count) = amount { count } else { 0 };
        let [rounds, k0, k1, radius, time] = entries;
        let rounds = rounds.1.parse().unwrap_or(0);
        let parsed = schedule(rounds, &k0.1, &k1.1, &radius.1, &time.1);
        parsed.is_ok_and(|rounds| {
            rounds.first().is_some_and(|first| 2 * (count(first.k0) + count(first.k1)) <= binaries)
        })
    };
    let own = SCHEDULES.iter().find(|(name, _)| *name == family && !family.is_empty());
    let own = own.map(|(_, text)| read(text)).filter(fits);
    let [rounds, lists @ ..] = own.unwrap_or_else(|| read(SCHEDULES[4].1)).map(|(_, value)| value);
    let [k0, k1, radius, timeshares] = lists.map(|list| Some(list).filter(|list| !list.is_empty()));
    Recommended { rounds: rounds.parse().ok(), k0, k1, radius, timeshares }
}

/// The card of the model: what whoever is to use it wants to know.
fn card(order: &Order, data: &Data, summary: &Summary) -> String {
    let name = order.out.file_stem().unwrap_or_default().to_string_lossy();
    let (options, best) = (&order.options, &summary.best);
    let Config { width, convolutions, selection, features, bits } = options.config;
    let row = |key: &str, value: String| format!("| {key} | {value} |\n");
    let head = "| | |\n|---|---|\n";
    let mut text = format!("# Model `{name}`\n\n{head}");
    text += &row("family", if data.family.is_empty() { "none".into() } else { data.family.clone() });
    text += &row("command", format!("`{}`", order.command));
    text += &row("made by", format!("apollo-scip {}", env!("CARGO_PKG_VERSION")));
    let mut more = if selection { ", selection head".to_string() } else { String::new() };
    if bits > 0 {
        more += &format!(", {bits} bits for each general integer");
    }
    text += &row("network", format!("width {width}, {convolutions} half-convolutions{more}"));
    text += &row("features", format!("version {}", features.version()));
    text += &row("loss", options.loss.name().into());
    text += &row("seed", options.seed.to_string());
    let (epochs, threads) = (summary.epochs.len(), order.threads);
    text += &row("time", format!("{:.0} s for {epochs} epochs on {threads} threads", summary.seconds));
    let [train, valid] = data.instances;
    let [more, more_valid] = data.augmented;
    text += "\n## Data\n\n| | training | validation |\n|---|---|---|\n";
    text += &row("instances", format!("{train} | {valid}"));
    text += &row("augmented instances", format!("{more} | {more_valid}"));
    text += &format!("\n- {:.1} solutions a pool, found by {}\n", data.solutions, data.teachers);
    text += &format!("- ones among the targets: {:.2} %\n- labels: {}\n", 100.0 * data.ones, audit(data));
    text += &format!("- collected by apollo-scip and SCIP {}\n", data.versions.join(", "));
    text += &format!("- SHA-256 over instances and solutions: `{}`\n", data.hash);
    text += &format!("\n## Result\n\nOn the validation examples, after the best epoch:\n\n{head}");
    text += &row("best epoch", format!("{} of {epochs}", best.epoch));
    text += &row("loss in training", format!("{:.5}", best.train));
    text += &row("loss", format!("{:.5}", best.valid));
    text += &row("cross-entropy with the targets", format!("{:.5}", best.entropy));
    text += &row("… of the best constant", format!("{:.5}", summary.constant));
    text += &row("… of the targets themselves: the least possible", format!("{:.5}", summary.floor));
    if let Some(BitsSummary { entropy, constant, floor, .. }) = summary.bits {
        text += &row("cross-entropy of the bits of general integers", format!("{entropy:.5}"));
        text += &row("… of the best constant for each bit", format!("{constant:.5}"));
        text += &row("… of the targets themselves", format!("{floor:.5}"));
    }
    text += &row("AUC", best.auc.map_or("-".into(), |auc| format!("{auc:.4}")));
    text += &format!("\n![learning curves]({name}.svg)\n\n## Recommended schedule\n\n");
    let Recommended { rounds, k0, k1, radius, timeshares } = recommended(&data.family, data.binaries);
    let rounds = rounds.map(|rounds| rounds.to_string());
    let lists = [k0, k1, radius, timeshares].map(|list| list.map(|list| format!("\"{list}\"")));
    for (key, value) in SCHEDULE.iter().zip(std::iter::once(rounds).chain(lists)) {
        text += &value.map_or(String::new(), |value| format!("    heuristics/apollo/{key} = {value}\n"));
    }
    text
}
