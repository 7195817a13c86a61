"""GradientTape beyond the observed rows: structures, several tapes, leaving in any order, random programs."""

import gc
import weakref
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape.base.context import ACTIVE, STATE


def test_any_structure_of_targets_and_sources():
    Sources = namedtuple("Sources", "a rest")
    a, b, c = tf.constant(2.0), tf.constant(3.0), tf.Variable(4.0)
    sources = Sources(a, {"b": [b], "c": (c,)})
    with tf.GradientTape() as tape:
        tape.watch(sources)
        targets = {"first": a * b, "second": [b * c]}
    result = tape.gradient(targets, sources)
    assert isinstance(result, Sources)
    assert (result.a.numpy(), result.rest["b"][0].numpy(), result.rest["c"][0].numpy()) == (3.0, 6.0, 3.0)


def test_a_target_of_many_elements_is_summed_or_weighted():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0, 6.0]
    assert tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0, 10.0])).numpy().tolist() == [
        2.0,
        0.0,
        60.0,
    ]
    assert tape.gradient([y, x], x, output_gradients=[tf.zeros(3), tf.ones(3)]).numpy().tolist() == [
        1.0,
        1.0,
        1.0,
    ]


def test_the_same_target_twice_counts_twice():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient([y, y], x).numpy() == 12.0


def test_a_value_used_on_many_paths_adds_up():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * x + y + y / x
    assert tape.gradient(z, x).numpy() == 3 * 4.0 + 2 * 2.0 + 1.0


def test_a_source_in_the_middle_ends_no_path():
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert [g.numpy() for g in tape.gradient(z, [x, y])] == [32.0, 8.0]
    assert tape.gradient(y, [z, x])[0] is None


def test_a_value_from_before_the_tape_is_constant():
    v = tf.Variable(3.0)
    early = v * v
    with tf.GradientTape() as tape:
        y = early * v
    assert tape.gradient(y, v).numpy() == 9.0


def test_two_tapes_record_the_same_work():
    x, z = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as first, tf.GradientTape() as second:
        first.watch(x)
        second.watch(z)
        y = x * z
    assert (first.gradient(y, x).numpy(), second.gradient(y, z).numpy()) == (5.0, 2.0)


def test_tapes_may_leave_in_any_order():
    x = tf.constant(3.0)
    first, second = tf.GradientTape(), tf.GradientTape()
    first.__enter__()
    second.__enter__()
    first.watch(x)
    second.watch(x)
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    assert not ACTIVE
    assert not STATE.tapes
    assert not STATE.readers
    assert first.gradient(z, x) is None
    assert second.gradient(z, x).numpy() == 27.0


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 6])
def test_nested_tapes_differentiate_to_any_order(order):
    def derivative(n, x):
        if n == 0:
            return x**6
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = derivative(n - 1, x)
        return tape.gradient(y, x)

    expected = np.prod(range(6, 6 - order, -1)) * 1.5 ** (6 - order)
    np.testing.assert_allclose(derivative(order, tf.constant(1.5, tf.float64)).numpy(), expected, rtol=1e-12)


def test_a_persistent_tape_inside_its_own_context_goes_on_through_its_gradient(caplog):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**3
        dy = tape.gradient(y, x)
    assert tape.gradient(dy, x).numpy() == 12.0
    assert "significantly less efficient" in caplog.text


def test_stop_recording_leaves_out_its_block_and_comes_back_after_an_error():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with pytest.raises(KeyError), tape.stop_recording():
            hidden = x * x
            raise KeyError
        seen = x * x * x
    assert tape.gradient(hidden, x) is None
    assert tape.gradient(seen, x).numpy() == 27.0


def test_reset_forgets():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(y)
        z = y * y
    assert [g if g is None else g.numpy() for g in tape.gradient(z, [x, y])] == [None, 18.0]


