"""Tensors as bytes: `serialize_tensor` and `parse_tensor` (the TensorProto message), `decode_raw`, base64, CSV."""

from __future__ import annotations

import csv
import math
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import Array, DType
from ..base.errors import DecodeError, TensorTypeError, invalid
from ..base.types import DTypeLike, TensorLike
from ..op.arguments import flag, takes, text
from ..ops.text import encoding as raw
from ..trace.host_calls import gives
from ..values.composite import OPERANDS
from ..values.tensor import Tensor, TensorSpec, from_array, to_tensor
from . import wire
from .records import text_from

_DTYPE, _SHAPE, _CONTENT, _STRINGS = 1, 2, 4, 8
_MOST_REPEATED = 1 << 28  # the most bytes that one stored value may expand to: a short message must not fill the memory

# The other fields that may hold the values: how they are encoded, and the type they are read as.
_FLOATS: dict[int, Any] = {5: np.float32, 6: np.float64, 9: np.complex64, 12: np.complex128}
_INTEGERS = {7, 10, 11, 13, 16, 17}


@gives(lambda tensor, name=None: TensorSpec([], dtypes.string))
def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The tensor with its type and shape as one byte string, which `parse_tensor` reads.

    >>> text = tf.io.serialize_tensor([1.0, 2.0])
    >>> tf.io.parse_tensor(text, tf.float32).numpy()
    array([1., 2.], dtype=float32)

    Args:
        tensor: A tensor.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One byte string.
    """
    value = to_tensor(tensor)
    return to_tensor(tensor_bytes(np.asarray(value._array)))


def tensor_bytes(array: Array) -> bytes:
    """The TensorProto of an array."""
    kind = dtypes.BY_NUMPY[array.dtype]
    sizes = b"".join(wire.delimited(2, wire.tag(1, wire.VARINT) + wire.varint(n) if n else b"") for n in array.shape)
    head = wire.tag(_DTYPE, wire.VARINT) + wire.varint(kind.as_datatype_enum) + wire.delimited(_SHAPE, sizes)
    if kind is dtypes.string:
        return head + b"".join(wire.delimited(_STRINGS, text) for text in array.reshape(-1).tolist())
    content = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False)).tobytes()
    return head + (wire.delimited(_CONTENT, content) if content else b"")


@gives(lambda serialized, out_type, name=None: TensorSpec(None, out_type))
def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor that `serialize_tensor` wrote.

    >>> import gradtape as tf
    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1.0, 2.0]), tf.float32).numpy()
    array([1., 2.], dtype=float32)

    Args:
        serialized: One byte string.
        out_type: The type of the tensor.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The tensor has another type, or the bytes are no tensor.
    """
    expected = dtypes.as_dtype(out_type)
    try:
        array = array_of(memoryview(text_from(serialized, "parse_tensor")))
    except DecodeError as error:
        raise invalid(f"parse_tensor: Could not parse the bytes as a tensor: {error}") from None
    found = dtypes.BY_NUMPY[array.dtype]
    if found is not expected:
        raise invalid(
            f"parse_tensor: Type mismatch between parsed tensor ({found.name}) and dtype ({expected.name}). "
            f"Use out_type=tf.{found.name}."
        )
    return from_array(array)


