"""Blocks of space moved into the batch or the depth, and back: `space_to_batch`, `depth_to_space` and their inverses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import invalid
from ..base.sizes import UNKNOWN, is_known
from ..base.traceable import shaped, trace_public
from ..base.types import IntLike, TensorLike
from ..math import floormod
from ..op.abstract import Abstract
from ..op.arguments import takes, text
from ..op.attributes import as_int
from ..op.shapes import divided, unknown_rest
from ..ops.array import blocks as o
from ..trace.abstract_tensor import abstract_of
from ..values.tensor import Tensor, to_tensor
from .arrays import zeros_like
from .known_shapes import of_shape
from .layout import stack, transpose


def _block_and_borders(
    name: str, rank: int, block_shape: TensorLike, borders: TensorLike, label: str
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
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
    return tuple(sizes.tolist()), tuple((before, after) for before, after in table.tolist())


def _numbers(value: TensorLike) -> Any:
    """The elements of a tensor, where they are known."""
    known = abstract_of(to_tensor(value)).value
    return UNKNOWN if known is None or not is_known(known.reshape(-1).tolist()) else known.tolist()


def _taken_apart_look(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Abstract:
    x, block, borders = abstract_of(to_tensor(input)), _numbers(block_shape), _numbers(paddings)
    if x.known is None or not isinstance(block, list):
        return Abstract(unknown_rest(x.known), x.dtype)
    batch, *sizes = x.known[: 1 + len(block)]
    if borders is UNKNOWN:
        sizes = [UNKNOWN] * len(block)
    else:
        pairs = zip(sizes, borders, block, strict=True)
        sizes = [divided(size + before + after, by) for size, (before, after), by in pairs]
    return Abstract((batch * math.prod(block), *sizes, *x.known[1 + len(block) :]), x.dtype)


def _put_together_look(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Abstract:
    x, block, borders = abstract_of(to_tensor(input)), _numbers(block_shape), _numbers(crops)
    if x.known is None or not isinstance(block, list):
        return Abstract(unknown_rest(x.known), x.dtype)
    batch, *sizes = x.known[: 1 + len(block)]
    if borders is UNKNOWN:
        sizes = [UNKNOWN] * len(block)
    else:
        pairs = zip(sizes, borders, block, strict=True)
        sizes = [size * by - before - after for size, (before, after), by in pairs]
    return Abstract((divided(batch, math.prod(block)), *sizes, *x.known[1 + len(block) :]), x.dtype)


@shaped(_taken_apart_look)
def space_to_batch(input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None) -> Tensor:
    """Each block of the axes after the first, which is the batch, taken apart into entries of the batch.

    >>> import gradtape as tf
    >>> tf.space_to_batch([[1, 2, 3, 4]], [2], [[0, 0]]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)

    Args:
        input: A tensor; the first axis is the batch.
        block_shape: The size of a block, one number for each axis that is taken apart.
        paddings: For each of these axes, how many zeros to add before and after.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with a batch that is larger by the number of elements of a block.

    Raises:
        tf.errors.InvalidArgumentError: The blocks do not fill the padded axes.
    """
    x = to_tensor(input)
    block, borders = _block_and_borders("space_to_batch", x.ndim, block_shape, paddings, "paddings")
    return o.space_to_batch_nd.public(x, block, borders)


def required_space_to_batch_paddings(
    input_shape: TensorLike, block_shape: TensorLike, base_paddings: TensorLike | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings with which blocks fill axes of these sizes, and the crops that `batch_to_space` takes off again.

    >>> import gradtape as tf
    >>> paddings, crops = tf.required_space_to_batch_paddings([5, 3], [2, 4])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1], [0, 1]], [[0, 1], [0, 1]])

    Args:
        input_shape: The sizes of the axes.
        block_shape: The size of a block in each.
        base_paddings: The least padding, rows of (before, after); zeros by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Two matrices with rows (before, after): the paddings and the crops.

    Raises:
        ValueError: `input_shape` and `block_shape` are no vectors of one length.
    """
    sizes, block = to_tensor(input_shape, dtypes.int32), to_tensor(block_shape, dtypes.int32)
    if sizes.shape.rank != 1 or not sizes.shape.is_compatible_with(block.shape):
        raise ValueError(
            f"required_space_to_batch_paddings: input_shape and block_shape must be vectors of one length, got {sizes.shape} "
            f"and {block.shape}."
        )
    if base_paddings is None:
        before = after = zeros_like(sizes)
    else:
        borders = to_tensor(base_paddings, dtypes.int32)
        before, after = borders[:, 0], borders[:, 1]
    extra = floormod(block - floormod(sizes + before + after, block), block)
    return stack([before, after + extra], axis=1), stack([zeros_like(extra), extra], axis=1)


