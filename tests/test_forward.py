"""Forward mode: directional derivatives beside the ops, alone, nested, and with tapes."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.base.context import ACTIVE, STATE

pytestmark = pytest.mark.quick

Accumulator = tf.autodiff.ForwardAccumulator
RNG = np.random.default_rng(3)


def network(x, w):
    h = tf.nn.relu(x @ w) + tf.tanh(x @ w)
    return tf.reduce_logsumexp(h, axis=1) * tf.reduce_sum(x, axis=1)


def test_the_tangent_is_the_jacobian_times_the_direction():
    x, w = tf.constant(RNG.normal(size=(4, 3))), tf.constant(RNG.normal(size=(3, 2)))
    dx, dw = tf.constant(RNG.normal(size=(4, 3))), tf.constant(RNG.normal(size=(3, 2)))
    with tf.GradientTape() as tape, Accumulator([x, w], [dx, dw]) as accumulator:
        tape.watch([x, w])
        y = network(x, w)
    jx, jw = tape.jacobian(y, [x, w])
    expected = np.tensordot(jx, dx, 2) + np.tensordot(jw, dw, 2)
    np.testing.assert_allclose(accumulator.jvp(y).numpy(), expected, atol=1e-12)


def test_structures_of_primals_and_answers():
    a, b = tf.constant(2.0), tf.Variable(3.0)
    with Accumulator({"a": a, "b": (b,)}, {"a": tf.constant(1.0), "b": (tf.constant(10.0),)}) as accumulator:
        y = {"product": a * b, "constant": tf.constant(1.0)}
    answer = accumulator.jvp(y)
    assert (answer["product"].numpy(), answer["constant"]) == (3.0 + 20.0, None)
    zeros = accumulator.jvp(y, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert zeros["constant"].numpy() == 0.0


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_nested_accumulators_differentiate_to_any_order(order):
    def derivative(n, x):
        if n == 0:
            return x**5
        with Accumulator(x, tf.ones_like(x)) as accumulator:
            y = derivative(n - 1, x)
        return accumulator.jvp(y)

    expected = np.prod(range(5, 5 - order, -1)) * 2.0 ** (5 - order)
    np.testing.assert_allclose(derivative(order, tf.constant(2.0, tf.float64)).numpy(), expected)


def test_forward_over_reverse_and_reverse_over_forward_agree():
    x, v = tf.constant([1.0, 2.0], tf.float64), tf.constant([0.5, -1.0], tf.float64)

    def function(x):
        return tf.reduce_sum(tf.sin(x) * x[::-1] ** 2)

    with Accumulator(x, v) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        gradient = tape.gradient(y, x)
    over_reverse = accumulator.jvp(gradient).numpy()
    with tf.GradientTape() as tape:
        tape.watch(x)
        with Accumulator(x, v) as accumulator:
            y = function(x)
        tangent = accumulator.jvp(y)
    np.testing.assert_allclose(tape.gradient(tangent, x).numpy(), over_reverse, atol=1e-12)


def test_watch_adds_a_direction_later():
    x, z = tf.constant(2.0), tf.constant(5.0)
    with Accumulator(x, tf.constant(1.0)) as accumulator:
        accumulator.watch(z, tf.constant(10.0))
        y = x * z
    assert accumulator.jvp(y).numpy() == 25.0


def test_values_from_before_and_after_the_context_have_no_tangent():
    x = tf.constant(2.0)
    accumulator = Accumulator(x, tf.constant(1.0))
    before = x * x
    with accumulator:
        inside = x * x
    after = inside * x
    assert accumulator.jvp(before) is None
    assert accumulator.jvp(inside).numpy() == 4.0
    assert accumulator.jvp(after) is None


def test_ops_without_a_derivative_end_the_direction():
    x = tf.constant(2.5)
    with Accumulator(x, tf.constant(1.0)) as accumulator:
        y = tf.round(x) + tf.stop_gradient(x)
    assert accumulator.jvp(y) is None


def test_a_variable_is_a_primal_and_assignment_cuts():
    v = tf.Variable(2.0)
    with Accumulator(v, tf.constant(1.0)) as accumulator:
        y = v * v
        v.assign(7.0)
    assert accumulator.jvp(y).numpy() == 4.0


def test_custom_gradients_are_transposed_where_the_body_cannot_be_followed():
    @tf.custom_gradient
    def through_numpy(x):
        value = tf.constant(np.sin(x.numpy()))
        return value, lambda g: g * tf.cos(x)

    x = tf.constant([1.0, 2.0])
    with Accumulator(x, tf.constant([1.0, 10.0])) as accumulator:
        y = through_numpy(x)
    np.testing.assert_allclose(accumulator.jvp(y).numpy(), np.cos([1.0, 2.0]) * [1.0, 10.0], rtol=1e-6)


def test_a_direction_of_another_type_or_structure_is_an_error():
    x = tf.constant(2.0)
    with pytest.raises(ValueError, match="dtype"):
        Accumulator(x, tf.constant(1.0, tf.float64))
    with pytest.raises(ValueError, match="structure"):
        Accumulator([x], tf.constant(1.0))
    with pytest.raises(ValueError, match="multiple times"):
        Accumulator([x, x], [tf.constant(1.0), tf.constant(1.0)])
    with pytest.raises((TypeError, AttributeError, ValueError)):
        Accumulator(2.0, 1.0)


def test_entering_twice_is_an_error_and_exceptions_leave_nothing():
    accumulator = Accumulator(tf.constant(2.0), tf.constant(1.0))
    with pytest.raises(KeyError), accumulator:
        with pytest.raises(ValueError, match="already recording"):
            accumulator.__enter__()
        raise KeyError
    assert not ACTIVE
    assert not STATE.accumulators


def test_complex_directions():
    z = tf.constant(1 + 2j)
    with Accumulator(z, tf.constant(1j)) as accumulator:
        y = z * z
    assert accumulator.jvp(y).numpy() == (2 + 4j) * 1j


@tf.custom_gradient
def thrice(z):
    return z * 3.0, lambda g: g * 7.0


def jvp(function, x):
    with Accumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    found = accumulator.jvp(y)
    return None if found is None else found.numpy().tolist()


CALLED = {  # how a function with a gradient of its own is called: the slope that forward mode finds, in TensorFlow too
    "eager": (thrice, 3.0),
    "as a function": (tf.function(thrice), 7.0),
    "in a function": (tf.function(lambda z: tf.negative(thrice(z))), -7.0),
    "in a branch of a function": (tf.function(lambda z: tf.cond(z > 0.0, lambda: thrice(z), lambda: z)), 7.0),
    "in a loop of a function": (
        tf.function(lambda z: tf.while_loop(lambda i, z: i < 2, lambda i, z: (i + 1, thrice(z)), [0, z])[1]),
        49.0,
    ),
}


@pytest.mark.parametrize("name", CALLED)
def test_custom_gradients_are_transposed_where_a_graph_is_called(name):
    function, slope = CALLED[name]
    x = tf.constant(2.0)
    for _ in range(3):
        assert jvp(function, x) == slope
    inside = tf.function(lambda x: jvp_of(function, x))
    assert float(inside(x)) == slope


def jvp_of(function, x):
    with Accumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def test_a_stable_gradient_keeps_its_promise_in_functions():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    assert jvp(tf.function(log1pexp), tf.constant(100.0)) == 1.0
    clipped = tf.custom_gradient(lambda x: (tf.identity(x), lambda g: tf.clip_by_value(g, -0.5, 0.5)))
    assert jvp(tf.function(clipped), tf.constant(1.0)) == 0.0  # (the slope of a rule that is not linear, at 1)
    nothing = tf.custom_gradient(lambda x: (x * 3.0, lambda g: None))
    assert jvp(tf.function(nothing), tf.constant(1.0)) is None


def test_the_gradient_of_a_tangent_through_the_body_of_a_custom_gradient():
    squared = tf.custom_gradient(lambda z: (tf.square(tf.sin(z)), lambda g: g * 100.0))
    x = tf.constant(0.3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        tangent = jvp_of(squared, x)
    np.testing.assert_allclose(tape.gradient(tangent, x), 2 * np.cos(0.6), rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "at"),
    [
        (tf.norm, [0.0, 0.0]),
        (lambda x: tf.sqrt(tf.reduce_sum(x * x)), [0.0, 0.0]),
        (tf.math.reduce_std, [1.0, 1.0]),
        (tf.math.reduce_euclidean_norm, [0.0, 0.0]),
        (lambda x: tf.linalg.global_norm([x]), [0.0, 0.0]),
        (lambda x: tf.norm(x - 1.0), [1.0, 1.0]),
    ],
)
def test_forward_mode_has_no_slope_where_reverse_mode_has_none(function, at):
    x = tf.constant(at)
    for run in (function, tf.function(function)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = run(x)
        assert np.isnan(tape.gradient(y, x)).all()
        assert np.isnan(jvp(run, x))
