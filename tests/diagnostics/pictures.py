"""`python -m tests.diagnostics.pictures`: makes the pictures of docs/guide/monitor.md."""

import pathlib

import numpy as np

import gradtape as tf

PICTURES = pathlib.Path(__file__).parents[2] / "docs" / "guide" / "pictures"


def deep_sigmoids() -> tf.diagnostics.Monitor:
    """Twelve layers of sigmoids, in which gradients vanish."""
    keras = tf.keras
    keras.utils.set_random_seed(0)
    x = np.random.default_rng(0).normal(size=(512, 8)).astype(np.float32)
    hidden = [keras.layers.Dense(16, activation="sigmoid", name=f"hidden{i}") for i in range(10)]
    model = keras.Sequential([keras.Input((8,)), *hidden, keras.layers.Dense(1, name="out")])
    model.compile(keras.optimizers.SGD(0.05), "mse")
    monitor = tf.diagnostics.Monitor(display="off")
    model.fit(x, x[:, :1] * x[:, 1:2], batch_size=32, epochs=20, verbose=0, callbacks=[monitor])
    return monitor


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    deep_sigmoids().save(PICTURES / "monitor.png")
