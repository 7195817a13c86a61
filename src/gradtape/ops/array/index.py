"""Ops that pick elements by position and put them back: slices, masks and index arrays, gather, gather_nd, scatter_nd."""

from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from ...base.dtypes import ANY, INDEX, INTEGER, NARROW_FLOATS, NUMERIC, Array
from ...base.errors import ArgumentValueError, invalid
from ...base.sizes import UNKNOWN, Sizes, Undecided, is_known
from ...base.types import Cotangent, Draw, Function, Jax, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, rank_of, shape_of, with_batch_axis
from ...op.shapes import broadcast_sizes, indexed, matched_sizes, place, shaped_by, sliced
from ...values.tensor import IndexedSlices
from .accumulate import add_rows
from .layout import permute, reshape

# --- slices: x[1:, ..., None, 0] -------------------------------------------------------------------------------------


def _take(x: Array, key: Array) -> Any:
    result = x[key]
    # Where a numeric array gives a NumPy scalar, an object array gives the bare element.
    return result if isinstance(result, np.ndarray | np.generic) else np.array(result, x.dtype)


@op(eager=_take, dtypes=ANY, tf_name="StridedSlice", on_sizes=True)
def getitem(xp: Namespace, x: Array, *, key: tuple[Any, ...]) -> Any:
    """x[key], for integers, slices, None and Ellipsis."""
    return x[key]


@getitem.shapes
def _(x: Abstract, *, key: Any) -> Shape:
    return indexed(x.shape, key)


@getitem.vjp("x")
def _(g: Cotangent, x_shape: tuple[int, ...], key: tuple[Any, ...]) -> Any:
    return setitem_zeros(g, shape=x_shape, key=key)


getitem.linear("x")


@getitem.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return getitem(args[0], key=(slice(None), *attributes["key"]))


@getitem.checks
def check_key(x: Array, key: tuple[Any, ...]) -> None:
    """Raise if a tensor of this shape has no such part."""
    if sum(k is Ellipsis for k in key) > 1:
        raise invalid(f"slice: Multiple ellipses in slice spec not allowed: {key}.")
    used = [k for k in key if k is not None and k is not Ellipsis]
    if len(used) > x.ndim:
        scalar = "Attempting to slice scalar input. " if not x.ndim else ""
        raise invalid(
            f"slice: {scalar}Index out of range using input dim {x.ndim}: {len(used)} indices for a tensor of shape {x.shape}."
        )
    before = key.index(Ellipsis) if any(k is Ellipsis for k in key) else len(key)
    axis = 0
    for position, k in enumerate(key):
        if k is None:
            continue
        if k is Ellipsis:
            axis = x.ndim - sum(1 for rest in key[before + 1 :] if rest is not None)
            continue
        if isinstance(k, int) and not -x.shape[axis] <= k < x.shape[axis]:
            raise invalid(f"slice index {k} of dimension {axis} out of bounds: it has size {x.shape[axis]}.")
        if isinstance(k, slice) and k.step == 0:
            raise invalid(f"slice: the step at position {position} must not be zero.")
        axis += 1


_KEYS: list[tuple[tuple[int, ...], tuple[Any, ...]]] = [
    ((4,), (slice(1, 3),)), ((4,), (2,)), ((4,), (-1,)), ((4,), (slice(None, None, -1),)), ((2, 3), (0,)), ((2, 3), (slice(None), 1)),
    ((2, 3), (Ellipsis, slice(0, 2))), ((2, 3), (None, slice(1, None))), ((2, 3, 4), (1, Ellipsis, slice(None, None, 2))), ((), ()),
    ((), (None,)), ((0, 2), (slice(None), 0)), ((5,), (slice(4, 0, -2),)), ((3,), (slice(2, 2),)), ((2, 3), (1, 2)),
]  # fmt: skip


@getitem.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, key in _KEYS:
        yield Sample((draw(shape),), {"key": key})


