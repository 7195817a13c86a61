"""`tf.random`: random tensors, with TensorFlow's rules for global and op seeds, and its numbers.

With neither seed, every run is different. With `set_seed` alone, the n-th random op after it gives the same numbers
in every run. With an op seed, the n-th call of that op with that seed does, whatever else was called in between; a new
`set_seed` starts all of them again. Stateless functions depend on nothing but their arguments.
"""

from __future__ import annotations

import functools
import inspect
import random as python_random
from collections.abc import Sequence
from typing import Any

import numpy as np

from .api.arrays import broadcast_to
from .api.candidates import CandidateSamplers
from .api.generator import (
    BOUNDED,
    UNBOUNDED,
    Algorithm,
    Generator,
    binomial_from,
    checked_algorithm,
    create_rng_state,
    floating,
    get_global_generator,
    parameter,
    scaled,
    set_global_generator,
    sizes_of,
    step_and_scale,
    uniform_from,
    uniform_type,
)
from .api.known_shapes import of_shape
from .base import dtypes, philox
from .base.context import ACTIVE, STATE, scope
from .base.dtypes import DType
from .base.errors import NumberNeededError, UnsupportedTypeError, invalid, unfit
from .base.locks import new_rlock, on_fork
from .base.memory import repeated
from .base.namespaces import listing, namespace
from .base.notes import note_exit
from .base.philox import Philox
from .base.seeds import GLOBAL, MAXINT32, OpSeed, Pair, Used, decoded, encoded, seed_pair
from .base.shapes import broadcast
from .base.shuffled_places import shuffled_place
from .base.traceable import shaped, trace_public, traceable
from .base.types import DTypeLike, Function, IntLike, ShapeLike, TensorLike, Value
from .differentiation.vectorize import drawn_for_each_slice
from .math import maximum
from .op.abstract import Abstract
from .op.arguments import takes, tensor_type
from .op.attributes import as_int
from .ops.array.gather import take
from .ops.array.layout import reshape, stack
from .ops.random import gamma_sample
from .trace.abstract_tensor import abstract_of
from .trace.control import sample_on_abstract
from .trace.inference import Inference, depending_on
from .values.tensor import Tensor, from_array, to_tensor

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]

# --- seeds -----------------------------------------------------------------------------------------------------------


class _Fresh:
    """A source of bits that cannot be reproduced, with the methods of `Philox`."""

    def __init__(self) -> None:
        self.begin()
        on_fork(after_in_child=self.begin)

    def begin(self) -> None:
        """Take bits that nobody has: a forked child has others than its parent, and a lock of NumPy's that nobody holds."""
        self._bits = np.random.SFC64()
        self._generator = np.random.Generator(self._bits)

    def blocks(self, count: int) -> Any:
        return np.frombuffer(self._generator.bytes(16 * count), np.uint32).reshape(count, 4)

    def at(self, offsets: Sequence[TensorLike]) -> Any:
        return self.blocks(len(offsets))


