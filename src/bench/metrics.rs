//! What the runs say: gaps, integrals, wins, times. Everything is against the best known objective (BKS)
//! of the instance: the best of all runs of all strategies, longer runs included.

use super::best_known::{BestKnown, is_better};
use super::runs::Run;
use super::statistics::{Estimate, bootstrap, deviation, mean, shifted_geometric_mean};
use crate::measure;
use std::collections::{BTreeMap, BTreeSet};

/// The shift of shifted geometric means of gaps: one percent.
pub const GAP_SHIFT: f64 = 0.01;
/// The shift of shifted geometric means of times: one second.
pub const TIME_SHIFT: f64 = 1.0;
/// Gaps this close, relative to the BKS, are a tie.
const TIE: f64 = 1e-6;

/// One strategy on one instance: means over the seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The best objective in time; none where a seed found none.
    pub objective: Option<f64>,
    /// |objective − BKS|; without a solution |BKS|, or the largest gap on the instance if that is larger.
    pub gap_abs: f64,
    /// gap_abs / |BKS|; without a solution 1, or the largest on the instance if that is larger.
    pub gap_rel: f64,
    /// The mean primal gap over the time limit (Berthold).
    pub integral: f64,
    /// Seconds to proven optimality, the time limit where it was not reached.
    pub seconds: f64,
    /// Every seed was solved to optimality.
    pub solved: bool,
    /// How much gap_abs differs between seeds (standard deviation).
    pub spread: f64,
    /// What happened, of the first seed.
    pub status: String,
}

/// One instance with the scores of all strategies, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceScores {
    /// Its name.
    pub name: String,
    /// The best known objective.
    pub best: f64,
    /// Larger objectives are better.
    pub maximise: bool,
    /// One a strategy of the family.
    pub scores: Vec<Score>,
}

/// One strategy on one family.
#[derive(Clone, Debug)]
pub struct Row {
    /// The label.
    pub strategy: String,
    /// Instances without a solution.
    pub without: usize,
    /// Mean objective, where all have one.
    pub objective: Option<f64>,
    /// Mean gap_abs.
    pub gap_abs: Estimate,
    /// Mean gap_rel.
    pub gap_rel: f64,
    /// Its shifted geometric mean.
    pub gap_rel_sgm: f64,
    /// Mean primal integral.
    pub integral: Estimate,
    /// Mean over instances of the spread of gap_abs over seeds.
    pub spread: f64,
    /// How much lower the mean gap_abs is than the baseline's, as a share; negative where it is higher.
    pub reduction: Option<Estimate>,
    /// By how much the mean gap_abs is lower than the baseline's.
    pub gain: Option<Estimate>,
    /// The mean primal integral as a multiple of the baseline's.
    pub integral_ratio: Option<Estimate>,
    /// Instances with a smaller, equal and larger gap than the baseline.
    pub wins: [usize; 3],
    /// Instances solved to optimality.
    pub solved: usize,
    /// Shifted geometric mean of the time to optimality, the limit where it was not reached.
    pub seconds: f64,
    /// That as a multiple of the baseline's.
    pub seconds_ratio: Option<Estimate>,
    /// Instances that the baseline solved to optimality and this strategy did not.
    pub lost: Vec<String>,
}

/// One family.
#[derive(Clone, Debug)]
pub struct FamilyResult {
    /// Its name.
    pub family: String,
    /// The instances that count.
    pub instances: Vec<InstanceScores>,
    /// What does not: instances of which a run is missing or nobody knows a solution, strategies that
    /// have only begun.
    pub left_out: Vec<String>,
    /// One a strategy.
    pub rows: Vec<Row>,
    /// Which of the baselines has the smallest mean gap_abs, integral and time.
    pub baseline: Option<[usize; 3]>,
}

/// What all runs say.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The families, in the order of the suite.
    pub families: Vec<FamilyResult>,
    /// The best known objective by instance name, and whether larger ones are better.
    pub best: BTreeMap<String, (f64, bool)>,
}

