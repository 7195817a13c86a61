"""One-hot codes, positions of true elements (`tf.where` of one operand) and by counts, and masks by length (`tf.sequence_mask`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, INDEX, INTEGER, REAL, Array
from ...base.errors import invalid
from ...base.memory import repeated
from ...base.sizes import UNKNOWN
from ...base.types import Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import as_array, batch_leading, not_tensors
from ...op.shapes import inserted, natural, typed_by


def _length_mask(lengths: Array, maxlen: int) -> Any:
    if maxlen < 0:
        raise invalid(f"sequence_mask: maxlen cannot be negative, got {maxlen}.")
    return np.arange(maxlen) < lengths[..., None]


@op(eager=_length_mask, dtypes=REAL, retypes=True, gives=np.bool_, called="sequence_mask")
def length_mask(xp: Namespace, lengths: Array, *, maxlen: int) -> Any:
    """A row for each length: true at the first `length` places of `maxlen`."""
    return xp.arange(maxlen) < lengths[..., None]


@length_mask.shapes
def _(lengths: Abstract, *, maxlen: object) -> Shape:
    return (*lengths.shape, natural(maxlen))


length_mask.not_differentiable("truth values have no derivative")
length_mask.batching = batch_leading


@length_mask.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([0.0, 2.0, 5.0]),), {"maxlen": 4})
    yield Sample((np.array(3.0),), {"maxlen": 3})
    yield Sample((np.zeros((2, 0)),), {"maxlen": 2})
    yield Sample((np.ones((2, 2)),), {"maxlen": 0})


@length_mask.value
def _(lengths: Array, maxlen: int) -> Any:
    rows = [[k < length for k in range(maxlen)] for length in np.ravel(lengths).tolist()]
    return np.array(rows, bool).reshape(*np.shape(lengths), maxlen)


@length_mask.rejects
def _() -> Iterator[BadInput]:
    for maxlen in (-1, -5, -(2**40)):
        yield BadInput("a size", (np.ones(3, np.float32),), {"maxlen": maxlen})
    yield BadInput("lengths are numbers", (np.ones(3, bool),), {"maxlen": 2})


def _one_hot(indices: Array, depth: int, on_value: Array, off_value: Array, axis: int, dtype: np.dtype[Any]) -> Array:
    indices = as_array(indices)
    if depth < 0:
        raise invalid(f"one_hot: depth must be non-negative, got {depth}.")
    if not -1 <= axis <= indices.ndim:
        raise invalid(f"one_hot: axis must be from -1 to {indices.ndim}, got {axis}.")
    hot = indices[..., None] == np.arange(depth)
    result = np.where(hot, np.asarray(on_value, dtype), np.asarray(off_value, dtype))
    return result if axis in (-1, indices.ndim) else np.moveaxis(result, -1, axis)


@op(eager=_one_hot, dtypes=INTEGER, tf_name="OneHot", gives=typed_by("dtype"), called="one_hot")
def encode_one_hot(
    xp: Namespace,
    indices: Array,
    *,
    depth: int,
    on_value: object = 1,
    off_value: object = 0,
    axis: int = -1,
    dtype: object = np.float32,
) -> Any:
    """`on_value` at each index along a new axis of size `depth`, `off_value` elsewhere."""
    hot = xp.where(indices[..., None] == xp.arange(depth), on_value, off_value).astype(dtype)
    return hot if axis == -1 else xp.moveaxis(hot, -1, axis)


@encode_one_hot.shapes
def _(indices: Abstract, *, depth: Any, axis: Any, **_: object) -> Shape:
    return (UNKNOWN,) * (indices.ndim + 1) if axis is UNKNOWN else inserted(indices.shape, axis, natural(depth))


encode_one_hot.not_differentiable("its operand is an integer")


@encode_one_hot.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    axis = attributes["axis"]
    return encode_one_hot(args[0], **{**attributes, "axis": axis if axis == -1 else axis + 1})


@encode_one_hot.samples
def _(draw: Draw) -> Iterator[Sample]:
    for indices, depth, axis in [
        ([0, 2], 3, -1), (1, 3, -1), ([[0, 1], [2, 5]], 3, -1), ([0, -1], 2, 0), ([[0], [1]], 4, 1), ([], 3, -1), ([1], 0, -1), ([3, 3], 4, 1),
    ]:  # fmt: skip
        yield Sample((np.array(indices, np.int32),), {"depth": depth, "axis": axis})


@encode_one_hot.rejects
def _() -> Iterator[BadInput]:
    x = np.array([0, 1], np.int32)
    for depth, axis in [(-1, -1), (3, 2), (3, -2), (-(2**40), 0), (3, 9), (2, -7), (-5, 1), (1, 2**40)]:
        yield BadInput("depth and axis must make sense", (x,), {"depth": depth, "axis": axis})
    yield BadInput("indices are integers", (x.astype(np.float32),), {"depth": 3})
    yield BadInput("indices are integers", (x.astype(bool),), {"depth": 3})


@op(dtypes=ANY, tf_name="Where", gives=np.int64)
def nonzero(xp: Namespace, condition: Array) -> Any:
    """The positions of all true (or nonzero) elements, one row each."""
    return xp.stack(xp.nonzero(xp.atleast_1d(condition)), axis=-1).astype(np.int64)[:, : xp.ndim(condition)]


@nonzero.shapes
def _(condition: Abstract) -> Shape:
    return (UNKNOWN, UNKNOWN if condition.rank is None else condition.rank)


nonzero.host_only("how many positions there are depends on the values")
nonzero.not_differentiable("positions are integers, and how many there are depends on the value")


@nonzero.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [(4,), (2, 3), (0,), (2, 0), (2, 2, 2), (1,)]:
        yield Sample((draw(shape) > 0,))


@nonzero.value
def _(condition: Array) -> Any:
    return np.argwhere(condition)


@nonzero.rejects
def _() -> Iterator[BadInput]:
    yield from not_tensors()


def _counted(counts: Array) -> Array:
    if counts.ndim != 1 or (counts.size and counts.min() < 0):
        raise invalid(f"repeat: repeats must be a vector of non-negative integers, got {counts.tolist()}.")
    return repeated("repeat", np.arange(counts.size), counts)


@op(eager=_counted, dtypes=INDEX, gives=np.int64)
def repeated_positions(xp: Namespace, counts: Array) -> Any:
    """Each position of a vector as often as its count says: [2, 0, 1] gives [0, 0, 2]."""
    return xp.repeat(xp.arange(counts.shape[0]), counts)


@repeated_positions.shapes
def _(counts: Abstract) -> Shape:
    counts.of_rank(1)
    return (UNKNOWN,)


repeated_positions.host_only("how many positions there are depends on the values")
repeated_positions.not_differentiable("positions are integers, and how many there are depends on the value")


@repeated_positions.samples
def _(draw: Draw) -> Iterator[Sample]:
    for counts in ([2, 0, 1], [], [0], [1, 1], [3], [0, 0, 4, 1]):
        yield Sample((np.array(counts, np.int32),))


@repeated_positions.value
def _(counts: Array) -> Any:
    return np.array([place for place, count in enumerate(counts.tolist()) for _ in range(count)], np.int64)


@repeated_positions.rejects
def _() -> Iterator[BadInput]:
    yield BadInput("no count is negative", (np.array([1, -1], np.int32),))
    yield BadInput("a vector of counts", (np.array(2, np.int32),))
    yield BadInput("a vector of counts", (np.ones((2, 2), np.int32),))
    yield BadInput("whole numbers", (np.array([0.5], np.float32),))
