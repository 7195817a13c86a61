"""Steps that put elements together and take them apart: batch, padded_batch, unbatch, rebatch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import nest
from ..base.dtypes import Array, DType
from ..base.errors import DataLossError, TensorTypeError, invalid
from ..base.shapes import TensorShape
from ..base.types import TensorLike
from ..values.tensor import Tensor, TensorSpec, from_array, to_tensor, value_of
from . import structure
from .nested import DatasetSpec
from .node import INFINITE, UNKNOWN, ElementIterator, Node, Settings
from .structure import Element
from .transforms import Step, Wrapping


def _batches(count: int, size: int, drop_remainder: bool) -> int:
    if count in (INFINITE, UNKNOWN):
        return count
    return count // size if drop_remainder else -(-count // size)


class Batch(Step):
    """Elements stacked, `size` at a time."""

    def __init__(self, source: Node, size: int, drop_remainder: bool) -> None:
        super().__init__(source)
        if size < 1:
            raise invalid(f"batch: batch_size must be at least 1, got {size}.")
        self.size, self.drop_remainder = size, drop_remainder

    def cardinality(self) -> int:
        return _batches(self.source.cardinality(), self.size, self.drop_remainder)

    def spec(self) -> Any:
        return structure.batch_spec(self.source.spec(), self.batch_length())

    def batch_length(self) -> int | None:
        """The number of rows of each batch, where it is the same for all."""
        return self.size if self.drop_remainder else None

    def iterate(self, settings: Settings) -> ElementIterator:
        return _BatchIterator(self.source.iterate(settings), self.size, self.drop_remainder)


class _BatchIterator(Wrapping):
    def __init__(self, inner: ElementIterator, size: int, drop_remainder: bool) -> None:
        super().__init__(inner)
        self._size, self._drop_remainder = size, drop_remainder

    def __next__(self) -> Element:
        found = self._inner.next_batch(self._size)
        if found is None or (self._drop_remainder and found[1] < self._size):
            raise StopIteration
        return found[0]


def taken(inner: ElementIterator, size: int, drop_remainder: bool) -> list[Element]:
    """The next `size` elements; StopIteration where there are none, or too few."""
    elements = []
    for element in inner:
        elements.append(element)
        if len(elements) == size:
            return elements
    if not elements or drop_remainder:
        raise StopIteration
    return elements


class Gathered(Batch):
    """Batches put together by a function of a list of elements (ragged and sparse batches)."""

    def __init__(
        self,
        source: Node,
        size: int,
        drop_remainder: bool,
        gather: Callable[[list[Element]], Element],
        spec: Callable[[Any, int | None], Any],
    ) -> None:
        super().__init__(source, size, drop_remainder)
        self._gather, self._spec = gather, spec

    def spec(self) -> Any:
        return self._spec(self.source.spec(), self.batch_length())

    def iterate(self, settings: Settings) -> ElementIterator:
        return _GatheredIterator(self.source.iterate(settings), self.size, self.drop_remainder, self._gather)


class _GatheredIterator(_BatchIterator):
    def __init__(
        self, inner: ElementIterator, size: int, drop_remainder: bool, gather: Callable[[list[Element]], Element]
    ) -> None:
        super().__init__(inner, size, drop_remainder)
        self._gather = gather

    def __next__(self) -> Element:
        return self._gather(taken(self._inner, self._size, self._drop_remainder))


# --- padding -----------------------------------------------------------------------------------------------


class PaddedBatch(Gathered):
    """Batches of elements of several sizes, each filled up to the largest (or to given sizes)."""

    def __init__(self, source: Node, size: int, padded_shapes: Any, padding_values: Any, drop_remainder: bool) -> None:
        self._shapes, self._values = padded_shapes, padding_values
        super().__init__(source, size, drop_remainder, self._padded, self._padded_spec)
        known = source.known_spec()
        if known is not None:
            self._check(known)

    def _check(self, spec: object) -> None:
        """Raise where the elements cannot be padded so."""
        leaves = nest.flatten(spec)
        for leaf in leaves:
            if not isinstance(leaf, TensorSpec):
                reason = (
                    "is not supported for datasets of datasets"
                    if isinstance(leaf, DatasetSpec)
                    else (
                        "is only supported for datasets that produce tensor elements but type spec of elements in the input "
                        f"dataset is not a subclass of TensorSpec: `{leaf!r}`."
                    )
                )
                raise TypeError(f"`padded_batch` {reason}")
            if self._shapes is None and leaf.shape.rank is None:
                raise ValueError(f"padded_batch: `padded_shapes` must be given, because {leaf!r} has an unknown rank.")
        for shape, leaf in zip(self._settings(spec)[0], leaves, strict=True):
            sizes = leaf.shape if leaf.shape.rank is not None else shape
            if len(shape) != len(sizes) or any(a and b and a < b for a, b in zip(shape, sizes, strict=True)):
                raise ValueError(
                    f"The padded shape {shape} is not compatible with the shape {leaf.shape} of the corresponding input "
                    "component."
                )

    def _padded(self, elements: list[Element]) -> Element:
        first = elements[0]
        shapes, values = self._settings(structure.spec_of(first))
        columns = zip(*(nest.flatten(element) for element in elements), strict=True)
        parts = []
        for number, (column, shape, value) in enumerate(zip(columns, shapes, values, strict=True)):
            if not isinstance(column[0], Tensor):
                raise TypeError(f"padded_batch: component {number} is {type(column[0]).__name__}, not a tensor.")
            parts.append(padded([leaf._array for leaf in column], shape, value, number))
        return nest.pack_sequence_as(first, parts)

    def _settings(self, spec: Any) -> tuple[list[TensorShape], list[Any]]:
        """For each component the shape to pad to, and the padding value."""
        leaves = nest.flatten(spec)
        shapes: list[Any]
        if self._shapes is None:
            shapes = [TensorShape([None] * (leaf.shape.rank or 0)) for leaf in leaves]
        else:
            shapes = [_shape(given) for given in _like(spec, self._shapes, "padded_shapes", is_shape)]
        if self._values is None:
            values = [None] * len(leaves)
        elif not nest.is_nested(self._values):
            values = [self._values] * len(leaves)
        else:
            values = _like(spec, self._values, "padding_values", lambda value: not nest.is_nested(value))
        return shapes, [_padding(value, leaf.dtype) for value, leaf in zip(values, leaves, strict=True)]

    def _padded_spec(self, spec: object, size: int | None) -> Any:
        leaves = nest.flatten(spec)
        shapes = [leaf.shape for leaf in leaves] if self._shapes is None else self._settings(spec)[0]
        specs = [TensorSpec((size, *shape), leaf.dtype) for shape, leaf in zip(shapes, leaves, strict=True)]
        return nest.pack_sequence_as(spec, specs)


def is_shape(value: object) -> bool:
    """Whether a user gave one shape, and not a structure of shapes."""
    if isinstance(value, (TensorShape, Tensor, np.ndarray)):
        return True
    return isinstance(value, (list, tuple)) and all(
        part is None or isinstance(part, (int, np.integer)) for part in value
    )


def _shape(value: Any) -> TensorShape:
    given = value_of(value) if isinstance(value, Tensor) else value
    if isinstance(given, np.ndarray) and given.dtype.kind not in "iu":
        raise TypeError(
            f"Padded shape {given!r} must be a `tf.int64` vector tensor, but its element type was {given.dtype}."
        )
    sizes = given.tolist() if isinstance(given, np.ndarray) else list(given)
    if np.ndim(given) > 1 if isinstance(given, np.ndarray) else any(nest.is_nested(size) for size in sizes):
        raise ValueError(
            f"Padded shape {given!r} must be a `tf.int64` vector tensor, but its shape was {np.shape(given)}."
        )
    return TensorShape([None if size in (None, -1) else int(size) for size in sizes])


def _like(spec: Any, given: Any, what: str, is_leaf: Callable[[Any], bool]) -> list[Any]:
    """The settings in `given`, one for each component of `spec`; a list is accepted where a tuple is expected."""
    if given is None and what == "padding_values":
        return [None] * len(nest.flatten(spec))
    if not nest.is_nested(spec):
        if what == "padded_shapes" and isinstance(given, list):
            return [given]
        if not is_leaf(given):
            raise ValueError(f"padded_batch: {what} {given!r} does not fit an element of one component.")
        return [given]
    if isinstance(spec, dict):
        if not isinstance(given, dict) or set(given) != set(spec):
            raise ValueError(f"padded_batch: {what} {given!r} does not have the keys {sorted(spec)} of the elements.")
        pairs = [(spec[key], given[key]) for key in nest.sorted_keys(spec)]
    else:
        if not isinstance(given, (list, tuple)) or len(given) != len(spec):
            raise ValueError(f"padded_batch: {what} {given!r} must have {len(spec)} parts, as the elements have.")
        pairs = list(zip(spec, given, strict=True))
    return [leaf for inner, part in pairs for leaf in _like(inner, part, what, is_leaf)]


def _padding(value: object, dtype: DType) -> Any:
    if value is None:
        return b"" if dtype.name == "string" else 0
    tensor = to_tensor(value, dtype if not isinstance(value, (Tensor, np.ndarray, np.generic)) else None)
    if tensor.dtype is not dtype or tensor.ndim:
        raise TensorTypeError(None, None, f"padded_batch: the padding value {value!r} must be one {dtype.name}.")
    return tensor._array


def padded(arrays: list[Array], shape: TensorShape, value: TensorLike, component: int) -> Any:
    """The arrays along a new first axis, filled up to `shape`, or to the largest where a size is open."""
    rank = len(shape)
    for array in arrays:
        if array.ndim != rank:
            raise invalid(
                f"All elements in a batch must have the same rank as the padded shape for component {component}: "
                f"expected rank {rank} got element with rank {array.ndim}."
            )
    largest = [max(array.shape[axis] for array in arrays) for axis in range(rank)]
    sizes = [found if size is None else size for found, size in zip(largest, shape, strict=True)]
    for axis, (found, size) in enumerate(zip(largest, sizes, strict=True)):
        if found > size:
            raise DataLossError(
                None,
                None,
                f"Attempted to pad to a smaller size than the input element: component {component} has an element "
                f"with {found} along axis {axis}, padded_shapes says {size}. Use None for the size of the largest.",
            )
    result = np.full((len(arrays), *sizes), value, arrays[0].dtype)
    for number, array in enumerate(arrays):
        place: tuple[Any, ...] = (number, *(slice(0, size) for size in array.shape))
        result[place] = array
    return from_array(result)


# --- taking apart ------------------------------------------------------------------------------------------


class Unbatch(Step):
    """The rows of each element as elements."""

    def cardinality(self) -> int:
        count = self.source.cardinality()
        known = self.source.known_spec()
        sizes = {leaf.shape[0] for leaf in nest.flatten(known) if isinstance(leaf, TensorSpec) and leaf.shape}
        if count in (0, INFINITE):
            return count
        return UNKNOWN if count == UNKNOWN or len(sizes) != 1 or None in sizes else count * (sizes.pop() or 0)

    def spec(self) -> Any:
        return structure.row_spec(self.source.spec(), "unbatch")

    def iterate(self, settings: Settings) -> ElementIterator:
        return _UnbatchIterator(self.source, self.source.iterate(settings))


class _UnbatchIterator(Wrapping):
    def __init__(self, source: Node, inner: ElementIterator) -> None:
        super().__init__(inner)
        self._source = source
        self._element: Element = None
        self._next = self._count = 0

    def _fill(self) -> None:
        """Make sure that a row is available; StopIteration at the end."""
        while self._next >= self._count:
            self._element = next(self._inner)
            self._next, self._count = 0, structure.row_count(self._element, "unbatch")

    def __next__(self) -> Element:
        self._fill()
        self._next += 1
        return structure.row(self._element, self._next - 1)

    def next_batch(self, size: int) -> tuple[Element, int] | None:
        parts, missing = [], size
        while missing:
            try:
                self._fill()
            except StopIteration:
                break
            count = min(missing, self._count - self._next)
            parts.append(structure.rows_between(self._element, self._next, self._next + count))
            self._next += count
            missing -= count
        return (structure.concatenated(parts), size - missing) if parts else None

    def get_state(self) -> Any:
        left = None
        if self._next < self._count:
            left = structure.encoded(structure.rows_between(self._element, self._next, self._count))
        return {**super().get_state(), "left": left}

    def set_state(self, state: dict[str, Any]) -> None:
        super().set_state(state)
        self._next = self._count = 0
        if state["left"] is not None:
            self._element = structure.decoded(state["left"], self._source.spec)
            self._count = structure.row_count(self._element, "unbatch")


class Rebatch(Step):
    """The rows of batches in batches of other sizes, which take turns."""

    def __init__(self, source: Node, sizes: list[int], drop_remainder: bool) -> None:
        super().__init__(source)
        if not sizes or min(sizes) < 1:
            raise invalid(f"rebatch: batch sizes must be at least 1, got {sizes}.")
        self.sizes, self.drop_remainder = sizes, drop_remainder
        self._rows = Unbatch(source)

    def cardinality(self) -> int:
        rows = self._rows.cardinality()
        return _batches(rows, self.sizes[0], self.drop_remainder) if len(self.sizes) == 1 or rows < 0 else UNKNOWN

    def spec(self) -> Any:
        size = self.sizes[0] if self.drop_remainder and len(set(self.sizes)) == 1 else None
        return structure.batch_spec(self._rows.spec(), size)

    def iterate(self, settings: Settings) -> ElementIterator:
        return _RebatchIterator(self._rows.iterate(settings), self.sizes, self.drop_remainder)


class _RebatchIterator(Wrapping):
    def __init__(self, inner: ElementIterator, sizes: list[int], drop_remainder: bool) -> None:
        super().__init__(inner)
        self._sizes, self._drop_remainder = sizes, drop_remainder
        self._turn = 0

    def __next__(self) -> Element:
        size = self._sizes[self._turn]
        found = self._inner.next_batch(size)
        if found is None or (self._drop_remainder and found[1] < size):
            raise StopIteration
        self._turn = (self._turn + 1) % len(self._sizes)
        return found[0]

    def get_state(self) -> Any:
        return {**super().get_state(), "turn": self._turn}

    def set_state(self, state: dict[str, Any]) -> None:
        super().set_state(state)
        self._turn = int(state["turn"])
