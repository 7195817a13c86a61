"""Work so small that only the library's own cost is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, Step, float32
from benchmarks.workload import EAGER, EVERYONE, Gradient, Limit, Workload, aim, limit


class ScalarGradient(Gradient):
    name = "scalar-gradient"
    title = "gradient of x*x, scalar"
    contestants: ClassVar[tuple[str, ...]] = (*EAGER, "gradtape function", "jax", "jax jit")
    limits: ClassVar[tuple[Limit, ...]] = (limit("gradtape", 0.4, "torch"), aim("gradtape function", 0.5, "jax jit"))

    def data(self, rng: np.random.Generator) -> Data:
        return Data([np.array(3.0, np.float32)], [])

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.gradient_of_tensors(self.loss, data)

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        (x,) = parameters
        return x * x

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        (x,) = parameters
        return x * x, [x + x]


class ScalarGradientOfVariable(ScalarGradient):
    name = "scalar-gradient-variable"
    title = "gradient of x*x, scalar variable"
    contestants = EAGER
    limits = (limit("gradtape", 0.4, "torch"),)

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.gradient(self.loss, data)


class Add(Workload):
    name = "add"
    title = "one add of 8 floats, no tape"
    contestants = (*EAGER, "jax", "jax jit")
    limits = (limit("gradtape", 3, "numpy"), aim("gradtape", 2.5, "numpy"))

    def data(self, rng: np.random.Generator) -> Data:
        return Data([], [float32(rng, 8), float32(rng, 8)])

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.call("add", *data.inputs)

    def by_hand(self, data: Data) -> Step:
        return Step(np.add, tuple(data.inputs))


class Increment(Workload):
    name = "increment"
    title = "x + 1 on 8 floats, compiled"
    contestants = ("numpy", "gradtape function", "tf function", "tf XLA", "jax jit")
    limits = (aim("gradtape function", 0.2, "jax jit"),)

    def data(self, rng: np.random.Generator) -> Data:
        return Data([], [float32(rng, 8)])

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.apply(lambda x: x + 1.0, *data.inputs)

    def by_hand(self, data: Data) -> Step:
        return Step(lambda x: x + np.float32(1), tuple(data.inputs))


class SmallOps(Gradient):
    """Fifty times a product, a sum, a tanh and a sum; each uses the sources, so their gradients add up."""

    name = "small-ops"
    title = "200 small ops (8 floats), forward + backward"
    contestants: ClassVar[tuple[str, ...]] = (*EVERYONE, "gradtape jit", "jax")
    limits: ClassVar[tuple[Limit, ...]] = (
        limit("gradtape", 0.6, "torch"),
        limit("gradtape", 0.08, "tf"),
        aim("gradtape", 0.55, "torch"),
        aim("gradtape function", 1.1, "jax jit"),
        aim("gradtape jit", 0.6, "jax jit"),
    )
    repetitions = 50

    def data(self, rng: np.random.Generator) -> Data:
        return Data([float32(rng, 8), float32(rng, 8, scale=0.5), float32(rng, 8)], [])

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.gradient_of_tensors(self.loss, data)

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        x, w, b = parameters
        tanh = d.tanh
        y = x
        for _ in range(self.repetitions):
            y = tanh(y * w + b) + x
        return d.sum(y)

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        x, w, b = parameters
        ys, hs = [x], []
        for _ in range(self.repetitions):
            h = np.tanh(ys[-1] * w + b)
            hs.append(h)
            ys.append(h + x)

        gy = np.ones_like(x)
        gx, gw, gb = np.zeros_like(x), np.zeros_like(w), np.zeros_like(b)
        for y, h in zip(reversed(ys[:-1]), reversed(hs), strict=True):
            gx += gy
            gz = gy - gy * (h * h)
            gw += gz * y
            gb += gz
            gy = gz * w
        gx += gy
        return ys[-1].sum(), [gx, gw, gb]


class SmallOpsOnVariables(SmallOps):
    name = "small-ops-variables"
    title = "200 small ops (8 floats) on variables, forward + backward"
    contestants = EAGER
    limits = (limit("gradtape", 0.6, "torch"), limit("gradtape", 0.08, "tf"))

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.gradient(self.loss, data)
