"""Keras's `fit` on each backend: the time of a step, and that of the first call."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

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

    def read(self, module: str, kernels: str = "") -> float:
        """`kernels` is the folder of gradtape's machine code: the user's own, unless another is named, and 0 for none."""
        environment = {**os.environ, "GRADTAPE_CACHE": kernels} if kernels else None
        command = [sys.executable, "-m", "benchmarks.keras_fit", module, self.model, self.what]
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        if run.returncode:
            raise Unavailable(f"keras on {module}: {run.stderr.strip().splitlines()[-1]}")
        return float(run.stdout.split()[-1])


class KerasFirstFit(KerasFit):
    """The first call of `fit`, with one batch: what is traced and compiled before anything is trained."""

    what = "first"

    def read(self, module: str, kernels: str = "0") -> float:
        return super().read(module, kernels)

    def _limits(self, factor: float) -> tuple[Limit, ...]:
        return (limit("gradtape", factor, "jax"),)


class KerasSecondProcess(KerasFirstFit):
    """The same in a process that finds the machine code of one before it on disk."""

    def __init__(self, model: str, title: str, factor: float) -> None:
        super().__init__(model, title, factor)
        self.name, self.title = f"keras-{model}-second", f"keras fit, {title}, first call in a second process"  # type: ignore[misc]

    def read(self, module: str, kernels: str = "") -> float:
        with tempfile.TemporaryDirectory() as folder:  # (which has mode 700)
            super().read(module, folder)
            return super().read(module, folder)
