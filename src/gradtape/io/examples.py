"""`tf.train.Example` and its parts: named lists of bytes, floats or integers, as record files usually hold them.

The classes have the names, fields and methods of the protocol buffers they stand for.
"""

from __future__ import annotations

import numbers as python_numbers
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence
from typing import Any, ClassVar, Self, SupportsIndex, overload

import numpy as np

from . import wire
from .wire import DecodeError


class Message:
    """What all messages have: reading, writing, comparing, printing."""

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        """The message as bytes; `deterministic` puts the keys of maps in order."""
        raise NotImplementedError

    SerializePartialToString = SerializeToString

    def _merge(self, data: memoryview) -> None:
        raise NotImplementedError

    def MergeFromString(self, serialized: Any) -> int:
        """Add what the bytes hold to this message."""
        view = memoryview(bytes(serialized))
        self._merge(view)
        return len(view)

    def ParseFromString(self, serialized: Any) -> int:
        """Replace the message by what the bytes hold; DecodeError, and no change, where they hold none."""
        other = type(self)()
        size = other.MergeFromString(serialized)
        self._take(other)
        return size

    @classmethod
    def FromString(cls, serialized: Any) -> Self:
        """A message from its bytes."""
        message = cls()
        message.MergeFromString(serialized)
        return message

    def CopyFrom(self, other: Self) -> None:
        """Become equal to another message of the same kind."""
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__}.CopyFrom: got a {type(other).__name__}.")
        self.ParseFromString(other.SerializeToString())

    def MergeFrom(self, other: Self) -> None:
        """Add what another message of the same kind holds."""
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__}.MergeFrom: got a {type(other).__name__}.")
        self.MergeFromString(other.SerializeToString())

    def Clear(self) -> None:
        """Become empty."""
        self._take(type(self)())

    def ByteSize(self) -> int:
        """How many bytes the message takes."""
        return len(self.SerializeToString())

    def IsInitialized(self) -> bool:
        """Always True: no field is required."""
        return True

    def _take(self, other: Self) -> None:
        for name, value in vars(other).items():
            setattr(self, name, value)

    def _lines(self) -> Iterator[str]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message) or type(other) is not type(self):
            return False
        return self.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).FromString, (self.SerializeToString(),)


def _block(name: str, inner: Iterable[str]) -> Iterator[str]:
    yield f"{name} {{"
    for line in inner:
        yield f"  {line}"
    yield "}"


# --- lists of values ---------------------------------------------------------------------------------------


class Values(MutableSequence[Any]):
    """A list whose elements are checked when they come in."""

    __slots__ = ("_check", "_items")

    def __init__(self, check: Callable[[Any], Any], items: Iterable[Any] = ()) -> None:
        self._check = check
        self._items = [check(item) for item in items]

    @overload
    def __getitem__(self, key: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> list[Any]: ...
    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._items[key] = [self._check(v) for v in value] if isinstance(key, slice) else self._check(value)

    def __delitem__(self, key: Any) -> None:
        del self._items[key]

    def __len__(self) -> int:
        return len(self._items)

    def insert(self, index: int, value: Any) -> None:
        """Put a value before `index`."""
        self._items.insert(index, self._check(value))

    def extend(self, values: Iterable[Any]) -> None:
        """Append several values, or none where one is of a wrong kind."""
        self._items += [self._check(value) for value in values]

    def __eq__(self, other: object) -> bool:
        items = other._items if isinstance(other, Values) else other
        return isinstance(items, (list, tuple)) and self._items == list(items)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._items)


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
    """A list of byte strings."""

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
    """A list of 32-bit floats."""

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
    """A list of 64-bit integers."""

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
            self._lists, self._given = {name: given}, name  # the last one wins, as where bytes are read

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
        """Which of the three lists is there, or None."""
        if oneof != "kind":
            raise ValueError(f'Protocol message has no oneof "{oneof}" field; it has "kind".')
        present = [name for name, values in self._lists.items() if values.value]
        return present[-1] if present else self._given

    def HasField(self, field_name: str) -> bool:
        """Whether this list is there."""
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
            yield from _block(kind, self._lists[kind]._lines())


# --- maps from names to messages ---------------------------------------------------------------------------


