"""Where elements come from: arrays, single values, numbers, generators, random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..base import dtypes, nest
from ..base.dtypes import Array, DType
from ..base.errors import GeneratorElementError, invalid
from ..base.types import TensorLike, Value
from ..op.attributes import as_int
from ..values.tensor import EagerTensor, TensorSpec, from_array, kept, to_tensor
from . import structure
from .node import INFINITE, UNKNOWN, ElementIterator, Indices, Node, Rows, Settings
from .shuffling import Passes, numbers
from .structure import Element, int64


class Counter:
    """Row numbers in their order."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._next = 0

    def take(self, count: int) -> Array:
        """The next numbers."""
        start = self._next
        self._next = min(start + count, self._count)
        return np.arange(start, self._next)

    def get_state(self) -> Any:
        """The position."""
        return {"next": self._next}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go to a position."""
        self._next = int(state["next"])


class Ordered(Node):
    """A source with random access to its elements, by number."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @property
    def rows(self) -> Rows:
        return self._rows

    def indices(self, settings: Settings) -> Indices:
        return Counter(self._rows.count)

    def cardinality(self) -> int:
        return self._rows.count


# --- arrays ------------------------------------------------------------------------------------------------


class ArrayRows:
    """The rows of a structure of arrays."""

    def __init__(self, element: Element, name: str) -> None:
        self.element = element
        self.count = structure.row_count(element, name)
        leaves = nest.flatten(element)
        self._arrays: list[Array] | None = None
        if all(leaf.__class__ is EagerTensor and leaf.dtype is not dtypes.string for leaf in leaves):
            self._arrays = [leaf._array for leaf in leaves]
            if element.__class__ is EagerTensor:
                self.row = self._single_row  # type: ignore[method-assign]
            elif element.__class__ is tuple and len(element) == 2 == len(leaves):
                self.row = self._pair_row  # type: ignore[method-assign]
            elif element.__class__ is tuple and len(element) == len(leaves):
                self.row = self._tuple_row  # type: ignore[method-assign]

    def row(self, index: int) -> Element:
        """One row of each array."""
        return structure.row(self.element, index)

    def _single_row(self, index: int) -> Element:
        return from_array(self._arrays[0][index])  # type: ignore[index]

    def _pair_row(self, index: int) -> Element:
        first, second = self._arrays  # type: ignore[misc]
        return from_array(first[index]), from_array(second[index])

    def _tuple_row(self, index: int) -> Element:
        return tuple([from_array(array[index]) for array in self._arrays])  # type: ignore[union-attr]

    def take(self, indices: Array) -> Element:
        """Some rows of each array: views where they follow each other, one copy elsewhere."""
        first, count = int(indices[0]), len(indices)
        if indices[-1] - first == count - 1 and bool((np.diff(indices) == 1).all()):
            return structure.rows_between(self.element, first, first + count)
        return structure.rows_at(self.element, indices)


class TensorSlices(Ordered):
    """The rows of arrays, tensors, sparse or ragged tensors in a structure."""

    def __init__(self, tensors: TensorLike) -> None:
        self.element = nest.map_structure(kept, structure.element_of(tensors))
        super().__init__(ArrayRows(self.element, "from_tensor_slices"))

    def spec(self) -> Any:
        return structure.row_spec(structure.spec_of(self.element), "from_tensor_slices")


class Tensors(Ordered):
    """One element."""

    def __init__(self, tensors: TensorLike) -> None:
        self.element = nest.map_structure(kept, structure.element_of(tensors))
        super().__init__(self)

    count = 1

    def row(self, index: int) -> Element:
        """The element itself."""
        return self.element

    def take(self, indices: Array) -> Element:
        """The element, stacked as often as asked for."""
        return structure.stacked([self.element] * len(indices))

    def spec(self) -> Any:
        return structure.spec_of(self.element)


class Range(Ordered):
    """Equally spaced numbers."""

    def __init__(self, numbers: range, dtype: DType) -> None:
        self._numbers, self._dtype = numbers, dtype
        super().__init__(self)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._numbers)

    def row(self, index: int) -> Element:
        """One number."""
        return from_array(self._dtype.as_numpy_dtype(self._numbers[index]))

    def take(self, indices: Array) -> Element:
        """Several numbers."""
        numbers = indices * self._numbers.step + self._numbers.start
        return from_array(numbers.astype(self._dtype.numpy))

    def spec(self) -> Any:
        return TensorSpec((), self._dtype)


class Counting(Node):
    """Equally spaced numbers without end."""

    def __init__(self, start: int, step: int, dtype: DType) -> None:
        self.start, self.step, self.dtype = start, step, dtype

    def cardinality(self) -> int:
        return INFINITE

    def spec(self) -> Any:
        return TensorSpec((), self.dtype)

    def iterate(self, settings: Settings) -> ElementIterator:
        return _CountingIterator(self)


