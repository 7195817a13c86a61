"""The tape follows every family of ops: derivatives against differences, in float64."""

import numpy as np
import pytest

import gradtape as tf

ops = tf.keras.ops

SHAPES = {"vector": (6,), "matrix": (3, 4), "square": (3, 3), "image": (2, 5, 6, 2), "batch": (2, 3, 4)}

CASES = {
    # numpy, one operand
    **{
        name: ("vector", getattr(ops, name))
        for name in (
            *("absolute", "arccos", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "cos", "cosh", "deg2rad", "exp"),
            *(
                "exp2",
                "expm1",
                "i0",
                "log",
                "log10",
                "log1p",
                "log2",
                "negative",
                "rad2deg",
                "reciprocal",
                "sin",
                "sinc",
            ),
            *("sinh", "sqrt", "square", "tan", "tanh", "nan_to_num", "erf", "erfc", "erfinv", "rsqrt"),
        )
    },
    # two operands
    "divide": ("vector", lambda x: ops.divide(x, x[::-1] + 2)),
    "divide_no_nan": ("vector", lambda x: ops.divide_no_nan(x, x[::-1])),
    "power": ("vector", lambda x: ops.power(x, 1.5)),
    "arctan2": ("vector", lambda x: ops.arctan2(x, 0.3)),
    "hypot": ("vector", lambda x: ops.hypot(x, x[::-1])),
    "logaddexp": ("vector", lambda x: ops.logaddexp(x, x[::-1])),
    "maximum": ("vector", lambda x: ops.maximum(x, 0.4)),
    "fmin": ("vector", lambda x: ops.fmin(x, 0.4)),
    "mod": ("vector", lambda x: ops.mod(x, 0.25)),
    "clip": ("vector", lambda x: ops.clip(x, 0.3, 0.6)),
    "where": ("vector", lambda x: ops.where(x > 0.5, x * x, 2.0)),
    "select": ("vector", lambda x: ops.select([x > 0.6, x > 0.3], [x * x, x], 0.0)),
    # reductions
    "sum": ("matrix", lambda x: ops.sum(x, axis=0)),
    "prod": ("matrix", lambda x: ops.prod(x, axis=-1)),
    "mean": ("matrix", lambda x: ops.mean(x, axis=(0, 1))),
    "var": ("matrix", lambda x: ops.var(x, axis=1, keepdims=True)),
    "std": ("matrix", lambda x: ops.std(x, axis=0)),
    "max": ("matrix", lambda x: ops.max(x, axis=1, initial=0.2)),
    "ptp": ("matrix", lambda x: ops.ptp(x, axis=0)),
    "average": ("matrix", lambda x: ops.average(x, axis=1, weights=[1.0, 2.0, 3.0, 4.0])),
    "median": ("matrix", lambda x: ops.median(x, axis=1)),
    "quantile": ("matrix", lambda x: ops.quantile(x, [0.1, 0.7], axis=0)),
    "nanmean": ("matrix", lambda x: ops.nanmean(ops.where(x > 0.3, x, np.nan))),
    "nanvar": ("matrix", lambda x: ops.nanvar(ops.where(x > 0.3, x, np.nan))),
    "cumsum": ("matrix", lambda x: ops.cumsum(x, axis=1)),
    "cumprod": ("matrix", lambda x: ops.cumprod(x, axis=None)),
    "logsumexp": ("matrix", lambda x: ops.logsumexp(x, axis=1)),
    "corrcoef": ("matrix", ops.corrcoef),
    # shapes
    "reshape": ("matrix", lambda x: ops.reshape(x, (2, None))),
    "transpose": ("batch", lambda x: ops.transpose(x, (2, 0, 1))),
    "stack": ("matrix", lambda x: ops.stack([x, x * 2], axis=1)),
    "split": ("matrix", lambda x: ops.split(x, [1, 3], axis=1)[1]),
    "array_split": ("vector", lambda x: ops.array_split(x, 4)[0]),
    "tile": ("matrix", lambda x: ops.tile(x, (2, 1))),
    "repeat": ("matrix", lambda x: ops.repeat(x, 2, axis=1)),
    "roll": ("matrix", lambda x: ops.roll(x, 2)),
    "rot90": ("matrix", ops.rot90),
    "pad": ("matrix", lambda x: ops.pad(x, ((1, 0), (2, 1)), mode="reflect")),
    "diag": ("vector", lambda x: ops.diag(x, k=1)),
    "diagonal": ("batch", lambda x: ops.diagonal(x, offset=1, axis1=1, axis2=2)),
    "tril": ("square", ops.tril),
    "take": ("matrix", lambda x: ops.take(x, [[0, -1], [1, 1]], axis=1)),
    "take_along_axis": ("matrix", lambda x: ops.take_along_axis(x, [[0], [-1], [2]], axis=1)),
    "sort": ("matrix", lambda x: ops.sort(x, axis=0)),
    "linspace": ("vector", lambda x: ops.linspace(x, 2.0, 4)),
    "vander": ("vector", lambda x: ops.vander(x, 3)),
    "bincount": ("vector", lambda x: ops.bincount([0, 2, 1, 2, 0, 0], weights=x)),
    # products
    "matmul": ("batch", lambda x: ops.matmul(x, ops.swapaxes(x, 1, 2))),
    "dot": ("square", lambda x: ops.dot(x, x)),
    "tensordot": ("batch", lambda x: ops.tensordot(x, x, axes=((1, 2), (1, 2)))),
    "einsum": ("batch", lambda x: ops.einsum("abc,adc->abd", x, x)),
    "kron": ("square", lambda x: ops.kron(x, x)),
    "cross": ("square", lambda x: ops.cross(x, x[::-1])),
    "outer": ("vector", lambda x: ops.outer(x, x)),
    "trace": ("square", ops.trace),
    "correlate": ("vector", lambda x: ops.correlate(x, x[:3], mode="same")),
    "trapezoid": ("matrix", ops.trapezoid),
    "diff": ("matrix", lambda x: ops.diff(x, n=2)),
    # linalg and math
    "det": ("square", ops.det),
    "inv": ("square", ops.inv),
    "cholesky": ("square", lambda x: ops.cholesky(ops.matmul(x, ops.transpose(x)) + ops.eye(3, dtype="float64"))),
    "solve": ("square", lambda x: ops.solve(x + 2 * ops.eye(3, dtype="float64"), x[0])),
    "norm": ("matrix", lambda x: ops.norm(x, ord=1, axis=(0, 1))),
    "lstsq": ("matrix", lambda x: ops.lstsq(ops.transpose(x), x[0])),
    "segment_sum": ("matrix", lambda x: ops.segment_sum(x, np.array([0, 1, 0]), num_segments=2)),
    "segment_max": ("matrix", lambda x: ops.segment_max(x, np.array([0, 1, 0]), num_segments=2)),
    "top_k": ("matrix", lambda x: ops.top_k(x, 2)[0]),
    "fft": ("matrix", lambda x: ops.fft((x, x * 2))[1]),
    "stft": ("vector", lambda x: ops.stft(x, 2, 1, 4)[0]),
    # nn
    **{
        name: ("vector", getattr(ops, name))
        for name in (
            *("relu", "relu6", "sigmoid", "softplus", "softsign", "silu", "log_sigmoid", "leaky_relu", "hard_sigmoid"),
            *("elu", "selu", "gelu", "celu", "softmax", "log_softmax", "sparsemax", "squareplus", "tanh_shrink"),
            *("soft_shrink", "hard_shrink", "sparse_plus", "sparse_sigmoid", "hard_silu", "hard_tanh", "glu"),
        )
    },
    "max_pool": ("image", lambda x: ops.max_pool(x, 2, padding="same")),
    "average_pool": ("image", lambda x: ops.average_pool(x, (2, 3), 1)),
    "adaptive_average_pool": ("image", lambda x: ops.adaptive_average_pool(x, (3, 4))),
    "adaptive_max_pool": ("image", lambda x: ops.adaptive_max_pool(x, (3, 4))),
    "conv": ("image", lambda x: ops.conv(x, x[0, :3, :3, :, None], 2, "same")),
    "depthwise_conv": ("image", lambda x: ops.depthwise_conv(x, x[0, :2, :2, :, None], (2, 2), dilation_rate=2)),
    "conv_transpose": ("image", lambda x: ops.conv_transpose(x, x[:, :2, :3, :][0][:, :, None], 2, "same")),
    "unfold": ("image", lambda x: ops.unfold(ops.transpose(x, (0, 3, 1, 2)), 2, padding=1)),
    "fold": ("batch", lambda x: ops.fold(ops.tile(x, (1, 4, 1)), (3, 3), 2)),
    "moments": ("image", lambda x: ops.moments(x, axes=[0, 1])[1]),
    "batch_normalization": ("matrix", lambda x: ops.batch_normalization(x, x[:, 0], x[:, 1], axis=0, offset=x[:, 2])),
    "layer_normalization": ("matrix", lambda x: ops.layer_normalization(x, gamma=x[0], beta=x[1])),
    "attention": ("image", lambda x: ops.dot_product_attention(x, x, x, is_causal=True)),
    "categorical_crossentropy": ("matrix", lambda x: ops.categorical_crossentropy(x * x, x)),
    "sparse_categorical_crossentropy": ("matrix", lambda x: ops.sparse_categorical_crossentropy([1, 0, 3], x)),
    "binary_crossentropy": ("matrix", lambda x: ops.binary_crossentropy(ops.round(x), x)),
    "ctc_loss": ("batch", lambda x: ops.ctc_loss([[1, 2], [3, 3]], x, [2, 1], [3, 3])),
    "psnr": ("image", lambda x: ops.psnr(x, x * x, 1.0)),
    # image
    "resize": ("image", lambda x: ops.cast(ops.image.resize(x, (3, 4), antialias=True), "float64")),
    "scale_and_translate": (
        "matrix",
        lambda x: ops.image.scale_and_translate(x, (4, 4), x[0, :2] + 0.5, x[1, :2], (0, 1), "cubic"),
    ),
    "map_coordinates": ("matrix", lambda x: ops.image.map_coordinates(x, x[:2] * 2, 1, fill_mode="reflect")),
    "gaussian_blur": ("image", ops.image.gaussian_blur),
    "sobel_edges": ("image", ops.image.sobel_edges),
    "rgb_to_grayscale": ("batch", lambda x: ops.image.rgb_to_grayscale(x[..., :3])),
}
NARROW = {"resize": 1e-2}  # computed in float32


