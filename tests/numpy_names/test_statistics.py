"""Quantiles, covariances and sampled functions: NumPy's values and types, and gradients by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
import gradtape.numpy as tnp

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 5))
HOLES = np.where(RNG.random((3, 5)) < 0.3, np.nan, X)
T = np.linspace(-1.0, 1.0, 5)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_quantiles_are_numpys(axis: Any, keepdims: bool) -> None:
    for q in (0.3, [0.25, 0.75], [[0.1], [0.9]]):
        np.testing.assert_allclose(tnp.quantile(X, q, axis, keepdims), np.quantile(X, q, axis, keepdims=keepdims))
    np.testing.assert_allclose(tnp.percentile(X, 40, axis, keepdims), np.percentile(X, 40, axis, keepdims=keepdims))
    np.testing.assert_allclose(tnp.median(X, axis, keepdims), np.median(X, axis, keepdims=keepdims))
    np.testing.assert_allclose(tnp.nanvar(HOLES, axis, keepdims=keepdims), np.nanvar(HOLES, axis, keepdims=keepdims))
    if axis != 0:
        np.testing.assert_allclose(tnp.nanstd(HOLES, axis, ddof=1), np.nanstd(HOLES, axis, ddof=1))
    if axis in (None, 0, -1):
        np.testing.assert_allclose(tnp.nancumsum(HOLES, axis), np.nancumsum(HOLES, axis))
        np.testing.assert_array_equal(tnp.nanargmax(X, axis), np.nanargmax(X, axis))
        np.testing.assert_array_equal(tnp.nanargmin(X, axis), np.nanargmin(X, axis))
    for name in ("nansum", "nanmean", "nanmax", "nanmin", "nanprod"):
        found, expected = (
            getattr(tnp, name)(HOLES, axis, keepdims=keepdims),
            getattr(np, name)(HOLES, axis, keepdims=keepdims),
        )
        np.testing.assert_allclose(found, expected)


def test_median_of_nan_is_nan() -> None:
    assert np.isnan(tnp.median(np.array([1.0, np.nan, 2.0])))


def test_covariances_are_numpys() -> None:
    for call in (
        lambda m: m.cov(X),
        lambda m: m.cov(X, rowvar=False),
        lambda m: m.cov(X, bias=True),
        lambda m: m.cov(X, ddof=2),
        lambda m: m.cov(X[0]),
        lambda m: m.cov(X[0], X[1]),
        lambda m: m.corrcoef(X),
        lambda m: m.corrcoef(X[0], X[1]),
    ):
        np.testing.assert_allclose(np.asarray(call(tnp)), call(np), rtol=1e-12)
    with pytest.raises(ValueError, match="two axes"):
        tnp.cov(np.ones((2, 2, 2)))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(("n", "m"), [(5, 3), (3, 5), (4, 4), (1, 3), (6, 2), (2, 6)])
def test_convolutions_are_numpys(mode: Any, n: int, m: int) -> None:
    a, v = RNG.normal(size=n), RNG.normal(size=m)
    np.testing.assert_allclose(tnp.convolve(a, v, mode), np.convolve(a, v, mode), rtol=1e-12)
    np.testing.assert_allclose(tnp.correlate(a, v, mode), np.correlate(a, v, mode), rtol=1e-12)
    z = a + 1j * RNG.normal(size=n)
    np.testing.assert_allclose(tnp.correlate(z, v * 1j, mode), np.correlate(z, v * 1j, mode), rtol=1e-12)
    assert tnp.convolve([1, 2], [3, 4, 5], mode).dtype == tf.int64


def test_sampled_functions_are_numpys() -> None:
    np.testing.assert_allclose(tnp.interp([-3.0, 0.2, 5.0], T, X[0]), np.interp([-3.0, 0.2, 5.0], T, X[0]))
    phases = np.cumsum(RNG.uniform(0, 3, 9)) % (2 * np.pi)
    np.testing.assert_allclose(tnp.unwrap(phases), np.unwrap(phases))
    np.testing.assert_allclose(tnp.unwrap(phases, period=4.0), np.unwrap(phases, period=4.0))
    np.testing.assert_allclose(tnp.diff(X, 2, 0), np.diff(X, 2, 0))
    np.testing.assert_array_equal(tnp.diff([True, False, False]), [True, False])
    np.testing.assert_allclose(tnp.polyval(X[0], T), np.polyval(X[0], T))
    np.testing.assert_array_equal(tnp.vander([1, 2, 3], 4), np.vander([1, 2, 3], 4))
    np.testing.assert_array_equal(tnp.vander([1, 2], increasing=True), np.vander([1, 2], increasing=True))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tnp.quantile(x, [0.3, 0.9], axis=1),
        lambda x: tnp.median(x),
        lambda x: tnp.cov(x),
        lambda x: tnp.corrcoef(x),
        lambda x: tnp.ptp(x, axis=0),
        lambda x: tnp.average(x, axis=1, weights=[1.0, 2.0, 3.0, 1.0, 0.5]),
        lambda x: tnp.convolve(x[0], x[1], "same"),
        lambda x: tnp.correlate(x[0], x[1][:2]),
        lambda x: tnp.interp(x[0], T, x[1]),
        lambda x: tnp.unwrap(x * 4.0),
        lambda x: tnp.diff(x, 2),
        lambda x: tnp.polyval(x[0], x[1]),
        lambda x: tnp.vander(x[0], 3),
        lambda x: tnp.std(x, axis=1, ddof=1),
    ],
)
def test_gradients(function: Any) -> None:
    theoretical, numerical = tf.test.compute_gradient(function, [X], delta=1e-6)
    np.testing.assert_allclose(theoretical[0], numerical[0], rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tnp.quantile(X, 1.5),
        lambda: tnp.quantile(X, 0.5, axis=2),
        lambda: tnp.median(np.zeros((0,))),
        lambda: tnp.convolve([], [1.0]),
        lambda: tnp.convolve([1.0], [1.0], "half"),
        lambda: tnp.unwrap(T, discont=5.0),
        lambda: tnp.diff(T, -1),
        lambda: tnp.interp(T, T, T[:2]),
    ],
)
def test_what_makes_no_sense_is_refused(call: Any) -> None:
    with pytest.raises((ValueError, IndexError, tf.errors.InvalidArgumentError)):
        call()


def test_order_and_membership_are_numpys() -> None:
    for kth in (2, [0, 3]):
        ordered = tnp.partition(X, kth, axis=1).numpy()
        places = np.atleast_1d(kth)
        np.testing.assert_allclose(ordered[:, places], np.sort(X, axis=1)[:, places])
        np.testing.assert_allclose(np.sort(ordered, axis=1), np.sort(X, axis=1))
    keys = [np.array([3, 1, 2, 1]), np.array([1, 0, 1, 0])]
    np.testing.assert_array_equal(tnp.lexsort(keys), np.lexsort(keys))
    np.testing.assert_array_equal(tnp.isin([1, 2, 3], [2, 5]), [False, True, False])
    np.testing.assert_array_equal(tnp.digitize(T, [-0.5, 0.0, 0.7]), np.digitize(T, [-0.5, 0.0, 0.7]))
    for bins in (4, [-1.0, 0.0, 2.0]):
        for ours, theirs in zip(tnp.histogram(X, bins), np.histogram(X, bins), strict=True):
            np.testing.assert_allclose(ours, theirs)
    np.testing.assert_allclose(tnp.histogram(X, 4, density=True)[0], np.histogram(X, 4, density=True)[0])
    bits = np.arange(12) % 3 == 0
    np.testing.assert_array_equal(tnp.packbits(bits), np.packbits(bits))
    np.testing.assert_array_equal(tnp.unpackbits(np.uint8([37]), count=5), np.unpackbits(np.uint8([37]), count=5))
    with pytest.raises(ValueError, match="bins"):
        tnp.digitize(T, [1.0, 0.0, 2.0])


def test_the_tape_follows_a_partition() -> None:
    x = tf.constant([3.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.partition(x, 0)[0]
    np.testing.assert_array_equal(tape.gradient(y, x), [0.0, 1.0, 0.0])
