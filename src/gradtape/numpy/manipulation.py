"""Shapes changed, tensors joined, cut, picked from, sorted and padded, as NumPy does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..api import arrays, layout
from ..base.namespaces import homes, on_first_use
from ..base.traceable import trace_public
from ..base.types import AxisLike, IntLike, ShapeLike, TensorLike
from ..op.attributes import as_axis, as_int, as_ints
from ..values.tensor import Tensor
from . import descriptions
from .descriptions import describe
from .promotion import asarray


def reshape(a: TensorLike, newshape: ShapeLike, order: str = "C") -> Tensor:
    """The same elements in another shape, read row by row ("C") or column by column ("F").

    >>> import gradtape as tf
    >>> tf.numpy.reshape([1, 2, 3, 4], [2, 2], order="F").numpy()
    array([[1, 3],
           [2, 4]])

    Args:
        a: A tensor, or what can become one.
        newshape: The sizes of the axes; -1 for one that is to be found.
        order: "C" row by row, "F" column by column.

    Returns:
        A tensor.

    Raises:
        ValueError: `order` is neither "C" nor "F".
    """
    x = asarray(a)
    if order not in ("C", "F"):
        raise ValueError(f"reshape: order must be 'C' or 'F', got {order!r}.")
    if order == "C":
        return arrays.reshape(x, newshape)
    return layout.transpose(arrays.reshape(layout.transpose(x), as_ints(newshape)[::-1]))


def ravel(a: TensorLike, order: str = "C") -> Tensor:
    """All elements in one axis.

    >>> import gradtape as tf
    >>> tf.numpy.ravel([[1, 2], [3, 4]]).numpy()
    array([1, 2, 3, 4])

    Args:
        a: A tensor, or what can become one.
        order: "C" row by row, "F" column by column.

    Returns:
        A vector.
    """
    return reshape(a, (-1,), order)


def flatten(a: TensorLike, order: str = "C") -> Tensor:
    """All elements in one axis.

    >>> import gradtape as tf
    >>> tf.numpy.flatten([[1, 2], [3, 4]]).numpy()
    array([1, 2, 3, 4])

    Args:
        a: A tensor, or what can become one.
        order: "C" row by row, "F" column by column.

    Returns:
        A vector.
    """
    return reshape(a, (-1,), order)


def transpose(a: object, axes: object = None) -> Tensor:
    """The axes in another order, or reversed.

    >>> import gradtape as tf
    >>> tf.numpy.transpose([[1, 2], [3, 4]]).numpy()
    array([[1, 3],
           [2, 4]])

    Args:
        a: A tensor, or what can become one.
        axes: The order of the axes; None: reversed.

    Returns:
        A tensor.
    """
    x = asarray(a)
    return layout.transpose(x, None if axes is None else [p % x.ndim for p in as_ints(axes)])


def swapaxes(a: TensorLike, axis1: int, axis2: int) -> Tensor:
    """Two axes exchanged.

    >>> import gradtape as tf
    >>> tf.numpy.swapaxes(tf.numpy.ones([2, 3, 4]), 0, 2).shape
    TensorShape([4, 3, 2])

    Args:
        a: A tensor, or what can become one.
        axis1: One axis.
        axis2: The other.

    Returns:
        A tensor.
    """
    x = asarray(a)
    order = list(range(x.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return layout.transpose(x, order)


def moveaxis(a: TensorLike, source: TensorLike, destination: TensorLike) -> Tensor:
    """Axes moved to other places, the others in their order.

    >>> import gradtape as tf
    >>> tf.numpy.moveaxis(tf.numpy.ones([2, 3, 4]), 0, -1).shape
    TensorShape([3, 4, 2])

    Args:
        a: A tensor, or what can become one.
        source: The axis, or a list of axes.
        destination: Where each goes.

    Returns:
        A tensor.

    Raises:
        ValueError: `source` and `destination` are not as many different axes.
    """
    x = asarray(a)
    sources, targets = ([p % x.ndim for p in as_ints(v)] for v in (source, destination))
    if len(sources) != len(targets) or len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise ValueError("moveaxis: source and destination must have the same number of different axes.")
    order = [p for p in range(x.ndim) if p not in sources]
    for target, origin in sorted(zip(targets, sources, strict=True)):
        order.insert(target, origin)
    return layout.transpose(x, order)


def matrix_transpose(x: TensorLike) -> Tensor:
    """The last two axes exchanged.

    >>> import gradtape as tf
    >>> tf.numpy.matrix_transpose(tf.numpy.ones([5, 2, 3])).shape
    TensorShape([5, 3, 2])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor.
    """
    return swapaxes(with_rank(x, 2, "matrix_transpose"), -1, -2)


def expand_dims(a: TensorLike, axis: AxisLike) -> Tensor:
    """New axes of size one.

    >>> import gradtape as tf
    >>> tf.numpy.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])

    Args:
        a: A tensor, or what can become one.
        axis: Where the new axes are.

    Returns:
        A tensor.

    Raises:
        ValueError: There is no such place for an axis.
    """
    x = asarray(a)
    axes = as_ints(axis)
    rank = x.ndim + len(axes)
    if any(not -rank <= p < rank for p in axes) or len({p % rank for p in axes}) != len(axes):
        raise ValueError(f"expand_dims: axes {list(axes)} cannot be in a tensor of rank {rank}.")
    for position in sorted(p % rank for p in axes):
        x = layout.expand_dims(x, position)
    return x


def squeeze(a: TensorLike, axis: AxisLike | None = None) -> Tensor:
    """Without axes of size one, or without those that are named.

    >>> import gradtape as tf
    >>> tf.numpy.squeeze([[[1], [2]]]).shape
    TensorShape([2])

    Args:
        a: A tensor, or what can become one.
        axis: The axes to leave out; None: all of size one.

    Returns:
        A tensor.
    """
    return layout.squeeze(asarray(a), as_axis(axis))


def broadcast_to(array: object, shape: ShapeLike) -> Tensor:
    """Repeated to a larger shape.

    >>> import gradtape as tf
    >>> tf.numpy.broadcast_to([1, 2], [2, 2]).numpy()
    array([[1, 2],
           [1, 2]])

    Args:
        array: A tensor, or what can become one.
        shape: The sizes of the axes.

    Returns:
        A tensor.
    """
    return arrays.broadcast_to(asarray(array), shape)


def broadcast_arrays(*args: object) -> list[Tensor]:
    """All repeated to the shape that they have together.

    >>> import gradtape as tf
    >>> [part.shape for part in tf.numpy.broadcast_arrays([1, 2], [[3], [4]])]
    [TensorShape([2, 2]), TensorShape([2, 2])]

    Args:
        *args: Tensors that broadcast.

    Returns:
        A list of tensors.
    """
    tensors = [asarray(a) for a in args]
    shape = np.broadcast_shapes(*[tuple(x.shape) for x in tensors])
    return [arrays.broadcast_to(x, shape) for x in tensors]


def with_rank(a: TensorLike, rank: int, name: str) -> Any:
    """An array, or the error of a function that needs so many axes."""
    x = asarray(a)
    if x.ndim < rank:
        raise ValueError(f"{name} only works on arrays of {rank} or more dimensions")
    return x


def _at_least(rank: int, widen: Callable[[Any], Any]) -> Callable[..., Any]:
    def call(*arys: object) -> Tensor | list[Tensor]:
        results = [x if x.ndim >= rank else widen(x) for x in map(asarray, arys)]
        return results[0] if len(results) == 1 else results

    name = f"atleast_{rank}d"
    describe(call, name, descriptions.RANKS[name])
    return call


def _widen_3d(x: Tensor) -> Any:
    shapes: dict[int, Any] = {0: (1, 1, 1), 1: (1, -1, 1), 2: (*x.shape, 1)}
    return arrays.reshape(x, shapes[x.ndim])


atleast_1d = _at_least(1, lambda x: arrays.reshape(x, (1,)))
atleast_2d = _at_least(2, lambda x: arrays.reshape(x, (1, -1)))
atleast_3d = _at_least(3, _widen_3d)


def rollaxis(a: TensorLike, axis: int, start: int = 0) -> Tensor:
    """One axis moved before another.

    >>> import gradtape as tf
    >>> tf.numpy.rollaxis(tf.numpy.ones([2, 3, 4]), 2).shape
    TensorShape([4, 2, 3])

    Args:
        a: A tensor, or what can become one.
        axis: The axis that is moved.
        start: The axis before which it comes.

    Returns:
        A tensor.
    """
    x = asarray(a)
    place, target = axis % x.ndim, start + x.ndim if start < 0 else start
    return moveaxis(x, place, target - (place < target))


def astype(x: TensorLike, dtype: object) -> Tensor:
    """The values in another type.

    >>> import gradtape as tf
    >>> tf.numpy.astype([1.7, 2.2], int).numpy()
    array([1, 2])

    Args:
        x: A tensor, or what can become one.
        dtype: The type of the elements, such as tf.float32.

    Returns:
        A tensor.
    """
    return asarray(x, dtype)  # type: ignore[arg-type]


# --- repeating and turning -----------------------------------------------------------------------------


def tile(a: TensorLike, reps: TensorLike) -> Tensor:
    """Repeated as a whole along each axis.

    >>> import gradtape as tf
    >>> tf.numpy.tile([1, 2], 2).numpy()
    array([1, 2, 1, 2])

    Args:
        a: A tensor, or what can become one.
        reps: How often along each axis.

    Returns:
        A tensor.
    """
    x, times = asarray(a), as_ints(reps)
    rank = max(x.ndim, len(times))
    x = arrays.reshape(x, (*(1,) * (rank - x.ndim), *x.shape))
    return layout.tile(x, (*(1,) * (rank - len(times)), *times))


def repeat(a: TensorLike, repeats: TensorLike, axis: AxisLike | None = None) -> Tensor:
    """Each element repeated.

    >>> import gradtape as tf
    >>> tf.numpy.repeat([1, 2], 2).numpy()
    array([1, 1, 2, 2])

    Args:
        a: A tensor, or what can become one.
        repeats: How often: one number, or one for each element.
        axis: The axis; None: all elements, flattened.

    Returns:
        A tensor.
    """
    return layout.repeat(asarray(a), np.asarray(repeats), axis)


def roll(a: object, shift: Any, axis: Any = None) -> Tensor:
    """Shifted along axes; what leaves at one end comes back at the other.

    >>> import gradtape as tf
    >>> tf.numpy.roll([1, 2, 3], 1).numpy()
    array([3, 1, 2])

    Args:
        a: A tensor, or what can become one.
        shift: How far, for each axis.
        axis: The axis, or a list of them; None: as if flattened.

    Returns:
        A tensor of the same shape.
    """
    x = asarray(a)
    if axis is None:
        return arrays.reshape(layout.roll(arrays.reshape(x, (-1,)), as_int(shift), 0), tuple(x.shape))
    return layout.roll(x, as_axis(shift), as_axis(axis))


def flip(m: TensorLike, axis: AxisLike | None = None) -> Tensor:
    """In reverse order along axes, or along all.

    >>> import gradtape as tf
    >>> tf.numpy.flip([1, 2, 3]).numpy()
    array([3, 2, 1])

    Args:
        m: A tensor, or what can become one.
        axis: The axis, or a list of them; None: all.

    Returns:
        A tensor of the same shape.
    """
    x = asarray(m)
    return layout.reverse(x, list(range(x.ndim)) if axis is None else [p % x.ndim for p in as_ints(axis)])


def flipud(m: TensorLike) -> Tensor:
    """Upside down.

    >>> import gradtape as tf
    >>> tf.numpy.flipud([[1, 2], [3, 4]]).numpy()
    array([[3, 4],
           [1, 2]])

    Args:
        m: A tensor, or what can become one.

    Returns:
        A tensor of the same shape.
    """
    return flip(with_rank(m, 1, "flipud"), 0)


def fliplr(m: TensorLike) -> Tensor:
    """Left and right exchanged.

    >>> import gradtape as tf
    >>> tf.numpy.fliplr([[1, 2], [3, 4]]).numpy()
    array([[2, 1],
           [4, 3]])

    Args:
        m: A tensor, or what can become one.

    Returns:
        A tensor of the same shape.
    """
    return flip(with_rank(m, 2, "fliplr"), 1)


def rot90(m: TensorLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Tensor:
    """Turned by 90 degrees, k times, from the first towards the second axis.

    >>> import gradtape as tf
    >>> tf.numpy.rot90([[1, 2], [3, 4]]).numpy()
    array([[2, 4],
           [1, 3]])

    Args:
        m: A tensor, or what can become one.
        k: How many times.
        axes: The two axes of the plane.

    Returns:
        A tensor.

    Raises:
        ValueError: The two axes are one.
    """
    x = with_rank(m, 2, "rot90")
    first, second = (p % x.ndim for p in axes)
    if first == second:
        raise ValueError("Axes must be different.")
    turns = k % 4
    if turns == 2:
        return flip(x, (first, second))
    if turns == 1:
        return swapaxes(flip(x, second), first, second)
    return flip(swapaxes(x, first, second), second) if turns else x


def pad(array: object, pad_width: IntLike, mode: str = "constant", constant_values: TensorLike = 0) -> Tensor:
    """More elements at both ends of each axis: a constant, or mirrored ("reflect", "symmetric").

    >>> import gradtape as tf
    >>> tf.numpy.pad([1, 2], 1).numpy()
    array([0, 1, 2, 0])

    Args:
        array: A tensor, or what can become one.
        pad_width: How many elements: one number, or (before, after) for each axis.
        mode: "constant", "reflect" or "symmetric".
        constant_values: What is filled in with mode "constant".

    Returns:
        A tensor.

    Raises:
        ValueError: `mode` is unknown.
    """
    x = asarray(array)
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"pad: mode must be 'constant', 'reflect' or 'symmetric', got {mode!r}.")
    rows = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).astype(np.int32)
    return layout.pad(x, rows, mode.upper(), constant_values)


trace_public(globals())

# Pickles of earlier versions look for these names here.
__getattr__ = on_first_use(
    globals(),
    homes(
        __name__,
        {
            "numpy.promotion": "promote_types",
            "numpy.joining": """
                concatenate block unstack delete insert stack vstack hstack dstack column_stack append array_split split vsplit
                hsplit dsplit
            """,
            "numpy.selection": """
                take take_along_axis where select compress sort argsort argpartition partition lexsort isin histogram
                digitize packbits unpackbits
            """,
        },
    ),
)
