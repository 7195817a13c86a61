"""Arrays of Python's numbers, lists and texts, and of other arrays: what a tensor is made of."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.context import STATE
from ..base.dtypes import Array, DType
from ..base.errors import NotATensorError, OperandTypeError
from ..base.sizes import Size, Undecided


def to_array(value: Any, dtype: DType | None = None) -> Array:
    """A NumPy array of its own with the value of a Python number, a nested list, an array or an array-like object.

    What has no axes becomes a NumPy scalar: arithmetic on these takes 50 ns, on arrays without axes 400 to 800.
    """
    if value.__class__ is float and dtype is None:
        return np.float32(value)  # type: ignore[return-value]
    array = _converted(value, dtype)
    return array if array.ndim or array.dtype.kind == "O" else array[()]


def _converted(value: Any, dtype: DType | None) -> Array:
    if isinstance(value, np.ndarray | np.generic):
        return _adopt_array(np.asarray(value), dtype)
    if value is None:
        raise NotATensorError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
        )
    if isinstance(value, (bool, int, float, complex, str, bytes, list, tuple, range)):
        return _from_python(value, dtype)
    if hasattr(value, "__array__"):
        return _adopt_array(np.asarray(value), dtype)
    if hasattr(value, "__dlpack__"):
        return _adopt_array(np.from_dlpack(value), dtype)
    if isinstance(value, Size):
        raise Undecided(f"The number that {value} stands for.")
    if isinstance(value, Iterator):
        raise NotATensorError(f"Cannot convert an iterator to a tensor: {value!r}. Use list(...) first.")
    try:
        return _from_python(value, dtype)
    except (TypeError, ValueError, OverflowError):
        raise NotATensorError(
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor. "
            "Tensors are made of numbers, truth values, text, arrays, and lists of these."
        ) from None


def _adopt_array(array: Array, dtype: DType | None) -> Array:
    if array.dtype.kind in "SU":
        array = np.char.encode(array, "utf-8") if array.dtype.kind == "U" else array
        array = array.astype(object)
    elif array.dtype.kind == "O":
        array = _strings_of_objects(array)
    if dtype is not None and dtype.numpy != array.dtype:
        return _cast_array(array, dtype)
    native = array.dtype.newbyteorder("=")
    if native not in dtypes.BY_NUMPY:
        raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported object type {array.dtype}).")
    return np.array(array, dtype=native)


def _cast_array(array: Array, dtype: DType) -> Array:
    if (array.dtype.kind == "O") != (dtype.numpy.kind == "O"):
        raise ValueError(f"Cannot convert an array of {array.dtype} to tf.{dtype.name}.")
    return array.astype(dtype.numpy)


_NUMBERS = (int, float, complex, np.number)


def _from_python(value: Any, dtype: DType | None) -> Array:
    try:
        array = np.array(value)
    except ValueError:
        _check_lengths(value)
        raise ValueError(
            "Can't convert non-rectangular Python sequence to Tensor. All lists at one depth must have the same length; "
            "tf.ragged.constant takes lists of different lengths."
        ) from None
    if array.dtype.kind == "O" and array.size and all(isinstance(leaf, _NUMBERS) for leaf in array.flat):
        array = _from_large_integers(array, dtype)
    kind = array.dtype.kind
    if kind in "SUO":
        array = _strings_from_python(value, array)
        kind = "O"
    elif array.dtype not in dtypes.BY_NUMPY:  # dates, say
        raise NotATensorError(
            f"Attempt to convert a value ({value!r}) with an unsupported type ({array.dtype}) to a Tensor."
        )
    elif STATE.trace is None and isinstance(value, (list, tuple)):
        _check_mixture(value, dtype)
    if dtype is None:
        return _with_default_type(value, array, kind)
    target = dtype.numpy
    if target == array.dtype:
        return array
    wrong = (
        ((kind == "O") != (target.kind == "O") and array.size)
        or (kind == "f" and target.kind in "iub" and array.size)
        or (kind == "c" and target.kind != "c")
        or (target.kind == "b" and array.size)
    )
    if wrong:
        raise _refused(value, dtype)
    if kind in "iu" and target.kind in "iu":
        info = np.iinfo(target)
        if array.size and (array.min() < info.min or array.max() > info.max):
            raise ValueError(f"Cannot convert {value!r} to tf.{dtype.name}: it is out of range.")
    return array.astype(target)


def _check_lengths(value: Any) -> None:
    """Raise Python's own error for a list whose `__len__` gives no length."""
    if isinstance(value, (list, tuple)) and len(value):
        for part in value:
            _check_lengths(part)


# What may stand in one list, by the kind of number that it is read as: NumPy's letters, and p for a truth value of Python.
_TAKES = {"p": "pb", "b": "pb", "i": "pi", "u": "pi", "f": "pif", "c": "pifc"}
_BY_FIRST = {**_TAKES, "i": "pif"}  # floats make floats of the integers before them
_LETTERS = {bool: "p", int: "i", float: "f", complex: "c"}
# TensorFlow reads a list as one of these types at once. As any other it is read by its first element, and cast.
_READ_AT_ONCE = frozenset("?ilqLQefdD")