class Named(MutableMapping[str, Any]):
    """A map from names to messages of one kind; a name that is not there yet gets an empty message when it is read."""

    __slots__ = ("_items", "_kind")

    def __init__(self, kind: type[Message], items: Mapping[str, Any] | None = None) -> None:
        self._kind = kind
        self._items: dict[str, Any] = {}
        for name, value in (items or {}).items():
            if not isinstance(value, kind):
                raise TypeError(f"{name!r} must be a tf.train.{kind.__name__}, got {value!r}.")
            self._items[self._checked(name)] = value

    @staticmethod
    def _checked(name: Any) -> str:
        if isinstance(name, bytes):
            return name.decode()
        if not isinstance(name, str):
            raise TypeError(f"A name must be text, got {name!r}.")
        return name

    def __getitem__(self, name: str) -> Any:
        key = self._checked(name)
        if key not in self._items:
            self._items[key] = self._kind()
        return self._items[key]

    def __setitem__(self, name: str, value: Any) -> None:
        raise ValueError(f"Direct assignment of submessage not allowed. Use [{name!r}].CopyFrom(...).")

    def __delitem__(self, name: str) -> None:
        del self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def get(self, name: str, default: Any = None) -> Any:
        """The message of this name, or the default; nothing is added."""
        return self._items.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self._items == other._items

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._items)

    def serialized(self, deterministic: bool) -> bytes:
        """The entries, each a message of name and value."""
        names = sorted(self._items) if deterministic else self._items
        return b"".join(
            wire.delimited(
                1, wire.delimited(1, name.encode()) + wire.delimited(2, self._items[name].SerializeToString())
            )
            for name in names
        )

    def merge(self, data: memoryview) -> None:
        """Add the entries that the bytes hold; a later one replaces an earlier one of the same name."""
        for field, kind, value in wire.fields(data):
            if field == 1:
                name, content = entry_of(wire.message(kind, value))
                message = self._kind()
                message._merge(content)
                self._items[name] = message

    def lines(self, label: str) -> Iterator[str]:
        """The entries as they are printed, by name."""
        for name in sorted(self._items):
            yield from _block(label, (f'key: "{name}"', *_block("value", self._items[name]._lines())))


def entry_of(data: memoryview) -> tuple[str, memoryview]:
    """The name of a map's entry, and the bytes of its value."""
    name, content = b"", memoryview(b"")
    for field, kind, value in wire.fields(data):
        if field == 1:
            name = bytes(wire.message(kind, value))
        elif field == 2:
            content = wire.message(kind, value)
    try:
        return name.decode(), content
    except UnicodeDecodeError:
        raise DecodeError(f"The name {name!r} is not UTF-8.") from None


class Features(Message):
    """Features by name."""

    def __init__(self, feature: Mapping[str, Feature] | None = None) -> None:
        self.feature = Named(Feature, feature)

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        return self.feature.serialized(deterministic)

    def _merge(self, data: memoryview) -> None:
        self.feature.merge(data)

    def _lines(self) -> Iterator[str]:
        return self.feature.lines("feature")


class FeatureList(Message):
    """Features one after the other, one for each step of a sequence."""

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
            yield from _block("feature", feature._lines())


def _checked_feature(value: Any) -> Feature:
    if not isinstance(value, Feature):
        raise TypeError(f"A tf.train.Feature is needed, got {value!r}.")
    return value


class FeatureLists(Message):
    """Lists of features by name."""

    def __init__(self, feature_list: Mapping[str, FeatureList] | None = None) -> None:
        self.feature_list = Named(FeatureList, feature_list)

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        return self.feature_list.serialized(deterministic)

    def _merge(self, data: memoryview) -> None:
        self.feature_list.merge(data)

    def _lines(self) -> Iterator[str]:
        return self.feature_list.lines("feature_list")


# --- the two messages that are stored ----------------------------------------------------------------------


class _Parts(Message):
    """A message whose fields are messages, each there or not."""

    _kinds: ClassVar[dict[str, type[Message]]]

    def __init__(self, **parts: Any) -> None:
        self._parts: dict[str, Message] = {}
        self._given: set[str] = set()  # which parts were set, even empty ones; reading one sets nothing
        for name, value in parts.items():
            if value is None:
                continue
            if not isinstance(value, self._kinds[name]):
                kind = self._kinds[name].__name__
                raise TypeError(f"{type(self).__name__}: {name} must be a tf.train.{kind}, got {value!r}.")
            self._parts[name] = value
            self._given.add(name)

    def _part(self, name: str) -> Any:
        return self._parts.setdefault(name, self._kinds[name]())

    def HasField(self, field_name: str) -> bool:
        """Whether this part was given."""
        if field_name not in self._kinds:
            raise ValueError(f'Protocol message {type(self).__name__} has no field "{field_name}".')
        return field_name in self._given or bool(self._part(field_name).SerializeToString())

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        parts = []
        for field, name in enumerate(self._kinds, 1):
            content = self._part(name).SerializeToString(deterministic)
            if content or name in self._given:
                parts.append(wire.delimited(field, content))
        return b"".join(parts)

    def _merge(self, data: memoryview) -> None:
        names = dict(enumerate(self._kinds, 1))
        for field, kind, value in wire.fields(data):
            if field in names:
                self._given.add(names[field])
                self._part(names[field])._merge(wire.message(kind, value))

    def _lines(self) -> Iterator[str]:
        for name in self._kinds:
            if self.HasField(name):
                yield from _block(name, self._parts[name]._lines())


class Example(_Parts):
    """One example: features by name.

    >>> example = tf.train.Example(features=tf.train.Features(feature={
    ...     "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))}))
    >>> tf.io.parse_single_example(example.SerializeToString(), {"label": tf.io.FixedLenFeature([], tf.int64)})
    {'label': <tf.Tensor: shape=(), dtype=int64, numpy=3>}
    """

    _kinds: ClassVar[dict[str, type[Message]]] = {"features": Features}

    def __init__(self, features: Features | None = None) -> None:
        super().__init__(features=features)

    @property
    def features(self) -> Any:
        """The features."""
        return self._part("features")


class SequenceExample(_Parts):
    """One sequence: features of the whole, and lists of features, one for each step."""

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
