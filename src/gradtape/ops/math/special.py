"""Error functions, integrals without a closed form, and products that are 0 where their first factor is.

The values are SciPy's (imported on first use: it takes longer to import than all of gradtape), also at poles
and outside a function's domain. Half types are computed in float32.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, INEXACT, NARROW_FLOATS, Array
from ...base.types import Draw, Namespace, Value
from ...op.declaration import BadInput, Op, Sample
from ...op.family import (
    UNARY_SHAPES,
    as_array,
    elementwise,
    in_float32,
    numpy_type,
    one_pass,
    sample_binary,
    sample_unary,
)
from .conversion import convert
from .elementwise import abs as absolute
from .elementwise import exp, log, square
from .logic import equal, greater, not_equal, ones_like, select


def functions(xp: Namespace) -> Any:
    """The module of special functions for an array namespace."""
    return importlib.import_module("scipy.special" if xp is np else "jax.scipy.special")


def keeping_type(function: Callable[..., Any]) -> Callable[..., Array]:
    """A NumPy kernel whose result has its operands' type, and which computes half types in float32."""

    def kernel(*args: Array, **attributes: object) -> Array:
        dtype = args[0].dtype
        if dtype in NARROW_FLOATS:
            args = tuple(a.astype(np.float32) for a in args)
        result = function(*args, **attributes)
        return result if result.dtype == dtype else as_array(result).astype(dtype)

    return kernel


def from_scipy(name: str) -> Callable[..., Array]:
    """The function of scipy.special of that name, which keeps the operands' type."""

    def call(*args: Array) -> Any:
        return getattr(functions(np), name)(*args)

    return keeping_type(call)


def reject_types(op: Op, **attributes: object) -> None:
    """Bad inputs of a function of real numbers: types that are not real floats."""

    @op.rejects
    def _() -> Iterator[BadInput]:
        for dtype in (np.int64, np.uint8, np.complex64, np.complex128):
            yield BadInput("it is a function of real numbers", (np.ones(3, dtype),) * len(op.arguments), attributes)


# --- error functions ----------------------------------------------------------------------------------------

_TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)
_HALF_ROOT_PI = math.sqrt(math.pi) / 2.0
_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


@elementwise(eager=from_scipy("erf"), dtypes=FLOATING)
def erf(xp: Namespace, x: Array) -> Any:
    """The error function: twice the integral of exp(-t^2) / sqrt(pi) from 0 to x.

    >>> import gradtape as tf
    >>> tf.math.erf([0.5, 1.0]).numpy()
    array([0.5204999, 0.8427008], dtype=float32)
    """
    return functions(xp).erf(x)


@erf.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * (_TWO_OVER_ROOT_PI * bell(x))


def _what_a_square_loses(x: Array, squared: Array) -> Any:
    """x^2 - squared, where `squared` is x * x as it was rounded: Dekker's product of the halves of x."""
    high = x * (4097.0 if x.dtype.itemsize == 4 else 134217729.0)
    high = high - (high - x)
    low = x - high
    return high * high - squared + 2.0 * high * low + low * low


@in_float32
@one_pass
def _bell(x: Array) -> Any:
    size = np.minimum(np.abs(x), 30.0)  # exp(-900) is 0
    squared = size * size
    return np.exp(-squared) * (1.0 - _what_a_square_loses(size, squared))


@elementwise(eager=_bell, dtypes=FLOATING)
def bell(xp: Namespace, x: Array) -> Any:
    """exp(-x^2), also where x^2 is so large that its rounding changes the result."""
    return xp.exp(-(x * x))


@bell.derivative("x")
def _(t: Value, x: Value, out: Value) -> Any:
    return t * (-2.0 * (x * out))


def _erfc(x: Array) -> Any:
    value = functions(np).erfc(x)
    if x.dtype.itemsize < 8:  # SciPy computes these in float64
        return value
    size = np.minimum(np.maximum(x, 0.0), 30.0)
    return np.where(size > 1, value * (1.0 - _what_a_square_loses(size, size * size)), value)


