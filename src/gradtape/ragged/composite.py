"""Ragged tensors, declared as composite tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..values.composite import Composite, Rows, Solid, Values, declare
from ..values.tensor import EagerTensor, from_array
from .dispatch import run
from .making import count_of
from .spec import RaggedTensorSpec
from .tensor import RaggedTensor, stacked_rows

Lengths = tuple[int | None, ...]  # of all rows of each ragged axis, the outermost first; None where they may differ


def _components(ragged: RaggedTensor) -> list[Any]:
    return [ragged.flat_values, *ragged.nested_row_splits]


def _uniform_lengths(ragged: RaggedTensor) -> Lengths | None:
    lengths: list[int | None] = []
    level: Any = ragged
    while isinstance(level, RaggedTensor):
        lengths.append(level._uniform)
        level = level.values
    return tuple(lengths) if any(length is not None for length in lengths) else None


def _built(lengths: Lengths | None, parts: list[Any]) -> RaggedTensor:
    made, *splits = parts
    for length, row_splits in zip(reversed(lengths or [None] * len(splits)), reversed(splits), strict=True):
        made = RaggedTensor(made, row_splits, length)
    return made


def _stack(rows: Sequence[Any]) -> RaggedTensor:
    return stacked_rows(list(rows))


def _stand_in(ragged: RaggedTensor, variant: int, solid: Solid) -> RaggedTensor:
    """Rows of equal lengths; a first one that has all values; a last one that has all but one value for each of the others."""
    values, splits = solid(ragged._values, variant), ragged._row_splits
    if not isinstance(splits, EagerTensor):
        rows, count = splits._array.shape[0] - 1, count_of(values) or 0
        last = np.full(rows, count)
        ends = (np.arange(1, rows + 1) * count // max(rows, 1), last, np.minimum(np.arange(1, rows + 1), last))[variant]
        ends[-1:] = count
        splits = from_array(np.concatenate(([0], ends)).astype(splits.dtype.numpy))
    uniform = (
        ragged._uniform if ragged._uniform.__class__ is int else None
    )  # (a symbol means nothing outside of its trace)
    return RaggedTensor(values, splits, uniform)


declare(
    Composite(
        RaggedTensor,
        components=_components,
        build=_built,
        static=_uniform_lengths,
        check=lambda ragged: RaggedTensor.from_nested_row_splits(ragged.flat_values, ragged.nested_row_splits),
        spec=RaggedTensorSpec,
        run=run,
        values=Values(
            of=lambda ragged: ragged.flat_values,
            put=lambda ragged, values: ragged.with_flat_values(values),
            complete=True,
            followed=True,
        ),
        dense=lambda ragged: ragged.to_tensor(),
        rows=Rows(count=lambda ragged: ragged._row_count(), at=lambda ragged, index: ragged[index], stack=_stack),
        stand_in=_stand_in,
    )
)
