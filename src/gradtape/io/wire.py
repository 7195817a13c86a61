"""The wire encoding of protocol buffers: fields of varints, fixed-size numbers and byte strings.

The few messages that gradtape reads and writes (examples, tensors) have a handful of fields each. The protobuf package
would add generated code and a runtime for them; the encoding itself fits into this file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..base.errors import DecodeError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

_WORD = 1 << 64


# --- writing -----------------------------------------------------------------------------------------------


def varint(number: int) -> bytes:
    """An integer in groups of seven bits, lowest first; negative ones as 64-bit two's complement."""
    if 0 <= number < 128:
        return bytes((number,))
    number %= _WORD
    groups = bytearray()
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    groups.append(number)
    return bytes(groups)


def tag(field: int, kind: int) -> bytes:
    """The tag before each value: the number of the field, and how the value is encoded."""
    return varint(field << 3 | kind)


def delimited(field: int, content: bytes) -> bytes:
    """A field of bytes: text, an inner message, or packed numbers."""
    return tag(field, BYTES) + varint(len(content)) + content


def packed_varints(numbers: Any) -> bytes:
    """Many integers, one after the other."""
    return b"".join(map(varint, numbers))


# --- reading -----------------------------------------------------------------------------------------------


def read_varint(data: Any, position: int) -> tuple[int, int]:
    """The integer at `position`, unsigned, and where it ends."""
    result = shift = 0
    try:
        while True:
            group = data[position]
            position += 1
            result |= (group & 127) << shift
            if group < 128:
                return result % _WORD, position
            shift += 7
            if shift > 63:
                raise DecodeError("A varint has more than ten bytes.")
    except IndexError:
        raise DecodeError("The message ends inside a varint.") from None


def fields(data: memoryview) -> Iterator[tuple[int, int, Any]]:
    """Each field of a message: its number, how it is encoded, and its value (a number, or a view of its bytes)."""
    position, end = 0, len(data)
    while position < end:
        key, position = read_varint(data, position)
        field, kind = key >> 3, key & 7
        if not field:
            raise DecodeError("A field has the number 0.")
        value: Any
        if kind == VARINT:
            value, position = read_varint(data, position)
        else:
            if kind == BYTES:
                size, position = read_varint(data, position)
            elif kind in (FIXED32, FIXED64):
                size = 4 if kind == FIXED32 else 8
            else:
                raise DecodeError(f"Field {field} has the unknown encoding {kind}.")
            if size > end - position:
                raise DecodeError(f"Field {field} has {size} bytes, but {end - position} are left.")
            value = data[position : position + size]
            position += size
        yield field, kind, value


def signed(number: int) -> int:
    """A 64-bit integer read as two's complement."""
    return number - _WORD if number >> 63 else number


def unpacked_varints(data: memoryview) -> Array:
    """The integers of a packed field as int64."""
    groups = np.frombuffer(data, np.uint8)
    if not groups.size:
        return np.zeros(0, np.int64)
    ends = np.flatnonzero(groups < 128)
    if not ends.size or ends[-1] != groups.size - 1:
        raise DecodeError("The message ends inside a varint.")
    if ends.size == groups.size:  # all below 128
        return groups.astype(np.int64)
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    if lengths.max() > 10:
        raise DecodeError("A varint has more than ten bytes.")
    place = np.arange(groups.size) - np.repeat(starts, lengths)
    parts = (groups & np.uint8(127)).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.bitwise_or.reduceat(parts, starts).view(np.int64)


def numbers(kind: int, value: Any, dtype: Any) -> Array:
    """The numbers of a repeated field of fixed size, packed or one by one."""
    size = np.dtype(dtype).itemsize
    if kind == VARINT or len(value) % size:
        raise DecodeError(f"A field of {np.dtype(dtype).name} cannot be read.")
    return np.frombuffer(value, np.dtype(dtype).newbyteorder("<")).astype(dtype)


def integers(kind: int, value: Any) -> Array:
    """The integers of a repeated field, packed or one by one, as int64."""
    if kind == VARINT:
        return np.array([signed(value)], np.int64)
    if kind != BYTES:
        raise DecodeError("A field of integers cannot be read.")
    return unpacked_varints(value)


def message(kind: int, value: Any) -> memoryview:
    """The bytes of an inner message or of text."""
    if kind != BYTES:
        raise DecodeError("A number stands where an inner message is expected.")
    view: memoryview = value
    return view
