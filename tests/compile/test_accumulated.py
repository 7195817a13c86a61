"""Products that a loop only adds up, as gradients of weights, are left to other threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import background

pytestmark = pytest.mark.usefixtures("two_threads")


@pytest.fixture
def added(monkeypatch):
    """The shapes of the products that are added to sums."""
    made: list[Any] = []
    add = background.Total.add_product

    def noted(self: Any, a: Any, b: Any, **settings: Any) -> None:
        made.append((a.shape, b.shape))
        add(self, a, b, **settings)

    monkeypatch.setattr(background.Total, "add_product", noted)
    return made


def array(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Any:
    return tf.constant(np.random.default_rng(seed).normal(size=shape) * 0.1, dtype)


def recurrent(x, state, w, u, rounds=6):
    """The gradient of two weights, through a loop."""
    with tf.GradientTape() as tape:
        tape.watch([w, u])
        for _ in tf.range(rounds):
            state = tf.tanh(x @ w + state @ u)
        loss = tf.reduce_mean(tf.square(state))
    return tape.gradient(loss, [w, u])


def eagerly(function: Any, *args: Any) -> Any:
    tf.config.run_functions_eagerly(True)
    try:
        return tf.function(function)(*args)
    finally:
        tf.config.run_functions_eagerly(False)


def operands(batch: int, units: int, dtype: Any) -> list[Any]:
    shapes = [(batch, 40), (batch, units), (40, units), (units, units)]
    return [array(*shape, dtype=dtype, seed=seed) for seed, shape in enumerate(shapes)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("batch", "units"), [(150, 130), (257, 65), (33, 600)])
def test_gradients_of_weights_in_a_loop(added, batch, units, dtype):
    given = operands(batch, units, dtype)
    expected = eagerly(recurrent, *given)
    compiled = tf.function(recurrent)
    for _ in range(3):
        for found, known in zip(compiled(*given), expected, strict=True):
            np.testing.assert_allclose(found, known, 2e-4, 1e-7)
    assert len(added) == 3 * 2 * 6  # calls, weights, rounds


def test_a_loop_without_rounds_gives_what_it_began_with(added):
    given = operands(150, 130, np.float32)

    @tf.function
    def run(rounds, x, state, w, u):
        return recurrent(x, state, w, u, rounds)

    for gradient in run(tf.constant(0), *given):
        assert not np.any(gradient)
    assert not added
    expected = eagerly(recurrent, *given)
    for found, known in zip(run(tf.constant(6), *given), expected, strict=True):
        np.testing.assert_allclose(found, known, 2e-4, 1e-7)


def test_the_same_bits_in_each_call(added):
    """Other threads take what is free, in any order; sums are added up in that of the rounds."""
    given = operands(150, 130, np.float32)
    compiled = tf.function(recurrent)
    first = [gradient.numpy() for gradient in compiled(*given)]
    for _ in range(30):
        for found, known in zip(compiled(*given), first, strict=True):
            np.testing.assert_array_equal(found, known)


def test_small_arrays_have_the_bits_of_their_native_form(added):
    """Products of 70 x 70 are large enough to be posted; as a native function the loop does not post."""
    given = [array(70, 70, seed=seed) for seed in range(4)]

    def small(x, state, w, u):
        return recurrent(x, state, w, u)

    compiled = tf.function(small)
    first = [gradient.numpy() for gradient in compiled(*given)]
    for _ in range(40):  # the first calls are Python lines
        for found, known in zip(compiled(*given), first, strict=True):
            np.testing.assert_array_equal(found, known)
    assert not added


def test_a_sum_that_a_round_looks_at_is_no_such_sum(added):
    given = [array(150, 150, seed=seed) for seed in range(2)]

    def run(a, b):
        total, seen = tf.zeros([150, 150]), 0.0
        for _ in tf.range(5):
            total = total + a @ b
            seen = seen + total[0, 0]
            a = a * 0.5
        return total, seen

    for found, known in zip(tf.function(run)(*given), eagerly(run, *given), strict=True):
        np.testing.assert_allclose(found, known, 1e-4, 1e-5)
    assert not added


def test_a_sum_that_begins_with_something_and_operands_that_change(added):
    """What a product reads is not written over by the rounds that come after it."""
    given = [array(150, 150, seed=seed) for seed in range(3)]

    def run(a, b, total):
        for _ in tf.range(40):
            x = tf.sin(a) * 1.5
            total = tf.matmul(x, b, transpose_a=True) + total
            a = tf.exp(-x * x) + a * 0.5
            b = b * 0.9 + 0.01
        return total, a

    compiled = tf.function(run)
    expected = eagerly(run, *given)
    for _ in range(5):
        for found, known in zip(compiled(*given), expected, strict=True):
            np.testing.assert_allclose(found, known, 1e-4, 1e-3)
    assert len(added) == 5 * 40
    np.testing.assert_array_equal(given[2], array(150, 150, seed=2))  # the argument is left alone


def test_loops_inside_of_loops(added):
    given = operands(150, 130, np.float32)

    def run(x, state, w, u):
        with tf.GradientTape() as tape:
            tape.watch([w, u])
            for _ in tf.range(3):
                for _ in tf.range(2):
                    state = tf.tanh(x @ w + state @ u)
            loss = tf.reduce_mean(tf.square(state))
        return tape.gradient(loss, [w, u])

    for found, known in zip(tf.function(run)(*given), eagerly(run, *given), strict=True):
        np.testing.assert_allclose(found, known, 2e-4, 1e-7)
    assert added


def test_variables_that_the_loop_changes(added):
    w = tf.Variable(array(150, 150))
    a = array(150, 150, seed=1)

    def run(a):
        w.assign(array(150, 150))
        total = tf.zeros([150, 150])
        for _ in tf.range(4):
            total = total + tf.matmul(a, w)
            w.assign(w * 0.5 + 0.1)
        return total

    np.testing.assert_allclose(tf.function(run)(a), eagerly(run, a), 1e-4, 1e-5)


def test_an_error_in_a_round_leaves_nothing_behind(added):
    a = array(150, 150)

    @tf.function
    def run(a, last):
        total = tf.zeros([150, 150])
        for i in tf.range(6):
            tf.debugging.assert_less(i, last)
            total = total + a @ (a * 2.0)
        return total

    with pytest.raises(tf.errors.InvalidArgumentError):
        run(a, tf.constant(3))
    np.testing.assert_allclose(run(a, tf.constant(9)), 12 * (a.numpy() @ a.numpy()), 1e-4, 1e-4)


def test_two_products_of_a_round_are_computed_beside_each_other(totals):
    given = operands(150, 130, np.float32)

    def run(x, state, w, u):
        for _ in tf.range(5):
            state = tf.tanh(x @ w + state @ u)
        return state

    expected = eagerly(run, *given)
    del totals[:]
    compiled = tf.function(run)
    for _ in range(4):
        np.testing.assert_allclose(compiled(*given), expected, 2e-4, 1e-6)
    assert len(totals) == 4 * 5
