"""Gradients clipped example by example, as private training needs them: how many batch gradients that costs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.step import Array, Unavailable, float32
from benchmarks.workload import Reading, limit

BATCH, ROUNDS = 128, 15


class _Clipping(Reading):
    """Time of the mean of clipped gradients, as a multiple of the time of the mean gradient, in one process."""

    unit = "x the batch gradient"
    unit_scale = 1
    contestants = ("gradtape", "jax")
    limits = (limit("gradtape", 3),)
    shapes: tuple[tuple[int, ...], ...]
    image: tuple[int, ...]

    def logits(self, library: Any, x: Any, parameters: Any) -> Any:
        raise NotImplementedError

    def read(self, module: str) -> float:
        rng = np.random.default_rng(0)
        parameters = [float32(rng, *shape, scale=float(np.prod(shape[:-1])) ** -0.5) for shape in self.shapes]
        x, y = float32(rng, BATCH, *self.image), rng.integers(0, 10, BATCH)
        programs = {"gradtape": self._gradtape, "jax": self._jax}
        if module not in programs:
            raise Unavailable(f"{module} is not written here")
        plain, clipped = programs[module](importlib.import_module(module), parameters, x, y)
        return _best(clipped) / _best(plain)

    def _gradtape(self, tf: Any, parameters: list[Array], x: Array, y: Array) -> tuple[Callable[[], Any], ...]:
        variables, images, labels = [tf.Variable(p) for p in parameters], tf.constant(x), tf.constant(y)
        cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits

        def plain() -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(cross_entropy(labels, self.logits(tf, images, variables)))
            return tape.gradient(loss, variables)

        def loss_of_one(image: Any, label: Any) -> Any:
            return tf.reduce_sum(cross_entropy(label[None], self.logits(tf, image[None], variables)))

        def clipped() -> Any:
            return tf.train.per_example_gradients(
                loss_of_one, variables, images, labels, clip_norm=1.0, reduction="mean"
            )

        return plain, clipped

    def _jax(self, jax: Any, parameters: list[Array], x: Array, y: Array) -> tuple[Callable[[], Any], ...]:
        np_of_jax = importlib.import_module("jax.numpy")

        def loss_of_one(variables: Any, image: Any, label: Any) -> Any:
            return -jax.nn.log_softmax(self.logits(jax, image[None], variables))[0, label]

        def loss(variables: Any, images: Any, labels: Any) -> Any:
            return np_of_jax.mean(jax.vmap(loss_of_one, (None, 0, 0))(variables, images, labels))

        def clipped_one(variables: Any, image: Any, label: Any) -> Any:
            found = jax.grad(loss_of_one)(variables, image, label)
            norm = np_of_jax.sqrt(sum(np_of_jax.sum(g * g) for g in found))
            return [g / np_of_jax.maximum(norm, 1.0) for g in found]

        def clipped_mean(variables: Any, images: Any, labels: Any) -> Any:
            each = jax.vmap(clipped_one, (None, 0, 0))(variables, images, labels)
            return [np_of_jax.mean(g, axis=0) for g in each]

        arguments = [np_of_jax.asarray(p) for p in parameters], np_of_jax.asarray(x), np_of_jax.asarray(y)
        plain, clipped = jax.jit(jax.grad(loss)), jax.jit(clipped_mean)
        return (
            lambda: jax.block_until_ready(plain(*arguments)),
            lambda: jax.block_until_ready(clipped(*arguments)),
        )


class ClippedMLP(_Clipping):
    name = "per-example-mlp"
    title = "gradients clipped per example, MLP 256-512-512-10, batch 128"
    shapes = ((256, 512), (512,), (512, 512), (512,), (512, 10), (10,))
    image = (256,)

    def logits(self, library: Any, x: Any, parameters: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        hidden = library.nn.relu(x @ w1 + b1)
        return library.nn.relu(hidden @ w2 + b2) @ w3 + b3


class ClippedCNN(_Clipping):
    name = "per-example-cnn"
    title = "gradients clipped per example, two convolutions on 28 x 28, batch 128"
    contestants = ("gradtape",)
    shapes = ((3, 3, 1, 16), (3, 3, 16, 32), (7 * 7 * 32, 10))
    image = (28, 28, 1)

    def logits(self, library: Any, x: Any, parameters: Any) -> Any:
        k1, k2, w = parameters
        hidden = library.nn.relu(library.nn.conv2d(x, k1, 2, "SAME"))
        hidden = library.nn.relu(library.nn.conv2d(hidden, k2, 2, "SAME"))
        return library.reshape(hidden, [hidden.shape[0], -1]) @ w


def _best(function: Callable[[], Any]) -> float:
    function()
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)
