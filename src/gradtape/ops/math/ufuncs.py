"""NumPy's elementwise functions, each in one pass instead of several ops, and relatives that `tf.math` has.

`gradtape.numpy` has them under NumPy's names. The relatives: log_sigmoid, population_count, approximate_equal. Functions that
jump (trunc, spacing, signbit) have no derivative.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from ...base.dtypes import FLOATING, INDEX, INEXACT, INTEGER, REAL, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Function, Namespace, Tangent, Value
from ...op.declaration import BadInput, Sample
from ...op.family import (
    UNARY_SHAPES,
    elementwise,
    in_float32,
    machine_code_for,
    one_pass,
    sample_binary,
    sample_unary,
    usually,
)
from .elementwise import abs as absolute
from .elementwise import divide_no_nan, sigmoid, sign
from .logic import equal, greater_equal, is_finite, is_nan, less_equal, logical_or, ones_like, select, zeros_like

LN2, LN10 = math.log(2.0), math.log(10.0)

# --- powers and logarithms ----------------------------------------------------------------------------------


@elementwise(eager=np.cbrt, dtypes=FLOATING)
def cbrt(xp: Namespace, x: Array) -> Any:
    """The cube root, also of negative numbers."""
    return xp.cbrt(x)


@cbrt.derivative("x")
def _(t: Value, out: Value) -> Any:
    return t / (3.0 * (out * out))


@elementwise(eager=np.exp2, dtypes=INEXACT)
def exp2(xp: Namespace, x: Array) -> Any:
    """2 to the power x."""
    return xp.exp2(x)


@exp2.derivative("x")
def _(t: Value, out: Value) -> Any:
    return t * (out * LN2)


@elementwise(eager=np.log2, dtypes=INEXACT)
def log2(xp: Namespace, x: Array) -> Any:
    """The logarithm to base 2, exact at powers of 2."""
    return xp.log2(x)


@log2.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * (1.0 / LN2) / x  # (x times the logarithm overflows)


@elementwise(eager=np.log10, dtypes=INEXACT)
def log10(xp: Namespace, x: Array) -> Any:
    """The logarithm to base 10, exact at powers of 10."""
    return xp.log10(x)


@log10.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * (1.0 / LN10) / x


sample_unary(cbrt, avoid=(0.0,))
sample_unary(exp2)
sample_unary(log2, 0.2, 3.0)
sample_unary(log10, 0.2, 3.0)


@in_float32
@one_pass
def _log_sigmoid(x: Array) -> Any:
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@elementwise(eager=_log_sigmoid, dtypes=FLOATING)
def log_sigmoid(xp: Namespace, x: Array) -> Any:
    """log(sigmoid(x)), without overflow.

    >>> import gradtape as tf
    >>> tf.math.log_sigmoid([-100.0, 0.0]).numpy()
    array([-100.       ,   -0.6931472], dtype=float32)
    """
    return -xp.logaddexp(-x, 0.0)


@log_sigmoid.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * sigmoid(-x)


sample_unary(log_sigmoid, -5.0, 5.0)


@log_sigmoid.value
def _(x: Array) -> Any:
    return np.log(1 / (1 + np.exp(-x)))


@in_float32
def _logaddexp(x1: Array, x2: Array) -> Any:
    return np.logaddexp(x1, x2)


@elementwise(eager=_logaddexp, dtypes=FLOATING)
def logaddexp(xp: Namespace, x1: Array, x2: Array) -> Any:
    """log(exp(x1) + exp(x2)), without overflow."""
    return xp.logaddexp(x1, x2)


@logaddexp.derivative("x1")
def _(t: Value, x1: Value, x2: Value) -> Any:
    return t * sigmoid(x1 - x2)


@logaddexp.derivative("x2")
def _(t: Value, x1: Value, x2: Value) -> Any:
    return t * sigmoid(x2 - x1)


@in_float32
def _logaddexp2(x1: Array, x2: Array) -> Any:
    return np.logaddexp2(x1, x2)


@elementwise(eager=_logaddexp2, dtypes=FLOATING)
def logaddexp2(xp: Namespace, x1: Array, x2: Array) -> Any:
    """log2(2^x1 + 2^x2), without overflow."""
    return xp.logaddexp2(x1, x2)


@logaddexp2.derivative("x1")
def _(t: Value, x1: Value, x2: Value) -> Any:
    return t * sigmoid((x1 - x2) * LN2)


@logaddexp2.derivative("x2")
def _(t: Value, x1: Value, x2: Value) -> Any:
    return t * sigmoid((x2 - x1) * LN2)


sample_binary(logaddexp)
sample_binary(logaddexp2)

# --- angles and lengths -------------------------------------------------------------------------------------


@elementwise(eager=np.deg2rad, dtypes=FLOATING)
def deg2rad(xp: Namespace, x: Array) -> Any:
    """Degrees as radians."""
    return xp.deg2rad(x)


@deg2rad.derivative("x")
def _(t: Value) -> Any:
    return deg2rad(t)


@elementwise(eager=np.rad2deg, dtypes=FLOATING)
def rad2deg(xp: Namespace, x: Array) -> Any:
    """Radians as degrees."""
    return xp.rad2deg(x)


@rad2deg.derivative("x")
def _(t: Value) -> Any:
    return rad2deg(t)


sample_unary(deg2rad, -200.0, 200.0)
sample_unary(rad2deg)

_HIGHEST = 40  # the highest order: beyond it too few terms of the series are left
_FAR = 6.0  # the recurrence for sinc's derivatives is accurate above this, the series below


def _turned(xp: Namespace, x: Array, quarters: int) -> Any:
    """sin(pi x + quarters pi / 2), from the fraction of x: pi times a large x has few correct fraction digits."""
    whole = xp.round(x.real)
    angle = xp.pi * (x - whole)
    sign = 1 - 2 * xp.mod(whole + quarters // 2, 2)
    return xp.asarray(sign * (xp.cos(angle) if quarters % 2 else xp.sin(angle)))


def _sinc(xp: Namespace, x: Array, order: int = 0) -> Any:
    x = xp.asarray(x)
    wide = x.astype(xp.result_type(x.dtype, xp.float64)) if order else x
    y = xp.pi * wide
    if not order:
        return xp.asarray(xp.where(x == 0, 1, _turned(xp, x, 0) / xp.where(x == 0, 1, y))).astype(x.dtype)
    if not 0 < order <= _HIGHEST:
        raise invalid(f"sinc: derivatives are computed up to order {_HIGHEST}, got order={order}.")
    near = xp.abs(y) < _FAR
    small, large = xp.where(near, y, 0), xp.where(near, 1, y)
    # y f_n + n f_(n-1) = sin(y + n pi / 2) for f_n the n-th derivative of sin(y) / y.
    far = _turned(xp, wide, 0) / large
    for n in range(1, order + 1):
        far = (_turned(xp, wide, n) - n * far) / large
    series = xp.zeros_like(small)
    for k in range((order + 1) // 2, 24):
        factor = (-1) ** k * math.factorial(2 * k) / (math.factorial(2 * k - order) * math.factorial(2 * k + 1))
        series = series + factor * small ** (2 * k - order)
    return xp.asarray(xp.pi**order * xp.where(near, series, far)).astype(x.dtype)


@elementwise(eager=functools.partial(_sinc, np), dtypes=INEXACT)
def sinc(xp: Namespace, x: Array, *, order: int = 0) -> Any:
    """sin(pi x) / (pi x), 1 at 0; or its derivative of an order."""
    return _sinc(xp, x, order)


@sinc.derivative("x")
def _(t: Value, x: Value, order: int) -> Any:
    return t * sinc(x, order=order + 1)


@sinc.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(UNARY_SHAPES):
        yield Sample((draw(shape, -3.0, 3.0),), {"order": number % 3})
    yield Sample((draw((3,)) * 0,))
    yield Sample((draw((2,)) * 0,), {"order": 1})


@sinc.value
def _(x: Array, order: int) -> Any:
    # d^n / dx^n sinc(x) is the integral of (pi s)^n cos(pi s x + n pi / 2) over s from 0 to 1.
    points, weights = np.polynomial.legendre.leggauss(60)
    s = (points + 1) / 2
    values = (np.pi * s) ** order * np.cos(np.pi * s * np.asarray(x)[..., None] + order * np.pi / 2)
    return (values * weights / 2).sum(axis=-1)


@machine_code_for(np.hypot)  # NumPy's takes 6 ns a number
def _hypot(x1: Any, x2: Any) -> Any:
    x1, x2 = np.abs(x1), np.abs(x2)
    large = np.maximum(x1, x2)
    ratio = np.minimum(x1, x2) / np.where(large > 0, large, 1)
    length = large * np.sqrt(ratio * ratio + 1)
    return np.where((x1 == np.inf) | (x2 == np.inf), np.inf, length)


@elementwise(eager=_hypot, dtypes=FLOATING)
def hypot(xp: Namespace, x1: Array, x2: Array) -> Any:
    """sqrt(x1^2 + x2^2), without overflow; the derivative at 0 is 0."""
    return xp.hypot(x1, x2)


@hypot.derivative("x1")
def _(t: Value, x1: Value, out: Value) -> Any:
    return t * divide_no_nan(x1, out)


@hypot.derivative("x2")
def _(t: Value, x2: Value, out: Value) -> Any:
    return t * divide_no_nan(x2, out)


sample_binary(hypot, first=(0.3, 2.0))

# --- signs and steps ----------------------------------------------------------------------------------------


@elementwise(eager=np.copysign, dtypes=FLOATING)
def copysign(xp: Namespace, x1: Array, x2: Array) -> Any:
    """|x1| with the sign of x2; -0.0 is negative."""
    return xp.copysign(x1, x2)


@copysign.derivative("x1")
def _(t: Value, x1: Value, x2: Value) -> Any:
    return t * (sign(x1) * copysign(ones_like(x2), x2))


copysign.constant_in("x2")
sample_binary(copysign, avoid=(0.0,))


@elementwise(eager=np.heaviside, dtypes=FLOATING)
def heaviside(xp: Namespace, x1: Array, x2: Array) -> Any:
    """0 where x1 is negative, 1 where it is positive, x2 where it is 0."""
    return xp.heaviside(x1, x2)


heaviside.constant_in("x1")


@heaviside.derivative("x2")
def _(t: Value, x1: Value) -> Any:
    return select(equal(x1, zeros_like(x1)), t, zeros_like(t))


@heaviside.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        x = draw(shape, avoid=(0.0,))
        yield Sample((np.asarray(np.where(x > 1, 0, x), x.dtype), draw(shape)))
    yield Sample((draw((2, 1)) * 0, draw((3,))))


@elementwise(eager=np.fmax, dtypes=REAL)
def fmax(xp: Namespace, x1: Array, x2: Array) -> Any:
    """The larger of both; where one is NaN, the other."""
    return xp.fmax(x1, x2)


@elementwise(eager=np.fmin, dtypes=REAL)
def fmin(xp: Namespace, x1: Array, x2: Array) -> Any:
    """The smaller of both; where one is NaN, the other."""
    return xp.fmin(x1, x2)


def _takes_first(compare: Function, x1: Value, x2: Value) -> Any:
    return logical_or(compare(x1, x2), is_nan(x2))


@fmax.derivative("x1")
def _(t: Value, x1: Value, x2: Value) -> Any:
    return select(_takes_first(greater_equal, x1, x2), t, zeros_like(t))


@fmax.derivative("x2")
def _(t: Value, x1: Value, x2: Value) -> Any:
    return select(_takes_first(greater_equal, x1, x2), zeros_like(t), t)


@fmin.derivative("x1")
def _(t: Value, x1: Value, x2: Value) -> Any:
    return select(_takes_first(less_equal, x1, x2), t, zeros_like(t))


@fmin.derivative("x2")
def _(t: Value, x1: Value, x2: Value) -> Any:
    return select(_takes_first(less_equal, x1, x2), zeros_like(t), t)


sample_binary(fmax)
sample_binary(fmin)


@elementwise(eager=np.trunc, dtypes=FLOATING)
def trunc(xp: Namespace, x: Array) -> Any:
    """The nearest integer towards 0."""
    return xp.trunc(x)


@elementwise(eager=np.spacing, dtypes=FLOATING)
def spacing(xp: Namespace, x: Array) -> Any:
    """The distance to the next number that the type can hold, away from 0."""
    return xp.spacing(x)


trunc.not_differentiable("it is constant between its jumps")
spacing.not_differentiable("it is constant between its jumps")


@elementwise(eager=np.signbit, dtypes=REAL, gives=np.bool_)
def signbit(xp: Namespace, x: Array) -> Any:
    """Whether the sign bit is set: of negative numbers and of -0.0."""
    return xp.signbit(x)


signbit.not_differentiable("truth values have no derivative")
for _op in (trunc, spacing, signbit):
    sample_unary(_op)


def _nan_to_num(x: Array, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Array:
    if x.dtype.kind == "V":  # NumPy takes bfloat16 for no number
        largest = float(ml_dtypes.finfo(x.dtype).max)  # type: ignore[no-untyped-call]
        high, low = largest if posinf is None else posinf, -largest if neginf is None else neginf
        wide = np.nan_to_num(x.astype(np.float32), nan=nan, posinf=high, neginf=low)
        return wide.astype(x.dtype)
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


@elementwise(eager=_nan_to_num, dtypes=FLOATING)
def nan_to_num(
    xp: Namespace, x: Array, *, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """NaN replaced by `nan`, infinities by the largest numbers or what is given; what is replaced has no derivative."""
    return xp.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


@nan_to_num.derivative("x")
def _(t: Value, x: Value) -> Any:
    return select(is_finite(x), t, zeros_like(t))


@nan_to_num.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        yield Sample((draw(shape),), {"nan": 2.0})
    special = np.array([np.nan, np.inf, -np.inf, 1.5]).astype(draw(()).dtype)
    yield Sample((special,), {"nan": 7.0, "posinf": 8.0, "neginf": -8.0}, differentiable=False)


@nan_to_num.value
def _(x: Array, nan: float, posinf: Array, neginf: Array) -> Any:
    return np.where(np.isnan(x), nan, np.where(x == np.inf, posinf, np.where(x == -np.inf, neginf, x))).astype(x.dtype)


# --- the parts of a number ----------------------------------------------------------------------------------


@elementwise(eager=np.modf, dtypes=FLOATING, outputs=2)
def modf(xp: Namespace, x: Array) -> Any:
    """The part behind the point and the part before it, both with the sign of x."""
    return xp.modf(x)


@modf.vjp("x")
def _(g: Sequence[Cotangent]) -> Any:
    return g[0]


@modf.jvp("x")
def _(t: Tangent) -> Any:
    return [t, zeros_like(t)]


sample_unary(modf, avoid=(-2.0, -1.0, 0.0, 1.0, 2.0))


@elementwise(eager=np.frexp, dtypes=FLOATING, outputs=2, gives=(None, np.int32))
def frexp(xp: Namespace, x: Array) -> Any:
    """The mantissa, from 0.5 to 1 or negative, and the exponent of 2 with it: x = mantissa * 2^exponent."""
    return xp.frexp(x)


@frexp.vjp("x")
def _(g: Sequence[Cotangent], out: Any) -> Any:
    return ldexp(g[0], -out[1])


@frexp.jvp("x")
def _(t: Tangent, out: Sequence[Value]) -> Any:
    return [ldexp(t, -out[1]), zeros_like(out[1])]


sample_unary(frexp, avoid=(-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0))


def _ldexp(x1: Array, x2: Array) -> Any:
    return np.ldexp(x1, x2) if x1.dtype.kind == "f" else np.ldexp(x1.astype(np.float32), x2).astype(x1.dtype)


@elementwise(eager=_ldexp, dtypes=FLOATING, other={"x2": INDEX})
def ldexp(xp: Namespace, x1: Array, x2: Array) -> Any:
    """x1 * 2^x2, for integers x2."""
    return xp.ldexp(x1, x2)


@ldexp.derivative("x1")
def _(t: Value, x2: Value) -> Any:
    return ldexp(t, x2)


@ldexp.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        count = math.prod(shape)
        yield Sample((draw(shape), np.asarray(np.arange(count).reshape(shape) % 7 - 3, np.int32)))
    yield Sample((draw((2, 3)), np.array([-1, 0, 2], np.int32)))
    yield Sample((draw(()), np.array([[1], [2]], np.int64)))


@ldexp.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(3, np.float32)
    yield BadInput("exponents are integers", (x, x))
    yield BadInput("exponents are integers", (x, np.ones(3, bool)))
    yield BadInput("integers have no exponent", (np.ones(3, np.int32), np.ones(3, np.int32)))
    for shape in ((2,), (3, 2), (4,)):
        yield BadInput("the shapes must broadcast", (x, np.ones(shape, np.int32)))


# --- integers and comparisons -------------------------------------------------------------------------------


@elementwise(eager=np.gcd, dtypes=INTEGER)
def gcd(xp: Namespace, x1: Array, x2: Array) -> Any:
    """The greatest common divisor."""
    return xp.gcd(x1, x2)


@elementwise(eager=np.lcm, dtypes=INTEGER)
def lcm(xp: Namespace, x1: Array, x2: Array) -> Any:
    """The least common multiple."""
    return xp.lcm(x1, x2)


@elementwise(dtypes=INTEGER, retypes=True, gives=np.uint8)
def population_count(xp: Namespace, x: Array) -> Any:
    """How many bits of each integer are set."""
    # Of a negative number NumPy counts the bits of its absolute value: read it as unsigned.
    return xp.bitwise_count(x.view(f"u{x.dtype.itemsize}") if x.dtype.kind == "i" else x)


for _op in (gcd, lcm, population_count):
    _op.not_differentiable("integers have no derivative")
sample_binary(gcd)
sample_binary(lcm)
sample_unary(population_count)


@population_count.value
def _(x: Array) -> Any:
    bits = 8 * x.dtype.itemsize
    return np.array([bin(int(v) % 2**bits).count("1") for v in x.reshape(-1)], np.uint8).reshape(x.shape)


@gcd.value
def _(x1: Array, x2: Array) -> Any:
    return np.vectorize(math.gcd, otypes=[np.int64])(x1, x2)


@lcm.value
def _(x1: Array, x2: Array) -> Any:
    return np.vectorize(math.lcm, otypes=[np.int64])(x1, x2)


def _floor_divide(x1: Array, x2: Array) -> Any:
    if x1.dtype.kind in "iu" and not usually(x2.all()):
        raise invalid("floor_divide: integer division by zero.")
    return x1 // x2


@elementwise(eager=_floor_divide, dtypes=REAL)
def floor_divide(xp: Namespace, x1: Array, x2: Array) -> Any:
    """x1 // x2 from the remainder, as in NumPy: 1 // 0.1 is 9. `floordiv` rounds the quotient down."""
    return xp.floor_divide(x1, x2)


