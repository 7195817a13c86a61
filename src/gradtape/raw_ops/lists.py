"""Kernels on lists of tensors. A list is a value: what changes one gives a new one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..api.arrays import zeros
from ..api.layout import concat, split, stack, unstack
from ..base import dtypes
from ..base.errors import NotATensorError, invalid
from ..base.types import DTypeLike
from ..op.attributes import as_int, as_ints
from ..ragged.tensor import RaggedTensor
from ..values.tensor import from_array, to_tensor


class TensorList:
    """Tensors of one type; None stands for one that was not set."""

    def __init__(self, items: Sequence[Any], dtype: DTypeLike, shape: Any, most: int = -1) -> None:
        self.items, self.dtype, self.most = tuple(items), dtypes.as_dtype(dtype), most
        self.shape = _shape(shape)

    def with_items(self, items: Sequence[Any]) -> TensorList:
        """A list of the same kind."""
        return TensorList(items, self.dtype, self.shape, self.most)

    def at(self, place: int, shape: Any) -> Any:
        """An element: zeros if it was not set."""
        if not 0 <= place < len(self.items):
            raise invalid(f"Trying to access element {place} in a list with {len(self.items)} elements.")
        if (item := self.items[place]) is not None:
            return item
        known = next((one.shape for one in self.items if one is not None), _shape(shape))
        merged = self.shape.merge_with(known)
        if not merged.is_fully_defined():
            raise invalid(f"Trying to read an uninitialized tensor but element_shape is not fully defined: {merged}.")
        return zeros(merged, self.dtype)


def _shape(shape: Any) -> Any:
    tensor_shape = sys.modules["gradtape"].TensorShape
    if isinstance(shape, tensor_shape):
        return shape
    if isinstance(shape, (list, tuple)):
        return tensor_shape([None if size is None or as_int(size) < 0 else as_int(size) for size in shape])
    sizes = np.asarray(to_tensor(shape))
    return tensor_shape(None) if sizes.ndim == 0 else tensor_shape([None if n < 0 else int(n) for n in sizes])


def _list(handle: object) -> TensorList:
    if not isinstance(handle, TensorList):
        raise NotATensorError(
            f"A list of tensors is needed, as tf.raw_ops.TensorListReserve gives one; got {handle!r}."
        )
    return handle


def EmptyTensorList(
    element_shape: Any, max_num_elements: Any, element_dtype: DTypeLike, name: str | None = None
) -> TensorList:
    """A list without elements."""
    return TensorList([], element_dtype, element_shape, as_int(max_num_elements))


def TensorListReserve(
    element_shape: Any, num_elements: Any, element_dtype: DTypeLike, name: str | None = None
) -> TensorList:
    """A list of elements that are not set."""
    if as_int(num_elements) < 0:
        raise invalid(f"The num_elements to reserve must be a non negative number, got {as_int(num_elements)}")
    return TensorList([None] * as_int(num_elements), element_dtype, element_shape)


def TensorListFromTensor(tensor: Any, element_shape: Any, name: str | None = None) -> TensorList:
    """A list of the rows of a tensor."""
    rows = to_tensor(tensor)
    return TensorList(unstack(rows), rows.dtype, element_shape)


def TensorListStack(
    input_handle: Any, element_shape: Any, element_dtype: DTypeLike, num_elements: int = -1, name: str | None = None
) -> Any:
    """A tensor whose rows are the elements."""
    found = _list(input_handle)
    if num_elements not in (-1, len(found.items)):
        raise invalid(
            f"Operation expected a list with {num_elements} elements but got a list with {len(found.items)} elements."
        )
    if not found.items:
        return zeros([0, *found.shape.merge_with(_shape(element_shape)).as_list()], found.dtype)
    return stack([found.at(place, element_shape) for place in range(len(found.items))])


def TensorListGetItem(
    input_handle: Any, index: Any, element_shape: Any, element_dtype: DTypeLike, name: str | None = None
) -> Any:
    """One element."""
    return _list(input_handle).at(as_int(index), element_shape)


def TensorListSetItem(
    input_handle: Any, index: Any, item: Any, resize_if_index_out_of_bounds: bool = False, name: str | None = None
) -> TensorList:
    """The list with another element at a place."""
    found, place = _list(input_handle), as_int(index)
    items = list(found.items)
    if place >= len(items) and resize_if_index_out_of_bounds:
        items += [None] * (place + 1 - len(items))
    if not 0 <= place < len(items):
        raise invalid(f"Trying to modify element {place} in a list with {len(items)} elements.")
    items[place] = to_tensor(item, found.dtype)
    return found.with_items(items)


def TensorListPushBack(input_handle: Any, tensor: Any, name: str | None = None) -> TensorList:
    """The list with one element more."""
    found = _list(input_handle)
    if found.most == len(found.items):
        raise invalid(
            f"Tried to push item into a full list. List size: {len(found.items)} Max num elements: {found.most}"
        )
    return found.with_items([*found.items, to_tensor(tensor, found.dtype)])


def TensorListPushBackBatch(input_handles: Sequence[Any], tensor: Any, name: str | None = None) -> list[TensorList]:
    """Several lists with one element more, each with a row of a tensor."""
    return [TensorListPushBack(handle, row) for handle, row in zip(input_handles, unstack(tensor), strict=True)]


class _Popped(NamedTuple):
    output_handle: Any
    tensor: Any


def TensorListPopBack(
    input_handle: Any, element_shape: Any, element_dtype: DTypeLike, name: str | None = None
) -> _Popped:
    """The list without its last element, and that element."""
    found = _list(input_handle)
    if not found.items:
        raise invalid("Trying to pop from an empty list.")
    return _Popped(found.with_items(found.items[:-1]), found.at(len(found.items) - 1, element_shape))


def TensorListLength(input_handle: Any, name: str | None = None) -> Any:
    """The number of elements."""
    return from_array(np.array(len(_list(input_handle).items), np.int32))


def TensorListElementShape(input_handle: Any, shape_type: DTypeLike, name: str | None = None) -> Any:
    """The shape of the elements; -1 where a size is not known."""
    shape = _list(input_handle).shape
    sizes = -1 if shape.rank is None else [-1 if size is None else size for size in shape.as_list()]
    return to_tensor(sizes, dtypes.as_dtype(shape_type))


def TensorListResize(input_handle: Any, size: Any, name: str | None = None) -> TensorList:
    """The list cut, or with elements more that are not set."""
    found, count = _list(input_handle), as_int(size)
    if count < 0:
        raise invalid(f"TensorListSlice expects size to be non-negative. Got: {count}")
    return found.with_items([*found.items[:count], *[None] * (count - len(found.items))])


def TensorListGather(
    input_handle: Any, indices: Any, element_shape: Any, element_dtype: DTypeLike, name: str | None = None
) -> Any:
    """A tensor of the elements at some places."""
    found, places = _list(input_handle), as_ints(indices)
    if not places:
        return zeros([0, *found.shape.merge_with(_shape(element_shape)).as_list()], found.dtype)
    return stack([found.at(place, element_shape) for place in places])


def TensorListScatterV2(
    tensor: Any, indices: Any, element_shape: Any, num_elements: Any, name: str | None = None
) -> TensorList:
    """A list that has the rows of a tensor at some places."""
    rows, places = to_tensor(tensor), as_ints(indices)
    count = as_int(num_elements)
    items: list[Any] = [None] * (max(places, default=-1) + 1 if count < 0 else count)
    return _scattered(TensorList(items, rows.dtype, element_shape), rows, places)


def TensorListScatter(tensor: Any, indices: Any, element_shape: Any, name: str | None = None) -> TensorList:
    """A list that has the rows of a tensor at some places."""
    return TensorListScatterV2(tensor, indices, element_shape, -1)


def TensorListScatterIntoExistingList(
    input_handle: Any, tensor: Any, indices: Any, name: str | None = None
) -> TensorList:
    """The list with the rows of a tensor at some places."""
    found, places = _list(input_handle), as_ints(indices)
    items = [*found.items, *[None] * (max(places, default=-1) + 1 - len(found.items))]
    return _scattered(found.with_items(items), tensor, places)


def _scattered(found: TensorList, tensor: Any, places: Sequence[int]) -> TensorList:
    items = list(found.items)
    for place, row in zip(places, unstack(tensor), strict=True):
        if not 0 <= place < len(items):
            raise invalid(f"TensorListScatter: Trying to scatter at index {place} in list with size {len(items)}")
        items[place] = row
    return found.with_items(items)


class _Concatenated(NamedTuple):
    tensor: Any
    lengths: Any


def TensorListConcatV2(
    input_handle: Any, element_shape: Any, leading_dims: Any, element_dtype: DTypeLike, name: str | None = None
) -> _Concatenated:
    """The elements after each other, and their lengths."""
    found, given = _list(input_handle), as_ints(leading_dims)
    parts = []
    for place in range(len(found.items)):
        sizes = _shape(element_shape).as_list() if _shape(element_shape).rank is not None else None
        known = None if sizes is None else [*given[place : place + 1], *sizes[1:]] if given else sizes
        parts.append(found.at(place, _shape(element_shape) if known is None else known))
    lengths = [part.shape[0] for part in parts]
    whole = concat(parts, 0) if parts else zeros([0, *_shape(element_shape).as_list()[1:]], found.dtype)
    return _Concatenated(whole, from_array(np.array(lengths, np.int64)))


def TensorListConcat(
    input_handle: Any, element_dtype: DTypeLike, element_shape: Any = None, name: str | None = None
) -> _Concatenated:
    """The elements after each other, and their lengths."""
    shape = sys.modules["gradtape"].TensorShape(element_shape)
    return TensorListConcatV2(input_handle, shape, [], element_dtype)


def TensorListConcatLists(input_a: Any, input_b: Any, element_dtype: DTypeLike, name: str | None = None) -> TensorList:
    """The elements of one list after those of another."""
    return _list(input_a).with_items([*_list(input_a).items, *_list(input_b).items])


def TensorListSplit(tensor: Any, element_shape: Any, lengths: Any, name: str | None = None) -> TensorList:
    """A list of pieces of a tensor."""
    whole, sizes = to_tensor(tensor), as_ints(lengths)
    if sum(sizes) != whole.shape[0]:
        raise invalid(f"TensorListSplit: the lengths have a sum of {sum(sizes)}, the tensor has {whole.shape[0]} rows.")
    return TensorList(split(whole, sizes), whole.dtype, element_shape)


def filled(
    shape: Any, values: Any, default_value: Any, row_partition_tensors: Sequence[Any], row_partition_types: Any
) -> Any:
    """A tensor of the rows of a ragged one, filled up with a value."""
    kinds = [kind.decode() if isinstance(kind, bytes) else kind for kind in row_partition_types]
    ragged: Any = to_tensor(values)
    first = row_partition_tensors[0] if kinds[0] == "FIRST_DIM_SIZE" else None
    pairs = list(zip(kinds, row_partition_tensors, strict=True))[0 if first is None else 1 :]
    for place, (kind, given) in reversed(list(enumerate(pairs))):
        if kind == "VALUE_ROWIDS":
            above = first if place == 0 else _count(pairs[place - 1][1])
            ragged = RaggedTensor.from_value_rowids(ragged, given, as_int(above) if above is not None else None)
        elif kind == "ROW_SPLITS":
            ragged = RaggedTensor.from_row_splits(ragged, given)
        else:
            raise invalid(
                f"RaggedTensorToTensor: the kinds are FIRST_DIM_SIZE, VALUE_ROWIDS and ROW_SPLITS, got {kind!r}."
            )
    wanted = np.asarray(to_tensor(shape))
    sizes = None if wanted.ndim == 0 else [None if n < 0 else int(n) for n in wanted]
    return ragged.to_tensor(default_value, shape=sizes)


def _count(partition: Any) -> int:
    return int(np.asarray(to_tensor(partition)).shape[0])
