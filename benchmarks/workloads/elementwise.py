"""Elementwise work on arrays far larger than any cache: what counts is how often memory is crossed, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, float32
from benchmarks.workload import EVERYONE, Gradient, aim, limit


class Elementwise(Gradient):
    name = "elementwise"
    title = "elementwise over 4M floats, forward + backward"
    contestants = (*EVERYONE, "torch compiled", "gradtape jit")
    limits = (
        aim("gradtape", 1.6, "torch", note="on NumPy"),
        aim("gradtape", 0.8, "torch", note="with the native engine"),
        aim("gradtape function", 1, "tf XLA", "jax jit"),
        aim("gradtape jit", 1, "tf XLA", "jax jit"),
    )

    def data(self, rng: np.random.Generator) -> Data:
        return Data([float32(rng, 4_000_000)], [])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        (x,) = parameters
        return d.sum(d.tanh(x) * d.exp(-x))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        (x,) = parameters
        bounded, decay = np.tanh(x), np.negative(x)
        np.exp(decay, out=decay)
        loss = np.sum(bounded * decay)

        # d/dx tanh(x) exp(-x) = (1 - tanh(x)^2 - tanh(x)) exp(-x)
        gradient = np.multiply(bounded, bounded)
        gradient += bounded
        np.subtract(1, gradient, out=gradient)
        gradient *= decay
        return loss, [gradient]


class Transposed(Gradient):
    name = "transposed"
    title = "sums along the rows of a transposed 2048 x 2048 matrix, forward + backward"
    contestants = EVERYONE
    limits = (limit("gradtape function", 1.3, "gradtape"), aim("gradtape function", 1, "tf XLA", "jax jit"))

    def data(self, rng: np.random.Generator) -> Data:
        return Data([float32(rng, 2048, 2048)], [])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        (x,) = parameters
        return d.mean(d.square(d.sum(d.tanh(d.transpose(x, (1, 0))), 1)))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        (x,) = parameters
        bounded = np.tanh(x)
        sums = np.sum(bounded, 0)
        slope = np.multiply(bounded, bounded, out=bounded)
        np.subtract(1, slope, out=slope)
        slope *= 2 / len(sums) * sums
        return np.mean(np.square(sums)), [slope]
