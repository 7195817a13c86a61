"""Loops and updates of `keras.ops` in functions that know sizes, places and counts only when they run."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import gradtape as tf

keras = pytest.importorskip("gradtape.keras")
from keras import ops  # noqa: E402

ROWS = tf.TensorSpec([None, 2])
NUMBER = tf.TensorSpec([], tf.int32)


def check(fn, specs, *given):
    """The traced function gives values and gradients as the eager one does."""
    traced = tf.function(fn, input_signature=specs)
    for eager, later in zip(tf.nest.flatten(fn(*given)), tf.nest.flatten(traced(*given)), strict=True):
        np.testing.assert_allclose(later, eager, rtol=1e-5)
    gradients = []
    for function in (fn, traced):
        with tf.GradientTape() as tape:
            tape.watch([x for x in given if x.dtype.is_floating])
            loss = sum(tf.reduce_sum(tf.cast(part, tf.float32) ** 2) for part in tf.nest.flatten(function(*given)))
        gradients.append(tape.gradient(loss, [x for x in given if x.dtype.is_floating]))
    for eager, later in zip(*gradients, strict=True):
        np.testing.assert_allclose(tf.convert_to_tensor(later), eager, rtol=1e-4)


def rows(count):
    return tf.constant(np.random.default_rng(count).uniform(0.5, 1.5, [count, 2]), tf.float32)


@pytest.mark.parametrize("count", [1, 2, 5, 8])
@pytest.mark.parametrize("reverse", [False, True])
def test_scans(count, reverse):
    check(lambda x: ops.associative_scan(operator.mul, x, reverse=reverse), [ROWS], rows(count))
    check(lambda x: ops.associative_scan(operator.add, x, reverse, 1), [tf.TensorSpec([None, None])], rows(count))

    def step(carry, row):
        return carry + row, {"product": carry * row, "sum": tf.reduce_sum(row)}

    check(lambda x: ops.scan(step, tf.zeros(2), x, reverse=reverse), [ROWS], rows(count))


def test_maps_and_counted_loops():
    check(lambda x: ops.map(lambda row: (row * 2.0, tf.cast(row[0] > 1.0, tf.int32)), x), [ROWS], rows(3))
    check(lambda x: ops.scan(lambda carry, row: (carry * row, None), tf.ones(2), x), [ROWS], rows(3))
    body = lambda i, value: value * 1.5 + tf.cast(i, tf.float32)  # noqa: E731
    check(lambda x, n: ops.fori_loop(1, n, body, x), [ROWS, NUMBER], rows(3), tf.constant(4))
    doubled = lambda x, n: ops.scan(lambda carry, _: (carry * 2.0, carry), x, length=n)  # noqa: E731
    check(doubled, [tf.TensorSpec([2]), NUMBER], rows(1)[0], tf.constant(3))


def test_a_scan_over_nothing():
    scanned = tf.function(lambda x: ops.scan(lambda c, r: (c + r, c), tf.ones(2), x), input_signature=[ROWS])
    carry, ys = scanned(tf.zeros([0, 2]))
    assert (carry.numpy().tolist(), ys.shape) == ([1.0, 1.0], (0, 2))


@pytest.mark.parametrize("start", [[1, 0], [30, -4], [4, 1]])
def test_a_block_is_put_anywhere(start):
    specs = [ROWS, tf.TensorSpec([2], tf.int32), tf.TensorSpec([None, None])]
    check(ops.slice_update, specs, rows(6), tf.constant(start), tf.constant([[7.0], [8.0]]))


def test_places_are_multiplied_as_often_as_they_are_named():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    multiply = lambda x, places, factors: ops.scatter_update(x, places, factors, "mul")  # noqa: E731
    places, factors = tf.constant([[0, 0], [1, 1], [0, 0]]), tf.constant([2.0, 0.0, 5.0])
    assert multiply(x, places, factors).numpy().tolist() == [[10.0, 2.0], [3.0, 0.0]]
    check(multiply, [ROWS, tf.TensorSpec([None, 2], tf.int32), tf.TensorSpec([None])], x, places, factors)
    check(multiply, [ROWS, tf.TensorSpec([None, 1], tf.int32), ROWS], x, tf.constant([[1], [1]]), rows(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="= 3 is not in"):
        multiply(x, [[3]], [[1.0, 2.0]])
