"""Bytes as numbers, hashes and other bytes: raw values, base64, fingerprints, buckets, n-grams. No derivatives."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from ...base.dtypes import INDEX, STRING, Array
from ...base.errors import ResourceExhaustedError, invalid
from ...base.farmhash import fingerprint64
from ...base.sizes import UNKNOWN
from ...base.types import Draw, Namespace
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Sample, op
from ...op.shapes import typed_by
from .strings import each, textwise

_NO_DERIVATIVE = "bytes do not change by small steps"
_WORD = (1 << 64) - 1
_MOST_JOINED = 1 << 31  # texts that runs of one width join: at least as many bytes


def _text(values: Any) -> Array:
    return np.array(values, object) if np.ndim(values) else np.array(values, object).reshape(())


# --- base64 -------------------------------------------------------------------------------------------------


@textwise(dtypes=STRING)
def encode_base64(xp: Namespace, input: Array, *, pad: bool = False) -> Any:
    """Bytes in the web-safe base64 alphabet, with or without `=` at the end."""

    def encode(text: bytes) -> bytes:
        written = base64.urlsafe_b64encode(text)
        return written if pad else written.rstrip(b"=")

    return each(encode, object, input)


_BASE64 = re.compile(rb"[A-Za-z0-9_-]*={0,2}")


@textwise(dtypes=STRING)
def decode_base64(xp: Namespace, input: Array) -> Any:
    """The bytes that web-safe base64 stands for."""

    def decode(text: bytes) -> bytes:
        bare = text.rstrip(b"=")
        if not _BASE64.fullmatch(text) or len(bare) % 4 == 1 or (len(bare) != len(text) and len(text) % 4):
            raise invalid(f"decode_base64: {text!r} is not web-safe base64 (letters, digits, - and _).")
        try:
            return base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))
        except binascii.Error as error:
            raise invalid(f"decode_base64: {text!r}: {error}.") from None

    return each(decode, object, input)


@encode_base64.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_text([b"hello?>", b"a", b""]),))
    yield Sample((_text([[b"a"], [b"abc"]]),), {"pad": True})
    yield Sample((_text(b"\xff\xfe"),))


@encode_base64.rejects
def _() -> Iterator[BadInput]:
    for dtype in (np.float32, np.int32, np.bool_, np.complex64):
        yield BadInput("only text has bytes", (np.ones(2, dtype),))


@decode_base64.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_text([b"aGVsbG8_Pg", b"YQ", b""]),))
    yield Sample((_text([b"YQ==", b"YWI="]),))


@decode_base64.rejects
def _() -> Iterator[BadInput]:
    for text in (b"a", b"aGVsbG8/", b"YQ=", b"a b", b"YQ===", b"=="):
        yield BadInput("base64", (_text([text]),))


# --- raw values ---------------------------------------------------------------------------------------------


def _numbers(data: bytes, dtype: np.dtype[Any], little_endian: bool) -> Array:
    kind = np.dtype(dtype)
    array = np.frombuffer(data, kind)
    return array if little_endian or kind.itemsize == 1 else array.byteswap()


@op(dtypes=STRING, retypes=True, gives=typed_by("out_type"))
def decode_raw(xp: Namespace, input_bytes: Array, *, out_type: Any, little_endian: bool = True) -> Any:
    """The bytes of each text, all of one length, read as numbers along a new last axis."""
    lengths = {len(text) for text in input_bytes.reshape(-1)}
    if len(lengths) > 1:
        raise invalid(f"decode_raw: all texts must have the same length, got {sorted(lengths)}.")
    size = np.dtype(out_type).itemsize
    length = next(iter(lengths), 0)
    if length % size:
        raise invalid(
            f"decode_raw: a text of {length} bytes is no multiple of the {size} bytes of {np.dtype(out_type)}."
        )
    whole = b"".join(input_bytes.reshape(-1))
    return _numbers(whole, out_type, little_endian).reshape(*input_bytes.shape, length // size).copy()


@decode_raw.shapes
def _(input_bytes: Abstract, **_: object) -> Shape:
    return (*input_bytes.shape, UNKNOWN)


@op(dtypes=STRING, other={"fixed_length": INDEX}, retypes=True, gives=typed_by("out_type"))
def decode_padded_raw(
    xp: Namespace, input_bytes: Array, fixed_length: Array, *, out_type: Any, little_endian: bool = True
) -> Any:
    """The first `fixed_length` bytes of each text, filled up with zeros, read as numbers along a new last axis."""
    if fixed_length.ndim:
        raise invalid(f"decode_padded_raw: fixed_length must be a scalar, got shape {fixed_length.shape}.")
    length, size = int(fixed_length), np.dtype(out_type).itemsize
    if length <= 0 or length % size:
        raise invalid(f"fixed_length ({length}) must be a positive multiple of the size of out_type ({size}).")
    whole = b"".join(text[:length].ljust(length, b"\0") for text in input_bytes.reshape(-1))
    return _numbers(whole, out_type, little_endian).reshape(*input_bytes.shape, length // size).copy()


@decode_padded_raw.shapes
def _(input_bytes: Abstract, fixed_length: Abstract, *, out_type: Any, **_: object) -> Shape:
    length = UNKNOWN if fixed_length.value is None else fixed_length.value.item()
    return (*input_bytes.shape, length // np.dtype(out_type).itemsize)


@decode_raw.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_text([b"\x01\x02\x03\x04", b"abcd"]),), {"out_type": np.uint16})
    yield Sample((_text(b"\x01\x02"),), {"out_type": np.uint16, "little_endian": False})
    yield Sample((_text([b""]),), {"out_type": np.int32})
    yield Sample((_text([[b"\x00\x00\x80\x3f"]]),), {"out_type": np.float32})


@decode_raw.value
def _(input_bytes: Any, out_type: Any, little_endian: bool) -> Any:
    order = "<" if little_endian else ">"
    rows = [np.frombuffer(text, np.dtype(out_type).newbyteorder(order)).tolist() for text in input_bytes.reshape(-1)]
    return np.array(rows, out_type).reshape(*input_bytes.shape, -1) if rows and rows[0] else np.zeros((1, 0), out_type)


@decode_raw.rejects
def _() -> Iterator[BadInput]:
    for texts in ([b"abc"], [b"ab", b"a"], [b"a"], [b"abcd", b""]):
        yield BadInput("texts of one length, a multiple of the type's size", (_text(texts),), {"out_type": np.uint16})


@decode_padded_raw.samples
def _(draw: Draw) -> Iterator[Sample]:
    four = np.array(4, np.int32)
    yield Sample((_text([b"\x01\x02", b"abcdef"]), four), {"out_type": np.uint8})
    yield Sample((_text(b"\x01"), four), {"out_type": np.uint16, "little_endian": False})


@decode_padded_raw.rejects
def _() -> Iterator[BadInput]:
    for length in (3, 0, -2):
        yield BadInput("a length", (_text([b"abcd"]), np.array(length, np.int32)), {"out_type": np.uint16})
    yield BadInput("one length", (_text([b"abcd"]), np.array([2], np.int32)), {"out_type": np.uint16})


# --- hashes -------------------------------------------------------------------------------------------------


def _murmur64(data: bytes) -> int:
    """MurmurHash64A with TensorFlow's seed."""
    m, seed = 0xC6A4A7935BD1E995, 0xDECAFCAFFE
    h = seed ^ (len(data) * m & _WORD)
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        k = int.from_bytes(data[at : at + 8], "little") * m & _WORD
        k = (k ^ (k >> 47)) * m & _WORD
        h = (h ^ k) * m & _WORD
    if whole < len(data):
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & _WORD
    h = (h ^ (h >> 47)) * m & _WORD
    return h ^ (h >> 47)


