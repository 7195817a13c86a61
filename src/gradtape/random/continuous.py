"""Random floating-point numbers: normal, truncated normal, uniform, gamma."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..api.arrays import broadcast_to
from ..api.generator import BOUNDED, UNBOUNDED, floating, parameter, scaled, sizes_of, uniform_from, uniform_type
from ..api.known_shapes import of_shape
from ..base import dtypes, philox
from ..base.errors import invalid
from ..base.shapes import broadcast
from ..base.traceable import traceable
from ..base.types import DTypeLike, ShapeLike, TensorLike, Value
from ..math import maximum
from ..op.arguments import takes, tensor_type
from ..ops.random import gamma_sample
from ..values.tensor import Tensor, from_array
from .parameters import drawn_for, filling
from .streams import SEEDS, stateless_stream
from .tracing import drawn_on_abstract, for_each_slice, gamma_on_abstract, trace_between, trace_scaled


def normal(
    shape: ShapeLike,
    mean: object = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from normal distributions; the tape follows `mean` and `stddev`.

    >>> import gradtape as tf
    >>> tf.random.set_seed(1)
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])

    Args:
        shape: The shape of the result.
        mean: The mean, a number or a tensor that broadcasts.
        stddev: The standard deviation.
        dtype: A floating type.
        seed: With `tf.random.set_seed`, what decides the numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of random numbers, other ones with each call.
    """
    kind, sizes = floating(dtype, "normal"), sizes_of(shape)
    stream = SEEDS.stream(("normal", kind), seed, prod(sizes) * philox.RESERVED)
    return scaled(philox.normal(stream, sizes, kind.numpy), kind, stddev, mean)


