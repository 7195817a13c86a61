"""The true values of Bessel functions and of the gamma function's relatives, on few arguments: mpmath is slow here."""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import inf, mp, nan

from .reference import FEW, SOME, Reference

# --- Bessel functions ---------------------------------------------------------------------------------------


def _bessel(function: Any, order: int, sign_below: int, sign_above: int) -> dict[str, Any]:
    def value(x: Any) -> Any:
        return function(order, x)

    def slope(x: Any) -> Any:
        if order == 0:
            return sign_above * function(1, x)
        return (sign_below * function(order - 1, x) + sign_above * function(order + 1, x)) / 2

    return {"value": value, "slopes": {"x": slope}, "attributes": {"order": order}}


def _scaled_i(order: int, x: Any) -> Any:
    return mp.exp(-abs(x)) * mp.besseli(order, x)


def _scaled_i_slope(order: int, x: Any) -> Any:
    with mp.workdps(60 + 2 * max(0, int(mp.log10(abs(x) + 1)))):
        below = _scaled_i(1, x) if order == 0 else (_scaled_i(order - 1, x) + _scaled_i(order + 1, x)) / 2
        return below - mp.sign(x) * _scaled_i(order, x)


def _scaled_k(order: int, x: Any) -> Any:
    return mp.exp(x) * mp.besselk(order, x)


def _scaled_k_slope(order: int, x: Any) -> Any:
    with mp.workdps(60 + 2 * max(0, int(mp.log10(x + 1)))):
        below = _scaled_k(1, x) if order == 0 else (_scaled_k(order - 1, x) + _scaled_k(order + 1, x)) / 2
        return _scaled_k(order, x) - below


_FAR = 1e10  # beyond, mpmath's own series take too long
_NEXT_TO_ZERO = ({"0.0": (-inf, inf), "-0.0": (-inf, inf)}, {"0.0": (inf, -inf), "-0.0": (inf, -inf)})


def _both(order: int, function: Any, slope: Any) -> dict[str, Any]:
    return {
        "value": lambda x: function(order, x),
        "slopes": {"x": lambda x: slope(order, x)},
        "attributes": {"order": order},
    }


BESSEL = {
    **{
        f"bessel_j ({k})": Reference(
            **_bessel(mp.besselj, k, 1, -1),
            within=((-1e5, 1e5),),
            count=FEW,
            near=((2.404825557695773,) if k == 0 else (3.8317059702075125,),),
            ends={"inf": (0.0, 0.0), "-inf": (0.0, 0.0)},
        )
        for k in (0, 1)
    },
    **{
        f"bessel_y ({k})": Reference(
            **_bessel(mp.bessely, k, 1, -1),
            within=((0.0, 1e5),),
            count=FEW,
            ends={**_NEXT_TO_ZERO[0], "inf": (0.0, 0.0)},
        )
        for k in (0, 1)
    },
    **{
        f"bessel_i ({k})": Reference(
            **_bessel(mp.besseli, k, 1, 1),
            within=((-800.0, 800.0),),
            count=FEW,
        )
        for k in (0, 1)
    },
    **{
        f"bessel_ie ({k})": Reference(
            **_both(k, _scaled_i, _scaled_i_slope),
            within=((-_FAR, _FAR),),
            count=FEW,
            ends={"inf": (0.0, 0.0), "-inf": (0.0, 0.0)},
        )
        for k in (0, 1)
    },
    **{
        f"bessel_k ({k})": Reference(
            **_bessel(mp.besselk, k, -1, -1),
            within=((0.0, 800.0),),
            count=FEW,
            ends={**_NEXT_TO_ZERO[1], "inf": (0.0, 0.0)},
        )
        for k in (0, 1)
    },
    **{
        f"bessel_ke ({k})": Reference(
            **_both(k, _scaled_k, _scaled_k_slope),
            within=((0.0, _FAR),),
            count=FEW,
            ends={**_NEXT_TO_ZERO[1], "inf": (0.0, 0.0)},
        )
        for k in (0, 1)
    },
}

