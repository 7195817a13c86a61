"""`np.f(tensor)` is `gradtape.numpy.f(tensor)`: one implementation for each of NumPy's functions.

The table has every function that both offer. Values and types are NumPy's, gradients are those of differences; at points
where differences say little (0, infinity, ties, NaN), a table has the right ones.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradtape as tf
import gradtape.numpy as tnp

A = np.array([[0.3, 1.2, 2.4], [0.7, 1.9, 3.1]])
B = np.array([[2.0, 0.7, 1.1], [0.4, 2.6, 1.3]])
SQUARE = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.1]])
VECTOR = np.array([0.5, 1.5, 2.5])
WEIGHTS = np.random.default_rng(5).normal(size=500)
NAMES = {
    **{name: getattr(np, name, None) for name in tnp.__all__},
    **{f"linalg.{name}": getattr(np.linalg, name, None) for name in vars(tnp.linalg)},
}
UFUNCS = {name: f for name, f in NAMES.items() if isinstance(f, np.ufunc)}
FUNCTIONS = {name: f for name, f in NAMES.items() if hasattr(f, "_implementation")}  # (those that ask their operands)

# Not called with a tensor first: their tests are below.
OTHERWISE = {
    "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack", "einsum", "select", "compress", "where",
    "histogram", "ix_", "packbits", "unpackbits", "lexsort", "result_type", "shape", "ndim", "size", "iscomplexobj", "isrealobj",
    "empty_like", "block", "cumulative_sum", "cumulative_prod", "linalg.multi_dot",
}  # fmt: skip
INTEGERS = np.array([[1, 2, 3], [4, 5, 6]])
OF_INTEGERS = {
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "invert", "left_shift", "right_shift", "gcd", "lcm",
    "bitwise_count",
}  # fmt: skip
FIRST = {
    **dict.fromkeys(("arcsin", "arccos", "arctanh"), A / 4),
    "arccosh": A + 1,
    **dict.fromkeys(OF_INTEGERS, INTEGERS),
    **dict.fromkeys(("polyval", "convolve", "correlate", "vander", "diagflat", "linalg.outer"), VECTOR),
    **{
        name: SQUARE
        for name in FUNCTIONS
        if name.startswith("linalg.") and name not in ("linalg.norm", "linalg.matmul")
    },
    "linalg.outer": VECTOR,
    "dsplit": A.reshape(1, 3, 2),
}
SECOND = {**dict.fromkeys(OF_INTEGERS, np.array([2, 1, 2])), "ldexp": np.array([2, 1, 2])}
# NumPy reads one triangle of a symmetric matrix, and the derivative is symmetric; or signs are free.
NO_DIFFERENCES = {
    "linalg.cholesky",
    "linalg.eigh",
    "linalg.eigvalsh",
    "linalg.svd",
    "linalg.qr",
    "linalg.eig",
    "linalg.eigvals",
}
# The arguments after the first one, which is a tensor; a function that is not listed is called with nothing else.
ARGUMENTS: dict[str, list[tuple]] = {
    "reshape": [((3, 2),), ((-1,), "F")],
    "ravel": [(), ("F",)],
    "transpose": [(), ((1, 0),)],
    "swapaxes": [(0, 1), (-1, 0)],
    "moveaxis": [(0, 1), ((0, 1), (1, 0))],
    "expand_dims": [(0,), ((0, 2),)],
    "broadcast_to": [((4, 2, 3),)],
    "append": [(B,), (B, 1)],
    "array_split": [(2, 1), ([1], 1)],
    "split": [(2,), ([1, 2], 1)],
    "vsplit": [(2,)],
    "hsplit": [(3,)],
    "tile": [(2,), ((2, 1, 2),)],
    "repeat": [(2,), ([1, 2, 0], 1)],
    "roll": [(1,), ((1, 2), (0, 1))],
    "flip": [(), (1,), ((0, 1),)],
    "rot90": [(), (3,)],
    "pad": [(1,), (((1, 0), (0, 2)), "constant"), (1, "reflect")],
    "take": [([0, 2], 1), ([0, -1],), ([0, 7], None, None, "wrap")],
    "take_along_axis": [(np.array([[1, 0, 1]]), 0)],
        "sum": [(), (0,), ((0, 1),), (1, np.float64), (1, None, None, True)],
    "mean": [(), (0,), (1, np.float64, None, True)],
    "prod": [(), (0,)],
    "max": [(), (0,), (1, None, True)],
    "min": [(), (0,)],
    "median": [(), (0,), (1, None, False, True)],
    "quantile": [(0.3,), ([0.1, 0.9], 1)],
    "percentile": [(30.0,), ([10.0, 90.0], 1)],
    "std": [(), (0,), (1, None, None, 1, True)],
    "var": [(), (0,), (1, None, None, 1, True)],
    "cumsum": [(), (1,)],
    "cumprod": [(), (1,)],
    "diff": [(), (2,), (1, 0)],
    "average": [(), (0,), (None, B), (1, VECTOR)],
    "clip": [(1.0, 2.0), (None, 2.0), (B, 3.0)],
    "round": [(), (1,), (-1,)],
    "around": [(), (1,)],
    "nan_to_num": [(), (True, 1.0)],
    "full_like": [(2.0,)],
    "diagonal": [(), (1,)],
    "argpartition": [(1,)],
    "partition": [(1,)],
    "isin": [([0.3, 3.1],)],
    "digitize": [([1.0, 2.0],)],
    "trapezoid": [(), (B,), (None, 0.5)],
    "dot": [(B.T,), (VECTOR,)],
    "vdot": [(B,)],
    "inner": [(B,)],
    "outer": [(B,)],
    "tensordot": [(B.T, 1), (B, 2), (B, ([0, 1], [0, 1]))],
    "kron": [(B,)],
    "cross": [(B,)],
    "isclose": [(B,)],
    "allclose": [(B,)],
    "array_equal": [(B,)],
    "linalg.norm": [(), (1,), (2,), ("fro",), ("nuc",), (np.inf, 0), (3, 1, True)],
    "linalg.outer": [(VECTOR,)],
    "linalg.matmul": [(B.T,)],
    "linalg.solve": [(VECTOR,)],
    "linalg.matrix_power": [(3,), (-2,)],
    "convolve": [(VECTOR,), (VECTOR, "same")],
    "correlate": [(VECTOR,), (VECTOR, "full")],
    "interp": [([0.0, 1.0, 3.0], [1.0, -1.0, 2.0])],
    "vander": [(), (2,)],
    "linspace": [(B, 5), (B, 3, False)],
    "logspace": [(B, 3)],
    "geomspace": [(B, 3)],
    "dsplit": [(2,)],
    "matmul": [(B.T,)],
    "polyval": [(B,)],
    "gradient": [(), (2.0,)],
    "delete": [(1, 1), ([0, 2],)],
    "insert": [(1, 7.0), (1, [7.0, 8.0], 1)],
    "rollaxis": [(1,)],
    "astype": [(np.float64,)],
    "linalg.cross": [(SQUARE.T + 1,)],
    "linalg.tensordot": [(SQUARE,)],
    "linalg.vecdot": [(SQUARE,)],
    "linalg.lstsq": [(VECTOR, None)],
    "linalg.tensorsolve": [(VECTOR,)],
    "linalg.tensorinv": [(1,)],
    "linalg.cond": [(), (1,)],
}  # fmt: skip


@pytest.fixture(autouse=True)
def tensors_always():
    """What is tested here is the counterpart of a function, also where nobody follows."""
    tf.config.return_tensors_from_numpy(True)
    yield
    tf.config.return_tensors_from_numpy(False)


def calls():
    for name, function in {**UFUNCS, **FUNCTIONS}.items():
        if name in OTHERWISE:
            continue
        nothing_else = [(SECOND.get(name, B),)] if getattr(function, "nin", 1) == 2 else [()]
        for number, more in enumerate(ARGUMENTS.get(name, nothing_else)):
            yield pytest.param(name, FIRST.get(name, A), more, id=f"{name}-{number}")


def ours(name):
    return getattr(tnp.linalg if "." in name else tnp, name.split(".")[-1])


def parts(result):
    """What a call gives, as a list."""
    return list(result) if isinstance(result, (tuple, list)) else [result]


def weighted(result):
    """A number that depends on all that is real and continuous in a result."""
    total = 0.0
    for part in parts(result):
        if np.asarray(part).dtype.kind == "f":
            total = total + tf.reduce_sum(part * WEIGHTS[: int(np.prod(part.shape))].reshape(part.shape))
    return total


def gradient(function, x, *more):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = weighted(function(x, *more))
    if not isinstance(total, tf.Tensor):  # nothing of the result has a derivative
        return np.zeros(x.shape)
    return tf.convert_to_tensor(tape.gradient(total, x, unconnected_gradients="zero")).numpy()


def differences(function, x, *more):
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        found[place] = (weighted(function(x + step, *more)) - weighted(function(x - step, *more))) / 2e-6
    return found


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")  # (from NumPy 2.5 on)
@pytest.mark.parametrize(("name", "first", "more"), list(calls()))
def test_values_types_and_gradients_are_numpys(name, first, more):
    function = NAMES[name]
    expected, found = function(first, *more), function(tf.constant(first), *more)
    for theirs, tensor in zip(parts(expected), parts(found), strict=True):
        assert (
            isinstance(tensor, tf.Tensor) or name in ("allclose", "array_equal") or isinstance(theirs, (int, np.int32))
        )
        assert np.asarray(tensor).dtype == np.asarray(theirs).dtype or isinstance(theirs, np.int32)
        np.testing.assert_allclose(np.asarray(tensor), theirs, rtol=1e-9, atol=1e-12)
    if first.dtype.kind == "f":
        slopes = gradient(function, first, *more)
        if name not in NO_DIFFERENCES:
            np.testing.assert_allclose(slopes, differences(function, first, *more), rtol=1e-5, atol=1e-6)
        if name in UFUNCS:
            np.testing.assert_array_equal(slopes, gradient(ours(name), first, *more))


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "complex64"])
def test_ufuncs_have_the_types_of_numpy(name, dtype):
    function, x = NAMES[name], np.ones((2, 2), dtype)
    operands = [x] * function.nin
    try:
        with np.errstate(divide="ignore"):
            expected = function(*operands)
    except TypeError:
        with pytest.raises(TypeError):
            function(*map(tf.constant, operands))
        return
    for theirs, tensor in zip(parts(expected), parts(function(*map(tf.constant, operands))), strict=True):
        if theirs.dtype == np.float16 or (dtype == "bool" and tensor.dtype != theirs.dtype):
            continue
        assert tensor.dtype == theirs.dtype


@pytest.mark.parametrize("name", [name for name in UFUNCS if name not in OF_INTEGERS])
def test_no_elements_are_no_elements(name):
    function, x = NAMES[name], np.zeros((0, 3), np.float32)
    more = [x.T] if name == "matmul" else [np.zeros((0, 3), int)] if name == "ldexp" else [x] * (function.nin - 1)
    for theirs, tensor in zip(parts(function(x, *more)), parts(function(tf.constant(x), *more)), strict=True):
        assert tensor.shape == theirs.shape
    assert gradient(function, x, *more).shape == x.shape


INF, NAN = np.inf, np.nan
# ufunc, operands, the derivative by each
SPECIAL = [
    ("hypot", (0.0, 0.0), (0.0, 0.0)),
    ("hypot", (-3.0, 4.0), (-0.6, 0.8)),
    ("hypot", (1e200, 1e200), (0.5**0.5, 0.5**0.5)),
    ("hypot", (3e-200, 4e-200), (0.6, 0.8)),
    ("cbrt", (0.0,), (INF,)),
    ("cbrt", (-8.0,), (1 / 12,)),
    ("exp2", (-INF,), (0.0,)),
    ("log2", (0.0,), (INF,)),
    ("log2", (INF,), (0.0,)),
    ("log10", (1e-320,), (INF,)),
    ("log10", (-1.0,), (-1 / np.log(10.0),)),
    ("logaddexp", (-INF, 1.0), (0.0, 1.0)),
    ("logaddexp", (1000.0, 1000.0), (0.5, 0.5)),
    ("logaddexp", (INF, 1.0), (1.0, 0.0)),
    ("logaddexp2", (-INF, 1.0), (0.0, 1.0)),
    ("logaddexp2", (2000.0, 2000.0), (0.5, 0.5)),
    ("fmax", (NAN, 1.0), (0.0, 1.0)),
    ("fmax", (1.0, NAN), (1.0, 0.0)),
    ("fmin", (NAN, 1.0), (0.0, 1.0)),
    ("fmin", (2.0, 2.0), (1.0, 0.0)),
    ("maximum", (2.0, 2.0), (1.0, 0.0)),
    ("absolute", (0.0,), (0.0,)),
    ("fabs", (-INF,), (-1.0,)),
    ("sqrt", (0.0,), (INF,)),
    ("arctan2", (0.0, -1.0), (-1.0, 0.0)),
    ("deg2rad", (INF,), (np.pi / 180,)),
    ("rad2deg", (-INF,), (180 / np.pi,)),
    ("copysign", (-2.0, 3.0), (-1.0, 0.0)),
    ("heaviside", (0.0, 0.5), (0.0, 1.0)),
    ("power", (0.0, 2.0), (0.0, 0.0)),
    ("float_power", (-2.0, 3.0), (12.0, 0.0)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "operands", "slopes"), SPECIAL)
@pytest.mark.parametrize("namespace", [np, tnp], ids=["np", "tnp"])
def test_gradients_at_special_points(namespace, name, operands, slopes):
    x = [tf.constant(value, tf.float64) for value in operands]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(namespace, name)(*x)
    found = tape.gradient(y, x, unconnected_gradients="zero")
    np.testing.assert_allclose([float(g) for g in found], slopes, rtol=1e-12)


def test_every_function_of_both_is_in_a_test():
    assert set(FUNCTIONS) >= OTHERWISE & set(NAMES)
    for name in [*UFUNCS, *FUNCTIONS]:
        assert ours(name) is not None


JOINED = {
    "concatenate": lambda f, x: f([x, B], axis=1),
    "stack": lambda f, x: f([x, B], 1),
    "vstack": lambda f, x: f((x, B[0])),
    "hstack": lambda f, x: f((x, B)),
    "dstack": lambda f, x: f((B, x)),
    "column_stack": lambda f, x: f((x, B[:, 0])),
    "einsum": lambda f, x: f("ij,kj->ik", x, B),
    "select": lambda f, x: f([A > 2, A > 1], [x, B], 0.5),
    "compress": lambda f, x: f([True, False, True], x, 1),
    "where": lambda f, x: f(A > 1, x, B),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", JOINED)
def test_arrays_beside_a_tensor_take_its_type(name, dtype):
    call = JOINED[name]
    x = tf.constant(A, dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(NAMES[name], x)
        total = weighted(y)
    assert y.dtype == dtype
    np.testing.assert_allclose(y.numpy(), call(NAMES[name], A), rtol=1e-6)
    numeric = differences(lambda a: call(NAMES[name], a), A)
    np.testing.assert_allclose(tape.gradient(total, x).numpy(), numeric, rtol=1e-4, atol=1e-6)


def test_what_has_no_derivative_is_there_too():
    x = tf.constant(A)
    assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == ((2, 3), 2, 6, 3)
    assert np.iscomplexobj(x) is False
    assert np.isrealobj(x) is True
    assert np.result_type(x, np.float32) == np.float64
    assert np.empty_like(x).shape == (2, 3)
    assert np.lexsort((x[0], x[1])).numpy().tolist() == np.lexsort((A[0], A[1])).tolist()
    assert [part.tolist() for part in np.histogram(x, 2)] == [part.tolist() for part in np.histogram(A, 2)]
    bits = tf.constant([1, 0, 0, 0, 0, 0, 1, 0], tf.uint8)
    assert np.packbits(bits).numpy().tolist() == [130]
    assert np.unpackbits(np.packbits(bits)).numpy().tolist() == bits.numpy().tolist()
    grid = np.ix_(tf.constant([0, 1]), tf.constant([2]))
    assert [part.shape for part in grid] == [(2, 1), (1, 1)]


def test_results_with_names_have_numpys_names():
    x = tf.constant(SQUARE)
    assert np.linalg.svd(x)._fields == np.linalg.svd(SQUARE)._fields
    assert np.linalg.qr(x)._fields == np.linalg.qr(SQUARE)._fields
    assert np.linalg.eigh(x)._fields == np.linalg.eigh(SQUARE)._fields
    assert np.linalg.slogdet(x)._fields == np.linalg.slogdet(SQUARE)._fields


def test_functions_are_one_step_of_a_traced_function():
    @tf.function
    def traced(x):
        return np.hypot(x, 1.0) + np.take(x, [1, 0], axis=0) + np.sort(x) * np.mean(x)

    np.testing.assert_allclose(
        traced(tf.constant(A)).numpy(), np.hypot(A, 1.0) + A[[1, 0]] + np.sort(A) * np.mean(A), rtol=1e-12
    )


def test_settings_may_be_tensors():
    x = tf.constant([1.0, 2.5, 3.0])
    assert np.allclose(x, x, atol=1e-4 * np.max(np.abs(x)))
    np.testing.assert_array_equal(np.isclose(x, x + 0.1, rtol=tf.constant(0.5)), [True, True, True])
    np.testing.assert_array_equal(np.round(x, tf.constant(0)), [1.0, 2.0, 3.0])
    np.testing.assert_allclose(np.linalg.norm(x, ord=tf.constant(1.0)), 6.5)
