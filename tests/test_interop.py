"""NumPy's and SciPy's functions on tensors: recorded where we have the op, else plain values or an error."""

import functools
import math
import operator

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.optimize
import scipy.special
import scipy.stats

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
    "interp": lambda a: np.interp(a, [0.0, 1.0, 4.0], [1.0, 3.0, 2.0]),
    "interp outside": lambda a: np.interp([0.0, 0.5, 9.0], a[0], a[1], left=7.0, right=8.0),
    "diag": lambda a: np.diag(a[0]),
    "diag part": lambda a: np.diag(a, 1),
    "append": lambda a: np.append(a, a * 2),
    "append axis": lambda a: np.append(a, a[:1], axis=0),
    "trapezoid": np.trapezoid,
    "trapezoid at points": lambda a: np.trapezoid(a, [0.0, 1.0, 3.0]),
    "gradient": lambda a: np.gradient(a, axis=1),
    "gradient at points": lambda a: np.gradient(a, [0.0, 1.0, 3.0], axis=1, edge_order=2),
    "gradient of positions": lambda a: np.gradient([1.0, 5.0, 2.0], a[0]),
    "gradient of all axes": lambda a: np.stack(np.gradient(a, 2.0)),
    "ediff1d": lambda a: np.ediff1d(a, to_begin=7.0, to_end=[8.0, 9.0]),
    "diff of more": lambda a: np.diff(a, prepend=0.0, append=a[:, :1]),
    "delete": lambda a: np.delete(a, 1, axis=1),
    "delete slice": lambda a: np.delete(a, slice(0, 2)),
    "insert": lambda a: np.insert(a, 1, [7.0, 8.0], axis=1),
    "insert flat": lambda a: np.insert(a, [0, 2], a[0, :2]),
    "block": lambda a: np.block([[a, a * 2], [a[:1], a[1:]]]),
    "unstack": lambda a: np.unstack(a, axis=1)[2],
    "rollaxis": lambda a: np.rollaxis(a[None], 2),
    "astype": lambda a: np.astype(a, np.float64),
    "cumulative_sum": lambda a: np.cumulative_sum(a, axis=1, include_initial=True),
    "cumulative_prod": lambda a: np.cumulative_prod(a, axis=0),
    "fft": lambda a: np.abs(np.fft.fft(a)),
    "fft of a length": lambda a: np.abs(np.fft.fft(a, 5, axis=0, norm="ortho")),
    "ifft": lambda a: np.abs(np.fft.ifft(a)),
    "fft2": lambda a: np.abs(np.fft.fft2(a)),
    "ifft2": lambda a: np.abs(np.fft.ifft2(a, norm="forward")),
    "fftn": lambda a: np.abs(np.fft.fftn(a, axes=(0,))),
    "ifftn": lambda a: np.abs(np.fft.ifftn(a)),
    "rfft": lambda a: np.abs(np.fft.rfft(a)),
    "irfft": lambda a: np.fft.irfft(a, 3),
    "rfft2": lambda a: np.abs(np.fft.rfft2(a)),
    "irfft2": lambda a: np.fft.irfft2(a, s=(2, 3), axes=(0, 1)),
    "rfftn": lambda a: np.abs(np.fft.rfftn(a)),
    "irfftn": lambda a: np.fft.irfftn(a, s=(2, 3), axes=(0, 1)),
    "hfft": lambda a: np.fft.hfft(a),
    "ihfft": lambda a: np.abs(np.fft.ihfft(a)),
    "fftshift": np.fft.fftshift,
    "ifftshift": lambda a: np.fft.ifftshift(a, axes=1),
    "det": lambda a: np.linalg.det(_square(a)),
    "slogdet": lambda a: np.linalg.slogdet(_square(a))[1],
    "inv": lambda a: np.linalg.inv(_square(a)),
    "pinv": np.linalg.pinv,
    "solve": lambda a: np.linalg.solve(_square(a), a[:, 0]),
    "solve right": lambda a: np.linalg.solve([[2.0, 1.0], [0.0, 3.0]], a),
    "cholesky": lambda a: np.linalg.cholesky(_square(a)),
    "qr": lambda a: np.linalg.qr(_square(a))[1] ** 2,
    "eigh": lambda a: np.linalg.eigh(_square(a))[0],
    "eigvalsh": lambda a: np.linalg.eigvalsh(_square(a)),
    "eig": lambda a: np.sort(np.real(np.linalg.eig(_square(a))[0])),
    "eigvals": lambda a: np.sort(np.real(np.linalg.eigvals(_square(a)))),
    "svd": lambda a: np.linalg.svd(a)[1],
    "svd values": lambda a: np.linalg.svd(a, compute_uv=False),
    "svdvals": np.linalg.svdvals,
    "cond": np.linalg.cond,
    "cond of order 1": lambda a: np.linalg.cond(_square(a), 1),
    "lstsq": lambda a: np.linalg.lstsq(
        a.T if isinstance(a, np.ndarray) else tf.transpose(a), [1.0, 2.0, 5.0], rcond=None
    )[0],
    "lstsq residuals": lambda a: np.linalg.lstsq([[1.0, 1.0], [1.0, 2.0], [0.0, 3.0]], np.transpose(a), rcond=None)[1],
    "matrix_power": lambda a: np.linalg.matrix_power(_square(a), 3),
    "multi_dot": lambda a: np.linalg.multi_dot([a, np.ones((3, 4)), np.arange(4.0)]),
    "matrix_norm": np.linalg.matrix_norm,
    "vector_norm": lambda a: np.linalg.vector_norm(a, axis=(0, 1), keepdims=True),
    "vector_norm of order 3": lambda a: np.linalg.vector_norm(a, ord=3),
    "tensorinv": lambda a: np.linalg.tensorinv(_square(a), ind=1),
    "tensorsolve": lambda a: np.linalg.tensorsolve(_square(a), a[:, 0]),
    "linalg.cross": lambda a: np.linalg.cross(a, OTHER),
    "linalg.diagonal": lambda a: np.linalg.diagonal(a),
    "linalg.trace": np.linalg.trace,
    "linalg.vecdot": lambda a: np.linalg.vecdot(a, OTHER),
    "linalg.tensordot": lambda a: np.linalg.tensordot(a, OTHER, axes=((1,), (1,))),
    "linalg.matrix_transpose": np.linalg.matrix_transpose,
}


