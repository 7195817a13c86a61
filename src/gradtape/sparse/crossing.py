"""Features crossed with each other: in each row every combination of one value from each input, joined or hashed."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import invalid
from ..base.farmhash import combined, fingerprint64
from ..base.traceable import trace_public
from ..op.arguments import takes, text
from ..op.attributes import as_int
from ..trace.composites import by_stand_ins
from ..values.tensor import Tensor, from_array
from .tensor import SparseTensor, check_places, from_parts, places_of, sizes_of

Rows = list[list[Any]]  # the values of one input, or of the result, by row
Meet = Callable[[tuple[Any, ...]], Any]  # makes one value of those that meet

_KEY = 0xDECAFCAFFE
_LARGEST = 2**63 - 1


@takes(separator=text)
def cross(inputs: object, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """The features of each row, joined to texts in all combinations of one from each input.

    >>> import gradtape as tf
    >>> tf.sparse.cross([tf.constant([["a"], ["b"]]), tf.constant([["c"], ["d"]])], separator="-").values.numpy()
    array([b'a-c', b'b-d'], dtype=object)

    Args:
        inputs: A list of matrices of texts or integers, dense or sparse, with one row for each example. Sparse ones come first.
        name: Ignored; accepted for compatibility with TensorFlow.
        separator: What stands between the parts; "_X_" by default.

    Returns:
        A SparseTensor of texts, with as many rows.

    Raises:
        TypeError: An input is not a tensor.
        tf.errors.InvalidArgumentError: The numbers of rows differ.
    """
    return _crossed(inputs, joining("_X_" if separator is None else separator), dtypes.string)


def cross_hashed(
    inputs: object, num_buckets: object = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """The features of each row, hashed in all combinations of one from each input; the hashes are TensorFlow's.

    >>> import gradtape as tf
    >>> tf.sparse.cross_hashed([tf.constant([["a"], ["b"]]), tf.constant([["c"], ["d"]])], 100).values.numpy()
    array([66, 54])

    Args:
        inputs: A list of matrices of texts or integers, dense or sparse, with one row for each example. Sparse ones come first.
        num_buckets: The hashes are below this number; 0 for hashes of 63 bits.
        hash_key: Where hashing begins: an integer; TensorFlow's constant by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A SparseTensor of int64, with as many rows.

    Raises:
        TypeError: An input is not a tensor.
        tf.errors.InvalidArgumentError: The numbers of rows differ, or `num_buckets` is negative.
    """
    return _crossed(inputs, hashing(num_buckets, hash_key), dtypes.int64)


def joining(separator: str) -> Meet:
    """Texts and numbers as one text."""
    joint = separator.encode()
    return lambda values: joint.join(value if isinstance(value, bytes) else b"%d" % value for value in values)


def hashing(num_buckets: object, hash_key: int | None) -> Meet:
    """Texts and numbers as the number of a bucket; with no buckets, as the hash."""
    buckets = as_int(num_buckets)
    if buckets < 0:
        raise invalid(f"cross_hashed: num_buckets must be at least 0, got {buckets}.")
    key = _KEY if hash_key is None else hash_key
    text = functools.lru_cache(maxsize=65536)(fingerprint64)

    def bucket(values: tuple[Any, ...]) -> int:
        code = key
        for value in values:
            code = combined(code, text(value) if isinstance(value, bytes) else value)
        return code % (buckets or _LARGEST)

    return bucket


def crossed(columns: list[Rows], meet: Meet) -> Rows:
    """Row by row all combinations, those of the last column changing fastest."""
    counts = {len(column) for column in columns}
    if len(counts) > 1:
        raise invalid(f"cross: all inputs must have one number of rows, got {[len(column) for column in columns]}.")
    return [[meet(values) for values in itertools.product(*row)] for row in zip(*columns, strict=True)]


def features(value: Any, place: int) -> Rows:
    """The values of a dense or sparse matrix, row by row."""
    if len(value.shape) != 2:
        raise invalid(f"cross: matrices with a row for each example are needed, got shape {value.shape} at {place}.")
    sparse = isinstance(value, SparseTensor)
    array = np.asarray((value.values if sparse else value)._array)
    if array.dtype.kind == "c":
        raise invalid(f"cross: features are text or real numbers, got {value.dtype!r} at position {place}.")
    if array.dtype.kind != "O":
        array = array.astype(np.int64)
    if not sparse:
        rows: Rows = array.tolist()
        return rows
    check_places(value, "cross")
    rows = [[] for _ in range(sizes_of(value)[0])]
    for row, feature in zip(places_of(value)[:, 0].tolist(), array.tolist(), strict=True):
        rows[row].append(feature)
    return rows


def _crossed(inputs: object, meet: Meet, kind: dtypes.DType) -> SparseTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"cross: a list of inputs is needed, got {inputs!r}.")
    for value in inputs:
        if not isinstance(value, (Tensor, SparseTensor)):
            raise TypeError(f"cross: all inputs must be Tensor or SparseTensor, got {value!r}. Use tf.constant.")
    ordered = sorted(inputs, key=lambda value: not isinstance(value, SparseTensor))
    rows = crossed([features(value, place) for place, value in enumerate(ordered)], meet)
    places = [(row, column) for row, values in enumerate(rows) for column in range(len(values))]
    flat = np.empty(len(places), kind.numpy)
    flat[:] = [value for values in rows for value in values]
    width = max(map(len, rows), default=0)
    return from_parts(np.array(places, np.int64).reshape(-1, 2), from_array(flat), (len(rows), width))


trace_public(globals(), skip=("crossed", "features", "hashing", "joining"), on_abstract=by_stand_ins)