class _Seeds:
    """Which stream of bits the next stateful op takes."""

    def __init__(self) -> None:
        self.lock = new_rlock(held_through_forks=True)
        self.fresh = _Fresh()
        self.op_seeds = python_random.Random()
        self.used: Used = {}

    def set(self, seed: int) -> None:
        with self.lock:
            GLOBAL.seed = seed
            self.op_seeds = python_random.Random(seed)
            self.used = {}

    def pair(self, seed: object) -> Pair | None:
        """The two seeds of an op, or None where it has none."""
        if seed is None and GLOBAL.seed is not None:
            seed = self.op_seeds.randint(0, MAXINT32)
        return seed_pair(GLOBAL.seed, None if seed is None else as_int(seed))

    def stream(self, op: tuple[Any, ...], seed: Any, blocks: int) -> Any:
        """The stream for one call of `op`, which takes so many blocks of it."""
        if STATE.draws_unseen:
            return self.fresh
        used, running = self.used, STATE.seeds
        with self.lock:
            if running is not None:
                used = used if running.used is None else running.used
                if seed.__class__ is not OpSeed:
                    seed = running.next(None if seed is None else as_int(seed))
            if seed.__class__ is OpSeed:
                seeds, place = seed.pair, seed.place
            else:
                seeds, place = self.pair(seed), ()
            if seeds is None:
                return self.fresh
            if seed is None:  # a pair that was drawn for this call alone
                return philox.from_seeds(*seeds)
            key = op, (*seeds, *place)
            start = used.get(key, 0)
            used[key] = start + blocks
        return philox.from_seeds(*seeds).skip(start)

    def get_state(self) -> dict[str, Any]:
        """Everything that decides which numbers come next, as plain values and arrays."""
        with self.lock:
            return {
                "seed": GLOBAL.seed,
                "op_seeds": self.op_seeds.getstate(),
                "used": encoded(self.used),
                "fresh": self.fresh._bits.state,
            }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state that `get_state` gave."""
        used = decoded(state["used"])
        with self.lock:
            self.op_seeds.setstate(state["op_seeds"])
            self.fresh._bits.state = state["fresh"]
            GLOBAL.seed, self.used = state["seed"], used


_SEEDS = _Seeds()


def seeds_of(seed: TensorLike) -> tuple[int, int] | None:
    """The two seeds of a stateful op with this seed of its own, or None where neither seed was set."""
    with _SEEDS.lock:
        return _SEEDS.pair(seed)


def stream_of(op: tuple[Any, ...], seed: Any, blocks: int) -> Any:
    """The stream of bits for one call of an op; a seed of 0 means none, whatever the global one is."""
    return _SEEDS.stream(op, seed, blocks) if seed != 0 else _SEEDS.fresh


def set_seed(seed: TensorLike) -> None:
    """Set the global seed: what random ops give from here on is the same in every run, and the same as in TensorFlow.

    >>> import gradtape as tf
    >>> tf.random.set_seed(1)
    >>> tf.random.uniform([2]).numpy()
    array([0.16513085, 0.9014813 ], dtype=float32)

    Args:
        seed: A whole number.
    """
    whole = isinstance(seed, float) and seed.is_integer()  # (TensorFlow takes 1.0 for 1)
    _SEEDS.set(int(seed) if whole else as_int(seed))  # type: ignore[arg-type]


def get_state() -> dict[str, Any]:
    """The state of random functions, dropout and the global generator, as plain values and arrays.

    >>> import gradtape as tf
    >>> state = tf.random.get_state()
    >>> sorted(state)
    ['global_generator', 'seeds']

    `tf.train.Checkpoint(..., random=tf.random)` saves and restores it, so that a run that was stopped goes on with the
    numbers of one that was not.

    Returns:
        What `tf.random.set_state` takes.
    """
    return {"seeds": _SEEDS.get_state(), "global_generator": get_global_generator().state.numpy()}


def set_state(state: dict[str, Any]) -> None:
    """Go on from a state that `get_state` gave.

    >>> import gradtape as tf
    >>> state = tf.random.get_state()
    >>> first = tf.random.normal([2])
    >>> tf.random.set_state(state)
    >>> bool(tf.reduce_all(tf.random.normal([2]) == first))
    True

    Args:
        state: What `tf.random.get_state` gave.
    """
    _SEEDS.set_state(state["seeds"])
    get_global_generator().reset(state["global_generator"])


def stateless_stream(seed: object, alg: object = "auto_select") -> Philox:
    """The stream of bits of a stateless function with this seed, two integers."""
    checked_algorithm(alg)
    pair = to_tensor(seed)
    if tuple(pair.shape) != (2,) or pair.dtype not in BOUNDED:
        message = f"The seed of a stateless function must be two integers, got {seed!r}."
        raise NumberNeededError(None, None, message)
    return philox.from_pair(*(int(value) for value in pair._array))


# --- what the functions have in common ---------------------------------------------------------------------------------


def _count(sizes: tuple[int, ...]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


# --- normal and uniform ------------------------------------------------------------------------------------------------


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
    stream = _SEEDS.stream(("normal", kind), seed, _count(sizes) * philox.RESERVED)
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
        seed: Two integers.
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
    stream = _SEEDS.stream(("truncated_normal", kind), seed, _count(sizes) * philox.RESERVED)
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
        seed: Two integers.
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
    stream = _SEEDS.stream(("uniform", kind), seed, _count(sizes) * philox.RESERVED)
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
        seed: Two integers.
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


# --- gamma and Poisson -------------------------------------------------------------------------------------------------


def _drawn(draw: Any, stream: Any, parameter: TensorLike, sizes: tuple[int, ...], samples: int) -> Any:
    """`samples` numbers for each parameter, in TensorFlow's order: one parameter after the other, samples innermost."""
    flat = repeated("random", np.asarray(parameter).reshape(-1), samples)
    return draw(stream, flat).reshape(-1, samples).T.reshape(sizes)


