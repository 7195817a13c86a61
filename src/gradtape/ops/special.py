"""Special functions, computed by SciPy (imported on first use: it takes longer to import than all of gradtape)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..dtypes import FLOATING, INEXACT, NARROW_FLOATS, Array
from .elementwise import convert, exp, explain_broadcast, not_equal
from .family import elementwise, numpy_type, sample_binary, sample_unary


def from_scipy(name: str) -> Any:
    """The function of scipy.special of that name, which keeps the operands' type."""

    def kernel(*args: Array) -> Array:
        import scipy.special

        function = getattr(scipy.special, name)
        dtype = args[0].dtype
        if dtype in NARROW_FLOATS:
            return np.asarray(function(*(a.astype(np.float32) for a in args))).astype(dtype)
        result = function(*args)
        return result if result.dtype == dtype else np.asarray(result).astype(dtype)

    return kernel


_TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


@elementwise(eager=from_scipy("erf"), dtypes=FLOATING)
def erf(xp: Any, x: Any) -> Any:
    """The error function: twice the integral of exp(-t^2) / sqrt(pi) from 0 to x."""
    return xp.erf(x)


@erf.derivative("x")
def _(t: Any, x: Any) -> Any:
    return t * (_TWO_OVER_ROOT_PI * exp(-(x * x)))


@elementwise(eager=from_scipy("erfc"), dtypes=FLOATING)
def erfc(xp: Any, x: Any) -> Any:
    """1 - erf(x), exact for large x too."""
    return xp.erfc(x)


@erfc.derivative("x")
def _(t: Any, x: Any) -> Any:
    return t * (-_TWO_OVER_ROOT_PI * exp(-(x * x)))


# --- products that are 0 where their first factor is -----------------------------------------------------------------


def _xlogy(x: Array, y: Array) -> Array:
    zero = x == 0
    return np.where(zero, 0, x * np.log(np.where(zero, 1, y))).astype(x.dtype)


@elementwise(eager=_xlogy, dtypes=INEXACT)
def xlogy(xp: Any, x: Any, y: Any) -> Any:
    """x * log(y), and 0 where x is 0."""
    zero = x == 0
    return xp.where(zero, 0, x * xp.log(xp.where(zero, 1, y)))


@xlogy.derivative("x")
def _(t: Any, x: Any, y: Any) -> Any:
    return t * xlogy(_indicator(x, y), y)


@xlogy.derivative("y")
def _(t: Any, x: Any, y: Any) -> Any:
    return t * xdivy(x, y)


def _indicator(x: Any, like: Any) -> Any:
    """1 where x is not 0, in the type of `like`: TensorFlow's derivative of these products is 0 at 0."""
    return convert(not_equal(x, 0), dtype=numpy_type(like if hasattr(like, "dtype") else x))


def _xdivy(x: Array, y: Array) -> Array:
    zero = x == 0
    return np.where(zero, 0, x / np.where(zero, 1, y)).astype(x.dtype)


@elementwise(eager=_xdivy, dtypes=INEXACT)
def xdivy(xp: Any, x: Any, y: Any) -> Any:
    """x / y, and 0 where x is 0."""
    zero = x == 0
    return xp.where(zero, 0, x / xp.where(zero, 1, y))


@xdivy.derivative("x")
def _(t: Any, x: Any, y: Any) -> Any:
    return t * xdivy(_indicator(x, y), y)


@xdivy.derivative("y")
def _(t: Any, x: Any, y: Any) -> Any:
    return -t * xdivy(xdivy(x, y), y)


def _xlog1py(x: Array, y: Array) -> Array:
    zero = x == 0
    return np.where(zero, 0, x * np.log1p(np.where(zero, 0, y))).astype(x.dtype)


@elementwise(eager=_xlog1py, dtypes=INEXACT)
def xlog1py(xp: Any, x: Any, y: Any) -> Any:
    """x * log(1 + y), and 0 where x is 0."""
    zero = x == 0
    return xp.where(zero, 0, x * xp.log1p(xp.where(zero, 0, y)))


@xlog1py.derivative("x")
def _(t: Any, x: Any, y: Any) -> Any:
    return t * xlog1py(_indicator(x, y), y)


@xlog1py.derivative("y")
def _(t: Any, x: Any, y: Any) -> Any:
    return t * xdivy(x, 1.0 + y)


for _op in (erf, erfc):
    sample_unary(_op)
for _op in (xlogy, xdivy, xlog1py):
    sample_binary(_op, second=(0.3, 2.0))
    _op.check = explain_broadcast(_op.name)
