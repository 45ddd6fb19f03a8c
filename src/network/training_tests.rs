//! Training works: a small network learns something about small set-covering instances that a
//! constant cannot know.

use super::loss::cross_entropy;
use super::{Adam, Config, Gradient, Input, Network, Prenorm};
use crate::graph::Graph;
use crate::instances;
use crate::problem::Problem;
use std::ops::Range;

/// A label that cost and rows decide together: is the column the cheapest of one of its rows?
fn targets(problem: &Problem) -> Vec<f64> {
    let mut targets = vec![0.0; problem.columns()];
    for i in 0..problem.rows.len() {
        let cost = |j: &usize| problem.objective[*j];
        let cheapest = problem.rows.terms(i).map(|(j, _)| j).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        targets[cheapest.expect("every row is covered")] = 1.0;
    }
    targets
}

#[test]
fn two_hundred_steps_leave_the_best_constant_far_behind() {
    let options = [("rows", "40"), ("columns", "60"), ("density", "0.1")];
    let problems: Vec<Problem> =
        (0..24).map(|k| instances::generate("sc", &options, 1, k).unwrap().problem).collect();
    let inputs: Vec<Input<f32>> =
        problems.iter().map(|problem| Input::new(&Graph::new(problem)).unwrap()).collect();
    let labels: Vec<Vec<f64>> = problems.iter().map(targets).collect();
    let binaries: Vec<usize> = (0..60).collect();
    // The last four are for checking.
    let (learnt, unseen) = (0..20, 20..24);

    let share = labels.iter().flatten().sum::<f64>() / (24.0 * 60.0);
    let constant = crate::data::pool::entropy(share);
    let mut network = Network::<f32>::new(Config { width: 16, ..Config::default() }, 1).unwrap();
    network.prenorm = Prenorm::fit(&inputs[learnt.clone()]);
    let mean = |network: &Network<f32>, some: Range<usize>| {
        let count = some.len() as f64;
        let loss = |k: usize| cross_entropy(network.forward(&inputs[k], 1).logits(), &binaries, &labels[k]).0;
        some.map(loss).sum::<f64>() / count
    };
    let before = mean(&network, learnt.clone());
    let mut adam = Adam::new(&network, 3e-3);
    for step in 0..200 {
        let k = step % learnt.len();
        let tape = network.forward(&inputs[k], 1);
        let (_, by_logits) = cross_entropy(tape.logits(), &binaries, &labels[k]);
        let gradient = tape.backward(by_logits, None);
        adam.step(&mut network, &gradient);
    }
    let (after, unseen) = (mean(&network, learnt), mean(&network, unseen));
    println!("constant {constant:.3}, before {before:.3}, after {after:.3}, unseen {unseen:.3}");
    assert!(after < 0.6 * constant, "{after} after training, {constant} for the best constant");
    assert!(unseen < 0.8 * constant, "{unseen} where it has not seen the labels");
}

#[test]
fn adam_takes_the_steps_of_its_paper() {
    let mut network = Network::<f64>::new(Config { width: 8, ..Config::default() }, 1).unwrap();
    let before = network.parameters[0].data[0];
    let mut adam = Adam::new(&network, 0.1);
    let mut gradient = Gradient::zero(&network);
    gradient.0[0][0] = 4.0; // is cut to 1
    assert_eq!(adam.step(&mut network, &gradient), 4.0);
    // The first step has the length of the rate, whatever the gradient.
    assert!((network.parameters[0].data[0] - (before - 0.1)).abs() < 1e-7);
    gradient.0[0][0] = -0.5;
    adam.step(&mut network, &gradient);
    let (mean, square) = (0.9 * 0.1 - 0.1 * 0.5, 0.999 * 0.001 + 0.001 * 0.25);
    let second = 0.1 * (mean / (1.0 - 0.81)) / ((square / (1.0 - 0.999f64.powi(2))).sqrt() + 1e-8);
    assert!((network.parameters[0].data[0] - (before - 0.1 - second)).abs() < 1e-7);

    let kept = network.clone();
    gradient.0[0][0] = f64::NAN;
    assert!(adam.step(&mut network, &gradient).is_nan());
    assert_eq!(network, kept, "a gradient that is no number changes nothing");
}
