"""Bessel functions of integer order.

Each kind is one op with the order as an attribute: the derivative of one order is made of the orders next to
it, without dividing by x, so that derivatives of every order are right at 0 too. Of the scaled kinds, neighbouring
orders are almost equal far out, and their difference has no digits left: there a derivative has a series of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.errors import invalid
from ...base.types import Draw, Namespace, Value
from ...op.declaration import BadInput, Op, Sample
from ...op.family import as_array, elementwise
from .special import functions, keeping_type, reject_types


def _of_order(general: str, *first: str) -> Callable[..., Any]:
    """SciPy's functions for the first orders, which are faster and more accurate, else the general one."""

    def function(x: Array, order: int) -> Any:
        if order.__class__ is not int or order < 0:
            raise invalid(f"A Bessel function here has order 0, 1, 2, ..., got {order!r}.")
        special = functions(np)
        return getattr(special, first[order])(x) if order < len(first) else getattr(special, general)(order, x)

    return function


def _falling(function: Callable[..., Any]) -> Callable[..., Array]:
    """A kernel of a function that goes to 0, where SciPy has nan at infinity."""

    def kernel(x: Array, order: int) -> Any:
        return np.where(np.isposinf(np.abs(x)), 0, function(x, order))

    return keeping_type(kernel)


# --- scaled functions and their derivatives -----------------------------------------------------------------

_scaled_i, _scaled_k = _of_order("ive", "i0e", "i1e"), _of_order("kve", "k0e", "k1e")
_TERMS = 36  # of the series below, which has 16 digits from 20 on


def _far_from(order: int, derivatives: int) -> int:
    return max(20, 2 * (order + derivatives + 1) ** 2)


def _series(x: Array, order: int, derivatives: int, ratio: int) -> Any:
    """Hankel's series, differentiated: the sum of a_k ratio^k x^(-k - 1/2), where ratio is 1 for K and -1 for I."""
    total, coefficient = np.zeros_like(x), 1.0
    for k in range(_TERMS):
        factor = coefficient * math.prod(-0.5 - k - j for j in range(derivatives))
        total += factor * x ** (-float(k))
        coefficient *= ratio * (4 * order**2 - (2 * k + 1) ** 2) / (8 * (k + 1))
    return total * x**-0.5 * x ** (-float(derivatives))


def _ie_near(x: Array, order: int, derivatives: int) -> Any:
    if not derivatives:
        return _scaled_i(x, order)
    below = _ie_near(x, abs(order - 1), derivatives - 1)
    return 0.5 * (below + _ie_near(x, order + 1, derivatives - 1)) - np.sign(x) * _ie_near(x, order, derivatives - 1)


def _bessel_ie(x: Array, order: int, derivatives: int = 0) -> Any:
    if not derivatives and order in (0, 1):
        return _scaled_i(x, order)
    wide = as_array(x, np.float64)
    far = np.abs(wide) > _far_from(order, derivatives)
    sign = np.sign(wide) ** (order + derivatives)
    series = sign * _series(np.where(far, np.abs(wide), 1.0), order, derivatives, -1) * (2 * math.pi) ** -0.5
    return np.where(far, series, _ie_near(np.where(far, 1.0, wide), order, derivatives))


def _ke_near(x: Array, order: int, derivatives: int) -> Any:
    if not derivatives:
        return _scaled_k(x, order)
    below = _ke_near(x, abs(order - 1), derivatives - 1)
    return _ke_near(x, order, derivatives - 1) - 0.5 * (below + _ke_near(x, order + 1, derivatives - 1))


def _bessel_ke(x: Array, order: int, derivatives: int = 0) -> Any:
    if not derivatives and order in (0, 1):
        return _scaled_k(x, order)
    wide = as_array(x, np.float64)
    far = wide > _far_from(order, derivatives)
    series = _series(np.where(far, wide, 1.0), order, derivatives, 1) * (math.pi / 2) ** 0.5
    near = _ke_near(np.where(far, 1.0, wide), order, derivatives)
    # Next to 0 all orders are infinite, and the one above is the largest.
    near = np.where((wide >= 0) & (wide < 1) & np.isnan(near), (-1) ** derivatives * np.inf, near)
    return np.where(far, series, near)


# --- the functions ------------------------------------------------------------------------------------------

_FURTHEST = 1e4  # beyond, I is infinite and K is 0


def _bessel_i(x: Array, order: int) -> Any:
    # In two factors: the function is finite a little further than exp(x). SciPy's own is nan next to 0, too.
    wide = np.clip(as_array(x, np.float64), -_FURTHEST, _FURTHEST)
    half = np.exp(0.5 * np.abs(wide))
    return _scaled_i(wide, order) * half * half


