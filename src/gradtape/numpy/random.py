"""`gradtape.numpy.random`: numpy.random's legacy functions, drawn from `tf.random`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import random as ours
from ..base.dtypes import BY_NUMPY, float64
from ..base.namespaces import listing
from ..base.traceable import trace_public
from ..base.types import DTypeLike, IntLike, TensorLike
from ..values.tensor import Tensor, from_array
from .promotion import asarray, numpy_dtype


def seed(s: TensorLike) -> None:
    """Make the random numbers that follow the same in every run; the same as tf.random.set_seed.

    >>> import gradtape as tf
    >>> tf.numpy.random.seed(1)
    >>> first = tf.numpy.random.random()
    >>> tf.numpy.random.seed(1)
    >>> float(first) == float(tf.numpy.random.random())
    True

    Args:
        s: A whole number.
    """
    ours.set_seed(s)


def _sizes(size: Any) -> tuple[int, ...]:
    return () if size is None else (int(size),) if np.ndim(size) == 0 else tuple(int(n) for n in size)


def standard_normal(size: object = None) -> Tensor:
    """Numbers from the normal distribution with mean 0 and standard deviation 1.

    >>> import gradtape as tf
    >>> tf.numpy.random.standard_normal([2, 3]).shape
    TensorShape([2, 3])

    Args:
        size: The shape, or the number of elements of a vector; None: one number.

    Returns:
        float64 numbers.
    """
    return ours.normal(_sizes(size), dtype=float64)


def randn(*args: object) -> Tensor:
    """As `standard_normal`, with the sizes as arguments.

    >>> import gradtape as tf
    >>> tf.numpy.random.randn(2, 3).shape
    TensorShape([2, 3])

    Args:
        *args: The sizes of the axes; none of them: one number.

    Returns:
        float64 numbers.
    """
    return standard_normal(args)


def rand(*size: IntLike) -> Tensor:
    """Numbers uniformly distributed over [0, 1), with the sizes as arguments.

    >>> import gradtape as tf
    >>> tf.numpy.random.rand(2, 3).shape
    TensorShape([2, 3])

    Args:
        *size: The sizes of the axes; none of them: one number.

    Returns:
        float64 numbers.
    """
    return ours.uniform(_sizes(size), dtype=float64)


def random(size: IntLike | None = None) -> Tensor:
    """Numbers uniformly distributed over [0, 1).

    >>> import gradtape as tf
    >>> tf.numpy.random.random([2, 3]).shape
    TensorShape([2, 3])

    Args:
        size: The shape, or the number of elements of a vector; None: one number.

    Returns:
        float64 numbers.
    """
    return ours.uniform(_sizes(size), dtype=float64)


def _shaped(size: Any, *parameters: Any) -> tuple[int, ...]:
    return np.broadcast_shapes(*[tuple(p.shape) for p in parameters]) if size is None else _sizes(size)


def uniform(low: TensorLike = 0.0, high: TensorLike = 1.0, size: IntLike | None = None) -> Tensor:
    """Numbers uniformly distributed over [low, high); the tape follows both.

    >>> import gradtape as tf
    >>> x = tf.numpy.random.uniform(5.0, 6.0, size=[100])
    >>> bool(tf.numpy.all((x >= 5.0) & (x < 6.0)))
    True

    Args:
        low: The lower bound, or a tensor of them.
        high: The upper bound, which is not reached.
        size: The shape, or the number of elements of a vector; None: that of the bounds.

    Returns:
        float64 numbers.
    """
    first, last = asarray(low, float64), asarray(high, float64)
    return first + (last - first) * ours.uniform(_shaped(size, first, last), dtype=float64)


def normal(loc: TensorLike = 0.0, scale: object = 1.0, size: IntLike | None = None) -> Tensor:
    """Numbers from normal distributions; the tape follows mean and standard deviation.

    >>> import gradtape as tf
    >>> tf.numpy.random.normal([0.0, 100.0], 1.0, size=[5, 2]).shape
    TensorShape([5, 2])

    Args:
        loc: The mean, or a tensor of means.
        scale: The standard deviation, or a tensor of them.
        size: The shape, or the number of elements of a vector; None: that of the parameters.

    Returns:
        float64 numbers.
    """
    mean, deviation = asarray(loc, float64), asarray(scale, float64)
    return mean + deviation * ours.normal(_shaped(size, mean, deviation), dtype=float64)


def poisson(lam: TensorLike = 1.0, size: IntLike | None = None) -> Tensor:
    """Numbers from Poisson distributions.

    >>> import gradtape as tf
    >>> tf.numpy.random.poisson([1.0, 10.0], size=[5, 2]).shape
    TensorShape([5, 2])

    Args:
        lam: The mean, or a tensor of means.
        size: The shape, which ends in that of `lam`; None: that of `lam`.

    Returns:
        int64 numbers.

    Raises:
        ValueError: The shape does not end in that of `lam`.
    """
    rate = asarray(lam, float64)
    sizes = _shaped(size, rate)
    lead = sizes[: len(sizes) - rate.ndim]
    if (*lead, *rate.shape) != sizes:
        raise ValueError(f"poisson: size {sizes} does not end in the shape {tuple(rate.shape)} of lam.")
    return ours.poisson(lead, rate, dtype=BY_NUMPY[np.dtype(np.int64)])


def randint(low: Any, high: Any = None, size: IntLike | None = None, dtype: DTypeLike = np.int64) -> Tensor:
    """Integers in [low, high), or in [0, low).

    >>> import gradtape as tf
    >>> x = tf.numpy.random.randint(1, 7, size=[100])
    >>> bool(tf.numpy.all((x >= 1) & (x <= 6)))
    True

    Args:
        low: The smallest number; the bound, where `high` is not given.
        high: The bound, which is not reached.
        size: The shape, or the number of elements of a vector; None: one number.
        dtype: The type of the result.

    Returns:
        Whole numbers.

    Raises:
        ValueError: There is no number between the bounds.
    """
    first, last = (0, int(low)) if high is None else (int(low), int(high))
    if first >= last:
        raise ValueError("low >= high")
    drawn = ours.uniform(_sizes(size), first, last, dtype=BY_NUMPY[np.dtype(np.int64)])
    return from_array(np.asarray(drawn).astype(numpy_dtype(dtype)))


trace_public(globals())

__all__ = ["normal", "poisson", "rand", "randint", "randn", "random", "seed", "standard_normal", "uniform"]

__dir__ = listing(globals())