@elementwise(eager=keeping_type(_erfc), dtypes=FLOATING)
def erfc(xp: Namespace, x: Array) -> Any:
    """1 - erf(x), exact for large x too.

    >>> import gradtape as tf
    >>> tf.math.erfc([0.5, 1.0]).numpy()
    array([0.47950011, 0.1572992 ], dtype=float32)
    """
    return functions(xp).erfc(x)


@erfc.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * (-_TWO_OVER_ROOT_PI * bell(x))


@elementwise(eager=from_scipy("erfinv"), dtypes=FLOATING)
def erfinv(xp: Namespace, x: Array) -> Any:
    """The inverse of erf.

    >>> import gradtape as tf
    >>> tf.math.erfinv([0.0, 0.5]).numpy()
    array([0.        , 0.47693628], dtype=float32)
    """
    return functions(xp).erfinv(x)


@erfinv.derivative("x")
def _(t: Value, out: Value) -> Any:
    return t * (_HALF_ROOT_PI * exp(out * out))


@elementwise(eager=from_scipy("erfcinv"), dtypes=FLOATING)
def erfcinv(xp: Namespace, x: Array) -> Any:
    """The inverse of erfc, exact for small x, where erfinv(1 - x) is not.

    >>> import gradtape as tf
    >>> tf.math.erfcinv([1.0, 0.5]).numpy()
    array([-0.        ,  0.47693628], dtype=float32)
    """
    return -functions(xp).ndtri(0.5 * x) * math.sqrt(0.5)


@erfcinv.derivative("x")
def _(t: Value, out: Value) -> Any:
    return t * (-_HALF_ROOT_PI * exp(out * out))


@elementwise(eager=from_scipy("ndtri"), dtypes=FLOATING)
def ndtri(xp: Namespace, x: Array) -> Any:
    """The quantiles of the normal distribution: where its distribution function has the value x.

    >>> import gradtape as tf
    >>> tf.math.ndtri([0.5, 0.975]).numpy()
    array([0.       , 1.9599644], dtype=float32)
    """
    return functions(xp).ndtri(x)


@ndtri.derivative("x")
def _(t: Value, out: Value) -> Any:
    return t * (_ROOT_TWO_PI * exp(0.5 * (out * out)))


# --- integrals ----------------------------------------------------------------------------------------------


def _dawsn(x: Array) -> Any:
    y = x * x
    series = 1 - y * (2 / 3 - y * (4 / 15 - y * (8 / 105 - y * (16 / 945 - y * 32 / 10395))))
    return np.where(np.abs(x) < 0.05, x * series, functions(np).dawsn(x))  # SciPy's has 14 digits there


@elementwise(eager=keeping_type(_dawsn), dtypes=FLOATING)
def dawsn(xp: Namespace, x: Array) -> Any:
    """Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x.

    >>> import gradtape as tf
    >>> tf.math.special.dawsn([0.5, 1.0]).numpy()
    array([0.4244364, 0.5380795], dtype=float32)
    """
    return functions(xp).dawsn(x)


@dawsn.derivative("x")
def _(t: Value, x: Value, out: Value) -> Any:
    far = greater(absolute(x), 50.0)
    y = 0.5 / square(select(far, x, ones_like(x)))  # where 1 - 2 x out has no digits left: its series
    series = -y * (1.0 + 3.0 * y * (1.0 + 5.0 * y * (1.0 + 7.0 * y * (1.0 + 9.0 * y * (1.0 + 11.0 * y)))))
    return t * select(far, series, 1.0 - 2.0 * (select(far, ones_like(x), x) * out))


@elementwise(eager=from_scipy("expi"), dtypes=FLOATING)
def expint(xp: Namespace, x: Array) -> Any:
    """The exponential integral Ei: the integral of exp(t) / t from -infinity to x (its principal value).

    >>> import gradtape as tf
    >>> tf.math.special.expint([1.0]).numpy()
    array([1.8951178], dtype=float32)
    """
    return functions(xp).expi(x)


@expint.derivative("x")
def _(t: Value, x: Value) -> Any:
    half = exp(0.5 * x)  # in two factors: the quotient is finite a little further than exp(x)
    return t * (half * (half / x))


