"""Ops that add or take away around a tensor, repeat it, or turn it along an axis: pad, crop, reverse, roll, tile."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import ANY, Array
from ...base.errors import InvalidArgumentError, ResourceExhaustedError, invalid
from ...base.memory import check_room
from ...base.sizes import UNKNOWN
from ...base.types import Axis, Cotangent, Draw, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ..family import negative_axis, rank_of
from ..shapes import along, axis_exists, natural, padded_sizes, unknown_rest
from .layout import reshape, sum_to_shape

_MANY = 1 << 20  # copies: with more, the free memory is checked first


@op(dtypes=ANY, tf_name="Pad")
def pad_constant(
    xp: Namespace, tensor: Array, *, paddings: tuple[tuple[int, int], ...], constant_values: Any = 0
) -> Any:
    """The tensor with a border of one value."""
    if len(paddings) != tensor.ndim or any(len(pair) != 2 for pair in paddings):
        raise ValueError("one pair for each axis")
    if not paddings:
        return tensor
    return xp.pad(tensor, paddings, mode="constant", constant_values=constant_values)


@pad_constant.shapes
def _(tensor: Abstract, *, paddings: Any, **_: object) -> Shape:
    return padded_sizes(tensor, paddings)


@pad_constant.vjp("tensor")
def _(g: Cotangent, paddings: tuple[tuple[int, int], ...]) -> Any:
    return crop(g, paddings=paddings)


@pad_constant.jvp("tensor")
def _(t: Tangent, paddings: tuple[tuple[int, int], ...]) -> Any:
    return pad_constant(t, paddings=paddings)


@pad_constant.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return pad_constant(args[0], **{**attributes, "paddings": ((0, 0), *attributes["paddings"])})


@pad_constant.checks
def _(tensor: Array, paddings: Array, constant_values: Array) -> None:
    raise invalid(
        f"pad: paddings must be {tensor.ndim} pairs of non-negative integers for a tensor of shape {tensor.shape}, "
        f"got {[list(p) for p in paddings]}."
    )


@pad_constant.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, paddings in [
        ((3,), ((1, 2),)), ((2, 3), ((0, 0), (1, 1))), ((2, 3), ((2, 1), (0, 3))), ((), ()), ((0,), ((1, 1),)), ((2, 0), ((0, 1), (2, 0))),
        ((1, 2, 3), ((1, 0), (0, 1), (2, 2))), ((1,), ((0, 0),)), ((2, 2), ((1, 1), (1, 1))), ((4,), ((0, 5),)), ((3, 1), ((1, 0), (0, 0))),
        ((2,), ((3, 0),)),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"paddings": paddings})
    yield Sample((draw((2, 2)),), {"paddings": ((1, 0), (0, 1)), "constant_values": 7})


@pad_constant.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for paddings in [
        ((1, 1),), ((1, 1), (1, 1), (1, 1)), ((-1, 0), (0, 0)), ((0, 0), (0, -5)), (), ((1,), (1,)), ((1, 1, 1), (1, 1, 1)),
        ((0, 2**60), (0, 2**60)), ((-(2**40), 0), (0, 0)), ((1, 1), (1,)),
    ]:  # fmt: skip
        yield BadInput(
            "one pair of non-negative sizes for each axis",
            (x,),
            {"paddings": paddings},
            (InvalidArgumentError, ResourceExhaustedError),
        )


@op(dtypes=ANY)
def crop(xp: Namespace, tensor: Array, *, paddings: tuple[tuple[int, int], ...]) -> Any:
    """The tensor without its border: the transpose of padding with zeros."""
    if any(min(pair) < 0 or sum(pair) > size for pair, size in zip(paddings, tensor.shape, strict=True)):
        raise ValueError("more is cut off than there is")
    return tensor[
        tuple(slice(before, size - after) for (before, after), size in zip(paddings, tensor.shape, strict=True))
    ]


@crop.shapes
def _(tensor: Abstract, *, paddings: Any) -> Shape:
    return padded_sizes(tensor, paddings, -1)


@crop.vjp("tensor")
def _(g: Cotangent, paddings: tuple[tuple[int, int], ...]) -> Any:
    return pad_constant(g, paddings=paddings)


crop.linear("tensor")


@crop.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return crop(args[0], paddings=((0, 0), *attributes["paddings"]))


@crop.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, paddings in [
        ((4,), ((1, 2),)), ((2, 3), ((0, 0), (1, 1))), ((4, 3), ((2, 1), (0, 3))), ((), ()), ((2,), ((1, 1),)), ((2, 3), ((0, 1), (2, 0))),
        ((2, 2, 4), ((1, 0), (0, 1), (2, 2))), ((1,), ((0, 0),)), ((3, 3), ((1, 1), (1, 1))), ((5,), ((0, 5),)), ((3, 1), ((1, 0), (0, 0))),
        ((4,), ((3, 0),)),
    ]:  # fmt: skip
        yield Sample((draw(shape),), {"paddings": paddings})


@crop.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for paddings in [
        ((1, 1),),
        ((3, 0), (0, 0)),
        ((1, 2), (0, 0)),
        ((-1, 0), (0, 0)),
        ((0, 0), (0, -2)),
        ((0, 0), (4, 4)),
    ]:
        yield BadInput("no more can be cut off than there is", (x,), {"paddings": paddings})


@op(dtypes=ANY, tf_name="ReverseV2", on_sizes=True, shape=along)
def reverse(xp: Namespace, tensor: Array, *, axis: Any) -> Any:
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
def _(tensor: Array, axis: Axis) -> None:
    raise invalid(f"reverse: axis {axis} must name different axes of a tensor of shape {tensor.shape}.")


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
def roll(xp: Namespace, input: Array, *, shift: Any, axis: Axis) -> Any:
    """The tensor moved cyclically along the given axes."""
    return xp.roll(input, shift, axis=axis)


@roll.shapes
def _(input: Abstract, *, shift: Any, axis: Any) -> Shape:
    if input.rank is not None:
        for a in axis if isinstance(axis, tuple) else (axis,):
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
    if prod(multiples) > _MANY:
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
