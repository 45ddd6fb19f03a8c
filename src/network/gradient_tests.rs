//! The derivatives, every one, against finite differences; and what must not depend on threads.

use super::loss::cross_entropy;
use super::{Config, Gradient, Input, Network, Prenorm};
use crate::graph::Graph;
use crate::instances;
use crate::problem::{Kind, Problem};

/// A little of everything: coefficients of all sizes, a variable and a row without edges, a row with
/// one.
fn problem() -> Problem {
    let mut problem = Problem::default();
    for j in 0..7 {
        let kind = if j == 2 { Kind::Continuous } else { Kind::Binary };
        problem.add_column((j * j) as f64 - 9.0, 0.0, 1.0, kind);
    }
    problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (1, -3.0), (2, 2_000.0)], 8.0);
    problem.rows.push(1.0, [(1, 0.01), (3, 1.0), (4, 1.0), (5, 40.0)], f64::INFINITY);
    problem.rows.push(1.0, [(0, 1.0), (4, -0.5)], 1.0);
    problem.rows.push(f64::NEG_INFINITY, [(3, 7.0)], 2.0);
    problem.rows.push(f64::NEG_INFINITY, [], 2.0);
    problem
}

const BINARIES: [usize; 6] = [0, 1, 3, 4, 5, 6];
const TARGETS: [f64; 6] = [0.1, 1.0, 0.0, 0.35, 0.8, 0.5];

/// A loss that all heads take part in, and its derivatives. The bits are those of a few variables only.
fn loss(network: &Network<f64>, input: &Input<f64>) -> (f64, Gradient<f64>) {
    let tape = network.forward(input, 1);
    let (loss, by_logits) = cross_entropy(tape.logits(), &BINARIES, &TARGETS);
    let (more, by_selection) = cross_entropy(tape.selection().unwrap(), &[0, 2, 6], &[0.9, 0.2, 0.4]);
    let (bits, by_bits) = cross_entropy(tape.bits().unwrap(), &[3, 4, 5, 19, 20], &[0.9, 0.0, 0.3, 1.0, 0.6]);
    (loss + more + bits, tape.backward_with_bits(by_logits, Some(by_selection), Some(by_bits)))
}

#[test]
fn every_derivative_is_what_finite_differences_say() {
    let input = Input::new(&Graph::new(&problem())).unwrap();
    let config = Config { width: 8, convolutions: 4, selection: true, bits: 3, ..Config::default() };
    let mut network = Network::<f64>::new(config, 3).unwrap();
    network.prenorm = Prenorm::fit(std::slice::from_ref(&input));
    // Gains of 1 and biases of 0 would hide mistakes.
    for (k, parameter) in network.parameters.iter_mut().enumerate() {
        if parameter.name.contains("norm") {
            for (i, value) in parameter.data.iter_mut().enumerate() {
                *value += 0.3 * ((k * 31 + i * 17) as f64).sin();
            }
        }
    }
    let (_, gradient) = loss(&network, &input);
    let (mut worst, mut count) = (0.0f64, 0);
    for id in 0..network.parameters.len() {
        assert!(gradient.0[id].iter().any(|&slope| slope != 0.0), "{}", network.parameters[id].name);
        for i in 0..network.parameters[id].data.len() {
            let slope = gradient.0[id][i];
            let value = network.parameters[id].data[i];
            let mut at = |value: f64| {
                network.parameters[id].data[i] = value;
                loss(&network, &input).0
            };
            // Below 1e-4 the rounding of the loss itself is what is left: there 1e-9 counts as equal.
            // A step may cross the kink of a ReLU; a shorter one, less exact, then does not.
            let error = [1e-5, 1e-6, 1e-7].map(|step| {
                let difference = (at(value + step) - at(value - step)) / (2.0 * step);
                (difference - slope).abs() / difference.abs().max(slope.abs()).max(1e-4)
            });
            at(value);
            let error = error.into_iter().fold(f64::INFINITY, f64::min);
            assert!(error <= 1e-5, "{}[{i}]: {slope} is off by {error}", network.parameters[id].name);
            (worst, count) = (worst.max(error), count + 1);
        }
    }
    println!("{count} derivatives, the worst off by {worst:.1e}");
    assert_eq!(count, network.parameters.iter().map(|parameter| parameter.data.len()).sum::<usize>());
}

