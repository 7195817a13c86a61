"""Ops that look elements up by lists of positions and put them back: gather, gather_nd, scatter_nd."""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ...base.dtypes import ANY, INDEX, INTEGER, NARROW_FLOATS, NUMERIC, Array
from ...base.errors import ArgumentValueError, invalid, unfit
from ...base.sizes import UNKNOWN, Sizes, Undecided, is_known
from ...base.types import Cotangent, Draw, Function, Jax, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, rank_of, shape_of, with_batch_axis
from ...op.shapes import matched_sizes, place, shaped_by
from ...values.tensor import IndexedSlices
from .accumulate import add_rows
from .layout import reshape

# For each type of integers the unsigned one of the same size, and how many numbers of it are not negative.
_UNSIGNED = {
    np.dtype(f"{kind}{size}"): (np.dtype(f"u{size}"), 2 ** (8 * size - (kind == "i"))) for kind in "iu" for size in (1, 2, 4, 8)
}  # fmt: skip
_maximum: Any = np.maximum.reduce


def check_range(indices: Array, size: int, name: str) -> None:
    """Raise unless all indices are in [0, size)."""
    unsigned, valid = _UNSIGNED[indices.dtype]
    # Read as unsigned, negative numbers are the largest: one comparison finds indices that are negative or too large.
    if indices.size and _maximum(indices.view(unsigned), None) >= min(size, valid):
        place = tuple(np.argwhere((indices < 0) | (indices >= size))[0])
        where = f"[{','.join(map(str, place))}]" if place else ""
        raise invalid(f"{name}: indices{where} = {indices[place]} is not in [0, {size}).")


def _gather(params: Array, indices: Array, axis: int, batch_dims: int) -> Array:
    if indices.__class__ is not np.ndarray:
        indices = np.asarray(indices)
    axis, batch_dims = _gather_axes(params, indices, axis, batch_dims)
    check_range(indices, params.shape[axis], "gather")
    if not batch_dims:
        return params.take(indices, axis, mode="clip")  # (nothing is clipped: the indices were checked)
    lead = params.shape[:batch_dims]
    if indices.shape[:batch_dims] != lead:
        raise invalid(
            f"gather: with batch_dims={batch_dims} the leading sizes must agree, got params {params.shape} and "
            f"indices {indices.shape}."
        )
    count = int(np.prod(lead, dtype=np.int64))
    rows = params.reshape(count, *params.shape[batch_dims:])
    picks = indices.reshape(count, int(np.prod(indices.shape[batch_dims:], dtype=np.int64)))
    moved = np.moveaxis(rows, axis - batch_dims + 1, 1)
    result = moved[np.arange(count)[:, None], picks]
    result = np.moveaxis(result, 1, axis - batch_dims + 1)
    middle = params.shape[batch_dims:axis]
    return result.reshape(*lead, *middle, *indices.shape[batch_dims:], *params.shape[axis + 1 :])


def _gather_axes(params: Array, indices: Array, axis: int, batch_dims: int) -> tuple[int, int]:
    if not isinstance(axis, int) or not -params.ndim <= axis < params.ndim:
        least = (axis + 1 if axis >= 0 else -axis) if isinstance(axis, int) else 0
        raise invalid(
            f"gather: Shape must be at least rank {least} but is rank {params.ndim}: axis {axis} does not exist in params of "
            f"shape {params.shape}."
        )
    axis %= params.ndim
    if not -indices.ndim <= batch_dims <= indices.ndim:
        raise invalid(f"gather: batch_dims {batch_dims} is out of range for indices of shape {indices.shape}.")
    batch_dims = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if batch_dims > axis:
        raise invalid(f"gather: batch_dims {batch_dims} must not be larger than axis {axis}.")
    return axis, batch_dims


