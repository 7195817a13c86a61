"""Installs the built wheel on every Python of this machine and tries it; writes docs/install.md: `python -m tests.install`.

That is with the newest packages on each, and with the oldest ones that the project takes on the oldest. `--others` tries only
interpreters other than the one that runs this, with the newest packages, and writes nothing: CI does that.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from .environments import ROOT, Interpreter, fresh, interpreters, minimums, wheel

PAGE = ROOT / "docs" / "install.md"
SMOKE, QUICK, COMPILED = "the smoke test", "`pytest -m quick tests`", "`pytest tests/native tests/compile`"
_COMMANDS = {
    SMOKE: ["-I", "tests/install/smoke.py"],
    QUICK: ["-m", "pytest", "-m", "quick", "tests"],
    COMPILED: ["-m", "pytest", "tests/native", "tests/compile"],
}
_TEXT = """# What an install was tested with

Written by `python -m tests.install`. The built wheel, with its extras `all` and `test`, was installed into fresh environments.
There ran `tests/install/smoke.py` (a gradient, a function, a convolution, a Keras fit, the demo) and the quick tests; with the
oldest packages also the tests of compiled code. CI runs all tests on one interpreter, and these on every other one that it finds.

"""


class Trial(NamedTuple):
    """What happened in an environment."""

    name: str
    versions: dict[str, str]
    results: dict[str, bool]
    said: str  # what the commands that failed have said


def tried(interpreter: Interpreter, built: Path, folder: Path, oldest: bool) -> Trial:
    """The wheel in an environment of an interpreter, with the newest packages or the oldest."""
    name = f"Python 3.{interpreter.minor}, {'oldest' if oldest else 'newest'}"
    pins = [f"{package}=={version}" for package, version in minimums().items()] if oldest else []
    python = fresh(interpreter, folder / name.replace(", ", "-").replace(" ", ""), f"{built}[all,test]", *pins)
    results, said = {}, ""
    for what in (SMOKE, QUICK, COMPILED) if oldest else (SMOKE, QUICK):
        command = [str(python), *_COMMANDS[what]]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTEST_ADDOPTS": "-q -p no:cacheprovider"}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        results[what] = not done.returncode
        if done.returncode:
            said += f"\n--- {name}: {what}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
    freeze = subprocess.run([python, "-m", "pip", "freeze"], capture_output=True, text=True, check=True).stdout
    versions = dict(line.split("==") for line in freeze.splitlines() if "==" in line)
    return Trial(name, {package: versions.get(package, "") for package in minimums()}, results, said)


def page(trials: list[Trial]) -> str:
    """The page: which versions were there, and what passed."""
    rows = [["package", *(trial.name for trial in trials)], ["---"] * (len(trials) + 1)]
    rows += [[package, *(trial.versions[package] for trial in trials)] for package in minimums()]
    for what in _COMMANDS:
        shown = {True: "passed", False: "**failed**", None: ""}
        rows.append([what, *(shown[trial.results.get(what)] for trial in trials)])
    return _TEXT + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.install", description=__doc__.splitlines()[0])
    parser.add_argument("--others", action="store_true", help="only other interpreters than this one; no page")
    options = parser.parse_args()
    start, found = time.monotonic(), interpreters()
    if options.others:
        found = [one for one in found if one.minor != sys.version_info.minor]
        if not found:
            print("This is the only Python from 3.11 on here: nothing else to try.")
            return 0
    wanted = [(one, False) for one in found] + ([] if options.others else [(found[0], True)])
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as workers:
        folder = Path(name)
        built = wheel(folder)
        trials = list(workers.map(lambda one: tried(one[0], built, folder, one[1]), wanted))
    for trial in trials:
        passed = [what for what, good in trial.results.items() if good]
        print(f"{trial.name}: {', '.join(passed)} passed.{trial.said}")
    print(f"{time.monotonic() - start:.0f} s")
    if not options.others:
        PAGE.write_text(page(trials), encoding="utf-8")
    return int(any(trial.said for trial in trials))


if __name__ == "__main__":
    raise SystemExit(main())
