//! What each strategy does with a prediction, through the real SCIP.

use crate::support::{self, Folder};
use apollo_scip::prediction::{Prediction, Predictor, Question};
use apollo_scip::scip;
use apollo_scip::search::Report;
use russcip::prelude::*;
use std::collections::HashMap;
use std::rc::Rc;

/// Predicts the values of a known solution, almost surely.
struct Oracle(Rc<Vec<f64>>);

impl Predictor for Oracle {
    fn name(&self) -> String {
        "oracle".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> apollo_scip::Result<Prediction> {
        let probability = question.reduced.origin.iter().map(|&j| 0.01 + 0.98 * self.0[j]).collect();
        Ok(Prediction::new(probability))
    }
}

/// The optimum of a problem by plain SCIP, and its values in the order of the file.
fn optimum(file: &str) -> (f64, Vec<f64>) {
    let model = Model::new().hide_output().include_default_plugins().read_prob(file).unwrap();
    let (_, names) = scip::read_problem(&model).unwrap();
    let solved = model.solve();
    let best = solved.best_sol().unwrap();
    let values: HashMap<String, f64> =
        solved.orig_vars().iter().map(|var| (var.name(), best.val(var).round())).collect();
    (solved.obj_val(), names.iter().map(|name| values[name]).collect())
}

/// Only Apollo looks for solutions, in one node of the tree.
fn only_apollo(file: &str, values: Rc<Vec<f64>>, set: &[(&str, &str)]) -> (Option<f64>, Report) {
    let model = Model::new().hide_output().include_default_plugins();
    let oracle = move || Box::new(Oracle(values.clone())) as Box<dyn Predictor>;
    apollo_scip::include_with(&model, Box::new(oracle)).unwrap();
    let model = model.set_heuristics(ParamSetting::Off).read_prob(file).unwrap();
    let fixed = [
        ("heuristics/apollo/freq", "0"),
        ("heuristics/apollo/minbinaries", "1"),
        ("heuristics/apollo/budget/nodes", "40"),
        ("heuristics/apollo/timing", "before"),
        ("limits/nodes", "1"),
    ];
    for (name, value) in fixed.iter().chain(set) {
        scip::set_parameter(&model, name, value).unwrap();
    }
    let solved = model.solve();
    (solved.best_sol().map(|best| best.obj_val()), scip::report(&solved).unwrap())
}

/// A perfect prediction of everything is the optimal solution in the first round, whatever the
/// prediction is used for: a region of radius 0, fixings, or a start.
#[test]
fn every_strategy_turns_a_perfect_prediction_into_the_optimum() {
    let folder = Folder::new("strategies");
    let file = folder.path("cover.lp");
    std::fs::write(&file, support::set_cover(120, 100)).unwrap();
    let file = file.to_str().unwrap();
    let (best, values) = optimum(file);
    let ones = values.iter().filter(|value| **value > 0.5).count().to_string();
    let zeros = values.iter().filter(|value| **value < 0.5).count().to_string();
    let values = Rc::new(values);
    for strategy in ["apollo", "ps", "nd", "multi-stage", "direct", "ws-ps", "ws-apollo"] {
        let set = [
            ("heuristics/apollo/strategy", strategy),
            ("heuristics/apollo/k0", zeros.as_str()),
            ("heuristics/apollo/k1", ones.as_str()),
            ("heuristics/apollo/radius", "0"),
        ];
        let (found, report) = only_apollo(file, values.clone(), &set);
        assert!(
            found.is_some_and(|found| (found - best).abs() < 1e-6),
            "{strategy}: {found:?}, optimum {best}"
        );
        let first = &report.rounds[0];
        assert!(first.found.is_some_and(|found| (found - best).abs() < 1e-6), "{strategy}: {first:?}");
    }
}

/// Each fixing rule with a prediction that is right in all but one place.
#[test]
fn fixing_rules_differ_where_prediction_and_reference_do() {
    let folder = Folder::new("rules");
    let file = folder.path("cover.lp");
    std::fs::write(&file, support::set_cover(120, 100)).unwrap();
    let file = file.to_str().unwrap();
    let (_, mut values) = optimum(file);
    // One variable of the optimum is predicted wrong. The region lets the search put it right.
    let wrong = values.iter().position(|value| *value > 0.5).unwrap();
    values[wrong] = 0.0;
    // Not all of the zeros: presolve may take some away, and a one would be predicted as 0 in their place.
    let zeros = (values.iter().filter(|value| **value < 0.5).count() - 20).to_string();
    let values = Rc::new(values);
    let newly_fixed = |rule: &str| {
        let set = [
            ("heuristics/apollo/fixing", rule),
            ("heuristics/apollo/k0", zeros.as_str()),
            ("heuristics/apollo/k1", "0"),
            ("heuristics/apollo/radius", "1"),
            ("heuristics/apollo/ueboshare", "0.25"),
        ];
        let (_, report) = only_apollo(file, values.clone(), &set);
        (report.rounds[0].zeros + report.rounds[0].ones, report.rounds[0].newly_fixed)
    };
    let (predicted, consistent) = newly_fixed("consistent");
    assert_eq!(consistent, predicted - 1, "all but the one that the reference has at 1");
    assert_eq!(newly_fixed("predicted").1, predicted);
    assert_eq!(newly_fixed("reference").1, predicted);
    assert_eq!(newly_fixed("uebo").1, (0.25 * predicted as f64).round() as usize);
}
