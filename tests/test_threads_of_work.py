"""Large arrays are worked on by all cores, with the results of one."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf
from gradtape.base import threads


def test_parts_cover_everything_once():
    for size, smallest, line in ((1000, 10, 64), (7, 1, 1), (64, 64, 64), (0, 10, 64), (1, 100, 1)):
        seen: list[int] = []
        threads.in_parts(lambda start, stop, seen=seen: seen.extend(range(start, stop)), size, smallest, line)
        assert sorted(seen) == list(range(size))


def test_errors_in_a_part_arrive():
    def work(start: int, stop: int) -> None:
        if stop == 1000:
            raise KeyError("part")

    with pytest.raises(KeyError):
        threads.in_parts(work, 1000, 1, 1)


@pytest.mark.parametrize(
    "function",
    [
        tf.nn.softmax,
        lambda x: tf.nn.softmax(x, axis=0),
        tf.nn.gelu,
        tf.nn.relu,
        lambda x: tf.nn.max_pool2d(tf.reshape(x, [20, 50, 60, 8]), 2, 2, "SAME"),
    ],
)
def test_large_arrays_have_the_results_of_their_parts(function, monkeypatch):
    x = tf.constant(np.random.default_rng(0).normal(size=(1000, 480)).astype(np.float32))

    def value_and_gradient():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y.numpy(), tf.convert_to_tensor(tape.gradient(y, x)).numpy()

    shared = value_and_gradient()
    monkeypatch.setattr(threads, "cores", lambda: 1)
    for a, b in zip(shared, value_and_gradient(), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("where", [0, -1], ids=["first part", "last part"])
def test_errstate_holds_in_every_part(where, monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 2)
    x = np.full(400_000, 1.5)
    x[where] = 0.5  # acosh is not defined there
    with np.errstate(invalid="raise"), pytest.raises(tf.errors.InvalidArgumentError, match="invalid value"):
        tf.acosh(tf.constant(x))
    with np.errstate(invalid="ignore"):
        assert np.isnan(tf.acosh(tf.constant(x))[where])
