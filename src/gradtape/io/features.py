"""The kinds of features that examples are parsed to, and what is known of the results before there are examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from ..base import dtypes
from ..base.dtypes import DType
from ..base.shapes import TensorShape
from ..base.types import DTypeLike, ShapeLike, TensorLike
from ..values.tensor import TensorSpec, to_tensor


class FixedLenFeature(NamedTuple):
    """A feature with as many values as `shape` has; a missing one is `default_value`, or an error without.

    >>> import gradtape as tf
    >>> size = tf.train.Feature(float_list=tf.train.FloatList(value=[1.5]))
    >>> text = tf.train.Example(features=tf.train.Features(feature={"size": size})).SerializeToString()
    >>> tf.io.parse_single_example(text, {"size": tf.io.FixedLenFeature([], tf.float32)})["size"].numpy()
    np.float32(1.5)

    Args:
        shape: The shape of the values of one example.
        dtype: float32, int64 or string.
        default_value: What a missing one is.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature of any length, as a SparseTensor.

    >>> import gradtape as tf
    >>> words = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"b"]))
    >>> text = tf.train.Example(features=tf.train.Features(feature={"words": words})).SerializeToString()
    >>> tf.io.parse_single_example(text, {"words": tf.io.VarLenFeature(tf.string)})["words"].values.numpy()
    array([b'a', b'b'], dtype=object)

    Args:
        dtype: float32, int64 or string.
    """

    dtype: Any


class FixedLenSequenceFeature(NamedTuple):
    """Any number of values of shape `shape` along a first axis; rows of a batch are padded to the longest.

    >>> import gradtape as tf
    >>> counts = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3, 4]))
    >>> text = tf.train.Example(features=tf.train.Features(feature={"counts": counts})).SerializeToString()
    >>> wanted = {"counts": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)}
    >>> tf.io.parse_single_example(text, wanted)["counts"].numpy()
    array([[1, 2],
           [3, 4]])

    Args:
        shape: The shape of one step.
        dtype: float32, int64 or string.
        allow_missing: Whether a missing one is empty; an example needs it, a list of a sequence example does not.
        default_value: What shorter rows are padded with; 0 or "" by default.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A sparse tensor whose values are in one feature, and its indices in one or more others.

    >>> import gradtape as tf
    >>> place = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 3]))
    >>> value = tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 2.0]))
    >>> features = tf.train.Features(feature={"place": place, "value": value})
    >>> text = tf.train.Example(features=features).SerializeToString()
    >>> wanted = {"row": tf.io.SparseFeature("place", "value", tf.float32, size=5)}
    >>> tf.sparse.to_dense(tf.io.parse_single_example(text, wanted)["row"]).numpy()
    array([0. , 0.5, 0. , 2. , 0. ], dtype=float32)

    Args:
        index_key: The name of the feature with the indices, or a list of names, one for each axis.
        value_key: The name of the feature with the values.
        dtype: float32, int64 or string.
        size: The size of each axis: a number, or a list.
        already_sorted: Whether the indices come in order.
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class _RowSplits(NamedTuple):
    key: str


class _RowLengths(NamedTuple):
    key: str


class _RowStarts(NamedTuple):
    key: str


class _RowLimits(NamedTuple):
    key: str


class _ValueRowIds(NamedTuple):
    key: str


class _UniformRowLength(NamedTuple):
    length: int


class _RaggedFields(NamedTuple):
    dtype: Any
    value_key: str | None = None
    partitions: Any = ()
    row_splits_dtype: DTypeLike = dtypes.int32
    validate: bool = False


class RaggedFeature(_RaggedFields):
    """A feature of any length, as a RaggedTensor; `partitions` name the features that say how the values are divided.

    >>> import gradtape as tf
    >>> words = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"b"]))
    >>> text = tf.train.Example(features=tf.train.Features(feature={"words": words})).SerializeToString()
    >>> tf.io.parse_example([text], {"words": tf.io.RaggedFeature(tf.string)})["words"].to_list()
    [[b'a', b'b']]

    Args:
        dtype: float32, int64 or string.
        value_key: The name of the feature with the values; by default that of this one.
        partitions: Objects such as `RaggedFeature.RowSplits("name")`.
        row_splits_dtype: int32 or int64.
        validate: Whether to check that the values of `partitions` go together.
    """

    __slots__ = ()

    RowSplits = _RowSplits
    RowLengths = _RowLengths
    RowStarts = _RowStarts
    RowLimits = _RowLimits
    ValueRowIds = _ValueRowIds
    UniformRowLength = _UniformRowLength


_Feature: TypeAlias = FixedLenFeature | FixedLenSequenceFeature | VarLenFeature | SparseFeature | RaggedFeature


def checked_dtype(dtype: DTypeLike, key: str) -> DType:
    kind = dtypes.as_dtype(dtype)
    if kind not in (dtypes.string, dtypes.float32, dtypes.int64):
        raise ValueError(f"Feature {key!r}: the dtype must be float32, int64 or string, got {kind.name}. Use tf.cast.")
    return kind


