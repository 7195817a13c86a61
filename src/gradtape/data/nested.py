"""Datasets inside of datasets: in memory, as windows are; by their spec; and as what a function is traced with."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar

from ..base.shapes import TensorShape
from ..base.type_spec import TypeSpec
from ..trace.abstract_tensor import NeedsValue
from . import structure
from .node import ElementIterator, Node, Settings
from .structure import Element

# Makes the dataset that users see of a step; set by dataset.py, which stands above this module.
DATASETS: list[Callable[[Node], Any]] = []


class Listed(Node):
    """A dataset of elements that are in memory; where it is not told their spec, it is the tightest that covers them."""

    def __init__(self, elements: list[Element], spec: Callable[[], Any] | None = None) -> None:
        self.elements, self._spec = elements, spec

    def cardinality(self) -> int:
        return len(self.elements)

    def spec(self) -> Any:
        return self.known_spec() if self._spec is None else self._spec()

    def known_spec(self) -> Any:
        specs = map(structure.spec_of, self.elements)
        return functools.reduce(structure.common_spec, specs) if self.elements else None

    def iterate(self, settings: Settings) -> ElementIterator:
        return _ListedIterator(self.elements)


class _ListedIterator(ElementIterator):
    def __init__(self, elements: list[Element]) -> None:
        self._elements = elements
        self._next = 0

    def __next__(self) -> Element:
        if self._next >= len(self._elements):
            raise StopIteration
        self._next += 1
        return self._elements[self._next - 1]

    def get_state(self) -> Any:
        return {"next": self._next}

    def set_state(self, state: dict[str, Any]) -> None:
        self._next = int(state["next"])


structure.WINDOWS.append(lambda elements: DATASETS[0](Listed(elements)))


class Described(Node):
    """A dataset of which only the spec of its elements is known: what a function is traced with, or makes of its tensors."""

    def __init__(self, spec: object) -> None:
        self._spec = spec

    def spec(self) -> Any:
        return self._spec

    def known_spec(self) -> Any:
        return self._spec

    def iterate(self, settings: Settings) -> ElementIterator:
        raise NeedsValue("The elements of a dataset are needed before there are any.")


class DatasetSpec(TypeSpec):
    """The spec of a dataset: that of its elements.

    >>> import gradtape as tf
    >>> tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)).is_compatible_with(tf.data.Dataset.range(3))
    True

    Args:
        element_spec: The spec of an element, or a structure of specs.
        dataset_shape: Ignored; accepted for compatibility with TensorFlow.
    """

    by_identity = True  # a function with such an argument is recorded for each dataset
    standing: ClassVar[Any] = (
        None  # the class of the specs of what stands for a dataset in a function, set by in_functions.py
    )

    def __init__(self, element_spec: object, dataset_shape: object = ()) -> None:
        self.element_spec = element_spec

    @property
    def in_functions(self) -> Any:
        """The spec of what stands for such a dataset in a function that is recorded."""
        return self.standing(self.element_spec)

    def is_compatible_with(self, value: Any) -> bool:
        """Whether the value is a dataset, or a spec of one, with these elements.

        >>> tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)).is_compatible_with(tf.data.Dataset.range(3))
        True

        Args:
            value: Anything.

        Returns:
            True or False.
        """
        return hasattr(value, "element_spec") and bool(value.element_spec == self.element_spec)

    def most_specific_compatible_type(self, other: Any) -> DatasetSpec:
        """The tightest spec that covers both.

        >>> short, long = (tf.data.DatasetSpec(tf.TensorSpec([n])) for n in (2, 3))
        >>> short.most_specific_compatible_type(long).element_spec
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)

        Args:
            other: Another DatasetSpec.

        Returns:
            A DatasetSpec.

        Raises:
            ValueError: There is none.
        """
        if not isinstance(other, DatasetSpec):
            raise ValueError(f"No spec covers both {self!r} and {other!r}.")
        return DatasetSpec(structure.common_spec(self.element_spec, other.element_spec))

    def _serialize(self) -> tuple[Any, ...]:
        return self.element_spec, TensorShape([])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetSpec) and bool(self.element_spec == other.element_spec)

    def __hash__(self) -> int:
        return hash(DatasetSpec)

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, TensorShape([]))"
