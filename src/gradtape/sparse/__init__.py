"""`tf.sparse`: tensors that are mostly zero. Tapes follow the values; the places are integers."""

from __future__ import annotations

from ..base.namespaces import listing
from . import composite as composite
from .arithmetic import (
    add as add,
)
from .arithmetic import (
    map_values as map_values,
)
from .arithmetic import (
    maximum as maximum,
)
from .arithmetic import (
    minimum as minimum,
)
from .arithmetic import (
    reduce_max as reduce_max,
)
from .arithmetic import (
    reduce_sum as reduce_sum,
)
from .arithmetic import (
    segment_mean as segment_mean,
)
from .arithmetic import (
    segment_sqrt_n as segment_sqrt_n,
)
from .arithmetic import (
    segment_sum as segment_sum,
)
from .arithmetic import (
    softmax as softmax,
)
from .arithmetic import (
    sparse_dense_matmul as sparse_dense_matmul,
)
from .counting import bincount as bincount
from .crossing import cross as cross
from .crossing import cross_hashed as cross_hashed
from .layout import concat as concat
from .layout import expand_dims as expand_dims
from .layout import eye as eye
from .layout import fill_empty_rows as fill_empty_rows
from .layout import from_dense as from_dense
from .layout import mask as mask
from .layout import reorder as reorder
from .layout import reset_shape as reset_shape
from .layout import reshape as reshape
from .layout import retain as retain
from .layout import slice as slice
from .layout import split as split
from .layout import to_dense as to_dense
from .layout import to_indicator as to_indicator
from .layout import transpose as transpose
from .tensor import SparseTensor as SparseTensor
from .tensor import SparseTensorSpec as SparseTensorSpec

__dir__ = listing(globals())