class _CountingIterator(ElementIterator):
    def __init__(self, node: Counting) -> None:
        self._node = node
        self._next = node.start

    def __next__(self) -> Element:
        number = self._next
        self._next += self._node.step
        return from_array(self._node.dtype.as_numpy_dtype(number))

    def get_state(self) -> Any:
        return {"next": self._next}

    def set_state(self, state: dict[str, Any]) -> None:
        self._next = int(state["next"])


class ZippedRows:
    """Rows of several sources side by side."""

    def __init__(self, parts: list[Rows], pack: Callable[[list[Any]], Element]) -> None:
        self._parts, self._pack = parts, pack
        self.count = min(part.count for part in parts)

    def row(self, index: int) -> Element:
        """One row of each."""
        return self._pack([part.row(index) for part in self._parts])

    def take(self, indices: Array) -> Element:
        """Several rows of each."""
        return self._pack([part.take(indices) for part in self._parts])


class Zip(Node):
    """Elements of several datasets side by side, until one of them ends."""

    def __init__(self, like: Any, nodes: list[Node]) -> None:
        self._like = like  # a structure with a leaf for each node
        self._flat = like.__class__ is tuple and not any(nest.is_nested(part) for part in like)
        self.inputs = tuple(nodes)
        self._rows: Rows | None = None
        if all(isinstance(node, Ordered) for node in nodes):
            self._rows = ZippedRows([node.rows for node in nodes], self.pack)  # type: ignore[misc]

    def pack(self, parts: list[Any]) -> Element:
        """The parts in the structure of the datasets."""
        return tuple(parts) if self._flat else _filled(self._like, iter(parts))

    @property
    def rows(self) -> Rows | None:
        return self._rows

    def indices(self, settings: Settings) -> Indices:
        assert self._rows is not None
        return Counter(self._rows.count)

    def cardinality(self) -> int:
        found = [node.cardinality() for node in self.inputs]
        known = [count for count in found if count >= 0]
        if 0 in known:
            return 0
        if UNKNOWN in found:
            return UNKNOWN
        return min(known) if known else INFINITE

    def spec(self) -> Any:
        return self.pack([node.spec() for node in self.inputs])

    def iterate(self, settings: Settings) -> ElementIterator:
        if self._rows is not None:
            return super().iterate(settings)
        return _ZipIterator(
            self.pack, [node.iterate(settings.of_input(number)) for number, node in enumerate(self.inputs)]
        )


def _filled(like: Any, parts: Iterator[Any]) -> Any:
    """`like` with its leaves replaced, in order. (The parts are structures themselves, which nest would walk into.)"""
    if not nest.is_nested(like):
        return next(parts)
    if isinstance(like, dict):
        found = {key: _filled(like[key], parts) for key in nest.sorted_keys(like)}
        return type(like)((key, found[key]) for key in like)
    inner = [_filled(part, parts) for part in nest.children(like)]
    if nest.is_record(like):
        return nest.record_of(like, inner)
    return type(like)(*inner) if hasattr(like, "_fields") else type(like)(inner)


class _ZipIterator(ElementIterator):
    def __init__(self, pack: Callable[[list[Any]], Element], parts: list[ElementIterator]) -> None:
        self._pack, self._parts = pack, parts

    def __next__(self) -> Element:
        return self._pack([next(part) for part in self._parts])

    def get_state(self) -> Any:
        return {"parts": [part.get_state() for part in self._parts]}

    def set_state(self, state: dict[str, Any]) -> None:
        for part, inner in zip(self._parts, state["parts"], strict=True):
            part.set_state(inner)

    def close(self) -> None:
        for part in self._parts:
            part.close()


# --- generators --------------------------------------------------------------------------------------------


class Generated(Node):
    """What a Python generator yields, checked against a signature.

    A generator cannot be saved: a restored run calls it anew and passes over what was given out before.
    """

    def __init__(self, function: Callable[..., Any], signature: object, args: tuple[Any, ...]) -> None:
        self.function, self.signature, self.args = function, signature, args

    def spec(self) -> Any:
        return self.signature

    def known_spec(self) -> Any:
        return self.signature

    def iterate(self, settings: Settings) -> ElementIterator:
        return _GeneratedIterator(self)


class _GeneratedIterator(ElementIterator):
    def __init__(self, node: Generated) -> None:
        self._node = node
        self._count = 0
        self._skip = 0
        self._values: Any = None

    def __next__(self) -> Element:
        if self._values is None:
            node = self._node
            self._values = iter(node.function(*node.args))
            for _ in range(self._skip):
                next(self._values)
        value = next(self._values)
        self._count += 1
        return _conformed(value, self._node.signature)

    def get_state(self) -> Any:
        return {"count": self._count}

    def set_state(self, state: dict[str, Any]) -> None:
        self._values = None
        self._count = self._skip = int(state["count"])

    def close(self) -> None:
        if hasattr(self._values, "close"):
            self._values.close()


