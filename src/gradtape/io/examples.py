"""`tf.train.Example` and its parts: named lists of bytes, floats or integers, as record files usually hold them.

The classes have the names, fields and methods of the protocol buffers they stand for.
"""

from __future__ import annotations

import numbers as python_numbers
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from . import wire
from .messages import Message, Named, Parts, Values, block

# --- lists of values ---------------------------------------------------------------------------------------


def _checked_bytes(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(
            f"{value!r} has type {type(value).__name__}, but expected one of: bytes. Use text.encode() or x.numpy()."
        )
    return value


def _checked_int(value: Any) -> int:
    if isinstance(value, (float, np.floating)) or not hasattr(value, "__index__"):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int. Use int(x).")
    number = int(value.__index__())
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"Value out of range: {number}.")
    return number


def _checked_float(value: Any) -> float:
    if not isinstance(value, python_numbers.Real) and not hasattr(value, "__float__"):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int, float.")
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int, float.")
    with np.errstate(over="ignore"):
        return float(np.float32(value))


class ValueList(Message):
    """A message with one repeated field, `value`."""

    @staticmethod
    def _check(value: Any) -> Any:
        raise NotImplementedError

    def __init__(self, value: Iterable[Any] | None = None) -> None:
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{type(self).__name__}: value must be a list, got {value!r}. Write value=[...].")
        self.value = Values(type(self)._check, () if value is None else value)

    def _text(self, value: Any) -> str:
        return repr(value)

    def _lines(self) -> Iterator[str]:
        for value in self.value:
            yield f"value: {self._text(value)}"


class BytesList(ValueList):
    """A list of byte strings.

    >>> import gradtape as tf
    >>> tf.train.BytesList(value=[b"a", b"b"]).value[1]
    b'b'

    Args:
        value: A list of byte strings.
    """

    _check = staticmethod(_checked_bytes)

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        return b"".join(wire.delimited(1, value) for value in self.value)

    def _merge(self, data: memoryview) -> None:
        for field, kind, value in wire.fields(data):
            if field == 1:
                self.value._items.append(bytes(wire.message(kind, value)))

    def _text(self, value: bytes) -> str:
        plain = "".join(chr(b) if 32 <= b < 127 and b not in b"\"\\'" else _ESCAPES.get(b, f"\\{b:03o}") for b in value)
        return f'"{plain}"'


_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


class FloatList(ValueList):
    """A list of 32-bit floats.

    >>> import gradtape as tf
    >>> tf.train.FloatList(value=[0.5, 1.5]).value[1]
    1.5

    Args:
        value: A list of numbers.
    """

    _check = staticmethod(_checked_float)

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        if not self.value:
            return b""
        return wire.delimited(1, np.array(self.value._items, "<f4").tobytes())

    def _merge(self, data: memoryview) -> None:
        for field, kind, value in wire.fields(data):
            if field == 1:
                self.value._items += wire.numbers(kind, value, np.float32).tolist()

    def _text(self, value: float) -> str:
        return np.format_float_positional(np.float32(value), trim="0") if np.isfinite(value) else str(value)


class Int64List(ValueList):
    """A list of 64-bit integers.

    >>> import gradtape as tf
    >>> tf.train.Int64List(value=[1, 2]).value[1]
    2

    Args:
        value: The whole numbers.
    """

    _check = staticmethod(_checked_int)

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        return wire.delimited(1, wire.packed_varints(self.value._items)) if self.value else b""

    def _merge(self, data: memoryview) -> None:
        for field, kind, value in wire.fields(data):
            if field == 1:
                self.value._items += wire.integers(kind, value).tolist()


# --- a feature: one of three lists -------------------------------------------------------------------------

_KINDS: dict[str, type[ValueList]] = {"bytes_list": BytesList, "float_list": FloatList, "int64_list": Int64List}
_KIND_OF_FIELD = dict(enumerate(_KINDS, 1))


class Feature(Message):
    """A list of bytes, of floats or of integers.

    >>> tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])).int64_list.value
    [1, 2]

    Args:
        bytes_list: A `tf.train.BytesList`.
        float_list: A `tf.train.FloatList`.
        int64_list: A `tf.train.Int64List`.

    Raises:
        TypeError: A list is not of its kind.
    """

    def __init__(
        self,
        bytes_list: BytesList | None = None,
        float_list: FloatList | None = None,
        int64_list: Int64List | None = None,
    ) -> None:
        self._lists: dict[str, ValueList] = {}
        self._given: str | None = None  # which list was set, even an empty one; reading one sets nothing
        for name, given in zip(_KINDS, (bytes_list, float_list, int64_list), strict=True):
            if given is None:
                continue
            if not isinstance(given, _KINDS[name]):
                raise TypeError(f"Feature: {name} must be a tf.train.{_KINDS[name].__name__}, got {given!r}.")
            self._lists, self._given = {name: given}, name  # the last one wins, as in parsing

    def _list(self, name: str) -> Any:
        """The list of this name; one that is not there yet is kept as soon as something is put into it."""
        return self._lists.setdefault(name, _KINDS[name]())

    @property
    def bytes_list(self) -> Any:
        """The list of byte strings."""
        return self._list("bytes_list")

    @property
    def float_list(self) -> Any:
        """The list of floats."""
        return self._list("float_list")

    @property
    def int64_list(self) -> Any:
        """The list of integers."""
        return self._list("int64_list")

    def WhichOneof(self, oneof: str = "kind") -> str | None:
        """Which of the three lists is there.

        >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
        >>> feature.WhichOneof("kind")
        'int64_list'

        Args:
            oneof: "kind", the name of the choice.

        Returns:
            "bytes_list", "float_list" or "int64_list"; None where none is.

        Raises:
            ValueError: There is no such choice.
        """
        if oneof != "kind":
            raise ValueError(f'Protocol message has no oneof "{oneof}" field; it has "kind".')
        present = [name for name, values in self._lists.items() if values.value]
        return present[-1] if present else self._given

    def HasField(self, field_name: str) -> bool:
        """Whether a list is there.

        >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))
        >>> feature.HasField("int64_list"), feature.HasField("float_list")
        (True, False)

        Args:
            field_name: "bytes_list", "float_list" or "int64_list".

        Returns:
            True or False.

        Raises:
            ValueError: There is no such field.
        """
        if field_name not in _KINDS:
            raise ValueError(f'Protocol message Feature has no field "{field_name}".')
        return self.WhichOneof() == field_name

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        kind = self.WhichOneof()
        if kind is None:
            return b""
        return wire.delimited(1 + list(_KINDS).index(kind), self._lists[kind].SerializeToString())

    def _merge(self, data: memoryview) -> None:
        for field, kind, value in wire.fields(data):
            if field in _KIND_OF_FIELD:
                name = _KIND_OF_FIELD[field]
                if self.WhichOneof() != name:
                    self._lists = {}
                self._given = name
                self._list(name)._merge(wire.message(kind, value))

    def _lines(self) -> Iterator[str]:
        kind = self.WhichOneof()
        if kind is not None:
            yield from block(kind, self._lists[kind]._lines())


