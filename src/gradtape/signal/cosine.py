"""Discrete cosine transforms."""

from __future__ import annotations

from typing import Any

from ..api.layout import pad
from ..base.traceable import trace_public
from ..base.types import IntLike, TensorLike
from ..op.attributes import as_int
from ..ops.array.index import getitem
from ..ops.signal.fourier import dct as cosine_transform
from ..values.tensor import Tensor, to_tensor

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _checked(input: TensorLike, type: TensorLike, n: object, axis: object, norm: object) -> tuple[Any, int | None]:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}. Use tf.transpose.")
    length = None if n is None else as_int(n)
    if length is not None and length < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in tuple(_INVERSE):
        raise ValueError(f"Types I, II, III and IV (I)DCT are supported, got {type!r}.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    x = to_tensor(input)
    if not x.dtype.is_floating or x.dtype.is_narrow:
        raise TypeError(f"dct: the input must be tf.float32 or tf.float64, got {x.dtype!r}. Use tf.cast.")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if type == 1 and x.ndim and x.shape[-1] < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    return x, length


def _transform(x: Any, kind: int, length: int | None, norm: str | None) -> Any:
    if length is not None and x.ndim:
        size = x.shape[-1]
        if length < size:
            x = getitem.public(x, (Ellipsis, slice(None, length)))
        elif length > size:
            x = pad(x, [*[[0, 0]] * (x.ndim - 1), [0, length - size]])
    return cosine_transform.public(x, kind, norm == "ortho")


def dct(
    input: TensorLike,
    type: int = 2,
    n: IntLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete cosine transform along the last axis, equal to `scipy.fft.dct`.

    >>> import gradtape as tf
    >>> tf.signal.dct([1.0, 1.0, 1.0, 1.0]).numpy()
    array([8., 0., 0., 0.], dtype=float32)
    >>> tf.signal.dct([1.0, 1.0, 1.0, 1.0], norm="ortho").numpy().round(4)
    array([2., 0., 0., 0.], dtype=float32)

    Args:
        input: A tensor of float32 or float64 (..., samples).
        type: 1, 2, 3 or 4: which of the four transforms.
        n: How many samples are transformed: the axis is cut, or filled up with zeros; all by default.
        axis: -1, the last axis; there is no other.
        norm: "ortho" for an orthonormal transform; None for the sums as they are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape, with `n` along the last axis.

    Raises:
        ValueError: `type`, `n` or `norm` is none of these, or `type=1` has a norm or less than two samples.
        NotImplementedError: `axis` is not -1.
        TypeError: The input has another type.
    """
    x, length = _checked(input, type, n, axis, norm)
    return _transform(x, type, length, norm)


def idct(
    input: TensorLike,
    type: int = 2,
    n: IntLike | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `dct` with the same type and norm, up to a factor.

    Without `norm="ortho"` the result is 2 * N times too large for N samples, 2 * (N - 1) times with `type=1`, as TensorFlow's is.

    >>> import gradtape as tf
    >>> x = tf.constant([1.0, 2.0, 3.0])
    >>> tf.signal.idct(tf.signal.dct(x, norm="ortho"), norm="ortho").numpy().round(4)
    array([1., 2., 3.], dtype=float32)
    >>> tf.signal.idct(tf.signal.dct(x)).numpy().round(4)
    array([ 6., 12., 18.], dtype=float32)

    Args:
        input: A tensor of float32 or float64 (..., samples).
        type: 1, 2, 3 or 4: the transform that is undone.
        n: How many samples are transformed: the axis is cut, or filled up with zeros; all by default.
        axis: -1, the last axis; there is no other.
        norm: "ortho" for an orthonormal transform; None for the sums as they are.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape, with `n` along the last axis.

    Raises:
        ValueError: `type`, `n` or `norm` is none of these, or `type=1` has a norm or less than two samples.
        NotImplementedError: `axis` is not -1.
        TypeError: The input has another type.
    """
    x, length = _checked(input, type, n, axis, norm)
    return _transform(x, _INVERSE[type], length, norm)


trace_public(globals())