def keys_of(features: Mapping[str, Any]) -> set[str]:
    """The names that are looked up in each example."""
    keys: set[str] = set()
    for name, feature in features.items():
        if isinstance(feature, SparseFeature):
            keys |= {feature.value_key, *index_keys(feature)}
        elif isinstance(feature, RaggedFeature):
            keys |= {feature.value_key or name, *(part.key for part in feature.partitions if hasattr(part, "key"))}
        else:
            keys.add(name)
    return keys


def index_keys(feature: SparseFeature) -> list[str]:
    return [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)


def checked_features(features: Any) -> dict[str, Any]:
    if features and not isinstance(features, Mapping):
        raise TypeError(f"features must be a dict of names and kinds, got {features!r}.")
    if not features:
        raise ValueError(
            "Missing: features was empty. Give a dict such as {'x': tf.io.FixedLenFeature([], tf.float32)}."
        )
    known = (FixedLenFeature, VarLenFeature, FixedLenSequenceFeature, SparseFeature, RaggedFeature)
    for name, feature in features.items():
        if not isinstance(feature, known):
            raise ValueError(
                f"Invalid feature {name!r}: {feature!r}. Use tf.io.FixedLenFeature, VarLenFeature and the like."
            )
    return {name: features[name] for name in sorted(features)}


def sizes_of(shape: ShapeLike, key: str) -> tuple[int, ...]:
    sizes = TensorShape(shape)
    if not sizes.is_fully_defined():
        raise ValueError(f"Feature {key!r}: the shape must be fully known, got {sizes}. Use FixedLenSequenceFeature.")
    return tuple(sizes)


def _batch_of(serialized: TensorLike) -> list[int | None]:
    """The sizes that come first in each result: the number of examples, or nothing for a single one."""
    shape = to_tensor(serialized).shape
    return [None] if shape.rank is None else [size if size.__class__ is int else None for size in shape]


def _spec(key: str, feature: _Feature, batch: list[int | None]) -> Any:
    from .. import ragged
    from ..sparse.tensor import SparseTensorSpec

    kind = checked_dtype(feature.dtype, key)
    if isinstance(feature, FixedLenFeature):
        return TensorSpec([*batch, *sizes_of(feature.shape, key)], kind)
    if isinstance(feature, FixedLenSequenceFeature):
        return TensorSpec([*batch, None, *sizes_of(feature.shape, key)], kind)
    if isinstance(feature, VarLenFeature):
        return SparseTensorSpec([*batch, None], kind)
    if isinstance(feature, SparseFeature):
        sizes = feature.size if isinstance(feature.size, (list, tuple)) else [feature.size]
        return SparseTensorSpec([*batch, *map(int, sizes)], kind)
    inner = [part.length if isinstance(part, _UniformRowLength) else None for part in feature.partitions]
    shape, splits = [*batch, None, *inner], dtypes.as_dtype(feature.row_splits_dtype)
    return ragged.RaggedTensorSpec(shape, kind, len(shape) - 1, splits) if len(shape) > 1 else TensorSpec(shape, kind)


def _step_spec(key: str, feature: Any, batch: list[int | None]) -> Any:
    """What is given for the steps of sequences."""
    from .. import ragged
    from ..sparse.tensor import SparseTensorSpec

    kind = checked_dtype(feature.dtype, key)
    if isinstance(feature, FixedLenSequenceFeature):
        return _spec(key, feature, batch)
    if isinstance(feature, VarLenFeature):
        return SparseTensorSpec([*batch, None, None], kind)
    splits = dtypes.as_dtype(feature.row_splits_dtype)
    return ragged.RaggedTensorSpec([*batch, None, None], kind, len(batch) + 1, splits)


def example_specs(serialized: TensorLike, features: object, *others: object, **named: object) -> Any:
    batch = _batch_of(serialized)
    return {key: _spec(key, feature, batch) for key, feature in checked_features(features).items()}


def sequence_specs(
    serialized: TensorLike,
    context_features: object = None,
    sequence_features: object = None,
    *others: object,
    **named: object,
) -> Any:
    batch = _batch_of(serialized)
    context, steps = checked_sequences(context_features, sequence_features)
    return (
        {key: _spec(key, feature, batch) for key, feature in context.items()},
        {key: _step_spec(key, feature, batch) for key, feature in steps.items()},
        {
            key: TensorSpec(batch, dtypes.int64)
            for key, feature in steps.items()
            if isinstance(feature, FixedLenSequenceFeature)
        },
    )


def single_sequence_specs(*args: Any, **named: Any) -> Any:
    return sequence_specs(*args, **named)[:2]


def checked_sequences(context_features: object, sequence_features: object) -> tuple[dict[str, Any], dict[str, Any]]:
    if not context_features and not sequence_features:
        raise ValueError("parse_sequence_example: give context_features, sequence_features, or both.")
    context = checked_features(context_features) if context_features else {}
    return context, checked_features(sequence_features) if sequence_features else {}
