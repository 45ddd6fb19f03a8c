#!/usr/bin/env python3
"""Puts the tables into docs/RESULTS.md from the results beside it, so that nobody copies a figure by hand.

    tools/tables.py             writes them anew
    tools/tables.py --check     says whether they are as the results have them (make lint)

A table stands between two comments, of which the first says what is in it:

    <!-- table KIND FOLDER families=ca,sc strategies=scip,apollo -->
    <!-- /table -->

FOLDER is below bench/results. `apollo report FOLDER` made what is read here (report.csv has a line a run,
summary.csv one a family and strategy); docs/BENCHMARKING.md says what the numbers mean. KIND:

    gaps         mean gap_abs of each strategy, beside the paper's with paper=SET
    against      a strategy against the better of the baselines, with strategy=NAME
    objectives   the objective of each run
    means        the mean objective of each strategy
    after        the objective of a strategy so many seconds after the start, with seconds=1,5,10
    times        seconds until each run was over, and how
    harm         times and primal integral of a strategy against the baseline's, with strategy=NAME
"""

import csv
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/RESULTS.md"
RESULTS = ROOT / "bench/results"

NAMES = {
    "scip": "SCIP",
    "scip-aggressive": "SCIP, aggressive heuristics",
    "nd": "ND",
    "ps": "PS",
    "conps": "ConPS",
    "apollo": "**Apollo**",
    "apollo-paper": "Apollo, the paper's rounds alone",
    "apollo-relaxation": "Apollo, predictions by the relaxation",
    "rounds": "the paper's rounds",
    "multi-stage": "Multi-stage PS",
    "direct": "Direct Fixing",
    "ws-ps": "WS-PS",
    "ws-apollo": "WS-Apollo",
    "one-round": "one round",
    "no-local-search": "no local search",
    "local-search-only": "local search only",
    "not-strengthened": "relaxations not tightened",
    "by-default": "nothing set",
}

# gap_abs in the paper's tables, by set, strategy and family.
PAPER = {
    "scip": {  # on SCIP, 1,000 s, 100 instances
        "scip-aggressive": {"ca": 1072.48, "sc": 1.85, "ip": 5.60, "wa": 4.74},
        "nd": {"ca": 1707.09, "sc": 0.95, "ip": 4.71, "wa": 4.67},
        "ps": {"ca": 832.97, "sc": 1.40, "ip": 5.35, "wa": 4.51},
        "conps": {"ca": 792.33, "sc": 0.95, "ip": 4.84, "wa": 4.45},
        "apollo-paper": {"ca": 777.25, "sc": 0.55, "ip": 3.96, "wa": 4.41},
    },
    "gurobi": {  # on Gurobi, 1,000 s, 100 instances
        "ps": {"ca": 258.36, "ip": 0.27},
        "direct": {"ca": 677.4, "ip": 0.32},
        "multi-stage": {"ca": 600.12, "ip": 0.28},
        "ws-ps": {"ca": 600.25, "ip": 0.30},
        "ws-apollo": {"ca": 257.40, "ip": 0.23},
        "rounds": {"ca": 129.41, "ip": 0.00},
        "not-augmented": {"ca": 222.94},
    },
}


def lines(folder, name):
    with open(RESULTS / folder / name, newline="") as file:
        return list(csv.DictReader(file))


def number(value, others=()):
    """As many digits as say something: none for thousands, none where all others are whole."""
    if value is None:
        return ""
    if abs(value) >= 1000 or all(abs(one - round(one)) < 1e-6 for one in [value, *others]):
        return f"{value:,.0f}"
    return f"{value:.2f}"


def table(head, rows):
    shape = "|---|" + "---:|" * (len(head) - 1)
    return "\n".join(["| " + " | ".join(head) + " |", shape, *("| " + " | ".join(row) + " |" for row in rows)])


def wanted(options, key, found):
    return options[key].split(",") if key in options else list(dict.fromkeys(found))


def gaps(folder, options):
    found = {(line["strategy"], line["family"]): float(line["gap_abs"]) for line in lines(folder, "summary.csv")}
    families = wanted(options, "families", (family for _, family in found))
    strategies = wanted(options, "strategies", (strategy for strategy, _ in found))
    paper = PAPER.get(options.get("paper"), {})
    theirs = [family for family in families if any(family in row for row in paper.values())]
    head = ["mean gap_abs", *map(str.upper, families)]
    head += [("paper: " if place == 0 else "") + family.upper() for place, family in enumerate(theirs)]
    rows = []
    for strategy in strategies:
        ours = [found.get((strategy, family)) for family in families]
        said = [paper.get(strategy, {}).get(family) for family in theirs]
        rows.append([NAMES.get(strategy, strategy), *(number(one, [0.5]) for one in ours + said)])
    return table(head, rows)


def against(folder, options):
    found = {(line["strategy"], line["family"]): line for line in lines(folder, "summary.csv")}
    families = wanted(options, "families", (family for _, family in found))
    rows = [[found[options["strategy"], family] for family in families]][0]
    share = lambda line, key: f"{100 * float(line[key]):.0f} %" if line[key] else "–"
    interval = lambda line: f"{share(line, 'reduction_low')} to {share(line, 'reduction_high')}"
    return table(
        [options.get("head", "against the better of both SCIPs").replace("_", " "), *map(str.upper, families)],
        [
            ["instances", *(line["instances"] for line in rows)],
            ["gap_abs lower by", *(share(line, "reduction") for line in rows)],
            *([["… 95 % interval", *map(interval, rows)]] if any(line["reduction_low"] for line in rows) else []),
            ["primal integral, ratio", *(f"{float(line['integral_ratio']):.2f}" for line in rows)],
            ["wins/ties/losses", *("/".join(line[key] for key in ("wins", "ties", "losses")) for line in rows)],
        ],
    )


