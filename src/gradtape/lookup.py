"""`tf.lookup`: tables from keys to values, as Python dicts behind TensorFlow's interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .base import dtypes
from .base.dtypes import Array, DType
from .base.errors import FailedPreconditionError, NotFoundError, from_os_error, invalid
from .base.farmhash import fingerprint64
from .base.locks import new_rlock
from .base.namespaces import listing, namespace
from .base.shapes import TensorShape
from .base.traceable import traceable
from .base.types import DTypeLike, Function, TensorLike, Value
from .op.attributes import as_int
from .ragged import RaggedTensor
from .sparse import SparseTensor
from .trace import inside_function
from .trace.abstract_tensor import AbstractTensor, NeedsValue
from .trace.control import effect_on_abstract
from .trace.inference import Inference
from .trace.symbolic import is_symbolic
from .values.tensor import Tensor, from_array, kept, to_tensor, value_of
from .variables.variable import Variable

__all__ = [
    "KeyValueTensorInitializer",
    "StaticHashTable",
    "StaticVocabularyTable",
    "TextFileIndex",
    "TextFileInitializer",
    "experimental",
]


class _Table:
    """Keys that are integers or text, each with a value of one shape."""

    def __init__(self, key_dtype: DType, value_dtype: DType, default_value: TensorLike, name: str | None) -> None:
        if not (key_dtype.is_integer or key_dtype == dtypes.string):
            raise NotFoundError(None, None, f"The keys of a table are integers or text, not {key_dtype!r}.")
        self._key_dtype, self._value_dtype, self._name = key_dtype, value_dtype, name
        self._default = kept(to_tensor(default_value, value_dtype))
        self._entries: dict[Any, Array] = {}
        self._lock = new_rlock(held_through_forks=True)

    @property
    def key_dtype(self) -> DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of the values."""
        return self._value_dtype

    @property
    def default_value(self) -> Any:
        """What a key that is not in the table gets."""
        return self._default

    @property
    def name(self) -> str | None:
        """The name, if it has one."""
        return self._name

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys, and the default where there is none.

        >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1)
        >>> table.lookup(tf.ragged.constant([["b"], ["a", "c"]]))
        <tf.RaggedTensor [[2], [1, -1]]>

        Args:
            keys: Keys in any shape, also sparse or ragged.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The values in the same form; each may have axes of its own.

        Raises:
            TypeError: The keys have another type.
        """
        if isinstance(keys, SparseTensor):
            return keys.with_values(self.lookup(keys.values))
        if isinstance(keys, RaggedTensor):
            return keys.with_flat_values(self.lookup(keys.flat_values))
        if not is_symbolic(keys):
            if not inside_function():
                return self._found(self._keys(keys))
            keys = from_array(self._keys(keys))  # the keys are constants, but the values may differ in each run
        self._check_type(keys)
        return look_up(self, keys)

    def _found(self, keys: Array) -> Any:
        """The values of an array of keys."""
        return self._looked_up(keys, [self._default._array[()]] * keys.size)

    def _looked_up(self, keys: Array, defaults: Any) -> Any:
        shape = tuple(self._default.shape)
        values = np.empty((keys.size, *shape), self._value_dtype.numpy)
        with self._lock:
            found = list(map(self._entries.get, keys.reshape(-1).tolist(), defaults))
        if found:
            values[:] = found
        return from_array(values.reshape(keys.shape + shape))

    def __getitem__(self, keys: TensorLike) -> Any:
        return self.lookup(keys)

    def size(self, name: str | None = None) -> Any:
        """How many keys there are.

        >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1)
        >>> int(table.size())
        2

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A scalar of int64.
        """
        return count_of(self)

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """All keys, and all values.

        >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1)
        >>> keys, values = table.export()
        >>> keys.numpy(), values.numpy()
        (array([b'a', b'b'], dtype=object), array([1, 2], dtype=int32))

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            Two tensors.
        """
        with self._lock:
            entries = dict(self._entries)
        keys = np.empty(len(entries), self._key_dtype.numpy)
        keys[:] = list(entries)
        values = np.empty((len(entries), *self._default.shape), self._value_dtype.numpy)
        for place, value in enumerate(entries.values()):
            values[place] = value
        return from_array(keys), from_array(values)

    def _keys(self, keys: object) -> Array:
        given = isinstance(keys, (Tensor, Variable, np.ndarray, np.generic))
        tensor = to_tensor(keys, None if given else self._key_dtype)
        self._check_type(tensor)
        array: Array = np.asarray(tensor._array)
        return array

    def _check_type(self, keys: Value) -> None:
        if keys.dtype != self._key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype!r}, received: {keys.dtype!r}")

    def _pairs(self, keys: TensorLike, values: object) -> list[tuple[Any, Array]]:
        """Keys with their values, checked."""
        found = self._keys(keys)
        shape = found.shape + tuple(self._default.shape)
        given: Array = np.asarray(to_tensor(values, self._value_dtype)._array)
        if given.shape != shape:
            raise invalid(f"Expected shape {list(shape)} for value, got {list(given.shape)}")
        return list(zip(found.reshape(-1).tolist(), given.reshape(-1, *self._default.shape), strict=True))

    # --- saved models ------------------------------------------------------------------------------------------------

    def _settings(self) -> dict[str, Any]:
        """What the table knows besides its entries."""
        return {}

    @classmethod
    def _restored(cls, keys: Any, values: Any, default: TensorLike, name: str | None, settings: dict[str, Any]) -> Any:
        """A table as it was saved."""
        table = object.__new__(cls)
        _Table.__init__(table, keys.dtype, values.dtype, default, name)
        table._restore_settings(**settings)
        table._entries = dict(_Table._pairs(table, keys, values))
        return table

    def _restore_settings(self) -> None:
        """Restore `_settings`."""


# --- steps of a `tf.function` ----------------------------------------------------------------------------------------


def look_up(table: _Table, keys: Any) -> Any:
    """The values of keys: each time that the function runs, those that the table has then."""
    return table._found(np.asarray(keys._array))


def _found_on_abstract(evaluator: Any, function: Function, table: _Table, keys: Tensor) -> Any:
    shape, dtype = (*keys._array.shape, *table._default.shape), np.dtype(table._value_dtype.numpy)
    if isinstance(evaluator, Inference):
        return AbstractTensor(evaluator, shape, dtype)
    return evaluator.opaque(function, (table, keys), {}, [(shape, dtype)])[0]


look_up = traceable(look_up, always=True, on_abstract=_found_on_abstract)


def count_of(table: _Table) -> Any:
    """How many keys a table has."""
    return from_array(np.int64(len(table._entries)))  # type: ignore[arg-type]


def _counted_on_abstract(evaluator: object, function: Function, table: _Table) -> Any:
    if not isinstance(evaluator, Inference):
        raise NeedsValue("How many keys a table has is known only when the function runs.")
    return AbstractTensor(evaluator, (), np.dtype(np.int64))


count_of = traceable(count_of, always=True, on_abstract=_counted_on_abstract)


# --- tables that are filled once -------------------------------------------------------------------------------------


class _Initializer:
    """What fills a table, once. A class of your own has `key_dtype`, `value_dtype` and `initialize(table)`."""

    def entries(self) -> tuple[Any, Any]:
        """The keys and the values.

        Returns:
            Two tensors.
        """
        raise NotImplementedError

    def initialize(self, table: Any) -> None:
        """Fill a table.

        Args:
            table: The table, which calls this when it is made.
        """
        table._fill(*self.entries())


class KeyValueTensorInitializer(_Initializer):
    """Keys and values to fill a table with.

    >>> import gradtape as tf
    >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 2, -1], dtype=int32)

    Args:
        keys: The keys of the table: a vector of integers or texts.
        values: The value of each.
        key_dtype: The type of the keys; by default that of `keys`.
        value_dtype: The type of the values; by default that of `values`.
        name: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        self._keys = kept(to_tensor(keys, None if key_dtype is None else dtypes.as_dtype(key_dtype)))
        self._values = kept(to_tensor(values, None if value_dtype is None else dtypes.as_dtype(value_dtype)))

    @property
    def key_dtype(self) -> DType:
        """The type of the keys."""
        dtype: DType = self._keys.dtype
        return dtype

    @property
    def value_dtype(self) -> DType:
        """The type of the values."""
        dtype: DType = self._values.dtype
        return dtype

    def entries(self) -> tuple[Tensor, Tensor]:
        """The keys and the values.

        >>> keys, values = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]).entries()
        >>> values.numpy()
        array([1, 2], dtype=int32)

        Returns:
            Two tensors.
        """
        return self._keys, self._values


