"""Gradients of running products: exact at zeros, and as cheap as the products."""

import numpy as np
import pytest

import gradtape as tf


def jacobian(x, exclusive, reverse):
    """d out[i] / d x[j] by the definition: the product of all other factors of out[i]."""
    n = len(x)
    found = np.zeros((n, n))
    for i in range(n):
        reached = range(i + exclusive, n) if reverse else range(i + 1 - exclusive)
        for j in reached:
            found[i, j] = np.prod([x[k] for k in reached if k != j])
    return found


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("zeros", [[], [0], [3], [2, 5], [0, 7], [1, 2, 3]])
def test_exact_at_zeros(zeros, exclusive, reverse):
    rng = np.random.default_rng(1)
    values = rng.uniform(0.5, 1.5, 8)
    values[zeros] = 0
    weights, direction = rng.standard_normal((2, 8))
    expected = jacobian(values, exclusive, reverse)
    x = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.cumprod(x, exclusive=exclusive, reverse=reverse)
    np.testing.assert_allclose(tape.gradient(y, x, tf.constant(weights)), weights @ expected, atol=1e-12)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(direction)) as accumulator:
        y = tf.math.cumprod(x, exclusive=exclusive, reverse=reverse)
    np.testing.assert_allclose(accumulator.jvp(y), expected @ direction, atol=1e-12)


@pytest.mark.parametrize("shape", [(70,), (60, 2), (2, 60), (20, 30)])
@pytest.mark.parametrize("axis", [0, -1])
def test_long_lines_and_many_lines(shape, axis):
    rng = np.random.default_rng(2)
    values = rng.uniform(0.9, 1.1, shape)
    values.reshape(-1)[::17] = 0
    x, weights = tf.constant(values), rng.standard_normal(shape)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.cumprod(x, axis)
    found = np.moveaxis(tape.gradient(y, x, tf.constant(weights)).numpy(), axis, -1)
    lines = np.moveaxis(values, axis, -1).reshape(-1, values.shape[axis])
    parts = np.moveaxis(weights, axis, -1).reshape(lines.shape)
    for line, part, gradient in zip(lines[:2], parts[:2], found.reshape(lines.shape)[:2], strict=True):
        np.testing.assert_allclose(gradient, part @ jacobian(line, False, False), rtol=1e-9, atol=1e-9)


def test_a_product_of_many_factors_does_not_overflow_beside_a_zero():
    x = tf.constant([1e30, 1e30, 0.0, 1e-30, 1e-30], tf.float32)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.cumprod(x, reverse=True)
    np.testing.assert_array_equal(tape.gradient(y, x)[0], 0.0)


def test_a_warning_of_overflow_names_gradtape(recwarn):
    # What is raised in gradtape's own modules is silenced by a filter, as TensorFlow never warns.
    assert np.isinf(tf.math.cumprod(tf.constant([1e30, 1e30, 1.0]))[-1])
    assert recwarn.list
    assert all("gradtape" in warning.filename for warning in recwarn.list)