@op(eager=_gather, dtypes=ANY, other={"indices": INTEGER}, tf_name="GatherV2", on_sizes=True)
def take(xp: Namespace, params: Array, indices: Array, *, axis: int = 0, batch_dims: int = 0) -> Any:
    """The slices of `params` at `indices` along `axis`, for each of the first `batch_dims` axes by itself."""
    return xp.take(params, indices, axis=axis) if not batch_dims else _gather(params, indices, axis, batch_dims)


@take.xla
def _(jax: Jax, params: Array, indices: Array, *, axis: int, batch_dims: int) -> Any:
    axis, batch_dims = _gather_axes(params, indices, axis, batch_dims)
    take_rows = partial(jax.numpy.take, axis=axis - batch_dims, mode="fill", fill_value=0)
    return each_entry(jax, take_rows, batch_dims)(params, existing(jax.numpy, indices, params.shape[axis]))


def existing(xp: Namespace, indices: Array, size: int) -> Any:
    """Indices for jax, which counts negative ones from the end: all that do not exist are past the end."""
    wide: Any = indices.astype(np.int64 if indices.dtype.itemsize == 8 else np.int32)
    return xp.where(wide < 0, size, wide)


def each_entry(jax: Jax, function: Function, batch_dims: int) -> Function:
    """The function on each entry of that many batch axes, as jax runs it."""
    for _ in range(batch_dims):
        function = jax.vmap(function)
    return function


@take.shapes
def _(params: Abstract, indices: Abstract, *, axis: Any, batch_dims: Any) -> Shape:
    if axis is UNKNOWN and batch_dims == 0:
        return (UNKNOWN,) * (params.ndim - 1 + indices.ndim)
    at = place(axis, params.ndim)
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if batch > min(at, indices.ndim):
        raise ValueError(f"batch_dims {batch} is larger than axis {at} or than the rank of the indices")
    lead = matched_sizes(params.shape[:batch], indices.shape[:batch])
    return (*lead, *params.shape[batch:at], *indices.shape[batch:], *params.shape[at + 1 :])


@take.vjp("params")
def _(g: object, params_shape: tuple[int, ...], indices: object, axis: int, batch_dims: int) -> Any:
    if axis == 0 and batch_dims == 0 and not getattr(g, "is_batched", False):
        if rank_of(indices) != 1:
            count = math.prod(shape_of(indices))
            g, indices = reshape(g, shape=(count, *params_shape[1:])), reshape(indices, shape=(count,))
        return IndexedSlices(g, indices, np.array(params_shape, np.int32 if is_known(params_shape) else object))
    return put(g, indices, shape=params_shape, axis=axis, batch_dims=batch_dims)


take.linear("params")


@take.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    params, indices = args
    axis, batch_dims = attributes["axis"], attributes["batch_dims"]
    rank = rank_of(params) - is_batched[0]
    axis = axis % rank
    batch_dims = batch_dims % rank_of(indices) if batch_dims < 0 else batch_dims
    if not is_batched[1]:
        if not batch_dims:
            return take(params, indices, axis=axis + 1, batch_dims=0)
        indices = with_batch_axis(indices, shape_of(params)[0])
    elif not is_batched[0]:
        if axis == 0 and not batch_dims:  # one table for all
            return take(params, indices, axis=0, batch_dims=0)
        params = with_batch_axis(params, shape_of(indices)[0])
    return take(params, indices, axis=axis + 1, batch_dims=batch_dims + 1)


_GATHERS: list[tuple[tuple[int, ...], Any, int, int]] = [
    ((4,), [0, 2, 0], 0, 0), ((4,), 1, 0, 0), ((3, 2), [[0, 2], [1, 0]], 0, 0), ((3, 2), [1], 1, 0), ((2, 3, 4), [1, 0, 1], 1, 0),
    ((2, 3, 4), [[3], [0]], -1, 0), ((2, 3), [[0, 2], [1, 1]], 1, 1), ((2, 3, 2), [[0, 2], [1, 1]], 1, 1), ((2, 3, 2), [[1], [0]], 2, 1),
    ((3, 2), [], 0, 0), ((2, 2, 3), [[[0], [2]], [[1], [1]]], 2, 2), ((1,), [0, 0, 0], 0, 0),
]  # fmt: skip


