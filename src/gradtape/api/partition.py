"""Finding, counting and sorting apart: `unique`, `searchsorted`, histograms, masks, `dynamic_partition` and `dynamic_stitch`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import math
from ..base import dtypes
from ..base.errors import invalid
from ..base.memory import has_too_many
from ..base.sizes import UNKNOWN
from ..base.traceable import shaped, trace_public
from ..base.types import DTypeLike, IntLike, TensorLike
from ..op.abstract import Abstract
from ..op.arguments import sequence, takes, tensor_type
from ..op.attributes import as_int
from ..ops.array import index, rearrange, search
from ..ops.array.masks import length_mask
from ..ops.public import unravel_index as unravel_index
from ..trace.abstract_tensor import abstract_of
from ..values.tensor import Tensor, to_tensor
from .arrays import reshape, zeros
from .layout import concat, split


class Unique(NamedTuple):
    """What `tf.unique` returns."""

    y: Tensor
    idx: Tensor


class UniqueWithCounts(NamedTuple):
    """What `tf.unique_with_counts` returns."""

    y: Tensor
    idx: Tensor
    count: Tensor  # type: ignore[assignment]  # tuples have a method of the name


@takes(out_idx=tensor_type)
def unique(x: object, out_idx: object = dtypes.int32, name: str | None = None) -> Unique:
    """The different values of a vector in order of first appearance, and for each element which of them it is.

    >>> import gradtape as tf
    >>> y, idx = tf.unique([7, 7, 3])
    >>> y.numpy(), idx.numpy()
    (array([7, 3], dtype=int32), array([0, 0, 1], dtype=int32))

    Args:
        x: A vector.
        out_idx: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A pair: the different elements in the order of their first occurrence (`y`), and for each element which of them
        it is (`idx`).
    """
    return Unique(*search.unique.public(x, dtypes.as_dtype(out_idx).numpy))


@takes(out_idx=tensor_type)
def unique_with_counts(x: object, out_idx: object = dtypes.int32, name: str | None = None) -> UniqueWithCounts:
    """As `unique`, and how often each value occurs.

    >>> import gradtape as tf
    >>> y, idx, count = tf.unique_with_counts([7, 7, 3])
    >>> y.numpy(), count.numpy()
    (array([7, 3], dtype=int32), array([2, 1], dtype=int32))

    Args:
        x: A vector.
        out_idx: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Three vectors: the different elements (`y`), for each element which of them it is (`idx`), and how often each
            (`count`).
    """
    return UniqueWithCounts(*search.unique_with_counts.public(x, dtypes.as_dtype(out_idx).numpy))


@takes(out_type=tensor_type)
def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Where each value would be put into its sorted row: before equal elements (left) or after them (right).

    >>> import gradtape as tf
    >>> tf.searchsorted([1, 3, 5], [4, 0]).numpy()
    array([2, 0], dtype=int32)

    Args:
        sorted_sequence: Numbers in ascending order, in the last axis.
        values: What to find a place for.
        side: "left": before equal elements; "right": after them.
        out_type: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Whole numbers.

    Raises:
        ValueError: `side` is neither "left" nor "right".
    """
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = {side!r}.")
    return search.search_sorted.public(sorted_sequence, values, side == "right", dtypes.as_dtype(out_type).numpy)


