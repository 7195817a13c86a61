"""The iterators that users hold: over elements, and over elements as NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator as PythonIterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE
from ..base.errors import REFUSALS, OpError, OutOfRangeError, raise_named
from ..base.traceable import traceable
from ..base.types import Function
from ..trace.abstract_tensor import Evaluator
from ..trace.host_calls import called_on_abstract
from ..values.tensor import Tensor, TensorSpec
from .handles import HANDLE, HandleSpec, boxed, declare_handled
from .node import ElementIterator, Node, Settings
from .optional import Optional, OptionalElement
from .structure import Element

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    T = TypeVar("T", default=Any, covariant=True)
else:  # (defaults of type variables came with Python 3.13; only type checkers need them)
    from typing import TypeVar

    T = TypeVar("T", covariant=True)


class Iterator(PythonIterator[T]):
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

    Args:
        node: The step that produces the elements. Users make iterators with `iter(dataset)`.
        settings: Threads and order, from the options of the dataset.
    """

    _handle: Any = None  # inside a function, what stands for an iterator that the function is given or makes

    def __init__(self, node: Node, settings: Settings) -> None:
        self._node = node
        self._inner: ElementIterator = node.iterate(settings)
        self._spec: Any = None
        self._from_outside = STATE.trace is None  # if made inside a function, it is unrolled during tracing

    @classmethod
    def standing_for(cls, spec: object, handle: object) -> Iterator:
        """An iterator that has no elements before the function runs.

        Args:
            spec: The specs of its elements.
            handle: What stands for it in the function.

        Returns:
            An iterator.
        """
        found = cls.__new__(cls)
        found._handle, found._spec, found._from_outside = handle, spec, True
        return found

    def __next__(self) -> T:
        if ACTIVE and STATE.trace is not None and self._from_outside:
            return take(self)
        try:
            return next(self._inner)
        except REFUSALS as error:
            raise_named(error, "next")
            raise

    def next(self) -> T:
        """The next element.

        >>> iterator = iter(tf.data.Dataset.range(3))
        >>> iterator.next().numpy()
        np.int64(0)

        Returns:
            The element, in its structure.

        Raises:
            StopIteration: There is none.
        """
        return next(self)

    def get_next(self) -> T:
        """The next element.

        Inside a `tf.function` this and `next` take one element each time the function runs, and both raise OutOfRangeError.

        >>> iterator = iter(tf.data.Dataset.range(3))
        >>> iterator.get_next().numpy()
        np.int64(0)

        Returns:
            The element, in its structure.

        Raises:
            tf.errors.OutOfRangeError: There is none.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """The next element, or none at the end.

        >>> iterator = iter(tf.data.Dataset.range(1))
        >>> [bool(iterator.get_next_as_optional().has_value()) for _ in range(2)]
        [True, False]

        Returns:
            A `tf.experimental.Optional`, empty at the end.
        """
        if STATE.trace is not None and self._from_outside:
            return take_optional(self)
        return _next_optional(self)

    @property
    def element_spec(self) -> Any:
        """The specs of the elements."""
        if self._spec is None:
            self._spec = self._node.spec()
        return self._spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    def get_state(self) -> dict[str, Any]:
        """The position, all buffers included.

        >>> iterator = iter(tf.data.Dataset.range(3))
        >>> _ = next(iterator)
        >>> state = iterator.get_state()
        >>> next(iterator).numpy()
        np.int64(1)
        >>> iterator.set_state(state)
        >>> next(iterator).numpy()
        np.int64(1)

        Returns:
            Dicts, lists, plain values and NumPy arrays.
        """
        return {"iterator": self._inner.get_state()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go to a position.

        >>> iterator = iter(tf.data.Dataset.range(3))
        >>> start = iterator.get_state()
        >>> _ = list(iterator)
        >>> iterator.set_state(start)
        >>> next(iterator).numpy()
        np.int64(0)

        Args:
            state: What `get_state` of an iterator over the same pipeline gave, also in another program.

        Raises:
            ValueError: It does not fit this pipeline.
        """
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
        """End the background threads of this pass now. (Dropping the iterator does the same.)

        >>> iterator = iter(tf.data.Dataset.range(3).prefetch(1))
        >>> iterator.close()
        """
        self._inner.close()

    def __repr__(self) -> str:
        what = "elements" if self._handle is not None else type(self._node).__name__
        return f"<tf.data.Iterator over {what}>"


