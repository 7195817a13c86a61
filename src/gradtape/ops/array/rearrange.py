"""Sequences turned round, each to its own length; and bits read as another type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, BY_NUMPY, INDEX, NUMERIC, Array
from ...base.errors import invalid
from ...base.sizes import matched
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ..family import all_batched, batch_leading, rank_of, shape_of
from ..shapes import like, typed_by
from .layout import permute, reshape

# --- reverse_sequence ------------------------------------------------------------------------------------------------


def _reverse_sequence(input: Array, seq_lengths: Array, seq_axis: int, batch_axis: int) -> Array:
    input, lengths = np.asarray(input), np.asarray(seq_lengths)
    for label, axis in (("seq_axis", seq_axis), ("batch_axis", batch_axis)):
        if not 0 <= axis < input.ndim:
            raise invalid(
                f"reverse_sequence: {label} {axis} does not exist in shape {input.shape} (0 counts from the front)."
            )
    if seq_axis == batch_axis:
        raise invalid(f"reverse_sequence: seq_axis and batch_axis must differ, both are {seq_axis}.")
    size = input.shape[seq_axis]
    if lengths.shape != (input.shape[batch_axis],):
        raise invalid(
            f"reverse_sequence: seq_lengths must have shape ({input.shape[batch_axis]},), one for each entry of axis "
            f"{batch_axis}; got {lengths.shape}."
        )
    if lengths.size and (lengths.min() < 0 or lengths.max() > size):
        raise invalid(f"reverse_sequence: lengths must be in [0, {size}], got {lengths.tolist()}.")
    place = np.arange(size)
    order = np.where(place < lengths[:, None], lengths[:, None] - 1 - place, place)
    if seq_axis < batch_axis:
        order = order.T
    shape = [size if a == seq_axis else lengths.size if a == batch_axis else 1 for a in range(input.ndim)]
    return np.take_along_axis(input, order.reshape(shape), axis=seq_axis)


@op(eager=_reverse_sequence, dtypes=ANY, other={"seq_lengths": INDEX}, shape=like(0))
def reverse_sequence(xp: Namespace, input: Array, seq_lengths: Array, *, seq_axis: int, batch_axis: int = 0) -> Any:
    """The first `seq_lengths[i]` elements along `seq_axis` in reverse order, for each entry i of `batch_axis`."""
    place = xp.arange(input.shape[seq_axis])
    order = xp.where(place < seq_lengths[:, None], seq_lengths[:, None] - 1 - place, place)
    order = order.T if seq_axis < batch_axis else order
    shape = [size if a in (seq_axis, batch_axis) else 1 for a, size in enumerate(input.shape)]
    return xp.take_along_axis(input, order.reshape(shape), axis=seq_axis)


@reverse_sequence.vjp("input")
def _(g: Cotangent, seq_lengths: Value, seq_axis: int, batch_axis: int) -> Any:
    return reverse_sequence(g, seq_lengths, seq_axis=seq_axis, batch_axis=batch_axis)


@reverse_sequence.jvp("input")
def _(t: Tangent, seq_lengths: Value, seq_axis: int, batch_axis: int) -> Any:
    return reverse_sequence(t, seq_lengths, seq_axis=seq_axis, batch_axis=batch_axis)


@reverse_sequence.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    """The hidden axis and `batch_axis` become one, and are taken apart again."""
    size, (x, lengths) = all_batched(is_batched, args)
    seq, batch = attributes["seq_axis"], attributes["batch_axis"]
    rank = rank_of(x) - 1
    rest = [a for a in range(rank) if a != batch]
    shape = shape_of(x)[1:]
    front = permute(x, perm=(0, batch + 1, *(a + 1 for a in rest)))
    folded = reshape(front, shape=(size * shape[batch], *(shape[a] for a in rest)))
    lengths = reshape(lengths, shape=(size * shape[batch],))
    turned = reverse_sequence(folded, lengths, seq_axis=rest.index(seq) + 1, batch_axis=0)
    apart = reshape(turned, shape=(size, shape[batch], *(shape[a] for a in rest)))
    back = [0] * (rank + 1)
    for position, axis in enumerate([batch, *rest], 1):
        back[axis + 1] = position
    return permute(apart, perm=tuple(back))


@reverse_sequence.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, lengths, seq, batch in [
        ((2, 4), [2, 3], 1, 0), ((2, 4), [0, 4], 1, 0), ((4, 2), [1, 4], 0, 1), ((2, 3, 2), [3, 2], 1, 0), ((2, 3, 2), [1, 2], 2, 0),
        ((2, 3, 2), [2, 0, 1], 0, 1), ((3, 2, 4), [4, 3], 2, 1), ((1, 1), [1], 1, 0), ((0, 3), [], 1, 0), ((2, 0), [0, 0], 1, 0),
        ((2, 3, 1, 2), [2, 2], 1, 3), ((3, 5), [5, 5, 5], 1, 0),
    ]:  # fmt: skip
        yield Sample((draw(shape), np.array(lengths, np.int32)), {"seq_axis": seq, "batch_axis": batch})


@reverse_sequence.value
def _(input: Array, seq_lengths: Array, seq_axis: int, batch_axis: int) -> Any:
    result = np.array(input)
    for entry, length in enumerate(seq_lengths):
        key: list[Any] = [slice(None)] * result.ndim
        key[batch_axis], key[seq_axis] = entry, slice(0, length)
        axis = seq_axis - (batch_axis < seq_axis)
        result[tuple(key)] = np.flip(np.asarray(input)[tuple(key)], axis)
    return result


@reverse_sequence.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 4), np.float32)
    for lengths, seq, batch in [
        ([2, 5], 1, 0), ([2, -1], 1, 0), ([2], 1, 0), ([2, 2], 0, 0), ([2, 2], -1, 0), ([2, 2], 5, 0), ([2, 2], 1, 2), ([[2, 2]], 1, 0), (2, 1, 0),
        ([2, 2, 2], 0, 1), ([2**31 - 1, 0], 1, 0),
    ]:  # fmt: skip
        yield BadInput(
            "axes and lengths must fit",
            (x, np.array(lengths, np.int32)),
            {"seq_axis": seq, "batch_axis": batch},
        )
    yield BadInput("lengths are integers", (x, np.array([1.0, 2.0], np.float32)), {"seq_axis": 1})


# --- bitcast ---------------------------------------------------------------------------------------------------------


def _bitcast(input: Array, dtype: np.dtype[Any]) -> Array:
    if dtype not in NUMERIC:
        raise invalid(f"bitcast: the type must be a number, got {BY_NUMPY[dtype].name}.")
    shape = np.shape(input)
    array = np.ascontiguousarray(input)
    old, new = array.dtype.itemsize, dtype.itemsize
    if new <= old:
        parts: Array = array.reshape(-1, 1).view(dtype)
        return parts.reshape(shape if new == old else (*shape, old // new))
    if not shape or shape[-1] * old != new:
        raise invalid(
            f"bitcast: from {BY_NUMPY[array.dtype].name} to {BY_NUMPY[dtype].name} the last axis must have size {new // old}, "
            f"got shape {shape}."
        )
    whole: Array = array.view(dtype)
    return whole.reshape(shape[:-1])


@op(eager=_bitcast, dtypes=NUMERIC, gives=typed_by("dtype"))
def bitcast(xp: Namespace, input: Array, *, dtype: Any) -> Any:
    """The same bits read as another type; a size ratio other than one takes or adds a last axis."""
    return input.view(dtype)


@bitcast.shapes
def _(input: Abstract, *, dtype: Any) -> Shape:
    old, new = input.dtype.itemsize, np.dtype(dtype).itemsize
    if new > old:
        matched(input.shape[-1], new // old, "the last size and the ratio of the types,")
        return input.shape[:-1]
    return input.known if new == old else (*input.shape, old // new)


bitcast.not_differentiable("bits have no derivative", lookup_error=True)
bitcast.batched(batch_leading)


@bitcast.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, target in [
        ((), np.int64),
        ((3,), np.int64),
        ((2, 3), np.int32),
        ((2,), np.complex64),
        ((2, 2), np.complex128),
        ((0,), np.uint8),
    ]:
        yield Sample((draw(shape),), {"dtype": np.dtype(target)})


@bitcast.rejects
def _() -> Iterator[BadInput]:
    for shape in [(), (3,), (1,), (2, 3), (0,), (2, 1)]:
        yield BadInput(
            "elements must fill the larger type", (np.ones(shape, np.float32),), {"dtype": np.dtype(np.int64)}
        )
    for target in [np.bool_, np.object_]:
        yield BadInput(
            "truth values and strings have no bits to read",
            (np.ones(3, np.float32),),
            {"dtype": np.dtype(target)},
        )
    yield BadInput("truth values have no bits to read", (np.ones(3, bool),), {"dtype": np.dtype(np.uint8)})
    yield BadInput("strings have no bits to read", (np.array([b"a"], object),), {"dtype": np.dtype(np.uint8)})
