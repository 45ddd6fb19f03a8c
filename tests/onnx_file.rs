//! A small network, written as an ONNX file: what the ONNX predictor is tested with.
//!
//! One round of message passing with given weights, so that the right answer can be computed by hand:
//!
//! ```text
//!   p_j = σ( w · variable_j + Σ_{i ∋ j} coefficient_ij · (u · constraint_i) )
//! ```
//!
//! The structs are the few parts of onnx.proto that it takes, with the official field numbers.

use prost::Message;
use std::path::Path;

#[derive(Clone, PartialEq, Message)]
pub struct Model {
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    #[prost(message, optional, tag = "7")]
    pub graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub opset: Vec<Opset>,
    #[prost(message, repeated, tag = "14")]
    pub metadata: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Opset {
    #[prost(string, tag = "1")]
    pub domain: String,
    #[prost(int64, tag = "2")]
    pub version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Entry {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, tag = "2")]
    pub value: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<Node>,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorData>,
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfo>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Node {
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    #[prost(string, tag = "3")]
    pub name: String,
    #[prost(string, tag = "4")]
    pub op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub s: Option<Vec<u8>>,
    #[prost(int32, tag = "20")]
    pub kind: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct TensorData {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    #[prost(string, tag = "8")]
    pub name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub raw: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ValueInfo {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub kind: Option<Type>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Type {
    #[prost(message, optional, tag = "1")]
    pub tensor: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TensorType {
    #[prost(int32, tag = "1")]
    pub element: i32,
    #[prost(message, optional, tag = "2")]
    pub shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<Dim>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Dim {
    #[prost(int64, optional, tag = "1")]
    pub value: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub symbol: Option<String>,
}

const FLOAT: i32 = 1;
const INT64: i32 = 7;

fn floats(name: &str, dims: &[i64], values: &[f32]) -> TensorData {
    let raw = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    TensorData { dims: dims.to_vec(), data_type: FLOAT, name: name.to_string(), raw }
}

fn index(name: &str, dims: &[i64], value: i64) -> TensorData {
    TensorData {
        dims: dims.to_vec(),
        data_type: INT64,
        name: name.to_string(),
        raw: value.to_le_bytes().to_vec(),
    }
}

/// A tensor; a size is a number or a name for "any".
fn value(name: &str, element: i32, sizes: &[&str]) -> ValueInfo {
    let dim = |size: &&str| match size.parse() {
        Ok(value) => Dim { value: Some(value), symbol: None },
        Err(_) => Dim { value: None, symbol: Some(size.to_string()) },
    };
    let shape = Some(Shape { dim: sizes.iter().map(dim).collect() });
    ValueInfo { name: name.to_string(), kind: Some(Type { tensor: Some(TensorType { element, shape }) }) }
}

fn node(op: &str, inputs: &[&str], output: &str, attribute: Vec<Attribute>) -> Node {
    Node {
        input: inputs.iter().map(|input| input.to_string()).collect(),
        output: vec![output.to_string()],
        name: output.to_string(),
        op_type: op.to_string(),
        attribute,
    }
}

/// The network with these weights, keeping the contract of docs/MODELS.md.
pub fn network(variable_weights: &[f32], constraint_weights: &[f32]) -> Model {
    let axis = || Attribute { name: "axis".into(), i: Some(0), s: None, kind: 2 };
    let add = Attribute { name: "reduction".into(), i: None, s: Some(b"add".to_vec()), kind: 3 };
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
            floats("w", &[variable_weights.len() as i64, 1], variable_weights),
            floats("u", &[constraint_weights.len() as i64, 1], constraint_weights),
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
        opset: vec![Opset { domain: String::new(), version: 18 }],
        metadata: vec![
            Entry { key: "features".into(), value: "1".into() },
            Entry { key: "family".into(), value: "test".into() },
        ],
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
    std::fs::write(path, model.encode_to_vec()).expect("the file is written");
}
