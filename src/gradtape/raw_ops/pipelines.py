"""What the rows of `more_rows.py` call of datasets, tables and optional values."""

from __future__ import annotations

import sys
from typing import Any

from ..api.arrays import zeros
from ..base import dtypes
from ..base.types import DTypeLike
from ..op.attributes import as_int, as_ints


def _v2() -> Any:
    return sys.modules["gradtape"]


def numbers(start: Any, stop: Any, step: Any, output_types: Any) -> Any:
    """A dataset of whole numbers."""
    return _v2().data.Dataset.range(as_int(start), as_int(stop), as_int(step), output_type=next(iter(output_types)))


def table(key_dtype: DTypeLike, value_dtype: DTypeLike) -> Any:
    """A table that takes entries; a key that is not there is asked for with the default of each call."""
    kind = dtypes.as_dtype(value_dtype)
    return _v2().lookup.experimental.MutableHashTable(key_dtype, kind, zeros([], kind))


def dense_table(empty_key: Any, deleted_key: Any, value_dtype: DTypeLike, value_shape: Any) -> Any:
    """A table with a key that means empty and one that means deleted."""
    kind = dtypes.as_dtype(value_dtype)
    key = _v2().convert_to_tensor(empty_key)
    return _v2().lookup.experimental.DenseHashTable(
        key.dtype, kind, zeros(as_ints(value_shape), kind), empty_key, deleted_key
    )


def replaced(table_handle: Any, keys: Any, values: Any) -> None:
    """The table holds these entries alone."""
    known, _ = table_handle.export()
    table_handle.remove(known)
    table_handle.insert(keys, values)


def value_of_optional(optional: Any) -> list[Any]:
    """The parts of an optional value."""
    found: list[Any] = _v2().nest.flatten(optional.get_value())
    return found


def nothing() -> Any:
    """The optional value without a value."""
    return _v2().experimental.Optional.empty(_v2().TensorSpec([], "float32"))


def element(dataset: Any, index: Any) -> list[Any]:
    """The parts of one element of a dataset."""
    return _parts(_v2().data.experimental.at(dataset, index))


def dequeued(handle: Any) -> list[Any]:
    """The parts of one element of a queue."""
    return _parts(handle.dequeue())


def dequeued_many(handle: Any, n: Any) -> list[Any]:
    """The parts of several elements of a queue."""
    return _parts(handle.dequeue_many(n))


def dequeued_up_to(handle: Any, n: Any) -> list[Any]:
    """The parts of as many elements as a closed queue has left."""
    return _parts(handle.dequeue_up_to(n))


def _parts(found: Any) -> list[Any]:
    parts: list[Any] = _v2().nest.flatten(found)
    return parts
