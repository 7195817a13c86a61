"""Changes of single rows of an array, as the scatters of variables make them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..base.errors import invalid


def check_rows(indices: Array, values: Array, shape: tuple[int, ...]) -> None:
    """Raise unless there are such rows in a variable of this shape, and a value for each or one for all."""
    rows = shape[0] if shape else 0
    # (Read as unsigned numbers, negative ones are the largest: one pass finds both kinds.)
    if indices.size and indices.view(f"u{indices.itemsize}").max() >= rows:
        raise invalid(f"scatter: indices must be in [0, {rows}), got {indices.tolist()}.")
    if values.ndim and values.shape != indices.shape + shape[1:]:
        raise invalid(
            f"scatter: a value of shape {indices.shape + shape[1:]} is needed for indices of shape {indices.shape}, got shape "
            f"{values.shape}."
        )


def of_rows(function: np.ufunc, together: np.ufunc | None = None) -> Callable[[Array, Array, Array], None]:
    """`function.at` for whole rows, several times as fast; if many updates are for one row, `together` combines them first."""

    def update(array: Array, rows: Array, values: Array) -> None:
        if (
            array.dtype.char not in "fd"
            or rows.ndim != 1
            or not len(rows)
            or values.shape != (len(rows), *array.shape[1:])
        ):
            function.at(array, rows, values)
            return
        order = np.argsort(rows, kind="stable")
        ordered = rows[order]
        is_first = np.concatenate(([True], ordered[1:] != ordered[:-1]))
        first, others = np.flatnonzero(is_first), order[~is_first]
        some = ordered[first]
        if together is not None and len(others) > len(first):
            array[some] = function(array.take(some, 0), together.reduceat(values[order], first, axis=0))
            return
        array[some] = function(array.take(some, 0), values.take(order[first], 0))
        function.at(array, rows[others], values[others])

    return update


def set_rows(array: Array, key: Any, values: Array) -> None:
    """Put rows, or what stands at another key."""
    array[key] = values
