"""`tf.math.sobol_sample`: TensorFlow's points."""

import pytest

import gradtape as tf


def test_the_points_are_those_of_tensorflow():
    expected = [[0.5, 0.5, 0.5], [0.75, 0.25, 0.25], [0.25, 0.75, 0.75], [0.375, 0.375, 0.625], [0.875, 0.875, 0.125]]
    assert tf.math.sobol_sample(3, 5).numpy().tolist() == expected
    later = tf.math.sobol_sample(3, 2, skip=3, dtype=tf.float64)
    assert later.dtype == tf.float64
    assert later.numpy().tolist() == expected[3:]


def test_the_number_of_points_may_be_a_tensor():
    f = tf.function(lambda count: tf.math.sobol_sample(2, count))
    assert f(tf.constant(4)).shape == (4, 2)
    assert f.get_concrete_function(tf.constant(4)).structured_outputs.shape.as_list() == [None, 2]


@pytest.mark.parametrize(("dim", "count", "skip"), [(0, 1, 0), (1112, 1, 0), (2, 0, 0), (2, 1, -1)])
def test_bad_numbers(dim, count, skip):
    with pytest.raises(tf.errors.InvalidArgumentError, match="sobol_sample"):
        tf.math.sobol_sample(dim, count, skip)
