//! One example and a network: how wrong the network is, and which way it should go.

use super::set::{Place, Set};
use super::{Loss, Options};
use crate::data::example::Example;
use crate::data::pool::{BitTargets, Pool};
use crate::dice::Dice;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::network::loss::{self, Contrast};
use crate::network::{Gradient, Input, Network, Tape};
use crate::quality::auc;

/// The one place where an example becomes a graph.
fn graph(set: &Set, place: Place, example: &Example<'_>) -> Graph {
    Graph::with_features(&example.reduced.problem, set.features, set.relaxed(place))
}

/// How many bad solutions each good one is compared with.
const BAD: usize = 10;

/// The most of them that come from the pool itself; the others are good ones with mistakes.
const BAD_OF_POOL: usize = BAD / 2;

/// The share of binaries that a mistake flips.
const FLIPPED: f64 = 0.1;

/// How good a network is on an example.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    /// What training minimises.
    pub loss: f64,
    /// The cross-entropy with the targets, whatever training minimises.
    pub entropy: f64,
    /// The area under the curve, if there are ones and zeros.
    pub auc: Option<f64>,
    /// The cross-entropy of the bits of general integers, if the network predicts any of this example.
    pub bits: Option<f64>,
}

/// The loss of one example by the prediction, with its derivatives.
struct Slope {
    loss: f64,
    by_logits: Vec<f32>,
    by_selection: Option<Vec<f32>>,
}

/// The cross-entropy of the bits of general integers, which every loss adds to that of the binaries, and
/// its derivative; none without bits.
fn bits(
    tape: &Tape<'_, f32>,
    set: &Set,
    example: &Example<'_>,
    options: &Options,
) -> Option<(f64, Vec<f32>)> {
    let logits = tape.bits()?;
    let BitTargets { places, targets } = set.bit_targets(example, options.temperature);
    (!places.is_empty()).then(|| loss::cross_entropy(logits, &places, &targets))
}

/// The input of the network for an example. One number that float32 cannot hold would spoil all others.
pub fn input(set: &Set, place: Place, example: &Example<'_>) -> Result<Input<f32>> {
    let graph = graph(set, place, example);
    let numbers = [&graph.variable_features, &graph.constraint_features, &graph.edge_coefficient];
    if numbers.into_iter().flatten().all(|number| number.is_finite()) {
        return Input::new(&graph);
    }
    let why = "has a coefficient that is too large for a network: scale the problem, or leave it out".into();
    Err(Error::File { path: set.file(place).into(), why })
}

/// The loss of an example and the gradient of it. `draw` decides what is random in it.
pub fn learn(
    network: &Network<f32>,
    set: &Set,
    place: Place,
    options: &Options,
    draw: u64,
    threads: usize,
) -> Result<(f64, Gradient<f32>)> {
    let example = set.example(place);
    let input = input(set, place, &example)?;
    let tape = network.forward(&input, threads);
    let targets = example.pool.targets(options.temperature);
    let mut dice = dice(set, place, options, draw);
    let Slope { loss, by_logits, by_selection } = slope(&tape, example.pool, &targets, options, &mut dice);
    let (more, by_bits) = bits(&tape, set, &example, options).unzip();
    let loss = loss + more.unwrap_or(0.0);
    finite(loss, set, place)?;
    Ok((loss, tape.backward_with_bits(by_logits, by_selection, by_bits)))
}

/// How good the network is on an example.
pub fn score(
    network: &Network<f32>,
    set: &Set,
    place: Place,
    options: &Options,
    threads: usize,
) -> Result<Score> {
    let example = set.example(place);
    let input = input(set, place, &example)?;
    let tape = network.forward(&input, threads);
    let targets = example.pool.targets(options.temperature);
    // The same mistakes in every epoch: validation losses are to be compared.
    let mut dice = dice(set, place, options, u64::MAX);
    let loss = slope(&tape, example.pool, &targets, options, &mut dice).loss;
    let binaries = &example.pool.binaries;
    let (entropy, _) = loss::cross_entropy(tape.logits(), binaries, &targets);
    let bits = bits(&tape, set, &example, options).map(|(loss, _)| loss);
    let loss = loss + bits.unwrap_or(0.0);
    finite(loss, set, place)?;
    let logits: Vec<f64> = binaries.iter().map(|&j| f64::from(tape.logits()[j])).collect();
    Ok(Score { loss, entropy, auc: auc(&logits, &targets), bits })
}

