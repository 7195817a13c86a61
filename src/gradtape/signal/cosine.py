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


def _checked(input: TensorLike, type: TensorLike, n: object, axis: object, norm: Any) -> tuple[Any, int | None]:
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
    """The cosine transform of type 1, 2, 3 or 4 along the last axis, cut or filled up with zeros to `n`.

    With `norm="ortho"` it is orthonormal. Equal to `scipy.fft.dct`.

    >>> import gradtape as tf
    >>> tf.signal.dct([1.0, 1.0, 1.0, 1.0]).numpy()
    array([8., 0., 0., 0.], dtype=float32)
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
    """The inverse cosine transform; without `norm="ortho"` 2 * N times too large, as TensorFlow's is."""
    x, length = _checked(input, type, n, axis, norm)
    return _transform(x, _INVERSE[type], length, norm)


trace_public(globals())
