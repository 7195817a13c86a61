"""Native forms of ops that read and write at positions which are values, put in order, or ask LAPACK: eager's bits and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.compile.test_native_programs import RNG, check, numbers, same_bits

import gradtape as tf
from gradtape.native import abi, engine, thresholds

pytestmark = pytest.mark.skipif(
    not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()), reason="there is no machine code"
)


def with_gradient(function: Any) -> Any:
    """The value of a function and its derivatives in all operands that are numbers."""

    def run(*operands: Any) -> Any:
        watched = [x for x in operands if x.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch(watched)
            y = function(*operands)
            total = tf.reduce_sum(y * y)
        return [y, *(g for g in tape.gradient(total, watched) if isinstance(g, tf.Tensor))]

    return run


PLACES = np.array([[2, 0], [1, 3], [2, 0], [0, 1]], np.int32)
ROWS = np.array([[3], [0], [3]], np.int64)


def spd(*shape: int, dtype: Any = np.float64) -> Any:
    a = numbers(*shape, dtype=dtype)
    return (a @ np.swapaxes(a, -1, -2) + 3 * np.eye(shape[-1])).astype(dtype)


@pytest.mark.parametrize(
    ("function", "operands"),
    [
        (lambda x, i: tf.gather_nd(x, i), (numbers(3, 4), PLACES)),
        (lambda x, i: tf.gather(x, i, batch_dims=1), (numbers(3, 4), np.array([[1, 1], [0, 3], [2, 2]]))),
        (lambda x, i: tf.gather(x, i, axis=1), (numbers(3, 4, 2), np.array([3, 3, 0]))),
        (lambda u, i: tf.scatter_nd(i, u, [3, 4]), (numbers(4), PLACES)),
        (lambda x, i, u: tf.tensor_scatter_nd_add(x, i, u), (numbers(3, 4), PLACES, numbers(4))),
        (lambda x, i, u: tf.tensor_scatter_nd_sub(x, i, u), (numbers(4, 3), ROWS, numbers(3, 3))),
        (lambda x, i, u: tf.tensor_scatter_nd_update(x, i, u), (numbers(4, 3), ROWS[:2], numbers(2, 3))),
        (lambda x, i, u: tf.tensor_scatter_nd_max(x, i, u), (numbers(3, 4), PLACES, numbers(4))),
        (lambda x, i: tf.math.unsorted_segment_sum(x, i, 3), (numbers(4, 2), np.array([2, -1, 0, 2]))),
        (lambda x: tf.pad(x, [[1, 0], [2, 1]], constant_values=7), (numbers(2, 3),)),
        (lambda x: tf.cumsum(x, 1, exclusive=True, reverse=True), (numbers(2, 5),)),
        (lambda x: tf.sort(x, 0, "DESCENDING"), (numbers(7, 3),)),
        (lambda x: tf.math.top_k(x, 3).values, (numbers(2, 20),)),
        (lambda x: tf.norm(x, axis=-1), (numbers(3, 4),)),
        (lambda x: tf.reduce_logsumexp(x, 1), (numbers(3, 4),)),
        (lambda x: tf.math.reduce_std(x, 0), (numbers(3, 4),)),
        (lambda x: tf.nn.moments(x, [1])[1], (numbers(3, 4),)),
        (lambda x: tf.clip_by_value(x, -0.5, 0.5), (numbers(3, 4),)),
        (lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x), (numbers(3, 4), np.array([3, 0, 3]))),
        (lambda x: tf.einsum("ijk,kl->lji", x, tf.constant(W)), (numbers(2, 3, 4),)),
        (lambda a, b: tf.linalg.solve(a, b), (spd(3, 3), numbers(3, 2, dtype=np.float64))),
        (lambda a, b: tf.linalg.solve(a, b, adjoint=True), (spd(2, 3, 3, dtype=np.float32), numbers(2, 3, 1))),
        (lambda a: tf.linalg.inv(a), (spd(4, 3, 3),)),
    ],
)  # fmt: skip
def test_it_is_one_function_with_its_gradient(function, operands):
    check(with_gradient(function), *operands)


W = numbers(4, 2)


@pytest.mark.parametrize("wins", ["largest", "smallest"])
def test_the_places_of_extremes(wins):
    def places(x):
        return (tf.argmax if wins == "largest" else tf.argmin)(x, 1), (tf.argmax if wins == "largest" else tf.argmin)(
            x, 0
        )

    x = numbers(5, 6)
    x[1, 2:5], x[2] = np.nan, np.nan
    x[3] = 1.0
    check(places, x)
    check(places, np.arange(12, dtype=np.int32).reshape(3, 4) % 5)


def test_equal_elements_and_nan_are_ordered_as_numpy_orders_them():
    x = np.array([2, np.nan, 1, 2, -np.inf, 1, np.nan, np.inf, 2], np.float32)
    check(lambda x: (tf.argsort(x), tf.argsort(x, direction="DESCENDING"), tf.sort(x)), x)
    check(lambda x: tf.math.top_k(x, 2), x)


def test_a_loop_with_a_scatter_and_a_system_in_it_is_one_function():
    def run(x, a):
        for k in tf.range(40):
            x = tf.tensor_scatter_nd_add(x, [[k % 3]], [0.5])
            x = tf.linalg.solve(a, x[:, None])[:, 0] + tf.cast(tf.argmax(x), tf.float64)
        return x

    check(run, numbers(3, dtype=np.float64), spd(3, 3))


def test_values_that_are_one_function():
    check(
        lambda x: (tf.pad(x, [[1, 1], [2, 1]], "REFLECT"), tf.math.cumprod(x, 0), tf.math.cumprod(x, 1, reverse=True)),
        numbers(2, 3),
    )
    check(lambda a: (tf.linalg.det(a), *tf.linalg.slogdet(a), tf.linalg.cholesky(a), *tf.linalg.eigh(a)), spd(2, 3, 3))


@pytest.fixture
def at_once(monkeypatch):
    """Functions become native with their first call."""
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("function", "good", "bad", "words"),
    [
        (lambda x, i: tf.gather_nd(x, i), PLACES, [[2, 4]], r"axis 1: indices\[0\] = 4 is not in \[0, 4\)"),
        (lambda x, i: tf.scatter_nd(i, x[0], [3, 4]), PLACES, [[3, 0]] * 4, "is not in"),
        (lambda x, i: tf.tensor_scatter_nd_update(x, i, x[0]), PLACES, [[0, -1]] * 4, "is not in"),
        (lambda x, i: tf.gather(x, i, batch_dims=1), PLACES[:3], [[0, 0], [4, 0], [0, 0]], "is not in"),
        (lambda x, i: tf.math.unsorted_segment_sum(x, i, 3), [0, 1, -1], [0, 1, 3], "segment id 3"),
        (lambda x, i: tf.nn.sparse_softmax_cross_entropy_with_logits(i, x), [0, 1, 3], [0, 4, 1], "label value of 4"),
    ],
)  # fmt: skip
def test_a_position_that_does_not_exist_raises_the_error_of_eager_code(function, good, bad, words):
    x, good, bad = tf.constant(numbers(3, 4)), tf.constant(good, tf.int32), tf.constant(bad, tf.int32)
    compiled = tf.function(function, input_signature=[tf.TensorSpec([3, 4]), tf.TensorSpec(None, tf.int32)])
    same_bits(compiled(x, good), function(x, good))
    for run in (function, compiled, tf.function(function)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            run(x, bad)
    same_bits(compiled(x, good), function(x, good))


@pytest.mark.usefixtures("at_once")
def test_a_matrix_that_lapack_refuses_raises_or_gives_what_eager_code_does():
    inverse, factor = tf.function(tf.linalg.inv), tf.function(tf.linalg.cholesky)
    good, bad = tf.constant(spd(2, 3, 3)), tf.constant(np.stack([np.eye(3), np.ones((3, 3))]))
    same_bits(inverse(good), tf.linalg.inv(good))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        inverse(bad)
    same_bits(inverse(good), tf.linalg.inv(good))
    same_bits(factor(good), tf.linalg.cholesky(good))
    same_bits(factor(-good), tf.linalg.cholesky(-good))


@pytest.mark.usefixtures("at_once")
def test_a_number_that_is_invalid_before_lapack_is_called_does_not_count():
    @tf.function
    def run(x, a):
        return tf.math.log(x), tf.linalg.inv(a)

    x, a = tf.constant([-1.0]), tf.constant(spd(3, 3))
    for _ in range(3):
        found = run(x, a)
        assert np.isnan(found[0])
        same_bits(found[1], tf.linalg.inv(a))


@pytest.mark.usefixtures("at_once")
def test_squares_that_overflow_are_added_as_in_eager_code():
    norm = tf.function(lambda x: tf.norm(x, axis=-1))
    for x in (numbers(2, 3), np.full((2, 3), 3e30, np.float32), np.full((2, 3), 1e-30, np.float32)):
        same_bits(norm(tf.constant(x)), tf.norm(tf.constant(x), axis=-1))


LINES: dict[str, Callable[..., Any]] = {
    "sort": lambda x, axis: tf.sort(x, axis),
    "sort down": lambda x, axis: tf.sort(x, axis, "DESCENDING"),
    "places": lambda x, axis: tf.argsort(x, axis),
    "places down": lambda x, axis: tf.argsort(x, axis, "DESCENDING"),
    "largest": lambda x, axis: tf.argmax(x, axis),
    "smallest": lambda x, axis: tf.argmin(x, axis),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
def test_orders_and_extremes_of_lines_of_any_length_along_any_axis(dtype):
    """Equal elements, zeros of both signs and NaN are where NumPy puts them, which finds them for long lines."""
    for shape in ((300,), (5, 70), (40, 19), (2, 35, 3)):
        values = np.round(RNG.normal(size=shape) * 3)
        if dtype.startswith("float"):
            values = np.where(RNG.uniform(size=shape) < 0.05, np.nan, values * RNG.choice([-1, 1], shape))
        array = values.astype(dtype) if dtype.startswith("float") else np.abs(values).astype(dtype)
        check(lambda x: [of_line(x, axis) for of_line in LINES.values() for axis in range(x.ndim)], array)
