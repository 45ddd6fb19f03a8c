"""What apollo_scip says when it cannot help, one line each: errors.py"""

import os

import apollo_scip
from pyscipopt import Model


def attempt(name, model):
    try:
        apollo_scip.include(model)
        print(name, "included", flush=True)
    except Exception as error:  # whatever it is, the test reads it
        print(name, type(error).__name__, str(error), flush=True)


plugin = apollo_scip.plugin_path()
os.environ["APOLLO_PLUGIN"] = "/nowhere/libheur_apollo.so"
attempt("missing:", Model())
os.environ["APOLLO_PLUGIN"] = __file__
attempt("unloadable:", Model())
os.environ["APOLLO_PLUGIN"] = plugin
attempt("number:", 3)
solved = Model()
solved.hideOutput()
solved.optimize()
attempt("solved:", solved)
solved.freeTransform()
attempt("freed:", solved)
attempt("twice:", solved)
