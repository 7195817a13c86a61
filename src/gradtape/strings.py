"""`tf.strings`: text in tensors. No function here has a derivative: text does not change by small steps.

Patterns are read by Python's `re`, not by RE2: what both understand means the same, and `\\d`, `\\w`, `\\s`
are ASCII.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .api import arrays, indexing, partition, shapes
from .api.framework import summary as _summary
from .base import dtypes
from .base.errors import TensorTypeError, invalid
from .base.namespaces import listing
from .base.traceable import trace_public, traceable
from .base.types import AxisLike, DTypeLike, Function, IntLike, TensorLike, Value
from .op.arguments import choice, flag, optional_whole_number, sequence, takes, tensor_type, text, truth, whole_number
from .op.attributes import as_axis, as_int, as_ints
from .ops.public import as_string as as_string
from .ops.public import string_strip as _string_strip
from .ops.text import encoding, unicode
from .ops.text import strings as o
from .ops.text.scripts import script_runs
from .trace.inference import Inference
from .values.composite import OPERANDS
from .values.tensor import Tensor, TensorSpec, to_tensor
from .variables.variable import Variable

if TYPE_CHECKING:
    from .ragged.tensor import RaggedTensor

strip = _string_strip


def _texts(value: Value) -> Any:
    """The value as a string tensor, ragged if it is; an error where it is something else."""
    if isinstance(value, (Tensor, Variable)) or value.__class__ in OPERANDS:
        tensor: Any = value if value.__class__ in OPERANDS else to_tensor(value)
        if tensor.dtype != dtypes.string:
            message = f"A string tensor is needed, got {tensor.dtype!r}. Use tf.strings.as_string."
            raise TensorTypeError(None, None, message)
        return tensor
    return to_tensor(value, dtypes.string)


def _plain(value: Any) -> str:
    """A setting that is text, also from a string tensor without axes."""
    if isinstance(value, str):
        return value
    array = _texts(value)._array
    if array.ndim:
        raise invalid(f"One text is needed, got shape {array.shape}.")
    return str(array.item().decode())


def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Small letters; of ASCII only, unless the encoding is "utf-8".

    >>> import gradtape as tf
    >>> tf.strings.lower(["AB"]).numpy()
    array([b'ab'], dtype=object)

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        encoding: "utf-8" for letters beyond ASCII.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Texts.
    """
    return o.string_lower.public(_texts(input), encoding)