class TextFileIndex:
    """What of a line in a text file is a key or a value: the whole line, its number, or a column by its number.

    >>> import gradtape as tf
    >>> tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    (-2, -1)
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(_Initializer):
    r"""Keys and values from the lines of a text file.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
    >>> tf.io.write_file(path, "red\ngreen\n")
    >>> words, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    >>> lines = tf.lookup.TextFileInitializer(path, tf.string, words, tf.int64, number)
    >>> tf.lookup.StaticHashTable(lines, -1).lookup(tf.constant(["green", "blue"])).numpy()
    array([ 1, -1])

    Args:
        filename: The path.
        key_dtype: The type of the keys.
        key_index: The number of the keys' column, or one of `TextFileIndex`.
        value_dtype: The type of the values.
        value_index: The same for the values.
        vocab_size: How many lines to read; all by default.
        delimiter: What stands between columns.
        name: Ignored; accepted for compatibility with TensorFlow.
        value_index_offset: What is added to a line's number as a value.

    Raises:
        ValueError: An index or `vocab_size` is out of range, or a type is not one that its column can have.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        self._path = value_of(filename) if isinstance(filename, Tensor) else filename
        self.key_dtype, self.value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        for what, index, kind in (("key", key_index, self.key_dtype), ("value", value_index, self.value_dtype)):
            if index < -2:
                raise ValueError(f"Invalid {what} index {index}.")
            if index == TextFileIndex.LINE_NUMBER and kind != dtypes.int64:
                raise ValueError(
                    f"`{what}_dtype` must be tf.int64 where the {what} is the number of a line, got {kind!r}."
                )
            if index == TextFileIndex.WHOLE_LINE and not (kind.is_integer or kind == dtypes.string):
                raise ValueError(
                    f"`{what}_dtype` must be an integer or string where the {what} is a line, got {kind!r}."
                )
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
        self._indices, self._size, self._delimiter = (key_index, value_index), vocab_size, delimiter
        self._offset = value_index_offset

    def entries(self) -> tuple[Any, Any]:
        r"""The keys and the values, read from the file now.

        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
        >>> tf.io.write_file(path, "red\ngreen\n")
        >>> words, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
        >>> tf.lookup.TextFileInitializer(path, tf.string, words, tf.int64, number).entries()[0].numpy()
        array([b'red', b'green'], dtype=object)

        Returns:
            Two tensors.

        Raises:
            tf.errors.NotFoundError: There is no such file.
            tf.errors.InvalidArgumentError: The file does not have `vocab_size` lines, or a line lacks a column.
        """
        try:
            with open(self._path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                lines = [line.rstrip("\n") for line in file]
        except OSError as error:
            raise from_os_error(error, str(self._path)) from None
        if self._size is not None:
            if len(lines) < self._size:
                raise invalid(f"Invalid vocab_size in {self._path}: expected {self._size} but got {len(lines)}")
            lines = lines[: self._size]
        key_index, value_index = self._indices
        keys = [self._field(n, line, key_index, self.key_dtype, 0) for n, line in enumerate(lines)]
        values = [self._field(n, line, value_index, self.value_dtype, self._offset) for n, line in enumerate(lines)]
        return to_tensor(keys, self.key_dtype), to_tensor(values, self.value_dtype)

    def _field(self, number: int, line: str, index: int, kind: DType, offset: int) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return number + offset
        if index == TextFileIndex.WHOLE_LINE:
            text = line
        else:
            columns = line.split(self._delimiter)
            if index >= len(columns):
                raise invalid(
                    f"Invalid number of columns in {self._path} line {number} ({line}): expected {index + 1} got {len(columns)}"
                )
            text = columns[index]
        if kind == dtypes.string:
            return text.encode("utf-8", "surrogateescape")
        try:
            return float(text) if kind.is_floating else int(text)
        except ValueError:
            raise invalid(f"Field {text!r} in line {number} of {self._path} is not a valid {kind.name}.") from None


class StaticHashTable(_Table):
    """A table that is filled once.

    >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 2, -1], dtype=int32)

    Args:
        initializer: What fills it: a `KeyValueTensorInitializer` or a `TextFileInitializer`.
        default_value: The value of keys that are not in it.
        name: The name of the table.
        experimental_is_anonymous: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        tf.errors.FailedPreconditionError: A key has two values.
    """

    def __init__(
        self,
        initializer: Any,
        default_value: TensorLike,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        key_dtype, value_dtype = dtypes.as_dtype(initializer.key_dtype), dtypes.as_dtype(initializer.value_dtype)
        super().__init__(key_dtype, value_dtype, default_value, name)
        if self._default.ndim:
            raise invalid(f"The default value must be a scalar, got shape {self._default.shape}.")
        self._filled = False
        initializer.initialize(self)

    def _fill(self, keys: TensorLike, values: TensorLike) -> None:
        entries: dict[Any, Array] = {}
        for key, value in self._pairs(keys, values):
            if entries.setdefault(key, value) != value:
                raise FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {key} has {entries[key]} and trying to add "
                    f"value {value}",
                )
        self._entries, self._filled = entries, True

    def _found(self, keys: Array) -> Any:
        if not self._filled:
            raise FailedPreconditionError(None, None, "Table not initialized: its initializer has put nothing into it.")
        return super()._found(keys)

    def _restore_settings(self) -> None:
        self._filled = True


class StaticVocabularyTable(_Table):
    """Numbers of words: those of the vocabulary first, then buckets for all others, chosen by a hash.

    >>> import gradtape as tf
    >>> words = tf.lookup.KeyValueTensorInitializer(["red", "green"], tf.constant([0, 1], tf.int64))
    >>> tf.lookup.StaticVocabularyTable(words, num_oov_buckets=1).lookup(tf.constant(["green", "blue"])).numpy()
    array([1, 2])

    Args:
        initializer: Words with their numbers from 0 on; None for buckets alone.
        num_oov_buckets: How many buckets there are.
        lookup_key_dtype: The type of the keys that are looked up; those of the vocabulary by default.
        name: The name of the table.
        experimental_is_anonymous: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: `num_oov_buckets` is not positive, the values are not int64, or there are neither keys nor their type.
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: TensorLike | None = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if not 0 < as_int(num_oov_buckets) < 2**63:
            raise ValueError(f"`num_oov_buckets` must be > 0; use StaticHashTable. Received: {num_oov_buckets}")
        if initializer is None:
            if lookup_key_dtype is None:
                raise ValueError("`lookup_key_dtype` is needed where there is no initializer.")
            kind = dtypes.as_dtype(lookup_key_dtype)
        else:
            if initializer.value_dtype != dtypes.int64:
                raise ValueError(f"The values of a vocabulary must be of tf.int64, got {initializer.value_dtype!r}.")
            kind = initializer.key_dtype if lookup_key_dtype is None else dtypes.as_dtype(lookup_key_dtype)
        super().__init__(kind, dtypes.int64, -1, name)
        self._buckets = as_int(num_oov_buckets)
        if initializer is not None:
            table = StaticHashTable(initializer, -1)
            keys, values = table.export()
            self._entries = dict(zip(keys._array.tolist(), values._array, strict=True))

    def _found(self, keys: Array) -> Any:
        """The number of each word, or of the bucket for it."""
        words = len(self._entries)
        buckets = [
            words + fingerprint64(key if isinstance(key, bytes) else str(key).encode()) % self._buckets
            for key in keys.reshape(-1).tolist()
        ]
        return self._looked_up(keys, buckets)

    def size(self, name: str | None = None) -> Tensor:
        """How many numbers there are: words and buckets.

        >>> words = tf.lookup.KeyValueTensorInitializer(["red", "green"], tf.constant([0, 1], tf.int64))
        >>> int(tf.lookup.StaticVocabularyTable(words, num_oov_buckets=3).size())
        5

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A scalar of int64.
        """
        return from_array(np.int64(len(self._entries) + self._buckets))  # type: ignore[arg-type]

    def _settings(self) -> dict[str, Any]:
        return {"buckets": self._buckets}

    def _restore_settings(self, buckets: int) -> None:  # type: ignore[override]
        self._buckets = buckets


# --- tables that change ----------------------------------------------------------------------------------------------


def _effect(method: Callable[..., None]) -> Callable[..., None]:
    """A method that changes a table: a step of a `tf.function` that calls it."""
    return traceable(method, always=True, on_abstract=effect_on_abstract)


class MutableHashTable(_Table):
    """A table whose entries come and go.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a"], [1])
    >>> table.lookup(tf.constant(["a", "b"])).numpy()
    array([ 1, -1])

    Args:
        key_dtype: The type of the keys.
        value_dtype: The type of the values.
        default_value: The value of keys that are not in it; its shape is that of all values.
        name: The name of the table.
        checkpoint: Ignored; accepted for compatibility with TensorFlow.
        experimental_is_anonymous: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        tf.errors.InvalidArgumentError: `default_value` has more than one axis.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype), default_value, name)
        if self._default.ndim > 1:
            raise invalid(f"Default value must be a vector, or a scalar; got shape {self._default.shape}.")

    def get_state(self) -> dict[str, Any]:
        """The entries, as a checkpoint keeps them.

        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
        >>> table.insert(["a"], [1])
        >>> other = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
        >>> other.set_state(table.get_state())
        >>> other.lookup(["a"]).numpy()
        array([1])

        Returns:
            A dict with the keys and a tensor of the values.
        """
        keys, values = self.export()
        return {"keys": keys._array.tolist(), "values": values}

    def set_state(self, state: dict[str, Any]) -> None:
        """Have the entries of a state, and no others.

        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
        >>> empty = table.get_state()
        >>> table.insert(["a"], [1])
        >>> table.set_state(empty)
        >>> table.size().numpy()
        np.int64(0)

        Args:
            state: What `get_state` gave.
        """
        entries = dict(zip(state["keys"], np.asarray(state["values"]._array), strict=True))
        with self._lock:
            self._entries = entries

    @property
    def value_shape(self) -> TensorShape:
        """The shape of each value."""
        shape: TensorShape = self._default.shape
        return shape

    @_effect
    def insert(self, keys: TensorLike, values: object, name: str | None = None) -> None:
        """Set the values of keys; those that are there already get the new value.

        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
        >>> table.insert(["a", "b"], [1, 2])
        >>> int(table.size())
        2

        Args:
            keys: Keys in any shape.
            values: The value of each.
            name: Ignored; accepted for compatibility with TensorFlow.

        Raises:
            tf.errors.InvalidArgumentError: The shapes do not fit each other.
            TypeError: The keys have another type.
        """
        pairs = self._pairs(keys, values)
        with self._lock:
            self._entries.update(pairs)

    @_effect
    def remove(self, keys: TensorLike, name: str | None = None) -> None:
        """Take keys out; those that are not there are passed over.

        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
        >>> table.insert(["a", "b"], [1, 2])
        >>> table.remove(["a", "x"])
        >>> table.lookup(["a", "b"]).numpy()
        array([-1,  2])

        Args:
            keys: Keys in any shape.
            name: Ignored; accepted for compatibility with TensorFlow.

        Raises:
            TypeError: The keys have another type.
        """
        gone = self._keys(keys).reshape(-1).tolist()
        with self._lock:
            for key in gone:
                self._entries.pop(key, None)

    def lookup(  # type: ignore[override]
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Tensor:
        """The values of keys; where there is none the default, or what is given for this call.

        >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
        >>> table.insert(["a", "b"], [1, 2])
        >>> table.lookup(["b", "c"], dynamic_default_values=tf.constant(7, tf.int64)).numpy()
        array([2, 7])

        Args:
            keys: Keys in any shape.
            dynamic_default_values: What keys get that are not in the table: one value, or one for each key. None for its default.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            The values in the same shape.

        Raises:
            tf.errors.InvalidArgumentError: The defaults have another shape.
            TypeError: The keys have another type.
        """
        if dynamic_default_values is None or isinstance(keys, SparseTensor):
            return super().lookup(keys)
        found = self._keys(keys)
        given: Array = np.asarray(to_tensor(dynamic_default_values, self._value_dtype)._array)
        shape = tuple(self._default.shape)
        if given.shape not in (shape, found.shape + shape):
            first, second, other = (str(list(s)).replace(" ", "") for s in (shape, (*found.shape, *shape), given.shape))
            raise invalid(f"Expected shape {first} or {second} for default value, got {other}")
        return self._looked_up(found, np.broadcast_to(given, found.shape + shape).reshape(-1, *shape))


class DenseHashTable(MutableHashTable):
    """A `MutableHashTable`; two keys, by which TensorFlow marks what is free, may not be used.

    >>> import gradtape as tf
    >>> table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, 0.0, empty_key=-1, deleted_key=-2)
    >>> table.insert(tf.constant([7], tf.int64), [0.5])
    >>> table.lookup(tf.constant([7, 8], tf.int64)).numpy()
    array([0.5, 0. ], dtype=float32)

    Args:
        key_dtype: The type of the keys.
        value_dtype: The type of the values.
        default_value: The value of keys that are not in it.
        empty_key: A key that is not used.
        deleted_key: Another key that is not used.
        initial_num_buckets: Ignored; accepted for compatibility with TensorFlow.
        name: The name of the table.
        checkpoint: Ignored; accepted for compatibility with TensorFlow.
        experimental_is_anonymous: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        tf.errors.InvalidArgumentError: The two keys are equal.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value, name)
        self._reserved = {
            to_tensor(key, self._key_dtype)._array.item(): label
            for key, label in ((empty_key, "empty_key"), (deleted_key, "deleted_key"))
        }
        if len(self._reserved) < 2:
            raise invalid("Empty and deleted keys must have the same shape and differ.")

    def _settings(self) -> dict[str, Any]:
        return {"reserved": self._reserved}

    def _restore_settings(self, reserved: dict[Any, str]) -> None:  # type: ignore[override]
        self._reserved = reserved

    def _keys(self, keys: object) -> Array:
        found = super()._keys(keys)
        for key in found.reshape(-1).tolist():
            if key in self._reserved:
                raise invalid(f"Using the {self._reserved[key]} as a table key is not allowed")
        return found

    erase: Callable[..., None] = MutableHashTable.remove


TABLES = {cls.__name__: cls for cls in (StaticHashTable, StaticVocabularyTable, MutableHashTable, DenseHashTable)}


_DenseHashTable: TypeAlias = DenseHashTable  # in the class below, a name that stands for itself is no type to checkers
_MutableHashTable: TypeAlias = MutableHashTable


@namespace("gradtape.lookup.experimental")
class experimental:
    """`tf.lookup.experimental`: tables that a program can change."""

    DenseHashTable: TypeAlias = _DenseHashTable
    MutableHashTable: TypeAlias = _MutableHashTable


__dir__ = listing(globals())
