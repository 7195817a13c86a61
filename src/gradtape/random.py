"""`tf.random`: random tensors, with TensorFlow's rules for global and op seeds.

With neither seed, every run is different. With `set_seed` alone, the n-th random op after it gives the same numbers
in every run. With an op seed, the n-th call with that seed does, whatever else was called in between. The numbers
themselves are NumPy's (Philox), not TensorFlow's.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from . import dtypes
from .arrays import gather
from .errors import invalid
from .op import as_int, as_shape
from .tensor import from_array, to_tensor

_DEFAULT_GLOBAL_SEED = 87654321
_LOCK = threading.Lock()


class _Seeds:
    """Which generator the next random op takes."""

    def __init__(self) -> None:
        self.global_seed: int | None = None
        self.calls = 0
        self.by_op_seed: dict[int, np.random.Generator] = {}
        self.unseeded = np.random.Generator(np.random.Philox())

    def generator(self, seed: Any) -> np.random.Generator:
        with _LOCK:
            if seed is None:
                if self.global_seed is None:
                    return self.unseeded.spawn(1)[0]
                self.calls += 1
                return _seeded(self.global_seed, 0, self.calls)
            number = as_int(seed)
            if number not in self.by_op_seed:
                base = _DEFAULT_GLOBAL_SEED if self.global_seed is None else self.global_seed
                self.by_op_seed[number] = _seeded(base, 1, number)
            return self.by_op_seed[number].spawn(1)[0]


def _seeded(*words: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([w & 0xFFFFFFFFFFFFFFFF for w in words])))


_SEEDS = _Seeds()


def set_seed(seed: Any) -> None:
    """Set the global seed: what random ops give from here on is the same in every run.

    >>> import gradtape as tf
    >>> tf.random.set_seed(1); a = tf.random.normal([2])
    >>> tf.random.set_seed(1); b = tf.random.normal([2])
    >>> bool(tf.reduce_all(a == b))
    True
    """
    number = as_int(seed)
    with _LOCK:
        _SEEDS.global_seed = number
        _SEEDS.calls = 0
        _SEEDS.by_op_seed = {}


def _sizes(shape: Any) -> tuple[int, ...]:
    sizes = as_shape(shape)
    if -1 in sizes:
        raise invalid(f"A size cannot be negative, got shape {list(sizes)}.")
    return sizes


def _floating(dtype: Any, name: str) -> dtypes.DType:
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"{name}: the dtype must be floating, got {kind!r}.")
    return kind


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Any:
    """Numbers from normal distributions; the tape follows `mean` and `stddev`."""
    kind = _floating(dtype, "random.normal")
    draws = _SEEDS.generator(seed).standard_normal(_sizes(shape), dtype=_draw_type(kind))
    return _shifted(draws, kind, stddev, mean)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Any:
    """Numbers from normal distributions, drawn again where they are more than two standard deviations away."""
    kind = _floating(dtype, "random.truncated_normal")
    generator = _SEEDS.generator(seed)
    draws = generator.standard_normal(_sizes(shape), dtype=_draw_type(kind))
    while (far := np.abs(draws) > 2).any():
        draws[far] = generator.standard_normal(int(far.sum()), dtype=_draw_type(kind))
    return _shifted(draws, kind, stddev, mean)


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, seed: Any = None, name: str | None = None
) -> Any:
    """Numbers evenly spread over [minval, maxval); integers need a `maxval`; the tape follows the bounds of floats."""
    kind = dtypes.as_dtype(dtype)
    sizes = _sizes(shape)
    if kind.is_floating:
        draws = _SEEDS.generator(seed).random(sizes, dtype=_draw_type(kind))
        high = 1 if maxval is None else maxval
        span = to_tensor(high, kind) - to_tensor(minval, kind)
        return _shifted(draws, kind, span, minval)
    if not kind.is_integer:
        raise ValueError(f"random.uniform: the dtype must be floating or integer, got {kind!r}.")
    if maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
    low, high = np.asarray(to_tensor(minval, kind)._array), np.asarray(to_tensor(maxval, kind)._array)
    if np.any(low >= high):
        raise invalid(f"random.uniform: minval must be below maxval, got {low.tolist()} and {high.tolist()}.")
    return from_array(_SEEDS.generator(seed).integers(low, high, sizes, dtype=kind.numpy))


def _draw_type(kind: dtypes.DType) -> Any:
    return np.float64 if kind is dtypes.float64 else np.float32


def _shifted(draws: Any, kind: dtypes.DType, scale: Any, shift: Any) -> Any:
    tensor: Any = from_array(np.asarray(draws).astype(kind.numpy))
    if not (isinstance(scale, (int, float)) and scale == 1):
        tensor = tensor * to_tensor(scale, kind)
    if not (isinstance(shift, (int, float)) and shift == 0):
        tensor = tensor + to_tensor(shift, kind)
    return tensor


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Any:
    """The slices along the first axis in random order."""
    x = to_tensor(value)
    if not x.ndim:
        return x
    order = _SEEDS.generator(seed).permutation(x.shape[0] or 0)
    return gather(x, order.astype(np.int32))


