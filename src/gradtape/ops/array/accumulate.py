"""Rows added at given positions: the basis of gradients of lookups and of segment sums."""

from __future__ import annotations

import numpy as np

from ...base.dtypes import NARROW_FLOATS, Array
from ...native import thresholds
from ...native.choice import by_size


def _one_by_one(rows: Array, positions: Array, count: int) -> Array:
    total = np.zeros((count, *rows.shape[1:]), rows.dtype)
    np.add.at(total, positions, rows)
    return total


def _by_product(rows: Array, positions: Array, count: int) -> Array:
    """A product with a sparse matrix: ten times as fast as np.add.at."""
    if rows.dtype.kind not in "fc":
        return _one_by_one(rows, positions, count)
    from scipy.sparse import csc_array

    ones = np.ones(len(positions), rows.dtype)
    places = csc_array((ones, positions, np.arange(len(positions) + 1)), shape=(count, len(positions)))
    return (places @ rows.reshape(len(positions), -1)).reshape(count, *rows.shape[1:])


_added = by_size(_one_by_one, _by_product, thresholds.SCATTER_ELEMENTS)


def add_rows(rows: Array, positions: Array, count: int) -> Array:
    """`count` rows of zeros, with each given row added at its position; rows with the same position add up."""
    wide = rows.astype(np.float32) if rows.dtype in NARROW_FLOATS else rows
    return _added(wide, positions, count).astype(rows.dtype, copy=False)
