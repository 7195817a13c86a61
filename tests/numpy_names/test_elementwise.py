"""gradtape.numpy's ufuncs against NumPy's: values and types for every pair of types, and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
import gradtape.numpy as tnp
from gradtape.numpy.elementwise import UFUNCS

TYPES = [
    "bool",
    "int8",
    "uint8",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
UNARY = [n for n in UFUNCS if getattr(np, n).nin == 1]
BINARY = [n for n in UFUNCS if getattr(np, n).nin == 2]
TOLERANCE = {"float16": 2e-2, "float32": 1e-5, "complex64": 1e-5}


def values(dtype: str, seed: int = 0) -> Any:
    """Between 0.2 and 0.9 for floats, where every function is defined; small positive integers."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([True, False, True, True])
    if kind in "iu":
        return rng.integers(1, 5, 4).astype(dtype)
    x = rng.uniform(0.2, 0.9, 4)
    return (x + 1j * rng.uniform(0.2, 0.9, 4) if kind == "c" else x).astype(dtype)


def as_tensors(args: Any) -> list[Any]:
    return [tf.constant(a) if isinstance(a, np.ndarray) else a for a in args]


def agree(name: str, args: tuple[Any, ...], dtype: str = "float64") -> None:
    """Ours gives what NumPy gives; what NumPy refuses raises TypeError."""
    if name == "arccosh":
        args = tuple(a + 1 if isinstance(a, np.ndarray) and a.dtype.kind != "b" else a for a in args)
    if name in ("reciprocal", "floor_divide", "remainder", "mod", "fmod", "divmod"):
        # Integers divided by zero raise here, as in TensorFlow; NumPy warns and gives 0.
        args = tuple(np.ones_like(a) if getattr(a, "dtype", None) == np.bool_ or a is True else a for a in args)
    function = getattr(tnp, name)
    try:
        with np.errstate(all="ignore"):
            # (NumPy's `fix` is deprecated: it is `trunc` under another name.)
            expected = getattr(np, "trunc" if name == "fix" else name)(*args)
    except TypeError:
        with pytest.raises(TypeError):
            function(*as_tensors(args))
        return
    except OverflowError:  # a Python number that does not fit beside an array
        with pytest.raises((OverflowError, ValueError, TypeError)):
            function(*as_tensors(args))
        return
    found = function(*as_tensors(args))
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for ours, theirs in pairs:
        assert isinstance(ours, tf.Tensor)
        assert ours.dtype.numpy == np.asarray(theirs).dtype, (
            name,
            args,
            ours.dtype,
            np.asarray(theirs).dtype,
        )
        tolerance = max([TOLERANCE.get(np.asarray(a).dtype.name, 1e-12) for a in (*args, theirs)])
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("name", UNARY)
def test_one_operand_of_every_type(name):
    for dtype in TYPES:
        agree(name, (values(dtype),), dtype)
    for number in (True, 2, 0.5):
        agree(name, (number,))


@pytest.mark.parametrize("name", BINARY)
def test_two_operands_of_every_pair_of_types(name):
    for first in TYPES:
        for second in TYPES:
            agree(name, (values(first), values(second, 1)))
        for number in (2, 0.5, 1j):
            agree(name, (values(first), number))
            if name != "ldexp":  # of a Python integer NumPy makes float16 here, other than it says it would
                agree(name, (number, values(first)))
    agree(name, (np.ones((2, 1)), np.ones(3)))
    agree(name, (3, 2))


DIFFERENTIABLE = [
    n
    for n in UFUNCS
    if n
    not in {
        "floor_divide",
        "divmod",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "sign",
        "nextafter",
        "heaviside",
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "logical_and",
        "logical_or",
        "logical_xor",
        "logical_not",
        "isnan",
        "isinf",
        "isfinite",
        "signbit",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_not",
        "invert",
        "left_shift",
        "right_shift",
        "gcd",
        "lcm",
        "bitwise_count",
        "spacing",
        "ldexp",
        "frexp",
        "modf",
    }
]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradient(name):
    args = [values("float64", k) + (1.0 if name == "arccosh" else 0.0) for k in range(getattr(np, name).nin)]
    theoretical, numerical = tf.test.compute_gradient(getattr(tnp, name), args, delta=1e-6)
    np.testing.assert_allclose(theoretical, numerical, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "function",
    [lambda x: tnp.ldexp(x, 3), lambda x: tnp.frexp(x)[0], lambda x: tnp.modf(x)[0], tnp.nan_to_num, tnp.sinc],
)
def test_gradient_of_parts(function):
    theoretical, numerical = tf.test.compute_gradient(function, [values("float64")], delta=1e-6)
    np.testing.assert_allclose(theoretical, numerical, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["sqrt", "multiply", "maximum", "power", "arctan2"])
