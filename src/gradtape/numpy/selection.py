"""Picking elements of tensors, by position, by truth value, by size or by order, under NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from ..api import arrays, indexing
from ..api.sorting import argsort as order_of
from ..api.sorting import sort as sort_values
from ..base.traceable import trace_public
from ..base.types import AxisLike, IntLike, TensorLike
from ..op.attributes import as_int, as_ints
from ..ops.array import search
from ..ops.array import sort as sorting
from ..ops.array.sort import take_along
from ..ops.math import bitwise
from ..values.tensor import Tensor, from_array
from .elementwise import truth
from .promotion import asarray, promoted, to_type
from .reductions import nonzero


def take(a: Any, indices: Any, axis: Any = None, mode: str = "raise") -> Tensor:
    """Elements at positions along an axis, or of the flattened tensor; negative ones count from the end.

    >>> import gradtape as tf
    >>> tf.numpy.take([10, 20, 30], [2, 0]).numpy()
    array([30, 10])

    Args:
        a: A tensor, or what can become one.
        indices: The positions.
        axis: The axis; None: all elements, flattened.
        mode: What is done with positions out of range: "raise", "clip" or "wrap".

    Returns:
        A tensor.

    Raises:
        TypeError: The positions are no integers.
        ValueError: `mode` is unknown.
    """
    x = asarray(a)
    x = arrays.reshape(x, (-1,)) if axis is None else x
    along = 0 if axis is None else axis
    size = x.shape[along]
    positions = np.asarray(asarray(indices)._array)
    if positions.dtype.kind not in "iu":
        raise TypeError(f"take: positions must be integers, got {positions.dtype}.")
    if mode == "wrap":
        positions = positions % max(size, 1)
    elif mode == "clip":
        positions = np.clip(positions, 0, max(size - 1, 0))
    elif mode == "raise":
        positions = np.where(positions < 0, positions + size, positions)
    else:
        raise ValueError(f"take: mode must be 'raise', 'wrap' or 'clip', got {mode!r}.")
    return indexing.gather(x, from_array(positions), axis=along)


def take_along_axis(arr: TensorLike, indices: TensorLike, axis: Any) -> Tensor:
    """For each line along the axis, the elements at its own positions.

    >>> import gradtape as tf
    >>> tf.numpy.take_along_axis([[30, 10], [5, 7]], [[1], [0]], axis=1).numpy()
    array([[10],
           [ 5]])

    Args:
        arr: A tensor, or what can become one.
        indices: The positions along the axis; the other axes broadcast with those of `arr`.
        axis: The axis; None: all elements, flattened.

    Returns:
        A tensor.

    Raises:
        ValueError: The two have different numbers of axes.
    """
    x, places = asarray(arr), asarray(indices)
    if axis is None:
        x, axis = arrays.reshape(x, (-1,)), 0
    if x.ndim != places.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    axis %= x.ndim
    size = x.shape[axis]
    common = np.broadcast_shapes(*[
        tuple(1 if p == axis else n for p, n in enumerate(v.shape)) for v in (x, places)
    ])  # fmt: skip
    x = arrays.broadcast_to(x, (*common[:axis], size, *common[axis + 1 :]))
    numbers = np.broadcast_to(places._array, (*common[:axis], places.shape[axis], *common[axis + 1 :]))
    numbers = np.where(numbers < 0, numbers + size, numbers)
    return take_along.public(x, from_array(numbers), axis)


@overload
def where(condition: TensorLike) -> tuple[Tensor, ...]: ...
@overload
def where(condition: TensorLike, x: TensorLike, y: TensorLike) -> Tensor: ...
def where(condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None) -> Any:
    """x where the condition holds, y elsewhere; without them, the positions where it holds.

    >>> import gradtape as tf
    >>> tf.numpy.where([True, False], [1, 2], [3, 4]).numpy()
    array([1, 4])

    Args:
        condition: Truth values, of the shape of the result or one that broadcasts to it.
        x: What is taken where it holds.
        y: What is taken elsewhere.

    Returns:
        A tensor; without `x` and `y`, a tuple of vectors of positions.

    Raises:
        ValueError: One of `x` and `y` is given without the other.
    """
    if (x is None) != (y is None):
        raise ValueError("either both or neither of x and y should be given")
    if x is None:
        return nonzero(condition)
    chosen, other = promoted(x, y)
    return indexing.where(truth(asarray(condition)), chosen, other)


def select(condlist: Sequence[TensorLike], choicelist: Sequence[TensorLike], default: object = 0) -> Tensor:
    """The choice that belongs to the first condition that holds.

    >>> import gradtape as tf
    >>> x = tf.numpy.asarray([1, 2, 3])
    >>> tf.numpy.select([x < 2, x > 2], [x * 10, x * 100]).numpy()
    array([ 10,   0, 300])

    Args:
        condlist: A list of truth values.
        choicelist: A list of tensors, one for each.
        default: What is taken where no condition holds.

    Returns:
        A tensor.

    Raises:
        ValueError: There is not one choice for each condition.
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    *choices, result = promoted(*choicelist, default)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        result = indexing.where(truth(asarray(condition)), choice, result)
    return result


