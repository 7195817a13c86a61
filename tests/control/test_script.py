"""py_function and numpy_function."""

import numpy as np
import pytest

import gradtape as tf


def throwing(error):
    def function(_):
        raise error

    return function


def test_py_function_is_recorded_and_numpy_function_is_not():
    x = tf.constant([1.2, 2.7])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        recorded = tf.py_function(lambda a: a * a, [x], tf.float32)
        cut = tf.numpy_function(lambda a: a * a, [x], tf.float32)
    np.testing.assert_allclose(tape.gradient(recorded, x), [2.4, 5.4], rtol=1e-6)
    np.testing.assert_allclose(tape.jacobian(recorded, x), np.diag([2.4, 5.4]), rtol=1e-6)
    assert tape.gradient(cut, x) is None


def test_results_take_the_form_and_type_of_tout():
    x = tf.constant(1.0)
    assert float(tf.py_function(lambda a: a.numpy() * 2, [x], tf.float32)) == 2.0
    assert [float(t) for t in tf.py_function(lambda a: [a, -a], [x], [tf.float32, tf.float32])] == [1.0, -1.0]
    assert tf.py_function(lambda a: a.numpy(), [tf.constant(1)], tf.float32).dtype == tf.float32
    assert tf.py_function(lambda a: None, [x], []) == []
    assert float(tf.py_function(lambda a: a, [1.0], tf.TensorSpec([], tf.float32))) == 1.0


def test_both_are_decorators_without_a_function():
    @tf.py_function(Tout=tf.float32)
    def added(a, b):
        return a + b

    @tf.numpy_function(Tout=tf.float32)
    def subtracted(a, b):
        return a - b

    assert float(added(tf.constant(1.0), 2.0)) == 3.0
    assert float(subtracted(tf.constant(1.0), 2.0)) == -1.0


def test_numpy_function_gets_arrays_and_returns_tensors():
    seen = []
    result = tf.numpy_function(lambda a: (seen.append(type(a)), a, a + 1)[1:], [tf.constant([1.0])], tf.float32)
    assert seen == [np.ndarray]
    assert [t.numpy().tolist() for t in result] == [[1.0], [2.0]]
    assert tf.numpy_function(lambda a: None, [1.0], []) is None


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (ValueError("x"), tf.errors.InvalidArgumentError),
        (TypeError("x"), tf.errors.InvalidArgumentError),
        (StopIteration("x"), tf.errors.OutOfRangeError),
        (MemoryError("x"), tf.errors.ResourceExhaustedError),
        (NotImplementedError("x"), tf.errors.UnimplementedError),
        (ZeroDivisionError("x"), tf.errors.UnknownError),
        (KeyError("x"), tf.errors.UnknownError),
    ],
)
def test_exceptions_become_op_errors_that_name_them(raised, error):
    with pytest.raises(error, match=type(raised).__name__) as caught:
        tf.py_function(throwing(raised), [1.0], tf.float32)
    assert caught.value.__cause__ is raised
    with pytest.raises(type(raised)):
        tf.numpy_function(throwing(raised), [1.0], tf.float32)


@pytest.mark.parametrize(
    ("function", "tout", "error"),
    [
        (lambda a: tf.cast(a, tf.int32), tf.float32, tf.errors.InvalidArgumentError),
        (lambda a: None, tf.float32, tf.errors.InvalidArgumentError),
        (lambda a: [a], [tf.float32, tf.float32], tf.errors.InvalidArgumentError),
        (lambda a, b: a, tf.float32, tf.errors.InvalidArgumentError),
        (3, tf.float32, ValueError),
        (lambda a: a, "no type", TypeError),
    ],
)
def test_results_that_do_not_fit_are_refused(function, tout, error):
    with pytest.raises(error):
        tf.py_function(function, [1.0], tout)
