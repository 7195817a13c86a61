"""Sorting (sort, argsort, lexsort, argpartition), the k largest elements (`tf.math.top_k` is the op `largest`), the n-th
element, inverse permutations, and elements at given places along an axis.

Equal elements keep their order. Not-a-numbers count as the largest: they come last in ascending order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import ANY, BOOL, FLOATING, INDEX, INTEGER, NUMERIC, REAL, Array
from ...base.errors import invalid
from ...base.sizes import larger, matched, same
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import (
    all_batched,
    batch_leading,
    batch_over_axis,
    check_axis,
    negative_axis,
    numpy_type,
    rank_of,
    shape_of,
)
from ...op.shapes import (
    along,
    broadcast_sizes,
    inserted,
    like,
    natural,
    place,
    replaced,
    typed_by,
    unknown_rest,
    without_last,
)
from ..math.conversion import convert
from ..math.logic import equal
from ..math.reduce import reduce_sum
from .gather import check_range
from .layout import expand_dims, reshape

# --- places along an axis -----------------------------------------------------------------------------------


def _check_axis(shape: tuple[int, ...], axis: int, name: str) -> None:
    if not -len(shape) <= axis < len(shape):
        raise invalid(
            f"{name}: axis {axis} does not exist in shape {shape}: slice index {axis} of dimension 0 out of bounds."
        )


def _check_places(shape: tuple[int, ...], indices: Array, axis: int, name: str) -> None:
    rank = len(shape)
    _check_axis(shape, axis, name)
    fits = indices.ndim == rank and all(
        a == axis % rank or size == given for a, (size, given) in enumerate(zip(shape, indices.shape, strict=True))
    )
    if not fits:
        raise invalid(f"{name}: indices {indices.shape} must have shape {shape}, except along axis {axis}.")
    check_range(indices, shape[axis], name)


def _take_along(x: Array, indices: Array, axis: int) -> Array:
    indices = np.asarray(indices)
    _check_places(x.shape, indices, axis, "take_along")
    return np.take_along_axis(x, indices, axis)


@op(eager=_take_along, dtypes=ANY, other={"indices": INTEGER})
def take_along(xp: Namespace, x: Array, indices: Array, *, axis: int) -> Any:
    """The elements at `indices` along an axis, for each place in the other axes by itself."""
    return xp.take_along_axis(x, indices, axis)


@take_along.shapes
def _(x: Abstract, indices: Abstract, *, axis: object) -> Shape:
    if x.rank is None or indices.rank is None:
        return unknown_rest(x.known or indices.known)
    if x.ndim != indices.ndim:
        raise ValueError(f"x has {x.ndim} axes, the indices have {indices.ndim}")
    at = place(axis, x.ndim)
    others = broadcast_sizes(replaced(x.shape, at), replaced(indices.shape, at))
    return None if others is None else inserted(others, at, indices.shape[at])


@take_along.vjp("x")
def _(g: Cotangent, x_shape: tuple[int, ...], indices: Value, axis: int) -> Any:
    return put_along(g, indices, size=x_shape[axis], axis=axis)


take_along.linear("x")


def _put_along(values: Array, indices: Array, size: int, axis: int) -> Array:
    indices = np.asarray(indices)
    if not -values.ndim <= axis < values.ndim:
        raise invalid(f"put_along: axis {axis} does not exist in shape {values.shape}.")
    if indices.shape != values.shape:
        raise invalid(f"put_along: values {values.shape} and indices {indices.shape} must have one shape.")
    check_range(indices, size, "put_along")
    moved, places = np.moveaxis(values, axis, -1), np.moveaxis(indices, axis, -1)
    leading = moved.shape[:-1]
    result = np.zeros((*leading, size), values.dtype)
    rows = np.arange(int(np.prod(leading, dtype=np.int64))).reshape(*leading, 1) * size
    np.add.at(result.reshape(-1), (places + rows).reshape(-1), moved.reshape(-1))
    return np.moveaxis(result, -1, axis)


@op(eager=_put_along, dtypes=NUMERIC, other={"indices": INTEGER})
def put_along(xp: Namespace, values: Array, indices: Array, *, size: int, axis: int) -> Any:
    """Zeros with `values` added at `indices` along an axis of that size: the transpose of `take_along`."""
    moved, places = xp.moveaxis(values, axis, -1), xp.moveaxis(indices, axis, -1)
    hot = (places[..., None] == xp.arange(size)).astype(values.dtype)
    return xp.moveaxis(xp.sum(moved[..., None] * hot, axis=-2), -1, axis)


@put_along.shapes
def _(values: Abstract, indices: Abstract, *, size: object, axis: object) -> Shape:
    return replaced(values.shape, axis, size)


@put_along.vjp("values")
def _(g: Cotangent, indices: Value, axis: int) -> Any:
    return take_along(g, indices, axis=axis)


put_along.linear("values")


def _batch_places(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    _, (x, indices) = all_batched(is_batched, args)
    return op(x, indices, **{**attributes, "axis": negative_axis(attributes["axis"], rank_of(x) - 1)})


take_along.batching = put_along.batching = _batch_places

_PLACES: list[tuple[tuple[int, ...], int, Any]] = [
    ((4,), 0, [1, 1, 3]), ((4,), -1, [0]), ((2, 3), 1, [[0, 2], [1, 1]]), ((2, 3), 0, [[1, 0, 1]]),
    ((2, 3), -1, [[2, 1, 0], [0, 0, 0]]),
    ((1,), 0, [0, 0, 0]), ((2, 2, 2), 1, [[[0, 1]], [[1, 0]]]), ((3, 1), 0, [[2], [0]]),
    ((3, 1), 1, [[0], [0], [0]]), ((5,), 0, []),
    ((2, 3), 1, [[], []]), ((2, 2), -2, [[1, 1], [0, 1], [1, 0]]),
]  # fmt: skip


@take_along.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis, places in _PLACES:
        yield Sample((draw(shape), np.array(places, np.int32)), {"axis": axis})


@put_along.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis, places in _PLACES:
        indices = np.array(places, np.int32)
        yield Sample((draw(indices.shape), indices), {"size": shape[axis], "axis": axis})


@take_along.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for indices, axis in [
        ([[3], [0]], 1),
        ([[-1], [0]], 1),
        ([[0]], 1),
        ([0], 1),
        ([[0], [0]], 2),
        ([[0], [0]], -3),
        ([[2, 0, 0]], 0),
    ]:
        yield BadInput("places must exist", (x, np.array(indices, np.int32)), {"axis": axis})
    yield BadInput("places are integers", (x, x), {"axis": 1})


@put_along.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 1), np.float32)
    for indices, size, axis in [
        ([[3], [0]], 3, 1),
        ([[-1], [0]], 3, 1),
        ([[0]], 3, 1),
        ([[0], [0]], -1, 1),
        ([[0], [0]], 3, 2),
    ]:
        yield BadInput("places must exist", (x, np.array(indices, np.int32)), {"size": size, "axis": axis})


# --- sort, argsort ------------------------------------------------------------------------------------------


def _comparable(values: Array) -> Array:
    """Values that NumPy sorts with nan last: bfloat16 as float32, because NumPy compares its nan as unordered."""
    return values.astype(np.float32) if values.dtype.kind == "V" else values


def _sort(values: Array, axis: int, descending: bool) -> Array:
    if not -values.ndim <= axis < values.ndim:
        raise ValueError("no such axis")
    ordered = np.sort(_comparable(values), axis).astype(values.dtype, copy=False)
    return np.flip(ordered, axis) if descending else ordered


@op(eager=_sort, dtypes=REAL, shape=along, called="sort")
def sort_along(xp: Namespace, values: Array, *, axis: int = -1, descending: bool = False) -> Any:
    """The elements along an axis in order."""
    ordered = xp.sort(values, axis)
    return xp.flip(ordered, axis) if descending else ordered


@sort_along.vjp("values")
def _(g: Cotangent, values: Value, axis: int, descending: bool) -> Any:
    order = order_along(values, axis=axis, descending=descending)
    return put_along(g, order, size=values.shape[axis], axis=axis)


@sort_along.jvp("values")
def _(t: Tangent, values: Value, axis: int, descending: bool) -> Any:
    return take_along(t, order_along(values, axis=axis, descending=descending), axis=axis)


def _order(values: Array, axis: int, descending: bool) -> Array:
    if not -values.ndim <= axis < values.ndim:
        raise ValueError("no such axis")
    values = _comparable(values)
    if not descending:
        return np.argsort(values, axis, kind="stable").astype(np.int32)
    # Reversed before and after, so that equal elements keep their order.
    last = values.shape[axis] - 1
    backwards = np.argsort(np.flip(values, axis), axis, kind="stable")
    return np.asarray(np.flip(last - backwards, axis), np.int32)


@op(eager=_order, dtypes=REAL, shape=along, gives=np.int32, called="argsort")
def order_along(xp: Namespace, values: Array, *, axis: int = -1, descending: bool = False) -> Any:
    """The places from which to take the elements along an axis, so that they are in order."""
    return xp.argsort(values, axis, stable=True, descending=descending).astype(np.int32)


order_along.not_differentiable("places are integers")


def _explain_order(name: str) -> Any:
    """The check of sort and argsort: the axis must exist."""
    return lambda values, axis, **attributes: _check_axis(values.shape, axis, name)


for _op in (sort_along, order_along):
    _op.batching = batch_over_axis
    _op.check = _explain_order("sort" if _op is sort_along else "argsort")

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, axis, descending in [
            ((5,), -1, False), ((5,), 0, True), ((2, 3), 1, False), ((2, 3), 0, True), ((2, 3), -2, False),
            ((2, 3, 4), 1, True), ((1,), 0, True),
            ((0,), 0, False), ((2, 0), 1, True), ((0, 3), 1, False), ((3, 1), 0, False), ((6, 2), 0, True),
        ]:  # fmt: skip
            yield Sample((draw(shape),), {"axis": axis, "descending": descending})

    @_op.rejects
    def _() -> Iterator[BadInput]:
        for axis in [2, -3, 9, 2**40, -(2**40)]:
            yield BadInput("the axis must exist", (np.ones((2, 3), np.float32),), {"axis": axis})
        yield BadInput("a scalar has no axis", (np.float32(1),), {"axis": -1})
        yield BadInput("complex numbers have no order", (np.ones(3, np.complex64),))


# --- the largest elements -----------------------------------------------------------------------------------


def _top_k(input: Array, k: int, index_type: np.dtype[Any]) -> tuple[Array, Array]:
    if not input.ndim:
        raise invalid("top_k: input must have at least one axis, got a scalar.")
    size = input.shape[-1]
    if not 0 <= k <= size:
        said = f"Need k >= 0, got {k}" if k < 0 else f"input must have last dimension >= k = {k}, but it is {size}"
        raise invalid(f"top_k: {said}.")
    if 8 * k < size and input.size and not (input.dtype.kind not in "iu" and np.isnan(input).any()):
        places = _largest_places(input, k)
        places = np.take_along_axis(places, _order(np.take_along_axis(input, places, -1), -1, True), -1)
    else:
        places = _order(input, -1, True)[..., :k]
    return np.take_along_axis(input, places, -1), places.astype(index_type)


def _largest_places(x: Array, k: int) -> Array:
    """The places of the k largest elements in increasing order, without sorting all of them."""
    if k == 0:
        return np.zeros((*x.shape[:-1], 0), np.int64)
    least = np.partition(x, -k, axis=-1)[..., -k, None]
    above, equal = x > least, x == least
    missing = k - above.sum(axis=-1, keepdims=True)
    chosen = above | (equal & (np.cumsum(equal, axis=-1) <= missing))
    return np.nonzero(chosen)[-1].reshape(*x.shape[:-1], k)


@op(eager=_top_k, dtypes=REAL, outputs=2, tf_name="TopKV2", gives=typed_by(None, "index_type"), called="top_k")
def largest(xp: Namespace, input: Array, *, k: int, index_type: object = np.int32) -> Any:
    """`tf.math.top_k`: the k largest elements along the last axis, in decreasing order, and their places."""
    places = xp.argsort(input, -1, stable=True, descending=True)[..., :k]
    return xp.take_along_axis(input, places, -1), places.astype(index_type)


@largest.shapes
def _(input: Abstract, *, k: object, **_: object) -> Shape:
    if same(larger(k, input.shape[-1]), input.shape[-1]) is False:
        raise ValueError(f"k is {k}, of {input.shape[-1]}")
    return replaced(input.shape, -1, natural(k))


@largest.vjp("input")
def _(g: Sequence[Cotangent], input_shape: tuple[int, ...], out: Any) -> Any:
    return put_along(g[0], out[1], size=input_shape[-1], axis=-1)


@largest.jvp("input")
def _(t: Tangent, out: Sequence[Value]) -> Any:
    return [take_along(t, out[1], axis=-1), None]


largest.batching = batch_leading


@largest.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, k in [
        ((5,), 1), ((5,), 5), ((5,), 0), ((2, 3), 2), ((2, 3, 4), 3), ((1,), 1), ((0,), 0), ((2, 0), 0),
        ((0, 3), 2), ((40,), 2), ((3, 30), 3),
        ((2, 2, 20), 1), ((2, 20), 0),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"k": k})


@largest.value
def _(input: Array, k: int, index_type: np.dtype[Any]) -> list[Array]:
    places = np.argsort(-input, axis=-1, kind="stable")[..., :k]
    return [-np.sort(-input, axis=-1)[..., :k], places]


@largest.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for k in (4, -1, 2**40, -(2**40)):
        yield BadInput("k is at most the size of the last axis", (x,), {"k": k})
    yield BadInput("a scalar has no axis", (np.float32(1),), {"k": 1})
    yield BadInput("complex numbers have no order", (x.astype(np.complex64),), {"k": 1})


def _in_top_k(targets: Array, predictions: Array, k: int) -> Array:
    targets = np.asarray(targets)
    if predictions.ndim != 2 or targets.shape != predictions.shape[:1]:
        raise invalid(
            f"in_top_k: predictions must have shape (rows, classes) and targets (rows,), got "
            f"{predictions.shape} and {targets.shape}."
        )
    classes = predictions.shape[1]
    known = (targets >= 0) & (targets < classes)
    if not classes:
        return np.zeros(targets.shape, bool)
    own = predictions[np.arange(len(targets)), np.where(known, targets, 0)]
    better = (predictions > own[:, None]).sum(axis=-1)
    fits = known & np.isfinite(predictions).all(axis=-1) & (better < k)
    return np.asarray(fits)


@op(eager=_in_top_k, dtypes=FLOATING, other={"targets": INDEX}, tf_name="InTopKV2", gives=np.bool_)
def in_top_k(xp: Namespace, targets: Array, predictions: Array, *, k: int) -> Any:
    """Whether fewer than k classes are predicted above each row's target; False if one is not finite."""
    classes = predictions.shape[1]
    own = xp.take_along_axis(predictions, xp.clip(targets, 0, classes - 1)[:, None], -1)
    better = xp.sum(predictions > own, axis=-1)
    return (targets >= 0) & (targets < classes) & xp.isfinite(predictions).all(axis=-1) & (better < k)


