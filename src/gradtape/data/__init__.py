"""`tf.data`: input pipelines: elements from arrays, files or generators, changed, shuffled, batched and read ahead in steps.

`dataset.py` is what users see; the steps are nodes, in files by subject.
"""

from __future__ import annotations

from ..base.namespaces import listing
from ..trace.function import RETURNED
from . import experimental as experimental
from . import in_functions as in_functions
from .dataset import Dataset as Dataset
from .experimental import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from .experimental import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from .iterator import Iterator as Iterator
from .iterator import IteratorSpec as IteratorSpec
from .iterator import NumpyIterator as NumpyIterator
from .nested import DatasetSpec as DatasetSpec
from .options import Options as Options
from .options import ThreadingOptions as ThreadingOptions
from .readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from .readers import TextLineDataset as TextLineDataset
from .readers import TFRecordDataset as TFRecordDataset
from .transforms import AUTOTUNE as AUTOTUNE

__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "INFINITE_CARDINALITY",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "experimental",
]

__dir__ = listing(globals())
RETURNED.extend([Dataset, NumpyIterator])
