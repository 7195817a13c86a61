"""Python's `if` and `for` on tensors in the `call` of a user's own layer."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

keras = pytest.importorskip("gradtape.keras")


class Branching(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, x):
        if tf.reduce_sum(x) > 0.0:
            y = x * self.scale
        else:
            y = -2.0 * x * self.scale
        for _ in tf.range(3):
            y = y + 1.0
        return y


def test_the_call_of_a_layer_is_converted():
    layer = Branching()
    traced = tf.function(lambda x: layer(x), input_signature=[tf.TensorSpec([None, 2])])
    np.testing.assert_allclose(traced(tf.ones([4, 2])).numpy(), np.full((4, 2), 4.0))
    np.testing.assert_allclose(traced(-tf.ones([1, 2])).numpy(), np.full((1, 2), 5.0))
    assert traced.experimental_get_tracing_count() <= 2  # one more where the weights are made
    with tf.GradientTape() as tape:
        y = traced(-tf.ones([1, 2]))
    np.testing.assert_allclose(tf.convert_to_tensor(tape.gradient(y, layer.scale)).numpy(), [2.0, 2.0])
