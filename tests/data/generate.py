"""Writes the instances of this folder anew, always the same: python3 tests/data/generate.py

Each has 30 to 300 binaries, so that Apollo really runs, and is solved by plain SCIP in a few seconds.
The right answers are in known.solu; they were found by SCIP 10.0.2 and confirmed by HiGHS 1.15.
"""

import pathlib
import random

HERE = pathlib.Path(__file__).parent


class Dice(random.Random):
    """`random()` is the one method that Python promises never to change for a given seed."""

    def between(self, least, most):
        return least + int(self.random() * (most - least + 1))

    def pick(self, items, count):
        items = list(items)
        return [items.pop(int(self.random() * len(items))) for _ in range(count)]


def terms(pairs):
    """3 x + 2 y - z, ten terms a line."""
    texts = [f"{'-' if c < 0 else '+'} {abs(c)} {v}" for c, v in pairs]
    return "\n   ".join(" ".join(texts[i : i + 10]) for i in range(0, len(texts), 10))


class Model:
    def __init__(self, name, sense, why):
        self.name, self.sense, self.why = name, sense, why
        self.objective, self.rows, self.bounds = [], [], []
        self.binaries, self.generals = [], []

    def binary(self, name, cost=0):
        self.binaries.append(name)
        return self.cost(name, cost)

    def general(self, name, cost=0, lower=0, upper=None):
        self.generals.append(name)
        return self.continuous(name, cost, lower, upper)

    def continuous(self, name, cost=0, lower=0, upper=None):
        if lower != 0 or upper is not None:
            self.bounds.append(f"{lower} <= {name} <= {'inf' if upper is None else upper}")
        return self.cost(name, cost)

    def cost(self, name, cost):
        if cost:
            self.objective.append((cost, name))
        return name

    def row(self, pairs, sense, rhs):
        self.rows.append((list(pairs), sense, rhs))

    def lp(self):
        lines = [f"\\ {self.why}", self.sense, f" obj: {terms(self.objective)}", "Subject To"]
        lines += [f" c{i}: {terms(pairs)} {sense} {rhs}" for i, (pairs, sense, rhs) in enumerate(self.rows)]
        for title, entries in [("Bounds", self.bounds), ("Binaries", self.binaries), ("Generals", self.generals)]:
            if entries:
                width = 1 if title == "Bounds" else 12
                lines += [title] + [" " + " ".join(entries[i : i + width]) for i in range(0, len(entries), width)]
        return "\n".join(lines + ["End", ""])

    def mps(self):
        """Free MPS, minimisation only."""
        assert self.sense == "Minimize"
        columns = {}
        for cost, name in self.objective:
            columns.setdefault(name, []).append(("obj", cost))
        lines = [f"* {self.why}", f"NAME {self.name}", "ROWS", " N obj"]
        for i, (pairs, sense, _) in enumerate(self.rows):
            lines.append(f" {dict([('<=', 'L'), ('>=', 'G'), ('=', 'E')])[sense]} c{i}")
            for coefficient, name in pairs:
                columns.setdefault(name, []).append((f"c{i}", coefficient))
        lines.append("COLUMNS")
        whole = set(self.binaries + self.generals)
        for part, mark in [(whole, True), (columns.keys() - whole, False)]:
            lines += [" MARK 'MARKER' 'INTORG'"] if mark else []
            for name, entries in columns.items():
                if name in part:
                    lines += [f" {name} {row} {value}" for row, value in entries]
            lines += [" MARK 'MARKER' 'INTEND'"] if mark else []
        lines += ["RHS"] + [f" rhs c{i} {rhs}" for i, (_, _, rhs) in enumerate(self.rows) if rhs] + ["BOUNDS"]
        lines += [f" BV bnd {name}" for name in self.binaries]
        for bound in self.bounds:
            lower, _, name, _, upper = bound.split()
            lines += [f" LO bnd {name} {lower}"] + ([f" UP bnd {name} {upper}"] if upper != "inf" else [])
        return "\n".join(lines + ["ENDATA", ""])


