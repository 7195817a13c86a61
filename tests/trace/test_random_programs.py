"""Random programs: eager code and functions agree, with known and with unknown sizes, in values and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradtape as tf

W = tf.constant(np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32) * 0.5)


def looped(a: Any, b: Any) -> Any:
    """A `while` loop that carries both."""
    shapes = [tf.TensorShape([]), tf.TensorShape([None, None]), tf.TensorShape([None, None])]
    turn = lambda i, u, v: (i + 1, tf.tanh(u + v), u * 0.5)  # noqa: E731
    return tf.while_loop(lambda i, u, v: i < 3, turn, [0, a, b], shape_invariants=shapes)[1]


def as_many_rounds_as_rows(a: Any, b: Any) -> Any:
    """A loop of unknown length, which collects in a TensorArray."""
    rows = tf.TensorArray(tf.float32, tf.shape(a)[0])

    def turn(i: Any, h: Any, rows: Any) -> Any:
        h = tf.tanh(h @ W + a[i][None])
        return i + 1, h, rows.write(i, h[0])

    start = (0, tf.zeros([1, 3]), rows)
    return tf.while_loop(lambda i, h, rows: i < tf.shape(a)[0], turn, start)[2].stack() + b * 0.1


def as_many_rounds_as_needed(a: Any, b: Any) -> Any:
    """A loop whose length depends on values, which collects in a TensorArray that grows."""
    rows = tf.TensorArray(tf.float32, 0, dynamic_size=True)

    def turn(h: Any, rows: Any) -> Any:
        return h * 1.5 + 0.5, rows.write(rows.size(), h)

    goes_on = lambda h, rows: tf.reduce_sum(h) < 40.0  # noqa: E731
    return tf.reduce_sum(tf.while_loop(goes_on, turn, [tf.abs(a) + 0.1, rows])[1].stack(), 0) * 0.1 + b


def branched(a: Any, b: Any) -> Any:
    return tf.cond(tf.reduce_sum(a) > tf.reduce_sum(b), lambda: a * b, lambda: tf.sin(a))


def filtered(a: Any, b: Any) -> Any:
    """A size that depends on values in between."""
    kept = tf.boolean_mask(a, b[:, 0] > 0.0)
    return b + tf.reduce_sum(kept * kept, 0)


def number_of(a: Any) -> Any:
    """A whole number that depends on values, at least 1."""
    return tf.maximum(tf.reduce_sum(tf.cast(a[:, 0] > 0.0, tf.int32)), 1)


def found_and_put_back(a: Any, b: Any) -> Any:
    places = tf.where(a[:, 1] > 0.0)
    return tf.scatter_nd(places, tf.gather_nd(a, places) * 2.0, tf.shape(b, tf.int64)) + b


def taken_apart(a: Any, b: Any) -> Any:
    kind = tf.cast(b[:, 2] > 0.0, tf.int32)
    first, second = tf.dynamic_partition(a, kind, 2)
    places = tf.dynamic_partition(tf.range(tf.shape(a)[0]), kind, 2)
    return tf.dynamic_stitch(places, [tf.sin(first), second * 0.5])


def by_kinds(a: Any, b: Any) -> Any:
    kinds, index = tf.unique(tf.cast(tf.floor(b[:, 0]), tf.int32))
    return tf.gather(tf.math.unsorted_segment_mean(a, index, tf.size(kinds)), index)


def growing(a: Any, b: Any) -> Any:
    """What a loop carries gets longer."""

    def longer(i: Any, y: Any) -> Any:
        return i + 1, tf.concat([y * 0.5, b[:1] + tf.cast(i, tf.float32)], 0)

    shapes = [tf.TensorShape([]), tf.TensorShape([None, None])]
    y = tf.while_loop(lambda i, y: i < number_of(a), longer, [0, a[:1]], shape_invariants=shapes)[1]
    return a * tf.reduce_sum(y, 0) * 0.1


def of_one_of_two_sizes(a: Any, b: Any) -> Any:
    y = tf.cond(tf.reduce_sum(a) > 0.0, lambda: tf.boolean_mask(b, a[:, 0] > 0.0), lambda: b * 0.5)
    return a + tf.reduce_sum(y * y, 0) * 0.1


OPS: list[Any] = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a - tf.reduce_mean(b, 0, keepdims=True),
    lambda a, b: tf.tanh(a @ W),
    lambda a, b: tf.nn.softmax(a) * b,
    lambda a, b: tf.where(a > b, a, 0.5 * b),
    lambda a, b: tf.concat([a, b], 0)[: tf.shape(a)[0]],
    lambda a, b: tf.sin(a) / (2.0 + tf.cos(b)),
    lambda a, b: tf.transpose(tf.transpose(a) + 1.0) * 0.5,
    lambda a, b: tf.reshape(tf.reshape(a, [-1]), tf.shape(b)),
    lambda a, b: tf.cumsum(a, 0) * 0.2,
    lambda a, b: tf.maximum(a, b),
    lambda a, b: tf.stack([a, b])[0] + tf.reduce_sum(b) * 0.01,
    lambda a, b: tf.nn.relu(a) - tf.stop_gradient(b),
    lambda a, b: tf.gather(a, [2, 0, 1], axis=1),
    lambda a, b: tf.tile(a[:1], [tf.shape(b)[0], 1]) + b,
    lambda a, b: tf.pad(a, [[1, 0], [0, 0]])[:-1] + b[::-1],
    lambda a, b: tf.map_fn(lambda row: row * tf.reduce_sum(row), a) * 0.3,
    lambda a, b: tf.scan(lambda h, row: tf.tanh(h + row), a),
    lambda a, b: tf.repeat(a, tf.shape(a)[0], axis=0)[: tf.shape(b)[0]],
    lambda a, b: tf.math.unsorted_segment_sum(a, tf.range(tf.shape(a)[0]) % 2, tf.shape(b)[0]),
    lambda a, b: tf.one_hot(tf.argmax(a, 1), 3) * b,
    looped,
    as_many_rounds_as_rows,
    as_many_rounds_as_needed,
    branched,
    filtered,
    found_and_put_back,
    taken_apart,
    by_kinds,
    growing,
    of_one_of_two_sizes,
    lambda a, b: tf.concat([a[: number_of(b)] * 2.0, b[number_of(b) :]], 0),
    lambda a, b: tf.gather(a, tf.math.top_k(b[:, 0], number_of(a))[1])[:1] + b,
    lambda a, b: b * tf.reduce_mean(tf.nn.softmax(tf.boolean_mask(a, a[:, 0] > -9.0)), 0),
    lambda a, b: tf.repeat(a, tf.cast(b[:, 0] > 0.0, tf.int32) + 1, axis=0)[: tf.shape(b)[0]],
    lambda a, b: b + tf.reduce_sum(tf.map_fn(lambda row: row * row, a[: number_of(b)]), 0) * 0.1,
    lambda a, b: b + tf.reduce_sum(tf.scan(lambda h, row: tf.tanh(h + row), a[: number_of(b)]), 0) * 0.1,
]


def in_a_branch(a: Any, b: Any, inner: Any) -> Any:
    return tf.cond(tf.reduce_sum(a) > tf.reduce_sum(b), lambda: run_of(inner, a, b), lambda: run_of(inner[:1], b, a))


def in_a_loop(a: Any, b: Any, inner: Any) -> Any:
    """A loop of known length, too long to be written out."""
    shapes = [tf.TensorShape([]), tf.TensorShape([None, None])]
    turn = lambda i, u: (i + 1, tf.tanh(run_of(inner, u, b)))  # noqa: E731
    return tf.while_loop(lambda i, u: i < 34, turn, [0, a], shape_invariants=shapes)[1]


def until_large(a: Any, b: Any, inner: Any) -> Any:
    """A loop whose length depends on values."""
    shapes = [tf.TensorShape([None, None]), tf.TensorShape([])]

    def turn(u: Any, bound: Any) -> Any:
        return tf.tanh(run_of(inner, u, b)) + 0.1, bound - 0.3

    goes_on = lambda u, bound: tf.reduce_mean(u) < bound  # noqa: E731
    return tf.while_loop(goes_on, turn, [a, tf.constant(1.5)], shape_invariants=shapes)[0]


def row_by_row(a: Any, b: Any, inner: Any) -> Any:
    return tf.map_fn(
        lambda rows: run_of(inner, rows[0][None], rows[1][None])[0], (a, b), fn_output_signature=tf.float32
    )


def from_row_to_row(a: Any, b: Any, inner: Any) -> Any:
    return tf.scan(lambda h, row: tf.tanh(run_of(inner, h[None], row[None])[0]), a, initializer=b[0])


CONTROL = [in_a_branch, in_a_loop, until_large, row_by_row, from_row_to_row]


def programs(depth: int) -> Any:
    """Lists of statements: an op of two earlier values, or one with a program inside."""
    place = st.integers(0, 9)
    plain = st.tuples(st.integers(0, len(OPS) - 1), place, place)
    if not depth:
        return st.lists(plain, min_size=1, max_size=3)
    nested = st.tuples(st.integers(0, len(CONTROL) - 1), place, place, programs(depth - 1))
    return st.lists(st.one_of(plain, plain, plain, nested), min_size=1, max_size=8 if depth > 1 else 3)


def run_of(statements: Any, x: Any, y: Any) -> Any:
    values = [x, y]
    for op, left, right, *inner in statements:
        given = values[left % len(values)], values[right % len(values)]
        values.append(CONTROL[op](*given, *inner) if inner else OPS[op](*given))
    return values[-1]


def of(statements: Any) -> Any:
    def run(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            value = run_of(statements, x, y)
            loss = tf.reduce_sum(tf.tanh(value))
        return value, tape.gradient(loss, [x, y], unconnected_gradients="zero")

    return run


def returning_twice(statements: Any) -> Any:
    """A function that returns its value several times, and an argument."""

    def run(x: Any, y: Any) -> Any:
        value = run_of(statements, x, y)
        return value, [value, x], {"again": value, "half": value * 0.5}

    return run


def followed(run: Any, given: list[Any]) -> Any:
    """What it gives, and the gradient of each result, with a tape outside."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(given)
        results = run(*given)
    return results, [tape.gradient(part, given, unconnected_gradients="zero") for part in tf.nest.flatten(results)]


