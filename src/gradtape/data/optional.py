"""`Optional`: an element that may be missing, as `get_next_as_optional` gives it."""

from __future__ import annotations

from typing import Any

from ..base.errors import invalid
from ..base.traceable import traceable
from ..base.types import Function
from ..trace.ghost import World
from ..trace.host_calls import called_in_world
from ..values.tensor import Tensor, TensorSpec, to_tensor
from . import structure
from .handles import HANDLE, HandleSpec, boxed, declare_handled
from .structure import Element


class Optional:
    """A value that may be missing.

    >>> import gradtape as tf
    >>> found = tf.data.experimental.Optional.from_value(3.0)
    >>> bool(found.has_value()), found.get_value().numpy()
    (True, np.float32(3.0))
    >>> bool(tf.data.experimental.Optional.empty(tf.TensorSpec([])).has_value())
    False

    Args:
        *value: The value, if there is one. Users call `from_value` and `empty`.
    """

    __slots__ = ("_handle", "_spec", "_value")

    def __init__(self, *value: Element) -> None:
        self._value = value
        self._spec: Any = None
        self._handle: Any = None

    @classmethod
    def standing_for(cls, spec: object, handle: object) -> Optional:
        """One of which it is known only when the function runs whether there is a value.

        Args:
            spec: The specs of the value.
            handle: What stands for it in the function.

        Returns:
            An Optional.
        """
        found = cls()
        found._spec, found._handle = spec, handle
        return found

    @classmethod
    def from_value(cls, value: Element) -> Optional:
        """An Optional with a value.

        >>> tf.data.experimental.Optional.from_value([1, 2]).get_value().numpy()
        array([1, 2], dtype=int32)

        Args:
            value: A tensor, what can become one, or a structure of them.

        Returns:
            An Optional.
        """
        return _full(structure.element_of(value))

    @classmethod
    def empty(cls, element_spec: object = None) -> Optional:
        """An Optional without a value.

        >>> bool(tf.data.experimental.Optional.empty(tf.TensorSpec([])).has_value())
        False

        Args:
            element_spec: The specs of the value that it could have.

        Returns:
            An Optional.
        """
        found = cls()
        found._spec = element_spec
        return found

    def has_value(self) -> Tensor:
        """Whether there is a value.

        >>> bool(tf.data.experimental.Optional.from_value(3.0).has_value())
        True

        Returns:
            A truth value, as a tensor.
        """
        return _has_value(self)

    def get_value(self) -> Element:
        """The value.

        >>> tf.data.experimental.Optional.from_value(3.0).get_value().numpy()
        np.float32(3.0)

        Returns:
            The value, in its structure.

        Raises:
            tf.errors.InvalidArgumentError: There is none.
        """
        return _get_value(self)

    @property
    def element_spec(self) -> Any:
        """The specs of the value."""
        if self._spec is None and self._value:
            self._spec = structure.spec_of(self._value[0])
        return self._spec


class OptionalSpec(HandleSpec):
    """The spec of an Optional: that of its value."""

    @property
    def value_type(self) -> type[Any]:
        """`tf.experimental.Optional`."""
        return Optional

    def _standing_for(self, handle: object) -> Optional:
        return Optional.standing_for(self.element_spec, handle)


declare_handled(Optional, OptionalSpec)


# --- also as steps of functions --------------------------------------------------------------------------------------


def _full(value: Element) -> Optional:
    return Optional(value)


def _full_in_world(world: World, function: Function, value: Element) -> Optional:
    def made(value: Element) -> Tensor:
        return boxed(Optional(value))

    handle = called_in_world(world, made, (value,), TensorSpec((), HANDLE), "")
    return Optional.standing_for(structure.spec_of(value), handle)


def _has_value(optional: Optional) -> Tensor:
    return to_tensor(bool(optional._value))


def _has_value_in_world(world: World, function: Function, optional: Optional) -> Tensor:
    return called_in_world(world, function, (optional,), TensorSpec((), "bool"), "")


def _get_value(optional: Optional) -> Element:
    if not optional._value:
        raise invalid("The given optional does not have a value.")
    return optional._value[0]


def _get_value_in_world(world: World, function: Function, optional: Optional) -> Element:
    why = "Elements of a dataset have a shape when they are taken."
    return called_in_world(world, function, (optional,), optional.element_spec, why)


_full = traceable(_full, in_world=_full_in_world)
_has_value = traceable(_has_value, always=True, in_world=_has_value_in_world)
_get_value = traceable(_get_value, always=True, in_world=_get_value_in_world)