def compress(condition: TensorLike, a: TensorLike, axis: AxisLike | None = None) -> Tensor:
    """The slices along an axis where the condition holds.

    >>> import gradtape as tf
    >>> tf.numpy.compress([True, False, True], [1, 2, 3]).numpy()
    array([1, 3])

    Args:
        condition: A vector of truth values.
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.

    Returns:
        A tensor.
    """
    mask = np.flatnonzero(np.asarray(asarray(condition)))
    return take(a, mask, axis)


def sort(
    a: TensorLike, axis: AxisLike = -1, kind: TensorLike | None = None, stable: TensorLike | None = None
) -> Tensor:
    """In increasing order along an axis; flattened first if it is None.

    >>> import gradtape as tf
    >>> tf.numpy.sort([3, 1, 2]).numpy()
    array([1, 2, 3])

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.
        kind: Ignored; accepted for compatibility with NumPy.
        stable: Ignored; accepted for compatibility with NumPy.

    Returns:
        A tensor.
    """
    x = asarray(a)
    dtype = x.dtype
    x = to_type(x, np.int8) if dtype.is_bool else x
    ordered = sort_values(arrays.reshape(x, (-1,)), 0) if axis is None else sort_values(x, axis)
    return to_type(ordered, dtype)


def argsort(
    a: TensorLike, axis: AxisLike | None = -1, kind: TensorLike | None = None, stable: TensorLike | None = None
) -> Tensor:
    """The positions that sort the tensor along an axis; equal elements keep their order.

    >>> import gradtape as tf
    >>> tf.numpy.argsort([3, 1, 2]).numpy()
    array([1, 2, 0])

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.
        kind: Ignored; accepted for compatibility with NumPy.
        stable: Ignored; accepted for compatibility with NumPy.

    Returns:
        Whole numbers.
    """
    x = asarray(a)
    x = to_type(x, np.int8) if x.dtype.is_bool else x
    order = order_of(arrays.reshape(x, (-1,)), 0, stable=True) if axis is None else order_of(x, axis, stable=True)
    return asarray(order, np.int64)


def argpartition(a: TensorLike, kth: TensorLike, axis: object = -1) -> Tensor:
    """Positions that put the elements at places `kth` in order, smaller ones before and larger ones after them.

    >>> import gradtape as tf
    >>> int(tf.numpy.argpartition([3, 1, 2], 0)[0])
    1

    Args:
        a: A tensor, or what can become one.
        kth: The place, or a list of places, that get the elements they have in sorted order.
        axis: The axis; None: all elements, flattened.

    Returns:
        Whole numbers.
    """
    x = asarray(a)
    if axis is None:
        x, axis = arrays.reshape(x, (-1,)), 0
    return sorting.argpartition.public(x, as_ints(kth), as_int(axis))


def partition(a: TensorLike, kth: TensorLike, axis: object = -1) -> Tensor:
    """The elements at places `kth` in order, smaller ones before and larger ones after them; the tape follows.

    >>> import gradtape as tf
    >>> float(tf.numpy.partition([3.0, 1.0, 2.0], 0)[0])
    1.0

    Args:
        a: A tensor, or what can become one.
        kth: The place, or a list of places, that get the elements they have in sorted order.
        axis: The axis; None: all elements, flattened.

    Returns:
        A tensor of the same shape.
    """
    x = asarray(a)
    if axis is None:
        x, axis = arrays.reshape(x, (-1,)), 0
    return take_along.public(x, argpartition(x, kth, axis), as_int(axis))


def lexsort(keys: Sequence[TensorLike], axis: int = -1) -> Tensor:
    """The order by the last key, among equal elements by the one before, and so on.

    >>> import gradtape as tf
    >>> tf.numpy.lexsort([[1, 0, 0], [5, 5, 4]]).numpy()
    array([2, 1, 0])

    Args:
        keys: Tensors of one shape; the last decides first.
        axis: The axis along which is sorted.

    Returns:
        Whole numbers.
    """
    return sorting.lexsort.public(promoted(*keys), as_int(axis))


