"""Ops that move, repeat, pick or combine the rows of ragged tensors.

Each computes the places of the values it needs from the row splits, and looks them up: tapes follow the lookup. `dispatch.py` has
the table of ops that come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import math
from ..api import arrays, indexing, layout, partition
from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import UnimplementedError, invalid
from ..base.types import AxisLike
from ..op.attributes import as_int, as_ints
from ..ops.array.gather import check_range
from ..ops.linalg import products
from ..ops.text import strings as texts
from ..ops.text import unicode
from ..values.tensor import Tensor, from_array, to_tensor
from .functions import check_same_rows, stack
from .making import count_of
from .splits import lengths_of, ranges, splits_of
from .tensor import RaggedTensor, places_of, stacked_rows, take_rows


def axis_of(axis: object, rank: int) -> int:
    """An axis counted from the first one."""
    given = as_int(axis)
    place = given + rank if given < 0 else given
    if not 0 <= place < rank:
        raise ValueError(f"axis={given} out of bounds: expected -{rank}<=axis<{rank}")
    return place


# --- layout --------------------------------------------------------------------------------------------------


def tile(value: Any, multiples: Sequence[int]) -> Any:
    """The value repeated along each axis."""
    if len(multiples) != len(value.shape):
        raise invalid(
            f"tile: {len(multiples)} multiples for a ragged tensor of shape {value.shape}; one for each axis."
        )
    if isinstance(value, Tensor):
        return value if set(multiples) <= {1} else layout.tile(value, multiples)
    outer, within, *inner = multiples
    rows = value.with_values(tile(value.values, [1, *inner]))
    if within != 1:
        lengths, starts = lengths_of(rows), rows.row_splits._array[:-1]
        places = ranges(np.repeat(starts, within), np.repeat(lengths, within))
        uniform = None if rows._uniform is None else rows._uniform * within
        rows = RaggedTensor(take_rows(rows.values, places), from_array(splits_of(lengths * within)), uniform)
    return rows if outer == 1 else take_rows(rows, np.tile(np.arange(rows._row_count()), outer))


def reverse(value: Any, axes: Sequence[int]) -> Any:
    """The value with the order along each of the axes turned round."""
    if isinstance(value, Tensor):
        return layout.reverse(value, axes) if axes else value
    wanted = {axis_of(axis, len(value.shape)) for axis in axes}
    if len(wanted) < len(axes):
        raise invalid(f"reverse: axis {list(axes)} names an axis twice.")
    rows = value.with_values(reverse(value.values, [axis - 1 for axis in sorted(wanted) if axis > 1]))
    if 1 in wanted:
        splits, lengths = rows.row_splits._array, lengths_of(rows)
        places = np.repeat(splits[:-1] + splits[1:] - 1, lengths) - np.arange(splits[-1])
        rows = rows.with_values(take_rows(rows.values, places))
    return take_rows(rows, np.arange(rows._row_count())[::-1]) if 0 in wanted else rows


def expand_dims(value: Any, axis: int) -> Any:
    """The value with a new axis of size 1."""
    place = axis_of(axis, len(value.shape) + 1)
    if isinstance(value, Tensor):
        return layout.expand_dims(value, place)
    if place > 1:
        return value.with_values(expand_dims(value.values, place - 1))
    count = value._row_count()
    return RaggedTensor.from_uniform_row_length(value, 1 if place else count, nrows=count if place else 1)


def squeeze(value: Any, axis: AxisLike | None) -> Any:
    """The value without these axes, each of which has the size 1."""
    if axis is None:
        raise ValueError("squeeze: the axis must be given for a ragged tensor.")
    rank = len(value.shape)
    for place in sorted({axis_of(one, rank) for one in np.atleast_1d(np.asarray(axis)).tolist()}, reverse=True):
        value = _without(value, place)
    return value


def _without(value: Any, axis: int) -> Any:
    if isinstance(value, Tensor):
        return layout.squeeze(value, axis)
    if axis > 1:
        return value.with_values(_without(value.values, axis - 1))
    sizes = lengths_of(value) if axis else np.array([value._row_count()])
    if (sizes != 1).any():
        raise invalid(f"squeeze: axis {axis} has the sizes {sizes.tolist()[:10]}; only an axis of size 1 can go.")
    return value.values


def split(value: RaggedTensor, num_or_size_splits: Any, axis: Any, num: Any) -> list[Any]:
    """Pieces along one axis."""
    place = axis_of(axis, len(value.shape))
    if place > 1:
        inner = value.values
        parts = (
            split(inner, num_or_size_splits, place - 1, num)
            if isinstance(inner, RaggedTensor)
            else layout.split(inner, num_or_size_splits, place - 1, num)
        )
        return [value.with_values(part) for part in parts]
    if place == 1:
        raise ValueError("split: a ragged axis cannot be cut into pieces of one size. Use slices: rt[:, :2].")
    # The numbers of the rows are cut as the rows are, with the same words where the sizes do not fit.
    numbers = layout.split(from_array(np.arange(value._row_count())), num_or_size_splits, 0, num)
    return [take_rows(value, chosen._array) for chosen in numbers]


# --- picking -------------------------------------------------------------------------------------------------


def gather(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """The slices of `params` at `indices` along an axis; one of the two is ragged."""
    params, indices = (value if isinstance(value, RaggedTensor) else to_tensor(value) for value in (params, indices))
    if isinstance(params, Tensor) and isinstance(indices, Tensor):
        return indexing.gather(params, indices, axis=axis, batch_dims=batch_dims)
    if batch_dims:
        return _gather_in_rows(params, indices, axis, batch_dims)
    if axis == 0:
        return _looked_up(params, indices)
    if isinstance(params, Tensor):
        return _along(params, indices, axis)
    if axis > 1:
        return params.with_values(gather(params.values, indices, axis - 1, 0))
    return _gather_in_rows(params, _for_each_row(indices, params._row_count()), 1, 1)


def _for_each_row(indices: Any, rows: int) -> Any:
    """The same indices once for each of so many rows."""
    if isinstance(indices, Tensor):
        return arrays.broadcast_to(indices, (rows, *indices.shape))
    count = indices._row_count()
    return RaggedTensor.from_uniform_row_length(take_rows(indices, np.tile(np.arange(count), rows)), count, nrows=rows)


def _looked_up(params: Any, indices: Any) -> Any:
    """Rows in the structure of their indices."""
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(_looked_up(params, indices.flat_values))
    places = np.asarray(to_tensor(indices)._array)
    count = count_of(params)
    assert count is not None  # (rows are looked up where everything is known)
    check_range(places, count, "gather")
    if not isinstance(params, RaggedTensor):
        return indexing.gather(params, indices)
    if not places.ndim:
        return params[int(places)]
    rows = _of_any_length(take_rows(params, places.reshape(-1)))
    for size, outer in zip(places.shape[:0:-1], np.cumprod(places.shape)[-2::-1].tolist(), strict=True):
        rows = _of_any_length(RaggedTensor.from_uniform_row_length(rows, size, nrows=outer))
    return rows


def _of_any_length(rows: object) -> Any:
    """Rows without a uniform length in their static shape, even if all have the same, as in TensorFlow's `gather`."""
    return RaggedTensor(_of_any_length(rows.values), rows.row_splits) if isinstance(rows, RaggedTensor) else rows


