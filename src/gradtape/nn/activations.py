"""Activations of `tf.nn`, softmax and dropout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import math, random
from ..api.layout import concat
from ..base import dtypes
from ..base.namespaces import namespace
from ..base.traceable import trace_public
from ..base.types import AxisLike, DTypeLike, Function, ShapeLike, TensorLike
from ..math import log_softmax as log_softmax
from ..math import softmax as softmax
from ..op.arguments import number
from ..op.attributes import as_int, as_int_vector
from ..ops.linalg.products import dense
from ..ops.nn import activations as n
from ..ops.nn.dropout import apply_dropout
from ..ops.public import elu as elu
from ..ops.public import relu as relu
from ..ops.public import relu6 as relu6
from ..ops.public import selu as selu
from ..ops.public import softsign as softsign
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from . import sequence
from .normalization import layer_norm, rms_norm

softplus = math.softplus
sigmoid = math.sigmoid
tanh = math.tanh


def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where it is positive, alpha * x elsewhere.

    >>> import gradtape as tf
    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)

    Args:
        features: A floating tensor.
        alpha: The slope of negative values.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.
    """
    x = to_tensor(features)
    if x.dtype.is_integer:
        x = math.cast(x, dtypes.float32)
    if alpha.__class__ is not float:
        number("alpha", alpha)
    return n.scaled_relu.public(x, float(alpha))


def crelu(features: TensorLike, axis: AxisLike = -1, name: str | None = None) -> Tensor:
    """relu of x and of -x, one after the other along `axis`.

    >>> import gradtape as tf
    >>> tf.nn.crelu([[1.0, -2.0]]).numpy()
    array([[1., 0., 0., 2.]], dtype=float32)

    Args:
        features: A tensor of numbers.
        axis: The axis along which they stand, which becomes twice as large.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without negative numbers.

    Raises:
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    x = to_tensor(features)
    return relu(concat([x, math.negative(x)], axis))


def silu(features: object, beta: Any = 1.0, name: str | None = None) -> Tensor:
    """x * sigmoid(beta * x), also known as swish.

    >>> import gradtape as tf
    >>> tf.nn.silu(tf.constant([-1.0, 0.0, 1.0])).numpy().round(4)
    array([-0.2689,  0.    ,  0.7311], dtype=float32)

    Args:
        features: A floating tensor.
        beta: The factor inside the sigmoid.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.
    """
    x, scale = to_tensor(features), beta
    if isinstance(beta, (Tensor, Variable)) and beta.dtype is not x.dtype:
        scale = math.cast(beta, x.dtype)
    return n.silu.public(x, scale)


swish = silu


def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the normal distribution function of x, exact or by the tanh formula.

    >>> import gradtape as tf
    >>> tf.nn.gelu([0.0, 1.0]).numpy()
    array([0.       , 0.8413447], dtype=float32)

    Args:
        features: A floating tensor.
        approximate: Whether to compute it with tanh.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The numbers are not floating.
    """
    x = to_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(f"`features.dtype` must be a floating point tensor. Received: features.dtype={x.dtype!r}.")
    return n.gelu_of.public(x, bool(approximate))


def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: TensorLike | None = None,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Zero with probability `rate`, the others scaled up by 1 / (1 - rate) so that the expected sum stays.

    >>> import gradtape as tf
    >>> x = tf.ones([1000])
    >>> sorted(set(tf.nn.dropout(x, rate=0.5, seed=1).numpy().tolist()))
    [0.0, 2.0]

    Along axes where `noise_shape` has 1, elements are kept or dropped together.

    Args:
        x: A floating tensor.
        rate: The share of elements that become 0.
        noise_shape: The shape in which it is decided; it broadcasts.
        seed: With `tf.random.set_seed`, what decides the zeros.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensor, with zeros in it and the rest scaled up.

    Raises:
        ValueError: The rate is not in [0, 1).
    """
    return _dropout(x, rate, noise_shape, lambda shape, dtype: random.uniform(shape, dtype=dtype, seed=seed))


def _stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: object = None,
    noise_shape: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`dropout` whose choice depends on `seed` alone: the same zeros with each call.

    >>> import gradtape as tf
    >>> tf.nn.experimental.stateless_dropout(tf.ones([6]), rate=0.5, seed=[1, 2]).numpy()
    array([2., 0., 2., 0., 0., 2.], dtype=float32)

    Args:
        x: A floating tensor.
        rate: The share of elements that become 0.
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        rng_alg: The generator: "auto_select" or "philox".
        noise_shape: The shape in which it is decided; it broadcasts.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensor, with zeros in it and the rest scaled up.

    Raises:
        ValueError: The rate is not in [0, 1).
    """
    algorithm = "auto_select" if rng_alg is None else rng_alg

    def uniform(shape: ShapeLike, dtype: DTypeLike) -> Any:
        return random.stateless_uniform(shape, seed, dtype=dtype, alg=algorithm)

    return _dropout(x, rate, noise_shape, uniform)


