"""`tf.ragged`: tensors whose rows have different lengths."""

from __future__ import annotations

from ..base.namespaces import listing
from . import composite as composite
from . import dynamic_shape as dynamic_shape
from . import indexing as indexing
from . import overrides as overrides
from .functions import boolean_mask as boolean_mask
from .functions import constant as constant
from .functions import cross as cross
from .functions import cross_hashed as cross_hashed
from .functions import map_flat_values as map_flat_values
from .functions import range_of as _range_of
from .functions import row_splits_to_segment_ids as row_splits_to_segment_ids
from .functions import segment_ids_to_row_splits as segment_ids_to_row_splits
from .functions import stack as stack
from .functions import stack_dynamic_partitions as stack_dynamic_partitions
from .spec import RaggedTensorSpec as RaggedTensorSpec
from .tensor import RaggedTensor as RaggedTensor

range = _range_of

__dir__ = listing(globals())
