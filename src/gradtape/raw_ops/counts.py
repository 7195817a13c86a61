"""Kernels that count how often numbers occur: in all values or in each row of a dense, sparse or ragged tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import math
from ..api import arrays, indexing, layout
from ..base import dtypes
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import TensorLike
from ..op.attributes import as_int
from ..ragged.tensor import RaggedTensor
from ..sparse import counting
from ..sparse.tensor import SparseTensor, check_places
from ..values.tensor import EagerTensor, to_tensor


class _Counts(NamedTuple):
    output_indices: Any
    output_values: Any
    output_dense_shape: Any


def _counted(values: Any, rows: Any, count: int | None, size: TensorLike, weights: TensorLike, binary: bool) -> Any:
    """For each of `count` rows (None: one result for all) how often each number below `size` is there."""
    given, bound = to_tensor(weights), to_tensor(size)
    if bound.ndim:
        raise invalid(
            f"Shape must be rank 0 but is rank {bound.ndim}: the size is one number, got shape {bound.shape}."
        )
    length = as_int(bound)
    numbers = math.cast(arrays.reshape(to_tensor(values), (-1,)), dtypes.int64)
    if isinstance(numbers, EagerTensor) and (numbers._array < 0).any():
        raise invalid("Input must be non-negative: only numbers from 0 on are counted.")
    own = given.shape.num_elements() and not binary
    if own and given.shape.num_elements() != numbers.shape.num_elements():
        raise invalid(f"There are weights of shape {given.shape} for {numbers.shape[0]} values.")
    parts = arrays.reshape(given, (-1,)) if own else arrays.ones_like(numbers, given.dtype)
    first = 0 if count is None else math.cast(rows, dtypes.int64) * length
    places = indexing.where(numbers < length, first + numbers, -1)  # (-1 is left out)
    found = math.unsorted_segment_sum(parts, places, length * (1 if count is None else count))
    found = math.minimum(found, arrays.ones_like(found)) if binary else found
    return found if count is None else arrays.reshape(found, (count, length))


def Bincount(arr: TensorLike, size: TensorLike, weights: TensorLike, name: str | None = None) -> Any:
    """How often each number below `size` is there, or the sum of its weights; in the type of the weights."""
    return _counted(arr, None, None, size, weights, False)


def DenseBincount(
    input: TensorLike, size: TensorLike, weights: TensorLike, binary_output: bool = False, name: str | None = None
) -> Any:
    """How often each number below `size` is there, in each row; in the type of the weights."""
    values = to_tensor(input)
    if values.ndim > 2:
        raise invalid(
            f"Shape must be at most rank 2 but is rank {values.ndim}: a vector or a matrix of numbers is counted."
        )
    if values.ndim < 2:
        return _counted(values, None, None, size, weights, binary_output)
    count, width = values.shape
    return _counted(values, layout.repeat(arrays.range(count), width), count, size, weights, binary_output)


def RaggedBincount(
    splits: TensorLike,
    values: TensorLike,
    size: TensorLike,
    weights: TensorLike,
    binary_output: bool = False,
    name: str | None = None,
) -> Any:
    """How often each number below `size` is there, in each row; in the type of the weights."""
    places = to_tensor(splits, dtypes.int64)
    if not places.shape.num_elements():
        raise invalid("Splits must be non-empty: they begin with 0.")
    ragged = RaggedTensor.from_row_splits(to_tensor(values), places)
    return _counted(ragged.values, ragged.value_rowids(), int(places.shape[0]) - 1, size, weights, binary_output)


def SparseBincount(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    size: TensorLike,
    weights: TensorLike,
    binary_output: bool = False,
    name: str | None = None,
) -> Any:
    """How often each number below `size` is among the values, in each row; in the type of the weights."""
    given = SparseTensor(indices, values, dense_shape)
    check_places(given, "SparseBincount")
    if given.indices.shape[1] == 1:
        return _counted(given.values, None, None, size, weights, binary_output)
    return _counted(given.values, given.indices[:, 0], as_int(given.dense_shape[0]), size, weights, binary_output)


def _sparse_counts(values: Any, weights: Any, minlength: int, maxlength: int, binary: bool) -> _Counts:
    own = to_tensor(weights).shape.num_elements() and not binary
    if not own:
        beside: Any = None
    elif isinstance(values, SparseTensor):
        beside = values.with_values(weights)
    else:
        beside = values.with_flat_values(to_tensor(weights)) if isinstance(values, RaggedTensor) else weights
    least, most = (None if length < 0 else length for length in (minlength, maxlength))
    found = counting.bincount(values, beside, 0 if values.shape.rank == 1 else -1, least, most, binary_output=binary)
    if not own:
        found = found.with_values(math.cast(found.values, to_tensor(weights).dtype))
    return _Counts(found.indices, found.values, found.dense_shape)


def DenseCountSparseOutput(
    values: TensorLike,
    weights: TensorLike,
    binary_output: bool,
    minlength: int = -1,
    maxlength: int = -1,
    name: str | None = None,
) -> _Counts:
    """How often each number is there, in each row, as the parts of a sparse tensor."""
    return _sparse_counts(to_tensor(values), weights, minlength, maxlength, binary_output)


def SparseCountSparseOutput(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    weights: TensorLike,
    binary_output: bool,
    minlength: int = -1,
    maxlength: int = -1,
    name: str | None = None,
) -> _Counts:
    """How often each number is among the values, in each row, as the parts of a sparse tensor."""
    return _sparse_counts(SparseTensor(indices, values, dense_shape), weights, minlength, maxlength, binary_output)


def RaggedCountSparseOutput(
    splits: TensorLike,
    values: TensorLike,
    weights: TensorLike,
    binary_output: bool,
    minlength: int = -1,
    maxlength: int = -1,
    name: str | None = None,
) -> _Counts:
    """How often each number is there, in each row, as the parts of a sparse tensor."""
    ragged = RaggedTensor.from_row_splits(to_tensor(values), to_tensor(splits, dtypes.int64))
    return _sparse_counts(ragged, weights, minlength, maxlength, binary_output)


trace_public(globals())
