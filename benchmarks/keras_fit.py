"""Seconds of one training step, or of the first call of `fit`, of a small Keras model: run by the rows of Keras.

python -m benchmarks.keras_fit (gradtape | tensorflow | jax | torch) (mlp | cnn | lstm | attention) (step | first)
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from benchmarks.timing import clock

BATCH = 128
ROUNDS = 4


def model(keras: Any, name: str) -> Any:
    """The models of the table."""
    layers = keras.layers
    if name == "mlp":
        hidden = [layers.Dense(512, activation="relu"), layers.Dense(512, activation="relu")]
        return keras.Sequential([keras.Input((784,)), *hidden, layers.Dense(10)])
    if name == "cnn":
        first, second = layers.Conv2D(32, 3, activation="relu"), layers.Conv2D(64, 3, activation="relu")
        stages = [first, layers.MaxPooling2D(), second, layers.MaxPooling2D(), layers.Flatten()]
        return keras.Sequential([keras.Input((28, 28, 1)), *stages, layers.Dense(10)])
    if name == "lstm":
        return keras.Sequential([keras.Input((28, 28)), layers.LSTM(64), layers.Dense(10)])
    inputs = x = keras.Input((32, 64))
    for _ in range(2):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 16)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(64)(layers.Dense(256, activation="relu")(x)))
    return keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))


def measured(backend: str, name: str, what: str) -> float:
    """The first call of `fit` with one batch, or the best mean step of a few epochs after it."""
    if backend == "gradtape":
        import gradtape.keras  # noqa: F401
    else:
        os.environ["KERAS_BACKEND"] = backend
    import keras

    network = model(keras, name)
    steps = 60 if name in ("mlp", "lstm") else 15
    rng = np.random.default_rng(0)
    x = rng.random((BATCH * steps, *network.input_shape[1:]), dtype=np.float32)
    y = rng.integers(0, 10, BATCH * steps)
    network.compile(keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True))

    now = clock()

    def fit(count: int) -> float:
        start = now()
        network.fit(x[: BATCH * count], y[: BATCH * count], batch_size=BATCH, verbose=0)
        return now() - start

    first = fit(1)
    if what == "first":
        return first
    fit(3)
    return min(fit(steps) for _ in range(ROUNDS)) / steps


if __name__ == "__main__":
    print(measured(*sys.argv[1:]))
