"""Layer and batch normalisation of large arrays in machine code, with their gradients; see `standardize` in normalization.py.

Each function gives None for arrays that it does not take: small ones, those that are not plain arrays of floats
(a tensor under another tape), and those normalised over other axes than the last ones (layers) or all but the last (batches).
"""

from __future__ import annotations

import functools
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import Array
from .rows import BY_COLUMN, BY_ROW, FULL, RowText, sum_of_rows

Shape = tuple[int, ...]


def row_length(shape: Shape, kept: Shape) -> int:
    """How many elements the last axes have together, if just these are reduced; else 0."""
    first = next(axis for axis in range(len(shape) + 1) if kept[axis:] == (1,) * (len(shape) - axis))
    return prod(shape[first:]) if kept[:first] == shape[:first] else 0


def _is_by_column(shape: Shape, kept: Shape) -> bool:
    return kept == (1,) * (len(shape) - 1) + shape[-1:]


def _repeated(x: Array, count: int) -> Array:
    return np.broadcast_to(x.reshape(-1), (count,))


def _are_arrays(*values: object) -> bool:
    return all(value.__class__ is np.ndarray for value in values)


# --- the values ---------------------------------------------------------------------------------------------


def standardized(x: Array, scale: Array, offset: Array, kept: Shape, epsilon: float) -> tuple[Array, ...] | None:
    """What is normalised, the mean, and one over the deviation; the last two have the shape `kept`."""
    row, channels = row_length(x.shape, kept), x.shape[-1]
    if row and all(v.size in (1, row) for v in (scale, offset)):
        text, matrix = _by_row(epsilon), x.reshape(-1, row)
        found = text.takes(matrix) and text(matrix, _repeated(scale, row), _repeated(offset, row))
        return tuple(v.reshape(shape) for v, shape in zip(found, (x.shape, kept, kept), strict=True)) if found else None
    if not _is_by_column(x.shape, kept) or not _BY_COLUMN.takes(x) or not _are_vectors(channels, scale, offset):
        return None
    matrix = np.ascontiguousarray(x).reshape(-1, channels)
    mean = sum_of_rows(matrix) / x.dtype.type(len(matrix))
    squares = _SQUARES(matrix, mean)
    if squares is None:
        return None
    inverse = 1 / np.sqrt(squares[0] / x.dtype.type(len(matrix)) + x.dtype.type(epsilon))
    found = _BY_COLUMN(matrix, mean, inverse, _repeated(scale, channels), _repeated(offset, channels))
    return (found[0].reshape(x.shape), mean.reshape(kept), inverse.reshape(kept)) if found else None


def _are_vectors(channels: int, *values: Array) -> bool:
    """Whether these are single numbers, or one for each channel."""
    return all(v.size == 1 or v.shape[-1] == v.size == channels for v in values)


@functools.lru_cache(maxsize=64)
def _by_row(epsilon: float) -> RowText:
    return RowText(
        [FULL, BY_COLUMN, BY_COLUMN],
        [
            ("mean", None, (0,)),
            ("map", _square_from, (0, 3)),
            ("mean", None, (4,)),
            ("map", lambda variance: 1 / np.sqrt(variance + epsilon), (5,)),
            ("map", _affine, (0, 3, 6, 1, 2)),
        ],
        [7, 3, 6],
    )


def _square_from(x: Array, mean: Array) -> Any:
    return (x - mean) * (x - mean)


def _affine(x: Array, mean: Array, inverse: Array, scale: Array, offset: Array) -> Any:
    return (x - mean) * inverse * scale + offset


_SQUARES = RowText([FULL, BY_COLUMN], [("map", _square_from, (0, 1))], [2], down=True)
_BY_COLUMN = RowText([FULL, *[BY_COLUMN] * 4], [("map", _affine, (0, 1, 2, 3, 4))], [5])


# --- the gradients ------------------------------------------------------------------------------------------


