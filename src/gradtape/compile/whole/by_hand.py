"""Ops whose kernels make new arrays and write into parts of them: what they do, said in steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...native.language import Unsupported
from .stand_in import StandIn, Steps, assembled
from .steps import Array, RowsAdded, RowsRead, RowWritten, Step, View
from .texts import kind_of

BY_HAND: dict[str, Callable[..., Any]] = {}


def _op(recorded: Callable[..., Any]) -> Callable[..., Any]:
    BY_HAND[recorded.__name__] = recorded
    return recorded


@_op
def setitem_zeros(steps: Steps, g: StandIn, *, shape: tuple[int, ...], key: tuple[Any, ...]) -> StandIn:
    """Zeros, with an array in a part of them."""
    result = np.zeros(shape, g.dtype)
    place = result[key if any(part is Ellipsis for part in key) else (*key, ...)]
    if place.shape != g.shape or not np.may_share_memory(place, result):
        raise Unsupported("a part that is no slice")
    return assembled(steps, result, [place], [g], zeros=True)


@_op
def zeros_like(steps: Steps, input: StandIn) -> Any:
    """Zeros of the shape of an array."""
    return np.broadcast_to(np.zeros((), input.dtype), input.shape)


@_op
def ones_like(steps: Steps, input: StandIn) -> Any:
    """Ones of the shape of an array."""
    return np.broadcast_to(np.ones((), input.dtype), input.shape)


_COPIED = 1 << 12  # bytes: larger arrays are changed in place, by Python lines


def _as_stand_in(steps: Steps, value: Any) -> StandIn:
    return value if isinstance(value, StandIn) else steps.constant(value)


def _positions(steps: Steps, indices: Any) -> StandIn:
    """Indices one after the other."""
    found = _as_stand_in(steps, indices).reshape(-1)
    if found.dtype.kind != "i":
        raise Unsupported(f"indices of {found.dtype}")
    return found


@_op
def take(steps: Steps, params: Any, indices: Any, *, axis: int, batch_dims: int) -> StandIn:
    """The rows along an axis at indices."""
    source, positions = _as_stand_in(steps, params), _positions(steps, indices)
    if batch_dims or not kind_of(source.dtype):
        raise Unsupported("gather of several batches")
    axis %= source.ndim
    shape = source.shape
    made = steps.made(np.empty((*shape[:axis], *np.shape(indices), *shape[axis + 1 :]), source.dtype))
    rows = np.moveaxis(made.array.reshape(*shape[:axis], positions.size, *shape[axis + 1 :]), axis, 0)
    into = StandIn(steps, rows, made.buffer)
    steps.append(
        RowsRead(
            [source.rearranged(lambda array: np.moveaxis(array, axis, 0)).located, positions.located], into.located
        )
    )
    return made


@_op
def put(steps: Steps, values: Any, indices: Any, *, shape: tuple[int, ...], axis: int, batch_dims: int) -> StandIn:
    """Zeros, with rows added at indices."""
    given, positions = _as_stand_in(steps, values), _positions(steps, indices)
    if batch_dims or axis % len(shape) or not given.flags.c_contiguous or not kind_of(given.dtype):
        raise Unsupported("rows along another axis")
    rows = given.reshape(positions.size, *shape[1:])
    return _changed(steps, RowsAdded, [positions, rows], np.empty(shape, given.dtype))


@_op
def get_row(steps: Steps, x: Any, index: Any) -> StandIn:
    """The row at a position."""
    return take(steps, x, index, axis=0, batch_dims=0)


@_op
def put_row(steps: Steps, row: Any, index: Any, *, size: int) -> StandIn:
    """Zeros, but for a row."""
    result = np.empty((size, *np.shape(row)), row.dtype)
    zeros = steps.constant(np.broadcast_to(np.zeros((), row.dtype), result.shape))
    return _changed(steps, RowWritten, [zeros, _positions(steps, index), _as_stand_in(steps, row)], result)


@_op
def set_row(steps: Steps, x: Any, index: Any, row: Any) -> StandIn:
    """An array with another row."""
    given, result = [_as_stand_in(steps, value) for value in (x, row)], np.empty(np.shape(x), x.dtype)
    return _changed(steps, RowWritten, [given[0], _positions(steps, index), given[1]], result)


@_op
def add_row(steps: Steps, x: Any, index: Any, row: Any) -> StandIn:
    """An array with a row added to one of its own."""
    given, result = [_as_stand_in(steps, value) for value in (x, row)], np.empty(np.shape(x), x.dtype)
    return _changed(steps, RowsAdded, [given[0], _positions(steps, index), given[1][None]], result)


def _changed(steps: Steps, step: Callable[[list[View], View], Step], operands: list[StandIn], result: Array) -> StandIn:
    """An array with other rows, in memory of its own."""
    if any(x.dtype.kind in "fc" and x.dtype != result.dtype for x in operands):
        raise Unsupported("rows of another type")
    if result.nbytes > _COPIED or not kind_of(result.dtype):
        raise Unsupported("rows of a large array")
    made = steps.made(result)
    steps.append(step([x.located for x in operands], made.located))
    return made


@_op
def convert(steps: Steps, x: StandIn, *, dtype: np.dtype[Any]) -> StandIn:
    """Another type. Numbers that no integer is near become the smallest one, as in the op's own kernel."""
    if x.dtype.kind != "f" or dtype.kind not in "iu":
        return x.astype(dtype)
    if dtype == np.uint64:
        raise Unsupported("the upper half of uint64")
    through = np.iinfo(np.int32 if dtype.itemsize < 4 or dtype == np.int32 else np.int64)
    wide: Any = x.astype(np.float64)
    fits = (wide > through.min - 1.0) & (wide < through.max + 1.0)
    whole: StandIn = np.where(fits, wide, float(through.min))  # type: ignore[assignment]
    return whole.astype(through.dtype).astype(dtype)