@pytest.mark.parametrize("name", CASES)
def test_the_derivative_is_what_differences_say(name):
    kind, function = CASES[name]
    rng = np.random.default_rng(len(name))
    point = rng.uniform(0.1, 0.9, SHAPES[kind])
    direction = rng.normal(size=point.shape)
    x = tf.constant(point)
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = function(x)
    weights = rng.normal(size=result.shape)
    gradient = tape.gradient(result, x, output_gradients=tf.constant(weights))
    step = NARROW.get(name, 1e-5)
    after, before = (np.asarray(function(tf.constant(point + sign * step * direction))) for sign in (1, -1))
    expected = np.sum(weights * (after - before)) / (2 * step)
    assert np.sum(gradient.numpy() * direction) == pytest.approx(expected, rel=1e-4, abs=1e-6)


def test_a_lookup_in_a_variable_has_a_gradient_of_the_rows_that_were_read():
    table = tf.keras.Variable(np.arange(12.0).reshape(4, 3))
    with tf.GradientTape() as tape:
        y = ops.sum(ops.take(table, [1, -1, 1], axis=0))
    gradient = tf.convert_to_tensor(tape.gradient(y, table))
    assert gradient.numpy()[:, 0].tolist() == [0.0, 2.0, 0.0, 1.0]


