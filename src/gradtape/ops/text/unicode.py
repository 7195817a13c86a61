"""Text in encodings: code points, transcoding, parts between separators. No derivatives."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from ...base.dtypes import INDEX, STRING, Array
from ...base.errors import invalid
from ...base.sizes import UNKNOWN
from ...base.types import Draw, Namespace
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.shapes import without_last
from .strings import each, textwise

_NO_DERIVATIVE = "text does not change by small steps"
ENCODINGS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")


def decoded(text: bytes, encoding: str, errors: str, replacement_char: int, control: bool = False) -> str:
    """The characters of a text; invalid bytes are replaced, left out, or refused."""
    if errors not in ("replace", "ignore", "strict"):
        raise invalid(f"errors must be 'replace', 'ignore' or 'strict', got {errors!r}.")
    try:
        result = text.decode(encoding, errors)
    except LookupError:
        raise invalid(f"Could not create converter for input encoding: {encoding}.") from None
    except UnicodeDecodeError:
        raise invalid(f"Invalid formatting on input string {text!r}.") from None
    other = chr(replacement_char)
    result = result if errors != "replace" or replacement_char == 0xFFFD else result.replace("\ufffd", other)
    return "".join(other if ord(c) < 32 or 127 <= ord(c) < 160 else c for c in result) if control else result


def _encoded(text: str, encoding: str) -> bytes:
    if encoding not in ENCODINGS:
        raise invalid(f"The output encoding must be one of {', '.join(ENCODINGS)}, got {encoding!r}.")
    return text.encode(encoding)


def _texts(values: Any) -> Array:
    return np.array(values, object) if np.ndim(values) else np.array(values, object).reshape(())


# --- transcoding --------------------------------------------------------------------------------------------


@textwise(dtypes=STRING)
def unicode_transcode(
    xp: Namespace,
    input: Array,
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
) -> Any:
    """The texts in another encoding."""

    def change(text: bytes) -> bytes:
        characters = decoded(text, input_encoding, errors, replacement_char, replace_control_characters)
        return _encoded(characters, output_encoding)

    return each(change, object, input)


@unicode_transcode.samples
def _(draw: Draw) -> Iterator[Sample]:
    utf16 = {"input_encoding": "UTF-8", "output_encoding": "UTF-16-BE"}
    yield Sample((_texts([b"abc", b"\xc3\xa9", b""]),), utf16)
    yield Sample((_texts(b"\x00a"),), {"input_encoding": "UTF-16-BE", "output_encoding": "UTF-8"})
    yield Sample((_texts([b"a\xff"]),), {**utf16, "output_encoding": "UTF-8", "errors": "ignore"})
    yield Sample((_texts([b"a\x01"]),), {**utf16, "output_encoding": "UTF-8", "replace_control_characters": True})


@unicode_transcode.rejects
def _() -> Iterator[BadInput]:
    good = {"input_encoding": "UTF-8", "output_encoding": "UTF-8"}
    for bad in ({"input_encoding": "X"}, {"output_encoding": "latin-1"}, {"errors": "loud"}):
        yield BadInput("encodings it knows", (_texts([b"a"]),), {**good, **bad})
    yield BadInput("valid text", (_texts([b"a\xff"]),), {**good, "errors": "strict"})


# --- code points --------------------------------------------------------------------------------------------


def _rows(input: Abstract, **_: object) -> list[Shape]:
    """Where each text's parts begin and end, and the parts."""
    return [(input.of_rank(1)[0] + 1,), (UNKNOWN,)]


@op(dtypes=STRING, outputs=2, shape=_rows, gives=(np.int64, np.int32))
def unicode_decode(
    xp: Namespace,
    input: Array,
    *,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
) -> Any:
    """The code points of the characters of all texts, after where each text's begin and end."""
    if input.ndim != 1:
        raise invalid(f"unicode_decode: a vector of texts is needed, got shape {input.shape}.")
    settings = (input_encoding, errors, replacement_char, replace_control_characters)
    rows = [[ord(c) for c in decoded(text, *settings)] for text in input.tolist()]
    return _in_rows(rows, np.int32)


def _in_rows(rows: list[list[Any]], dtype: Any) -> tuple[Array, Array]:
    """The boundaries of the rows, and the values of all rows in one array."""
    flat = list(chain.from_iterable(rows))
    values = np.empty(len(flat), dtype)
    values[:] = flat
    return np.cumsum([0, *map(len, rows)], dtype=np.int64), values


