"""Random whole numbers: counts of a Poisson or binomial distribution, and classes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..api.generator import BOUNDED, binomial_from, sizes_of
from ..api.known_shapes import of_shape
from ..base import dtypes, philox
from ..base.context import ACTIVE
from ..base.dtypes import DType
from ..base.errors import UnsupportedTypeError, invalid, unfit
from ..base.notes import note_draw
from ..base.traceable import shaped, trace_public
from ..base.types import DTypeLike, IntLike, ShapeLike, TensorLike, Value
from ..op.abstract import Abstract
from ..op.arguments import takes, tensor_type
from ..op.attributes import as_int
from ..trace.abstract_tensor import abstract_of
from ..values.tensor import Tensor, from_array, to_tensor
from .parameters import drawn_for, filling
from .streams import SEEDS, stateless_stream
from .tracing import drawn_on_abstract


@takes(dtype=tensor_type)
def poisson(
    shape: ShapeLike,
    lam: Any,
    dtype: DTypeLike = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from Poisson distributions: how many events there are, at a rate.

    >>> import gradtape as tf
    >>> tf.random.poisson([5], lam=[1.0, 100.0]).shape
    TensorShape([5, 2])

    Args:
        shape: How many numbers for each distribution.
        lam: The rate of each distribution.
        dtype: A floating type, int32 or int64.
        seed: With `tf.random.set_seed`, what decides the numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor: `shape`, followed by the shape of `lam`. No derivative passes through it.

    Raises:
        tf.errors.InvalidArgumentError: A type is another, or integers are asked for and a rate is negative.
    """
    kind, lead = dtypes.as_dtype(dtype), sizes_of(shape)
    rate = to_tensor(lam)
    _check_poisson(kind, rate, "poisson")
    sizes = (*lead, *tuple(rate.shape))
    stream = SEEDS.stream(("poisson", kind, rate.dtype), seed, prod(sizes) * philox.RESERVED)
    draws = drawn_for(philox.poisson, stream, rate._array, sizes, prod(lead))
    return from_array(_counts(draws, kind))