@takes(dtype=tensor_type)
def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many values fall into each of `nbins` bins of one width; what lies outside counts in the outer bins.

    >>> import gradtape as tf
    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([2, 1, 1, 0, 2], dtype=int32)

    Args:
        values: Numbers.
        value_range: Where the first bin begins and the last one ends.
        nbins: How many bins there are.
        dtype: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Whole numbers, one for each bin.
    """
    return search.histogram_fixed_width.public(values, value_range, as_int(nbins), dtypes.as_dtype(dtype).numpy)


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """In which of `nbins` bins of one width each value falls; what lies outside falls in the outer bins.

    >>> import gradtape as tf
    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy()
    array([0, 0, 1, 2, 4, 4], dtype=int32)

    Args:
        values: Numbers.
        value_range: Where the first bin begins and the last one ends.
        nbins: How many bins there are.
        dtype: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Whole numbers in the shape of `values`.

    Raises:
        tf.errors.InvalidArgumentError: `nbins` is not positive.
    """
    x = to_tensor(values)
    ends, bins = to_tensor(value_range, x.dtype), as_int(nbins)
    if bins <= 0:
        raise invalid(f"histogram_fixed_width_bins: nbins must be positive, got {bins}.")
    share = math.truediv(x - ends[0], ends[1] - ends[0])
    return math.cast(math.minimum(math.maximum(math.floor(share * bins), 0), bins - 1), dtypes.int32)


def _masks_look(
    lengths: TensorLike, maxlen: Any = None, dtype: DTypeLike = dtypes.bool, name: str | None = None
) -> Abstract:
    known = abstract_of(to_tensor(lengths)).known
    size = UNKNOWN if maxlen is None else as_int(maxlen)
    return Abstract(None if known is None else (*known, size), dtypes.as_dtype(dtype).numpy)


@shaped(_masks_look)
@takes(dtype=tensor_type)
def sequence_mask(
    lengths: TensorLike, maxlen: IntLike | None = None, dtype: DTypeLike = dtypes.bool, name: str | None = None
) -> Tensor:
    """A row for each length: true at the first `length` places of `maxlen`.

    >>> import gradtape as tf
    >>> tf.sequence_mask([1, 3], 4).numpy()
    array([[ True, False, False, False],
           [ True,  True,  True, False]])

    Args:
        lengths: How many entries of each row are True: integers of any shape.
        maxlen: The size of the new axis; the largest length if it is not given.
        dtype: The type of the result.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Truth values, with one more axis.

    Raises:
        ValueError: `maxlen` is no scalar.
    """
    counts = to_tensor(lengths)
    if maxlen is None:
        largest = math.reduce_max(counts) if 0 not in counts.shape else 0
        if counts.dtype.is_floating:
            largest = math.cast(math.ceil(largest), dtypes.int64)
        limit: Any = max(0, as_int(largest))
    else:
        limit = to_tensor(maxlen)
        if limit.ndim:
            raise ValueError(f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen}.")
        limit = as_int(limit)
    return math.cast(length_mask.public(counts, limit), dtypes.as_dtype(dtype))


def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: TensorLike | None = None,
    batch_axis: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The first `seq_lengths[i]` elements along `seq_axis` in reverse order, for each entry i of `batch_axis`.

    >>> import gradtape as tf
    >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1).numpy()
    array([[2, 1, 3],
           [6, 5, 4]], dtype=int32)

    Args:
        input: A tensor.
        seq_lengths: For each entry of the batch, how many elements to reverse.
        seq_axis: The axis along which the sequences run.
        batch_axis: The axis of the batch; 0 by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.

    Raises:
        TypeError: `seq_axis` is not given.
    """
    if seq_axis is None:
        raise TypeError("reverse_sequence: seq_axis is needed: the axis along which the sequences run.")
    return rearrange.reverse_sequence.public(
        input, seq_lengths, as_int(seq_axis), 0 if batch_axis is None else as_int(batch_axis)
    )


def _parts_look(
    data: TensorLike, partitions: TensorLike, num_partitions: TensorLike, name: str | None = None
) -> list[Abstract]:
    x, numbers = abstract_of(to_tensor(data)), abstract_of(to_tensor(partitions, dtypes.int32))
    shape = None if x.known is None or numbers.rank is None else (UNKNOWN, *x.known[numbers.rank :])
    return [Abstract(shape, x.dtype) for _ in builtins.range(as_int(num_partitions))]


