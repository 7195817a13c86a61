"""Functions that are made inside a traced function refer to its values, as plain functions do."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf

X = tf.constant([0.7, 1.3, 0.4])


def three_levels(function, a):
    @function
    def middle(b):
        @function
        def inner(c):
            return a * b * c * X

        return inner(b * X) + a

    return middle(a + 1.0)


def a_branch(function, a):
    inner = function(lambda b: a * b * X)
    return tf.cond(tf.reduce_sum(a) > 0.0, lambda: inner(a), lambda: a)


def a_loop(function, a):
    inner = function(lambda b: a * b * X)
    return tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, inner(z)), [0, a])[1]


def the_value_of_a_loop(function, a):
    def body(i, z):
        return i + 1, function(lambda b: z * b * X)(a)

    return tf.while_loop(lambda i, z: i < 3, body, [0, a])[1]


def a_map(function, a):
    inner = function(lambda b: tf.reduce_sum(a * b * X))
    return tf.map_fn(inner, a)


def a_tape(function, a):
    inner = function(lambda b: a * a * b * X)
    with tf.GradientTape() as tape:
        tape.watch(a)
        z = inner(X)
    return tape.gradient(z, a)


def several_calls(function, a):
    inner = function(lambda b: a * b)
    return inner(a) + inner(2.0 * a) + inner(tf.constant(1.0))


def what_comes_out(function, a):
    inner = function(lambda b: [a, b])
    return tf.add_n(inner(a * 2.0))


def a_rule(function, a):
    @tf.custom_gradient
    def inner(b):
        return b * 2.0, lambda upstream: function(lambda u: u * a * b)(upstream)

    return inner(a) * a


def loops_of_its_own(function, a):
    def inner(b):
        power = tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * X), [0, a])[1]
        total = tf.foldl(lambda s, row: s + row * b, a, tf.zeros([3]))
        branch = tf.cond(a[0] > 0.0, lambda: a * b, lambda: a)
        return power + total + branch + tf.map_fn(lambda row: row * row, a)

    return function(inner)(a * X)


def a_rule_of_its_own(function, a):
    @tf.custom_gradient
    def odd(z):
        return z**2, lambda upstream: upstream * 10.0 * z**3 * a

    return function(lambda b: odd(a) * b + odd(b))(a * X)


PROGRAMS = [
    loops_of_its_own,
    a_rule_of_its_own,
    three_levels,
    a_branch,
    a_loop,
    the_value_of_a_loop,
    a_map,
    a_tape,
    several_calls,
    what_comes_out,
    a_rule,
]


def derivatives(f, a, along=None):
    with tf.GradientTape() as outer:
        outer.watch([a, X])
        with tf.GradientTape() as tape:
            tape.watch([a, X])
            z = f(a)
        first = tape.gradient(z, [a, X], unconnected_gradients="zero")
    second = outer.gradient(first, [a, X], unconnected_gradients="zero")
    with tf.autodiff.ForwardAccumulator(a, tf.ones_like(a)) as accumulator:
        direct = accumulator.jvp(f(a))
    return [f(a), *first, *second, direct if along is None else along(f, a)]


def along_by_rules(f, a):
    """The forward derivative as the gradient functions have it, transposed: functions follow them, as in TensorFlow."""
    upstream = tf.ones_like(f(a))
    with tf.GradientTape() as outer:
        outer.watch(upstream)
        with tf.GradientTape() as tape:
            tape.watch(a)
            z = f(a)
        first = tape.gradient(z, a, output_gradients=upstream)
    return outer.gradient(first, upstream, output_gradients=tf.ones_like(a))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_values_and_derivatives_are_those_of_plain_functions(program):
    a = tf.constant([0.2, -0.6, 1.1])
    has_rule = program in (a_rule, a_rule_of_its_own)
    expected = derivatives(lambda value: program(lambda f: f, value), a, along_by_rules if has_rule else None)
    for found in (
        derivatives(tf.function(lambda value: program(tf.function, value)), a),
        derivatives(tf.function(lambda value: program(tf.function, value), input_signature=[tf.TensorSpec([None])]), a),
    ):
        for x, y in zip(found, expected, strict=True):
            np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=2e-5, atol=1e-6)


def test_a_saved_model_holds_them(tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None])])
        def run(self, y):
            return three_levels(tf.function, y) * X

    model, y = Model(), tf.constant([0.5, 1.0, 2.0])
    tf.saved_model.save(model, str(tmp_path))
    np.testing.assert_array_equal(tf.saved_model.load(str(tmp_path)).run(y).numpy(), model.run(y).numpy())


def test_outside_of_the_outer_function_they_have_no_values():
    kept = []

    @tf.function
    def outer(y):
        kept.append(tf.function(lambda z: z * y))
        return kept[0](y)

    assert outer(tf.constant(3.0)).numpy() == 9.0
    with pytest.raises(tf.errors.InaccessibleTensorError, match="outer"):
        kept[0](tf.constant(1.0))
