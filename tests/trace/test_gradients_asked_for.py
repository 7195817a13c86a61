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


@pytest.mark.parametrize("is_variable", [False, True])
@pytest.mark.parametrize("gather", [lambda t: tf.gather(t, [0, 2]), lambda t: tf.gather_nd(t, [[0], [2]])])
@pytest.mark.parametrize("way", ["while", "long", "if", "map", "beside", "unrelated"])
def test_rows_gathered_in_a_loop_or_branch_have_their_gradient(way, gather, is_variable):
    """It is one tensor there, as in TensorFlow's loops, and slices elsewhere."""
    table = tf.constant([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    table = tf.Variable(table) if is_variable else table

    def rows(t, rounds=2):
        return tf.while_loop(
            lambda i, a: i < rounds, lambda i, a: (i + 1, tf.sin(a + gather(t))), [0, tf.ones([2, 2])]
        )[1]

    def program(t):
        return {
            "while": lambda: rows(t),
            "long": lambda: rows(t, 40),
            "if": lambda: tf.cond(t[0, 0] > 0.0, lambda: gather(t) ** 2, lambda: tf.zeros([2, 2])),
            "map": lambda: tf.map_fn(lambda by: by * gather(t), tf.constant([1.0, 2.0])),
            "beside": lambda: rows(t) + tf.gather(t, [1, 1]),
            "unrelated": lambda: gather(t) + tf.cond(t[0, 0] > 0.0, lambda: 0.0, lambda: tf.stop_gradient(t[0, 0])),
        }[way]()

    def gradient(given):
        t = table if is_variable else given
        with tf.GradientTape() as tape:
            tape.watch(t)
            result = tf.reduce_sum(tf.tanh(program(t)))
        return tape.gradient(result, t)

    given = tf.constant([0.0]) if is_variable else table
    found = tf.function(gradient)(given)
    assert isinstance(found, tf.Tensor)
    np.testing.assert_allclose(found, tf.convert_to_tensor(gradient(given)), rtol=1e-5, atol=1e-7)