def _fresnel_sin(x: Array) -> Any:
    return functions(np).fresnel(x)[0]


def _fresnel_cos(x: Array) -> Any:
    return functions(np).fresnel(x)[1]


@elementwise(eager=keeping_type(_fresnel_sin), dtypes=FLOATING)
def fresnel_sin(xp: Namespace, x: Array) -> Any:
    """The integral of sin(pi t^2 / 2) from 0 to x.

    >>> import gradtape as tf
    >>> tf.math.special.fresnel_sin([0.5, 1.0]).numpy()
    array([0.06473243, 0.43825915], dtype=float32)
    """
    return functions(xp).fresnel(x)[0]


@fresnel_sin.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * half_pi_squared(x, quarters=0)


@elementwise(eager=keeping_type(_fresnel_cos), dtypes=FLOATING)
def fresnel_cos(xp: Namespace, x: Array) -> Any:
    """The integral of cos(pi t^2 / 2) from 0 to x.

    >>> import gradtape as tf
    >>> tf.math.special.fresnel_cos([0.5, 1.0]).numpy()
    array([0.49234423, 0.7798934 ], dtype=float32)
    """
    return functions(xp).fresnel(x)[1]


@fresnel_cos.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * half_pi_squared(x, quarters=1)


def _half_pi_squared(x: Array, quarters: int = 0) -> Any:
    # Whole turns are subtracted from x^2 and its rounding error is added: pi x^2 / 2 of a large x has few correct digits.
    wide = as_array(x, np.float64)
    size = np.where(np.abs(wide) < 1e150, np.abs(wide), np.where(np.isfinite(wide), 0.0, np.nan))
    squared = size * size
    parts = np.fmod(squared, 4.0), np.fmod(_what_a_square_loses(size, squared), 4.0)
    nearest = [np.round(part) for part in parts]
    rest = (parts[0] - nearest[0]) + (parts[1] - nearest[1])
    last = np.round(rest)
    angle, turn = 0.5 * math.pi * (rest - last), np.mod(nearest[0] + nearest[1] + last + quarters, 4.0)
    value = np.where(np.mod(turn, 2.0) == 0, np.sin(angle), np.cos(angle))
    return np.where(turn < 2, value, -value)


@elementwise(eager=keeping_type(_half_pi_squared), dtypes=FLOATING)
def half_pi_squared(xp: Namespace, x: Array, *, quarters: int = 0) -> Any:
    """sin(pi x^2 / 2 + quarters pi / 2): the slopes of Fresnel's integrals."""
    return xp.sin(0.5 * math.pi * (x * x + quarters))


@half_pi_squared.derivative("x")
def _(t: Value, x: Value, quarters: int) -> Any:
    return t * (math.pi * x * half_pi_squared(x, quarters=quarters + 1))


@half_pi_squared.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(UNARY_SHAPES):
        yield Sample((draw(shape),), {"quarters": number % 5})


@half_pi_squared.value
def _(x: Array, quarters: int) -> Any:
    return (np.exp(0.5j * math.pi * x * x) * 1j**quarters).imag


@elementwise(eager=from_scipy("spence"), dtypes=FLOATING)
def spence(xp: Namespace, x: Array) -> Any:
    """Spence's integral: that of log(t) / (1 - t) from 1 to x, which is the dilogarithm of 1 - x.

    >>> import gradtape as tf
    >>> tf.math.special.spence([1.0, 2.0]).numpy()
    array([ 0.      , -0.822467], dtype=float32)
    """
    return functions(xp).spence(x)


@spence.derivative("x")
def _(t: Value, x: Value) -> Any:
    # log(x) / (1 - x) is 0 / 0 at 1; its tangent stands for it there, and the second derivative is right too.
    at_one = equal(x, 1.0)
    away = select(at_one, ones_like(x) * 0.5, x)
    return t * select(at_one, 0.5 * x - 1.5, log(away) / (1.0 - away))


# --- products that are 0 where their first factor is --------------------------------------------------------