def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Capital letters; of ASCII only, unless the encoding is "utf-8".

    >>> import gradtape as tf
    >>> tf.strings.upper(["ab"]).numpy()
    array([b'AB'], dtype=object)

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        encoding: "utf-8" for letters beyond ASCII.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Texts.
    """
    return o.string_upper.public(_texts(input), encoding)


@takes(separator=text)
def join(inputs: Any, separator: TensorLike = "", name: str | None = None) -> Tensor:
    """The texts one after the other, element by element; scalars are repeated.

    >>> import gradtape as tf
    >>> tf.strings.join([["a", "b"], "c"], separator="-").numpy()
    array([b'a-c', b'b-c'], dtype=object)

    Args:
        inputs: A list of texts: tensors of one shape, or scalars.
        separator: What stands between two texts.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Texts.

    Raises:
        TypeError: `inputs` is no list.
    """
    if isinstance(inputs, (str, bytes, dict, set)):
        raise TypeError(f"join: a list of texts is needed, got {inputs!r}.")
    parts = [_texts(part) for part in inputs]
    return o.string_join.public(parts, _plain(separator)) if parts else to_tensor("")


@takes(separator=text, keepdims=flag)
def reduce_join(
    inputs: Any,
    axis: AxisLike | None = None,
    keepdims: bool = False,
    separator: Any = "",
    name: str | None = None,
) -> Tensor:
    """The texts along axes, or all, joined to one.

    >>> import gradtape as tf
    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="-").numpy()
    array([b'a-b', b'c-d'], dtype=object)

    Args:
        inputs: A tensor of texts, of type tf.string, or lists of them.
        axis: One axis, or several; all by default.
        keepdims: Whether the joined axes stay, with size 1.
        separator: What stands between two texts.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Texts.
    """
    return o.reduce_join.public(_texts(inputs), as_axis(axis), keepdims, _plain(separator))


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """How many bytes, or characters with unit="UTF8_CHAR", each text has.

    >>> import gradtape as tf
    >>> tf.strings.length(["a", "four"]).numpy()
    array([1, 4], dtype=int32)

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        unit: BYTE, or UTF8_CHAR for characters.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Whole numbers.
    """
    return o.string_length.public(_texts(input), unit)


def substr(input: Any, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The part of each text that begins at `pos` (from the end, if negative) and has `len` units.

    >>> import gradtape as tf
    >>> tf.strings.substr("gradient", 0, 4).numpy()
    b'grad'

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        pos: Where the part begins.
        len: How long it is, in the shape of `pos`.
        unit: BYTE, or UTF8_CHAR for characters.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Texts.

    Raises:
        tf.errors.InvalidArgumentError: `pos` and `len` have different shapes, or a position is not in its text.
    """
    first, count = to_tensor(pos), to_tensor(len)
    if first.shape != count.shape:
        raise invalid(f"substr: pos and len must have one shape, got {first.shape} and {count.shape}.")
    return o.substr.public(_texts(input), first, count, unit)


@takes(replace_global=flag)
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Each text with what matches the pattern rewritten; \1 to \9 stand for the groups, \0 for the match.

    >>> import gradtape as tf
    >>> tf.strings.regex_replace("one two", "[aeiou]", "_").numpy()
    b'_n_ tw_'

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        pattern: A regular expression.
        rewrite: What stands in place of a match.
        replace_global: False to rewrite the first match only.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Texts.
    """
    return o.regex_replace.public(_texts(input), _plain(pattern), _plain(rewrite), bool(replace_global))


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Whether the pattern matches the whole of each text.

    >>> import gradtape as tf
    >>> tf.strings.regex_full_match(["a1", "a1b"], "[a-z][0-9]").numpy()
    array([ True, False])

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        pattern: A regular expression.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Truth values.
    """
    return o.regex_full_match.public(_texts(input), _plain(pattern))


_NUMBERS = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)


@takes(out_type=tensor_type)
def to_number(input: Any, out_type: DTypeLike = dtypes.float32, name: str | None = None) -> Tensor:
    """The numbers that are written there.

    >>> import gradtape as tf
    >>> tf.strings.to_number(["1.5", "-3"]).numpy()
    array([ 1.5, -3. ], dtype=float32)

    Args:
        input: Texts, each of which is a number.
        out_type: The type of the numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Numbers.

    Raises:
        tf.errors.InvalidArgumentError: A text is no number, or `out_type` is none of those offered.
    """
    kind = dtypes.as_dtype(out_type)
    if kind not in _NUMBERS:
        raise invalid(f"to_number: out_type must be one of {', '.join(k.name for k in _NUMBERS)}, got {kind.name}.")
    return o.string_to_number.public(_texts(input), kind.numpy)


