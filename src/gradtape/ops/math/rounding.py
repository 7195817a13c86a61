"""Division rounded towards zero, and neighbouring floating-point numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, REAL, Array
from ...base.errors import invalid
from ...base.types import Namespace, Value
from ...op.family import as_array, elementwise, sample_binary, usually
from .elementwise import no_division_by_zero
from .logic import zeros_like


def _check_divisor(y: Array, name: str) -> None:
    if y.dtype.kind in "iu" and not usually(y.all()):
        raise invalid(f"{name}: integer division by zero.")


def _truncate_divide(x: Array, y: Array) -> Any:
    x, y = as_array(x), as_array(y)
    _check_divisor(y, "truncatediv")
    if x.dtype.kind in "iu":
        return (x - np.fmod(x, y)) // y
    return np.trunc(x / y)


@elementwise(eager=_truncate_divide, dtypes=REAL, tf_name="TruncateDiv")
def truncatediv(xp: Namespace, x: Array, y: Array) -> Any:
    """x / y rounded towards zero.

    >>> import gradtape as tf
    >>> tf.truncatediv([7, -7], 2).numpy()
    array([ 3, -3], dtype=int32)
    """
    return (x - xp.fmod(x, y)) // y if xp.issubdtype(x.dtype, xp.integer) else xp.trunc(x / y)


truncatediv.not_differentiable("it is constant between its jumps")


def _truncate_mod(x: Array, y: Array) -> Any:
    x, y = as_array(x), as_array(y)
    _check_divisor(y, "truncatemod")
    return np.fmod(x, y)


@elementwise(eager=_truncate_mod, dtypes=REAL, tf_name="TruncateMod")
def truncatemod(xp: Namespace, x: Array, y: Array) -> Any:
    """What is left of x after taking truncatediv(x, y) times y away; it has the sign of x.

    >>> import gradtape as tf
    >>> tf.truncatemod([7, -7], 3).numpy()
    array([ 1, -1], dtype=int32)
    """
    return xp.fmod(x, y)


@truncatemod.derivative("x")
def _(t: Value) -> Any:
    return t


@truncatemod.derivative("y")
def _(t: Value, x: Value, y: Value) -> Any:
    return -t * truncatediv(x, y)


@elementwise(eager=np.nextafter, dtypes=FLOATING, tf_name="NextAfter")
def nextafter(xp: Namespace, x1: Array, x2: Array) -> Any:
    """The floating-point number next to x1 on the way to x2; its derivative in x1 is 1, in x2 it is 0.

    >>> import gradtape as tf
    >>> tf.math.nextafter([1.0], [2.0]).numpy()
    array([1.0000001], dtype=float32)
    """
    return xp.nextafter(x1, x2)


@nextafter.derivative("x1")
def _(t: Value) -> Any:
    return t


@nextafter.derivative("x2")
def _(t: Value) -> Any:
    return zeros_like(t)


for _op in (truncatediv, truncatemod):
    sample_binary(_op, second=(0.4, 2.0))
    _op.rejects(no_division_by_zero)
sample_binary(nextafter)
