"""Values whose rank only running shows, as `tf.numpy_function` gives them, in compiled programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


def doubled(x: Any) -> Any:
    return tf.numpy_function(lambda v: v * 2.0, [x], tf.float32)


def in_a_loop(x: Any) -> Any:
    rows = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        rows = rows.write(i, doubled(x) * x[i])
    return rows.stack() * x


def growing(x: Any) -> Any:
    rows, i = tf.TensorArray(tf.float32, 0, dynamic_size=True), 0
    while tf.reduce_sum(x) * tf.cast(i, tf.float32) < 30.0:
        row = doubled(x) * x
        if i % 2 == 0:
            rows = rows.write(rows.size(), row * tf.cast(i, tf.float32))
        i += 1
    return rows.stack() ** 2


def written_before(x: Any) -> Any:
    rows = tf.TensorArray(tf.float32, 0, dynamic_size=True).write(0, doubled(x))
    for i in tf.range(1, 4):
        rows = rows.write(i, doubled(x) * x)
    return rows.stack()[::-1]


def of_open_length(x: Any) -> Any:
    count = tf.cast(tf.reduce_sum(x), tf.int32)
    rows = tf.TensorArray(tf.float32, count)
    for i in tf.range(count):
        rows = rows.write(i, doubled(x) * x)
    return tf.reduce_sum(rows.stack()) * x


def carried(x: Any) -> Any:
    state = doubled(x)
    for i in tf.range(3):
        for _ in tf.range(i):
            state = tf.tanh(state * x) + tf.reduce_sum(state)
    return state


def in_a_branch(x: Any) -> Any:
    if tf.reduce_sum(x) > 2.0:
        found = doubled(x) * x
    else:
        found = x[:1]
    for i in tf.range(2):
        if i > 0:
            found = found * 2.0 * x
    return found


def rows_of_python(x: Any) -> Any:
    return tf.stack([tf.tanh(doubled(x) * x[i]) for i in range(3)])


PROGRAMS = [in_a_loop, growing, written_before, of_open_length, carried, in_a_branch, rows_of_python]


def values_and_gradients(program: Any, x: Any) -> list[Any]:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = program(x)
        slope = tape.gradient(y, x)
    return [y.numpy(), slope.numpy(), outer.gradient(slope, x, unconnected_gradients="zero").numpy()]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_is_compiled_and_equals_eager_code_with_its_gradients(program: Any) -> None:
    x, traced = tf.constant([1.0, 2.0, 3.0]), tf.function(program)
    for found, expected in zip(values_and_gradients(traced, x), values_and_gradients(program, x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(traced(x).numpy(), program(x).numpy(), rtol=1e-6)
    told = str(traced.explain())
    assert "part" not in told
    assert "interpreted" not in told


def test_text_of_unknown_rank_is_collected() -> None:
    @tf.function
    def words(x: Any) -> Any:
        rows = tf.TensorArray(tf.string, 0, dynamic_size=True)
        for _ in tf.range(2):
            rows = rows.write(rows.size(), tf.numpy_function(lambda v: np.array([b"a", b"bb"]), [x], tf.string))
        return rows.stack()

    assert words(tf.constant(1.0)).numpy().tolist() == [[b"a", b"bb"]] * 2
    assert "part" not in str(words.explain())


def test_an_array_to_which_nothing_is_written_cannot_be_stacked_if_the_shape_of_elements_is_unknown() -> None:
    @tf.function
    def none(x: Any, count: Any) -> Any:
        rows = tf.TensorArray(tf.float32, count)
        for i in tf.range(count):
            rows = rows.write(i, doubled(x))
        return rows.stack()

    assert none(tf.ones([2]), tf.constant(3)).shape == (3, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no element was written"):
        none(tf.ones([2]), tf.constant(0))


def test_elements_that_are_read_one_by_one_may_have_shapes_of_their_own() -> None:
    @tf.function
    def pieces(x: Any) -> Any:
        rows = tf.TensorArray(tf.float32, 3, infer_shape=False)
        for i in tf.range(3):
            rows = rows.write(i, doubled(x[: i + 1]))
        return rows.concat()

    assert pieces(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [2.0, 2.0, 4.0, 2.0, 4.0, 6.0]


@pytest.mark.parametrize("shape", [[2], [3, None], [2, None]])
@pytest.mark.parametrize(
    "found", [doubled, lambda x: tf.boolean_mask(x, x >= 0.0)], ids=["unknown rank", "unknown size"]
)
def test_a_shape_that_is_wrong_is_refused_when_the_function_runs(found: Any, shape: Any) -> None:
    traced = tf.function(lambda x: tf.ensure_shape(found(x), shape), input_signature=[tf.TensorSpec([None])])
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="shape"):
        traced(tf.zeros([3]))


def test_a_shape_that_is_right_is_known_from_there_on() -> None:
    @tf.function
    def traced(x: Any) -> Any:
        y = tf.ensure_shape(doubled(x), [3])
        state = tf.zeros([3])
        for i in tf.range(2):
            state += y * x[i]
        return state

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        state = traced(x)
    assert state.numpy().tolist() == [6.0, 12.0, 18.0]
    assert tape.gradient(state, x).numpy().tolist() == [12.0, 12.0, 0.0]
