"""Sizes that only running a program shows, as values of it: whole numbers that attributes of instructions are made of.

A lowering has a symbol for each size that depends on values (base/sizes.py). An instruction that needs one of them, as the shape
of a `reshape` or of the zeros that a gradient begins with, refers to a number that is measured when the program runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.generated import Names
from ..base.sizes import Atom, Size, evaluate_atoms, written


@dataclass(frozen=True, slots=True)
class Extent:
    """Gives one size of an array."""

    axis: int
    name = "extent"

    def __call__(self, array: Any) -> Any:
        return array.shape[self.axis]

    def text(self, names: Names, operands: list[str]) -> str:
        """How it is written."""
        return f"{operands[0]}.shape[{self.axis}]"


@dataclass(frozen=True, slots=True)
class Element:
    """Gives one element of an array of whole numbers, by its place in order."""

    place: int
    name = "element"

    def __call__(self, array: Any) -> Any:
        return _numbers(array).item(self.place)

    def text(self, names: Names, operands: list[str]) -> str:
        """How it is written."""
        return f"{operands[0]}.item({self.place})"


@dataclass(frozen=True, slots=True)
class Extents:
    """Gives the shape of an array."""

    name = "extents"

    def __call__(self, array: Any) -> Any:
        return tuple(array.shape)

    def text(self, names: Names, operands: list[str]) -> str:
        """How it is written."""
        return f"{operands[0]}.shape"


@dataclass(frozen=True, slots=True)
class Formula:
    """Computes a size from those that it depends on."""

    size: Size = field(compare=False)
    symbols: tuple[Atom, ...]
    terms: object  # of the size: what two formulas are compared by
    name = "formula"

    def __call__(self, *numbers: int) -> Any:
        return evaluate_atoms(self.size, dict(zip(self.symbols, numbers, strict=True)))

    def text(self, names: Names, operands: list[str]) -> str:
        """How it is written."""
        return written(self.size, dict(zip(self.symbols, operands, strict=True)), names.of)


@dataclass(frozen=True, slots=True)
class Vector:
    """Makes an array of whole numbers: what `tf.shape` gives."""

    dtype: np.dtype[Any]
    is_scalar: bool
    name = "sizes"

    def __call__(self, *numbers: int) -> Any:
        array: Any = np.array(numbers, self.dtype)
        return array[0] if self.is_scalar else array

    def text(self, names: Names, operands: list[str]) -> str:
        """How it is written."""
        return f"{names.of('sizes', self)}({', '.join(operands)})"


Measure = Extent | Extents | Element | Formula | Vector


def _numbers(array: Any) -> Any:
    """The array of a tensor, and an array as it is."""
    return getattr(array, "_array", array)


def has_sizes(value: Any) -> bool:
    """Whether an attribute has a size in it that only running shows."""
    cls = value.__class__
    if cls in (tuple, list):
        return any(map(has_sizes, value))
    if cls is slice:
        return has_sizes(value.start) or has_sizes(value.stop) or has_sizes(value.step)
    return isinstance(value, Size)


def map_attribute(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """An attribute with another value in place of each part that is no tuple, list or slice."""
    cls = value.__class__
    if cls is tuple:
        return tuple([map_attribute(part, leaf) for part in value])
    if cls is list:
        return [map_attribute(part, leaf) for part in value]
    if cls is slice:
        return slice(*(map_attribute(part, leaf) for part in (value.start, value.stop, value.step)))
    return leaf(value)
