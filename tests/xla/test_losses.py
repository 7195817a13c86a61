"""Small models train on XLA as in eager code: the losses of 100 steps are within 1e-5."""

import numpy as np
import pytest

import gradtape as tf

pytest.importorskip("jax", reason="the extra `xla` is not installed")

RANDOM = np.random.default_rng(7)


def weights(*shapes):
    return [(RANDOM.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32) for shape in shapes]


def mlp(x, a, b, c):
    return tf.tanh(tf.nn.relu(x @ a) @ b) @ c


def cnn(x, kernel, second, dense):
    y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME")), 2, 2, "VALID")
    y = tf.nn.relu(tf.nn.conv2d(y, second, 1, "SAME"))
    return tf.reduce_mean(y, [1, 2]) @ dense


def transformer(x, query, key, value, out, wide, narrow, head):
    attention = tf.nn.softmax(tf.matmul(x @ query, x @ key, transpose_b=True) / 2.0)
    y = x + tf.matmul(attention, x @ value) @ out
    centred = y - tf.reduce_mean(y, -1, keepdims=True)
    y = centred * tf.math.rsqrt(tf.reduce_mean(centred**2, -1, keepdims=True) + 1e-5)
    y += tf.nn.gelu(y @ wide) @ narrow
    return tf.reduce_mean(y, 1) @ head


def lstm(x, kernel, recurrent, head):
    h = c = tf.zeros([x.shape[0], 8])
    for step in tf.range(x.shape[1]):
        i, f, o, g = tf.split(x[:, step] @ kernel + h @ recurrent, 4, axis=-1)
        c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
    return h @ head


MODELS = {
    "mlp": (mlp, (8, 12), weights((12, 16), (16, 16), (16, 4))),
    "cnn": (cnn, (6, 8, 8, 2), [w * 0.5 for w in weights((3, 3, 2, 6), (3, 3, 6, 6))] + weights((6, 4))),
    "transformer": (transformer, (4, 6, 8), weights(*[(8, 8)] * 4, (8, 16), (16, 8), (8, 4))),
    "lstm": (lstm, (6, 7, 5), weights((5, 32), (8, 32), (8, 4))),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_losses_of_a_hundred_steps_are_those_of_eager_code(name):
    model, shape, start = MODELS[name]
    x = tf.constant(RANDOM.standard_normal(shape).astype(np.float32))
    labels = tf.constant(RANDOM.integers(0, 4, shape[0]))

    def losses(wrap):
        variables = [tf.Variable(value) for value in start]

        def step():
            with tf.GradientTape() as tape:
                logits = model(x, *variables)
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
            for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
                variable.assign_sub(0.05 * gradient)
            return loss

        run = wrap(step)
        return [float(run()) for _ in range(100)]

    eager = losses(lambda step: step)
    compiled = losses(lambda step: tf.function(step, engine="xla"))
    assert eager[-1] < eager[0] - 0.1
    np.testing.assert_allclose(compiled, eager, rtol=0, atol=1e-5)
