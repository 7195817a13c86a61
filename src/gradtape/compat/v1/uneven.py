"""Functions of `tf.compat.v1` on texts, sparse and ragged tensors that are more than a row of `table.py`."""

from __future__ import annotations

import sys
from typing import Any

from ... import math, ragged
from ...api import arrays, layout
from ...base import dtypes
from ...base.types import DTypeLike
from ...op.attributes import as_int
from ...ragged.tensor import RaggedTensor
from ...values.tensor import to_tensor


def _v2() -> Any:
    return sys.modules["gradtape"]


def ragged_constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """A ragged tensor of nested lists; an array if no axis is ragged.

    >>> import gradtape as tf
    >>> tf.compat.v1.ragged.constant_value([[1, 2], [3]]).to_list()
    [[1, 2], [3]]

    Args:
        pylist: Lists in lists.
        dtype: The type of the values.
        ragged_rank: How many axes are ragged.
        inner_shape: The shape of each innermost value.
        row_splits_dtype: The type of the row splits.

    Returns:
        A RaggedTensor, or an array.
    """
    found = ragged.constant(pylist, dtype, ragged_rank, inner_shape, row_splits_dtype=row_splits_dtype)
    return found if isinstance(found, RaggedTensor) else found.numpy()


def RaggedTensorValue(values: Any, row_splits: Any) -> Any:
    """A ragged tensor of values and row splits.

    >>> import gradtape as tf
    >>> tf.compat.v1.ragged.RaggedTensorValue([1, 2, 3], [0, 2, 3]).to_list()
    [[1, 2], [3]]

    Args:
        values: The values of all rows.
        row_splits: Where each row begins, and the end.

    Returns:
        A RaggedTensor.
    """
    return RaggedTensor.from_row_splits(values, row_splits)


def string_split(
    source: Any,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """The words of each text of a vector; each letter of the separator separates.

    >>> import gradtape as tf
    >>> tf.compat.v1.string_split(["hello world", "a b c"]).values.numpy().tolist()
    [b'hello', b'world', b'a', b'b', b'c']

    Args:
        source: Texts.
        sep: What stands between words; None: a space.
        skip_empty: Whether empty words are left out.
        delimiter: The older name of `sep`.
        result_type: "SparseTensor" or "RaggedTensor".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A sparse or a ragged tensor.
    """
    given = " " if sep is None and delimiter is None else sep if delimiter is None else delimiter
    parts = _v2().raw_ops.StringSplit(input=to_tensor(source), delimiter=given, skip_empty=skip_empty)
    return _of_kind(_v2().SparseTensor(parts.indices, parts.values, parts.shape), result_type)


def strings_split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """The words of each text.

    >>> import gradtape as tf
    >>> tf.compat.v1.strings.split(["hello world", "a"], result_type="RaggedTensor").to_list()
    [[b'hello', b'world'], [b'a']]

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        sep: What stands between words; None: white space.
        maxsplit: The most cuts of a text; -1: all.
        result_type: "SparseTensor" or "RaggedTensor".
        source: The older name of `input`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A sparse or a ragged tensor.
    """
    texts = arrays.convert_to_tensor(source if input is None else input, dtypes.string)
    found = _v2().strings.split(arrays.reshape(texts, [1]) if texts.ndim == 0 else texts, sep, maxsplit)
    return found if result_type == "RaggedTensor" else _of_kind(found.to_sparse(), result_type)


def _of_kind(found: Any, kind: str) -> Any:
    if kind not in ("SparseTensor", "RaggedTensor"):
        raise ValueError(f"result_type must be 'RaggedTensor' or 'SparseTensor', got {kind!r}.")
    return RaggedTensor.from_sparse(found) if kind == "RaggedTensor" else found


def sparse_merge(
    sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None, already_sorted: bool = False
) -> Any:
    """One sparse tensor of ids and values: the ids become the last places.

    >>> import gradtape as tf
    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1])
    >>> values = tf.SparseTensor([[0, 0], [1, 0]], [5.0, 6.0], [2, 1])
    >>> tf.sparse.to_dense(tf.compat.v1.sparse_merge(ids, values, 3)).numpy().tolist()
    [[0.0, 0.0, 5.0], [6.0, 0.0, 0.0]]

    Args:
        sp_ids: Ids, or several.
        sp_values: The values at the same places.
        vocab_size: The number of ids, for each.
        name: Ignored; accepted for compatibility with TensorFlow.
        already_sorted: Whether the ids rise in each row, so that nothing is sorted.

    Returns:
        A sparse tensor.
    """
    several = isinstance(sp_ids, (list, tuple))
    given, sizes = (list(sp_ids), list(vocab_size)) if several else ([sp_ids], [vocab_size])
    columns = [math.cast(one.values, "int64") for one in given]
    places = layout.concat([sp_values.indices[:, :-1], *[column[:, None] for column in columns]], 1)
    shape = layout.concat([sp_values.dense_shape[:-1], to_tensor([as_int(size) for size in sizes], dtypes.int64)], 0)
    merged = _v2().SparseTensor(places, sp_values.values, shape)
    return merged if already_sorted else _v2().sparse.reorder(merged)
