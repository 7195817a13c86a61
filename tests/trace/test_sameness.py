"""Which recordings are of the same program."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.trace.sameness import Recordings, same_program

X = tf.TensorSpec([3])
V = tf.Variable([1.0, 2.0, 3.0])
OTHER = tf.Variable([1.0, 2.0, 3.0])


def recorded(function, *specs):
    return tf.function(function).get_concrete_function(*specs or (X,))


def tripled(by, array=None, variable=V):
    def program(x):
        total = tf.zeros([])
        for i in tf.range(3):
            total += tf.reduce_sum(x * by) if i > 0 else tf.reduce_sum(x)
        with tf.GradientTape() as tape:
            y = variable * (x if array is None else x + array)
        return {"sum": total, "slope": tape.gradient(y, variable)}

    return program


@pytest.mark.parametrize("by", [2.0, -0.0, float("nan"), 3])
def test_a_program_that_is_recorded_again_is_the_same(by):
    given = [1.0, 2.0, by]
    assert same_program(recorded(tripled(by, np.array(given))), recorded(tripled(by, np.array(given))))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((2.0,), (3.0,)),
        ((0.0,), (-0.0,)),
        ((2.0, np.ones(3)), (2.0, np.zeros(3))),
        ((2.0, np.ones(3, np.float32)), (2.0, np.ones([1, 3], np.float32))),
        ((2.0, None, V), (2.0, None, OTHER)),
    ],
)
def test_another_constant_or_variable_makes_another_program(one, other):
    assert not same_program(recorded(tripled(*one)), recorded(tripled(*other)))


@pytest.mark.quick
def test_another_op_attribute_result_or_size_makes_another_program():
    programs = [
        recorded(tf.sin),
        recorded(tf.cos),
        recorded(lambda x: tf.reduce_sum(x, keepdims=True)),
        recorded(tf.reduce_sum),
        recorded(lambda x: {"a": tf.sin(x)}),
        recorded(lambda x: {"b": tf.sin(x)}),
        recorded(tf.sin, tf.TensorSpec([4])),
        recorded(tf.sin, tf.TensorSpec([None])),
    ]
    assert not any(same_program(a, b) for k, a in enumerate(programs) for b in programs[:k])


@pytest.mark.quick
def test_functions_inside_are_compared_by_what_they_compute():
    def calling(inner):
        return recorded(lambda x: tf.function(inner)(x) + 1)

    assert same_program(calling(lambda x: 2 * x), calling(lambda x: 2 * x))
    assert not same_program(calling(lambda x: 2 * x), calling(lambda x: 3 * x))


def test_the_seed_at_the_time_of_the_trace_belongs_to_the_program():
    def with_seed(seed):
        tf.random.set_seed(seed)
        return recorded(lambda x: x + tf.random.normal([3]))

    assert same_program(with_seed(1), with_seed(1))
    assert not same_program(with_seed(1), with_seed(2))


@pytest.mark.quick
def test_the_recordings_used_last_are_kept():
    kept = Recordings(2)
    first, second, third = (recorded(tripled(by)) for by in (1.0, 2.0, 3.0))
    assert kept.known(first) is first
    assert kept.known(recorded(tripled(1.0))) is first
    kept.known(second)
    assert kept.known(recorded(tripled(1.0))) is first
    kept.known(third)
    assert kept.known(again := recorded(tripled(2.0))) is again


def test_an_array_that_was_changed_in_place_is_another_constant():
    array = np.arange(3.0)

    def doubled():
        return tf.constant(array) * 2.0

    first = tf.function(doubled).get_concrete_function()
    assert same_program(first, tf.function(doubled).get_concrete_function())
    array[0] = 5.0
    second = tf.function(doubled).get_concrete_function()
    assert not same_program(first, second)
    assert first().numpy().tolist() == [0.0, 2.0, 4.0]
    assert second().numpy().tolist() == [10.0, 2.0, 4.0]
