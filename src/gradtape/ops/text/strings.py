"""Ops on text: bytes in, bytes (or lengths, numbers, buckets) out. None of them has a derivative.

A string tensor holds `bytes` objects. Characters are UTF-8 where a function counts characters at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import ANY, INDEX, STRING, Array
from ...base.errors import InfiniteNumberError, NumberNeededError, OutOfRangeError, invalid
from ...base.farmhash import fingerprint64
from ...base.sizes import Size
from ...base.types import Draw, Namespace
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Rule, Sample, op
from ...op.family import batch_elementwise
from ...op.shapes import broadcasted, matched_sizes, reduced_sizes, typed_by
from ..array.segment import segment_rows

_NO_DERIVATIVE = "text does not change by small steps"


def textwise(**options: Any) -> Callable[[Rule], Op]:
    """Decorator: an op that treats each text by itself, with broadcasting between its operands."""

    def declare(kernel: Rule) -> Op:
        declared = Op(kernel, broadcasts=True, shape=broadcasted, **options)
        declared.batching = batch_elementwise
        return declared

    return declare


def each(function: Callable[..., Any], dtype: Any, *operands: Array) -> Array:
    """`function` on every element of the operands, broadcast together; on each text once, however often it occurs."""
    if len(operands) == 1 and operands[0].dtype.kind == "O":
        texts = operands[0].reshape(-1).tolist()
        known = {text: function(text) for text in dict.fromkeys(texts)}
        found = np.empty(len(texts), dtype)
        found[:] = [known[text] for text in texts]
        return found.reshape(operands[0].shape)
    wide = np.broadcast_arrays(*operands) if len(operands) > 1 else operands
    result = np.empty(wide[0].shape, dtype)
    for index in np.ndindex(result.shape):
        result[index] = function(*[array[index] for array in wide])
    return result


def _text(array: Any) -> Array:
    """Samples and bad inputs are written with Python strings."""
    return np.array(array, object) if np.ndim(array) else np.array(array, object).reshape(())


# --- numbers as text and back --------------------------------------------------------------------------


def _number_format(
    dtype: np.dtype[Any], precision: float, scientific: bool, shortest: bool, width: float, fill: str
) -> Callable[[Any], bytes]:
    """The function that formats one element with the conventions of C's printf, as TensorFlow does."""
    kind = "f" if dtype.kind == "V" else dtype.kind  # bfloat16
    counts: tuple[tuple[str, Any], ...] = (("precision", precision), ("width", width))
    for label, number in counts:
        if number.__class__ is float and not np.isfinite(number):
            kind_of_error = InfiniteNumberError if np.isinf(number) else NumberNeededError
            raise kind_of_error(None, None, f"as_string: {label} must be an integer, got {number}.")
    if scientific and shortest:
        raise invalid("as_string: scientific and shortest cannot both be chosen.")
    if len(fill) > 1:
        raise invalid(f"as_string: fill must be one character or none, got {fill!r}.")
    if fill not in ("", " ", "+", "-", "0", "#"):
        raise invalid(f"as_string: fill {fill!r} is not supported; use ' ', '+', '-', '0' or '#'.")
    if kind in "iub" and precision >= 0:
        raise invalid(f"as_string: precision is not supported for {dtype}.")
    if kind in "iub" and (scientific or shortest):
        raise invalid(f"as_string: scientific and shortest notation are not supported for {dtype}.")
    if kind == "b":
        return lambda value: b"true" if value else b"false"
    if kind == "u" and fill in ("+", " "):  # C writes no sign for unsigned numbers
        fill = ""
    letter = "d" if kind in "iu" else "e" if scientific else "g" if shortest else "f"
    pattern = f"%{fill}{width if width > -1 else ''}{f'.{precision}' if precision > -1 else ''}{letter}"
    odd = pattern.replace("%0", "%", 1) if fill == "0" else pattern  # C pads nan and inf with spaces

    def text(value: Any) -> str:
        written: str = (pattern if kind in "iu" or np.isfinite(value) else odd) % value
        return written

    if kind == "c":
        return lambda value: f"({text(value.real)},{text(value.imag)})".encode()
    return lambda value: text(value).encode()