def _check_mixture(value: Any, dtype: DType | None) -> None:
    """Raise for a list of numbers that do not go together in TensorFlow.

    Inside a traced function TensorFlow leaves lists to NumPy, and there all of them go together.
    """
    kinds = _kinds_in(value)
    if len(kinds) < 2 and not kinds & {"p", "b"}:
        return
    if dtype is not None and dtype.numpy.char in _READ_AT_ONCE and kinds <= set(_TAKES[dtype.numpy.kind]):
        return
    first = _first_of(value)
    by_first = _BY_FIRST[min(_kinds_in([first]))]
    if not kinds <= set(by_first):
        raise _mixed(first)
    if dtype is not None and by_first == "pb":
        raise _refused(value, dtype)


def _kinds_in(values: Any) -> set[str]:
    """The kinds of numbers in a nested list."""
    found: set[str] = set()
    for kind in set(map(type, values)):
        if kind in _LETTERS:
            found.add(_LETTERS[kind])
        elif issubclass(kind, np.generic):
            found.add(_kind_of(np.dtype(kind)))
        elif issubclass(kind, np.ndarray):
            found |= {_kind_of(value.dtype) for value in values if isinstance(value, np.ndarray)}
        elif issubclass(kind, (list, tuple)):
            found = found.union(*[_kinds_in(value) for value in values if value.__class__ is kind])
    return found


def _kind_of(dtype: np.dtype[Any]) -> str:
    return {"u": "i", "V": "f"}.get(dtype.kind, dtype.kind)


def _refused(value: object, dtype: DType) -> OperandTypeError:
    return OperandTypeError(None, None, f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}.")


def _first_of(value: Any) -> Any:
    """The first number of a nested list; 0.0 where there is none."""
    while isinstance(value, (list, tuple)):
        value = value[0] if value else 0.0
    return value


def _mixed(number: object) -> ValueError:
    return ValueError(
        "Can't convert Python sequence with mixed types to Tensor. The types of a list are those that its first element "
        f"{number!r} of type {type(number).__name__} can stand beside: give all of them the same type."
    )


def _from_large_integers(array: Array, dtype: DType | None) -> Array:
    """Integers beyond 64 bits, which only a type of floats can hold."""
    kind = dtype.numpy.kind if dtype is not None else _kind_of(np.asarray(array.flat[0]).dtype)
    with contextlib.suppress(OverflowError):
        if kind in "fVc":
            return array.astype(np.complex128 if kind == "c" else np.float64)
    raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")


def _with_default_type(value: Any, array: Array, kind: str) -> Array:
    """The type of a list: the first number decides between floats; integers are int32 if they fit, of whatever NumPy type."""
    if kind in "fV":
        first = _first_of(value)
        floats = isinstance(first, np.ndarray | np.generic) and array.size and first.dtype.kind in "fV"
        return array.astype(first.dtype if floats else np.float32)
    if kind == "c":
        return array.astype(np.complex128)
    if kind in "iu":
        if not array.size:
            return array.astype(np.float32)
        if kind == "u" and array.max() > np.iinfo(np.int64).max:
            raise ValueError(f"Cannot convert {value!r} to a tensor: it is out of range of tf.int64.")
        small = array.astype(np.int32)
        return small if np.array_equal(small, array) else array.astype(np.int64)
    return array


def _strings_of_objects(array: Array) -> Array:
    """An array of bytes from one of text and bytes; nothing else may be in an array of objects."""
    strings = np.empty(array.shape, object)
    for index, value in np.ndenumerate(array):
        if not isinstance(value, (str, bytes)):
            raise ValueError(
                f"Failed to convert a NumPy array to a Tensor (Unsupported object type {type(value).__name__}). "
                "Give the array a numeric type first: array.astype(np.float32)."
            )
        strings[index] = value.encode() if isinstance(value, str) else value
    return strings


def _strings_from_python(value: Any, array: Array) -> Array:
    """Object array of bytes; NumPy would turn numbers beside strings into text, TensorFlow does not."""
    result = np.empty(array.shape, object)
    for index in np.ndindex(array.shape):
        leaf = value
        for position in index:
            leaf = leaf[position]
        if isinstance(leaf, np.ndarray) and not leaf.ndim:
            leaf = leaf.item()
        if isinstance(leaf, str):
            leaf = leaf.encode()
        if not isinstance(leaf, bytes):
            if isinstance(leaf, (bool, int, float, complex)):
                raise _mixed(leaf)
            if isinstance(leaf, (list, tuple)):
                _check_lengths(leaf)
                raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
            raise NotATensorError(
                f"Attempt to convert a value ({leaf!r}) with an unsupported type ({type(leaf)}) to a Tensor."
            )
        result[index] = bytes(leaf)
    return result
