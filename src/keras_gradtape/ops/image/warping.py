"""Images seen through a map of coordinates: affine, perspective, elastic, or given point by point."""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any

from keras.src.backend import standardize_data_format
from keras.src.random.seed_generator import draw_seed

import gradtape as tf
from gradtape import cast

from ..core import convert_to_tensor
from ..numpy.manipulation import length
from ..promotion import to_type
from .colour import gaussian_blur
from .layout import batched, channels_last, check_choice, check_rank

_INTERPOLATIONS = ("nearest", "bilinear")
_FILL_MODES = ("constant", "nearest", "wrap", "mirror", "reflect")


def affine_transform(
    images: Any,
    transform: Any,
    interpolation: str = "bilinear",
    fill_mode: str = "constant",
    fill_value: Any = 0,
    data_format: Any = None,
) -> Any:
    """Each output pixel (x, y) is taken from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1.

    A transform is (a0, a1, a2, b0, b1, b2, c0, c1), one for all images or one for each.
    """
    check_choice("interpolation", interpolation, _INTERPOLATIONS)
    check_choice("fill_mode", fill_mode, _FILL_MODES)
    images, transform = convert_to_tensor(images), convert_to_tensor(transform)
    check_rank(images)
    if transform.ndim not in (1, 2):
        raise ValueError(
            "Invalid transform rank: expected rank 1 (single transform) or rank 2 (batch of transforms). "
            f"Received input with shape: transform.shape={transform.shape}"
        )
    return _projected(images, transform, interpolation, fill_mode, fill_value, data_format)


def perspective_transform(
    images: Any,
    start_points: Any,
    end_points: Any,
    interpolation: str = "bilinear",
    fill_value: Any = 0,
    data_format: Any = None,
) -> Any:
    """Images under the perspective transform that maps four points to four others."""
    start, end = (convert_to_tensor(points, tf.float32) for points in (start_points, end_points))
    check_choice("interpolation", interpolation, _INTERPOLATIONS)
    images = convert_to_tensor(images)
    check_rank(images)
    for name, points in (("start_points", start), ("end_points", end)):
        if points.ndim not in (2, 3) or tuple(points.shape)[-2:] != (4, 2):
            raise ValueError(
                f"Invalid {name} shape: expected (4,2) for a single image or (N,4,2) for a batch. "
                f"Received shape: {points.shape}"
            )
    if start.shape != end.shape:
        raise ValueError(
            "start_points and end_points must have the same shape. "
            f"Received start_points.shape={start.shape}, end_points.shape={end.shape}"
        )
    start, end = (tf.reshape(points, [-1, 4, 2]) for points in (start, end))
    transform = compute_homography_matrix(start, end)
    return _projected(images, transform, interpolation, "constant", fill_value, data_format)


def compute_homography_matrix(start_points: Any, end_points: Any) -> Any:
    """The transforms, as `affine_transform` takes them, that map four end points (batch, 4, 2) to start points."""
    start, end = convert_to_tensor(start_points), convert_to_tensor(end_points)
    ones = tf.ones_like(end[..., :1])
    point = tf.concat([end, ones], -1)  # (batch, 4, 3)
    nothing = tf.zeros_like(point)
    rows = []
    for axis, (first, second) in enumerate(((point, nothing), (nothing, point))):
        rows.append(tf.concat([first, second, -start[..., axis : axis + 1] * end], -1))
    # Equations in the order x1, y1, x2, y2 ...
    equations = tf.reshape(tf.stack(rows, 2), [-1, 8, 8])
    return tf.reshape(tf.linalg.solve(equations, tf.reshape(start, [-1, 8, 1])), [-1, 8])


def _projected(
    images: Any, transform: Any, interpolation: str, fill_mode: str, fill_value: Any, data_format: Any
) -> Any:
    transform = tf.reshape(to_type(transform, tf.float32), [-1, 8])

    def project(x: Any) -> Any:
        height, width = length(x, 1), length(x, 2)
        columns, rows = tf.meshgrid(cast(tf.range(width), tf.float32), cast(tf.range(height), tf.float32))
        a0, a1, a2, b0, b1, b2, c0, c1 = (part[:, None, None] for part in tf.unstack(transform, axis=1))
        depth = c0 * columns + c1 * rows + 1.0
        places = (b0 * columns + b1 * rows + b2) / depth, (a0 * columns + a1 * rows + a2) / depth
        return _sampled(x, places, interpolation, fill_mode, fill_value)

    return channels_last(lambda x: batched(project, x), images, data_format)


def _sampled(images: Any, places: Any, interpolation: str, fill_mode: str, fill_value: Any) -> Any:
    """The images (batch, height, width, channels) at rows and columns (batch or 1, height, width) between pixels."""
    batch, height, width = (length(images, axis) for axis in range(3))
    pixels = tf.reshape(images, tf.concat([[batch, height * width], tf.shape(images)[3:]], 0))
    fill = convert_to_tensor(fill_value, images.dtype)

    def at(row: Any, column: Any) -> Any:
        (row, in_rows), (column, in_columns) = (
            _element(index, size, fill_mode) for index, size in ((row, height), (column, width))
        )
        number = row * width + column
        number = tf.broadcast_to(number, tf.concat([[batch], tf.shape(number)[1:]], 0))
        found = tf.gather(pixels, number, axis=1, batch_dims=1)
        return tf.where((in_rows & in_columns)[..., None], found, fill) if fill_mode == "constant" else found

    if interpolation == "nearest":
        # Halves go away from zero.
        return at(*(cast(tf.sign(p) * tf.floor(tf.abs(p) + 0.5), tf.int32) for p in places))
    corners = [_neighbours(place, 1) for place in places]
    parts = []
    for (row, row_weight), (column, column_weight) in itertools.product(*corners):
        parts.append(to_type(at(row, column), tf.float32) * (row_weight * column_weight)[..., None])
    return to_type(functools.reduce(operator.add, parts), images.dtype)


