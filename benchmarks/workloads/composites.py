"""Functions made of several ops, and layers of Keras: what the library does around each of them while a tape records."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.step import Array, Data, Step, float32
from benchmarks.workload import Gradient, limit

PICKS = np.array([0, 3, 3, 7], np.int32)
INPUTS, HIDDEN, BATCH = 4, 8, 3


class Composites(Gradient):
    name = "composites"
    title = "a choice, slices, moments, picked elements and a norm (8 floats), forward + backward"
    contestants = ("numpy", "gradtape", "tf")
    limits = (limit("gradtape", 0.2, "tf"),)

    def data(self, rng: np.random.Generator) -> Data:
        return Data([float32(rng, 8)], [])

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        tf, (x,) = d.module, parameters
        chosen = tf.where(x > 0.0, x * x, x)
        _, variance = tf.nn.moments(x, [0])
        picked = tf.gather(x, PICKS)
        parts = tf.reduce_sum(chosen) + tf.reduce_sum(x[1:] * x[:-1]) + tf.reduce_sum(picked * picked)
        return parts + variance + tf.norm(x)

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        (x,) = parameters
        positive, centred, norm = x > 0, x - x.mean(), np.sqrt(x @ x)
        loss = np.sum(np.where(positive, x * x, x)) + x[1:] @ x[:-1] + np.sum(x[PICKS] ** 2)
        gradient = np.where(positive, 2 * x, 1) + 2 * centred / len(x) + x / norm
        gradient[1:] += x[:-1]
        gradient[:-1] += x[1:]
        np.add.at(gradient, PICKS, 2 * x[PICKS])
        return loss + centred @ centred / len(x) + norm, [gradient]


class EagerLayers(Gradient):
    """A Keras model that is called eagerly under a tape, as custom training loops do without `tf.function`."""

    name = "keras-eager"
    title = "two layers of Keras called eagerly, batch 3, forward + backward"
    contestants = ("numpy", "gradtape", "tf")
    limits = (limit("gradtape", 0.5, "tf"),)

    def data(self, rng: np.random.Generator) -> Data:
        hidden = float32(rng, INPUTS, HIDDEN), float32(rng, HIDDEN)
        return Data([*hidden, float32(rng, HIDDEN, 1), float32(rng, 1)], [float32(rng, BATCH, INPUTS)])

    def step(self, dialect: Dialect, data: Data) -> Step:
        tf = dialect.module
        if tf.__name__ == "gradtape":
            import gradtape.keras  # noqa: F401
        else:
            os.environ["KERAS_BACKEND"] = tf.__name__
        import keras

        dense = keras.layers.Dense
        model = keras.Sequential([keras.Input((INPUTS,)), dense(HIDDEN, activation="tanh"), dense(1)])
        model.set_weights(data.parameters)
        x = tf.constant(data.inputs[0])

        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(x, training=True)))
            return loss, tape.gradient(loss, model.trainable_variables)

        return Step(step)

    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        w1, b1, w2, b2 = parameters
        return d.mean(d.square(d.dense(d.tanh(d.dense(inputs[0], w1, b1)), w2, b2)))

    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        (w1, b1, w2, b2), (x,) = parameters, inputs
        hidden = np.tanh(x @ w1 + b1)
        out = hidden @ w2 + b2
        slope = 2 * out / out.size
        before = slope @ w2.T * (1 - hidden * hidden)
        return np.mean(out * out), [x.T @ before, before.sum(0), hidden.T @ slope, slope.sum(0)]
