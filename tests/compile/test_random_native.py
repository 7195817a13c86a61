"""Random small programs have the same bits as Python lines, as native groups and as one native function; eager code agrees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.compile.test_native_programs import program_of, same_bits

import gradtape as tf
from gradtape.compile.codegen import python_of
from gradtape.compile.whole.group import whole_function
from gradtape.native import abi, engine

pytestmark = pytest.mark.skipif(
    not (engine.available() and abi.calls_inner_loops() and abi.makes_functions()), reason="there is no machine code"
)

M = tf.constant(np.random.default_rng(1).normal(size=(4, 4)) * 0.3 + np.eye(4))

# Each is a function of the argument, of the vector so far (both of 4 numbers) and of a whole number; it gives such a vector.
OPS = {
    "add": lambda x, y, k: x + y * 0.5,
    "divide": lambda x, y, k: y / (1.0 + x * x),
    "power": lambda x, y, k: tf.abs(y) ** 1.5 - y**2,
    "waves": lambda x, y, k: tf.sin(y) + tf.exp(-y * y),
    "where": lambda x, y, k: tf.where(y > x, y, -0.5 * x),
    "minimum": lambda x, y, k: tf.minimum(tf.maximum(x, y), float(k)),
    "matvec": lambda x, y, k: tf.linalg.matvec(M, y),
    "outer": lambda x, y, k: tf.reduce_sum(x[:, None] * y[None] * 0.3, k % 2),
    "mean": lambda x, y, k: y - tf.reduce_mean(y * x),
    "roll": lambda x, y, k: tf.roll(y, k, 0),
    "slices": lambda x, y, k: tf.concat([y[k % 3 :], x[: k % 3]], 0),
    "reverse": lambda x, y, k: tf.reverse(y, [0]) - x,
    "pad": lambda x, y, k: tf.pad(y, [[k % 4, 0]], constant_values=0.25)[:4],
    "gather": lambda x, y, k: tf.gather(y, tf.argsort(x)),
    "place": lambda x, y, k: tf.gather(y, tf.cast(tf.abs(x), tf.int32) % 4),
    "scatter": lambda x, y, k: tf.tensor_scatter_nd_add(x, [[k % 4], [1], [1]], y[:3]),
    "update": lambda x, y, k: tf.tensor_scatter_nd_update(x, [[k % 4]], y[:1]),
    "segments": lambda x, y, k: tf.math.unsorted_segment_sum(y, [0, k % 4, -1, 3], 4),
    "cumsum": lambda x, y, k: tf.cumsum(y, reverse=bool(k % 2)) * 0.3,
    "sort": lambda x, y, k: tf.sort(y) + x,
    "top": lambda x, y, k: tf.tile(tf.math.top_k(y, 2).values, [2]),
    "extreme": lambda x, y, k: y * tf.cast(tf.argmax(x), tf.float64),
    "softmax": lambda x, y, k: tf.nn.softmax(y) - tf.nn.log_softmax(x) * 0.1,
    "norm": lambda x, y, k: y / tf.norm(x + 2.0),
    "variance": lambda x, y, k: y * tf.math.reduce_variance(x),
    "clip": lambda x, y, k: tf.clip_by_value(y, -0.5 * k, 0.75),
    "einsum": lambda x, y, k: tf.einsum("i,ij,j->j", x, M, y) * 0.1,
    "solve": lambda x, y, k: tf.linalg.solve(M, y[:, None])[:, 0],
    "determinant": lambda x, y, k: y * tf.linalg.det(M + tf.linalg.diag(x * x)),
    "diagonal": lambda x, y, k: tf.reduce_sum(tf.linalg.qr(M + tf.linalg.diag(x * x))[1], 0) * 0.1 + y,
    "whole": lambda x, y, k: y + tf.cast(tf.cast(x * 3.0, tf.int64) // (k + 1), tf.float64),
    "rounded": lambda x, y, k: tf.round(y * 4.0) / 4.0 + x,
    "stop": lambda x, y, k: tf.stop_gradient(y) * x,
}


def run(statements: Any, x: Any, y: Any) -> Any:
    for kind, *rest in statements:
        y = CONTROL[kind](x, y, *rest) if kind in CONTROL else OPS[kind](x, y, *rest)
    return y


def branch(x, y, k, first, second):
    return tf.cond(tf.reduce_sum(y) > 0.1 * k, lambda: run(first, x, y), lambda: run(second, x, y))


def counted(x, y, k, body, _):
    return tf.while_loop(lambda i, y: i < 33 + k, lambda i, y: (i + 1, tf.tanh(run(body, x, y))), [0, y])[1]


def until(x, y, k, body, _):
    rounds = tf.while_loop(
        lambda y: tf.reduce_sum(tf.abs(y)) < 3.0, lambda y: (tf.tanh(run(body, x, y)) + 0.3,), [y], maximum_iterations=k
    )
    return rounds[0]


def scanned(x, y, k, body, _):
    elements = tf.stack([y * (j + 1) / 36 for j in range(3)] * 12)
    return tf.reduce_mean(tf.scan(lambda a, e: tf.tanh(run(body, x, a)) + e, elements, initializer=y * 0.5), 0)


CONTROL = {"branch": branch, "counted": counted, "until": until, "scanned": scanned}


def statements(depth: int) -> Any:
    number = st.integers(0, 5)
    plain = st.tuples(st.sampled_from(sorted(OPS)), number)
    if not depth:
        return st.lists(plain, min_size=1, max_size=3)
    inner = statements(depth - 1)
    nested = st.tuples(st.sampled_from(sorted(CONTROL)), number, inner, inner)
    return st.lists(st.one_of(plain, plain, nested), min_size=1, max_size=4)


def check(program: Any, numbers: list[float]) -> None:
    def value(x):
        return run(program, x, x * 0.7)

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = value(x)
        return [y, tape.gradient(y, x, unconnected_gradients="zero")]

    x = tf.constant(numbers, tf.float64)
    for question in (value, gradient):
        expected = question(x)
        written = program_of(question, x)
        given = [x._array]
        lines = python_of(written)(*given)
        groups = python_of(written, whole=True)(*given)
        for found, one in zip(groups, lines, strict=True):
            same_bits(found, one)
        whole = whole_function(written, list(written.outputs))
        if whole is not None:
            as_lines = [tf.constant(one) for one in lines]  # for values that it leaves to them, such as -0 in a sort
            native = whole.function(lambda *_, kept=as_lines: kept)
            for found, one in zip(native(*given), lines, strict=True):
                same_bits(found.numpy(), one)
        flat = [expected] if isinstance(expected, tf.Tensor) else expected
        if all(np.all(np.isfinite(part)) and np.max(np.abs(part)) < 1e8 for part in flat):
            for found, one in zip(lines, flat, strict=True):
                np.testing.assert_allclose(found, one, rtol=1e-7, atol=1e-7, err_msg=str(program))


NUMBERS = st.lists(st.floats(-1.5, 1.5).map(lambda v: round(v, 3)), min_size=4, max_size=4)
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=QUIET)  # (the full level draws others)
@given(statements(2), NUMBERS)
def test_a_random_program_has_the_same_bits_in_every_form(program, numbers):
    check(program, numbers)


@pytest.mark.full
@settings(max_examples=5000, deadline=None, suppress_health_check=QUIET)
@given(statements(2), NUMBERS)
def test_many_random_programs_have_the_same_bits_in_every_form(program, numbers):
    check(program, numbers)


@pytest.mark.parametrize("name", sorted(OPS))
def test_each_op_in_a_loop_with_its_gradient(name):
    check([("counted", 2, [(name, 3)], [])], [0.3, -1.2, 0.9, 0.35])
