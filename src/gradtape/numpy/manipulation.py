"""Shapes changed, tensors joined, cut, picked from, sorted and padded, as NumPy does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..api import arrays, indexing, layout
from ..base import nest
from ..base.namespaces import homes, on_first_use
from ..base.traceable import trace_public
from ..base.types import AxisLike, IntLike, ShapeLike, TensorLike
from ..op.attributes import as_axis, as_int, as_ints
from ..values.tensor import Tensor
from . import descriptions
from .descriptions import describe
from .promotion import asarray, promoted, to_type
from .selection import take


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
    return swapaxes(_with_rank(x, 2, "matrix_transpose"), -1, -2)


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


# --- joining and cutting -------------------------------------------------------------------------------


def concatenate(arys: Any, axis: object = 0) -> Tensor:
    """One after the other along an axis; flattened first if it is None.

    >>> import gradtape as tf
    >>> tf.numpy.concatenate([[1, 2], [3]]).numpy()
    array([1, 2, 3])

    Args:
        arys: A list of tensors.
        axis: The axis; None: all are flattened first.

    Returns:
        A tensor.
    """
    parts = promoted(*arys)
    if axis is None:
        return layout.concat([arrays.reshape(x, (-1,)) for x in parts], 0)
    return layout.concat(parts, axis)


def block(arrays: Any) -> Tensor:
    """Blocks in nested lists, put together: the innermost lists along the last axis, the next along the one before.

    >>> import gradtape as tf
    >>> tf.numpy.block([[tf.numpy.eye(2), tf.numpy.ones([2, 1])]]).numpy()
    array([[1., 0., 1.],
           [0., 1., 1.]])

    Args:
        arrays: Nested lists of tensors.

    Returns:
        A tensor.
    """

    def depth(value: Any) -> int:
        return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0

    levels = depth(arrays)
    rank = max([levels, *(asarray(v).ndim for v in nest.flatten(arrays))])

    def joined(value: Any, level: int) -> Any:
        if not isinstance(value, list):
            x = asarray(value)
            return reshape(x, (*(1,) * (rank - x.ndim), *x.shape))
        return concatenate([joined(item, level - 1) for item in value], -level)

    return joined(arrays, levels)


def unstack(x: TensorLike, axis: int = 0) -> tuple[Tensor, ...]:
    """The parts along an axis, without it.

    >>> import gradtape as tf
    >>> [part.numpy() for part in tf.numpy.unstack([[1, 2], [3, 4]])]
    [array([1, 2]), array([3, 4])]

    Args:
        x: A tensor, or what can become one.
        axis: The axis.

    Returns:
        A tuple of tensors.
    """
    return tuple(layout.unstack(asarray(x), axis=axis))


def _kept(size: int, obj: Any) -> Any:
    """The positions that are left when `obj`, a number, a slice, a list or truth values, is taken out."""
    return np.delete(np.arange(size), np.asarray(obj) if not isinstance(obj, slice) else obj)


def delete(arr: TensorLike, obj: Any, axis: int | None = None) -> Tensor:
    """Without the elements at some positions.

    >>> import gradtape as tf
    >>> tf.numpy.delete([1, 2, 3], 1).numpy()
    array([1, 3])

    Args:
        arr: A tensor, or what can become one.
        obj: A position, a list of them, or a slice.
        axis: The axis; None: all elements, flattened.

    Returns:
        A tensor.
    """
    x = ravel(arr) if axis is None else asarray(arr)
    place = 0 if axis is None else axis
    return take(x, _kept(x.shape[place], obj), place)


def insert(arr: TensorLike, obj: Any, values: TensorLike, axis: int | None = None) -> Tensor:
    """With values put in before some positions.

    >>> import gradtape as tf
    >>> tf.numpy.insert([1, 3], 1, 2).numpy()
    array([1, 2, 3])

    Args:
        arr: A tensor, or what can become one.
        obj: The position before which it is put in, a list of them, or a slice.
        values: What is put in.
        axis: The axis; None: all elements, flattened.

    Returns:
        A tensor.
    """
    x, new = ravel(arr) if axis is None else asarray(arr), asarray(values)
    place = 0 if axis is None else axis % x.ndim
    # NumPy puts the numbers of the new elements among those of the old: so it says where each comes from.
    sizes, added = tuple(x.shape), tuple(new.shape)
    size = prod(sizes)
    numbers = np.insert(np.arange(size).reshape(sizes), obj, size + np.arange(prod(added)).reshape(added), place)
    return take(concatenate([ravel(x), ravel(to_type(new, x.dtype))]), numbers)


def stack(arrays: Sequence[TensorLike], axis: int = 0) -> Tensor:
    """Along a new axis.

    >>> import gradtape as tf
    >>> tf.numpy.stack([[1, 2], [3, 4]], axis=1).numpy()
    array([[1, 3],
           [2, 4]])

    Args:
        arrays: A list of tensors of one shape.
        axis: Where the new axis is.

    Returns:
        A tensor.
    """
    return layout.stack(promoted(*arrays), axis)


def _many(results: TensorLike) -> list[Any]:
    return results if isinstance(results, list) else [results]


def vstack(tup: Sequence[TensorLike]) -> Tensor:
    """Rows below each other.

    >>> import gradtape as tf
    >>> tf.numpy.vstack([[1, 2], [3, 4]]).numpy()
    array([[1, 2],
           [3, 4]])

    Args:
        tup: A list of tensors; a vector counts as a row.

    Returns:
        A tensor.
    """
    return concatenate(_many(atleast_2d(*tup)), 0)


def hstack(tup: Sequence[TensorLike]) -> Tensor:
    """Side by side.

    >>> import gradtape as tf
    >>> tf.numpy.hstack([[1, 2], [3]]).numpy()
    array([1, 2, 3])

    Args:
        tup: A list of tensors.

    Returns:
        A tensor.
    """
    parts = _many(atleast_1d(*tup))
    return concatenate(parts, 0 if parts[0].ndim == 1 else 1)


def dstack(tup: Sequence[TensorLike]) -> Tensor:
    """Behind each other, along the third axis.

    >>> import gradtape as tf
    >>> tf.numpy.dstack([[1, 2], [3, 4]]).shape
    TensorShape([1, 2, 2])

    Args:
        tup: A list of tensors.

    Returns:
        A tensor with at least three axes.
    """
    return concatenate(_many(atleast_3d(*tup)), 2)


def column_stack(tup: Sequence[TensorLike]) -> Tensor:
    """Vectors as the columns of a matrix.

    >>> import gradtape as tf
    >>> tf.numpy.column_stack([[1, 2], [3, 4]]).numpy()
    array([[1, 3],
           [2, 4]])

    Args:
        tup: A list of vectors and matrices.

    Returns:
        A matrix.
    """
    return concatenate([arrays.reshape(x, (-1, 1)) if x.ndim < 2 else x for x in map(asarray, tup)], 1)


def append(arr: Any, values: TensorLike, axis: AxisLike | None = None) -> Tensor:
    """`values` after `arr`; both flattened if there is no axis.

    >>> import gradtape as tf
    >>> tf.numpy.append([1, 2], [3]).numpy()
    array([1, 2, 3])

    Args:
        arr: A tensor, or what can become one.
        values: What comes after it.
        axis: The axis; None: all elements, flattened.

    Returns:
        A tensor.
    """
    return concatenate([arr, values], axis)


def array_split(ary: TensorLike, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Parts along an axis: so many, as even as can be, or cut at the given positions.

    >>> import gradtape as tf
    >>> [part.numpy().tolist() for part in tf.numpy.array_split([1, 2, 3, 4, 5], 2)]
    [[1, 2, 3], [4, 5]]

    Args:
        ary: A tensor, or what can become one.
        indices_or_sections: How many parts, or a list of positions.
        axis: The axis.

    Returns:
        A list of tensors.

    Raises:
        ValueError: The number of parts is not positive.
    """
    x = asarray(ary)
    size = x.shape[axis]
    if np.ndim(indices_or_sections) == 0:
        count = as_int(indices_or_sections)
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        whole, more = divmod(size, count)
        sizes = [whole + 1] * more + [whole] * (count - more)
    else:
        cuts = [max(0, min(size, c + size if c < 0 else c)) for c in as_ints(indices_or_sections)]
        starts, ends = [0, *cuts], [*cuts, size]
        return [_range(x, axis, first, max(last, first)) for first, last in zip(starts, ends, strict=True)]
    return layout.split(x, sizes, axis)


