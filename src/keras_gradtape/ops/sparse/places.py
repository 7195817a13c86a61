"""A common view of sparse tensors and slices of rows: numbered places with a value at each.

A place of a `tf.SparseTensor` is an element of the flattened tensor, one of a `tf.IndexedSlices` is a row. The places
are computed with NumPy; tapes follow the values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.common.backend_utils import canonicalize_axis

import gradtape as tf
from gradtape.base.dtypes import Array
from gradtape.base.shapes import broadcast
from gradtape.sparse.tensor import flat_places, from_parts, places_at, places_of, sizes_of
from gradtape.values.tensor import from_array

from ..core import convert_to_tensor

KINDS = frozenset((tf.SparseTensor, tf.IndexedSlices))


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse tensor or slices of rows."""
    return x.__class__ in KINDS


def shape_of(x: Any) -> tuple[int, ...]:
    """The sizes of the dense tensor."""
    if x.__class__ is tf.SparseTensor:
        return sizes_of(x)
    if x.dense_shape is None:
        raise ValueError(
            f"The shape of {x!r} is not known: say it with tf.IndexedSlices(values, indices, dense_shape)."
        )
    return tuple(int(size) for size in np.asarray(x.dense_shape))


def numbers_of(x: Any) -> Array:
    """The number of each place that has a value."""
    if x.__class__ is tf.SparseTensor:
        return flat_places(places_of(x), sizes_of(x))
    return np.asarray(x.indices, np.int64).reshape(-1)


def with_values(x: Any, values: Any) -> Any:
    """Other values at the same places."""
    if x.__class__ is tf.SparseTensor:
        return tf.SparseTensor(x.indices, values, x.dense_shape)
    return tf.IndexedSlices(values, x.indices, x.dense_shape)


def at(x: Any, numbers: Array, values: Any) -> Any:
    """A value of the kind of `x` with these values at these places."""
    if x.__class__ is tf.IndexedSlices:
        return tf.IndexedSlices(values, from_array(numbers), x.dense_shape)
    return from_parts(places_at(numbers, sizes_of(x)), values, sizes_of(x))


def combined(x: Any) -> Any:
    """Slices with each row once, and in order: rows that are given several times mean their sum."""
    if x.__class__ is not tf.IndexedSlices:
        return x
    numbers = numbers_of(x)
    if (np.diff(numbers) > 0).all():
        return x
    found, positions = np.unique(numbers, return_inverse=True)
    return at(x, found, tf.math.unsorted_segment_sum(x.values, from_array(positions), len(found)))


def spread(x: Any, numbers: Array) -> Any:
    """The values at these places, which are in order and contain all that `x` has; zeros where it has none."""
    positions = np.searchsorted(numbers, numbers_of(x))
    return tf.math.unsorted_segment_sum(x.values, from_array(positions), len(numbers))


def dense(x: Any, outside: Any = None) -> Any:
    """`x` with all its elements, `outside` (or zero) where it has no value; a dense tensor is returned unchanged."""
    if x.__class__ is tf.SparseTensor:
        return tf.sparse.to_dense(tf.sparse.reorder(x), outside)
    if x.__class__ is not tf.IndexedSlices:
        return x
    x = combined(x)
    empty = tf.zeros(shape_of(x), x.values.dtype) if outside is None else tf.fill(shape_of(x), outside)
    return tf.tensor_scatter_nd_update(empty, numbers_of(x)[:, None], x.values)


def beside(x: Any, other: Any, numbers: Array) -> Any:
    """The elements (or rows) of a dense tensor of the shape of `x` at the places of these numbers."""
    if x.__class__ is tf.IndexedSlices:
        return tf.gather(other, numbers)
    return tf.gather(tf.reshape(other, [-1]), numbers)


def is_scalar(x: Any) -> bool:
    """Whether it combines with every value unchanged, as a scalar does."""
    return x.__class__ in (int, float) or not len(convert_to_tensor(x).shape)


def broadcast_to(x: Any, sizes: tuple[int, ...]) -> Any:
    """A dense operand in this shape; None where broadcasting would make the result larger."""
    other = convert_to_tensor(x)
    if tuple(other.shape) == sizes:
        return other
    return tf.broadcast_to(other, sizes) if broadcast(tuple(other.shape), sizes) == sizes else None


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes, however they are given, in order and from 0 on; all of them for None."""
    if axis is None:
        return tuple(range(rank))
    return tuple(sorted({canonicalize_axis(a, rank) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))}))
