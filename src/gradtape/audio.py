"""`tf.audio`: sound as 16-bit WAV files in string tensors, read and written by Python's `wave`."""

from __future__ import annotations

import io
import wave
from typing import Any, NamedTuple

import numpy as np

from .base import dtypes
from .base.errors import invalid
from .base.namespaces import listing
from .base.types import TensorLike
from .op.attributes import as_int
from .trace.host_calls import gives
from .values.tensor import Tensor, TensorSpec, from_array, to_tensor
from .variables.variable import Variable

__all__ = ["decode_wav", "encode_wav"]

_MOST_SAMPLES = 2**31 - 64  # two bytes each, in a file whose header counts bytes in 32 bits


class DecodeWav(NamedTuple):
    """What `decode_wav` gives."""

    audio: Any
    sample_rate: Any


def _look_of_sound(
    contents: object, desired_channels: int = -1, desired_samples: int = -1, name: object = None
) -> DecodeWav:
    sizes = [desired_samples if desired_samples >= 0 else None, desired_channels if desired_channels > 0 else None]
    return DecodeWav(TensorSpec(sizes, dtypes.float32), TensorSpec([], dtypes.int32))


@gives(_look_of_sound)
def decode_wav(
    contents: TensorLike, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> DecodeWav:
    """Floats from -1 to 1 of shape [frames, channels], and the frames per second.

    >>> import gradtape as tf
    >>> file = tf.audio.encode_wav([[0.5], [-0.25]], sample_rate=8000)
    >>> sound, rate = tf.audio.decode_wav(file)
    >>> sound.numpy().tolist(), int(rate)
    ([[0.5], [-0.25]], 8000)

    Args:
        contents: The bytes of a 16-bit WAV file.
        desired_channels: How many channels to give: the last is repeated where there are fewer, others are cut off.
        desired_samples: How many frames to give: zeros are added, or others are cut off.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A pair (`audio`, `sample_rate`).

    Raises:
        tf.errors.InvalidArgumentError: It is no WAV file of 16 bits.
    """
    data = to_tensor(contents, dtypes.string)._array
    if data.ndim:
        raise invalid(f"decode_wav: the contents must be one text, got shape {data.shape}.")
    try:
        with wave.open(io.BytesIO(data.item())) as file:
            width, channels, rate = file.getsampwidth(), file.getnchannels(), file.getframerate()
            frames = file.readframes(file.getnframes())
    except (wave.Error, EOFError, RuntimeError) as error:  # (RuntimeError: a size that leads out of the file)
        reason = str(error) or "a part of it is longer than the file"
        raise invalid(f"decode_wav: this is not a WAV file, or it ends too early: {reason}.") from None
    if width != 2:
        raise invalid(f"decode_wav: only 16-bit files are read, this one has {8 * width} bits.")
    samples = np.frombuffer(frames[: len(frames) // (2 * channels) * 2 * channels], "<i2").reshape(-1, channels)
    sound = samples.astype(np.float32) / np.float32(32768)
    if desired_channels > 0:
        sound = sound[:, np.minimum(np.arange(desired_channels), channels - 1)]
    if desired_samples >= 0:
        sound = np.concatenate([sound, np.zeros((desired_samples, sound.shape[1]), np.float32)])[:desired_samples]
    return DecodeWav(from_array(np.ascontiguousarray(sound)), to_tensor(rate))


@gives(lambda audio, sample_rate, name=None: TensorSpec([], dtypes.string))
def encode_wav(audio: TensorLike, sample_rate: object, name: str | None = None) -> Tensor:
    """A 16-bit WAV file, as a string tensor, of floats of shape [frames, channels]; beyond -1 and 1 they are cut.

    >>> import gradtape as tf
    >>> tone = tf.sin(tf.range(800.0) * 0.3)[:, None]
    >>> file = tf.audio.encode_wav(tone, sample_rate=8000)
    >>> file.numpy()[:4], len(file.numpy())
    (b'RIFF', 1644)

    Args:
        audio: float32 numbers of shape [frames, channels].
        sample_rate: How many frames a second has.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The bytes of the file, for `tf.io.write_file`.

    Raises:
        tf.errors.InvalidArgumentError: The type, the shape or the rate is another.
    """
    sound = to_tensor(audio, None if isinstance(audio, (Tensor, Variable)) else dtypes.float32)
    if sound.dtype != dtypes.float32 or sound.ndim != 2:
        raise invalid(f"encode_wav: float32 of shape [frames, channels] is needed, got {sound.dtype!r}, {sound.shape}.")
    if not 0 < sound.shape[1] < 1 << 16:
        raise invalid(f"encode_wav: there must be 1 to 65535 channels, got shape {sound.shape}.")
    if sound._array.size >= _MOST_SAMPLES:
        raise invalid(f"encode_wav: a file holds less than {_MOST_SAMPLES} samples, got shape {sound.shape}.")
    rate = as_int(sample_rate)
    if not 0 < rate < 2**32 // (2 * sound.shape[1]):
        raise invalid(f"encode_wav: sample_rate must be positive, and the bytes of a second fit 32 bits, got {rate}.")
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(sound.shape[1])
        written.setsampwidth(2)
        written.setframerate(rate)
        written.writeframes(np.clip(np.rint(sound._array * np.float32(32768)), -32768, 32767).astype("<i2").tobytes())
    return to_tensor(file.getvalue())


__dir__ = listing(globals())
