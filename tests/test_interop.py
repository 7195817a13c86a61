"""NumPy's and SciPy's functions on tensors: recorded where we have the op, else plain values or an error."""

import operator

import numpy as np
import pytest
import scipy.special

import gradtape as tf
from gradtape.api.interop import from_dlpack

POINT = np.array([[0.3, 1.2, 2.4], [0.7, 1.9, 3.1]])

RECORDED = [
    np.sin, np.cos, np.tan, np.exp, np.log, np.sqrt, np.square, np.tanh, np.sinh, np.cosh, np.arctan,
    np.arcsinh, np.log1p, np.expm1, np.abs, np.negative, np.reciprocal, np.log2, np.log10, np.exp2, np.cbrt,
    np.deg2rad, np.rad2deg, np.degrees, np.positive, np.fabs, np.conjugate,
]  # fmt: skip
OF_TWO = [
    np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum, np.arctan2, np.hypot,
    np.logaddexp, np.fmax, np.fmin, np.float_power,
]  # fmt: skip
UFUNCS = {
    **{function.__name__: function for function in RECORDED},
    "arcsin": lambda a: np.arcsin(a / 4),
    "arccos": lambda a: np.arccos(a / 4),
    "arctanh": lambda a: np.arctanh(a / 4),
    "arccosh": lambda a: np.arccosh(a + 1),
    "fmod": lambda a: np.fmod(a, 2.0),
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "expit": scipy.special.expit,
    "log_expit": scipy.special.log_expit,
    "gammaln": scipy.special.gammaln,
    "digamma": scipy.special.digamma,
    "logit": lambda a: scipy.special.logit(a / 4),
    "entr": scipy.special.entr,
    "xlogy": lambda a: scipy.special.xlogy(a, a),
}
OTHER = np.array([[2.0, 0.7, 1.1], [0.4, 2.6, 1.3]])
for _function in OF_TWO:
    UFUNCS[f"{_function.__name__} left"] = lambda a, function=_function: function(a, OTHER)
    UFUNCS[f"{_function.__name__} right"] = lambda a, function=_function: function(OTHER, a)

