"""A model written in Python: built.py SETTINGS, or built.py --write FILE.mps [ITEMS ROWS]

This is also the recipe of tests/data/host_knapsack.mps (60 items, 5 rows, optimum 1412), and of the
harder one that a test writes where no public instance is at hand."""

import sys

from pyscipopt import Model, quicksum


def knapsack(items=60, rows=5):
    """Many knapsacks over the same items, with numbers from a formula: the same on every machine."""
    model = Model("knapsack")
    x = [model.addVar(f"x{j}", vtype="B") for j in range(items)]
    profit = [20 + (37 * j * j + 11 * j) % 41 for j in range(items)]
    for i in range(rows):
        weight = [5 + ((i + 3) * (j + 7) * 17 + j * j * (i + 1)) % 53 for j in range(items)]
        model.addCons(quicksum(w * v for w, v in zip(weight, x)) <= sum(weight) // 2)
    model.setObjective(quicksum(p * v for p, v in zip(profit, x)), "maximize")
    return model


if sys.argv[1] == "--write":
    model = knapsack(*map(int, sys.argv[3:]))
    model.writeProblem(sys.argv[2])
else:
    import apollo_scip

    model = knapsack()
    apollo_scip.include(model)
    model.readParams(sys.argv[1])
    model.optimize()
    model.printStatistics()
    print(f"objective {model.getObjVal():.0f}", flush=True)
