"""Apollo-MILP for pyscipopt: alternating prediction and trust-region search.

    import apollo_scip, pyscipopt
    model = pyscipopt.Model()
    apollo_scip.include(model)
    model.readProblem("problem.mps")
    model.optimize()

Parameters are under heuristics/apollo/ (docs/PARAMETERS.md).
"""

import ctypes
import os
import sys

__all__ = ["include", "plugin_path"]
__version__ = "0.1.0"

_FILE = "libheur_apollo." + ("dylib" if sys.platform == "darwin" else "so")


def _places():
    """Where the plugin may be, in the order of asking."""
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.abspath(os.path.join(here, "../../../target/release", _FILE))  # the source tree
    yield os.path.join(here, _FILE)  # `pip install`
    yield os.path.abspath(os.path.join(here, "../../../../lib", _FILE))  # `make install`


def plugin_path():
    """The plugin's file: APOLLO_PLUGIN, beside this module, where `make build` or `make install` put
    it, or the bare name where only the loader knows (LD_LIBRARY_PATH, ld.so.conf)."""
    own = os.environ.get("APOLLO_PLUGIN")
    if own:
        if not os.path.isfile(own):
            raise FileNotFoundError(f"APOLLO_PLUGIN names {own}, and there is no such file")
        return os.path.abspath(own)
    places = list(_places())
    for place in places:
        if os.path.isfile(place):
            return place
    if _open(_FILE)[0]:
        return _FILE
    raise FileNotFoundError(
        f"the plugin {_FILE} was found neither at {', '.join(places)} nor by the loader: "
        "run `make build`, or set APOLLO_PLUGIN to its path"
    )


def _open(path):
    """Opens a library lazily: (handle, None) or (None, why).

    Not ctypes.CDLL(path), which binds every symbol at once: SCIP's are not visible yet, because
    pyscipopt keeps its libscip to itself until the plugin makes it global."""
    loader = ctypes.CDLL(None)
    loader.dlopen.restype = ctypes.c_void_p
    loader.dlopen.argtypes = [ctypes.c_char_p, ctypes.c_int]
    loader.dlerror.restype = ctypes.c_char_p
    handle = loader.dlopen(os.fsencode(path), os.RTLD_LAZY | os.RTLD_LOCAL)
    return (handle, None) if handle else (None, os.fsdecode(loader.dlerror() or b"unknown reason"))


_library = None


def _plugin():
    """The plugin, loaded once and never closed: SCIP keeps pointers into it."""
    global _library
    if _library is None:
        path = plugin_path()
        handle, why = _open(path)
        if handle is None:
            raise OSError(f"the plugin {path} cannot be loaded: {why}")
        _library = ctypes.CDLL(path, handle=handle)
        _library.SCIPincludeHeurApollo.argtypes = [ctypes.c_void_p]
        _library.SCIPincludeHeurApollo.restype = ctypes.c_int
    return _library


def _is_included(model):
    try:
        model.getParam("heuristics/apollo/rounds")
    except KeyError:
        return False
    return True


def include(model):
    """Puts Apollo into a pyscipopt.Model; twice is as good as once.

    TypeError: not a pyscipopt.Model. RuntimeError: its problem is transformed or solved already, or
    its SCIP is not version 10. FileNotFoundError, OSError: the plugin is not there or cannot be loaded."""
    import pyscipopt  # not at the top: plugin_path() works without it

    if not isinstance(model, pyscipopt.Model):
        raise TypeError(f"include() takes a pyscipopt.Model, not {type(model).__name__}")
    if _is_included(model):
        return
    if model.getStage() > pyscipopt.SCIP_STAGE.PROBLEM:
        raise RuntimeError(
            f"too late to include Apollo: the model is in stage {model.getStageName()}; "
            "call include() before optimize(), or freeTransform() first"
        )
    capsule = model.to_ptr(False)  # a view: the model keeps its SCIP
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    code = _plugin().SCIPincludeHeurApollo(pointer(capsule, b"scip"))
    if code != 1 or not _is_included(model):  # SCIP_OKAY is 1
        raise RuntimeError(
            "SCIP did not take Apollo (the reason is on stderr): it needs SCIP 10, "
            f"and this pyscipopt has SCIP {pyscipopt.Model.version(model)}"
        )
