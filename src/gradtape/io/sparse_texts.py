"""Sparse tensors as byte strings: three of them, for places, values and shape."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import dtypes
from ..base.errors import DecodeError, UnimplementedError, invalid
from ..base.types import DTypeLike, TensorLike
from ..values.tensor import Tensor, from_array, to_tensor

if TYPE_CHECKING:
    from ..sparse.tensor import SparseTensor
from .tensors import array_of, tensor_bytes


def _checked(sp_input: object, out_type: DTypeLike) -> Any:
    if not hasattr(sp_input, "dense_shape"):
        raise TypeError(f"Input must be a SparseTensor, got {sp_input!r}.")
    if dtypes.as_dtype(out_type) is not dtypes.string:
        raise UnimplementedError(None, None, "Sparse tensors are serialized as tf.string; variants are not supported.")
    return sp_input


def _texts(indices: object, values: object, shape: object) -> list[bytes]:
    return [tensor_bytes(np.asarray(part)) for part in (indices, values, shape)]


def serialize_sparse(sp_input: object, out_type: DTypeLike = dtypes.string, name: str | None = None) -> Tensor:
    """A sparse tensor as a vector of three byte strings.

    >>> import gradtape as tf
    >>> texts = tf.io.serialize_sparse(tf.sparse.from_dense([[0.0, 1.0]]))
    >>> tf.io.deserialize_many_sparse([texts], tf.float32).dense_shape.numpy()
    array([1, 1, 2])

    Args:
        sp_input: A sparse tensor.
        out_type: tf.string.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector of three texts: places, values, shape.

    Raises:
        TypeError: The input is not sparse.
    """
    sparse = _checked(sp_input, out_type)
    parts = (part._array for part in (sparse.indices, sparse.values, sparse.dense_shape))
    return from_array(np.array(_texts(*parts), object))


def serialize_many_sparse(sp_input: object, out_type: DTypeLike = dtypes.string, name: str | None = None) -> Tensor:
    """Each slice of a sparse tensor along its first axis as three byte strings: a matrix with a row for each.

    >>> import gradtape as tf
    >>> tf.io.serialize_many_sparse(tf.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]])).shape
    TensorShape([2, 3])

    Args:
        sp_input: A sparse tensor with at least two axes, in order.
        out_type: tf.string.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A matrix of texts: (rows, 3).

    Raises:
        tf.errors.InvalidArgumentError: The tensor has fewer than two axes.
    """
    sparse = _checked(sp_input, out_type)
    places, values, shape = (np.asarray(part._array) for part in (sparse.indices, sparse.values, sparse.dense_shape))
    if len(shape) < 2:
        raise invalid(
            f"serialize_many_sparse: the rank must be at least 2, got a sparse tensor of shape {shape.tolist()}."
        )
    ends = np.searchsorted(places[:, 0], np.arange(int(shape[0]) + 1))
    rows = np.empty((int(shape[0]), 3), object)
    for row, (start, stop) in enumerate(itertools.pairwise(ends)):
        rows[row] = _texts(places[start:stop, 1:], values[start:stop], shape[1:])
    return from_array(rows)


def deserialize_many_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """One sparse tensor of many that were serialized: they lie along a new first axis, in a shape that has room for each.

    >>> import gradtape as tf
    >>> texts = tf.io.serialize_many_sparse(tf.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]]))
    >>> tf.io.deserialize_many_sparse(texts, tf.float32).values.numpy()
    array([1., 2.], dtype=float32)

    Args:
        serialized_sparse: A matrix of texts with three columns.
        dtype: The type of the values.
        rank: How many axes each of them has, where it is known.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A sparse tensor with one more axis.

    Raises:
        tf.errors.InvalidArgumentError: The texts are no sparse tensors of this type.
        ValueError: They have another rank.
    """
    from ..sparse.tensor import from_parts

    texts, kind = np.asarray(to_tensor(serialized_sparse)._array), dtypes.as_dtype(dtype)
    if texts.ndim != 2 or texts.shape[1] != 3 or texts.dtype != object:
        raise invalid(
            f"deserialize_many_sparse: a matrix of texts with three columns is needed, got shape {texts.shape}."
        )
    rows = [_read(row, number, kind) for number, row in enumerate(texts.tolist())]
    if not rows:
        raise invalid("deserialize_many_sparse: there is no sparse tensor to read.")
    ranks = {len(shape) for _, _, shape in rows}
    if len(ranks) > 1:
        raise invalid(f"deserialize_many_sparse: the sparse tensors have different ranks: {sorted(ranks)}.")
    if rank is not None and ranks != {rank}:
        raise ValueError(
            f"deserialize_many_sparse: the sparse tensors have rank {ranks.pop()}, but rank={rank} was given."
        )
    places = [np.insert(indices, 0, number, axis=1) for number, (indices, _, _) in enumerate(rows)]
    shape = [len(rows), *np.max([shape for _, _, shape in rows], axis=0).tolist()]
    return from_parts(np.concatenate(places), from_array(np.concatenate([values for _, values, _ in rows])), shape)


def _read(row: list[bytes], number: int, kind: dtypes.DType) -> tuple[Any, Any, Any]:
    try:
        indices, values, shape = (array_of(memoryview(text)) for text in row)
    except (DecodeError, TypeError) as error:
        raise invalid(f"deserialize_many_sparse: row {number} holds no sparse tensor: {error}") from None
    if (
        indices.dtype != np.int64
        or shape.dtype != np.int64
        or indices.shape != (len(values), len(shape))
        or values.ndim != 1
    ):
        raise invalid(
            f"deserialize_many_sparse: the parts of row {number} do not go together: places {indices.shape}, values "
            f"{values.shape}, shape {shape.shape}."
        )
    if values.dtype != kind.numpy:
        raise invalid(
            f"deserialize_many_sparse: row {number} has values of type {dtypes.BY_NUMPY[values.dtype].name}, not {kind.name}."
        )
    if (indices < 0).any() or (indices >= shape).any():
        raise invalid(f"deserialize_many_sparse: row {number} has places outside of its shape {shape.tolist()}.")
    return indices, values, shape
