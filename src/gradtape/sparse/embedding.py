"""`tf.nn.embedding_lookup_sparse`: rows of an embedding, combined for each row of a sparse tensor of ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import math
from ..api import arrays, indexing
from ..api.clip import clip_by_norm
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..nn.sampled import whole_table
from ..values.tensor import from_array, to_tensor
from .tensor import as_sparse, places_of


def embedding_lookup_sparse(
    params: Any,
    sp_ids: object,
    sp_weights: object,
    combiner: str | None = None,
    max_norm: object = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """For each row of `sp_ids`, the rows of `params` that it names, summed or averaged with `sp_weights`.

    `combiner` is "mean" (the default), "sum" or "sqrtn" (the sum over the root of the sum of squared
    weights). The tape follows `params` and the weights. A row without ids gives zeros.
    """
    how = "mean" if combiner is None else combiner
    if how not in ("mean", "sum", "sqrtn"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner!r}.")
    table = whole_table(list(params) if isinstance(params, tuple) else params)
    ids = as_sparse(sp_ids, "embedding_lookup_sparse")
    numbers = places_of(ids)[:, 0]
    count = int(numbers.max()) + 1 if len(numbers) else 0
    rows_of = from_array(numbers)
    embeddings = indexing.gather(table, ids.values)
    if max_norm is not None:
        embeddings = clip_by_norm(embeddings, max_norm, axes=list(range(1, embeddings.ndim)))
    shape = (-1, *[1] * (embeddings.ndim - 1))
    if sp_weights is None:
        weights = arrays.ones([len(numbers)], embeddings.dtype)
    else:
        given = as_sparse(sp_weights, "embedding_lookup_sparse")
        if not np.array_equal(places_of(given), places_of(ids)):
            raise invalid("embedding_lookup_sparse: sp_ids and sp_weights must have values at the same places.")
        weights = to_tensor(given.values)
        if weights.dtype != embeddings.dtype:
            weights = math.cast(weights, embeddings.dtype)
    total = math.unsorted_segment_sum(embeddings * arrays.reshape(weights, shape), rows_of, count)
    if how == "sum":
        return total
    if how == "mean":
        scale = math.unsorted_segment_sum(weights, rows_of, count)
    else:
        scale = math.sqrt(math.unsorted_segment_sum(math.square(weights), rows_of, count))
    return math.divide_no_nan(total, arrays.reshape(scale, shape))


trace_public(globals())