def _siphash(data: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4 under a key of two 64-bit numbers."""
    k0, k1 = (part & _WORD for part in key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def turn(x: int, by: int) -> int:
        return (x << by | x >> (64 - by)) & _WORD

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) & _WORD
            v[1] = turn(v[1], 13) ^ v[0]
            v[0] = turn(v[0], 32)
            v[2] = (v[2] + v[3]) & _WORD
            v[3] = turn(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & _WORD
            v[3] = turn(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & _WORD
            v[1] = turn(v[1], 17) ^ v[2]
            v[2] = turn(v[2], 32)

    whole = len(data) // 8 * 8
    last = int.from_bytes(data[whole:], "little") | (len(data) & 0xFF) << 56
    for word in (*(int.from_bytes(data[at : at + 8], "little") for at in range(0, whole, 8)), last):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _check_buckets(name: str, num_buckets: int) -> None:
    if num_buckets < 1:
        raise invalid(f"{name}: num_buckets must be at least 1, got {num_buckets}.")


@textwise(dtypes=STRING, retypes=True, gives=np.int64)
def string_to_hash_bucket(xp: Namespace, string_tensor: Array, *, num_buckets: int) -> Any:
    """Each text's number among the buckets, by MurmurHash64A."""
    _check_buckets("to_hash_bucket", num_buckets)
    return each(lambda text: _murmur64(text) % num_buckets, np.int64, string_tensor)


@textwise(dtypes=STRING, retypes=True, gives=np.int64)
def string_to_hash_bucket_strong(xp: Namespace, input: Array, *, num_buckets: int, key: tuple[int, ...]) -> Any:
    """Each text's number among the buckets, by SipHash: without the key, collisions cannot be constructed."""
    _check_buckets("to_hash_bucket_strong", num_buckets)
    if len(key) != 2:
        raise invalid(f"to_hash_bucket_strong: the key must be two integers, got {list(key)}.")
    return each(lambda text: _siphash(text, (key[0], key[1])) % num_buckets, np.int64, input)


@string_to_hash_bucket.samples
def _(draw: Draw) -> Iterator[Sample]:
    known = np.array([105434511174508091, 2996632905371535868, 1331861223480393034])  # TensorFlow's numbers
    yield Sample((_text([b"", b"a", b"hello"]),), {"num_buckets": 2**62}, known)
    yield Sample((_text(b"hello world, this is a longer text"),), {"num_buckets": 10})


@string_to_hash_bucket.rejects
def _() -> Iterator[BadInput]:
    for count in (0, -1, -(2**40)):
        yield BadInput("at least one bucket", (_text([b"a"]),), {"num_buckets": count})
    yield BadInput("text", (np.ones(2, np.float32),), {"num_buckets": 2})


@string_to_hash_bucket_strong.samples
def _(draw: Draw) -> Iterator[Sample]:
    known = np.array([443797209252341627, 546566331822570742, 2957200328589801622])  # TensorFlow's numbers
    yield Sample((_text([b"", b"a", b"hello"]),), {"num_buckets": 2**62, "key": (1, 2)}, known)
    yield Sample((_text(b"hello world, this is a longer text"),), {"num_buckets": 10, "key": (-1, 2**62)})


@string_to_hash_bucket_strong.rejects
def _() -> Iterator[BadInput]:
    for count in (0, -1):
        yield BadInput("at least one bucket", (_text([b"a"]),), {"num_buckets": count, "key": (1, 2)})
    for key in ((), (1,), (1, 2, 3)):
        yield BadInput("a key of two numbers", (_text([b"a"]),), {"num_buckets": 5, "key": key})


@op(
    dtypes=STRING | frozenset(map(np.dtype, ("float32", "float64", "int32", "int64", "uint8"))),
    retypes=True,
    gives=np.uint8,
)
def fingerprint(xp: Namespace, data: Array, *, method: str = "farmhash64") -> Any:
    """A hash of eight bytes for each row of the data."""
    if method != "farmhash64":
        raise invalid(f"fingerprint: the only method is farmhash64, got {method!r}.")
    if not data.ndim:
        raise invalid("fingerprint: data must have at least one axis, the rows to hash; got a scalar.")
    if data.dtype.kind == "O":
        if data.ndim != 1:
            # Rows of text are hashed through the hashes of their elements.
            inner = np.array([fingerprint64(text) for text in data.reshape(-1)], np.uint64).reshape(len(data), -1)
            rows = [line.tobytes() for line in inner]
        else:
            rows = data.tolist()
    else:
        rows = [np.ascontiguousarray(line).tobytes() for line in data]
    hashes = [list(fingerprint64(row).to_bytes(8, "little")) for row in rows]
    return np.array(hashes, np.uint8).reshape(len(data), 8)


@fingerprint.shapes
def _(data: Abstract, **_: object) -> Shape:
    return (data.shape[0] if data.rank is not None else UNKNOWN, 8)


@fingerprint.samples
def _(draw: Draw) -> Iterator[Sample]:
    known = np.array([[227, 117, 223, 182, 101, 66, 69, 179], [22, 241, 200, 94, 33, 96, 178, 163]])  # TensorFlow's
    yield Sample((_text([b"a", b"b"]),), {}, known)
    yield Sample((np.array([[1, 2], [3, 4]], np.int32),))
    yield Sample((draw((2, 3)),))
    yield Sample((_text([[b"a", b"b"]]),))


@fingerprint.rejects
def _() -> Iterator[BadInput]:
    for method in ("md5", "", "farmhash32"):
        yield BadInput("a method", (_text([b"a"]),), {"method": method})
    yield BadInput("rows", (_text(b"a"),))


# --- n-grams ------------------------------------------------------------------------------------------------


def _padded(row: list[bytes], width: int, left: str, right: str, pad_width: int) -> list[bytes]:
    """The row with padding at both ends, for runs of this width."""
    border = min(pad_width, width - 1) if pad_width >= 0 else width - 1
    return [left.encode()] * border + row + [right.encode()] * border


@op(
    dtypes=STRING,
    other={"data_splits": INDEX},
    outputs=2,
    tf_name="StringNGrams",
    gives=lambda data, data_splits, **_: [None, data_splits.dtype],
    called="strings.ngrams",
)
def string_ngrams(
    xp: Namespace,
    data: Array,
    data_splits: Array,
    *,
    separator: str,
    ngram_widths: tuple[int, ...],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> Any:
    """Runs of neighbouring texts joined, for each row between two splits; and where each row's runs end."""
    if data.ndim != 1 or data_splits.ndim != 1:
        raise invalid(f"string_ngrams: data and splits must be vectors, got {data.shape} and {data_splits.shape}.")
    splits = data_splits.tolist()
    if splits and (splits[0] != 0 or splits[-1] != len(data) or any(a > b for a, b in pairwise(splits))):
        raise invalid(f"string_ngrams: splits must rise from 0 to {len(data)}, got {splits}.")
    if any(width < 1 for width in ngram_widths):
        raise invalid(f"string_ngrams: widths must be positive, got {list(ngram_widths)}.")
    joint = separator.encode()
    found: list[bytes] = []
    ends = [0] if splits else []
    for start, stop in pairwise(splits):
        row = data[start:stop].tolist()
        before = len(found)
        for width in ngram_widths:
            padded = _padded(row, width, left_pad, right_pad, pad_width)
            runs = max(len(padded) - width + 1, 0)
            if runs * width > _MOST_JOINED:
                raise ResourceExhaustedError(None, None, f"string_ngrams: {runs} runs of {width} texts are too many.")
            found += [joint.join(padded[k : k + width]) for k in range(runs)]
        if len(found) == before and preserve_short_sequences and row and ngram_widths:
            found.append(joint.join(_padded(row, min(ngram_widths), left_pad, right_pad, pad_width)))
        ends.append(len(found))
    result = np.empty(len(found), object)
    result[:] = found
    return result, np.array(ends, data_splits.dtype)


@string_ngrams.shapes
def _(data: Abstract, data_splits: Abstract, **_: object) -> list[Shape]:
    return [(UNKNOWN,), data_splits.of_rank(1)]


_SETTINGS: dict[str, Any] = {
    "separator": "|", "ngram_widths": (2, 3), "left_pad": "L", "right_pad": "R", "pad_width": 0, "preserve_short_sequences": False,
}  # fmt: skip


@string_ngrams.samples
def _(draw: Draw) -> Iterator[Sample]:
    data, splits = _text([b"a", b"b", b"c", b"d", b"e"]), np.array([0, 3, 5], np.int32)
    yield Sample((data, splits), _SETTINGS)
    yield Sample((data, splits), {**_SETTINGS, "pad_width": -1})
    yield Sample((data, splits), {**_SETTINGS, "ngram_widths": (4,), "pad_width": 1, "preserve_short_sequences": True})
    yield Sample((data[:1], splits[:1].repeat(2) + np.array([0, 1], np.int32)), {**_SETTINGS, "ngram_widths": (4,), "preserve_short_sequences": True})  # fmt: skip


@string_ngrams.rejects
def _() -> Iterator[BadInput]:
    data = _text([b"a", b"b"])
    for wrong in ([0, 1], [1, 2], [0, 3], [0, 2, 1, 2]):
        yield BadInput("splits that rise to the end", (data, np.array(wrong, np.int32)), _SETTINGS)
    splits = np.array([0, 2], np.int32)
    yield BadInput("positive widths", (data, splits), {**_SETTINGS, "ngram_widths": (0,)})
    yield BadInput(
        "too many runs",
        (data, splits),
        {**_SETTINGS, "ngram_widths": (1 << 20,), "pad_width": -1},
        ResourceExhaustedError,
    )


for _op in (
    encode_base64, decode_base64, decode_raw, decode_padded_raw, string_to_hash_bucket, string_to_hash_bucket_strong, fingerprint, string_ngrams,
):  # fmt: skip
    _op.not_differentiable(_NO_DERIVATIVE)
    _op.host_only("text stays on the host")
