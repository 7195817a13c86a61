"""Random straight-line programs: eager code and functions agree, with known and with unknown sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf

W = tf.constant(np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32) * 0.5)

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
]
program = st.lists(
    st.tuples(st.integers(0, len(OPS) - 1), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=15
)


def of(choices: Any) -> Any:
    def run(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            values = [x, y]
            for op, left, right in choices:
                values.append(OPS[op](values[left % len(values)], values[right % len(values)]))
            loss = tf.reduce_sum(tf.tanh(values[-1]))
        return values[-1], tape.gradient(loss, [x, y], unconnected_gradients="zero")

    return run


def inputs(rows: int) -> list[Any]:
    rng = np.random.default_rng(rows)
    return [tf.constant(rng.normal(size=(rows, 3)).astype(np.float32)) for _ in range(2)]


def agree(got: Any, expected: Any) -> None:
    for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(expected), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-5, atol=2e-5)


@settings(max_examples=40, deadline=None)
@given(program)
def test_known_sizes(choices):
    run = of(choices)
    agree(tf.function(run, autograph=False)(*inputs(4)), run(*inputs(4)))


@settings(max_examples=25, deadline=None)
@given(program)
def test_unknown_sizes(choices):
    run = of(choices)
    spec = tf.TensorSpec([None, 3], tf.float32)
    traced = tf.function(run, autograph=False, input_signature=[spec, spec])
    for rows in (4, 1, 9):
        agree(traced(*inputs(rows)), run(*inputs(rows)))
    assert traced.experimental_get_tracing_count() == 1
