"""TensorFlow's top-level functions that give a tensor another type; `tf.cast` is an op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import DType
from ..base.traceable import trace_public
from ..base.types import DTypeLike, TensorLike
from ..math import cast, imag, maximum, minimum, real
from ..math import complex as make_complex
from ..ops.math import bitwise
from ..values.tensor import Tensor, to_tensor

if TYPE_CHECKING:
    pass


def bitcast(input: TensorLike, type: object, name: str | None = None) -> Tensor:
    """The same bits read as another type; a larger type takes the last axis away, a smaller one adds one.

    >>> import gradtape as tf
    >>> hex(int(tf.bitcast(1.0, tf.int32)))
    '0x3f800000'

    Args:
        input: A tensor.
        type: The type to read the bits as.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of that type.

    Raises:
        tf.errors.InvalidArgumentError: The sizes of the types do not fit the last axis.
    """
    return bitwise.bitcast.public(input, dtypes.as_dtype(type).numpy)


def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """The values in another type; what does not fit becomes its smallest or largest value.

    >>> import gradtape as tf
    >>> tf.saturate_cast([300.0, -5.0], tf.uint8).numpy()
    array([255,   0], dtype=uint8)

    Args:
        value: A tensor of numbers.
        dtype: The type of the result.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of that type.

    Raises:
        TypeError: One of the types is bool.
    """
    x, target = to_tensor(value), dtypes.as_dtype(dtype)
    if x.dtype is dtypes.bool or target is dtypes.bool:
        raise TypeError("saturate_cast: tf.bool has no smallest and largest value to compare with. Use tf.cast.")
    if x.dtype.is_complex:
        if target.is_complex:
            if target.size >= x.dtype.size:
                return cast(x, target)
            return make_complex(saturate_cast(real(x), target.real_dtype), saturate_cast(imag(x), target.real_dtype))
        x = real(x)
    low, high = _representable(x.dtype, target.real_dtype)
    return cast(minimum(maximum(x, low), high), target)


def _exact(number: Any) -> int | float:
    """A number as Python's, which compares integers and floats exactly."""
    return number if isinstance(number, int) else float(number)


def _representable(given: DType, target: DType) -> tuple[Any, Any]:
    """The smallest and largest value of type `given` that fit in type `target`."""
    kind = given.numpy.type
    low, high = max(_exact(given.min), _exact(target.min)), min(_exact(given.max), _exact(target.max))
    if given.is_integer:
        return int(low), int(high)
    smallest, largest = kind(float(low)), kind(float(high))
    # The bounds of a type may round to numbers outside of it: take the next one towards zero.
    if float(smallest) < target.min:
        smallest = np.nextafter(smallest, kind(0))
    if float(largest) > target.max:
        largest = np.nextafter(largest, kind(0))
    return smallest, largest


trace_public(globals(), pure=True)
