"""`python -m tests.keras_numbers`: 20 steps of the usual layers, optimizers and losses, on TensorFlow and on gradtape.

All losses and final weights must agree to a relative 1e-4 (and 1e-5 of the largest weight).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from tests.keras_suite.runs import ROOT
from tests.oracle import workers

PROGRAM = Path(__file__).with_name("program.py")
RELATIVE = 1e-4
ABSOLUTE = 1e-5


def run(python: Path | str, backend: str, file: Path) -> dict[str, np.ndarray]:
    """The numbers of one backend."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([str(python), str(PROGRAM), backend, str(file)], env=environment, check=True)
    with np.load(file) as numbers:
        return dict(numbers)


def worst(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest difference, in units of what is allowed."""
    allowed = RELATIVE * np.abs(theirs) + ABSOLUTE * max(1.0, float(np.abs(theirs).max(initial=0.0)))
    return float((np.abs(ours - theirs) / allowed).max(initial=0.0))


def main(arguments: list[str] | None = None) -> int:
    """0 when all numbers agree."""
    parser = argparse.ArgumentParser(prog="python -m tests.keras_numbers", description=__doc__)
    parser.add_argument(
        "--venv", type=Path, metavar="DIR", help="an environment with TensorFlow (default: build one, remove it)"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="gradtape-keras-") as temporary:
        folder = Path(temporary)
        python = workers.python_of(options.venv) if options.venv else workers.with_tensorflow(folder / "tensorflow")
        ours, theirs = (
            run(sys.executable, "gradtape", folder / "ours.npz"),
            run(python, "tensorflow", folder / "theirs.npz"),
        )
    assert ours.keys() == theirs.keys()
    found: dict[str, float] = {}
    for key in theirs:
        case = key.split(" | ")[0]
        found[case] = max(found.get(case, 0.0), worst(ours[key], theirs[key]))
    for case, amount in sorted(found.items(), key=lambda item: -item[1]):
        print(f"{'differs' if not amount <= 1 else 'agrees '} {amount:8.3f}  {case}")
    differing = sum(not amount <= 1 for amount in found.values())
    print(f"{len(found)} programs, {differing} differ")
    return int(bool(differing))


if __name__ == "__main__":
    raise SystemExit(main())
