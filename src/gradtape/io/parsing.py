"""`parse_example` and related functions: serialized examples as tensors, by a description of the requested features."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import Array, DType
from ..base.errors import DecodeError, invalid
from ..base.namespaces import homes, on_first_use
from ..base.types import TensorLike
from ..ops.text.strings import each
from ..trace.host_calls import gives
from ..values.tensor import Tensor, from_array, to_tensor
from . import wire
from .examples import BytesList, Example, Feature, Features, FloatList, Int64List
from .features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
    checked_dtype,
    checked_features,
    checked_sequences,
    example_specs,
    index_keys,
    keys_of,
    sequence_specs,
    single_sequence_specs,
    sizes_of,
)
from .messages import entry_of
from .records import text_from
from .tensors import texts_of

# --- one serialized example --------------------------------------------------------------------------------

_TYPES = {1: dtypes.string, 2: dtypes.float32, 3: dtypes.int64}
_Found = dict[str, memoryview]


def _entries(data: memoryview, wanted: set[str], found: _Found) -> None:
    """Put the wanted entries of a map (features, or lists of features) into `found`."""
    for field, kind, value in wire.fields(data):
        if field == 1:
            name, content = entry_of(wire.message(kind, value))
            if name in wanted:
                found[name] = content


def _values(content: memoryview, dtype: DType, key: str) -> Array | None:
    """The values of one feature, or None where it holds no list."""
    parts: list[Any] = []
    found: DType | None = None
    for field, kind, value in wire.fields(content):
        if field not in _TYPES:
            continue
        if found is not _TYPES[field]:
            parts, found = [], _TYPES[field]
        for inner, encoding, item in wire.fields(wire.message(kind, value)):
            if inner != 1:
                continue
            if field == 1:
                parts.append(bytes(wire.message(encoding, item)))
            else:
                parts.append(wire.numbers(encoding, item, np.float32) if field == 2 else wire.integers(encoding, item))
    if found is None:
        return None
    if found is not dtype:
        raise invalid(
            f"Key: {key}. Data types don't match. Expected type: {dtype.name}, but the example has {found.name}."
        )
    if dtype is dtypes.string:
        texts: Array = np.empty(len(parts), object)
        texts[:] = parts
        return texts
    return np.concatenate(parts) if parts else np.zeros(0, dtype.numpy)


class _Rows:
    """The wanted features of several examples, as they are in the bytes."""

    def __init__(self, rows: list[_Found]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def values(self, key: str, dtype: DType) -> list[Array | None]:
        """For each example the values of the feature, or None."""
        return [_values(row[key], dtype, key) if key in row else None for row in self._rows]


def _parsed(serialized: list[bytes], features: Mapping[str, Any]) -> _Rows:
    wanted = keys_of(features)
    rows = []
    for text in serialized:
        found: _Found = {}
        try:
            for field, kind, value in wire.fields(memoryview(text)):
                if field == 1:
                    _entries(wire.message(kind, value), wanted, found)
        except DecodeError as error:
            raise invalid(f"Could not parse example input, value: {text[:64]!r}: {error}") from None
        rows.append(found)
    return _Rows(rows)


# --- from rows to tensors ----------------------------------------------------------------------------------


def _default(value: TensorLike, kind: DType, sizes: tuple[int, ...], key: str) -> Array:
    array = np.asarray(to_tensor(value, kind)._array)
    if array.size == 1:
        return np.broadcast_to(array.reshape(()), sizes)
    if array.size != int(np.prod(sizes, dtype=np.int64)):
        raise ValueError(f"Feature {key!r}: a default of shape {array.shape} does not fill shape {list(sizes)}.")
    return array.reshape(sizes)


def _fixed(rows: _Rows, key: str, feature: FixedLenFeature) -> list[Array]:
    kind, sizes = checked_dtype(feature.dtype, key), sizes_of(feature.shape, key)
    count = int(np.prod(sizes, dtype=np.int64))
    default = None if feature.default_value is None else _default(feature.default_value, kind, sizes, key)
    results = []
    for values in rows.values(key, kind):
        if values is None:
            if default is None:
                raise invalid(
                    f"Feature: {key} (data type: {kind.name}) is required but could not be found. "
                    "Give the FixedLenFeature a default_value if it may be missing."
                )
            values = default
        elif values.size != count:
            raise invalid(
                f"Key: {key}. Can't parse serialized Example: it has {values.size} values, "
                f"shape {list(sizes)} needs {count}."
            )
        results.append(values.reshape(sizes))
    return results


def _steps(values: Array, sizes: tuple[int, ...], key: str) -> Array:
    count = int(np.prod(sizes, dtype=np.int64))
    if count == 0 or values.size % count:
        raise invalid(f"Key: {key}. {values.size} values are no multiple of {count}, the size of {list(sizes)}.")
    return values.reshape(-1, *sizes)


def _sequences(rows: _Rows, key: str, feature: FixedLenSequenceFeature) -> list[Array]:
    kind, sizes = checked_dtype(feature.dtype, key), sizes_of(feature.shape, key)
    if not feature.allow_missing:
        raise ValueError(f"Unsupported: FixedLenSequenceFeature requires allow_missing to be True (feature {key!r}).")
    empty = np.zeros(0, kind.numpy)
    return [_steps(empty if values is None else values, sizes, key) for values in rows.values(key, kind)]


def padded(parts: list[Array], value: TensorLike | None = None) -> Array:
    """The arrays along a new first axis, filled up to the longest of each axis."""
    shape = np.max([part.shape for part in parts], axis=0) if parts else ()
    if value is None:
        value = b"" if parts and parts[0].dtype.kind == "O" else 0
    result = np.full((len(parts), *shape), value, parts[0].dtype if parts else None)
    for row, part in zip(result, parts, strict=True):
        row[tuple(slice(0, size) for size in part.shape)] = part
    return result


def _sparse(places: Any, values: Array, sizes: Any) -> Any:
    from ..sparse.tensor import from_parts

    return from_parts(places, from_array(values), sizes)


def _joined(parts: list[Array], kind: DType) -> Array:
    return np.concatenate(parts) if parts else np.zeros(0, kind.numpy)


def _variable(rows: _Rows, key: str, feature: VarLenFeature, single: bool) -> Any:
    kind = checked_dtype(feature.dtype, key)
    parts = [np.zeros(0, kind.numpy) if values is None else values for values in rows.values(key, kind)]
    lengths = [part.size for part in parts]
    columns = np.concatenate([np.arange(length) for length in lengths]) if parts else np.zeros(0, np.int64)
    if single:
        return _sparse(columns[:, None], parts[0], (lengths[0],))
    places = np.stack([np.repeat(np.arange(len(parts)), lengths), columns], axis=1)
    return _sparse(places, _joined(parts, kind), (len(parts), max(lengths, default=0)))


def _placed(rows: _Rows, key: str, feature: SparseFeature, single: bool) -> Any:
    kind = checked_dtype(feature.dtype, key)
    keys = index_keys(feature)
    sizes = [int(size) for size in (feature.size if isinstance(feature.size, (list, tuple)) else [feature.size])]
    if len(sizes) != len(keys):
        raise ValueError(f"SparseFeature {key!r}: {len(keys)} index keys for {len(sizes)} sizes.")
    empty = np.zeros(0, np.int64)
    indices = [rows.values(name, dtypes.int64) for name in keys]
    places, values = [], []
    for number, found in enumerate(rows.values(feature.value_key, kind)):
        axes = [empty if column[number] is None else column[number] for column in indices]
        found = np.zeros(0, kind.numpy) if found is None else found
        if any(axis.size != found.size for axis in axes):  # type: ignore[union-attr]
            raise invalid(f"SparseFeature {key!r}: {found.size} values, but places {[a.size for a in axes]}.")  # type: ignore[union-attr]
        place = np.stack(axes, axis=1) if axes else empty  # type: ignore[arg-type]
        if ((place < 0) | (place >= np.array(sizes))).any():
            raise invalid(f"SparseFeature {key!r}: a place is outside of the size {sizes}.")
        if not feature.already_sorted:
            order = np.lexsort(place.T[::-1])
            place, found = place[order], found[order]
        places.append(place if single else np.insert(place, 0, number, axis=1))
        values.append(found)
    shape = sizes if single else [len(rows), *sizes]
    return _sparse(np.concatenate(places), _joined(values, kind), shape)


def _ragged(rows: _Rows, key: str, feature: RaggedFeature, single: bool) -> Any:
    from .. import ragged

    kind = checked_dtype(feature.dtype, key)
    splits = dtypes.as_dtype(feature.row_splits_dtype)
    integers = dtypes.int64
    results = []
    parts = rows.values(feature.value_key or key, kind)
    for number, values in enumerate(parts):
        result: Any = from_array(np.zeros(0, kind.numpy) if values is None else values)
        for part in reversed(feature.partitions):
            if isinstance(part, RaggedFeature.UniformRowLength):
                result = ragged.RaggedTensor.from_uniform_row_length(result, part.length)
                continue
            found = rows.values(part.key, integers)[number]
            rows_of = from_array((np.zeros(0, np.int64) if found is None else found).astype(splits.numpy))
            if isinstance(part, RaggedFeature.RowSplits) and not rows_of.shape[0]:
                rows_of = from_array(np.zeros(1, splits.numpy))
            build: Any = {
                RaggedFeature.RowSplits: ragged.RaggedTensor.from_row_splits,
                RaggedFeature.RowLengths: ragged.RaggedTensor.from_row_lengths,
                RaggedFeature.RowStarts: ragged.RaggedTensor.from_row_starts,
                RaggedFeature.RowLimits: ragged.RaggedTensor.from_row_limits,
                RaggedFeature.ValueRowIds: ragged.RaggedTensor.from_value_rowids,
            }[type(part)]
            result = build(result, rows_of)
        results.append(result)
    if single:
        return results[0]
    if not feature.partitions:
        lengths = from_array(np.array([part.shape[0] for part in results], splits.numpy))
        values = _joined([part._array for part in results], kind)
        return ragged.RaggedTensor.from_row_lengths(from_array(values), lengths)
    return ragged.stack(results).with_row_splits_dtype(splits)


def _outputs(rows: _Rows, features: dict[str, Any], single: bool) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for key, feature in features.items():
        if isinstance(feature, FixedLenFeature):
            fixed = _fixed(rows, key, feature)
            sizes = sizes_of(feature.shape, key)
            kind = dtypes.as_dtype(feature.dtype).numpy
            whole = np.stack(fixed) if fixed else np.zeros((0, *sizes), kind)
            results[key] = from_array(fixed[0] if single else whole)
        elif isinstance(feature, FixedLenSequenceFeature):
            parts = _sequences(rows, key, feature)
            results[key] = from_array(parts[0] if single else padded(parts, feature.default_value))
        elif isinstance(feature, VarLenFeature):
            results[key] = _variable(rows, key, feature, single)
        elif isinstance(feature, SparseFeature):
            results[key] = _placed(rows, key, feature, single)
        else:
            results[key] = _ragged(rows, key, feature, single)
    return results


# --- the functions -----------------------------------------------------------------------------------------


@gives(example_specs)
def parse_single_example(
    serialized: TensorLike, features: object, example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    """The features of one serialized `tf.train.Example`, by name.

    >>> import gradtape as tf
    >>> size = tf.train.Feature(float_list=tf.train.FloatList(value=[1.5]))
    >>> text = tf.train.Example(features=tf.train.Features(feature={"size": size})).SerializeToString()
    >>> tf.io.parse_single_example(text, {"size": tf.io.FixedLenFeature([], tf.float32)})["size"].numpy()
    np.float32(1.5)

    Args:
        serialized: The bytes of one example.
        features: A dict from names to `FixedLenFeature`, `VarLenFeature` and the others.
        example_names: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A dict from names to tensors.

    Raises:
        tf.errors.InvalidArgumentError: A feature is missing or has another type, or the bytes are no example.
    """
    wanted = checked_features(features)
    return _outputs(_parsed([text_from(serialized, "parse_single_example")], wanted), wanted, single=True)


@gives(example_specs)
def parse_example(
    serialized: TensorLike, features: object, example_names: object = None, name: str | None = None
) -> dict[str, Any]:
    """The features of many serialized examples, each feature with the examples along its first axis.

    >>> import gradtape as tf
    >>> def example(size):
    ...     feature = tf.train.Feature(float_list=tf.train.FloatList(value=[size]))
    ...     return tf.train.Example(features=tf.train.Features(feature={"size": feature})).SerializeToString()
    >>> tf.io.parse_example([example(1.5), example(2.5)], {"size": tf.io.FixedLenFeature([], tf.float32)})["size"].numpy()
    array([1.5, 2.5], dtype=float32)

    Args:
        serialized: A vector of byte strings.
        features: A dict from names to `FixedLenFeature`, `VarLenFeature` and the others.
        example_names: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A dict from names to tensors.

    Raises:
        tf.errors.InvalidArgumentError: A feature is missing or has another type, or the bytes are no example.
    """
    wanted = checked_features(features)
    texts = texts_of(serialized)
    if texts.ndim > 1:
        raise invalid(f"parse_example: a vector of byte strings is needed, got shape {texts.shape}.")
    if not texts.ndim:
        return parse_single_example(texts, features)
    return _outputs(_parsed(texts._array.tolist(), wanted), wanted, single=False)


def _sequence_rows(text: bytes, context: set[str], steps: set[str]) -> tuple[_Found, _Found]:
    found_context: _Found = {}
    found_steps: _Found = {}
    try:
        for field, kind, value in wire.fields(memoryview(text)):
            if field == 1:
                _entries(wire.message(kind, value), context, found_context)
            elif field == 2:
                _entries(wire.message(kind, value), steps, found_steps)
    except DecodeError as error:
        raise invalid(f"Could not parse sequence example input, value: {text[:64]!r}: {error}") from None
    return found_context, found_steps


def _step_values(lists: _Found, key: str, feature: Any) -> list[Array]:
    """The values of each step of one sequence."""
    kind = checked_dtype(feature.dtype, key)
    content = lists.get(key)
    if content is None:
        if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
            raise invalid(
                f"Name: feature list {key!r} is required but could not be found. "
                "Give the FixedLenSequenceFeature allow_missing=True if it may be missing."
            )
        return []
    steps = []
    for field, encoding, value in wire.fields(content):
        if field == 1:
            values = _values(wire.message(encoding, value), kind, key)
            steps.append(np.zeros(0, kind.numpy) if values is None else values)
    return steps


def _fixed_steps(steps: list[Array], key: str, feature: FixedLenSequenceFeature) -> Array:
    sizes = sizes_of(feature.shape, key)
    count = int(np.prod(sizes, dtype=np.int64))
    for number, values in enumerate(steps):
        if values.size != count:
            raise invalid(f"Key: {key}, step {number}: {values.size} values, but shape {list(sizes)} needs {count}.")
    kind = checked_dtype(feature.dtype, key)
    return np.stack(steps).reshape(len(steps), *sizes) if steps else np.zeros((0, *sizes), kind.numpy)


def _sequence_output(rows: list[list[Array]], key: str, feature: Any, single: bool) -> Any:
    kind = checked_dtype(feature.dtype, key)
    if isinstance(feature, FixedLenSequenceFeature):
        fixed = [_fixed_steps(steps, key, feature) for steps in rows]
        return from_array(fixed[0] if single else padded(fixed, feature.default_value))
    flat = [values for steps in rows for values in steps]
    inner = [values.size for values in flat]
    values = _joined(flat, kind)
    if isinstance(feature, VarLenFeature):
        row = np.repeat(np.arange(len(rows)), [sum(v.size for v in steps) for steps in rows])
        step = np.concatenate([np.arange(len(steps)) for steps in rows]) if rows else np.zeros(0, np.int64)
        columns = [np.arange(size) for size in inner]
        places = np.stack([row, np.repeat(step, inner), np.concatenate(columns) if columns else row], axis=1)
        sizes = (len(rows), max((len(steps) for steps in rows), default=0), max(inner, default=0))
        return _sparse(places[:, 1:] if single else places, values, sizes[1:] if single else sizes)
    if isinstance(feature, RaggedFeature) and not feature.partitions:
        from .. import ragged

        splits = dtypes.as_dtype(feature.row_splits_dtype).numpy
        result = ragged.RaggedTensor.from_row_lengths(from_array(values), from_array(np.array(inner, splits)))
        if single:
            return result
        outer = np.array([len(steps) for steps in rows], splits)
        return ragged.RaggedTensor.from_row_lengths(result, from_array(outer))
    raise ValueError(f"Feature {key!r}: {feature!r} cannot describe the steps of a sequence.")


def _parse_sequences(
    texts: list[bytes], context: dict[str, Any], sequences: dict[str, Any], single: bool
) -> tuple[Any, Any, Any]:
    found = [_sequence_rows(text, keys_of(context), keys_of(sequences)) for text in texts]
    outputs = _outputs(_Rows([row for row, _ in found]), context, single)
    lists, lengths = {}, {}
    for key, feature in sequences.items():
        if isinstance(feature, RaggedFeature) and feature.value_key:
            key_in_example = feature.value_key
        else:
            key_in_example = key
        rows = [_step_values(steps, key_in_example, feature) for _, steps in found]
        lists[key] = _sequence_output(rows, key, feature, single)
        if isinstance(feature, FixedLenSequenceFeature):
            counts = np.array([len(steps) for steps in rows], np.int64)
            lengths[key] = from_array(counts[0] if single else counts)
    return outputs, lists, lengths


@gives(single_sequence_specs)
def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: object = None,
    sequence_features: object = None,
    example_name: object = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context and the steps of one serialized `tf.train.SequenceExample`, each by name.

    >>> import gradtape as tf
    >>> steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[n])) for n in range(3)]
    >>> lists = tf.train.FeatureLists(feature_list={"word": tf.train.FeatureList(feature=steps)})
    >>> text = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    >>> wanted = {"word": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> context, sequences = tf.io.parse_single_sequence_example(text, sequence_features=wanted)
    >>> sequences["word"].numpy()
    array([0, 1, 2])

    Args:
        serialized: The bytes of one sequence example.
        context_features: A dict from names to features of the whole sequence.
        sequence_features: A dict from names to features of the steps.
        example_name: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Two dicts from names to tensors: the context, and the sequences.

    Raises:
        tf.errors.InvalidArgumentError: A feature is missing or has another type, or the bytes are no example.
    """
    wanted = checked_sequences(context_features, sequence_features)
    texts = [text_from(serialized, "parse_single_sequence_example")]
    context, lists, _ = _parse_sequences(texts, *wanted, single=True)
    return context, lists


