"""Colours: red, green and blue to hue, saturation and value, and back.

Both maps are smooth but for borders between sectors of hue. At ties the first of red, green and blue counts
as the largest, as in TensorFlow; grey has no hue, and there the derivative of hue is zero.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.errors import FailedPreconditionError, invalid
from ...base.sizes import Undecided
from ...base.types import Cotangent, Draw, Function, Namespace, Tangent, Value
from ...op.abstract import Abstract, Shape
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import batch_leading, in_float32, numpy_type
from ...op.shapes import Rule
from ..array.index import getitem
from ..array.layout import concat, stack, unpack
from ..math.elementwise import abs as absolute
from ..math.elementwise import divide_no_nan, sign
from ..math.logic import greater, greater_equal, less, less_equal, logical_and, maximum, minimum, select, zeros_like
from ..math.reduce import reduce_sum


def _check_channels(name: str, x: Any) -> None:
    if not x.ndim:
        raise invalid(f"{name}: an image has at least one axis, the channels; got a scalar.")
    if x.shape[-1] != 3:
        raise FailedPreconditionError(None, None, f"{name}: the last axis must hold 3 channels, got shape {x.shape}.")


def _channels_of(name: str) -> Rule:
    """The shape rule of both: like the image, which must have three channels."""

    def rule(images: Abstract) -> Shape:
        with contextlib.suppress(Undecided):
            _check_channels(name, images)
        return images.known

    return rule


# --- to hue, saturation and value ---------------------------------------------------------------------------


def _rgb_to_hsv(images: Array) -> Array:
    _check_channels("rgb_to_hsv", images)
    red, green, blue = images[..., 0], images[..., 1], images[..., 2]
    value = images.max(axis=-1)
    spread = value - images.min(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        saturation = np.where(value > 0, spread / value, 0)
        hue = np.where(
            red == value,
            (green - blue) / (6 * spread),
            np.where(green == value, (blue - red) / (6 * spread) + 1 / 3, (red - green) / (6 * spread) + 2 / 3),
        )
    hue = np.where(spread > 0, hue, 0)
    hue = np.where(hue < 0, hue + 1, hue)
    return np.stack([hue, saturation, value], axis=-1).astype(images.dtype)


@op(eager=in_float32(_rgb_to_hsv), dtypes=FLOATING, tf_name="RGBToHSV", shape=_channels_of("rgb_to_hsv"))
def rgb_to_hsv(xp: Namespace, images: Array) -> Any:
    """Hue, saturation and value of colours given as red, green and blue in the last axis.

    >>> import gradtape as tf
    >>> tf.image.rgb_to_hsv([0.0, 0.5, 0.0]).numpy()
    array([0.33333334, 1.        , 0.5       ], dtype=float32)
    """
    red, green, blue = images[..., 0], images[..., 1], images[..., 2]
    value = xp.max(images, axis=-1)
    spread = value - xp.min(images, axis=-1)
    safe = xp.where(spread > 0, spread, 1)
    saturation = xp.where(value > 0, spread / xp.where(value > 0, value, 1), 0)
    hue = xp.where(
        red == value,
        (green - blue) / (6 * safe),
        xp.where(green == value, (blue - red) / (6 * safe) + 1 / 3, (red - green) / (6 * safe) + 2 / 3),
    )
    hue = xp.where(spread > 0, hue, 0)
    return xp.stack([xp.where(hue < 0, hue + 1, hue), saturation, value], axis=-1)


class _Pixel(NamedTuple):
    """What the derivatives need: which channels are the largest and smallest, and what is made of them."""

    red_largest: Any
    green_largest: Any
    red_smallest: Any
    green_smallest: Any
    largest: Any
    spread: Any
    offset: Any  # the difference that the hue measures, within its sector

    def of_largest(self, red: Array, green: Array, blue: Array) -> Any:
        return select(self.red_largest, red, select(self.green_largest, green, blue))

    def of_smallest(self, red: Array, green: Array, blue: Array) -> Any:
        return select(self.red_smallest, red, select(self.green_smallest, green, blue))

    def if_positive(self, x: Array) -> Any:
        return select(greater(self.largest, 0), x, zeros_like(x))


def _pixel(images: Value) -> _Pixel:
    red, green, blue = unpack(images, axis=-1)
    red_largest = logical_and(greater_equal(red, blue), greater_equal(red, green))
    red_smallest = logical_and(less(red, blue), less(red, green))
    masks = (
        red_largest,
        greater_equal(green, blue),
        red_smallest,
        logical_and(less_equal(green, red), less(green, blue)),
    )
    partial = _Pixel(*masks, None, None, None)
    largest, smallest = partial.of_largest(red, green, blue), partial.of_smallest(red, green, blue)
    offset = partial.of_largest(green - blue, blue - red, red - green)
    return _Pixel(*masks, largest, largest - smallest, offset)


@rgb_to_hsv.jvp("images")
def _(t: Tangent, images: Value) -> Any:
    pixel = _pixel(images)
    red, green, blue = unpack(t, axis=-1)
    value = pixel.of_largest(red, green, blue)
    spread = value - pixel.of_smallest(red, green, blue)
    offset = pixel.of_largest(green - blue, blue - red, red - green)
    saturation = divide_no_nan(spread - divide_no_nan(pixel.spread * value, pixel.largest), pixel.largest)
    hue = divide_no_nan(offset - divide_no_nan(pixel.offset * spread, pixel.spread), 6.0 * pixel.spread)
    return stack([hue, pixel.if_positive(saturation), value], axis=-1)


@rgb_to_hsv.vjp("images")
def _(g: Cotangent, images: Value) -> Any:
    pixel = _pixel(images)
    hue, saturation, value = unpack(g, axis=-1)
    zero = zeros_like(hue)
    offset = divide_no_nan(hue, 6.0 * pixel.spread)
    saturation = pixel.if_positive(divide_no_nan(saturation, pixel.largest))
    spread = saturation - divide_no_nan(offset * pixel.offset, pixel.spread)
    value = value + spread - divide_no_nan(saturation * pixel.spread, pixel.largest)
    masks = [
        (value, zero, zero, -spread, zero, zero),
        (zero, value, zero, zero, -spread, zero),
        (zero, zero, value, zero, zero, -spread),
    ]
    turns = [(zero, -offset, offset), (offset, zero, -offset), (-offset, offset, zero)]
    channels = [
        pixel.of_largest(*mask[:3]) + pixel.of_smallest(*mask[3:]) + pixel.of_largest(*turn)
        for mask, turn in zip(masks, turns, strict=True)
    ]
    return stack(channels, axis=-1)


# --- and back -----------------------------------------------------------------------------------------------

# Over one turn of the hue each channel goes up, stays, goes down and stays:
# signs * |6 h - centres| + levels, cut to [0, 1].
_CENTRES, _SIGNS, _LEVELS = (3.0, 2.0, 4.0), (1.0, -1.0, -1.0), (-1.0, 2.0, 2.0)


def _hsv_to_rgb(images: Array) -> Array:
    _check_channels("hsv_to_rgb", images)
    hue, saturation, value = images[..., :1], images[..., 1:2], images[..., 2:]
    centres, signs, levels = (np.array(c, images.dtype) for c in (_CENTRES, _SIGNS, _LEVELS))
    height = np.clip(signs * np.abs(6 * hue - centres) + levels, 0, 1)
    return np.asarray((1 - saturation + saturation * height) * value, images.dtype)


@op(eager=in_float32(_hsv_to_rgb), dtypes=FLOATING, tf_name="HSVToRGB", shape=_channels_of("hsv_to_rgb"))
def hsv_to_rgb(xp: Namespace, images: Array) -> Any:
    """Red, green and blue of colours given as hue, saturation and value in the last axis.

    >>> import gradtape as tf
    >>> tf.image.hsv_to_rgb([0.5, 1.0, 0.25]).numpy()
    array([0.  , 0.25, 0.25], dtype=float32)
    """
    hue, saturation, value = images[..., :1], images[..., 1:2], images[..., 2:]
    centres, signs, levels = (xp.asarray(c, dtype=images.dtype) for c in (_CENTRES, _SIGNS, _LEVELS))
    height = xp.clip(signs * xp.abs(6 * hue - centres) + levels, 0, 1)
    return (1 - saturation + saturation * height) * value


def heights(hue: Value) -> tuple[Any, Any]:
    """How much of each channel a hue in an axis of size one has, from 0 to 1; and its derivative."""
    centres, signs, levels = (np.array(c, numpy_type(hue)) for c in (_CENTRES, _SIGNS, _LEVELS))
    place = 6.0 * hue - centres
    free = signs * absolute(place) + levels
    moving = logical_and(greater(free, 0), less(free, 1))
    slope = select(moving, 6.0 * (signs * sign(place)), zeros_like(place))
    return minimum(maximum(free, 0.0), 1.0), slope


def _channels(x: Value) -> tuple[Any, Any, Any]:
    first, second, third = (getitem(x, key=(Ellipsis, slice(c, c + 1))) for c in range(3))
    return first, second, third


@hsv_to_rgb.jvp("images")
def _(t: Tangent, images: Value) -> Any:
    hue, saturation, value = _channels(images)
    hue_t, saturation_t, value_t = _channels(t)
    height, slope = heights(hue)
    change = saturation_t * (height - 1.0) + saturation * slope * hue_t
    return value_t * (1.0 - saturation + saturation * height) + value * change


@hsv_to_rgb.vjp("images")
def _(g: Cotangent, images: Value) -> Any:
    hue, saturation, value = _channels(images)
    height, slope = heights(hue)
    weighted = g * value
    parts = [
        weighted * slope * saturation,
        weighted * (height - 1.0),
        g * (1.0 - saturation + saturation * height),
    ]
    return concat([reduce_sum(part, axis=-1, keepdims=True) for part in parts], axis=-1)


# --- shared by both directions ------------------------------------------------------------------------------

rgb_to_hsv.batching = hsv_to_rgb.batching = batch_leading

_SHAPES = [
    (3,),
    (1, 3),
    (4, 3),
    (0, 3),
    (2, 3, 3),
    (3, 1, 3),
    (1, 2, 3),
    (2, 0, 3),
    (2, 1, 2, 3),
    (5, 3),
    (6, 3),
    (1, 1, 1, 3),
    (3, 3),
]


@rgb_to_hsv.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(_SHAPES):
        order = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)][number % 6]
        apart = np.array([0.1, 0.4, 0.7])[list(order)]  # away from ties, where the derivative jumps
        yield Sample(((draw(shape, 0.0, 0.15) + apart).astype(draw(()).dtype),))
    dtype = np.asarray(draw(())).dtype
    corners = np.array([[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 1], [0.5, 0.5, 0.2], [0.2, 0.5, 0.5]])
    yield Sample((corners.astype(dtype),), differentiable=False)


@hsv_to_rgb.samples
def _(draw: Draw) -> Iterator[Sample]:
    dtype = np.asarray(draw(())).dtype
    for shape in _SHAPES:
        values = np.array(draw(shape, 0.1, 0.9)).astype(np.float64)
        # One hue in the interior of each sector.
        values[..., 0] = (
            np.arange(values[..., 0].size).reshape(values[..., 0].shape) % 6 + 0.2 + 0.6 * values[..., 0]
        ) / 6
        yield Sample((values.astype(dtype),))
    yield Sample((np.array([[0, 0, 0], [1, 1, 1], [0.5, 1, 1], [0.25, 0, 0.5]], dtype),), differentiable=False)


def _pixels(function: Function, images: Array) -> Any:
    flat = [function(*pixel) for pixel in np.reshape(images, (-1, 3)).tolist()]
    return np.array(flat).reshape(np.shape(images))


@rgb_to_hsv.value
def _(images: Array) -> Any:
    from colorsys import rgb_to_hsv as one

    return _pixels(one, images)


@hsv_to_rgb.value
def _(images: Array) -> Any:
    from colorsys import hsv_to_rgb as one

    return _pixels(one, images)


def _reject(op: Op) -> None:
    @op.rejects
    def _() -> Iterator[BadInput]:
        for shape in [(2,), (4,), (3, 2), (2, 3, 1), (3, 0), (0,)]:
            yield BadInput(
                "the last axis holds three channels",
                (np.ones(shape, np.float32),),
                {},
                FailedPreconditionError,
            )
        yield BadInput("a scalar has no channels", (np.float32(1),))


_reject(rgb_to_hsv)
_reject(hsv_to_rgb)