# --- features by name, and one after the other -------------------------------------------------------------


class Features(Message):
    """Features by name.

    >>> import gradtape as tf
    >>> size = tf.train.Feature(float_list=tf.train.FloatList(value=[1.5]))
    >>> tf.train.Features(feature={"size": size}).feature["size"].float_list.value[0]
    1.5

    Args:
        feature: A dict from names to features.
    """

    def __init__(self, feature: Mapping[str, Feature] | None = None) -> None:
        self.feature = Named(Feature, feature)

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        return self.feature.serialized(deterministic)

    def _merge(self, data: memoryview) -> None:
        self.feature.merge(data)

    def _lines(self) -> Iterator[str]:
        return self.feature.lines("feature")


class FeatureList(Message):
    """Features one after the other, one for each step of a sequence.

    >>> import gradtape as tf
    >>> steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[n])) for n in range(3)]
    >>> len(tf.train.FeatureList(feature=steps).feature)
    3

    Args:
        feature: A list of features.
    """

    def __init__(self, feature: Iterable[Feature] | None = None) -> None:
        self.feature = Values(_checked_feature, () if feature is None else feature)

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        return b"".join(wire.delimited(1, feature.SerializeToString()) for feature in self.feature)

    def _merge(self, data: memoryview) -> None:
        for field, kind, value in wire.fields(data):
            if field == 1:
                feature = Feature()
                feature._merge(wire.message(kind, value))
                self.feature.append(feature)

    def _lines(self) -> Iterator[str]:
        for feature in self.feature:
            yield from block("feature", feature._lines())


def _checked_feature(value: Any) -> Feature:
    if not isinstance(value, Feature):
        raise TypeError(f"A tf.train.Feature is needed, got {value!r}.")
    return value


class FeatureLists(Message):
    """Lists of features by name.

    >>> import gradtape as tf
    >>> steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[n])) for n in range(3)]
    >>> lists = tf.train.FeatureLists(feature_list={"word": tf.train.FeatureList(feature=steps)})
    >>> len(lists.feature_list["word"].feature)
    3

    Args:
        feature_list: A dict from names to lists of features.
    """

    def __init__(self, feature_list: Mapping[str, FeatureList] | None = None) -> None:
        self.feature_list = Named(FeatureList, feature_list)

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        return self.feature_list.serialized(deterministic)

    def _merge(self, data: memoryview) -> None:
        self.feature_list.merge(data)

    def _lines(self) -> Iterator[str]:
        return self.feature_list.lines("feature_list")


# --- the two messages that are stored ----------------------------------------------------------------------


class Example(Parts):
    """One example: features by name.

    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))}))
    >>> tf.io.parse_single_example(example.SerializeToString(), {"label": tf.io.FixedLenFeature([], tf.int64)})
    {'label': <tf.Tensor: shape=(), dtype=int64, numpy=3>}

    Args:
        features: A `tf.train.Features`: the features by name.
    """

    _kinds: ClassVar[dict[str, type[Message]]] = {"features": Features}

    def __init__(self, features: Features | None = None) -> None:
        super().__init__(features=features)

    @property
    def features(self) -> Any:
        """The features."""
        return self._part("features")


class SequenceExample(Parts):
    """One sequence: features of the whole, and lists of features, one for each step.

    >>> import gradtape as tf
    >>> steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[n])) for n in range(3)]
    >>> lists = tf.train.FeatureLists(feature_list={"word": tf.train.FeatureList(feature=steps)})
    >>> text = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    >>> wanted = {"word": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> tf.io.parse_single_sequence_example(text, sequence_features=wanted)[1]["word"].numpy()
    array([0, 1, 2])

    Args:
        context: The features of the whole sequence.
        feature_lists: The lists of features, by name.
    """

    _kinds: ClassVar[dict[str, type[Message]]] = {"context": Features, "feature_lists": FeatureLists}

    def __init__(self, context: Features | None = None, feature_lists: FeatureLists | None = None) -> None:
        super().__init__(context=context, feature_lists=feature_lists)

    @property
    def context(self) -> Any:
        """The features of the whole sequence."""
        return self._part("context")

    @property
    def feature_lists(self) -> Any:
        """The features of the steps."""
        return self._part("feature_lists")
