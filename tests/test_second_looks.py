"""Bugs that the comparison with TensorFlow found, each with the case that showed it."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.op.declaration import op


def test_second_derivatives_through_relu_are_masked_by_its_input():
    x, weights = tf.constant([0.5, -0.3, 1.2, 2.0]), tf.constant([1.0, -1.0, -0.5, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cos(tf.nn.relu(x))
        g = tape.gradient(y, x, weights)
    found = outer.gradient(g, x, weights).numpy()
    np.testing.assert_allclose(found, [-0.8775826, 0.0, -0.0905894, 1.6645873], rtol=1e-5)


def test_the_second_derivative_of_relu_is_zero_and_not_none():
    x = tf.constant([1.0, -1.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(x)
        g = tape.gradient(y, x)
    assert outer.gradient(g, x).numpy().tolist() == [0.0, 0.0]


def test_no_parameter_of_an_op_is_called_out():
    with pytest.raises(ValueError, match="output"):

        @op()
        def confusing(xp, out):
            return out


def test_what_no_window_of_a_pool_covers_has_gradient_zero():
    x = tf.constant(np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1))
    for _ in range(5):  # memory that was not written could hold a zero by chance
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.max_pool2d(x, 2, 2, [[0, 0], [1, 0], [0, 1], [0, 0]])
        gradient = tape.gradient(y, x).numpy()[0, :, :, 0]
        assert gradient.tolist() == [[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]]


def test_pinv_that_cuts_singular_values_has_the_derivative_of_what_is_left():
    rng = np.random.default_rng(0)
    matrix = np.diag([3.0, 2.0, 0.4]) + 0.05 * rng.normal(size=(3, 3))
    weights, direction = rng.normal(size=(2, 3, 3))

    def value(m):
        return tf.reduce_sum(tf.linalg.pinv(m, rcond=0.5) * weights)

    x = tf.constant(matrix)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = value(x)
    slope = (value(matrix + 1e-6 * direction) - value(matrix - 1e-6 * direction)).numpy() / 2e-6
    np.testing.assert_allclose(np.sum(tape.gradient(y, x).numpy() * direction), slope, rtol=1e-6)


def test_where_the_bounds_of_a_clip_cross_the_lower_one_wins():
    assert tf.clip_by_value(tf.constant([0.0, 5.0]), 2.0, -2.0).numpy().tolist() == [2.0, 2.0]


def test_integers_divide_as_floats_where_zero_is_no_nan():
    result = tf.math.divide_no_nan(tf.constant([4, 1]), tf.constant([0, 2]))
    assert (result.dtype, result.numpy().tolist()) == (tf.float64, [0.0, 0.5])


def test_a_number_that_does_not_convert_is_a_type_error_and_an_invalid_argument():
    for error in (TypeError, tf.errors.InvalidArgumentError):
        with pytest.raises(error):
            tf.constant(1) * 1.5


def test_an_axis_below_minus_the_rank_does_not_exist():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.transpose(tf.ones([2, 3]), (-3, 0))