@getitem.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for key in [
        (2,),
        (-3,),
        (0, 3),
        (0, 0, 0),
        (slice(None, None, 0),),
        (2**40,),
        (0, -4),
        (Ellipsis, 3),
        (1, 1, 1),
        (-(2**40), 0),
    ]:
        yield BadInput("the position must exist", (x,), {"key": key})


def _set_in_zeros(g: Array, shape: tuple[int, ...], key: Array) -> Array:
    result = np.zeros(shape, g.dtype)
    if result[key].shape != g.shape:
        raise ValueError(f"the slice has shape {result[key].shape}")
    result[key] = g
    return result


@op(eager=_set_in_zeros, dtypes=NUMERIC, tf_name="StridedSliceGrad")
def setitem_zeros(xp: Namespace, g: Array, *, shape: tuple[int, ...], key: tuple[Any, ...]) -> Any:
    """Zeros with `g` at `key`: the transpose of taking a slice."""
    return xp.zeros(shape, g.dtype).at[key].set(g)


@setitem_zeros.shapes
def _(g: Abstract, *, shape: Any, key: Any) -> Shape:
    if shape is UNKNOWN:
        return None
    if key is not UNKNOWN and g.rank is not None:
        matched_sizes(indexed(tuple(shape), key), g.shape, "the slice and what is put there,")
    return tuple(shape)


@setitem_zeros.vjp("g")
def _(t: Cotangent, key: tuple[Any, ...]) -> Any:
    return getitem(t, key=key)


setitem_zeros.linear("g")


@setitem_zeros.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size = shape_of(args[0])[0]
    return setitem_zeros(args[0], shape=(size, *attributes["shape"]), key=(slice(None), *attributes["key"]))


@setitem_zeros.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, key in _KEYS:
        yield Sample((draw(np.empty(shape)[key].shape),), {"shape": shape, "key": key})


@setitem_zeros.rejects
def _() -> Iterator[BadInput]:
    for shape, key in [
        ((3,), (0,)),
        ((3,), (slice(0, 1),)),
        ((2, 3), (0,)),
        ((2,), (5,)),
        ((2,), (0, 0)),
        ((4,), (slice(0, 3),)),
    ]:
        yield BadInput("what is put in fits the slice", (np.ones((2, 2), np.float32),), {"shape": shape, "key": key})


# --- masks and index arrays, as NumPy reads them ----------------------------------------------------------------------


@op(eager=_take, dtypes=ANY, tf_name="AdvancedIndex")
def pick(xp: Namespace, x: Array, *, key: tuple[Any, ...]) -> Any:
    """x[key], where the key holds boolean masks or integer arrays."""
    return x[key]


@pick.shapes
def _(x: Abstract, *, key: Any) -> Shape:
    used = sum(part.ndim if _is_mask(part) else 1 for part in key if part is not None and part is not Ellipsis)
    sizes: list[Any] = []  # of the axes that are not indexed by arrays
    arrays: list[tuple[int, int, Any]] = []  # where an index array stands in the key and in the result, and its shape
    axis = 0
    for position, part in enumerate(key if any(part is Ellipsis for part in key) else (*key, Ellipsis)):
        width = 1
        if part is Ellipsis:
            width = x.ndim - used
            sizes += x.shape[axis : axis + width]
        elif part is None:
            width = 0
            sizes.append(1)
        elif isinstance(part, slice):
            sizes.append(sliced(x.shape[axis], part))
        elif _is_mask(part):
            width = part.ndim
            matched_sizes(part.shape, x.shape[axis : axis + width], "a mask and what it is for,")
            arrays.append((position, len(sizes), (int(np.count_nonzero(part)),)))
        else:
            arrays.append((position, len(sizes), np.shape(part)))
        axis += width
    if axis != x.ndim:
        raise ValueError(f"{used} indices for a tensor of shape {x.shape}")
    common = broadcast_sizes(*[shape for _, _, shape in arrays])
    together = arrays[-1][0] - arrays[0][0] == len(arrays) - 1
    at = arrays[0][1] if together else 0  # NumPy moves the axes of separated index arrays to the front
    return None if common is None else (*sizes[:at], *common, *sizes[at:])


