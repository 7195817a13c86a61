"""Resampling along one axis: each output is a weighted sum of a few inputs.

Resizing an image is two such sums, one for each axis of the image, whatever the method. The weights do not
depend on the image, so the op is linear, and its transpose is the same op with the transposed weights. How
the weights come about follows TensorFlow's kernels to the last bit: positions are computed in float32,
bicubic weights are rounded to a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, NARROW_FLOATS, Array
from ...base.errors import ResourceExhaustedError, invalid
from ...base.sizes import UNKNOWN, matched
from ...base.types import Cotangent, Draw, Namespace, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import negative_axis, rank_of, rarely
from ...op.shapes import place, replaced

KEPT = 256  # cached weights, of the most recent sizes
_LARGEST = 1 << 27  # pixels in a line: a larger size is a mistake, and its weights would fill the memory


@dataclass(frozen=True, eq=False)
class Weights:
    """Output i is the sum over t of `values[i, t] * x[positions[i, t]]`; the line x has `inputs` numbers."""

    positions: Array
    values: Array
    inputs: int

    @property
    def outputs(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"<weights of {self.outputs} numbers from {self.inputs}>"


# (Not `cached_property`: before Python 3.12 it has a lock, which may be held for ever in a forked child.)


@lru_cache(KEPT)
def _selects(weights: Weights) -> bool:
    """Whether each output is just one of the inputs."""
    return weights.values.shape[1] == 1 and bool((weights.values == 1).all())


@lru_cache(KEPT)
def _matrix(weights: Weights) -> Array:
    """All weights, zeros too: (outputs, inputs)."""
    matrix = np.zeros((weights.outputs, weights.inputs))
    np.add.at(matrix, (np.arange(weights.outputs)[:, None], weights.positions), weights.values)
    return matrix


@lru_cache(KEPT)
def _transposed(weights: Weights) -> Weights:
    """The weights of the transpose: for each input, which outputs it reaches."""
    rows, taps = np.nonzero(weights.values)
    columns = weights.positions[rows, taps]
    order = np.argsort(columns, kind="stable")
    counts = np.bincount(columns, minlength=weights.inputs)
    width = max(int(counts.max(initial=0)), 1)
    positions, values = np.zeros((weights.inputs, width), np.intp), np.zeros((weights.inputs, width))
    slots = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    positions[columns[order], slots] = rows[order]
    values[columns[order], slots] = weights.values[rows, taps][order]
    return Weights(positions, values, weights.outputs)


# --- the op -------------------------------------------------------------------------------------------------


def _resample(x: Array, axis: int, weights: Weights) -> Array:
    if not isinstance(weights, Weights) or not -x.ndim <= axis < x.ndim or x.shape[axis] != weights.inputs:
        raise invalid(f"resample: {weights!r} cannot be applied to axis {axis} of a tensor of shape {x.shape}.")
    if _selects(weights):
        return np.take(x, weights.positions[:, 0], axis=axis)
    if x.dtype in NARROW_FLOATS:
        return _resample(x.astype(np.float32), axis, weights).astype(x.dtype)
    axis %= x.ndim
    trailing = prod(x.shape[axis + 1 :])
    # Measured: a few slices added up cost a pass over memory each, a product of matrices costs a fraction.
    if weights.inputs > 48 * weights.values.shape[1]:
        return _add_taps(x, axis, weights)
    matrix = _matrix(weights).astype(x.dtype)
    shape = (*x.shape[:axis], weights.outputs, *x.shape[axis + 1 :])
    if not x.size or not prod(shape):
        return np.zeros(shape, x.dtype)
    lines = x.reshape(-1, weights.inputs, trailing)
    if trailing < 16:  # too narrow for a fast product: turn the lines into rows
        rows = np.ascontiguousarray(lines.swapaxes(1, 2)).reshape(-1, weights.inputs) @ matrix.T
        result = np.ascontiguousarray(rows.reshape(len(lines), trailing, -1).swapaxes(1, 2)).reshape(shape)
    else:
        result = (matrix @ lines).reshape(shape)
    # A product of matrices multiplies an infinity or a nan by the zeros of the others, and one pixel spoils the whole line, its
    # first output too: that one shows it.
    if rarely(not np.isfinite(np.take(result, 0, axis=axis)).all()):
        return _add_taps(x, axis, weights)
    return result


def _add_taps(x: Array, axis: int, weights: Weights) -> Array:
    broadcast = (-1, *(1,) * (x.ndim - 1 - axis))
    result: Any = None
    for tap in range(weights.values.shape[1]):
        part = np.take(x, weights.positions[:, tap], axis=axis)
        shares = weights.values[:, tap].astype(x.dtype).reshape(broadcast)
        part *= shares
        if not shares.all():  # (an output with fewer pixels than others does not look at one more)
            np.copyto(part, 0, where=shares == 0)
        if result is None:
            result = part
        else:
            result += part
    return np.asarray(result)


@op(eager=_resample, dtypes=FLOATING, tf_name="ScaleAndTranslate")
def resample(xp: Namespace, x: Array, *, axis: int, weights: Weights) -> Any:
    """Weighted sums along one axis."""
    matrix = xp.asarray(_matrix(weights), dtype=x.dtype)
    return xp.moveaxis(xp.tensordot(matrix, x, axes=([1], [axis])), 0, axis)


@resample.shapes
def _(x: Abstract, *, axis: Any, weights: Any) -> Shape:
    if weights is UNKNOWN:
        return replaced(x.shape, axis, UNKNOWN)
    matched(x.shape[place(axis, x.ndim)], weights.inputs, "the size and that of the weights,")
    return replaced(x.shape, axis, weights.outputs)


@resample.vjp("x")
def _(g: Cotangent, axis: int, weights: Weights) -> Any:
    return resample(g, axis=axis, weights=_transposed(weights))


resample.linear("x")


@resample.batched
def _(op: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    (x,) = args
    axis = negative_axis(attributes["axis"], rank_of(x) - 1)
    return resample(x, axis=axis, weights=attributes["weights"])


# --- the methods: weights from sizes ------------------------------------------------------------------------


def checked_scale(inputs: int, outputs: int) -> np.float32:
    """Old pixels for each new one."""
    if inputs < 1 or outputs < 1:
        raise invalid(f"resize: sizes must be positive, got an image of {inputs} and a new size of {outputs}.")
    if outputs > _LARGEST:
        raise ResourceExhaustedError(None, None, f"resize: a line of {outputs} pixels is too large.")
    return np.float32(inputs) / np.float32(outputs)


def _centres(inputs: int, outputs: int) -> Array:
    """Where the centres of the new pixels lie, in old pixels whose centres are at 0, 1, 2, ..."""
    scale = checked_scale(inputs, outputs)
    return (np.arange(outputs, dtype=np.float32) + np.float32(0.5)) * scale - np.float32(0.5)


@lru_cache(KEPT)
def nearest(inputs: int, outputs: int) -> Weights:
    """The pixel in which the centre lies."""
    scale = checked_scale(inputs, outputs)
    places = np.floor((np.arange(outputs, dtype=np.float32) + np.float32(0.5)) * scale).astype(np.intp)
    return Weights(np.minimum(places, inputs - 1)[:, None], np.ones((outputs, 1)), inputs)


@lru_cache(KEPT)
def bilinear(inputs: int, outputs: int) -> Weights:
    """The two neighbours, by distance."""
    centres = _centres(inputs, outputs)
    below = np.floor(centres)
    upper = np.minimum(np.ceil(centres).astype(np.intp), inputs - 1)
    lower = np.minimum(np.maximum(below.astype(np.intp), 0), upper)
    share = (centres - below).astype(np.float64)
    return Weights(np.stack([lower, upper], axis=1), np.stack([1 - share, share], axis=1), inputs)


CUBIC_TABLE = 1024  # TensorFlow looks cubic weights up at multiples of 1 / 1024


def cubic_table(steepness: float = -0.5) -> tuple[Array, Array]:
    """The weights of neighbours at distances i / 1024 and 1 + i / 1024 (Keys; a = -1/2 by default)."""
    a = np.float32(steepness)
    x = np.arange(CUBIC_TABLE + 1, dtype=np.float32) / np.float32(CUBIC_TABLE)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    y = x + np.float32(1)
    far = ((a * y - 5 * a) * y + 8 * a) * y - 4 * a
    return near, far


@lru_cache(KEPT)
def bicubic(inputs: int, outputs: int) -> Weights:
    """The four neighbours; those outside of the image do not count."""
    centres = _centres(inputs, outputs)
    below = np.floor(centres)
    offset = np.rint((centres - below) * np.float32(CUBIC_TABLE)).astype(np.intp)
    near, far = cubic_table()
    values = np.stack([far[offset], near[offset], near[CUBIC_TABLE - offset], far[CUBIC_TABLE - offset]], axis=1)
    return _inside(below.astype(np.intp)[:, None] + np.arange(-1, 3), values, inputs)


@lru_cache(KEPT)
def area(inputs: int, outputs: int) -> Weights:
    """The pixels that the new one covers, each by the part of it that is covered."""
    scale = checked_scale(inputs, outputs)
    starts = np.arange(outputs, dtype=np.float32) * scale
    ends = np.arange(1, outputs + 1, dtype=np.float32) * scale
    first = np.floor(starts).astype(np.intp)
    width = int((np.ceil(ends).astype(np.intp) - first).max())
    places = first[:, None] + np.arange(width)
    low, high = np.maximum(places, starts[:, None]), np.minimum(places + 1, ends[:, None])
    values = np.maximum(high - low, 0.0) / np.float64(scale)
    return Weights(np.minimum(places, inputs - 1), values, inputs)


def _inside(places: Array, values: Array, inputs: int) -> Weights:
    """Weights without those outside of the line, scaled so that they add up to 1."""
    inside = (places >= 0) & (places < inputs)
    values = np.where(inside, values, np.float32(0))
    total = values.sum(axis=1, keepdims=True, dtype=np.float32)
    enough = np.abs(total) >= 1000 * np.finfo(np.float32).tiny
    values = np.where(enough, values * (1 / np.where(enough, total, np.float32(1))), np.float32(0))
    return Weights(np.clip(places, 0, inputs - 1), values.astype(np.float64), inputs)


def _lanczos(radius: float) -> Callable[[Array], Array]:
    def kernel(x: Array) -> Array:
        small = x <= np.float32(1e-3)
        angle = np.float32(np.pi) * np.where(small, np.float32(1), x)
        value = np.float32(radius) * np.sin(angle) * np.sin(angle / np.float32(radius)) / (angle * angle)
        return np.where(small, np.float32(1), np.where(x > radius, np.float32(0), value))

    return kernel


def _gaussian(x: Array) -> Array:
    sigma = 0.5  # a third of the radius
    return np.where(x >= 1.5, np.float32(0), np.exp(-x * x / np.float32(2 * sigma * sigma)))


def _triangle(x: Array) -> Array:
    return np.maximum(np.float32(1) - x, np.float32(0))


def _keys_cubic(x: Array) -> Array:
    outer = ((np.float32(-0.5) * x + np.float32(2.5)) * x - np.float32(4)) * x + np.float32(2)
    inner = ((np.float32(1.5) * x - np.float32(2.5)) * x) * x + np.float32(1)
    return np.where(x >= 2, np.float32(0), np.where(x >= 1, outer, inner))


def _mitchell_cubic(x: Array) -> Array:
    outer = ((np.float32(-7 / 18) * x + np.float32(2)) * x - np.float32(10 / 3)) * x + np.float32(16 / 9)
    inner = ((np.float32(7 / 6) * x - np.float32(2)) * x) * x + np.float32(8 / 9)
    return np.where(x >= 2, np.float32(0), np.where(x >= 1, outer, inner))


KERNELS: dict[str, tuple[float, Callable[[Array], Array]]] = {
    "triangle": (1.0, _triangle),
    "keyscubic": (2.0, _keys_cubic),
    "mitchellcubic": (2.0, _mitchell_cubic),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, _gaussian),
}


@lru_cache(KEPT)
def windowed(name: str, inputs: int, outputs: int, antialias: bool) -> Weights:
    """All pixels within a kernel's radius, which with `antialias` grows when the image shrinks."""
    radius, kernel = KERNELS[name]
    checked_scale(inputs, outputs)
    inverse = np.float32(1.0 / np.float64(np.float32(outputs) / np.float32(inputs)))
    stretch = max(inverse, np.float32(1)) if antialias else np.float32(1)
    reach = np.float32(radius) * stretch
    samples = (np.arange(outputs, dtype=np.float32) + np.float32(0.5)) * inverse
    starts = np.clip(np.ceil(samples - reach - np.float32(0.5)), 0, inputs - 1).astype(np.intp)
    ends = np.clip(np.floor(samples + reach - np.float32(0.5)), 0, inputs - 1).astype(np.intp) + 1
    places = starts[:, None] + np.arange(int((ends - starts).max()))
    distances = np.abs((places.astype(np.float32) + np.float32(0.5) - samples[:, None]) * (np.float32(1) / stretch))
    counted = (places < ends[:, None]) & (samples[:, None] <= inputs)
    return _inside(np.where(counted, places, -1), kernel(distances).astype(np.float32), inputs)


