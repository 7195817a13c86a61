"""Softmax, layer normalisation and biases of large arrays, row by row in machine code: what the NumPy forms give."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.native import engine, pool, thresholds
from gradtape.ops.nn import activations as nn
from gradtape.ops.nn.normalization import standardize
from gradtape.ops.nn.rows import BY_COLUMN, BY_ROW, FULL, RowText

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

SHAPES = [(70_000, 1), (9000, 10), (700, 129), (3, 40, 700), (1, 80_000), (2, 3, 130, 97)]


def draw(shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def both_ways(function, monkeypatch):
    """The results in machine code, and without."""
    fast = function()
    with monkeypatch.context() as patch:
        patch.setattr(RowText, "takes", lambda *args: False)
        return fast, function()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("function", [tf.nn.softmax, tf.nn.log_softmax])
def test_softmax_and_its_gradient(function, shape, dtype, monkeypatch):
    x, weights = tf.constant(draw(shape, dtype) * 5), tf.constant(draw(shape, dtype, 1))

    def value_and_gradient():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            loss = tf.reduce_sum(y * weights)
        return y.numpy(), tape.gradient(loss, x).numpy()

    tolerance = 2e-3 if dtype == np.float16 else 2e-5
    for fast, plain in zip(*both_ways(value_and_gradient, monkeypatch), strict=True):
        assert fast.dtype == dtype
        np.testing.assert_allclose(fast, plain, rtol=tolerance, atol=tolerance)


def test_softmax_of_special_values(monkeypatch):
    x = draw((700, 130))
    x[0, 3], x[1, 4], x[2], x[3, 5], x[4] = np.nan, np.inf, -np.inf, -np.inf, 1e30
    for fast, plain in zip(*both_ways(lambda: [nn._softmax(x, -1), nn._log_softmax(x, -1)], monkeypatch), strict=True):
        np.testing.assert_allclose(fast, plain, rtol=3e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("shape", [(9000, 10), (300, 1000)], ids=str)
def test_cross_entropy_with_class_numbers(shape, dtype, monkeypatch):
    logits = tf.constant(draw(shape, dtype) * 5)
    labels = np.random.default_rng(1).integers(0, shape[1], shape[0])

    def value_and_gradient():
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        return loss.numpy(), tape.gradient(loss, logits).numpy()

    tolerance = 4e-3 if dtype == np.float16 else 1e-5
    for fast, plain in zip(*both_ways(value_and_gradient, monkeypatch), strict=True):
        assert fast.dtype == dtype
        np.testing.assert_allclose(fast, plain, rtol=tolerance, atol=tolerance)


def test_other_axes_stay_with_numpy():
    x = draw((40, 50, 60))
    np.testing.assert_allclose(
        tf.nn.softmax(x, 1), tf.transpose(tf.nn.softmax(tf.transpose(x, [0, 2, 1])), [0, 2, 1]), rtol=1e-5
    )


@pytest.mark.parametrize("shape", [(700, 130), (5, 20, 30, 40), (9000, 8)], ids=str)
@pytest.mark.parametrize("affine", [True, False])
def test_layer_norm_and_its_gradients(shape, affine, monkeypatch):
    x, weights = tf.constant(draw(shape) * 2 + 1), tf.constant(draw(shape, seed=1))
    scale, offset = (tf.constant(draw(shape[-1:], seed=s) + 1) for s in (2, 3))

    def value_and_gradients():
        with tf.GradientTape() as tape:
            tape.watch([x, scale, offset])
            y = tf.nn.experimental.layer_norm(x, *((scale, offset) if affine else ()))
            loss = tf.reduce_sum(y * weights)
        found = tape.gradient(loss, [x, scale, offset] if affine else [x])
        return [y.numpy(), *(g.numpy() for g in found)]

    for fast, plain in zip(*both_ways(value_and_gradients, monkeypatch), strict=True):
        np.testing.assert_allclose(fast, plain, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "settings", [((20_000, 5), 0), ((9, 30, 31, 20), (0, 1, 2)), ((200, 400), (1,)), ((300, 300), 0)], ids=str
)
def test_normalisation_over_axes_with_gradients_of_all_results(settings, dtype, monkeypatch):
    shape, axis = settings
    operands = [draw(shape, dtype) * 2 + 1, draw(shape[-1:], dtype, 2) + 1, draw(shape[-1:], dtype, 3)]
    used = []

    def values_and_gradients():
        x, scale, offset = (tf.constant(v) for v in operands)
        with tf.GradientTape() as tape:
            tape.watch([x, scale, offset])
            y, mean, inverse = standardize.public(x, scale, offset, axis=axis, epsilon=1e-3)
            loss = tf.reduce_sum(y * operands[0] * operands[0]) + tf.reduce_sum(mean**2) + tf.reduce_sum(inverse**3)
        found = tape.gradient(loss, [x, scale, offset])
        return [v.numpy() for v in (y, mean, inverse, *found)]

    call = RowText.__call__
    monkeypatch.setattr(RowText, "__call__", lambda self, *args: (used.append(self), call(self, *args))[1])
    fast, plain = both_ways(values_and_gradients, monkeypatch)
    assert len(set(map(id, used))) >= 3 or not engine.available()  # the values, and the gradients by x and scale
    for got, wanted in zip(fast, plain, strict=True):
        assert got.dtype == dtype
        assert got.shape == wanted.shape
        size = np.abs(wanted).max()
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=size * (1e-5 if dtype == np.float32 else 1e-12))


def test_second_derivatives_pass_through(monkeypatch):
    x = tf.constant(draw((1000, 70)))

    def second(function):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                loss = tf.reduce_sum(function(x) ** 2)
            gradient = inner.gradient(loss, x)
        return outer.gradient(gradient, x).numpy()

    for function in (tf.nn.softmax, tf.nn.experimental.layer_norm):
        fast, plain = both_ways(lambda function=function: second(function), monkeypatch)
        np.testing.assert_allclose(fast, plain, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(8, 30, 30, 32), (700, 129), (70_000, 1)], ids=str)
def test_bias_and_relu_have_the_bits_of_numpy(shape):
    x, bias = draw(shape), draw(shape[-1:], seed=1)
    x.flat[:3] = np.nan, np.inf, -np.inf
    np.testing.assert_array_equal(tf.nn.bias_add(x, bias), x + bias)
    np.testing.assert_array_equal(tf.nn.relu(x), np.maximum(x, 0))
    np.testing.assert_array_equal(tf.nn.relu(np.asfortranarray(x)), np.maximum(x, 0))


def test_any_number_of_cores_and_arrays_with_gaps(monkeypatch):
    x = draw((600, 300))[:, ::2]
    shared = nn._softmax(x, -1)
    np.testing.assert_array_equal(nn._softmax(np.ascontiguousarray(x), -1), shared)
    monkeypatch.setattr(pool, "cores", lambda: 1)
    np.testing.assert_array_equal(nn._softmax(x, -1), shared)


def test_without_machine_code(monkeypatch):
    x = draw((600, 300))
    fast = nn._softmax(x, -1), nn._relu(x)
    monkeypatch.setattr(engine, "available", lambda: False)
    np.testing.assert_allclose(nn._softmax(x, -1), fast[0], rtol=3e-6, atol=1e-7)
    np.testing.assert_array_equal(nn._relu(x), fast[1])


def test_layouts_of_operands_and_results():
    pytest.importorskip("llvmlite", reason="the extra `native` is not installed")
    x, by_row, by_column = draw((300, 401)), draw(300), draw(401)
    text = RowText(
        [FULL, BY_ROW, BY_COLUMN], [("map", lambda x, r, c: x * r + c, (0, 1, 2)), ("max", None, (3,))], [3, 4]
    )
    full, largest = text(x, by_row, by_column)
    np.testing.assert_array_equal(full, x * by_row[:, None] + by_column)
    np.testing.assert_array_equal(largest, full.max(1))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [-1, 2, (2,), (-1,)])
def test_sums_and_maxima_along_rows(axis, keepdims):
    x = draw((30, 40, 70))
    x[0, 0, 3], x[0, 1, 4], x[0, 2] = np.nan, np.inf, -np.inf
    total, mean = tf.reduce_sum(x, axis, keepdims), tf.reduce_mean(x, axis, keepdims)
    np.testing.assert_allclose(total, x.astype(np.float64).sum(axis, keepdims=keepdims), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(mean, x.astype(np.float64).mean(axis, keepdims=keepdims), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(tf.reduce_max(x, axis, keepdims), x.max(axis, keepdims=keepdims))


def test_the_gradient_of_what_was_repeated_along_rows():
    x, weights = draw((500, 200)), draw((500, 1))
    weights = tf.Variable(weights)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(weights * x)
    np.testing.assert_allclose(tape.gradient(loss, weights), x.astype(np.float64).sum(1, keepdims=True), atol=1e-4)


def test_sums_down_the_columns_of_many_rows():
    pytest.importorskip("llvmlite", reason="the extra `native` is not installed")
    text = RowText([FULL, BY_ROW], [("map", np.multiply, (0, 1))], [2], down=True)
    for shape in [(1, 7), (128, 33), (1001, 65), (20_000, 3)]:
        x, by_row = draw(shape), draw(shape[:1])
        (got,) = text(x, by_row)
        np.testing.assert_allclose(got, (x.astype(np.float64) * by_row[:, None]).sum(0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("dtype", "columns"), [(np.float32, 4096), (np.float32, 2_000_000), (np.float64, 100_000)])
def test_errors_do_not_grow_with_the_length_of_a_row(dtype, columns):
    x = np.random.default_rng(0).uniform(0, 1, (-(-thresholds.ROWS_ELEMENTS // columns), columns)).astype(dtype)
    powers = np.exp(x.astype(np.longdouble) - x.max(-1, keepdims=True))
    wanted = powers / powers.sum(-1, keepdims=True)
    assert np.max(np.abs(tf.nn.softmax(x) / wanted - 1)) < 3 * np.finfo(dtype).eps
    squares = x.astype(np.longdouble) ** 2
    total = tf.function(lambda x: tf.reduce_sum(x * x, -1))(x)
    assert np.max(np.abs(total / squares.sum(-1) - 1)) < 3 * np.finfo(dtype).eps


@pytest.mark.parametrize("axis", [2, -3, (0, 0)])
def test_axes_that_do_not_exist_are_refused_for_large_arrays_too(axis):
    x = tf.ones((thresholds.ROWS_ELEMENTS, 2))
    with pytest.raises(tf.errors.InvalidArgumentError):
        standardize(x, tf.ones(2), tf.ones(2), axis=axis)
