"""A `ForwardAccumulator` keeps the tangents of values that live, and of no others."""

import functools
import gc
import tracemalloc
import weakref

import numpy as np
import pytest

import gradtape as tf

Accumulator = tf.autodiff.ForwardAccumulator
KILOBYTE = 1000


def ones():
    """100 kB."""
    return tf.constant(np.ones(25_000, np.float32))


def deep(x, ops):
    y = x
    for _ in range(ops // 2):
        y = tf.tanh(y) * x
    return y


@functools.cache
def function_of(ops):
    return tf.function(lambda v: deep(v, ops))


def through_a_function(x, ops):
    return function_of(ops)(x)


@pytest.mark.parametrize("compute", [deep, through_a_function])
def test_what_is_held_does_not_grow_with_the_computation(compute, held):
    x = ones()
    with Accumulator(x, x) as accumulator:
        compute(x, 200)  # what is compiled stays
        before = held()
        tracemalloc.reset_peak()
        y = compute(x, 200)
        assert tracemalloc.get_traced_memory()[1] - before < 3000 * KILOBYTE
    np.testing.assert_array_equal(np.isfinite(accumulator.jvp(y).numpy()), True)


def test_nested_accumulators_let_go_too(held):
    x = ones()
    with Accumulator(x, x) as outer:
        with Accumulator(x, x) as inner:
            deep(x, 4)
            before = held()
            y = deep(x, 200)
            first = inner.jvp(y)
        assert held() - before < 3000 * KILOBYTE
    assert outer.jvp(first) is not None


def test_a_tape_inside_holds_what_it_needs_and_lets_go_of_it(held):
    x = ones()
    with Accumulator(x, x) as accumulator:
        before = held()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(deep(x, 20))
        gradient = tape.gradient(y, x)
        del y, tape
        assert held() - before < 800 * KILOBYTE
    assert accumulator.jvp(gradient) is not None


def test_values_and_tangents_are_those_of_a_computation_that_keeps_everything():
    x, direction = tf.constant([0.5, -1.0]), tf.constant([1.0, 2.0])

    def everything(keep):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with Accumulator(x, direction) as outer, Accumulator(x, direction) as inner:
                y = x
                for _ in range(6):
                    y = tf.sin(y) * x + y
                    keep.append(y)
                second = outer.jvp(inner.jvp(y))
            total = tf.reduce_sum(second)
        return inner.jvp(y).numpy(), second.numpy(), tape.gradient(total, x).numpy()

    class Nothing:
        def append(self, value):
            pass

    for kept, dropped in zip(everything([]), everything(Nothing()), strict=True):
        np.testing.assert_array_equal(kept, dropped)


def test_a_new_value_in_the_place_of_a_dead_one_has_no_tangent():
    x = tf.constant(2.0)
    with Accumulator(x, tf.constant(1.0)) as accumulator:
        for _ in range(200):
            assert accumulator.jvp(x * x).numpy() == 4.0
            assert accumulator.jvp(tf.constant(5.0) * 2.0) is None


def test_a_tangent_goes_with_its_value_and_an_accumulator_with_its_last_reference(held):
    x = ones()
    with Accumulator(x, ones()) as accumulator:
        y = x * x
    tangent = weakref.ref(accumulator.jvp(y))
    assert tangent() is not None
    del y
    assert tangent() is None
    gone = weakref.ref(accumulator)
    del accumulator
    assert gone() is None


def test_what_was_read_from_a_variable_has_its_tangent():
    v = tf.Variable(3.0)
    with Accumulator(v, tf.constant(1.0)) as accumulator:
        for _ in range(3):
            gc.collect()
            assert accumulator.jvp(v * v).numpy() == 6.0
        value = tf.convert_to_tensor(v)
        del value
        assert accumulator.jvp(tf.identity(v)).numpy() == 1.0