# --- samples ------------------------------------------------------------------------------------------------


def _samples() -> Iterator[tuple[tuple[int, ...], int, Weights]]:
    yield (5,), 0, bilinear(5, 3)
    yield (3,), 0, bilinear(3, 7)
    yield (2, 4), 1, bicubic(4, 6)
    yield (2, 4, 3), -2, bicubic(4, 2)
    yield (6, 2), 0, area(6, 4)
    yield (3, 2), 0, area(3, 5)
    yield (2, 5), -1, nearest(5, 3)
    yield (2, 3, 2), 1, nearest(3, 8)
    yield (7, 2), 0, windowed("lanczos3", 7, 4, True)
    yield (4, 2), 0, windowed("lanczos5", 4, 9, False)
    yield (6,), -1, windowed("gaussian", 6, 4, True)
    yield (2, 5, 17), 1, windowed("mitchellcubic", 5, 3, True)
    yield (0, 3), 1, bilinear(3, 2)
    yield (3, 0), 0, bilinear(3, 2)
    yield (1,), 0, bicubic(1, 4)
    yield (2, 120), 1, bilinear(120, 7)  # taps, not a matrix
    yield (120, 3), 0, windowed("triangle", 120, 90, False)


@resample.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape, axis, weights in _samples():
        yield Sample((draw(shape),), {"axis": axis, "weights": weights})


@resample.value
def _(x: Array, axis: int, weights: Weights) -> Any:
    lines = np.moveaxis(x, axis, 0)
    result = np.zeros((weights.outputs, *lines.shape[1:]))
    for output in range(weights.outputs):
        for position, value in zip(weights.positions[output], weights.values[output], strict=True):
            result[output] += value * lines[position]
    return np.moveaxis(result, 0, axis)


@resample.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for axis, inputs in [(0, 3), (1, 2), (2, 3), (-3, 2), (-1, 4), (2**40, 3), (-(2**40), 2)]:
        yield BadInput("the weights must fit the axis", (x,), {"axis": axis, "weights": bilinear(inputs, 2)})
    for weights in (None, np.ones((3, 3)), "bilinear"):
        yield BadInput("weights are made by a method", (x,), {"axis": 1, "weights": weights})
    yield BadInput("a scalar has no axis", (np.float32(1),), {"axis": 0, "weights": bilinear(1, 1)})