@textwise(dtypes=ANY, gives=object)
def as_string(
    xp: Namespace,
    input: Array,
    *,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
) -> Any:
    """Numbers and truth values written as text.

    >>> import gradtape as tf
    >>> tf.as_string([1, 20]).numpy()
    array([b'1', b'20'], dtype=object)
    """
    if input.dtype.kind == "O":
        return np.array(input, object)
    return each(_number_format(input.dtype, precision, scientific, shortest, width, fill), object, input)


@as_string.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([3.14159, -2.5]),))
    yield Sample((np.array(7, np.int32),))
    yield Sample((np.array([[True], [False]]),))
    yield Sample((np.array([1.5]),), {"precision": 2, "width": 8, "fill": "0"})
    yield Sample((np.array([1.5e10]),), {"scientific": True})
    yield Sample((np.array([1 + 2j]),), {"shortest": True})
    yield Sample((np.zeros((0, 2)),))


@as_string.rejects
def _() -> Iterator[BadInput]:
    x, n = np.array([1.5], np.float32), np.array([1], np.int32)
    cases: list[tuple[Array, dict[str, Any]]] = [
        (x, {"scientific": True, "shortest": True}), (x, {"fill": "xy"}), (x, {"fill": "x"}),
        (n, {"precision": 2}), (n, {"scientific": True}), (n, {"shortest": True}),
    ]  # fmt: skip
    for array, attributes in cases:
        yield BadInput("a way to write numbers of this type", (array,), attributes)


_HEXADECIMAL = re.compile(rb"[+-]?0[xX]")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)", re.IGNORECASE)


@textwise(dtypes=STRING, tf_name="StringToNumber", retypes=True, gives=typed_by("dtype"), called="strings.to_number")
def string_to_number(xp: Namespace, input: Array, *, dtype: Any = np.float32) -> Any:
    """The numbers that the texts represent."""
    kind = np.dtype(dtype)

    def read(text: bytes) -> Any:
        text = text.strip()
        try:
            if kind.kind in "iu":
                value = int(text)
                if b"_" in text or not np.iinfo(kind).min <= value <= np.iinfo(kind).max:
                    raise ValueError
                return value
            if _HEXADECIMAL.match(text):
                return float.fromhex(text.decode())
            if not _NUMBER.fullmatch(text):
                raise ValueError
            return float(text)
        except ValueError:
            raise invalid(f"to_number: could not convert string {text!r} to {kind.name}.") from None

    with np.errstate(over="ignore"):
        return each(read, kind, input)


@string_to_number.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_text([b"1.5", b" 2 ", b"-3e2"]),))
    yield Sample((_text(b"12"),), {"dtype": np.int32})
    yield Sample((_text([b"0x10", b"inf", b"-nan"]),))
    yield Sample((_text(np.zeros((0, 2), object)),))


@string_to_number.rejects
def _() -> Iterator[BadInput]:
    for text in (b"abc", b"", b"1_0", b"1 2", b"--1", b"1e", b"."):
        yield BadInput("a number", (_text(text),))
    for text in (b"1.5", b"99999999999", b"1_0"):
        yield BadInput("an integer that fits", (_text(text),), {"dtype": np.int32})


# --- text from text ------------------------------------------------------------------------------------


def _cased(function: str) -> Callable[..., Array]:
    def change(input: Array, encoding: str = "") -> Array:
        if encoding not in ("", "utf-8"):
            raise invalid(f"{function}: encoding must be '' or 'utf-8', got {encoding!r}.")

        def one(text: bytes) -> bytes:
            if not encoding:
                return getattr(text, function)()
            return getattr(text.decode("utf-8", "replace"), function)().encode()

        return each(one, object, input)

    return change


