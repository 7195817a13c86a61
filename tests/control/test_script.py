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


# --- inside functions ------------------------------------------------------------------------------------------------


def test_a_numpy_function_of_known_shape_is_an_instruction_also_in_loops():
    @tf.function
    def f(x):
        for _ in tf.range(5):
            x = tf.numpy_function(lambda a: a * np.float32(1.5), [x], tf.float32)
            x.set_shape([])
        return x

    assert f(tf.constant(2.0)).numpy() == 2.0 * 1.5**5
    assert f.explain().traces[0].ways == (("alone, compiled", ""),)


@pytest.mark.parametrize(
    ("function", "tout", "error"),
    [
        (lambda a: a.astype(np.float64), tf.float32, "value 0 that <lambda> returns is float64"),
        (lambda a: 3.0, tf.float32, "is float64"),
        (lambda a: [a, a], tf.float32, "returns 2 values"),
        (lambda a: None, tf.float32, "returns 0 values"),
        (lambda a: [][1], tf.float32, "IndexError"),
    ],
)
def test_functions_hold_numpy_functions_to_their_types(function, tout, error):
    @tf.function
    def f(x):
        return tf.numpy_function(function, [x], tout)

    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.UnknownError), match=error) as caught:
        f(tf.constant(1.0))
    assert "test_script.py:" in str(caught.value)  # the line of the call


def test_a_shape_that_was_announced_is_checked():
    @tf.function
    def f(x):
        y = tf.numpy_function(lambda a: a, [x], tf.float32)
        y.set_shape([3])
        return y + 1.0

    assert f(tf.ones([3])).numpy().tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \(2,\), but its shape was said to be \(3,\)"):
        tf.function(f.python_function)(tf.ones([2]))


def test_python_code_takes_and_gives_ragged_tensors():
    ragged = tf.ragged.constant([[1, 2], [3]])

    def doubled(r):
        return tf.py_function(lambda r: r * 2, [r], tf.RaggedTensorSpec([None, None], tf.int32))

    assert doubled(ragged).to_list() == tf.function(doubled)(ragged).to_list() == [[2, 4], [6]]
    with pytest.raises(TypeError, match="is no array"):
        tf.function(lambda r: tf.numpy_function(lambda a: a, [r], tf.int32))(ragged)