def _gamma(stream: Any, sizes: tuple[int, ...], alpha: Any, beta: Value, samples: int) -> Any:
    kind = alpha.dtype
    draws = _drawn(philox.gamma, stream, alpha._array, sizes, samples)
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
    samples, sizes = _count(lead), (*lead, *common)
    stream = _SEEDS.stream(("gamma", kind), seed, _count(sizes) * philox.RESERVED)
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
        seed: Two integers.
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
    alpha, samples = _filling(alpha, common, sizes, "stateless_gamma")
    return _gamma(stateless_stream(seed, "auto_select"), sizes, alpha, beta, samples)


def _filling(value: TensorLike, common: tuple[int, ...] | None, sizes: tuple[int, ...], name: str) -> tuple[Any, int]:
    """A parameter broadcast to the last axes of `sizes`, and how many numbers each of its elements is for."""
    if common is None or broadcast(common, sizes) != sizes:
        raise invalid(f"random.{name}: parameters of shape {common} do not broadcast to shape {list(sizes)}.")
    last = sizes[len(sizes) - len(common) :]
    return broadcast_to(value, last), _count(sizes[: len(sizes) - len(common)])


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
    stream = _SEEDS.stream(("poisson", kind, rate.dtype), seed, _count(sizes) * philox.RESERVED)
    draws = _drawn(philox.poisson, stream, rate._array, sizes, _count(lead))
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
        seed: Two integers.
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
    rate, samples = _filling(rate, tuple(rate.shape), sizes, "stateless_poisson")
    draws = _drawn(philox.poisson, stateless_stream(seed, "auto_select"), rate._array, sizes, samples)
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
        seed: Two integers.
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
    if not (kind.is_floating or kind in BOUNDED):
        raise invalid(f"random.{name}: the dtype must be floating, int32 or int64, got {kind!r}.")
    if not (rate.dtype.is_floating or rate.dtype in BOUNDED):
        raise invalid(f"random.{name}: rates must be numbers, got {rate.dtype!r}.")


def _counts(draws: Any, kind: DType) -> Any:
    if kind.is_integer and not np.isfinite(draws).all():
        raise invalid("random.poisson: a rate is negative or not finite, and an integer cannot say so.")
    return draws.astype(kind.numpy)


# --- choices -----------------------------------------------------------------------------------------------------------


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
    if ACTIVE and scores._id:
        note_exit(scores._id, "the logits of a draw")
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
    stream = _SEEDS.stream(("categorical", kind, scores.dtype), seed, scores.shape[0] * rounded * philox.RESERVED)
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
        seed: Two integers.
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


