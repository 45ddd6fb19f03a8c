#!/usr/bin/env python3
"""Fetches the two libraries this project runs on, libscip and ONNX Runtime, into .deps/.

Why: distributions do not package them. The Python wheels `pyscipopt` and `onnxruntime` carry
both, ready to link, so pip fetches them by name; each file is pinned by its SHA-256.

    fetch.py            .deps/scip/lib and .deps/onnxruntime/lib
    fetch.py --python   .deps/python/bin/python, a Python with both packages, for the host tests

A stamp file makes every later run a no-op without network. Your own SCIPOPTDIR (a SCIP with
lib/libscip*) or ORT_DYLIB_PATH (the ONNX Runtime library) wins: then that part is not fetched.
"""

import fcntl
import glob
import importlib.util
import os
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEPS = os.path.join(ROOT, ".deps")
DYLIB = "dylib" if sys.platform == "darwin" else "so"

# For each package: where it goes, what of the wheel is kept, the name to link or open it by,
# and the wheel's platform tag and SHA-256 for each (system, machine) that has one.
PACKAGES = {
    "pyscipopt==6.3.0": {
        "into": "scip",
        "keep": ("pyscipopt.libs/", "pyscipopt/.dylibs/"),
        "library": "libscip",
        "own": "SCIPOPTDIR",
        "wheels": {
            ("linux", "x86_64"): (
                "manylinux_2_28_x86_64",
                "6e3931d84f51cb1ca6646eea900012c5455af124774221318fecd731c79c80ca",
            ),
            ("linux", "aarch64"): (
                "manylinux_2_28_aarch64",
                "17bd07e48d277bbbc8f8221e399eb1ecfacd81f53c2e3744c4a8e82527735a6f",
            ),
            ("darwin", "arm64"): (
                "macosx_11_0_arm64",
                "8cbda985a4ae8635aa3084c4ddff1aa25e99c40e832396cbb8e555c9488bb245",
            ),
            ("darwin", "x86_64"): (
                "macosx_11_0_x86_64",
                "eac50df087ecfe82a09613943df876f8cb1ba128911cc99d4ba3f5ca90eba732",
            ),
        },
    },
    "onnxruntime==1.31.1": {
        "into": "onnxruntime",
        "keep": ("onnxruntime/capi/libonnxruntime",),
        "library": "libonnxruntime",
        "own": "ORT_DYLIB_PATH",
        "wheels": {
            ("linux", "x86_64"): (
                "manylinux_2_28_x86_64",
                "5752bd508126ae7c49894d3b9d2e83f0c3d487319246d04c444b393308d7ad7f",
            ),
            ("linux", "aarch64"): (
                "manylinux_2_28_aarch64",
                "da05378364c44d4407e463982d2bf8d5e4cfea873283757e48beeb41df97b7f3",
            ),
            ("darwin", "arm64"): (
                "macosx_14_0_arm64",
                "60b6b69bfe580eab576cacc5d132a0e9cf2a37fcfd18d46dd191042b1d1ed0d7",
            ),
        },
    },
}


class Failure(Exception):
    """What went wrong and what to do about it, in words for the user."""


def users_own(variable):
    """True if the user points `variable` at their own library; a wrong value is an error."""
    value = os.environ.get(variable)
    if not value:
        return False
    if variable == "SCIPOPTDIR" and not glob.glob(
        os.path.join(glob.escape(value), "lib", "libscip*")
    ):
        raise Failure(f"SCIPOPTDIR is {value}, but there is no lib/libscip* in it.")
    if variable == "ORT_DYLIB_PATH" and not os.path.isfile(value):
        raise Failure(f"ORT_DYLIB_PATH is {value}, but there is no such file.")
    return True


def wheel_for(package):
    """The platform tag and hash of the wheel for this machine."""
    machine = os.uname().machine
    wheel = PACKAGES[package]["wheels"].get((sys.platform, machine))
    if sys.platform == "linux":
        try:
            os.confstr("CS_GNU_LIBC_VERSION")
        except (ValueError, OSError):  # musl: the wheels are for glibc
            wheel = None
    if wheel is None:
        raise Failure(
            f"{package}: no wheel for this platform ({sys.platform} {machine}): "
            f"set {PACKAGES[package]['own']} (see the top of tools/fetch.py)."
        )
    return wheel