def stateless_poisson(
    shape: ShapeLike, seed: Any, lam: TensorLike, dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> Tensor:
    """Numbers from Poisson distributions that depend on `seed` and the rates alone.

    >>> import gradtape as tf
    >>> tf.random.stateless_poisson([4], seed=[1, 2], lam=[5.0]).numpy()
    array([7, 5, 8, 8], dtype=int32)

    Args:
        shape: The shape of the result, to which the rates broadcast.
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        lam: The rate of each distribution.
        dtype: A floating type, int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of that shape, the same for the same seed, and the same as in TensorFlow.

    Raises:
        ValueError: The seed is not two integers.
        tf.errors.InvalidArgumentError: The rates do not broadcast to the shape, or a type is another.
    """
    kind, sizes = dtypes.as_dtype(dtype), sizes_of(shape)
    rate = to_tensor(lam)
    _check_poisson(kind, rate, "stateless_poisson")
    rate, samples = filling(rate, tuple(rate.shape), sizes, "stateless_poisson")
    draws = drawn_for(philox.poisson, stateless_stream(seed, "auto_select"), rate._array, sizes, samples)
    return from_array(_counts(draws, kind))


def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many of `counts` trials succeed, each with the probability in `probs`; the numbers depend on `seed`, two integers.

    >>> import gradtape as tf
    >>> tf.random.stateless_binomial([3], [1, 2], 10.0, 0.3).numpy()
    array([5, 5, 5], dtype=int32)

    Args:
        shape: The shape of the result. It ends with the shape that counts and probs have together.
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        counts: How many trials there are.
        probs: The probability of a success.
        output_dtype: int32, int64 or a floating type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of whole numbers.

    Raises:
        tf.errors.InvalidArgumentError: The shape does not end with that of counts and probs.
    """
    kind = dtypes.as_dtype(output_dtype)
    return binomial_from(
        stateless_stream(seed, "auto_select"), sizes_of(shape), counts, probs, kind, "stateless_binomial"
    )


def _check_poisson(kind: DType, rate: Value, name: str) -> None:
    if ACTIVE:
        note_draw(rate)
    if not (kind.is_floating or kind in BOUNDED):
        raise invalid(f"random.{name}: the dtype must be floating, int32 or int64, got {kind!r}.")
    if not (rate.dtype.is_floating or rate.dtype in BOUNDED):
        raise invalid(f"random.{name}: rates must be numbers, got {rate.dtype!r}.")


def _counts(draws: Any, kind: DType) -> Any:
    if kind.is_integer and not np.isfinite(draws).all():
        raise invalid("random.poisson: a rate is negative or not finite, and an integer cannot say so.")
    return draws.astype(kind.numpy)


def _classes(logits: TensorLike, num_samples: IntLike, dtype: object, name: str) -> tuple[Any, int, DType]:
    scores, samples = to_tensor(logits), as_int(num_samples)
    kind = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    if kind not in BOUNDED:
        raise ValueError(f"random.{name}: the dtype must be int32 or int64, got {kind.name}.")
    if not scores.dtype.is_floating:
        message = f"random.{name}: logits must be floating, got {scores.dtype.name}. Use tf.cast."
        raise UnsupportedTypeError(None, None, message)
    if scores.ndim != 2:
        raise unfit(
            f"random.{name}: logits must be a floating matrix, one row for each "
            f"distribution; got {scores.dtype.name} {scores.shape}."
        )
    if samples < 0:
        raise invalid(f"random.{name}: num_samples should be non-negative, got {samples}.")
    if not scores.shape[1]:
        raise invalid(f"random.{name}: num_classes should be positive, got logits of shape {scores.shape}.")
    if ACTIVE:
        note_draw(scores)
    return scores._array, samples, kind


def categorical(
    logits: TensorLike,
    num_samples: IntLike,
    dtype: DTypeLike | None = None,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Class numbers drawn for each row of unnormalised log-probabilities.

    >>> import gradtape as tf
    >>> tf.random.categorical([[0.0, -1000.0], [-1000.0, 0.0]], 3).numpy()
    array([[0, 0, 0],
           [1, 1, 1]])

    Args:
        logits: A row of scores for each distribution: (batch, classes).
        num_samples: How many numbers for each row.
        dtype: tf.int64 (the default) or tf.int32.
        seed: With `tf.random.set_seed`, what decides the numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Integers (batch, num_samples).

    Raises:
        ValueError: The type is another.
        tf.errors.InvalidArgumentError: The logits do not have two axes, or there are no classes.
    """
    scores, samples, kind = _classes(logits, num_samples, dtype, "categorical")
    rounded = -(-samples // 4) * 4 * 2  # doubles take two words each
    stream = SEEDS.stream(("categorical", kind, scores.dtype), seed, scores.shape[0] * rounded * philox.RESERVED)
    return from_array(philox.categorical(stream, scores, samples, kind.numpy))


def _categories_look(
    logits: TensorLike, num_samples: IntLike, seed: TensorLike, dtype: DTypeLike = dtypes.int64, name: str | None = None
) -> Abstract:
    rows = abstract_of(to_tensor(logits)).of_rank(2)[0]
    return Abstract((rows, as_int(num_samples)), dtypes.as_dtype(dtype).numpy)


@shaped(_categories_look)
def stateless_categorical(
    logits: TensorLike, num_samples: IntLike, seed: TensorLike, dtype: DTypeLike = dtypes.int64, name: str | None = None
) -> Tensor:
    """Class numbers drawn for each row of unnormalised log-probabilities, that depend on `seed` alone.

    >>> import gradtape as tf
    >>> tf.random.stateless_categorical([[0.0, 0.0]], 5, seed=[1, 2]).numpy()
    array([[1, 1, 0, 1, 1]])

    Args:
        logits: A row of scores for each distribution: (batch, classes).
        num_samples: How many numbers for each row.
        seed: Two integers, from which the numbers follow: the same two give the same numbers.
        dtype: tf.int64 or tf.int32.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Integers (batch, num_samples), the same for the same seed, and the same as in TensorFlow.

    Raises:
        ValueError: The seed is not two integers, or the type is another.
        tf.errors.InvalidArgumentError: The logits do not have two axes, or there are no classes.
    """
    scores, samples, kind = _classes(logits, num_samples, dtype, "stateless_categorical")
    return from_array(philox.categorical(stateless_stream(seed, "auto_select"), scores, samples, kind.numpy))


trace_public(globals(), always=("poisson", "categorical"), on_abstract=drawn_on_abstract, draws="stream")
for _name in ("stateless_binomial", "stateless_categorical", "stateless_poisson"):
    of_shape(globals()[_name], seed=(2,))