@take.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, indices, axis, batch_dims in _GATHERS:
        yield Sample((draw(shape), np.array(indices, np.int32)), {"axis": axis, "batch_dims": batch_dims})


@take.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for indices, axis, batch in [
        ([5], 0, 0), ([-1], 0, 0), ([0], 2, 0), ([0], -3, 0), ([3], 1, 0), ([[0]], 1, 1), ([0], 0, 1), ([0], 0, 2), ([2**31 - 1], 0, 0),
        ([0], 0, -5),
    ]:  # fmt: skip
        yield BadInput(
            "indices and axes must exist",
            (x, np.array(indices, np.int32)),
            {"axis": axis, "batch_dims": batch},
        )
    yield BadInput("indices are integers", (x, np.array([0.0], np.float32)))


def _put(values: Array, indices: Array, shape: tuple[int, ...], axis: int, batch_dims: int) -> Array:
    indices = np.asarray(indices)
    axis %= len(shape)
    batch_dims = batch_dims % indices.ndim if batch_dims < 0 else batch_dims
    count, size, middle = math.prod(shape[:batch_dims]), shape[axis], shape[batch_dims:axis]
    picks = indices.reshape(count, math.prod(indices.shape[batch_dims:]))
    check_range(picks, size, "put")
    positions = (picks + np.arange(count)[:, None] * size).reshape(-1)
    apart = values.reshape(count, *middle, picks.shape[1], *shape[axis + 1 :])
    rows = np.moveaxis(apart, 1 + len(middle), 1)
    total = add_rows(rows.reshape(positions.size, *rows.shape[2:]), positions, count * size)
    return np.moveaxis(total.reshape(count, size, *rows.shape[2:]), 1, 1 + len(middle)).reshape(shape)


@op(eager=_put, dtypes=NUMERIC, other={"indices": INTEGER}, tf_name="GatherGrad", shape=shaped_by("shape"))
def put(xp: Namespace, values: Array, indices: Array, *, shape: tuple[int, ...], axis: int, batch_dims: int) -> Any:
    """Zeros with `values` added at `indices`: the transpose of `take`."""
    return _put(values, indices, shape, axis, batch_dims)


@put.xla
def _(jax: Jax, values: Array, indices: Array, *, shape: tuple[int, ...], axis: int, batch_dims: int) -> Any:
    axis %= len(shape)
    batch_dims = batch_dims % indices.ndim if batch_dims < 0 else batch_dims
    before = (slice(None),) * (axis - batch_dims)

    def add(values: Any, places: Array) -> Any:
        return jax.numpy.zeros(shape[batch_dims:], values.dtype).at[(*before, places)].add(values)

    places = existing(jax.numpy, indices, shape[axis])
    return each_entry(jax, add, batch_dims)(widened(values), places)


def widened(values: Array) -> Any:
    """float16 and bfloat16 as float32, in which they are added."""
    return values.astype(np.float32) if values.dtype in NARROW_FLOATS else values


@put.vjp("values")
def _(g: Cotangent, indices: Value, axis: int, batch_dims: int) -> Any:
    return take(g, indices, axis=axis, batch_dims=batch_dims)


put.linear("values")


@put.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    shape, axis, batch_dims = attributes["shape"], attributes["axis"], attributes["batch_dims"]
    size, (values, indices) = all_batched(is_batched, args)
    return put(values, indices, shape=(size, *shape), axis=axis % len(shape) + 1, batch_dims=batch_dims + 1)


@put.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, indices, axis, batch_dims in _GATHERS:
        picks = np.array(indices, np.int32)
        values = draw(_gather(np.empty(shape), picks, axis, batch_dims).shape)
        yield Sample((values, picks), {"shape": shape, "axis": axis, "batch_dims": batch_dims})


