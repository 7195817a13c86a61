"""Keras layers and ops inside traced functions: what the functions refer to has the derivatives of eager code."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

keras = pytest.importorskip("gradtape.keras")


class Scaled(keras.layers.Layer):
    """A layer that holds a tensor which is no weight of it."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor
        self.dense = keras.layers.Dense(2, kernel_initializer="ones", activation="tanh")

    def call(self, x):
        return self.dense(x * keras.ops.sin(self.factor)) + self.factor * self.factor


FUNCTIONS = {
    "a layer": lambda x, layer, y: layer(y),
    "its input": lambda x, layer, y: layer(keras.ops.stack([x, x * x])),
    "ops": lambda x, layer, y: keras.ops.softmax(keras.ops.matmul(keras.ops.outer(x, x), y)) * x,
    "a map": lambda x, layer, y: keras.ops.vectorized_map(lambda row: keras.ops.sin(x) * row, y),
    "a scan": lambda x, layer, y: keras.ops.scan(lambda c, row: (c * keras.ops.sin(x) + row, c), y[0], y)[0],
    "a branch": lambda x, layer, y: keras.ops.cond(y[0, 0] > 0, lambda: keras.ops.exp(x) * y, lambda: y),
    "a loop": lambda x, layer, y: keras.ops.fori_loop(0, 3, lambda i, z: z * keras.ops.sin(x), y),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_eager_code(name):
    x, y = tf.constant([0.7, 1.3]), tf.constant([[1.0, -2.0], [0.5, 3.0]])
    layer = Scaled(x)
    layer(y)
    sources = [x, y, *(weight.value for weight in layer.trainable_weights)]
    run = lambda value: FUNCTIONS[name](x, layer, value)  # noqa: E731
    found = []
    for f in (tf.function(run), tf.function(run, jit_compile=True), run):
        with tf.GradientTape() as outer:
            outer.watch([x, y])
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([x, y])
                z = f(y)
            first = tape.gradient(z, sources)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -1.0])) as accumulator:
            along = accumulator.jvp(f(y))
        found.append([z, *first, outer.gradient(first[0], [x, y])[0], along])
    for traced in found[:2]:
        for a, b in zip(traced, found[2], strict=True):
            assert (a is None) == (b is None)
            if b is not None:
                np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-5, atol=1e-6)
