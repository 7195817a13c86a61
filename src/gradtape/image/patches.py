"""Parts of images: windows side by side, and boxes resized to one size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..api.arrays import convert_to_tensor, reshape, stop_gradient, zeros_like
from ..api.indexing import gather, where
from ..api.known_shapes import of_shape
from ..api.layout import expand_dims
from ..api.shapes import shape
from ..base import dtypes
from ..base.errors import OutOfRangeError, UnimplementedError, invalid
from ..base.sizes import UNKNOWN
from ..base.traceable import shaped, trace_public, traceable
from ..base.types import AxisLike, IntLike, TensorLike
from ..differentiation.vectorize import Batched
from ..math import cast, ceil, floor, greater_equal, less_equal, logical_and, maximum, minimum
from ..op.abstract import Abstract
from ..op.arguments import number, sequence, takes, text
from ..op.attributes import as_int, as_ints
from ..ops.image.patches import extract_windows
from ..trace.abstract_tensor import abstract_of
from ..trace.control import effect_on_abstract
from ..values.tensor import Tensor, from_array, to_tensor


def _spatial(values: TensorLike, label: str, rank: int = 2) -> tuple[int, ...]:
    numbers = as_ints(values)
    if len(numbers) != rank + 2:
        written = "(1, rows, columns, 1)" if rank == 2 else "(1, planes, rows, columns, 1)"
        raise invalid(f"extract_patches: {label} must have {rank + 2} numbers {written}, got {list(numbers)}.")
    if numbers[0] != 1 or numbers[-1] != 1:
        raise UnimplementedError(
            None, None, f"extract_patches: {label} must be 1 for batch and channels, got {list(numbers)}."
        )
    if min(numbers) < 1:
        raise OutOfRangeError(
            None, None, f"extract_patches: {label} is out of range: it must be positive, got {list(numbers)}."
        )
    return tuple(numbers[1:-1])


@takes(sizes=sequence, strides=sequence, rates=sequence, padding=text)
def extract_patches(
    images: TensorLike,
    sizes: TensorLike,
    strides: AxisLike,
    rates: AxisLike,
    padding: str | Sequence[Sequence[int]],
    name: str | None = None,
) -> Tensor:
    """What windows see of images, every few pixels: each window in the last axis.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(16), [1, 4, 4, 1])
    >>> tf.image.extract_patches(image, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID").numpy()[0, 0]
    array([[0, 1, 4, 5],
           [2, 3, 6, 7]], dtype=int32)

    Args:
        images: A batch of images (batch, height, width, channels).
        sizes: The size of a window, as [1, rows, columns, 1].
        strides: How far windows are apart, as [1, rows, columns, 1].
        rates: How far the pixels of a window are apart, as [1, rows, columns, 1].
        padding: "SAME" or "VALID".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (batch, rows, columns, window * channels).

    Raises:
        tf.errors.InvalidArgumentError: The images or an option have another form.
        tf.errors.UnimplementedError: A window goes over the batch or the channels.
        tf.errors.OutOfRangeError: A number is not positive.
    """
    x = to_tensor(images)
    if x.ndim != 4:
        raise invalid(f"extract_patches: images must be a batch (batch, height, width, channels), got shape {x.shape}.")
    kind = str(padding).upper()
    if kind not in ("SAME", "VALID"):
        raise invalid(f'extract_patches: padding must be "SAME" or "VALID", got {padding!r}.')
    window, steps, spread = _spatial(sizes, "sizes"), _spatial(strides, "strides"), _spatial(rates, "rates")
    seen = extract_windows.public(x, window, steps, spread, kind)
    return reshape(seen, (*tuple(seen.shape)[:3], seen.shape[3] * seen.shape[4]))


@takes(ksizes=sequence, strides=sequence, padding=text)
def extract_volume_patches(
    input: TensorLike, ksizes: TensorLike, strides: TensorLike, padding: str, name: str | None = None
) -> Tensor:
    """What windows of `ksizes` see of volumes, every `strides`: (batch, planes, rows, columns, window * channels).

    >>> import gradtape as tf
    >>> tf.extract_volume_patches(tf.ones([1, 4, 4, 4, 2]), [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID").shape
    TensorShape([1, 2, 2, 2, 16])

    Args:
        input: Volumes: (batch, planes, rows, columns, channels).
        ksizes: The sizes of a window, as [1, planes, rows, columns, 1].
        strides: The steps between windows, in the same way.
        padding: "SAME" or "VALID".
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The windows side by side.

    Raises:
        tf.errors.InvalidArgumentError: The input is no batch of volumes.
    """
    x = to_tensor(input)
    if x.ndim != 5:
        raise invalid(
            f"extract_volume_patches: the input must have 5 axes (batch, volume, channels), got shape {x.shape}."
        )
    kind = str(padding).upper()
    if kind not in ("SAME", "VALID"):
        raise invalid(f'extract_volume_patches: padding must be "SAME" or "VALID", got {padding!r}.')
    window, steps = _spatial(ksizes, "ksizes", 3), _spatial(strides, "strides", 3)
    seen = extract_windows.public(x, window, steps, (1, 1, 1), kind)
    return reshape(seen, (*tuple(seen.shape)[:4], seen.shape[4] * seen.shape[5]))


# --- boxes --------------------------------------------------------------------------------------------------


def _boxes_look(
    image: TensorLike, boxes: TensorLike, box_indices: TensorLike, crop_size: IntLike, *args: object, **kwargs: object
) -> Abstract:
    x, corners = abstract_of(to_tensor(image)), abstract_of(to_tensor(boxes))
    sizes: Any = as_ints(crop_size)
    height, width = (UNKNOWN, UNKNOWN) if sizes is UNKNOWN else sizes
    return Abstract((corners.of_rank(2)[0], height, width, x.of_rank(4)[3]), np.float32)


@takes(method=text, extrapolation_value=number)
@shaped(_boxes_look)
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: IntLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Boxes cut out of images and resized to one size. Gradients flow to images and boxes.

    >>> import gradtape as tf
    >>> image = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.crop_and_resize(image, [[0.0, 0.0, 0.5, 0.5]], [0], [2, 2]).numpy()[0, :, :, 0]
    array([[0., 1.],
           [3., 4.]], dtype=float32)

    Args:
        image: A batch of images (batch, height, width, channels).
        boxes: Corners (boxes, 4) as y1, x1, y2, x2: 0 and 1 are the centres of the first and the last pixel. Where y1 >
            y2 or x1 > x2 the part is mirrored.
        box_indices: From which image of the batch each box is taken.
        crop_size: The height and width of all parts.
        method: "bilinear" or "nearest".
        extrapolation_value: The value of what lies outside of the image.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A float32 tensor (boxes, *crop_size, channels).

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not fit, a box is not finite, or the method is another.
        tf.errors.OutOfRangeError: There is no such image.
    """
    x = cast(image, dtypes.float32)
    corners = convert_to_tensor(boxes, dtypes.float32)
    owners = convert_to_tensor(box_indices, dtypes.int32)
    height, width = _checked(x, corners, owners, crop_size, method)
    rows = _places(corners[:, 0], corners[:, 2], x.shape[1], height)
    columns = _places(corners[:, 1], corners[:, 3], x.shape[2], width)
    if method == "bilinear":
        sampled = _bilinear(x, rows, columns, owners)
    else:
        # In the boxes TensorFlow differentiates the bilinear form: the nearest pixel jumps.
        smooth = _bilinear(stop_gradient(x), rows, columns, owners)
        nearest = _pixels(x, _index(floor(rows + 0.5), x.shape[1]), _index(floor(columns + 0.5), x.shape[2]), owners)
        sampled = nearest + (smooth - stop_gradient(smooth))
    inside = logical_and(_within(rows, x.shape[1])[:, :, None, None], _within(columns, x.shape[2])[:, None, :, None])
    return where(inside, sampled, zeros_like(sampled) + float(extrapolation_value))


def _checked(x: Tensor, corners: Tensor, owners: Tensor, crop_size: object, method: str) -> tuple[int, int]:
    sizes = as_ints(crop_size)
    if x.ndim != 4 or 0 in tuple(x.shape)[1:3]:
        raise invalid(f"crop_and_resize: images must be a batch (batch, height, width, channels), got shape {x.shape}.")
    if corners.ndim != 2 or corners.shape[1] != 4:
        raise invalid(f"crop_and_resize: boxes must have shape (boxes, 4), got {corners.shape}.")
    if owners.ndim != 1 or owners.shape[0] != corners.shape[0]:
        raise invalid(
            "crop_and_resize: box_indices must have one number for each box, "
            f"got shape {owners.shape} for {corners.shape}."
        )
    if len(sizes) != 2 or min(sizes) < 1:
        raise invalid(f"crop_and_resize: crop_size must be two positive sizes, got {list(sizes)}.")
    if method not in ("bilinear", "nearest"):
        raise invalid(f'crop_and_resize: method must be "bilinear" or "nearest", got {method!r}.')
    if not any(isinstance(value, Batched) for value in (x, corners, owners)):
        _check_boxes(corners, owners, shape(x)[0])
    return sizes[0], sizes[1]


def _check_boxes(corners: Tensor, owners: Tensor, images: IntLike) -> None:
    numbers, count = owners._array, as_int(images)
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        message = f"crop_and_resize: box_indices must lie in [0, {count}), got {numbers.tolist()}."
        raise OutOfRangeError(None, None, message)
    if not np.isfinite(corners._array).all():
        raise invalid("crop_and_resize: boxes must be finite.")


_check_boxes = traceable(_check_boxes, on_abstract=effect_on_abstract)


def _places(start: Tensor, end: Tensor, size: int, count: int) -> Any:
    """Where the `count` samples of each box lie, in pixels: (boxes, count)."""
    last = float(size - 1)
    if count == 1:
        return expand_dims(0.5 * (start + end) * last, -1)
    steps = from_array(np.arange(count, dtype=np.float32))
    return expand_dims(start * last, -1) + steps * expand_dims((end - start) * last / float(count - 1), -1)


def _within(places: TensorLike, size: int) -> Any:
    return logical_and(greater_equal(places, 0.0), less_equal(places, float(size - 1)))


def _index(places: TensorLike, size: int) -> Any:
    return cast(minimum(maximum(stop_gradient(places), 0.0), float(size - 1)), dtypes.int32)


def _pixels(x: Tensor, rows: Any, columns: Any, owners: Any) -> Any:
    """The pixels at all pairs of rows (boxes, height) and columns (boxes, width)."""
    batch, height, width, channels = tuple(x.shape)
    lines = rows[:, :, None] + owners[:, None, None] * height
    return gather(reshape(x, (batch * height * width, channels)), lines * width + columns[:, None, :])


def _bilinear(x: Tensor, rows: Tensor, columns: Tensor, owners: TensorLike) -> Any:
    height, width = x.shape[1], x.shape[2]
    upper, lower = floor(rows), ceil(rows)
    left, right = floor(columns), ceil(columns)
    down = (rows - stop_gradient(upper))[:, :, None, None]
    across = (columns - stop_gradient(left))[:, None, :, None]
    lines = []
    for line in (_index(upper, height), _index(lower, height)):
        first, second = (
            _pixels(x, line, _index(left, width), owners),
            _pixels(x, line, _index(right, width), owners),
        )
        lines.append(first + (second - first) * across)
    return lines[0] + (lines[1] - lines[0]) * down


trace_public(globals())
of_shape(crop_and_resize, crop_size=(2,), boxes=(None, 4), box_indices=(None,), image=(None,) * 4)