def array_of(data: memoryview) -> Array:
    """The array of a TensorProto; DecodeError where the bytes hold none."""
    kind: DType | None = None
    shape: tuple[int, ...] = ()
    content = None
    values: list[Array] = []
    strings: list[bytes] = []
    for field, encoding, value in wire.fields(data):
        if field == _DTYPE and encoding == wire.VARINT:
            kind = _dtype(value)
        elif field == _SHAPE:
            shape = _shape(wire.message(encoding, value))
        elif field == _CONTENT:
            content = wire.message(encoding, value)
        elif field == _STRINGS:
            strings.append(bytes(wire.message(encoding, value)))
        elif field in _FLOATS:
            values.append(wire.numbers(encoding, value, _FLOATS[field]))
        elif field in _INTEGERS:
            values.append(wire.integers(encoding, value))
    if kind is None:
        raise DecodeError("The tensor has no dtype.")
    count = math.prod(shape)
    if kind is dtypes.string:
        flat: Array = np.empty(len(strings), object)
        flat[:] = strings
    elif content is not None:
        if len(content) != count * kind.size:
            raise DecodeError(f"{len(content)} bytes do not fill shape {list(shape)} of {kind.name}.")
        flat = np.frombuffer(content, kind.numpy.newbyteorder("<")).astype(kind.numpy)
    else:
        flat = _values(values, kind)
    if 0 < flat.size < count:  # the last value stands for all that follow
        if count * flat.itemsize > _MOST_REPEATED:
            raise DecodeError(
                f"{flat.size} values do not fill shape {list(shape)}: {_MOST_REPEATED} bytes are allowed."
            )
        flat = np.concatenate((flat, np.repeat(flat[-1:], count - flat.size)))
    if flat.size != count:
        raise DecodeError(f"{flat.size} values do not fill shape {list(shape)}.")
    try:
        return flat.reshape(shape)
    except (ValueError, OverflowError) as error:  # more axes, or an axis longer, than an array can have
        raise DecodeError(f"No tensor can have shape {list(shape)}: {error}.") from None


def _dtype(number: int) -> DType:
    try:
        return dtypes.as_dtype(number)
    except TypeError:
        raise DecodeError(f"There is no dtype of number {number}.") from None


def _shape(data: memoryview) -> tuple[int, ...]:
    sizes = []
    for field, encoding, value in wire.fields(data):
        if field != 2:
            continue
        size = 0
        for inner, inner_encoding, number in wire.fields(wire.message(encoding, value)):
            if inner == 1 and inner_encoding == wire.VARINT:
                size = wire.signed(number)
        if size < 0:
            raise DecodeError(f"A tensor cannot have a size of {size}.")
        sizes.append(size)
    return tuple(sizes)


def _values(values: list[Array], kind: DType) -> Array:
    found = np.concatenate(values) if values else np.zeros(0, kind.numpy)
    if kind.is_narrow and found.dtype.kind == "i":  # their bits, as integers
        return found.astype(np.uint16).view(kind.numpy)
    return found.astype(kind.numpy)


# --- bytes that are numbers --------------------------------------------------------------------------------


@takes(little_endian=flag)
def decode_raw(
    input_bytes: object,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: object = None,
    name: str | None = None,
) -> Tensor:
    """Byte strings, all of one length, read as numbers along a new last axis.

    With `fixed_length`, longer ones are cut and shorter ones end in zeros.

    >>> tf.io.decode_raw(b"\\x01\\x00\\x02\\x00", tf.int16).numpy()
    array([1, 2], dtype=int16)

    Args:
        input_bytes: A tensor of byte strings, each of the same length.
        out_type: The type of the numbers.
        little_endian: Whether the lowest byte of a number comes first.
        fixed_length: The length to cut or fill up to, in bytes.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with one axis more.

    Raises:
        tf.errors.InvalidArgumentError: The strings differ in length, or the length is no multiple of the size of a
            number.
    """
    kind = dtypes.as_dtype(out_type)
    texts = texts_of(input_bytes)
    if kind is dtypes.string:
        raise invalid("decode_raw: bytes become numbers; out_type cannot be string.")
    if fixed_length is not None:
        return raw.decode_padded_raw.public(texts, to_tensor(fixed_length), kind.numpy, bool(little_endian))
    return raw.decode_raw.public(texts, kind.numpy, bool(little_endian))


def texts_of(input: object) -> Any:
    """A string tensor; a ragged one stays ragged."""
    texts: Any = (
        input
        if input.__class__ in OPERANDS
        else to_tensor(input, dtypes.string if isinstance(input, (str, bytes, list)) else None)
    )
    if texts.dtype is not dtypes.string:
        raise TensorTypeError(None, None, f"A string tensor is needed, got {texts.dtype.name}.")
    return texts


