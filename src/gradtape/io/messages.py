"""Base classes of messages: reading, writing and printing, lists, maps and submessages, as in protocol buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence
from typing import Any, ClassVar, Self, SupportsIndex, overload

from ..base.errors import DecodeError
from ..base.types import TensorLike
from . import wire


class Message:
    """What all messages have: reading, writing, comparing, printing."""

    def SerializeToString(self, deterministic: bool = False) -> bytes:
        r"""The message as bytes, in the form of protocol buffers.

        >>> numbers = tf.train.Int64List(value=[1, 2])
        >>> numbers.SerializeToString()
        b'\n\x02\x01\x02'

        Args:
            deterministic: Whether the keys of maps are in order, so that equal messages have equal bytes.

        Returns:
            Bytes.
        """
        raise NotImplementedError

    SerializePartialToString = SerializeToString

    def _merge(self, data: memoryview) -> None:
        raise NotImplementedError

    def MergeFromString(self, serialized: Any) -> int:
        """Add what the bytes hold to this message.

        >>> numbers = tf.train.Int64List(value=[1, 2])
        >>> numbers.MergeFromString(tf.train.Int64List(value=[3]).SerializeToString())
        3
        >>> list(numbers.value)
        [1, 2, 3]

        Args:
            serialized: The bytes of a message of this kind.

        Returns:
            How many bytes there were.

        Raises:
            tf.errors.DecodeError: They are no such message.
        """
        view = memoryview(bytes(serialized))
        self._merge(view)
        return len(view)

    def ParseFromString(self, serialized: TensorLike) -> int:
        """Replace the message by what the bytes hold; if they hold none, it stays as it is.

        >>> numbers = tf.train.Int64List(value=[1, 2])
        >>> numbers.ParseFromString(tf.train.Int64List(value=[3]).SerializeToString())
        3
        >>> list(numbers.value)
        [3]

        Args:
            serialized: The bytes of a message of this kind.

        Returns:
            How many bytes there were.

        Raises:
            tf.errors.DecodeError: They are no such message.
        """
        other = type(self)()
        size = other.MergeFromString(serialized)
        self._take(other)
        return size

    @classmethod
    def FromString(cls, serialized: TensorLike) -> Self:
        """A message from its bytes.

        >>> list(tf.train.Int64List.FromString(tf.train.Int64List(value=[1, 2]).SerializeToString()).value)
        [1, 2]

        Args:
            serialized: The bytes of a message of this kind.

        Returns:
            A message.

        Raises:
            tf.errors.DecodeError: They are no such message.
        """
        message = cls()
        message.MergeFromString(serialized)
        return message

    def CopyFrom(self, other: Self) -> None:
        """Become equal to another message of the same kind.

        >>> numbers = tf.train.Int64List(value=[1, 2])
        >>> numbers.CopyFrom(tf.train.Int64List(value=[3]))
        >>> list(numbers.value)
        [3]

        Args:
            other: The other message.

        Raises:
            TypeError: It is of another kind.
        """
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__}.CopyFrom: got a {type(other).__name__}.")
        self.ParseFromString(other.SerializeToString())

    def MergeFrom(self, other: Self) -> None:
        """Add what another message of the same kind holds.

        >>> numbers = tf.train.Int64List(value=[1, 2])
        >>> numbers.MergeFrom(tf.train.Int64List(value=[3]))
        >>> list(numbers.value)
        [1, 2, 3]

        Args:
            other: The other message.

        Raises:
            TypeError: It is of another kind.
        """
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__}.MergeFrom: got a {type(other).__name__}.")
        self.MergeFromString(other.SerializeToString())

    def Clear(self) -> None:
        """Become empty.

        >>> numbers = tf.train.Int64List(value=[1, 2])
        >>> numbers.Clear()
        >>> list(numbers.value)
        []
        """
        self._take(type(self)())

    def ByteSize(self) -> int:
        """How many bytes the message takes.

        >>> numbers = tf.train.Int64List(value=[1, 2])
        >>> numbers.ByteSize()
        4

        Returns:
            An integer.
        """
        return len(self.SerializeToString())

    def IsInitialized(self) -> bool:
        """Always True: no field is required.

        >>> numbers = tf.train.Int64List(value=[1, 2])
        >>> numbers.IsInitialized()
        True
        """
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


def block(name: str, inner: Iterable[str]) -> Iterator[str]:
    """Lines inside of braces, as messages are printed."""
    yield f"{name} {{"
    for line in inner:
        yield f"  {line}"
    yield "}"


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

    def insert(self, index: int, value: object) -> None:
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
    def _checked(name: object) -> str:
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

    def __setitem__(self, name: str, value: TensorLike) -> None:
        raise ValueError(f"Direct assignment of submessage not allowed. Use [{name!r}].CopyFrom(...).")

    def __delitem__(self, name: str) -> None:
        del self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def get(self, name: str, default: object = None) -> Any:
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
            yield from block(label, (f'key: "{name}"', *block("value", self._items[name]._lines())))


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


class Parts(Message):
    """A message whose fields are messages, each there or not."""

    _kinds: ClassVar[dict[str, type[Message]]]

    def __init__(self, **parts: object) -> None:
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
        """Whether a part was given.

        >>> example = tf.train.Example(features=tf.train.Features())
        >>> example.HasField("features")
        True

        Args:
            field_name: The name of the part.

        Returns:
            True or False.

        Raises:
            ValueError: There is no such part.
        """
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
                yield from block(name, self._parts[name]._lines())
