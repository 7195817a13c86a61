"""`tf.train.ExponentialMovingAverage`; the numbers are those seen in TensorFlow 2.21."""

import numpy as np
import pytest

import gradtape as tf


def after_one_step(**options):
    v = tf.Variable(1.0)
    averages = tf.train.ExponentialMovingAverage(0.9, **options)
    averages.apply([v])
    v.assign(2.0)
    averages.apply([v])
    return averages.average(v).numpy()


def test_an_average_begins_at_the_value_and_follows_it():
    v = tf.Variable([1.0, 2.0], name="w")
    averages = tf.train.ExponentialMovingAverage(0.9)
    assert averages.average(v) is None
    assert averages.apply([v]) is None
    np.testing.assert_array_equal(averages.average(v), [1.0, 2.0])
    v.assign([2.0, 2.0])
    averages.apply([v])
    np.testing.assert_array_equal(averages.average(v), np.float32([1.1, 2.0]))
    assert not averages.average(v).trainable


@pytest.mark.parametrize(
    ("step", "expected"), [(0, 1.9), (1, 1.8181818), (5, 1.6), (100, 1.1), (tf.Variable(3), 1.6923077)]
)
def test_early_averages_move_faster_with_num_updates(step, expected):
    assert after_one_step(num_updates=step) == np.float32(expected)


def test_zero_debias_changes_nothing_for_variables():
    assert after_one_step(zero_debias=True) == np.float32(1.1)


def test_half_precision_stays_half_precision():
    v = tf.Variable(tf.ones([2], tf.float16))
    averages = tf.train.ExponentialMovingAverage(0.9)
    averages.apply([v])
    v.assign([3.0, 3.0])
    averages.apply([v])
    assert averages.average(v).dtype == tf.float16
    np.testing.assert_array_equal(averages.average(v), np.float16([1.2, 1.2]))


def test_names_and_what_to_restore():
    w, u = tf.Variable(1.0, name="w"), tf.Variable(2.0, name="u")
    averages = tf.train.ExponentialMovingAverage(0.5, name="slow")
    averages.apply([w, u])
    assert averages.name == "slow"
    assert averages.average_name(w) == "w/slow"
    assert averages.average(w).name == "w/slow:0"
    assert averages.variables_to_restore()["u/slow"] is u
    assert list(averages.variables_to_restore([w])) == ["w/slow"]


def test_apply_without_a_list_moves_all():
    w = tf.Variable(0.0)
    averages = tf.train.ExponentialMovingAverage(0.5)
    averages.apply([w])
    w.assign(1.0)
    averages.apply()
    assert averages.average(w).numpy() == 0.5


@pytest.mark.parametrize("value", [tf.constant(1.0), tf.Variable(1), tf.Variable(1 + 1j)])
def test_only_floating_variables_have_averages(value):
    with pytest.raises(TypeError):
        tf.train.ExponentialMovingAverage(0.9).apply([value])


def test_the_average_of_no_variable_is_an_error():
    with pytest.raises(AttributeError, match=r"tf\.Variable is needed"):
        tf.train.ExponentialMovingAverage(0.9).average(3)


def test_a_traced_function_moves_the_averages():
    v, step = tf.Variable(1.0), tf.Variable(0)
    averages = tf.train.ExponentialMovingAverage(0.9, num_updates=step)

    @tf.function
    def move():
        averages.apply([v])

    move()
    expected = 1.0
    for number in range(1, 5):
        v.assign(float(number))
        step.assign(number)
        move()
        rate = 1 - min(0.9, (1 + number) / (10 + number))
        expected -= (expected - number) * rate
    assert float(averages.average(v)) == pytest.approx(expected, rel=1e-6)