class IteratorSpec(HandleSpec):
    """The spec of an iterator: that of its elements.

    >>> import gradtape as tf
    >>> spec = tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))
    >>> spec.is_compatible_with(iter(tf.data.Dataset.range(3)))
    True

    Args:
        element_spec: The spec of an element, or a structure of specs.
    """

    @property
    def value_type(self) -> type[Any]:
        """`tf.data.Iterator`."""
        return Iterator

    def _standing_for(self, handle: object) -> Iterator:
        return Iterator.standing_for(self.element_spec, handle)


declare_handled(Iterator, IteratorSpec)


# --- inside functions ------------------------------------------------------------------------------------------------

_WHY = "Elements of a dataset have a shape when they are taken."


def take(iterator: Iterator) -> Element:
    """The next element, as a step of a function."""
    try:
        return next(iterator._inner)
    except StopIteration:
        raise OutOfRangeError(None, None, "End of sequence") from None


def _take_on_abstract(evaluator: Evaluator, function: Function, iterator: Iterator) -> Element:
    return called_on_abstract(evaluator, function, (iterator,), iterator.element_spec, _WHY)


def _next_optional(iterator: Iterator) -> Optional:
    try:
        return OptionalElement((next(iterator._inner),))
    except StopIteration:
        return Optional.empty(iterator.element_spec)


def take_optional(iterator: Iterator) -> Optional:
    """The next element as an Optional, as a step of a function."""
    return _next_optional(iterator)


def _take_optional_on_abstract(evaluator: Evaluator, function: Function, iterator: Iterator) -> Optional:
    def taken(iterator: Iterator) -> Tensor:
        return boxed(_next_optional(iterator))

    handle = called_on_abstract(evaluator, taken, (iterator,), TensorSpec((), HANDLE), _WHY)
    return OptionalElement((), iterator.element_spec, handle)


def begin(dataset: Iterable[Any]) -> Iterator:
    """A new pass over a dataset each time that the function runs."""
    return iter(dataset)  # type: ignore[arg-type]


def _begin_on_abstract(evaluator: Evaluator, function: Function, dataset: Iterable[Any]) -> Iterator:
    def begun(dataset: Iterable[Any]) -> Tensor:
        return boxed(iter(dataset))

    handle = called_on_abstract(evaluator, begun, (dataset,), TensorSpec((), HANDLE), _WHY)
    return Iterator.standing_for(dataset.element_spec, handle)  # type: ignore[attr-defined]


take = traceable(take, always=True, on_abstract=_take_on_abstract)
take_optional = traceable(take_optional, always=True, on_abstract=_take_optional_on_abstract)
begin = traceable(begin, always=True, on_abstract=_begin_on_abstract)


class NumpyIterator(PythonIterator[Any]):
    """One pass over a dataset, with arrays in place of tensors, as `dataset.as_numpy_iterator()` begins it.

    The arrays cannot be written to.

    >>> import gradtape as tf
    >>> iterator = tf.data.Dataset.range(2).as_numpy_iterator()
    >>> isinstance(iterator, tf.data.NumpyIterator), list(iterator)
    (True, [np.int64(0), np.int64(1)])

    Args:
        inner: An iterator over tensors.
    """

    def __init__(self, inner: Iterator) -> None:
        self._inner = inner

    def __next__(self) -> Any:
        """The next element.

        >>> tf.data.Dataset.range(3).as_numpy_iterator().next()
        np.int64(0)

        Returns:
            Arrays, in the structure of the element.

        Raises:
            StopIteration: There is none.
        """
        return nest.map_structure(_as_numpy, next(self._inner))

    next = __next__

    def get_state(self) -> dict[str, Any]:
        """The position, all buffers included.

        >>> iterator = tf.data.Dataset.range(3).as_numpy_iterator()
        >>> state = iterator.get_state()
        >>> _ = list(iterator)
        >>> iterator.set_state(state)
        >>> next(iterator)
        np.int64(0)

        Returns:
            Dicts, lists, plain values and NumPy arrays.
        """
        return self._inner.get_state()

    def set_state(self, state: dict[str, Any]) -> None:
        """Go to a position.

        >>> iterator = tf.data.Dataset.range(3).as_numpy_iterator()
        >>> start = iterator.get_state()
        >>> _ = list(iterator)
        >>> iterator.set_state(start)
        >>> next(iterator)
        np.int64(0)

        Args:
            state: What `get_state` of an iterator over the same pipeline gave, also in another program.

        Raises:
            ValueError: It does not fit this pipeline.
        """
        self._inner.set_state(state)


def _as_numpy(leaf: object) -> Any:
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