FUNCTIONS = {
    "sum": np.sum,
    "sum axis": lambda a: np.sum(a, axis=0),
    "sum keepdims": lambda a: np.sum(a, axis=1, keepdims=True),
    "sum dtype": lambda a: np.sum(a, dtype=np.float64),
    "mean": np.mean,
    "mean axis": lambda a: np.mean(a, axis=-1),
    "prod": np.prod,
    "max": np.max,
    "min axis": lambda a: np.min(a, axis=0),
    "ptp": np.ptp,
    "var": np.var,
    "var ddof": lambda a: np.var(a, axis=1, ddof=1),
    "std": lambda a: np.std(a, axis=0, keepdims=True),
    "cumsum": np.cumsum,
    "cumprod": lambda a: np.cumprod(a, axis=1),
    "diff": np.diff,
    "diff twice": lambda a: np.diff(a, n=2),
    "reshape": lambda a: np.reshape(a, (3, 2)),
    "reshape by columns": lambda a: np.reshape(a, (3, 2), order="F"),
    "ravel": np.ravel,
    "ravel by columns": lambda a: np.ravel(a, order="F"),
    "sort": np.sort,
    "median": np.median,
    "kron": lambda a: np.kron(a, a),
    "transpose": np.transpose,
    "swapaxes": lambda a: np.swapaxes(a, 0, 1),
    "moveaxis": lambda a: np.moveaxis(a[None], 0, 2),
    "expand_dims": lambda a: np.expand_dims(a, 1),
    "squeeze": lambda a: np.squeeze(a[:1]),
    "atleast_2d": lambda a: np.atleast_2d(a[0]),
    "concatenate": lambda a: np.concatenate([a, a * 2], axis=1),
    "concatenate flat": lambda a: np.concatenate([a, a], axis=None),
    "stack": lambda a: np.stack([a, a * 2], axis=1),
    "vstack": lambda a: np.vstack([a, a[0]]),
    "hstack": lambda a: np.hstack([a, a]),
    "split": lambda a: np.split(a, 3, axis=1)[1],
    "split at": lambda a: np.split(a, [1], axis=1)[1],
    "tile": lambda a: np.tile(a, (2, 1)),
    "tile number": lambda a: np.tile(a, 2),
    "tile more axes": lambda a: np.tile(a, (2, 1, 2)),
    "repeat": lambda a: np.repeat(a, 2),
    "roll": lambda a: np.roll(a, 1),
    "roll axis": lambda a: np.roll(a, 2, axis=1),
    "flip": np.flip,
    "fliplr": np.fliplr,
    "flipud": np.flipud,
    "broadcast_to": lambda a: np.broadcast_to(a, (4, 2, 3)),
    "where": lambda a: np.where(a > 1.5, a * a, a),
    "clip": lambda a: np.clip(a, 1.0, 2.0),
    "clip below": lambda a: np.clip(a, 1.0, None),
    "clip by NumPy 2's names": lambda a: np.clip(a, min=1.0, max=2.0),
    "pad": lambda a: np.pad(a, ((1, 0), (0, 2))),
    "take": lambda a: np.take(a, [0, 2], axis=1),
    "take flat": lambda a: np.take(a, [0, 5]),
    "dot": lambda a: np.dot(a, np.ones((3, 2))),
    "dot left": lambda a: np.dot(np.ones((4, 2)), a),
    "dot vector": lambda a: np.dot(a, np.ones(3)),
    "matmul": lambda a: np.matmul(a, np.ones((3, 2))),
    "inner": lambda a: np.inner(a, OTHER),
    "vdot": lambda a: np.vdot(a, OTHER),
    "tensordot": lambda a: np.tensordot(a, np.ones((3, 4)), axes=1),
    "einsum": lambda a: np.einsum("ij,ij->i", a, a),
    "outer": lambda a: np.outer(a, np.array([1.0, 2.0])),
    "matrix_transpose": np.matrix_transpose,
    "norm": np.linalg.norm,
    "norm axis": lambda a: np.linalg.norm(a, axis=1),
    "norm of order 1": lambda a: np.linalg.norm(a, ord=1, axis=0),
    "norm of order 2": lambda a: np.linalg.norm(a, 2),
    "norm frobenius": lambda a: np.linalg.norm(a, "fro"),
    "add.reduce": lambda a: np.add.reduce(a),
    "multiply.reduce": lambda a: np.multiply.reduce(a, axis=1),
    "maximum.reduce": lambda a: np.maximum.reduce(a, axis=None),
    "copy": np.copy,
    "real": np.real,
}


@pytest.mark.parametrize("name", [*UFUNCS, *FUNCTIONS])
@pytest.mark.parametrize("make", [tf.constant, tf.Variable], ids=["tensor", "variable"])
def test_numpy_functions_give_tensors_and_are_recorded(name, make):
    function = UFUNCS.get(name) or FUNCTIONS[name]
    x = make(POINT)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        weighted = tf.reduce_sum(y * WEIGHTS[: y.numpy().size].reshape(y.shape))
    assert isinstance(y, tf.Tensor)
    np.testing.assert_allclose(y.numpy(), function(POINT), rtol=1e-12, atol=1e-12)

    def total(a):
        value = np.asarray(function(a))
        return np.sum(value * WEIGHTS[: value.size].reshape(value.shape))

    numeric = np.zeros_like(POINT)
    for place in np.ndindex(POINT.shape):
        step = np.zeros_like(POINT)
        step[place] = 1e-6
        numeric[place] = (total(POINT + step) - total(POINT - step)) / 2e-6
    gradient = tf.convert_to_tensor(tape.gradient(weighted, x)).numpy()
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-7)


WEIGHTS = np.random.default_rng(1).normal(size=100)


def test_float32_stays_float32():
    x = tf.constant([1.0, 2.0])
    for function in (
        np.sin,
        np.log10,
        np.mean,
        np.cbrt,
        lambda a: np.add(a, 1.0),
        lambda a: np.multiply(np.ones(2), a),
    ):
        assert function(x).dtype == tf.float32


@pytest.mark.parametrize(
    "apply",
    [
        operator.add,
        operator.sub,
        operator.mul,
        operator.truediv,
        operator.pow,
        operator.matmul,
        operator.lt,
        operator.eq,
    ],
)
def test_arrays_on_the_left_give_way_to_the_tensor(apply):
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    result = apply(array, tf.constant(array, tf.float32))
    assert isinstance(result, tf.Tensor)
    np.testing.assert_allclose(result.numpy(), apply(array, array))


