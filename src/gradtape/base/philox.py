"""Philox4x32-10, the counter-based generator behind `tf.random`, and the distributions drawn from it, on arrays.

The same key and counter give the bits that TensorFlow gives on a CPU, and the distributions take them in the same order:
a program seeded in one draws the same numbers in the other (floats up to the last place of sin, cos and log). NumPy's own
Philox has 64-bit words and gives other numbers. Reference: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from .dtypes import Array

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_MULTIPLIERS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_KEY_STEPS = np.arange(10, dtype=np.uint64)[:, None] * np.array([0x9E3779B9, 0xBB67AE85], np.uint64)
_MANY = 4096  # blocks computed at a time: what ten rounds touch stays in the processor's cache
_FEW = 8
_WORD = 2**64

SCRAMBLER = 0x02461E293EC8F720  # the key with which the seeds of stateless functions are mixed

# How many 128-bit counters TensorFlow sets aside for each number that is drawn, whatever it takes to draw it.
RESERVED = 256


@dataclass(frozen=True, slots=True)
class Philox:
    """A position in a stream of 128-bit blocks: a 64-bit key and a 128-bit counter."""

    key: int
    counter: int = 0

    def skip(self, blocks: int) -> Philox:
        """The position so many blocks later."""
        return Philox(self.key, (self.counter + blocks) % _WORD**2)

    def blocks(self, count: int) -> Array:
        """The next `count` blocks: an array (count, 4) of uint32."""
        if count <= _FEW:
            return np.array([self._one(offset) for offset in range(count)], np.uint32).reshape(count, 4)
        return self.at(np.arange(count, dtype=np.uint64))

    def at(self, offsets: Array) -> Array:
        """The blocks at these distances from here: an array (len(offsets), 4) of uint32."""
        result = np.empty((len(offsets), 4), np.uint32)
        for start in range(0, len(offsets), _MANY):
            self._fill(offsets[start : start + _MANY], result[start : start + _MANY])
        return result

    def _fill(self, offsets: Array, result: Array) -> None:
        low = offsets + np.uint64(self.counter % _WORD)
        high = np.uint64(self.counter // _WORD) + (low < offsets)
        # Words 0 and 2 are multiplied, words 1 and 3 mixed in; each round exchanges the two pairs.
        first = np.empty((2, len(offsets)), np.uint64)
        second, product = np.empty_like(first), np.empty_like(first)
        np.bitwise_and(low, _LOW, out=first[0])
        np.bitwise_and(high, _LOW, out=first[1])
        np.right_shift(low, _32, out=second[0])
        np.right_shift(high, _32, out=second[1])
        start = np.array([self.key & 0xFFFFFFFF, self.key >> 32], np.uint64)
        for key in ((_KEY_STEPS + start) & _LOW)[:, :, None]:
            np.multiply(first, _MULTIPLIERS, out=product)
            np.bitwise_xor(second, key, out=second)
            np.right_shift(product[::-1], _32, out=first)
            np.bitwise_xor(first, second, out=first)
            np.bitwise_and(product[::-1], _LOW, out=second)
        result[:, 0::2] = first.T
        result[:, 1::2] = second.T

    def _one(self, offset: int) -> tuple[int, int, int, int]:
        """One block in Python's own integers: for a few blocks, faster than calling NumPy fifty times."""
        counter = self.counter + offset
        a, b, c, d = (counter >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96))
        key, key2 = self.key & 0xFFFFFFFF, self.key >> 32
        for _ in range(10):
            one, two = a * 0xD2511F53, c * 0xCD9E8D57
            a, b, c, d = (two >> 32) ^ b ^ key, two & 0xFFFFFFFF, (one >> 32) ^ d ^ key2, one & 0xFFFFFFFF
            key, key2 = key + 0x9E3779B9 & 0xFFFFFFFF, key2 + 0xBB67AE85 & 0xFFFFFFFF
        return a, b, c, d


def from_seeds(seed: int, seed2: int) -> Philox:
    """The stream of a stateful op with these two seeds."""
    return Philox(seed % _WORD, (seed2 % _WORD) * _WORD)


