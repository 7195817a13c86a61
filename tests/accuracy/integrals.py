"""The true values of error functions and of integrals without a closed form.

mpmath takes milliseconds for some of these: fewer arguments are measured, as the page says.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mpmath import inf, mp, mpf, nan

from .elementwise import ONE, POSITIVE
from .reference import FEW, SOME, Reference

# --- error functions and integrals --------------------------------------------------------------------------


def _gauss(x: Any) -> Any:
    return 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)


def _erfcinv(x: Any) -> Any:
    if not 0 < x < 2:
        return nan
    if x > 0.5:
        return mp.erfinv(1 - x)
    guess = mp.sqrt(-mp.log(x * mp.sqrt(mp.pi) * mp.sqrt(max(-mp.log(x), ONE))))
    return mp.findroot(lambda y: mp.log(mp.erfc(y)) - mp.log(x), guess)


def _ndtri(x: Any) -> Any:
    return -mp.sqrt(2) * _erfcinv(2 * x)


def _dawson(x: Any) -> Any:
    if abs(x) > 60:  # the asymptotic series: its 30th term is far below the 50th digit
        y, total, term = 1 / (2 * x * x), ONE, ONE
        for k in range(1, 40):
            term *= (2 * k - 1) * y
            total += term
        return total / (2 * x)
    with mp.workdps(60):
        return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def _dawson_slope(x: Any) -> Any:
    with mp.workdps(700):
        return 1 - 2 * x * _dawson(x) if abs(x) < 60 else _dawson_far_slope(x)


def _dawson_far_slope(x: Any) -> Any:
    y, total, term = 1 / (2 * x * x), mpf(0), ONE
    for k in range(1, 40):
        term *= (2 * k - 1) * y
        total -= term
    return total


def _spence(x: Any) -> Any:
    return mp.polylog(2, 1 - x).real if x <= 2 else -mp.polylog(2, 1 - 1 / x).real - mp.log(x) ** 2 / 2


def _x_log_y(x: Any, y: Any) -> Any:
    return mpf(0) if not x else x * mp.log(y) if y > 0 else (None if y == 0 else nan)


def _x_log1p_y(x: Any, y: Any) -> Any:
    return mpf(0) if not x else x * mp.log1p(y) if y > -1 else (None if y == -1 else nan)


def _quotient(x: Any, y: Any) -> Any:
    return mpf(0) if not x else x / y if y else None


def _fresnel(name: str) -> Any:
    function = getattr(mp, name)

    def value(x: Any) -> Any:
        return function(x) if abs(x) < 1e8 else mp.sign(x) / 2

    return value


INTEGRALS = {
    "erf": Reference(mp.erf, {"x": _gauss}, within=((-1e4, 1e4),)),
    "erfc": Reference(mp.erfc, {"x": lambda x: -_gauss(x)}, within=((-1e4, 1e4),)),
    "bell": Reference(
        lambda x: mp.exp(-x * x), {"x": lambda x: -2 * x * mp.exp(-x * x)}, ends={"inf": (0.0, nan), "-inf": (0.0, nan)}
    ),
    "erfinv": Reference(
        mp.erfinv,
        {"x": lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2)},
        near=((-1.0, 1.0),),
        within=((-1.0, 1.0),),
        ends={"1.0": (inf, inf), "-1.0": (-inf, inf)},
        count=1000,
    ),
    "erfcinv": Reference(
        _erfcinv,
        {"x": lambda x: -mp.sqrt(mp.pi) / 2 * mp.exp(_erfcinv(x) ** 2)},
        near=((1.0, 2.0),),
        within=((0.0, 2.0),),
        ends={"0.0": (inf, -inf), "-0.0": (inf, -inf), "2.0": (-inf, -inf)},
        count=FEW,
    ),
    "ndtri": Reference(
        _ndtri,
        {"x": lambda x: mp.sqrt(2 * mp.pi) * mp.exp(_ndtri(x) ** 2 / 2)},
        near=((0.5, 1.0),),
        within=((0.0, 1.0),),
        ends={"0.0": (-inf, inf), "-0.0": (-inf, inf), "1.0": (inf, inf)},
        count=FEW,
    ),
    "dawsn": Reference(
        _dawson, {"x": _dawson_slope}, near=((0.924138873,),), ends={"inf": (0.0, 0.0), "-inf": (0.0, 0.0)}, count=SOME
    ),
    "expint": Reference(
        mp.ei,
        {"x": lambda x: mp.exp(x) / x},
        near=((0.3725074107813666,),),
        within=((-800.0, 800.0),),
        ends={"0.0": (-inf, inf), "-0.0": (-inf, -inf), "inf": (inf, inf), "-inf": (0.0, 0.0)},
        count=SOME,
    ),
    "fresnel_sin": Reference(
        _fresnel("fresnels"),
        {"x": lambda x: mp.sinpi(x * x / 2)},
        ends={"inf": (0.5, nan), "-inf": (-0.5, nan)},
        count=SOME,
        within=((-1e3, 1e3),),
    ),
    "fresnel_cos": Reference(
        _fresnel("fresnelc"),
        {"x": lambda x: mp.cospi(x * x / 2)},
        ends={"inf": (0.5, nan), "-inf": (-0.5, nan)},
        count=SOME,
        within=((-1e3, 1e3),),
    ),
    "half_pi_squared": Reference(
        lambda x: mp.sinpi(x * x / 2),
        {"x": lambda x: mp.pi * x * mp.cospi(x * x / 2)},
        {"quarters": 0},
        ends={"inf": (nan, nan), "-inf": (nan, nan)},
        within=((-1e30, 1e30),),
    ),
    "spence": Reference(
        _spence,
        {"x": lambda x: mp.log(x) / (1 - x) if x != 1 else -ONE},
        near=((1.0,),),
        within=((0.0, np.inf),),
        ends={"0.0": (math.pi**2 / 6, -inf), "-0.0": (math.pi**2 / 6, -inf), "inf": (-inf, 0.0)},
        count=SOME,
    ),
    "sinc": Reference(
        lambda x: mp.sinpi(x) / (mp.pi * x) if x else ONE,
        {"x": lambda x: (mp.cospi(x) - mp.sinpi(x) / (mp.pi * x)) / x if abs(x) > 1e-20 else -(mp.pi**2) * x / 3},
        {"order": 0},
        near=((0.0, 1.0, 2.0, 3.0, 1.4302966531242),),
        ends={"inf": (nan, nan), "-inf": (nan, nan)},
        within=((-1e6, 1e6),),
    ),
    "xlogy": Reference(
        _x_log_y,
        {"x": lambda x, y: _x_log_y(ONE, y) if x else mpf(0), "y": _quotient},
        within=((-np.inf, np.inf), POSITIVE),
        near=((), (1.0,)),
    ),
    "xlog1py": Reference(
        _x_log1p_y,
        {"x": lambda x, y: _x_log1p_y(ONE, y) if x else mpf(0), "y": lambda x, y: _quotient(x, 1 + y)},
        within=((-np.inf, np.inf), (-1.0, np.inf)),
        near=((), (0.0, -1.0)),
    ),
    "xdivy": Reference(
        _quotient,
        {
            "x": lambda x, y: _quotient(ONE, y) if x else mpf(0),
            "y": lambda x, y: -_quotient(x, y * y) if x and y else (None if x else mpf(0)),
        },
    ),
}