def to_hash_bucket_fast(input: Any, num_buckets: Any, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each text, the same in every run and the same as in TensorFlow.

    >>> import gradtape as tf
    >>> tf.strings.to_hash_bucket_fast(["Hello", "TF"], 3).numpy()
    array([0, 1])

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        num_buckets: How many buckets there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Whole numbers from 0 to `num_buckets - 1`.
    """
    return o.string_to_hash_bucket_fast.public(_texts(input), as_int(num_buckets))


def to_hash_bucket(input: Any, num_buckets: Any, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each text, by an older hash; `to_hash_bucket_fast` spreads better.

    >>> import gradtape as tf
    >>> tf.strings.to_hash_bucket(["Hello", "TF"], 3).numpy()
    array([2, 1])

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        num_buckets: How many buckets there are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Whole numbers from 0 to `num_buckets - 1`.
    """
    return encoding.string_to_hash_bucket.public(_texts(input), as_int(num_buckets))


@takes(key=sequence)
def to_hash_bucket_strong(input: Any, num_buckets: Any, key: Any, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each text, by a hash under a key: who does not know the key cannot make texts collide.

    >>> import gradtape as tf
    >>> tf.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]).numpy()
    array([2, 0])

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        num_buckets: How many buckets there are.
        key: Two integers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of int64, of the shape of the texts.

    Raises:
        tf.errors.InvalidArgumentError: There is less than one bucket, or the key is not two integers.
    """
    return encoding.string_to_hash_bucket_strong.public(_texts(input), as_int(num_buckets), as_ints(key))


@takes(separator=text)
def unsorted_segment_join(
    inputs: Any,
    segment_ids: TensorLike,
    num_segments: IntLike,
    separator: Any = "",
    name: str | None = None,
) -> Tensor:
    """The texts that share a segment id, joined in their order.

    >>> import gradtape as tf
    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, separator="-").numpy()
    array([b'b', b'a-c'], dtype=object)

    Args:
        inputs: A tensor of texts, of type tf.string, or lists of them.
        segment_ids: To which segment each text belongs.
        num_segments: How many segments there are.
        separator: What stands between two texts.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Texts, one for each segment.

    Raises:
        tf.errors.InvalidArgumentError: `segment_ids` has no axis, or other sizes than `inputs`.
    """
    ids, count = to_tensor(segment_ids), as_int(num_segments)
    if not ids.ndim:
        raise invalid("unsorted_segment_join: segment_ids need at least one axis, got a scalar.")
    return o.unsorted_segment_join.public(_texts(inputs), ids, count, _plain(separator))


@takes(placeholder=choice)
def format(
    template: TensorLike,
    inputs: Sequence[TensorLike],
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """The template with each placeholder replaced by a tensor, written as tf.print writes it.

    >>> import gradtape as tf
    >>> tf.strings.format("x: {}", tf.range(10)).numpy()
    b'x: [0 1 2 ... 7 8 9]'
    >>> tf.strings.format("% of %", [tf.constant(3), tf.constant([4, 5])], placeholder="%").numpy()
    b'3 of [4 5]'

    Args:
        template: A text with a placeholder for each input.
        inputs: A tensor, or a list with one for each placeholder.
        placeholder: What stands in the template for a tensor.
        summarize: How many elements are written at both ends of each axis; -1 for all.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        One text.

    Raises:
        ValueError: There are not as many tensors as placeholders.
    """
    if not isinstance(inputs, (list, tuple, Tensor, Variable)):
        len(inputs)  # one Python number by itself is no input, as in TensorFlow
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    pieces = _plain(template).split(placeholder)
    if len(pieces) - 1 != len(values):
        raise ValueError(f"The template expects {len(pieces) - 1} tensors, but the inputs has {len(values)}.")
    ends = 2**62 if summarize == -1 else as_int(summarize)
    written = [_summary(np.asarray(to_tensor(value)._array), ends) for value in values]
    return to_tensor(pieces[0] + "".join(text + piece for text, piece in zip(written, pieces[1:], strict=True)))


def _text_on_abstract(evaluator: Any, function: Function, *args: object, **kwargs: object) -> Any:
    """One text, whatever the values are."""
    if isinstance(evaluator, Inference):
        return evaluator.tensor(TensorSpec((), dtypes.string))
    return evaluator.opaque(function, args, kwargs, [((), dtypes.string.numpy)])[0]


format = traceable(format, on_abstract=_text_on_abstract)


# --- texts into several -----------------------------------------------------------------------------


def _apart(input: Any, rows_of: Callable[[Any], Any]) -> Any:
    """The parts of one text as a vector; of a tensor of texts, as rows of different lengths.

    Args:
        input: The texts.
        rows_of: Gives for a vector of texts where the parts of each begin and end, and the parts.
    """
    from .ragged import RaggedTensor

    texts = _texts(input)
    if isinstance(texts, RaggedTensor):
        return texts.with_flat_values(_apart(texts.flat_values, rows_of))
    splits, parts = rows_of(arrays.reshape(texts, (-1,)))
    if not texts.ndim:
        return parts
    made = RaggedTensor(parts, splits)
    for size in reversed(texts.shape[1:]):
        made = RaggedTensor.from_uniform_row_length(made, size)
    return made


@overload
def split(input: str | bytes, sep: object = None, maxsplit: int = -1, name: str | None = None) -> Tensor: ...
@overload
def split(input: TensorLike, sep: object = None, maxsplit: int = -1, name: str | None = None) -> RaggedTensor | Any: ...
def split(input: TensorLike, sep: object = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The parts of each text between separators.

    >>> import gradtape as tf
    >>> tf.strings.split("a b  c").numpy()
    array([b'a', b'b', b'c'], dtype=object)
    >>> tf.strings.split(["a,b", "c"], sep=",")
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        sep: The separator, one text. None stands for white space: any amount of it separates once, and there are no empty parts.
        maxsplit: How often a text is cut at most; -1 for as often as there are separators.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector for one text, else a RaggedTensor.

    Raises:
        tf.errors.InvalidArgumentError: The separator is not one text.
    """
    separator = "" if sep is None else _plain(sep)
    return _apart(input, lambda texts: unicode.split_rows.public(texts, separator, maxsplit))


