"""Adding rows up where they belong: what gradients of lookups and sums of segments are made of."""

from __future__ import annotations

import numpy as np

from ...base.dtypes import NARROW_FLOATS, Array

_LARGE = 2**15


def add_rows(rows: Array, positions: Array, count: int) -> Array:
    """`count` rows of zeros, with each given row added at its position; rows with the same position add up."""
    wide = rows.astype(np.float32) if rows.dtype in NARROW_FLOATS else rows
    if rows.size < _LARGE or wide.dtype.kind not in "fc":
        total = np.zeros((count, *rows.shape[1:]), wide.dtype)
        np.add.at(total, positions, wide)
    else:  # a product with a sparse matrix: ten times as fast as np.add.at
        from scipy.sparse import csc_array

        ones = np.ones(len(positions), wide.dtype)
        places = csc_array((ones, positions, np.arange(len(positions) + 1)), shape=(count, len(positions)))
        total = (places @ wide.reshape(len(positions), -1)).reshape(count, *rows.shape[1:])
    return total.astype(rows.dtype, copy=False)