/// The best known objective of each instance, with its sense.
fn best_known(runs: &[Run], known: &BestKnown) -> BTreeMap<String, (f64, bool)> {
    let senses: BTreeMap<&str, bool> =
        runs.iter().filter_map(|run| Some((run.instance.as_str(), run.found.maximise?))).collect();
    let mut best: BTreeMap<String, (f64, bool)> = BTreeMap::new();
    let offer = |best: &mut BTreeMap<String, (f64, bool)>, name: &str, objective: f64, maximise: bool| {
        let entry = best.entry(name.to_string()).or_insert((objective, maximise));
        if is_better(objective, entry.0, maximise) {
            entry.0 = objective;
        }
    };
    let mut sound = vec![];
    for run in runs {
        let kept = known.entries.get(&run.hash);
        if let Some(kept) = kept {
            offer(&mut best, &run.instance, kept.objective, kept.maximise);
        }
        let sense = senses.get(run.instance.as_str()).copied().or(kept.map(|kept| kept.maximise));
        match run.found.objective.zip(sense) {
            Some((objective, maximise)) if run.is_exact() => {
                offer(&mut best, &run.instance, objective, maximise);
            }
            Some((objective, maximise)) if run.is_sound() => sound.push((&run.instance, objective, maximise)),
            _ => {}
        }
    }
    // What is less exact, or was never checked because the run crashed, counts where there is nothing else.
    let nothing_else: Vec<_> = sound.into_iter().filter(|(name, ..)| !best.contains_key(*name)).collect();
    for (name, objective, maximise) in nothing_else {
        offer(&mut best, name, objective, maximise);
    }
    best
}

/// The gaps (absolute, relative) of an objective. What is as good, but for rounding, has none, and neither
/// has what is better: it is not exact enough to be the best known.
pub fn gaps(objective: f64, best: f64, maximise: bool) -> (f64, f64) {
    let gap = if maximise { best - objective } else { objective - best };
    match best.abs() {
        size if gap <= TIE * size.max(1.0) => (0.0, 0.0),
        0.0 => (gap, 1.0), // nothing to be relative to: as bad as no solution
        size => (gap, gap / size),
    }
}

/// The scores of all strategies on one instance, by their runs.
fn scores(groups: &[Vec<&Run>], best: f64, maximise: bool) -> Vec<Score> {
    let own = |run: &&Run| run.objective_in_time().map(|objective| gaps(objective, best, maximise));
    // No solution is worse than any.
    let largest = |largest: (f64, f64), gap: (f64, f64)| (largest.0.max(gap.0), largest.1.max(gap.1));
    let worst = groups.iter().flatten().filter_map(own).fold((best.abs(), 1.0), largest);
    groups.iter().map(|runs| score(runs, best, maximise, worst)).collect()
}

fn score(runs: &[&Run], best: f64, maximise: bool, worst: (f64, f64)) -> Score {
    let each = |number: &dyn Fn(&Run) -> f64| -> Vec<f64> { runs.iter().map(|run| number(run)).collect() };
    let gap = |run: &Run| run.objective_in_time().map_or(worst, |found| gaps(found, best, maximise));
    let gap_abs = each(&|run| gap(run).0);
    let objectives: Option<Vec<f64>> = runs.iter().map(|run| run.objective_in_time()).collect();
    let sound = |run: &Run| if run.is_sound() { run.found.trajectory.clone() } else { vec![] };
    Score {
        objective: objectives.map(|objectives| mean(&objectives)),
        gap_abs: mean(&gap_abs),
        gap_rel: mean(&each(&|run| gap(run).1)),
        integral: mean(&each(&|run| measure::primal_integral(&sound(run), Some(best), run.conditions.time))),
        seconds: mean(&each(&|run| run.seconds_to_optimality(best).unwrap_or(run.conditions.time))),
        solved: runs.iter().all(|run| run.seconds_to_optimality(best).is_some()),
        spread: deviation(&gap_abs),
        status: runs[0].found.status.clone(),
    }
}

