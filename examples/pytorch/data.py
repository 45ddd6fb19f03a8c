"""What `apollo data export` wrote, for PyTorch or anything else: needs numpy alone.

    python data.py export/train      says what is in a folder
"""

import sys
from pathlib import Path

import numpy as np

# The place of the column `degree` among the features (docs/MODELS.md).
VARIABLE_DEGREE, CONSTRAINT_DEGREE = 2, 1


def read(folder):
    """All examples of a folder: a list of dictionaries of arrays, instances and augmented ones."""
    files = sorted(Path(folder).rglob("*.npz"))
    if not files:
        sys.exit(f"{folder}: no .npz file in it; `apollo data export DATA --out {folder}` makes them")
    examples = []
    for file in files:
        with np.load(file) as arrays:
            missing = {"variables", "constraints", "edges", "coefficients", "binaries", "targets"} - set(arrays)
            if missing:
                sys.exit(f"{file}: {', '.join(sorted(missing))} missing; is it from `apollo data export`?")
            example = {name: arrays[name] for name in arrays}
        if len(example["binaries"]) and len(example["solutions"]):
            examples.append({"name": file.name, **example})
    return examples


def scaling(tables):
    """Mean, and one over the deviation, of each column of some tables after asinh. What is the same everywhere
    teaches nothing, and is not looked at where it is not the same."""
    squashed = np.concatenate([np.arcsinh(table.astype(np.float64)) for table in tables])
    mean, deviation = squashed.mean(axis=0), squashed.std(axis=0)
    constant = deviation <= 1e-6 * np.maximum(np.abs(mean), 1)
    return mean.astype(np.float32), np.where(constant, 0, 1 / np.maximum(deviation, 0.1)).astype(np.float32)


def area(scores, targets):
    """The probability that a one has a higher score than a zero; soft targets are parts of both."""
    order = np.argsort(scores, kind="stable")
    ones = targets[order]
    zeros_below = np.cumsum(1 - ones) - (1 - ones) / 2
    pairs = ones.sum() * (1 - ones).sum()
    return float((ones * zeros_below).sum() / pairs) if pairs > 0 else float("nan")


if __name__ == "__main__":
    found = read(sys.argv[1])
    ones = np.mean([example["targets"].mean() for example in found])
    edges = np.mean([example["edges"].shape[1] for example in found])
    print(f"{len(found)} examples, {edges:.0f} edges and {100 * ones:.2f} % ones on the average")
    for name in ["variables", "constraints", "coefficients"]:
        print(name, "scaled by", scaling([example[name] for example in found])[1].round(3).tolist())