def _range(x: Tensor, axis: int, first: int, last: int) -> Any:
    begin, size = [0] * x.ndim, list(x.shape)
    begin[axis], size[axis] = first, last - first
    return indexing.slice(x, begin, size)


def split(ary: TensorLike, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Equal parts along an axis, or parts cut at the given positions.

    >>> import gradtape as tf
    >>> [part.numpy().tolist() for part in tf.numpy.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]

    Args:
        ary: A tensor, or what can become one.
        indices_or_sections: How many parts, or a list of positions.
        axis: The axis.

    Returns:
        A list of tensors.

    Raises:
        ValueError: The parts would not be equal.
    """
    x = asarray(ary)
    if np.ndim(indices_or_sections) == 0 and x.shape[axis] % as_int(indices_or_sections):
        raise ValueError("array split does not result in an equal division")
    return array_split(x, indices_or_sections, axis)


def vsplit(ary: TensorLike, indices_or_sections: TensorLike) -> list[Tensor]:
    """`split` along the first axis.

    >>> import gradtape as tf
    >>> [part.shape for part in tf.numpy.vsplit(tf.numpy.ones([4, 2]), 2)]
    [TensorShape([2, 2]), TensorShape([2, 2])]

    Args:
        ary: A tensor, or what can become one.
        indices_or_sections: How many parts, or a list of positions.

    Returns:
        A list of tensors.
    """
    return split(_with_rank(ary, 2, "vsplit"), indices_or_sections, 0)


def hsplit(ary: TensorLike, indices_or_sections: TensorLike) -> list[Tensor]:
    """`split` along the second axis, of a vector along its only one.

    >>> import gradtape as tf
    >>> [part.shape for part in tf.numpy.hsplit(tf.numpy.ones([4, 2]), 2)]
    [TensorShape([4, 1]), TensorShape([4, 1])]

    Args:
        ary: A tensor, or what can become one.
        indices_or_sections: How many parts, or a list of positions.

    Returns:
        A list of tensors.
    """
    x = _with_rank(ary, 1, "hsplit")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


def dsplit(ary: TensorLike, indices_or_sections: TensorLike) -> list[Tensor]:
    """`split` along the third axis.

    >>> import gradtape as tf
    >>> [part.shape for part in tf.numpy.dsplit(tf.numpy.ones([4, 2, 2]), 2)]
    [TensorShape([4, 2, 1]), TensorShape([4, 2, 1])]

    Args:
        ary: A tensor, or what can become one.
        indices_or_sections: How many parts, or a list of positions.

    Returns:
        A list of tensors.
    """
    return split(_with_rank(ary, 3, "dsplit"), indices_or_sections, 2)


def _with_rank(a: TensorLike, rank: int, name: str) -> Any:
    x = asarray(a)
    if x.ndim < rank:
        raise ValueError(f"{name} only works on arrays of {rank} or more dimensions")
    return x


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
    return flip(_with_rank(m, 1, "flipud"), 0)


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
    return flip(_with_rank(m, 2, "fliplr"), 1)


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
    x = _with_rank(m, 2, "rot90")
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
            "numpy.selection": """
                take take_along_axis where select compress sort argsort argpartition partition lexsort isin histogram
                digitize packbits unpackbits
            """,
        },
    ),
)
