"""Tensors joined into one, and one cut into several: `tnp.concatenate`, `stack`, `split`, `insert` and their relatives."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..api import arrays, indexing, layout
from ..base import nest
from ..base.traceable import trace_public
from ..base.types import AxisLike, TensorLike
from ..op.attributes import as_int, as_ints
from ..values.tensor import Tensor
from .manipulation import atleast_1d, atleast_2d, atleast_3d, ravel, reshape, with_rank
from .promotion import asarray, promoted, to_type
from .selection import take


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
    return split(with_rank(ary, 2, "vsplit"), indices_or_sections, 0)


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
    x = with_rank(ary, 1, "hsplit")
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
    return split(with_rank(ary, 3, "dsplit"), indices_or_sections, 2)


trace_public(globals())
