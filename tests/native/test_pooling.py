"""Pools in machine code give what the NumPy forms give: every window, stride and padding, ties, NaN, odd channels."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

import gradtape as tf
from gradtape.native import engine, pooling
from gradtape.native import pool as threads_of_kernels
from gradtape.ops.nn import pool
from gradtape.ops.nn.window import windows

CASES = [
    ((2, 4, 6, 3), (2, 2), (2, 2), (1, 1), "VALID"),
    ((2, 5, 7, 35), (2, 2), (2, 2), (1, 1), "VALID"),
    ((3, 5, 5, 16), (2, 2), (2, 2), (1, 1), "SAME"),
    ((2, 7, 6, 129), (3, 3), (1, 1), (1, 1), "SAME"),
    ((1, 9, 8, 5), (3, 2), (2, 1), (1, 1), "VALID"),
    ((2, 9, 9, 2), (2, 2), (1, 2), (3, 2), "VALID"),
    ((2, 9, 9, 2), (3, 3), (2, 1), (2, 3), "SAME"),
    ((1, 4, 4, 17), (2, 3), (1, 1), (1, 1), ((1, 0), (1, 2))),
    ((2, 9, 9, 1), (2, 2), (4, 3), (1, 1), "VALID"),
    ((2, 12, 12, 4), (5, 4), (3, 2), (1, 1), "SAME"),
    ((3, 6, 6, 8), (6, 6), (1, 1), (1, 1), "VALID"),
    ((3, 6, 6, 8), (1, 1), (1, 1), (1, 1), "VALID"),
    ((2, 17, 3), (3,), (2,), (1,), "SAME"),
    ((2, 16, 20), (4,), (4,), (1,), "VALID"),
    ((2, 17, 64), (2,), (3,), (2,), ((1, 2),)),
]


def case(shape, window, strides, dilations, padding, dtype=np.float32):
    """Windows, an input in which many elements are equal, and a cotangent."""
    rng = np.random.default_rng(0)
    found = windows("pool", shape[1:-1], window, strides, dilations, padding)
    x = rng.integers(-3, 3, shape).astype(dtype)
    g = rng.normal(size=(shape[0], *found.outputs, shape[-1])).astype(dtype)
    return found, x, g


def numpy_max(x, found):
    return pool._reduce_windows(np.maximum, x, found, -np.inf)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("settings", CASES, ids=str)
def test_the_largest_and_its_gradient(settings, dtype):
    found, x, g = case(*settings, dtype)
    largest = pooling.window_max(x, found)
    assert largest.dtype == dtype
    np.testing.assert_array_equal(largest, numpy_max(x, found))
    got = pooling.window_max_gradient(g, x, largest, found)
    np.testing.assert_allclose(got, pool._at_largest(g, x, largest, found=found), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("settings", CASES, ids=str)
def test_sums_and_their_transpose(settings, average):
    found, x, g = case(*settings)
    attributes = {"window": found.window, "strides": found.strides, "dilations": found.dilations}
    attributes |= {"padding": found.padding, "average": average}
    got = pooling.window_sum(x, found, average)
    np.testing.assert_allclose(got, pool._window_sum(x, **attributes), rtol=1e-5, atol=1e-6)
    got = pooling.window_spread(g, x.shape, found, average)
    np.testing.assert_allclose(got, pool._window_spread(g, x.shape, **attributes), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("settings", CASES[2:5], ids=str)
def test_a_window_with_nan_is_nan_and_has_no_gradient(settings):
    found, x, g = case(*settings)
    x[0, 2, 2], x[-1, 0, 0], x[-1, 4, 4] = np.nan, np.inf, -np.inf
    largest = pooling.window_max(x, found)
    np.testing.assert_array_equal(largest, numpy_max(x, found))
    got = pooling.window_max_gradient(g, x, largest, found)
    np.testing.assert_allclose(got, pool._at_largest(g, x, largest, found=found), rtol=1e-5, atol=1e-6)
    g[:] = np.inf  # it stays where it is put
    got = pooling.window_max_gradient(g, x, largest, found)
    assert not np.isnan(got).any()


def test_nothing_but_minus_infinity():
    found, x, _ = case(*CASES[2])
    x[:] = -np.inf
    assert np.all(pooling.window_max(x, found) == -np.inf)


def test_arrays_with_gaps_are_read_and_not_changed():
    found, x, g = case((4, 10, 10, 6), (2, 2), (2, 2), (1, 1), "VALID")
    swapped = np.asfortranarray(x)
    before = swapped.copy()
    largest = pooling.window_max(swapped, found)
    np.testing.assert_array_equal(largest, numpy_max(x, found))
    got = pooling.window_max_gradient(np.asfortranarray(g), swapped, np.asfortranarray(largest), found)
    np.testing.assert_array_equal(got, pool._at_largest(g, x, largest, found=found))
    np.testing.assert_array_equal(swapped, before)


@pytest.mark.parametrize("settings", [((8, 33, 40, 32), 3, 2, "SAME"), ((8, 32, 40, 32), 2, 2, "VALID")], ids=str)
@pytest.mark.parametrize("function", [tf.nn.max_pool2d, tf.nn.avg_pool2d])
def test_large_images_through_the_public_names(function, settings, monkeypatch):
    shape, window, strides, padding = settings
    x = np.random.default_rng(1).integers(-4, 4, shape).astype(np.float32)

    def value_and_gradient():
        images = tf.constant(x)
        with tf.GradientTape() as tape:
            tape.watch(images)
            y = function(images, window, strides, padding)
            loss = tf.reduce_sum(y * y)
        return y.numpy(), tape.gradient(loss, images).numpy()

    shared = value_and_gradient()
    monkeypatch.setattr(threads_of_kernels, "cores", lambda: 1)
    for many, one in zip(shared, value_and_gradient(), strict=True):
        np.testing.assert_array_equal(many, one)  # the same bits on any number of cores
    monkeypatch.setattr(engine, "available", lambda: False)
    for got, wanted in zip(shared, value_and_gradient(), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(0, 40, 50, 64), (2, 300, 300, 0)])
def test_empty_arrays(shape):
    found = windows("pool", shape[1:-1], (2, 2), (2, 2), (1, 1), "VALID")
    x = np.zeros(shape, np.float32)
    largest = pooling.window_max(x, found)
    assert largest.shape == (shape[0], *found.outputs, shape[-1])
    assert pooling.window_max_gradient(largest, x, largest, found).shape == shape