def _xlogy(x: Array, y: Array) -> Array:
    zero = x == 0
    return np.where(zero, 0, x * np.log(np.where(zero, 1, y))).astype(x.dtype)


@elementwise(eager=_xlogy, dtypes=INEXACT)
def xlogy(xp: Namespace, x: Array, y: Array) -> Any:
    """x * log(y), and 0 where x is 0.

    >>> import gradtape as tf
    >>> tf.math.xlogy([0.0, 2.0], [0.0, 3.0]).numpy()
    array([0.       , 2.1972246], dtype=float32)
    """
    zero = x == 0
    return xp.where(zero, 0, x * xp.log(xp.where(zero, 1, y)))


@xlogy.derivative("x")
def _(t: Value, x: Value, y: Value) -> Any:
    return t * xlogy(_indicator(x, y), y)


@xlogy.derivative("y")
def _(t: Value, x: Value, y: Value) -> Any:
    return t * xdivy(x, y)


def _indicator(x: Value, like: Value) -> Any:
    """1 where x is not 0, in the type of `like`: TensorFlow's derivative of these products is 0 at 0."""
    return convert(not_equal(x, 0), dtype=numpy_type(like if hasattr(like, "dtype") else x))


def _xdivy(x: Array, y: Array) -> Array:
    zero = x == 0
    return np.where(zero, 0, x / np.where(zero, 1, y)).astype(x.dtype)


@elementwise(eager=_xdivy, dtypes=INEXACT)
def xdivy(xp: Namespace, x: Array, y: Array) -> Any:
    """x / y, and 0 where x is 0.

    >>> import gradtape as tf
    >>> tf.math.xdivy([0.0, 2.0], [0.0, 4.0]).numpy()
    array([0. , 0.5], dtype=float32)
    """
    zero = x == 0
    return xp.where(zero, 0, x / xp.where(zero, 1, y))


@xdivy.derivative("x")
def _(t: Value, x: Value, y: Value) -> Any:
    return t * xdivy(_indicator(x, y), y)


@xdivy.derivative("y")
def _(t: Value, x: Value, y: Value) -> Any:
    return -t * xdivy(xdivy(x, y), y)


def _xlog1py(x: Array, y: Array) -> Array:
    zero = x == 0
    return np.where(zero, 0, x * np.log1p(np.where(zero, 0, y))).astype(x.dtype)


@elementwise(eager=_xlog1py, dtypes=INEXACT)
def xlog1py(xp: Namespace, x: Array, y: Array) -> Any:
    """x * log(1 + y), and 0 where x is 0.

    >>> import gradtape as tf
    >>> tf.math.xlog1py([0.0, 2.0], [-1.0, 3.0]).numpy()
    array([0.       , 2.7725887], dtype=float32)
    """
    zero = x == 0
    return xp.where(zero, 0, x * xp.log1p(xp.where(zero, 0, y)))


@xlog1py.derivative("x")
def _(t: Value, x: Value, y: Value) -> Any:
    return t * xlog1py(_indicator(x, y), y)


@xlog1py.derivative("y")
def _(t: Value, x: Value, y: Value) -> Any:
    return t * xdivy(x, 1.0 + y)


# --- samples ------------------------------------------------------------------------------------------------

for _op in (erf, erfc, bell, dawsn, fresnel_sin, fresnel_cos):
    sample_unary(_op)
sample_unary(erfinv, -0.95, 0.95)
sample_unary(erfcinv, 0.05, 1.95)
sample_unary(ndtri, 0.03, 0.97)
sample_unary(expint, avoid=(0.0,))
sample_unary(spence, 0.1, 3.0, avoid=(1.0,))
for _op in (erf, erfc, bell, erfinv, erfcinv, ndtri, dawsn, expint, fresnel_sin, fresnel_cos, spence):
    reject_types(_op)
for _op in (xlogy, xdivy, xlog1py):
    sample_binary(_op, second=(0.3, 2.0))
erf.value(np.vectorize(math.erf, otypes=[np.float64]))
erfc.value(np.vectorize(math.erfc, otypes=[np.float64]))