def shuffle(value: TensorLike, seed: object = None, name: str | None = None) -> Tensor:
    """The slices along the first axis in random order.

    >>> import gradtape as tf
    >>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())
    [1, 2, 3]

    Args:
        value: A tensor.
        seed: With `tf.random.set_seed`, what decides the order.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape. Gradients follow the slices to their places.
    """
    x = to_tensor(value)
    size = (x.shape[0] or 0) if x.ndim else 0
    order = _drawn_order(size, x.dtype, seed)
    return x if size < 2 else _in_order(x, order)


def _in_order(x: Tensor, order: Tensor) -> Tensor:
    """The slices along the first axis in another order. (Along the second: the gradient is a tensor then, no IndexedSlices.)"""
    return reshape.public(take.public(reshape.public(x, (1, *x.shape)), order, axis=1), x.shape)


def _drawn_order(size: int, dtype: DType, seed: object = None) -> Tensor:
    """Numbers from 0 to `size` - 1 in random order; tensors of each type have a stream of their own."""
    if size < 2:
        return from_array(np.arange(size))
    stream = _SEEDS.stream(("shuffle", dtype), seed, -(-(size - 1) // 4))
    return from_array(np.asarray(philox.permutation(stream, size)))


def _stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: object = "auto_select", name: str | None = None
) -> Tensor:
    """The slices along the first axis in an order that depends on `seed` alone.

    >>> import gradtape as tf
    >>> tf.random.experimental.stateless_shuffle([10, 20, 30, 40], seed=[1, 2]).numpy()
    array([10, 40, 30, 20], dtype=int32)

    Args:
        value: A tensor.
        seed: Two integers.
        alg: The generator: "auto_select" or "philox".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The seed is not two integers.
    """
    x = to_tensor(value)
    size = (x.shape[0] or 0) if x.ndim else 0
    order = _order(size, seed, alg)
    return x if size < 2 else _in_order(x, order)


def _order(size: int, seed: TensorLike, alg: object) -> Tensor:
    """Numbers from 0 to `size` - 1 in an order that depends on `seed` alone."""
    return from_array(np.asarray(philox.permutation(stateless_stream(seed, alg), size)))


_KEY_BEFORE_SEED = 498247692  # the first of three words that scramble a place; the other two are the seed


def _index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """Where places go when 0 to `max_index` are shuffled: each by itself, without the list of all.

    The order is a permutation that the seed tells. A block cipher (Simon, four rounds) is applied to a place until the result is
    one of the places.

    >>> import gradtape as tf
    >>> tf.random.experimental.index_shuffle(tf.range(8), [7, 8], 7).numpy()
    array([3, 6, 1, 5, 7, 4, 2, 0], dtype=int32)

    Args:
        index: Places, scalar or vector.
        seed: Two integers, or a row of them for each place.
        max_index: The last place, or one for each.

    Returns:
        A tensor of the type of `index`.

    Raises:
        tf.errors.InvalidArgumentError: A place is not from 0 to `max_index`, or there are not two numbers of the seed.
    """
    places, key, last = (np.asarray(to_tensor(value)._array) for value in (index, seed, max_index))
    if key.shape[-1:] != (2,) or key.ndim > 2 or key.dtype.kind not in "iu":
        raise invalid(
            f"index_shuffle: the seed must be two integers, or two for each place; got shape {list(key.shape)}."
        )
    if places.ndim > 1 or last.ndim > 1:
        raise invalid(f"index_shuffle: places are a scalar or a vector, got shapes {places.shape} and {last.shape}.")
    lead = np.broadcast_shapes(places.shape, last.shape, key.shape[:-1])
    rows = np.broadcast_to(key, (*lead, 2)).reshape(-1, 2).tolist()
    pairs = zip(
        np.broadcast_to(places, lead).ravel().tolist(), np.broadcast_to(last, lead).ravel().tolist(), strict=True
    )
    found = [
        shuffled_place(place, (_KEY_BEFORE_SEED, *row), end) for (place, end), row in zip(pairs, rows, strict=True)
    ]
    return from_array(np.array(found, places.dtype).reshape(lead))


def split(seed: TensorLike, num: object = 2, alg: object = "auto_select") -> Any:
    """New seeds for stateless functions, one in each row, from one seed.

    >>> import gradtape as tf
    >>> first, second = tf.random.split([1, 2])
    >>> first.shape
    TensorShape([2])

    Args:
        seed: Two integers.
        num: How many seeds.
        alg: The generator: "auto_select" or "philox".

    Returns:
        A tensor (num, 2) of the type of the seed.

    Raises:
        ValueError: The seed is not two integers.
    """
    pair = to_tensor(seed)
    return stateless_uniform([as_int(num), 2], pair, None, None, pair.dtype, alg=alg)


def fold_in(seed: TensorLike, data: TensorLike, alg: object = "auto_select") -> Tensor:
    """A new seed for stateless functions, from a seed and an integer, such as the number of a step.

    >>> import gradtape as tf
    >>> seeds = [tf.random.fold_in([1, 2], step).numpy().tolist() for step in range(2)]
    >>> seeds[0] == seeds[1]
    False

    Args:
        seed: Two integers.
        data: An integer.
        alg: The generator: "auto_select" or "philox".

    Returns:
        Two integers of the type of `data`.

    Raises:
        ValueError: The seed is not two integers, or `data` is not one.
    """
    value = to_tensor(data)
    if value.ndim or value.dtype not in UNBOUNDED:
        raise NumberNeededError(None, None, f"random.fold_in: data must be an integer scalar, got {data!r}.")
    first = stateless_uniform([], seed, None, None, value.dtype, alg=alg)
    return stack.public([first, value])


# --- inside traced functions -------------------------------------------------------------------------------------------


def _drawn_on_abstract(evaluator: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Shapes and types of random numbers; seeds stay where they are. An op of a graph gets the seeds of its place."""
    signature = inspect.signature(function)
    given = signature.bind(*args, **kwargs)
    if STATE.maps and "shape" in given.arguments:
        others = {name: value for name, value in given.arguments.items() if name != "shape"}
        return drawn_for_each_slice(
            lambda shape: _drawn_on_abstract(evaluator, function, shape=shape, **others), given.arguments["shape"]
        )
    seed_parameter = signature.parameters.get("seed")
    if STATE.seeds is not None and seed_parameter is not None and seed_parameter.default is None:
        given = signature.bind(*args, **kwargs)
        seed = given.arguments.get("seed")
        given.arguments["seed"] = STATE.seeds.next(None if seed is None else as_int(seed))
        args, kwargs = given.args, given.kwargs
    with scope(draws_unseen=True):
        return sample_on_abstract(evaluator, function, *args, **kwargs)


def _trace_scaled(name: str, scale: str, shift: str) -> Any:
    """Numbers with a spread and a centre: what is drawn has neither, so that gradients reach both."""

    def on_trace(trace: Any, *args: object, **kwargs: object) -> Any:
        function = globals()[name]
        given = inspect.signature(function).bind(*args, **kwargs)
        given.apply_defaults()
        settings = given.arguments
        centre, spread = settings.pop(shift), settings.pop(scale)
        return scaled(trace.step(function, (), settings), dtypes.as_dtype(settings["dtype"]), spread, centre)

    return on_trace


def _trace_between(name: str) -> Any:
    """Numbers between bounds, which gradients reach, too."""
    return lambda trace, *args, **kwargs: step_and_scale(trace, globals()[name], args, kwargs)


def _gamma_on_abstract(evaluator: object, function: Function, shape: ShapeLike, *args: object, **kwargs: object) -> Any:
    if any(isinstance(value, Tensor) and value.dtype.is_floating for value in (*args, *kwargs.values())):
        drawn = _drawn_on_abstract(evaluator, function, shape, *args, **kwargs)
        return depending_on(evaluator, drawn, [*args, *kwargs.values()]) if isinstance(evaluator, Inference) else drawn
    return _drawn_on_abstract(evaluator, function, shape, *args, **kwargs)


def _for_each_slice(function: Function) -> Function:
    """The function, which draws other numbers for each slice of a `tf.vectorized_map`."""

    @functools.wraps(function)
    def drawn(shape: ShapeLike, *args: Any, **kwargs: object) -> Any:
        if not STATE.maps:
            return function(shape, *args, **kwargs)
        return drawn_for_each_slice(lambda shape: function(shape, *args, **kwargs), shape)

    return drawn


for _name in ("uniform", "normal", "truncated_normal"):
    globals()[_name] = _for_each_slice(globals()[_name])
for _name in ("normal", "stateless_normal", "truncated_normal", "stateless_truncated_normal"):
    globals()[_name] = traceable(
        globals()[_name],
        always=True,
        on_abstract=_drawn_on_abstract,
        on_trace=_trace_scaled(_name, "stddev", "mean"),
        draws="stream",
    )
for _name in ("uniform", "stateless_uniform"):
    globals()[_name] = traceable(
        globals()[_name],
        always=_name == "uniform",
        on_abstract=_drawn_on_abstract,
        on_trace=_trace_between(_name),
        draws="stream",
    )
gamma = traceable(gamma, always=True, on_abstract=_gamma_on_abstract, draws="stream")
stateless_gamma = traceable(stateless_gamma, always=True, on_abstract=_gamma_on_abstract, draws="stream")
_drawn_order = traceable(_drawn_order, always=True, on_abstract=_drawn_on_abstract, draws="stream")
_order = traceable(_order, on_abstract=_drawn_on_abstract, draws="stream")
shuffle = traceable(shuffle, always=True)
trace_public(
    globals(),
    always=("poisson", "categorical"),
    skip=(
        "seeds_of",
        "set_seed",
        "stream_of",
        "stateless_stream",
        "get_global_generator",
        "set_global_generator",
        "create_rng_state",
        "split",  # these are made of other functions
        "fold_in",
    ),
    on_abstract=_drawn_on_abstract,
    draws="stream",
)

for _name in (
    "stateless_binomial", "stateless_categorical", "stateless_gamma", "stateless_normal", "stateless_poisson",
    "stateless_truncated_normal", "stateless_uniform",
):  # fmt: skip
    of_shape(globals()[_name], seed=(2,))

_SAMPLERS = CandidateSamplers(_SEEDS.stream)
uniform_candidate_sampler = traceable(_SAMPLERS.uniform, always=True, on_abstract=_drawn_on_abstract)
log_uniform_candidate_sampler = traceable(_SAMPLERS.log_uniform, always=True, on_abstract=_drawn_on_abstract)
learned_unigram_candidate_sampler = traceable(_SAMPLERS.learned_unigram, always=True, on_abstract=_drawn_on_abstract)
fixed_unigram_candidate_sampler = traceable(_SAMPLERS.fixed_unigram, always=True, on_abstract=_drawn_on_abstract)
all_candidate_sampler = traceable(_SAMPLERS.all, on_abstract=_drawn_on_abstract)


@namespace("gradtape.random.experimental")
class experimental:
    """`tf.random.experimental`: earlier names of generators, and seeds that are split and folded."""

    Algorithm = Algorithm
    Generator = Generator
    create_rng_state = staticmethod(create_rng_state)
    index_shuffle = staticmethod(traceable(_index_shuffle, on_abstract=_drawn_on_abstract, draws="stream"))
    get_global_generator = staticmethod(get_global_generator)
    set_global_generator = staticmethod(set_global_generator)
    stateless_fold_in = staticmethod(fold_in)
    stateless_shuffle = staticmethod(traceable(_stateless_shuffle))
    stateless_split = staticmethod(split)


__dir__ = listing(globals())