def knapsack():
    """Five knapsacks at once."""
    dice, m = Dice(1), Model("knapsack", "Maximize", "multidimensional knapsack: 5 rows, 40 items")
    items = [m.binary(f"x{j}", dice.between(20, 60)) for j in range(40)]
    for _ in range(5):
        weights = [dice.between(5, 40) for _ in items]
        m.row(zip(weights, items), "<=", sum(weights) // 3)
    return m


def setcover():
    dice, m = Dice(2), Model("setcover", "Minimize", "set cover: 80 elements, 150 sets")
    sets = [m.binary(f"s{j}", dice.between(1, 20)) for j in range(150)]
    rows = [dice.pick(sets, 9) for _ in range(80)]
    for lonely in sets:
        if not any(lonely in row for row in rows):
            rows[dice.between(0, 79)].append(lonely)
    for row in rows:
        m.row([(1, s) for s in row], ">=", 1)
    return m


def assignment():
    """The side row makes the LP fractional: a plain assignment would be solved by it."""
    dice, m = Dice(3), Model("assignment", "Minimize", "assignment 12 x 12 with a budget of hours")
    x = [[m.binary(f"x{i}_{j}", dice.between(10, 99)) for j in range(12)] for i in range(12)]
    for i in range(12):
        m.row([(1, x[i][j]) for j in range(12)], "=", 1)
        m.row([(1, x[j][i]) for j in range(12)], "=", 1)
    m.row([(dice.between(10, 99), x[i][j]) for i in range(12) for j in range(12)], "<=", 290)
    return m


def binpacking():
    dice, m = Dice(4), Model("binpacking", "Minimize", "bin packing: 14 items, 8 bins of 100")
    sizes = [dice.between(20, 60) for _ in range(14)]
    used = [m.binary(f"y{b}", 1) for b in range(8)]
    x = [[m.binary(f"x{i}_{b}") for b in range(8)] for i in range(14)]
    for row in x:
        m.row([(1, v) for v in row], "=", 1)
    for b in range(8):
        m.row([(sizes[i], x[i][b]) for i in range(14)] + [(-100, used[b])], "<=", 0)
    return m


def lotsizing():
    """Setups, whole batches, stock and backlog: every kind of variable in one problem."""
    dice, m = Dice(5), Model("lotsizing", "Minimize", "lot sizing: 4 products, 10 periods, whole batches")
    batches = [[] for _ in range(10)]
    for p in range(4):
        stock = None
        for t in range(10):
            setup = m.binary(f"setup{p}_{t}", dice.between(40, 90))
            batch = m.general(f"batch{p}_{t}", dice.between(3, 6), 0, 9)
            now = m.continuous(f"stock{p}_{t}", dice.between(1, 3))
            before = [(1, stock)] if stock else []
            m.row(before + [(5, batch), (-1, now)], "=", dice.between(3, 19))
            m.row([(1, batch), (-9, setup)], "<=", 0)
            batches[t].append(batch)
            stock = now
    for batch in batches:
        m.row([(1, b) for b in batch], "<=", 15)
    return m


def facility():
    dice, m = Dice(6), Model("facility", "Minimize", "facility location: 10 sites, 20 customers, one site each")
    demand = [dice.between(5, 20) for _ in range(20)]
    for_site = [[] for _ in range(10)]
    served = [[] for _ in range(20)]
    for i in range(10):
        site = m.binary(f"open{i}", dice.between(100, 180))
        for j in range(20):
            x = m.binary(f"x{i}_{j}", dice.between(5, 60))
            served[j].append((1, x))
            for_site[i].append((demand[j], x))
        m.row(for_site[i] + [(-dice.between(60, 100), site)], "<=", 0)
    for row in served:
        m.row(row, "=", 1)
    return m


def independent():
    dice, m = Dice(7), Model("independent", "Maximize", "maximum weight independent set: 70 nodes")
    nodes = [m.binary(f"v{i}", dice.between(5, 15)) for i in range(70)]
    for i in range(70):
        for j in range(i):
            if dice.random() < 0.12:
                m.row([(1, nodes[i]), (1, nodes[j])], "<=", 1)
    return m


def partition():
    """Set partitioning with a planted solution, so that the equations have one."""
    dice, m = Dice(8), Model("partition", "Minimize", "set partitioning: 30 elements, 110 sets, equations only")
    members = []
    for group in range(6):
        members.append(list(range(group * 5, group * 5 + 5)))
    while len(members) < 110:
        members.append(dice.pick(range(30), dice.between(1, 6)))
    sets = [m.binary(f"s{j}", len(who) * dice.between(8, 14) + dice.between(0, 9)) for j, who in enumerate(members)]
    for element in range(30):
        m.row([(1, sets[j]) for j, who in enumerate(members) if element in who], "=", 1)
    return m


def gap():
    dice, m = Dice(9), Model("gap", "Minimize", "generalized assignment: 6 machines, 30 jobs")
    x = [[m.binary(f"x{i}_{j}", dice.between(10, 50)) for j in range(30)] for i in range(6)]
    for j in range(30):
        m.row([(1, x[i][j]) for i in range(6)], "=", 1)
    for i in range(6):
        load = [dice.between(5, 25) for _ in range(30)]
        m.row(zip(load, x[i]), "<=", int(sum(load) * 0.13))
    return m


def coloring():
    dice, m = Dice(10), Model("coloring", "Minimize", "graph colouring: 16 nodes, at most 6 colours")
    used = [m.binary(f"c{k}", 1) for k in range(6)]
    x = [[m.binary(f"x{i}_{k}") for k in range(6)] for i in range(16)]
    for row in x:
        m.row([(1, v) for v in row], "=", 1)
    for i in range(16):
        for j in range(i):
            if dice.random() < 0.35:
                for k in range(6):
                    m.row([(1, x[i][k]), (1, x[j][k]), (-1, used[k])], "<=", 0)
    return m


def scheduling():
    """Big-M: the relaxation says next to nothing."""
    dice, m = Dice(11), Model("scheduling", "Minimize", "one machine, 8 jobs, weighted completion, big-M order")
    length = [dice.between(2, 9) for _ in range(8)]
    start = [m.continuous(f"t{j}", dice.between(1, 9), dice.between(0, 12)) for j in range(8)]
    for i in range(8):
        for j in range(i):
            first = m.binary(f"b{i}_{j}")
            m.row([(1, start[i]), (-1, start[j]), (80, first)], "<=", 80 - length[i])
            m.row([(1, start[j]), (-1, start[i]), (-80, first)], "<=", -length[j])
    return m


def zeroone():
    """Whole numbers between 0 and 1 are binaries too, whatever the file calls them."""
    dice, m = Dice(12), Model("zeroone", "Maximize", "knapsack whose binaries are declared as integers in [0, 1]")
    items = [m.general(f"x{j}", dice.between(10, 40), 0, 1) for j in range(40)]
    for _ in range(4):
        weights = [dice.between(5, 30) for _ in items]
        m.row(zip(weights, items), "<=", sum(weights) // 3)
    return m


def negated():
    """Presolve merges x + y = 1 and x = z, so two originals are one variable, or one minus it."""
    dice, m = Dice(13), Model("negated", "Maximize", "knapsack over pairs x + y = 1 and twins x = z")
    load = [[] for _ in range(3)]
    for j in range(35):
        x, y, z = (m.binary(f"{n}{j}", dice.between(1, 30)) for n in "xyz")
        m.row([(1, x), (1, y)], "=", 1)
        m.row([(1, x), (-1, z)], "=", 0)
        for row in load:
            row += [(dice.between(1, 20), x), (dice.between(1, 20), y), (dice.between(1, 20), z)]
    for row in load:
        m.row(row, "<=", int(sum(c for c, _ in row) * 0.45))
    return m


def maxcut():
    dice, m = Dice(14), Model("maxcut", "Maximize", "maximum cut: 16 nodes, linearised edges")
    side = [m.binary(f"v{i}") for i in range(16)]
    for i in range(16):
        for j in range(i):
            if dice.random() < 0.4:
                cut = m.binary(f"e{i}_{j}", dice.between(1, 9))
                m.row([(1, cut), (-1, side[i]), (-1, side[j])], "<=", 0)
                m.row([(1, cut), (1, side[i]), (1, side[j])], "<=", 2)
    return m


def pigeons():
    """8 pigeons, 7 holes: infeasible, and no presolve sees it at once."""
    m = Model("pigeons", "Minimize", "8 pigeons in 7 holes, pairwise: infeasible")
    x = [[m.binary(f"x{i}_{k}", i + k) for k in range(7)] for i in range(8)]
    for row in x:
        m.row([(1, v) for v in row], "=", 1)
    for k in range(7):
        for i in range(8):
            for j in range(i):
                m.row([(1, x[i][k]), (1, x[j][k])], "<=", 1)
    return m


def parity():
    """Even sums that must be odd: the relaxation is feasible, no whole point is."""
    dice, m = Dice(16), Model("parity", "Minimize", "even sums with odd right-hand sides: infeasible")
    x = [m.binary(f"x{j}", dice.between(-5, 9)) for j in range(40)]
    y = m.continuous("y", 1, 0, 0.75)
    weights = [2 * dice.between(3, 30) for _ in x]
    m.row(list(zip(weights, x)) + [(1, y)], "=", sum(weights) // 4 * 2 + 1)
    for k in range(3):
        m.row([(1, v) for v in dice.pick(x, 8)], "<=", 4)
    return m


def unbounded():
    dice, m = Dice(17), Model("unbounded", "Maximize", "a knapsack with a free ray: unbounded")
    items = [m.binary(f"x{j}", dice.between(10, 40)) for j in range(40)]
    weights = [dice.between(5, 30) for _ in items]
    m.row(zip(weights, items), "<=", sum(weights) // 3)
    ray, other = m.general("ray", 1), m.general("other", -1)
    m.row([(1, ray), (-2, other), (1, items[0])], "<=", 5)
    m.row([(1, other), (-1, ray)], "<=", 7)
    return m


def hard():
    """Market split: a good many hours of work for any solver, so every limit is reached."""
    dice, m = Dice(18), Model("hard", "Minimize", "market split: 5 rows, 45 binaries; nobody solves it in minutes")
    x = [m.binary(f"x{j}") for j in range(45)]
    for i in range(5):
        over, under = m.continuous(f"over{i}", 1), m.continuous(f"under{i}", 1)
        weights = [dice.between(0, 99) for _ in x]
        m.row(list(zip(weights, x)) + [(1, under), (-1, over)], "=", sum(weights) // 2)
    return m


for make in [
    knapsack, setcover, assignment, binpacking, lotsizing, facility, independent, partition, gap, coloring,
    scheduling, zeroone, negated, maxcut, pigeons, parity, unbounded, hard,
]:
    model = make()
    if make in [lotsizing, facility, gap]:
        (HERE / f"{model.name}.mps").write_text(model.mps())
    else:
        (HERE / f"{model.name}.lp").write_text(model.lp())
