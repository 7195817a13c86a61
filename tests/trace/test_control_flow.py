"""Control flow in functions: the ops, their gradients, what they refuse."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import gradtape as tf


def with_gradient(f: Any) -> Any:
    def run(*values: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(values)
            y = f(*values)
        return y, tape.gradient(y, values)

    return run


def agree(f: Any, *values: Any) -> None:
    expected = f(*values)
    for got in (tf.function(f, autograph=False)(*values), tf.function(f)(*values)):
        for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(expected), strict=True):
            assert (a is None) == (b is None)
            if b is not None:
                np.testing.assert_allclose(tf.convert_to_tensor(a).numpy(), tf.convert_to_tensor(b).numpy(), rtol=1e-5)


def array_loop(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)

    def body(i: Any, array: Any) -> Any:
        return i + 1, array.write(i, x * tf.cast(i, tf.float32))

    _, array = tf.while_loop(lambda i, array: i < 4, body, (0, array))
    return array.stack() + array.read(2) + tf.cast(array.size(), tf.float32)


def array_methods(x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
    other = tf.TensorArray(tf.float32, size=3).scatter([2, 0, 1], x)
    pieces = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, 2])
    return array.gather([2, 0]) * 2.0, other.stack(), pieces.concat(), array.read(1)


PROGRAMS = {
    "cond": lambda x: tf.cond(tf.reduce_sum(x) > 100.0, lambda: x * x, lambda: x * 3.0),
    "cond with structures": lambda x: tf.cond(
        x[0] > 0.0, lambda: {"a": x, "b": [x * 2.0]}, lambda: {"a": -x, "b": [x]}
    )["b"][0],
    "case": lambda x: tf.case([(x[0] > 5.0, lambda: x), (x[0] > 0.5, lambda: x * 2.0)], default=lambda: -x),
    "switch_case": lambda x: tf.switch_case(tf.cast(x[1], tf.int32), [lambda: x, lambda: x * 5.0, lambda: x * x]),
    "switch_case, default": lambda x: tf.switch_case(
        tf.cast(x[1] * 10.0, tf.int32), [lambda: x, lambda: x * 5.0], default=lambda: x**3
    ),
    "while": lambda x: tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x), [0, x])[1],
    "while on values": lambda x: tf.while_loop(lambda y: tf.reduce_sum(y) < 100.0, lambda y: [y * 2.0], [x])[0],
    "while, at most": lambda x: tf.while_loop(lambda y: True, lambda y: [y * 2.0], [x], maximum_iterations=3)[0],
    "growing": lambda x: tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, tf.concat([y, x], 0)), [0, x], shape_invariants=[(), [None]]
    )[1],
    "nested": lambda x: tf.while_loop(
        lambda i, y: i < 3,
        lambda i, y: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: tf.scan(lambda a, b: a + b, y))),
        [0, x],
    )[1],
    "map_fn": lambda x: tf.map_fn(lambda e: e * e + x[0], x),
    "map_fn of pairs": lambda x: tf.map_fn(lambda p: p[0] * p[1], (x, x + 1.0), fn_output_signature=tf.float32),
    "scan": lambda x: tf.scan(lambda a, b: a * b, x),
    "scan backwards": lambda x: tf.scan(lambda a, b: a + 2.0 * b, x, initializer=tf.constant(1.0), reverse=True),
    "foldl": lambda x: tf.foldl(lambda a, b: a * 2.0 + b, x),
    "foldr": lambda x: tf.foldr(lambda a, b: a * 2.0 + b, x, initializer=tf.constant(3.0)),
    "vectorized_map": lambda x: tf.vectorized_map(lambda e: tf.sin(e) * tf.reduce_sum(x), x),
    "array in a loop": array_loop,
}
X = tf.constant([1.0, 2.0, 3.0])


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name):
    agree(with_gradient(PROGRAMS[name]), X)


def test_methods_of_arrays():
    agree(array_methods, X)
    agree(with_gradient(lambda x: array_methods(x)[0]), X)


def test_many_steps_keep_what_the_gradient_needs_and_no_more():
    @tf.function
    def f(x):
        return tf.while_loop(lambda i, y: i < 3000, lambda i, y: (i + 1, tf.sin(y) * 0.5 + x), [0, x])[1]

    x = tf.ones([1000])
    f(x)
    tracemalloc.start()
    f(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000  # three thousand values of 4 kB would be 12 MB
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert np.isfinite(tape.gradient(y, x).numpy()).all()


def test_assertions_wait_for_the_value():
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x, message="must be positive")
        tf.debugging.Assert(tf.reduce_all(x < 10.0), [x])
        tf.debugging.assert_equal(tf.shape(x)[0], 2)
        return tf.debugging.check_numerics(tf.math.log(x), "log")

    f(tf.constant([1.0, 2.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be positive"):
        f(tf.constant([-1.0, 2.0]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant([1.0, 20.0]))
    f(tf.constant([3.0, 2.0]))


def test_what_is_refused():
    with pytest.raises(TypeError, match="same types"):
        tf.function(lambda x: tf.cond(x > 0.0, lambda: x, lambda: tf.constant(1)))(tf.constant(1.0))
    with pytest.raises(TypeError, match="structure"):
        tf.function(lambda x: tf.cond(x > 0.0, lambda: x, lambda: (x, x)))(tf.constant(1.0))
    with pytest.raises(ValueError, match="shape_invariants"):
        tf.function(lambda x: tf.while_loop(lambda y: True, lambda y: [tf.concat([y, y], 0)], [x]))(tf.ones([2]))
    with pytest.raises(TypeError, match="cast"):
        tf.function(lambda x: tf.while_loop(lambda y: True, lambda y: [tf.cast(y, tf.int32)], [x]))(tf.ones([2]))


def test_python_functions_inside():
    calls = []

    def python(a: Any) -> Any:
        calls.append(1)
        return a * a if a > 0 else a

    @tf.function
    def f(x):
        y = tf.py_function(python, [x], tf.float32)
        y.set_shape([])
        return y + 1.0, tf.numpy_function(np.sinc, [x], tf.float32)

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, _ = f(x)
    assert float(y) == 10.0
    assert float(tape.gradient(y, x)) == 6.0
    assert float(f(tf.constant(-2.0))[0]) == -1.0
    assert len(calls) == 2


# --- elements of several tensors ------------------------------------------------------------------------------------------


def test_tensors_that_may_have_one_first_size_are_walked_together():
    def f(x):
        found = tf.boolean_mask(x, x[:, 0] > 0.0)[:1]  # (at most one row)
        return tf.map_fn(lambda pair: pair[0] * pair[1], (tf.ones([1, 3]), found), fn_output_signature=tf.float32)

    x = tf.constant([[-1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(tf.function(f)(x), f(x))


@pytest.mark.parametrize(
    "walk",
    [
        lambda pair: tf.map_fn(lambda p: p[0] + p[1], pair, fn_output_signature=tf.float32),
        lambda pair: tf.scan(lambda total, p: total + p[0] + p[1], pair, initializer=tf.zeros([3])),
        lambda pair: tf.foldl(lambda total, p: total + p[0] + p[1], pair, initializer=tf.zeros([3])),
    ],
)
@pytest.mark.parametrize("rows", [0, 3, 40])
def test_tensors_of_other_first_sizes_are_an_error_while_tracing(walk, rows):
    @tf.function
    def f(x):
        return walk((x, tf.zeros([2, 3])))

    with pytest.raises(ValueError, match="not compatible: all elems need one first size"):
        f(tf.zeros([rows, 3]))


@pytest.mark.parametrize(
    "walk",
    [
        lambda x: tf.scan(lambda total, row: total + row, x),
        lambda x: tf.scan(lambda total, row: total + row, x, reverse=True),
        lambda x: tf.foldl(lambda total, row: total + row, x),
        lambda x: tf.foldr(lambda total, row: total + row, x),
    ],
)
def test_nothing_to_begin_with_has_tensorflows_class(walk):
    nothing, spec = tf.zeros([0, 3]), tf.TensorSpec([None, 3])
    with pytest.raises(tf.errors.OutOfRangeError):
        walk(nothing)
    for traced in (tf.function(walk), tf.function(walk, input_signature=[spec])):
        with pytest.raises(tf.errors.InvalidArgumentError):
            traced(nothing)


def test_writing_beyond_the_end_of_an_array_has_the_class_of_tensorflows_graphs():
    def write(x: Any) -> Any:
        return tf.TensorArray(tf.float32, 3).write(5, x).stack()

    with pytest.raises(tf.errors.InvalidArgumentError, match="index 5"):
        tf.function(write)(1.0)
    with pytest.raises(tf.errors.OutOfRangeError, match="index 5"):
        write(1.0)
