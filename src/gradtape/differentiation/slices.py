"""`IndexedSlices`, the cotangent of a lookup, declared as a composite tensor: how slices are added and made dense."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op.attributes import as_ints
from ..ops.array.gather import put
from ..ops.array.layout import concat
from ..values.composite import COMPOSITES, Composite, Solid, Values, declare
from ..values.slices_spec import IndexedSlicesSpec
from ..values.tensor import EagerTensor, IndexedSlices, from_array, to_tensor


class _Rows:
    """Whether Keras's optimizers add up the rows of one id before anything else (`tf.config.sum_repeated_rows`)."""

    summed = True


ROWS = _Rows()


def densify(slices: IndexedSlices) -> Any:
    """The dense value of IndexedSlices; rows that repeat are added up."""
    if slices.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {slices}."
        )
    sizes: Any = slices.dense_shape
    shape = tuple(sizes.tolist()) if sizes.__class__ is np.ndarray else as_ints(sizes)
    # (An op would give a Python list the type of the tensor beside it: here they are positions.)
    indices = to_tensor(slices.indices) if isinstance(slices.indices, (list, tuple, int)) else slices.indices
    return put(slices.values, indices, shape=shape, axis=0, batch_dims=0)


def sum_composites(first: Any, second: Any) -> Any:
    """The sum of two cotangents of which one or both are composite: of one kind, or dense."""
    if first.__class__ is second.__class__ and COMPOSITES[first.__class__].add is not None:
        return COMPOSITES[first.__class__].add(first, second)  # type: ignore[misc]
    return _dense(first) + _dense(second)


def _dense(cotangent: Any) -> Any:
    kind = COMPOSITES.get(cotangent.__class__)
    return cotangent if kind is None or kind.dense is None else kind.dense(cotangent)


def _one_after_the_other(first: IndexedSlices, second: IndexedSlices) -> IndexedSlices:
    # The walk goes backwards: slices that it meets later were computed earlier, and come first.
    values = concat([second.values, first.values], axis=0)
    return IndexedSlices(values, concat([second.indices, first.indices], axis=0), first.dense_shape)


def _stand_in(slices: IndexedSlices, variant: int, solid: Solid) -> IndexedSlices:
    """A stand-in with real indices: the same row for all, or consecutive rows."""
    indices: Any = slices.indices
    if not isinstance(indices, (EagerTensor, np.ndarray)):
        size = indices._array.size
        rows = size if slices.dense_shape is None else int(np.asarray(solid(slices.dense_shape, variant))[0])
        numbers = variant * np.arange(size) % max(rows, 1)
        indices = from_array(numbers.astype(indices.dtype.numpy).reshape(indices._array.shape))
    return IndexedSlices(solid(slices.values, variant), indices, solid(slices.dense_shape, variant))


def _components(slices: IndexedSlices) -> list[Any]:
    return [part for part in (slices.values, slices.indices, slices.dense_shape) if part is not None]


declare(
    Composite(
        IndexedSlices,
        components=_components,
        build=lambda static, parts: IndexedSlices(*parts),
        fixed=(2,),  # a function knows the shape, as that of a dense tensor
        spec=IndexedSlicesSpec,
        values=Values(
            of=lambda slices: slices.values,
            put=lambda slices, values: IndexedSlices(values, slices.indices, slices.dense_shape),
        ),
        dense=densify,
        converts=True,
        add=_one_after_the_other,
        stand_in=_stand_in,
    )
)
