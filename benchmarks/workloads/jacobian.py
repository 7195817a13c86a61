"""A full Jacobian: one backward pass for each output, unless the passes are batched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, Step, float32
from benchmarks.workload import EAGER, Workload, aim, limit

SIZE = 64


class Jacobian(Workload):
    name = "jacobian"
    title = "Jacobian 64 x 64 of a two-layer net"
    contestants = (*EAGER, "gradtape function", "tf function", "jax", "jax jit")
    limits = (
        limit("gradtape", 0.5, "torch"),
        aim("gradtape", 0.4, "torch"),
        aim("gradtape function", 0.8, "jax jit"),
    )

    def data(self, rng: np.random.Generator) -> Data:
        layer = float32(rng, SIZE, SIZE, scale=SIZE**-0.5), float32(rng, SIZE)
        output = float32(rng, SIZE, SIZE, scale=SIZE**-0.5), float32(rng, SIZE)
        return Data([*layer, *output], [float32(rng, 1, SIZE)])

    def network(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        w1, b1, w2, b2 = parameters
        (x,) = inputs
        return d.dense(d.tanh(d.dense(x, w1, b1)), w2, b2)

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.jacobian(self.network, data)

    def by_hand(self, data: Data) -> Step:
        w1, b1, w2, _ = data.parameters

        def jacobian(x: Array) -> Array:
            hidden = np.tanh(x @ w1 + b1)
            return np.asarray((w2.T * (1 - hidden * hidden)) @ w1.T).reshape(1, SIZE, 1, SIZE)

        return Step(jacobian, tuple(data.inputs))
