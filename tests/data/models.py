"""Writes the tests' ONNX models anew: pip install onnx; python3 tests/data/models.py

mean.onnx     keeps the contract of docs/MODELS.md: sigmoid of the mean of a variable's features
drifting.onnx the same times the number of variables / 3: right for the probe that a model is loaded
              with (three variables), no probability any more on real problems
foreign.onnx  a sound model that has nothing to do with Apollo: y = x
"""

import pathlib

import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64


def save(name, nodes, inputs, outputs, constants=(), metadata=()):
    info = lambda entry: helper.make_tensor_value_info(*entry)
    graph = helper.make_graph(nodes, name, [info(i) for i in inputs], [info(o) for o in outputs], list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="apollo tests")
    model.ir_version = 8
    helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model)
    onnx.save(model, HERE / f"{name}.onnx")


def constant(name, value, kind):
    return helper.make_tensor(name, kind, [], [value])


INPUTS = [
    ("variables", FLOAT, ["n", 18]),
    ("constraints", FLOAT, ["m", 4]),
    ("edges", INT, [2, "e"]),
    ("coefficients", FLOAT, ["e", 1]),
]
OUTPUT = [("probabilities", FLOAT, ["n"])]
MEAN = helper.make_node("ReduceMean", ["variables"], ["mean"], axes=[1], keepdims=0)

save("mean", [MEAN, helper.make_node("Sigmoid", ["mean"], ["probabilities"])], INPUTS, OUTPUT, metadata={"features": "1"})
save(
    "drifting",
    [
        MEAN,
        helper.make_node("Sigmoid", ["mean"], ["sigmoid"]),
        helper.make_node("Shape", ["variables"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["count"]),
        helper.make_node("Cast", ["count"], ["size"], to=FLOAT),
        helper.make_node("Div", ["size", "three"], ["factor"]),
        helper.make_node("Mul", ["sigmoid", "factor"], ["probabilities"]),
    ],
    INPUTS,
    OUTPUT,
    [constant("zero", 0, INT), constant("three", 3.0, FLOAT)],
    {"features": "1"},
)
save("foreign", [helper.make_node("Identity", ["x"], ["y"])], [("x", FLOAT, [1])], [("y", FLOAT, [1])])
