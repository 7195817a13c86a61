"""Parts of a tensor and what puts them back: slices, and masks and index arrays as NumPy reads them (`x[key]`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import UNKNOWN
from ...base.types import Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import rank_of, shape_of
from ...op.shapes import broadcast_sizes, indexed, matched_sizes, shaped_by, sliced
from .layout import permute

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
def _(x: Abstract, *, key: object) -> Shape:
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


def _is_mask(part: object) -> bool:
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