@put.rejects
def _() -> Iterator[BadInput]:
    values = np.ones((2, 3), np.float32)
    for indices, shape, axis in [
        ([0, 4], (4, 3), 0), ([0, -1], (4, 3), 0), ([0], (4, 3), 0), ([0, 1, 2], (4, 3), 0), ([0, 1], (4, 2), 0), ([0, 1], (2, 4), 1),
    ]:  # fmt: skip
        attributes = {"shape": shape, "axis": axis, "batch_dims": 0}
        yield BadInput("positions exist, one row each", (values, np.array(indices, np.int32)), attributes)


# --- gather_nd, scatter_nd -------------------------------------------------------------------------------------------


def nd_key(indices: Array, shape: tuple[int, ...], name: str) -> tuple[Any, ...]:
    """Multi-dimensional indices (positions in the last axis) as a NumPy key, checked against `shape`."""
    indices = np.asarray(indices)
    if indices.ndim == 0:
        raise invalid(f"{name}: indices must have at least one axis, got a scalar.")
    depth = indices.shape[-1]
    if depth > len(shape):
        raise invalid(f"{name}: indices of depth {depth} for a tensor of shape {shape}.")
    for axis in range(depth):
        check_range(indices[..., axis], shape[axis], f"{name}, axis {axis}")
    return tuple(np.moveaxis(indices, -1, 0))


def update_key(indices: Array, updates: tuple[int, ...], shape: tuple[int, ...], name: str) -> tuple[Any, ...]:
    """`nd_key` of the places of updates, whose shape is checked first."""
    check_updates(np.shape(indices), updates, shape, 0, name)
    return nd_key(indices, shape, name)


def check_updates(
    indices: tuple[int, ...], updates: tuple[int, ...], shape: tuple[int, ...], batch_dims: int, name: str
) -> None:
    """Raise unless there is one update for each place that indices of this shape list. (Bad indices are no matter here.)"""
    if not indices or batch_dims + indices[-1] > len(shape):
        return
    count, inner = len(indices) - 1, batch_dims + indices[-1]
    listed = f"indices[shape={list(indices)}]", f"input[shape={list(shape)}]", f"updates[shape={list(updates)}]"
    if updates[:count] != indices[:-1]:
        raise invalid(
            f"{name}: Dimensions [0,{count}) of {listed[0]} must match dimensions [0,{count}) of {listed[2]}: "
            f"updates must have shape {(*indices[:-1], *shape[inner:])}."
        )
    if updates[count:] != shape[inner:]:
        raise unfit(
            f"{name}: Dimensions [{inner},{len(shape)}) of {listed[1]} must match dimensions [{count},{len(updates)}) of "
            f"{listed[2]}: updates must have shape {(*indices[:-1], *shape[inner:])}."
        )
    if 0 in shape[:inner] and 0 not in indices[:-1]:
        raise unfit(f"{name}: Indices and updates specified for empty input of shape {list(shape)}.")


def _nd_axes(indices: Array, batch_dims: int) -> tuple[Any, ...]:
    """Keys of the leading batch axes."""
    return tuple(np.ogrid[tuple(slice(size) for size in indices.shape[:batch_dims])]) if batch_dims else ()


def _nd_full_key(shape: tuple[int, ...], indices: Array, batch_dims: int, name: str) -> tuple[Any, ...]:
    indices = np.asarray(indices)
    if not 0 <= batch_dims < max(indices.ndim, 1) or shape[:batch_dims] != indices.shape[:batch_dims]:
        words = f"{name}: batch_dims {batch_dims} does not fit shape {shape} and indices {indices.shape}."
        raise ArgumentValueError(None, None, words)
    inner = nd_key(indices, shape[batch_dims:], name)
    extra = indices.ndim - 1 - batch_dims
    outer = tuple(k.reshape(*k.shape, *(1,) * extra) for k in _nd_axes(indices, batch_dims))
    if not inner:  # indices of depth 0: each takes the whole entry
        outer = tuple(np.broadcast_to(k, indices.shape[:-1]) for k in outer)
    return (*outer, *inner)


