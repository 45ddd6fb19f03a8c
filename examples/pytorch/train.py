"""Trains a network like Apollo's own with PyTorch, on a GPU if there is one, and writes a model file
that keeps the contract of docs/MODELS.md.

    apollo data export data/train --out export/train
    apollo data export data/valid --out export/valid
    pip install torch onnx numpy
    python train.py export/train export/valid my.onnx
    apollo doctor my.onnx

Not run by the project's tests, which have no PyTorch: they run data.py and compile this file. What
comes out is checked below before it is written, and again by `apollo doctor`.
"""

import sys

import onnx
import torch
from data import CONSTRAINT_DEGREE, VARIABLE_DEGREE, area, read, scaling
from torch import nn

WIDTH, EPOCHS, PATIENCE, RATE, SEED = 64, 100, 15, 1e-3, 0
FEATURES = "1"  # the version of the features that was exported
INPUTS = ["variables", "constraints", "edges", "coefficients"]


class HalfConvolution(nn.Module):
    """Messages from one side of the graph to the other: docs/MODELS.md has the formula."""

    def __init__(self):
        super().__init__()
        self.target = nn.Linear(WIDTH, WIDTH)
        self.source = nn.Linear(WIDTH, WIDTH, bias=False)
        self.edge = nn.Linear(1, WIDTH, bias=False)
        self.message_norm = nn.LayerNorm(WIDTH)
        self.message = nn.Linear(WIDTH, WIDTH, bias=False)
        self.message_bias = nn.Parameter(torch.zeros(WIDTH))
        self.sum_norm = nn.LayerNorm(WIDTH)
        self.update = nn.Sequential(nn.Linear(2 * WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))

    def forward(self, targets, sources, to, start, coefficients, degree):
        mixed = self.target(targets)[to] + self.source(sources)[start] + self.edge(coefficients)
        messages = torch.relu(self.message_norm(mixed))
        # scatter_add becomes ScatterElements. ScatterND, which index_put becomes, loses summands on
        # several threads of ONNX Runtime's CPU provider.
        index = to.unsqueeze(1).expand(-1, WIDTH)
        summed = torch.zeros_like(targets).scatter_add(0, index, messages)
        # The Linear of a message commutes with the sum; its bias counts once an edge.
        summed = self.sum_norm(self.message(summed) + degree * self.message_bias)
        return self.update(torch.cat([summed, targets], dim=1))


class Network(nn.Module):
    def __init__(self, examples):
        super().__init__()
        for name in ["variables", "constraints", "coefficients"]:
            shift, scale = scaling([example[name] for example in examples])
            self.register_buffer(f"{name}_shift", torch.from_numpy(shift))
            self.register_buffer(f"{name}_scale", torch.from_numpy(scale))

        def two(inner, columns):
            return nn.Sequential(nn.Linear(inner, WIDTH), nn.ReLU(), nn.Linear(WIDTH, columns))

        self.embed_variables = two(examples[0]["variables"].shape[1], WIDTH)
        self.embed_constraints = two(examples[0]["constraints"].shape[1], WIDTH)
        self.convolutions = nn.ModuleList(HalfConvolution() for _ in range(4))
        self.head = two(WIDTH, 1)

    def scaled(self, name, table):
        return (torch.asinh(table) - getattr(self, f"{name}_shift")) * getattr(self, f"{name}_scale")

    def logits(self, variables, constraints, edges, coefficients):
        of_variables = variables[:, VARIABLE_DEGREE].unsqueeze(1)
        of_constraints = constraints[:, CONSTRAINT_DEGREE].unsqueeze(1)
        v = torch.relu(self.embed_variables(self.scaled("variables", variables)))
        c = torch.relu(self.embed_constraints(self.scaled("constraints", constraints)))
        coefficients = self.scaled("coefficients", coefficients)
        for k, convolution in enumerate(self.convolutions):
            if k % 2 == 0:
                c = convolution(c, v, edges[0], edges[1], coefficients, of_constraints)
            else:
                v = convolution(v, c, edges[1], edges[0], coefficients, of_variables)
        return self.head(v).squeeze(1)

    def forward(self, variables, constraints, edges, coefficients):
        return torch.sigmoid(self.logits(variables, constraints, edges, coefficients))


def tensors(example, device):
    return [torch.from_numpy(example[name]).to(device) for name in [*INPUTS, "binaries", "targets"]]


def loss_of(network, example, device):
    *inputs, binaries, targets = tensors(example, device)
    logits = network.logits(*inputs)[binaries]
    return nn.functional.binary_cross_entropy_with_logits(logits, targets), logits


def validate(network, examples, device):
    losses, areas = [], []
    with torch.no_grad():
        for example in examples:
            loss, logits = loss_of(network, example, device)
            losses.append(loss.item())
            areas.append(area(logits.cpu().numpy(), example["targets"]))
    return sum(losses) / len(losses), sum(areas) / len(areas)


def export(network, example, path):
    network = network.cpu().eval()
    names = {"variables": {0: "n"}, "constraints": {0: "m"}, "edges": {1: "e"}, "coefficients": {0: "e"}}
    inputs = tuple(torch.from_numpy(example[name]) for name in INPUTS)
    torch.onnx.export(
        network, inputs, path, input_names=INPUTS, output_names=["probabilities"],
        dynamic_axes={**names, "probabilities": {0: "n"}}, opset_version=18, dynamo=False,
    )
    model = onnx.load(path)
    if any(node.op_type == "ScatterND" for node in model.graph.node):
        sys.exit(f"{path}: this version of PyTorch summed with ScatterND, which is wrong on several CPU threads")
    onnx.helper.set_model_props(model, {"features": FEATURES, "trained_with": f"PyTorch {torch.__version__}"})
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def main(train_folder, valid_folder, path):
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train, valid = read(train_folder), read(valid_folder)
    network = Network(train).to(device)
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE)
    best, best_weights, waited = float("inf"), None, 0
    for epoch in range(EPOCHS):
        total = 0.0
        for k in torch.randperm(len(train)).tolist():
            loss, _ = loss_of(network, train[k], device)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            total += loss.item()
        loss, auc = validate(network, valid, device)
        print(f"epoch {epoch + 1}: loss {total / len(train):.5f}, validation {loss:.5f}, AUC {auc:.4f} on {device}", flush=True)
        waited += 1
        if loss < best:
            best, waited = loss, 0
            best_weights = {name: value.clone() for name, value in network.state_dict().items()}
        elif waited >= PATIENCE:
            break
    network.load_state_dict(best_weights)
    export(network, valid[0], path)
    print(f"{path}: validation loss {best:.5f}; try `apollo doctor {path}`")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