def test_a_cross_entropy_of_probabilities_goes_back_to_their_logits():
    logits = tf.constant([[120.0, 0.0, -120.0]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = ops.sparse_categorical_crossentropy([2], ops.softmax(logits))
    assert loss.numpy()[0] == 240.0
    assert tape.gradient(loss, logits).numpy().tolist() == [[1.0, 0.0, -1.0]]


def test_a_forward_derivative_through_keras():
    value, change = tf.keras.ops.jvp(lambda x: ops.sum(x**2), (tf.constant([1.0, 3.0]),), (tf.constant([1.0, 0.5]),))
    assert (float(value), float(change)) == (10.0, 5.0)


# Where another operand, written into the case, has the sizes of this one.
OF_ONE_SIZE = {
    *(
        "bincount",
        "correlate",
        "det",
        "inv",
        "segment_sum",
        "segment_max",
        "sparse_categorical_crossentropy",
        "ctc_loss",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_traced_function_gives_the_same_for_an_axis_of_unknown_size(name):
    kind, function = CASES[name]
    x = tf.constant(np.random.default_rng(1).uniform(0.1, 0.9, SHAPES[kind]))
    sizes = SHAPES[kind] if name in OF_ONE_SIZE else (None, *SHAPES[kind][1:])
    traced = tf.function(function, input_signature=[tf.TensorSpec(sizes, tf.float64)])
    np.testing.assert_allclose(traced(x), function(x), rtol=1e-9, atol=1e-12)
