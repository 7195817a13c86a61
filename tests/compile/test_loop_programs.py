"""Random programs with loops and branches: compiled they give what eager code gives, with gradients of both orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradtape as tf

W = tf.constant(np.random.default_rng(3).normal(size=(3, 3)) * 0.4)

# A program is a list of statements on a vector `y`; `x` is the vector that it begins with.
OPS = {
    "sin": lambda x, y: tf.sin(y),
    "tanh": lambda x, y: tf.tanh(y + x),
    "times": lambda x, y: y * x,
    "matvec": lambda x, y: tf.linalg.matvec(W, y),
    "roll": lambda x, y: tf.roll(y, 1, 0) - 0.5 * y,
    "mean": lambda x, y: y - tf.reduce_mean(y) + x[0],
    "row": lambda x, y: tf.stack([y[1], y[0] * y[2], x[1]]),
    "softplus": lambda x, y: tf.math.softplus(y),
    "constant": lambda x, y: tf.ones_like(y),
    "stop": lambda x, y: tf.stop_gradient(y) * 0.5 + x,
}


def run(statements: list[Any], x: Any, y: Any) -> Any:
    for kind, *rest in statements:
        y = RUN[kind](x, y, *rest) if kind in RUN else OPS[kind](x, y)
    return y


def run_branch(x, y, first, second):
    return tf.cond(tf.reduce_sum(y) > 0.1, lambda: run(first, x, y), lambda: run(second, x, y))


def run_switch(x, y, bodies):
    place = tf.cast(tf.floor(tf.abs(y[0]) * 3.0), tf.int32)
    return tf.switch_case(place, [lambda body=body: run(body, x, y) for body in bodies])


def run_counted(x, y, rounds, body):
    return tf.while_loop(lambda i, y: i < rounds, lambda i, y: (i + 1, run(body, x, y)), [0, y])[1]


def run_until(x, y, limit, body):
    """As many rounds as values say, and not more than `limit`."""
    return tf.while_loop(
        lambda y: tf.reduce_sum(tf.abs(y)) < 3.0, lambda y: (run(body, x, y) + 0.3,), [y], maximum_iterations=limit
    )[0]


def run_scan(x, y, rounds, reverse, body):
    elements = tf.stack([y * (k + 1) / rounds for k in range(3)] * (rounds // 3))
    found = tf.scan(lambda a, e: run(body, x, a) + e, elements, initializer=y * 0.5, reverse=reverse)
    return tf.reduce_mean(found, 0)


def run_map(x, y, rounds, body):
    elements = tf.stack([y + k / rounds for k in range(rounds)])
    return tf.reduce_mean(tf.map_fn(lambda e: run(body, x, e), elements), 0)


def run_array(x, y, rounds, body):
    def turn(i, y, rows):
        y = run(body, x, y)
        return i + 1, y, rows.write(rounds - 1 - i, y)

    rows = tf.TensorArray(tf.float64, size=rounds)
    return tf.reduce_mean(tf.while_loop(lambda i, y, rows: i < rounds, turn, [0, y, rows])[2].stack(), 0)


RUN = {
    "branch": run_branch,
    "switch": run_switch,
    "counted": run_counted,
    "until": run_until,
    "scan": run_scan,
    "map": run_map,
    "array": run_array,
}


def statements(depth: int) -> Any:
    plain = st.sampled_from(sorted(OPS)).map(lambda name: (name,))
    if not depth:
        return st.lists(plain, min_size=1, max_size=2)
    inner = statements(depth - 1)
    short, many = (
        st.integers(0, 3),
        st.sampled_from([3, 36] if depth > 1 else [3]),
    )  # (more than 32 are not written out)
    nested = st.one_of(
        st.tuples(st.just("branch"), inner, inner),
        st.tuples(st.just("switch"), st.lists(inner, min_size=2, max_size=3)),
        st.tuples(st.just("counted"), short, inner),
        st.tuples(st.just("until"), short, inner),
        st.tuples(st.just("scan"), many, st.booleans(), inner),
        st.tuples(st.just("map"), many, inner),
        st.tuples(st.just("array"), st.integers(1, 3), inner),
    )
    return st.lists(st.one_of(plain, nested), min_size=1, max_size=2)


def questions(program: Any) -> dict[str, Any]:
    def value(x):
        return run(program, x, x * 0.7)

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(value(x) ** 2)
        return tape.gradient(y, x, unconnected_gradients="zero")

    def second(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(gradient(x) ** 2)
        return tape.gradient(y, x, unconnected_gradients="zero")

    def jacobian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = value(x)
        return tape.jacobian(y, x, unconnected_gradients="zero")

    def forward(x):
        with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
            y = value(x)
        return accumulator.jvp(y, unconnected_gradients="zero")

    return {"value": value, "gradient": gradient, "second": second, "jacobian": jacobian, "forward": forward}


def check(program: Any, numbers: list[float]) -> None:
    x = tf.constant(numbers, tf.float64)
    for name, question in questions(program).items():
        expected = question(x)
        if not np.all(np.isfinite(expected)) or np.max(np.abs(expected)) > 1e8:
            return
        found = tf.function(question, autograph=False)(x)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7, err_msg=f"{name} of {program}")


NUMBERS = st.lists(st.floats(-1.5, 1.5).map(lambda v: round(v, 3)), min_size=3, max_size=3)
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=10, deadline=None, suppress_health_check=QUIET)
@given(statements(2), NUMBERS)
def test_a_random_program_gives_compiled_what_it_gives_eagerly(program, numbers):
    check(program, numbers)


@pytest.mark.full
@settings(max_examples=5000, deadline=None, suppress_health_check=QUIET)
@given(statements(2), NUMBERS)
def test_many_random_programs_give_compiled_what_they_give_eagerly(program, numbers):
    check(program, numbers)
