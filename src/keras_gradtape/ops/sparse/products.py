"""`matmul` where an operand is sparse, with any number of batch axes. A result is sparse if both operands are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.sparse.tensor import from_parts, places_at, places_of, sizes_of
from gradtape.values.tensor import from_array

from ..core import cast, convert_to_tensor
from ..promotion import result_type
from .places import dense


def matmul(function: Callable[..., Any], x1: Any, x2: Any) -> Any:
    """x1 @ x2. A batch of matrices becomes one block-diagonal matrix, so that a single product suffices."""
    x1, x2 = (convert_to_tensor(dense(x) if x.__class__ is tf.IndexedSlices else x) for x in (x1, x2))
    sparse = [x.__class__ is tf.SparseTensor for x in (x1, x2)]
    left, right = tuple(x1.shape), tuple(x2.shape)
    if (
        sparse == [True, False] and len(left) > len(right) == 2
    ):  # one kernel for the whole batch: reshape the batch to one tall matrix
        rows = matmul(function, tf.sparse.reshape(x1, (math.prod(left[:-1]), left[-1])), x2)
        return tf.reshape(rows, (*left[:-1], right[-1]))
    if len(left) < 2 or len(right) < 2 or left[:-2] != right[:-2]:
        return function(dense(x1), dense(x2))
    if left[-1] != right[-2]:
        raise ValueError(
            f"matmul: inner sizes differ: {left[-1]} of x1, of shape {left}, and {right[-2]} of x2, {right}."
        )
    kind = result_type(x1.dtype, x2.dtype)
    x1, x2 = cast(x1, kind), cast(x2, kind)
    if all(sparse):
        return _of_two_sparse(x1, x2)
    return _sparse_dense(x1, x2) if sparse[0] else _transposed(_sparse_dense(_transposed(x2), _transposed(x1)))


def _sparse_dense(sp: Any, other: Any) -> Any:
    *batch, rows, inner = sizes_of(sp)
    columns = other.shape[-1]
    if not batch:
        # Gather only the rows that are multiplied by a value: the gradient of the dense matrix is slices, as in TensorFlow.
        met, positions = np.unique(places_of(sp)[:, 1], return_inverse=True)
        places = np.stack([places_of(sp)[:, 0], positions.reshape(-1)], axis=1)
        return tf.sparse.sparse_dense_matmul(from_parts(places, sp.values, (rows, len(met))), tf.gather(other, met))
    count = math.prod(batch)
    blocks = from_parts(_block_places(sp), sp.values, (count * rows, count * inner))
    product = tf.sparse.sparse_dense_matmul(blocks, tf.reshape(other, [count * inner, columns]))
    return tf.reshape(product, [*batch, rows, columns])


def _block_places(sp: Any) -> Any:
    """The positions in the block-diagonal matrix of a batch."""
    *batch, rows, columns = sizes_of(sp)
    places = places_of(sp)
    number = np.ravel_multi_index(tuple(places[:, :-2].T), batch) if batch else 0
    return np.stack([places[:, -2] + number * rows, places[:, -1] + number * columns], axis=1)


def _transposed(x: Any) -> Any:
    axes = [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2]
    return tf.sparse.transpose(x, axes) if x.__class__ is tf.SparseTensor else tf.transpose(x, axes)


def _of_two_sparse(a: Any, b: Any) -> Any:
    """Multiply each value of `a` in column k by the values of `b` in row k; products at the same position are summed."""
    *batch, rows, _ = sizes_of(a)
    columns = sizes_of(b)[-1]
    left, right = _block_places(a), _block_places(b)
    order = np.argsort(right[:, 0], kind="stable")
    starts, ends = (np.searchsorted(right[order, 0], left[:, 1], side) for side in ("left", "right"))
    met = ends - starts
    first = np.repeat(np.arange(len(left)), met)
    second = order[np.arange(met.sum()) - np.repeat(np.cumsum(met) - met, met) + np.repeat(starts, met)]
    # (The row of the block-diagonal result identifies the block, so the column within the block is enough.)
    found, positions = np.unique(left[first, 0] * columns + right[second, 1] % max(columns, 1), return_inverse=True)
    products = tf.gather(a.values, first) * tf.gather(b.values, second)
    values = tf.math.unsorted_segment_sum(products, from_array(positions.reshape(-1)), len(found))
    sizes = (*batch, rows, columns)
    return from_parts(places_at(found, sizes), values, sizes)
