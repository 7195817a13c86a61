"""Kernels that draw random numbers from a key and a counter, or from the state of a generator, which is a variable."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import random
from ..api.generator import Generator
from ..base import dtypes, philox
from ..base.types import DTypeLike
from ..op.attributes import as_int, as_ints
from ..values.tensor import from_array, to_tensor

_PHILOX = 1


def _at(key: Any, counter: Any, alg: Any) -> Generator:
    """A generator that stands at a key and a counter."""
    words = [np.asarray(to_tensor(part)).astype(np.uint64).reshape(-1).view(np.int64) for part in (key, counter)]
    return Generator.from_key_counter(words[0][0], words[1][:2], as_int(alg))


def _of(resource: Any, algorithm: Any) -> Generator:
    return Generator(state=resource, alg=as_int(algorithm))


def _kind(bound: Any, otherwise: dtypes.DType) -> dtypes.DType:
    return otherwise if isinstance(bound, int) else to_tensor(bound).dtype


def normal(shape: Any, key: Any, counter: Any, alg: Any, dtype: DTypeLike) -> Any:
    """Normal numbers."""
    return _at(key, counter, alg).normal(shape, dtype=dtype)


def truncated_normal(shape: Any, key: Any, counter: Any, alg: Any, dtype: DTypeLike) -> Any:
    """Normal numbers without those beyond two deviations."""
    return _at(key, counter, alg).truncated_normal(shape, dtype=dtype)


def uniform(shape: Any, key: Any, counter: Any, alg: Any, dtype: DTypeLike) -> Any:
    """Numbers from 0 to 1."""
    return _at(key, counter, alg).uniform(shape, dtype=dtype)


def uniform_int(shape: Any, key: Any, counter: Any, alg: Any, minval: Any, maxval: Any) -> Any:
    """Whole numbers between two bounds."""
    return _at(key, counter, alg).uniform(shape, minval, maxval, _kind(minval, dtypes.int32))


def uniform_full_int(shape: Any, key: Any, counter: Any, alg: Any, dtype: DTypeLike) -> Any:
    """Whole numbers of all sizes that the type has."""
    return _at(key, counter, alg).uniform_full_int(shape, dtype)


def next_normal(resource: Any, algorithm: Any, shape: Any, dtype: DTypeLike) -> Any:
    """Normal numbers; the state moves on."""
    return _of(resource, algorithm).normal(shape, dtype=dtype)


def next_truncated_normal(resource: Any, algorithm: Any, shape: Any, dtype: DTypeLike) -> Any:
    """Normal numbers without those beyond two deviations; the state moves on."""
    return _of(resource, algorithm).truncated_normal(shape, dtype=dtype)


def next_uniform(resource: Any, algorithm: Any, shape: Any, dtype: DTypeLike) -> Any:
    """Numbers from 0 to 1; the state moves on."""
    return _of(resource, algorithm).uniform(shape, dtype=dtype)


def next_uniform_int(resource: Any, algorithm: Any, shape: Any, minval: Any, maxval: Any) -> Any:
    """Whole numbers between two bounds; the state moves on."""
    return _of(resource, algorithm).uniform(shape, minval, maxval, _kind(minval, dtypes.int64))


def next_uniform_full_int(resource: Any, algorithm: Any, shape: Any, dtype: DTypeLike) -> Any:
    """Whole numbers of all sizes that the type has; the state moves on."""
    return _of(resource, algorithm).uniform_full_int(shape, dtype)


def next_binomial(resource: Any, algorithm: Any, shape: Any, counts: Any, probs: Any, dtype: DTypeLike) -> Any:
    """How many of `counts` trials succeed; the state moves on."""
    return _of(resource, algorithm).binomial(shape, counts, probs, dtype)


def skip(resource: Any, algorithm: Any, delta: Any) -> None:
    """The state moves on."""
    _of(resource, algorithm).skip(as_int(delta))


def RngReadAndSkip(resource: Any, alg: Any, delta: Any, name: str | None = None) -> Any:
    """The state before it moves on."""
    before = resource.read_value()
    _of(resource, alg).skip(as_int(delta))
    return before


class _KeyCounter(NamedTuple):
    key: Any
    counter: Any


class _KeyCounterAlg(NamedTuple):
    key: Any
    counter: Any
    alg: Any


def StatelessRandomGetKeyCounter(seed: Any, name: str | None = None) -> _KeyCounter:
    """The key and the counter of two seeds, scrambled."""
    stream = philox.from_pair(*[as_int(part) for part in as_ints(seed)])
    words = [stream.key, stream.counter & 0xFFFFFFFFFFFFFFFF, stream.counter >> 64]
    key, *counter = (np.uint64(word) for word in words)
    return _KeyCounter(from_array(np.array([key])), from_array(np.array(counter)))


def StatelessRandomGetKeyCounterAlg(seed: Any, name: str | None = None) -> _KeyCounterAlg:
    """The key, the counter and the algorithm of two seeds."""
    return _KeyCounterAlg(*StatelessRandomGetKeyCounter(seed), StatelessRandomGetAlg())


def StatelessRandomGetAlg(name: str | None = None) -> Any:
    """The number of the algorithm: Philox."""
    return from_array(np.array(_PHILOX, np.int32))


def NonDeterministicInts(shape: Any, dtype: DTypeLike = dtypes.int64, name: str | None = None) -> Any:
    """Whole numbers that differ with every call."""
    return Generator.from_non_deterministic_state().uniform_full_int(shape, dtype)


def gamma(shape: Any, alpha: Any, seed: Any) -> Any:
    """Numbers of a gamma distribution."""
    return random.gamma(shape, alpha, dtype=to_tensor(alpha).dtype, seed=seed)
