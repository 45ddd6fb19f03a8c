//! The network as a list of layers, written once and read twice: the [`tape`](super::tape) computes
//! it, the [`export`](super::export) writes it down as ONNX. So they cannot differ.
//!
//! ```text
//!   variables ──► embed ──┬────────────► C→V ─────────┬───────────► C→V ──► heads ──► logits
//!                         ▼               ▲           ▼              ▲
//!   constraints ► embed ► V→C ────────────┴────────► V→C ────────────┘
//! ```
//!
//! A half-convolution sends messages from one side to the other:
//!
//! ```text
//!   sum_t = Σ_{edges (t, s)} ReLU(LayerNorm(Linear(t) + Linear(s) + coefficient · w))
//!   t'    = Linear(ReLU(Linear([ LayerNorm(Linear(sum_t)), t ])))
//! ```
//!
//! The Linear of a message stands behind the sum, with which it commutes; its bias then counts once for
//! each edge. The LayerNorm behind it keeps the numbers in hand where a node has thousands of edges;
//! how many there are is not lost, because the degree is among the features.

use super::gnn::Config;
use crate::graph::Features;

/// The two kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Variables = 0,
    Constraints = 1,
}

impl Side {
    pub(super) const BOTH: [Side; 2] = [Side::Variables, Side::Constraints];

    pub(super) fn other(self) -> Side {
        if self == Side::Variables { Side::Constraints } else { Side::Variables }
    }

    pub(super) fn name(self) -> &'static str {
        ["variables", "constraints"][self as usize]
    }

    /// The names of the features of each node.
    pub(super) fn columns(self, features: Features) -> Vec<String> {
        match self {
            Side::Variables => features.variable_columns(),
            Side::Constraints => features.constraint_columns(),
        }
    }

    /// Numbers for each node.
    pub(super) fn width(self, features: Features) -> usize {
        match self {
            Side::Variables => features.variable_width(),
            Side::Constraints => features.constraint_width(),
        }
    }
}

/// The place of a parameter in the network's list.
pub(super) type Id = usize;

/// A Linear's bias.
#[derive(Clone, Copy)]
pub(super) enum Bias {
    None,
    Once(Id),
    /// Once for each edge of the node.
    EachEdge(Id, Side),
}

/// Gain and bias of a LayerNorm.
#[derive(Clone, Copy)]
pub(super) struct Norm {
    pub gain: Id,
    pub bias: Id,
}

/// Whatever can go through the layers.
pub(super) trait Machine {
    type Value;

    /// The features of one side, squashed and standardised.
    fn features(&mut self, side: Side) -> Self::Value;

    /// Σ value · weight + bias, and ReLU if so wished.
    fn linear(&mut self, terms: &[(&Self::Value, Id)], bias: Bias, relu: bool) -> Self::Value;

    /// LayerNorm of each row.
    fn norm(&mut self, value: &Self::Value, norm: Norm) -> Self::Value;

    /// The sum of the messages to each node of `to`; `edge` weighs the coefficient.
    fn messages(
        &mut self,
        to: Side,
        target: &Self::Value,
        source: &Self::Value,
        edge: Id,
        norm: Norm,
    ) -> Self::Value;
}

/// How a parameter starts.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// Uniform within ± 1/√(numbers that come in).
    Uniform(usize),
    Constant(f64),
}

/// A parameter that is to be made.
pub(super) struct Plan {
    pub name: String,
    pub shape: Vec<usize>,
    pub start: Start,
}

#[derive(Clone, Copy)]
struct Linear {
    weight: Id,
    bias: Id,
}

struct Convolution {
    target: Linear,
    source: Id,
    edge: Id,
    message_norm: Norm,
    message: Linear,
    sum_norm: Norm,
    update_sum: Linear,
    update_own: Id,
    output: Linear,
}

/// All layers.
pub(super) struct Architecture {
    pub plans: Vec<Plan>,
    embed: [[Linear; 2]; 2],
    convolutions: Vec<Convolution>,
    head: [Linear; 2],
    selection: Option<[Linear; 2]>,
    bits: Option<[Linear; 2]>,
}

/// What comes out: one column each, and of the bits as many as the configuration says.
pub(super) struct Heads<Value> {
    pub logits: Value,
    pub selection: Option<Value>,
    pub bits: Option<Value>,
}

struct Planner(Vec<Plan>);

impl Planner {
    fn add(&mut self, name: String, shape: &[usize], start: Start) -> Id {
        self.0.push(Plan { name, shape: shape.to_vec(), start });
        self.0.len() - 1
    }

