"""A PySCIPOpt script that has never heard of Apollo: plain.py FILE SETTINGS"""

import sys
import time

from pyscipopt import Model

model = Model()
model.readParams(sys.argv[2])
model.readProblem(sys.argv[1])
began = time.monotonic()
model.optimize()
wall = time.monotonic() - began
model.printStatistics()
print(f"status {model.getStatus()}", flush=True)
print(f"seconds {model.getSolvingTime():.2f} wall {wall:.2f}", flush=True)
if model.getNSols():
    print(f"objective {model.getObjVal():.0f}", flush=True)
