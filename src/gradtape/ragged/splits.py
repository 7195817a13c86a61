"""Row splits, and the other ways to say where the rows of a ragged tensor begin: made of one another, and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import TensorTypeError, invalid, unfit
from ..base.memory import repeated
from ..base.traceable import traceable
from ..op.attributes import as_int
from ..trace.control import effect_on_abstract
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable

if TYPE_CHECKING:
    from ..base.types import IntLike, TensorLike
    from .tensor import RaggedTensor

# Each of these is a step of a traced function whose parts are known only when it runs.


def check_splits(splits: Tensor) -> None:
    array = splits._array
    if not array.size or array[0] != 0:
        raise invalid(f"RaggedTensor: row_splits must begin with 0, got {array.tolist()[:5]}.")
    if (array[1:] < array[:-1]).any():
        raise invalid(f"RaggedTensor: row_splits must not decrease, got {array.tolist()}.")


def check_lengths(lengths: TensorLike) -> None:
    array = np.asarray(lengths)
    if (array < 0).any():
        raise invalid(f"RaggedTensor: lengths of rows must not be negative, got {array.tolist()}.")


def check_rowids(ids: Tensor, nrows: IntLike) -> None:
    array, count = ids._array, as_int(nrows)
    if count < 0 or (array.size and ((array[1:] < array[:-1]).any() or array[0] < 0 or array[-1] >= count)):
        raise invalid(
            f"RaggedTensor: value_rowids must not decrease and be from 0 to {count - 1}, got {array.tolist()}."
        )


def check_count(splits: Tensor, count: IntLike) -> None:
    end, given = int(splits._array[-1]), as_int(count)
    if end != given:
        raise unfit(f"RaggedTensor: the rows have {end} values in all, but {given} were given.")


check_splits = traceable(check_splits, on_abstract=effect_on_abstract)
check_lengths = traceable(check_lengths, on_abstract=effect_on_abstract)
check_rowids = traceable(check_rowids, on_abstract=effect_on_abstract)
check_count = traceable(check_count, on_abstract=effect_on_abstract)


def integers(value: TensorLike, what: str) -> Any:
    """A vector of int32 or int64; Python's integers are int64."""
    tensor = to_tensor(value)
    if not isinstance(value, (Tensor, Variable, np.ndarray)) and (
        tensor.dtype.is_integer or not tensor.shape.num_elements()
    ):
        tensor = to_tensor(value, dtypes.int64)
    if tensor.dtype not in (dtypes.int32, dtypes.int64) or tensor.ndim != 1:
        message = (
            f"RaggedTensor: {what} must be a vector of int32 or int64, got {tensor.dtype.name} of shape {tensor.shape}."
        )
        raise TensorTypeError(None, None, message)
    return tensor


def splits_of(lengths: Array) -> Array:
    """Where rows of these lengths begin, and where the last one ends."""
    return np.concatenate((np.zeros(1, lengths.dtype), np.cumsum(lengths, dtype=lengths.dtype)))


def lengths_of(ragged: RaggedTensor) -> Array:
    """The length of each row as an array."""
    return np.diff(ragged.row_splits._array)


def ranges(starts: Array, lengths: Array) -> Array:
    """The numbers from each start, as many as its length, one run after the other."""
    ends = np.cumsum(lengths)
    return repeated("ranges", starts - (ends - lengths), lengths) + np.arange(int(ends[-1]) if len(ends) else 0)
