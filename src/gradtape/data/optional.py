"""`Optional`: an element that may be missing, as `get_next_as_optional` gives it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..base.errors import invalid
from ..base.traceable import traceable
from ..base.types import Function
from ..trace.abstract_tensor import Evaluator
from ..trace.host_calls import called_on_abstract
from ..values.tensor import Tensor, TensorSpec, to_tensor
from . import structure
from .handles import HANDLE, HandleSpec, boxed, declare_handled
from .structure import Element


class Optional(ABC):
    """A value that may be missing. `from_value` and `empty` make one.

    >>> import gradtape as tf
    >>> found = tf.experimental.Optional.from_value(3.0)
    >>> bool(found.has_value()), found.get_value().numpy()
    (True, np.float32(3.0))
    >>> bool(tf.experimental.Optional.empty(tf.TensorSpec([])).has_value())
    False
    """

    __slots__ = ()

    @staticmethod
    def from_value(value: Element) -> Optional:
        """An Optional with a value.

        >>> tf.experimental.Optional.from_value([1, 2]).get_value().numpy()
        array([1, 2], dtype=int32)

        Args:
            value: A tensor, what can become one, or a structure of them.

        Returns:
            An Optional.
        """
        value = structure.element_of(value)
        found = _full(value)
        # Inside a function the result knows a handle alone. With the value beside it gradients go through `get_value`.
        found._value = (value,)
        return found

    @staticmethod
    def empty(element_spec: object) -> Optional:
        """An Optional without a value.

        >>> bool(tf.experimental.Optional.empty(tf.TensorSpec([])).has_value())
        False

        Args:
            element_spec: The specs of the value that it could have.

        Returns:
            An Optional.
        """
        return OptionalElement((), element_spec)

    @abstractmethod
    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value.

        >>> bool(tf.experimental.Optional.from_value(3.0).has_value())
        True

        Args:
            name: Has no effect.

        Returns:
            A truth value, as a tensor.
        """

    @abstractmethod
    def get_value(self, name: str | None = None) -> Element:
        """The value.

        >>> tf.experimental.Optional.from_value(3.0).get_value().numpy()
        np.float32(3.0)

        Args:
            name: Has no effect.

        Returns:
            The value, in its structure.

        Raises:
            tf.errors.InvalidArgumentError: There is none.
        """

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The specs of the value.

        >>> tf.experimental.Optional.from_value(3.0).element_spec
        TensorSpec(shape=(), dtype=tf.float32, name=None)
        """


class OptionalElement(Optional):
    """Every Optional is one: TensorFlow's class is abstract, so that nobody calls it.

    Args:
        value: A tuple of the value, or an empty one.
        element_spec: The specs of the value. None: those of the value that is there.
        handle: What stands for it inside a function that learns only when it runs whether there is a value.
    """

    __slots__ = ("_handle", "_spec", "_value")

    def __init__(self, value: tuple[Element, ...], element_spec: object = None, handle: object = None) -> None:
        self._value = value
        self._spec: Any = element_spec
        self._handle: Any = handle

    def has_value(self, name: str | None = None) -> Tensor:
        return to_tensor(True) if self._value else _has_value(self)

    def get_value(self, name: str | None = None) -> Element:
        return self._value[0] if self._value else _get_value(self)

    @property
    def element_spec(self) -> Any:
        if self._spec is None and self._value:
            self._spec = structure.spec_of(self._value[0])
        return self._spec


class OptionalSpec(HandleSpec):
    """The spec of a `tf.experimental.Optional`: that of the value which it may have.

    >>> @tf.function(input_signature=[tf.OptionalSpec(tf.TensorSpec([], tf.int32))])
    ... def square(optional):
    ...     return tf.cond(optional.has_value(), lambda: optional.get_value() ** 2, lambda: -1)
    >>> square(tf.experimental.Optional.from_value(5)).numpy()
    np.int32(25)

    Args:
        element_spec: The specs of the value.
    """

    @property
    def value_type(self) -> type[Any]:
        """The class of the values."""
        return OptionalElement

    def _standing_for(self, handle: object) -> Optional:
        return OptionalElement((), self.element_spec, handle)


declare_handled(OptionalElement, OptionalSpec)


# --- also as steps of functions --------------------------------------------------------------------------------------


def _full(value: Element) -> OptionalElement:
    return OptionalElement((value,))


def _full_on_abstract(evaluator: Evaluator, function: Function, value: Element) -> OptionalElement:
    def made(value: Element) -> Tensor:
        return boxed(OptionalElement((value,)))

    handle = called_on_abstract(evaluator, made, (value,), TensorSpec((), HANDLE), "")
    return OptionalElement((), structure.spec_of(value), handle)


def _has_value(optional: OptionalElement) -> Tensor:
    return to_tensor(bool(optional._value))


def _has_value_on_abstract(evaluator: Evaluator, function: Function, optional: OptionalElement) -> Tensor:
    return called_on_abstract(evaluator, function, (optional,), TensorSpec((), "bool"), "")


def _get_value(optional: OptionalElement) -> Element:
    if not optional._value:
        raise invalid("The given optional does not have a value.")
    return optional._value[0]


def _get_value_on_abstract(evaluator: Evaluator, function: Function, optional: OptionalElement) -> Element:
    why = "Elements of a dataset have a shape when they are taken."
    return called_on_abstract(evaluator, function, (optional,), optional.element_spec, why)


_full = traceable(_full, on_abstract=_full_on_abstract)
_has_value = traceable(_has_value, always=True, on_abstract=_has_value_on_abstract)
_get_value = traceable(_get_value, always=True, on_abstract=_get_value_on_abstract)
