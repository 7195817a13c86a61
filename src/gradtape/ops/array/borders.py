"""Borders: constants (pad_constant) or mirrored elements (mirror_pad) added around a tensor, and taken away (crop).

Each is linear. The transpose of `mirror_pad` adds the borders up where they came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import ANY, NUMERIC, Array
from ...base.errors import InvalidArgumentError, ResourceExhaustedError, invalid
from ...base.types import Cotangent, Draw, Jax, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.shapes import padded_sizes
from .layout import of_shape

Pairs = tuple[tuple[int, int], ...]


@op(dtypes=ANY, tf_name="Pad", called="pad")
def pad_constant(
    xp: Namespace, tensor: Array, *, paddings: tuple[tuple[int, int], ...], constant_values: object = 0
) -> Any:
    """The tensor with a border of one value."""
    if len(paddings) != tensor.ndim or any(len(pair) != 2 for pair in paddings):
        raise ValueError("one pair for each axis")
    if not paddings:
        return tensor
    return xp.pad(tensor, paddings, mode="constant", constant_values=constant_values)


@pad_constant.shapes
def _(tensor: Abstract, *, paddings: object, **_: object) -> Shape:
    return padded_sizes(tensor, paddings)


@pad_constant.vjp("tensor")
def _(g: Cotangent, tensor_shape: tuple[int, ...], paddings: tuple[tuple[int, int], ...]) -> Any:
    return of_shape(crop(g, paddings=paddings), tensor_shape, paddings)


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
def _(tensor: Abstract, *, paddings: object) -> Shape:
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


# --- borders that mirror ------------------------------------------------------------------------------------


def _check_mirror(shape: tuple[int, ...], paddings: Pairs, mode: str) -> None:
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise invalid(f"pad: mode must be REFLECT or SYMMETRIC, got {mode!r}.")
    if len(paddings) != len(shape) or any(len(pair) != 2 or min(pair) < 0 for pair in paddings):
        raise invalid(f"pad: paddings must be {len(shape)} pairs of sizes that are not negative, got {list(paddings)}.")
    for axis, (length, pair) in enumerate(zip(shape, paddings, strict=True)):
        allowed = length - 1 if mode == "REFLECT" else length
        if any(pair) and max(pair) > allowed:
            raise invalid(
                f"pad: with {mode} at most {allowed} can be added to axis {axis} of size {length}, "
                f"got {pair[0]} and {pair[1]}."
            )


def _mirror_pad(input: Array, paddings: Pairs, mode: str = "REFLECT") -> Array:
    _check_mirror(input.shape, paddings, mode)
    return np.pad(input, paddings, mode="reflect" if mode == "REFLECT" else "symmetric") if input.ndim else input


@op(eager=_mirror_pad, dtypes=ANY, called="pad")
def mirror_pad(xp: Namespace, input: Array, *, paddings: Pairs, mode: str = "REFLECT") -> Any:
    """The tensor with borders that mirror it, with (SYMMETRIC) or without (REFLECT) the edge itself."""
    return xp.pad(input, paddings, mode=mode.lower()) if input.ndim else input


@mirror_pad.shapes
def _(input: Abstract, *, paddings: object, mode: object) -> Shape:
    return padded_sizes(input, paddings)


@mirror_pad.vjp("input")
def _(g: Cotangent, input_shape: tuple[int, ...], paddings: Pairs, mode: str) -> Any:
    return of_shape(mirror_pad_grad(g, paddings=paddings, mode=mode), input_shape, paddings)


def _mirror_pad_grad(input: Array, paddings: Pairs, mode: str = "REFLECT") -> Array:
    sizes = tuple(size - sum(pair) for size, pair in zip(input.shape, paddings, strict=False))
    if any(size < 0 for size in sizes):
        raise invalid(f"mirror_pad_grad: paddings {list(paddings)} are more than there is in shape {input.shape}.")
    _check_mirror(sizes if len(sizes) == input.ndim else input.shape, paddings, mode)
    skip = 1 if mode == "REFLECT" else 0
    result = input
    for axis, (before, after) in enumerate(paddings):
        if not before and not after:
            continue
        line = np.moveaxis(result, axis, 0)
        size = len(line) - before - after
        core = line[before : before + size].copy()
        core[skip : skip + before] += line[:before][::-1]
        core[size - skip - after : size - skip] += line[before + size :][::-1]
        result = np.moveaxis(core, 0, axis)
    return np.ascontiguousarray(result).reshape(result.shape)


@op(eager=_mirror_pad_grad, dtypes=NUMERIC)
def mirror_pad_grad(xp: Namespace, input: Array, *, paddings: Pairs, mode: str = "REFLECT") -> Any:
    """Mirrored borders added to what they mirror: the transpose of `mirror_pad`."""
    return _mirror_pad_grad(input, paddings, mode)


@mirror_pad_grad.xla
def _(jax: Jax, input: Array, *, paddings: Pairs, mode: str) -> Any:
    sizes = tuple(size - sum(pair) for size, pair in zip(input.shape, paddings, strict=True))
    pad = partial(mirror_pad.kernel, jax.numpy, paddings=paddings, mode=mode)
    return jax.linear_transpose(pad, jax.ShapeDtypeStruct(sizes, input.dtype))(input)[0]


@mirror_pad_grad.shapes
def _(input: Abstract, *, paddings: object, mode: object) -> Shape:
    return padded_sizes(input, paddings, -1)


@mirror_pad_grad.vjp("input")
def _(g: Cotangent, paddings: Pairs, mode: str) -> Any:
    return mirror_pad(g, paddings=paddings, mode=mode)


def _batch_borders(
    declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]
) -> Any:
    return declared(args[0], **{**attributes, "paddings": ((0, 0), *attributes["paddings"])})


_MIRRORED: list[tuple[tuple[int, ...], Pairs, str]] = [
    ((3,), ((1, 2),), "REFLECT"), ((3,), ((3, 3),), "SYMMETRIC"), ((2, 3), ((1, 0), (0, 2)), "REFLECT"), ((2, 3), ((2, 1), (1, 1)), "SYMMETRIC"),
    ((), (), "REFLECT"), ((0,), ((0, 0),), "SYMMETRIC"), ((1, 2), ((0, 0), (1, 1)), "REFLECT"), ((1, 2), ((1, 1), (0, 2)), "SYMMETRIC"),
    ((2, 2, 3), ((1, 1), (1, 1), (2, 2)), "REFLECT"), ((2, 1, 2), ((0, 1), (1, 0), (2, 2)), "SYMMETRIC"), ((5,), ((0, 4),), "REFLECT"),
    ((4,), ((0, 0),), "REFLECT"),
]  # fmt: skip


@mirror_pad.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, paddings, mode in _MIRRORED:
        yield Sample((draw(shape),), {"paddings": paddings, "mode": mode})


@mirror_pad_grad.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, paddings, mode in _MIRRORED:
        padded = tuple(size + sum(pair) for size, pair in zip(shape, paddings, strict=True))
        yield Sample((draw(padded),), {"paddings": paddings, "mode": mode})


@mirror_pad_grad.value
def _(input: Array, paddings: Array, mode: str) -> Any:
    sizes = tuple(size - sum(pair) for size, pair in zip(input.shape, paddings, strict=True))
    places = np.arange(prod(sizes)).reshape(sizes)
    padded = np.pad(places, paddings, mode=mode.lower()) if sizes else places  # type: ignore[call-overload]
    return np.bincount(np.ravel(padded), np.ravel(input), prod(sizes)).reshape(sizes)


def _reject_borders(declared: Op, shape: tuple[int, ...]) -> None:
    @declared.rejects
    def _() -> Iterator[BadInput]:
        x = np.ones(shape, np.float32)
        cases: list[tuple[Any, str]] = [
            (((9, 0), (0, 0)), "REFLECT"), (((0, 0), (9, 9)), "SYMMETRIC"), (((-1, 0), (0, 0)), "REFLECT"), (((0, 0),), "REFLECT"),
            (((0, 0),) * 3, "SYMMETRIC"), (((0, 0), (0, 0)), "CONSTANT"),
        ]  # fmt: skip
        for paddings, mode in cases:
            yield BadInput("borders that there is something to mirror for", (x,), {"paddings": paddings, "mode": mode})


for _op in (mirror_pad, mirror_pad_grad):
    _op.linear("input")
    _op.batching = _batch_borders
    _reject_borders(_op, (2, 3))
