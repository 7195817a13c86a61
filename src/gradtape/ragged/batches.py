"""Batches of a dataset's elements as ragged tensors: `Dataset.ragged_batch`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import nest
from ..base.dtypes import DType
from ..base.errors import invalid
from ..base.types import TensorLike
from ..values.tensor import Tensor, TensorSpec, from_array
from .spec import RaggedTensorSpec
from .tensor import RaggedTensor, stacked_rows


def gathered(elements: list[Any], splits: DType) -> Any:
    """The elements along a new first axis: tensors where they have no axes, ragged tensors elsewhere."""
    columns = zip(*(nest.flatten(element) for element in elements), strict=True)
    return nest.pack_sequence_as(elements[0], [_batch(list(column), splits) for column in columns])


def _batch(leaves: list[Any], splits: DType) -> Any:
    if all(isinstance(leaf, Tensor) and not leaf.ndim for leaf in leaves):
        return from_array(np.array([leaf._array[()] for leaf in leaves], leaves[0]._array.dtype))
    ranks = {len(leaf.shape) for leaf in leaves}
    if len(ranks) > 1:
        raise invalid(f"ragged_batch: all elements must have one rank, got {sorted(ranks)}.")
    rows = [RaggedTensor.from_tensor(leaf) if isinstance(leaf, Tensor) and leaf.ndim > 1 else leaf for leaf in leaves]
    return stacked_rows(rows).with_row_splits_dtype(splits)


def spec_of_batch(spec: TensorLike, size: int | None, splits: DType) -> Any:
    """The specs of such batches."""

    def batched(leaf: Any) -> Any:
        if isinstance(leaf, TensorSpec) and leaf.shape.rank == 0:
            return TensorSpec((size,), leaf.dtype)
        return RaggedTensorSpec((size, *([None] * len(leaf.shape))), leaf.dtype, row_splits_dtype=splits)

    return nest.map_structure(batched, spec)
