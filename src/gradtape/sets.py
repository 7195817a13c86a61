"""`tf.sets`: the last axis of a tensor as sets of values. Results are sparse: sets have different sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .base import dtypes
from .base.dtypes import Array
from .base.errors import NotATensorError, invalid
from .base.namespaces import listing
from .base.sizes import UNKNOWN
from .base.traceable import shaped, trace_public
from .base.types import TensorLike
from .op.abstract import Abstract
from .op.arguments import flag, takes
from .sparse import SparseTensor
from .trace.composites import by_stand_ins
from .values.composite import COMPOSITES
from .values.tensor import Tensor, from_array, to_tensor

__all__ = ["difference", "intersection", "size", "union"]

_KINDS = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.string)
_Place = tuple[int, ...]


def _look(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """Sets of any size, as many as each operand has; what is an operand of another type or rank is told at once."""
    first = a if isinstance(a, SparseTensor) else to_tensor(a)
    second = b if isinstance(b, SparseTensor) else to_tensor(b, None if hasattr(b, "dtype") else first.dtype)
    _check_types("sets", first, second)
    ranks = [value.shape.rank for value in (first, second) if value.shape.rank is not None]
    rank = ranks[0] if ranks else UNKNOWN
    parts = Abstract((UNKNOWN, rank), np.dtype(np.int64)), Abstract((UNKNOWN,), first.dtype.numpy)
    build = COMPOSITES[SparseTensor].build
    assert build is not None
    return build(None, [*parts, Abstract((rank,), np.dtype(np.int64))])


def _look_of_difference(
    a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    return _look(a, b)


@shaped(_look)
@takes(validate_indices=flag)
def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """What is in the set of `a` or in that of `b`, for each pair of sets along the last axis.

    >>> tf.sparse.to_dense(tf.sets.union([[1, 2]], [[2, 3]])).numpy()
    array([[1, 2, 3]], dtype=int32)

    Args:
        a: Sets along the last axis: a tensor, or a SparseTensor.
        b: As many sets, of the same type.
        validate_indices: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor; the elements of each set are in order.
    """
    return _combined("union", a, b, set.union)


@shaped(_look)
@takes(validate_indices=flag)
def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """What is in both sets, for each pair of sets along the last axis.

    >>> import gradtape as tf
    >>> tf.sparse.to_dense(tf.sets.intersection([[1, 2]], [[2, 3]])).numpy()
    array([[2]], dtype=int32)

    Args:
        a: Sets along the last axis: a tensor, or a SparseTensor.
        b: As many sets, of the same type.
        validate_indices: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor; the elements of each set are in order.
    """
    return _combined("intersection", a, b, set.intersection)


@shaped(_look_of_difference)
@takes(validate_indices=flag)
def difference(a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """What is in the set of `a` and not in that of `b`, for each pair along the last axis; the other way without `aminusb`.

    >>> import gradtape as tf
    >>> tf.sparse.to_dense(tf.sets.difference([[1, 2]], [[2, 3]])).numpy()
    array([[1]], dtype=int32)

    Args:
        a: Sets along the last axis: a tensor, or a SparseTensor.
        b: As many sets, of the same type.
        aminusb: False for what is in `b` and not in `a`.
        validate_indices: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor; the elements of each set are in order.
    """
    if aminusb:
        return _combined("difference", a, b, set.difference)
    return _combined("difference", a, b, lambda first, second: second - first)


def _look_of_size(a: Any, validate_indices: bool = True) -> Abstract:
    known = a.shape.rank
    return Abstract(None if known is None else (UNKNOWN,) * (known - 1), np.dtype(np.int32))


@shaped(_look_of_size)
@takes(validate_indices=flag)
def size(a: object, validate_indices: bool = True) -> Tensor:
    """How many different elements each set along the last axis of a sparse tensor has.

    >>> import gradtape as tf
    >>> tf.sets.size(tf.sparse.from_dense([[1, 2, 2], [3, 0, 0]])).numpy()
    array([2, 1], dtype=int32)

    Args:
        a: A SparseTensor.
        validate_indices: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Whole numbers, in the shape of `a` without its last axis.

    Raises:
        TypeError: `a` is no sparse tensor.
    """
    if not isinstance(a, SparseTensor):
        raise NotATensorError(f"Expected `SparseTensor`, got {a!r}. Use tf.sparse.from_dense.")
    sets, shape = _sets(a)
    counts = np.zeros(shape, np.int32)
    for place, found in sets.items():
        counts[place] = len(found)
    return from_array(counts)


def _combined(
    name: str, a: TensorLike, b: TensorLike, combine: Callable[[set[Any], set[Any]], set[Any]]
) -> SparseTensor:
    first = a if isinstance(a, SparseTensor) else to_tensor(a)
    second = b if isinstance(b, SparseTensor) else to_tensor(b, None if hasattr(b, "dtype") else first.dtype)
    _check_types(f"sets.{name}", first, second)
    (ours, shape), (theirs, other) = _sets(first), _sets(second)
    if shape != other:
        raise invalid(
            f"sets.{name}: Mismatched shapes {list(shape)} vs {list(other)}: all axes but the last must agree."
        )
    places: list[_Place] = []
    values: list[Any] = []
    longest = 0
    for place in np.ndindex(shape):
        found = sorted(combine(ours.get(place, set()), theirs.get(place, set())))
        longest = max(longest, len(found))
        places += [(*place, number) for number in range(len(found))]
        values += found
    indices = np.array(places, np.int64).reshape(len(places), len(shape) + 1)
    elements = np.empty(len(values), first.dtype.numpy)
    elements[:] = values
    return SparseTensor(from_array(indices), from_array(elements), from_array(np.array([*shape, longest], np.int64)))


def _check_types(name: str, first: Any, second: Any) -> None:
    if first.dtype not in _KINDS:
        known = ", ".join(kind.name for kind in _KINDS)
        raise TypeError(f"{name}: elements must be of one of the types {known}, got {first.dtype!r}.")
    if first.dtype != second.dtype:
        raise TypeError(f"{name}: the sets are of {first.dtype!r} and {second.dtype!r}. Use tf.cast.")


def _sets(value: Any) -> tuple[dict[_Place, set[Any]], _Place]:
    """The sets by their places, and the shape of those places."""
    if isinstance(value, SparseTensor):
        sizes = tuple(int(n) for n in value.dense_shape._array)
        _check_rank(sizes)
        found: dict[_Place, set[Any]] = {}
        elements: Array = np.asarray(value.values._array)
        for place, element in zip(value.indices._array.tolist(), elements.tolist(), strict=True):
            found.setdefault(tuple(place[:-1]), set()).add(element)
        return found, sizes[:-1]
    array: Array = np.asarray(value._array)
    _check_rank(array.shape)
    return {place: set(array[place].tolist()) for place in np.ndindex(array.shape[:-1])}, array.shape[:-1]


def _check_rank(shape: _Place) -> None:
    if len(shape) < 2:
        raise invalid(f"sets: Shape {list(shape)} has rank {len(shape)} < 2. Sets are rows: use tf.expand_dims(x, 0).")


trace_public(globals(), on_abstract=by_stand_ins)

__dir__ = listing(globals())
