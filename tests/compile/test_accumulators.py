"""Functions under several forward accumulators, and under accumulators beside tapes, are compiled."""

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([0.7, 1.3])
V = tf.constant([1.0, 0.5])
W = tf.Variable([1.5, -0.5])


def polynomial(x):
    return x**3 * W + x * X


def loop(x):
    for _ in tf.range(3):
        x = tf.sin(x) * x + W
    return x


def branch(x):
    if tf.reduce_sum(x) > 0.0:
        return tf.exp(x) * x
    return -x


def rounded(x):
    @tf.custom_gradient
    def own(a):
        return tf.round(a), lambda upstream: upstream * a * a

    return own(x) * x


def two_at_once(f):
    with tf.autodiff.ForwardAccumulator(X, V) as first, tf.autodiff.ForwardAccumulator(X, 2.0 * V) as second:
        y = f(X)
    return first.jvp(y), second.jvp(y)


def nested(f):
    with tf.autodiff.ForwardAccumulator(X, V) as outer:
        with tf.autodiff.ForwardAccumulator(X, V) as inner:
            y = f(X)
        slope = inner.jvp(y)
    return slope, outer.jvp(y), outer.jvp(slope)


def reverse_over_forward(f):
    with tf.GradientTape() as tape:
        tape.watch(X)
        with tf.autodiff.ForwardAccumulator(X, V) as inner:
            y = f(X)
        slope = inner.jvp(y)
    return (slope, *tape.gradient(slope, [X, W], unconnected_gradients="zero"))


def forward_over_reverse(f):
    with tf.autodiff.ForwardAccumulator(X, V) as outer:
        with tf.GradientTape() as tape:
            tape.watch(X)
            y = f(X)
        gradients = tape.gradient(y, [X, W], unconnected_gradients="zero")
    return (outer.jvp(y), *outer.jvp(gradients, unconnected_gradients="zero"))


def variable_outside(f):
    with tf.autodiff.ForwardAccumulator(W, V) as outer:
        with tf.autodiff.ForwardAccumulator(X, V) as inner:
            y = f(X)
        slope = inner.jvp(y)
    return outer.jvp(y, unconnected_gradients="zero"), outer.jvp(slope, unconnected_gradients="zero")


WAYS = [two_at_once, nested, reverse_over_forward, forward_over_reverse, variable_outside]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("f", [polynomial, loop, branch, rounded], ids=lambda f: f.__name__)
def test_derivatives_are_those_of_eager_code_and_compiled(f, way):
    traced = tf.function(f)
    for found, expected in zip(way(traced), way(f), strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)
    (trace,) = traced.explain().traces
    assert [how for how, _ in trace.ways] == ["under a tape, compiled"]


def test_what_was_drawn_is_drawn_once():
    @tf.function
    def f(x):
        return x * x * tf.random.uniform([2], 1.0, 2.0)

    with tf.autodiff.ForwardAccumulator(X, tf.ones([2])) as outer:
        with tf.autodiff.ForwardAccumulator(X, tf.ones([2])) as inner:
            y = f(X)
        slope = inner.jvp(y)
    np.testing.assert_allclose(slope, 2.0 * y / X, rtol=1e-5)
    np.testing.assert_allclose(outer.jvp(slope), 2.0 * y / X**2, rtol=1e-5)
