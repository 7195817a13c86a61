"""What variables cost: a tape among a thousand of which a few are read, and a call of a function that changes fifty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.dialects import Dialect, TensorFlow
from benchmarks.optimizers import SGD
from benchmarks.step import Array, Data, Step, float32
from benchmarks.workload import EAGER, Gradient, Training, aim

VARIABLES = 1_000
READ = range(0, VARIABLES, 100)


class AccessedVariables(Gradient):
    """Gradients are asked of all, as a training loop does; those of the others are None."""

    name = "variables-accessed"
    title = "a tape among 1,000 variables, 10 of them read"
    contestants: ClassVar[tuple[str, ...]] = EAGER

    def data(self, rng: np.random.Generator) -> Data:
        return Data([float32(rng, 8) for _ in range(VARIABLES)], [])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        first, *rest = READ
        total = d.square(parameters[first])
        for i in rest:
            total = total + d.square(parameters[i])
        return d.sum(total)

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        read = [parameters[i] for i in READ]
        return np.sum(np.square(read)), [x + x for x in read]


class WatchedVariables(AccessedVariables):
    """PyTorch has no such switch, and is left out."""

    name = "variables-watched"
    title = "a tape among 1,000 variables, 10 of them watched by hand"
    contestants = ("numpy", "gradtape", "tf")

    def step(self, dialect: Dialect, data: Data) -> Step:
        assert isinstance(dialect, TensorFlow)
        return dialect.watched_gradient(self.loss, data, READ)


class ChangedVariables(Training):
    """The call of a compiled function with many small variables, all of which it changes: little but the call itself."""

    name = "variables-changed"
    title = "a training step with 50 variables of 8 floats"
    contestants = ("gradtape function", "gradtape xla", "tf function", "jax jit")
    limits = (aim("gradtape xla", 1.3, "jax jit"),)
    optimizer = SGD(1e-5)

    def data(self, rng: np.random.Generator) -> Data:
        return Data([float32(rng, 8) for _ in range(50)], [float32(rng, 8)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        total = inputs[0]
        for parameter in parameters:
            total = total + d.square(parameter)
        return d.sum(total)

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        return np.sum(inputs[0]) + np.sum(np.square(parameters)), [x + x for x in parameters]
