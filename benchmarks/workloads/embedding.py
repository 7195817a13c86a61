"""The gradient of a few rows of a large table: it must cost what the rows cost, not what the table costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.optimizers import SGD, Update
from benchmarks.step import Array, Data, float32
from benchmarks.workload import EAGER, Gradient, Training, aim, limit


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


class SGDOnRows(SGD):
    """Gradients are rows and where they belong."""

    def numpy(self, parameters: Sequence[Array]) -> Update:
        def update(gradients: Sequence[Array]) -> None:
            values, rows = gradients
            np.subtract.at(parameters[0], rows, self.learning_rate * values)

        return update

    def tensorflow(self, tf: Any, parameters: Sequence[Any]) -> Update:
        def update(gradients: Sequence[Any]) -> None:
            for parameter, rows in zip(parameters, gradients, strict=True):
                parameter.scatter_sub(tf.IndexedSlices(self.learning_rate * rows.values, rows.indices))

        return update


class EmbeddingStep(Embedding, Training):
    """PyTorch's SGD takes its sparse gradients as they are."""

    name = "embedding-sgd"
    title = "embedding lookup in 1M x 32, 2,560 ids, SGD step on the rows"
    limits = (aim("gradtape", 1, "torch"),)
    optimizer = SGDOnRows(1e-6)