_lower, _upper = _cased("lower"), _cased("upper")


@textwise(eager=_lower, dtypes=STRING, called="strings.lower")
def string_lower(xp: Namespace, input: Array, *, encoding: str = "") -> Any:
    """Small letters; of ASCII only, unless the encoding is "utf-8"."""
    return _lower(input, encoding)


@textwise(eager=_upper, dtypes=STRING, called="strings.upper")
def string_upper(xp: Namespace, input: Array, *, encoding: str = "") -> Any:
    """Capital letters; of ASCII only, unless the encoding is "utf-8"."""
    return _upper(input, encoding)


@textwise(dtypes=STRING, called="strings.strip")
def string_strip(xp: Namespace, input: Array) -> Any:
    """The texts without white space at both ends.

    >>> import gradtape as tf
    >>> tf.strings.strip([" a ", "b"]).numpy()
    array([b'a', b'b'], dtype=object)
    """
    return each(lambda text: text.strip(b" \t\n\v\f\r"), object, input)


for _op in (string_lower, string_upper, string_strip):

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for text in (b"  aB c\n", [b"X", b"\xc3\x80"], [[b""], [b" "]], np.zeros((0,), object)):
            yield Sample((_text(text),))


for _op in (string_lower, string_upper):

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        yield Sample((_text([b"\xc3\x80b", b"a\xff"]),), {"encoding": "utf-8"})

    @_op.rejects
    def _() -> Iterator[BadInput]:
        for encoding in ("latin1", "utf8", "UTF-8", "ascii"):
            yield BadInput("an encoding it knows", (_text(b"a"),), {"encoding": encoding})


@op(dtypes=STRING, variadic=True, gives=object)
def string_join(xp: Namespace, inputs: Sequence[Array], *, separator: str = "") -> Any:
    """The texts one after the other, element by element; scalars are repeated."""
    shapes = {array.shape for array in inputs if array.ndim}
    if len(shapes) > 1:
        raise invalid(f"strings.join: input shapes do not match: {' vs. '.join(map(str, sorted(shapes)))}.")
    between = separator.encode() if isinstance(separator, str) else separator
    return each(lambda *texts: between.join(texts), object, *inputs) if inputs else _text(b"")


@string_join.shapes
def _(inputs: list[Abstract], **_: object) -> Shape:
    shape: Shape = ()
    for value in inputs:
        if value.shape:
            shape = matched_sizes(shape, value.shape) if shape else value.shape
    return shape


@string_join.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample(([_text(b"a"), _text([b"b", b"c"])],), {"separator": "-"})
    yield Sample(([_text([b"a"]), _text([b"b"])],))
    yield Sample(([_text(b"a")],))


@string_join.rejects
def _() -> Iterator[BadInput]:
    for shapes in [((1,), (2,)), ((2, 1), (2,)), ((0,), (1,)), ((2,), (), (3,))]:
        yield BadInput("shapes agree", ([np.full(shape, b"a", object) for shape in shapes],))


def _joined_axes(rank: int, axis: Any) -> list[int]:
    axes = tuple(reversed(range(rank))) if axis is None else (axis,) if isinstance(axis, int) else axis
    for a in axes:
        if not -rank <= a < rank:
            raise OutOfRangeError(
                None, None, f"reduce_join: invalid reduction dimension {a} for input with {rank} axes."
            )
    ordered = [a % rank for a in axes]
    if len(set(ordered)) != len(ordered):
        raise invalid(f"reduce_join: an axis is named twice in {list(axes)}.")
    return ordered