def _gather_in_rows(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """`gather` with `batch_dims`: the indices of a row count from its beginning."""
    values = params if isinstance(params, RaggedTensor) else RaggedTensor.from_tensor(params)
    if batch_dims > 1:
        inner = indices if isinstance(indices, RaggedTensor) else RaggedTensor.from_tensor(indices)
        if not np.array_equal(values.row_splits._array, inner.row_splits._array):
            raise invalid("gather: the batch axes of params and indices must have rows of the same lengths.")
        return inner.with_values(gather(values.values, inner.values, axis - 1, batch_dims - 1))
    if axis > 1:  # each row of a batch is looked up with the indices of that batch
        return values.with_values(gather(values.values, take_rows(indices, values.value_rowids()._array), axis - 1, 1))
    starts, lengths = values.row_splits._array[:-1], lengths_of(values)
    if isinstance(indices, RaggedTensor):
        rows = _outer_rows(indices)
        places = np.asarray(indices.flat_values._array)
    else:
        places = np.asarray(to_tensor(indices)._array)
        rows = np.arange(len(places))
    if places.ndim > 1:
        rows = rows.reshape(-1, *(1,) * (places.ndim - 1))
    if (places < 0).any() or (places >= lengths[rows]).any():
        raise invalid(f"gather: an index is outside of its row; the rows have the lengths {lengths.tolist()[:10]}.")
    found = from_array(places + starts[rows])
    inside = indices.with_flat_values(found) if isinstance(indices, RaggedTensor) else found
    return _looked_up(values.values, inside)


def _outer_rows(ragged: RaggedTensor) -> Array:
    """The number of the outermost row of each value."""
    rows: Array = ragged.value_rowids()._array
    return rows if isinstance(ragged.values, Tensor) else rows[_outer_rows(ragged.values)]


def _along(params: Any, indices: RaggedTensor, axis: int) -> Any:
    """`gather` of a tensor along an inner axis with ragged indices: the axis is replaced by the axes of the indices."""
    axis = axis_of(axis, params.ndim)
    found = indexing.gather(params, indices.flat_values, axis=axis)
    if not axis:
        return indices.with_flat_values(found)
    before = tuple(params.shape)[:axis]
    count = int(np.prod(before, dtype=np.int64))
    lengths = [np.tile(part._array, count) for part in indices.nested_row_lengths()]
    values = arrays.reshape(found, (-1, *found.shape[axis + 1 :]))
    result = RaggedTensor.from_nested_row_lengths(values, [from_array(part) for part in lengths])
    for size, outer in zip((indices._row_count(), *before[:0:-1]), np.cumprod(before)[::-1].tolist(), strict=True):
        result = RaggedTensor.from_uniform_row_length(result, size, nrows=outer)
    return result


def gather_nd(params: object, indices: object, batch_dims: int) -> Any:
    """The values at places that are listed in the last axis of `indices`."""
    if batch_dims or not isinstance(params, RaggedTensor) or isinstance(indices, RaggedTensor):
        raise UnimplementedError(
            None, None, "gather_nd: a ragged tensor, indices in a tensor and batch_dims=0 are needed."
        )
    places = np.asarray(to_tensor(indices)._array)
    if not places.shape[-1]:
        raise invalid(f"gather_nd: indices need at least one number for each place, got shape {places.shape}.")
    value: Any = params
    at = places[..., 0]
    for depth in range(1, places.shape[-1]):
        if not isinstance(value, RaggedTensor):
            rest = np.concatenate([at[..., None], places[..., depth:]], axis=-1)
            return indexing.gather_nd(value, from_array(rest))
        inside = places[..., depth]
        count = value._row_count()
        if at.size and not 0 <= at.min() <= at.max() < count:
            raise invalid(f"gather_nd: rows from 0 to {count - 1} are there, got {at.tolist()}.")
        if (inside < 0).any() or (inside >= lengths_of(value)[at]).any():
            raise invalid("gather_nd: a place is outside of its row.")
        at = value.row_splits._array[at] + inside
        value = value.values
    return _looked_up(value, from_array(at))


def where(condition: RaggedTensor) -> Any:
    """The places of the true values."""
    flat = np.asarray(condition.flat_values._array)
    inner = np.argwhere(flat)
    return from_array(np.concatenate([places_of(condition)[inner[:, 0]], inner[:, 1:]], axis=1))


def dynamic_partition(data: Any, partitions: Any, num_partitions: Any) -> list[Any]:
    """The rows sorted into ragged tensors, or the values into tensors where the partitions are ragged."""
    if isinstance(partitions, RaggedTensor):
        values = data if isinstance(data, RaggedTensor) else RaggedTensor.from_tensor(data)
        check_same_rows(partitions, values)
        return partition.dynamic_partition(values.flat_values, partitions.flat_values, num_partitions)
    numbers = to_tensor(partitions, dtypes.int32)
    if numbers.ndim != 1:
        raise invalid(f"dynamic_partition: one number for each row is needed, got partitions of shape {numbers.shape}.")
    rows = partition.dynamic_partition(from_array(np.arange(data._row_count())), numbers, num_partitions)
    return [take_rows(data, chosen._array) for chosen in rows]


# --- arithmetic ----------------------------------------------------------------------------------------------


def softmax(value: RaggedTensor, axis: int) -> Any:
    """exp(x) / sum(exp(x)) of the values of each row."""
    rank = len(value.shape)
    if axis_of(axis, rank) != rank - 1:
        raise invalid(f"softmax: the last axis is needed for a ragged tensor of shape {value.shape}, got axis={axis}.")
    inner = value.values
    if isinstance(inner, RaggedTensor):
        return value.with_values(softmax(inner, -1))
    if inner.ndim > 1:
        return value.with_values(math.softmax(inner))
    powers, sums, _ = _powers(value)
    return value.with_values(powers / indexing.gather(sums, value.value_rowids()))


def logsumexp(value: Any, axes: Sequence[int], keepdims: bool) -> Any:
    """log(sum(exp(x))) of each row."""
    if len(axes) > 1 or not axes[0]:
        raise UnimplementedError(
            None, None, f"reduce_logsumexp: one axis from 1 on is needed for a ragged tensor, got {axes}."
        )
    (axis,), inner = axes, value.values
    if axis > 1:
        ragged = isinstance(inner, RaggedTensor)
        return value.with_values(
            logsumexp(inner, [axis - 1], keepdims) if ragged else math.reduce_logsumexp(inner, axis - 1, keepdims)
        )
    if isinstance(inner, RaggedTensor):
        raise UnimplementedError(
            None, None, "reduce_logsumexp over an axis with a ragged axis inside of it is not there."
        )
    _, sums, largest = _powers(value)
    found = math.log(sums) + largest
    return layout.expand_dims(found, 1) if keepdims else found


def _powers(value: RaggedTensor) -> tuple[Any, Any, Any]:
    """exp(x - m) with m the largest value of each row, the sum of them in each row, and m."""
    inner, rows, count = value.values, value.value_rowids(), value._row_count()
    largest = arrays.stop_gradient(math.unsorted_segment_max(inner, rows, count))
    powers = math.exp(inner - indexing.gather(largest, rows))
    return powers, math.unsorted_segment_sum(powers, rows, count), largest


def matmul(a: Any, b: Any, attributes: dict[str, Any]) -> Any:
    """The product of each pair of matrices; of two matrices, one of which is called ragged, their product."""
    a, b = (value if isinstance(value, RaggedTensor) else to_tensor(value) for value in (a, b))
    ranks = {len(value.shape) for value in (a, b)}
    if ranks == {2}:
        return products.matmul.public(*[_dense(value) for value in (a, b)], **attributes)
    if ranks != {3}:
        raise UnimplementedError(
            None, None, f"matmul: both ragged operands need 2 or 3 axes, got {a.shape} and {b.shape}."
        )
    first, second = (value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value) for value in (a, b))
    if first._row_count() != second._row_count():
        raise invalid(f"matmul: {first._row_count()} matrices times {second._row_count()}.")
    pairs = zip(first, second, strict=True)
    found = [products.matmul.public(_dense(left), _dense(right), **attributes) for left, right in pairs]
    return stacked_rows(found) if len({part.shape[1] for part in found}) == 1 else stack(found)