def stamped(folder, stamp, *files):
    """True if `folder` carries this stamp and the files are there."""
    try:
        with open(os.path.join(folder, "stamp"), encoding="utf-8") as f:
            same = f.read() == stamp
    except OSError:
        return False
    return same and all(os.path.exists(os.path.join(folder, f)) for f in files)


def write_stamp(folder, stamp):
    with open(os.path.join(folder, "stamp"), "w", encoding="utf-8") as f:
        f.write(stamp)


def run(command, what, advice):
    """Runs a command quietly; if it fails, its last words go into the error."""
    import subprocess  # here, as below: a run with nothing to do starts faster without it

    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR") or "Error: " in line] or lines
        if any("Retrying" in line for line in lines):  # pip repeats this at length
            errors = ["the package index could not be reached"]
        raise Failure("\n".join([f"{what} failed:", *("  " + e for e in errors[-4:]), advice]))


def pip(python, arguments, what, advice):
    run([python, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments], what, advice)


def need_pip(advice):
    if importlib.util.find_spec("pip") is None:
        raise Failure(
            f"{sys.executable} has no pip: install it (Debian, Ubuntu: apt install python3-pip)"
            f"{advice}."
        )


def fetch(package):
    """Downloads one wheel, checks it, unpacks its libraries, and moves them into place."""
    import hashlib
    import zipfile

    spec = PACKAGES[package]
    tag, sha256 = wheel_for(package)
    need_pip(f", or set {spec['own']}")
    target = os.path.join(DEPS, spec["into"])
    new = os.path.join(DEPS, ".new")  # one at a time: the caller holds the lock
    lib = os.path.join(new, spec["into"], "lib")
    os.makedirs(lib)

    print(f"fetching {package} for {tag}", flush=True)
    # The wheel for one fixed Python, whichever Python runs this: the libraries inside are the
    # same, and so one hash per platform is enough.
    pip(
        sys.executable,
        ["download", "--no-deps", "--only-binary=:all:", "--python-version", "311"]
        + ["--implementation", "cp", "--abi", "cp311", "--platform", tag]
        + ["--dest", new, package],
        f"Fetching {package} with pip",
        "Check the network, the free disk space and pip's index settings (`pip config list`), "
        f"or set {spec['own']} to use your own.",
    )
    (wheel,) = glob.glob(os.path.join(glob.escape(new), "*.whl"))
    with open(wheel, "rb") as f:
        got = hashlib.sha256(f.read()).hexdigest()
    if got != sha256:
        raise Failure(
            f"{package}: {os.path.basename(wheel)} has SHA-256\n  {got}, expected\n  {sha256}.\n"
            "It is not the file this project was tested with: check pip's index settings "
            f"(`pip config list`), or set {spec['own']} to use your own."
        )

    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(spec["keep"]) and not name.endswith("/"):
                path = os.path.join(lib, os.path.basename(name))
                with archive.open(name) as source, open(path, "wb") as sink:
                    shutil.copyfileobj(source, sink)
                os.chmod(path, 0o755)
    # libscip-<hash>.so.10.0, libonnxruntime.so.1.31.1, libscip.10.0.dylib, …
    starts = (spec["library"] + "-", spec["library"] + ".")
    (library,) = (name for name in os.listdir(lib) if name.startswith(starts))
    os.symlink(library, os.path.join(lib, f"{spec['library']}.{DYLIB}"))
    if sys.platform == "darwin" and spec["into"] == "scip":
        # The wheel's libscip names itself by a path of the machine that built it.
        path = os.path.join(lib, library)
        advice = "Install Apple's command line tools (`xcode-select --install`), or set SCIPOPTDIR."
        run(["install_name_tool", "-id", "@rpath/" + library, path], "Renaming libscip", advice)
        run(["codesign", "--force", "--sign", "-", path], "Signing libscip", advice)

    write_stamp(os.path.join(new, spec["into"]), stamp_of(package))
    shutil.rmtree(target, ignore_errors=True)
    os.rename(os.path.join(new, spec["into"]), target)


