//! Apollo in a Rust program: `cargo run --release --example russcip -- problem.mps`

use russcip::prelude::*;

/// What is solved when no file is named.
const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/host_knapsack.mps");

fn main() {
    let file = std::env::args().nth(1).unwrap_or_else(|| SMALL.to_string());

    let model = Model::new().include_default_plugins();
    apollo_scip::include(&model).expect("the SCIP in this program is version 10");

    let model = model
        .set_longint_param("heuristics/apollo/minbinaries", 1) // Run on the smallest problem too …
        .and_then(|model| model.set_longint_param("heuristics/apollo/budget/nodes", 50)) // … but not for long.
        .expect("these are parameters of Apollo")
        .read_prob(&file)
        .expect("SCIP can read the file")
        .solve();

    println!("status {:?}, objective {}", model.status(), model.obj_val());
    match apollo_scip::scip::report(&model) {
        Some(report) => {
            println!("Apollo searched {} times with the {} predictor", report.rounds.len(), report.predictor)
        }
        None => println!("Apollo stayed out: the problem was solved before its turn, or has no binaries"),
    }
}
