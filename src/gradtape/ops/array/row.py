"""One row of an array at a position that is a tensor: the basis of a `TensorArray` in a compiled loop.

`take` and `tensor_scatter_nd_update` do the same for many rows; these cost a fraction, and a compiled program changes
the array in place where it has no other use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, INDEX, NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import UNKNOWN
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, numpy_type, rank_of, rarely, shape_of, with_batch_axis
from ...op.shapes import matched_sizes, natural
from ..math.logic import zeros_like
from ..math.reduce import reduce_max
from .gather import take
from .layout import permute, reshape, stack
from .scatter import tensor_scatter_nd_add, tensor_scatter_nd_update


def _position(index: Any, size: int, name: str) -> int:
    if np.ndim(index):
        raise invalid(f"{name}: the index is one number, got shape {np.shape(index)}.")
    place = int(index)
    if not 0 <= place < size:
        raise invalid(f"{name}: there is no row {place} in an array of {size} rows.")
    return place


def _check_row(x: Array, row: Any, name: str) -> None:
    if not np.ndim(x) or np.shape(row) != np.shape(x)[1:]:
        raise invalid(f"{name}: a row of an array of shape {np.shape(x)} is expected, got shape {np.shape(row)}.")


def _get(x: Array, index: object) -> Any:
    if not np.ndim(x):
        raise invalid("get_row: a scalar has no rows.")
    row = x[_position(index, x.shape[0], "get_row")]
    # (The array may be changed in place while the row is in use. An array of text gives the bare element.)
    return row.copy() if isinstance(row, np.ndarray | np.generic) else np.array(row, x.dtype)


@op(eager=_get, dtypes=ANY, other={"index": INDEX})
def get_row(xp: Namespace, x: Array, index: Array) -> Any:
    """x[index]."""
    return x[index]


@get_row.shapes
def _(x: Abstract, index: Abstract) -> Shape:
    index.of_rank(0)
    if x.rank == 0:
        raise ValueError("a scalar has no rows")
    return x.shape[1:]


@get_row.vjp("x")
def _(g: Cotangent, x_shape: tuple[int, ...], index: object) -> Any:
    return put_row(g, index, size=x_shape[0])


get_row.linear("x")


@get_row.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    x, index = args
    if not is_batched[1]:
        return take(x, index, axis=1, batch_dims=0)
    if not is_batched[0]:
        return take(x, index, axis=0, batch_dims=0)
    size = shape_of(x)[0]
    rows = take(x, reshape(index, shape=(size, 1)), axis=1, batch_dims=1)
    return reshape(rows, shape=(size, *shape_of(x)[2:]))


def _put(row: object, index: object, size: int) -> Any:
    row = np.asarray(row)
    result = np.zeros((size, *row.shape), row.dtype)
    result[_position(index, size, "put_row")] = row
    return result


@op(eager=_put, dtypes=NUMERIC, other={"index": INDEX})
def put_row(xp: Namespace, row: Array, index: Array, *, size: int) -> Any:
    """`size` rows of zeros, but for the given row at `index`."""
    return xp.zeros((size, *xp.shape(row)), row.dtype).at[index].set(row)


@put_row.shapes
def _(row: Abstract, index: Abstract, *, size: object) -> Shape:
    index.of_rank(0)
    return (natural(size), *row.shape)


@put_row.vjp("row")
def _(g: Cotangent, index: object) -> Any:
    return get_row(g, index)


put_row.linear("row")


@put_row.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    count, (row, index) = all_batched(is_batched, args)
    zeros = np.zeros((count, attributes["size"], *shape_of(row)[1:]), numpy_type(row))
    return tensor_scatter_nd_add(zeros, _places(index, count), row)


def _places(index: object, count: int) -> Any:
    """The place of a row in each entry of a batch."""
    return stack([np.arange(count, dtype=numpy_type(index)), index], axis=1)


def _with_row(x: Abstract, index: Abstract, row: Abstract) -> Shape:
    """The shape of the array; the row must have the shape of its rows."""
    index.of_rank(0)
    if x.rank == 0:
        raise ValueError("a scalar has no rows")
    if x.rank is not None and row.rank is not None:
        matched_sizes(x.shape[1:], row.shape, "a row and what takes its place,")
    return x.known


def _set(x: Array, index: object, row: object) -> Any:
    return set_in_place(np.array(x), index, row)


def set_in_place(x: Array, index: object, row: object) -> Array:
    """The same array, changed."""
    _check_row(x, row, "set_row")
    place = _position(index, x.shape[0], "set_row")
    if x.dtype.kind == "O":
        x[place, ...] = row  # (the element of an array of text is the text, not the scalar array that has it)
    else:
        x[place] = row
    return x


@op(eager=_set, dtypes=ANY, other={"index": INDEX}, shape=_with_row)
def set_row(xp: Namespace, x: Any, index: Array, row: Array) -> Any:
    """The array with another row at `index`."""
    return x.at[index].set(row)


@set_row.vjp("x")
def _(g: Cotangent, index: object, row: object) -> Any:
    return set_row(g, index, zeros_like(row))


@set_row.vjp("row")
def _(g: Cotangent, index: object) -> Any:
    return get_row(g, index)


@set_row.jvp("x")
def _(t: Tangent, index: object, row: object) -> Any:
    return set_row(t, index, zeros_like(row))


@set_row.jvp("row")
def _(t: Tangent, index: object, x_shape: tuple[int, ...]) -> Any:
    return put_row(t, index, size=x_shape[0])


@set_row.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    count, (x, index, row) = all_batched(is_batched, args)
    return tensor_scatter_nd_update(x, _places(index, count), row)


def _add(x: Array, index: object, row: object) -> Any:
    return add_in_place(np.array(x), index, row)


def add_in_place(x: Array, index: object, row: object) -> Array:
    """The same array, changed."""
    _check_row(x, row, "add_row")
    x[_position(index, x.shape[0], "add_row")] += row
    return x


@op(eager=_add, dtypes=NUMERIC, other={"index": INDEX}, shape=_with_row)
def add_row(xp: Namespace, x: Any, index: Array, row: Array) -> Any:
    """The array with something added to its row at `index`."""
    return x.at[index].add(row)


@add_row.vjp("x")
def _(g: Cotangent) -> Any:
    return g


@add_row.vjp("row")
def _(g: Cotangent, index: object) -> Any:
    return get_row(g, index)


@add_row.jvp("x")
def _(t: Tangent) -> Any:
    return t


@add_row.jvp("row")
def _(t: Tangent, index: object, x_shape: tuple[int, ...]) -> Any:
    return put_row(t, index, size=x_shape[0])


@add_row.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    count, (x, index, row) = all_batched(is_batched, args)
    return tensor_scatter_nd_add(x, _places(index, count), row)


def rows_for(count: Any) -> int:
    """How many rows an array has that grows to `count` elements: a power of two, so that it is seldom copied."""
    return 1 << max(int(count) - 1, 0).bit_length()


def _resize(x: Array, before: object, after: object) -> Any:
    return resize_in_place(np.array(x), before, after)


def resize_in_place(x: Array, before: Any, after: Any) -> Array:
    """The same array where it has as many rows, else another one."""
    if not np.ndim(x) or np.ndim(before) or np.ndim(after):
        shapes = [np.shape(part) for part in (x, before, after)]
        raise invalid(f"resize_rows: an array with rows and two numbers are expected, got shapes {shapes}.")
    size, needed = x.shape[0], rows_for(after)
    if size >= needed:
        return x[:needed]
    grown = np.zeros((needed, *x.shape[1:]), x.dtype)
    if x.dtype.kind == "O":
        grown[size:] = b""
    grown[:size] = x
    return grown


@op(eager=_resize, dtypes=ANY, other={"before": INDEX, "after": INDEX})
def resize_rows(xp: Namespace, x: Array, before: Array, after: Array) -> Any:
    """The array with room for `after` elements in place of `before`: rows of zeros at the end, or fewer rows."""
    needed = rows_for(after)
    return xp.concatenate([x[:needed], xp.zeros((max(needed - x.shape[0], 0), *x.shape[1:]), x.dtype)])


@resize_rows.shapes
def _(x: Abstract, before: Abstract, after: Abstract) -> Shape:
    before.of_rank(0)
    after.of_rank(0)
    if x.rank == 0:
        raise ValueError("a scalar has no rows")
    is_known = after.value is not None and after.value.dtype.kind != "O"
    return (rows_for(after.value) if is_known else UNKNOWN, *x.shape[1:])


@resize_rows.vjp("x")
def _(g: Cotangent, before: object, after: object) -> Any:
    return resize_rows(g, after, before)


resize_rows.linear("x")


@resize_rows.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    """All entries have as many rows as the one with most elements."""
    x, before, after = args
    counts = [
        reduce_max(value, axis=None, keepdims=False) if batched else value
        for value, batched in zip((before, after), is_batched[1:], strict=True)
    ]
    if not is_batched[0]:
        x = with_batch_axis(x, next(shape_of(v)[0] for v, b in zip(args, is_batched, strict=True) if b))
    rank = rank_of(x)
    swapped = (1, 0, *range(2, rank))
    return permute(resize_rows(permute(x, perm=swapped), *counts), perm=swapped)


resize_rows.host_only("how many rows there are depends on the values")


@resize_rows.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, before, after in [
        ((1,), 0, 1), ((1,), 1, 2), ((4,), 4, 5), ((4, 2), 3, 4), ((2, 3), 2, 7), ((8, 2), 5, 2), ((1, 0), 1, 2), ((2, 0), 2, 3),
        ((1, 2, 3), 0, 4), ((4, 1, 1), 4, 3), ((2, 2, 2), 2, 0), ((16,), 9, 17), ((1, 3), 1, 1),
    ]:  # fmt: skip
        yield Sample((draw(shape), np.array(before, np.int32), np.array(after, np.int32)))


@resize_rows.rejects
def _() -> Iterator[BadInput]:
    one = np.array(1, np.int32)
    yield BadInput("a scalar has no rows", (np.float32(1), one, one))
    yield BadInput("one number of elements", (np.ones((2, 2), np.float32), one, np.array([1, 2], np.int32)))
    yield BadInput("one number of elements", (np.ones((2, 2), np.float32), np.array([1, 2], np.int32), one))
    yield BadInput("whole numbers", (np.ones((2, 2), np.float32), one, np.array(0.5, np.float32)))


def _check_place(index: Any, length: Any) -> Any:
    if np.ndim(length):
        raise invalid(f"place_below: the length is one number, got shape {np.shape(length)}.")
    # (One index, as loops have it, takes a sixth of the time as a Python number.)
    is_bad = ((index < 0) | (index >= length)).any() if np.ndim(index) else not 0 <= int(index) < int(length)
    if rarely(is_bad):
        raise invalid(f"There is no element {np.asarray(index).tolist()} in an array of {int(length)} elements.")
    return index


@op(eager=_check_place, dtypes=INDEX)
def place_below(xp: Namespace, index: Array, length: Array) -> Any:
    """The index, which must be that of one of the first `length` rows: others are room that a growing array has."""
    return index


@place_below.shapes
def _(index: Abstract, length: Abstract) -> Shape:
    length.of_rank(0)
    return index.known


place_below.not_differentiable("the result is an index")


@place_below.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    count, (index, length) = all_batched(is_batched, args)
    return stack([place_below(index[entry], length[entry]) for entry in range(count)], axis=0)


@place_below.samples
def _(draw: Draw) -> Iterator[Sample]:
    for index, length in [
        (0, 1),
        (3, 4),
        (2, 9),
        ([0, 1], 2),
        ([[0], [4]], 5),
        ([], 0),
        ([2, 2, 0], 3),
        ([[0, 1, 2]], 4),
    ]:
        yield Sample((np.array(index, np.int32), np.array(length, np.int32)))


@place_below.rejects
def _() -> Iterator[BadInput]:
    one = np.array(1, np.int32)
    yield BadInput("an element that is not there", (one, one))
    yield BadInput("an element that is not there", (np.array([0, -1], np.int32), one))
    yield BadInput("one length", (one, np.array([2, 3], np.int32)))
    yield BadInput("whole numbers", (np.array(0.5, np.float32), one))


_SHAPES = [
    ((4,), 2), ((4,), 0), ((1,), 0), ((3, 2), 0), ((3, 2), 2), ((1, 2, 3), 0), ((5, 1), 4), ((2, 0), 1), ((3, 2, 2), 1),
    ((2, 1, 1, 2), 1), ((6, 3), 5), ((2, 4), 0),
]  # fmt: skip


@get_row.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, index in _SHAPES:
        yield Sample((draw(shape), np.array(index, np.int32)))


@put_row.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, index in _SHAPES:
        yield Sample((draw(shape[1:]), np.array(index, np.int32)), {"size": shape[0]})


for _op in (set_row, add_row):

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, index in _SHAPES:
            yield Sample((draw(shape), np.array(index, np.int32), draw(shape[1:])))

    @_op.rejects
    def _() -> Iterator[BadInput]:
        x, row = np.ones((3, 2), np.float32), np.ones((2,), np.float32)
        for index in (3, -1, 2**31 - 1, [0]):
            yield BadInput("the row must exist", (x, np.array(index, np.int32), row))
        for other in (np.ones((3,), np.float32), np.ones((), np.float32), np.ones((2, 1), np.float32)):
            yield BadInput("the row has the shape of a row", (x, np.array(0, np.int32), other))
        yield BadInput("a scalar has no rows", (np.float32(1), np.array(0, np.int32), np.float32(1)))
        yield BadInput("the index is a whole number", (x, np.array(0.5, np.float32), row))
        yield BadInput("types never mix", (x, np.array(0, np.int32), row.astype(np.float64)))


@get_row.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((3, 2), np.float32)
    for index in (3, -1, 2**31 - 1, [0]):
        yield BadInput("the row must exist", (x, np.array(index, np.int32)))
    yield BadInput("a scalar has no rows", (np.float32(1), np.array(0, np.int32)))
    yield BadInput("the index is a whole number", (x, np.array(0.5, np.float32)))


@put_row.rejects
def _() -> Iterator[BadInput]:
    row = np.ones((2,), np.float32)
    for index in (3, -1, 2**31 - 1, [0]):
        yield BadInput("the row must exist", (row, np.array(index, np.int32)), {"size": 3})
    yield BadInput("the index is a whole number", (row, np.array(0.5, np.float32)), {"size": 3})
