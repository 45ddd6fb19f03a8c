"""The same with one line more: included.py FILE SETTINGS"""

import sys

import apollo_scip
from pyscipopt import Model

model = Model()
apollo_scip.include(model)
model.readParams(sys.argv[2])
model.readProblem(sys.argv[1])
model.optimize()
model.printStatistics()
print(f"objective {model.getObjVal():.0f}", flush=True)
with open("/proc/self/maps", encoding="utf-8") as maps:
    files = {line.split()[-1] for line in maps if "/libscip" in line and "/libscipy" not in line}
print(f"libscip mapped: {len(files)}", flush=True)
