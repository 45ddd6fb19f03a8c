//! A small network, written as an ONNX file: what the ONNX predictor is tested with.
//!
//! One round of message passing with given weights, so that the right answer can be computed by hand:
//!
//! ```text
//!   p_j = σ( w · variable_j + Σ_{i ∋ j} coefficient_ij · (u · constraint_i) )
//! ```

use apollo_scip::onnx::file::{
    FLOAT, Graph, INT64, Model, bytes, entry, floats, index, integer, node, opset, value, word,
};
use std::path::Path;

/// The network with these weights, keeping the contract of docs/MODELS.md.
pub fn network(variable_weights: &[f32], constraint_weights: &[f32]) -> Model {
    let axis = || integer("axis", 0);
    let add = word("reduction", "add");
    let nodes = vec![
        node("MatMul", &["constraints", "u"], "about_constraint", vec![]),
        node("MatMul", &["variables", "w"], "about_variable", vec![]),
        node("Gather", &["edges", "first"], "edge_constraint", vec![axis()]),
        node("Gather", &["edges", "second"], "edge_variable", vec![axis()]),
        node("Gather", &["about_constraint", "edge_constraint"], "heard", vec![axis()]),
        node("Mul", &["heard", "coefficients"], "message", vec![]),
        node("Sub", &["about_variable", "about_variable"], "zeros", vec![]),
        node("Unsqueeze", &["edge_variable", "axes"], "place", vec![]),
        node("ScatterElements", &["zeros", "place", "message"], "messages", vec![axis(), add]),
        node("Add", &["about_variable", "messages"], "sum", vec![]),
        node("Squeeze", &["sum", "axes"], "logit", vec![]),
        node("Sigmoid", &["logit"], "probabilities", vec![]),
    ];
    let (width, height) = (variable_weights.len().to_string(), constraint_weights.len().to_string());
    let graph = Graph {
        node: nodes,
        name: "small".to_string(),
        initializer: vec![
            floats("w", &[variable_weights.len(), 1], variable_weights),
            floats("u", &[constraint_weights.len(), 1], constraint_weights),
            index("first", &[], 0),
            index("second", &[], 1),
            index("axes", &[1], 1),
        ],
        input: vec![
            value("variables", FLOAT, &["n", &width]),
            value("constraints", FLOAT, &["m", &height]),
            value("edges", INT64, &["2", "e"]),
            value("coefficients", FLOAT, &["e", "1"]),
        ],
        output: vec![value("probabilities", FLOAT, &["n"])],
    };
    Model {
        ir_version: 9,
        graph: Some(graph),
        opset: vec![opset("", 18)],
        metadata: vec![entry("features", "1"), entry("family", "test")],
        ..Model::default()
    }
}

/// Weights that predict 1 for cheap variables in few rows.
pub fn cheap_is_one() -> Model {
    let mut weights = [0.0; 18];
    weights[0] = -6.0;
    network(&weights, &[0.0, 0.0, 0.1, 0.0])
}

/// Writes it.
pub fn write(model: &Model, path: &Path) {
    std::fs::write(path, bytes(model)).expect("the file is written");
}