#[test]
fn results_are_the_same_bit_for_bit_with_any_number_of_threads() {
    let named =
        instances::generate("sc", &[("rows", "1500"), ("columns", "2500"), ("density", "0.01")], 1, 0)
            .unwrap();
    let input = Input::<f32>::new(&Graph::new(&named.problem)).unwrap();
    let network = Network::<f32>::new(Config { width: 16, ..Config::default() }, 1).unwrap();
    let binaries: Vec<usize> = (0..input.variables()).collect();
    let targets: Vec<f64> = binaries.iter().map(|&j| (j % 3) as f64 / 2.0).collect();
    let run = |threads: usize| {
        let tape = network.forward(&input, threads);
        let logits = tape.logits().to_vec();
        let (_, by_logits) = cross_entropy(&logits, &binaries, &targets);
        (logits, tape.backward(by_logits, None))
    };
    let alone = run(1);
    assert!(alone.0.iter().all(|logit| logit.is_finite()));
    for threads in [2, 3, 4, 16] {
        assert!(run(threads) == alone, "{threads} threads");
    }
}

#[test]
fn every_coefficient_reaches_the_probabilities() {
    let graph = Graph::new(&problem());
    for prenorm in [false, true] {
        let mut network = Network::<f64>::new(Config { width: 8, ..Config::default() }, 5).unwrap();
        if prenorm {
            network.prenorm = Prenorm::fit(&[Input::new(&graph).unwrap()]);
        }
        let before = network.probabilities(&graph, 1).unwrap();
        for edge in 0..graph.edge_coefficient.len() {
            let mut changed = graph.clone();
            changed.edge_coefficient[edge] *= 1.5;
            let after = network.probabilities(&changed, 1).unwrap();
            let most = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(most > 1e-7, "edge {edge}: {most}");
        }
    }
}

#[test]
fn a_problem_without_rows_or_without_anything_is_no_trouble() {
    let network = Network::<f32>::new(Config { width: 8, ..Config::default() }, 5).unwrap();
    let mut alone = Problem::default();
    alone.add_column(1.0, 0.0, 1.0, Kind::Binary);
    for (problem, variables) in [(Problem::default(), 0), (alone, 1)] {
        let input = Input::new(&Graph::new(&problem)).unwrap();
        let tape = network.forward(&input, 2);
        assert_eq!(tape.logits().len(), variables);
        let up = vec![1.0; variables];
        assert!(tape.backward(up, None).norm().is_finite());
    }
}

#[test]
fn configurations_without_a_network_are_refused_with_a_sentence() {
    let refuse = |config: Config| Network::<f32>::new(config, 0).unwrap_err().to_string();
    let width = refuse(Config { width: 60, ..Config::default() });
    assert_eq!(width, "network: width: 60 is not one of [8, 16, 32, 64, 128]");
    let odd = refuse(Config { convolutions: 3, ..Config::default() });
    assert_eq!(odd, "network: convolutions: 3 is not 2, 4, 6, … or 64");
    let bits = refuse(Config { bits: 17, ..Config::default() });
    assert_eq!(bits, "network: bits: 17 is more than 16");
}

#[test]
fn a_head_for_bits_leaves_the_others_as_they_are() {
    let graph = Graph::new(&problem());
    let network = |bits| Network::<f64>::new(Config { width: 8, bits, ..Config::default() }, 5).unwrap();
    let (without, mut with) = (network(0), network(4));
    let [old, new] = [&without, &with].map(|network| network.predict(&graph, 1).unwrap());
    assert_eq!(old.probability, new.probability, "the same seed, the same weights");
    assert_eq!(old.bits, None);
    assert_eq!(new.bits.unwrap().probability.len(), 7 * 4);
    // Where all inputs of the last layer are 0 only its bias speaks.
    with.begin_bits_at(&[0.1, 0.2, 0.5, 0.9]);
    with.parameters.iter_mut().find(|one| one.name == "bits.1.weight").unwrap().data.fill(0.0);
    let bits = with.predict(&graph, 1).unwrap().bits.unwrap();
    for (got, expected) in bits.row(6).iter().zip([0.1, 0.2, 0.5, 0.9]) {
        assert!((got - expected).abs() < 1e-12);
    }
    let config = serde_json::to_string(&without.config()).unwrap();
    assert!(!config.contains("bits"), "files of networks without bits stay as they were: {config}");
}
