//! A small network, written as an ONNX file: what the ONNX predictor is tested with.
//!
//! One round of message passing with given weights, so that the right answer can be computed by hand:
//!
//! ```text
//!   p_j = σ( w · variable_j + Σ_{i ∋ j} coefficient_ij · (u · constraint_i) )
//! ```

use apollo_scip::onnx::file::{
    Attribute, FLOAT, Graph, INT64, Model, Node, TensorData, bytes, entry, floats, index, integer, node,
    opset, value, word,
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

/// Files that mean harm: (name, file, a word of the refusal).
pub fn harmful() -> Vec<(&'static str, Model, &'static str)> {
    let changed = |change: &dyn Fn(&mut Graph)| {
        let mut model = cheap_is_one();
        change(model.graph.as_mut().expect("it has one"));
        model
    };
    // Its last operator takes what `before` makes of the logits.
    let squashed = |graph: &mut Graph, before: Vec<Node>, input: &str| {
        let last = graph.node.pop().expect("the sigmoid");
        graph.node.extend(before);
        graph.node.push(node("Sigmoid", &[input], &last.output[0], vec![]));
    };
    let scalar = |name: &str, kind: i32, raw: Vec<u8>| TensorData {
        name: name.into(),
        data_type: kind,
        raw,
        ..TensorData::default()
    };
    let outside = |graph: &mut Graph, place: &str| {
        graph.initializer[0].raw.clear();
        graph.initializer[0].location = 1;
        graph.initializer[0].external = vec![entry("location", place), entry("length", "72")];
    };
    vec![
        (
            "circle",
            changed(&|graph| {
                let circle = vec![
                    node("Add", &["logit", "b"], "a", vec![]),
                    node("Add", &["a", "logit"], "b", vec![]),
                ];
                squashed(graph, circle, "b");
            }),
            "",
        ),
        (
            "endless",
            changed(&|graph| {
                let body = Graph {
                    name: "body".into(),
                    node: vec![
                        node("Identity", &["go"], "go_on", vec![]),
                        node("Identity", &["x"], "y", vec![]),
                    ],
                    input: vec![value("i", INT64, &[]), value("go", 9, &[]), value("x", FLOAT, &["n"])],
                    output: vec![value("go_on", 9, &[]), value("y", FLOAT, &["n"])],
                    ..Graph::default()
                };
                graph.initializer.push(scalar("times", INT64, i64::MAX.to_le_bytes().to_vec()));
                graph.initializer.push(scalar("yes", 9, vec![1]));
                let body = Attribute { name: "body".into(), g: Some(body), kind: 5, ..Attribute::default() };
                squashed(graph, vec![node("Loop", &["times", "yes", "logit"], "late", vec![body])], "late");
            }),
            "does not run",
        ),
        ("huge", changed(&|graph| graph.initializer[0].dims = vec![1 << 40, 1 << 20]), ""),
        ("negative", changed(&|graph| graph.initializer[0].dims = vec![-18, -1]), ""),
        (
            "greedy",
            changed(&|graph| {
                graph.initializer.push(index("much", &[1], 1 << 50));
                let much = vec![
                    node("ConstantOfShape", &["much"], "zeros_everywhere", vec![]),
                    node("ReduceSum", &["zeros_everywhere"], "nothing", vec![]),
                    node("Add", &["logit", "nothing"], "more", vec![]),
                ];
                squashed(graph, much, "more");
            }),
            "",
        ),
        ("absolute", changed(&|graph| outside(graph, "/etc/hostname")), "in another file"),
        ("relative", changed(&|graph| outside(graph, "../../weights.bin")), "in another file"),
        (
            "version",
            {
                let mut model = cheap_is_one();
                model.metadata[0].value = "9".into();
                model
            },
            "features version 9",
        ),
        ("width", network(&[0.0; 12], &[0.0; 4]), "of width 12"),
        ("nan", network(&[f32::NAN; 18], &[0.0; 4]), "not one probability each"),
    ]
}

/// Writes it.
pub fn write(model: &Model, path: &Path) {
    std::fs::write(path, bytes(model)).expect("the file is written");
}
