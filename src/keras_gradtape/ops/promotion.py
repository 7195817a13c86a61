"""Which type a result has: Keras's promotion, cached for each combination of types.

Keras promotes as JAX does: Python numbers are weak, integers beside floats become floats. The ops call these
functions first; for operands of one float type they return at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from keras.src.backend import config
from keras.src.backend.common import dtypes

import gradtape as tf
from gradtape import cast
from gradtape.base.dtypes import DType
from gradtape.base.types import DTypeLike, TensorLike
from gradtape.values.tensor import Tensor

from .core import convert_to_tensor

_NUMBERS = (int, float)
_RESULTS: dict[tuple[Any, ...], DType] = {}
# What Keras accumulates small integers in.
_SUMS = {
    **dict.fromkeys((tf.bool, tf.int8, tf.int16), tf.int32),
    **dict.fromkeys((tf.uint8, tf.uint16), tf.uint32),
}


def floatx() -> DType:
    """Keras's default float type."""
    return tf.as_dtype(config.floatx())


def given_type(dtype: DTypeLike | None) -> DType:
    """The type that is named, Keras's default float type if it is None."""
    return floatx() if dtype is None else tf.as_dtype(dtype)


def result_type(*kinds: Any) -> DType:
    """The promoted type of these types; `int` and `float` are weak."""
    key = (config.floatx(), *kinds)
    found = _RESULTS.get(key)
    if found is None:
        names = [kind.name if isinstance(kind, DType) else kind for kind in kinds]
        found = _RESULTS[key] = tf.as_dtype(dtypes.result_type(*names))
    return found


def kind_of(x: Any) -> Any:
    """What promotion looks at: the type of a tensor, the Python type of a number."""
    return x.__class__ if x.__class__ in _NUMBERS else x.dtype


def operand(x: TensorLike) -> Any:
    """The value as a tensor; Python numbers as they are, since they are weak."""
    return x if x.__class__ in _NUMBERS else convert_to_tensor(x)


def to_type(x: Tensor, dtype: DType) -> Tensor:
    """The tensor cast to a type; the same tensor if it already has it."""
    return x if x.dtype is dtype else cast(x, dtype)


def together(x1: TensorLike, x2: TensorLike, *more: Any) -> tuple[Any, Any]:
    """Two operands cast to their promoted type, in which the types `more` count too.

    A Python number beside a float tensor stays a number: the op takes it in the tensor's type.
    """
    first, second = operand(x1), operand(x2)
    one, other = kind_of(first), kind_of(second)
    if one is other and one.__class__ is DType and one.is_floating:
        return first, second
    dtype = result_type(one, other, *more)
    if dtype.is_floating and ((one is dtype and other.__class__ is type) or (other is dtype and one.__class__ is type)):
        return first, second
    return _typed(first, dtype), _typed(second, dtype)


def all_together(xs: Iterable[TensorLike]) -> list[Any]:
    """Any number of operands as tensors of the type that they have together."""
    operands = [operand(x) for x in xs]
    kinds = {kind_of(x) for x in operands}
    if len(kinds) == 1 and all(kind.__class__ is DType for kind in kinds):
        return operands
    dtype = result_type(*kinds)
    return [_typed(x, dtype) for x in operands]


def _typed(x: Any, dtype: DType) -> Any:
    return convert_to_tensor(x, dtype.name) if x.__class__ in _NUMBERS else to_type(x, dtype)


def floats(x: TensorLike) -> Tensor:
    """The value as a tensor of floats: whatever is neither float nor complex becomes Keras's default float type."""
    tensor = convert_to_tensor(x)
    return tensor if tensor.dtype.is_differentiable else cast(tensor, floatx())


def wide_floats(x: TensorLike) -> Tensor:
    """As `floats`, but 64-bit integers become float64."""
    tensor = convert_to_tensor(x)
    return cast(tensor, tf.float64) if tensor.dtype is tf.int64 else floats(tensor)


def sum_type(dtype: DType) -> DType:
    """The type in which Keras adds or multiplies up elements of this type."""
    return _SUMS.get(dtype, dtype)


def truth(x: TensorLike) -> Tensor:
    """Whether each element is not zero."""
    tensor = convert_to_tensor(x)
    return tensor if tensor.dtype.is_bool else cast(tensor, tf.bool)


def named(name: str, does: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function made from a template, under the name that Keras knows."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = does
    return function
