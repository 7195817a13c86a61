"""Shapes changed, tensors joined, cut, repeated, turned and padded."""

from __future__ import annotations

from typing import Any

import gradtape as tf
import gradtape.numpy as tnp
from gradtape import cast

from ..core import convert_to_tensor
from ..promotion import all_together, given_type


def sizes(x: Any) -> Any:
    """The shape as numbers where all of them are known, else as a tensor."""
    static = tuple(x.shape)
    return tf.shape(x) if None in static else static


def length(x: Any, axis: int) -> Any:
    """The size of an axis, as a number where it is known, else as a tensor."""
    known = x.shape[axis]
    return tf.shape(x)[axis] if known is None else known


def reshape(x: Any, newshape: Any) -> Any:
    """The same elements in another shape; one size may be -1 (or None), which takes the rest."""
    if isinstance(newshape, (list, tuple)):
        newshape = [-1 if size is None else size for size in newshape]
    return tf.reshape(convert_to_tensor(x), newshape)


def ravel(x: Any) -> Any:
    """All elements in one axis."""
    return tf.reshape(convert_to_tensor(x), [-1])


def view(x: Any, dtype: Any = None) -> Any:
    """The same bits read as another type; the last axis grows or shrinks with the size of the elements."""
    x, kind = convert_to_tensor(x), given_type(dtype)
    if x.dtype is kind:
        return tf.identity(x)
    if not x.ndim:
        if x.dtype.size != kind.size:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged.")
        return tf.bitcast(x, kind)
    if kind.size > x.dtype.size:
        count = kind.size // x.dtype.size
        if x.shape[-1] is not None and x.shape[-1] % count:
            raise ValueError(
                "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis."
            )
        return tf.bitcast(tf.reshape(x, tf.concat([tf.shape(x)[:-1], [-1, count]], 0)), kind)
    bits = tf.bitcast(x, kind)
    if kind.size == x.dtype.size:
        return bits
    return tf.reshape(bits, tf.concat([tf.shape(x)[:-1], [-1]], 0))


def transpose(x: Any, axes: Any = None) -> Any:
    """The axes in another order, or reversed."""
    return tf.transpose(convert_to_tensor(x), axes)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Two axes exchanged."""
    return tnp.swapaxes(convert_to_tensor(x), axis1, axis2)


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Axes moved to other places, the others in their order."""
    return tnp.moveaxis(convert_to_tensor(x), source, destination)


def expand_dims(x: Any, axis: Any) -> Any:
    """New axes of size one."""
    x = convert_to_tensor(x)
    return tf.expand_dims(x, axis) if axis.__class__ is int else tnp.expand_dims(x, axis)


def squeeze(x: Any, axis: Any = None) -> Any:
    """Without axes of size one, or without those that are named."""
    x = convert_to_tensor(x)
    given = [] if axis is None else list(axis) if isinstance(axis, (list, tuple)) else [axis]
    for a in given:
        if -x.ndim <= a < x.ndim and x.shape[a] not in (1, None):
            raise ValueError(
                f"Cannot squeeze axis={a}, because the dimension is not 1. Received: shape={tuple(x.shape)}"
            )
    return tf.squeeze(x, axis)


def broadcast_to(x: Any, shape: Any) -> Any:
    """Repeated to a larger shape."""
    return tf.broadcast_to(convert_to_tensor(x), shape)


# --- joining and cutting ---------------------------------------------------------------------------------------------


def concatenate(xs: Any, axis: Any = 0) -> Any:
    """One after the other along an axis; flattened first if it is None."""
    parts = all_together(xs)
    if axis is None:
        return tf.concat([tf.reshape(x, [-1]) for x in parts], 0)
    return tf.concat(parts, axis)


def append(x1: Any, x2: Any, axis: Any = None) -> Any:
    """x2 after x1; both flattened if there is no axis."""
    return concatenate([convert_to_tensor(x1), convert_to_tensor(x2)], axis)


def stack(x: Any, axis: int = 0) -> Any:
    """Along a new axis."""
    return tf.stack(all_together(x), axis)


def vstack(xs: Any) -> Any:
    """Rows below each other."""
    return tnp.vstack(all_together(xs))


def hstack(xs: Any) -> Any:
    """Side by side."""
    return tnp.hstack(all_together(xs))


def dstack(xs: Any) -> Any:
    """Behind each other, along the third axis."""
    return tnp.dstack(all_together(xs))


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Equal parts along an axis, or parts cut at the given positions."""
    return tnp.split(convert_to_tensor(x), _cuts(indices_or_sections), axis)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """As many parts as are asked for, as even as can be, or parts cut at the given positions."""
    return tnp.array_split(convert_to_tensor(x), _cuts(indices_or_sections), axis)


def vsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the first axis."""
    return tnp.vsplit(convert_to_tensor(x), _cuts(indices_or_sections))


def hsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the second axis, of a vector along its only one."""
    return tnp.hsplit(convert_to_tensor(x), _cuts(indices_or_sections))


def dsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """`split` along the third axis."""
    return tnp.dsplit(convert_to_tensor(x), _cuts(indices_or_sections))


def _cuts(indices_or_sections: Any) -> Any:
    return list(indices_or_sections) if isinstance(indices_or_sections, tuple) else indices_or_sections


# --- repeating and turning -------------------------------------------------------------------------------------------


def tile(x: Any, repeats: Any) -> Any:
    """Repeated as a whole along each axis."""
    return tnp.tile(convert_to_tensor(x), repeats)


def repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element repeated."""
    return tf.repeat(convert_to_tensor(x), repeats, axis)


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Shifted along axes; what leaves at one end comes back at the other."""
    x = convert_to_tensor(x)
    if axis is not None:
        return tf.roll(x, shift, axis)
    return tf.reshape(tf.roll(tf.reshape(x, [-1]), shift, 0), sizes(x))


def flip(x: Any, axis: Any = None) -> Any:
    """In reverse order along axes, or along all."""
    return tnp.flip(convert_to_tensor(x), axis)


def fliplr(x: Any) -> Any:
    """Left and right exchanged."""
    return tnp.fliplr(convert_to_tensor(x))


def flipud(x: Any) -> Any:
    """Upside down."""
    return tnp.flipud(convert_to_tensor(x))


def rot90(array: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Turned by 90 degrees, k times, from the first towards the second axis."""
    array = convert_to_tensor(array)
    if array.ndim < 2:
        raise ValueError(f"Input array must have at least 2 dimensions. Received: array.ndim={array.ndim}")
    if len(axes) != 2 or axes[0] % array.ndim == axes[1] % array.ndim:
        raise ValueError(f"Invalid axes: {axes}. Axes must be a tuple of two different dimensions.")
    return tnp.rot90(array, k, axes)


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    """More elements at both ends of each axis: a constant, or the tensor's own, mirrored."""
    x = convert_to_tensor(x)
    if constant_values is not None and mode != "constant":
        raise ValueError(
            f"Argument `constant_values` can only be provided when `mode == 'constant'`. Received: mode={mode}"
        )
    if mode == "constant" and x.dtype.is_bool:
        return cast(pad(cast(x, tf.int8), pad_width, constant_values=constant_values or 0), tf.bool)
    if mode == "constant":
        return tf.pad(x, pad_width, "CONSTANT", 0 if constant_values is None else constant_values)
    return tf.pad(x, pad_width, mode)


# --- diagonals -------------------------------------------------------------------------------------------------------


def diag(x: Any, k: int = 0) -> Any:
    """A matrix with `x` on its k-th diagonal; of a matrix, that diagonal."""
    x = convert_to_tensor(x)
    if x.ndim not in (1, 2):
        raise ValueError(f"`x` must be 1d or 2d. Received: x.shape={x.shape}")
    return tnp.diag(x, k)


def diagflat(x: Any, k: int = 0) -> Any:
    """A matrix with the flattened `x` on its k-th diagonal."""
    return tnp.diagflat(convert_to_tensor(x), k)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The elements of a diagonal, along a new last axis."""
    return tnp.diagonal(convert_to_tensor(x), offset, axis1, axis2)


def tril(x: Any, k: int = 0) -> Any:
    """The part at and below the k-th diagonal, zeros above."""
    return tnp.tril(convert_to_tensor(x), k)


def triu(x: Any, k: int = 0) -> Any:
    """The part at and above the k-th diagonal, zeros below."""
    return tnp.triu(convert_to_tensor(x), k)


def meshgrid(*x: Any, indexing: str = "xy") -> Any:
    """Coordinate grids from coordinate vectors."""
    return tf.meshgrid(*[tf.reshape(convert_to_tensor(v), [-1]) for v in x], indexing=indexing)


def ndim(x: Any) -> int:
    """The number of axes."""
    return len(convert_to_tensor(x).shape)


def size(x: Any) -> Any:
    """The number of elements."""
    return tf.size(convert_to_tensor(x))


def copy(x: Any) -> Any:
    """A copy of the value as a tensor."""
    return tf.identity(convert_to_tensor(x))


def array(x: Any, dtype: Any = None) -> Any:
    """The value as a tensor."""
    return convert_to_tensor(x, dtype)
