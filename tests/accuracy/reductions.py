"""The true values of reductions, and of ops that normalise rows, with the magnitudes that their errors are held against.

A sum of terms of both signs can be as small as one likes: its error is counted in units of the sum of the terms' magnitudes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp, mpf

import gradtape as tf
import gradtape.numpy  # (which has the reductions without nan)
from gradtape.op.declaration import REGISTRY

Array = np.ndarray[Any, Any]
Numbers = Sequence[Any]
LENGTH = 12  # numbers in a row
WEIGHTS = tuple(mpf(w) for w in (1, -0.5, 2, 0.25, -1, 3, 0.75, -2, 1.5, 0.125, -0.25, 1))


@dataclass(frozen=True)
class RowReference:
    """What an op gives for a row of numbers, and its gradient: pairs of a true number and the magnitude it is held against.

    Where an op gives a row, its gradient is that of the sum of its elements times WEIGHTS.
    """

    run: Callable[[Any], Any]
    value: Callable[[Numbers], list[tuple[Any, Any]]]
    gradient: Callable[[Numbers], list[tuple[Any, Any]]] | None = None
    kinds: tuple[str, ...] = ("plain", "spread", "equal", "offset", "zeros", "large", "tiny", "short")


def rows(dtype: Any, count: int, kinds: Sequence[str], seed: int) -> Array:
    """`count` rows, in turns of each kind."""
    draw = np.random.default_rng(seed)
    info = np.finfo(dtype)
    levels = (0.0, 1.0, -1.0, 1e6, -1e6, 1e8, 0.1, 1e30, float(info.max) / 64, float(info.tiny) * 4)
    found = []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        row = draw.normal(size=LENGTH)
        if kind == "spread":
            row = np.ldexp(row, draw.integers(info.minexp // 2, info.maxexp // 2, LENGTH))
        elif kind == "equal":
            row = np.full(LENGTH, levels[number // len(kinds) % len(levels)])
        elif kind == "ones":
            row = np.full(LENGTH, (1.0, -1.0, 0.5, 0.1)[number // len(kinds) % 4])
        elif kind == "level":
            row = np.full(LENGTH, levels[number // len(kinds) % 7])
        elif kind == "offset":
            row += 10.0 ** draw.integers(2, 9) * draw.choice([-1, 1])
        elif kind == "zeros":
            row[draw.permutation(LENGTH)[: draw.integers(1, 3)]] = 0.0
        elif kind == "large":
            row *= float(info.max) / 256
        elif kind == "tiny":
            row *= float(info.tiny) * 16
        elif kind == "short":
            row *= 10.0 ** draw.integers(-3, 3)
        elif kind == "steep":
            row *= 10.0 ** draw.integers(0, 6)
        elif kind == "infinite":
            row[draw.permutation(LENGTH)[: draw.integers(1, 4)]] = -np.inf
        found.append(row)
    return np.array(found).astype(dtype)


# --- sums and products --------------------------------------------------------------------------------------


def _all(op: str, **attributes: Any) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        return REGISTRY[op].public(x, axis=-1, **attributes)

    return run


def _segments(op: str) -> Callable[[Any], Any]:
    """All numbers of a row in one segment."""

    def run(x: Any) -> Any:
        columns = tf.transpose(x)
        ids = tf.zeros(LENGTH, tf.int32)
        more = {"num_segments": 1} if op.startswith("unsorted") else {}
        return REGISTRY[op].public(columns, ids, **more)[0]

    return run


def _ones(x: Numbers) -> list[tuple[Any, Any]]:
    return [(mpf(1), mpf(1))] * len(x)


def _magnitude(x: Numbers) -> Any:
    return sum(map(abs, x))


def _total(x: Numbers) -> list[tuple[Any, Any]]:
    return [(sum(x), _magnitude(x))]


def _mean(x: Numbers) -> list[tuple[Any, Any]]:
    return [(sum(x) / len(x), _magnitude(x) / len(x))]


def _share(x: Numbers) -> list[tuple[Any, Any]]:
    return [(1 / mpf(len(x)),) * 2] * len(x)


def _itself(values: Numbers) -> list[tuple[Any, Any]]:
    return [(value, None if value is None else abs(value)) for value in values]


def _product(x: Numbers) -> list[tuple[Any, Any]]:
    return _itself([mp.fprod(x)])


def _others(x: Numbers) -> list[tuple[Any, Any]]:
    return _itself([mp.fprod([*x[:k], *x[k + 1 :]]) for k in range(len(x))])


def _extreme(choose: Any) -> tuple[Any, Any]:
    def gradient(x: Numbers) -> list[tuple[Any, Any]]:
        best = choose(x)
        return _itself([mpf(v == best) / sum(w == best for w in x) for v in x])

    return (lambda x: _itself([choose(x)])), gradient


def _running(x: Numbers) -> list[tuple[Any, Any]]:
    return [(sum(x[: k + 1]), _magnitude(x[: k + 1])) for k in range(len(x))]


def _running_back(x: Numbers) -> list[tuple[Any, Any]]:
    return [(sum(WEIGHTS[k:]), _magnitude(WEIGHTS[k:])) for k in range(len(x))]


def _running_product(x: Numbers) -> list[tuple[Any, Any]]:
    return _itself([mp.fprod(x[: k + 1]) for k in range(len(x))])


def _running_product_back(x: Numbers) -> list[tuple[Any, Any]]:
    found = []
    for j in range(len(x)):
        terms = [WEIGHTS[i] * mp.fprod([*x[:j], *x[j + 1 : i + 1]]) for i in range(j, len(x))]
        found.append((sum(terms), _magnitude(terms)))
    return found


_MODERATE = ("plain", "ones", "zeros")
_LARGEST, _SMALLEST = _extreme(max), _extreme(min)

SUMS = {
    "reduce_sum": RowReference(_all("reduce_sum"), _total, _ones),
    "reduce_mean": RowReference(_all("reduce_mean"), _mean, _share),
    "reduce_prod": RowReference(_all("reduce_prod"), _product, _others, _MODERATE),
    "reduce_max": RowReference(_all("reduce_max"), *_LARGEST),
    "reduce_min": RowReference(_all("reduce_min"), *_SMALLEST),
    "cumsum": RowReference(_all("cumsum"), _running, _running_back),
    "cumprod": RowReference(_all("cumprod"), _running_product, _running_product_back, _MODERATE),
    "nansum": RowReference(_all("nansum"), _total, _ones),
    "nanmean": RowReference(_all("nanmean"), _mean, _share),
    "nanmax": RowReference(_all("nanmax"), *_LARGEST),
    "nanmin": RowReference(_all("nanmin"), *_SMALLEST),
    "nancumsum": RowReference(_all("nancumsum"), _running, _running_back),
    "segment_sum": RowReference(_segments("segment_sum"), _total, _ones),
    "segment_mean": RowReference(_segments("segment_mean"), _mean, _share),
    "segment_prod": RowReference(_segments("segment_prod"), _product, _others, _MODERATE),
    "segment_max": RowReference(_segments("segment_max"), *_LARGEST),
    "segment_min": RowReference(_segments("segment_min"), *_SMALLEST),
    "unsorted_segment_sum": RowReference(_segments("unsorted_segment_sum"), _total, _ones),
    "unsorted_segment_mean": RowReference(_segments("unsorted_segment_mean"), _mean, _share),
    "unsorted_segment_prod": RowReference(_segments("unsorted_segment_prod"), _product, _others, _MODERATE),
    "unsorted_segment_max": RowReference(_segments("unsorted_segment_max"), *_LARGEST),
    "unsorted_segment_min": RowReference(_segments("unsorted_segment_min"), *_SMALLEST),
}

# --- norms and variances ------------------------------------------------------------------------------------


def _norm(order: int) -> tuple[Any, Any]:
    def length(x: Numbers) -> Any:
        return mp.root(sum(abs(v) ** order for v in x), order)

    def gradient(x: Numbers) -> list[tuple[Any, Any]]:
        whole = length(x)
        return _itself([mp.sign(v) * (abs(v) / whole) ** (order - 1) if whole else None for v in x])

    return (lambda x: _itself([length(x)])), gradient


def _distances(x: Numbers) -> tuple[list[Any], list[Any]]:
    """Each number less the mean, and the magnitudes that are subtracted."""
    mean, size = sum(x) / len(x), _magnitude(x) / len(x)
    return [v - mean for v in x], [abs(v) + size for v in x]


def _variance(x: Numbers) -> list[tuple[Any, Any]]:
    apart, sizes = _distances(x)
    held = sum(d * d + abs(d) * s for d, s in zip(apart, sizes, strict=True)) / len(x)
    return [(sum(d * d for d in apart) / len(x), held)]


def _variance_slope(x: Numbers) -> list[tuple[Any, Any]]:
    return [(2 * d / len(x), 2 * s / len(x)) for d, s in zip(*_distances(x), strict=True)]


def _deviation(x: Numbers) -> list[tuple[Any, Any]]:
    apart, sizes = _distances(x)
    return [(mp.sqrt(sum(d * d for d in apart) / len(x)), sum(sizes) / len(x))]


def _deviation_slope(x: Numbers) -> list[tuple[Any, Any]]:
    apart, sizes = _distances(x)
    deviation = mp.sqrt(sum(d * d for d in apart) / len(x))
    if not deviation:
        return [(None, None)] * len(x)
    worst = sum(sizes) / len(x) / deviation  # how much larger the numbers are than what is left of them
    return [
        (d / (len(x) * deviation), (abs(d) / deviation * worst + s / deviation) / len(x))
        for d, s in zip(apart, sizes, strict=True)
    ]


def _unit(x: Numbers) -> list[tuple[Any, Any]]:
    length = max(mp.sqrt(sum(v * v for v in x)), mpf("1e-6"))
    return _itself([v / length for v in x])


def _unit_slope(x: Numbers) -> list[tuple[Any, Any]]:
    length = mp.sqrt(sum(v * v for v in x))
    if length < mpf("1e-6"):
        return _itself([w / mpf("1e-6") for w in WEIGHTS])
    along = sum(w * v for w, v in zip(WEIGHTS, x, strict=True)) / length
    size = sum(abs(w * v) for w, v in zip(WEIGHTS, x, strict=True)) / length
    return [
        ((w - along * v / length) / length, (abs(w) + size * abs(v) / length) / length)
        for w, v in zip(WEIGHTS, x, strict=True)
    ]


_APART = ("plain", "ones", "offset", "zeros", "short", "level")

NORMS = {
    "reduce_euclidean_norm": RowReference(_all("reduce_euclidean_norm"), *_norm(2)),
    "reduce_norm": RowReference(_all("reduce_norm", order=3.0), *_norm(3)),
    "reduce_variance": RowReference(_all("reduce_variance"), _variance, _variance_slope, _APART),
    "reduce_std": RowReference(_all("reduce_std"), _deviation, _deviation_slope, _APART),
    "nanvar": RowReference(_all("nanvar"), _variance, _variance_slope, _APART),
    "l2_normalize": RowReference(_all("l2_normalize"), _unit, _unit_slope),
}

# --- sums of exponentials -----------------------------------------------------------------------------------


def _weights(x: Numbers) -> tuple[list[Any], Any, Any]:
    """softmax, the logarithm of the sum of the powers less the largest, and the largest."""
    top = max(x)
    powers = [mp.exp(v - top) for v in x]
    return [p / sum(powers) for p in powers], mp.log(sum(powers)), top


def _logsumexp(x: Numbers) -> list[tuple[Any, Any]]:
    _, rest, top = _weights(x)
    return [(top + rest, abs(top) + rest)]


def _steep(v: Any, top: Any) -> Any:
    """How much a relative error of an exponent counts."""
    return 1 + (top - v if mp.isfinite(v) else 0)


def _softmax(x: Numbers) -> list[tuple[Any, Any]]:
    weights, _, top = _weights(x)
    return [(w, w * _steep(v, top)) for w, v in zip(weights, x, strict=True)]


def _softmax_slope(x: Numbers) -> list[tuple[Any, Any]]:
    weights, _, top = _weights(x)
    along = sum(c * w for c, w in zip(WEIGHTS, weights, strict=True))
    size = sum(abs(c) * w * _steep(v, top) for c, w, v in zip(WEIGHTS, weights, x, strict=True))
    return [
        (w * (c - along), w * (abs(c) + size) * _steep(v, top)) for c, w, v in zip(WEIGHTS, weights, x, strict=True)
    ]


def _log_softmax(x: Numbers) -> list[tuple[Any, Any]]:
    _, rest, top = _weights(x)
    return [(v - top - rest, top - v + 1 + rest) for v in x]  # (the logarithm is that of a sum that is at least 1)


def _log_softmax_slope(x: Numbers) -> list[tuple[Any, Any]]:
    weights, _, top = _weights(x)
    whole, size = sum(WEIGHTS), _magnitude(WEIGHTS)
    return [(c - w * whole, abs(c) + w * size * _steep(v, top)) for c, w, v in zip(WEIGHTS, weights, x, strict=True)]


def _running_logsumexp(x: Numbers) -> list[tuple[Any, Any]]:
    return [_logsumexp(x[: k + 1])[0] for k in range(len(x))]


def _running_logsumexp_back(x: Numbers) -> list[tuple[Any, Any]]:
    found = [(mpf(0), mpf(0))] * len(x)
    for i in range(len(x)):
        for j, (weight, held) in enumerate(_softmax(x[: i + 1])):
            found[j] = (found[j][0] + WEIGHTS[i] * weight, found[j][1] + abs(WEIGHTS[i]) * held)
    return found


_LOGITS = ("plain", "equal", "offset", "zeros", "large", "tiny", "short", "steep")

EXPONENTIALS = {
    "reduce_logsumexp": RowReference(_all("reduce_logsumexp"), _logsumexp, _softmax, (*_LOGITS, "infinite")),
    "running_logsumexp": RowReference(_all("running_logsumexp"), _running_logsumexp, _running_logsumexp_back, _LOGITS),
    "softmax": RowReference(_all("softmax"), _softmax, _softmax_slope, _LOGITS),
    "log_softmax": RowReference(_all("log_softmax"), _log_softmax, _log_softmax_slope, _LOGITS),
}
