"""Elements picked, sorted, searched and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.common.backend_utils import vectorize_impl

import gradtape as tf
import gradtape.numpy as tnp
from gradtape import cast
from gradtape.values.tensor import EagerTensor

from ..core import convert_to_tensor, vectorized_map
from ..promotion import floats, result_type, to_type, together, truth
from .manipulation import length, sizes


def positions(indices: Any, length: Any) -> Any:
    """Positions as integers that the lookup takes; negative ones count from the end."""
    places = convert_to_tensor(indices)
    if places.dtype not in (tf.int32, tf.int64):
        places = cast(places, tf.int64 if places.dtype is tf.uint32 else tf.int32)
    if places.__class__ is EagerTensor and not (np.asarray(places) < 0).any():
        return places  # the usual case, and cheap to detect
    return tf.where(places < 0, places + length, places)


def take(x: Any, indices: Any, axis: Any = None) -> Any:
    """Elements at positions along an axis, or of the flattened tensor; negative ones count from the end."""
    x = convert_to_tensor(x)
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    return tf.gather(x, positions(indices, length(x, axis)), axis=axis)


def take_along_axis(x: Any, indices: Any, axis: Any = None) -> Any:
    """For each line along the axis, the elements at its own positions."""
    x, places = convert_to_tensor(x), convert_to_tensor(indices)
    if axis is None:
        if places.ndim != 1:
            raise ValueError(f"`indices` must be 1D if axis=None. Received: indices.shape={places.shape}")
        return take(x, places)
    if x.ndim != places.ndim:
        raise ValueError(
            f"`x` and `indices` must have the same number of axes. Received: {tuple(x.shape)} and {tuple(places.shape)}"
        )
    places = places if places.dtype in (tf.int32, tf.int64) else cast(places, tf.int32)
    return tnp.take_along_axis(x, places, axis)


def nonzero(x: Any) -> Any:
    """The positions of the elements that are not zero, one tensor for each axis."""
    found = cast(tf.where(truth(x)), tf.int32)
    return tuple(tf.unstack(found, axis=1)) if found.shape[1] else ()


def unravel_index(indices: Any, shape: Any) -> Any:
    """The positions in a tensor of this shape of numbers into the flattened tensor."""
    rest = convert_to_tensor(indices)
    kind = rest.dtype if rest.dtype.is_integer else tf.int32
    rest, total = to_type(rest, kind), int(np.prod(shape))
    rest = tf.where(rest < 0, rest + total, rest)
    found = []
    for size in reversed(tuple(shape)):
        found.append(tf.math.floormod(rest, size))
        rest = tf.math.floordiv(rest, size)
    return tuple(found[::-1])


# --- order -----------------------------------------------------------------------------------------------------------


def sort(x: Any, axis: Any = -1) -> Any:
    """In increasing order along an axis; flattened first if it is None."""
    return tnp.sort(convert_to_tensor(x), axis)


def argsort(x: Any, axis: Any = -1) -> Any:
    """The positions that sort the tensor along an axis; equal elements keep their order."""
    x = convert_to_tensor(x)
    return cast(tnp.argsort(x, axis if x.ndim else None), tf.int32)


def argpartition(x: Any, kth: Any, axis: int = -1) -> Any:
    """The positions that bring the element which is k-th in order to its place, smaller ones before it."""
    return argsort(x, axis)


def searchsorted(sorted_sequence: Any, values: Any, side: str = "left") -> Any:
    """Where each value would have to be put in to keep the order."""
    sequence, values = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
    if sequence.ndim != 1:
        raise ValueError(
            "`searchsorted` only supports 1-D sorted sequences. You can use `keras.ops.vectorized_map` to extend it "
            f"to N-D sequences. Received: sorted_sequence.shape={sequence.shape}"
        )
    sequence, values = together(sequence, values)
    places = tf.searchsorted(sequence, tf.reshape(values, [-1]), side=side)
    return tf.reshape(places, sizes(values))


def digitize(x: Any, bins: Any) -> Any:
    """The number of the bin that each element falls into; bins are given by their edges."""
    x, bins = together(convert_to_tensor(x), convert_to_tensor(bins))
    if x.dtype.is_bool:
        x, bins = cast(x, tf.int32), cast(bins, tf.int32)
    return searchsorted(bins, x, side="right")


def isin(x1: Any, x2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Whether each element of x1 is somewhere in x2."""
    x1, x2 = together(convert_to_tensor(x1), convert_to_tensor(x2))
    found = tnp.isin(x1, x2)
    return tf.logical_not(found) if invert else found


