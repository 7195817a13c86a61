"""Ops on ragged tensors: elementwise ops run on the values, reductions on segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import math
from ..api import arrays, indexing, layout
from ..base.errors import UnimplementedError, invalid
from ..base.traceable import traceable
from ..base.types import Function, TensorLike, Value
from ..op.declaration import REGISTRY, Op
from ..trace.composites import by_stand_ins
from ..values.tensor import Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .functions import check_same_rows, concat, map_flat_values, stack
from .tensor import RaggedTensor, lengths_of, ranges, take_rows

_SEGMENTS: dict[str, Any] = {
    "reduce_sum": math.unsorted_segment_sum,
    "reduce_prod": math.unsorted_segment_prod,
    "reduce_max": math.unsorted_segment_max,
    "reduce_min": math.unsorted_segment_min,
}

_JOINED: dict[str, Any] = {"concat": concat, "stack": stack}

# Ops that treat each element by itself without being declared as elementwise.
_BY_ELEMENT = {"convert", "zeros_like", "ones_like", "stop_gradient", "identity"}


def run(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """An op one of whose operands is ragged."""
    if op.name in _JOINED:
        return _JOINED[op.name](args[0], attributes["axis"])
    by_element = (op.broadcasts or op.name in _BY_ELEMENT) and not op.variadic
    if by_element and sum(isinstance(value, _WITH_AXES) for value in args) == 1:
        return map_flat_values(op.public, *args, **attributes)
    ragged_places = op.name == "take" and isinstance(args[1], RaggedTensor) and isinstance(args[0], (Tensor, Variable))
    if ragged_places and not attributes["batch_dims"]:
        return _looked_up(to_tensor(args[0]), args[1], attributes["axis"])
    return on_rows(op, args, attributes)


_WITH_AXES = (RaggedTensor, Tensor, Variable, np.ndarray, list, tuple)


def on_rows(op: Any, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """The same, for ops that depend on the lengths of rows."""
    op = getattr(op, "op", op)  # (a saved function has the public entry)
    if op.name.startswith("reduce_") and len(args) == 1:
        return _reduced(op, args[0], attributes.get("axis"), bool(attributes.get("keepdims")))
    if (op.broadcasts or op.name in _BY_ELEMENT) and not op.variadic:
        first = next(value for value in args if isinstance(value, RaggedTensor))
        operands = [_beside(first, value, op.name) for value in args]
        return map_flat_values(op.public, *operands, **attributes)
    if (
        op.name == "take"
        and not attributes["axis"]
        and not attributes["batch_dims"]
        and isinstance(args[0], RaggedTensor)
    ):
        indices = np.asarray(to_tensor(args[1])._array)
        if indices.ndim == 1 and (not indices.size or 0 <= indices.min() <= indices.max() < args[0]._row_count()):
            return _of_any_length(take_rows(args[0], indices))
        raise invalid(
            f"gather: rows from 0 to {args[0]._row_count() - 1} in a vector are needed, got {indices.tolist()}."
        )
    raise UnimplementedError(
        None,
        None,
        f"{op.name} is not defined for ragged tensors. Use rt.to_tensor() first, or tf.ragged.map_flat_values.",
    )


on_rows = traceable(on_rows, in_world=by_stand_ins)


def _of_any_length(rows: Any) -> Any:
    """Rows without a uniform length in their static shape, even if all have the same, as in TensorFlow's `gather`."""
    return RaggedTensor(_of_any_length(rows.values), rows.row_splits) if isinstance(rows, RaggedTensor) else rows


def _looked_up(params: Value, indices: RaggedTensor, axis: int) -> Any:
    """`gather` along an axis with ragged indices: the axis is replaced by the axes of the indices."""
    axis = _axis(axis, params.ndim)
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


def _beside(ragged: RaggedTensor, value: TensorLike, name: str) -> Any:
    """An operand beside a ragged one: in the same rows, a single value, or one value for each row."""
    if isinstance(value, RaggedTensor):
        check_same_rows(ragged, value)
        return value
    if not isinstance(value, (Tensor, np.ndarray, list, tuple)) and not hasattr(value, "_read"):
        return value
    dense = to_tensor(
        value, None if isinstance(value, (Tensor, np.ndarray)) or hasattr(value, "_read") else ragged.dtype
    )
    if not dense.ndim:
        return dense
    if dense.ndim >= 2 and dense.shape[1] == 1 and dense.shape[0] == ragged._row_count() and ragged.ragged_rank == 1:
        return indexing.gather(dense[:, 0], ragged.value_rowids())
    if dense.ndim >= 2 and isinstance(ragged.values, Tensor):
        whole = RaggedTensor.from_tensor(dense)
        check_same_rows(ragged, whole)
        return whole
    raise invalid(f"{name}: a tensor of shape {dense.shape} does not go with the ragged shape {ragged.shape}.")


# --- reductions --------------------------------------------------------------------------------------------


