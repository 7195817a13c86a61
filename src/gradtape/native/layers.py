"""Kernels of layers, over rows of float32: one step of LSTM and GRU, the softmax of attention."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.dtypes import Array
from . import pool, thresholds
from .engine import Kernel
from .language import Number
from .rows import (
    BY_COLUMN,
    BY_ROW,
    FULL,
    SINGLE,
    Given,
    Step,
    Text,
    Wanted,
    kernel_of,
    lanes_for,
    levels_for,
    packed_rows,
)

_FLOAT = np.dtype(np.float32)


def lstm_step(gates: Array, cell: Array) -> tuple[Array, Array, Array]:
    """The output, the new state, and the gates (input, forget, candidate, output) after their activations."""
    rows, units = cell.shape
    output, new, active = np.empty(cell.shape, _FLOAT), np.empty(cell.shape, _FLOAT), np.empty(gates.shape, _FLOAT)
    places = _places(units, (4, 1, 1, 1, 4))
    _LSTM.run(rows, units, (gates, gates, gates, gates, cell, output, new, active, active, active, active), *places)
    return output, new, active


def gru_step(inputs: Array, recurrent: Array, state: Array) -> tuple[Array, Array]:
    """The new state, and the gates (update, reset, candidate) after their activations."""
    rows, units = state.shape
    active, new = np.empty(inputs.shape, _FLOAT), np.empty(state.shape, _FLOAT)
    places = _places(units, (3, 3, 1, 1, 3))
    arrays = *(inputs,) * 3, *(recurrent,) * 3, state, new, *(active,) * 3
    _GRU.run(rows, units, arrays, *places)
    return new, active


@functools.cache
def _places(units: int, parts: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Distances between rows, and first elements, of arrays whose columns are so many parts side by side."""
    strides = [units * count for count in parts for _ in range(count)]
    return strides, [units * part for count in parts for part in range(count)]


def scaled_softmax(logits: Array, scale: float, bias: Array) -> Array:
    """softmax(logits * scale + bias) of each row; the bias is a number, one for each column, or a matrix."""
    rows, columns = logits.shape
    layout = SINGLE if bias.size == 1 else FULL if bias.ndim == 2 else BY_COLUMN
    result = np.empty_like(logits)
    # The powers are kept where the result goes, if no vector reaches back into the one before it.
    kept = columns % lanes_for(columns, (_FLOAT,)) == 0
    arrays = logits, np.asarray(scale, _FLOAT), bias, result
    strides = [columns, 0, columns if layout == FULL else 0, columns]
    _SOFTMAX[layout, kept].run(rows, columns, arrays, strides, [])
    return result


# --- texts -------------------------------------------------------------------------------------------------------------------


class _Layer:
    """What is computed of each row, for rows of any length."""

    def __init__(self, given: Sequence[str], steps: Sequence[Step], wanted: Sequence[Wanted]) -> None:
        self._given, self._steps, self._wanted = given, tuple(steps), tuple(wanted)
        self._kernels: dict[tuple[int, int], Kernel] = {}

    def run(self, rows: int, columns: int, arrays: tuple[Array, ...], strides: list[int], offsets: list[int]) -> None:
        """Operands and results, with the distances between their rows and their first elements."""
        lanes = lanes_for(columns, (_FLOAT,))
        kind = lanes, levels_for(columns, lanes)
        kernel = self._kernels.get(kind)
        if kernel is None:
            given = tuple(Given(_FLOAT, layout) for layout in self._given)
            buffers = (_FLOAT,) * (len(arrays) - len(given))
            kernel = self._kernels[kind] = kernel_of(Text(given, self._steps, self._wanted, buffers, *kind))
        arguments = packed_rows(columns, rows * columns, 1, arrays, strides, offsets)
        pool.run(kernel, arguments, rows, max(1, thresholds.ROWS_PART_ELEMENTS // columns))


def _map(text: Any, *of: int, layout: str = FULL) -> Step:
    return Step("map", text, of, _FLOAT, layout)


def _along(how: str, of: int) -> Step:
    return Step(how, None, (of,), _FLOAT, BY_ROW)


def _logistic(x: Number) -> Any:
    return np.tanh(x * 0.5) * 0.5 + 0.5  # one tanh costs less than exp and a division


def _new_cell(i: Number, f: Number, g: Number, cell: Number) -> Any:
    return f * cell + i * g


def _squashed(gate: Number, state: Number) -> Any:
    return gate * np.tanh(state)


def _logistic_of_sum(x: Number, h: Number) -> Any:
    return _logistic(x + h)


def _candidate(x: Number, r: Number, h: Number) -> Any:
    return np.tanh(x + r * h)


def _between(z: Number, state: Number, candidate: Number) -> Any:
    return candidate + z * (state - candidate)


def _scaled(x: Number, scale: Number, bias: Number) -> Any:
    return x * scale + bias


def _power(x: Number, largest: Number) -> Any:
    return np.exp(x - largest)


_LSTM = _Layer(
    (FULL,) * 5,
    [
        *(_map(text, k) for k, text in enumerate((_logistic, _logistic, np.tanh, _logistic))),
        _map(_new_cell, 5, 6, 7, 4),
        _map(_squashed, 8, 9),
    ],
    [Wanted(k, FULL, buffer) for buffer, k in enumerate((10, 9, 5, 6, 7, 8))],
)
_GRU = _Layer(
    (FULL,) * 7,
    [_map(_logistic_of_sum, 0, 3), _map(_logistic_of_sum, 1, 4), _map(_candidate, 2, 8, 5), _map(_between, 7, 6, 9)],
    [Wanted(k, FULL, buffer) for buffer, k in enumerate((10, 7, 8, 9))],
)
_SOFTMAX = {
    (layout, kept): _Layer(
        (FULL, SINGLE, layout),
        [
            _map(_scaled, 0, 1, 2),
            _along("max", 3),
            _map(_power, 3, 4),
            _along("sum", 5),
            _map(np.reciprocal, 6, layout=BY_ROW),
            _map(np.multiply, 5, 7),
        ],
        [*([Wanted(5, FULL, 0)] if kept else []), Wanted(8, FULL, 0)],
    )
    for layout in (SINGLE, BY_COLUMN, FULL)
    for kept in (True, False)
}
