"""The length of a cotangent, whatever holds its numbers."""

from __future__ import annotations

import numpy as np

from ..native.background import Product
from ..values.tensor import EagerTensor, IndexedSlices


def norm_of(cotangent: object) -> float:
    """The Euclidean norm of a cotangent, or of the cotangents of all results of an op together."""
    parts = cotangent if isinstance(cotangent, (list, tuple)) else [cotangent]
    return float(np.sqrt(sum(_square(part) for part in parts if part is not None)))


def _square(part: object) -> float:
    part = part.value() if part.__class__ is Product else part
    part = part.values if isinstance(part, IndexedSlices) else part
    array = np.abs(np.asarray(part._array if part.__class__ is EagerTensor else part))
    return float(np.sum(np.square(array, dtype=np.float64)))