@shaped(_put_together_look)
def batch_to_space(input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None) -> Tensor:
    """Entries of the batch put together into blocks of the axes after it, then cropped: undoes `space_to_batch`.

    >>> import gradtape as tf
    >>> tf.batch_to_space([[1, 3], [2, 4]], [2], [[0, 0]]).numpy()
    array([[1, 2, 3, 4]], dtype=int32)

    Args:
        input: A tensor; the first axis is the batch.
        block_shape: The size of a block, one number for each axis that is put together.
        crops: For each of these axes, how many elements to take off before and after.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with a batch that is smaller by the number of elements of a block.

    Raises:
        tf.errors.InvalidArgumentError: The batch is no multiple of the block, or the crops take off more than there is.
    """
    x = to_tensor(input)
    block_shape = to_tensor(block_shape)
    if not block_shape.ndim:  # one number stands for every row of crops
        block_shape = to_tensor([as_int(block_shape)] * (to_tensor(crops).shape[0] or 0))
    block, borders = _block_and_borders("batch_to_space", x.ndim, block_shape, crops, "crops")
    return o.batch_to_space_nd.public(x, block, borders)


def _image_axes(name: str, rank: int, data_format: str, block_size: IntLike) -> tuple[int, bool]:
    size = as_int(block_size)
    if size < 2:
        raise invalid(f"{name}: block_size must be at least 2, got {size}.")
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(f"{name}: data_format must be NHWC or NCHW, got {data_format!r}.")
    if rank != 4:
        raise invalid(f"{name}: images have 4 axes, got {rank}.")
    return size, data_format == "NCHW"


@takes(data_format=text)
def depth_to_space(
    input: TensorLike, block_size: IntLike, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Channels laid out as blocks of `block_size` by `block_size` pixels.

    >>> import gradtape as tf
    >>> tf.nn.depth_to_space(tf.reshape(tf.range(4), [1, 1, 1, 4]), 2)[0, :, :, 0].numpy()
    array([[0, 1],
           [2, 3]], dtype=int32)

    Args:
        input: Images, with 4 axes.
        block_size: The side of a block, at least 2.
        data_format: "NHWC", or "NCHW" for images with the channels before the rows.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images with `block_size` times the rows and columns.

    Raises:
        tf.errors.InvalidArgumentError: The channels do not divide into blocks.
    """
    x = to_tensor(input)
    size, channels_first = _image_axes("depth_to_space", x.ndim, data_format, block_size)
    if channels_first:
        return transpose(depth_to_space(transpose(x, [0, 2, 3, 1]), size), [0, 3, 1, 2])
    return o.depth_to_space.public(x, size)


@takes(data_format=text)
def space_to_depth(
    input: TensorLike, block_size: IntLike, data_format: str = "NHWC", name: str | None = None
) -> Tensor:
    """Blocks of `block_size` by `block_size` pixels laid out as channels: undoes `depth_to_space`.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(4), [1, 2, 2, 1])
    >>> tf.nn.space_to_depth(image, 2).numpy()
    array([[[[0, 1, 2, 3]]]], dtype=int32)

    Args:
        input: Images, with 4 axes.
        block_size: The side of a block, at least 2.
        data_format: "NHWC", or "NCHW" for images with the channels before the rows.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Images with `block_size` squared times the channels.

    Raises:
        tf.errors.InvalidArgumentError: The rows or columns do not divide into blocks.
    """
    x = to_tensor(input)
    size, channels_first = _image_axes("space_to_depth", x.ndim, data_format, block_size)
    if channels_first:
        return transpose(space_to_depth(transpose(x, [0, 2, 3, 1]), size), [0, 3, 1, 2])
    return o.space_to_depth.public(x, size)


trace_public(globals())


def _borders(arguments: dict[str, Any]) -> tuple[int, int] | None:
    """Two numbers for each of the axes that blocks have."""
    block = to_tensor(arguments["block_shape"]).shape
    return None if not block.rank or block[0] is None else (block[0], 2)


of_shape(space_to_batch, paddings=_borders)
of_shape(batch_to_space, crops=_borders)