def _square(a):
    """A symmetric positive definite matrix that depends on all elements."""
    return np.matmul(a, np.transpose(a)) + np.eye(2)


@pytest.mark.parametrize("name", [*UFUNCS, *FUNCTIONS])
@pytest.mark.parametrize("make", [tf.constant, tf.Variable], ids=["tensor", "variable"])
def test_where_a_tape_follows_numpy_functions_give_tensors_and_are_recorded(name, make):
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


@pytest.mark.parametrize("name", [*UFUNCS, *FUNCTIONS])
@pytest.mark.parametrize("make", [tf.constant, tf.Variable], ids=["tensor", "variable"])
def test_where_nobody_follows_numpy_functions_give_what_numpy_gives(name, make):
    function = UFUNCS.get(name) or FUNCTIONS[name]
    ours, expected = function(make(POINT)), function(POINT)
    if not isinstance(ours, tf.Tensor):  # (an operator or a key inside of the function may give one)
        assert type(ours) is type(expected)
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-12)


def test_float32_stays_float32_where_a_tape_follows():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        for function in (
            np.sin,
            np.log10,
            np.mean,
            np.cbrt,
            lambda a: np.add(a, 1.0),
            lambda a: np.multiply(np.ones(2), a),
        ):
            assert function(x).dtype == tf.float32


# ---------------------------------------------------------------- arrays where nobody follows


def test_programs_that_expect_numpy_back_get_it():
    x = tf.constant([[0.1, 0.2, 0.7]])
    draws = np.random.RandomState(1)
    for _ in range(50):
        p = tf.nn.softmax(tf.constant(draws.normal(size=(1, 7)), tf.float32))
        assert 0 <= draws.choice(7, p=np.squeeze(p)) < 7
    zeros = np.zeros_like(x)
    zeros[0] = 1
    assert [7] * np.prod(tf.shape(x)) == [7, 7, 7]
    assert np.mean(x).item() == pytest.approx(1 / 3)
    assert np.argmax(x, axis=1).tolist() == [2]
    assert np.round(x, 1).astype(int).T.shape == (3, 1)
    out = np.zeros((1, 3), np.float32)
    assert np.add(x, 1.0, out=out) is out


