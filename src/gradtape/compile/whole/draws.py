"""Random numbers of stateless functions as steps: the bits of `base/philox.py`, computed with the rest of the function.

Their seed is a value of the program, as in a loop that makes a seed of the number of the round. What is drawn from a stream of
the process, or from a generator, is a call of Python.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base.philox import SCRAMBLER
from ...native import thresholds
from ...native.language import Unsupported
from ..program import Call, Look, Value
from .stand_in import StandIn, Steps

_LOW, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_FIRST, _SECOND = (
    np.uint64(0xD2511F53),
    np.uint64(0xCD9E8D57),
)  # the multipliers, and what is added to the keys in each round
_KEY, _OTHER_KEY = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)

Words = tuple[Any, Any, Any, Any]


def is_stateless(call: Call) -> bool:
    """Whether a call draws numbers that depend on its arguments alone, in a way that is written here."""
    return getattr(call.function, "draws", "") == "stream" and call.name in _DRAWS


def drawn(steps: Steps, call: Call, value: Callable[[Any], StandIn], look: Look) -> Any:
    """The numbers of a call that `is_stateless`; `value` gives what stands for a value of the program."""
    (shape, dtype), given = look, _arguments(call)
    if dtype.char not in "fdil" or any(
        name in given and given[name].__class__ is Value for name in ("minval", "maxval")
    ):
        raise Unsupported(f"numbers of {dtype}, or bounds that are values")
    seed = given["seed"]
    pair: Any = np.stack([value(part) for part in seed]) if seed.__class__ in (list, tuple) else value(seed)
    if pair.shape != (2,) or pair.dtype.kind not in "iu":
        raise Unsupported("a seed that is no pair of integers")
    count = math.prod(shape)
    if not 0 < count <= thresholds.WHOLE_ELEMENTS:  # more are drawn by NumPy, on long arrays
        raise Unsupported("so many numbers")
    words = _of_pair(pair, -(-count // (2 if dtype.itemsize == 8 else 4)))
    return _DRAWS[call.name](steps, words, given, dtype).reshape(-1)[:count].reshape(shape)


def _arguments(call: Call) -> dict[str, Any]:
    args, options = call.arguments
    bound = inspect.signature(call.function).bind(*args, **options)
    bound.apply_defaults()
    return bound.arguments


def _rounds(a: Any, b: Any, c: Any, d: Any, key: Any, other: Any) -> Words:
    """The words of blocks, from those of their counters and the two words of the key."""
    for _ in range(10):
        one, two = a * _FIRST, c * _SECOND
        a, b, c, d = (two >> _32) ^ b ^ key, two & _LOW, (one >> _32) ^ d ^ other, one & _LOW
        key, other = (key + _KEY) & _LOW, (other + _OTHER_KEY) & _LOW
    return a, b, c, d


def _of_pair(pair: Any, count: int) -> Any:
    """The first blocks of the stream of a seed: an array (count, 4) of uint32. The seed itself is scrambled first."""
    words = pair.astype(np.int64).astype(np.uint64)
    low, high = words[0:1], words[1:2]
    key, other = np.uint64(SCRAMBLER) & _LOW, np.uint64(SCRAMBLER) >> _32
    key, other, c, d = _rounds(low & _LOW, low >> _32, high & _LOW, high >> _32, key, other)
    mixed = _rounds(np.arange(count, dtype=np.uint64), np.uint64(0), c, d, key, other)
    return np.stack([word.astype(np.uint32) for word in mixed], axis=1)


# --- words to numbers: as base/philox.py has them ------------------------------------------------------------------------------


def _unit(steps: Steps, words: Any, dtype: np.dtype[Any]) -> Any:
    """In [0, 1)."""
    if dtype == np.float32:
        bits = (words & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)
        return steps.same_bits(bits, dtype) - np.float32(1)
    pairs = words.reshape(-1, 2).astype(np.uint64)
    wide = ((pairs[:, 0] & np.uint64(0xFFFFF)) << _32) | pairs[:, 1] | np.uint64(1023 << 52)
    return steps.same_bits(wide, dtype) - 1.0


def _normal(steps: Steps, words: Any, given: dict[str, Any], dtype: np.dtype[Any]) -> Any:
    if dtype.kind != "f" or (given["mean"], given["stddev"]) != (0.0, 1.0):
        raise Unsupported("a distribution with a spread")
    pairs = _unit(steps, words, dtype).reshape(-1, 2)
    radius = np.sqrt(dtype.type(-2) * np.log(np.maximum(pairs[:, 0], dtype.type(1e-7))))
    angle = (2.0 * np.pi * pairs[:, 1].astype(np.float64)).astype(dtype)
    return np.stack([np.sin(angle) * radius, np.cos(angle) * radius], axis=1)


def _uniform(steps: Steps, words: Any, given: dict[str, Any], dtype: np.dtype[Any]) -> Any:
    low, high = given["minval"], given["maxval"]
    if dtype.kind == "f":
        high = 1 if high is None else high
        if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
            raise Unsupported("bounds that are tensors")
        span = high if low == 0 else dtype.type(high) - dtype.type(low)
        numbers = _unit(steps, words, dtype)
        numbers = numbers if span.__class__ in (int, float) and span == 1 else numbers * dtype.type(span)
        return numbers if low == 0 else numbers + dtype.type(low)
    draws = _unsigned(words, dtype)
    if low is None:
        return steps.same_bits(draws, dtype)
    if low.__class__ is not int or high.__class__ is not int or not low < high:
        raise Unsupported("bounds that are tensors")
    kind = np.dtype(f"u{dtype.itemsize}").type
    return steps.same_bits(np.remainder(draws, kind(high - low)) + kind(low % 2 ** (8 * dtype.itemsize)), dtype)


def _unsigned(words: Any, dtype: np.dtype[Any]) -> Any:
    if dtype.itemsize == 4:
        return words
    pairs = words.reshape(-1, 2).astype(np.uint64)
    return pairs[:, 0] | (pairs[:, 1] << _32)


_DRAWS = {"stateless_normal": _normal, "stateless_uniform": _uniform}
