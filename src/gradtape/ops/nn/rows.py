"""Computations along the rows of large matrices, in machine code: sums of rows, and texts with sums along each row."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import Array
from ...native import engine, thresholds

_ADDED = 128  # rows that are added up one after the other
_PLANS = 256  # shapes whose plans are cached
_LONGEST = 4096  # elements of a row: in longer ones NumPy's pairwise sum is more accurate

_add: Any = np.add.reduce  # (ndarray.sum goes through a Python layer)

FULL, BY_ROW, BY_COLUMN = "full", "by row", "by column"


def sum_of_rows(rows: Array) -> Any:
    """The sum over the first axis of a contiguous matrix of float32 or float64."""
    if rows.size < thresholds.ROWS_ELEMENTS:
        # einsum adds rows three times faster than sum does where they are short. One column is a sum of all.
        return np.einsum("nc->c", rows) if rows.shape[1] > 1 else _add(rows, 0)
    if not engine.available():
        return _in_blocks(rows) if rows.shape[1] > 1 else _add(rows, 0)
    from ...native import sums

    return sums.sum_of_rows(rows)


def _in_blocks(rows: Array) -> Array:
    """The sum by NumPy: of blocks of rows first, as machine code adds them up. One after the other, 86,528 rows lose 90 times as much."""
    count = len(rows) // _ADDED
    if count < 2:
        return np.einsum("nc->c", rows)
    whole = count * _ADDED
    sums: Array = np.einsum("bnc->bc", rows[:whole].reshape(count, _ADDED, -1))
    if whole < len(rows):
        sums = np.concatenate([sums, np.einsum("nc->c", rows[whole:])[None]])
    return _in_blocks(sums)


class RowText:
    """Steps along the last axis, as one pass in machine code where the arrays are large.

    `steps` come after the operands: ("map", text, numbers), or ("sum" | "mean" | "max", None, (number,)) along each row.
    `wanted` are the numbers of the results; with `down` they are added up over all rows. An operand is an array of the
    shape of the first ("full"), of that shape without the last axis ("by row"), or as long as a row ("by column").
    """

    def __init__(
        self,
        given: Sequence[str],
        steps: Sequence[tuple[str, Any, tuple[int, ...]]],
        wanted: Sequence[int],
        down: bool = False,
    ):
        self._given = tuple(given)
        self._steps = tuple(steps)
        self._wanted = tuple(wanted)
        self._unit = _ADDED if down else 1
        self._layouts = list(given)
        for how, _, of in steps:
            along = how != "map" or all(self._layouts[k] == BY_ROW for k in of)
            self._layouts.append(BY_ROW if along else FULL)
        self._results = [BY_COLUMN if down else self._layouts[k] for k in wanted]
        self._kernels: dict[Any, Any] = {}
        self._plans: dict[Any, Any] = {}

    def takes(self, first: object, axis: int = -1) -> bool:
        """Whether machine code is faster: for many floats, along a last axis of more than one element."""
        return (
            first.__class__ is np.ndarray
            and first.size >= thresholds.ROWS_ELEMENTS
            and first.dtype.char in "fd"
            and first.shape[-1] > 1
            and axis in (-1, first.ndim - 1)
            and engine.available()
        )

    def __call__(self, *operands: Array) -> list[Array] | None:
        """The results, or None where there is no machine code for these types."""
        first = operands[0]
        key = (first.shape, first.dtype)
        if key not in self._plans:
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            self._plans[key] = self._plan(*key)
        run, shapes = self._plans[key]
        if run is None:
            return None
        results = [np.empty(shape, first.dtype) for shape in shapes]
        run([*(np.ascontiguousarray(x) for x in operands), *results])
        return [sum_of_rows(x) if layout == BY_COLUMN else x for x, layout in zip(results, self._results, strict=True)]

    def _plan(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Any, list[tuple[int, ...]]]:
        """For operands of this shape: a function that runs the kernel on arrays, if there is one, and the shapes of results."""
        from ...native import pool
        from ...native.rows import lanes_for, levels_for, packed_rows

        columns, rows = shape[-1], prod(shape[:-1])
        lanes = lanes_for(columns, [dtype])
        kind = dtype, lanes, levels_for(columns, lanes)
        if kind not in self._kernels:
            self._kernels[kind] = self._compiled(*kind)
        kernel = self._kernels[kind]
        units = -(-rows // self._unit)
        shapes = {FULL: shape, BY_ROW: shape[:-1], BY_COLUMN: (units, columns)}
        strides = [{FULL: columns, BY_ROW: 1}.get(layout, 0) for layout in (*self._given, *self._results)]
        smallest = max(1, thresholds.ROWS_PART_ELEMENTS // (columns * self._unit))

        def run(arrays: list[Array]) -> None:
            pool.run(kernel, packed_rows(columns, rows * columns, self._unit, arrays, strides), units, smallest)

        return run if kernel is not None else None, [shapes[layout] for layout in self._results]

    def _compiled(self, dtype: np.dtype[Any], lanes: int, levels: int) -> Any:
        from ...native.language import Unsupported
        from ...native.rows import Given, Step, Text, Wanted, kernel_of

        given = tuple(Given(dtype, layout) for layout in self._given)
        own = self._layouts[len(given) :]
        steps = tuple(
            Step(how, text, of, dtype, layout) for (how, text, of), layout in zip(self._steps, own, strict=True)
        )
        wanted = tuple(
            Wanted(k, layout, buffer)
            for buffer, (k, layout) in enumerate(zip(self._wanted, self._results, strict=True))
        )
        try:
            return kernel_of(Text(given, steps, wanted, (dtype,) * len(wanted), lanes, levels))
        except Unsupported:
            return None


_ALONG = {how: RowText([FULL], [(how, None, (0,))], [1]) for how in ("sum", "max")}


def along_rows(how: str, x: Array, axis: Any, keepdims: bool) -> Any:
    """The "sum" or the "max" over the last axis of a large array, or None for another axis or array."""
    text = _ALONG[how]
    if axis.__class__ is tuple and len(axis) == 1:
        (axis,) = axis
    if not text.takes(x, axis) or x.shape[-1] > _LONGEST or not x.flags.c_contiguous:
        return None
    found = text(x)
    return found and found[0].reshape((*x.shape[:-1], 1) if keepdims else x.shape[:-1])


# --- sums over any axes ------------------------------------------------------------------------------------------------------

_EINSUM_TERMS = 512  # elements that einsum adds up one after the other


def sum_over(x: Array, axis: Any, keepdims: bool) -> Any:
    """The sum of floats. Large sums over all elements or over the first axes are sums of rows; those over the last axis run along
    each row. Like NumPy's pairwise sum, this loses little to rounding."""
    if x.size >= thresholds.SUM_ELEMENTS and x.dtype.char in "fd":
        if axis is None and x.flags.forc:
            found = _total_of_all(x.ravel(order="K"))
            return found.reshape((1,) * x.ndim) if keepdims else found
        leading = _leading(axis)
        if leading and x.flags.c_contiguous and leading < x.ndim:
            rest = x.shape[leading:]
            found = sum_of_rows(x.reshape(-1, prod(rest)))
            return found.reshape((1,) * leading + rest if keepdims else rest)
        found = along_rows("sum", x, axis, keepdims)
        if found is not None:
            return found
    # With the dtype, because NumPy adds int32 up in int64 and TensorFlow does not.
    return _add(x, axis, x.dtype, None, keepdims)


def _total_of_all(flat: Array) -> Any:
    if flat.size >= thresholds.SUM_OF_ALL_ELEMENTS and engine.available():
        return sum_of_rows(flat[:, None])[0]
    # einsum sums lines with vector instructions, three times as fast as np.add, which sums only their totals.
    whole = flat.size - flat.size % _EINSUM_TERMS
    return _add(np.einsum("ij->i", flat[:whole].reshape(-1, _EINSUM_TERMS))) + _add(flat[whole:])


def _leading(axis: Any) -> int:
    """The number of axes, if they are the first ones; else 0."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    return len(axes) if sorted(axes) == list(range(len(axes))) else 0