def stamp_of(package):
    return f"{package} sha256:{wheel_for(package)[1]}\n"


def fetch_libraries():
    missing = []
    for package, spec in PACKAGES.items():
        if users_own(spec["own"]):
            continue
        files = f"lib/{spec['library']}.{DYLIB}"
        if not stamped(os.path.join(DEPS, spec["into"]), stamp_of(package), files):
            missing.append(package)
    return missing


# What the tests in Python need besides: arrays, and the checker of model files.
BESIDE = ("numpy", "onnx")


def python_stamp():
    return f"{' '.join([*PACKAGES, *BESIDE])}\n{sys.executable} {sys.version}\n"


def make_python():
    """A Python with both packages at .deps/python/bin/python."""
    home = os.path.join(DEPS, "python")
    python = os.path.join(home, "bin", "python")
    packages = [*PACKAGES, *BESIDE]
    what = f"Installing {', '.join(packages)} for Python {sys.version.split()[0]}"
    advice = (
        "They need Python 3.11 or newer (choose one: `make test PYTHON=python3.12`), the network, "
        "disk space, and an index that pip can reach (`pip config list`)."
    )
    install = ["install", "--only-binary=:all:"]
    shutil.rmtree(home, ignore_errors=True)
    print(f"making a Python with {', '.join(packages)}", flush=True)
    try:
        if all(importlib.util.find_spec(m) for m in ("venv", "ensurepip")):
            run([sys.executable, "-m", "venv", home], "Making a virtual environment", advice)
            pip(python, [*install, *packages], what, advice)
        else:  # Debian without python3-venv
            need_pip(" or python3-venv")
            site = os.path.join(home, "site")
            pip(sys.executable, [*install, "--target", site, *packages], what, advice)
            os.makedirs(os.path.dirname(python))
            with open(python, "w", encoding="utf-8") as f:
                f.write(
                    "#!/bin/sh\n# Runs Python with the packages in ../site (made by tools/fetch.py).\n"
                    'here=$(cd "$(dirname "$0")/.." && pwd) || exit 1\n'
                    'export PYTHONPATH="$here/site${PYTHONPATH:+:$PYTHONPATH}"\n'
                    f"exec '{sys.executable}' \"$@\"\n"
                )
            os.chmod(python, 0o755)
        run([python, "-c", "import numpy, onnx, onnxruntime, pyscipopt"], "Importing them", advice)
        write_stamp(home, python_stamp())
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise


def under_lock(work):
    """Runs `work` while no other fetch runs, and leaves nothing half-written behind."""
    new = os.path.join(DEPS, ".new")
    os.makedirs(DEPS, exist_ok=True)
    with open(os.path.join(DEPS, ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(new, ignore_errors=True)  # of a run that was killed
        try:
            work()
        finally:
            shutil.rmtree(new, ignore_errors=True)


def libraries():
    for package in fetch_libraries():  # asked again: another run may just have fetched them
        try:
            fetch(package)
        except OSError as e:
            raise Failure(
                f"{package}: could not be unpacked into .deps ({e.strerror or e}): check the disk "
                f"space and the permissions, or set {PACKAGES[package]['own']} to use your own."
            ) from e
        shutil.rmtree(os.path.join(DEPS, ".new"), ignore_errors=True)


def main(arguments):
    if arguments == ["--python"]:
        here = os.path.join(DEPS, "python")
        if not stamped(here, python_stamp(), "bin/python"):
            under_lock(lambda: stamped(here, python_stamp(), "bin/python") or make_python())
    elif not arguments:
        if fetch_libraries():
            under_lock(libraries)
    else:
        print(__doc__.strip())
        return 0 if arguments in (["-h"], ["--help"]) else 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as e:
        sys.exit(f"fetch.py: {e}")
    except OSError as e:
        sys.exit(f"fetch.py: {e}: check the disk space and the permissions of .deps.")
    except KeyboardInterrupt:
        sys.exit("fetch.py: interrupted; nothing half-written is left.")
