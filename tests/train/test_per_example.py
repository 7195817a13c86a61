"""`tf.train.per_example_gradients`: against a loop that takes the gradient of one example after the other."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.train import per_example


def looped(loss, variables, examples, clip_norm=None, reduction=None):
    """The definition, written out."""
    flat = tf.nest.flatten(variables)
    rows, norms = [], []
    for place in range(len(examples[0])):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(flat)
            value = loss(*(tf.constant(e)[place] for e in examples))
        gradients = [None if g is None else tf.convert_to_tensor(g).numpy() for g in tape.gradient(value, flat)]
        norm = np.sqrt(sum(np.sum(np.abs(g.astype(np.complex128)) ** 2) for g in gradients if g is not None))
        scale = 1.0 if clip_norm is None else min(1.0, clip_norm / max(norm, 1e-300))
        rows.append([None if g is None else g * scale for g in gradients])
        norms.append(norm)
    stacked = [None if column[0] is None else np.stack(column) for column in zip(*rows, strict=True)]
    if reduction is not None:
        reduce = {"sum": np.sum, "mean": np.mean}[reduction]
        stacked = [None if s is None else reduce(s, axis=0) for s in stacked]
    return stacked, np.array(norms)


def check(loss, variables, *examples, rtol=1e-12):
    expected, norms = looped(loss, variables, examples)
    clip = float(np.median(norms)) if np.any(norms) else 1.0
    for clip_norm in (None, clip):
        for reduction in (None, "sum", "mean"):
            expected, norms = looped(loss, variables, examples, clip_norm, reduction)
            found, found_norms = tf.train.per_example_gradients(
                loss, variables, *examples, clip_norm=clip_norm, reduction=reduction, return_norms=True
            )
            tf.nest.assert_same_structure(variables, found, check_types=False)
            np.testing.assert_allclose(found_norms, norms, rtol=rtol)
            for got, want in zip(tf.nest.flatten(found), expected, strict=True):
                assert (got is None) == (want is None)
                if got is not None:
                    dense = tf.convert_to_tensor(got)
                    assert dense.shape == want.shape
                    np.testing.assert_allclose(dense, want, rtol=rtol, atol=rtol)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.fixture
def w():
    return tf.Variable(draw(4, 3))


X, Y = draw(6, 4, seed=1), draw(6, 3, seed=2)


def test_a_net_with_batches_of_one(w):
    b, v, s = tf.Variable(draw(3)), tf.Variable(draw(3, 3, seed=5)), tf.Variable(1.5, dtype=tf.float64)

    def loss(x, y):
        h = tf.tanh(x[None] @ w + b) * s
        return tf.reduce_mean((h @ v - y) ** 2)

    check(loss, {"w": w, "rest": [b, v, s]}, X, Y)


@pytest.mark.parametrize(("turn_x", "turn_w"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("rows", [1, 2, 9])
def test_products_from_both_sides_with_every_transposition(turn_x, turn_w, side, rows):
    def turned(shape, turn):
        return shape[::-1] if turn else shape

    if side == "left":
        x, v = draw(5, *turned((rows, 4), turn_x)), tf.Variable(draw(*turned((4, 3), turn_w)))
        check(lambda x: tf.reduce_sum(tf.sin(tf.matmul(x, v, turn_x, turn_w))), v, x)
    else:
        x, v = draw(5, *turned((4, rows), turn_x)), tf.Variable(draw(*turned((3, 4), turn_w)))
        check(lambda x: tf.reduce_sum(tf.sin(tf.matmul(v, x, turn_w, turn_x))), v, x)


def test_vectors_and_more_axes(w):
    check(lambda x, y: tf.reduce_sum((tf.linalg.matvec(w, x, transpose_a=True) - y) ** 2), w, X, Y)
    check(lambda x: tf.reduce_sum(tf.tanh(x @ w)), w, draw(3, 2, 5, 4))
    check(lambda x: tf.reduce_sum(tf.einsum("ti,ij->tj", x, w) ** 2), w, draw(3, 5, 4))
    check(lambda x, y: tf.tensordot(tf.tensordot(x, w, 1), y, 1) ** 2, w, X, Y)


def test_a_matrix_that_is_used_in_every_step():
    u, v = tf.Variable(draw(2, 3)), tf.Variable(draw(3, 3) / 2)

    def loss(x):
        h = tf.zeros([1, 3], tf.float64)
        for step in range(5):
            h = tf.tanh(x[step][None] @ u + h @ v)
        return tf.reduce_sum(h)

    check(loss, [u, v], draw(4, 5, 2))


def test_a_matrix_that_is_used_in_other_ways_too(w):
    def loss(x):
        return tf.reduce_sum(tf.sin(x[None] @ w)) + tf.reduce_sum(w**3) * tf.reduce_sum(x)

    check(loss, w, X)


@pytest.mark.parametrize(
    "options",
    [{}, {"padding": "SAME", "strides": 2}, {"dilations": 2}, {"padding": [[0, 0], [1, 2], [0, 1], [0, 0]]}],
)
@pytest.mark.parametrize("chunk", [1, 10**9])
def test_convolutions(options, chunk, monkeypatch):
    monkeypatch.setattr(per_example, "_WINDOWS", chunk)
    k, wide = tf.Variable(draw(2, 2, 2, 3)), tf.Variable(draw(1, 1, 3, 40))
    settings = {"strides": 1, "padding": "VALID"} | options

    def loss(x):
        h = tf.nn.relu(tf.nn.conv2d(x[None], k, **settings))
        return tf.reduce_sum(tf.nn.conv2d(h[:, :1, :2], wide, 1, "VALID") ** 2)

    check(loss, [k, wide], draw(4, 6, 5, 2))


def test_other_convolutions():
    line, groups = tf.Variable(draw(3, 2, 4)), tf.Variable(draw(2, 2, 1, 4))
    check(lambda x: tf.reduce_sum(tf.sin(tf.nn.conv1d(x[None], line, 1, "SAME"))), line, draw(3, 7, 2))
    check(lambda x: tf.reduce_sum(tf.sin(tf.nn.conv2d(x[None], groups, 1, "SAME"))), groups, draw(3, 4, 4, 2))


def test_embeddings_are_slices_and_repeated_rows_count_once():
    table, v = tf.Variable(draw(7, 3)), tf.Variable(draw(3, 2))
    ids = np.array([[0, 0, 2], [1, 2, 3], [6, 6, 6], [0, 5, 0]])

    def loss(row):
        return tf.reduce_sum(tf.tanh(tf.gather(table, row) @ v) ** 2)

    check(loss, [table, v], ids)
    found = tf.train.per_example_gradients(loss, table, ids, clip_norm=1.0, reduction="sum")
    assert isinstance(found, tf.IndexedSlices)
    check(lambda i: tf.reduce_sum(tf.gather(table, i) ** 2), table, np.array([3, 3, 0]))
    check(lambda i: tf.reduce_sum(tf.gather(table, i, axis=1) ** 2), table, np.array([2, 1, 1]))


def test_tied_embeddings():
    table = tf.Variable(draw(5, 3))

    def loss(row):
        h = tf.gather(table, row)
        return tf.reduce_sum(tf.nn.log_softmax(tf.matmul(h, table, transpose_b=True))[:, 0])

    check(loss, table, np.array([[0, 1], [4, 4]]), rtol=1e-11)


def test_attention_with_shared_projections():
    q, k, v = (tf.Variable(draw(4, 4, seed=seed) / 2) for seed in range(3))
    scale = tf.Variable(np.ones(4))

    def loss(x):
        mean = tf.reduce_mean(x, -1, keepdims=True)
        h = (x - mean) * tf.math.rsqrt(tf.reduce_mean((x - mean) ** 2, -1, keepdims=True) + 1e-5) * scale
        scores = tf.nn.softmax(tf.matmul(h @ q, h @ k, transpose_b=True))
        return tf.reduce_sum((scores @ (h @ v)) ** 2)

    check(loss, [q, k, v, scale], draw(3, 5, 4), rtol=1e-10)


def test_variables_that_play_no_role_have_no_gradient(w):
    other = tf.Variable([1.0])
    check(lambda x: tf.reduce_sum(x[None] @ w), [w, other], X)
    with pytest.raises(tf.errors.InvalidArgumentError, match="none of the variables"):
        tf.train.per_example_gradients(lambda x: tf.reduce_sum(x), other, X, clip_norm=1.0)
    assert tf.train.per_example_gradients(lambda x: tf.reduce_sum(x), other, X) is None


def test_a_loss_that_does_not_look_at_the_example(w):
    check(lambda x: tf.reduce_sum(w**2), w, X)


def test_a_zero_gradient_is_not_scaled(w):
    check(lambda x: tf.reduce_sum(0.0 * x[None] @ w), w, X)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32])
def test_narrow_types_are_measured_in_float32(dtype):
    v = tf.Variable(tf.cast(draw(4, 3) * 100, dtype))
    x = tf.cast(X * 10, dtype)

    def loss(x):
        return tf.reduce_sum(x[None] @ v)

    found, norms = tf.train.per_example_gradients(loss, v, x, clip_norm=1.0, reduction="mean", return_norms=True)
    assert found.dtype == dtype
    assert norms.dtype == tf.float32
    tolerance = 1e-5 if dtype == tf.float32 else 2e-2
    np.testing.assert_allclose(norms, np.sqrt(3 * np.sum((X * 10) ** 2, 1)), rtol=tolerance)


def test_complex_variables_are_fine():
    v = tf.Variable(draw(4, 3) + 1j * draw(4, 3, seed=3))
    check(lambda x: tf.reduce_sum(tf.abs(x[None] @ v) ** 2), v, X + 1j * draw(6, 4, seed=7))


def test_the_mean_is_the_gradient_of_the_batch(w):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.reduce_sum((tf.constant(X) @ w - Y) ** 2, 1))
    found = tf.train.per_example_gradients(
        lambda x, y: tf.reduce_sum((x[None] @ w - y) ** 2), w, X, Y, reduction="mean"
    )
    np.testing.assert_allclose(found, tape.gradient(loss, w), rtol=1e-14)


def test_an_outer_tape_goes_through(w):
    scale = tf.Variable(np.float64(0.7))

    def total(function):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(function() ** 2)
        return tape.gradient(value, scale)

    def loss(x):
        return tf.reduce_sum(tf.sin(x[None] @ w * scale))

    found = total(lambda: tf.train.per_example_gradients(loss, w, X, clip_norm=0.8, reduction="sum"))

    def by_hand():
        each = tf.autodiff.per_example_gradients(loss, w, X)
        norms = tf.sqrt(tf.reduce_sum(each**2, [1, 2], keepdims=True))
        return tf.reduce_sum(each * 0.8 / tf.maximum(norms, tf.constant(0.8, tf.float64)), 0)

    np.testing.assert_allclose(found, total(by_hand), rtol=1e-10)


def test_an_empty_batch_has_zero_gradients(w):
    result, norms = tf.train.per_example_gradients(
        lambda x: tf.reduce_sum(x[None] @ w), [w], X[:0], clip_norm=1.0, reduction="sum", return_norms=True
    )
    np.testing.assert_array_equal(result[0], np.zeros([4, 3]))
    assert norms.shape == (0,)
    assert tf.train.per_example_gradients(lambda x: tf.reduce_sum(x[None] @ w), w, X[:0]).shape == (0, 4, 3)


def test_bad_arguments_are_refused(w):
    def loss(x):
        return tf.reduce_sum(x[None] @ w)

    for clip_norm in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="clip_norm must be positive"):
            tf.train.per_example_gradients(loss, w, X, clip_norm=clip_norm)
    with pytest.raises(ValueError, match="reduction must be one of"):
        tf.train.per_example_gradients(loss, w, X, reduction="max")
    with pytest.raises(ValueError, match="common first size"):
        tf.train.per_example_gradients(loss, w, X, Y[:2])
    with pytest.raises(ValueError, match="common first size"):
        tf.train.per_example_gradients(loss, w)
    with pytest.raises(ValueError, match=r"must be tf\.Variable"):
        tf.train.per_example_gradients(loss, [3.0], X)


def test_traced_functions_work_inside_and_outside(w):
    def loss(x, y):
        return tf.reduce_sum((tf.tanh(x[None] @ w) - y) ** 2)

    expected = tf.train.per_example_gradients(loss, w, X, Y, clip_norm=1.0, reduction="mean")
    traced = tf.train.per_example_gradients(tf.function(loss), w, X, Y, clip_norm=1.0, reduction="mean")
    np.testing.assert_allclose(traced, expected, rtol=1e-12)

    @tf.function
    def step(x, y):
        return tf.train.per_example_gradients(loss, w, x, y, clip_norm=1.0, reduction="mean")

    np.testing.assert_allclose(step(X, Y), expected, rtol=1e-12)
