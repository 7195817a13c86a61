"""`tf.data.experimental.at`: one element of a dataset by its number."""

from __future__ import annotations

import weakref
from itertools import islice

from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import FailedPreconditionError, OutOfRangeError
from ..base.types import IntLike
from ..values.tensor import to_tensor
from . import structure
from .batching import Batch
from .dataset import Dataset
from .mixing import Concatenate
from .node import INFINITE, Node, Settings
from .structure import Element
from .transforms import Map

# The numbers of the rows of a step in order, which is drawn once where it is random.
_ORDERS: weakref.WeakKeyDictionary[Node, Array] = weakref.WeakKeyDictionary()


def at(dataset: Dataset, index: IntLike) -> Element:
    """The element at a position, counted from 0.

    >>> import gradtape as tf
    >>> tf.data.experimental.at(tf.data.Dataset.range(10).map(lambda x: x * x).batch(3), 1).numpy()
    array([ 9, 16, 25])

    Steps that choose among arrays, `map`, `batch` and `concatenate` compute this element alone; others run up to it.

    Args:
        dataset: A dataset.
        index: The position.

    Returns:
        The element.

    Raises:
        tf.errors.OutOfRangeError: There is no such position.
        tf.errors.FailedPreconditionError: The number of elements is not known, or infinite.
    """
    position = int(to_tensor(index, dtypes.int64).numpy())
    count = dataset._node.cardinality()
    if count < 0:
        how_many = "infinite" if count == INFINITE else "unknown"
        raise FailedPreconditionError(
            None,
            None,
            f"at: the dataset has {how_many} cardinality, which does not support random access. Iterate over it.",
        )
    if not 0 <= position < count:
        raise OutOfRangeError(None, None, f"at: Index out of range [0, {count}):{position}")
    return _element(dataset._node, position)


def _element(node: Node, index: int) -> Element:
    if node.rows is not None:
        if node not in _ORDERS:
            _ORDERS[node] = node.indices(Settings()).take(node.cardinality())
        return node.rows.row(int(_ORDERS[node][index]))
    if isinstance(node, Map):
        return node.function.for_pass(Settings()).element(_element(node.source, index))
    if node.__class__ is Batch:
        assert isinstance(node, Batch)
        first = index * node.size
        last = min(first + node.size, node.source.cardinality())
        return structure.stacked([_element(node.source, number) for number in range(first, last)])
    if isinstance(node, Concatenate):
        first_part, second_part = node.inputs
        before = first_part.cardinality()
        return _element(first_part, index) if index < before else _element(second_part, index - before)
    iterator = node.iterate(Settings())
    try:
        return next(islice(iterator, index, None))
    finally:
        iterator.close()