/// The names in the order of their first appearance in `order`, then the others.
fn in_order<'a>(names: impl Iterator<Item = &'a str>, order: &[String]) -> Vec<String> {
    let names: BTreeSet<&str> = names.collect();
    let first = order.iter().filter(|name| names.contains(name.as_str())).cloned();
    let others = names.iter().filter(|name| !order.iter().any(|known| known == *name));
    first.chain(others.map(|name| name.to_string())).collect()
}

/// Evaluates runs. `strategies` and `families` give the order of rows; `baselines` are compared with.
pub fn analyse(
    runs: &[Run],
    known: &BestKnown,
    strategies: &[String],
    families: &[String],
    baselines: &[String],
) -> Analysis {
    let best = best_known(runs, known);
    let family_names = in_order(runs.iter().map(|run| run.family.as_str()), families);
    let results = family_names.iter().map(|family| {
        let own: Vec<&Run> = runs.iter().filter(|run| run.family == *family).collect();
        evaluate(family, &own, &best, strategies, baselines)
    });
    let families = results.collect();
    Analysis { families, best }
}

fn evaluate(
    family: &str,
    runs: &[&Run],
    best: &BTreeMap<String, (f64, bool)>,
    strategies: &[String],
    baselines: &[String],
) -> FamilyResult {
    let seeds: BTreeSet<u32> = runs.iter().map(|run| run.seed).collect();
    let mut labels = in_order(runs.iter().map(|run| run.strategy.as_str()), strategies);
    let mut left_out = vec![];
    // All strategies are compared on the same instances. One that has only begun must not take the
    // others' from them.
    let done = |label: &String| runs.iter().filter(|run| run.strategy == *label).count();
    let most = labels.iter().map(done).max().unwrap_or(0);
    labels.retain(|label| {
        let enough = 2 * done(label) >= most;
        if !enough {
            left_out.push(format!("strategy {label} (only {} of {most} runs)", done(label)));
        }
        enough
    });
    let mut names: Vec<&str> = vec![];
    for run in runs {
        if !names.contains(&run.instance.as_str()) {
            names.push(&run.instance);
        }
    }
    let mut instances = vec![];
    for name in names {
        let of = |label: &String| -> Vec<&Run> {
            runs.iter().copied().filter(|run| run.instance == name && run.strategy == *label).collect()
        };
        let groups: Vec<Vec<&Run>> = labels.iter().map(of).collect();
        let whole = groups.iter().all(|group| group.len() == seeds.len());
        match best.get(name).filter(|_| whole) {
            Some(&(best, maximise)) => {
                let scores = scores(&groups, best, maximise);
                instances.push(InstanceScores { name: name.to_string(), best, maximise, scores });
            }
            None => left_out.push(name.to_string()),
        }
    }
    let among: Vec<usize> = (0..labels.len()).filter(|&label| baselines.contains(&labels[label])).collect();
    let least = |number: &dyn Fn(&Score) -> f64| {
        let of = |label: usize| mean(&column(&instances, label, number));
        among.iter().copied().min_by(|&a, &b| of(a).total_cmp(&of(b)))
    };
    let baseline = least(&|score| score.gap_abs)
        .zip(least(&|score| score.integral))
        .zip(least(&|score| (score.seconds + TIME_SHIFT).ln()))
        .map(|((gap, integral), time)| [gap, integral, time])
        .filter(|_| !instances.is_empty());
    let rows = (0..labels.len()).map(|label| row(&labels[label], &instances, label, baseline)).collect();
    FamilyResult { family: family.to_string(), instances, left_out, rows, baseline }
}

/// Whether one score is better (0), as good (1) or worse (2) than another. No solution has the largest gap of
/// all; where another has that, too, the one with solutions is better.
fn place(own: &Score, other: &Score, best: f64) -> usize {
    let (ahead, tie) = (other.gap_abs - own.gap_abs, TIE * best.abs().max(1.0));
    match (own.objective.is_some(), other.objective.is_some()) {
        _ if ahead > tie => 0,
        _ if ahead < -tie => 2,
        (true, false) => 0,
        (false, true) => 2,
        _ => 1,
    }
}