@shaped(_parts_look)
def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: IntLike, name: str | None = None
) -> list[Tensor]:
    """The slices of `data` sorted into `num_partitions` tensors by the numbers in `partitions`.

    >>> import gradtape as tf
    >>> [part.numpy().tolist() for part in tf.dynamic_partition([10, 20, 30], [0, 1, 0], 2)]
    [[10, 30], [20]]

    Args:
        data: A tensor; its shape begins with that of `partitions`.
        partitions: For each slice the number of the tensor it goes to.
        num_partitions: How many tensors there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A list of tensors.

    Raises:
        tf.errors.InvalidArgumentError: A number is out of range.
    """
    x, count = to_tensor(data), as_int(num_partitions)
    numbers = np.asarray(to_tensor(partitions, dtypes.int32)._array)
    if count < 1:
        raise invalid(f"dynamic_partition: num_partitions must be at least 1, got {count}.")
    if tuple(x.shape)[: numbers.ndim] != numbers.shape:
        raise invalid(
            f"dynamic_partition: data of shape {x.shape} must start with the shape {numbers.shape} of partitions."
        )
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        raise invalid(f"dynamic_partition: partitions must be in [0, {count}), got {numbers.tolist()}.")
    flat = numbers.reshape(-1)
    sizes = np.bincount(flat, minlength=count).tolist()
    rows = reshape(x, (flat.size, *tuple(x.shape)[numbers.ndim :]))
    sorted_rows = index.pick.public(rows, (np.argsort(flat, kind="stable"),))
    return split(sorted_rows, sizes)


def _stitched_look(indices: Sequence[TensorLike], data: Sequence[TensorLike], name: str | None = None) -> Any:
    """Rows like those of the first tensor; the largest index tells how many, where all of them are known."""
    first, tensor = abstract_of(to_tensor(indices[0])), to_tensor(data[0])
    known = abstract_of(tensor).known
    if known is None or first.rank is None:
        return Abstract(None, tensor.dtype.numpy)
    places = [abstract_of(to_tensor(part)).value for part in indices]
    count = UNKNOWN
    if all(place is not None and place.dtype.kind in "iu" for place in places):
        count = max((int(place.max()) + 1 for place in places if place.size), default=0)  # type: ignore[union-attr]
    return Abstract((count, *known[first.rank :]), tensor.dtype.numpy)


@shaped(_stitched_look)
@takes(indices=sequence)
def dynamic_stitch(indices: Sequence[TensorLike], data: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """The slices of several tensors put in one, each at its index; where an index repeats, the last one stays.

    >>> import gradtape as tf
    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy()
    array([10, 20, 30], dtype=int32)

    Args:
        indices: A list of tensors of whole numbers.
        data: A list of tensors, each with the slices for its indices.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One tensor, with zeros where nothing is written.

    Raises:
        ValueError: The lists have two lengths.
        tf.errors.InvalidArgumentError: An index is negative, or the slices have different shapes.
    """
    if len(indices) != len(data):
        raise ValueError(f"dynamic_stitch: {len(indices)} tensors of indices were given, but {len(data)} of data.")
    if not len(data):
        raise invalid("dynamic_stitch: at least one tensor is needed, got none.")
    places = [np.asarray(to_tensor(i, dtypes.int32)._array) for i in indices]
    tensors = [to_tensor(d) for d in data]
    rest = tuple(tensors[0].shape)[places[0].ndim :]
    for place, tensor in zip(places, tensors, strict=True):
        if tuple(tensor.shape) != (*place.shape, *rest):
            raise invalid(
                f"dynamic_stitch: data of shape {tensor.shape} must have the shape {place.shape} of its indices, then {rest}."
            )
    flat = np.concatenate([place.reshape(-1) for place in places])
    if flat.size and flat.min() < 0:
        raise invalid(f"dynamic_stitch: indices cannot be negative, got {flat.min()}.")
    size = int(flat.max()) + 1 if flat.size else 0
    if has_too_many((size, *rest)):
        raise invalid(f"dynamic_stitch: index {size - 1} makes a result of {size} slices, which is too large.")
    rows = concat([reshape(t, (place.size, *rest)) for place, t in zip(places, tensors, strict=True)], 0)
    if len(np.unique(flat)) < size:  # a row of zeros where nothing is written
        rows = concat([rows, zeros((1, *rest), rows.dtype)], 0)
    source = np.full(size, flat.size, np.int64)
    source[flat] = np.arange(flat.size)
    return index.pick.public(rows, (source,))


trace_public(globals())
