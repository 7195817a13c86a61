"""The gradient of a few rows of a large table: it must cost what the rows cost, not what the table costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, float32
from benchmarks.workload import EAGER, Gradient, limit


class Embedding(Gradient):
    """JAX has no sparse gradient, and is left out."""

    name = "embedding"
    title = "embedding lookup in 1M x 32, 2,560 ids, gradient"
    contestants = EAGER
    limits = (limit("gradtape", 1, "torch"),)

    def data(self, rng: np.random.Generator) -> Data:
        rows = 1_000_000
        return Data([float32(rng, rows, 32)], [rng.integers(rows, size=2_560, dtype=np.int32)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        (table,), (ids,) = parameters, inputs
        return d.sum(d.square(d.lookup(table, ids)))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        """The gradient as its values and the ids they belong to."""
        (table,), (ids,) = parameters, inputs
        found = table[ids]
        return np.sum(found * found), [found + found, ids]
