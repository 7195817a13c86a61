"""Whole programs: the same numbers as functions as in eager code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


def weights(*shapes: tuple[int, ...], seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [tf.Variable((rng.normal(size=s) * 0.3).astype(np.float32)) for s in shapes]


def data(*shapes: tuple[int, ...], seed: int = 1) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [tf.constant(rng.normal(size=s).astype(np.float32)) for s in shapes]


def descend(variables: Any, gradients: Any, rate: float = 0.1) -> None:
    for variable, gradient in zip(variables, gradients, strict=True):
        variable.assign_sub(rate * tf.convert_to_tensor(gradient))


def mlp() -> Any:
    w = weights((6, 8), (8,), (8, 3), (3,))
    x, _ = data((10, 6), (1,))
    labels = tf.constant(np.arange(10) % 3)

    def step() -> Any:
        with tf.GradientTape() as tape:
            hidden = tf.nn.gelu(x @ w[0] + w[1])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, hidden @ w[2] + w[3]))
        descend(w, tape.gradient(loss, w))
        return loss

    return step, w


def adam() -> Any:
    w = weights((5, 4), (4, 1))
    m, v = weights((5, 4), (4, 1)), weights((5, 4), (4, 1))
    for slot in (*m, *v):
        slot.assign(tf.zeros_like(slot))
    count = tf.Variable(0.0, trainable=False)
    x, y = data((8, 5), (8, 1))

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.tanh(x @ w[0]) @ w[1] - y) ** 2)
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, w), 1.0)
        count.assign_add(1.0)
        for p, g, a, b in zip(w, gradients, m, v, strict=True):
            a.assign(0.9 * a + 0.1 * g)
            b.assign(0.999 * b + 0.001 * g * g)
            p.assign_sub(0.05 * (a / (1 - 0.9**count)) / (tf.sqrt(b / (1 - 0.999**count)) + 1e-7))
        return loss

    return step, [*w, *m, *v, count]


def cnn() -> Any:
    w = weights((3, 3, 2, 4), (4,), (36, 3))
    (x,) = data((4, 6, 6, 2))

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = tf.nn.relu(tf.nn.conv2d(x, w[0], 1, "SAME") + w[1])
            y = tf.nn.max_pool2d(y, 2, 2, "SAME")
            loss = tf.reduce_mean(tf.nn.softmax(tf.reshape(y, [4, -1]) @ w[2]) ** 2)
        descend(w, tape.gradient(loss, w))
        return loss

    return step, w


def lstm() -> Any:
    w = weights((3 + 5, 20), (20,), (5, 1))
    (x,) = data((6, 7, 3))

    def step() -> Any:
        with tf.GradientTape() as tape:
            h, c = tf.zeros([6, 5]), tf.zeros([6, 5])
            for t in tf.range(7):
                i, f, g, o = tf.split(tf.concat([x[:, t], h], 1) @ w[0] + w[1], 4, axis=1)
                c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
            loss = tf.reduce_mean((h @ w[2]) ** 2)
        descend(w, tape.gradient(loss, w))
        return loss

    return step, w


def attention() -> Any:
    w = weights((8, 24), (8, 8), (8, 16), (16, 8))
    (x,) = data((2, 5, 8))

    def step() -> Any:
        with tf.GradientTape() as tape:
            q, k, v = (tf.transpose(tf.reshape(p, [2, 5, 2, 4]), [0, 2, 1, 3]) for p in tf.split(x @ w[0], 3, -1))
            a = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 2.0) @ v
            y = x + tf.reshape(tf.transpose(a, [0, 2, 1, 3]), [2, 5, 8]) @ w[1]
            mean, variance = tf.nn.moments(y, [-1], keepdims=True)
            y = (y - mean) * tf.math.rsqrt(variance + 1e-5)
            y = y + tf.nn.relu(y @ w[2]) @ w[3]
            loss = tf.reduce_mean(y**2)
        descend(w, tape.gradient(loss, w))
        return loss

    return step, w


def gan() -> Any:
    g, d = weights((2, 8), (8, 3), seed=3), weights((3, 8), (8, 1), seed=4)
    noise, real = data((6, 2), (6, 3))

    def discriminate(x: Any) -> Any:
        return tf.nn.leaky_relu(x @ d[0]) @ d[1]

    def step() -> Any:
        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            fake = tf.tanh(noise @ g[0]) @ g[1]
            on_real, on_fake = discriminate(real), discriminate(fake)
            gen_loss = tf.reduce_mean(tf.nn.softplus(-on_fake))
            disc_loss = tf.reduce_mean(tf.nn.softplus(-on_real)) + tf.reduce_mean(tf.nn.softplus(on_fake))
        descend(g, gen_tape.gradient(gen_loss, g))
        descend(d, disc_tape.gradient(disc_loss, d))
        return gen_loss + disc_loss

    return step, [*g, *d]


def pinn() -> Any:
    w = weights((1, 8), (8,), (8, 1))
    x = tf.constant(np.linspace(0, 1, 9, dtype=np.float32)[:, None])

    def step() -> Any:
        with tf.GradientTape() as tape:
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    u = tf.tanh(x @ w[0] + w[1]) @ w[2]
                du = inner.gradient(u, x)
            ddu = outer.gradient(du, x)
            loss = tf.reduce_mean((ddu + u) ** 2) + tf.reduce_sum(u[0] ** 2)
        descend(w, tape.gradient(loss, w), 0.01)
        return loss

    return step, w


def embedding() -> Any:
    w = weights((7, 4), (4, 7))
    words = tf.constant([[1, 2, 1], [0, 6, 3]])

    def step() -> Any:
        with tf.GradientTape() as tape:
            vectors = tf.nn.embedding_lookup(w[0], words)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(words[:, 1], tf.reduce_mean(vectors, 1) @ w[1])
            )
        slices, dense = tape.gradient(loss, w)
        w[0].scatter_sub(tf.IndexedSlices(0.1 * slices.values, slices.indices))
        w[1].assign_sub(0.1 * dense)
        return loss

    return step, w


def actor_critic() -> Any:
    actor, critic = weights((4, 2), seed=5), weights((4, 1), seed=6)
    states, rewards = data((5, 4), (5,))
    actions = tf.constant([0, 1, 1, 0, 1])

    def step() -> Any:
        returns = tf.scan(lambda total, r: 0.9 * total + r, rewards, initializer=tf.constant(0.0), reverse=True)
        with tf.GradientTape(persistent=True) as tape:
            values = tf.squeeze(states @ critic[0], 1)
            advantage = returns - values
            chosen = tf.gather(tf.nn.log_softmax(states @ actor[0]), actions, batch_dims=1)
            actor_loss = -tf.reduce_mean(chosen * tf.stop_gradient(advantage))
            critic_loss = tf.reduce_mean(advantage**2)
        descend(actor, tape.gradient(actor_loss, actor))
        descend(critic, tape.gradient(critic_loss, critic))
        return actor_loss + critic_loss

    return step, [*actor, *critic]


PROGRAMS = [mlp, adam, cnn, lstm, attention, gan, pinn, embedding, actor_critic]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_program_gives_the_numbers_of_eager_code(program):
    eager_step, eager_weights = program()
    step, traced_weights = program()
    traced = tf.function(step)
    for _ in range(5):
        np.testing.assert_allclose(traced().numpy(), eager_step().numpy(), rtol=2e-5, atol=1e-6)
    for a, b in zip(traced_weights, eager_weights, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-5)
    assert traced.experimental_get_tracing_count() == 1


def test_updates_in_place_are_steps():
    def make() -> Any:
        w, m, v = weights((300, 40), (300, 40), (300, 40))
        m.assign(tf.zeros_like(m))
        v.assign(tf.zeros_like(v))
        power = tf.Variable(0.9)
        (x,) = data((5, 300))

        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.tanh(x @ w) ** 2)
            gradient = tape.gradient(loss, w)
            tf.raw_ops.ResourceApplyAdam(
                var=w, m=m, v=v, beta1_power=power, beta2_power=0.999, lr=0.01, beta1=0.9, beta2=0.999, epsilon=1e-7,
                grad=gradient,
            )  # fmt: skip
            power.assign(power * 0.9)
            return loss, tf.reduce_sum(w)

        return step, w

    eager, first = make()
    step, second = make()
    traced = tf.function(step)
    for _ in range(4):
        for a, b in zip(traced(), eager(), strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4)
    np.testing.assert_allclose(first.numpy(), second.numpy(), rtol=1e-5, atol=1e-6)
