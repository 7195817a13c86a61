"""Run eager kernels, compiled functions and first steps of Keras's `fit`, and print how often LLVM compiled something.

python -m tests.native.compilations RESULTS.npz [no-keras]
"""

import sys

import numpy as np
from benchmarks.keras_fit import BATCH, model

import gradtape as tf
from gradtape.native import engine

COMPILED = []


def eager_kernels():
    """Elementwise texts, sums, rows, products, convolutions and pools with their gradients, on large arrays."""
    rng = np.random.default_rng(0)
    x = tf.constant(rng.standard_normal((256, 1024)), tf.float32)
    image = tf.constant(rng.standard_normal((8, 32, 32, 16)), tf.float32)
    weights = tf.constant(rng.standard_normal((3, 3, 16, 32)), tf.float32)
    with tf.GradientTape() as tape:
        tape.watch([x, image, weights])
        hidden = tf.nn.gelu(x) + tf.tanh(x) + tf.nn.softmax(x)
        seen = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(image, weights, 1, "SAME")), 2, 2, "VALID")
        loss = tf.reduce_mean(tf.linalg.matmul(hidden, hidden, transpose_b=True)) + tf.reduce_sum(seen)
    return loss, *tape.gradient(loss, [x, image, weights])


@tf.function
def function(x):
    """One group of rows, and a product."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_mean(tf.exp(-x * x) * tf.sigmoid(x), axis=-1, keepdims=True)
        loss = tf.reduce_sum(tf.linalg.matmul(x - y, x, transpose_b=True))
    return tape.gradient(loss, x)


@tf.function
def small_function(x):
    """Small enough to become one native function after some calls."""
    y = tf.reduce_sum(tf.tanh(x * 2.0) + tf.sin(x))
    return tf.gradients(y, x)[0] * y


STATE, STEPS = tf.Variable([1.0, 2.0, 3.0, 4.0]), tf.Variable(0)


@tf.function
def small_loop(x):
    """A loop, a branch, rows and variables in one native function."""

    def body(k, a, b):
        c, d = tf.tanh(a * 0.5), tf.sin(b) - a
        return k + 1, c * tf.reduce_sum(d), d / (1.0 + tf.reduce_max(tf.abs(c)))

    _, a, b = tf.while_loop(lambda k, a, b: k < 5, body, (tf.constant(0), x, x * 0.5))
    chosen = tf.cond(
        tf.reduce_sum(a) > 0.0,
        lambda: tf.reduce_sum(tf.exp(-a * a)) * b + tf.reduce_mean(b),
        lambda: tf.reduce_sum(b) * tf.cos(a) - tf.reduce_max(a),
    )
    row = tf.gather(STATE, STEPS % 4)
    STATE.assign(STATE * 0.9 + chosen * 0.1 * row)
    STEPS.assign_add(1)
    return STATE + a, tf.reduce_sum(b * row)


def fits():
    """One batch for each of the models of the benchmarks."""
    keras = tf.keras
    rng = np.random.default_rng(0)
    for name in ("mlp", "cnn", "lstm", "attention"):
        keras.utils.set_random_seed(0)
        network = model(keras, name)
        network.compile(keras.optimizers.Adam(1e-3), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        x, y = rng.random((2 * BATCH, *network.input_shape[1:]), np.float32), rng.integers(0, 10, 2 * BATCH)
        history = network.fit(x, y, batch_size=BATCH, verbose=0)
        yield history.history["loss"][0]


if __name__ == "__main__":
    translated = engine._translated
    engine._translated = lambda text: COMPILED.append(text) or translated(text)
    large = tf.constant(np.random.default_rng(1).standard_normal((512, 512)), tf.float32)
    small = [small_function(large[:4, 3]) for _ in range(200)]
    looped = [small_loop(large[:4, 5]) for _ in range(200)]
    assert small_loop._direct is not None
    results = [*eager_kernels(), function(large), small[-1], *looped[-1], *([] if "no-keras" in sys.argv else fits())]
    np.savez(sys.argv[1], *[np.asarray(result) for result in results])
    print(len(COMPILED))