def test_a_tape_may_be_dropped_while_it_records():
    x = tf.constant(3.0)

    def lost():
        with tf.GradientTape() as tape:
            tape.watch(x)
            yield x * x

    generator = lost()
    next(generator)
    assert STATE.tapes
    del generator
    gc.collect()
    assert not STATE.tapes
    assert not ACTIVE


def test_a_tape_keeps_no_variable_alive_after_it_is_gone():
    v = tf.Variable([1.0, 2.0])
    reference = weakref.ref(v)
    tape = tf.GradientTape(persistent=True)
    with tape:
        y = v * v
    del v, y
    assert reference() is not None
    del tape
    assert reference() is None


def test_gradients_with_respect_to_a_copy_are_its_own():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        twin = tf.identity(x)
        y = twin * x
    assert [g.numpy() for g in tape.gradient(y, [x, twin])] == [6.0, 3.0]


@pytest.mark.parametrize("wrong", [None, 3.0, "x", [1.0], np.ones(2)], ids=str)
def test_what_is_no_tensor_cannot_be_differentiated(wrong):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises((TypeError, AttributeError, ValueError)):
        tape.gradient(wrong, x)
    with pytest.raises((TypeError, AttributeError, ValueError)):
        tape.gradient(y, wrong)


def test_an_error_in_gradient_spends_a_plain_tape_and_leaves_nothing_recording():
    x = tf.constant([3.0, 4.0, 5.0])
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            tape.gradient(y, x, output_gradients=tf.ones([2]))
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(y, x)
    assert not ACTIVE
    assert not STATE.tapes


# ---------------------------------------------------------------- random programs

UNARY = [
    tf.sin,
    tf.tanh,
    tf.exp,
    tf.sigmoid,
    tf.square,
    lambda x: x[::-1],
    lambda x: -x,
    lambda x: 2.0 - x,
    tf.nn.softplus,
]
BINARY = [tf.add, tf.subtract, tf.multiply, lambda a, b: a / (2.0 + b * b), lambda a, b: tf.reduce_sum(a) * b]


@st.composite
def programs(draw):
    """A list of steps; each takes earlier values and makes one more."""
    steps = []
    for count in range(1, draw(st.integers(1, 8)) + 1):
        if draw(st.booleans()):
            steps.append((draw(st.sampled_from(UNARY)), (draw(st.integers(0, count - 1)),)))
        else:
            places = (draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1)))
            steps.append((draw(st.sampled_from(BINARY)), places))
    return steps


def run(steps, x):
    values = [x]
    for function, places in steps:
        values.append(tf.tanh(function(*(values[p] for p in places))))
    return tf.reduce_sum(values[-1])


@settings(max_examples=60, deadline=None)
@given(programs(), st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_random_programs_differentiate_as_finite_differences_do(steps, point):
    x = tf.constant(point, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(steps, x)
    gradient = tape.gradient(y, x, unconnected_gradients="zero").numpy()
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -2.0, 0.5], tf.float64)) as accumulator:
        y = run(steps, x)
    tangent = accumulator.jvp(y, unconnected_gradients="zero").numpy()
    h = 1e-5
    numeric = [
        (run(steps, x + h * np.eye(3)[i]).numpy() - run(steps, x - h * np.eye(3)[i]).numpy()) / (2 * h)
        for i in range(3)
    ]
    np.testing.assert_allclose(gradient, numeric, atol=1e-7)
    np.testing.assert_allclose(tangent, gradient @ [1.0, -2.0, 0.5], atol=1e-10)


@settings(max_examples=30, deadline=None)
@given(programs(), st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_random_programs_have_symmetric_hessians_equal_to_nested_tapes(steps, point):
    x = tf.constant(point, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(steps, x)
    hessian = tape.hessian(y, x).numpy()
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = run(steps, x)
        gradient = inner.gradient(y, x)
    nested = outer.jacobian(gradient, x, unconnected_gradients="zero").numpy()
    np.testing.assert_allclose(hessian, nested, atol=1e-12)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-9)
