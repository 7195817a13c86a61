"""Where the value of a tensor leaves as a NumPy array or a Python number, and no tape can follow it any more."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.dtypes import Array
from ..base.frames import called_function, user_frame
from ..base.notes import note_exit

if TYPE_CHECKING:
    from .tensor import Tensor

# Who is told of an exit while somebody records: called with the tensor and what it leaves as. Filled in by layers above, which
# ask whether anybody follows the tensor.
EXITS: list[Callable[[Tensor, str], None]] = []


def tell_exit(tensor: Tensor, how: str) -> None:
    """Note that a value leaves, for those who ask later why there is no gradient, and tell everybody in `EXITS`."""
    note_exit(tensor._id, how)
    for told in EXITS:
        told(tensor, how)


def converted_to_leave(array: Array, dtype: np.dtype[Any]) -> Array:
    """The array in another type, as `__array__` of its tensor gives it.

    NumPy's `choice` takes the type of an array of probabilities into account when it checks their sum, and counts all else
    as float64. Programs hand it `np.squeeze(p)` of a float32 tensor, which is a tensor where a tape follows it. So it is given
    probabilities with the sum 1, if that of the tensor is 1 but for rounding. (It divides by the sum itself, before it draws.)
    """
    found = array.astype(dtype)
    if array.ndim == 1 and dtype == np.float64 and array.dtype.itemsize < 8 and _draws(sys._getframe(2)):
        total = found.sum()
        return found / total if abs(total - 1.0) < _ROUNDING else found
    return found


def memory_to_leave(array: Array, flags: int) -> Array:
    """The array that `memoryview` of its tensor, and NumPy, read. Rows follow each other in it.

    NumPy asks for a buffer before it asks for `__array__`. So `choice` takes its probabilities here.

    Buffers have no format for bfloat16 and the small floats. Who reads bytes gets them, as elements without a meaning; who asks
    what the elements are, as NumPy does, is refused, and NumPy goes on to `__array__`.
    """
    if array.dtype.num >= _FIRST_OF_USERS:
        if flags & _WITH_FORMAT and called_function(user_frame(1)) not in _READERS_OF_BYTES:
            raise BufferError(f"Python's buffers have no format for {array.dtype.name}; x.numpy() is an array of it.")
        return np.ascontiguousarray(array).reshape(array.shape).view(f"V{array.dtype.itemsize}")
    may_be_probabilities = array.ndim == 1 and array.dtype.char in "ef" and array.size and 0.0 <= array.item(0) <= 1.0
    if may_be_probabilities and abs(np.add.reduce(array) - 1.0) < _ROUNDING and _draws(user_frame(1)):
        return array / array.sum(dtype=np.float64)
    return array if array.flags.c_contiguous else array.copy("C")


_FIRST_OF_USERS = 256  # numbers of types that are not NumPy's own
_WITH_FORMAT = 0x4  # PyBUF_FORMAT: who asks wants to know what the elements are
_READERS_OF_BYTES = (memoryview, bytes, bytearray)  # they ask for the format, and do without it
_RANDOM = ("numpy.random.mtrand", "numpy.random._generator")
_ROUNDING = np.sqrt(np.finfo(np.float32).eps)


def _draws(frame: FrameType) -> bool:
    """Whether a frame calls NumPy's `choice`."""
    draws = called_function(frame)
    return getattr(draws, "__name__", "") == "choice" and type(getattr(draws, "__self__", None)).__module__ in _RANDOM
