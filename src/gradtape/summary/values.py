"""The kinds of summaries: scalars, histograms, images, text, sound and plain tensors, as TensorBoard shows them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from ..audio import encode_wav
from ..base import dtypes
from ..base.context import STATE
from ..base.dtypes import Array
from ..base.errors import UnimplementedError, invalid
from ..base.png import COLOUR_OF_CHANNELS, png_of
from ..base.types import Function, TensorLike, Value
from ..values.tensor import Tensor, from_array, to_tensor
from ..variables.module import name_scope
from .event_file import messages
from .writer import as_effect, current_step, recording

_BUCKETS = 30

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _recorded(function: _Function) -> _Function:
    """A function whose first argument is a name below the open name scopes."""
    write = as_effect(function)

    @functools.wraps(function)
    def call(name: str, *args: object, **kwargs: object) -> Any:
        if not isinstance(name, str):
            raise TypeError(f"The name of a summary must be text, got {name!r}.")
        return write("/".join([*STATE.name_scopes, name]), *args, **kwargs)

    return call  # type: ignore[return-value]


@contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: TensorLike | None = None
) -> Iterator[tuple[str, str]]:
    """For a kind of summary of your own: its tag, below the name scopes that are open, and a scope of that name.

    >>> import gradtape as tf
    >>> with tf.name_scope("model"), tf.summary.experimental.summary_scope("loss") as (tag, scope):
    ...     print(tag)
    model/loss

    Args:
        name: The name of the summary; `default_name` where it is empty.
        default_name: What it is called then.
        values: Accepted; it concerns graphs only.

    Returns:
        A context manager, which gives the tag and the scope.
    """
    name = name or default_name
    tag = "/".join([*STATE.name_scopes, name.strip("/")])
    with name_scope(name) as scope:
        yield tag, scope


@_recorded
def scalar(name: str, data: TensorLike, step: object = None, description: str | None = None) -> Tensor:
    """Write one number.

    >>> import gradtape as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.scalar("loss", 0.5, step=1))
    True

    Args:
        name: The tag, below the name scopes that are open.
        data: A number, or a tensor with one element and no axes.
        step: When, in steps of the program; the default step where it is None.
        description: What the tag means, in Markdown.

    Returns:
        Whether it was recorded, as a tensor.

    Raises:
        ValueError: `data` has axes, or there is no step.
    """
    if not recording():
        return _FALSE
    value = to_tensor(data)
    if value.ndim:
        raise ValueError(
            f"Expected scalar shape, saw shape: {value.shape}. Use tf.reduce_mean, or tf.summary.histogram for all of it."
        )
    return _write(name, _numbers(value, "scalar").astype(np.float32), step, "scalars", description)


@_recorded
def histogram(
    name: str, data: TensorLike, step: object = None, buckets: int | None = None, description: str | None = None
) -> Tensor:
    """Write how the elements of a tensor are distributed; elements that are not finite are left out.

    >>> import gradtape as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.histogram("weights", tf.random.normal([100]), step=1))
    True

    Args:
        name: The tag, below the name scopes that are open.
        data: A tensor of any shape.
        step: When, in steps of the program; the default step where it is None.
        buckets: How many; 30 by default.
        description: What the tag means, in Markdown.

    Returns:
        Whether it was recorded, as a tensor.

    Raises:
        ValueError: The number of buckets is negative.
    """
    if not recording():
        return _FALSE
    count = _BUCKETS if buckets is None else int(buckets)
    if count < 0:
        raise ValueError(f"histogram: the number of buckets must not be negative, got {buckets!r}.")
    return _write(name, _counted(_numbers(to_tensor(data), "histogram"), count), step, "histograms", description)


def _counted(values: Array, buckets: int) -> Array:
    """Rows of left edge, right edge and count."""
    finite = values.astype(np.float64).reshape(-1)
    finite = finite[np.isfinite(finite)]
    if not finite.size or not buckets:
        return np.zeros((buckets, 3))
    low, high = finite.min(), finite.max()
    edges = np.linspace(low, high, buckets + 1)
    if low < high:
        counts = np.histogram(finite, edges)[0] if np.all(np.diff(edges) > 0) else _all_in_last(finite.size, buckets)
    else:
        counts = _all_in_last(finite.size, buckets)
    return np.stack([edges[:-1], edges[1:], counts.astype(np.float64)], axis=1)


def _all_in_last(size: int, buckets: int) -> Array:
    counts = np.zeros(buckets)
    counts[-1] = size
    return counts


@_recorded
def image(
    name: str, data: TensorLike, step: object = None, max_outputs: int = 3, description: str | None = None
) -> Any:
    """Write pictures.

    >>> import gradtape as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.image("noise", tf.random.uniform([1, 8, 8, 3]), step=1))
    True

    Args:
        name: The tag, below the name scopes that are open.
        data: Pictures of shape [k, height, width, channels]; floats from 0 to 1, or integers of their type's whole range.
            One channel is grey, two are grey and alpha, three are RGB, four are RGB and alpha.
        step: When, in steps of the program; the default step where it is None.
        max_outputs: How many of the k to write.
        description: What the tag means, in Markdown.

    Returns:
        Whether it was recorded, as a tensor.

    Raises:
        tf.errors.InvalidArgumentError: The pictures have none of 1 to 4 channels.
    """
    if not recording():
        return _FALSE
    pictures = to_tensor(data)
    _check_rank(pictures, 4, "image", "[k, height, width, channels]")
    _, height, width, channels = pictures.shape
    if channels not in COLOUR_OF_CHANNELS:
        raise invalid(f"image: pictures have 1 to 4 channels, got shape {pictures.shape}.")
    shown = _pixels(_numbers(pictures, "image")[: _outputs(max_outputs)])
    encoded = [str(width).encode(), str(height).encode(), *(png_of(picture) for picture in shown)]
    return _write(name, encoded, step, "images", description)


def _pixels(values: Array) -> Array:
    """Brightness from 0 to 255, as `tf.image.convert_image_dtype` has it."""
    if values.dtype == np.uint8:
        return values
    if values.dtype.kind == "f":
        return np.clip(np.nan_to_num(values) * 255.5, 0, 255).astype(np.uint8)
    largest = 1 if values.dtype.kind == "b" else int(np.iinfo(values.dtype).max)
    if largest < 255:
        return (np.maximum(values, 0) * np.int64(255) // largest).astype(np.uint8)
    return (np.maximum(values, 0) // ((largest + 1) // 256)).astype(np.uint8)


@_recorded
def audio(
    name: str,
    data: TensorLike,
    sample_rate: object,
    step: object = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Any:
    """Write sound as 16-bit WAV.

    >>> import gradtape as tf, tempfile
    >>> tone = tf.sin(tf.range(800.0) * 0.3)[None, :, None]
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.audio("tone", tone, sample_rate=8000, step=1))
    True

    Args:
        name: The tag, below the name scopes that are open.
        data: Floats from -1 to 1 of shape [k, frames, channels].
        sample_rate: Frames per second.
        step: When, in steps of the program; the default step where it is None.
        max_outputs: How many of the k to write.
        encoding: "wav", the only one there is.
        description: What the tag means, in Markdown.

    Returns:
        Whether it was recorded, as a tensor.

    Raises:
        ValueError: `encoding` is not "wav".
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}. Only 'wav' is written.")
    if not recording():
        return _FALSE
    sounds = to_tensor(data)
    _check_rank(sounds, 3, "audio", "[k, frames, channels]")
    shown = _numbers(sounds, "audio")[: _outputs(max_outputs)]
    files = [encode_wav(sound.astype(np.float32), sample_rate)._array.item() for sound in shown]
    encoded = [[file, b""] for file in files]
    return _write(name, encoded, step, "audio", description)


