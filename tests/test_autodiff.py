"""tf.autodiff: derivatives of functions in one call, equal to the tapes they are made of."""

import numpy as np

import gradtape as tf

RNG = np.random.default_rng(9)


def function(x):
    return tf.reduce_sum(tf.sin(x) * x[::-1] ** 2)


X = tf.constant(RNG.normal(size=4))


def test_jvp_and_vjp_are_transposes():
    def many(a, b):
        return {"y": tf.tanh(a) * b[:2], "z": tf.reduce_sum(b) * a}

    a, b = tf.constant(RNG.normal(size=2)), tf.constant(RNG.normal(size=3))
    da, db = tf.constant(RNG.normal(size=2)), tf.constant(RNG.normal(size=3))
    value, tangent = tf.autodiff.jvp(many, [a, b], [da, db])
    again, pullback = tf.autodiff.vjp(many, a, b)
    cotangent = {"y": tf.constant(RNG.normal(size=2)), "z": tf.constant(RNG.normal(size=2))}
    ca, cb = pullback(cotangent)
    np.testing.assert_allclose(value["y"].numpy(), again["y"].numpy())
    forward = sum(np.dot(tangent[k], cotangent[k]) for k in ("y", "z"))
    np.testing.assert_allclose(forward, np.dot(da, ca) + np.dot(db, cb), rtol=1e-12)


def test_a_pullback_may_be_used_again():
    _, pullback = tf.autodiff.vjp(lambda x: x * x, 3.0)
    assert [pullback(tf.constant(w))[0].numpy() for w in (1.0, 2.0)] == [6.0, 12.0]


def test_second_order_functions_agree_with_the_tape():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = function(X)
    vector = tf.constant(RNG.normal(size=4))
    pairs = [
        (tf.autodiff.hessian(function)(X), tape.hessian(y, X)),
        (tf.autodiff.hvp(function, X, vector), tape.hvp(y, X, vector)),
        (tf.autodiff.hessian_diagonal(function, X), tape.hessian_diagonal(y, X)),
        (tf.autodiff.laplacian(function, X), tape.laplacian(y, X)),
    ]
    for ours, expected in pairs:
        np.testing.assert_allclose(ours.numpy(), expected.numpy(), atol=1e-12)


def test_python_values_and_variables_are_points():
    assert tf.autodiff.hessian(lambda x: x**3)(2.0).numpy() == 12.0
    assert tf.autodiff.hessian(lambda v: v**3)(tf.Variable(2.0)).numpy() == 12.0
    assert tf.autodiff.jvp(lambda x: x**3, [2.0], [1.0])[1].numpy() == 12.0


def test_per_example_gradients_are_a_loop_over_examples():
    w, b = tf.Variable(RNG.normal(size=(3, 2))), tf.Variable(RNG.normal(size=2))
    x, labels = tf.constant(RNG.normal(size=(5, 3))), tf.constant([0, 1, 1, 0, 1])

    def loss(row, label):
        logits = tf.tanh(tf.reshape(row, [1, 3]) @ w + b)
        return tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.reshape(label, [1]), logits))

    result = tf.autodiff.per_example_gradients(loss, {"w": w, "b": b}, x, labels)
    assert (result["w"].shape, result["b"].shape) == ((5, 3, 2), (5, 2))
    for position in range(5):
        with tf.GradientTape() as tape:
            value = loss(x[position], labels[position])
        expected_w, expected_b = tape.gradient(value, [w, b])
        np.testing.assert_allclose(result["w"][position].numpy(), expected_w.numpy(), atol=1e-12)
        np.testing.assert_allclose(result["b"][position].numpy(), expected_b.numpy(), atol=1e-12)


def test_per_example_gradients_add_up_to_the_gradient_of_the_sum():
    w = tf.Variable([1.0, 2.0])
    x = tf.constant([[1.0, 0.0], [0.0, 3.0], [2.0, 2.0]])
    each = tf.autodiff.per_example_gradients(lambda row: tf.reduce_sum(w * row) ** 2, w, x)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.reduce_sum(w * x, axis=1) ** 2)
    np.testing.assert_allclose(tf.reduce_sum(each, axis=0).numpy(), tape.gradient(total, w).numpy())
