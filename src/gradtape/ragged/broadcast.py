"""How shapes with ragged axes meet: the common shape of several, and where each element of it is found in the smaller ones.

A shape is a list of axes here, the outermost first. An axis is a number where all rows have that length by construction, and an
array with the length of each row otherwise. Only a number may be repeated: rows that merely happen to have one element are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ..api import arrays, indexing
from ..base.dtypes import Array
from ..base.errors import invalid
from ..values.tensor import Tensor, from_array
from .splits import lengths_of, ranges, splits_of
from .tensor import RaggedTensor

Axis: TypeAlias = "int | Array"


def axes_of(value: Any) -> list[Axis]:
    """The axes of a tensor or a ragged tensor."""
    if not isinstance(value, RaggedTensor):
        return list(value.shape)
    axes: list[Axis] = [value._row_count()]
    while isinstance(value, RaggedTensor):
        axes.append(lengths_of(value) if value._uniform is None else value._uniform)
        value = value.values
    return [*axes, *value.shape[1:]]


def same_axes(first: Sequence[Axis], second: Sequence[Axis]) -> bool:
    """Whether two shapes have the same lengths."""
    return len(first) == len(second) and all(
        np.array_equal(a, b) if isinstance(a, int) == isinstance(b, int) else np.all(a == b)
        for a, b in zip(first, second, strict=True)
    )


def described(axes: Sequence[Axis]) -> str:
    """The axes as errors name them, the first lengths of each."""
    lengths = [str(axis) if isinstance(axis, int) else _first_of(axis) for axis in axes]
    return f"[{', '.join(lengths)}]"


def _first_of(lengths: Array) -> str:
    shown = ", ".join(map(str, lengths[:10].tolist()))
    return f"({shown}{', ...' if len(lengths) > 10 else ''})"


def common_axes(first: Sequence[Axis], second: Sequence[Axis], name: str) -> list[Axis]:
    """The axes that both are broadcast to."""
    rank = max(len(first), len(second))
    pair = [_padded(axes, rank) for axes in (first, second)]
    nodes = [np.zeros(1, np.int64), np.zeros(1, np.int64)]  # for each row of the result, its row in either shape
    found: list[Axis] = []
    for one, other in zip(*pair, strict=True):
        lengths = [_lengths(axis, rows) for axis, rows in zip((one, other), nodes, strict=True)]
        repeated = [isinstance(axis, int) and axis == 1 for axis in (one, other)]
        if not any(repeated) and not np.array_equal(lengths[0], lengths[1]):
            raise invalid(f"{name}: the shapes {described(first)} and {described(second)} do not broadcast.")
        kept = lengths[1] if repeated[0] else lengths[0]
        source = other if repeated[0] else one if repeated[1] or isinstance(other, int) else other
        found.append(source if isinstance(source, int) else kept)
        nodes = [_children(axis, rows, kept) for axis, rows in zip((one, other), nodes, strict=True)]
    return found


def places_in(source: Sequence[Axis], target: Sequence[Axis], name: str) -> Array:
    """For each element of the target its number in the source, counted row by row."""
    if len(source) > len(target):
        raise invalid(f"{name}: {described(source)} has more axes than {described(target)}.")
    nodes: Array = np.zeros(1, np.int64)
    rows = 1
    for axis, wanted in zip(_padded(source, len(target)), target, strict=True):
        lengths = np.full(rows, wanted) if isinstance(wanted, int) else wanted
        if not (isinstance(axis, int) and axis == 1) and not np.array_equal(_lengths(axis, nodes), lengths):
            raise invalid(f"{name}: {described(source)} cannot be broadcast to {described(target)}.")
        nodes = _children(axis, nodes, lengths)
        rows = len(nodes)
    return nodes


def spread(value: Any, target: Sequence[Axis], partitions: int, name: str) -> Tensor:
    """The flat values of a tensor or ragged tensor that is broadcast to the target, whose rows are told by `partitions` axes."""
    axes = _padded(axes_of(value), len(target))
    flat = value.flat_values if isinstance(value, RaggedTensor) else value
    inner: Any = axes[partitions + 1 :]
    flat = arrays.reshape(flat, (-1, *inner))
    found = indexing.gather(flat, from_array(places_in(axes[: partitions + 1], target[: partitions + 1], name)))
    wanted: Any = target[partitions + 1 :]
    return found if inner == wanted else arrays.broadcast_to(found, (found.shape[0], *wanted))


def in_rows(flat: Tensor, axes: Sequence[Axis], partitions: int, like: np.dtype[Any]) -> Any:
    """Flat values in the rows of these axes."""
    count = 1
    levels: list[tuple[Tensor, int | None]] = []
    for axis in axes[: partitions + 1]:
        lengths = np.full(count, axis) if isinstance(axis, int) else axis
        levels.append((from_array(splits_of(lengths.astype(like))), axis if isinstance(axis, int) else None))
        count = int(lengths.sum())
    made: Any = flat
    for splits, uniform in reversed(levels[1:]):
        made = RaggedTensor(made, splits, uniform)
    return made


def _padded(axes: Sequence[Axis], rank: int) -> list[Axis]:
    return [*[1] * (rank - len(axes)), *axes]


def _lengths(axis: Axis, rows: Array) -> Array:
    """The lengths of these rows along an axis."""
    return np.full(len(rows), axis) if isinstance(axis, int) else axis[rows]


def _children(axis: Axis, rows: Array, lengths: Array) -> Array:
    """The elements of these rows, as many as `lengths` says; the only one again and again, where an axis is repeated."""
    if isinstance(axis, int):
        return np.repeat(rows, lengths) if axis == 1 else ranges(rows * axis, lengths)
    return ranges(splits_of(axis)[:-1][rows], lengths)