@takes(dtype=tensor_type)
def stateless_normal(
    shape: ShapeLike,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers from normal distributions that depend on `seed` alone; the tape follows `mean` and `stddev`.

    >>> import gradtape as tf
    >>> tf.random.stateless_normal([2], seed=[1, 2]).numpy().round(4)
    array([0.5441, 0.2074], dtype=float32)

    Args:
        shape: The shape of the result.
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        mean: The means; they broadcast to `shape`.
        stddev: The standard deviations, likewise.
        dtype: A floating type.
        name: Ignored; accepted for compatibility with TensorFlow.
        alg: The generator: "auto_select" or "philox".

    Returns:
        A tensor, the same for the same seed, and the same as in TensorFlow.

    Raises:
        ValueError: The seed is not two integers, or the type is not floating.
    """
    kind = floating(dtype, "stateless_normal")
    return scaled(philox.normal(stateless_stream(seed, alg), sizes_of(shape), kind.numpy), kind, stddev, mean)


def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from normal distributions, drawn again where they are more than two standard deviations away.

    >>> import gradtape as tf
    >>> tf.reduce_max(tf.abs(tf.random.truncated_normal([100]))).numpy() <= 2.0
    np.True_

    Args:
        shape: The shape of the result.
        mean: The mean.
        stddev: The standard deviation, of which results are at most two away.
        dtype: A floating type.
        seed: With `tf.random.set_seed`, what decides the numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of random numbers.
    """
    kind, sizes = floating(dtype, "truncated_normal"), sizes_of(shape)
    stream = SEEDS.stream(("truncated_normal", kind), seed, prod(sizes) * philox.RESERVED)
    return scaled(philox.truncated_normal(stream, sizes, kind.numpy), kind, stddev, mean)


@takes(dtype=tensor_type)
def stateless_truncated_normal(
    shape: ShapeLike,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers from normal distributions, at most two standard deviations away, that depend on `seed` alone.

    >>> import gradtape as tf
    >>> tf.random.stateless_truncated_normal([2], seed=[1, 2]).numpy().round(4)
    array([0.5441, 0.2074], dtype=float32)

    Args:
        shape: The shape of the result.
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        mean: The means; they broadcast to `shape`. The tape follows them.
        stddev: The standard deviations, likewise.
        dtype: A floating type.
        name: Ignored; accepted for compatibility with TensorFlow.
        alg: The generator: "auto_select" or "philox".

    Returns:
        A tensor, the same for the same seed, and the same as in TensorFlow.

    Raises:
        ValueError: The seed is not two integers, or the type is not floating.
    """
    kind = floating(dtype, "stateless_truncated_normal")
    return scaled(philox.truncated_normal(stateless_stream(seed, alg), sizes_of(shape), kind.numpy), kind, stddev, mean)


def uniform(
    shape: ShapeLike,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = dtypes.float32,
    seed: object = None,
    name: str | None = None,
) -> Tensor:
    """Numbers uniformly distributed over [minval, maxval); integers need a `maxval`; the tape follows the bounds of floats.

    >>> import gradtape as tf
    >>> tf.random.uniform([3], minval=0, maxval=10, dtype=tf.int32).shape
    TensorShape([3])

    Args:
        shape: The shape of the result.
        minval: The lower bound, which may occur.
        maxval: The upper bound, which does not occur; 1 for floating types.
        dtype: A floating type, int32 or int64.
        seed: With `tf.random.set_seed`, what decides the numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of random numbers, other ones with each call.

    Raises:
        ValueError: No `maxval` is given for integers.
    """
    kind, sizes = uniform_type(dtype, minval, maxval, BOUNDED), sizes_of(shape)
    stream = SEEDS.stream(("uniform", kind), seed, prod(sizes) * philox.RESERVED)
    return uniform_from(stream, sizes, kind, minval, maxval)


def stateless_uniform(
    shape: ShapeLike,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers uniformly distributed over [minval, maxval) that depend on `seed` alone.

    >>> import gradtape as tf
    >>> tf.random.stateless_uniform([2], seed=[1, 2]).numpy().round(4)
    array([0.8441, 0.192 ], dtype=float32)
    >>> tf.random.stateless_uniform([4], seed=[1, 2], maxval=10, dtype=tf.int32).numpy()
    array([0, 9, 4, 9], dtype=int32)

    Args:
        shape: The shape of the result.
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        minval: The lower bound; the tape follows the bounds of floats.
        maxval: The upper bound, which is not reached. 1 by default for floats; integers need one.
        dtype: A floating type, or one of integers. Integers with both bounds None are of any size.
        name: Ignored; accepted for compatibility with TensorFlow.
        alg: The generator: "auto_select" or "philox".

    Returns:
        A tensor, the same for the same seed, and the same as in TensorFlow.

    Raises:
        ValueError: The seed is not two integers, or the type does not fit the bounds.
    """
    kind = uniform_type(dtype, minval, maxval, UNBOUNDED)
    return uniform_from(stateless_stream(seed, alg), sizes_of(shape), kind, minval, maxval)


def _gamma(stream: Any, sizes: tuple[int, ...], alpha: Any, beta: Value, samples: int) -> Any:
    kind = alpha.dtype
    draws = drawn_for(philox.gamma, stream, alpha._array, sizes, samples)
    tiny = kind.numpy.type(np.finfo(np.float32 if kind is dtypes.bfloat16 else kind.numpy).tiny)
    sample = gamma_sample.public(alpha, from_array(np.maximum(draws.astype(kind.numpy), tiny)))
    # A number of this distribution is never 0, though it may be too small to be told from it.
    return maximum(tiny, sample if beta is None else sample / beta)


@takes(dtype=tensor_type)
def gamma(
    shape: ShapeLike,
    alpha: Any,
    beta: Any = None,
    dtype: DTypeLike = dtypes.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from gamma distributions; the tape follows their parameters.

    >>> import gradtape as tf
    >>> tf.random.gamma([5], alpha=[1.0, 2.0]).shape
    TensorShape([5, 2])

    Args:
        shape: How many numbers for each distribution.
        alpha: The shape of each distribution.
        beta: The rate (the inverse of the scale) of each; 1 by default. It broadcasts with `alpha`.
        dtype: A floating type.
        seed: With `tf.random.set_seed`, what decides the numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor: `shape`, followed by the shape that alpha and beta have together.

    Raises:
        tf.errors.InvalidArgumentError: alpha and beta do not broadcast.
    """
    kind, lead = floating(dtype, "gamma"), sizes_of(shape)
    alpha = parameter(alpha, kind)
    beta = None if beta is None else parameter(beta, kind)
    common = tuple(alpha.shape) if beta is None else broadcast(tuple(alpha.shape), tuple(beta.shape))
    if common is None:
        raise invalid(f"random.gamma: alpha of shape {alpha.shape} and beta of shape {beta.shape} do not broadcast.")
    alpha = broadcast_to(alpha, common)
    samples, sizes = prod(lead), (*lead, *common)
    stream = SEEDS.stream(("gamma", kind), seed, prod(sizes) * philox.RESERVED)
    return _gamma(stream, sizes, alpha, beta, samples)


def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: Any,
    beta: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Numbers from gamma distributions that depend on `seed` and the parameters alone; the tape follows the parameters.

    >>> import gradtape as tf
    >>> tf.random.stateless_gamma([3, 2], seed=[1, 2], alpha=[1.0, 10.0]).shape
    TensorShape([3, 2])

    Args:
        shape: The shape of the result, to which the parameters broadcast.
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        alpha: The shape of each distribution.
        beta: The rate (the inverse of the scale) of each; 1 by default.
        dtype: A floating type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of that shape, the same for the same seed, and the same as in TensorFlow.

    Raises:
        ValueError: The seed is not two integers.
        tf.errors.InvalidArgumentError: The parameters do not broadcast to the shape.
    """
    kind, sizes = floating(dtype, "stateless_gamma"), sizes_of(shape)
    alpha = parameter(alpha, kind)
    beta = None if beta is None else parameter(beta, kind)
    common = tuple(alpha.shape) if beta is None else broadcast(tuple(alpha.shape), tuple(beta.shape))
    alpha, samples = filling(alpha, common, sizes, "stateless_gamma")
    return _gamma(stateless_stream(seed, "auto_select"), sizes, alpha, beta, samples)


for _name in ("uniform", "normal", "truncated_normal"):
    globals()[_name] = for_each_slice(globals()[_name])
for _name in ("normal", "stateless_normal", "truncated_normal", "stateless_truncated_normal"):
    globals()[_name] = traceable(
        globals()[_name],
        always=True,
        on_abstract=drawn_on_abstract,
        on_trace=trace_scaled(globals(), _name, "stddev", "mean"),
        draws="stream",
    )
for _name in ("uniform", "stateless_uniform"):
    globals()[_name] = traceable(
        globals()[_name],
        always=_name == "uniform",
        on_abstract=drawn_on_abstract,
        on_trace=trace_between(globals(), _name),
        draws="stream",
    )
gamma = traceable(gamma, always=True, on_abstract=gamma_on_abstract, draws="stream")
stateless_gamma = traceable(stateless_gamma, always=True, on_abstract=gamma_on_abstract, draws="stream")

for _name in ("stateless_gamma", "stateless_normal", "stateless_truncated_normal", "stateless_uniform"):
    of_shape(globals()[_name], seed=(2,))