@op(dtypes=STRING)
def reduce_join(
    xp: Namespace, inputs: Array, *, axis: object = None, keepdims: bool = False, separator: str = ""
) -> Any:
    """The texts along axes joined to one."""
    rank, ordered = inputs.ndim, _joined_axes(inputs.ndim, axis)
    kept = [a for a in range(rank) if a not in ordered]
    # The axis named first is joined first, so it varies fastest.
    moved = np.transpose(inputs, [*kept, *ordered[::-1]])
    lead = moved.shape[: len(kept)]
    count = int(np.prod(moved.shape[len(kept) :], dtype=np.int64))
    between = separator.encode()
    result, rows = np.empty(lead, object), moved.reshape(*lead, count)
    for index in np.ndindex(lead):
        result[index] = between.join(rows[index].tolist())
    return result.reshape([1 if a in ordered else inputs.shape[a] for a in range(rank)]) if keepdims else result


@reduce_join.shapes
def _(inputs: Abstract, *, axis: object, keepdims: object, **_: object) -> Shape:
    if not isinstance(axis, Size):
        _joined_axes(inputs.ndim, axis)
    return reduced_sizes(inputs.shape, axis, keepdims)


@reduce_join.samples
def _(draw: Draw) -> Iterator[Sample]:
    table = _text([[b"a", b"b"], [b"c", b"d"]])
    cases: list[dict[str, Any]] = [
        {},
        {"axis": 0, "separator": ","},
        {"axis": (0, 1)},
        {"axis": (1, 0)},
        {"axis": -1, "keepdims": True},
        {"axis": ()},
    ]
    for attributes in cases:
        yield Sample((table,), attributes)
    yield Sample((_text(np.zeros((2, 0), object)),), {"axis": 1})
    yield Sample((_text(b"a"),))


@reduce_join.rejects
def _() -> Iterator[BadInput]:
    table = _text([[b"a", b"b"]])
    for axis in (2, -3, (0, 5)):
        yield BadInput("the axis exists", (table,), {"axis": axis}, OutOfRangeError)
    yield BadInput("an axis once", (table,), {"axis": (0, 0)})


# --- parts of text -------------------------------------------------------------------------------------

UNITS = ("BYTE", "UTF8_CHAR")


def _characters(text: bytes) -> list[bytes]:
    """The UTF-8 characters: each begins at a byte that does not continue one."""
    starts = [p for p, byte in enumerate(text) if byte & 0xC0 != 0x80]
    return [text[a:b] for a, b in zip(starts, [*starts, len(text)][1:], strict=True)]


def _check_unit(unit: str, name: str) -> None:
    if unit not in UNITS:
        raise invalid(f"strings.{name}: unit must be BYTE or UTF8_CHAR, got {unit!r}.")


@textwise(dtypes=STRING, retypes=True, gives=np.int32, called="strings.length")
def string_length(xp: Namespace, input: Array, *, unit: str = "BYTE") -> Any:
    """How many bytes or characters each text has."""
    _check_unit(unit, "length")
    return each(len if unit == "BYTE" else lambda text: len(_characters(text)), np.int32, input)


@string_length.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_text([b"abc", b"\xc3\xa9", b""]),))
    yield Sample((_text([b"abc", b"\xc3\xa9", b""]),), {"unit": "UTF8_CHAR"})
    yield Sample((_text(b"a"),))


@string_length.rejects
def _() -> Iterator[BadInput]:
    for unit in ("X", "byte", "UTF8", ""):
        yield BadInput("a unit it knows", (_text(b"a"),), {"unit": unit})


@textwise(dtypes=STRING, other={"pos": INDEX, "len": INDEX})
def substr(
    xp: Namespace,
    input: Array,
    pos: Array,
    len: Array,
    *,
    unit: str = "BYTE",
) -> Any:
    """The part of each text from `pos` on (from the end, if negative) of `len` units (all, if negative)."""
    _check_unit(unit, "substr")

    def part(text: bytes, start: Array, count: Array) -> bytes:
        units: Any = text if unit == "BYTE" else _characters(text)
        size = units.__len__()
        if not -size <= start <= size:
            raise invalid(f"substr: pos {start} out of range for string {text!r}.")
        first = start + size if start < 0 else start
        chosen: Any = units[first : size if count < 0 else first + count]
        return bytes(chosen) if unit == "BYTE" else b"".join(chosen)

    return each(part, object, input, pos, len)


