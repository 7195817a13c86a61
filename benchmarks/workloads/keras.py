"""Keras's `fit` on each backend: the time of a step, and that of the first call."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.step import Unavailable
from benchmarks.workload import Limit, Reading, limit

RIVALS = ("tf", "torch", "jax")


class KerasFit(Reading):
    """A training step of `fit` with Adam on batches of 128, in a process of its own."""

    contestants = ("gradtape", *RIVALS)
    what = "step"

    def __init__(self, model: str, title: str, factor: float) -> None:
        self.model = model
        self.name = f"keras-{model}" if self.what == "step" else f"keras-{model}-first"  # type: ignore[misc]
        self.title = f"keras fit, {title}" + ("" if self.what == "step" else ", first call")  # type: ignore[misc]
        self.limits: tuple[Limit, ...] = self._limits(factor)  # type: ignore[misc]

    def _limits(self, factor: float) -> tuple[Limit, ...]:
        return (limit("gradtape", factor, *RIVALS),)

    def read(self, module: str) -> float:
        command = [sys.executable, "-m", "benchmarks.keras_fit", module, self.model, self.what]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise Unavailable(f"keras on {module}: {run.stderr.strip().splitlines()[-1]}")
        return float(run.stdout.split()[-1])


class KerasFirstFit(KerasFit):
    """The first call of `fit`, with one batch: what is traced and compiled before anything is trained."""

    what = "first"

    def _limits(self, factor: float) -> tuple[Limit, ...]:
        return (limit("gradtape", factor, "jax"),)
