"""Attributes: the values that are not tensors, as users may write them, in their canonical form.

Integers, axes, shapes and numbers are here; truth values and text, which TensorFlow takes more strictly, in op/arguments.py.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.context import STATE
from ..base.errors import (
    InfiniteNumberError,
    InvalidArgumentError,
    MissingArgumentError,
    NotATensorError,
    NumberNeededError,
    TensorAsSettingError,
    invalid,
)
from ..base.sizes import UNKNOWN, Size, is_known
from ..base.types import IntLike
from ..values.from_python import to_array
from ..values.tensor import Tensor, to_tensor


def as_int(value: Any) -> int:
    """An integer, also from a NumPy integer or an integer tensor without axes."""
    if value.__class__ is int:
        return int(value)
    if isinstance(value, Size):
        return value  # type: ignore[return-value]
    if hasattr(value.__class__, "sizes"):
        return _only(value.sizes, value)
    if isinstance(value, (bool, np.bool_)):
        raise NumberNeededError(None, None, f"An integer is needed, got {value!r}.")
    try:
        return int(operator.index(value))
    except TypeError:
        try:
            array = to_array(value)
        except (TypeError, ValueError):
            array = None
        if array is not None and array.dtype.kind in "iu" and array.size == 1:
            return int(array.reshape(())[()])
        message = f"An integer is needed, got {value!r} of type {type(value).__name__}."
        kind = InfiniteNumberError if _is_infinite(array) else NumberNeededError
        raise no_setting(kind, value)(None, None, message) from None


def no_setting(kind: type[Exception], value: object) -> Any:
    """The class of the error for a value that is no setting: the usual one, or that of a tensor in a traced function."""
    return TensorAsSettingError if isinstance(value, Tensor) and STATE.trace is not None else kind


def _is_infinite(array: Any) -> bool:
    return array is not None and array.dtype.kind == "f" and array.size == 1 and bool(np.isinf(array).all())


def as_ints(value: Any) -> tuple[int, ...]:
    """A tuple of integers from an integer, a sequence of integers, an array or an integer tensor."""
    if isinstance(value, (list, tuple)):
        return tuple([v if v.__class__ is int else as_int(v) for v in value])
    if isinstance(value, range):
        return tuple(value)
    if value.__class__ is int or isinstance(value, Size):
        return value if value is UNKNOWN else (value,)  # type: ignore[return-value]
    if hasattr(value.__class__, "sizes"):
        return _listed(value.sizes, value)
    array = np.asarray(value if isinstance(value, (Tensor, np.ndarray)) else to_array(value))
    if array.size == 0:
        return ()
    if array.dtype.kind not in "iu" or array.ndim > 1:
        kind = InfiniteNumberError if _is_infinite(array) else NumberNeededError
        raise no_setting(kind, value)(None, None, f"Integers are needed, got {value!r}.")
    return tuple(array.reshape(-1).tolist())


def _only(sizes: Any, value: Any) -> Any:
    """The one element of a tensor that has no value yet."""
    if sizes is UNKNOWN:
        return UNKNOWN
    if sizes.size != 1 or value.dtype.numpy.kind not in "iu":
        raise NumberNeededError(None, None, f"An integer is needed, got {value!r}.")
    return sizes.reshape(-1).tolist()[0]


def _listed(sizes: Any, value: Any) -> Any:
    """The elements of a tensor that has no value yet; UNKNOWN where it is not known how many there are."""
    if sizes is UNKNOWN:
        return UNKNOWN
    if value.dtype.numpy.kind not in "iu" or sizes.ndim > 1:
        raise NumberNeededError(None, None, f"Integers are needed, got {value!r}.")
    return tuple(sizes.reshape(-1).tolist())


def as_int_vector(value: Any, name: str) -> tuple[int, ...]:
    """A tuple of integers; a single integer is refused."""
    if not isinstance(value, (list, tuple)) and not np.ndim(value):
        as_ints(value)  # raises first if it is not an integer at all
        raise invalid(f"{name} must be a vector of integers, got {value!r}. Use [{value!r}].")
    return as_ints(value)


def as_float(value: object) -> float:
    """A real number, also from a NumPy number or a tensor with one element."""
    if value.__class__ is float:
        return float(value)
    if isinstance(value, Tensor) and value.dtype.is_floating and value.shape.num_elements() == 1:
        return float(value)  # a tensor in a trace may know its value, or raise its own error
    array = np.asarray(to_array(value))
    if array.size != 1 or array.dtype.kind not in "fiuVb":
        raise NumberNeededError(None, None, f"A number is needed, got {value!r} of type {type(value).__name__}.")
    return float(array.reshape(())[()])


def as_axis(value: Any) -> int | tuple[int, ...] | None:
    """An axis, several axes, or None."""
    if value is None or value.__class__ is int:
        return value
    if isinstance(value, (list, tuple)) and any(getattr(part.__class__, "_symbolic", False) for part in value):
        value = to_tensor(value)
    cls = value.__class__
    if hasattr(cls, "sizes") and value.shape.rank is None:
        return UNKNOWN
    if getattr(cls, "_symbolic", False) and value._array.dtype is None:
        return value  # known when the traced function runs
    if isinstance(value, (list, tuple)) or np.ndim(value):
        return as_ints(value)
    return as_int(value)


def as_eye(num_rows: IntLike, num_columns: IntLike | None) -> tuple[int, int]:
    """The rows and columns of an identity matrix, which is square unless both are given."""
    rows = as_int(num_rows)
    columns = rows if num_columns is None else as_int(num_columns)
    if rows < 0 or columns < 0:
        raise invalid(f"eye: sizes cannot be negative, got {rows} and {columns}.")
    return rows, columns


def as_shape(value: object) -> tuple[int, ...]:
    """A shape: integers, none below -1, whose product an array can have."""
    try:
        shape = as_ints(value)
    except (InvalidArgumentError, NotATensorError):
        if value is None or (isinstance(value, (list, tuple)) and None in value):
            message = f"A shape needs known sizes, got {value!r}. Use -1 (in reshape) or tf.shape(x)."
            raise MissingArgumentError(None, None, message) from None
        raise
    if not is_known(shape if shape is not UNKNOWN else [UNKNOWN]):
        return shape
    size = 1
    for length in shape:
        if length < -1:
            raise invalid(f"A size cannot be negative, got {length} in shape {list(shape)}.")
        size *= abs(length)
    if size > 2**62:
        raise invalid(f"Shape {list(shape)} has too many elements ({size}).")
    return shape


# Attributes of these names mean the same in every op, and are brought to their canonical form by public entries.
CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "axis": as_axis,
    "shape": as_shape,
    "keepdims": bool,
}
