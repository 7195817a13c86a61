"""The types of results: NumPy resolves them for each ufunc, so that all of its promotion rules hold.

Values become tensors with NumPy's default types (float64, int64); Python numbers beside arrays are weak,
as in NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import math
from ..api import layout
from ..base import dtypes
from ..base.dtypes import DType
from ..base.traceable import trace_public
from ..base.types import DTypeLike, TensorLike
from ..values.from_python import to_array
from ..values.tensor import Tensor, contains_tensor, from_array, to_tensor
from ..variables.variable import Variable

_BFLOAT16 = dtypes.bfloat16.numpy


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """The NumPy dtype that is meant; `float` is float64 and `int` int64, as in NumPy."""
    found = dtype.numpy if isinstance(dtype, DType) else np.dtype(dtype)
    if found not in dtypes.BY_NUMPY:
        raise TypeError(f"No tensor can have the type {found}.")
    return found


def is_followed(value: object) -> bool:
    """Whether the value is a tensor or a variable, or a list with one in it."""
    return isinstance(value, (Tensor, Variable)) or (isinstance(value, (list, tuple)) and contains_tensor(value))


def to_type(x: Tensor, dtype: object) -> Tensor:
    """The tensor in another type; the tape follows."""
    target = numpy_dtype(dtype)
    if x.dtype.numpy == target:
        return x
    result: Tensor
    if x.dtype.is_complex and target.kind == "b":  # (tf.cast looks at the real part alone)
        result = math.not_equal(x, math.cast(0, x.dtype))
    else:
        result = math.cast(x, dtypes.BY_NUMPY[target])
    return result


def asarray(a: object, dtype: DTypeLike | None = None) -> Tensor:
    """The value as a tensor, of NumPy's default type unless it has one or one is given.

    >>> import gradtape as tf
    >>> tf.numpy.asarray([1, 2]).dtype, tf.numpy.asarray(1.5).dtype
    (tf.int64, tf.float64)

    Args:
        a: A number, an array, a tensor or a variable, or lists of them.
        dtype: The type of the result; by default that of the value, with NumPy's types for Python's numbers (float64,
            int64).

    Returns:
        A tensor, which the tape follows to what it was made from.

    Raises:
        TypeError: The value holds no numbers, or no tensor can have the type.
    """
    if isinstance(a, (Tensor, Variable)):
        tensor = to_tensor(a)
    elif isinstance(a, (list, tuple)) and contains_tensor(a):
        tensor = _packed(a, result_type(*_leaves(a)))
    elif hasattr(a, "__tf_tensor__"):
        tensor = to_tensor(a)
    else:
        array = np.asarray(a)
        if array.dtype.kind in "SU":  # (text, whose zero bytes at the end NumPy would drop)
            return to_tensor(a)
        if array.dtype.kind not in "biufcV" or array.dtype not in dtypes.BY_NUMPY:
            raise TypeError(f"Numbers are needed, got {a!r}.")
        tensor = from_array(to_array(array))
    return tensor if dtype is None else to_type(tensor, dtype)


def _leaves(values: Sequence[TensorLike]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        found += _leaves(value) if isinstance(value, (list, tuple)) else [value]
    return found


def _packed(values: Sequence[TensorLike], dtype: DTypeLike) -> Any:
    parts = [_packed(v, dtype) if isinstance(v, (list, tuple)) else asarray(v, dtype) for v in values]
    return layout.stack(parts, 0)


def kind_of(value: object) -> Any:
    """What NumPy's rules look at: a dtype, or the type of a Python number, which is weak."""
    if isinstance(value, (Tensor, Variable)):
        return value.dtype.numpy
    if value.__class__ in (int, float, complex):
        return value.__class__
    if isinstance(value, DType):
        return value.numpy
    if isinstance(value, (list, tuple)):
        return result_type(*_leaves(value)) if contains_tensor(value) else np.asarray(value).dtype
    return np.asarray(value).dtype


def result_type(*arrays_and_dtypes: object) -> np.dtype[Any]:
    """The type that these values and types have together.

    >>> import gradtape as tf
    >>> tf.numpy.result_type(tf.constant(1.0), 2.0), tf.numpy.result_type(tf.constant(1.0), tf.constant(2))
    (dtype('float32'), dtype('float64'))

    Args:
        *arrays_and_dtypes: Values and types. Python's numbers give way to the types of the others.

    Returns:
        A NumPy dtype.

    Raises:
        ValueError: Nothing is given.
    """
    kinds = [np.dtype(v) if isinstance(v, (type, np.dtype, str)) else kind_of(v) for v in arrays_and_dtypes]
    if not kinds:
        raise ValueError("at least one array or dtype is required")
    weak = {int: 0, float: 0.0, complex: 0j}
    return np.result_type(*[weak.get(k, k) for k in _beside_bfloat16(tuple(kinds))])


def _beside_bfloat16(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """NumPy does not know that bfloat16 is a float that Python numbers should yield to."""
    if _BFLOAT16 not in kinds:
        return kinds
    return tuple(_BFLOAT16 if k in (int, float) and k.__class__ is type else k for k in kinds)


def promote_types(type1: Any, type2: Any) -> Any:
    """The smallest type that both types can become.

    >>> import gradtape as tf
    >>> tf.numpy.promote_types("int32", "float32")
    dtype('float64')

    Args:
        type1: A type.
        type2: Another.

    Returns:
        A NumPy dtype.
    """
    return result_type(*[np.dtype(getattr(t, "as_numpy_dtype", t)) for t in (type1, type2)])


def promoted(*values: object) -> list[Tensor]:
    """The values as tensors of the type that they have together."""
    dtype = result_type(*values)
    return [asarray(value, dtype) for value in values]


@functools.cache
def loop_types(ufunc: np.ufunc, kinds: tuple[Any, ...]) -> tuple[np.dtype[Any], ...]:
    """The types in which NumPy computes, and those of the results."""
    if all(kind in (int, float, complex) for kind in kinds):  # Python numbers among themselves are not weak
        kinds = tuple(np.dtype(kind) for kind in kinds)
    types = ufunc.resolve_dtypes((*_beside_bfloat16(kinds), *(None,) * ufunc.nout))
    if np.dtype(object) in types:  # NumPy has no loop for these numbers and would convert them to Python objects
        raise TypeError(f"ufunc '{ufunc.__name__}' is not defined for the types {', '.join(map(str, kinds))}.")
    return types


@functools.cache
def reduced_type(name: str, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type that NumPy's reduction of this name gives: NumPy tries it on one element."""
    found: np.dtype[Any] = np.asarray(getattr(np, name)(np.ones(1, dtype))).dtype
    return found


trace_public(globals())