@_recorded
def text(name: str, data: TensorLike, step: object = None, description: str | None = None) -> Tensor:
    """Write text, in Markdown: one, or a table of it as a string tensor of up to two axes.

    >>> import gradtape as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.text("note", "A *small* network", step=1))
    True

    Args:
        name: The tag, below the name scopes that are open.
        data: Text, or a string tensor.
        step: When, in steps of the program; the default step where it is None.
        description: What the tag means, in Markdown.

    Returns:
        Whether it was recorded, as a tensor.

    Raises:
        TypeError: The data are no texts.
    """
    if not recording():
        return _FALSE
    value = to_tensor(data)
    if value.dtype != dtypes.string:
        raise TypeError(f"text: a string tensor is needed, got {value.dtype!r}. Use tf.strings.as_string.")
    return _write(name, value, step, "text", description)


@as_effect
def write(tag: Any, tensor: Any, step: object = None, metadata: Any = None, name: str | None = None) -> Tensor:
    """Write a tensor under a tag, which is taken as it is.

    >>> import gradtape as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.write("numbers", [1.0, 2.0], step=1))
    True

    Args:
        tag: The name under which TensorBoard shows it.
        tensor: The tensor, or a function of no arguments that makes it, called only where it is recorded.
        step: When, in steps of the program; the default step where it is None.
        metadata: A SummaryMetadata message, or its bytes, that says which plugin of TensorBoard shows it.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Whether it was recorded, as a tensor.
    """
    if not recording():
        return _FALSE
    value = messages("summary_pb2").Summary.Value(tag=_tag(tag), tensor=_message(tensor))
    if metadata is not None:
        _take_metadata(value.metadata, metadata if isinstance(metadata, bytes) else metadata.SerializeToString())
    return _added(value, step)


