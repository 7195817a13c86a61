"""Elementwise instructions on large transposed arrays run on the arrays as they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.compile.test_compiled_programs import program_of

import gradtape as tf
from gradtape.compile.passes import optimized
from gradtape.compile.program import check


def array(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Any:
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def names(function: Any, *values: Any) -> list[str]:
    program = optimized(program_of(function, *values))
    check(program)
    return [node.what.name for node in program.nodes]


def same(function: Any, *values: Any) -> None:
    """A compiled function gives what eager code gives, in the same types and shapes."""
    expected = tf.nest.flatten(function(*values))
    for found, known in zip(tf.nest.flatten(tf.function(function)(*values)), expected, strict=True):
        assert (found.dtype, found.shape) == (known.dtype, known.shape)
        tolerance = 1e-11 if known.dtype == tf.float64 else 2e-4
        np.testing.assert_allclose(found, known, tolerance, tolerance)


REDUCTIONS = [
    tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_logsumexp, tf.math.reduce_euclidean_norm
]  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1, None, (0, 1)])
@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_reductions_of_a_transposed_matrix(reduce, axis, keepdims, dtype):
    def function(x):
        return reduce(tf.tanh(tf.transpose(x)) * 2.0 + 1.0, axis, keepdims)

    x = array(130, 140, dtype=dtype)
    same(function, x)
    assert "permute" not in names(function, x) or keepdims


@pytest.mark.parametrize("axis", [0, 1, 2, 3, (0, 2), (1, 3), (0, 1, 3), (-1, -3)])
@pytest.mark.parametrize("order", [(3, 0, 2, 1), (0, 2, 3, 1), (1, 0, 2, 3), (3, 2, 1, 0)])
def test_reductions_of_arrays_with_more_axes(order, axis):
    def function(x):
        y = tf.exp(-tf.transpose(x, order))
        return tf.reduce_sum(y, axis), tf.reduce_max(y, axis, keepdims=True), y

    same(function, array(12, 10, 14, 11, dtype=np.float64))


def test_truth_values_and_integers():
    def function(x):
        y = tf.transpose(x)
        return tf.reduce_any(y > 2.0, 0), tf.reduce_all(y < 3.0, 1), tf.reduce_sum(tf.cast(y * 10.0, tf.int32), 0)

    same(function, array(200, 100))


def test_operands_that_are_repeated():
    def function(x, row, column, number):
        y = tf.transpose(x)
        z = tf.where(y > row, y * column, y - number) / (
            1.0 + tf.square(y * np.linspace(0.0, 1.0, 150, dtype=np.float32))
        )
        return z, tf.reduce_sum(z, 0), tf.reduce_mean(z * tf.ones_like(z), 1)

    values = [array(150, 120), array(150, seed=1), array(120, 1, seed=2), array(seed=3)]
    same(function, *values)
    assert names(function, *values).count("permute") <= 3  # of small operands, and of what is returned


def test_two_transposed_operands_of_one_order():
    def function(x, y):
        return tf.reduce_sum(tf.transpose(x) * tf.sin(tf.transpose(y)), 1)

    values = [array(130, 140), array(130, 140, seed=1)]
    same(function, *values)
    assert "permute" not in names(function, *values)


def test_what_needs_an_array_in_its_own_order_stays_as_it_is():
    """Another array beside it, a softmax along rows: the instructions before them are not turned round for nothing."""

    def beside(x):
        return tf.tanh(tf.transpose(x) * 2.0) + x

    def rows(x):
        return tf.nn.softmax(tf.transpose(x) * 2.0), tf.reduce_sum(tf.transpose(x) + 1.0, 0)

    def orders(x):
        x = tf.reshape(x, [20, 20, 49])
        return tf.transpose(x, [1, 0, 2]) * x

    x = array(140, 140)
    for function in (beside, rows, orders):
        same(function, x)
    assert names(beside, x)[0] == "permute"


def test_products_take_transposed_results():
    def function(x, y):
        z = tf.tanh(tf.transpose(x))
        return tf.matmul(z, y), tf.matmul(y, z, transpose_a=True)

    values = [array(150, 150), array(150, 150, seed=1)]
    same(function, *values)
    assert "permute" not in names(function, *values)


@pytest.mark.parametrize("shape", [(130, 140), (300, 64), (64, 257)])
def test_gradients(shape):
    def function(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.square(tf.reduce_mean(tf.tanh(tf.transpose(x)) * 3.0, 1)))
        return y, tape.gradient(y, x)

    x = array(*shape, dtype=np.float64)
    same(function, x)
    assert "broadcast_to" not in names(function, x)


def test_small_arrays_are_left_alone():
    def function(x):
        return tf.reduce_sum(tf.tanh(tf.transpose(x)), 0)

    assert "permute" in names(function, array(20, 30))


def test_inside_of_a_loop():
    def function(x):
        total = tf.zeros([140], x.dtype)
        for _ in tf.range(3):
            total = total + tf.reduce_sum(tf.exp(-tf.transpose(x)), 1)
            x = x * 0.5
        return total

    x = array(130, 140, dtype=np.float64)
    tf.config.run_functions_eagerly(True)
    try:
        expected = tf.function(function)(x)
    finally:
        tf.config.run_functions_eagerly(False)
    np.testing.assert_allclose(tf.function(function)(x), expected, 1e-11)