def test_scipy_takes_functions_that_are_made_of_tensors():
    def rosenbrock(point):
        x = tf.constant(point)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
        return y, tape.gradient(y, x)

    for method in ("BFGS", "L-BFGS-B", "CG", "TNC", "SLSQP", "trust-constr"):
        found = scipy.optimize.minimize(rosenbrock, np.zeros(3), jac=True, method=method)
        np.testing.assert_allclose(found.x, np.ones(3), atol=1e-2)
    for method in ("RK45", "LSODA", "BDF"):
        decay = scipy.integrate.solve_ivp(
            lambda t, y: -tf.constant(y), (0.0, 1.0), [1.0, 2.0], method=method, rtol=1e-6
        )
        np.testing.assert_allclose(decay.y[:, -1], np.exp(-1.0) * np.array([1.0, 2.0]), rtol=1e-4)


def test_a_tensor_that_a_function_refers_to_is_recorded_in_it():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda: np.sum(np.square(x)))()
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_inside_a_function_numpy_functions_give_symbolic_tensors():
    seen = []

    @tf.function
    def f(x):
        seen.extend([np.sin(x), np.zeros_like(x), np.mean(x)])
        return np.sin(x) + np.zeros_like(x) + np.mean(x)

    assert f(tf.constant([0.5])).numpy() == pytest.approx(np.sin(0.5) + 0.5)
    assert all(isinstance(value, tf.Tensor) for value in seen)


def test_a_variable_counts_as_followed_where_a_tape_would_watch_it():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape():
        assert isinstance(np.sin(v), tf.Tensor)
    with tf.GradientTape(watch_accessed_variables=False):
        assert isinstance(np.sin(v), np.ndarray)
    with tf.GradientTape() as tape, tape.stop_recording():
        assert isinstance(np.sin(v), np.ndarray)


def test_a_switch_gives_tensors_always():
    x = tf.constant([1.0, 2.0])
    tf.config.return_tensors_from_numpy(True)
    try:
        assert tf.config.numpy_returns_tensors()
        assert all(isinstance(value, tf.Tensor) for value in (np.sin(x), np.sum(x), np.argmax(x), np.any(x)))
    finally:
        tf.config.return_tensors_from_numpy(False)
    assert isinstance(np.sin(x), np.ndarray)


def test_shapes_and_answers_are_numpys_under_a_tape_too():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        blank = np.zeros_like(x)
        blank[0] = 1.0
        for answer in (np.argmax(x), np.isnan(x), np.any(x), np.full_like(x, 2.0), np.greater(x, 1.0)):
            assert not isinstance(answer, tf.Tensor)
        filled = np.full_like(x, x[0])
    assert tape.gradient(filled, x).numpy().tolist() == [2.0, 0.0]


def test_numpys_choice_takes_float32_probabilities_that_a_tape_follows():
    draws = np.random.RandomState(1)
    logits = [tf.constant(draws.normal(size=(1, 9)), tf.float32) for _ in range(50)]
    for generator in (np.random.RandomState(3), np.random.default_rng(3)):
        state = generator.get_state() if hasattr(generator, "get_state") else generator.bit_generator.state
        with tf.GradientTape() as tape:
            tape.watch(logits)
            ours = [generator.choice(9, p=np.squeeze(tf.nn.softmax(x))) for x in logits]
        if hasattr(generator, "set_state"):
            generator.set_state(state)
        else:
            generator.bit_generator.state = state
        assert ours == [generator.choice(9, p=np.squeeze(tf.nn.softmax(x).numpy())) for x in logits]
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="sum to 1"):
        tape.watch(logits)
        np.random.choice(2, p=tf.constant([0.5, 0.6]) * 1.0)


# ---------------------------------------------------------------- operators


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