@unicode_decode.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_texts([b"ab", b"", b"\xc3\xa9"]),), {"input_encoding": "UTF-8"})
    yield Sample((_texts([b"a\xff"]),), {"input_encoding": "UTF-8", "replacement_char": 63})
    yield Sample((_texts(np.zeros((0,), object)),), {"input_encoding": "UTF-8"})


@unicode_decode.rejects
def _no_texts() -> Iterator[BadInput]:
    for bad in ({"input_encoding": "X"}, {"input_encoding": "UTF-8", "errors": "loud"}):
        yield BadInput("an encoding it knows", (_texts([b"a"]),), bad)
    for texts in (b"a", [[b"a"]]):
        yield BadInput("a vector of texts", (_texts(texts),), {"input_encoding": "UTF-8"})


@op(dtypes=STRING, outputs=2, shape=_rows, gives=(np.int64, np.int64))
def character_offsets(xp: Namespace, input: Array, *, input_encoding: str, errors: str = "replace") -> Any:
    """The bytes at which the characters of all texts begin, after where each text's begin and end."""
    if input.ndim != 1:
        raise invalid(f"character_offsets: a vector of texts is needed, got shape {input.shape}.")
    return _in_rows([_offsets(text, input_encoding, errors) for text in input.tolist()], np.int64)


def _offsets(text: bytes, encoding: str, errors: str) -> list[int]:
    decoded(
        text, encoding, errors, 0xFFFD
    )  # says what is wrong with the settings, and with the text if errors are strict
    mark, plain = _without_mark(text, encoding)
    found: list[int] = []
    start = mark
    while start < len(text):
        try:
            valid, broken = text[start:].decode(plain), None
        except UnicodeDecodeError as error:
            valid, broken = text[start : start + error.start].decode(plain), error
        for character in valid:
            found.append(start)
            start += len(character.encode(plain))
        if broken is not None:
            if errors == "replace":
                found.append(start)
            start += broken.end - broken.start
    return found


def _without_mark(text: bytes, encoding: str) -> tuple[int, str]:
    """How many bytes at the beginning tell the order of bytes, and the encoding of the others."""
    name = codecs.lookup(encoding).name
    if name not in ("utf-16", "utf-32"):
        return 0, name
    for order, mark in (("le", "\ufeff".encode(f"{name}-le")), ("be", "\ufeff".encode(f"{name}-be"))):
        if text.startswith(mark):
            return len(mark), f"{name}-{order}"
    return 0, f"{name}-{'le' if sys.byteorder == 'little' else 'be'}"


@character_offsets.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_texts([b"ab", b"", b"\xc3\xa9x", b"a\xffb"]),), {"input_encoding": "UTF-8"})
    yield Sample((_texts([b"a\xffb"]),), {"input_encoding": "UTF-8", "errors": "ignore"})
    yield Sample((_texts([b"\x00a\x00b"]),), {"input_encoding": "UTF-16-BE"})
    yield Sample((_texts(np.zeros((0,), object)),), {"input_encoding": "UTF-8"})


character_offsets.rejects(_no_texts)


@op(dtypes=INDEX, retypes=True, shape=without_last(), gives=object)
def unicode_encode(
    xp: Namespace, input: Array, *, output_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD
) -> Any:
    """The texts whose code points stand along the last axis."""
    if not input.ndim:
        raise invalid("unicode_encode: rows of code points are needed, got a scalar.")
    if errors not in ("replace", "ignore", "strict"):
        raise invalid(f"errors must be 'replace', 'ignore' or 'strict', got {errors!r}.")

    def character(point: int) -> str:
        if 0 <= point < 0x110000 and not 0xD800 <= point < 0xE000:
            return chr(point)
        if errors == "strict":
            raise invalid(f"unicode_encode: {point} is no code point.")
        return chr(replacement_char) if errors == "replace" else ""

    result = np.empty(input.shape[:-1], object)
    for index in np.ndindex(result.shape):
        result[index] = _encoded("".join(map(character, input[index].tolist())), output_encoding)
    return result


@unicode_encode.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([[97, 233], [98, 99]], np.int32),), {"output_encoding": "UTF-8"})
    yield Sample((np.array([97, -1], np.int64),), {"output_encoding": "UTF-16-BE", "errors": "ignore"})
    yield Sample((np.zeros((2, 0), np.int32),), {"output_encoding": "UTF-8"})


