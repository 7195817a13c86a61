"""The iterators that users hold: over elements, and over elements as NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterator as PythonIterator
from typing import Any

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE
from ..base.errors import REFUSALS, OperatorNotAllowedInGraphError, OpError, OutOfRangeError, invalid, raise_named
from ..base.traceable import traceable
from ..base.types import Function
from ..trace.ghost import NeedsValue
from ..trace.inference import Inference
from ..values.tensor import Tensor, TensorSpec
from .node import ElementIterator, Node, Settings
from .structure import Element


class Iterator(PythonIterator[Element]):
    """One pass over a dataset, as `iter(dataset)` begins it.

    `get_state` gives its position, all buffers included, as plain values and arrays; `set_state` on an iterator
    over the same pipeline, also in another program, goes on from there:

    >>> numbers = tf.data.Dataset.range(100).shuffle(10, seed=1)
    >>> first = iter(numbers)
    >>> for _ in range(5):
    ...     _ = next(first)
    >>> second = iter(numbers)
    >>> second.set_state(first.get_state())
    >>> [int(x) for x in first] == [int(x) for x in second]
    True
    """

    def __init__(self, node: Node, settings: Settings) -> None:
        self._node = node
        self._inner: ElementIterator = node.iterate(settings)
        self._from_outside = STATE.trace is None  # if made inside a function, it is unrolled during tracing

    def __next__(self) -> Element:
        if ACTIVE and STATE.trace is not None and self._from_outside:
            return _taken(self)
        try:
            return next(self._inner)
        except REFUSALS as error:
            raise_named(error, "next")
            raise

    def next(self) -> Element:
        """The next element."""
        return next(self)

    def get_next(self) -> Element:
        """The next element; OutOfRangeError at the end, where `next` has StopIteration.

        Inside a `tf.function` both take one element each time the function runs, and both raise OutOfRangeError.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """The next element, or an empty Optional at the end; not inside a `tf.function`."""
        if STATE.trace is not None and self._from_outside:
            raise OperatorNotAllowedInGraphError(
                "get_next_as_optional inside a tf.function: whether there is an element is known only when the function runs. "
                "Write `for element in iterator`, or call get_next, which raises OutOfRangeError at the end."
            )
        try:
            return Optional(next(self._inner))
        except StopIteration:
            return Optional.empty()

    @property
    def element_spec(self) -> Any:
        """The specs of the elements."""
        return self._node.spec()

    def get_state(self) -> dict[str, Any]:
        """The position as dicts, lists, plain values and NumPy arrays."""
        return {"iterator": self._inner.get_state()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go to a position that `get_state` of an iterator over the same pipeline gave."""
        try:
            self._inner.set_state(state["iterator"])
        except OpError:
            raise
        except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError) as error:
            raise ValueError(
                f"The state does not fit this dataset: {type(error).__name__}: {error}. It must come from get_state of an "
                "iterator over a dataset built in the same way."
            ) from error

    def close(self) -> None:
        """End the background threads of this pass now. (Dropping the iterator does the same.)"""
        self._inner.close()

    def __repr__(self) -> str:
        return f"<tf.data.Iterator over {type(self._node).__name__}>"


def _taken(iterator: Iterator) -> Element:
    try:
        return next(iterator._inner)
    except StopIteration:
        raise OutOfRangeError(None, None, "End of sequence") from None


def _element_in_world(world: Any, function: Function, iterator: Iterator) -> Element:
    """Shape inference takes no element."""
    specs = nest.flatten(iterator.element_spec)
    if not isinstance(world, Inference) or not all(isinstance(spec, TensorSpec) for spec in specs):
        raise NeedsValue("Elements of a dataset have a shape when they are taken.")
    return nest.map_structure(world.ghost, iterator.element_spec)


_taken = traceable(_taken, always=True, in_world=_element_in_world)


class Optional:
    """A value that may be missing."""

    __slots__ = ("_value",)

    def __init__(self, *value: Element) -> None:
        self._value = value

    @classmethod
    def from_value(cls, value: Element) -> Optional:
        """An Optional with a value."""
        return cls(value)

    @classmethod
    def empty(cls, element_spec: object = None) -> Optional:
        """An Optional without a value."""
        return cls()

    def has_value(self) -> bool:
        """Whether there is a value."""
        return bool(self._value)

    def get_value(self) -> Element:
        """The value; InvalidArgumentError where there is none."""
        if not self._value:
            raise invalid("The given optional does not have a value.")
        return self._value[0]


class NumpyIterator(PythonIterator[Any]):
    """One pass over a dataset, with arrays in place of tensors. The arrays cannot be written to."""

    def __init__(self, inner: Iterator) -> None:
        self._inner = inner

    def __next__(self) -> Any:
        return nest.map_structure(_as_numpy, next(self._inner))

    next = __next__

    def get_state(self) -> dict[str, Any]:
        """As for the iterator over tensors."""
        return self._inner.get_state()

    def set_state(self, state: dict[str, Any]) -> None:
        """As for the iterator over tensors."""
        self._inner.set_state(state)


def _as_numpy(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        array = leaf._array
        if not array.ndim:
            return array[()]
        view = np.asarray(array).view()
        view.flags.writeable = False
        return view
    if hasattr(leaf, "as_numpy_iterator"):  # a window
        return leaf.as_numpy_iterator()
    return leaf.numpy() if hasattr(leaf, "numpy") else leaf
