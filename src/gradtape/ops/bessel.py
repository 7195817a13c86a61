"""Bessel functions of integer order.

Each kind is one op with the order as an attribute: the derivative of one order is made of the orders next to
it, without dividing by x, so that derivatives of every order are right at 0 too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..dtypes import FLOATING, Array
from ..errors import invalid
from ..op import BadInput, Op, Sample
from .elementwise import sign
from .family import elementwise
from .special import functions, keeping_type, reject_types


def _of_order(general: str, *first: str) -> Callable[..., Array]:
    """A kernel: SciPy's functions for the first orders, which are faster and closer, else the general one."""

    def kernel(x: Array, order: int) -> Any:
        if order.__class__ is not int or order < 0:
            raise invalid(f"A Bessel function here has order 0, 1, 2, ..., got {order!r}.")
        special = functions(np)
        return getattr(special, first[order])(x) if order < len(first) else getattr(special, general)(order, x)

    return keeping_type(kernel)


@elementwise(eager=_of_order("jv", "j0", "j1"), dtypes=FLOATING)
def bessel_j(xp: Any, x: Any, *, order: int) -> Any:
    """The Bessel function of the first kind."""
    return functions(xp).bessel_jn(x, v=order)[order]


@elementwise(eager=_of_order("yv", "y0", "y1"), dtypes=FLOATING)
def bessel_y(xp: Any, x: Any, *, order: int) -> Any:
    """The Bessel function of the second kind."""
    return functions(xp).yv(order, x)


@elementwise(eager=_of_order("iv", "i0", "i1"), dtypes=FLOATING)
def bessel_i(xp: Any, x: Any, *, order: int) -> Any:
    """The modified Bessel function of the first kind."""
    return getattr(functions(xp), f"i{order}")(x)


@elementwise(eager=_of_order("ive", "i0e", "i1e"), dtypes=FLOATING)
def bessel_ie(xp: Any, x: Any, *, order: int) -> Any:
    """bessel_i times exp(-|x|), which does not overflow."""
    return getattr(functions(xp), f"i{order}e")(x)


@elementwise(eager=_of_order("kv", "k0", "k1"), dtypes=FLOATING)
def bessel_k(xp: Any, x: Any, *, order: int) -> Any:
    """The modified Bessel function of the second kind."""
    return functions(xp).kv(order, x)


@elementwise(eager=_of_order("kve", "k0e", "k1e"), dtypes=FLOATING)
def bessel_ke(xp: Any, x: Any, *, order: int) -> Any:
    """bessel_k times exp(x), which does not underflow."""
    return functions(xp).kve(order, x)


def _slope(kind: Op, below: float, above: float, x: Any, order: int) -> Any:
    """(below * f[order - 1] + above * f[order + 1]) / 2; f[-1] is f[1] up to the sign that makes them add."""
    if order == 0:
        return above * kind(x, order=1)
    return (0.5 * below) * kind(x, order=order - 1) + (0.5 * above) * kind(x, order=order + 1)


@bessel_j.derivative("x")
def _(t: Any, x: Any, order: int) -> Any:
    return t * _slope(bessel_j, 1.0, -1.0, x, order)


@bessel_y.derivative("x")
def _(t: Any, x: Any, order: int) -> Any:
    return t * _slope(bessel_y, 1.0, -1.0, x, order)


@bessel_i.derivative("x")
def _(t: Any, x: Any, order: int) -> Any:
    return t * _slope(bessel_i, 1.0, 1.0, x, order)


@bessel_ie.derivative("x")
def _(t: Any, x: Any, out: Any, order: int) -> Any:
    return t * (_slope(bessel_ie, 1.0, 1.0, x, order) - sign(x) * out)


@bessel_k.derivative("x")
def _(t: Any, x: Any, order: int) -> Any:
    return t * _slope(bessel_k, -1.0, -1.0, x, order)


@bessel_ke.derivative("x")
def _(t: Any, x: Any, out: Any, order: int) -> Any:
    return t * (_slope(bessel_ke, -1.0, -1.0, x, order) + out)


def _sample(op: Op, low: float, high: float, avoid: tuple[float, ...] = ()) -> None:
    @op.samples
    def _(draw: Any) -> Iterator[Sample]:
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
    reject_types(_op, order=0)
