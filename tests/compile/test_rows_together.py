"""What Python computes row by row, and then stacks or adds up, is computed at once."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compile.test_transposes import array, names, same

import gradtape as tf


def test_a_stack_of_rows_is_one_instruction():
    def function(x, centre):
        return tf.stack([tf.tanh(x[i] - centre) for i in range(200)])

    values = [array(200, 100), array(100, seed=1)]
    same(function, *values)
    assert names(function, *values) == ["subtract", "tanh"]


@pytest.mark.parametrize("axis", [0, -3])
def test_rows_of_fewer_axes_than_the_result(axis):
    def function(x, means):
        return tf.stack([x[i] - means for i in range(100)], axis)

    values = [array(100, 10), array(20, 10, seed=1)]
    same(function, *values)
    assert "stack" not in names(function, *values)


def test_the_gradient_of_what_all_rows_take_is_one_sum():
    def function(x, means):
        with tf.GradientTape() as tape:
            tape.watch(means)
            y = tf.reduce_sum(tf.stack([x[i] - means for i in range(100)]) ** 2, 2)
        return y, tape.gradient(y, means)

    values = [array(100, 10, dtype=np.float64), array(20, 10, seed=1, dtype=np.float64)]
    same(function, *values)
    found = names(function, *values)
    assert "getitem" not in found
    assert "unpack" not in found
    assert len(found) < 12


def test_the_gradient_of_a_row_that_is_repeated():
    def function(x, scale, shift):
        with tf.GradientTape() as tape:
            tape.watch([scale, shift])
            y = tf.stack([x[i] * scale + shift for i in range(100)])
            total = tf.reduce_sum(y * y) + tf.reduce_sum(shift)
        return tape.gradient(total, [scale, shift])

    values = [array(100, 200, dtype=np.float64), array(dtype=np.float64), array(200, seed=1, dtype=np.float64)]
    same(function, *values)
    assert len(names(function, *values)) < 16


def test_the_gradient_of_the_rows_is_put_together_once():
    def function(x, means):
        with tf.GradientTape() as tape:
            tape.watch([x, means])
            y = tf.stack([x[i] - means for i in range(100)])
            total = tf.reduce_sum(y * y)
        return tape.gradient(total, [x, means])

    values = [array(100, 10, dtype=np.float64), array(20, 10, seed=1, dtype=np.float64)]
    same(function, *values)
    assert len(names(function, *values)) < 16


def test_the_gradient_of_rows_that_are_not_elementwise():
    def function(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(tf.stack([tf.cumsum(x[i] * x[i]) for i in range(100)]))
        return tape.gradient(total, x)

    same(function, array(100, 200, dtype=np.float64))
    assert "setitem_zeros" not in names(function, array(100, 200, dtype=np.float64))


def test_some_of_the_rows_and_some_of_their_elements():
    def function(x):
        return tf.stack([tf.exp(x[i, 1:]) for i in range(3, 103)])

    same(function, array(120, 200))
    assert names(function, array(120, 200)) == ["getitem", "exp"]


def test_numbers_that_differ_from_row_to_row():
    def function(x):
        return tf.stack([x[i] * (i + 0.5) for i in range(100)])

    same(function, array(100, 200))
    assert names(function, array(100, 200)) == ["multiply"]


def test_rows_that_are_taken_apart_at_once():
    def function(x):
        return tf.stack([tf.sin(row) for row in tf.unstack(x)])

    same(function, array(100, 200))
    assert names(function, array(100, 200)) == ["sin"]


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: tf.stack([x[99 - i] + 1.0 for i in range(100)]), id="in another order"),
        pytest.param(lambda x: tf.stack([x[i] + 1.0 if i else x[i] * 2.0 for i in range(100)]), id="not all alike"),
        pytest.param(lambda x: tf.stack([tf.cumsum(x[i]) for i in range(100)]), id="not elementwise"),
        pytest.param(lambda x: tf.stack([x[i] + x[0] for i in range(100)], 1), id="along another axis"),
        pytest.param(lambda x: tf.stack([x[i] + x[i // 2] for i in range(100)]), id="two rows of one array"),
    ],
)
def test_other_stacks_stay_what_they_are(function):
    same(function, array(100, 200))
    assert names(function, array(100, 200))[-1] == "stack"


def test_small_stacks_have_the_bits_of_eager_code():
    def function(x, means):
        with tf.GradientTape() as tape:
            tape.watch(means)
            y = tf.stack([x[i] - means for i in range(10)])
            total = tf.reduce_sum(y * y)
        return tape.gradient(total, means)

    values = [array(10, 7), array(7, seed=1)]
    expected = function(*map(tf.constant, values))
    found = tf.function(function)(*map(tf.constant, values))
    np.testing.assert_array_equal(found, expected)
