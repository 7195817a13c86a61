"""A training step of a multilayer perceptron on images of digits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.optimizers import Adam
from benchmarks.step import Array, Data, float32
from benchmarks.workload import EVERYONE, THE_BEST, Limit, Training, aim, limit
from benchmarks.workloads import classification


class MLP(Training):
    name = "mlp"
    title = "MLP 784-512-512-10, batch 128, Adam step"
    contestants: ClassVar[tuple[str, ...]] = (*EVERYONE, "gradtape xla")
    optimizer = Adam(in_place=True)
    limits: ClassVar[tuple[Limit, ...]] = (
        limit("gradtape", 1.3, "torch"),
        aim("gradtape function", 0.85, *THE_BEST),
        aim("gradtape xla", 1.15, "jax jit"),
    )
    sizes = (784, 512, 512, classification.CLASSES)

    def data(self, rng: np.random.Generator) -> Data:
        parameters = []
        for fan_in, fan_out in pairwise(self.sizes):
            parameters += [
                float32(rng, fan_in, fan_out, scale=(2 / fan_in) ** 0.5),
                float32(rng, fan_out, scale=0.1),
            ]
        return Data(parameters, [float32(rng, classification.BATCH, self.sizes[0]), classification.labels(rng)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        images, labels = inputs
        w1, b1, w2, b2, w3, b3 = parameters
        hidden = d.relu(d.dense(images, w1, b1))
        hidden = d.relu(d.dense(hidden, w2, b2))
        return d.cross_entropy(d.dense(hidden, w3, b3), labels)

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        images, labels = inputs
        w1, b1, w2, b2, w3, b3 = parameters
        h1 = images @ w1
        h1 += b1
        np.maximum(h1, 0, out=h1)
        h2 = h1 @ w2
        h2 += b2
        np.maximum(h2, 0, out=h2)
        loss, g3 = classification.cross_entropy(h2 @ w3 + b3, labels)
        g2 = g3 @ w3.T
        g2 *= h2 > 0
        g1 = g2 @ w2.T
        g1 *= h1 > 0
        return loss, [images.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g3, g3.sum(0)]


class MLPWithAdamInOps(MLP):
    """What a user of TensorFlow's dialect writes who has no optimizer; the other dialects keep theirs."""

    name = "mlp-adam-in-ops"
    title = "MLP 784-512-512-10, batch 128, Adam written out in ops"
    optimizer = Adam(in_place=False)
    limits = (limit("gradtape", 2.3, "torch"),)
