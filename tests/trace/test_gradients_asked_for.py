"""A compiled function under a tape computes the gradients that the tape asks for, and no others."""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf
from gradtape.compile import recorded


@pytest.fixture
def backward(monkeypatch):
    """The instructions of the backward programs that are made, by name."""
    made: list[list[str]] = []
    original = recorded._Backward.__init__

    def noted(self, program, form):
        made.append([node.what.name for node in program.nodes])
        original(self, program, form)

    monkeypatch.setattr(recorded._Backward, "__init__", noted)
    return made


@tf.function
def loss(images, weights):
    return tf.reduce_sum(tf.square(images @ weights))


IMAGES, WEIGHTS = tf.constant(np.arange(12.0).reshape(4, 3)), tf.constant(np.arange(6.0).reshape(3, 2))


def test_a_batch_that_nobody_watches_has_no_cotangent(backward):
    with tf.GradientTape() as tape:
        tape.watch(WEIGHTS)
        y = loss(IMAGES, WEIGHTS)
    np.testing.assert_allclose(tape.gradient(y, WEIGHTS), 2 * tf.transpose(IMAGES) @ (IMAGES @ WEIGHTS))
    assert [names.count("matmul") for names in backward] == [1]


def test_each_tape_gets_what_it_asks_for(backward):
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        outer.watch([IMAGES, WEIGHTS])
        inner.watch(IMAGES)
        y = loss(IMAGES, WEIGHTS)
    by_images = 2 * (IMAGES @ WEIGHTS) @ tf.transpose(WEIGHTS)
    np.testing.assert_allclose(inner.gradient(y, IMAGES), by_images)
    both = outer.gradient(y, [IMAGES, WEIGHTS])
    np.testing.assert_allclose(both[0], by_images)
    np.testing.assert_allclose(both[1], 2 * tf.transpose(IMAGES) @ (IMAGES @ WEIGHTS))
    assert sorted(names.count("matmul") for names in backward) == [1, 2]


def test_the_jacobian_of_one_source(backward):
    @tf.function
    def values(x, w):
        return tf.tanh(x @ w)

    with tf.GradientTape() as tape:
        tape.watch(IMAGES)
        y = values(IMAGES, WEIGHTS)
    found = tape.jacobian(y, IMAGES)
    with tf.GradientTape() as tape:
        tape.watch(IMAGES)
        y = tf.tanh(IMAGES @ WEIGHTS)
    np.testing.assert_allclose(found, tape.jacobian(y, IMAGES))
    assert [names.count("matmul") for names in backward] == [1]