def gradient_by_x(
    g: Any,
    x: Any,
    scale: Any,
    mean: Any,
    inverse: Any,
    of_mean: Any,
    of_inverse: Any,
) -> Any:
    """The gradient by x; `of_mean` and `of_inverse` are the cotangents of these two results."""
    if not _BY_COLUMN.takes(x) or not _are_arrays(g, scale, mean, inverse, of_mean, of_inverse):
        return None
    row, channels = row_length(x.shape, mean.shape), x.shape[-1]
    if row and scale.size in (1, row):
        text = _gradient_by_row(1 / row)
        each = [v.reshape(-1) for v in (mean, inverse, of_mean, of_inverse)]
        found = text(g.reshape(-1, row), x.reshape(-1, row), _repeated(scale, row), *each)
        return found and found[0].reshape(x.shape)
    if not _is_by_column(x.shape, mean.shape) or not _are_vectors(channels, scale):
        return None
    gradient, values = (np.ascontiguousarray(v).reshape(-1, channels) for v in (g, x))
    own, middle, factor, by_mean, by_inverse = (
        _repeated(v, channels) for v in (scale, mean, inverse, of_mean, of_inverse)
    )
    turn = _DOWN(gradient, values, middle, factor)
    if turn is None:
        return None
    share = x.dtype.type(1 / len(values))
    level = factor * (own * sum_of_rows(gradient) * share) - share * by_mean
    slope = factor * (own * turn[0] * share + share * (by_inverse * factor))
    found = _GRADIENT_BY_COLUMN(gradient, values, own * factor, middle, factor, level, slope)
    return found and found[0].reshape(x.shape)


def gradient_by_scale(
    g: Any,
    x: Any,
    mean: Any,
    inverse: Any,
    shape: Shape,
) -> Any:
    """The gradient by a scale that has one number for each element of the last axis."""
    if not _DOWN.takes(x) or shape != x.shape[-1:] or not _are_arrays(g, mean, inverse):
        return None
    if mean.shape == (*x.shape[:-1], 1):
        found = _DOWN_BY_ROW(g, x, mean, inverse)
    elif _is_by_column(x.shape, mean.shape):
        found = _DOWN(g, x, mean.reshape(-1), inverse.reshape(-1))
    else:
        return None
    return found and found[0]


def _normal(x: Array, mean: Array, inverse: Array) -> Any:
    return (x - mean) * inverse


def _along_normal(g: Array, x: Array, mean: Array, inverse: Array) -> Any:
    return g * ((x - mean) * inverse)


_DOWN_BY_ROW = RowText([FULL, FULL, BY_ROW, BY_ROW], [("map", _along_normal, (0, 1, 2, 3))], [4], down=True)
_DOWN = RowText([FULL, FULL, BY_COLUMN, BY_COLUMN], [("map", _along_normal, (0, 1, 2, 3))], [4], down=True)


def _less_level_and_slope(scaled: Array, inverse: Array, level: Array, normal: Array, slope: Array) -> Any:
    return scaled * inverse - level - normal * slope


@functools.lru_cache(maxsize=64)
def _gradient_by_row(share: float) -> RowText:
    return RowText(
        [FULL, FULL, BY_COLUMN, BY_ROW, BY_ROW, BY_ROW, BY_ROW],
        [
            ("map", np.multiply, (0, 2)),
            ("map", _normal, (1, 3, 4)),
            ("mean", None, (7,)),
            ("map", np.multiply, (7, 8)),
            ("mean", None, (10,)),
            ("map", lambda scaled, inverse, of_mean: inverse * scaled - share * of_mean, (9, 4, 5)),
            ("map", lambda turn, inverse, of_inverse: inverse * (turn + share * (of_inverse * inverse)), (11, 4, 6)),
            ("map", _less_level_and_slope, (7, 4, 12, 8, 13)),
        ],
        [14],
    )


def _gradient_of_column(
    g: Array, x: Array, factor: Array, mean: Array, inverse: Array, level: Array, slope: Array
) -> Any:
    return g * factor - level - (x - mean) * inverse * slope


_GRADIENT_BY_COLUMN = RowText(
    [FULL, FULL, *[BY_COLUMN] * 5], [("map", _gradient_of_column, (0, 1, 2, 3, 4, 5, 6))], [7]
)