@substr.samples
def _(draw: Draw) -> Iterator[Sample]:
    one, two = np.array(1, np.int32), np.array(2, np.int32)
    yield Sample((_text(b"hello"), one, two))
    yield Sample((_text([b"hello", b"world"]), -two, -one))
    yield Sample((_text(b"h\xc3\xa9llo"), one, two), {"unit": "UTF8_CHAR"})
    yield Sample((_text(b"hello"), np.array([1, 5]), np.array([9, 2])))


@substr.rejects
def _() -> Iterator[BadInput]:
    text, one = _text(b"hello"), np.array(1, np.int32)
    for position in (6, -6, 2**30):
        yield BadInput("a position in the text", (text, np.array(position, np.int32), one))
    yield BadInput("a unit it knows", (text, one, one), {"unit": "X"})
    yield BadInput("shapes broadcast", (text, np.array([1, 2], np.int32), np.array([1, 2, 3], np.int32)))
    yield BadInput("integers", (text, np.float32(1), one))


# --- patterns ------------------------------------------------------------------------------------------


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        # RE2, TensorFlow's engine, reads text as UTF-8 and \d, \w, \s and \b as ASCII.
        return re.compile(pattern, re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        raise invalid(f"Invalid pattern: {pattern}, error: {error}.") from None


@textwise(dtypes=STRING)
def regex_replace(xp: Namespace, input: Array, *, pattern: str, rewrite: str, replace_global: bool = True) -> Any:
    r"""Each text with what matches the pattern rewritten; \1 to \9 stand for the groups, \0 for the match."""
    compiled = _compiled(pattern)
    groups = [int(number) for number in re.findall(r"(?<!\\)(?:\\\\)*\\(\d)", rewrite)]
    if any(group > compiled.groups for group in groups):
        return np.array(input, object)  # RE2 leaves the text as it is where the rewrite names a group that is not there

    ends = [-1]

    def expand(match: re.Match[str]) -> str:
        if match.start() == match.end() == ends[-1]:
            return ""  # RE2 takes no empty match right behind another one
        ends.append(match.end())
        return re.sub(r"\\(\d|\\)", lambda m: "\\" if m[1] == "\\" else match[int(m[1])] or "", rewrite)

    def replace(text: bytes) -> bytes:
        decoded = text.decode("utf-8", "surrogateescape")
        ends[:] = [-1]
        return compiled.sub(expand, decoded, 0 if replace_global else 1).encode("utf-8", "surrogateescape")

    return each(replace, object, input)


@regex_replace.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_text([b"hello world", b""]),), {"pattern": "o(.)", "rewrite": r"0\1"})
    yield Sample((_text(b"hello"),), {"pattern": "l", "rewrite": r"[\0]", "replace_global": False})
    yield Sample((_text(b"\xc3\xa9a\xff"),), {"pattern": ".", "rewrite": "x"})


@textwise(dtypes=STRING, retypes=True, gives=np.bool_)
def regex_full_match(xp: Namespace, input: Array, *, pattern: str) -> Any:
    """Whether the pattern matches the whole of each text."""
    compiled = _compiled(pattern)
    return each(lambda text: bool(compiled.fullmatch(text.decode("utf-8", "surrogateescape"))), np.bool_, input)


@regex_full_match.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_text([b"abc", b"ab", b"xabc"]),), {"pattern": "ab."})
    yield Sample((_text(b""),), {"pattern": "a*"})


for _op, _more in ((regex_replace, {"rewrite": "x"}), (regex_full_match, {})):

    @_op.rejects
    def _(more: Any = _more) -> Iterator[BadInput]:
        for pattern in ("(", "[a", "*", "a{2,1}", "(?P<1>a)"):
            yield BadInput("a pattern", (_text(b"a"),), {"pattern": pattern, **more})


# --- buckets -------------------------------------------------------------------------------------------