def _general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Function,
    noise_shape: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`dropout` with random numbers from a function of yours.

    >>> import gradtape as tf
    >>> def uniform(shape, dtype):
    ...     return tf.random.stateless_uniform(shape, seed=[1, 2], dtype=dtype)
    >>> tf.nn.experimental.general_dropout(tf.ones([6]), rate=0.5, uniform_sampler=uniform).numpy()
    array([2., 0., 2., 0., 0., 2.], dtype=float32)

    Args:
        x: A floating tensor.
        rate: The share of elements that become 0.
        uniform_sampler: Called with `shape` and `dtype`; gives numbers from 0 to 1. Those below `rate` become zeros.
        noise_shape: The shape in which it is decided; it broadcasts.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The tensor, with zeros in it and the rest scaled up.

    Raises:
        ValueError: The rate is not in [0, 1).
    """
    return _dropout(x, rate, noise_shape, lambda shape, dtype: uniform_sampler(shape=shape, dtype=dtype))


@namespace("gradtape.nn.experimental")
class experimental:
    """`tf.nn.experimental`: layers as one op each (dense, attention, LSTM, GRU, norms), and dropout from a seed."""

    general_dropout = staticmethod(_general_dropout)
    stateless_dropout = staticmethod(_stateless_dropout)
    layer_norm = staticmethod(layer_norm)
    rms_norm = staticmethod(rms_norm)
    dense = staticmethod(dense.public)
    dot_product_attention = staticmethod(sequence.dot_product_attention)
    lstm_step = staticmethod(sequence.lstm_step)
    gru_step = staticmethod(sequence.gru_step)


def _dropout(x: object, rate: Any, noise_shape: object, uniform: Callable[[Any, Any], Any]) -> Any:
    x = to_tensor(x)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype!r}"
        )
    if isinstance(rate, (int, float)):
        if not 0 <= rate < 1:
            raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
        if rate == 0:
            return x
        rate = float(rate)
    elif isinstance(rate, Tensor) or hasattr(rate.__class__, "_read") or hasattr(rate, "dtype"):
        rate = to_tensor(rate)
        if rate.ndim:
            raise ValueError(f"`rate` must be a scalar, got shape {rate.shape}.")
        if rate.dtype is not x.dtype:
            raise ValueError(
                f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={x.dtype!r} "
                f"and rate.dtype={rate.dtype!r}"
            )
    else:
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    noise = uniform(_noise_shape(x, noise_shape), x.dtype)
    if isinstance(rate, float):
        return apply_dropout.public(x, noise, rate)
    keep = math.greater_equal(noise, rate)
    # A product with 0 and 1: where() takes eight times as long on a random mask.
    return x * (math.cast(keep, x.dtype) * (1.0 / (1.0 - rate)))


def _noise_shape(x: Any, noise_shape: Any) -> tuple[int, ...]:
    shape = tuple(x.shape)
    if noise_shape is None:
        return shape
    sizes = (
        list(noise_shape) if isinstance(noise_shape, (list, tuple)) else list(as_int_vector(noise_shape, "noise_shape"))
    )
    if len(sizes) == len(shape):
        sizes = [own if size is None else size for size, own in zip(sizes, shape, strict=True)]
    return tuple(as_int(size) for size in sizes)


trace_public(globals())