# --- the gamma function -------------------------------------------------------------------------------------


def _log_gamma(x: Any) -> Any:
    return inf if x <= 0 and x == mp.floor(x) else mp.loggamma(x).real


def _digamma(x: Any) -> Any:
    return nan if x <= 0 and x == mp.floor(x) else mp.psi(0, x)


def _gamma_density(a: Any, x: Any) -> Any:
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a)) if x > 0 and a > 0 else None


def _lower(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True) if x > 0 and a > 0 else None


def _upper(a: Any, x: Any) -> Any:
    return mp.gammainc(a, x, regularized=True) if x > 0 and a > 0 else None


def _lower_in_a(a: Any, x: Any) -> Any:
    if not (x > 0 and a > 0):
        return None
    with mp.workdps(80):  # by the part that is small, which has all of its digits
        if x > a:
            return -mp.diff(lambda s: mp.gammainc(s, x, regularized=True), a)
        return mp.diff(lambda s: mp.gammainc(s, 0, x, regularized=True), a)


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    return x ** (a - 1) * (1 - x) ** (b - 1) / mp.beta(a, b) if 0 < x < 1 and a > 0 and b > 0 else None


_SHAPE = (1e-3, 1e3)

GAMMA = {
    "lgamma": Reference(
        _log_gamma,
        {"x": _digamma},
        near=((1.0, 2.0, 0.0, -1.0, -2.457024738220800),),
        count=SOME,
        within=((-1e3, np.inf),),
        ends={"inf": (inf, inf), "0.0": (inf, -inf), "-0.0": (inf, inf)},
    ),
    "digamma": Reference(
        _digamma,
        {"x": lambda x: mp.psi(1, x) if not (x <= 0 and x == mp.floor(x)) else None},
        near=((1.4616321449683622, -1.0, -0.504083),),
        count=SOME,
        within=((-1e3, np.inf),),
        ends={"inf": (inf, 0.0), "0.0": (-inf, inf), "-0.0": (inf, inf)},
    ),
    **{
        f"polygamma ({n})": Reference(
            lambda a, x, n=n: mp.psi(n, x) if x > 0 else None,
            {"x": lambda a, x, n=n: mp.psi(n + 1, x) if x > 0 else None},
            within=((float(n), float(n)), (0.0, np.inf)),
            count=FEW,
        )
        for n in (0, 1, 2, 5)
    },
    "zeta": Reference(
        lambda x, q: mp.zeta(x, q) if x > 1 and q > 0 else None,
        {"q": lambda x, q: -x * mp.zeta(x + 1, q) if x > 1 and q > 0 else None},
        within=((1.0, 100.0), (1e-2, 1e4)),
        near=((1.0, 2.0), (1.0,)),
        count=FEW,
    ),
    "igamma": Reference(_lower, {"x": _gamma_density, "a": _lower_in_a}, within=(_SHAPE, _SHAPE), count=100),
    "igammac": Reference(
        _upper,
        {"x": lambda a, x: -_gamma_density(a, x) if a > 0 and x > 0 else None},
        within=(_SHAPE, _SHAPE),
        count=100,
    ),
    "gamma_density": Reference(_gamma_density, {}, {"order": 0}, within=(_SHAPE, _SHAPE), count=SOME),
    "igamma_in_a": Reference(_lower_in_a, {}, {"order": 1}, within=(_SHAPE, _SHAPE), count=100),
    "betainc": Reference(
        lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True) if 0 < x < 1 and a > 0 and b > 0 else None,
        {"x": _beta_density},
        within=((1e-2, 100.0), (1e-2, 100.0), (0.0, 1.0)),
        count=100,
    ),
}

GAMMA["beta_density"] = Reference(_beta_density, {}, within=((1e-2, 100.0), (1e-2, 100.0), (0.0, 1.0)), count=SOME)
