"""Compiled functions leave products that are used much later to other threads."""

import numpy as np
import pytest

import gradtape as tf

pytestmark = pytest.mark.usefixtures("two_threads")


class Net:
    def __init__(self):
        rng = np.random.default_rng(0)
        shapes = [(80, 100), *[(100, 100)] * 4, (100, 10)]
        self.weights = [tf.Variable(rng.normal(size=shape).astype(np.float32) * 0.1) for shape in shapes]
        self.x = tf.constant(rng.normal(size=(90, 80)).astype(np.float32))

    def loss(self):
        hidden = self.x
        for w in self.weights:
            hidden = tf.tanh(hidden @ w)
        return tf.reduce_mean(tf.square(hidden))

    def gradients(self):
        with tf.GradientTape() as tape:
            loss = self.loss()
        return tape.gradient(loss, self.weights)

    def step(self):
        for w, g in zip(self.weights, self.gradients(), strict=True):
            w.assign_sub(0.5 * g)


def test_gradients_that_a_function_returns(totals):
    net = Net()
    wanted = net.gradients()
    del totals[:]
    compiled = tf.function(net.gradients)
    for _ in range(20):
        for got, known in zip(compiled(), wanted, strict=True):
            np.testing.assert_allclose(got, known, 1e-5, 1e-7)
    assert totals


def test_a_step_that_changes_its_variables(totals):
    eager, compiled = Net(), Net()
    step = tf.function(compiled.step)
    for _ in range(10):
        eager.step()
        step()
    assert totals
    for got, known in zip(compiled.weights, eager.weights, strict=True):
        np.testing.assert_allclose(got, known, 1e-5, 1e-6)


def test_a_tape_around_the_function(totals):
    net = Net()
    wanted = net.gradients()
    del totals[:]
    loss = tf.function(net.loss)
    for _ in range(5):
        with tf.GradientTape() as tape:
            value = loss()
        for got, known in zip(tape.gradient(value, net.weights), wanted, strict=True):
            np.testing.assert_allclose(got, known, 1e-5, 1e-7)
    assert totals


def test_operands_are_not_written_over_before_the_product_is_there(totals):
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=(90, 90)).astype(np.float32) for _ in range(2))

    @tf.function
    def late(a, b):
        x, y = tf.sin(a), tf.cos(b)
        product = tf.matmul(x, y, transpose_a=True)
        for _ in range(12):  # chains that may use the memory of x and y
            x, y = tf.matmul(tf.exp(-x * x), y * 0.1), y + 1.0
        return tf.reduce_sum(x) + tf.reduce_sum(product), product

    for _ in range(20):
        _, product = late(a, b)
        np.testing.assert_allclose(product, np.sin(a).T @ np.cos(b), 1e-4, 1e-4)
    assert totals


def test_a_product_that_reads_a_variable_sees_its_old_value(totals):
    net = Net()
    w = net.weights[1]
    before = w.numpy()

    @tf.function
    def product_and_change():
        product = tf.matmul(net.x @ net.weights[0], w)
        w.assign_add(tf.ones_like(w))
        for _ in range(8):
            w.assign(tf.sin(w))
        return product

    np.testing.assert_allclose(product_and_change(), net.x.numpy() @ net.weights[0].numpy() @ before, 1e-4, 1e-4)


def test_an_error_leaves_nothing_behind(totals):
    net = Net()

    @tf.function
    def fails(limit):
        gradients = net.gradients()
        tf.debugging.assert_less(tf.reduce_sum(net.x), limit)
        return gradients

    assert len(fails(1e9)) == 6
    with pytest.raises(tf.errors.InvalidArgumentError):
        fails(-1e9)
    assert len(fails(1e9)) == 6
