"""A signal cut into frames that overlap, and its transpose: frames added up where they lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, NUMERIC, Array
from ...base.errors import InvalidArgumentError, ResourceExhaustedError, invalid
from ...base.types import Cotangent, Draw, Namespace
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Sample, op
from ...op.family import batch_leading, in_float32
from ...op.shapes import replaced


def _frames(signal: Array, length: int, step: int, count: int) -> Array:
    if signal.ndim < 1 or length < 0 or step < 1 or count < 0:
        raise ValueError("bad frames")
    size = signal.shape[-1]
    if count and (count - 1) * step + length > size:
        raise ValueError("frames leave the signal")
    if not count or not length:
        return np.empty((*signal.shape[:-1], count, length), signal.dtype)
    view = np.lib.stride_tricks.sliding_window_view(signal, length, axis=-1)
    return np.array(view[..., : (count - 1) * step + 1 : step, :], order="C")


@op(eager=_frames, dtypes=ANY, tf_name="Frame")
def frames(xp: Namespace, signal: Array, *, length: int, step: int, count: int) -> Any:
    """`count` frames of `length` numbers along the last axis, one every `step`: (..., count, length)."""
    return signal[..., step * xp.arange(count)[:, None] + xp.arange(length)]


@frames.shapes
def _(signal: Abstract, *, length: object, step: object, count: object) -> Shape:
    return replaced(signal.shape, -1, count, length)


def _overlap_add(frames: Array, step: int, size: int) -> Array:
    if frames.ndim < 2 or step < 1 or size < 0:
        raise ValueError("bad frames")
    *lead, count, length = frames.shape
    if count and (count - 1) * step + length > size:
        raise ValueError("frames leave the signal")
    if min(frames.shape) == 0:
        return np.zeros((*lead, size), frames.dtype)
    segments = -(-length // step)
    if count <= segments:
        result = np.zeros((*lead, size), frames.dtype)
        for number in range(count):
            result[..., number * step : number * step + length] += frames[..., number, :]
        return result
    # The signal as blocks of one step: the first steps of all frames are added at once, then the second ones.
    blocks = np.zeros((*lead, count + segments - 1, step), frames.dtype)
    for segment in range(segments):
        part = frames[..., segment * step : (segment + 1) * step]
        blocks[..., segment : segment + count, : part.shape[-1]] += part
    flat = blocks.reshape(*lead, -1)
    missing = size - flat.shape[-1]
    if missing <= 0:
        return flat[..., :size]
    return np.concatenate([flat, np.zeros((*lead, missing), flat.dtype)], axis=-1)


@op(eager=in_float32(_overlap_add), dtypes=NUMERIC, tf_name="OverlapAndAdd")
def overlap_add(xp: Namespace, frames: Array, *, step: int, size: int) -> Any:
    """A signal of `size` numbers: frames (..., count, length) added up, one every `step`."""
    *lead, count, length = frames.shape
    places = step * xp.arange(count)[:, None] + xp.arange(length)
    return xp.zeros((*lead, size), frames.dtype).at[..., places].add(frames)


@overlap_add.shapes
def _(frames: Abstract, *, step: Any, size: Any) -> Shape:
    return (*frames.shape[:-2], size)


@frames.vjp("signal")
def _(g: Cotangent, signal_shape: tuple[int, ...], step: int) -> Any:
    return overlap_add(g, step=step, size=signal_shape[-1])


@overlap_add.vjp("frames")
def _(g: Cotangent, frames_shape: tuple[int, ...], step: int) -> Any:
    return frames(g, length=frames_shape[-1], step=step, count=frames_shape[-2])


frames.linear("signal")
overlap_add.linear("frames")
frames.batching = overlap_add.batching = batch_leading


@frames.checks
def _(signal: Array, length: int, step: int, count: int) -> None:
    if not signal.ndim:
        raise invalid("frame: a signal has at least one axis, got a scalar.")
    if step < 1 or length < 0:
        raise invalid(f"frame: frame_step must be positive and frame_length not negative, got {step} and {length}.")
    raise invalid(f"frame: {count} frames of {length} every {step} do not fit in a signal of shape {signal.shape}.")


@overlap_add.checks
def _(frames: Array, step: int, size: int) -> None:
    if frames.ndim < 2:
        raise invalid(
            f"overlap_and_add: frames have at least two axes (..., frames, frame_length), got shape {frames.shape}."
        )
    if step < 1:
        raise invalid(f"overlap_and_add: frame_step must be positive, got {step}.")
    raise invalid(f"overlap_and_add: frames of shape {frames.shape} every {step} do not fit in {size} numbers.")


_FRAMINGS = [
    ((7,), 3, 2, 3), ((8,), 3, 2, 3), ((2, 6), 4, 1, 3), ((2, 6), 2, 3, 2), ((5,), 5, 1, 1),
    ((5,), 1, 1, 5), ((2, 3, 8), 4, 2, 3), ((3,), 5, 2, 0), ((0, 6), 2, 2, 3), ((4,), 0, 1, 4),
    ((10,), 2, 5, 2), ((9,), 6, 1, 4), ((12,), 7, 3, 2), ((30,), 4, 3, 9),
]  # fmt: skip


@frames.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, length, step, count in _FRAMINGS:
        yield Sample((draw(shape),), {"length": length, "step": step, "count": count})


@frames.value
def _(signal: Array, length: int, step: int, count: int) -> Any:
    parts = [signal[..., k * step : k * step + length] for k in range(count)]
    return np.stack(parts, axis=-2) if parts else np.zeros((*signal.shape[:-1], 0, length))


@overlap_add.samples
def _(draw: Draw) -> Iterator[Sample]:
    for (*lead, size), length, step, count in _FRAMINGS:
        yield Sample((draw((*lead, count, length)),), {"step": step, "size": size})


@overlap_add.value
def _(frames: Array, step: int, size: int) -> Any:
    result = np.zeros((*frames.shape[:-2], size))
    for k in range(frames.shape[-2]):
        for n in range(frames.shape[-1]):
            result[..., k * step + n] += frames[..., k, n]
    return result


@frames.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 6), np.float32)
    for length, step, count in [
        (3, 0, 2),
        (3, -1, 2),
        (-1, 1, 2),
        (3, 1, -1),
        (3, 2, 3),
        (7, 1, 1),
        (1, 2**60, 2),
        (2**40, 1, 1),
        (3, 1, 2**40),
    ]:
        yield BadInput("frames must lie in the signal", (x,), {"length": length, "step": step, "count": count})
    yield BadInput("a scalar has no axis", (np.float32(1),), {"length": 1, "step": 1, "count": 1})


@overlap_add.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3, 4), np.float32)
    errors = (InvalidArgumentError, ResourceExhaustedError)
    for step, size in [(0, 9), (-1, 9), (2, 7), (2, -1), (2, 0), (2**40, 9), (2**60, 2**62), (1, -(2**40))]:
        yield BadInput("frames must fit in the signal", (x,), {"step": step, "size": size}, errors)
    yield BadInput("frames have two axes", (x[0, 0],), {"step": 1, "size": 9})
    yield BadInput("frames have two axes", (np.float32(1),), {"step": 1, "size": 9})
