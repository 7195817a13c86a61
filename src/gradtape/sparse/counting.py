"""How often numbers occur, in the values of dense, sparse and ragged tensors: `tf.sparse.bincount`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import math
from ..api import arrays, indexing
from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import TensorLike
from ..op.arguments import optional_whole_number, takes, truth
from ..op.attributes import as_ints
from ..trace.composites import by_stand_ins
from ..values.tensor import from_array, to_tensor
from .tensor import SparseTensor, from_parts, places_of, sizes_of


@takes(minlength=optional_whole_number, maxlength=optional_whole_number, binary_output=truth)
def bincount(
    values: object,
    weights: TensorLike | None = None,
    axis: int = 0,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each integer occurs, or the sum of its weights: in all, or in each row.

    Of a sparse or ragged tensor the stored values count.

    >>> import gradtape as tf
    >>> tf.sparse.to_dense(tf.sparse.bincount([1, 1, 3])).numpy()
    array([0, 2, 0, 1], dtype=int32)
    >>> tf.sparse.to_dense(tf.sparse.bincount([[1, 1], [3, 0]], axis=-1)).numpy()
    array([[0, 2, 0, 0],
           [1, 0, 0, 1]], dtype=int32)

    Args:
        values: A tensor, SparseTensor or RaggedTensor of integers that are not negative.
        weights: What each counts, in the same form; 1 if None.
        axis: 0 for counts of all, -1 for counts of each row.
        minlength: The result has at least so many places.
        maxlength: Integers from here on are not counted.
        binary_output: Whether to say 1 for each integer that occurs, however often.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor whose place i has the count of i; with `axis=-1` one such row for each row.

    Raises:
        ValueError: `axis` is another.
        tf.errors.InvalidArgumentError: The values are not integers, or negative, or `binary_output` has weights.
    """
    if axis not in (0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if weights is not None and binary_output:
        raise invalid("bincount: binary_output and weights are mutually exclusive.")
    rows, flat, count = _rows(values, axis)
    if not flat.dtype.is_integer:
        raise invalid(f"bincount: values must be integers, got {flat.dtype!r}.")
    numbers = flat._array.astype(np.int64)
    if numbers.size and numbers.min() < 0:
        raise invalid(f"bincount: values must not be negative, got {numbers.min()}.")
    width = max(int(numbers.max()) + 1 if numbers.size else 0, 0 if minlength is None else as_ints(minlength)[0])
    if maxlength is not None:
        width = min(width, as_ints(maxlength)[0])
    inside = np.flatnonzero(numbers < width)
    present, inverse = np.unique(rows[inside] * width + numbers[inside], return_inverse=True)
    if weights is None:
        picks = arrays.ones([len(inside)], dtypes.int32)
    else:
        picks = indexing.gather(_weights(weights, values), from_array(inside))
    counts = math.unsorted_segment_sum(picks, from_array(inverse.reshape(-1)), len(present))
    if binary_output:
        counts = arrays.ones_like(counts)
    places = np.stack(np.divmod(present, max(width, 1)), axis=1)
    if count is None:
        return from_parts(places[:, 1:], counts, (width,))
    return from_parts(places, counts, (count, width))


def _rows(values: Any, axis: int) -> tuple[Array, Any, int | None]:
    """The row of each number, the numbers, and how many rows there are; None where all are counted together."""
    if isinstance(values, SparseTensor):
        sizes, flat, rows = sizes_of(values), values.values, places_of(values)[:, 0]
    elif hasattr(values.__class__, "value_rowids"):  # a ragged tensor
        sizes, flat, rows = tuple(values.shape), values.flat_values, values.value_rowids()._array
    else:
        x = to_tensor(values)
        sizes, flat = tuple(x.shape), arrays.reshape(x, (-1,))
        rows = np.repeat(np.arange(sizes[0] if sizes else 1), sizes[1] if len(sizes) == 2 else 1)
    if axis == 0 or len(sizes) < 2:
        return np.zeros(flat.shape[0], np.int64), flat, None
    if len(sizes) > 2:
        raise invalid(f"bincount: with axis=-1 at most two axes are possible, got shape {sizes}.")
    return rows, flat, sizes[0]


def _weights(weights: Any, values: Any) -> Any:
    """The weights, one for each number."""
    if isinstance(values, SparseTensor):
        if not isinstance(weights, SparseTensor) or not np.array_equal(places_of(weights), places_of(values)):
            raise invalid("bincount: weights of a sparse tensor must be one with values at the same places.")
        return weights.values
    if hasattr(values.__class__, "value_rowids"):
        if not hasattr(weights.__class__, "value_rowids") or weights.flat_values.shape != values.flat_values.shape:
            raise invalid("bincount: weights of a ragged tensor must be one with rows of the same lengths.")
        return weights.flat_values
    given, x = to_tensor(weights), to_tensor(values)
    if tuple(given.shape) != tuple(x.shape):
        raise invalid(f"bincount: weights of shape {given.shape} for values of shape {x.shape}.")
    return arrays.reshape(given, (-1,))


trace_public(globals(), on_abstract=by_stand_ins)
