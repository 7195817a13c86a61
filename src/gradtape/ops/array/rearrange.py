"""Tensors repeated or turned along axes: reverse, roll, tile, and reverse_sequence, which turns each sequence by its own length."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import ANY, INDEX, Array
from ...base.errors import InvalidArgumentError, ResourceExhaustedError, invalid, unfit
from ...base.memory import check_room
from ...base.sizes import UNKNOWN, Size
from ...base.types import Axis, Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import all_batched, negative_axis, rank_of, shape_of
from ...op.shapes import along, axis_exists, like, natural, unknown_rest
from .layout import permute, reshape, sum_to_shape

_CHECKED_COPIES = 1 << 20  # with more, the result is checked against the machine's memory first


@op(dtypes=ANY, tf_name="ReverseV2", on_sizes=True, shape=along)
def reverse(xp: Namespace, tensor: Array, *, axis: object) -> Any:
    """The tensor with the order along the given axes turned round."""
    return xp.flip(tensor, axis=axis)


@reverse.vjp("tensor")
def _(g: Cotangent, axis: Axis) -> Any:
    return reverse(g, axis=axis)


reverse.linear("tensor")


@reverse.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return reverse(args[0], axis=negative_axis(attributes["axis"], rank_of(args[0]) - 1))


@reverse.checks
def _(tensor: Array, axis: tuple[int, ...]) -> None:
    outside = [a for a in axis if not -tensor.ndim <= a < tensor.ndim]
    if outside:
        raise invalid(
            f"reverse: axis {outside[0]} is out of valid range [{-tensor.ndim}, {tensor.ndim}) of the shape {tensor.shape}."
        )
    places = [a % tensor.ndim for a in axis]
    twice = next((a for a in places if places.count(a) > 1), None)
    raise invalid(f"reverse: axis {twice} specified more than once: {axis} of a tensor of shape {tensor.shape}.")


@reverse.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis in [
        ((3,), (0,)), ((2, 3), (1,)), ((2, 3), (0, 1)), ((2, 3), (-1,)), ((2, 3), ()), ((0,), (0,)), ((1, 2, 3), (0, 2)), ((1, 2, 3), (-2,)),
        ((), ()), ((4, 1), (0,)), ((2, 2), (1, 0)), ((5,), (-1,)),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"axis": axis})


@reverse.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axis in [(2,), (-3,), (0, 0), (1, -1), (9,), (0, 5), (2**40,), (-(2**40),), (0, 1, 2), (3, 0)]:
        yield BadInput("the axes must exist, once each", (x,), {"axis": axis})


@op(dtypes=ANY)
def roll(xp: Namespace, input: Array, *, shift: object, axis: Axis) -> Any:
    """The tensor moved cyclically along the given axes."""
    return xp.roll(input, shift, axis=axis)


@roll.shapes
def _(input: Abstract, *, shift: object, axis: object) -> Shape:
    if input.rank is not None:
        for a in axis if isinstance(axis, tuple) else (axis,):
            if not isinstance(a, Size):
                axis_exists(a, input.rank)
    return input.known


@roll.vjp("input")
def _(g: Cotangent, shift: Any, axis: Axis) -> Any:
    return roll(g, shift=tuple(-s for s in shift) if isinstance(shift, tuple) else -shift, axis=axis)


roll.linear("input")


@roll.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    axis = negative_axis(attributes["axis"], rank_of(args[0]) - 1)
    return roll(args[0], shift=attributes["shift"], axis=axis)


@roll.checks
def _(input: Array, shift: Array, axis: Axis) -> None:
    raise invalid(f"roll: shift {shift} and axis {axis} must be as many, and the axes exist in shape {input.shape}.")


@roll.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, shift, axis in [
        ((4,), 1, 0), ((4,), -1, 0), ((2, 3), 1, 1), ((2, 3), (1, 2), (0, 1)), ((2, 3), 7, -1), ((0,), 1, 0), ((2, 0), 1, 0), ((1, 2, 3), 2, 2),
        ((1, 2, 3), (1, 1), (1, -1)), ((3,), 0, 0), ((5,), 3, -1), ((2, 2), -5, 0),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"shift": shift, "axis": axis})


@roll.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for shift, axis in [
        (1, 2), (1, -3), ((1, 2), (0, 5)), ((1, 2, 3), (0, 1)), ((1,), (7,)), (1, 2**40), ((1, 1), (0, 9)), (1, -9), ((1, 2, 1), (1, 0)), (3, 3),
    ]:  # fmt: skip
        yield BadInput("the axes must exist, one shift each", (x,), {"shift": shift, "axis": axis})


@op(dtypes=ANY, on_sizes=True)
def tile(xp: Namespace, input: Array, *, multiples: tuple[int, ...]) -> Any:
    """The tensor repeated `multiples[i]` times along axis i.

    >>> import gradtape as tf
    >>> tf.tile([1, 2], [2])
    <tf.Tensor: shape=(4,), dtype=int32, numpy=array([1, 2, 1, 2], dtype=int32)>
    """
    if len(multiples) != input.ndim:
        raise ValueError("one multiple for each axis")
    if prod(multiples) > _CHECKED_COPIES:
        check_room("tile", [n * m for n, m in zip(input.shape, multiples, strict=True)], input.dtype)
    return xp.tile(input, multiples)


@tile.shapes
def _(input: Abstract, *, multiples: Any) -> Shape:
    if multiples is UNKNOWN:
        return unknown_rest(input.known)
    shape = input.of_rank(len(multiples))
    return tuple([size * natural(multiple) for size, multiple in zip(shape, multiples, strict=True)])


@tile.vjp("input")
def _(g: Cotangent, input_shape: tuple[int, ...], multiples: tuple[int, ...]) -> Any:
    pairs = [part for pair in zip(multiples, input_shape, strict=True) for part in pair]
    apart = reshape(g, shape=tuple(pairs))
    summed = sum_to_shape(apart, shape=tuple(1 if i % 2 == 0 else size for i, size in enumerate(pairs)))
    return reshape(summed, shape=input_shape)


tile.linear("input")


@tile.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return tile(args[0], multiples=(1, *attributes["multiples"]))


@tile.checks
def _(input: Array, multiples: tuple[int, ...]) -> None:
    raise invalid(
        f"tile: multiples must be {input.ndim} non-negative integers for a tensor of shape {input.shape}, "
        f"got {list(multiples)}."
    )


@tile.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, multiples in [
        ((3,), (2,)), ((2, 3), (1, 2)), ((2, 3), (3, 1)), ((), ()), ((2,), (0,)), ((0,), (3,)), ((1, 2, 3), (2, 1, 2)), ((2, 2), (2, 2)),
        ((1,), (5,)), ((2, 1), (1, 4)), ((3,), (1,)), ((2, 0), (2, 2)),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"multiples": multiples})


@tile.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for multiples in [
        (2,),
        (1, 1, 1),
        (-1, 1),
        (1, -2),
        (),
        (2**40, 2**40),
        (0, -1),
        (-(2**40), 1),
        (1, 2, 3, 4),
        (-1, -1),
    ]:
        yield BadInput(
            "one non-negative multiple for each axis",
            (x,),
            {"multiples": multiples},
            (InvalidArgumentError, ResourceExhaustedError),
        )


# --- reverse_sequence ------------------------------------------------------------------------------------------------


def _reverse_sequence(input: Array, seq_lengths: Array, seq_axis: int, batch_axis: int) -> Array:
    input, lengths = np.asarray(input), np.asarray(seq_lengths)
    for label, axis in (("seq_axis", seq_axis), ("batch_axis", batch_axis)):
        if not 0 <= axis < input.ndim:
            raise unfit(
                f"reverse_sequence: {label} {axis} does not exist in shape {input.shape} (0 counts from the front)."
            )
    if seq_axis == batch_axis:
        raise unfit(f"reverse_sequence: seq_axis and batch_axis must differ, both are {seq_axis}.")
    size = input.shape[seq_axis]
    if lengths.shape != (input.shape[batch_axis],):
        raise unfit(
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


reverse_sequence.linear("input")


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