def _is_mask(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype.kind == "b"


@pick.vjp("x")
def _(g: Cotangent, x_shape: tuple[int, ...], key: tuple[Any, ...]) -> Any:
    return put_picked(g, shape=x_shape, key=key)


pick.linear("x")


@pick.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return put_batch_first(pick(args[0], key=(slice(None), *attributes["key"])), attributes["key"])


def put_batch_first(picked: Value, key: tuple[Any, ...]) -> Any:
    """NumPy moves axes of index arrays to the front where a slice separates them: put the batch axis back first."""
    position = _batch_position(key)
    if position == 0:
        return picked
    rank = rank_of(picked)
    return permute(picked, perm=(position, *(a for a in range(rank) if a != position)))


def _batch_position(key: tuple[Any, ...]) -> int:
    """Where the first axis of x ends up in x[(slice(None), *key)]."""
    picked = [p for p, part in enumerate(key) if isinstance(part, (int, np.ndarray))]
    if picked[-1] - picked[0] == len(picked) - 1:
        return 0
    shapes = [(1,) if part.dtype.kind == "b" else part.shape for part in key if isinstance(part, np.ndarray)]
    return len(np.broadcast_shapes(*shapes))


@pick.checks
def _(x: Array, key: tuple[Any, ...]) -> None:
    shapes = [part.shape if isinstance(part, np.ndarray) else part for part in key]
    raise invalid(f"index: a key of {shapes} does not fit a tensor of shape {x.shape}, or an index is out of bounds.")


_PICKS: list[tuple[tuple[int, ...], tuple[Any, ...]]] = [
    ((4,), (np.array([True, False, True, True]),)), ((2, 3), (np.array([[True, False, True], [False, True, True]]),)),
    ((3, 2), (np.array([True, False, True]),)), ((3, 2), (np.array([0, 2, 0]),)), ((3, 2), (slice(None), np.array([1, 0, 1]))),
    ((3, 2), (np.array([0, 2]), np.array([1, 1]))), ((4,), (np.array([[0, 1], [3, 3]]),)), ((4,), (np.array([-1, 0]),)),
    ((2, 3, 2), (np.array([0, 1]), slice(None), np.array([1, 0]))), ((2, 3), (Ellipsis, np.array([2, 2]))), ((3,), (np.array([], np.int64),)),
    ((2, 3), (np.array([1, 0]), None)),
]  # fmt: skip


@pick.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, key in _PICKS:
        yield Sample((draw(shape),), {"key": key})


@pick.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for part in [
        np.array([2]),
        np.array([-3]),
        np.array([True]),
        np.ones((3, 3), bool),
        np.array([2**40]),
        np.ones((2, 3, 1), bool),
    ]:
        yield BadInput("the positions must exist", (x,), {"key": (part,)})
    for two in [([0], [3]), ([0, 1], [0, 1, 2]), ([5], [0]), ([0, 1, 0], [1, 2])]:
        yield BadInput("index arrays broadcast", (x,), {"key": tuple(np.array(p) for p in two)})


def _add_picked(g: Array, shape: tuple[int, ...], key: Array) -> Array:
    result = np.zeros(shape, g.dtype)
    if result[key].shape != g.shape:
        raise ValueError(f"the picked elements have shape {result[key].shape}")
    np.add.at(result, key, g)
    return result


@op(eager=_add_picked, dtypes=NUMERIC, tf_name="AdvancedIndexGrad", shape=shaped_by("shape"))
def put_picked(xp: Namespace, g: Array, *, shape: tuple[int, ...], key: tuple[Any, ...]) -> Any:
    """Zeros with `g` added at `key`: the transpose of `pick`."""
    return xp.zeros(shape, g.dtype).at[key].add(g)


@put_picked.vjp("g")
def _(t: Cotangent, key: tuple[Any, ...]) -> Any:
    return pick(t, key=key)


put_picked.linear("g")


@put_picked.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (g,) = args
    shape, key = attributes["shape"], attributes["key"]
    size = shape_of(g)[0]
    position = _batch_position(key)
    if position:  # the axes of g must stand as pick would give them
        rank = rank_of(g)
        order = [*range(1, position + 1), 0, *range(position + 1, rank)]
        g = permute(g, perm=tuple(order))
    return put_picked(g, shape=(size, *shape), key=(slice(None), *key))


@put_picked.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, key in _PICKS:
        yield Sample((draw(np.empty(shape)[key].shape),), {"shape": shape, "key": key})


@put_picked.rejects
def _() -> Iterator[BadInput]:
    for shape, picks in [
        ((3,), [0]),
        ((3,), [0, 1, 2]),
        ((2,), [5, 5]),
        ((2,), [-3, 0]),
        ((4, 2), [0]),
        ((3,), [[0, 1, 2]]),
    ]:
        key = (np.array(picks),)
        yield BadInput(
            "what is put in fits the positions", (np.ones((2, 2), np.float32),), {"shape": shape, "key": key}
        )


# --- gather ----------------------------------------------------------------------------------------------------------


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
def _(g: Any, params_shape: tuple[int, ...], indices: Any, axis: int, batch_dims: int) -> Any:
    if axis == 0 and batch_dims == 0 and not getattr(g, "is_batched", False):
        if rank_of(indices) != 1:
            count = math.prod(shape_of(indices))
            g, indices = reshape(g, shape=(count, *params_shape[1:])), reshape(indices, shape=(count,))
        return IndexedSlices(g, indices, np.array(params_shape, np.int32 if is_known(params_shape) else object))
    return put(g, indices, shape=params_shape, axis=axis, batch_dims=batch_dims)


@take.jvp("params")
def _(t: Tangent, indices: Value, axis: int, batch_dims: int) -> Any:
    return take(t, indices, axis=axis, batch_dims=batch_dims)


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


@put.jvp("values")
def _(t: Tangent, indices: Value, shape: tuple[int, ...], axis: int, batch_dims: int) -> Any:
    return put(t, indices, shape=shape, axis=axis, batch_dims=batch_dims)


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
        raise invalid(
            f"{name}: Dimensions [{inner},{len(shape)}) of {listed[1]} must match dimensions [{count},{len(updates)}) of "
            f"{listed[2]}: updates must have shape {(*indices[:-1], *shape[inner:])}."
        )
    if 0 in shape[:inner] and 0 not in indices[:-1]:
        raise invalid(f"{name}: Indices and updates specified for empty input of shape {list(shape)}.")


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


@op(eager=gather_nd, dtypes=ANY, other={"indices": INDEX | {np.dtype(np.int16)}}, tf_name="GatherNd")
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
def _(params: Abstract, indices: Abstract, *, batch_dims: Any) -> Shape:
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
def _(g: Any, params_shape: tuple[int, ...], indices: Any, batch_dims: int) -> Any:
    listed = shape_of(indices)
    if len(listed) == 2 and listed[1] == 1 and batch_dims == 0 and not getattr(g, "is_batched", False):
        # A list of rows: slices, as gather gives them.
        rows = reshape(indices, shape=listed[:1])
        return IndexedSlices(g, rows, np.array(params_shape, np.int32 if is_known(params_shape) else object))
    return put_nd(g, indices, shape=params_shape, batch_dims=batch_dims)


@take_nd.jvp("params")
def _(t: Tangent, indices: Value, batch_dims: int) -> Any:
    return take_nd(t, indices, batch_dims=batch_dims)


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


@op(eager=_put_nd, dtypes=ANY, other={"indices": INDEX}, tf_name="ScatterNd")
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


@put_nd.jvp("values")
def _(t: Tangent, indices: Value, shape: tuple[int, ...], batch_dims: int) -> Any:
    return put_nd(t, indices, shape=shape, batch_dims=batch_dims)


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