@unicode_encode.rejects
def _() -> Iterator[BadInput]:
    points = np.array([97, -1], np.int32)
    for bad in ({"output_encoding": "X"}, {"output_encoding": "UTF-8", "errors": "loud"}):
        yield BadInput("an encoding it knows", (points,), bad)
    yield BadInput("code points", (points,), {"output_encoding": "UTF-8", "errors": "strict"})
    yield BadInput("rows", (points[0],), {"output_encoding": "UTF-8"})


# --- parts --------------------------------------------------------------------------------------------------


@op(dtypes=STRING, outputs=3, tf_name="StringSplitV2", gives=(np.int64, None, np.int64))
def string_split(xp: Namespace, input: Array, *, sep: str = "", maxsplit: int = -1) -> Any:
    """The parts between separators (white space, if none is given): places, parts, and the shape of the table they fill."""
    if input.ndim != 1:
        raise invalid(f"string_split: a vector of texts is needed, got shape {input.shape}.")
    rows = [text.split(sep.encode() or None, maxsplit) for text in input.tolist()]
    places = [(row, k) for row, parts in enumerate(rows) for k in range(len(parts))]
    values = np.empty(len(places), object)
    values[:] = [part for parts in rows for part in parts]
    shape = np.array([len(rows), max(map(len, rows), default=0)], np.int64)
    return np.array(places, np.int64).reshape(-1, 2), values, shape


@string_split.shapes
def _(input: Abstract, **_: object) -> list[Shape]:
    return [(UNKNOWN, 2), (UNKNOWN,), (2,)]


@string_split.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_texts([b"a b  c", b"", b"d"]),))
    yield Sample((_texts([b"a,b,,c"]),), {"sep": ",", "maxsplit": 2})
    yield Sample((_texts(np.zeros((0,), object)),))


@string_split.rejects
def _() -> Iterator[BadInput]:
    for texts in (b"a", [[b"a"]]):
        yield BadInput("a vector of texts", (_texts(texts),))
    for dtype in (np.float32, np.int32):
        yield BadInput("text", (np.ones(2, dtype),))


@op(dtypes=STRING, outputs=2, shape=_rows, gives=(np.int64, object))
def split_rows(xp: Namespace, input: Array, *, sep: str = "", maxsplit: int = -1) -> Any:
    """The parts of all texts between separators, after where each text's begin and end."""
    return _in_rows([text.split(sep.encode() or None, maxsplit) for text in _vector(input)], object)


@op(dtypes=STRING, outputs=2, shape=_rows, gives=(np.int64, object))
def character_rows(
    xp: Namespace,
    input: Array,
    *,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
) -> Any:
    """The characters of all texts, each by itself, after where each text's begin and end."""
    settings = (input_encoding, errors, replacement_char)
    return _in_rows([[c.encode(input_encoding) for c in decoded(text, *settings)] for text in _vector(input)], object)


@op(dtypes=STRING, outputs=2, shape=_rows, gives=(np.int64, object))
def byte_rows(xp: Namespace, input: Array) -> Any:
    """The bytes of all texts, each by itself, after where each text's begin and end."""
    return _in_rows([[text[k : k + 1] for k in range(len(text))] for text in _vector(input)], object)


def _vector(input: Any) -> list[bytes]:
    if input.ndim != 1:
        raise invalid(f"A vector of texts is needed, got shape {input.shape}.")
    texts: list[bytes] = input.tolist()
    return texts


_ROWS: dict[Op, dict[str, Any]] = {split_rows: {}, character_rows: {"input_encoding": "UTF-8"}, byte_rows: {}}
for _op, _needed in _ROWS.items():

    @_op.samples
    def _(draw: Draw, needed: dict[str, Any] = _needed) -> Iterator[Sample]:
        yield Sample((_texts([b"a b  c", b"", b"\xc3\xa9"]),), needed)
        yield Sample((_texts(np.zeros((0,), object)),), needed)

    @_op.rejects
    def _(needed: dict[str, Any] = _needed) -> Iterator[BadInput]:
        for texts in (b"a", [[b"a"]]):
            yield BadInput("a vector of texts", (_texts(texts),), needed)
        for dtype in (np.float32, np.int32):
            yield BadInput("text", (np.ones(2, dtype),), needed)


for _op in (
    unicode_transcode,
    unicode_decode,
    character_offsets,
    unicode_encode,
    string_split,
    split_rows,
    character_rows,
    byte_rows,
):
    _op.not_differentiable(_NO_DERIVATIVE)
    _op.host_only("text stays on the host")
