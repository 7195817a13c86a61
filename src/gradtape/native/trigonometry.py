"""Sine, cosine and tangent of float32 and float64, on vectors or numbers: a polynomial of x - n pi / 2, with the nearest n.

The argument is right up to `LIMITS`; who calls takes another way beyond. Sine and cosine of float32 are computed as NumPy 2
computes them on processors that multiply and add in one step, number by number and rounding by rounding; `has_numpys_bits` says
whether the NumPy at hand does so. The coefficients for float64 were fitted for the smallest maximum error. In units of the last
place, sine and cosine are off by at most 1.5, the tangent by 3.5; the tests measure it with mpmath.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .functions import polynomial
from .language import FLOAT32, FLOAT64, INT32, INT64, Number, fma, select
from .ufuncs import ufunc

LIMITS = {
    FLOAT32: {"sin": 117435.992, "cos": 71476.0625, "tan": 71476.0625},
    FLOAT64: {"sin": 1e6, "cos": 1e6, "tan": 1e6},
}

_TWO_OVER_PI = 2 / math.pi
# Pi / 2 in three parts, none of them negative, so that -0 stays -0. Their products with n lose nothing that matters below the
# limits.
_HALF_PI = {
    FLOAT32: (1.570796012878418, 3.1391647326017846e-07, 5.390302529957765e-15),
    FLOAT64: (1.5707963267948966, 6.123233995736765e-17, 1.082856673921914e-32),
}
_ROUNDER = {
    FLOAT32: 12582912.0,
    FLOAT64: 6755399441055744.0,
}  # so large that adding it leaves no fraction: 1.5 * 2**23, 2**52
_INTEGER = {FLOAT32: INT32, FLOAT64: INT64}
_SIN = {  # (sin r - r) / r^3 in r^2
    FLOAT32: (-0.1666666716337204, 0.008333397097885609, -0.00019856491417158395, 2.8404097065504175e-06),
    FLOAT64: (
        -0.16666666666666666, 0.008333333333333331, -0.00019841269841264824, 2.755731921915246e-06, -2.505210616785474e-08,
        1.6058521424007821e-10, -7.586098751717576e-13,
    ),
}  # fmt: skip
_COS = {  # (cos r - 1 + r^2 / 2) / r^4 in r^2
    FLOAT32: (0.04166661947965622, -0.001388652017340064, 2.4372266125283204e-05),
    FLOAT64: (
        0.041666666666666664, -0.0013888888888887322, 2.4801587298652715e-05, -2.755731721332586e-07, 2.0876134141355574e-09,
        -1.1381762182424724e-11,
    ),
}  # fmt: skip


def _shifted(x: Number) -> Number:
    """The number of quarters of a circle, added to a number so large that its last bits are n."""
    return fma(x, _TWO_OVER_PI, _ROUNDER[x.element])


def _sine(r: Number) -> Number:
    """The sine of an eighth of a circle at most."""
    squared = r * r
    return fma(fma(polynomial(squared, _SIN[r.element]), squared, 0.0), r, r)  # (0 is added so that -0 stays -0)


def _cosine(r: Number) -> Number:
    """The cosine of an eighth of a circle at most."""
    squared = r * r
    return fma(squared, fma(squared, polynomial(squared, _COS[r.element]), -0.5), 1.0)


def _parts(x: Number) -> tuple[Number, Number, Number]:
    """The quarter of the circle, and sine and cosine of the rest."""
    kind = x.element
    shifted = _shifted(x)
    n = shifted - _ROUNDER[kind]
    r = x
    for part in _HALF_PI[kind]:
        r = fma(n, -part, r)
    return shifted.bits(_INTEGER[kind]), _sine(r), _cosine(r)


def _turned(quarter: Number, sine: Number, cosine: Number) -> Number:
    """The sine after so many quarters more."""
    b, kind = quarter.builder, sine.element
    value = select((quarter & 1) == 0, sine, cosine)
    minus = (quarter & 2) << (30 if kind == FLOAT32 else 62)  # the sign is the highest bit
    return Number(b, b.xor(value.bits(_INTEGER[kind]).value, minus.value)).bits(kind)


def return_near(name: str, x: Number) -> None:
    """Return the sine or cosine of a number that is at most three eighths of a circle from 0, with the bits of `sin` and `cos`.

    Where the number lies is a branch: the processor takes the way that it took before, and nothing waits for n. In a loop
    whose rounds wait for each other (Runge-Kutta on a pendulum) a sine then takes half as long.
    """
    b, kind = x.builder, x.element
    integer = _INTEGER[kind]
    number = np.array(_ROUNDER[kind], np.float32 if kind == FLOAT32 else np.float64)
    n = _shifted(x).bits(integer) - int(number.view(np.int32 if kind == FLOAT32 else np.int64))
    direct, crossed = (_sine, _cosine) if name == "sin" else (_cosine, _sine)
    with b.if_then((n == 0).value):
        b.ret(direct(x).value)
    with b.if_then(((n + 1) & ~2 == 0).value):  # n is 1 or -1, with the sign of x
        highest = 1 << (31 if kind == FLOAT32 else 63)
        sign = x.bits(integer) & (highest - (1 << (32 if kind == FLOAT32 else 64)))
        r = x
        for part in _HALF_PI[kind]:
            r = r - Number(b, b.or_(x.constant(part).bits(integer).value, sign.value)).bits(kind)
        value = crossed(r) if name == "sin" else -crossed(r)
        b.ret(Number(b, b.xor(value.bits(integer).value, sign.value)).bits(kind).value)


def sin(x: Number) -> Number:
    """The sine."""
    quarter, sine, cosine = _parts(x)
    return _turned(quarter, sine, cosine)


def cos(x: Number) -> Number:
    """The cosine."""
    quarter, sine, cosine = _parts(x)
    return _turned(quarter + 1, sine, cosine)


def tan(x: Number) -> Number:
    """Sine by cosine; after an odd number of quarters minus its reciprocal."""
    quarter, sine, cosine = _parts(x)
    is_even = (quarter & 1) == 0
    return select(is_even, sine, -cosine) / select(is_even, cosine, sine)


TRIGONOMETRY: dict[str, Callable[[Number], Any]] = {"sin": sin, "cos": cos, "tan": tan}


@functools.cache
def has_numpys_bits(name: str) -> bool:
    """Whether the function of float32 has the very bits of NumPy's, by a trial of 80,000 arguments."""
    if name not in ("sin", "cos"):
        return False
    rng, limit = np.random.default_rng(0), LIMITS[FLOAT32][name]
    spans = [rng.uniform(-size, size, 20_000) for size in (1e-3, 4.0, 200.0, limit)]
    given = np.concatenate([*spans, [0.0, -0.0, 1e-40]]).astype(np.float32)
    found, expected = ufunc(name, TRIGONOMETRY[name], [given.dtype])(given), getattr(np, name)(given)
    return bool(np.array_equal(found.view(np.int32), expected.view(np.int32)))
