"""Signals cut into frames, and frames added up to signals."""

from __future__ import annotations

from ..api.layout import pad, transpose
from ..base.errors import invalid
from ..base.traceable import trace_public
from ..base.types import AxisLike, IntLike, TensorLike
from ..op.attributes import as_int
from ..ops.signal import frames as f
from ..values.tensor import Tensor, to_tensor


def frame(
    signal: TensorLike,
    frame_length: IntLike,
    frame_step: IntLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: AxisLike = -1,
    name: str | None = None,
) -> Tensor:
    """An axis cut into frames that may overlap.

    >>> import gradtape as tf
    >>> tf.signal.frame(tf.range(5), frame_length=3, frame_step=2).numpy()
    array([[0, 1, 2],
           [2, 3, 4]], dtype=int32)
    >>> tf.signal.frame(tf.range(5), frame_length=3, frame_step=2, pad_end=True, pad_value=-1).numpy()
    array([[ 0,  1,  2],
           [ 2,  3,  4],
           [ 4, -1, -1]], dtype=int32)

    Args:
        signal: A tensor with at least one axis.
        frame_length: How many samples a frame has.
        frame_step: How many samples after each other frames begin.
        pad_end: Whether frames that reach beyond the end are there too, filled up.
        pad_value: What they are filled up with.
        axis: The axis that is cut; the last by default.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with (frames, frame_length) in the place of the axis.

    Raises:
        ValueError: The signal is a scalar.
        tf.errors.InvalidArgumentError: `frame_step` is not positive, `frame_length` is negative, or there is no such axis.
    """
    x, length, step, where = to_tensor(signal), as_int(frame_length), as_int(frame_step), as_int(axis)
    if not x.ndim:
        raise ValueError("frame: a signal has at least one axis, got a scalar.")
    if step < 1 or length < 0:
        raise invalid(f"frame: frame_step must be positive and frame_length not negative, got {step} and {length}.")
    if not -x.ndim <= where < x.ndim:
        raise invalid(f"frame: axis {where} does not exist in a signal of shape {x.shape}.")
    where %= x.ndim
    size = x.shape[where]
    if pad_end:
        count = -(-size // step)
        missing = max(0, length + step * (count - 1) - size)
        x = pad(x, [[0, missing if a == where else 0] for a in range(x.ndim)], constant_values=pad_value)
    else:
        count = max(0, 1 + (size - length) // step)
    last = x.ndim - 1
    if where == last:
        return f.frames.public(x, length, step, count)
    others = [a for a in range(x.ndim) if a != where]
    framed = f.frames.public(transpose(x, [*others, where]), length, step, count)
    return transpose(framed, [*range(where), last, last + 1, *range(where, last)])


def overlap_and_add(signal: TensorLike, frame_step: IntLike, name: str | None = None) -> Tensor:
    """Frames put back at their places in a signal, and added up where they overlap.

    >>> import gradtape as tf
    >>> tf.signal.overlap_and_add(tf.ones([3, 4]), frame_step=2).numpy()
    array([1., 1., 2., 2., 2., 2., 1., 1.], dtype=float32)

    Args:
        signal: A tensor (..., frames, frame_length).
        frame_step: How many samples after each other frames begin.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (..., samples): `frame_length + frame_step * (frames - 1)` of them.

    Raises:
        ValueError: The signal has less than two axes, or `frame_step` is not one integer.
        tf.errors.InvalidArgumentError: `frame_step` is not positive.
    """
    x, given = to_tensor(signal), to_tensor(frame_step)
    if x.ndim < 2:
        raise ValueError(f"Shape {x.shape} must have rank at least 2.")
    if not given.dtype.is_integer or given.ndim:
        raise ValueError(f"frame_step must be an integer. Got {frame_step!r}.")
    step = as_int(given)
    count, length = x.shape[-2], x.shape[-1]
    return f.overlap_add.public(x, step, max(0, length + step * (count - 1)))


trace_public(globals())