def _reduced(op: Op, ragged: RaggedTensor, axis: object, keepdims: bool) -> Any:
    rank = len(ragged.shape)
    if axis is None:
        return op.public(ragged.flat_values)
    axes = sorted({_axis(one, rank) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))}, reverse=True)
    if op.name == "reduce_mean":
        sums = _over(ragged, axes, "reduce_sum", keepdims)
        ones = map_flat_values(arrays.ones_like, ragged)
        return math.divide(sums, _over(ones, axes, "reduce_sum", keepdims))
    if op.name in ("reduce_variance", "reduce_std"):
        mean = _reduced(REGISTRY["reduce_mean"], ragged, axis, keepdims)
        squares = _reduced(REGISTRY["reduce_mean"], map_flat_values(math.square, ragged), axis, keepdims)
        variance = math.subtract(squares, math.square(mean))
        return variance if op.name == "reduce_variance" else math.sqrt(variance)
    if op.name in ("reduce_any", "reduce_all"):
        wanted = ragged if op.name == "reduce_any" else map_flat_values(math.logical_not, ragged)
        counts = _over(map_flat_values(lambda x: math.cast(x, "int32"), wanted), axes, "reduce_sum", keepdims)
        return math.greater(counts, 0) if op.name == "reduce_any" else math.equal(counts, 0)
    if op.name not in _SEGMENTS:
        raise UnimplementedError(None, None, f"{op.name} along an axis is not defined for ragged tensors.")
    return _over(ragged, axes, op.name, keepdims)


def _axis(axis: int, rank: int) -> int:
    place = axis + rank if axis < 0 else axis
    if not 0 <= place < rank:
        raise ValueError(f"axis={axis} is out of bounds: a ragged tensor of rank {rank} has axes from 0 to {rank - 1}.")
    return place


def _over(value: TensorLike, axes: list[int], name: str, keepdims: bool) -> Any:
    for axis in axes:
        value = _over_one(value, axis, name, keepdims)
    return value


def _over_one(value: Any, axis: int, name: str, keepdims: bool) -> Any:
    if isinstance(value, Tensor):
        return getattr(math, name)(value, axis=axis, keepdims=keepdims)
    if axis == 0:
        result = _by_column(value, np.zeros(value._row_count(), np.int64), 1, name)[0]
        return layout.expand_dims(result, 0) if keepdims else result
    if axis > 1:
        return value.with_values(_over_one(value.values, axis - 1, name, keepdims))
    rows, inner = value._row_count(), value.values
    if isinstance(inner, Tensor):
        result = _SEGMENTS[name](inner, value.value_rowids(), rows)
        return layout.expand_dims(result, 1) if keepdims else result
    result = _by_column(inner, value.value_rowids()._array, rows, name)
    return RaggedTensor.from_uniform_row_length(result, 1) if keepdims else result


def _by_column(rows: RaggedTensor, group: Any, count: int, name: str) -> RaggedTensor:
    """Reduce each group of rows to one row, column by column."""
    if not isinstance(rows.values, Tensor):
        raise UnimplementedError(None, None, f"{name} over an axis with two ragged axes inside of it is not there.")
    lengths = lengths_of(rows)
    sizes = np.zeros(count, lengths.dtype)
    np.maximum.at(sizes, group, lengths)
    splits = np.concatenate(([0], np.cumsum(sizes)))
    places = np.repeat(splits[:-1][group], lengths) + ranges(np.zeros(len(lengths), np.int64), lengths)
    return RaggedTensor.from_row_lengths(
        _SEGMENTS[name](rows.values, from_array(places), int(splits[-1])), from_array(sizes)
    )


# --- Python's operators ------------------------------------------------------------------------------------


def _operator(function: Function) -> Any:
    def forward(self: RaggedTensor, other: TensorLike) -> Any:
        return function(self, other)

    return forward


def _reflected(function: Function) -> Any:
    def backward(self: RaggedTensor, other: TensorLike) -> Any:
        return function(other, self)

    return backward


_BINARY: dict[str, Function] = {
    "add": math.add,
    "sub": math.subtract,
    "mul": math.multiply,
    "truediv": math.truediv,
    "floordiv": math.floordiv,
    "mod": math.floormod,
    "pow": math.pow,
}
_COMPARISONS: dict[str, Function] = {
    "lt": math.less,
    "le": math.less_equal,
    "gt": math.greater,
    "ge": math.greater_equal,
    "eq": math.equal,
    "ne": math.not_equal,
    "and": math.logical_and,
    "or": math.logical_or,
    "xor": math.logical_xor,
}
for _name, _function in _BINARY.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_function))
    setattr(RaggedTensor, f"__r{_name}__", _reflected(_function))
for _name, _function in _COMPARISONS.items():
    setattr(RaggedTensor, f"__{_name}__", _operator(_function))
for _name, _function in (("neg", math.negative), ("abs", math.abs), ("invert", math.logical_not)):
    setattr(RaggedTensor, f"__{_name}__", lambda self, function=_function: function(self))