@gives(sequence_specs)
def parse_sequence_example(
    serialized: TensorLike,
    context_features: object = None,
    sequence_features: object = None,
    example_names: object = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Context, steps and numbers of steps of many serialized sequence examples; sequences are padded to the longest.

    >>> import gradtape as tf
    >>> def sequence(count):
    ...     steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[n])) for n in range(count)]
    ...     lists = tf.train.FeatureLists(feature_list={"word": tf.train.FeatureList(feature=steps)})
    ...     return tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    >>> wanted = {"word": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> context, sequences, lengths = tf.io.parse_sequence_example([sequence(1), sequence(3)], sequence_features=wanted)
    >>> sequences["word"].numpy().tolist(), lengths["word"].numpy().tolist()
    ([[0, 0, 0], [0, 1, 2]], [1, 3])

    Args:
        serialized: A vector of byte strings.
        context_features: A dict from names to features of the whole sequences.
        sequence_features: A dict from names to features of the steps.
        example_names: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Three dicts from names to tensors: the context, the sequences, and how long each sequence is.

    Raises:
        tf.errors.InvalidArgumentError: A feature is missing or has another type, or the bytes are no example.
    """
    wanted = checked_sequences(context_features, sequence_features)
    texts = texts_of(serialized)
    if texts.ndim > 1:
        raise invalid(f"parse_sequence_example: a vector of byte strings is needed, got shape {texts.shape}.")
    single = not texts.ndim
    return _parse_sequences([texts._array.item()] if single else texts._array.tolist(), *wanted, single=single)


def decode_json_example(json_examples: object, name: str | None = None) -> Tensor:
    """Examples written as JSON, as the byte strings that `parse_example` reads.

    >>> import gradtape as tf
    >>> text = '{"features": {"feature": {"size": {"floatList": {"value": [1.5]}}}}}'
    >>> example = tf.io.decode_json_example(text)
    >>> tf.io.parse_single_example(example, {"size": tf.io.FixedLenFeature([], tf.float32)})["size"].numpy()
    np.float32(1.5)

    Args:
        json_examples: A string tensor; bytes in it are written as base64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A string tensor of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: It is no JSON of an example.
    """

    def encode(text: bytes) -> bytes:
        try:
            described = json.loads(text).get("features", {}).get("feature", {})
            features = {}
            for key, value in described.items():
                ((kind, content),) = value.items()
                items = content.get("value", [])
                if kind in ("bytesList", "bytes_list"):
                    features[key] = Feature(bytes_list=BytesList([base64.b64decode(item) for item in items]))
                elif kind in ("floatList", "float_list"):
                    features[key] = Feature(float_list=FloatList([float(item) for item in items]))
                else:
                    features[key] = Feature(int64_list=Int64List([int(item) for item in items]))
        except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            raise invalid(f"decode_json_example: Error while parsing JSON: {error}.") from None
        return Example(Features(features)).SerializeToString(deterministic=True)

    return from_array(each(encode, object, texts_of(json_examples)._array))


# Pickles of earlier versions look for these names here.
__getattr__ = on_first_use(
    globals(),
    homes(__name__, {"io.features": "_RowSplits _RowLengths _RowStarts _RowLimits _ValueRowIds _UniformRowLength"}),
)