def unique(
    x: Any,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    size: Any = None,
    fill_value: Any = None,
) -> Any:
    """The different elements (or slices along an axis) in order, optionally with their positions and counts.

    `size` cuts the result or fills it up. Computed with NumPy, as there is nothing to differentiate.
    """
    values = np.asarray(convert_to_tensor(x))
    asked: dict[str, Any] = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    found: Any = np.unique(values, axis=axis, equal_nan=False, **asked)
    parts = list(found) if isinstance(found, tuple) else [found]
    if size is not None:
        along = 0 if axis is None else axis
        parts[0] = _resized(parts[0], size, along, 0 if fill_value is None else fill_value)
        extra = [name for name, wanted in asked.items() if wanted]
        for position, name in enumerate(extra, 1):
            if name != "return_inverse":
                parts[position] = _resized(parts[position], size, 0, 1 if name == "return_index" else 0)
    tensors = [convert_to_tensor(parts[0]), *(convert_to_tensor(part.astype(np.int32)) for part in parts[1:])]
    return tensors[0] if len(tensors) == 1 else tuple(tensors)


def _resized(values: Any, size: int, axis: int, fill: Any) -> Any:
    axis %= values.ndim
    kept = values[(slice(None),) * axis + (slice(size),)]
    widths = [(0, size - kept.shape[axis]) if a == axis else (0, 0) for a in range(values.ndim)]
    return np.pad(kept, widths, constant_values=fill)


# --- counts ----------------------------------------------------------------------------------------------------------


def bincount(x: Any, weights: Any = None, minlength: Any = 0, sparse: bool = False) -> Any:
    """How often each integer occurs, or the sum of its weights; of a matrix, row by row. Of sparse ones the stored count."""
    x = convert_to_tensor(x)
    kind = tf.int32
    if weights is not None:
        weights = convert_to_tensor(weights)
        kind = result_type(x.dtype, weights.dtype)
        weights = weights if weights.dtype.is_floating else cast(weights, tf.int32)
    x = x if x.dtype in (tf.int32, tf.int64) else cast(x, tf.int32)
    count = tf.sparse.bincount if sparse or x.__class__ is tf.SparseTensor else tf.math.bincount
    counts: Any = count(x, weights=weights, minlength=minlength, axis=-1)
    return to_type(counts, kind)


def histogram(x: Any, bins: Any = 10, range: Any = None) -> Any:
    """How many elements fall into each of `bins` intervals of equal width, and their edges."""
    x = floats(x)
    values = tf.reshape(x, [-1])
    if range is None:
        low, high = tf.reduce_min(values), tf.reduce_max(values)
        if x.shape.num_elements() == 0:
            low, high = tf.zeros([], x.dtype), tf.ones([], x.dtype)
    else:
        low, high = (convert_to_tensor(v, x.dtype) for v in range)
        values = tf.boolean_mask(values, tf.logical_and(values >= low, values <= high))
    flat = tf.equal(low, high)
    low, high = tf.where(flat, low - 0.5, low), tf.where(flat, high + 0.5, high)
    edges = tnp.linspace(low, high, bins + 1)
    places = tf.searchsorted(edges, values, side="right") - 1
    places = tf.minimum(places, bins - 1)  # the last bin holds its right edge
    counts = tf.math.bincount(places, minlength=bins, maxlength=bins)
    return counts, edges


def vectorize(pyfunc: Any, *, excluded: Any = None, signature: Any = None) -> Any:
    """A function of scalars (or of what `signature` says) that takes tensors and is mapped over their axes."""
    return vectorize_impl(pyfunc, vectorized_map, excluded=excluded, signature=signature)
