"""Sums of rows in machine code: any shape, small errors, the same bits on any number of cores."""

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

import gradtape as tf
from gradtape.native import engine, pool, sums

SHAPES = [
    (1, 1),
    (1, 100),
    (3, 7),
    (127, 64),
    (128, 64),
    (129, 65),
    (5000, 1),
    (5001, 3),
    (300, 79),
    (2, 4000),
    (20_000, 10),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_all_shapes(shape, dtype):
    x = (np.random.default_rng(0).normal(size=shape) + 1).astype(dtype)
    got = sums.sum_of_rows(x)
    wanted = x.astype(np.longdouble).sum(0)
    assert got.shape == shape[1:]
    assert got.dtype == dtype
    size = np.abs(x).astype(np.longdouble).sum(0)
    assert np.max(np.abs(got - wanted) / size) < 16 * np.finfo(dtype).eps


def test_errors_do_not_grow_with_the_number_of_rows():
    x = np.random.default_rng(0).uniform(0, 1, (200_000, 3)).astype(np.float32)
    wanted = x.astype(np.float64).sum(0)
    assert np.max(np.abs(sums.sum_of_rows(x) / wanted - 1)) < 1e-6
    assert np.max(np.abs(np.einsum("nc->c", x) / wanted - 1)) > 1e-6  # added up one by one


def test_nan_and_infinity_stay_in_their_columns():
    x = np.ones((500, 70), np.float32)
    x[3, 1], x[4, 2], x[5, 3], x[6, 3], x[7, 69] = np.nan, np.inf, np.inf, -np.inf, np.nan
    got = sums.sum_of_rows(x)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(got, x.sum(0))


@pytest.mark.parametrize("shape", [(4000, 50), (300, 700)])
def test_any_number_of_cores(shape, monkeypatch):
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    shared = sums.sum_of_rows(x)
    monkeypatch.setattr(pool, "cores", lambda: 1)
    np.testing.assert_array_equal(sums.sum_of_rows(x), shared)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, (0,), (0, 1), (1, 0), (0, 1, 2), 1, -1, (0, -1), (-3,)])
def test_sums_and_means_over_axes(axis, keepdims, monkeypatch):
    x = np.random.default_rng(0).normal(size=(40, 70, 64)).astype(np.float32)
    for turned_off in (False, True):
        if turned_off:
            monkeypatch.setattr(engine, "available", lambda: False)
        total = tf.reduce_sum(x, axis, keepdims)
        wanted = x.astype(np.float64).sum(axis, keepdims=keepdims)
        assert total.shape == wanted.shape
        np.testing.assert_allclose(total, wanted, rtol=1e-5, atol=2e-4)
        mean = tf.reduce_mean(x, axis, keepdims)
        np.testing.assert_allclose(mean, x.astype(np.float64).mean(axis, keepdims=keepdims), rtol=1e-5, atol=1e-5)


def test_the_gradient_of_a_bias():
    x = np.random.default_rng(0).normal(size=(32, 20, 20, 24)).astype(np.float32)
    for add in (tf.nn.bias_add, tf.add):
        bias = tf.Variable(tf.zeros(24))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(add(tf.zeros(x.shape), bias) * x)
        got = tape.gradient(loss, bias)
        np.testing.assert_allclose(got, x.astype(np.float64).sum((0, 1, 2)), rtol=1e-5, atol=1e-4)