fn dice(set: &Set, place: Place, options: &Options, draw: u64) -> Dice {
    let name = format!("apollo train: {} {}", set.hash(place), place.number);
    Dice::new(&name, options.seed, draw)
}

fn finite(loss: f64, set: &Set, place: Place) -> Result<()> {
    if loss.is_finite() {
        return Ok(());
    }
    let why =
        "gives a loss that is no number: its coefficients are too large for the network, or --rate is".into();
    Err(Error::File { path: set.file(place).into(), why })
}

fn slope(tape: &Tape<'_, f32>, pool: &Pool, targets: &[f64], options: &Options, dice: &mut Dice) -> Slope {
    let (logits, binaries) = (tape.logits(), &pool.binaries);
    match (options.loss, tape.selection()) {
        (Loss::Nd, Some(selection)) => {
            let (loss, by_logits, by_selection) =
                loss::selective(logits, selection, binaries, targets, options.coverage);
            Slope { loss, by_logits, by_selection: Some(by_selection) }
        }
        (Loss::ConPs, _) => {
            let contrast = contrast(pool, options.temperature, dice);
            let (loss, by_logits) = loss::contrastive(logits, binaries, targets, &contrast);
            Slope { loss, by_logits, by_selection: None }
        }
        _ => {
            let (loss, by_logits) = loss::cross_entropy(logits, binaries, targets);
            Slope { loss, by_logits, by_selection: None }
        }
    }
}

/// Good solutions are those of the pool, by their weights. Bad ones are the worst of the pool, if they
/// are worse than the best by more than the temperature, and good ones with a tenth of their binaries
/// flipped, which are hardly ever feasible.
fn contrast(pool: &Pool, temperature: f64, dice: &mut Dice) -> Contrast {
    let weights = pool.weights(temperature);
    let poor = |weight: f64| weight < weights[0] * (-1.0f64).exp();
    let worst = weights.iter().rev().take_while(|&&weight| poor(weight)).count().min(BAD_OF_POOL);
    let good = pool.solutions.len() - worst;
    let sum: f64 = weights[..good].iter().sum();
    let mut bad: Vec<Vec<u8>> = pool.solutions[good..].iter().map(|one| one.binaries.clone()).collect();
    while bad.len() < BAD {
        let mut values = pool.solutions[dice.weighted(&weights[..good])].binaries.clone();
        let sure = dice.below(values.len());
        for (j, value) in values.iter_mut().enumerate() {
            if dice.chance(FLIPPED) || j == sure {
                *value = 1 - *value;
            }
        }
        bad.push(values);
    }
    let good = pool.solutions[..good].iter().zip(&weights);
    Contrast { good: good.map(|(one, weight)| (one.binaries.clone(), weight / sum)).collect(), bad }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::pool::Teacher;
    use crate::problem::{Kind, Problem};

    #[test]
    fn bad_solutions_are_the_worst_of_the_pool_and_good_ones_with_mistakes() {
        let mut problem = Problem::default();
        for _ in 0..40 {
            problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        }
        let mut pool = Pool::new(&problem, 9);
        for k in 0..4 {
            let values: Vec<f64> = (0..40).map(|j| (j % (k + 2) == 0) as u8 as f64).collect();
            pool.insert(&values, 100.0 + [0.0, 0.1, 5.0, 9.0][k], 0.0, Teacher::Scip);
        }
        let found = contrast(&pool, 0.01, &mut Dice::new("test", 1, 0));
        assert_eq!((found.good.len(), found.bad.len()), (2, BAD));
        assert!((found.good.iter().map(|one| one.1).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(found.bad[..2], [2, 3].map(|k: usize| pool.solutions[k].binaries.clone()));
        for bad in &found.bad[2..] {
            let differ = |good: &Vec<u8>| good.iter().zip(bad).filter(|(a, b)| a != b).count();
            assert!(found.good.iter().any(|(good, _)| (1..16).contains(&differ(good))));
        }
        // One solution alone has only its own mistakes.
        pool.solutions.truncate(1);
        assert_eq!(contrast(&pool, 0.01, &mut Dice::new("test", 1, 0)).good.len(), 1);
    }
}
