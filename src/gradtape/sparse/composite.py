"""Sparse tensors, declared as composite tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..values.composite import Composite, Rows, Solid, Values, declare
from ..values.tensor import EagerTensor, Tensor, from_array
from .dispatch import run
from .layout import reorder, to_dense
from .tensor import SparseTensor, SparseTensorSpec, from_parts, places_of, sizes_of


def _built(static: None, parts: list[Any]) -> SparseTensor:
    made = object.__new__(SparseTensor)
    made._indices, made._values, made._dense_shape = parts
    made._said = None
    return made


def _dense(sp: SparseTensor) -> Tensor:
    dense: Tensor = to_dense(reorder(sp))
    return dense


def _row_count(sp: SparseTensor) -> int:
    return sizes_of(sp)[0] if sizes_of(sp) else 0


def _row(sp: SparseTensor, index: int) -> SparseTensor:
    """One row, without the first axis."""
    places = places_of(sp)
    inside = places[:, 0] == index
    return from_parts(places[inside, 1:], from_array(sp.values._array[inside]), sizes_of(sp)[1:])


def _stacked(values: Sequence[SparseTensor]) -> SparseTensor:
    """Sparse tensors along a new first axis, as large as the largest of them."""
    sizes = np.max([sizes_of(value) for value in values], axis=0).tolist()
    places = [np.insert(places_of(value), 0, number, axis=1) for number, value in enumerate(values)]
    elements = np.concatenate([value.values._array for value in values])
    return from_parts(np.concatenate(places), from_array(elements), (len(values), *sizes))


def _stand_in(sp: SparseTensor, variant: int, solid: Solid) -> SparseTensor:
    """Values one after the other along the rows, along the columns, or in the last places.

    Where the sizes of the tensor are not known it is as wide as they need, or wider.
    """
    count, rank = sp.values.shape[0], sp.dense_shape.shape[0]
    width = max(count, 1) * (1 + variant)
    sizes = np.array([width if size is None else size for size in sp.shape], np.int64)
    places = solid(sp.indices, variant)
    if not isinstance(sp.indices, EagerTensor):
        room = max(int(np.prod(sizes, dtype=np.float64)), 1)
        numbers = (np.arange(count) + (room - count if variant == 2 else 0)) % room
        shape = tuple(sizes.tolist())
        columns = np.unravel_index(numbers, shape, "F") if variant == 1 else np.unravel_index(numbers, shape)
        axes = np.stack(columns, axis=1).astype(np.int64).reshape(count, rank)
        places = from_array(axes[np.lexsort(axes.T[::-1])] if rank else axes)
    return SparseTensor(places, solid(sp.values, variant), from_array(sizes))


declare(
    Composite(
        SparseTensor,
        components=lambda sp: [sp.indices, sp.values, sp.dense_shape],
        build=_built,
        check=lambda sp: SparseTensor(sp.indices, sp.values, sp.dense_shape),
        fixed=(2,),  # the shape is static in a traced function, as that of a dense tensor
        spec=SparseTensorSpec,
        run=run,
        values=Values(of=lambda sp: sp.values, put=lambda sp, values: sp.with_values(values)),
        dense=_dense,
        rows=Rows(count=_row_count, at=_row, stack=_stacked),
        stand_in=_stand_in,
    )
)