@in_top_k.shapes
def _(targets: Abstract, predictions: Abstract, *, k: object) -> Shape:
    return (matched(targets.of_rank(1)[0], predictions.of_rank(2)[0], "targets and rows,"),)


in_top_k.not_differentiable("truth values have no derivative")


@in_top_k.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size, (targets, predictions) = all_batched(is_batched, args)
    _, rows, classes = shape_of(predictions)
    flat = reshape(targets, shape=(size * rows,)), reshape(predictions, shape=(size * rows, classes))
    return reshape(in_top_k(*flat, **attributes), shape=(size, rows))


@in_top_k.samples
def _(draw: Draw) -> Iterator[Sample]:
    for rows, classes, k in [(1, 3, 1), (4, 3, 2), (4, 3, 0), (3, 5, 9), (0, 3, 1), (2, 1, 1), (5, 4, -1)]:
        yield Sample((np.arange(rows, dtype=np.int32) % (classes + 1), draw((rows, classes))), {"k": k})


@in_top_k.rejects
def _() -> Iterator[BadInput]:
    x, t = np.ones((2, 3), np.float32), np.array([0, 1], np.int32)
    for targets, predictions in [
        (t[:1], x),
        (t, x[0]),
        (t[:, None], x),
        (t, x[None]),
        (np.array(0, np.int32), x),
    ]:
        yield BadInput("one target a row", (targets, predictions), {"k": 1})
    yield BadInput("targets are class numbers", (t.astype(np.float32), x), {"k": 1})


