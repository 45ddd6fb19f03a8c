//! The network as a model file (docs/MODELS.md).
//!
//! Message passing is written as a function of the file's own, `apollo.EdgeConv`, with a body of
//! standard operators. Apollo has an operator of that name ([`kernel`](super::kernel)) and ONNX Runtime
//! takes it instead of the body; every other runtime takes the body. The body sums with
//! ScatterElements: ScatterND loses summands on several threads of ONNX Runtime's CPU provider.

use super::architecture::{Architecture, Bias, Id, Machine, Norm, Side};
use super::gnn::Network;
use super::input::degree_column;
use super::kernel::EPSILON;
use super::weights::tables;
use crate::onnx::file::{
    self, Attribute, FLOAT, Function, Graph, INT64, Model, Node, TensorData, entry, floats, index, integer,
    node, opset, value,
};
use crate::onnx::operator::{DOMAIN, EDGE_CONV};

/// The version of the standard operators.
const OPSET: i64 = 18;

/// The version of the file format that has functions and this opset.
const IR_VERSION: i64 = 8;

/// What a model file says about itself besides what must be in it.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The family of problems that it was trained on; empty if there is no such family.
    pub family: String,
    /// More entries: what it was trained on, how good it is, which schedule suits it.
    pub entries: Vec<(String, String)>,
}

/// The bytes of the model file.
pub fn onnx(network: &Network<f32>, about: &About) -> Vec<u8> {
    file::bytes(&model(network, about))
}

/// The model file before it is bytes.
pub fn model(network: &Network<f32>, about: &About) -> Model {
    let mut writer = Writer::new(network);
    let heads = Architecture::new(&network.config()).run(&mut writer);
    let mut output = vec![];
    let selection = heads.selection.map(|column| (column, "selection"));
    for (column, name) in std::iter::once((heads.logits, "probabilities")).chain(selection) {
        let logits = writer.add("Squeeze", &[&column, "one"], vec![]);
        writer.nodes.push(node("Sigmoid", &[&logits], name, vec![]));
        output.push(value(name, FLOAT, &["n"]));
    }
    if let Some(logits) = heads.bits {
        writer.nodes.push(node("Sigmoid", &[&logits], "bits", vec![]));
        output.push(value("bits", FLOAT, &["n", &network.config().bits.to_string()]));
    }
    let features = network.config().features;
    let width = |side: Side| side.width(features).to_string();
    let graph = Graph {
        node: writer.nodes,
        name: "apollo".into(),
        initializer: writer.tables,
        input: vec![
            value("variables", FLOAT, &["n", &width(Side::Variables)]),
            value("constraints", FLOAT, &["m", &width(Side::Constraints)]),
            value("edges", INT64, &["2", "e"]),
            value("coefficients", FLOAT, &["e", "1"]),
        ],
        output,
    };
    let mut metadata = vec![
        entry("features", &features.version().to_string()),
        entry("variable_columns", &features.variable_columns().join(",")),
        entry("constraint_columns", &features.constraint_columns().join(",")),
    ];
    if !about.family.is_empty() {
        metadata.push(entry("family", &about.family));
    }
    metadata.extend(about.entries.iter().map(|(key, value)| entry(key, value)));
    Model {
        ir_version: IR_VERSION,
        producer_name: env!("CARGO_PKG_NAME").into(),
        producer_version: env!("CARGO_PKG_VERSION").into(),
        graph: Some(graph),
        opset: vec![opset("", OPSET), opset(DOMAIN, 1)],
        metadata,
        functions: vec![edge_conv()],
    }
}

fn layer_norm(inputs: &[&str], output: &str) -> Node {
    let attributes = vec![integer("axis", -1), file::float("epsilon", EPSILON as f32)];
    node("LayerNormalization", inputs, output, attributes)
}

/// Message passing in standard operators.
fn edge_conv() -> Function {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let zero = file::table("value", floats("zero", &[1], &[0.0]));
    let one = file::table("value", index("one", &[1], 1));
    let scatter = vec![integer("axis", 0), file::word("reduction", "add")];
    Function {
        name: EDGE_CONV.into(),
        domain: DOMAIN.into(),
        doc:
            "For each target the sum of ReLU(LayerNorm(target + source + coefficient * edge)) over its edges."
                .into(),
        input: names(&["target", "source", "edge", "gain", "bias", "to", "from", "coefficient"]),
        output: names(&["sum"]),
        opset: vec![opset("", OPSET)],
        node: vec![
            node("Gather", &["source", "from"], "sent", vec![]),
            node("Gather", &["target", "to"], "received", vec![]),
            node("Gemm", &["coefficient", "edge", "sent"], "weighed", vec![]),
            node("Add", &["weighed", "received"], "mixed", vec![]),
            layer_norm(&["mixed", "gain", "bias"], "normal"),
            node("Relu", &["normal"], "message", vec![]),
            node("Shape", &["target"], "target_shape", vec![]),
            node("ConstantOfShape", &["target_shape"], "zeros", vec![zero]),
            node("Constant", &[], "one", vec![one]),
            node("Unsqueeze", &["to", "one"], "to_column", vec![]),
            node("Shape", &["message"], "message_shape", vec![]),
            node("Expand", &["to_column", "message_shape"], "to_table", vec![]),
            node("ScatterElements", &["zeros", "to_table", "message"], "sum", scatter),
        ],
    }
}