def from_pair(first: int, second: int) -> Philox:
    """The stream of a stateless op: the seed's two numbers, scrambled."""
    mixed = [int(word) for word in Philox(SCRAMBLER, first % _WORD + (second % _WORD) * _WORD).blocks(1)[0]]
    return Philox(mixed[0] + (mixed[1] << 32), (mixed[2] + (mixed[3] << 32)) * _WORD)


# --- words to numbers ------------------------------------------------------------------------------------------------


def _float32(words: Array) -> Array:
    """In [0, 1): 23 bits make the mantissa of a number in [1, 2)."""
    return ((words & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def _float64(blocks: Array) -> Array:
    """Two numbers in [0, 1) from each block, of 52 bits."""
    pairs = blocks.reshape(-1, 2).astype(np.uint64)
    bits = ((pairs[:, 0] & np.uint64(0xFFFFF)) << _32) | pairs[:, 1] | np.uint64(1023 << 52)
    return bits.view(np.float64) - 1.0


def _box_muller32(words: Array) -> Array:
    """Normal numbers from pairs of uniform ones."""
    pairs = _float32(words).reshape(-1, 2)
    radius = np.sqrt(np.float32(-2) * np.log(np.maximum(pairs[:, 0], np.float32(1e-7))))
    angle = (2.0 * np.pi * pairs[:, 1].astype(np.float64)).astype(np.float32)
    result = np.empty_like(pairs)
    np.multiply(np.sin(angle), radius, out=result[:, 0])
    np.multiply(np.cos(angle), radius, out=result[:, 1])
    return result.reshape(words.shape)


def _box_muller64(blocks: Array) -> Array:
    pairs = _float64(blocks).reshape(-1, 2)
    radius = np.sqrt(-2.0 * np.log(np.maximum(pairs[:, 0], 1e-7)))
    angle = 2.0 * np.pi * pairs[:, 1]
    result = np.empty_like(pairs)
    np.multiply(np.sin(angle), radius, out=result[:, 0])
    np.multiply(np.cos(angle), radius, out=result[:, 1])
    return result


def _shaped(values: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    count = int(np.prod(shape, dtype=np.int64))
    return values.reshape(-1)[:count].reshape(shape).astype(dtype, copy=False)


def _block_count(shape: tuple[int, ...], each: int) -> int:
    return -(-int(np.prod(shape, dtype=np.int64)) // each)


def uniform(stream: Philox, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Floats in [0, 1)."""
    if dtype == np.float64:
        return _shaped(_float64(stream.blocks(_block_count(shape, 2))), shape, dtype)
    words = stream.blocks(_block_count(shape, 4))
    if dtype == np.float32:
        return _shaped(_float32(words), shape, dtype)
    if dtype == np.float16:
        half = ((words & np.uint32(0x3FF)) | np.uint32(0x3C00)).astype(np.uint16).view(np.float16) - np.float16(1)
        return _shaped(half, shape, dtype)
    short = ((words & np.uint32(0x7F)) | np.uint32(0x3F80)).astype(np.uint16).view(ml_dtypes.bfloat16)
    return _shaped(short.astype(np.float32) - np.float32(1), shape, dtype)


def normal(stream: Philox, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Numbers from the standard normal distribution."""
    if dtype == np.float64:
        return _shaped(_box_muller64(stream.blocks(_block_count(shape, 2))), shape, dtype)
    return _shaped(_box_muller32(stream.blocks(_block_count(shape, 4))), shape, dtype)


def integers(stream: Philox, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Any integer of the type."""
    if dtype.itemsize == 8:
        return _shaped(stream.blocks(_block_count(shape, 2)).view(np.uint64), shape, np.uint64).view(dtype)
    return (
        _shaped(stream.blocks(_block_count(shape, 4)), shape, np.uint32).view(np.dtype(f"{dtype.kind}4")).astype(dtype)
    )


def bounded_integers(stream: Philox, shape: tuple[int, ...], low: int, high: int, dtype: np.dtype[Any]) -> Array:
    """Integers in [low, high)."""
    bits = 8 * dtype.itemsize
    wide = np.dtype(f"u{dtype.itemsize}")
    draws = integers(stream, shape, wide) % wide.type(high - low)
    moved: Array = draws + wide.type(low % 2**bits)
    return moved.view(dtype)


def truncated_normal(stream: Philox, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Numbers from the standard normal distribution, drawn again until they are less than 2 from 0."""
    double = dtype == np.float64
    each = 2 if double else 4
    count = _block_count(shape, each)
    result = np.empty((count, each), np.float64 if double else np.float32)
    filled = np.zeros(count, np.int64)
    place = np.arange(count, dtype=np.uint64) * np.uint64(each * RESERVED // 4)  # every group has blocks of its own
    active = np.arange(count)
    while active.size:
        blocks = stream.at(place[active])
        drawn = _box_muller64(blocks) if double else _box_muller32(blocks)
        for column in range(drawn.shape[1]):
            good = (np.abs(drawn[:, column]) < 2) & (filled[active] < each)
            rows = active[good]
            result[rows, filled[rows]] = drawn[good, column]
            filled[rows] += 1
        place[active] += np.uint64(1)
        active = active[filled[active] < each]
    return _shaped(result, shape, dtype)


# --- distributions that take as many blocks as they need: each number has a place of its own ----------------------------


class _Drawer:
    """Uniform and normal doubles for many numbers at once; each takes two from a block, the second first."""

    def __init__(self, stream: Philox, count: int, reserved: Array | int = RESERVED) -> None:
        self.stream = stream
        self.place = np.arange(count, dtype=np.uint64) * np.asarray(reserved, np.uint64)
        self.buffers = {kind: np.empty((count, 2)) for kind in ("uniform", "normal")}
        self.left = {kind: np.zeros(count, np.int64) for kind in ("uniform", "normal")}

    def draw(self, kind: str, rows: Array) -> Array:
        """One more double for each of these rows."""
        left, buffer = self.left[kind], self.buffers[kind]
        empty = rows[left[rows] == 0]
        if empty.size:
            blocks = self.stream.at(self.place[empty])
            buffer[empty] = (_float64(blocks).reshape(-1, 2)) if kind == "uniform" else _box_muller64(blocks)
            left[empty] = 2
            self.place[empty] += np.uint64(1)
        left[rows] -= 1
        values: Array = buffer[rows, left[rows]]
        return values


def gamma(stream: Philox, alpha: Array) -> Array:
    """One number from the gamma distribution of each `alpha` (a vector), in float64: Marsaglia and Tsang's method."""
    alpha = np.asarray(alpha, np.float64)
    drawer = _Drawer(stream, alpha.size)
    result = np.full(alpha.size, np.nan)
    exponential = np.flatnonzero(alpha == 1)
    if exponential.size:
        result[exponential] = -np.log1p(-drawer.draw("uniform", exponential))
    small = alpha < 1
    d = alpha + np.where(small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    active = np.flatnonzero((alpha != 1) & (alpha >= 0) & np.isfinite(alpha))
    while active.size:
        x = drawer.draw("normal", active)
        v = 1 + c[active] * x
        trying = v > 0
        rows, x, v = active[trying], x[trying], v[trying] ** 3
        u = drawer.draw("uniform", rows)
        accepted = (u < 1 - 0.0331 * x**4) | (np.log(u) < 0.5 * x * x + d[rows] * (1 - v + np.log(v)))
        done = rows[accepted]
        result[done] = d[done] * v[accepted]
        below = done[small[done]]
        if below.size:
            result[below] *= drawer.draw("uniform", below) ** (1 / alpha[below])
        active = np.setdiff1d(active, done, assume_unique=True)
    return result


def poisson(stream: Philox, rate: Array) -> Array:
    """One number from the Poisson distribution of each `rate` (a vector), in float64."""
    rate = np.asarray(rate, np.float64)
    drawer = _Drawer(stream, rate.size)
    result = np.full(rate.size, np.nan)
    # Knuth: count how many uniform numbers it takes until their product falls below exp(-rate).
    active = np.flatnonzero(rate < 10)
    product = np.ones(rate.size)
    result[active] = 0
    limit = np.exp(-rate)
    while active.size:
        product[active] *= drawer.draw("uniform", active)
        active = active[product[active] > limit[active]]
        result[active] += 1
    large = np.flatnonzero((rate >= 10) & np.isfinite(rate))
    if large.size:
        _transformed_rejection(drawer, rate, large, result)
    return result


def _transformed_rejection(drawer: _Drawer, rate: Array, active: Array, result: Array) -> None:
    """Hörmann's method for large rates."""
    from scipy.special import gammaln

    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while active.size:
        u = drawer.draw("uniform", active) - 0.5
        v = drawer.draw("uniform", active)
        shifted = 0.5 - np.abs(u)
        r, aa, bb = rate[active], a[active], b[active]
        k = np.floor((2 * aa / shifted + bb) * u + r + 0.43)
        quick = (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (bb - 2))
        hopeless = (k < 0) | ((shifted < 0.013) & (v > shifted))
        s = np.log(v * inverse_alpha[active] / (aa / (shifted * shifted) + bb))
        t = -r + k * np.log(r) - gammaln(np.maximum(k, 0) + 1)
        accepted = quick | (~hopeless & (s <= t))
        result[active[accepted]] = k[accepted]
        active = active[~accepted]


_RESERVED_FOR_FEW = 42  # blocks for a binomial number with a small mean


def binomial(stream: Philox, counts: Array, probs: Array) -> Array:
    """How many of `counts` trials succeed, each with a probability (vectors of one float type), in float64; nan for nan."""
    trials = counts.astype(np.float64)
    rare = np.minimum(probs, 1 - probs)  # in the type of the probabilities: it decides which method is used
    p = rare.astype(np.float64)
    with np.errstate(invalid="ignore"):
        drawn = (trials > 0) & (p > 0)
        many = drawn & (counts * rare >= 10)
    drawer = _Drawer(stream, trials.size, np.where(many, RESERVED, _RESERVED_FOR_FEW))
    result = np.zeros(trials.size)
    _sum_of_waits(drawer, trials, p, np.flatnonzero(drawn & ~many), result)
    _binomial_rejection(drawer, trials, p, np.flatnonzero(many), result)
    flipped = (trials > 0) & (probs > 0.5)
    result[flipped] = trials[flipped] - result[flipped]
    result[np.isnan(probs)] = np.nan
    return result


def _sum_of_waits(drawer: _Drawer, trials: Array, p: Array, active: Array, result: Array) -> None:
    """Count geometric waiting times until they are longer than all trials together."""
    waited = np.zeros(trials.size)
    slope = np.log1p(-p)
    while active.size:
        with np.errstate(divide="ignore"):
            waited[active] += np.ceil(np.log(drawer.draw("uniform", active)) / slope[active])
        active = active[waited[active] <= trials[active]]
        result[active] += 1


def _binomial_rejection(drawer: _Drawer, trials: Array, p: Array, active: Array, result: Array) -> None:
    """Hörmann's transformed rejection with squeeze (BTRS), for large means."""
    if not active.size:
        return
    deviation = np.sqrt(trials * p * (1 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    odds = p / (1 - p)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = np.floor((trials + 1) * p)
    while active.size:
        u = drawer.draw("uniform", active) - 0.5
        v = drawer.draw("uniform", active)
        n, aa, bb, m, r = trials[active], a[active], b[active], mode[active], odds[active]
        shifted = 0.5 - np.abs(u)
        k = np.floor((2 * aa / shifted + bb) * u + n * p[active] + 0.5)
        quick = (shifted >= 0.07) & (v <= 0.92 - 4.2 / bb)
        possible = (k >= 0) & (k <= n)
        tried = np.clip(k, 0, n)
        bound = (m + 0.5) * np.log((m + 1) / (r * (n - m + 1))) + (n + 1) * np.log((n - m + 1) / (n - tried + 1))
        bound += (tried + 0.5) * np.log(r * (n - tried + 1) / (tried + 1))
        bound += _stirling_tail(m) + _stirling_tail(n - m) - _stirling_tail(tried) - _stirling_tail(n - tried)
        with np.errstate(divide="ignore"):
            scaled = np.log(v * alpha[active] / (aa / (shifted * shifted) + bb))
        accepted = quick | (possible & (scaled <= bound))
        result[active[accepted]] = k[accepted]
        active = active[~accepted]


def _stirling_tail(k: Array) -> Array:
    """What Stirling's formula for log(k!) leaves out."""
    square = (k + 1) * (k + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return np.where(k <= 9, _FIRST_TAILS[np.minimum(k, 9).astype(np.int64)], series)


_FIRST_TAILS = np.array(
    [math.lgamma(k + 1) - (k + 0.5) * math.log(k + 1) + (k + 1) - 0.5 * math.log(2 * math.pi) for k in range(10)]
)


def categorical(stream: Philox, logits: Array, samples: int, dtype: np.dtype[Any]) -> Array:
    """`samples` class numbers for each row of logits (which are not normalised)."""
    rows = logits.shape[0]
    wide = logits.astype(np.float64)
    finite = np.isfinite(wide)
    top = np.max(np.where(finite, wide, -np.inf), axis=1, keepdims=True, initial=-np.inf)
    weights = np.where(finite, np.exp(np.where(finite, wide, 0) - np.where(np.isfinite(top), top, 0)), 0)
    cumulative = np.cumsum(weights, axis=1)
    draws = _float64(stream.blocks(-(-rows * samples // 2)))[: rows * samples].reshape(rows, samples)
    wanted = draws * cumulative[:, -1:]
    result = np.empty((rows, samples), dtype)
    for row in range(rows):
        result[row] = np.searchsorted(cumulative[row], wanted[row], side="right")
    return result


def permutation(stream: Philox, size: int) -> Array:
    """The numbers below `size` in random order: Fisher and Yates, one word for each exchange."""
    order = list(range(size))
    if size > 1:
        words = stream.blocks(-(-(size - 1) // 4)).reshape(-1)[: size - 1]
        steps = (words % np.arange(size, 1, -1, dtype=np.uint32)).tolist()
        for position, step in enumerate(steps):
            other = position + step
            order[position], order[other] = order[other], order[position]
    return np.array(order, np.int64)


class Words:
    """32-bit words of a stream, one after the other: for what draws a few numbers of several kinds."""

    def __init__(self, stream: Any) -> None:
        self._words = self._read(stream)

    @staticmethod
    def _read(stream: Any) -> Iterator[int]:
        start = 0
        while True:
            yield from stream.at(np.arange(start, start + 64, dtype=np.uint64)).reshape(-1).tolist()
            start += 64

    def word(self) -> int:
        """The next 32 bits."""
        return next(self._words)

    def below(self, limit: int) -> int:
        """An integer in [0, limit), each as likely as the others."""
        if limit & (limit - 1) == 0:
            return self.word() & (limit - 1)
        rest = (0xFFFFFFFF % limit) + 1
        while True:
            word = self.word()
            if word >= rest:
                return word % limit

    def below_wide(self, limit: int) -> int:
        """The same, from 64 bits."""
        if limit & (limit - 1) == 0:
            return self._two() & (limit - 1)
        rest = (0xFFFFFFFFFFFFFFFF % limit) + 1
        while True:
            word = self._two()
            if word >= rest:
                return word % limit

    def _two(self) -> int:
        low = self.word()
        return low + (self.word() << 32)

    def float32(self) -> np.float32:
        """A float32 in [0, 1)."""
        return np.float32((self.word() & 0x7FFFFF) / 2**23)

    def double(self) -> float:
        """A double in [0, 1)."""
        high, low = self.word(), self.word()
        return ((high & 0xFFFFF) * 2**32 + low) / 2**52
