"""Rows that a loop takes at its counter are a sequence that it goes through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile import executor

ROWS = np.random.default_rng(0).normal(size=(12, 3))


def loops_of(function: Any, *values: Any) -> list[Any]:
    """The loops of the program that a function becomes."""
    concrete = tf.function(function).get_concrete_function(*values)
    looks = [tuple(value.shape) for value in values], [value.dtype.numpy for value in values]
    evaluator, _, _ = executor.lowered(concrete.graph, *looks)
    return [node.what for node in executor.optimized(evaluator.program).nodes if node.what.name == "loop"]


def takes(loop: Any) -> int:
    return sum(node.what.name in ("take", "get_row") for node in loop.body.nodes)


def total(rows, places, start=0.0):
    """A sum in which the order counts."""
    y = tf.fill([3], tf.cast(start, rows.dtype))
    for i in places:
        y = 0.5 * tf.sin(y) + rows[i] * rows[i]
    return y


def upwards(rows):
    return total(rows, tf.range(tf.shape(rows)[0]))


def downwards(rows):
    return total(rows, tf.range(11, -1, -1))


def every_second(rows):
    return total(rows, tf.range(0, 12, 2))


def gathered(rows):
    return total(tf.gather(rows, tf.constant(range(12))), tf.range(12))


def shifted(rows):
    y = tf.zeros([3], rows.dtype)
    for i in tf.range(12):
        y = 0.5 * y + rows[(i + 1) % 12]
    return y


def twice(rows):
    y, doubled = tf.zeros([3], rows.dtype), rows * 2.0
    for i in tf.range(12):
        y = 0.5 * tf.sin(y) + rows[i] + tf.gather(doubled, i)
    return y


def from_the_end(rows):
    y = tf.zeros([3], rows.dtype)
    for i in tf.range(12):
        y = 0.5 * y + rows[-1 - i]
    return y


def from_an_array(rows):
    array = tf.TensorArray(rows.dtype, 12).unstack(rows)
    y = tf.zeros([3], rows.dtype)
    for i in tf.range(12):
        y = 0.5 * tf.sin(y) + array.read(i)
    return y


def of_a_changing_array(rows):
    y = tf.zeros([3], rows.dtype)
    for i in tf.range(12):
        y = y + rows[i]
        rows = rows * 0.5
    return y


def inside_of_another(rows):
    y = tf.zeros([3], rows.dtype)
    for _ in tf.range(2):
        for i in tf.range(12):
            y = 0.5 * y + rows[i]
    return y


def as_long_as(rows):
    return tf.while_loop(
        lambda i, y: i < 12, lambda i, y: (i + 1, tf.sin(y) + rows[i]), [0, tf.zeros([3], rows.dtype)]
    )[1]


def at_a_counter_that_draws_the_line_early(rows):
    y = tf.zeros([3], rows.dtype)
    for i in tf.range(12):
        y = y + rows[tf.minimum(i, 5)]
    return y


IN_ORDER = [upwards, gathered, twice, as_long_as]
OTHERS = [
    downwards,
    every_second,
    shifted,
    from_the_end,
    from_an_array,
    of_a_changing_array,
    inside_of_another,
    at_a_counter_that_draws_the_line_early,
]


def gradient(function):
    def run(rows):
        with tf.GradientTape() as tape:
            tape.watch(rows)
            y = function(rows)
        return y, tf.convert_to_tensor(tape.gradient(y, rows))

    return run


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", [*IN_ORDER, *OTHERS])
def test_what_a_loop_takes_and_gives_back_is_as_in_eager_code(function, dtype):
    rows = tf.constant(ROWS, dtype)
    compiled = tf.function(gradient(function))
    tf.config.run_functions_eagerly(True)
    try:
        expected = tf.function(gradient(function))(rows)
    finally:
        tf.config.run_functions_eagerly(False)
    for _ in range(20):  # as Python lines, and as machine code
        for found, known in zip(compiled(rows), expected, strict=True):
            np.testing.assert_allclose(found, known, 1e-5, 1e-6)


@pytest.mark.parametrize("function", IN_ORDER)
def test_rows_at_the_counter_are_a_sequence(function):
    (loop,) = loops_of(function, tf.constant(ROWS))
    assert takes(loop) == 0
    assert loop.sequences >= 1


@pytest.mark.parametrize("function", [every_second, shifted, at_a_counter_that_draws_the_line_early])
def test_rows_at_other_places_are_not(function):
    (loop,) = loops_of(function, tf.constant(ROWS))
    assert takes(loop) == 1
    assert loop.sequences == 0


def test_a_row_that_is_not_there_is_an_error_as_before():
    @tf.function
    def run(rows):
        y = 0.0
        for i in tf.range(4):
            y += tf.gather(rows, i)
        return y

    with pytest.raises(tf.errors.InvalidArgumentError, match="gather: indices = 3"):
        run(tf.ones([3]))


def test_texts_are_taken_one_by_one():
    @tf.function
    def run(words):
        text = ""
        for i in tf.range(3):
            text = tf.strings.join([text, words[i]])
        return text

    assert run(tf.constant(["a", "b", "c"])).numpy() == b"abc"