def _conformed(value: Any, signature: Any) -> Element:
    """What was yielded as an element of the signature's structure, types and shapes."""
    if isinstance(signature, TensorSpec):
        return _conformed_leaf(value, signature)
    if not nest.is_nested(signature):
        element = structure.element_of(value)
        if not signature.is_compatible_with(element):
            raise _wrong(f"yielded {value!r}, but the signature expects {signature!r}.")
        return element
    try:
        if isinstance(signature, dict):
            if set(value) != set(signature):
                raise TypeError
            return type(signature)((key, _conformed(value[key], spec)) for key, spec in signature.items())
        parts = list(value)
        if len(parts) != len(signature) or isinstance(value, (str, bytes, dict)):
            raise TypeError
    except TypeError:
        raise _wrong(
            f"yielded an element that did not match the expected structure. The expected structure was {signature!r}, "
            f"but the yielded element was {value!r}."
        ) from None
    inner = [_conformed(part, spec) for part, spec in zip(parts, signature, strict=True)]
    return type(signature)(*inner) if hasattr(signature, "_fields") else tuple(inner)


def _conformed_leaf(value: Value, spec: TensorSpec) -> Any:
    try:
        if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufc" and spec.dtype.is_numeric:
            tensor: Any = from_array(np.array(value, spec.dtype.numpy))
        else:
            tensor = to_tensor(value, spec.dtype)
    except (TypeError, ValueError) as error:
        raise _wrong(
            f"yielded an element that could not be converted to the expected type. The expected type was "
            f"{spec.dtype.name}, but the yielded element was {value!r}. {error}"
        ) from None
    if not spec.shape.is_compatible_with(tensor.shape):
        raise _wrong(f"yielded an element of shape {tensor.shape} where an element of shape {spec.shape} was expected.")
    return tensor


def _wrong(what: str) -> GeneratorElementError:
    return GeneratorElementError(None, None, f"from_generator: the generator {what}")


# --- random numbers ----------------------------------------------------------------------------------------


class Random(Node):
    """Random 32-bit numbers as int64, without end."""

    def __init__(self, seed: TensorLike, renew: bool) -> None:
        self.passes = Passes(seed, renew)

    def cardinality(self) -> int:
        return INFINITE

    def spec(self) -> Any:
        return TensorSpec((), dtypes.int64)

    def iterate(self, settings: Settings) -> ElementIterator:
        return _RandomIterator(self.passes)


class Uniform:
    """The random numbers of one pass. The n-th is the same whether they are drawn one by one or in blocks."""

    _BLOCK = 1024

    def __init__(self, passes: Passes) -> None:
        self._passes = passes
        self._pass = passes.begin()
        self._stream = passes.stream(self._pass)
        self._count = 0
        self._block: list[int] = []

    def next(self) -> int:
        """The next number, below 2**32."""
        block, position = divmod(self._count, self._BLOCK)
        if not position or not self._block:
            self._block = numbers(self._stream, block, self._BLOCK).tolist()
        self._count += 1
        return self._block[position]

    def get_state(self) -> Any:
        """The position."""
        return {
            "pass": self._pass,
            "count": self._count,
            "passes": self._passes.count,
            "seeds": list(self._passes.seeds),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go to a position."""
        self._pass, self._count, self._passes.count = int(state["pass"]), int(state["count"]), int(state["passes"])
        self._passes.seeds = (int(state["seeds"][0]), int(state["seeds"][1]))
        self._stream = self._passes.stream(self._pass)
        self._block = []


class _RandomIterator(ElementIterator):
    def __init__(self, passes: Passes) -> None:
        self._numbers = Uniform(passes)

    def __next__(self) -> Element:
        return int64(self._numbers.next())

    def get_state(self) -> Any:
        return self._numbers.get_state()

    def set_state(self, state: dict[str, Any]) -> None:
        self._numbers.set_state(state)


def range_of(args: tuple[Any, ...], dtype: DType) -> Range:
    """The node of `Dataset.range(stop)`, `(start, stop)` or `(start, stop, step)`."""
    if not 1 <= len(args) <= 3:
        raise ValueError(f"Dataset.range takes 1 to 3 numbers, got {len(args)}.")
    numbers = [as_int(arg) for arg in args]
    if not all(-(2**63) <= number < 2**63 for number in numbers):
        raise invalid(f"Dataset.range: numbers must fit 64 bits, got {numbers}.")
    if len(numbers) == 3 and not numbers[2]:
        raise invalid("Dataset.range: step cannot be zero.")
    return Range(range(*numbers), dtype)