def test_gradient_in_the_type_of_the_source_after_promotion(name):
    x = tf.constant([0.5, 0.75])
    with tf.GradientTape() as tape:
        tape.watch(x)
        args = (x,) if name == "sqrt" else (x, np.array([0.25, 2.0]))
        y = getattr(tnp, name)(*args)
    g = tape.gradient(y, x)
    assert y.dtype == (tf.float32 if name == "sqrt" else tf.float64)
    assert g.dtype == tf.float32


def test_python_numbers_are_weak():
    assert tnp.add(tf.constant(1.0), 2.0).dtype == tf.float32
    assert tnp.add(tf.constant(1, tf.int8), 2).dtype == tf.int8
    assert tnp.add(tf.constant(1, tf.int8), 2.0).dtype == tf.float64
    assert tnp.add(tf.constant(1.0, tf.bfloat16), 2.0).dtype == tf.bfloat16
    assert tnp.add(1, 2).dtype == tf.int64
    assert tnp.result_type(tf.float32, np.int32) == np.float64
    assert tnp.promote_types(tf.float32, np.int8) == np.float32
    assert tnp.result_type([tf.constant(1.0), 2], 1) == np.float32


SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, 2.5, -2.5, np.inf, -np.inf, np.nan])


@pytest.mark.parametrize("name", UNARY)
def test_special_values(name):
    if name in ("bitwise_not", "invert"):
        return
    agree(name, (SPECIAL,))


@pytest.mark.parametrize(
    "name",
    [
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "hypot",
        "copysign",
        "heaviside",
        "logaddexp",
        "arctan2",
        "isclose",
        "add",
        "fmod",
        "mod",
    ],
)
def test_special_pairs(name):
    if name in ("fmod", "mod"):
        agree(name, (np.array([5.0, -5.0, 5.5, -5.5]), np.array([3.0, 3.0, -3.0, -3.0])))
        agree(name, (np.array([5, -5, 5, -5]), np.array([3, 3, -3, -3])))
    elif name == "logaddexp":
        agree(name, (np.array([0.0, 1000.0, -1000.0]), np.array([1.0, 999.0, -2000.0])))
    else:
        agree(name, (SPECIAL[:, None], SPECIAL))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("real", (values("complex128"),)),
        ("real", (values("float32"),)),
        ("imag", (values("complex64"),)),
        ("imag", (values("float32"),)),
        ("angle", (values("complex128"),)),
        ("angle", (values("complex64"), True)),
        ("angle", (np.array([1.0, -1.0]),)),
        ("sinc", (np.array([0.0, 0.5, -1.5, 1.0]),)),
        ("sinc", (np.array([0, 1, 2]),)),
        ("fix", (np.array([1.5, -1.5]),)),
        ("round", (np.array([0.5, 1.5, -2.5]),)),
        ("round", (np.array([1.234, 5.678]), 2)),
        ("round", (np.array([1234.0, 5678.0]), -2)),
        ("round", (np.array([1234, 5678]), -2)),
        ("round", (values("complex128"), 1)),
        ("around", (np.array([1.26]), 1)),
        ("clip", (np.array([1.0, 5.0, 9.0]), 2, 6)),
        ("clip", (np.array([1, 5, 9]), None, 6)),
        ("clip", (np.array([1, 5, 9]), 2.5, None)),
        ("clip", (np.array([1, 5, 9], np.int8), np.array([2, 2, 2]), 6)),
        ("nan_to_num", (SPECIAL,)),
        ("nan_to_num", (np.array([1, 2]),)),
        ("isclose", (SPECIAL, SPECIAL + 1e-9)),
        ("isneginf", (SPECIAL,)),
        ("isposinf", (SPECIAL,)),
        ("isreal", (np.array([1 + 0j, 1j]),)),
        ("iscomplex", (np.array([1 + 0j, 1j]),)),
        ("allclose", (SPECIAL[:3], SPECIAL[:3] + 1e-9)),
        ("array_equal", (SPECIAL, SPECIAL)),
        ("array_equal", (np.ones(2), np.ones(3))),
    ],
)
def test_other_elementwise_functions(name, args):
    agree(name, args)


def test_other_questions():
    assert tnp.iscomplexobj(tf.constant(1j))
    assert tnp.isrealobj([1.0])
    assert tnp.isscalar(2.0)
    assert tnp.isscalar(tf.constant(2.0))
    assert not tnp.isscalar(tf.constant([2.0]))


@pytest.mark.parametrize("name", ["sinc", "clip", "nan_to_num", "real"])
def test_gradients_of_the_others(name):
    args = [np.array([0.4, -1.3, 2.2])]
    bounds = (-1.0, 2.0) if name == "clip" else ()
    theoretical, numerical = tf.test.compute_gradient(lambda x: getattr(tnp, name)(x, *bounds), args, delta=1e-6)
    np.testing.assert_allclose(theoretical, numerical, rtol=1e-5, atol=1e-7)


def test_sinc_at_zero_has_its_derivatives():
    x = tf.constant(0.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.sinc(x)
    assert tape.hessian(y, x).numpy() == pytest.approx(-(np.pi**2) / 3)
