"""Corners in which TensorFlow's answer is not the obvious one; the numbers and classes are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(
    ("given", "wanted", "found"),
    [
        ((2, 0), (0, -1), (0, 2)),
        ((2, 0), (-1, 0), (2, 0)),
        ((0,), (0, -1), (0, 1)),
        ((2, 0, 5), (0, -1, 3), (0, 3, 3)),
        ((7, 0, 5), (3, 0, -1), (3, 0, 11)),
        ((0,), (0, 5, -1), (0, 5, 0)),
        ((2, 0, 5), (3, -1), (3, 0)),
    ],
)
def test_reshape_of_nothing(given: Any, wanted: Any, found: Any) -> None:
    assert tf.reshape(tf.zeros(given), wanted).shape == found


def test_fill_takes_one_value_in_a_vector() -> None:
    x = tf.constant([3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.fill([2, 2], x)
    np.testing.assert_array_equal(y, np.full((2, 2), 3.0))
    np.testing.assert_array_equal(tape.gradient(y, x), [4.0])
    for value in ([[3.0]], [3.0, 4.0], []):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.fill([2], value)


def test_nothing_is_stacked_and_spaced() -> None:
    assert tf.stack([]).shape == (0,)
    assert tf.stack([]).dtype == tf.float32
    assert tf.linspace([0.0, 1.0], [1.0, 2.0], 0, axis=-1).shape == (2, 0)
    assert tf.linspace(0, 1, 0).dtype == tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linspace(0.0, 1.0, -1)


def test_truth_values_multiply_pad_and_scatter() -> None:
    b = tf.constant([True, False])
    np.testing.assert_array_equal(b * b, [True, False])
    np.testing.assert_array_equal(b * 2.5, [True, False])
    np.testing.assert_array_equal(b * tf.constant([0, 1]), [False, False])
    np.testing.assert_array_equal(tf.pad(b, [[1, 1]]), [False, True, False, False])
    np.testing.assert_array_equal(tf.pad(["a"], [[0, 1]]), [b"a", b""])
    np.testing.assert_array_equal(tf.scatter_nd([[0], [0]], b, [3]), [True, False, False])
    np.testing.assert_array_equal(tf.scatter_nd([[0], [0]], ["a", "b"], [2]), [b"ab", b""])
    with pytest.raises(TypeError):
        2 * b
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.multiply(b, b)
    with pytest.raises(TypeError):
        tf.pad(b, [[1, 1]], constant_values=1)


def test_parts_of_real_numbers_have_no_gradient() -> None:
    x = tf.constant([1.0, -2.0])
    for function, expected in ((tf.math.imag, [0.0, 0.0]), (tf.math.angle, [0.0, np.pi])):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        np.testing.assert_allclose(y, expected)
        assert tape.gradient(y, x) is None
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            z = function(x)
        assert accumulator.jvp(z) is None
    np.testing.assert_array_equal(tf.math.imag([True, False]), [False, False])
    assert tf.math.imag("text").numpy() == b""


@pytest.mark.parametrize(
    "function",
    [
        tf.nn.relu6,
        tf.nn.leaky_relu,
        lambda x: tf.nn.max_pool1d(tf.reshape(x, (1, 4, 1)), 2, 2, "VALID"),
    ],
)
@pytest.mark.parametrize("nan_safe", [False, True])
def test_second_derivatives_of_pieces_are_zeros(function: Any, nan_safe: bool) -> None:
    x = tf.constant([-1.0, 2.0, 5.0, 8.0])
    with tf.GradientTape(nan_safe=nan_safe) as outer:
        outer.watch(x)
        with tf.GradientTape(nan_safe=nan_safe) as tape:
            tape.watch(x)
            y = function(x)
        first = tape.gradient(y, x)
    np.testing.assert_array_equal(outer.gradient(first, x), np.zeros(4))


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: tf.stack([tf.zeros(2), tf.zeros(2)], axis=2)),
        (ValueError, lambda: tf.repeat(tf.zeros(3), [1, 2])),
        (ValueError, lambda: tf.repeat(tf.zeros(3), 2, axis=1)),
        (TypeError, lambda: tf.repeat(tf.zeros(3), 1.5)),
        (ValueError, lambda: tf.einsum("ij,jk->il", tf.zeros((2, 3)), tf.zeros((3, 2)))),
        (ValueError, lambda: tf.expand_dims(tf.zeros(2), None)),
        (TypeError, lambda: tf.expand_dims(tf.zeros(2), 1.5)),
        (ValueError, lambda: tf.reshape(tf.zeros(2), (None, 3))),
        (ValueError, lambda: tf.reshape(tf.zeros(2), None)),
        (ValueError, lambda: tf.zeros((None, 3))),
        (TypeError, lambda: tf.stack([tf.zeros(2)], None)),
        (TypeError, lambda: tf.constant(tf.constant([1.0]), dtype=tf.float64)),
        (tf.errors.InvalidArgumentError, lambda: tf.concat([], 0)),
        (ValueError, lambda: tf.concat([tf.zeros(2)], None)),
    ],
)
def test_class_of_the_error(error: type[Exception], call: Any) -> None:
    with pytest.raises(error):
        call()


def test_types_that_are_brought_together() -> None:
    x = tf.constant([1.5])
    for beta in (tf.constant(2.0, tf.float64), tf.constant(2)):
        np.testing.assert_allclose(tf.nn.silu(x, beta), [1.4288611], rtol=1e-6)
    assert tf.constant(tf.Variable(1.0), dtype=tf.float64).dtype == tf.float64
    slices = tf.IndexedSlices(tf.ones((2, 2)), tf.constant([0, 1]), tf.constant([3, 2]))
    assert tf.sparse.mask(slices, [0]).indices.dtype == tf.int32


def test_decompositions_of_float16() -> None:
    a = tf.constant([[3.0, 1.0], [4.0, 2.0]], tf.float16)
    q, r = tf.linalg.qr(a)
    assert q.dtype == r.dtype == tf.float16
    np.testing.assert_allclose(tf.cast(q, tf.float32) @ tf.cast(r, tf.float32), a.numpy(), atol=1e-2)
    values = tf.linalg.eigh_tridiagonal(tf.constant([1.0, 2.0], tf.float16), tf.constant([1.0], tf.float16))
    np.testing.assert_allclose(values, [0.382, 2.617], atol=2e-3)


def test_truth_values_multiply_in_a_batch() -> None:
    np.testing.assert_array_equal(tf.vectorized_map(lambda x: x * x, tf.constant([True, False])), [True, False])


def test_a_range_counts_in_its_own_type():
    # Counted in float64, the float32 numbers 0.1, 1.1 and 0.1 would give eleven.
    assert tf.range(0.1, 1.1, 0.1).shape == (10,)
    assert tf.range(2.0, 1.0, -0.1).shape == (10,)