def by_run(folder, options, column):
    """What a column says of each instance and strategy, and both in their order."""
    found, best, families = {}, {}, {}
    for line in lines(folder, "report.csv"):
        if "families" in options and line["family"] not in options["families"].split(","):
            continue
        seed = f", seed {line['seed']}" if "seeds" in options else ""
        place = line["instance"] + seed, line["strategy"]
        found[place] = line[column]
        best[place[0]] = float(line["best_known"]) if line["best_known"] else None
        families[place[0]] = line["family"]
    strategies = wanted(options, "strategies", (strategy for _, strategy in found))
    order = list(dict.fromkeys(families.values()))
    instances = sorted(families, key=lambda one: (order.index(families[one]), one))
    return found, best, instances, strategies


def objectives(folder, options):
    found, best, instances, strategies = by_run(folder, options, "objective_in_time")
    rows = []
    for instance in instances:
        texts = [found.get((instance, strategy)) for strategy in strategies]
        values = [float(text) if text else None for text in texts] + [best[instance]]
        others = [value for value in values if value is not None]
        cells = ["–" if value is None else number(value, others) for value in values]
        rows.append([instance, *cells])
    return table(["objective", *(NAMES.get(one, one).strip("*") for one in strategies), "best known"], rows)


def means(folder, options):
    runs = [line for line in lines(folder, "report.csv") if line["objective_in_time"]]
    families = wanted(options, "families", (line["family"] for line in runs))
    strategies = wanted(options, "strategies", (line["strategy"] for line in runs))
    rows = []
    for strategy in strategies:
        cells = []
        for family in families:
            of = [float(one["objective_in_time"]) for one in runs if (one["strategy"], one["family"]) == (strategy, family)]
            cells.append(number(sum(of) / len(of), [0.5]) if of else "–")
        rows.append([NAMES.get(strategy, strategy), *cells])
    return table(["mean objective", *map(str.upper, families)], rows)


def after(folder, options):
    seconds = [float(one) for one in options["seconds"].split(",")]
    rows = {}
    for text in open(RESULTS / folder / "runs.jsonl"):
        run = json.loads(text)
        if run["strategy"] != options["strategy"]:
            continue
        then = [[value for second, value in run["trajectory"] if second <= limit] for limit in seconds]
        values = [found[-1] if found else None for found in then]
        others = [value for value in values if value is not None]
        cells = ("–" if value is None else number(value, others) for value in values)
        rows[run["family"], run["instance"]] = [run["instance"], *cells]
    order = list(dict.fromkeys(family for family, _ in rows))
    rows = [rows[one] for one in sorted(rows, key=lambda one: (order.index(one[0]), one[1]))]
    return table([f"{NAMES[options['strategy']].strip('*')} after", *(f"{one:g} s" for one in seconds)], rows)


def times(folder, options):
    found, _, instances, strategies = by_run(folder, options, "time")
    status, *_ = by_run(folder, options, "status")
    rows = []
    for instance in instances:
        cells = []
        for strategy in strategies:
            text = found.get((instance, strategy))
            over = status.get((instance, strategy)) == "optimal"
            cells.append("–" if text is None else f"{float(text):.1f}" + ("" if over else " (open)"))
        rows.append([instance, *cells])
    return table(["seconds to optimality", *(NAMES.get(one, one).strip("*") for one in strategies)], rows)


def harm(folder, options):
    rows = [line for line in lines(folder, "summary.csv") if line["strategy"] == options["strategy"]]
    one = lambda line, key: f"{float(line[key]):.3f}"
    return table(
        ["against the baseline", *(line["family"].upper() for line in rows)],
        [
            ["instances", *(line["instances"] for line in rows)],
            ["solved", *(line["solved"] for line in rows)],
            ["seconds to optimality (sgm), ratio", *(one(line, "time_ratio") for line in rows)],
            ["primal integral, ratio", *(one(line, "integral_ratio") for line in rows)],
        ],
    )


KINDS = {
    "gaps": gaps,
    "against": against,
    "objectives": objectives,
    "means": means,
    "after": after,
    "times": times,
    "harm": harm,
}
TABLE = re.compile(r"<!-- table (\w+) (\S+)(.*?) -->\n.*?<!-- /table -->", re.DOTALL)


def filled(match):
    kind, folder, text = match.groups()
    options = dict(one.split("=", 1) for one in text.split())
    made = KINDS[kind](folder, options)
    return f"<!-- table {kind} {folder}{text} -->\n{made}\n<!-- /table -->"


def main():
    old = PAGE.read_text()
    new = TABLE.sub(filled, old)
    if sys.argv[1:] == ["--check"]:
        if new != old:
            sys.exit("docs/RESULTS.md is not what bench/results say: run tools/tables.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PAGE.write_text(new)
    print(f"{len(TABLE.findall(old))} tables of docs/RESULTS.md are as bench/results have them")


main()
