"""Ops that read and write at positions which are values: gather, scatter, segments, and what is like them.

Positions of several numbers are one number here, that of a row among all rows. Positions that do not exist end the steps; the
same instructions as Python lines then say what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...native import thresholds
from ...native.choice import in_rows
from ...native.language import Unsupported
from ...ops.nn.activations import log_softmax
from .by_hand import by_hand, expect_lines, order_of
from .stand_in import StandIn, Steps
from .steps import MADE, Array, Buffer, RowsCombined, RowsRead, RowsWritten, Sorting, Step, View
from .texts import kind_of

_DEPTH = 8  # numbers of a position


def _positions(steps: Steps, indices: object) -> StandIn:
    """Indices one after the other."""
    found = steps.stand_in(indices).reshape(-1)
    if found.dtype.kind != "i":
        raise Unsupported(f"indices of {found.dtype}")
    return found


def _expect_inside(steps: Steps, indices: Any, size: Any) -> None:
    """End the steps where an index does not exist."""
    if indices.size:
        steps.expect(np.logical_or.reduce((indices < 0) | (indices >= size), axis=None), False)


def _rows_read(steps: Steps, source: StandIn, positions: StandIn, result: Array, rows: Array) -> StandIn:
    """The rows of the source at positions, into the rows of a result."""
    if not kind_of(source.dtype):
        raise Unsupported(f"rows of {source.dtype}")
    made = steps.made(result)
    steps.append(RowsRead([source.located, positions.located], StandIn(steps, rows, made.buffer).located))
    return made


def _changed(
    steps: Steps,
    step: Callable[[list[View], View], Step],
    operands: list[StandIn],
    result: Array,
    rows: Array | None = None,
) -> StandIn:
    """An array with other rows, in memory of its own; `rows` are those of the result, if they are not along its first axis."""
    if any(x.dtype.kind in "fc" and x.dtype != result.dtype for x in operands) or not kind_of(result.dtype):
        raise Unsupported("rows of another type")
    made = steps.made(result)
    into = made if rows is None else StandIn(steps, rows, made.buffer)
    steps.append(step([x.located for x in operands], into.located))
    return made


# --- rows --------------------------------------------------------------------------------------------------------------------


@by_hand
def take(steps: Steps, params: Any, indices: Any, *, axis: int, batch_dims: int) -> StandIn:
    """The rows along an axis at indices, for each of the first axes by itself."""
    source, picks = steps.stand_in(params), steps.stand_in(indices)
    shape, axis = source.shape, axis % source.ndim
    batch_dims += picks.ndim if batch_dims < 0 else 0
    if batch_dims:
        if axis != batch_dims:
            raise Unsupported("gather of several batches along another axis")
        picks = _with_batch(steps, picks, shape[axis], batch_dims)
        rows = source.reshape(math.prod(shape[: axis + 1]), *shape[axis + 1 :])
        found = take(steps, rows, picks, axis=0, batch_dims=0)
        return found.reshape(*picks.shape, *shape[axis + 1 :])
    positions = _positions(steps, picks)
    result = np.empty((*shape[:axis], *picks.shape, *shape[axis + 1 :]), source.dtype)
    rows = np.moveaxis(result.reshape(*shape[:axis], positions.size, *shape[axis + 1 :]), axis, 0)
    along = source.rearranged(lambda array: np.moveaxis(array, axis, 0))
    return _rows_read(steps, along, positions, result, rows)


def _with_batch(steps: Steps, picks: Any, size: int, batch_dims: int) -> Any:
    """Indices for each batch by itself, as positions among the rows of all of them."""
    _expect_inside(steps, picks, size)
    lead = picks.shape[:batch_dims]
    before = np.arange(math.prod(lead)).reshape(*lead, *(1,) * (picks.ndim - batch_dims)) * size
    return picks.astype(np.int64) + before


@by_hand
def put(
    steps: Steps, values: object, indices: object, *, shape: tuple[int, ...], axis: int, batch_dims: int
) -> StandIn:
    """Zeros, with rows added at indices along an axis."""
    given, picks = steps.stand_in(values), steps.stand_in(indices)
    axis %= len(shape)
    if batch_dims:
        if axis != batch_dims or batch_dims < 0:
            raise Unsupported("rows of several batches along another axis")
        picks = _with_batch(steps, picks, shape[axis], batch_dims)
        flat = (math.prod(shape[: axis + 1]), *shape[axis + 1 :])
        rows = given.reshape(picks.size, *shape[axis + 1 :])
        return put(steps, rows, picks.reshape(-1), shape=flat, axis=0, batch_dims=0).reshape(*shape)
    positions = _positions(steps, picks)
    along = given.reshape(*shape[:axis], positions.size, *shape[axis + 1 :])
    result = np.empty(shape, given.dtype)
    rows = along.rearranged(lambda array: np.moveaxis(array, axis, 0))
    return _changed(steps, RowsCombined, [positions, rows], result, np.moveaxis(result, axis, 0))


@by_hand
def get_row(steps: Steps, x: object, index: object) -> StandIn:
    """The row at a position."""
    return take(steps, x, index, axis=0, batch_dims=0)


@by_hand
def place_below(steps: Steps, index: object, length: object) -> StandIn:
    """The position, which must be below a length."""
    position = steps.stand_in(index)
    _expect_inside(steps, position, length)
    return position


@by_hand
def put_row(steps: Steps, row: Any, index: Any, *, size: int) -> StandIn:
    """Zeros, but for a row."""
    result = _small(np.empty((size, *np.shape(row)), row.dtype))
    zeros = steps.constant(np.broadcast_to(np.zeros((), row.dtype), result.shape))
    return _changed(steps, RowsWritten, [zeros, _positions(steps, index), steps.stand_in(row)[None]], result)


@by_hand
def set_row(steps: Steps, x: Any, index: Any, row: Any) -> StandIn:
    """An array with another row."""
    return _with_row(steps, RowsWritten, x, index, row)


@by_hand
def add_row(steps: Steps, x: Any, index: Any, row: Any) -> StandIn:
    """An array with a row added to one of its own."""
    return _with_row(steps, RowsCombined, x, index, row)


def _with_row(steps: Steps, kind: type[RowsWritten | RowsCombined], x: Any, index: Any, row: Any) -> StandIn:
    given, result = [steps.stand_in(value) for value in (x, row)], np.empty(np.shape(x), x.dtype)
    if len(steps.lists) == 1:
        _small(result)  # (in a loop it shows later whether it is copied)

    def step(reads: list[View], writes: View) -> Step:
        return kind(reads, writes, is_row=True)

    return _changed(steps, step, [given[0], _positions(steps, index), given[1][None]], result)


def _small(result: Array) -> Array:
    if result.nbytes > thresholds.ROW_CHANGE_BYTES:
        raise Unsupported("rows of a large array")
    return result


# --- positions of several numbers --------------------------------------------------------------------------------------------


def _row_numbers(steps: Steps, indices: object, shape: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """The numbers of the rows that indices list in their last axis, and the shape of all rows one after the other."""
    picks = steps.stand_in(indices)
    depth = picks.shape[-1]
    if not 0 < depth <= _DEPTH or picks.dtype.kind != "i":
        raise Unsupported("positions of no numbers")
    number: Any = 0
    for axis in range(depth):
        index: Any = picks[..., axis].astype(np.int64)
        if depth > 1:  # (the row's own number is checked when it is used)
            _expect_inside(steps, index, shape[axis])
        number = number * shape[axis] + index
    return number, (math.prod(shape[:depth]), *shape[depth:])


@by_hand
def take_nd(steps: Steps, params: object, indices: object, *, batch_dims: int) -> StandIn:
    """The rows at positions."""
    if batch_dims:
        raise Unsupported("positions in several batches")
    source = steps.stand_in(params)
    numbers, rows = _row_numbers(steps, indices, source.shape)
    found = take(steps, source.reshape(rows), numbers, axis=0, batch_dims=0)
    return found


@by_hand
def put_nd(steps: Steps, values: object, indices: object, *, shape: tuple[int, ...], batch_dims: int) -> StandIn:
    """Zeros, with rows added at positions."""
    if batch_dims:
        raise Unsupported("positions in several batches")
    numbers, rows = _row_numbers(steps, indices, shape)
    found = put(steps, values, numbers, shape=rows, axis=0, batch_dims=0)
    return found.reshape(shape)


def _scatter(name: str) -> Callable[..., StandIn]:
    def recorded(steps: Steps, tensor: object, indices: object, updates: object) -> StandIn:
        before = steps.stand_in(tensor)
        if len(steps.lists) == 1 and before.size >= thresholds.WHOLE_ELEMENTS:
            raise Unsupported("rows of a large array")  # (NumPy copies it once; in a loop it is changed in place)
        numbers, rows = _row_numbers(steps, indices, before.shape)
        new = steps.stand_in(updates).reshape(numbers.size, *rows[1:])

        def step(reads: list[View], writes: View) -> Step:
            return RowsCombined(reads, writes, name) if name else RowsWritten(reads, writes)

        operands = [before.reshape(rows), numbers.reshape(-1), new]
        return _changed(steps, step, operands, np.empty(rows, before.dtype)).reshape(before.shape)

    return recorded


for _name, _function in (("update", ""), ("add", "add"), ("sub", "subtract"), ("max", "maximum"), ("min", "minimum")):
    _recorded = _scatter(_function)
    _recorded.__name__ = f"tensor_scatter_nd_{_name}"
    by_hand(_recorded)


@by_hand
def put_picked(steps: Steps, g: object, *, shape: tuple[int, ...], key: tuple[Any, ...]) -> StandIn:
    """Zeros, with elements added at places that are known."""
    size = math.prod(shape)
    picks = np.arange(size).reshape(shape)[key].reshape(-1)
    found = put(steps, steps.stand_in(g).reshape(-1), picks, shape=(size,), axis=0, batch_dims=0)
    return found.reshape(shape)


# --- along an axis -----------------------------------------------------------------------------------------------------------


def _along(steps: Steps, indices: object, size: int, axis: int) -> Any:
    """Indices along an axis as positions of elements, with that axis the last; the first ones are those of other axes."""
    places = _lines(steps, indices, axis)
    return _with_batch(steps, places, size, places.ndim - 1)


def _lines(steps: Steps, x: object, axis: int) -> StandIn:
    """An array with an axis as the last one."""
    return steps.stand_in(x).rearranged(lambda array: np.moveaxis(array, axis, -1))


def _from_lines(x: Any, axis: int) -> StandIn:
    """An array with its last axis in another place."""
    found: StandIn = x.rearranged(lambda array: np.moveaxis(array, -1, axis))
    return found


@by_hand
def take_along(steps: Steps, x: object, indices: object, *, axis: int) -> Any:
    """The elements at indices along an axis, for each place in the other axes by itself."""
    lines = _lines(steps, x, axis)
    positions = _along(steps, indices, lines.shape[-1], axis)
    found = take(steps, lines.reshape(-1), positions, axis=0, batch_dims=0)
    return _from_lines(found.reshape(positions.shape), axis)


@by_hand
def put_along(steps: Steps, values: object, indices: object, *, size: int, axis: int) -> Any:
    """Zeros, with values added at indices along an axis."""
    lines = _lines(steps, values, axis)
    positions = _along(steps, indices, size, axis)
    shape = (*lines.shape[:-1], size)
    places = positions.reshape(-1)
    found = put(steps, lines.reshape(-1), places, shape=(math.prod(shape),), axis=0, batch_dims=0)
    return _from_lines(found.reshape(shape), axis)


@by_hand
def sort_along(steps: Steps, values: object, *, axis: int, descending: bool) -> Any:
    """The elements along an axis in order."""
    x = steps.stand_in(values)
    expect_lines(x, axis)
    made = steps.made(np.sort(x.array, axis))
    line = Buffer(MADE, np.empty(x.shape[axis], x.dtype))
    steps.append(Sorting([x.located], made.located, axis % x.ndim, line))
    return np.flip(made, axis) if descending else made


@by_hand
def largest(steps: Steps, x: Any, *, k: int, index_type: np.dtype[Any]) -> Any:
    """The largest elements along the last axis, and their places."""
    if x.shape[-1] >= thresholds.SORTED_ELEMENTS:
        raise Unsupported("the largest of many elements")  # (which NumPy finds without sorting all of them)
    places: Any = order_of(steps, x, -1, True)[..., :k]
    return take_along(steps, x, places, axis=-1), places.astype(index_type)


# --- segments ----------------------------------------------------------------------------------------------------------------


@by_hand
def unsorted_segment_sum(steps: Steps, data: Any, segment_ids: Any, *, num_segments: int) -> StandIn:
    """The sum of the rows of each segment; rows of negative segments are left out."""
    ids, given = _positions(steps, segment_ids), steps.stand_in(data)
    if given.size >= thresholds.SCATTER_ELEMENTS:
        raise Unsupported("sums of many rows")
    shape = given.shape[np.ndim(segment_ids) :]
    rows = given.reshape(ids.size, *shape)
    result = np.empty((num_segments, *shape), given.dtype)
    return _changed(steps, lambda reads, writes: RowsCombined(reads, writes, skips=True), [ids, rows], result)


@by_hand
def sparse_cross_entropy(steps: Steps, logits: object, labels: object) -> Any:
    """The loss of each row for its class, and the derivative."""
    x = steps.stand_in(logits)
    if not kind_of(x.dtype) or in_rows(x.size) or not x.size:
        raise Unsupported("cross entropy of many rows, or none")
    logarithms: Any = log_softmax.eager(x, axis=-1)
    rows, classes = x.shape
    chosen = _with_batch(steps, steps.stand_in(labels)[:, None], classes, 1).reshape(-1)
    loss = -take(steps, logarithms.reshape(-1), chosen, axis=0, batch_dims=0)
    probabilities = np.exp(logarithms)
    ones = steps.constant(np.broadcast_to(np.ones((), x.dtype), (rows,)))

    def step(reads: list[View], writes: View) -> Step:
        return RowsCombined(reads, writes, "subtract")

    gradient = _changed(steps, step, [probabilities.reshape(-1), chosen, ones], np.empty(x.size, x.dtype))
    return loss, gradient.reshape(x.shape)