# --- given point by point --------------------------------------------------------------------------------------------


def map_coordinates(
    inputs: Any, coordinates: Any, order: int, fill_mode: str = "constant", fill_value: Any = 0.0
) -> Any:
    """The tensor at places between its elements: the nearest element (order 0) or a linear mixture (order 1)."""
    x, places = convert_to_tensor(inputs), convert_to_tensor(coordinates)
    if places.shape[0] != x.ndim:
        raise ValueError(
            "First dim of `coordinates` must be the same as the rank of `inputs`. "
            f"Received inputs with shape: {x.shape} and coordinate leading dim of {places.shape[0]}"
        )
    if places.ndim < 2:
        raise ValueError(
            f"Invalid coordinates rank: expected at least rank 2. Received input with shape: {places.shape}"
        )
    check_choice("fill_mode", fill_mode, _FILL_MODES)
    if order not in (0, 1):
        raise NotImplementedError("map_coordinates currently requires order<=1")
    places = places if places.dtype.is_floating else cast(places, tf.float32)
    kind = places.dtype
    fill = to_type(convert_to_tensor(fill_value, x.dtype), kind)
    neighbours = [
        [(*_element(index, size, fill_mode), weight) for index, weight in _neighbours(place, order)]
        for place, size in zip(tf.unstack(places), (length(x, axis) for axis in range(x.ndim)), strict=True)
    ]
    parts = []
    for corner in itertools.product(*neighbours):
        indices, insides, weights = zip(*corner, strict=True)
        values = to_type(tf.gather_nd(x, tf.stack(indices, -1)), kind)
        if fill_mode == "constant":
            values = tf.where(functools.reduce(tf.logical_and, insides), values, fill)
        parts.append(values * functools.reduce(operator.mul, weights))
    result = functools.reduce(operator.add, parts)
    return to_type(result if x.dtype.is_floating else tf.round(result), x.dtype)


def _neighbours(place: Any, order: int) -> list[tuple[Any, Any]]:
    """The indices that contribute to a coordinate along one axis, with their weights."""
    if order == 0:
        nearest = tf.round(place)
        return [(cast(nearest, tf.int32), tf.ones_like(nearest))]
    lower = tf.floor(place)
    index, part = cast(lower, tf.int32), place - lower
    return [(index, 1.0 - part), (index + 1, part)]


def _element(index: Any, size: Any, fill_mode: str) -> tuple[Any, Any]:
    """An index that exists, and whether it is the one that was asked for."""
    inside = (index >= 0) & (index < size)
    if fill_mode == "wrap":
        index = tf.math.floormod(index, size)
    elif fill_mode == "mirror":
        turn = tf.math.floormod(index, tf.maximum(2 * size - 2, 1))
        index = tf.minimum(turn, 2 * size - 2 - turn)
    elif fill_mode == "reflect":
        turn = tf.math.floormod(index, 2 * size)
        index = tf.minimum(turn, 2 * size - 1 - turn)
    return tf.clip_by_value(index, 0, size - 1), inside


def elastic_transform(
    images: Any,
    alpha: Any = 20.0,
    sigma: Any = 5.0,
    interpolation: str = "bilinear",
    fill_mode: str = "reflect",
    fill_value: Any = 0.0,
    seed: Any = None,
    data_format: Any = None,
) -> Any:
    """Images moved at random, neighbouring pixels together: `alpha` says how far, `sigma` how smoothly."""
    check_choice("interpolation", interpolation, _INTERPOLATIONS)
    check_choice("fill_mode", fill_mode, _FILL_MODES)
    images = convert_to_tensor(images)
    check_rank(images)
    standardize_data_format(data_format)
    kind = images.dtype
    width_of_bell = (6 * int(sigma)) | 1
    seed = draw_seed(seed)

    def move(x: Any) -> Any:
        batch, height, width, _ = tuple(x.shape)
        noise = tf.random.stateless_normal([1 if batch is None else batch, height, width, 1], seed, dtype=kind) * sigma
        smooth = gaussian_blur(noise, (width_of_bell, width_of_bell), (sigma, sigma), "channels_last")[..., 0] * alpha
        columns, rows = tf.meshgrid(cast(tf.range(width), kind), cast(tf.range(height), kind))
        order = _INTERPOLATIONS.index(interpolation)
        moved = []
        for image, step in zip(tf.unstack(x), tf.unstack(smooth), strict=True):
            places = tf.stack([rows + step, columns + step])
            planes = [
                map_coordinates(plane, places, order, fill_mode, fill_value) for plane in tf.unstack(image, axis=-1)
            ]
            moved.append(tf.stack(planes, -1))
        return tf.stack(moved)

    return channels_last(lambda x: batched(move, x), images, data_format)