@textwise(dtypes=STRING, tf_name="StringToHashBucketFast", retypes=True, gives=np.int64)
def string_to_hash_bucket_fast(xp: Namespace, input: Array, *, num_buckets: int) -> Any:
    """A number below `num_buckets` for each text, the same in every run and the same as in TensorFlow."""
    if num_buckets < 1:
        raise invalid(f"to_hash_bucket_fast: num_buckets must be at least 1, got {num_buckets}.")
    return each(lambda text: fingerprint64(text) % num_buckets, np.int64, input)


@string_to_hash_bucket_fast.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_text([b"Hello", b"TensorFlow", b"2.x"]),), {"num_buckets": 3})
    yield Sample((_text(b""),), {"num_buckets": 1})


@string_to_hash_bucket_fast.rejects
def _() -> Iterator[BadInput]:
    for buckets in (0, -1, -(2**40)):
        yield BadInput("a bucket at least", (_text(b"a"),), {"num_buckets": buckets})


@op(dtypes=STRING, other={"segment_ids": INDEX}, shape=segment_rows)
def unsorted_segment_join(
    xp: Namespace, inputs: Array, segment_ids: Array, *, num_segments: int, separator: str = ""
) -> Any:
    """The texts that share a segment id, joined in their order."""
    if inputs.shape[: segment_ids.ndim] != segment_ids.shape:
        raise invalid(f"unsorted_segment_join: ids of shape {segment_ids.shape} for inputs of shape {inputs.shape}.")
    if num_segments < 0:
        raise invalid(f"unsorted_segment_join: num_segments must not be negative, got {num_segments}.")
    ids = segment_ids.reshape(-1)
    if ids.size and ids.min() < 0:
        raise invalid(f"unsorted_segment_join: segment ids must not be negative, got {ids.min()}.")
    if ids.size and ids.max() >= num_segments:
        raise invalid(f"unsorted_segment_join: segment id {ids.max()} is not below num_segments {num_segments}.")
    rest = inputs.shape[segment_ids.ndim :]
    rows = inputs.reshape(len(ids), *rest)
    between = separator.encode()
    result = np.empty((num_segments, *rest), object)
    for index in np.ndindex(result.shape):
        result[index] = between.join(rows[(row, *index[1:])] for row in np.flatnonzero(ids == index[0]))
    return result


@unsorted_segment_join.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((_text([b"a", b"b", b"c"]), np.array([1, 0, 1])), {"num_segments": 3, "separator": ":"})
    yield Sample((_text([[b"a", b"b"], [b"c", b"d"]]), np.array([0, 1])), {"num_segments": 2})


@unsorted_segment_join.rejects
def _() -> Iterator[BadInput]:
    texts = _text([b"a", b"b"])
    for ids, count in [([0, 2], 2), ([0], 2), ([[0, 1]], 2), ([0, 0], -1), ([0, -1], 2)]:
        yield BadInput("an id for each text, below the count", (texts, np.array(ids)), {"num_segments": count})


OPS: tuple[Op, ...] = (
    as_string, string_to_number, string_lower, string_upper, string_strip, string_join, reduce_join,
    string_length, substr, regex_replace, regex_full_match, string_to_hash_bucket_fast,
    unsorted_segment_join,
)  # fmt: skip
for _op in OPS:
    _op.not_differentiable(_NO_DERIVATIVE)
    _op.host_only("text stays on the host")

for _op in OPS[1:]:

    @_op.rejects
    def _(op: Op = _op) -> Iterator[BadInput]:
        sample = next(iter(op.samplers[0](None)))
        for dtype in (np.float32, np.int64, np.bool_, np.complex64):
            if op.variadic:
                args: tuple[Any, ...] = ([np.ones(2, dtype)],)
            else:
                args = (np.ones(np.shape(sample.args[0]), dtype), *sample.args[1:])
            yield BadInput("text, not numbers", args, sample.attributes)
