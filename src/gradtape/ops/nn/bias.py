"""Biases added to the channels (bias_add), and its gradient, in one op each: few passes over the memory, one record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import matched
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import rank_of, shape_of
from ..array.layout import broadcast_to, reshape
from ..math.reduce import reduce_sum
from .rows import BY_COLUMN, FULL, RowText, sum_of_rows


def _channel_axis(name: str, rank: int, data_format: str) -> int:
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(f"{name}: data_format must be NHWC or NCHW, got {data_format!r}.")
    if rank < 2:
        raise invalid(f"{name}: a value with at least 2 axes is needed, got {rank}.")
    return 1 if data_format == "NCHW" else rank - 1


def _lined_up(bias: Value, rank: int, data_format: str) -> Any:
    if data_format == "NHWC":
        return bias
    return reshape(bias, shape=(*shape_of(bias), *(1,) * (rank - 2)))


_WITH_BIAS = RowText([FULL, BY_COLUMN], [("map", np.add, (0, 1))], [2])


def _bias_add(value: Array, bias: Array, data_format: str = "NHWC") -> Array:
    axis = _channel_axis("bias_add", value.ndim, data_format)
    if bias.shape != (value.shape[axis],):
        raise invalid(f"bias_add: a bias of shape {bias.shape} does not fit axis {axis} of shape {value.shape}.")
    if data_format == "NHWC" and _WITH_BIAS.takes(value) and (found := _WITH_BIAS(value, bias)):
        return found[0]
    return value + _lined_up(bias, value.ndim, data_format)


@op(eager=_bias_add, dtypes=NUMERIC)
def bias_add(xp: Namespace, value: Array, bias: Array, *, data_format: str = "NHWC") -> Any:
    """A vector added along the channels: the last axis, or the second for "NCHW"."""
    return value + _lined_up(bias, value.ndim, data_format)


@bias_add.shapes
def _(value: Abstract, bias: Abstract, *, data_format: Any) -> Shape:
    if value.rank is not None:
        axis = _channel_axis("bias_add", value.ndim, data_format)
        matched(value.shape[axis], bias.of_rank(1)[0], "the channels and the bias,")
    return value.known


@bias_add.vjp("value")
def _(g: Cotangent) -> Any:
    return g


@bias_add.vjp("bias")
def _(g: Cotangent, data_format: str) -> Any:
    return bias_add_grad(g, data_format=data_format)


@bias_add.jvp("value")
def _(t: Tangent) -> Any:
    return t


@bias_add.jvp("bias")
def _(t: Tangent, value_shape: tuple[int, ...], data_format: str) -> Any:
    return broadcast_to(_lined_up(t, len(value_shape), data_format), shape=value_shape)


@bias_add.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    value, bias = args
    rank = rank_of(value) - is_batched[0]
    channels = shape_of(bias)[-1]
    axis = _channel_axis("bias_add", rank, attributes["data_format"])
    lined = (*(1,) * axis, channels, *(1,) * (rank - axis - 1))
    return value + reshape(bias, shape=(shape_of(bias)[0], *lined) if is_batched[1] else lined)


def _bias_add_grad(out_backprop: Array, data_format: str = "NHWC") -> Array:
    axis = _channel_axis("bias_add_grad", out_backprop.ndim, data_format)
    if axis == out_backprop.ndim - 1:
        rows = out_backprop.reshape(-1, out_backprop.shape[-1])
        if rows.dtype.char in "fd" and rows.flags.c_contiguous and rows.size:
            return sum_of_rows(rows)
        if rows.dtype.itemsize >= 4:
            return np.add.reduce(rows, 0, rows.dtype)
    others = tuple(a for a in range(out_backprop.ndim) if a != axis)
    return reduce_sum(out_backprop, axis=others, keepdims=False)


@op(eager=_bias_add_grad, dtypes=NUMERIC)
def bias_add_grad(xp: Namespace, out_backprop: Array, *, data_format: str = "NHWC") -> Any:
    """The sum over all axes but that of the channels."""
    axis = _channel_axis("bias_add_grad", out_backprop.ndim, data_format)
    return xp.sum(out_backprop, axis=tuple(a for a in range(out_backprop.ndim) if a != axis))


@bias_add_grad.shapes
def _(out_backprop: Abstract, *, data_format: Any) -> Shape:
    return (out_backprop.shape[_channel_axis("bias_add_grad", out_backprop.ndim, data_format)],)


@bias_add_grad.vjp("out_backprop")
def _(g: Cotangent, out_backprop_shape: tuple[int, ...], data_format: str) -> Any:
    return broadcast_to(_lined_up(g, len(out_backprop_shape), data_format), shape=out_backprop_shape)


bias_add_grad.linear("out_backprop")


@bias_add_grad.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    rank = rank_of(args[0]) - 1
    axis = _channel_axis("bias_add_grad", rank, attributes["data_format"])
    return reduce_sum(args[0], axis=tuple(a + 1 for a in range(rank) if a != axis), keepdims=False)


_BIASED = [
    ((2, 3), "NHWC"), ((2, 3), "NCHW"), ((1, 2, 3), "NHWC"), ((1, 2, 3), "NCHW"), ((2, 2, 2, 3), "NHWC"), ((2, 3, 2, 2), "NCHW"),
    ((0, 3), "NHWC"), ((4, 1), "NHWC"), ((1, 1), "NCHW"), ((2, 1, 2, 1, 3), "NHWC"), ((1, 4, 1, 2, 1), "NCHW"), ((3, 2), "NHWC"),
]  # fmt: skip


@bias_add.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, data_format in _BIASED:
        size = shape[1] if data_format == "NCHW" else shape[-1]
        yield Sample((draw(shape), draw((size,))), {"data_format": data_format})


@bias_add_grad.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, data_format in _BIASED:
        yield Sample((draw(shape),), {"data_format": data_format})


@bias_add.value
def _(value: Array, bias: Array, data_format: str) -> Any:
    return value + bias if data_format == "NHWC" else np.moveaxis(np.moveaxis(value, 1, -1) + bias, -1, 1)


@bias_add_grad.value
def _(out_backprop: Array, data_format: str) -> Any:
    return (
        np.moveaxis(out_backprop, 1 if data_format == "NCHW" else -1, 0)
        .reshape(out_backprop.shape[1 if data_format == "NCHW" else -1], -1)
        .sum(axis=1)
    )


@bias_add.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shape in ((2,), (4,), (1,), (3, 1), ()):
        yield BadInput("a vector as long as there are channels", (x, np.ones(shape, np.float32)))
    yield BadInput("a channel axis", (x[0], x[0]))
    yield BadInput("a data format", (x, x[0]), {"data_format": "NWHC"})


@bias_add_grad.rejects
def _() -> Iterator[BadInput]:
    for shape in ((), (3,), (0,)):
        yield BadInput("a channel axis", (np.ones(shape, np.float32),))
    for data_format in ("NWHC", "", "channels_last"):
        yield BadInput("a data format", (np.ones((2, 3), np.float32),), {"data_format": data_format})
