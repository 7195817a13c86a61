"""Random numbers as steps: the bits of `base/philox.py`, computed with the rest of the function.

The seed of a stateless function is a value of the program, as in a loop that makes a seed of the number of the round. The state
of a generator is a variable: a draw from it is a function of its value, and moves it on. What is drawn from a stream of the
process is a call of Python.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.philox import RESERVED, SCRAMBLER
from ...native import thresholds
from ...native.language import Unsupported
from ...variables.variable import Variable
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


STATE: Look = (3,), np.dtype(np.int64)  # of a generator: its counter in two words, and its key


def state_of_draw(call: Call) -> Variable | None:
    """The state of the generator that a call draws from, in a way that is written here."""
    if getattr(call.function, "draws", "") != "generator" or f"stateless_{call.name}" not in _DRAWS:
        return None
    generator = call.arguments[0][0]
    # (One of a strategy mixes the number of the replica into the key.)
    return None if getattr(generator, "_is_of_strategy", True) else generator.state


def from_state(call: Call, state: Any) -> Call:
    """A draw from a generator as one from a value of its state, which gives the next state, too."""
    args, options = call.arguments
    return replace(call, arguments=((state, *args[1:]), options))


def is_of_state(call: Call) -> bool:
    """Whether a call is what `from_state` gives."""
    return getattr(call.function, "draws", "") == "generator" and not hasattr(call.arguments[0][0], "state")


def drawn(steps: Steps, call: Call, value: Callable[[Any], StandIn], look: Look) -> list[Any]:
    """The numbers of a call that `is_stateless`; `value` gives what stands for a value of the program."""
    given = _arguments(call)
    seed = given["seed"]
    pair: Any = np.stack([value(part) for part in seed]) if seed.__class__ in (list, tuple) else value(seed)
    if pair.shape != (2,) or pair.dtype.kind not in "iu":
        raise Unsupported("a seed that is no pair of integers")
    return [_numbers(steps, call.name, given, lambda count: _of_pair(pair, count), look)]


def drawn_from_state(steps: Steps, call: Call, value: Callable[[Any], StandIn], look: Look) -> list[Any]:
    """The numbers of a call that `is_of_state`, and the next state."""
    given = _arguments(call)
    words: Any = value(given["self"]).astype(np.uint64)
    low, high, key = words[0:1], words[1:2], words[2:3]

    def blocks(count: int) -> Any:
        return _blocks(low, high, key, np.arange(count, dtype=np.uint64))

    numbers = _numbers(steps, f"stateless_{call.name}", given, blocks, look)
    passed = np.uint64(math.prod(look[0]) * RESERVED)
    after = low + passed
    return [numbers, np.concatenate([after, high + (after < passed).astype(np.uint64), key]).astype(np.int64)]


def _numbers(steps: Steps, name: str, given: dict[str, Any], blocks: Callable[[int], Any], look: Look) -> Any:
    """Numbers of so many blocks of a stream as are needed."""
    shape, dtype = look
    if dtype.char not in "fdil" or any(
        name in given and given[name].__class__ is Value for name in ("minval", "maxval")
    ):
        raise Unsupported(f"numbers of {dtype}, or bounds that are values")
    count = math.prod(shape)
    if not 0 < count <= thresholds.WHOLE_ELEMENTS:  # more are drawn by NumPy, on long arrays
        raise Unsupported("so many numbers")
    words = blocks(-(-count // (2 if dtype.itemsize == 8 else 4)))
    return _DRAWS[name](steps, words, given, dtype).reshape(-1)[:count].reshape(shape)


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
    return _stacked(_rounds(np.arange(count, dtype=np.uint64), np.uint64(0), c, d, key, other))


def _blocks(low: Any, high: Any, key: Any, offsets: Any) -> Any:
    """The blocks so far behind a counter of two words."""
    moved = low + offsets
    above = high + (moved < offsets).astype(np.uint64)
    return _stacked(_rounds(moved & _LOW, moved >> _32, above & _LOW, above >> _32, key & _LOW, key >> _32))


def _stacked(words: Words) -> Any:
    return np.stack([word.astype(np.uint32) for word in words], axis=1)


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
    if dtype.kind != "f":
        raise Unsupported(f"normal numbers of {dtype}")
    pairs = _unit(steps, words, dtype).reshape(-1, 2)
    radius = np.sqrt(dtype.type(-2) * np.log(np.maximum(pairs[:, 0], dtype.type(1e-7))))
    angle = (2.0 * np.pi * pairs[:, 1].astype(np.float64)).astype(dtype)
    return _scaled(np.stack([np.sin(angle) * radius, np.cos(angle) * radius], axis=1), given["stddev"], given["mean"])


def _scaled(numbers: Any, scale: Any, shift: Any) -> Any:
    """numbers * scale + shift, as eager code has it."""
    if not all(type(x) in (int, float) for x in (scale, shift)):
        raise Unsupported("a spread, or a bound, that is a tensor")
    kind = numbers.dtype.type
    scaled = numbers if scale == 1 else numbers * kind(scale)
    return scaled if shift == 0 else scaled + kind(shift)


def _uniform(steps: Steps, words: Any, given: dict[str, Any], dtype: np.dtype[Any]) -> Any:
    low, high = given["minval"], given["maxval"]
    if dtype.kind == "f":
        high = 1 if high is None else high
        if not all(type(x) in (int, float) for x in (low, high)):
            raise Unsupported("bounds that are tensors")
        numbers = _unit(steps, words, dtype)
        if low == 0:
            return _scaled(numbers, high, low)
        # (A span that is a tensor in eager code multiplies also where it is 1, which changes nothing.)
        return _scaled(numbers, float(dtype.type(high) - dtype.type(low)), low)
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
