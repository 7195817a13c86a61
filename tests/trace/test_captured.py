"""However a value reaches a traced function, its derivatives are those of eager code.

What a function refers to is an input of it like its arguments: a tape or an accumulator outside may follow it.
"""

from __future__ import annotations

import functools
import types

import numpy as np
import pytest

import gradtape as tf

Y = np.array([2.0, -1.0, 0.5], np.float32)

FORMULAS = {
    "beside an argument": lambda x, y: x * y + tf.sin(x),
    "before an argument": lambda x, y: x * x * y,
    "alone": lambda x, y: tf.sin(x) * 3.0 - x,
    "a composite": lambda x, y: tf.nn.softmax(x) * y + tf.reduce_mean(x * x),
    "parts": lambda x, y: tf.stack([x[0] * x[1], x[2], tf.reduce_sum(x[::-1] ** 3)]) * y,
    "a matrix product": lambda x, y: tf.linalg.matvec(x[:, None] * x[None], y) + tf.einsum("i,i->", x, x),
    "a branch": lambda x, y: tf.cond(tf.reduce_sum(y) > 0.0, lambda: tf.exp(x) * y, lambda: x),
    "a loop": lambda x, y: tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * tf.sin(x)), [0, y])[1],
    "a map": lambda x, y: tf.map_fn(lambda t: tf.reduce_sum(tf.sin(x) * t), y),
    "a map over numbers": lambda x, y: tf.map_fn(lambda t: tf.reduce_sum(tf.sin(x) * t), np.float32([1, 2, 3])) * y,
    "a vectorized map": lambda x, y: tf.vectorized_map(lambda t: tf.reduce_sum(x * x * t), y),
    "a gradient inside": lambda x, y: gradient_inside(x, y) * tf.sin(x),
    "a rule of its own": lambda x, y: cubed(tf.sin(x)) * y + cubed(x),
    "computed again": lambda x, y: tf.recompute_grad(lambda z: tf.sin(z) * z)(x) * y,
    "a list": lambda x, y: tf.reduce_sum([x, tf.exp(x), y], 0) * tf.concat([x[:1], x[1:]], 0),
    "two types": lambda x, y: tf.cast(tf.cast(x, tf.float64) ** 2, tf.float32) * y,
}


def gradient_inside(x, y):
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.sin(x) * x * y
    return tape.gradient(z, x)


@tf.custom_gradient
def cubed(x):
    return x**3, lambda upstream: upstream * 3.0 * x**2


# --- the ways in -----------------------------------------------------------------------------------------------------


def argument(f, x):
    traced = tf.function(f)
    return lambda y: traced(x, y)


def keyword(f, x):
    traced = tf.function(lambda *, x, y: f(x, y))
    return lambda y: traced(x=x, y=y)


def closure(f, x):
    return tf.function(lambda y: f(x, y))


def unconverted(f, x):
    return tf.function(lambda y: f(x, y), autograph=False)


def global_name(f, x):
    space = {"f": f, "x": x, "__name__": "somewhere"}
    exec("def g(y):\n    return f(x, y)\n", space)
    return tf.function(space["g"])


def attribute(f, x):
    held = types.SimpleNamespace(x=x)
    return tf.function(lambda y: f(held.x, y))


def list_element(f, x):
    held = [None, x]
    return tf.function(lambda y: f(held[1], y))


def dict_element(f, x):
    held = {"x": x}
    return tf.function(lambda y: f(held["x"], y))


def default(f, x):
    def g(y, x=x):
        return f(x, y)

    return tf.function(g)


def partial(f, x):
    return tf.function(functools.partial(f, x))


def partial_keyword(f, x):
    return tf.function(functools.partial(lambda y, x: f(x, y), x=x))


class Holder:
    def __init__(self, f, x):
        self.f, self.x = f, x

    def run(self, y):
        return self.f(self.x, y)

    def __call__(self, y):
        return self.f(self.x, y)

    @tf.function
    def traced(self, y):
        return self.f(self.x, y)


def bound_method(f, x):
    return tf.function(Holder(f, x).run)


def traced_method(f, x):
    holder = Holder(f, x)
    return lambda y: holder.traced(y)


def callable_object(f, x):
    return tf.function(Holder(f, x))


def inner_function(f, x):
    inner = tf.function(lambda y: f(x, y))
    return tf.function(lambda y: inner(y))


def inner_argument(f, x):
    inner = tf.function(f)
    return tf.function(lambda y: inner(x, y))


def function_made_inside(f, x):
    def outer(y):
        inner = tf.function(lambda z: f(x, z))
        return inner(y)

    return tf.function(outer)


def module(f, x):
    class Module(tf.Module):
        def __init__(self):
            super().__init__()
            self.x = x

        @tf.function
        def __call__(self, y):
            return f(self.x, y)

    return Module()


def signature(f, x):
    return tf.function(lambda y: f(x, y), input_signature=[tf.TensorSpec([None], tf.float32)])


def concrete(f, x):
    return tf.function(lambda y: f(x, y)).get_concrete_function(tf.TensorSpec([3], tf.float32))


WAYS = [
    argument,
    keyword,
    closure,
    unconverted,
    global_name,
    attribute,
    list_element,
    dict_element,
    default,
    partial,
    partial_keyword,
    bound_method,
    traced_method,
    callable_object,
    inner_function,
    inner_argument,
    function_made_inside,
    module,
    signature,
    concrete,
]


# --- the derivatives -------------------------------------------------------------------------------------------------


def gradient(make, x):
    g, y = make(x), tf.constant(Y)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = g(y)
    return z, tape.gradient(z, [x, y])


def of_derived(make, v):
    """What the function refers to was computed under the tape, from a variable."""
    v = tf.Variable(v)
    with tf.GradientTape() as tape:
        z = make(2.0 * v)(tf.constant(Y))
    return z, tape.gradient(z, v)


def jvp(make, x):
    g, y = make(x), tf.constant(Y)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -1.0, 0.5])) as accumulator:
        z = g(y)
    return z, accumulator.jvp(z)


def jacobian(make, x):
    g = make(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = g(tf.constant(Y))
    return z, tape.jacobian(z, x)


def second_order(make, x):
    g, y = make(x), tf.constant(Y)
    with tf.GradientTape() as outer:
        outer.watch([x, y])
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = g(y)
        first = tape.gradient(z, x)
    return first, outer.gradient(first, [x, y])


def forward_over_reverse(make, x):
    g = make(x)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -1.0, 0.5])) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = g(tf.constant(Y))
        first = tape.gradient(z, x)
    return first, accumulator.jvp(first)


DERIVATIVES = [gradient, of_derived, jvp, jacobian, second_order, forward_over_reverse]


def eager(f, x):
    return lambda y: f(x, y)


def same(found, expected):
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        assert (a is None) == (b is None)
        if b is not None:
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_derivatives_do_not_depend_on_the_way_in(way, formula):
    x, f = tf.constant([0.7, 1.3, 0.4]), FORMULAS[formula]
    for derivative in DERIVATIVES:
        same(derivative(lambda value: way(f, value), x), derivative(lambda value: eager(f, value), x))
