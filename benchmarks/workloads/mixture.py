"""The heart of a Gaussian mixture: points cut out one by one, and many vectors that share their matrices (as ADBench's GMM)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, float32
from benchmarks.workload import EAGER, Gradient, limit

POINTS, PARTS, SIZE = 1000, 25, 10


class Mixture(Gradient):
    name = "mixture"
    title = "1,000 points against 25 matrices of 10 x 10, forward + backward"
    contestants = EAGER
    limits = (limit("gradtape", 0.9, "torch"),)

    def data(self, rng: np.random.Generator) -> Data:
        means, matrices = float32(rng, PARTS, SIZE), float32(rng, PARTS, SIZE, SIZE, scale=SIZE**-0.5)
        return Data([means, matrices], [float32(rng, POINTS, SIZE)])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        (means, matrices), (points,) = parameters, inputs
        centred = d.stack([points[k] - means for k in range(POINTS)])
        distances = matrices @ d.reshape(centred, (POINTS, PARTS, SIZE, 1))
        return d.sum(d.exp(-0.5 * d.square(distances)))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        (means, matrices), (points,) = parameters, inputs
        centred = (points[:, None] - means).transpose(1, 0, 2)  # for each part all points
        distances = centred @ matrices.transpose(0, 2, 1)
        powers = np.exp(-0.5 * distances * distances)
        slopes = -distances * powers
        return np.sum(powers), [-np.sum(slopes @ matrices, axis=1), slopes.transpose(0, 2, 1) @ centred]
