//! The parts of onnx.proto that a network takes, declared by hand with the official field numbers, and
//! short ways to fill them in.
#![allow(missing_docs)] // The fields are those of onnx.proto, where each is described.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub struct Model {
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    #[prost(string, tag = "2")]
    pub producer_name: String,
    #[prost(string, tag = "3")]
    pub producer_version: String,
    #[prost(message, optional, tag = "7")]
    pub graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub opset: Vec<Opset>,
    #[prost(message, repeated, tag = "14")]
    pub metadata: Vec<Entry>,
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<Function>,
}

/// A model of which nothing but the metadata is read.
#[derive(Clone, PartialEq, Message)]
pub struct Metadata {
    #[prost(message, repeated, tag = "14")]
    pub entries: Vec<Entry>,
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
pub struct Function {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, repeated, tag = "4")]
    pub input: Vec<String>,
    #[prost(string, repeated, tag = "5")]
    pub output: Vec<String>,
    #[prost(message, repeated, tag = "7")]
    pub node: Vec<Node>,
    #[prost(string, tag = "8")]
    pub doc: String,
    #[prost(message, repeated, tag = "9")]
    pub opset: Vec<Opset>,
    #[prost(string, tag = "10")]
    pub domain: String,
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
    #[prost(string, tag = "7")]
    pub domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub s: Option<Vec<u8>>,
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorData>,
    #[prost(message, optional, tag = "6")]
    pub g: Option<Graph>,
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
    #[prost(message, repeated, tag = "13")]
    pub external: Vec<Entry>,
    #[prost(int32, tag = "14")]
    pub location: i32,
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

/// The element type `float`.
pub const FLOAT: i32 = 1;
/// The element type `int64`.
pub const INT64: i32 = 7;

fn dims(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|&side| side as i64).collect()
}

/// A table of floats.
pub fn floats(name: &str, shape: &[usize], values: &[f32]) -> TensorData {
    let raw = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    TensorData { dims: dims(shape), data_type: FLOAT, name: name.to_string(), raw, ..TensorData::default() }
}

/// A table with one index in it.
pub fn index(name: &str, shape: &[usize], value: i64) -> TensorData {
    let raw = value.to_le_bytes().to_vec();
    TensorData { dims: dims(shape), data_type: INT64, name: name.to_string(), raw, ..TensorData::default() }
}

/// An input or output; a size is a number or a name for "any".
pub fn value(name: &str, element: i32, sizes: &[&str]) -> ValueInfo {
    let dim = |size: &&str| match size.parse() {
        Ok(value) => Dim { value: Some(value), symbol: None },
        Err(_) => Dim { value: None, symbol: Some(size.to_string()) },
    };
    let shape = Some(Shape { dim: sizes.iter().map(dim).collect() });
    ValueInfo { name: name.to_string(), kind: Some(Type { tensor: Some(TensorType { element, shape }) }) }
}

/// A standard operator with one output, which gives it its name.
pub fn node(op: &str, inputs: &[&str], output: &str, attribute: Vec<Attribute>) -> Node {
    Node {
        input: inputs.iter().map(|input| input.to_string()).collect(),
        output: vec![output.to_string()],
        name: output.to_string(),
        op_type: op.to_string(),
        attribute,
        domain: String::new(),
    }
}

/// An attribute that is a number.
pub fn float(name: &str, value: f32) -> Attribute {
    Attribute { name: name.into(), f: Some(value), kind: 1, ..Attribute::default() }
}

/// An attribute that is an integer.
pub fn integer(name: &str, value: i64) -> Attribute {
    Attribute { name: name.into(), i: Some(value), kind: 2, ..Attribute::default() }
}

/// An attribute that is a word.
pub fn word(name: &str, value: &str) -> Attribute {
    Attribute { name: name.into(), s: Some(value.into()), kind: 3, ..Attribute::default() }
}

/// An attribute that is a table.
pub fn table(name: &str, value: TensorData) -> Attribute {
    Attribute { name: name.into(), t: Some(value), kind: 4, ..Attribute::default() }
}

/// A set of operators and its version.
pub fn opset(domain: &str, version: i64) -> Opset {
    Opset { domain: domain.into(), version }
}

/// An entry of the metadata.
pub fn entry(key: &str, value: &str) -> Entry {
    Entry { key: key.into(), value: value.into() }
}

/// The metadata in the bytes of a model file; none if they are no such file.
pub fn metadata(bytes: &[u8]) -> Option<Vec<Entry>> {
    Metadata::decode(bytes).ok().map(|metadata| metadata.entries)
}

/// The model in the bytes of a file; none if they are no such file.
pub fn read(bytes: &[u8]) -> Option<Model> {
    Model::decode(bytes).ok()
}

impl Model {
    /// A table whose numbers are in another file, if there is one.
    pub fn outside(&self) -> Option<&str> {
        fn of_node(node: &Node) -> Option<&str> {
            node.attribute.iter().find_map(|attribute| {
                let table = attribute.t.as_ref().and_then(of_table);
                table.or_else(|| attribute.g.as_ref().and_then(of_graph))
            })
        }
        fn of_table(table: &TensorData) -> Option<&str> {
            (table.location != 0 || !table.external.is_empty()).then_some(&table.name)
        }
        fn of_graph(graph: &Graph) -> Option<&str> {
            graph.initializer.iter().find_map(of_table).or_else(|| graph.node.iter().find_map(of_node))
        }
        let functions = || self.functions.iter().flat_map(|function| &function.node).find_map(of_node);
        self.graph.as_ref().and_then(of_graph).or_else(functions)
    }
}

/// The bytes of a model file.
pub fn bytes(model: &Model) -> Vec<u8> {
    model.encode_to_vec()
}
