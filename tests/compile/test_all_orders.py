"""Compiled functions under tapes and accumulators: all orders of derivatives, custom rules, draws and effects in loops."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile import executor


@pytest.fixture
def compiled(monkeypatch):
    """Whatever is called in the test is compiled."""

    def interpret(*args):
        raise AssertionError("the graph is interpreted")

    monkeypatch.setattr(executor, "interpret", interpret)


@tf.custom_gradient
def odd(x):
    return x * x, lambda upstream: upstream * tf.sin(x) * 3.0


def in_loop(x):
    for _ in tf.range(40):
        x = odd(x) * 0.5 + tf.sin(x)
    return x


def in_branch(x):
    if tf.reduce_sum(x) > 0.0:
        y = odd(x) * x
    else:
        y = -x
    return y


FUNCTIONS = {
    "ops": lambda x: tf.sin(x) * x * x,
    "a rule": lambda x: odd(tf.sin(x)) * x + odd(x),
    "a rule in a loop": in_loop,
    "a rule in a branch": in_branch,
    "computed again": lambda x: tf.recompute_grad(lambda z: tf.sin(z) * z)(x) * x,
    "a lookup": lambda x: tf.gather(x * 2.0, [2, 0, 0]) ** 3,
    "a gradient inside": lambda x: gradient_inside(x) * tf.sin(x),
}


def gradient_inside(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = odd(x) * tf.sin(x)
    return tape.gradient(y, x)


def first(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def second(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        slope = first(f, x)
    return tape.gradient(slope, x)


def third(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        curvature = second(f, x)
    return tape.gradient(curvature, x)


def jacobian(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x)


def jacobian_of_gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        slope = first(f, x)
    return tape.jacobian(slope, x)


def gradient_of_jacobian(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        matrix = jacobian(f, x)
    return tape.gradient(matrix, x)


DERIVATIVES = [first, second, third, jacobian, jacobian_of_gradient, gradient_of_jacobian]


@pytest.mark.parametrize("derivative", DERIVATIVES, ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_all_orders_are_compiled(compiled, name, derivative):
    x = tf.constant([0.3, 0.8, 0.5], tf.float64)
    f = tf.autograph.to_graph(FUNCTIONS[name]) if name.endswith(("loop", "branch")) else FUNCTIONS[name]
    expected = derivative(f, x)
    traced = tf.function(FUNCTIONS[name])
    for _ in range(2):
        np.testing.assert_allclose(derivative(traced, x), expected, rtol=1e-10)


def test_a_program_of_the_second_order_is_made_once():
    f = tf.function(lambda x: odd(x) * x)
    x = tf.constant([0.3, 0.8])
    second(f, x)
    (recorded,) = f.get_concrete_function(x)._executor._recorded.values()
    assert len(recorded._seconds) == 1
    second(f, x)
    assert len(recorded._seconds) == 1


def drawing(x, n):
    total = tf.zeros_like(x)
    for _ in tf.range(n):
        total += x**3 * tf.random.normal([3], dtype=tf.float64)
    return total * tf.random.uniform([], 1.0, 2.0, dtype=tf.float64)


@pytest.mark.parametrize("count", [40, tf.constant(40)], ids=["known", "unknown"])
def test_what_a_loop_draws_is_kept_for_all_orders(compiled, count):
    x, f = tf.constant([0.3, 0.8, 0.5], tf.float64), tf.function(drawing)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as middle:
            middle.watch(x)
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = f(x, count)
            slope, matrix = tape.gradient(y, x), tape.jacobian(y, x)
        curvature = middle.gradient(slope, x)
    np.testing.assert_allclose(slope, 3.0 * y / x)
    np.testing.assert_allclose(matrix, tf.linalg.diag(3.0 * y / x))
    np.testing.assert_allclose(curvature, 6.0 * y / x**2)
    np.testing.assert_allclose(middle.gradient(matrix, x), 6.0 * y / x**2)
    np.testing.assert_allclose(middle.jacobian(slope, x), tf.linalg.diag(6.0 * y / x**2))
    np.testing.assert_allclose(outer.gradient(curvature, x), 6.0 * y / x**3)


def test_dropout_in_a_loop_is_the_same_forward_and_backward(compiled):
    @tf.function
    def f(x):
        for _ in tf.range(40):
            x = tf.nn.dropout(x, 0.05)
        return x

    x = tf.ones([50])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), y)


def test_a_loop_under_a_tape_changes_variables_once_in_each_round(compiled):
    count, decayed = tf.Variable(0), tf.Variable(1.0, dtype=tf.float64)

    @tf.function
    def f(x):
        for _ in tf.range(40):
            count.assign_add(1)
            decayed.assign(decayed * 0.95)
            x = x * 1.01 + tf.cast(count, tf.float64) * decayed * tf.sin(x)
        return x

    def plain(x):
        value = tf.constant(1.0, tf.float64)
        for k in range(1, 41):
            value = value * 0.95
            x = x * 1.01 + k * value * tf.sin(x)
        return x

    x = tf.constant(0.4, tf.float64)
    for order, derivative in enumerate((first, second), 1):
        expected = derivative(plain, x)
        count.assign(0)
        decayed.assign(1.0)
        np.testing.assert_allclose(derivative(f, x), expected, rtol=1e-9)
        assert count.numpy() == 40, order
        np.testing.assert_allclose(decayed, 0.95**40)


def test_reads_of_a_variable_that_a_loop_changes_are_its_gradient(compiled):
    v = tf.Variable(2.0)

    def f(x):
        total = tf.constant(0.0)
        for _ in tf.range(40):
            total += x * v * v
            v.assign_sub(0.01)
        return total

    found = []
    for function in (tf.autograph.to_graph(f), tf.function(f)):
        v.assign(2.0)
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        found.append([y, *tape.gradient(y, [x, v])])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)


def test_effects_in_a_loop_under_tapes_happen_once(compiled, capsys):
    @tf.function
    def f(x):
        for i in tf.range(34):
            tf.print("round", i)
            tf.debugging.assert_less(x, 100.0)
            x = tf.sin(x)
        return x

    second(f, tf.constant(2.0))
    printed = capsys.readouterr()
    assert (printed.out + printed.err).count("round") == 34


def test_the_second_derivative_uses_the_values_that_were_read(compiled):
    v = tf.Variable(3.0)
    f = tf.function(lambda x: v * x**3)
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        v.assign(100.0)
        slope = tape.gradient(y, x)
    assert slope.numpy() == 36.0
    assert [g.numpy() for g in outer.gradient(slope, [x, v])] == [36.0, 12.0]


def test_a_gradient_inside_a_function_of_a_call_outside_follows_its_rule():
    f = tf.function(lambda x: odd(x))
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tf.function(lambda: tape.gradient(y, x))(), 3.0 * np.sin(2.0), rtol=1e-6)


def looped(x):
    for _ in tf.range(40):
        x = tf.sin(x) * x * 0.9 + x * 0.6
    return x


def branched(x):
    if tf.reduce_sum(x) > 0.0:
        y = tf.sin(x) * x * tf.reduce_sum(x)
    else:
        y = -x
    return y


@pytest.mark.parametrize("inner", [looped, branched], ids=["loop", "branch"])
@pytest.mark.parametrize("around", [lambda f: f, lambda f: lambda x: f(tf.sin(x) * 2.0) * x + tf.exp(f(x))])
def test_a_jacobian_through_loops_and_branches_inside_a_function_is_followed(inner, around):
    f = around(tf.autograph.to_graph(inner))
    x = tf.constant([0.3, 0.8, 0.5], tf.float64)
    traced = tf.function(lambda z: gradient_of_jacobian(f, z))
    np.testing.assert_allclose(traced(x), gradient_of_jacobian(f, x), rtol=1e-10)


def test_a_branch_in_a_vectorized_map_is_followed():
    def slope(x, choice):
        with tf.GradientTape() as tape:
            tape.watch(x)
            rows = tf.stack([x, x * 2.0])
            y = tf.vectorized_map(lambda r: tf.cond(choice, lambda: tf.sin(r) * r * x[1], lambda: r) * r, rows)
        return tape.gradient(y, x)

    x = tf.constant([0.3, 0.8, 0.5], tf.float64)
    for choice in (tf.constant(True), tf.constant(False)):
        np.testing.assert_allclose(tf.function(slope)(x, choice), slope(x, choice), rtol=1e-12)
