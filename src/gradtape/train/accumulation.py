"""Gradients added up over several small batches, to be applied as the gradient of one large batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import dtypes, nest
from ..base.dtypes import Array
from ..base.shapes import TensorShape
from ..differentiation.slices import densify
from ..ops.math.conversion import convert
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, from_array, to_tensor
from ..variables.variable import Variable

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
    IndexedSlices until a dense gradient is added to them, or a traced function adds them. float16 and bfloat16 are added
    up in float32. The sums are variables: `tf.function` may add and reset, and a checkpoint keeps them.

    Args:
        reduction: "mean" (for losses that are means over the batch) or "sum" (for losses that are sums).

    Raises:
        ValueError: `reduction` is neither "mean" nor "sum".
    """

    def __init__(self, reduction: str = "mean") -> None:
        if reduction not in _REDUCTIONS:
            raise ValueError(f"reduction must be one of {_REDUCTIONS}, got {reduction!r}.")
        self._reduction = reduction
        self._structure: Any = None
        self._sums: list[_Sum] = []
        self._step = Variable(np.int64(0), trainable=False, name="step")
        self._weight = Variable(np.float64(0), trainable=False, name="weight")

    def reset(self) -> None:
        """Forget what was added.

        >>> accumulator = tf.train.GradientAccumulator(reduction="sum")
        >>> accumulator.add([tf.constant(1.0)])
        >>> accumulator.reset()
        >>> accumulator.step
        0
        """
        for total in self._sums:
            total.reset()
        self._step.assign(np.int64(0))
        self._weight.assign(np.float64(0))

    @property
    def step(self) -> Any:
        """How many batches were added since the last reset: an integer; a tensor inside a traced function."""
        step = self._step._read()
        return int(step) if step.__class__ is EagerTensor else step

    def add(self, gradients: Any, weight: Any = 1.0) -> None:
        """Add the gradients of one batch, a structure as `tape.gradient` returns it.

        >>> accumulator = tf.train.GradientAccumulator(reduction="sum")
        >>> accumulator.add([tf.constant(1.0)])
        >>> accumulator.add([tf.constant(10.0)], weight=2.0)
        >>> accumulator.gradients[0].numpy()
        np.float32(21.0)

        Args:
            gradients: Tensors, IndexedSlices or None; the same structure each time.
            weight: The weight of the batch, such as its size where batches differ in size.

        Raises:
            ValueError: There are more gradients than before, or less.
        """
        parts = nest.flatten(gradients)
        sums = self._sums
        if not sums or (self.step.__class__ is int and self.step == 0 and len(parts) != len(sums)):
            sums = [_Sum() for _ in parts]
        if len(parts) != len(sums):
            raise ValueError(
                f"GradientAccumulator: {len(parts)} gradients were given, and {len(sums)} before that. Give those of "
                "the same variables each time, or call reset()."
            )
        for position, (total, part) in enumerate(zip(sums, parts, strict=True)):
            total.check(part, position)
        for total, part in zip(sums, parts, strict=True):
            total.add(part, weight)
        self._sums = sums
        self._structure = nest.map_structure(lambda _: None, gradients)
        self._step.assign_add(np.int64(1))
        self._weight.assign_add(convert(to_tensor(weight), dtype=np.dtype(np.float64)))

    __call__ = add

    @property
    def gradients(self) -> list[Tensor]:
        """The mean (or sum) of what was added, in the structure in which it was given."""
        if not self._sums or (self.step.__class__ is int and self.step == 0):
            raise ValueError("GradientAccumulator: nothing was added yet. Call add(gradients) first.")
        divisor = self._weight._read() if self._reduction == "mean" else None
        return nest.pack_sequence_as(self._structure, [total.result(divisor) for total in self._sums])

    # --- what a checkpoint keeps ---------------------------------------------------------------------------------------

    def get_state(self) -> dict[str, Any]:
        """Everything needed to go on from here.

        >>> accumulator = tf.train.GradientAccumulator(reduction="sum")
        >>> accumulator.add([tf.constant(1.0)])
        >>> accumulator.get_state()["step"]
        1

        Returns:
            Plain values and arrays.
        """
        return {
            "step": int(self._step),
            "weight": float(self._weight),
            "structure": self._structure,
            "sums": [total.get_state() for total in self._sums],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a state.

        >>> accumulator = tf.train.GradientAccumulator(reduction="sum")
        >>> accumulator.add([tf.constant(1.0)])
        >>> other = tf.train.GradientAccumulator(reduction="sum")
        >>> other.set_state(accumulator.get_state())
        >>> other.gradients[0].numpy()
        np.float32(1.0)

        Args:
            state: What `get_state` gave.
        """
        if len(self._sums) != len(state["sums"]):
            self._sums = [_Sum() for _ in state["sums"]]
        for total, kept in zip(self._sums, state["sums"], strict=True):
            total.set_state(kept)
        self._structure = state["structure"]
        self._step.assign(np.int64(state["step"]))
        self._weight.assign(np.float64(state["weight"]))


class _Sum:
    """The sum for one variable: nothing, a variable, or rows with their indices."""

    def __init__(self) -> None:
        self.dtype: np.dtype[Any] | None = None  # that of the gradients; the sum of narrow ones is float32
        self.shape: TensorShape = TensorShape(None)
        self.dense: Variable | None = None
        self.rows: Array | None = None
        self.indices: Array | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(int(size or 0) for size in self.shape)

    def reset(self) -> None:
        if self.dense is not None:
            self.dense.assign(np.zeros(self.sizes, self.dense.dtype.numpy))
        self.rows = self.indices = None

    def check(self, part: Any, position: int) -> None:
        """Raise where `part` cannot be added."""
        if part is None:
            return
        shape, dtype = _shape_and_dtype(part)
        if self.dtype is not None and (dtype != self.dtype or not self.shape.is_compatible_with(shape)):
            raise ValueError(
                f"GradientAccumulator: gradient number {position} has shape {shape} and type {dtype.name}; before, it had "
                f"shape {self.shape} and type {self.dtype.name}."
            )

    def add(self, part: Any, weight: Any) -> None:
        if part is None:
            return
        self.shape, self.dtype = _shape_and_dtype(part)
        if not isinstance(part, IndexedSlices):
            self._add_dense(_weighted(to_tensor(part), weight))
            return
        rows, places = _weighted(to_tensor(part.values), weight), to_tensor(part.indices)
        if self.dense is not None or rows.__class__ is not EagerTensor or places.__class__ is not EagerTensor:
            self._add_dense(to_tensor(densify(IndexedSlices(rows, places, self.sizes))))
            return
        indices = np.asarray(places._array).reshape(-1)
        if self.rows is None or self.indices is None:
            self.rows, self.indices = rows._array, indices
            return
        self.rows = np.concatenate([self.rows, rows._array])
        self.indices = np.concatenate([self.indices, indices])
        if len(self.indices) > self.sizes[0]:  # more rows than the variable has: add up those that repeat
            found = np.unique(self.indices)
            self.rows, self.indices = self._densified_rows()[found], found

    def _densified_rows(self) -> Array:
        dense: Array = densify(IndexedSlices(self.rows, self.indices, self.sizes))
        return dense

    def _add_dense(self, value: Any) -> None:
        if self.dense is None:
            begin = np.zeros(self.sizes, value.dtype.numpy) if self.rows is None else self._densified_rows()
            self.dense = Variable(begin, trainable=False, name="sum")
            self.rows = self.indices = None
        self.dense.assign_add(value)

    def result(self, divisor: Any) -> Any:
        if self.dense is not None:
            return _divided(self.dense._read(), divisor, self.dtype)
        if self.rows is not None and self.indices is not None:
            values = _divided(from_array(self.rows), divisor, self.dtype)
            return IndexedSlices(values, from_array(self.indices), from_array(np.array(self.sizes, np.int32)))
        return None

    def get_state(self) -> dict[str, Any]:
        return {
            "dtype": None if self.dtype is None else dtypes.BY_NUMPY[self.dtype].name,
            "dense": None if self.dense is None else np.asarray(self.dense),
            "rows": self.rows,
            "indices": self.indices,
            "shape": None if self.dtype is None else self.sizes,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        self.dtype = None if state["dtype"] is None else dtypes.as_dtype(state["dtype"]).numpy
        self.shape = TensorShape(state["shape"])
        self.rows, self.indices = state["rows"], state["indices"]
        if state["dense"] is None:
            self.dense = None
        elif self.dense is None:
            self.dense = Variable(state["dense"], trainable=False, name="sum")
        else:
            self.dense.assign(state["dense"])


def _shape_and_dtype(part: Any) -> tuple[TensorShape, np.dtype[Any]]:
    if not isinstance(part, IndexedSlices):
        tensor = to_tensor(part)
        return TensorShape(tensor.shape), tensor.dtype.numpy
    if part.dense_shape is None:
        raise ValueError("GradientAccumulator: IndexedSlices without dense_shape cannot be added up.")
    return TensorShape(np.asarray(part.dense_shape).tolist()), to_tensor(part.values).dtype.numpy


def _weighted(tensor: Any, weight: Any) -> Any:
    wide = convert(tensor, dtype=np.dtype(np.float32)) if tensor.dtype.is_narrow else tensor
    if isinstance(weight, (int, float)) and weight == 1:
        return wide
    return wide * convert(to_tensor(weight), dtype=wide.dtype.numpy)


def _divided(tensor: Any, divisor: Any, dtype: Any) -> Any:
    quotient = tensor if divisor is None else tensor / convert(divisor, dtype=tensor.dtype.numpy)
    return quotient if quotient.dtype.numpy == dtype else convert(quotient, dtype=dtype)
