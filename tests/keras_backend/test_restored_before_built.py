"""A Keras model that is restored before it is built gets its values when it is (docs/differences.md)."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np

import gradtape as tf


class Net(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.layer = keras.layers.Dense(5)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return self.layer(x)


def test_values_wait_until_the_model_is_built(tmp_path: Path) -> None:
    saved, restored, x = Net(), Net(), tf.ones([1, 3])
    expected = saved(x)
    tf.train.Checkpoint(net=restored).restore(tf.train.Checkpoint(net=saved).save(str(tmp_path / "c")))
    np.testing.assert_array_equal(restored(x), expected)
