"""Gradients added up over several small batches, to be applied as the gradient of one large batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes, nest
from ..backward import densify
from ..dtypes import Array
from ..tensor import IndexedSlices, from_array, to_tensor

_REDUCTIONS = ("mean", "sum")


class GradientAccumulator:
    """Adds up gradients, so that k small batches act as one large one.

    >>> import gradtape as tf
    >>> w = tf.Variable([1.0, 2.0])
    >>> accumulator = tf.train.GradientAccumulator()
    >>> for batch in ([3.0, 4.0], [5.0, 8.0]):
    ...     with tf.GradientTape() as tape:
    ...         loss = tf.reduce_sum(w * batch)
    ...     accumulator.add(tape.gradient(loss, [w]))
    >>> [g.numpy() for g in accumulator.gradients]
    [array([4., 6.], dtype=float32)]
    >>> accumulator.reset()

    A gradient that is None in every batch stays None, one that is None in some counts as zero there. IndexedSlices stay
    IndexedSlices until a dense gradient is added to them. float16 and bfloat16 are added up in float32.

    Args:
        reduction: "mean" (for losses that are means over the batch) or "sum" (for losses that are sums).
    """

    def __init__(self, reduction: str = "mean") -> None:
        if reduction not in _REDUCTIONS:
            raise ValueError(f"reduction must be one of {_REDUCTIONS}, got {reduction!r}.")
        self._reduction = reduction
        self.reset()

    def reset(self) -> None:
        """Forget what was added."""
        self._structure: Any = None
        self._sums: list[_Sum] = []
        self._step = 0
        self._weight = 0.0

    @property
    def step(self) -> int:
        """How many batches were added since the last reset."""
        return self._step

    def add(self, gradients: Any, weight: float = 1.0) -> None:
        """Add the gradients of one batch, a structure as `tape.gradient` returns it.

        Args:
            gradients: Tensors, IndexedSlices or None; the same structure each time.
            weight: What the batch counts, such as its size where batches differ in size.
        """
        parts = nest.flatten(gradients)
        if self._step and len(parts) != len(self._sums):
            raise ValueError(
                f"GradientAccumulator: {len(parts)} gradients were given, and {len(self._sums)} before that. Give those of "
                "the same variables each time, or call reset()."
            )
        sums = self._sums or [_Sum() for _ in parts]
        for position, (total, part) in enumerate(zip(sums, parts, strict=True)):
            total.check(part, position)
        for total, part in zip(sums, parts, strict=True):
            total.add(part, weight)
        self._sums = sums
        self._structure = gradients
        self._step += 1
        self._weight += weight

    __call__ = add

    @property
    def gradients(self) -> Any:
        """The mean (or sum) of what was added, in the structure in which it was given."""
        if not self._step:
            raise ValueError("GradientAccumulator: nothing was added yet. Call add(gradients) first.")
        divisor = self._weight if self._reduction == "mean" else 1.0
        return nest.pack_sequence_as(self._structure, [total.result(divisor) for total in self._sums])

    # --- what a checkpoint keeps ---------------------------------------------------------------------------------------

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on from here: plain values and arrays."""
        return {
            "step": self._step,
            "weight": self._weight,
            "structure": nest.map_structure(lambda _: None, self._structure),
            "sums": [total.get_state() for total in self._sums],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state that `get_state` gave."""
        self._step, self._weight, self._structure = state["step"], state["weight"], state["structure"]
        self._sums = [_Sum.from_state(part) for part in state["sums"]]


class _Sum:
    """The sum for one variable: None, an array, or rows with their indices."""

    def __init__(self) -> None:
        self.dtype: np.dtype[Any] | None = None  # that of the gradients; the sum of narrow ones is float32
        self.dense: Array | None = None
        self.rows: Array | None = None
        self.indices: Array | None = None
        self.shape: tuple[int, ...] = ()

    def check(self, part: Any, position: int) -> None:
        """Raise where `part` cannot be added."""
        if part is None:
            return
        shape, dtype = _shape_and_dtype(part)
        if self.dtype is not None and (shape, dtype) != (self.shape, self.dtype):
            raise ValueError(
                f"GradientAccumulator: gradient number {position} has shape {shape} and type {dtype.name}; before, it had "
                f"shape {self.shape} and type {self.dtype.name}."
            )

    def add(self, part: Any, weight: float) -> None:
        if part is None:
            return
        self.shape, self.dtype = _shape_and_dtype(part)
        if not isinstance(part, IndexedSlices):
            self._add_dense(_weighted(to_tensor(part)._array, weight))
            return
        rows = _weighted(to_tensor(part.values)._array, weight)
        indices = np.asarray(to_tensor(part.indices)._array).reshape(-1)
        if self.dense is not None:
            self._add_dense(_densified(rows, indices, self.shape))
        elif self.rows is None or self.indices is None:
            self.rows, self.indices = rows, indices
        else:
            self.rows = np.concatenate([self.rows, rows])
            self.indices = np.concatenate([self.indices, indices])
            if len(self.indices) > self.shape[0]:  # more rows than the variable has: add up those that repeat
                found = np.unique(self.indices)
                self.rows = _densified(self.rows, self.indices, self.shape)[found]
                self.indices = found

    def _add_dense(self, array: Array) -> None:
        if self.rows is not None and self.indices is not None:
            array = array + _densified(self.rows, self.indices, self.shape)
            self.rows = self.indices = None
        self.dense = array if self.dense is None else self.dense + array

    def result(self, divisor: float) -> Any:
        if self.dense is not None:
            return from_array(_divided(self.dense, divisor, self.dtype))
        if self.rows is not None and self.indices is not None:
            values = from_array(_divided(self.rows, divisor, self.dtype))
            return IndexedSlices(values, from_array(self.indices), from_array(np.array(self.shape, np.int32)))
        return None

    def get_state(self) -> dict[str, Any]:
        return {
            "dtype": None if self.dtype is None else dtypes.BY_NUMPY[self.dtype].name,
            "dense": self.dense,
            "rows": self.rows,
            "indices": self.indices,
            "shape": self.shape,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> _Sum:
        total = cls()
        total.dtype = None if state["dtype"] is None else dtypes.as_dtype(state["dtype"]).numpy
        total.dense, total.rows, total.indices = state["dense"], state["rows"], state["indices"]
        total.shape = tuple(state["shape"])
        return total


def _shape_and_dtype(part: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    if not isinstance(part, IndexedSlices):
        tensor = to_tensor(part)
        return tuple(tensor.shape), tensor.dtype.numpy
    if part.dense_shape is None:
        raise ValueError("GradientAccumulator: IndexedSlices without dense_shape cannot be added up.")
    return tuple(np.asarray(part.dense_shape).tolist()), to_tensor(part.values).dtype.numpy


def _weighted(array: Array, weight: float) -> Array:
    wide = array.astype(np.float32) if array.dtype.itemsize < 4 else array
    return np.array(wide) if weight == 1 else wide * wide.dtype.type(weight)


def _divided(array: Array, divisor: float, dtype: np.dtype[Any] | None) -> Array:
    quotient = array if divisor == 1 else array / array.dtype.type(divisor)
    return np.asarray(quotient).astype(dtype, copy=False)


def _densified(rows: Array, indices: Array, shape: tuple[int, ...]) -> Array:
    dense: Array = densify(IndexedSlices(rows, indices, shape))
    return dense
