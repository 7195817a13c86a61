"""`jit_compile=True`: native functions with arithmetic of our own, as near to the true values as that of eager code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import abi, engine, thresholds

pytestmark = [
    pytest.mark.skipif(
        not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()),
        reason="there is no machine code",
    ),
    pytest.mark.usefixtures("at_once"),
]

RNG = np.random.default_rng(0)


@pytest.fixture
def at_once(monkeypatch):
    """Programs are compiled with their first call."""
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0)


def functions(x):
    y = tf.abs(x) + 0.5
    waves = [tf.sin(x), tf.cos(x), tf.tan(x), tf.tanh(x), tf.sigmoid(x)]
    return [*waves, tf.exp(x), tf.math.expm1(x), tf.math.log(y), tf.math.log1p(y), tf.math.erf(x), tf.nn.softplus(x)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 17, 100])
def test_functions_are_near_those_of_eager_code(dtype, count):
    x = tf.constant(RNG.normal(size=count).astype(dtype))
    for found, expected in zip(tf.function(functions, jit_compile=True)(x), functions(x), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=16 * np.finfo(dtype).eps, atol=np.finfo(dtype).eps)


@pytest.mark.parametrize("jit_compile", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_waves_of_large_arguments_are_right(dtype, jit_compile):
    x = tf.constant(np.array([1.0, 1e5, -1.2e5, 3e7, 1e22, np.inf, np.nan, -0.0, 7.0], dtype))
    compiled = tf.function(lambda x: [tf.sin(x), tf.cos(x)], jit_compile=jit_compile)
    for found, function in zip(compiled(x), (tf.sin, tf.cos), strict=True):
        np.testing.assert_allclose(found, function(x), rtol=4 * np.finfo(dtype).eps)
        if not jit_compile:
            np.testing.assert_array_equal(found, function(x))


def around_the_quarters(dtype):
    """Numbers beside the ends of quarters of a circle, within them, and special ones."""
    ends = (np.arange(-9, 10) * (np.pi / 4)).astype(dtype)
    below, above = np.nextafter(ends, dtype(-np.inf)), np.nextafter(ends, dtype(np.inf))
    special = [0.0, -0.0, 1e-40, -1e-30, 7e4, -1e6, 1e22, np.inf, np.nan]
    return np.concatenate([ends, below, above, RNG.uniform(-8, 8, 400), special]).astype(dtype)


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize(("dtype", "jit_compile"), [(np.float32, False), (np.float32, True), (np.float64, True)])
def test_waves_of_single_numbers_are_those_of_vectors(name, dtype, jit_compile):
    function, x = getattr(tf, name), around_the_quarters(dtype)

    @tf.function(jit_compile=jit_compile)
    def one_by_one(x):
        return tf.map_fn(function, x)

    together = tf.function(function, jit_compile=jit_compile)(x) if jit_compile else function(x)
    np.testing.assert_array_equal(one_by_one(x), together)
    np.testing.assert_array_equal(np.signbit(one_by_one(x)), np.signbit(together))


@pytest.mark.parametrize("jit_compile", [True, False])
def test_a_loop_with_its_gradient(jit_compile):
    def swing(y):
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = y
            for _ in tf.range(60):
                z = z + 0.05 * tf.stack([z[1], -tf.sin(z[0])])
            loss = tf.reduce_sum(z * z)
        return loss, tape.gradient(loss, y)

    y = tf.constant([1.0, 0.25])
    for found, expected in zip(tf.function(swing, jit_compile=jit_compile)(y), swing(y), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5 if jit_compile else 0)


def test_numbers_below_the_normal_ones_are_zero_inside_alone():
    tiny = tf.constant([1e-39, 2e-39])
    halved = tf.function(lambda x: x * 0.5, jit_compile=True)(tiny)
    np.testing.assert_array_equal(halved, [0.0, 0.0] if engine.is_x86() else tiny * 0.5)
    assert (tiny * 0.5).numpy().all()
    np.testing.assert_array_equal(tf.function(lambda x: x * 0.5)(tiny), tiny * 0.5)


def test_a_training_step():
    def made() -> tuple[Any, Any]:
        w = tf.Variable(np.linspace(-1.0, 1.0, 12).astype(np.float32).reshape(3, 4))

        def step(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.tanh(x @ w) - tf.sin(x @ w)))
            w.assign_sub(0.5 * tape.gradient(loss, w))
            return loss

        return step, w

    x = tf.constant(RNG.normal(size=(8, 3)).astype(np.float32))
    (step, w), (eager, expected) = made(), made()
    compiled = tf.function(step, jit_compile=True)
    for _ in range(10):
        np.testing.assert_allclose(compiled(x), eager(x), rtol=1e-4)
    np.testing.assert_allclose(w, expected, rtol=1e-4, atol=1e-6)


def test_a_result_does_not_depend_on_the_number_of_calls(monkeypatch):
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 16)
    function = tf.function(lambda x: tf.exp(tf.sin(x) * x + 0.3) / tf.tanh(x), jit_compile=True)
    x = tf.constant(RNG.normal(size=64).astype(np.float32))
    first = function(x).numpy()
    for _ in range(40):
        assert function(x).numpy().tobytes() == first.tobytes()