_first_k = _of_order("kv", "k0", "k1")


def _bessel_k(x: Array, order: int) -> Any:
    if order in (0, 1):
        return _first_k(x, order)
    wide = np.minimum(as_array(x, np.float64), _FURTHEST)
    return _scaled_k(wide, order) * np.exp(-wide)  # SciPy's own underflows too early


_bessel_j = _falling(_of_order("jv", "j0", "j1"))
_bessel_y = _falling(_of_order("yv", "y0", "y1"))


@elementwise(eager=_bessel_j, dtypes=FLOATING)
def bessel_j(xp: Namespace, x: Array, *, order: int) -> Any:
    """The Bessel function of the first kind."""
    return _bessel_j(x, order)


@elementwise(eager=_bessel_y, dtypes=FLOATING)
def bessel_y(xp: Namespace, x: Array, *, order: int) -> Any:
    """The Bessel function of the second kind."""
    return _bessel_y(x, order)


@elementwise(eager=keeping_type(_bessel_i), dtypes=FLOATING)
def bessel_i(xp: Namespace, x: Array, *, order: int) -> Any:
    """The modified Bessel function of the first kind."""
    return _bessel_i(x, order)


@elementwise(eager=keeping_type(_bessel_ie), dtypes=FLOATING)
def bessel_ie(xp: Namespace, x: Array, *, order: int, derivatives: int = 0) -> Any:
    """bessel_i times exp(-|x|), which does not overflow; or its derivative of an order."""
    return _bessel_ie(x, order, derivatives)


@elementwise(eager=keeping_type(_bessel_k), dtypes=FLOATING)
def bessel_k(xp: Namespace, x: Array, *, order: int) -> Any:
    """The modified Bessel function of the second kind."""
    return _bessel_k(x, order)


@elementwise(eager=keeping_type(_bessel_ke), dtypes=FLOATING)
def bessel_ke(xp: Namespace, x: Array, *, order: int, derivatives: int = 0) -> Any:
    """bessel_k times exp(x), which does not underflow; or its derivative of an order."""
    return _bessel_ke(x, order, derivatives)


def _slope(kind: Op, below: float, above: float, x: Value, order: int) -> Any:
    """(below * f[order - 1] + above * f[order + 1]) / 2; f[-1] is f[1] up to the sign that makes them add."""
    if order == 0:
        return above * kind(x, order=1)
    return (0.5 * below) * kind(x, order=order - 1) + (0.5 * above) * kind(x, order=order + 1)


@bessel_j.derivative("x")
def _(t: Value, x: Value, order: int) -> Any:
    return t * _slope(bessel_j, 1.0, -1.0, x, order)


@bessel_y.derivative("x")
def _(t: Value, x: Value, order: int) -> Any:
    return t * _slope(bessel_y, 1.0, -1.0, x, order)


@bessel_i.derivative("x")
def _(t: Value, x: Value, order: int) -> Any:
    return t * _slope(bessel_i, 1.0, 1.0, x, order)


@bessel_ie.derivative("x")
def _(t: Value, x: Value, order: int, derivatives: int) -> Any:
    return t * bessel_ie(x, order=order, derivatives=derivatives + 1)


@bessel_k.derivative("x")
def _(t: Value, x: Value, order: int) -> Any:
    return t * _slope(bessel_k, -1.0, -1.0, x, order)


@bessel_ke.derivative("x")
def _(t: Value, x: Value, order: int, derivatives: int) -> Any:
    return t * bessel_ke(x, order=order, derivatives=derivatives + 1)


def _sample(op: Op, low: float, high: float, avoid: tuple[float, ...] = ()) -> None:
    @op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for order in (0, 1, 2):
            for shape in [(), (4,), (0,), (2, 3), (2, 1, 3)]:
                yield Sample((draw(shape, low, high, avoid),), {"order": order})

    @op.rejects
    def _() -> Iterator[BadInput]:
        for order in (-1, -7, 0.5, None):
            yield BadInput("orders are 0, 1, 2, ...", (np.ones(2, np.float32),), {"order": order})


_sample(bessel_j, -6.0, 6.0)
_sample(bessel_i, -3.0, 3.0)
_sample(bessel_ie, -3.0, 3.0, (0.0,))
for _op in (bessel_y, bessel_k, bessel_ke):
    _sample(_op, 0.4, 6.0)
for _op in (bessel_j, bessel_y, bessel_i, bessel_ie, bessel_k, bessel_ke):
    _op.host_only("XLA has no Bessel functions of all orders that are right everywhere")
    reject_types(_op, order=0)
