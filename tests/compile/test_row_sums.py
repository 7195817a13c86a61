"""The gradient of an array that a loop reads at positions: rows are added in place, one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compile.test_sequences import loops_of

import gradtape as tf
from gradtape.native import thresholds

RNG = np.random.default_rng(0)


@pytest.fixture(params=["native", "lines"])
def both_ways(request, monkeypatch):
    """As machine code with the first call, and as Python lines."""
    monkeypatch.setattr(thresholds, "WARMING_CALLS", 0 if request.param == "native" else 1 << 30)


def numbers(*shape):
    return tf.constant(RNG.normal(size=shape).astype(np.float32))


def at_the_counter(x):
    total = tf.constant(0.0)
    for i in tf.range(40):
        total = total * 0.9 + tf.sin(tf.reduce_sum(x[i + 1]))
    return total


def several_reads_of_one_row(x):
    total = tf.constant(0.0)
    for i in tf.range(40):
        total = total * 0.9 + tf.reduce_sum(tf.sin(x[i]) * x[i] + tf.cos(x[i + 1]))
    return total


def from_the_end(x):
    total = tf.constant(0.0)
    for i in tf.range(40):
        total = total * 0.9 + tf.reduce_sum(x[-i - 1] * x[i])
    return total


def repeated_positions(x):
    total = tf.constant(0.0)
    for i in tf.range(40):
        total = total * 0.9 + tf.reduce_sum(tf.gather(x, i % 3)) * tf.reduce_sum(x[i // 4])
    return total


def part_of_a_row(x):
    total = tf.constant(0.0)
    for i in tf.range(40):
        total = total * 0.9 + tf.sin(x[i + 1, 2]) * x[i, 0]
    return total


def read_as_a_whole_too(x):
    total = tf.constant(0.0)
    for i in tf.range(40):
        total = total * 0.9 + tf.reduce_sum(x[i + 1]) * tf.reduce_mean(x)
    return total


def in_a_loop_inside(x):
    total = tf.constant(0.0)
    for i in tf.range(34):
        for j in tf.range(35):
            total = total * 0.99 + tf.reduce_sum(tf.sin(x[(i + j) % 50]) * x[i])
    return total


def of_unknown_length(x):
    total, i = tf.constant(0.0), tf.constant(0)
    while total < 3.0 and i < 48:
        total = total + tf.reduce_sum(x[i + 1] ** 2) * 0.1
        i += 1
    return total


PROGRAMS = [
    at_the_counter, several_reads_of_one_row, from_the_end, repeated_positions, part_of_a_row, read_as_a_whole_too,
    in_a_loop_inside, of_unknown_length,
]  # fmt: skip


def gradient(function):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return run


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_are_those_of_eager_code(function):
    x = numbers(50, 3)
    np.testing.assert_allclose(tf.function(gradient(function))(x), gradient(function)(x), rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("function", [at_the_counter, several_reads_of_one_row, from_the_end, repeated_positions])
def test_second_derivatives_are_those_of_eager_code(function):
    x = numbers(50, 3)

    def second(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            slope = tf.reduce_sum(gradient(function)(x) ** 2)
        return tape.gradient(slope, x)

    np.testing.assert_allclose(tf.function(second)(x), second(x), rtol=1e-3, atol=1e-4)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("function", [several_reads_of_one_row, repeated_positions])
def test_rows_of_arrays_above_the_size_that_is_copied(function):
    x = numbers(50, thresholds.ROW_CHANGE_BYTES // 4)
    np.testing.assert_allclose(tf.function(gradient(function))(x), gradient(function)(x), rtol=1e-4, atol=1e-5)


def test_no_round_makes_an_array_of_all_rows():
    *_, backward = loops_of(gradient(several_reads_of_one_row), numbers(50, 3))
    names = [node.what.name for node in backward.body.nodes]
    assert names.count("add_row") == 3
    assert "put" not in names