def isin(element: TensorLike, test_elements: TensorLike, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element is among the test elements.

    >>> import gradtape as tf
    >>> tf.numpy.isin([1, 2, 3], [2, 5]).numpy()
    array([False,  True, False])

    Args:
        element: A tensor.
        test_elements: The elements that are looked for.
        assume_unique: Ignored; accepted for compatibility with NumPy.
        invert: Whether to ask for elements that are not among them.

    Returns:
        Truth values.
    """
    x, y = promoted(element, test_elements)
    return search.isin.public(x, y, bool(invert))


def histogram(a: TensorLike, bins: Any = 10, range: Any = None, density: bool = False) -> tuple[Tensor, Tensor]:
    """How many elements lie in each bin, and the edges of the bins: equal ones, or those that are given.

    >>> import gradtape as tf
    >>> counts, edges = tf.numpy.histogram([1.0, 2.0, 2.5, 4.0], 3)
    >>> counts.numpy(), edges.numpy()
    (array([1, 2, 1]), array([1., 2., 3., 4.]))

    Args:
        a: A tensor, or what can become one.
        bins: How many bins, or their edges.
        range: Where the first bin begins and the last one ends; by default the smallest and the largest element.
        density: Whether to divide, so that the area is 1.

    Returns:
        Two vectors: the counts and the edges.
    """
    x = asarray(a)
    edges = np.histogram_bin_edges(np.asarray(x), np.asarray(asarray(bins)) if np.ndim(bins) else bins, range)
    counts = search.histogram.public(to_type(x, np.int8) if x.dtype.is_bool else x, tuple(edges.tolist()))
    if density:
        counts = asarray(np.asarray(counts) / (np.diff(edges) * np.asarray(counts).sum()))
    return counts, asarray(edges)


def digitize(x: TensorLike, bins: TensorLike, right: bool = False) -> Tensor:
    """The number of the bin between sorted edges in which each element lies.

    >>> import gradtape as tf
    >>> tf.numpy.digitize([0.5, 1.5], [0.0, 1.0, 2.0]).numpy()
    array([1, 2])

    Args:
        x: A tensor, or what can become one.
        bins: The edges, in order.
        right: Whether the right edge belongs to a bin, rather than the left.

    Returns:
        Whole numbers.

    Raises:
        ValueError: `bins` is no vector that rises or falls throughout.
    """
    edges = np.asarray(asarray(bins))
    if edges.ndim != 1 or not ((np.diff(edges) >= 0).all() or (np.diff(edges) <= 0).all()):
        raise ValueError("digitize: bins must be a vector, increasing or decreasing.")
    return asarray(np.asarray(np.digitize(np.asarray(asarray(x)), edges, right)))


def packbits(a: TensorLike, axis: AxisLike | None = None, bitorder: str = "big") -> Tensor:
    """Eight truth values as the bits of one uint8.

    >>> import gradtape as tf
    >>> tf.numpy.packbits([1, 0, 0, 0, 0, 0, 0, 1]).numpy()
    array([129], dtype=uint8)

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.
        bitorder: "big": the first value is the highest bit; or "little".

    Returns:
        uint8 numbers.
    """
    x = asarray(a)
    if axis is None:
        x, axis = arrays.reshape(x, (-1,)), 0
    return bitwise.packbits.public(x if x.dtype.numpy == np.uint8 else truth(x), as_int(axis), bitorder)


def unpackbits(
    a: TensorLike, axis: AxisLike | None = None, count: IntLike | None = None, bitorder: str = "big"
) -> Tensor:
    """The bits of each uint8 as eight numbers, or only the first `count` of them.

    >>> import gradtape as tf
    >>> tf.numpy.unpackbits(tf.numpy.asarray([129], "uint8")).numpy()
    array([1, 0, 0, 0, 0, 0, 0, 1], dtype=uint8)

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.
        count: How many bits; None: all.
        bitorder: "big": the highest bit comes first; or "little".

    Returns:
        uint8 numbers, 0 and 1.
    """
    x = asarray(a)
    if axis is None:
        x, axis = arrays.reshape(x, (-1,)), 0
    return bitwise.unpackbits.public(x, as_int(axis), count, bitorder)


trace_public(globals())
