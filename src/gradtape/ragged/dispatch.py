"""Ops on ragged tensors: elementwise ops run on the values, reductions on segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import math
from ..api import arrays, layout, shapes
from ..base.errors import UnimplementedError, invalid
from ..base.traceable import traceable
from ..base.types import Function, TensorLike
from ..op.declaration import REGISTRY, Op
from ..trace.composites import by_stand_ins
from ..values.tensor import Tensor, from_array, to_tensor
from ..variables.variable import Variable
from . import rows
from .broadcast import axes_of, common_axes, in_rows, same_axes, spread
from .functions import check_same_rows, concat, have_same_rows, map_flat_values, stack
from .rows import axis_of
from .splits import lengths_of, ranges
from .tensor import RaggedTensor

_SEGMENTS: dict[str, Any] = {
    "reduce_sum": math.unsorted_segment_sum,
    "reduce_prod": math.unsorted_segment_prod,
    "reduce_max": math.unsorted_segment_max,
    "reduce_min": math.unsorted_segment_min,
}

_JOINED: dict[str, Any] = {"concat": concat, "stack": stack}

# Ops that treat each element by itself without being declared as elementwise.
_BY_ELEMENT = {
    "convert",
    "zeros_like",
    "ones_like",
    "stop_gradient",
    "identity",
    "bitcast",
    "encode_base64",
    "decode_base64",
}

# The same, of a list of operands.
_LISTS_BY_ELEMENT = {"string_join", "add_n"}

# Ops on rows, with their operands and attributes.
_ROWS: dict[str, Any] = {
    "expand_dims": lambda x, axis: rows.expand_dims(x, axis),
    "matmul": lambda a, b, **attributes: rows.matmul(a, b, attributes),
    "nonzero": rows.where,
    "reduce_join": rows.reduce_join,
    "reshape": lambda x, shape: arrays.reshape(x.flat_values, shape),
    "reverse": lambda x, axis: rows.reverse(x, axis),
    "softmax": rows.softmax,
    "squeeze": lambda x, axis: rows.squeeze(x, axis),
    "take": rows.gather,
    "take_nd": rows.gather_nd,
    "tile": lambda x, multiples: rows.tile(x, multiples),
    "unicode_encode": lambda x, **attributes: rows.unicode_encode(x, attributes),
}


def run(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """An op one of whose operands is ragged."""
    if op.name in _JOINED:
        return _JOINED[op.name](args[0], attributes["axis"])
    by_element = (op.broadcasts or op.name in _BY_ELEMENT) and not op.variadic
    if by_element and sum(isinstance(value, _WITH_AXES) for value in args) == 1:
        return map_flat_values(op.public, *args, **attributes)
    return on_rows(op, args, attributes)


_WITH_AXES = (RaggedTensor, Tensor, Variable, np.ndarray, list, tuple)


def on_rows(op: Any, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """The same, for ops that depend on the lengths of rows."""
    op = getattr(op, "op", op)  # (a saved function has the public entry)
    if op.name in _ROWS:
        return _ROWS[op.name](*args, **attributes)
    if op.name.startswith("reduce_") and len(args) == 1:
        return _reduced(op, args[0], attributes.get("axis"), bool(attributes.get("keepdims")))
    if op.name.startswith("unsorted_segment_") and isinstance(args[0], RaggedTensor):
        return by_segment(op.name, args[0], args[1], attributes["num_segments"])
    if op.name in _LISTS_BY_ELEMENT:
        parts = _aligned(args[0], op.name)
        return map_flat_values(lambda *flat: op.public(list(flat), **attributes), *parts)
    if (op.broadcasts or op.name in _BY_ELEMENT) and not op.variadic:
        return map_flat_values(op.public, *_aligned(args, op.name), **attributes)
    raise UnimplementedError(
        None,
        None,
        f"{op.name} is not defined for ragged tensors. Use rt.to_tensor() first, or tf.ragged.map_flat_values.",
    )


on_rows = traceable(on_rows, on_abstract=by_stand_ins)


def _aligned(values: Sequence[Any], name: str) -> list[Any]:
    """Operands, at least one of them ragged, in the rows that they are broadcast to."""
    first = next(value for value in values if isinstance(value, RaggedTensor))
    operands = [_with_axes(value, first.dtype) for value in values]
    inner = first.flat_values.ndim - 1
    # What needs no rows: scalars, tensors with no more axes than the elements have, and what has the same rows.
    others = [x for x in operands if _has_axes(x) and not _has_rows_of(first, x) and len(x.shape) > inner]
    if not others:
        return operands
    axes = axes_of(first)
    for other in others:
        axes = common_axes(axes, axes_of(other), name)
    ragged = [value for value in operands if isinstance(value, RaggedTensor)]
    partitions = max(value.ragged_rank + len(axes) - len(value.shape) for value in ragged)
    if same_axes(axes, axes_of(first)) and partitions == first.ragged_rank:
        moved = [x if not any(x is other for other in others) else spread(x, axes, partitions, name) for x in operands]
        return [x.flat_values if isinstance(x, RaggedTensor) and x is not first else x for x in moved]
    flat = [spread(x, axes, partitions, name) if _has_axes(x) and len(x.shape) else x for x in operands]
    place = next(k for k, x in enumerate(operands) if x is first)
    flat[place] = in_rows(flat[place], axes, partitions, first.row_splits.dtype.numpy)
    return flat


def _with_axes(value: Any, dtype: Any) -> Any:
    """An operand as a tensor, if it is one; lists have the type of the ragged one beside them."""
    if isinstance(value, (RaggedTensor, Tensor)):
        return value
    if isinstance(value, np.ndarray) or hasattr(value, "_read"):
        return to_tensor(value)
    return to_tensor(value, dtype) if isinstance(value, (list, tuple)) else value


def _has_axes(value: object) -> bool:
    return isinstance(value, (RaggedTensor, Tensor))


def _has_rows_of(first: RaggedTensor, value: object) -> bool:
    return isinstance(value, RaggedTensor) and have_same_rows(first, value)


# --- reductions --------------------------------------------------------------------------------------------


def _reduced(op: Op, ragged: RaggedTensor, axis: object, keepdims: bool) -> Any:
    rank = len(ragged.shape)
    if axis is None and op.name not in ("reduce_mean", "reduce_variance", "reduce_std"):
        found = op.public(ragged.flat_values)
        return arrays.reshape(found, (1,) * rank) if keepdims else found
    if axis is None and op.name == "reduce_mean":
        flat = ragged.flat_values
        found = math.divide(math.reduce_sum(flat), math.cast(shapes.size(flat), flat.dtype))
        return arrays.reshape(found, (1,) * rank) if keepdims else found
    if op.name in ("reduce_variance", "reduce_std"):
        mean = _reduced(REGISTRY["reduce_mean"], ragged, axis, keepdims)
        squares = _reduced(REGISTRY["reduce_mean"], map_flat_values(math.square, ragged), axis, keepdims)
        variance = math.maximum(math.subtract(squares, math.square(mean)), 0.0)  # (rounding may leave less than 0)
        return variance if op.name == "reduce_variance" else math.sqrt(variance)
    axes = sorted({axis_of(one, rank) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))}, reverse=True)
    if op.name == "reduce_mean":
        sums = _over(ragged, axes, "reduce_sum", keepdims)
        ones = map_flat_values(arrays.ones_like, ragged)
        return math.divide(sums, _over(ones, axes, "reduce_sum", keepdims))
    if op.name == "reduce_logsumexp":
        return rows.logsumexp(ragged, axes, keepdims)
    if op.name in ("reduce_any", "reduce_all"):
        wanted = ragged if op.name == "reduce_any" else map_flat_values(math.logical_not, ragged)
        counts = _over(map_flat_values(lambda x: math.cast(x, "int32"), wanted), axes, "reduce_sum", keepdims)
        return math.greater(counts, 0) if op.name == "reduce_any" else math.equal(counts, 0)
    if op.name not in _SEGMENTS:
        raise UnimplementedError(None, None, f"{op.name} along an axis is not defined for ragged tensors.")
    return _over(ragged, axes, op.name, keepdims)


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
    lengths = lengths_of(rows)
    sizes = np.zeros(count, lengths.dtype)
    np.maximum.at(sizes, group, lengths)
    splits = np.concatenate(([0], np.cumsum(sizes)))
    places = np.repeat(splits[:-1][group], lengths) + ranges(np.zeros(len(lengths), np.int64), lengths)
    if isinstance(rows.values, RaggedTensor):
        values: Any = _by_column(rows.values, places, int(splits[-1]), name)
    else:
        values = _SEGMENTS[name](rows.values, from_array(places), int(splits[-1]))
    return RaggedTensor.from_row_lengths(values, from_array(sizes))


def by_segment(name: str, data: RaggedTensor, segment_ids: TensorLike, num_segments: int) -> Any:
    """`unsorted_segment_sum` and its relatives: rows with one id become one row."""
    if isinstance(segment_ids, RaggedTensor):
        check_same_rows(data, segment_ids)
        return getattr(math, name)(data.flat_values, segment_ids.flat_values, num_segments)
    ids = np.asarray(to_tensor(segment_ids)._array)
    if ids.shape != (data._row_count(),) or (ids.size and not 0 <= ids.min() <= ids.max() < num_segments):
        raise invalid(
            f"{name}: one id from 0 to {num_segments - 1} is needed for each of {data._row_count()} rows, got {ids.tolist()}."
        )
    of = name.removeprefix("unsorted_segment_")
    if of in ("sum", "prod", "max", "min"):
        return _by_column(data, ids, num_segments, f"reduce_{of}")
    sums = _by_column(data, ids, num_segments, "reduce_sum")
    counts = _by_column(map_flat_values(arrays.ones_like, data), ids, num_segments, "reduce_sum")
    return math.divide(sums, counts if of == "mean" else math.sqrt(counts))


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
