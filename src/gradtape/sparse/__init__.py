"""`tf.sparse`: tensors that are mostly zero. Tapes follow the values; the places are integers."""

from __future__ import annotations

from .arithmetic import (
    add as add,
    bincount as bincount,
    map_values as map_values,
    maximum as maximum,
    minimum as minimum,
    reduce_max as reduce_max,
    reduce_sum as reduce_sum,
    segment_mean as segment_mean,
    segment_sqrt_n as segment_sqrt_n,
    segment_sum as segment_sum,
    softmax as softmax,
    sparse_dense_matmul as sparse_dense_matmul,
)
from .layout import (
    concat as concat,
    expand_dims as expand_dims,
    eye as eye,
    fill_empty_rows as fill_empty_rows,
    from_dense as from_dense,
    mask as mask,
    reorder as reorder,
    reset_shape as reset_shape,
    reshape as reshape,
    retain as retain,
    slice as slice,
    split as split,
    to_dense as to_dense,
    to_indicator as to_indicator,
    transpose as transpose,
)
from .tensor import SparseTensor as SparseTensor
from .tensor import SparseTensorSpec as SparseTensorSpec