    fn weight(&mut self, name: &str, inner: usize, columns: usize) -> Id {
        self.add(format!("{name}.weight"), &[inner, columns], Start::Uniform(inner))
    }

    fn linear(&mut self, name: &str, inner: usize, columns: usize) -> Linear {
        let weight = self.weight(name, inner, columns);
        Linear { weight, bias: self.add(format!("{name}.bias"), &[columns], Start::Uniform(inner)) }
    }

    fn norm(&mut self, name: &str, width: usize) -> Norm {
        let gain = self.add(format!("{name}.gain"), &[width], Start::Constant(1.0));
        Norm { gain, bias: self.add(format!("{name}.bias"), &[width], Start::Constant(0.0)) }
    }

    /// Two Linears with a ReLU between them.
    fn two(&mut self, name: &str, inner: usize, width: usize, columns: usize) -> [Linear; 2] {
        [self.linear(&format!("{name}.0"), inner, width), self.linear(&format!("{name}.1"), width, columns)]
    }

    fn convolution(&mut self, name: &str, width: usize) -> Convolution {
        Convolution {
            target: self.linear(&format!("{name}.target"), width, width),
            source: self.weight(&format!("{name}.source"), width, width),
            edge: self.weight(&format!("{name}.edge"), 1, width),
            message_norm: self.norm(&format!("{name}.message_norm"), width),
            message: self.linear(&format!("{name}.message"), width, width),
            sum_norm: self.norm(&format!("{name}.sum_norm"), width),
            update_sum: self.linear(&format!("{name}.update_sum"), width, width),
            update_own: self.weight(&format!("{name}.update_own"), width, width),
            output: self.linear(&format!("{name}.output"), width, width),
        }
    }
}

impl Architecture {
    pub(super) fn new(config: &Config) -> Architecture {
        let (mut planner, width) = (Planner(vec![]), config.width);
        let embed = Side::BOTH.map(|side| {
            planner.two(&format!("embed.{}", side.name()), side.width(config.features), width, width)
        });
        let convolutions = (0..config.convolutions)
            .map(|k| planner.convolution(&format!("convolution.{k}"), width))
            .collect();
        let head = planner.two("head", width, width, 1);
        let selection = config.selection.then(|| planner.two("selection", width, width, 1));
        let bits = (config.bits > 0).then(|| planner.two("bits", width, width, config.bits));
        Architecture { plans: planner.0, embed, convolutions, head, selection, bits }
    }

    /// Sends a machine through the layers.
    pub(super) fn run<M: Machine>(&self, machine: &mut M) -> Heads<M::Value> {
        let mut nodes = Side::BOTH.map(|side| {
            let features = machine.features(side);
            let [first, second] = self.embed[side as usize];
            let hidden = machine.linear(&[(&features, first.weight)], Bias::Once(first.bias), true);
            machine.linear(&[(&hidden, second.weight)], Bias::Once(second.bias), true)
        });
        for (k, layer) in self.convolutions.iter().enumerate() {
            let to = if k % 2 == 0 { Side::Constraints } else { Side::Variables };
            let (own, other) = (&nodes[to as usize], &nodes[to.other() as usize]);
            let target = machine.linear(&[(own, layer.target.weight)], Bias::Once(layer.target.bias), false);
            let source = machine.linear(&[(other, layer.source)], Bias::None, false);
            let sum = machine.messages(to, &target, &source, layer.edge, layer.message_norm);
            let bias = Bias::EachEdge(layer.message.bias, to);
            let sum = machine.linear(&[(&sum, layer.message.weight)], bias, false);
            let sum = machine.norm(&sum, layer.sum_norm);
            let update = machine.linear(
                &[(&sum, layer.update_sum.weight), (own, layer.update_own)],
                Bias::Once(layer.update_sum.bias),
                true,
            );
            let bias = Bias::Once(layer.output.bias);
            nodes[to as usize] = machine.linear(&[(&update, layer.output.weight)], bias, false);
        }
        let mut ask = |[first, second]: [Linear; 2]| {
            let own = &nodes[Side::Variables as usize];
            let hidden = machine.linear(&[(own, first.weight)], Bias::Once(first.bias), true);
            machine.linear(&[(&hidden, second.weight)], Bias::Once(second.bias), false)
        };
        let (logits, selection) = (ask(self.head), self.selection.map(&mut ask));
        Heads { logits, selection, bits: self.bits.map(ask) }
    }
}
