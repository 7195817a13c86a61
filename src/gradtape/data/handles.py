"""Iterators and Optionals as values of functions: objects that a function is given, carries through loops, and returns.

A traced function sees such an object as a composite with one component, a handle: a scalar that holds the object. So a
function is traced for the specs of elements, and not anew for each iterator.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.shapes import TensorShape
from ..base.type_spec import CompositeSpec, TypeSpec
from ..values.composite import Composite, declare
from ..values.tensor import EagerTensor, TensorSpec, from_array
from . import structure

HANDLE = dtypes.string  # (a tensor of objects)


def boxed(thing: object) -> EagerTensor:
    """A scalar that holds an object."""
    box = np.empty((), object)
    box[()] = thing
    return from_array(box)


class HandleSpec(CompositeSpec):
    """The spec of an object known by a handle: that of the elements it gives."""

    def __init__(self, element_spec: object) -> None:
        self.element_spec: Any = element_spec

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of an existing value.

        >>> tf.data.IteratorSpec.from_value(iter(tf.data.Dataset.range(3))).element_spec
        TensorSpec(shape=(), dtype=tf.int64, name=None)

        Args:
            value: A value of the class that the spec describes.

        Returns:
            A spec.
        """
        return cls(value.element_spec)

    @property
    def _component_specs(self) -> list[TypeSpec]:
        return [TensorSpec(TensorShape(()), HANDLE)]

    def _from_components(self, components: Sequence[Any]) -> Any:
        (handle,) = components
        return handle._array.item() if handle.__class__ is EagerTensor else self._standing_for(handle)

    def _standing_for(self, handle: object) -> Any:
        """The object inside a function that knows its handle alone."""
        raise NotImplementedError

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value, or the spec, is of such an object with these elements.

        >>> tf.data.IteratorSpec(tf.TensorSpec([], tf.int64)).is_compatible_with(iter(tf.data.Dataset.range(3)))
        True

        Args:
            spec_or_value: A value, or another spec.

        Returns:
            True or False.
        """
        if not isinstance(spec_or_value, (self.value_type, type(self))):
            return False
        try:
            return bool(structure.common_spec(self.element_spec, spec_or_value.element_spec) == self.element_spec)
        except (TypeError, ValueError):
            return False

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The tightest spec that covers both.

        >>> short, long = (tf.data.IteratorSpec(tf.TensorSpec([n])) for n in (2, 3))
        >>> short.most_specific_compatible_type(long).element_spec
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)

        Args:
            other: Another spec of the same kind.

        Returns:
            A spec.

        Raises:
            ValueError: There is none.
        """
        if not isinstance(other, type(self)):
            raise ValueError(f"No spec covers both {self!r} and {other!r}.")
        return type(self)(structure.common_spec(self.element_spec, other.element_spec))

    def _serialize(self) -> tuple[Any, ...]:
        return (self.element_spec,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and bool(self.element_spec == other.element_spec)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


def declare_handled(cls: type[Any], spec: type[HandleSpec]) -> None:
    """Make a class of such objects known. They have `element_spec`, and `_handle` inside functions."""
    declare(
        Composite(
            cls,
            components=lambda value: [boxed(value) if value._handle is None else value._handle],
            build=lambda static, parts: static._from_components(parts),
            static=spec.from_value,
            spec=spec,
            is_tensor=False,
        )
    )
