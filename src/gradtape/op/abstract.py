"""What is known of an op's results before it runs: types and shapes, sizes as symbols (base/sizes.py) where they are unknown.

An op declares how its shapes follow (`shape=`, `@op.shapes`) and what its results' types are (`gives=`); `infer` asks it. A shape
rule has the kernel's own signature without `xp`, takes an `Abstract` for each operand, and returns a shape: a tuple for all
results alike, a list with one for each, None where not even the rank is known. What it cannot decide is unknown: comparisons
of sizes raise `Undecided`. Operands that can never fit raise the op's own error. Arrays are made only of small known values.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..base.sizes import UNKNOWN, Size, Sizes, Undecided, is_known, product
from .call import explained
from .declaration import Op

Shape = Sizes | None  # None: the rank is unknown
Shapes = Shape | list[Shape]

_MOST_VALUE_ELEMENTS = 256  # elements of a value that is kept: shapes, axes and the like are shorter


class Abstract:
    """Type and shape of a tensor, and its value where that is known and small: numbers, or sizes in an array of objects."""

    __slots__ = ("dtype", "known", "value")

    def __init__(self, shape: Shape, dtype: Any, value: Array | None = None) -> None:
        self.known = shape
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.value = value

    @classmethod
    def of(cls, value: Any, dtype: Any = None) -> Abstract:
        """The type and shape of an array or a number, and its value if that is integral and small."""
        array = np.asarray(value, dtype)
        known = array.dtype.kind in "iub" and array.size <= _MOST_VALUE_ELEMENTS
        return cls(array.shape, array.dtype, array if known else None)

    @classmethod
    def of_sizes(cls, sizes: Any, dtype: Any = np.int32) -> Abstract:
        """A vector of sizes, or one size: what `tf.shape` gives."""
        array = np.empty(() if isinstance(sizes, (int, Size)) else len(sizes), object)
        array[...] = sizes
        return cls(array.shape, dtype, array if not is_known(array.flat) else array.astype(dtype))

    @property
    def shape(self) -> Sizes:
        """The shape, for rules that need at least its rank."""
        if self.known is None:
            raise Undecided("The rank of a tensor.")
        return self.known

    @property
    def rank(self) -> int | None:
        """The number of axes, or None."""
        return None if self.known is None else len(self.known)

    @property
    def ndim(self) -> int:
        """The number of axes, for rules that need it."""
        return len(self.shape)

    @property
    def size(self) -> Any:
        """The number of elements."""
        return product(self.shape)

    def __len__(self) -> int:
        return int(self.shape[0])

    def of_rank(self, rank: int) -> Sizes:
        """The shape of an operand that must have this many axes, with unknown sizes where the rank is unknown."""
        if self.known is None:
            return (UNKNOWN,) * rank
        if len(self.known) != rank:
            raise ValueError(f"{rank} axes are needed, got shape {self.known}")
        return self.known

    def __repr__(self) -> str:
        shape = "of unknown rank" if self.known is None else f"({', '.join(map(str, self.known))})"
        return f"<{self.dtype.name} {shape}{'' if self.value is None else f' = {self.value.tolist()}'}>"


def infer(op: Op, operands: Sequence[Any], attributes: Mapping[str, Any]) -> list[Abstract] | None:
    """The abstract results of an op for these operands; None where not even their number is known.

    Sizes among the attributes may be `Size`s, and an attribute whose value is not known is UNKNOWN.
    """
    given = {**op.attributes, **attributes}
    args = _completed(op, operands)
    try:
        shapes = _of_each(op, op.shape_rule(*args, **given) if op.shape_rule is not None else None)
    except Undecided:
        shapes = _of_each(op, None)
    except Exception as error:
        raise explained(op, error, list(operands), given) from None
    if shapes is None:
        return None
    types = _types(op, args, given, len(shapes))
    values = _values(op, args, given, shapes)
    return [Abstract(*parts) for parts in zip(shapes, types, values, strict=True)]


def _of_each(op: Op, found: Shapes) -> list[Shape] | None:
    """The shape of each result, with Python's own ints; None where it is not known how many there are."""
    if not isinstance(found, list):
        if op.outputs is None:
            return None
        found = [found] * op.outputs
    return [None if shape is None else tuple([_as_dim(size) for size in shape]) for shape in found]


def _as_dim(size: Any) -> Any:
    return size if size.__class__ is int or isinstance(size, Size) else operator.index(size)


def _completed(op: Op, operands: Sequence[Any]) -> tuple[Any, ...]:
    if op.variadic:
        return (list(operands),)
    args = list(operands)
    for name in op.arguments[len(args) :]:
        default = op.optional[name]
        args.append(None if default is None else Abstract((), args[0].dtype))
    return tuple(args)


def _types(op: Op, args: tuple[Any, ...], attributes: dict[str, Any], count: int) -> list[Any]:
    gives = op.gives
    if callable(gives) and not isinstance(gives, type):
        gives = gives(*args, **attributes)
    listed = list(gives) if isinstance(gives, (list, tuple)) else [gives] * count
    if None in listed:
        group = args[0] if op.variadic else args
        own = next(a.dtype for a, name in zip(group, op.arguments, strict=False) if name not in op.other)
        listed = [own if one is None else one for one in listed]
    return listed


def _values(op: Op, args: tuple[Any, ...], attributes: dict[str, Any], shapes: list[Any]) -> list[Any]:
    """The values of the results, where all operands are known integers and the results are small."""
    values: list[Any] = []
    for operand in args[0] if op.variadic else args:
        if operand is None or operand.value is None:
            return [None] * len(shapes)
        values.append(operand.value)
    symbolic = any(value.dtype.kind == "O" for value in values)
    run = op.on_sizes if symbolic else op.eager
    if run is None or not values or not all(map(_is_small, shapes)):
        return [None] * len(shapes)
    try:
        result = run(values, **attributes) if op.variadic else run(*values, **attributes)
    except Undecided:
        return [None] * len(shapes)
    except Exception as error:
        if symbolic:  # a kernel that takes numbers only, such as one that looks positions up
            return [None] * len(shapes)
        raise explained(op, error, values, attributes) from None
    results = [result] if op.outputs == 1 else list(result)
    if symbolic:
        return [None if part is None else _sizes(part, shape) for part, shape in zip(results, shapes, strict=True)]
    return [part if part.dtype.kind in "iub" else None for part in map(np.asarray, results)]


def _is_small(shape: Shape) -> bool:
    return shape is not None and is_known(shape) and product(shape) <= _MOST_VALUE_ELEMENTS


def _sizes(part: object, shape: Sizes) -> Array:
    found = np.empty(shape, object)
    found[...] = part
    return found