def test_an_array_cannot_be_changed_in_place_by_a_tensor():
    array = np.ones(2)
    with pytest.raises(TypeError, match="out"):
        array += tf.constant([1.0, 2.0])
    with pytest.raises(TypeError, match="out"):
        np.add(tf.constant([1.0]), 1.0, out=np.ones(1))


# ---------------------------------------------------------------- where there is no counterpart

WITHOUT = {
    "np.gradient": lambda a: np.gradient(a, axis=1),
    "np.unique": np.unique,
    "np.histogram": lambda a: np.histogram(a)[1],
    "np.add.accumulate": np.add.accumulate,
    "np.sin": lambda a: np.sin(a, dtype=np.float64),
    "np.linalg.cond": np.linalg.cond,
    "np.fft.fft": np.fft.fft,
    "np.nanmedian": np.nanmedian,
    "np.diff": lambda a: np.diff(a, prepend=0.0),
    "np.mean": lambda a: np.mean(a, where=POINT > 1.0),
    "scipy.special.j0": scipy.special.j0,
}


@pytest.mark.parametrize("name", WITHOUT)
def test_where_nobody_follows_the_value_numpy_computes(name):
    np.testing.assert_array_equal(WITHOUT[name](tf.constant(POINT)), WITHOUT[name](POINT))


@pytest.mark.parametrize("name", WITHOUT)
def test_where_a_tape_follows_the_error_names_the_function_and_what_to_do(name):
    x, v = tf.constant(POINT), tf.Variable(POINT)
    with tf.GradientTape() as tape:
        tape.watch(x)
        for value in (x, v):
            with pytest.raises(TypeError, match=rf"{name} has no counterpart.*stop_gradient"):
                WITHOUT[name](value)


def test_where_an_accumulator_follows_it_is_an_error_too():
    x = tf.constant(POINT)
    with tf.autodiff.ForwardAccumulator(x, x), pytest.raises(TypeError, match="no counterpart"):
        np.unique(x)


def test_what_is_said_to_be_cut_is_computed():
    x = tf.constant(POINT)
    with tf.GradientTape() as tape:
        tape.watch(x)
        np.testing.assert_array_equal(np.unique(x.numpy()), np.unique(POINT))
        np.testing.assert_array_equal(np.unique(tf.stop_gradient(x)), np.unique(POINT))


@pytest.mark.parametrize(
    "function",
    [
        np.argsort,
        np.argmax,
        np.isnan,
        np.isfinite,
        np.signbit,
        np.any,
        np.all,
        np.shape,
        np.ndim,
        np.size,
        np.count_nonzero,
        np.nonzero,
        lambda a: np.allclose(a, a),
        lambda a: np.array_equal(a, a),
        lambda a: np.isclose(a, a),
        lambda a: np.logical_and(a, a > 1.0),
        lambda a: np.logical_not(a),
        lambda a: np.searchsorted(np.array([1.0, 2.0]), a),
        lambda a: np.greater(a, 1.0),
    ],
)
def test_truth_values_and_indices_lose_nothing_under_a_tape(function):
    x = tf.constant(POINT)
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = function(x)
    for ours, expected in zip(tf.nest.flatten(result), tf.nest.flatten(function(POINT)), strict=True):
        np.testing.assert_array_equal(np.asarray(ours), expected)


def test_explicit_conversion_cuts_as_numpy_does():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(np.asarray(x)) * 2.0
    assert tape.gradient(y, x) is None


# ---------------------------------------------------------------- DLPack


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "complex64", "bool"])
def test_dlpack_carries_the_value_both_ways(dtype):
    x = tf.cast([[1, 0], [2, 3]], dtype)
    array = np.from_dlpack(x)
    assert array.dtype.name == dtype
    assert array.tolist() == x.numpy().tolist()
    again = from_dlpack(array)
    assert again.numpy().tolist() == x.numpy().tolist()
    assert again.dtype == dtype


def test_dlpack_gives_copies():
    source = np.ones(2, np.float32)
    x = from_dlpack(source)
    source[0] = 5.0
    assert x.numpy().tolist() == [1.0, 1.0]
    exported = np.from_dlpack(x)
    if exported.flags.writeable:
        exported[0] = 9.0
    assert x.numpy().tolist() == [1.0, 1.0]


def test_what_has_no_dlpack_is_an_error():
    with pytest.raises(TypeError, match="__dlpack__"):
        from_dlpack([1.0])
