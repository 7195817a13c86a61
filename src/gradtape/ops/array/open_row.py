"""Rows of an array whose shape only the first row shows: a `TensorArray`, in a compiled loop, of what Python code returns.

Before a row is set the array is one number, 0, which can be added to any array. So cotangents of it may be added to those of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, INDEX, Array
from ...base.errors import invalid
from ...base.sizes import UNKNOWN
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched
from ..math.logic import zeros_like
from .layout import stack
from .row import resize_in_place, rows_for, set_in_place


def _room(count: Any, grows: bool) -> int:
    if np.ndim(count):
        raise invalid(f"set_open_row: the number of elements is one number, got shape {np.shape(count)}.")
    return rows_for(count) if grows else int(count)


def _blank(shape: tuple[int, ...], dtype: Any) -> Array:
    blank = np.zeros(shape, dtype)
    if blank.dtype.kind == "O":
        blank[...] = b""
    return blank


def _set(x: Any, index: Any, row: Any, count: Any, grows: bool) -> Array:
    return set_open_in_place(np.array(x), index, row, count, grows)


def set_open_in_place(x: Array, index: Any, row: Any, count: Any, grows: bool) -> Array:
    """The same array, changed; another one where this is the first of its rows."""
    if not np.ndim(x):
        x = _blank((_room(count, grows), *np.shape(row)), np.asarray(row).dtype)
    return set_in_place(x, index, row)


@op(eager=_set, dtypes=ANY, other={"index": INDEX, "count": INDEX})
def set_open_row(xp: Namespace, x: Any, index: Array, row: Array, count: Array, *, grows: bool) -> Any:
    """The array with another row at `index`, and room for `count` elements if it is the first one."""
    if not xp.ndim(x):
        x = xp.zeros((_room(count, grows), *xp.shape(row)), row.dtype)
    return x.at[index].set(row)


@set_open_row.shapes
def _(x: Abstract, index: Abstract, row: Abstract, count: Abstract, *, grows: bool) -> Shape:
    index.of_rank(0)
    count.of_rank(0)
    return None if not x.rank else x.known


@set_open_row.vjp("x")
def _(g: Cotangent, index: Any, row: Any, count: Any, grows: bool) -> Any:
    return set_open_row(g, index, zeros_like(row), count, grows=grows)


@set_open_row.vjp("row")
def _(g: Cotangent, index: Any, row: Any, count: Any, grows: bool) -> Any:
    return get_open_row(g, index, row, count, grows=grows)


@set_open_row.jvp("x")
def _(t: Tangent, index: Any, row: Any, count: Any, grows: bool) -> Any:
    return set_open_row(t, index, zeros_like(row), count, grows=grows)


@set_open_row.jvp("row")
def _(t: Tangent, x: Any, index: Any, count: Any, grows: bool) -> Any:
    return set_open_row(zeros_like(x), index, t, count, grows=grows)


def _each(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    """Each entry of a batch by itself."""
    count, given = all_batched(is_batched, args)
    return stack([op(*(value[entry] for value in given), **attributes) for entry in range(count)], axis=0)


set_open_row.batched(_each)


def _get(x: Any, index: Any, row: Any, count: Any, grows: bool) -> Any:
    if not np.ndim(x):
        return _blank(np.shape(row), np.asarray(row).dtype)
    place = int(index)
    if not 0 <= place < len(x):
        raise invalid(f"get_open_row: there is no row {place} in an array of {len(x)} rows.")
    return np.array(x[place], x.dtype)


@op(eager=_get, dtypes=ANY, other={"index": INDEX, "count": INDEX})
def get_open_row(xp: Namespace, x: Any, index: Array, row: Array, count: Array, *, grows: bool) -> Any:
    """x[index]; zeros like `row` where no row was set."""
    return x[index] if xp.ndim(x) else xp.zeros_like(row)


@get_open_row.shapes
def _(x: Abstract, index: Abstract, row: Abstract, count: Abstract, *, grows: bool) -> Shape:
    index.of_rank(0)
    count.of_rank(0)
    return x.known[1:] if x.known else row.known


@get_open_row.vjp("x")
def _(g: Cotangent, x: Any, index: Any, count: Any, grows: bool) -> Any:
    return set_open_row(zeros_like(x), index, g, count, grows=grows)


@get_open_row.jvp("x")
def _(t: Tangent, index: Any, row: Any, count: Any, grows: bool) -> Any:
    return get_open_row(t, index, row, count, grows=grows)


@get_open_row.vjp("row")
def _(g: Cotangent, row: Any) -> Any:
    return zeros_like(row)


@get_open_row.jvp("row")
def _(t: Tangent) -> Any:
    return zeros_like(t)


get_open_row.batched(_each)


def _resize(x: Any, before: Any, after: Any) -> Any:
    return resize_open_in_place(np.array(x), before, after)


def resize_open_in_place(x: Array, before: Any, after: Any) -> Array:
    """The same array where it has as many rows, or none, else another one."""
    return resize_in_place(x, before, after) if np.ndim(x) else x


@op(eager=_resize, dtypes=ANY, other={"before": INDEX, "after": INDEX})
def resize_open_rows(xp: Namespace, x: Any, before: Array, after: Array) -> Any:
    """The array with room for `after` elements in place of `before`, if it has rows."""
    needed = rows_for(after)
    if not xp.ndim(x):
        return x
    return xp.concatenate([x[:needed], xp.zeros((max(needed - x.shape[0], 0), *x.shape[1:]), x.dtype)])


@resize_open_rows.shapes
def _(x: Abstract, before: Abstract, after: Abstract) -> Shape:
    before.of_rank(0)
    after.of_rank(0)
    if not x.rank:
        return x.known
    is_known = after.value is not None and after.value.dtype.kind != "O"
    return (rows_for(after.value) if is_known else UNKNOWN, *x.shape[1:])


@resize_open_rows.vjp("x")
def _(g: Cotangent, before: Any, after: Any) -> Any:
    return resize_open_rows(g, after, before)


resize_open_rows.linear("x")
resize_open_rows.batched(_each)
resize_open_rows.host_only("how many rows there are depends on the values")


def _written(x: Any) -> Any:
    if not np.ndim(x):
        raise invalid(
            "TensorArray.stack: no element was written, and nothing is known of the shape of elements. Use element_shape=..."
        )
    return x


@op(eager=_written, dtypes=ANY)
def written_rows(xp: Namespace, x: Array) -> Array:
    """The array, if a row of it was set."""
    return x


@written_rows.shapes
def _(x: Abstract) -> Shape:
    if x.rank == 0:
        raise ValueError("no row was set")
    return x.known


@written_rows.vjp("x")
def _(g: Cotangent) -> Any:
    return g


written_rows.linear("x")


@written_rows.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return args[0]


_SHAPES = [
    ((4,), 2), ((4,), 0), ((1,), 0), ((3, 2), 0), ((3, 2), 2), ((1, 2, 3), 0), ((5, 1), 4), ((2, 0), 1), ((3, 2, 2), 1),
    ((2, 1, 1, 2), 1), ((6, 3), 5), ((2, 4), 0),
]  # fmt: skip


def _int(number: int) -> Any:
    return np.array(number, np.int32)


for _op in (set_open_row, get_open_row):

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape, index in _SHAPES:
            given = (_int(index), draw(shape[1:]), _int(shape[0]))
            yield Sample((draw(shape), *given), {"grows": index == 0})

    @_op.rejects
    def _() -> Iterator[BadInput]:
        x, row = np.ones((3, 2), np.float32), np.ones((2,), np.float32)
        for index in (3, -1, [0]):
            yield BadInput("the row must exist", (x, np.array(index, np.int32), row, _int(3)), {"grows": False})
        yield BadInput("the number is whole", (x, _int(0), row, np.float32(1.5)), {"grows": False})
        yield BadInput("types never mix", (x, _int(0), row.astype(np.float64), _int(3)), {"grows": False})


@resize_open_rows.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, before, after in [
        ((1,), 0, 1), ((1,), 1, 2), ((4,), 4, 5), ((4, 2), 3, 4), ((2, 3), 2, 7), ((8, 2), 5, 2), ((1, 0), 1, 2),
        ((1, 2, 3), 0, 4), ((4, 1, 1), 4, 3), ((16,), 9, 17), ((), 0, 1), ((), 3, 7),
    ]:  # fmt: skip
        yield Sample((draw(shape), _int(before), _int(after)))


@resize_open_rows.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 2), np.float32)
    yield BadInput("one number of elements", (x, _int(1), np.array([1, 2], np.int32)))
    yield BadInput("one number of elements", (x, np.array([1, 2], np.int32), _int(1)))
    yield BadInput("whole numbers", (x, _int(1), np.array(0.5, np.float32)))
    yield BadInput("whole numbers", (x, np.array(0.5, np.float32), _int(1)))


@written_rows.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, _ in _SHAPES:
        yield Sample((draw(shape),))


@written_rows.rejects
def _() -> Iterator[BadInput]:
    for dtype in (np.float32, np.float64, np.int32, np.complex64):
        yield BadInput("no row was set", (np.zeros((), dtype),))