def gather_nd(params: Array, indices: Array, batch_dims: int) -> Array:
    key = _nd_full_key(params.shape, indices, batch_dims, "gather_nd")
    if not key:
        return np.broadcast_to(params, (*np.asarray(indices).shape[:-1], *params.shape))
    result: Array = params[key]
    return result


@op(
    eager=gather_nd, dtypes=ANY, other={"indices": INDEX | {np.dtype(np.int16)}}, tf_name="GatherNd", called="gather_nd"
)
def take_nd(xp: Namespace, params: Array, indices: Array, *, batch_dims: int = 0) -> Any:
    """The elements (or slices) at positions that `indices` lists in its last axis."""
    return gather_nd(params, indices, batch_dims)


@take_nd.xla
def _(jax: Jax, params: Array, indices: Array, *, batch_dims: int) -> Any:
    def take_places(params: Any, indices: Array) -> Any:
        if not indices.shape[-1]:
            return jax.numpy.broadcast_to(params, (*indices.shape[:-1], *params.shape))
        return params.at[places_in(jax.numpy, indices, params.shape)].get(mode="fill", fill_value=0)

    return each_entry(jax, take_places, batch_dims)(params, indices)


def places_in(xp: Namespace, indices: Array, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Positions that `indices` lists in its last axis, as a key for jax."""
    return tuple(existing(xp, indices[..., axis], shape[axis]) for axis in range(indices.shape[-1]))


@take_nd.shapes
def _(params: Abstract, indices: Abstract, *, batch_dims: object) -> Shape:
    return _picked_nd(params.shape, indices.shape, batch_dims)


def _picked_nd(shape: Sizes, indices: Sizes, batch_dims: Any) -> Sizes:
    depth = operator.index(indices[-1])  # undecided if the depth of the indices is unknown
    if batch_dims + depth > len(shape):
        raise ValueError(f"indices of {depth} numbers for a tensor of shape {shape}")
    lead = matched_sizes(shape[:batch_dims], indices[:batch_dims])
    return (*lead, *indices[batch_dims:-1], *shape[batch_dims + depth :])


def scattered(tensor: Abstract, indices: Abstract, updates: Abstract) -> Shape:
    """The shape rule of updates at some places of a tensor: one update for each place."""
    with contextlib.suppress(Undecided):
        matched_sizes(updates.shape, _picked_nd(tensor.shape, indices.shape, 0), "the updates and their places,")
    return tensor.known


@take_nd.vjp("params")
def _(g: object, params_shape: tuple[int, ...], indices: object, batch_dims: int) -> Any:
    listed = shape_of(indices)
    if len(listed) == 2 and listed[1] == 1 and batch_dims == 0 and not getattr(g, "is_batched", False):
        # A list of rows: slices, as gather gives them.
        rows = reshape(indices, shape=listed[:1])
        return IndexedSlices(g, rows, np.array(params_shape, np.int32 if is_known(params_shape) else object))
    return put_nd(g, indices, shape=params_shape, batch_dims=batch_dims)


take_nd.linear("params")


@take_nd.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    _, (params, indices) = all_batched(is_batched, args)
    return take_nd(params, indices, batch_dims=attributes["batch_dims"] + 1)


_ND: list[tuple[tuple[int, ...], Any, int]] = [
    ((4,), [[0], [2], [0]], 0), ((3, 2), [[0, 1], [2, 0]], 0), ((3, 2), [[1], [1]], 0), ((2, 3, 4), [[[0, 1]], [[1, 2]]], 0), ((3, 2), [2, 1], 0),
    ((3, 2), [0], 0), ((2, 3), [[[0], [2]], [[1], [1]]], 1), ((2, 3, 2), [[0, 1], [2, 0]], 1), ((2, 2), [[1, 1], [1, 1]], 0),
    ((5,), [[[4]], [[0]]], 0), ((2, 3, 2), [[1, 2, 1]], 0), ((1, 1), [[0, 0]], 0),
    ((2, 3), [[[], []], [[], []]], 1),
]  # fmt: skip


@take_nd.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, indices, batch_dims in _ND:
        yield Sample((draw(shape), np.array(indices, np.int32)), {"batch_dims": batch_dims})


@take_nd.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for indices in [[[2, 0]], [[0, 3]], [[-1, 0]], [[0, 0, 0]], 0, [[2]], [[-1]], [[0, 2**31 - 1]], [[5, 5]]]:
        yield BadInput("positions must exist", (x, np.array(indices, np.int32)))
    yield BadInput("batch_dims must fit", (x, np.array([[0]], np.int32)), {"batch_dims": 2})
    yield BadInput("indices are integers", (x, np.array([[0.0]], np.float32)))


def _put_nd(values: Array, indices: Array, shape: tuple[int, ...], batch_dims: int = 0) -> Array:
    indices = np.asarray(indices)
    check_updates(indices.shape, values.shape, shape, batch_dims, "scatter_nd")
    key = _nd_full_key(shape, indices, batch_dims, "scatter_nd")
    result = np.zeros(shape, values.dtype)
    if values.dtype.kind == "O":
        result[...] = b""
    if key:
        np.add.at(result, key, values)
    else:
        result += values.reshape(math.prod(values.shape[: values.ndim - len(shape)]), *shape).sum(axis=0)
    return result


@op(eager=_put_nd, dtypes=ANY, other={"indices": INDEX}, tf_name="ScatterNd", called="scatter_nd")
def put_nd(xp: Namespace, values: Array, indices: Array, *, shape: tuple[int, ...], batch_dims: int = 0) -> Any:
    """Zeros with `values` added at positions that `indices` lists in its last axis."""
    return _put_nd(values, indices, shape, batch_dims)


@put_nd.xla
def _(jax: Jax, values: Array, indices: Array, *, shape: tuple[int, ...], batch_dims: int) -> Any:
    inner = shape[batch_dims:]

    def add(values: Any, indices: Array) -> Any:
        zeros = jax.numpy.zeros(inner, values.dtype)
        if not indices.shape[-1]:
            return zeros + values.reshape(-1, *inner).sum(axis=0)
        return zeros.at[places_in(jax.numpy, indices, inner)].add(values)

    return each_entry(jax, add, batch_dims)(widened(values), indices)


@put_nd.shapes
def _(values: Abstract, indices: Abstract, *, shape: Any, batch_dims: Any) -> Shape:
    if shape is UNKNOWN:
        return None
    with contextlib.suppress(Undecided):
        matched_sizes(
            values.shape, _picked_nd(tuple(shape), indices.shape, batch_dims), "the updates and their places,"
        )
    return tuple(shape)


@put_nd.vjp("values")
def _(g: Cotangent, indices: Value, batch_dims: int) -> Any:
    return take_nd(g, indices, batch_dims=batch_dims)


put_nd.linear("values")


@put_nd.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size, (values, indices) = all_batched(is_batched, args)
    return put_nd(values, indices, shape=(size, *attributes["shape"]), batch_dims=attributes["batch_dims"] + 1)


@put_nd.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, indices, batch_dims in _ND:
        picks = np.array(indices, np.int32)
        yield Sample(
            (draw(gather_nd(np.empty(shape), picks, batch_dims).shape), picks),
            {"shape": shape, "batch_dims": batch_dims},
        )


@put_nd.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2,), np.float32)
    for indices, shape in [
        ([[4], [0]], (4,)), ([[-1], [0]], (4,)), ([[0, 0, 0], [0, 0, 0]], (2, 2)), ([[0]], (4,)), ([[0], [1], [2]], (4,)), ([[0], [0]], ()),
        ([[0], [1]], (2, 3)), ([0, 1], (4,)), ([[9], [9]], (3,)), ([[0], [2]], (2,)),
    ]:  # fmt: skip
        yield BadInput("positions and shapes must fit", (x, np.array(indices, np.int32)), {"shape": shape})
