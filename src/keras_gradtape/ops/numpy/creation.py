"""New tensors: constants, ranges, windows and patterned matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf
import gradtape.numpy as tnp
from gradtape import cast

from ..core import convert_to_tensor
from ..promotion import floatx, given_type, result_type, to_type
from .manipulation import sizes


def zeros(shape: Any, dtype: Any = None) -> Any:
    """Zeros."""
    return tf.zeros(shape, given_type(dtype))


def ones(shape: Any, dtype: Any = None) -> Any:
    """Ones."""
    return tf.ones(shape, given_type(dtype))


def empty(shape: Any, dtype: Any = None) -> Any:
    """Zeros: tensors are immutable, so an uninitialized one could not be filled later."""
    return zeros(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """`fill_value` everywhere, broadcast; the tape follows it."""
    return tf.broadcast_to(convert_to_tensor(fill_value, given_type(dtype).name), shape)


def _like(x: Any, dtype: Any) -> tuple[Any, Any]:
    x = convert_to_tensor(x)
    return x, x.dtype if dtype is None else given_type(dtype)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros in the shape and type of `x`."""
    return tf.zeros_like(*_like(x, dtype))


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones in the shape and type of `x`."""
    return tf.ones_like(*_like(x, dtype))


def empty_like(x: Any, dtype: Any = None) -> Any:
    """Zeros in the shape and type of `x`; see `empty`."""
    return zeros_like(x, dtype)


def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """`fill_value` in the shape and type of `x`."""
    x, kind = _like(x, dtype)
    return tf.broadcast_to(convert_to_tensor(fill_value, kind.name), sizes(x))


def identity(n: Any, dtype: Any = None) -> Any:
    """The identity matrix."""
    return eye(n, dtype=dtype)


def eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    """Ones on the k-th diagonal, zeros elsewhere."""
    rows, columns = _grid(N, M)
    return cast(tf.equal(columns - rows, k), given_type(dtype))


def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    """Ones at and below the k-th diagonal, zeros above."""
    rows, columns = _grid(N, M)
    return cast(columns - rows <= k, given_type(dtype))


def _grid(N: Any, M: Any) -> tuple[Any, Any]:
    """The numbers of rows, as a column, and of columns."""
    return tf.range(_count(N))[:, None], tf.range(_count(N if M is None else M))


def _count(value: Any) -> Any:
    if isinstance(value, float):
        raise TypeError(f"A size must be an integer. Received: {value}")
    return value


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Numbers from `start` up to `stop` in steps."""
    first, last = (0, start) if stop is None else (start, stop)
    if dtype is None:
        given = [v for v in (start, stop, step) if v is not None]
        kind = result_type(*[getattr(v, "dtype", type(v)) for v in given])
    else:
        kind = given_type(dtype)
    # The range op counts in a few types only.
    inside = (
        kind if kind in (tf.int32, tf.int64, tf.float32, tf.float64) else tf.int32 if kind.is_integer else tf.float32
    )
    first, last, delta = (convert_to_tensor(v, inside) for v in (first, last, 1 if step is None else step))
    return to_type(tf.range(first, last, delta, inside), kind)


def _ends(start: Any, stop: Any, dtype: Any) -> tuple[Any, Any, Any, Any]:
    """Both ends as floats to compute with, that type, and the type of the result."""
    kinds = [getattr(v, "dtype", type(v) if isinstance(v, (int, float)) else floatx()) for v in (start, stop)]
    kind = result_type(*kinds, float)
    first, last = (convert_to_tensor(v, kind) for v in (start, stop))
    return first, last, kind, kind if dtype is None else given_type(dtype)


def linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`; the tape follows both."""
    if num < 0:
        raise ValueError(f"`num` must be a non-negative integer. Received: num={num}")
    first, last, kind, result = _ends(start, stop, dtype)
    numbers, step = tnp.linspace(first, last, num, endpoint, True, axis=axis)
    numbers = to_type(to_type(numbers, kind), result)
    return (numbers, convert_to_tensor(step, result)) if retstep else numbers


def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, base: Any = 10, dtype: Any = None, axis: int = 0
) -> Any:
    """`base` to the power of evenly spaced numbers."""
    first, last, kind, result = _ends(start, stop, dtype)
    powers = to_type(tnp.linspace(first, last, num, endpoint, axis=axis), kind)
    return to_type(tf.pow(convert_to_tensor(base, kind), powers), result)


def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """Numbers with a constant ratio from `start` to `stop`, both of one sign."""
    first, last, kind, result = _ends(start, stop, dtype)
    return to_type(to_type(tnp.geomspace(first, last, num, endpoint, axis=axis), kind), result)


def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """The powers of each element as a row, the highest first unless `increasing`."""
    x = convert_to_tensor(x)
    count = x.shape[0] if N is None else int(N)
    powers = tf.range(count) if increasing else tf.range(count - 1, -1, -1)
    inside = result_type(x.dtype, floatx())
    return to_type(tf.pow(to_type(x, inside)[:, None], cast(powers, inside)), x.dtype)


# --- windows ---------------------------------------------------------------------------------------------------------


def _window(values: Any, count: Any, *more: Any) -> Any:
    return convert_to_tensor(values(int(count), *more).astype(np.float64), floatx().name)


def bartlett(x: Any) -> Any:
    """The triangular window with `x` points."""
    return _window(np.bartlett, x)


def blackman(x: Any) -> Any:
    """The Blackman window with `x` points."""
    return _window(np.blackman, x)


def hamming(x: Any) -> Any:
    """The Hamming window with `x` points."""
    return _window(np.hamming, x)


def hanning(x: Any) -> Any:
    """The Hann window with `x` points."""
    return _window(np.hanning, x)


def kaiser(x: Any, beta: Any) -> Any:
    """The Kaiser window with `x` points."""
    return _window(np.kaiser, x, float(beta))
