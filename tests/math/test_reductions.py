"""Sums of many elements, which are added up row by row."""

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(2**14,), (2**14 + 1,), (130, 129), (41, 20, 23), (2, 2**15 - 1)])
def test_a_sum_of_many_is_as_exact_as_numpys(shape, dtype):
    x = np.random.default_rng(0).uniform(0, 1, shape).astype(dtype)
    exact = np.sum(x, dtype=np.longdouble)
    for value in (x, x.T, x[..., ::-1], np.asfortranarray(x)):
        total = tf.reduce_sum(tf.constant(1.0) * value if dtype == np.float32 else tf.constant(value))
        assert total.dtype == dtype
        assert total.shape == ()
        assert abs(total.numpy() - exact) <= 4 * np.finfo(dtype).eps * exact
    assert abs(tf.reduce_mean(tf.constant(x)).numpy() - exact / x.size) <= 4 * np.finfo(dtype).eps * exact / x.size


def test_a_sum_of_many_keeps_its_axes_where_asked():
    x = tf.ones([200, 100])
    assert tf.reduce_sum(x, keepdims=True).numpy().tolist() == [[20000.0]]
    assert tf.reduce_mean(x, keepdims=True).numpy().tolist() == [[1.0]]


@pytest.mark.parametrize("position", [0, 511, 512, 20479, 20480, 20500])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_a_sum_of_many_shows_what_is_not_finite(position, value):
    x = np.ones(20501, np.float32)
    x[position] = value
    assert np.array_equal(tf.reduce_sum(tf.constant(x)).numpy(), np.float32(value), equal_nan=True)
