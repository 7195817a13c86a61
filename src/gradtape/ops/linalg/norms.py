"""Norms of any order (reduce_norm)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.errors import invalid
from ...base.types import Axis, Cotangent, Draw, Namespace, Tangent, Value
from ...op.declaration import BadInput, Sample, op
from ...op.family import (
    batch_over_axis,
    in_float32,
    reject_reduction,
    shape_of,
)
from ...op.shapes import real_type, reduced
from ..array.layout import reshape
from ..math.elementwise import abs as absolute
from ..math.elementwise import divide_no_nan, pow, sign
from ..math.reduce import kept_shape, reduce_sum, refuse_axis_of_scalar, spread

_add: Any = np.add.reduce
_maximum: Any = np.maximum.reduce


@in_float32
def _reduce_norm(x: Array, order: float, axis: Axis = None, keepdims: bool = False) -> Any:
    refuse_axis_of_scalar(x, axis)
    if not order > 0 or order == np.inf:
        raise invalid(f"reduce_norm: the order must be positive and finite, got {order}.")
    size = np.abs(x)
    # Divided by the largest element, so that powers neither overflow nor vanish.
    top = _maximum(size, axis=axis, keepdims=True, initial=0)
    scale = np.where((top > 0) & np.isfinite(top), top, 1).astype(x.dtype)
    total = _add((size / scale) ** x.dtype.type(order), axis, None, None, True) ** x.dtype.type(1 / order) * scale
    return total if keepdims else np.asarray(total).reshape(_add(np.empty(x.shape, bool), axis).shape)


@op(eager=_reduce_norm, dtypes=FLOATING, shape=reduced, gives=real_type)
def reduce_norm(xp: Namespace, x: Array, *, order: float, axis: Axis = None, keepdims: bool = False) -> Any:
    """(sum |x|^order)^(1 / order) over some axes, or over all; without overflow."""
    return xp.sum(xp.abs(x) ** order, axis=axis, keepdims=keepdims) ** (1 / order)


def _slope(x: Value, out: Value, axis: Axis, order: float) -> Any:
    kept = reshape(out, shape=kept_shape(shape_of(x), axis))
    return sign(x) * pow(divide_no_nan(absolute(x), kept), order - 1.0)


@reduce_norm.vjp("x")
def _(g: Cotangent, x: Value, out: Value, axis: Axis, order: float) -> Any:
    return spread(g, shape_of(x), axis) * _slope(x, out, axis, order)


@reduce_norm.jvp("x")
def _(t: Tangent, x: Value, out: Value, axis: Axis, keepdims: bool, order: float) -> Any:
    return reduce_sum(t * _slope(x, out, axis, order), axis=axis, keepdims=keepdims)


reduce_norm.batching = batch_over_axis
reject_reduction(reduce_norm)


@reduce_norm.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, order, axis, keepdims in [
        ((4,), 3.0, None, False), ((2, 3), 2.5, 0, False), ((2, 3), 1.0, 1, True), ((2, 3, 2), 4.0, (0, 2), False), ((1,), 2.0, 0, False),
        ((3, 2), 0.5, -1, False), ((2, 2, 2), 3.0, None, True), ((5,), 1.5, -1, False), ((0, 2), 3.0, 1, False), ((3, 3), 6.0, (0, 1), False),
        ((2, 4), 2.0, 1, False), ((6,), 10.0, 0, True),
    ]:  # fmt: skip
        yield Sample((draw(shape, avoid=(0.0,)),), {"order": order, "axis": axis, "keepdims": keepdims})


@reduce_norm.value
def _(x: Array, order: float, axis: Axis, keepdims: bool) -> Any:
    return np.sum(np.abs(x) ** order, axis=axis, keepdims=keepdims) ** (1 / order)


@reduce_norm.rejects
def _() -> Iterator[BadInput]:
    for order in (0.0, -1.0, float("inf"), float("nan")):
        yield BadInput("an order", (np.ones(3, np.float32),), {"order": order})