# --- permutations -------------------------------------------------------------------------------------------


def _invert_permutation(x: Array) -> Array:
    if x.ndim != 1:
        raise invalid(f"invert_permutation: x must have one axis, got shape {x.shape}.")
    check_range(x, len(x), "invert_permutation")
    result = np.full_like(x, -1)
    result[x] = np.arange(len(x), dtype=x.dtype)
    if (result < 0).any():
        twice = int(np.flatnonzero(np.bincount(x) > 1)[0])
        raise invalid(f"invert_permutation: {twice} is duplicated in the input.")
    return result


@op(eager=_invert_permutation, dtypes=INDEX, shape=like(0))
def invert_permutation(xp: Namespace, x: Array) -> Any:
    """The permutation that undoes x: y[x[i]] = i.

    >>> import gradtape as tf
    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    return xp.argsort(x).astype(x.dtype)


invert_permutation.not_differentiable("places are integers")


@invert_permutation.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    return convert(order_along(x, axis=-1, descending=False), dtype=numpy_type(x))


@invert_permutation.samples
def _(draw: Draw) -> Iterator[Sample]:
    for places in ([2, 0, 1], [0], [], [3, 1, 0, 2]):
        yield Sample((np.array(places, np.int64),))


@invert_permutation.value
def _(x: Array) -> Array:
    return np.argsort(x)


@invert_permutation.rejects
def _() -> Iterator[BadInput]:
    for places in ([2, 0, 0], [3, 0, 1], [-1, 0, 1], [[0, 1]], 0, [2**31 - 1]):
        yield BadInput("every place once", (np.array(places, np.int32),))


# --- order statistics ---------------------------------------------------------------------------------------


def _nth_element(input: Array, n: int, reverse: bool = False) -> Any:
    if not input.ndim:
        raise invalid("nth_element: the input needs at least one axis, got a scalar.")
    size = input.shape[-1]
    if not 0 <= n < size:
        raise invalid(f"nth_element: n must be in [0, {size}), got {n}.")
    place = size - 1 - n if reverse else n
    values = input.astype(np.float32) if input.dtype.kind == "V" else input  # NumPy does not order the nan of bfloat16
    return np.partition(values, place, axis=-1)[..., place].astype(input.dtype)


@op(eager=_nth_element, dtypes=REAL, shape=without_last())
def nth_element(xp: Namespace, input: Array, *, n: int, reverse: bool = False) -> Any:
    """The element that is at place `n` of each line in ascending (or, with `reverse`, descending) order.

    Equal elements share the derivative.
    """
    ordered = xp.sort(input, axis=-1)
    return ordered[..., -1 - n if reverse else n]


def _chosen(input: Value, out: Value) -> Any:
    hits = convert(equal(input, expand_dims(out, axis=rank_of(out))), dtype=numpy_type(input))
    return hits / reduce_sum(hits, axis=-1, keepdims=True)


@nth_element.vjp("input")
def _(g: Cotangent, input: Value, out: Value) -> Any:
    return expand_dims(g, axis=rank_of(g)) * _chosen(input, out)


@nth_element.jvp("input")
def _(t: Tangent, input: Value, out: Value) -> Any:
    return reduce_sum(t * _chosen(input, out), axis=-1, keepdims=False)


nth_element.batching = batch_leading


@nth_element.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, n, reverse in [
        ((4,), 0, False), ((4,), 3, False), ((4,), 1, True), ((2, 3), 2, False), ((2, 3), 0, True), ((2, 2, 5), 2, False), ((1,), 0, False),
        ((0, 3), 1, False), ((3, 1), 0, True), ((7,), 4, True), ((2, 1, 3), 1, False), ((5, 2), 1, False),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"n": n, "reverse": reverse})


@nth_element.value
def _(input: Array, n: int, reverse: bool) -> Any:
    rows = [sorted(input[place].tolist(), reverse=reverse)[n] for place in np.ndindex(input.shape[:-1])]
    return np.array(rows, np.float64).reshape(input.shape[:-1])


@nth_element.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for n in (3, -1, 2**40):
        yield BadInput("a place in the line", (x,), {"n": n})
    yield BadInput("a line", (x[0, 0],), {"n": 0})
    yield BadInput("an element", (x[:, :0],), {"n": 0})


def _argpartition(a: Array, kth: tuple[int, ...], axis: int = -1) -> Any:
    check_axis("argpartition", a, axis)
    size = a.shape[axis]
    if any(not -size <= k < size for k in kth):
        raise invalid(f"argpartition: places must be in [{-size}, {size}), got {list(kth)}.")
    if a.dtype.kind == "V":  # bfloat16 has no partition
        a = a.astype(np.float32)
    return np.argpartition(a, kth, axis=axis) if kth else np.argsort(a, axis=axis)


@op(eager=_argpartition, dtypes=REAL | BOOL, retypes=True, gives=np.int64, shape=along)
def argpartition(xp: Namespace, a: Array, *, kth: tuple[int, ...], axis: int = -1) -> Any:
    """Positions that put the elements at places `kth` in order, smaller ones before and larger ones after them."""
    return xp.argsort(a, axis=axis)


argpartition.not_differentiable("positions are integers")
argpartition.batching = batch_over_axis


@argpartition.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((draw((5,)),), {"kth": (2,)})
    yield Sample((draw((2, 4)),), {"kth": (1, 3), "axis": 1})
    yield Sample((draw((3, 2)),), {"kth": (-1,), "axis": 0})


@argpartition.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for kth in ((3,), (-4,), (0, 9)):
        yield BadInput("places in the line", (x,), {"kth": kth})
    for axis in (2, -3):
        yield BadInput("the axis must exist", (x,), {"kth": (0,), "axis": axis})


def _lexsort(keys: list[Array], axis: int = -1) -> Any:
    if not keys:
        raise invalid("lexsort: at least one key is needed.")
    shapes = [np.shape(key) for key in keys]
    if any(shape != shapes[0] for shape in shapes) or not shapes[0]:
        raise invalid(f"lexsort: keys of one shape with at least one axis are needed, got {shapes}.")
    check_axis("lexsort", keys[0], axis)
    return np.lexsort(keys, axis=axis)


@op(eager=_lexsort, dtypes=REAL, variadic=True, retypes=True, gives=np.int64)
def lexsort(xp: Namespace, keys: Sequence[Array], *, axis: int = -1) -> Any:
    """The order by the last key, among equal elements by the one before, and so on."""
    return xp.lexsort(keys, axis=axis)


@lexsort.shapes
def _(keys: list[Abstract], *, axis: object) -> Shape:
    return keys[0].known


lexsort.not_differentiable("positions are integers")


@lexsort.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample(([np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.0, 1.0])],))
    yield Sample(([draw((2, 4)), np.round(draw((2, 4)))],), {"axis": 0})
    yield Sample(([draw((3,))],))
    yield Sample(([draw((0,)), draw((0,))],))


@lexsort.value
def _(keys: Sequence[Array], axis: int) -> Any:
    moved = np.moveaxis(np.stack(keys), axis if axis < 0 else axis + 1, -1)
    lines = [
        [k for *_, k in sorted((*moved[(slice(None), *place, k)][::-1], k) for k in range(moved.shape[-1]))]
        for place in np.ndindex(moved.shape[1:-1])
    ]
    return np.moveaxis(np.array(lines, np.int64).reshape(moved.shape[1:]), -1, axis)


@lexsort.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for keys in ([x, x[0]], [x[0, 0]], [x, x.T], [x, x.astype(np.float64)]):
        yield BadInput("keys of one shape and type", (keys,))
    yield BadInput("the axis must exist", ([x, x],), {"axis": 2})
