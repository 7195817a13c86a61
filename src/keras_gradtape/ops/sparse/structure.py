"""Sums, layouts and lookups of sparse operands. `function` is the op on dense tensors."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import gradtape as tf
from gradtape.sparse.tensor import from_parts, places_of, sizes_of

from ..promotion import all_together, floats, sum_type, to_type
from .places import axes_of, dense, is_sparse, shape_of, with_values

Function = Callable[..., Any]


# --- sums ------------------------------------------------------------------------------------------------------------


def sum(function: Function, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sum over some axes, or all. A sparse tensor stays sparse; slices stay slices unless the row axis is summed."""
    axes = axes_of(axis, len(shape_of(x)))
    x = with_values(x, to_type(x.values, sum_type(x.dtype)))
    if not axes:
        return x
    if x.__class__ is tf.SparseTensor:
        return tf.sparse.reduce_sum(x, axes, keepdims, output_is_sparse=True)
    total = tf.reduce_sum(x.values, axes, keepdims)
    if 0 in axes:
        return total
    kept = [1 if a in axes else n for a, n in enumerate(shape_of(x)) if keepdims or a not in axes]
    rows = tf.IndexedSlices(total, x.indices, kept)
    return rows if len(kept) > 1 else tf.convert_to_tensor(rows)


def mean(function: Function, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean over some axes, or all; zeros count."""
    sizes = shape_of(x)
    count = math.prod(sizes[a] for a in axes_of(axis, len(sizes)))
    return sum(function, with_values(x, floats(x.values) / count), axis, keepdims)


# --- layout: of sparse tensors; slices of rows are made dense -----------------------------------------------------------


def reshape(function: Function, x: Any, newshape: Any) -> Any:
    """The same elements in another shape."""
    if x.__class__ is tf.IndexedSlices:
        return function(dense(x), newshape)
    return tf.sparse.reshape(x, newshape)


def transpose(function: Function, x: Any, axes: Any = None) -> Any:
    """The axes in another order, the reverse if none is given."""
    if x.__class__ is tf.IndexedSlices:
        return function(dense(x), axes)
    return tf.sparse.transpose(x, [a % len(x.shape) for a in axes] if axes else None)


def expand_dims(function: Function, x: Any, axis: Any) -> Any:
    """With new axes of size 1."""
    if x.__class__ is tf.IndexedSlices:
        return function(dense(x), axis)
    rank = len(x.shape) + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    for place in axes_of(axis, rank):
        x = tf.sparse.expand_dims(x, place)
    return x


def squeeze(function: Function, x: Any, axis: Any = None) -> Any:
    """Without some axes of size 1, or all of them."""
    if x.__class__ is tf.IndexedSlices:
        return function(dense(x), axis)
    sizes = sizes_of(x)
    gone = axes_of(axis, len(sizes)) if axis is not None else [a for a, n in enumerate(sizes) if n == 1]
    for a in gone:
        if sizes[a] != 1:
            raise ValueError(f"Cannot squeeze axis={a}, because the dimension is not 1: the shape is {sizes}.")
    kept = [a for a in range(len(sizes)) if a not in gone]
    return from_parts(places_of(x)[:, kept], x.values, [sizes[a] for a in kept])


def concatenate(function: Function, xs: Any, axis: Any = 0) -> Any:
    """One after the other along an axis: sparse if all are, else dense. (`xs` may mix sparse and dense tensors.)"""
    if not builtins.any(map(is_sparse, xs)):
        return function(xs, axis)
    if builtins.any(x.__class__ is not tf.SparseTensor for x in xs):
        return function([dense(x) for x in xs], axis)
    values = all_together([x.values for x in xs])
    return tf.sparse.concat(axis, [with_values(x, part) for x, part in zip(xs, values, strict=True)])


# --- lookups ----------------------------------------------------------------------------------------------------------


def take(function: Function, x: Any, indices: Any, axis: Any = None) -> Any:
    """Elements at sparse indices; a missing index counts as 0, as it would in a dense tensor."""
    return function(dense(x), dense(indices), axis)
