"""Programs whose sizes depend on values run compiled, without an interpreted step, and equal eager code.

Each is a function of a matrix of floats, which may have any number of rows: what is found in it, kept of it and put together
of it has sizes that nobody knows before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf

W = tf.constant(np.random.default_rng(1).normal(size=(3, 2)).astype(np.float32))
v = tf.Variable([0.5, -1.0, 2.0])


def rows(x: Any) -> Any:
    """The rows whose first element is positive."""
    return tf.boolean_mask(x, x[:, 0] > 0.0)


def number_of(x: Any) -> Any:
    """A whole number that depends on values: that of the positive elements in the first column."""
    return tf.reduce_sum(tf.cast(x[:, 0] > 0.0, tf.int32))


def dense_layer(x: Any) -> Any:
    return tf.nn.relu(rows(x) @ W) * 2.0 + 1.0


def kept_and_put_back(x: Any) -> Any:
    places = tf.where(x[:, 0] > 0.0)
    return tf.scatter_nd(places, tf.gather_nd(x, places) * v, tf.shape(x, tf.int64))


def normalised(x: Any) -> Any:
    y = rows(x)
    y = y - tf.reduce_mean(y, 0, keepdims=True)
    return y / (1.0 + tf.math.reduce_std(y, 0)) + tf.cast(tf.shape(y)[0], tf.float32)


def broadcast_together(x: Any) -> Any:
    y = rows(x)
    return y[:, None, :] * y[None, :, :] + tf.zeros_like(y)


def reshaped(x: Any) -> Any:
    y = rows(x)
    return tf.reshape(tf.transpose(y), [tf.shape(y)[1], -1, 1]) * tf.ones([1, tf.shape(y)[0], 2])


def sliced(x: Any) -> Any:
    n = number_of(x)
    return tf.concat([x[:n] * 2.0, x[n:]], 0) + tf.reduce_sum(x[n - 1]) + tf.slice(x, [0, 0], [n, 2])[0, 0]


def repeated(x: Any) -> Any:
    counts = tf.cast(x[:, 1] > 0.0, tf.int32) + 1
    return tf.repeat(x, counts, axis=0) * tf.cast(tf.range(tf.reduce_sum(counts)), tf.float32)[:, None]


def partitioned(x: Any) -> Any:
    first, second = tf.dynamic_partition(x, tf.cast(x[:, 0] > 0.0, tf.int32), 2)
    return tf.concat([tf.sin(second), first * first], 0)


def stitched(x: Any) -> Any:
    kind = tf.cast(x[:, 0] > 0.0, tf.int32)
    parts = tf.dynamic_partition(x, kind, 2)
    places = tf.dynamic_partition(tf.range(tf.shape(x)[0]), kind, 2)
    return tf.dynamic_stitch(places, [tf.exp(parts[0]), parts[1] * 3.0])


def distinct(x: Any) -> Any:
    values, index = tf.unique(tf.cast(x[:, 0] * 2.0, tf.int32))
    return tf.math.unsorted_segment_sum(x, index, tf.size(values)) * 2.0


def counted(x: Any) -> Any:
    _, index, count = tf.unique_with_counts(tf.cast(x[:, 0], tf.int32))
    return tf.cast(tf.gather(count, index), tf.float32)[:, None] * x


def largest(x: Any) -> Any:
    values, places = tf.math.top_k(x[:, 0], number_of(x))
    return tf.gather(x, places) * values[:, None]


def filled(x: Any) -> Any:
    n = number_of(x)
    return tf.fill([n, 3], x[0, 0]) + tf.zeros([n, 3]) + tf.ones([n, 1]) * x[:1] + tf.linspace(0.0, 1.0, n)[:, None]


def tiled(x: Any) -> Any:
    n = number_of(x)
    return tf.tile(x[:1], [n, 2]) + tf.pad(x[:1], [[0, n - 1], [0, 3]])


def along_an_axis(x: Any) -> Any:
    axis = tf.cast(x[0, 0] > 100.0, tf.int32)
    return tf.reduce_sum(tf.expand_dims(x, axis), axis) * tf.cumsum(x, axis)


def encoded(x: Any) -> Any:
    n = number_of(x) + 1
    return tf.one_hot(tf.range(tf.shape(x)[0]) % n, n) @ tf.eye(n) * x[:, :1]


def softmax_over_found(x: Any) -> Any:
    return tf.nn.softmax(rows(x), 0) + tf.nn.log_softmax(rows(x))


def sorted_rows(x: Any) -> Any:
    y = rows(x)
    return tf.gather(y, tf.argsort(y[:, 1])) * tf.sort(y, 0) + tf.reverse(y, [0])


def masked_where(x: Any) -> Any:
    y = rows(x)
    return tf.where(y > 0.5, y * y, tf.ones_like(y)) + tf.clip_by_value(y, -1.0, 1.0)


def mapped(x: Any) -> Any:
    return tf.map_fn(lambda row: row * tf.reduce_sum(row), rows(x))


def scanned(x: Any) -> Any:
    return tf.scan(lambda h, row: tf.tanh(h + row), rows(x), tf.zeros([3]))


def folded(x: Any) -> Any:
    return tf.foldl(lambda h, row: h * 0.5 + row, rows(x), tf.zeros([3])) * x


def looped_over(x: Any) -> Any:
    total = tf.zeros([3])
    for row in rows(x):
        total = tf.tanh(total + row * v)
    return total


def collected(x: Any) -> Any:
    y = rows(x)
    array = tf.TensorArray(tf.float32, tf.shape(y)[0])
    for i in tf.range(tf.shape(y)[0]):
        array = array.write(i, y[i] * tf.cast(i, tf.float32))
    return array.stack()


def growing(x: Any) -> Any:
    def longer(i: Any, y: Any) -> Any:
        return i + 1, tf.concat([y * 0.5, x[i : i + 1]], 0)

    shapes = [tf.TensorShape([]), tf.TensorShape([None, 3])]
    return tf.while_loop(lambda i, y: i < number_of(x), longer, [0, x[:1]], shape_invariants=shapes)[1]


def shrinking(x: Any) -> Any:
    def shorter(y: Any) -> Any:
        return [tf.boolean_mask(y, y[:, 0] > tf.reduce_mean(y[:, 0]) - 0.5) * 0.9]

    more = lambda y: tf.shape(y)[0] > 2  # noqa: E731
    return tf.while_loop(more, shorter, [x], shape_invariants=[tf.TensorShape([None, 3])], maximum_iterations=3)[0]


def found_in_a_loop(x: Any) -> Any:
    def turn(i: Any, total: Any) -> Any:
        return i + 1, total + tf.reduce_sum(tf.boolean_mask(x, x[:, 0] > tf.cast(i, tf.float32) * 0.1) ** 2)

    return tf.while_loop(lambda i, total: i < 40, turn, [0, 0.0])[1]


def chosen(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: rows(x) * 2.0, lambda: x * x)


def chosen_sizes(x: Any) -> Any:
    y = rows(x)
    if tf.shape(y)[0] > 2:
        y = y[:2] * 3.0
    return tf.switch_case(tf.shape(y)[0] % 2, [lambda: tf.sin(y), lambda: tf.concat([y, x], 0)])


def of_another_rank(x: Any) -> Any:
    shape = tf.boolean_mask(tf.shape(x), [True, True])
    return tf.reshape(tf.reshape(x, shape) * 2.0, [-1]) * tf.reshape(x, [-1])


def segments(x: Any) -> Any:
    ids = tf.sort(tf.cast(tf.abs(x[:, 0]) * 2.0, tf.int32))
    return tf.math.segment_sum(x, ids) + tf.math.segment_mean(x * x, ids)


def large(x: Any) -> Any:
    y = tf.tile(x, [2000, 1])
    return tf.reduce_sum(tf.tanh(y) * tf.exp(-y), 0) + tf.reduce_sum(tf.tanh(rows(y)) * 2.0 + 1.0, 0)


def inverse(x: Any) -> Any:
    y = rows(x)
    return tf.linalg.inv(tf.transpose(y) @ y + tf.eye(3)) @ tf.linalg.pinv(tf.eye(3)) + tf.norm(y)


def with_inner_tape(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(rows(x) ** 3)
    return tape.gradient(y, x) * x


PROGRAMS = [
    dense_layer, kept_and_put_back, normalised, broadcast_together, reshaped, sliced, repeated, partitioned, stitched,
    distinct, counted, largest, filled, tiled, along_an_axis, encoded, softmax_over_found, sorted_rows, masked_where,
    mapped, scanned, folded, looped_over, collected, growing, shrinking, found_in_a_loop, chosen, chosen_sizes, of_another_rank,
    segments, large, inverse, with_inner_tape,
]  # fmt: skip


def data(seed: int, count: int = 5) -> Any:
    x = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    x[0, 0] = 1.0 + seed * 0.01  # (one row is found in any case)
    return tf.constant(x)


def derivatives(function: Any, x: Any) -> list[Any]:
    """The results, the gradients of a sum of them, and the gradients of these."""
    sources = [x, v]
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            result = function(x)
            loss = tf.reduce_sum(tf.sin(result))
        first = inner.gradient(loss, sources)
        steepness = [tf.reduce_sum(tf.convert_to_tensor(part) ** 2) for part in first if part is not None]
    return [result, *first, *outer.gradient(steepness, sources)]


def agree(found: list[Any], expected: list[Any]) -> None:
    for a, b in zip(found, expected, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            a, b = tf.convert_to_tensor(a), tf.convert_to_tensor(b)
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-4, atol=2e-4)


def interpreted(function: Any) -> list[str]:
    """The ways it has run that are not one compiled program, with the reasons."""
    ways = [way for trace in function.explain().traces for way in trace.ways]
    return [": ".join(way) for way in ways if not way[0].endswith(", compiled")]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_is_compiled_and_equals_eager_code(program: Any) -> None:
    compiled = tf.function(program)
    for seed in range(3):
        agree([compiled(data(seed))], [program(data(seed))])
    assert interpreted(compiled) == []


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_so_are_its_derivatives(program: Any) -> None:
    compiled = tf.function(program)
    for seed in range(2):
        agree(derivatives(compiled, data(seed)), derivatives(program, data(seed)))
    assert interpreted(compiled) == []


@pytest.mark.parametrize("program", [dense_layer, repeated, distinct, growing, chosen], ids=lambda p: p.__name__)
def test_one_program_serves_all_sizes_that_depend_on_values(program: Any, monkeypatch: Any) -> None:
    compiled = tf.function(program)
    derivatives(compiled, data(0))

    def refused(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("lowered again")

    monkeypatch.setattr("gradtape.compile.lowering.Lowering.__init__", refused)
    found = [derivatives(compiled, data(seed)) for seed in range(1, 5)]
    assert len({result[0].shape for result in found}) > 1
    for seed, result in enumerate(found, 1):
        agree(result, derivatives(program, data(seed)))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_unknown_sizes_of_arguments_change_nothing(program: Any) -> None:
    compiled = tf.function(program, input_signature=[tf.TensorSpec([None, 3])])
    for count in (5, 2):
        agree([compiled(data(0, count))], [program(data(0, count))])
    assert interpreted(compiled) == []
    assert compiled.experimental_get_tracing_count() == 1


def test_nothing_is_found() -> None:
    x = -tf.abs(data(0))
    for program in (dense_layer, kept_and_put_back, chosen, partitioned):
        agree(derivatives(tf.function(program), x), derivatives(program, x))


@pytest.mark.parametrize("program", [dense_layer, repeated, growing, collected], ids=lambda p: p.__name__)
def test_a_saved_function_is_compiled_too(program: Any, tmp_path: Any, monkeypatch: Any) -> None:
    module = tf.Module()
    module.v = v
    module.run = tf.function(program, input_signature=[tf.TensorSpec([None, 3])])
    tf.saved_model.save(module, str(tmp_path))
    restored = tf.saved_model.load(str(tmp_path))

    def refused(*args: Any) -> None:
        raise AssertionError("interpreted")

    monkeypatch.setattr("gradtape.compile.executor.interpret", refused)
    monkeypatch.setattr("gradtape.compile.executor.Parts", refused)
    for seed in range(2):
        agree(derivatives(restored.run, data(seed))[:2], derivatives(program, data(seed))[:2])


def test_jacobians_go_through_what_is_found() -> None:
    def jacobian(function: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.jacobian(y, x)

    for program in (dense_layer, normalised, repeated, partitioned):
        compiled = tf.function(program)
        agree([jacobian(compiled, data(1))], [jacobian(program, data(1))])
        assert interpreted(compiled) == []


def test_tangents_go_through_what_is_found() -> None:
    def tangent(function: Any, x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = function(x)
        return accumulator.jvp(y)

    for program in (dense_layer, repeated, partitioned, chosen, mapped):
        compiled = tf.function(program)
        agree([tangent(compiled, data(1))], [tangent(program, data(1))])
        assert interpreted(compiled) == []


ERRORS = [
    lambda x: rows(x) + tf.ones([7, 3]),
    lambda x: rows(x) @ tf.ones([2, 2]),
    lambda x: tf.reshape(rows(x), [2, 2]),
    lambda x: rows(x)[5],
    lambda x: tf.slice(x, [0, 0], [number_of(x) + 9, 1]),
    lambda x: tf.concat([rows(x), tf.ones([1, 4])], 0),
    lambda x: tf.gather(rows(x), 9),
    lambda x: tf.tile(x, [-number_of(x), 1]),
    lambda x: tf.fill([-number_of(x)], 1.0),
    lambda x: tf.range(number_of(x), 0),
    lambda x: tf.repeat(x, [number_of(x), 1], axis=0),
]


@pytest.mark.parametrize("program", ERRORS)
def test_errors_are_those_of_eager_code(program: Any) -> None:
    with pytest.raises(Exception) as eager:  # noqa: PT011
        program(data(0))
    with pytest.raises(eager.type):
        tf.function(program)(data(0))


@pytest.mark.parametrize("count", [5, 50])
def test_elements_of_several_sizes_are_not_stacked(count: int) -> None:
    run = tf.function(lambda x: tf.map_fn(lambda row: tf.boolean_mask(row, row > 0.0), x))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shapes|Shapes"):
        run(data(0, count))


def test_a_jacobian_of_as_many_values_as_there_are():
    @tf.function
    def squares(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.boolean_mask(x, x > 0.0) ** 2
        return tape.jacobian(y, x)

    assert squares(tf.constant([1.0, -1.0, 3.0])).numpy().tolist() == [[2, 0, 0], [0, 0, 6]]
    assert squares(tf.constant([-1.0, 2.0, -1.0])).numpy().tolist() == [[0, 4, 0]]
