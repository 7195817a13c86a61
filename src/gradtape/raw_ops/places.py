"""Kernels on places in tensors that no public function is: slices that are replaced, unique slices, offsets of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import math
from ..api import arrays, indexing
from ..api.script import numpy_function
from ..base import dtypes
from ..base.context import STATE
from ..base.dtypes import Array
from ..base.errors import invalid
from ..base.types import DTypeLike, ShapeLike, TensorLike
from ..op.attributes import as_int, as_ints
from ..values.tensor import from_array, to_tensor


class _Unique(NamedTuple):
    y: Any
    idx: Any


class _UniqueWithCounts(NamedTuple):
    y: Any
    idx: Any
    count: Any


def _unique(x: TensorLike, axis: TensorLike, out_idx: DTypeLike) -> Any:
    """Different slices in the order in which they first appear, the number of each slice's own, and how often each is there."""
    tensor, axes, kind = to_tensor(x), as_ints(axis), dtypes.as_dtype(out_idx)

    def kernel(array: Array) -> tuple[Array, Array, Array]:
        if len(axes) > 1 or (not axes and array.ndim != 1):
            raise invalid(
                f"unique: axis must be one number, or none for a vector, got {list(axes)} for shape {array.shape}."
            )
        along = axes[0] if axes else 0
        if not -array.ndim <= along < array.ndim:
            raise invalid(f"unique: axis {along} does not exist in a tensor of shape {array.shape}.")
        settings: dict[str, Any] = {"equal_nan": False} if array.ndim == 1 else {"axis": along}
        found, first, numbers, counts = np.unique(array, True, True, True, **settings)
        order = np.argsort(first)
        places = np.argsort(order)[numbers.reshape(-1)]
        return np.take(found, order, axis=along), places.astype(kind.numpy), counts[order].astype(kind.numpy)

    if STATE.trace is not None:  # how many there are is known only when the function runs
        return numpy_function(kernel, [tensor], [tensor.dtype, kind, kind])
    return tuple(from_array(part) for part in kernel(np.asarray(tensor._array)))


def UniqueV2(x: TensorLike, axis: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None) -> _Unique:
    """Different slices along an axis, in the order of their first appearance, and which of them each slice is."""
    values, numbers, _ = _unique(x, axis, out_idx)
    return _Unique(values, numbers)


def UniqueWithCountsV2(
    x: TensorLike, axis: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> _UniqueWithCounts:
    """The same, with how often each slice is there."""
    return _UniqueWithCounts(*_unique(x, axis, out_idx))


def ConcatOffset(concat_dim: TensorLike, shape: Sequence[ShapeLike], name: str | None = None) -> list[Any]:
    """Where each part begins in the concatenation of tensors with these shapes."""
    shapes = [to_tensor(sizes) for sizes in shape]
    sizes = np.stack([np.asarray(part._array) for part in shapes])
    axis, rank = as_int(concat_dim), sizes.shape[1]
    if not -rank <= axis < rank:
        raise invalid(f"ConcatOffset: concat_dim {axis} does not exist in shapes of {rank} sizes.")
    others = np.delete(sizes, axis, 1)
    if (others != others[0]).any():
        raise invalid(f"ConcatOffset: the shapes may differ along axis {axis} only, got {sizes.tolist()}.")
    starts = np.zeros_like(sizes)
    starts[1:, axis] = np.cumsum(sizes[:-1, axis])
    return [from_array(start) for start in starts]


def ScatterNdNonAliasingAdd(
    input: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    bad_indices_policy: str = "",
    name: str | None = None,
) -> Any:
    """The tensor with updates added at places; truth values are added by `or`."""
    x = to_tensor(input)
    if not x.dtype.is_bool:
        return indexing.tensor_scatter_nd_add(x, indices, updates, bad_indices_policy)
    numbers = (math.cast(x, dtypes.int32), indices, math.cast(updates, dtypes.int32))
    return math.cast(indexing.tensor_scatter_nd_add(*numbers, bad_indices_policy), dtypes.bool)


def _places(shape: tuple[int, ...], slices: dict[str, Any]) -> Array:
    """The number of each element of a slice of a tensor of this shape, counted row by row."""
    numbers = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    return np.asarray(indexing.strided_slice(numbers, **slices))


def TensorStridedSliceUpdate(
    input: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike,
    value: TensorLike,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    name: str | None = None,
) -> Any:
    """The tensor with a slice replaced; the value is broadcast to it."""
    masks = {"begin_mask": begin_mask, "end_mask": end_mask, "ellipsis_mask": ellipsis_mask}
    masks |= {"new_axis_mask": new_axis_mask, "shrink_axis_mask": shrink_axis_mask}
    x = to_tensor(input)
    places = _places(tuple(x.shape), {"begin": begin, "end": end, "strides": strides, **masks})
    values = arrays.reshape(arrays.broadcast_to(to_tensor(value, x.dtype), places.shape), [-1])
    flat = indexing.tensor_scatter_nd_update(arrays.reshape(x, [-1]), places.reshape(-1, 1), values)
    return arrays.reshape(flat, x.shape)


def StridedSliceGrad(
    shape: ShapeLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike,
    dy: TensorLike,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    name: str | None = None,
) -> Any:
    """Zeros of a shape with `dy` in the place of a slice."""
    masks = {"begin_mask": begin_mask, "end_mask": end_mask, "ellipsis_mask": ellipsis_mask}
    masks |= {"new_axis_mask": new_axis_mask, "shrink_axis_mask": shrink_axis_mask}
    sizes = as_ints(shape)
    places = _places(sizes, {"begin": begin, "end": end, "strides": strides, **masks})
    upstream = to_tensor(dy)
    if tuple(upstream.shape) != places.shape:
        raise invalid(f"StridedSliceGrad: dy has shape {upstream.shape}, and the slice {places.shape}.")
    flat = indexing.scatter_nd(
        places.reshape(-1, 1), arrays.reshape(upstream, [-1]), [int(np.prod(sizes, dtype=np.int64))]
    )
    return arrays.reshape(flat, sizes)