@takes(pad=flag)
def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Bytes as text of letters, digits, - and _; without = at the end unless `pad`.

    >>> import gradtape as tf
    >>> tf.io.encode_base64("hello").numpy()
    b'aGVsbG8'

    Args:
        input: A tensor of byte strings.
        pad: Whether to fill up with = to a multiple of 4 letters.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A string tensor of the same shape.
    """
    return raw.encode_base64.public(texts_of(input), bool(pad))


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """What `encode_base64` encoded.

    >>> import gradtape as tf
    >>> tf.io.decode_base64("aGVsbG8").numpy()
    b'hello'

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A string tensor of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: A text has other letters.
    """
    return raw.decode_base64.public(texts_of(input))


# --- lines of comma-separated values -----------------------------------------------------------------------

_KINDS = (DType, type, np.dtype)  # a default that says only the type of its column


def _look_of_columns(records: Any, record_defaults: Any, *args: object, **options: object) -> list[TensorSpec]:
    shape = to_tensor(records, dtypes.string).shape
    return [TensorSpec(shape, _kind_of_column(default)) for default in record_defaults]


@gives(_look_of_columns)
@takes(use_quote_delim=flag, na_value=text)
def decode_csv(
    records: object,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """Lines of comma-separated values as one tensor for each column.

    `record_defaults` has for each column its type, or a value that stands where a field is empty.

    >>> [column.numpy() for column in tf.io.decode_csv(["1,a", "2,b"], [[0], [""]])]
    [array([1, 2], dtype=int32), array([b'a', b'b'], dtype=object)]

    Args:
        records: Lines, a string tensor.
        record_defaults: One entry for each column.
        field_delim: What stands between fields.
        use_quote_delim: Whether fields may stand in double quotes.
        na_value: The text that counts as an empty field.
        select_cols: The numbers of the columns to take, in increasing order; all by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A list of tensors in the shape of `records`.

    Raises:
        tf.errors.InvalidArgumentError: A line has another number of fields, or a field is no number.
    """
    lines = texts_of(records)
    columns = [_column(default) for default in record_defaults]
    chosen = None if select_cols is None else [int(position) for position in select_cols]
    if chosen is not None and (len(chosen) != len(columns) or chosen != sorted(set(chosen))):
        raise ValueError(f"select_cols must be increasing and one for each default, got {chosen} for {len(columns)}.")
    rows = []
    for line in np.asarray(lines._array, object).reshape(-1).tolist():
        text = line.decode("utf-8", "surrogateescape")
        try:
            row = next(csv.reader([text], delimiter=field_delim, quoting=0 if use_quote_delim else 3), [""])
        except csv.Error as error:
            raise invalid(f"decode_csv: {line!r}: {error}.") from None
        if chosen is not None:
            if chosen[-1] >= len(row):
                raise invalid(f"decode_csv: a record has {len(row)} fields, but column {chosen[-1]} is selected.")
            row = [row[position] for position in chosen]
        if len(row) != len(columns):
            raise invalid(f"decode_csv: Expect {len(columns)} fields but have {len(row)} in record {line!r}.")
        rows.append(row)
    results: list[Tensor] = []
    for position, (kind, default) in enumerate(columns):
        values = np.empty(len(rows), kind.numpy)
        for number, row in enumerate(rows):
            values[number] = _field(row[position], kind, default, na_value, number, position)
        results.append(from_array(values.reshape(lines.shape)))
    return results


def _kind_of_column(default: object) -> DType:
    return dtypes.as_dtype(default) if isinstance(default, _KINDS) else to_tensor(default).dtype


def _column(default: object) -> tuple[DType, Any]:
    """The type of a column, and what stands for an empty field (None: it must not be empty)."""
    if isinstance(default, _KINDS):
        return dtypes.as_dtype(default), None
    value = to_tensor(default)
    if value.ndim > 1 or np.size(value._array) > 1:
        raise ValueError(f"decode_csv: a default is one value or a type, got shape {value.shape}.")
    flat = np.asarray(value._array).reshape(-1).tolist()
    return value.dtype, flat[0] if flat else None


def _field(text: str, kind: DType, default: object, na_value: str, row: int, column: int) -> Any:
    if text in ("", na_value):
        if default is None:
            raise invalid(f"decode_csv: Field {column} is required but missing in record {row}!")
        return default
    if kind is dtypes.string:
        return text.encode("utf-8", "surrogateescape")
    try:
        return kind.as_numpy_dtype(float(text) if kind.is_floating else int(text))
    except (ValueError, OverflowError):
        raise invalid(f"decode_csv: Field {column} in record {row} is not a valid {kind.name}: {text}") from None
