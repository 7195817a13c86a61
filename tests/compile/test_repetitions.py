"""Instructions take arrays before they are repeated to fill a shape."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compile.test_transposes import array, names, same

import gradtape as tf


@pytest.mark.parametrize("rows", [5, 300])
def test_an_operand_is_not_repeated_before_it_is_used(rows):
    def function(x, row):
        return x * tf.broadcast_to(row, x.shape) - tf.broadcast_to(row, x.shape)

    values = [array(rows, 70), array(70, seed=1)]
    same(function, *values)
    assert names(function, *values) == ["multiply", "subtract"]


def test_what_only_repeated_arrays_give_is_repeated_afterwards():
    def function(x, row):
        return x, tf.exp(tf.broadcast_to(row, x.shape) * 2.0) + tf.broadcast_to(row, x.shape)

    values = [array(300, 70), array(70, seed=1)]
    same(function, *values)
    assert names(function, *values) == ["multiply", "exp", "add", "broadcast_to"]


def test_rows_and_columns_fill_the_shape_together():
    def function(row, column):
        return tf.broadcast_to(row, [300, 70]) * tf.broadcast_to(column, [300, 70])

    values = [array(70), array(300, 1, seed=1)]
    same(function, *values)
    assert names(function, *values) == ["multiply"]


def test_small_arrays_are_repeated_first():
    def function(row):
        return tf.reduce_sum(tf.sin(tf.broadcast_to(row, [4, 3])), 0)

    same(function, array(3))
    assert names(function, array(3))[0] == "broadcast_to"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_gradients_of_means(axis, dtype):
    def function(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.square(tf.reduce_mean(tf.tanh(x), axis)))
        return y, tape.gradient(y, x)

    x = array(300, 70, dtype=dtype)
    same(function, x)
    assert "broadcast_to" not in names(function, x)
