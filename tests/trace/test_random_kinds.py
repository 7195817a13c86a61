"""Random programs on text, truth values, ragged and sparse tensors, which return values twice: eager code and functions agree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradtape as tf

W = tf.constant(np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32) * 0.5)


@dataclass(frozen=True)
class State:
    """The values of a program: n rows of each kind."""

    x: Any  # float32 [n, 3]
    text: Any  # [n]
    flags: Any  # bool [n]
    rows: Any  # ragged float32 [n, None]
    places: Any  # sparse float32 [n, 3]


def numbers_of_flags(flags: Any) -> Any:
    return tf.cast(flags, tf.float32)[:, None]


def joined_in_a_loop(s: State) -> State:
    """A loop that carries text, and collects it."""
    count = tf.shape(s.text)[0]
    array = tf.TensorArray(tf.string, count)

    def turn(i: Any, last: Any, array: Any) -> Any:
        last = tf.strings.substr(s.text[i] + last, 0, 4)
        return i + 1, last, array.write(i, last)

    found = tf.while_loop(lambda i, last, array: i < count, turn, (0, tf.constant(""), array))
    return replace(s, text=found[2].stack())


def counted_in_a_loop(s: State) -> State:
    """A loop over truth values, longer than one that is written out."""
    flags = tf.tile(s.flags, [40])
    found = tf.foldl(lambda count, flag: tf.where(flag, count + 1.0, count * 0.5), flags, initializer=0.0)
    return replace(s, x=s.x + found * 0.01)


def chosen(s: State) -> State:
    """Branches that give several kinds."""
    text, x = tf.cond(
        tf.reduce_any(s.flags),
        lambda: (tf.strings.upper(s.text), s.x * 2.0),
        lambda: (tf.strings.join([s.text, "!"]), tf.sin(s.x)),
    )
    return replace(s, text=text, x=x)


def filtered_and_put_back(s: State) -> State:
    places = tf.where(s.flags)
    kept = tf.boolean_mask(s.x, s.flags)
    return replace(s, x=s.x + tf.scatter_nd(places, tf.tanh(kept), tf.shape(s.x, tf.int64)))


def twice(s: State) -> State:
    """A function that returns one value several times, and an argument."""
    first, second, third, rows, again = tf.function(
        lambda x, rows: (lambda y: (y, y, x, rows, rows))(tf.tanh(x)), autograph=False
    )(s.x, s.rows)
    return replace(s, x=first + second * third, rows=rows + again * 0.5)


OPS: list[Any] = [
    lambda s: replace(s, text=s.text + tf.strings.as_string(tf.range(tf.shape(s.text)[0]))),
    lambda s: replace(s, text=tf.strings.lower(tf.gather(s.text, tf.range(tf.shape(s.text)[0])[::-1]))),
    lambda s: replace(s, text=tf.map_fn(lambda text: tf.strings.join([text, "x"]), s.text)),
    lambda s: replace(s, text=tf.scan(lambda a, b: tf.strings.substr(a + b, 0, 5), s.text)),
    lambda s: replace(s, text=tf.where(s.flags, s.text, "no")),
    lambda s: replace(s, x=s.x * tf.cast(tf.strings.length(s.text), tf.float32)[:, None] * 0.2),
    lambda s: replace(s, flags=tf.equal(tf.strings.substr(s.text, 0, 1), "a")),
    joined_in_a_loop,
    lambda s: replace(s, flags=tf.logical_not(s.flags)),
    lambda s: replace(s, flags=s.flags | (s.x[:, 0] > 0.0)),
    lambda s: replace(s, flags=tf.map_fn(lambda row: tf.reduce_any(row > 0.3), s.x, fn_output_signature=tf.bool)),
    lambda s: replace(s, flags=tf.scan(tf.math.logical_xor, s.flags)),
    lambda s: replace(s, x=tf.where(s.flags[:, None], s.x, 0.5 * tf.sin(s.x))),
    counted_in_a_loop,
    chosen,
    filtered_and_put_back,
    twice,
    lambda s: replace(s, rows=tf.RaggedTensor.from_tensor(tf.tanh(s.x))),
    lambda s: replace(s, rows=tf.ragged.boolean_mask(s.x, s.x > 0.0)),
    lambda s: replace(s, rows=tf.concat([s.rows, s.rows * 0.5], 1)[:, :4]),
    lambda s: replace(s, rows=s.rows.with_values(tf.sin(s.rows.values))),
    lambda s: replace(s, rows=tf.gather(s.rows, tf.range(tf.shape(s.x)[0])[::-1])),
    lambda s: replace(s, x=s.x + tf.reduce_sum(s.rows, 1)[:, None] * 0.1),
    lambda s: replace(s, x=s.x * tf.cast(s.rows.row_lengths(), tf.float32)[:, None] * 0.3),
    lambda s: replace(s, x=s.x + tf.reduce_sum(s.rows.to_tensor(), 1, keepdims=True) * 0.1),
    lambda s: replace(s, places=tf.sparse.from_dense(tf.nn.relu(s.x))),
    lambda s: replace(s, places=tf.sparse.add(s.places, s.places)),
    lambda s: replace(s, places=tf.sparse.map_values(tf.tanh, s.places)),
    lambda s: replace(s, places=s.places * s.x),
    lambda s: replace(s, places=tf.sparse.transpose(tf.sparse.transpose(s.places))),
    lambda s: replace(s, places=tf.sparse.retain(s.places, s.places.values > 0.1)),
    lambda s: replace(s, x=s.x + tf.sparse.to_dense(s.places) * 0.2),
    lambda s: replace(s, x=s.x * 0.5 + tf.sparse.sparse_dense_matmul(s.places, W)),
    lambda s: replace(s, x=s.x + tf.sparse.reduce_sum(s.places, 1, keepdims=True) * 0.1),
    lambda s: replace(s, x=tf.sparse.add(s.places, s.x)),
]

programs = st.lists(st.integers(0, len(OPS) - 1), min_size=1, max_size=7)


def of(program: list[int]) -> Any:
    """A function of the numbers and texts of a state: what a program gives, some of it twice, and its gradient."""

    def run(x: Any, text: Any, flags: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            s = State(x, text, flags, tf.RaggedTensor.from_tensor(x * 0.5), tf.sparse.from_dense(tf.nn.relu(x)))
            for number in program:
                s = OPS[number](s)
            loss = tf.reduce_sum(tf.tanh(s.x)) + tf.reduce_sum(s.rows.values) + tf.reduce_sum(s.places.values)
        slope = tape.gradient(loss, x)
        return (
            s.x,
            [s.x, slope],
            s.text,
            s.flags,
            s.rows,
            s.places,
            s.rows,
            s.places,
            x,
            {"again": s.text, "slope": slope},
        )

    return run


def inputs(count: int) -> list[Any]:
    rng = np.random.default_rng(count)
    words = ["ab", "B", "a", "cde", "", "aX"]
    return [
        tf.constant(rng.normal(size=(count, 3)).astype(np.float32)),
        tf.constant([words[number % len(words)] for number in range(count)]),
        tf.constant(rng.normal(size=count) > 0.0),
    ]


def agree(got: Any, expected: Any) -> None:
    for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(expected), strict=True):
        assert type(a) is type(b)
        for part, other in zip(tf.nest.flatten(a, True), tf.nest.flatten(b, True), strict=True):
            assert (part.dtype, part.shape) == (other.dtype, other.shape)
            if part.dtype.is_floating:
                np.testing.assert_allclose(part.numpy(), other.numpy(), rtol=2e-4, atol=2e-5)
            else:
                np.testing.assert_array_equal(part.numpy(), other.numpy())


def followed(run: Any, given: list[Any]) -> Any:
    """The results, and the gradient of each of them that has numbers, with a tape outside."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(given[0])
        results = run(*given)
    numbers = [part for part in tf.nest.flatten(results, expand_composites=True) if part.dtype.is_floating]
    slopes = [tape.gradient(part, given[0], unconnected_gradients="zero") for part in numbers]
    return results, slopes


def check(program: list[int]) -> None:
    """Eager = known sizes = an unknown number of rows = unknown sizes, under a tape too; each signature is traced once."""
    run = of(program)
    agree(followed(tf.function(run, autograph=False), inputs(4)), followed(run, inputs(4)))
    for shape in ([None, 3], [None, None]):
        specs = [tf.TensorSpec(shape), tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.bool)]
        traced = tf.function(run, autograph=False, input_signature=specs)
        for count in (4, 1):
            agree(traced(*inputs(count)), run(*inputs(count)))
        agree(followed(traced, inputs(4)), followed(run, inputs(4)))
        assert traced.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("op", range(len(OPS)))
def test_each_op(op: int) -> None:
    check([op])


@settings(max_examples=8, deadline=None)
@given(programs)
def test_some_programs(program: list[int]) -> None:
    check(program)


@pytest.mark.full
@settings(max_examples=5000, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs)
def test_many_programs(program: list[int]) -> None:
    check(program)