def _dense(matrix: Any) -> Any:
    """A matrix whose rows all have one length, as a tensor."""
    if isinstance(matrix, Tensor):
        return matrix
    lengths = lengths_of(matrix)
    if len(set(lengths.tolist())) > 1:
        raise invalid(f"matmul: the rows of a matrix must have one length, got {lengths.tolist()[:10]}.")
    return matrix.to_tensor()


# --- texts ---------------------------------------------------------------------------------------------------


def reduce_join(value: Any, axis: Any, keepdims: bool, separator: Any) -> Any:
    """The texts along an axis joined to one."""
    rank = len(value.shape)
    named = range(rank) if axis is None else as_ints(axis)
    for place in sorted({axis_of(one, rank) for one in named}, reverse=True):
        value = (
            _joined(value, place, separator, keepdims)
            if isinstance(value, RaggedTensor)
            else texts.reduce_join.public(value, place, keepdims, separator)
        )
    return value


def _joined(value: RaggedTensor, axis: int, separator: object, keepdims: bool) -> Any:
    if axis > 1 or not isinstance(value.values, Tensor) or value.values.ndim > 1:
        if axis < 2:
            raise UnimplementedError(None, None, f"reduce_join over axis {axis} of several inner axes is not there.")
        return value.with_values(reduce_join(value.values, axis - 1, keepdims, separator))
    rows, between = value.to_list(), separator if isinstance(separator, bytes) else str(separator).encode()
    if not axis:
        width = max(map(len, rows), default=0)
        rows = [[row[place] for row in rows if place < len(row)] for place in range(width)]
    lines = np.empty(len(rows), object)
    lines[:] = [between.join(row) for row in rows]
    joined = from_array(lines)
    return layout.expand_dims(joined, axis) if keepdims else joined


def unicode_encode(points: Any, settings: dict[str, Any]) -> Any:
    """The texts whose code points are the innermost rows."""
    if isinstance(points.values, RaggedTensor):
        return points.with_values(unicode_encode(points.values, settings))
    if points.values.ndim > 1:
        return points.with_values(unicode.unicode_encode.public(points.values, **settings))
    letters = unicode.unicode_encode.public(layout.expand_dims(points.values, -1), **settings)
    return _joined(points.with_values(letters), 1, b"", False)