def test_every_way_to_write_an_operator_gives_a_tensor_and_the_function_an_array():
    array, x = np.ones(2), tf.constant([1.0, 2.0])
    add = operator.add
    ways = [
        array + x,
        np.float32(2) + x,
        operator.add(array, x),
        add(array, x),
        sum([np.float32(1), x]),
        *map(add, [array], [x]),
    ]
    ways += [array < x, array == x, np.float32(2) ** x, functools.reduce(operator.mul, [array, x])]
    for result in ways:
        assert isinstance(result, tf.Tensor)
    call = np.add
    for result in (
        np.add(array, x),
        call(array, x),
        np.add(*[array, x]),
        vars(np)["add"](array, x),
        np.add(x, array),
    ):
        assert isinstance(result, np.ndarray)
        assert result.dtype == np.float64


def test_an_array_that_a_tensor_is_added_to_becomes_a_tensor():
    array = before = np.ones(2)
    array += tf.constant([1.0, 2.0])
    assert isinstance(array, tf.Tensor)
    assert before.tolist() == [1.0, 1.0]


def test_a_followed_tensor_cannot_be_computed_into_an_array():
    x = tf.constant([1.0])
    with tf.GradientTape() as tape, pytest.raises(TypeError, match="out"):
        tape.watch(x)
        np.add(x, 1.0, out=np.ones(1))


# ---------------------------------------------------------------- where there is no counterpart

WITHOUT = {
    "np.unique": np.unique,
    "np.histogram": lambda a: np.histogram(a)[1],
    "np.add.accumulate": np.add.accumulate,
    "np.sin": lambda a: np.sin(a, dtype=np.float64),
    "np.polyfit": lambda a: np.polyfit(a[0], a[1], 1),
    "np.nanmedian": np.nanmedian,
    "np.interp": lambda a: np.interp(a, [0.0, 1.0], [0.0, 1.0], period=3.0),
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


# ---------------------------------------------------------------- values that leave


RNG = np.random.default_rng(1)
ACCIDENTS = {
    "math.sin": lambda x: math.sin(x[0]),
    "math.pow": lambda x: math.pow(x[0], 2),
    "scipy.linalg": lambda x: scipy.linalg.solve(np.eye(2), x),
    "vectorize": lambda x: np.vectorize(lambda v: 2 * v)(x),
    "normal": lambda x: RNG.normal(x),
    "legacy normal": lambda x: np.random.normal(x[0]),
    "scipy.stats": lambda x: scipy.stats.norm.pdf(x),
}
INTENDED = {
    "numpy": lambda x: x.numpy(),
    "print": lambda x: (str(x), repr(x), f"{x[0]:.3f}", "%s" % x, "%.2f" % x[0]),  # noqa: UP031
    "float": lambda x: float(x[0]),
    "asarray": lambda x: (np.asarray(x), np.array(x), np.array([x[0], x[1]]), np.float32(x[0])),
    "list": lambda x: [float(v) for v in x],
    "isnan": lambda x: (math.isnan(x[0]), math.isfinite(x[0]), math.floor(x[0])),
    "testing": lambda x: np.testing.assert_allclose(x, x),
    "choice": lambda x: np.random.choice(2, p=x / tf.reduce_sum(x)),
    "assigned": lambda x: np.zeros(2).__setitem__(slice(None), x),
    "answers": lambda x: (np.allclose(x, x), np.argsort(x), np.unique(x.numpy())),
    "ours": lambda x: (tf.reshape(x, [1, 2]), tf.fill([2], x[0]), x[int(x[0])]),
}


@pytest.mark.parametrize("name", ACCIDENTS)
def test_a_function_that_computes_with_a_followed_value_is_named_once_with_the_line(name, caplog):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 1.0
        for _ in range(3):
            ACCIDENTS[name](y)
    (record,) = caplog.records
    line = ACCIDENTS[name].__code__.co_firstlineno
    assert f"test_interop.py:{line}: " in record.getMessage()


@pytest.mark.parametrize("name", ACCIDENTS)
def test_nothing_is_said_where_nobody_follows(name, caplog):
    ACCIDENTS[name](tf.constant([1.0, 2.0]))
    with tf.GradientTape():
        ACCIDENTS[name](tf.constant([1.0, 2.0]))
    assert not caplog.records


@pytest.mark.parametrize("name", INTENDED)
def test_what_is_read_on_purpose_is_no_reason_to_warn(name, caplog):
    x = tf.constant([0.25, 0.75])
    with tf.GradientTape() as tape:
        tape.watch(x)
        INTENDED[name](x * 1.0)
    assert not caplog.records


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