floor_divide.not_differentiable("it is constant between its jumps")
sample_binary(floor_divide, second=(0.4, 2.0))


def _isclose(x1: Array, x2: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    return np.isclose(x1, x2, rtol, atol, equal_nan)


@elementwise(eager=_isclose, dtypes=INEXACT | INTEGER, gives=np.bool_)
def isclose(
    xp: Namespace, x1: Array, x2: Array, *, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    """Whether x1 is as near to x2 as atol + rtol * |x2|."""
    return xp.isclose(x1, x2, rtol, atol, equal_nan)


def _approximate_equal(x: Array, y: Array, tolerance: float = 1e-5) -> Any:
    return np.abs(x - y) < tolerance


@elementwise(eager=_approximate_equal, dtypes=INEXACT | INTEGER, gives=np.bool_)
def approximate_equal(xp: Namespace, x: Array, y: Array, *, tolerance: float = 1e-5) -> Any:
    """Whether |x - y| is below the tolerance."""
    return xp.abs(x - y) < tolerance


isclose.not_differentiable("truth values have no derivative")
approximate_equal.not_differentiable("truth values have no derivative")


@isclose.samples
def _(draw: Draw) -> Iterator[Sample]:
    x = draw((4,), 0.5, 2.0)
    yield Sample((x, x))
    yield Sample((x, x * 2))
    yield Sample((x, (x + np.array([0.0, 1e-9, 1e-3, 1.0])).astype(x.dtype)), {"rtol": 1e-2})
    yield Sample((draw((2, 3)), draw((3,))), {"atol": 1.0})
    yield Sample((np.array([np.nan, np.inf]), np.array([np.nan, np.inf])), {"equal_nan": True})
    yield Sample((draw((0,)), draw((0,))))


@isclose.value
def _(x1: Array, x2: Array, rtol: float, atol: float, equal_nan: bool) -> Any:
    near = (np.abs(x1 - x2) <= atol + rtol * np.abs(x2)) | (x1 == x2)
    return near | (np.isnan(x1) & np.isnan(x2)) if equal_nan else near


@approximate_equal.samples
def _(draw: Draw) -> Iterator[Sample]:
    x = draw((4,), 0.5, 2.0)
    yield Sample((x, x))
    yield Sample((x, (x + np.array([0.0, 1e-9, 1e-3, 1.0])).astype(x.dtype)), {"tolerance": 1e-2})
    yield Sample((draw(()), draw(())), {"tolerance": 5.0})
    yield Sample((draw((0,)), draw((0,))))


@hypot.value
def _(x1: Array, x2: Array) -> Any:
    return absolute(x1 + 1j * x2)