def inputs(rows: int) -> list[Any]:
    rng = np.random.default_rng(rows)
    return [tf.constant(rng.normal(size=(rows, 3)).astype(np.float32)) for _ in range(2)]


def agree(got: Any, expected: Any) -> None:
    for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(expected), strict=True):
        a, b = tf.convert_to_tensor(a), tf.convert_to_tensor(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-4, atol=2e-5)


def check(statements: Any) -> None:
    """Eager = all sizes known = unknown rows = all sizes unknown, and each signature is traced once."""
    run = of(statements)
    known = tf.function(run, autograph=False)
    agree(known(*inputs(4)), run(*inputs(4)))
    twice = returning_twice(statements)
    agree(followed(tf.function(twice, autograph=False), inputs(4)), followed(twice, inputs(4)))
    for shape in ([None, 3], [None, None]):
        spec = tf.TensorSpec(shape, tf.float32)
        traced = tf.function(run, autograph=False, input_signature=[spec, spec])
        for rows in (4, 1):
            agree(traced(*inputs(rows)), run(*inputs(rows)))
        assert traced.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("op", range(len(OPS)))
def test_each_op(op: int) -> None:
    check([(op, 0, 1), (op, 2, 0)])


@pytest.mark.parametrize("control", range(len(CONTROL)))
def test_each_way_to_have_a_program_inside(control: int) -> None:
    check([(control, 0, 1, [(3, 0, 1), (control, 2, 0, [(5, 0, 1)])])])


@settings(max_examples=12, deadline=None)
@given(programs(2))
def test_some_programs(statements: Any) -> None:
    check(statements)


@pytest.mark.full
@settings(max_examples=5000, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs(2))
def test_many_programs(statements: Any) -> None:
    check(statements)