/// Writes down each layer as operators. A value is the name of what computes it.
struct Writer {
    nodes: Vec<Node>,
    tables: Vec<TensorData>,
    /// The names of the parameters.
    names: Vec<String>,
}

impl Writer {
    fn new(network: &Network<f32>) -> Writer {
        let mut all: Vec<TensorData> =
            tables(network).into_iter().map(|(name, shape, data)| floats(&name, &shape, data)).collect();
        all.extend([index("first", &[], 0), index("second", &[], 1), index("one", &[1], 1)]);
        for side in Side::BOTH {
            let name = format!("degree_column.{}", side.name());
            all.push(index(&name, &[1], degree_column(side) as i64));
        }
        let names = network.parameters().iter().map(|parameter| parameter.name.clone()).collect();
        let mut writer = Writer { nodes: vec![], tables: all, names };
        writer.scaled("coefficients");
        for (side, row) in [(Side::Variables, "second"), (Side::Constraints, "first")] {
            let ends = format!("ends.{}", side.name());
            writer.nodes.push(node("Gather", &["edges", row], &ends, vec![integer("axis", 0)]));
            let (degree, column) =
                (format!("degree.{}", side.name()), format!("degree_column.{}", side.name()));
            writer.nodes.push(node("Gather", &[side.name(), &column], &degree, vec![integer("axis", 1)]));
        }
        writer
    }

    /// Appends an operator and returns the name of its output.
    fn add(&mut self, op: &str, inputs: &[&str], attributes: Vec<Attribute>) -> String {
        let output = format!("{}.{}", op.to_lowercase(), self.nodes.len());
        self.nodes.push(node(op, inputs, &output, attributes));
        output
    }

    /// An input, squashed and standardised: `<name>.scaled`.
    fn scaled(&mut self, name: &str) -> String {
        let squashed = self.add("Asinh", &[name], vec![]);
        let shifted = self.add("Sub", &[&squashed, &format!("prenorm.{name}.shift")], vec![]);
        let scaled = format!("{name}.scaled");
        self.nodes.push(node("Mul", &[&shifted, &format!("prenorm.{name}.scale")], &scaled, vec![]));
        scaled
    }
}

impl Machine for Writer {
    type Value = String;

    fn features(&mut self, side: Side) -> String {
        self.scaled(side.name())
    }

    fn linear(&mut self, terms: &[(&String, Id)], bias: Bias, relu: bool) -> String {
        let mut sum = match bias {
            Bias::None => None,
            Bias::Once(id) => Some(self.names[id].clone()),
            Bias::EachEdge(id, side) => {
                let (degree, bias) = (format!("degree.{}", side.name()), self.names[id].clone());
                Some(self.add("Mul", &[&degree, &bias], vec![]))
            }
        };
        for &(value, weight) in terms {
            let weight = self.names[weight].clone();
            let inputs: Vec<&str> = [value, &weight].into_iter().chain(&sum).map(String::as_str).collect();
            sum = Some(self.add("Gemm", &inputs, vec![]));
        }
        let sum = sum.expect("a Linear has a term");
        if relu { self.add("Relu", &[&sum], vec![]) } else { sum }
    }

    fn norm(&mut self, value: &String, norm: Norm) -> String {
        let output = format!("layernormalization.{}", self.nodes.len());
        self.nodes.push(layer_norm(&[value, &self.names[norm.gain], &self.names[norm.bias]], &output));
        output
    }

    fn messages(&mut self, to: Side, target: &String, source: &String, edge: Id, norm: Norm) -> String {
        let [edge, gain, bias] = [edge, norm.gain, norm.bias].map(|id| self.names[id].clone());
        let ends = |side: Side| format!("ends.{}", side.name());
        let inputs: [&str; 8] =
            [target, source, &edge, &gain, &bias, &ends(to), &ends(to.other()), "coefficients.scaled"];
        let sum = self.add(EDGE_CONV, &inputs, vec![]);
        if let Some(node) = self.nodes.last_mut() {
            node.domain = DOMAIN.into();
        }
        sum
    }
}
