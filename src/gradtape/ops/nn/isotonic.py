"""Isotonic regression: the nearest sequence that never rises (`tf.nn.isotonic_regression`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.declaration import BadInput, Sample, op
from ...op.family import batch_leading, numpy_type
from ...op.shapes import like
from ..math.conversion import convert
from ..math.cumulative import linear_recurrence, moved_on
from ..math.logic import equal, ones_like, zeros_like


@op(dtypes=FLOATING, outputs=2, shape=like(0), gives=(None, np.int32))
def isotonic_regression(xp: Namespace, input: Array) -> Any:
    """The nearest sequence that never increases, along the last axis; and the number of the level each element is on."""
    if not input.ndim:
        raise invalid("isotonic_regression: at least one axis is needed, got a scalar.")
    rows = input.reshape(-1, input.shape[-1]) if input.size else input.reshape(0, 1)
    found, segments = np.empty(rows.shape, np.result_type(input.dtype, np.float32)), np.empty(rows.shape, np.int32)
    for row in range(len(rows)):
        totals: list[float] = []
        counts: list[int] = []
        for value in rows[row].tolist():  # pool neighbours until the means do not increase
            totals.append(value)
            counts.append(1)
            while len(totals) > 1 and totals[-2] * counts[-1] < totals[-1] * counts[-2]:
                total, count = totals.pop(), counts.pop()
                totals[-1] += total
                counts[-1] += count
        means = np.array(totals) / np.array(counts) if counts else np.zeros(0)
        found[row], segments[row] = np.repeat(means, counts), np.repeat(np.arange(len(counts)), counts)
    return found.reshape(input.shape).astype(input.dtype), segments.reshape(input.shape)


isotonic_regression.host_only("neighbours are pooled one after the other, as their means say")


def _level_means(t: Value, segments: Value) -> Any:
    """The mean of t over each level: the derivative, which is symmetric."""
    joined = convert(equal(segments, moved_on(segments, -1, False)), dtype=numpy_type(t))  # 1 where a level continues
    return _level_sums(t, joined) / _level_sums(ones_like(joined), joined)


def _level_sums(t: Value, joined: Value) -> Any:
    """For each element the sum over its level: accumulated to the end of the level, then copied back along it."""
    goes_on = moved_on(joined, -1, True)
    at_end = linear_recurrence(t, joined, axis=-1) * (1 - goes_on)
    return linear_recurrence(at_end, goes_on, axis=-1, reverse=True)


@isotonic_regression.vjp("input")
def _(g: Sequence[Cotangent], out: Any) -> Any:
    return _level_means(g[0], out[1])


@isotonic_regression.jvp("input")
def _(t: Tangent, out: Sequence[Value]) -> Any:
    return [_level_means(t, out[1]), zeros_like(out[1])]


isotonic_regression.batching = batch_leading


@isotonic_regression.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [(4,), (1,), (6,), (2, 3), (3, 5), (0, 3), (2, 2, 4), (8,), (1, 7), (5, 2), (2,), (3, 1)]:
        yield Sample((draw(shape, -3.0, 3.0),))


@isotonic_regression.value
def _(input: Array) -> Any:
    # The min-max formula: the level at k is the smallest over starts of the largest mean of a run that holds k.
    size = input.shape[-1]
    result, levels = np.empty_like(input), np.zeros(input.shape, np.int32)
    for k in range(size):
        runs = [
            np.max([np.mean(input[..., first : last + 1], axis=-1) for last in range(k, size)], axis=0)
            for first in range(k + 1)
        ]
        result[..., k] = np.min(runs, axis=0)
        if k:
            levels[..., k] = levels[..., k - 1] + (np.abs(result[..., k] - result[..., k - 1]) > 1e-12)
    return result, levels


@isotonic_regression.rejects
def _() -> Iterator[BadInput]:
    yield BadInput("an axis", (np.float32(1),))
    for dtype in (np.int32, np.bool_, np.complex64):
        yield BadInput("real numbers", (np.ones(3, dtype),))
