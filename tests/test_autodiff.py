"""tf.autodiff: derivatives of functions in one call, equal to the tapes they are made of."""

import numpy as np
import pytest

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


def test_a_pullback_gives_a_tuple_as_there_are_primals():
    value, pullback, aux = tf.autodiff.vjp(lambda p, n: ({"y": p["a"] * 2}, "beside"), {"a": X}, None, has_aux=True)
    assert aux == "beside"
    found = pullback(value)
    assert type(found) is tuple
    assert found[1] is None
    np.testing.assert_allclose(found[0]["a"].numpy(), 4 * X.numpy())


def test_each_primal_counts_for_itself():
    a = tf.constant([1.0, 2.0])
    _, pullback = tf.autodiff.vjp(lambda x, y: x * y * y + a, a, a)
    assert [g.numpy().tolist() for g in pullback(tf.ones([2]))] == [[1.0, 4.0], [2.0, 8.0]]
    _, tangent = tf.autodiff.jvp(lambda x, y: x * y * y + a, [a, a], [tf.ones([2]), tf.zeros([2])])
    assert tangent.numpy().tolist() == [1.0, 4.0]
    _, pullback = tf.autodiff.vjp(lambda x: (x, x), a)
    assert pullback((a, a))[0].numpy().tolist() == [2.0, 4.0]


def test_what_does_not_depend_on_the_primals_has_zeros():
    x = tf.constant([1.0, 2.0])
    assert tf.autodiff.jvp(lambda s: x, [3.0], [1.0])[1].numpy().tolist() == [0.0, 0.0]
    assert tf.autodiff.vjp(lambda s: x, 3.0)[1](x)[0].numpy() == 0.0
    assert tf.autodiff.hvp(lambda x: tf.constant(1.0), x, x).numpy().tolist() == [0.0, 0.0]
    assert tf.autodiff.hessian_diagonal(lambda x: tf.constant(1.0), x).numpy().tolist() == [0.0, 0.0]
    assert tf.autodiff.laplacian(lambda x: tf.constant(1.0), x).numpy() == 0.0


def test_integers_have_no_tangents():
    (y, place), (dy, dplace), aux = tf.autodiff.jvp(
        lambda x, n: ((x * 2, tf.argmax(x)), n), [X, 3], [X, None], has_aux=True
    )
    assert dplace is None
    assert (place.dtype, aux.numpy()) == (tf.int64, 3)
    np.testing.assert_allclose(dy.numpy(), y.numpy())
    (_, place), pullback = tf.autodiff.vjp(lambda x, n: (x * 2, tf.argmax(x)), X, 3)
    found = pullback((X, None))
    assert found[1] is None
    np.testing.assert_allclose(found[0].numpy(), 2 * X.numpy())


def test_the_cotangent_of_a_lookup_is_dense():
    _, pullback = tf.autodiff.vjp(lambda x: tf.gather(x, [0, 0]), tf.constant([1.0, 2.0]))
    assert pullback(tf.ones([2]))[0].numpy().tolist() == [2.0, 0.0]
    product = tf.autodiff.hvp(lambda x: tf.reduce_sum(tf.gather(x, [0, 0]) ** 2), tf.constant([1.0, 2.0]), tf.ones([2]))
    assert product.numpy().tolist() == [4.0, 0.0]


ONES, POINT = tf.ones([3]), tf.constant([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tf.autodiff.vjp(lambda x: x * 2, POINT)[1](1.0), ValueError, r"cotangent .*\(3,\), got \(\)"),
        (lambda: tf.autodiff.vjp(lambda x: x * 2, POINT)[1](tf.ones([4, 3])), ValueError, r"\(3,\), got \(4, 3\)"),
        (lambda: tf.autodiff.vjp(lambda x: (x, x), POINT)[1](ONES), ValueError, "same structure"),
        (lambda: tf.autodiff.vjp(lambda x: [x, x], POINT)[1]((ONES, ONES)), ValueError, "same structure"),
        (lambda: tf.autodiff.vjp(lambda x: (x, None), POINT)[1]((ONES, ONES)), ValueError, "same structure"),
        (lambda: tf.autodiff.vjp(lambda x: x * 2, POINT)[1](None), ValueError, "got None"),
        (lambda: tf.autodiff.vjp(lambda x: x * 2, POINT)[1](tf.ones([3], tf.int32)), TypeError, "float32, got int32"),
        (lambda: tf.autodiff.vjp(lambda x: x * 2, POINT)[1](tf.ones([3], tf.float16)), TypeError, "got float16"),
        (lambda: tf.autodiff.vjp(tf.argmax, POINT)[1](1), TypeError, "int64 has no derivatives: its cotangent is None"),
        (lambda: tf.autodiff.vjp(lambda x: x, POINT, has_aux=True), TypeError, "pair"),
        (lambda: tf.autodiff.vjp(3, POINT), TypeError, "^vjp: the first argument must be a function"),
        (lambda: tf.autodiff.jvp(lambda x: x, [POINT], [1.0]), ValueError, r"tangent .*\(3,\), got \(\)"),
        (lambda: tf.autodiff.jvp(tf.reduce_sum, [POINT], [tf.ones([5, 3])]), ValueError, r"got \(5, 3\)"),
        (lambda: tf.autodiff.jvp(lambda x, y: x, [POINT, POINT], [ONES]), ValueError, "same structure"),
        (lambda: tf.autodiff.jvp(lambda x: x, POINT, ONES), TypeError, r"jvp\(f, \[x\], \[v\]\)"),
        (lambda: tf.autodiff.jvp(lambda x: x, [POINT], [tf.ones([3], tf.int32)]), TypeError, "float32, got int32"),
        (lambda: tf.autodiff.jvp(lambda x: x, [3], [1]), TypeError, "int32 has no derivatives: its tangent is None"),
        (lambda: tf.autodiff.hvp(tf.reduce_sum, POINT, 1.0), ValueError, r"hvp: a vector .*\(3,\), got \(\)"),
        (lambda: tf.autodiff.hvp(tf.reduce_sum, POINT, tf.ones([3], tf.float64)), TypeError, "float32, got float64"),
        (lambda: tf.autodiff.hvp(lambda x: x[0], [POINT], POINT), ValueError, "same structure"),
        (lambda: tf.autodiff.laplacian(tf.argmax, POINT), TypeError, "laplacian: the function gives int64"),
    ],
)
def test_bad_directions_are_refused_by_name(call, error, words):
    with pytest.raises(error, match=words):
        call()


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