@overload
def bytes_split(input: str | bytes, name: str | None = None) -> Tensor: ...
@overload
def bytes_split(input: TensorLike, name: str | None = None) -> RaggedTensor | Any: ...
def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """The bytes of each text, each by itself.

    >>> import gradtape as tf
    >>> tf.strings.bytes_split("abc").numpy()
    array([b'a', b'b', b'c'], dtype=object)
    >>> tf.strings.bytes_split(["ab", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector for one text, else a RaggedTensor.
    """
    return _apart(input, unicode.byte_rows.public)


@overload
def unicode_decode(
    input: str | bytes,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor: ...
@overload
def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> RaggedTensor | Any: ...
@takes(input_encoding=text)
def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each text.

    >>> import gradtape as tf
    >>> tf.strings.unicode_decode("abc", "UTF-8").numpy()
    array([97, 98, 99], dtype=int32)

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        input_encoding: How the texts are encoded, such as "UTF-8".
        errors: What bytes that are no text do: "replace", "ignore" or "strict".
        replacement_char: The code point that stands for them with "replace".
        replace_control_characters: Whether control characters are replaced too.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector for one text, else a RaggedTensor.
    """
    settings = (input_encoding, errors, replacement_char, replace_control_characters)
    return _apart(input, lambda texts: unicode.unicode_decode.public(texts, *settings))


@overload
def unicode_split(
    input: str | bytes,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor: ...
@overload
def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> RaggedTensor | Any: ...
@takes(input_encoding=text)
def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """The characters of each text, each by itself.

    >>> import gradtape as tf
    >>> tf.strings.unicode_split(["ab", "c"], "UTF-8")
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        input_encoding: How the texts are encoded, such as "UTF-8".
        errors: What bytes that are no text do: "replace", "ignore" or "strict".
        replacement_char: The code point that stands for them with "replace".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector for one text, else a RaggedTensor.
    """
    settings = (input_encoding, errors, replacement_char)
    return _apart(input, lambda texts: unicode.character_rows.public(texts, *settings))


@overload
def unicode_decode_with_offsets(
    input: str | bytes,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[RaggedTensor, RaggedTensor] | Any: ...
@takes(input_encoding=text)
def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each text, and the byte at which each begins.

    >>> import gradtape as tf
    >>> points, offsets = tf.strings.unicode_decode_with_offsets("a\u00e9b", "UTF-8")
    >>> offsets.numpy()
    array([0, 1, 3])

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        input_encoding: How the texts are encoded, such as "UTF-8".
        errors: What bytes that are no text do: "replace", "ignore" or "strict".
        replacement_char: The code point that stands for them with "replace".
        replace_control_characters: Whether control characters are replaced too.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Two vectors for one text, else two ragged tensors.
    """
    points = unicode_decode(input, input_encoding, errors, replacement_char, replace_control_characters)
    settings = (input_encoding, errors)
    return points, _apart(input, lambda texts: unicode.character_offsets.public(texts, *settings))


@overload
def unicode_split_with_offsets(
    input: str | bytes,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> tuple[RaggedTensor, RaggedTensor] | Any: ...
@takes(input_encoding=text)
def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """The characters of each text, and the byte at which each begins.

    >>> import gradtape as tf
    >>> tf.strings.unicode_split_with_offsets(["ab", "c"], "UTF-8")[0]
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        input_encoding: How the texts are encoded, such as "UTF-8".
        errors: What bytes that are no text do: "replace", "ignore" or "strict".
        replacement_char: The code point that stands for them with "replace".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Two vectors for one text, else two ragged tensors.
    """
    characters = unicode_split(input, input_encoding, errors, replacement_char)
    settings = (input_encoding, errors)
    return characters, _apart(input, lambda texts: unicode.character_offsets.public(texts, *settings))


def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """The script of each code point, as the number that the ICU library gives it; -1 for what is no code point.

    >>> import gradtape as tf
    >>> tf.strings.unicode_script([ord("A"), ord(" "), 0x3B1]).numpy()  # Latin, common, Greek
    array([25,  0, 14], dtype=int32)

    Args:
        input: Code points, int32.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape, int32.

    Raises:
        TypeError: The code points are not int32.
    """
    points = to_tensor(input)
    if points.dtype is not dtypes.int32:
        raise TensorTypeError(
            None, None, f"unicode_script: code points are int32, got {points.dtype.name}. Use tf.cast."
        )
    starts, scripts = script_runs()
    flat = arrays.reshape(points, [-1])
    run = partition.searchsorted(starts, flat, side="right")  # (0 for negative numbers)
    found = indexing.gather(np.concatenate((np.array([-1], np.int32), scripts)), run)
    return arrays.reshape(found, shapes.shape(points))


@takes(padding_width=optional_whole_number, separator=choice, preserve_short_sequences=truth)
def ngrams(
    data: Any,
    ngram_width: Sequence[TensorLike],
    separator: str = " ",
    pad_values: Sequence[TensorLike] | None = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Runs of neighbouring texts in each row, joined: along the last axis of a tensor, or in rows of different lengths.

    >>> import gradtape as tf
    >>> tf.strings.ngrams([["a", "b", "c"]], 2).numpy().tolist()
    [[b'a b', b'b c']]
    >>> tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], ["d"]]), (1, 2))
    <tf.RaggedTensor [[b'a', b'b', b'c', b'a b', b'b c'], [b'd']]>

    Args:
        data: The texts.
        ngram_width: How many make a run; several widths give all runs of the first, then of the next.
        separator: What stands between the texts of a run.
        pad_values: What stands before and after each row (one text, or two), so that its ends begin and end runs.
        padding_width: How often; by default as often as the runs need it.
        preserve_short_sequences: Whether a row too short for any run gives one of all its texts.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor or RaggedTensor of texts, as `data` is one.

    Raises:
        ValueError: A width is not positive, `padding_width` is given without `pad_values`, or `data` has no axis.
        TypeError: `pad_values` are no texts.
    """
    from .ragged import RaggedTensor

    widths = tuple(ngram_width) if isinstance(ngram_width, (list, tuple)) else (ngram_width,)
    if any(as_int(width) < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {list(widths)}")
    pair = pad_values if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)
    if pad_values is not None and not (len(pair) == 2 and all(isinstance(pad, (str, bytes)) for pad in pair)):
        raise TypeError(f"pad_values must be a string, tuple of strings, or None. Got {pad_values!r}")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    left, right = ("", "") if pad_values is None else (_plain(pad) for pad in pair)
    border = (-1 if padding_width is None else padding_width) if pad_values is not None else 0
    settings = (_plain(separator), widths, left, right, border, bool(preserve_short_sequences))

    def in_rows(rows: Any) -> Any:
        if isinstance(rows.values, RaggedTensor):
            return rows.with_values(in_rows(rows.values))
        return RaggedTensor(*encoding.string_ngrams.public(rows.values, rows.row_splits, *settings))

    texts = _texts(data)
    if isinstance(texts, RaggedTensor):
        return in_rows(texts)
    if not texts.ndim:
        raise ValueError("Data must have rank>0: ngrams needs at least one axis of texts, got a scalar.")
    rows = arrays.reshape(texts, (-1, texts.shape[-1]))
    runs = in_rows(RaggedTensor.from_tensor(rows)).values
    return arrays.reshape(runs, (*texts.shape[:-1], -1))


@takes(replacement_char=whole_number, output_encoding=text)
def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Tensor:
    """The texts whose code points stand along the last axis.

    >>> import gradtape as tf
    >>> tf.strings.unicode_encode([97, 233], "UTF-8").numpy().decode()
    'aé'
    >>> tf.strings.unicode_encode(tf.ragged.constant([[72, 105], [33]]), "UTF-8").numpy()
    array([b'Hi', b'!'], dtype=object)

    Args:
        input: A tensor or RaggedTensor of integers, with at least one axis.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: What integers that are no code points do: "replace", "ignore" or "strict" (an error).
        replacement_char: The code point that stands for them with "replace".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Texts, without the last axis.

    Raises:
        tf.errors.InvalidArgumentError: Operand, encoding or replacement are none of these, or `errors="strict"` met one.
    """
    if not 0 <= replacement_char <= 0x10FFFF:
        raise invalid(f"unicode_encode: replacement_char must be a code point, got {replacement_char}.")
    points: Any = input if input.__class__ in OPERANDS else to_tensor(input)
    if not points.dtype.is_integer or not len(points.shape):
        raise invalid(f"unicode_encode: rows of integers are needed, got {points.dtype!r} of shape {points.shape}.")
    return unicode.unicode_encode.public(points, output_encoding, errors, replacement_char)


@takes(input_encoding=text, output_encoding=text)
def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""The texts in another encoding.

    >>> import gradtape as tf
    >>> tf.strings.unicode_transcode("a\u00e9", "UTF-8", "UTF-16-BE").numpy()
    b'\x00a\x00\xe9'
    >>> tf.strings.unicode_transcode(b"caf\xe9", "latin-1", "UTF-8").numpy()
    b'caf\xc3\xa9'

    Args:
        input: A tensor of texts, of type tf.string, or lists of them.
        input_encoding: How the texts are encoded: any name that Python's codecs know.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: What bytes that are no text do: "replace", "ignore" or "strict" (an error).
        replacement_char: The code point that stands for them with "replace".
        replace_control_characters: Whether control characters are replaced too.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Texts, in the same shape.

    Raises:
        tf.errors.InvalidArgumentError: An encoding is not known, or `errors="strict"` met bytes that are no text.
    """
    settings = (input_encoding, output_encoding, errors, replacement_char, replace_control_characters)
    return unicode.unicode_transcode.public(_texts(input), *settings)


trace_public(globals())

__dir__ = listing(globals())
