"""Indexing of ragged tensors: `rt[2]`, `rt[1:]`, `rt[:, :2]`. Importing this gives them their `__getitem__`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.errors import invalid
from ..base.traceable import traceable
from ..base.types import TensorLike
from ..op.attributes import as_int
from ..trace.composites import by_stand_ins
from ..values.tensor import Tensor, from_array
from .splits import lengths_of, splits_of
from .tensor import RaggedTensor, take_rows


def getitem(self: RaggedTensor, key: Sequence[TensorLike]) -> Any:
    """`self[key]`."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if Ellipsis in [part for part in keys if not isinstance(part, (Tensor, np.ndarray))]:
        place = next(number for number, part in enumerate(keys) if part is Ellipsis)
        missing = len(self.shape) - (len(keys) - 1)
        keys = [*keys[:place], *([slice(None)] * missing), *keys[place + 1 :]]
    return _indexed(self, keys)


def _indexed(value: Any, keys: list[Any]) -> Any:
    """`value[keys]`, for a tensor or a ragged tensor."""
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[tuple(keys)]
    first, rest = keys[0], keys[1:]
    count = value._row_count()
    if isinstance(first, slice):
        bounds = [None if part is None else as_int(part) for part in (first.start, first.stop, first.step)]
        chosen = np.arange(count)[slice(*bounds)]
        whole = first == slice(None) or (len(chosen) == count and bounds[2] in (None, 1))
        rows = value if whole else take_rows(value, chosen)
        return _inside(rows, rest)
    if first is None:
        return RaggedTensor.from_uniform_row_length(_indexed(value, rest), count, nrows=1)
    index = as_int(first)
    place = index + count if index < 0 else index
    if not 0 <= place < count:
        raise invalid(f"RaggedTensor: row {index} of {count} rows: out of bounds.")
    start, stop = value.row_splits._array[place : place + 2].tolist()
    inner = value.values
    row = take_rows(inner, np.arange(start, stop)) if isinstance(inner, RaggedTensor) else inner[start:stop]
    return _indexed(row, rest)


def _inside(rows: RaggedTensor, keys: list[Any]) -> Any:
    """`rows[:, keys]`."""
    if not keys:
        return rows
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = _inside(rows, rest)
        return RaggedTensor.from_uniform_row_length(inner, 1, nrows=rows._row_count())
    if not isinstance(first, slice):
        raise ValueError(
            f"RaggedTensor: {first!r} cannot index the inner ragged axis, whose rows may be too short. "
            "Use a slice such as rt[:, 0:1], or rt.to_tensor() first."
        )
    lengths, starts = lengths_of(rows), rows.row_splits._array[:-1]
    bounds = [None if part is None else as_int(part) for part in (first.start, first.stop, first.step)]
    if bounds == [None, None, None]:
        kept = rows
    else:
        parts = [np.arange(length)[slice(*bounds)] + start for length, start in zip(lengths, starts, strict=True)]
        sizes = np.array([len(part) for part in parts], lengths.dtype)
        chosen = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        kept = RaggedTensor(take_rows(rows.values, chosen), from_array(splits_of(sizes)))
    if not rest:
        return kept
    if isinstance(kept.values, RaggedTensor):
        return kept.with_values(_inside(kept.values, rest))
    return kept.with_values(kept.values[(slice(None), *rest)])


RaggedTensor.__getitem__ = traceable(getitem, on_abstract=by_stand_ins)
