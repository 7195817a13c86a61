"""Blocks of space moved into the batch or the channels, and back: space_to_batch, space_to_depth and their inverses.

All are linear and move elements only. Each is the transpose of its inverse: of `space_to_batch_nd` that is
`batch_to_space_nd` with the paddings cropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import ANY, Array
from ...base.errors import invalid
from ...base.sizes import product
from ...base.types import Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import rank_of, shape_of
from ...op.shapes import divided
from .borders import Pairs
from .layout import permute, reshape

# --- space and batch ----------------------------------------------------------------------------------------


def _check_blocks(name: str, shape: tuple[int, ...], block_shape: tuple[int, ...], borders: Pairs, label: str) -> None:
    count = len(block_shape)
    if len(shape) < 1 + count:
        raise invalid(
            f"{name}: with block_shape {list(block_shape)} the input needs at least {1 + count} axes, it has {len(shape)}."
        )
    if any(size < 1 for size in block_shape):
        raise invalid(f"{name}: all values in block_shape must be positive, got {list(block_shape)}.")
    if len(borders) != count or any(len(pair) != 2 or min(pair) < 0 for pair in borders):
        raise invalid(f"{name}: {label} must be {count} pairs of sizes that are not negative, got {list(borders)}.")


def _space_to_batch(xp: Namespace, input: Array, block_shape: tuple[int, ...], paddings: Pairs) -> Any:
    _check_blocks("space_to_batch", input.shape, block_shape, paddings, "paddings")
    count = len(block_shape)
    padded = input
    if any(any(pair) for pair in paddings):
        fill = {"constant_values": b""} if input.dtype == object else {}
        padded = xp.pad(input, ((0, 0), *paddings, *((0, 0),) * (input.ndim - 1 - count)), **fill)
    batch, *shape = padded.shape
    for axis, size in enumerate(block_shape):
        if shape[axis] % size:
            raise invalid(
                f"space_to_batch: padded, axis {axis + 1} has size {shape[axis]}, which block size {size} does not divide."
            )
    pairs = [part for axis, size in enumerate(block_shape) for part in (shape[axis] // size, size)]
    apart = padded.reshape(batch, *pairs, *shape[count:])
    inside, outside = (range(2, 2 + 2 * count, 2), range(1, 1 + 2 * count, 2))
    moved = apart.transpose(*inside, 0, *outside, *range(1 + 2 * count, apart.ndim))
    return moved.reshape(batch * prod(block_shape), *pairs[::2], *shape[count:])


def _space_to_batch_eager(input: Array, block_shape: tuple[int, ...], paddings: Pairs) -> Array:
    return _space_to_batch(np, input, block_shape, paddings)


@op(eager=_space_to_batch_eager, dtypes=ANY, tf_name="SpaceToBatchND")
def space_to_batch_nd(xp: Namespace, input: Array, *, block_shape: tuple[int, ...], paddings: Pairs) -> Any:
    """Each block of the axes after the first taken apart into entries of the first, the batch."""
    return _space_to_batch(xp, input, block_shape, paddings)


@space_to_batch_nd.shapes
def _(input: Abstract, *, block_shape: Any, paddings: Any) -> Shape:
    batch, *sizes = input.shape
    count = len(block_shape)
    if count > len(sizes):
        raise ValueError(f"{count} blocks for {len(sizes)} axes")
    shape = list(sizes)
    for axis, (block, pair) in enumerate(zip(block_shape, paddings, strict=True)):
        shape[axis] = divided(sizes[axis] + sum(pair), block)
    return (batch * product(block_shape), *shape)


@space_to_batch_nd.vjp("input")
def _(g: Cotangent, block_shape: tuple[int, ...], paddings: Pairs) -> Any:
    return batch_to_space_nd(g, block_shape=block_shape, crops=paddings)


def _batch_to_space(xp: Namespace, input: Array, block_shape: tuple[int, ...], crops: Pairs) -> Any:
    _check_blocks("batch_to_space", input.shape, block_shape, crops, "crops")
    count, (batch, *shape) = len(block_shape), input.shape
    product = prod(block_shape)
    if batch % product:
        raise invalid(
            f"batch_to_space: the batch of {batch} cannot be divided by the product {product} of block_shape "
            f"{list(block_shape)}."
        )
    whole = [shape[axis] * size for axis, size in enumerate(block_shape)]
    for axis, (pair, size) in enumerate(zip(crops, whole, strict=True)):
        if sum(pair) > size:
            raise invalid(f"batch_to_space: crops {list(pair)} are more than the size {size} of axis {axis + 1}.")
    apart = input.reshape(*block_shape, batch // product, *shape)
    order = [count, *(part for axis in range(count) for part in (count + 1 + axis, axis))]
    joined = apart.transpose(*order, *range(2 * count + 1, apart.ndim))
    joined = joined.reshape(batch // product, *whole, *shape[count:])
    return joined[(slice(None), *(slice(low, size - high) for (low, high), size in zip(crops, whole, strict=True)))]


def _batch_to_space_eager(input: Array, block_shape: tuple[int, ...], crops: Pairs) -> Array:
    return _batch_to_space(np, input, block_shape, crops)


@op(eager=_batch_to_space_eager, dtypes=ANY, tf_name="BatchToSpaceND")
def batch_to_space_nd(xp: Namespace, input: Array, *, block_shape: tuple[int, ...], crops: Pairs) -> Any:
    """Entries of the batch put together into blocks of the axes after it, then cropped."""
    return _batch_to_space(xp, input, block_shape, crops)


@batch_to_space_nd.shapes
def _(input: Abstract, *, block_shape: Any, crops: Any) -> Shape:
    batch, *sizes = input.shape
    if len(block_shape) > len(sizes):
        raise ValueError(f"{len(block_shape)} blocks for {len(sizes)} axes")
    shape = list(sizes)
    for axis, (block, pair) in enumerate(zip(block_shape, crops, strict=True)):
        shape[axis] = sizes[axis] * block - sum(pair)
    return (divided(batch, product(block_shape)), *shape)


@batch_to_space_nd.vjp("input")
def _(g: Cotangent, block_shape: tuple[int, ...], crops: Pairs) -> Any:
    return space_to_batch_nd(g, block_shape=block_shape, paddings=crops)


def _hidden_axis_last(
    declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]
) -> Any:
    """The axes after the blocks stay as they are: the hidden axis can be one of them."""
    (x,) = args
    rank = rank_of(x)
    result = declared(permute(x, perm=(*range(1, rank), 0)), **attributes)
    return permute(result, perm=(rank - 1, *range(rank - 1)))


for _op in (space_to_batch_nd, batch_to_space_nd):
    _op.linear("input")
    _op.batching = _hidden_axis_last


@space_to_batch_nd.samples
def _(draw: Draw) -> Iterator[Sample]:
    cases: list[tuple[tuple[int, ...], tuple[int, ...], Pairs]] = [
        ((1, 4), (2,), ((0, 0),)), ((2, 4, 6), (2, 3), ((0, 0), (0, 0))), ((1, 3, 4, 2), (2, 2), ((1, 0), (0, 0))), ((1, 4, 3), (2,), ((0, 0),)),
        ((2, 2), (1,), ((0, 0),)), ((1, 5), (3,), ((0, 1),)), ((0, 4), (2,), ((0, 0),)), ((1, 2, 2, 1), (2, 2), ((0, 0), (0, 0))), ((3,), (), ()),
        ((1, 2, 2, 2), (2, 1, 2), ((0, 0), (1, 0), (0, 0))), ((1, 1), (4,), ((1, 2),)), ((2, 3, 2), (1, 2), ((0, 2), (1, 1))),
    ]  # fmt: skip
    for shape, block, paddings in cases:
        yield Sample((draw(shape),), {"block_shape": block, "paddings": paddings})


@batch_to_space_nd.samples
def _(draw: Draw) -> Iterator[Sample]:
    cases: list[tuple[tuple[int, ...], tuple[int, ...], Pairs]] = [
        ((2, 3), (2,), ((0, 0),)), ((4, 1, 2), (2, 2), ((0, 0), (0, 0))), ((8, 2, 2, 3), (2, 2), ((1, 0), (0, 1))), ((2, 3, 2), (2,), ((1, 1),)),
        ((2, 2), (1,), ((0, 0),)), ((3, 2), (3,), ((0, 2),)), ((0, 2), (2,), ((0, 0),)), ((4, 1, 1, 1), (2, 2), ((0, 0), (0, 0))), ((3,), (), ()),
        ((4, 2, 2, 2), (2, 1, 2), ((0, 0), (1, 0), (0, 0))), ((4, 1), (4,), ((1, 2),)), ((2, 3, 2), (1, 2), ((0, 2), (1, 1))),
    ]  # fmt: skip
    for shape, block, crops in cases:
        yield Sample((draw(shape),), {"block_shape": block, "crops": crops})


@space_to_batch_nd.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 4, 3), np.float32)
    cases: list[tuple[tuple[int, ...], Any]] = [
        ((3,), ((0, 0),)), ((2, 2), ((0, 0), (0, 0))), ((0,), ((0, 0),)), ((-2,), ((0, 0),)), ((2,), ((-1, 1),)), ((2,), ()),
        ((2, 1, 1), ((0, 0),) * 3), ((2,), ((0, 0), (0, 0))),
    ]  # fmt: skip
    for block, paddings in cases:
        yield BadInput("blocks that divide the padded sizes", (x,), {"block_shape": block, "paddings": paddings})


@batch_to_space_nd.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((4, 2, 3), np.float32)
    cases: list[tuple[tuple[int, ...], Any]] = [
        ((3,), ((0, 0),)), ((2,), ((5, 0),)), ((0,), ((0, 0),)), ((-2,), ((0, 0),)), ((2,), ((-1, 1),)), ((2,), ()),
        ((2, 1, 1), ((0, 0),) * 3), ((2, 4), ((0, 0), (0, 0))),
    ]  # fmt: skip
    for block, crops in cases:
        yield BadInput("blocks that divide the batch", (x,), {"block_shape": block, "crops": crops})


# --- space and depth ----------------------------------------------------------------------------------------


def _check_image(name: str, shape: tuple[int, ...], block_size: int) -> None:
    if block_size < 2:
        raise invalid(f"{name}: block_size must be at least 2, got {block_size}.")
    if len(shape) != 4:
        raise invalid(f"{name}: images have 4 axes, got shape {shape}.")


def _depth_to_space(input: Array, block_size: int) -> Any:
    _check_image("depth_to_space", input.shape, block_size)
    batch, height, width, depth = input.shape
    if depth % (block_size * block_size):
        raise invalid(
            f"depth_to_space: the depth {depth} cannot be divided by block_size * block_size = {block_size**2}."
        )
    rest = depth // block_size**2
    apart = input.reshape(batch, height, width, block_size, block_size, rest).transpose(0, 1, 3, 2, 4, 5)
    return apart.reshape(batch, height * block_size, width * block_size, rest)


@op(eager=_depth_to_space, dtypes=ANY)
def depth_to_space(xp: Namespace, input: Array, *, block_size: int) -> Any:
    """Channels laid out as blocks of `block_size` by `block_size` pixels."""
    return _depth_to_space(input, block_size)


@depth_to_space.shapes
def _(input: Abstract, *, block_size: Any) -> Shape:
    batch, height, width, depth = input.of_rank(4)
    return (batch, height * block_size, width * block_size, divided(depth, block_size * block_size))


@depth_to_space.vjp("input")
def _(g: Cotangent, block_size: int) -> Any:
    return space_to_depth(g, block_size=block_size)


def _space_to_depth(input: Array, block_size: int) -> Any:
    _check_image("space_to_depth", input.shape, block_size)
    batch, height, width, depth = input.shape
    if height % block_size or width % block_size:
        raise invalid(
            f"space_to_depth: height {height} and width {width} must be divisible by block_size {block_size}."
        )
    rows, columns = height // block_size, width // block_size
    apart = input.reshape(batch, rows, block_size, columns, block_size, depth).transpose(0, 1, 3, 2, 4, 5)
    return apart.reshape(batch, rows, columns, block_size * block_size * depth)


@op(eager=_space_to_depth, dtypes=ANY)
def space_to_depth(xp: Namespace, input: Array, *, block_size: int) -> Any:
    """Blocks of `block_size` by `block_size` pixels laid out as channels."""
    return _space_to_depth(input, block_size)


@space_to_depth.shapes
def _(input: Abstract, *, block_size: Any) -> Shape:
    batch, height, width, depth = input.of_rank(4)
    return (batch, divided(height, block_size), divided(width, block_size), depth * block_size * block_size)


@space_to_depth.vjp("input")
def _(g: Cotangent, block_size: int) -> Any:
    return depth_to_space(g, block_size=block_size)


def _into_batch(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    size, batch, *rest = shape_of(args[0])
    result = declared(reshape(args[0], shape=(size * batch, *rest)), **attributes)
    return reshape(result, shape=(size, batch, *shape_of(result)[1:]))


for _op in (depth_to_space, space_to_depth):
    _op.linear("input")
    _op.batching = _into_batch


_IMAGES = [
    (1, 1, 1, 2), (1, 2, 2, 1), (2, 1, 1, 2), (2, 2, 1, 3), (1, 1, 3, 1), (0, 1, 1, 2), (3, 2, 1, 1), (1, 3, 2, 2), (2, 1, 2, 1), (1, 1, 1, 1),
    (1, 2, 3, 1), (2, 2, 2, 2),
]  # fmt: skip


@depth_to_space.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, (batch, height, width, depth) in enumerate(_IMAGES):
        size = 2 + number % 2
        yield Sample((draw((batch, height, width, depth * size * size)),), {"block_size": size})


@space_to_depth.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, (batch, height, width, depth) in enumerate(_IMAGES):
        size = 2 + number % 2
        yield Sample((draw((batch, height * size, width * size, depth)),), {"block_size": size})


@depth_to_space.value
def _(input: Array, block_size: int) -> Any:
    batch, height, width, depth = input.shape
    rest = depth // block_size**2
    result = np.empty((batch, height * block_size, width * block_size, rest), input.dtype)
    for row in range(block_size):
        for column in range(block_size):
            first = (row * block_size + column) * rest
            result[:, row::block_size, column::block_size] = input[..., first : first + rest]
    return result


@space_to_depth.value
def _(input: Array, block_size: int) -> Any:
    parts = [input[:, row::block_size, column::block_size] for row in range(block_size) for column in range(block_size)]
    return np.concatenate(parts, axis=-1)


@depth_to_space.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((1, 2, 2, 4), np.float32)
    for size in (1, 0, -2, 3):
        yield BadInput("a block that the depth has", (x,), {"block_size": size})
    for shape in ((4,), (2, 2, 4), (1, 1, 2, 2, 4), ()):
        yield BadInput("four axes", (np.ones(shape, np.float32),), {"block_size": 2})


@space_to_depth.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((1, 2, 4, 1), np.float32)
    for size in (1, 0, -2, 3, 4):
        yield BadInput("a block that divides height and width", (x,), {"block_size": size})
    for shape in ((4,), (2, 2, 4), (1, 1, 2, 2, 4), ()):
        yield BadInput("four axes", (np.ones(shape, np.float32),), {"block_size": 2})