def _take_metadata(message: Any, data: bytes) -> None:
    try:
        message.ParseFromString(data)
    except Exception as error:  # (google.protobuf.message.DecodeError, without importing it for its name)
        raise invalid(f"tf.summary.write: the metadata is no SummaryMetadata message: {error}.") from None


def _tag(tag: object) -> str:
    return tag if isinstance(tag, str) else to_tensor(tag)._array.item().decode()


def _write(tag: str, value: Any, step: object, plugin: str, description: str | None) -> Any:
    written = messages("summary_pb2").Summary.Value(tag=tag, tensor=_message(value))
    written.metadata.plugin_data.plugin_name = plugin
    if description is not None:
        written.metadata.summary_description = description
    return _added(written, step)


def _added(value: TensorLike, step: object) -> Any:
    STATE.summary_writer.add(step=current_step(step), summary=messages("summary_pb2").Summary(value=[value]))
    return _TRUE


def _message(value: Function) -> Any:
    """A tensor as TensorBoard's message."""
    tensor = to_tensor(value() if callable(value) else value)
    array = np.asarray(tensor._array)
    message = messages("tensor_pb2").TensorProto(dtype=tensor.dtype.as_datatype_enum)
    for size in array.shape:
        message.tensor_shape.dim.add(size=size)
    if array.dtype.kind == "O":
        message.string_val.extend(array.reshape(-1).tolist())
    else:
        message.tensor_content = array.tobytes()
    # (Without sizes, the field would be left out, which means an unknown shape. Present and empty, it means a scalar.)
    message.tensor_shape.SetInParent()
    return message


def _numbers(value: Tensor, name: str) -> Array:
    """The array of a tensor of real numbers."""
    if value.dtype == dtypes.string or value.dtype.is_complex:
        raise UnimplementedError(None, None, f"{name}: real numbers are needed, got {value.dtype!r}.")
    array: Array = np.asarray(value._array)
    return array.astype(np.float32) if value.dtype.is_narrow else array


def _check_rank(value: Value, rank: int, name: str, shape: str) -> None:
    if value.ndim != rank:
        raise ValueError(
            f"{name}: Tensor must have rank {rank}: {shape}. Received rank {value.ndim}, shape {value.shape}"
        )


def _outputs(max_outputs: Any) -> int:
    count = int(max_outputs)
    if count < 0:
        raise invalid(f"max_outputs must not be negative, got {count}.")
    return count


_TRUE, _FALSE = from_array(np.bool_(True)), from_array(np.bool_(False))  # type: ignore[arg-type]
