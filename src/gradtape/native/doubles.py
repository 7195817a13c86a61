"""Elementary functions of float64, on vectors or numbers; those of float32 are in functions.py, with the same ideas.

In units of the last place they are off by at most 1 (exp), 1 (log), 2 (expm1, log1p, tanh) and 3 (expit); the tests measure it
with mpmath.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .functions import absolute, polynomial
from .language import FLOAT64, INT64, Number, fma, intrinsic, select

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # high: few bits, so that n * high is exact
_ROUNDER = 6755399441055744.0  # 1.5 * 2**52: so large that adding it leaves no fraction
_EXP = (
    0.5, 0.1666666666666667, 0.041666666666666685, 0.008333333333326141, 0.0013888888888874409, 0.00019841269874802003,
    2.4801587347313457e-05, 2.7557255424073075e-06, 2.7557252937828633e-07, 2.51052069918894e-08, 2.0921580736999423e-09,
)  # (e^r - 1 - r) / r^2, |r| < ln(2) / 2  # fmt: skip
_EXPM1 = (
    0.5, 0.16666666666666666, 0.04166666666666706, 0.00833333333333344, 0.0013888888888704527, 0.00019841269840966658,
    2.4801587616168582e-05, 2.755731959850024e-06, 2.755707662607927e-07, 2.505188075681492e-08, 2.096295750269434e-09,
    1.6126089770901782e-10,
)  # the same, |r| < 1/2  # fmt: skip
_LOG = (
    0.666666666666667, 0.3999999999989845, 0.2857142862639744, 0.2222221107313579, 0.18182893197210068, 0.15331597676457767,
    0.14617863814014623,
)  # (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, |s| < 0.1716  # fmt: skip
_TANH = (
    -0.3333333333333333, 0.13333333333333322, -0.05396825396823677, 0.021869488535174626, -0.008863235500819171,
    0.003592127522344659, -0.00145582853535036, 0.0005899826358071799, -0.00023889275620511373, 9.604991666386348e-05,
    -3.709599234102759e-05, 1.2224419100140948e-05, -2.4449936294209355e-06,
)  # (tanh x - x) / x^3 in x^2, |x| < 5/8  # fmt: skip


def _shifted(number: Number, by: int, name: str) -> Number:
    return Number(number.builder, getattr(number.builder, name)(number.value, number.constant(by).value))


def _power_of_two(n: Number) -> Number:
    return _shifted(n + 1023, 52, "shl").bits(FLOAT64)


def _exp_in_parts(x: Number) -> tuple[Number, Number]:
    """e^r and n: e^x = 2^n e^r, with n the whole number nearest to x / ln(2)."""
    shifted = fma(x, _LOG2_E, _ROUNDER)  # its last bits are n
    n = shifted - _ROUNDER
    r = fma(n, -_LN2_LOW, fma(n, -_LN2_HIGH, x))
    value = fma(r * r, polynomial(r, _EXP), r) + 1.0
    return value, shifted.bits(INT64) - shifted.constant(_ROUNDER).bits(INT64)


def exp(x: Number) -> Number:
    """e^x; 2^n is two factors, because n reaches further than one exponent does."""
    x = select(x > 710.0, 710.0, x)
    x = select(x < -746.0, -746.0, x)
    value, n = _exp_in_parts(x)
    half = _shifted(n, 1, "ashr")
    return value * _power_of_two(half) * _power_of_two(n - half)


def expm1(x: Number) -> Number:
    """e^x - 1, exact near 0."""
    near = intrinsic("copysign", fma(x * x, polynomial(x, _EXPM1), x), x)
    return select(absolute(x) < 0.5, near, exp(x) - 1.0)


def log(x: Number) -> Number:
    """log(2^e (1 + f)) = e ln(2) + log(1 + f), with s = f / (2 + f)."""
    tiny = x < 2.2250738585072014e-308  # below the normal numbers
    scaled = select(tiny, x * 18014398509481984.0, x)
    bits = scaled.bits(INT64)
    offset = (
        bits - 0x3FE6A09E667F3BCD
    )  # 1 + f between sqrt(1/2) and sqrt(2): exponents count from the bits of sqrt(1/2)
    exponent = _shifted(offset, 52, "ashr")
    f = (bits - _shifted(exponent, 52, "shl")).bits(FLOAT64) - 1.0
    e = Number(x.builder, x.builder.sitofp(exponent.value, x.type)) - select(tiny, x.constant(54.0), 0.0)
    s = f / (f + 2.0)
    squared, half = s * s, f * f * 0.5
    rest = s * fma(squared, polynomial(squared, _LOG), half)  # log(1 + f) = f - (f^2 / 2 - rest)
    value = fma(e, _LN2_HIGH, f - (half - fma(e, _LN2_LOW, rest)))
    value = select(x == math.inf, x, value)
    value = select(x == 0.0, -math.inf, value)
    return select((x < 0.0) | (x != x), math.nan, value)


def log1p(x: Number) -> Number:
    """log(1 + x), exact near 0: what 1 + x loses is put back."""
    total = x + 1.0
    lost = select(absolute(x) < 1.0, x - (total - 1.0), 1.0 - (total - x))
    value = log(total) + select(total == 0.0, 0.0, lost / total)
    return select((total == 1.0) | (x == math.inf), x, value)


def tanh(x: Number) -> Number:
    """Odd polynomial near 0, else 1 - 2 / (e^2x + 1)."""
    size, squared = absolute(x), x * x
    near = fma(x * squared, polynomial(squared, _TANH), x)
    value, n = _exp_in_parts(select(size > 19.1, 38.2, size + size))  # tanh(19.1) is 1
    far = 1.0 - 2.0 / (value * _power_of_two(n) + 1.0)
    return intrinsic("copysign", select(size < 0.625, near, far), x)


def expit(x: Number) -> Number:
    """1 / (1 + e^-x)."""
    return 1.0 / (exp(-x) + 1.0)


DOUBLES: dict[str, Callable[[Number], Any]] = {
    "exp": exp,
    "expm1": expm1,
    "log": log,
    "log1p": log1p,
    "tanh": tanh,
    "expit": expit,
}
