"""Calls of any size, made from the samples of an op: one axis of its operands grows, or one of its attributes.

Which axes must grow together is not declared anywhere; it is tried. An operand's axis may grow alone, with all axes of the same
size at the same place (counted from the front or from the back), or with all axes of the same size; square matrices grow along
their diagonal, so that they stay definite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.extend import checks
from gradtape.op.declaration import Op, Sample

Axes = dict[int, tuple[int, ...]]  # which axes grow, for each operand


@dataclass(frozen=True)
class Growth:
    """One way in which a call of an op grows."""

    op: Op
    sample: Sample
    axes: Axes
    diagonal: bool = False
    attribute: str | None = None

    @property
    def label(self) -> str:
        if self.attribute:
            return self.attribute
        names = (
            self.op.arguments[:1] * len(checks.operands(self.op, self.sample))
            if self.op.variadic
            else self.op.arguments
        )
        how = " (diagonal)" if self.diagonal else ""
        return ", ".join(f"{names[p]}[{', '.join(map(str, axes))}]" for p, axes in sorted(self.axes.items())) + how

    def size(self, factor: int) -> int:
        """How many elements lie along the growing axis."""
        if self.attribute:
            return int(self.sample.attributes[self.attribute]) * factor
        place, axes = next(iter(self.axes.items()))
        return int(np.shape(checks.operands(self.op, self.sample)[place])[axes[0]] * factor)

    @property
    def dimensions(self) -> int:
        """How many axes of one operand grow: 2 for square matrices."""
        return max(map(len, self.axes.values()), default=1)

    def data(self, factor: int) -> int:
        """How many bytes go in and come out."""
        tensors, attributes = self._grown(factor)
        shown = checks.outputs(checks.call(self.op, tensors, attributes))
        return sum(np.asarray(t._array).nbytes for t in (*tensors, *shown))

    def forward(self, factor: int) -> Callable[[], Any]:
        """The call, with everything that grows this many times as large."""
        tensors, attributes = self._grown(factor)
        return lambda: checks.call(self.op, tensors, attributes)

    @property
    def differentiable(self) -> bool:
        return bool(self._sources())

    def _sources(self) -> list[int]:
        return checks.differentiable_positions(self.op, checks.operands(self.op, self.sample))

    def gradient(self, factor: int) -> Callable[[], Any]:
        """The call and its gradient."""
        tensors, attributes = self._grown(factor)
        sources = [tensors[p] for p in self._sources()]

        def run() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(sources)
                shown = checks.outputs(checks.call(self.op, tensors, attributes))
                targets = [out for out in shown if out.dtype.is_differentiable]
            return tape.gradient(targets, sources)

        return run

    def _grown(self, factor: int) -> tuple[list[Any], dict[str, Any]]:
        values = [np.asarray(v) for v in checks.operands(self.op, self.sample)]
        for place, axes in self.axes.items():
            if self.diagonal:
                values[place] = np.kron(np.eye(factor, dtype=values[place].dtype), values[place])
                continue
            for axis in axes:
                # Indices stay in order, and below what they count; numbers stay what they are.
                values[place] = np.repeat(values[place], factor, axis)
        attributes = dict(self.sample.attributes)
        if self.attribute:
            attributes[self.attribute] = attributes[self.attribute] * factor
        return [tf.constant(v) for v in values], attributes


def growths(op: Op) -> Iterator[Growth]:
    """The ways in which calls of an op can grow, each once."""
    kind = np.float32 if np.dtype(np.float32) in op.dtypes else checks.numeric_kind(op)
    seen = set()
    for sample in checks.samples(op, kind):
        values = [np.asarray(v) for v in checks.operands(op, sample)]
        if any(v.size == 0 for v in values):
            continue
        for place, value in enumerate(values):
            for axis in range(value.ndim):
                for found in _ways(op, sample, values, place, axis):
                    if found.label in seen:
                        break
                    if found.dimensions < 3 and _accepts(found):
                        seen.add(found.label)
                        yield found
                        break
        for name, attribute in sample.attributes.items():
            if type(attribute) is int and attribute > 0 and name not in seen and name not in ("axis", "batch_dims"):
                found = Growth(op, sample, {}, attribute=name)
                if _accepts(found, 4096):
                    seen.add(name)
                    yield found


def _ways(op: Op, sample: Sample, values: list[Any], place: int, axis: int) -> Iterator[Growth]:
    size = values[place].shape[axis]
    places = range(len(values))
    yield Growth(op, sample, {place: (axis,)})
    yield Growth(op, sample, {p: (axis,) for p in places if values[p].shape[axis : axis + 1] == (size,)})
    back = axis - values[place].ndim
    yield Growth(op, sample, {p: (back,) for p in places if values[p].ndim >= -back and values[p].shape[back] == size})
    every = {p: tuple(a for a, n in enumerate(values[p].shape) if n == size) for p in places}
    yield Growth(op, sample, {p: axes for p, axes in every.items() if axes})
    if values[place].ndim == 2 and values[place].shape == (size, size):
        yield Growth(op, sample, {p: (0, 1) for p in places if values[p].shape == (size, size)}, diagonal=True)


def _accepts(growth: Growth, largest: int = 80) -> bool:
    try:
        for factor in (2, largest // growth.size(1) + 1):
            (growth.gradient if growth.differentiable else growth.forward)(factor)()
    except Exception:
        return False
    return True
