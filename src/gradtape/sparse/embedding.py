"""`tf.nn.embedding_lookup_sparse`: rows of an embedding, combined for each row of a sparse tensor of ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import math
from ..api import arrays, indexing, layout
from ..api.clip import clip_by_norm
from ..base.errors import invalid
from ..base.sizes import UNKNOWN
from ..base.traceable import shaped, trace_public
from ..nn.sampled import whole_table
from ..op.abstract import Abstract
from ..trace.abstract_tensor import abstract_of
from ..trace.composites import by_stand_ins
from ..values.tensor import Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .tensor import as_sparse, places_of


def _look(params: object, ids: object, *args: object, **kwargs: object) -> Abstract:
    """Rows of the table; their number is found in the ids."""
    return _rows(params, (UNKNOWN,))


def _look_of_safe(embedding_weights: object, sparse_ids: Any, *args: object, **kwargs: object) -> Abstract:
    """Rows of the table in place of the last axis of the ids."""
    shape = sparse_ids.shape
    if shape.rank is None:
        return Abstract(None, _rows(embedding_weights, ()).dtype)
    return _rows(embedding_weights, tuple([UNKNOWN if size is None else size for size in shape[:-1]]))


def _rows(params: Any, lead: tuple[Any, ...]) -> Abstract:
    part = params[0] if isinstance(params, (list, tuple)) else params
    table = abstract_of(part._read() if isinstance(part, Variable) else to_tensor(part))
    return Abstract(None if table.known is None else (*lead, *table.known[1:]), table.dtype)


@shaped(_look)
def embedding_lookup_sparse(
    params: object,
    sp_ids: object,
    sp_weights: object,
    combiner: str | None = None,
    max_norm: object = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """For each row of ids, the rows of a table that it names, put together to one; the tape follows table and weights.

    >>> import gradtape as tf
    >>> table = tf.constant([[1.0, 1.0], [2.0, 0.0], [0.0, 4.0]])
    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 2], [2, 2])
    >>> tf.nn.embedding_lookup_sparse(table, ids, None, combiner="mean").numpy()
    array([[1.5, 0.5],
           [0. , 4. ]], dtype=float32)

    Args:
        params: The table: a tensor whose first axis the ids count, or a list of its parts.
        sp_ids: A SparseTensor of integers, or a RaggedTensor.
        sp_weights: The weight of each id, at the same places; None for equal ones.
        combiner: "sum", "mean" (over the sum of the weights; the default) or "sqrtn" (over the root of the sum of their squares).
        max_norm: The largest norm of a row of the table: a longer one is scaled down. None for any.
        name: Ignored; accepted for compatibility with TensorFlow.
        allow_fast_lookup: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with one row for each row of ids up to the last that has one; zeros for rows without ids.

    Raises:
        ValueError: The combiner is another word.
        tf.errors.InvalidArgumentError: Ids and weights are at different places, or an id has no row.
    """
    how = "mean" if combiner is None else combiner
    if how not in ("mean", "sum", "sqrtn"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}.")
    table = whole_table(list(params) if isinstance(params, tuple) else params)
    ids = _sparse(sp_ids)
    places = places_of(ids)
    numbers = places[:, 0]
    weights = None
    if sp_weights is not None:
        given = _sparse(sp_weights)
        if not np.array_equal(places_of(given), places):
            raise invalid("embedding_lookup_sparse: sp_ids and sp_weights must have values at the same places.")
        weights = to_tensor(given.values)
    count = int(numbers.max()) + 1 if len(numbers) else 0
    return _combined(indexing.gather(table, ids.values), numbers, weights, count, how, max_norm)


def _sparse(value: object) -> Any:
    """A sparse tensor; a ragged one as the sparse one of the same elements."""
    return as_sparse(value.to_sparse() if hasattr(value, "to_sparse") else value, "embedding_lookup_sparse")


def _combined(embeddings: Any, numbers: Any, weights: Any, count: int, how: str, max_norm: Any) -> Any:
    """For each number below `count`, its embeddings put together by their weights."""
    if max_norm is not None:
        embeddings = clip_by_norm(embeddings, max_norm, axes=list(range(1, embeddings.ndim)))
    shape = (-1, *[1] * (embeddings.ndim - 1))
    if weights is None:
        weights = arrays.ones([len(numbers)], embeddings.dtype)
    elif weights.dtype != embeddings.dtype:
        weights = math.cast(weights, embeddings.dtype)
    rows_of = from_array(numbers)
    total = math.unsorted_segment_sum(embeddings * arrays.reshape(weights, shape), rows_of, count)
    if how == "sum":
        return total
    if how == "mean":
        scale = math.unsorted_segment_sum(weights, rows_of, count)
    else:
        scale = math.sqrt(math.unsorted_segment_sum(math.square(weights), rows_of, count))
    return math.divide_no_nan(total, arrays.reshape(scale, shape))


@shaped(_look_of_safe)
def safe_embedding_lookup_sparse(
    embedding_weights: object,
    sparse_ids: object,
    sparse_weights: object = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: object = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """As `embedding_lookup_sparse`, without ids below 0 and, unless summed, weights that are not positive.

    A row in which nothing is left is that of `default_id`, or zeros. The last axis of the ids is the one that is combined.
    """
    if combiner not in ("mean", "sum", "sqrtn"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}.")
    table = whole_table(list(embedding_weights) if isinstance(embedding_weights, tuple) else embedding_weights)
    ids = _sparse(sparse_ids)
    values = np.asarray(to_tensor(ids.values)._array)
    lead = tuple(int(size) for size in np.asarray(to_tensor(ids.dense_shape)._array)[:-1])
    count = int(np.prod(lead))
    numbers = np.ravel_multi_index(tuple(places_of(ids)[:, :-1].T), lead) if len(values) else np.zeros(0, np.int64)
    weights = None if sparse_weights is None else to_tensor(_sparse(sparse_weights).values)
    kept = values >= 0
    if weights is not None and combiner != "sum":
        kept &= np.asarray(weights._array) > 0
    numbers, values = numbers[kept], values[kept]
    weights = None if weights is None else indexing.boolean_mask(weights, kept)
    if default_id is not None:
        missing = np.setdiff1d(np.arange(count), numbers)
        numbers, values = (
            np.append(numbers, missing),
            np.append(values, np.full(len(missing), default_id, values.dtype)),
        )
        weights = None if weights is None else layout.concat([weights, arrays.ones([len(missing)], weights.dtype)], 0)
    found = _combined(indexing.gather(table, values), numbers.astype(np.int64), weights, count, combiner, max_norm)
    return arrays.reshape(found, (*lead, *found.shape[1:]))


trace_public(globals(), on_abstract=by_stand_ins)
