"""Batches of a dataset's elements as sparse tensors: `Dataset.sparse_batch`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import nest
from ..base.errors import invalid
from ..base.shapes import TensorShape
from ..base.types import TensorLike
from ..values.tensor import Tensor, TensorSpec, from_array
from .tensor import SparseTensor, SparseTensorSpec, from_parts


def gathered(elements: list[Any], shape: TensorShape) -> Any:
    """The elements along a new first axis; sizes that the shape leaves open are those of the largest."""
    columns = zip(*(nest.flatten(element) for element in elements), strict=True)
    return nest.pack_sequence_as(elements[0], [_sparse(column, shape) for column in columns])


def _sparse(leaves: Any, shape: TensorShape) -> SparseTensor:
    places, values = [], []
    for number, leaf in enumerate(leaves):
        if not isinstance(leaf, Tensor):
            raise TypeError(f"sparse_batch: elements must be tensors, got {leaf!r}.")
        array = np.asarray(leaf._array)
        if not shape.rank == array.ndim or any(
            b is not None and a > b for a, b in zip(array.shape, shape, strict=True)
        ):
            raise invalid(f"sparse_batch: an element of shape {list(array.shape)} does not fit the row shape {shape}.")
        inner = np.indices(array.shape).reshape(array.ndim, -1).T
        places.append(np.insert(inner, 0, number, axis=1))
        values.append(array.reshape(-1))
    largest = np.max([leaf.shape for leaf in leaves], axis=0).tolist()
    sizes = [found if size is None else size for found, size in zip(largest, shape, strict=True)]
    return from_parts(np.concatenate(places), from_array(np.concatenate(values)), (len(leaves), *sizes))


def spec_of_batch(spec: TensorLike, size: int | None, shape: TensorShape) -> Any:
    """The specs of such batches."""

    def sparse(leaf: TensorSpec) -> SparseTensorSpec:
        return SparseTensorSpec((size, *shape), leaf.dtype)

    return nest.map_structure(sparse, spec)
