"""Blocks of space moved into the batch or the depth, and back: `space_to_batch`, `depth_to_space` and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import pad, reshape, transpose
from .errors import invalid
from .op import as_int
from .ops.borders import crop
from .tensor import to_tensor


def _block_and_borders(
    name: str, rank: int, block_shape: Any, borders: Any, label: str
) -> tuple[list[int], list[list[int]]]:
    sizes, table = np.asarray(to_tensor(block_shape)._array), np.asarray(to_tensor(borders)._array)
    if sizes.ndim != 1 or (sizes.size and sizes.dtype.kind not in "iu"):
        raise invalid(f"{name}: block_shape must be a vector of integers, got {sizes.tolist()}.")
    if rank < 1 + sizes.size:
        raise invalid(
            f"{name}: with block_shape {sizes.tolist()} the input needs at least {1 + sizes.size} axes, it has {rank}."
        )
    if sizes.size and sizes.min() < 1:
        raise invalid(f"{name}: all values in block_shape must be positive, got {sizes.tolist()}.")
    if table.shape != (sizes.size, 2) or (table.size and table.dtype.kind not in "iu"):
        raise invalid(f"{name}: {label} must be integers of shape ({sizes.size}, 2), got {table.tolist()}.")
    if table.size and table.min() < 0:
        raise invalid(f"{name}: {label} cannot be negative, got {table.tolist()}.")
    return sizes.tolist(), table.tolist()


def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    """Each block of the axes after the first, which is the batch, taken apart into entries of the batch.

    >>> import gradtape as tf
    >>> tf.space_to_batch([[1, 2, 3, 4]], [2], [[0, 0]]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    x = to_tensor(input)
    block, borders = _block_and_borders("space_to_batch", x.ndim, block_shape, paddings, "paddings")
    count = len(block)
    x = pad(x, [[0, 0], *borders, *[[0, 0]] * (x.ndim - 1 - count)])
    batch, *shape = tuple(x.shape)
    for axis, size in enumerate(block):
        if shape[axis] % size:
            raise invalid(
                f"space_to_batch: padded, axis {axis + 1} has size {shape[axis]}, which block size {size} does not divide."
            )
    rest = shape[count:]
    pairs = [part for axis, size in enumerate(block) for part in (shape[axis] // size, size)]
    apart = reshape(x, (batch, *pairs, *rest))
    inside, outside = [2 * k + 2 for k in range(count)], [2 * k + 1 for k in range(count)]
    moved = transpose(apart, [*inside, 0, *outside, *range(1 + 2 * count, apart.ndim)])
    return reshape(moved, (batch * int(np.prod(block, dtype=np.int64)), *pairs[::2], *rest))


def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    """Entries of the batch put together into blocks of the axes after it, then cropped: undoes `space_to_batch`.

    >>> import gradtape as tf
    >>> tf.batch_to_space([[1, 3], [2, 4]], [2], [[0, 0]]).numpy()
    array([[1, 2, 3, 4]], dtype=int32)
    """
    x = to_tensor(input)
    block_shape = to_tensor(block_shape)
    if not block_shape.ndim:  # one number stands for every row of crops
        block_shape = to_tensor([as_int(block_shape)] * (to_tensor(crops).shape[0] or 0))
    block, borders = _block_and_borders("batch_to_space", x.ndim, block_shape, crops, "crops")
    count, (batch, *shape) = len(block), tuple(x.shape)
    product = int(np.prod(block, dtype=object))
    if batch % product:
        raise invalid(
            f"batch_to_space: the batch of {batch} cannot be divided by the product {product} of block_shape {block}."
        )
    for axis, size in enumerate(block):
        if sum(borders[axis]) > shape[axis] * size:
            raise invalid(
                f"batch_to_space: crops {borders[axis]} are more than the size {shape[axis] * size} of axis {axis + 1}."
            )
    rest = shape[count:]
    apart = reshape(x, (*block, batch // product, *shape))
    order = [
        count,
        *(part for axis in range(count) for part in (count + 1 + axis, axis)),
        *range(2 * count + 1, apart.ndim),
    ]
    whole = [shape[axis] * size for axis, size in enumerate(block)]
    joined = reshape(transpose(apart, order), (batch // product, *whole, *rest))
    return crop.public(joined, ((0, 0), *((before, after) for before, after in borders), *((0, 0),) * len(rest)))


def _image_axes(name: str, rank: int, data_format: str, block_size: Any) -> tuple[int, bool]:
    size = as_int(block_size)
    if size < 2:
        raise invalid(f"{name}: block_size must be at least 2, got {size}.")
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(f"{name}: data_format must be NHWC or NCHW, got {data_format!r}.")
    if rank != 4:
        raise invalid(f"{name}: images have 4 axes, got {rank}.")
    return size, data_format == "NCHW"


def depth_to_space(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Channels laid out as blocks of `block_size` by `block_size` pixels.

    >>> import gradtape as tf
    >>> tf.nn.depth_to_space(tf.reshape(tf.range(4), [1, 1, 1, 4]), 2)[0, :, :, 0].numpy()
    array([[0, 1],
           [2, 3]], dtype=int32)
    """
    x = to_tensor(input)
    size, channels_first = _image_axes("depth_to_space", x.ndim, data_format, block_size)
    if channels_first:
        return transpose(depth_to_space(transpose(x, [0, 2, 3, 1]), size), [0, 3, 1, 2])
    batch, height, width, depth = tuple(x.shape)
    if depth % (size * size):
        raise invalid(
            f"depth_to_space: the depth {depth} cannot be divided by block_size * block_size = {size * size}."
        )
    apart = transpose(reshape(x, (batch, height, width, size, size, depth // size**2)), [0, 1, 3, 2, 4, 5])
    return reshape(apart, (batch, height * size, width * size, depth // size**2))


def space_to_depth(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Blocks of `block_size` by `block_size` pixels laid out as channels: undoes `depth_to_space`."""
    x = to_tensor(input)
    size, channels_first = _image_axes("space_to_depth", x.ndim, data_format, block_size)
    if channels_first:
        return transpose(space_to_depth(transpose(x, [0, 2, 3, 1]), size), [0, 3, 1, 2])
    batch, height, width, depth = tuple(x.shape)
    if height % size or width % size:
        raise invalid(f"space_to_depth: height {height} and width {width} must be divisible by block_size {size}.")
    apart = transpose(reshape(x, (batch, height // size, size, width // size, size, depth)), [0, 1, 3, 2, 4, 5])
    return reshape(apart, (batch, height // size, width // size, size * size * depth))