/// One number of one strategy, of every instance.
fn column(instances: &[InstanceScores], label: usize, number: impl Fn(&Score) -> f64) -> Vec<f64> {
    instances.iter().map(|instance| number(&instance.scores[label])).collect()
}

fn row(strategy: &str, instances: &[InstanceScores], label: usize, baseline: Option<[usize; 3]>) -> Row {
    let count = instances.len();
    let of = |label: usize, number: fn(&Score) -> f64| column(instances, label, number);
    let pick = |values: &[f64], sample: &[usize]| sample.iter().map(|&i| values[i]).sum::<f64>();
    let estimate = |values: Vec<f64>| {
        bootstrap(count, |sample| Some(pick(&values, sample) / count as f64))
            .filter(|_| count > 0)
            .unwrap_or(Estimate { value: 0.0, interval: None })
    };
    // A ratio of sums over the same instances: 1 where both are 0, none where only the baseline is.
    let ratio = |own: Vec<f64>, other: Vec<f64>| {
        let share = |sample: &[usize]| {
            let (above, below) = (pick(&own, sample), pick(&other, sample));
            if above == below { Some(1.0) } else { (below > 0.0).then(|| above / below) }
        };
        bootstrap(count, share)
    };
    let gap: fn(&Score) -> f64 = |score| score.gap_abs;
    let integral: fn(&Score) -> f64 = |score| score.integral;
    let seconds: fn(&Score) -> f64 = |score| score.seconds;
    let others = |k: usize| baseline.map(|baseline| baseline[k]).filter(|&other| other != label);
    let reduction = others(0).and_then(|other| ratio(of(label, gap), of(other, gap))).map(|ratio| Estimate {
        value: 1.0 - ratio.value,
        interval: ratio.interval.map(|(low, high)| (1.0 - high, 1.0 - low)),
    });
    let gain = others(0).and_then(|other| {
        let (own, its) = (of(label, gap), of(other, gap));
        bootstrap(count, |sample| Some((pick(&its, sample) - pick(&own, sample)) / count as f64))
    });
    let seconds_ratio = others(2).and_then(|other| {
        let (own, its) = (of(label, seconds), of(other, seconds));
        bootstrap(count, |sample| {
            let means = [&own, &its].map(|values| {
                let values: Vec<f64> = sample.iter().map(|&i| values[i]).collect();
                shifted_geometric_mean(&values, TIME_SHIFT)
            });
            (means[1] > 0.0).then(|| means[0] / means[1])
        })
    });
    let mut wins = [0; 3];
    for instance in instances {
        if let Some(other) = others(0) {
            wins[place(&instance.scores[label], &instance.scores[other], instance.best)] += 1;
        }
    }
    let lost = |instance: &&InstanceScores| {
        others(2).is_some_and(|other| instance.scores[other].solved) && !instance.scores[label].solved
    };
    let gap_rel = of(label, |score| score.gap_rel);
    let objectives: Option<Vec<f64>> =
        instances.iter().map(|instance| instance.scores[label].objective).collect();
    Row {
        strategy: strategy.to_string(),
        without: instances.iter().filter(|instance| instance.scores[label].objective.is_none()).count(),
        objective: objectives.filter(|objectives| !objectives.is_empty()).map(|values| mean(&values)),
        gap_abs: estimate(of(label, gap)),
        gap_rel: mean(&gap_rel),
        gap_rel_sgm: shifted_geometric_mean(&gap_rel, GAP_SHIFT),
        integral: estimate(of(label, integral)),
        spread: mean(&of(label, |score| score.spread)),
        reduction,
        gain,
        integral_ratio: others(1).and_then(|other| ratio(of(label, integral), of(other, integral))),
        wins,
        solved: instances.iter().filter(|instance| instance.scores[label].solved).count(),
        seconds: shifted_geometric_mean(&of(label, seconds), TIME_SHIFT),
        seconds_ratio,
        lost: instances.iter().filter(lost).map(|instance| instance.name.clone()).collect(),
    }
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
