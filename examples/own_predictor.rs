//! A predictor of your own, here a greedy one: `cargo run --release --example own_predictor -- problem.mps`

use apollo_scip::prediction::{Prediction, Predictor, Question};
use russcip::prelude::*;

/// What is solved when no file is named.
const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/host_knapsack.mps");

/// Variables that make the objective better are likely 1, those that make it worse likely 0.
struct Greedy;

impl Predictor for Greedy {
    fn name(&self) -> String {
        "greedy".to_string()
    }

    /// One probability for each column that the fixings of earlier rounds have left.
    fn predict(&mut self, question: &Question<'_>) -> apollo_scip::Result<Prediction> {
        let cost = &question.reduced.problem.objective; // Always to be minimised.
        let largest = cost.iter().fold(1e-9, |most: f64, c| most.max(c.abs()));
        Ok(Prediction::new(cost.iter().map(|c| 0.5 - 0.4 * c / largest).collect()))
    }
}

fn main() {
    let file = std::env::args().nth(1).unwrap_or_else(|| SMALL.to_string());

    let model = Model::new().include_default_plugins();
    apollo_scip::include_with(&model, Box::new(|| Box::new(Greedy)))
        .expect("the SCIP in this program is version 10");

    let model = model
        .set_longint_param("heuristics/apollo/minbinaries", 1)
        .and_then(|model| model.set_longint_param("heuristics/apollo/budget/nodes", 50))
        .expect("these are parameters of Apollo")
        .read_prob(&file)
        .expect("SCIP can read the file")
        .solve();
    println!("status {:?}, objective {}", model.status(), model.obj_val());
}
