"""`tf.TypeSpec`: what is known of a value before it exists, whatever kind of value it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .dtypes import DType
from .shapes import TensorShape


class TypeSpec:
    """The base of `tf.TensorSpec`, `tf.RaggedTensorSpec`, `tf.SparseTensorSpec`, `tf.data.DatasetSpec` and others.

    >>> isinstance(tf.data.Dataset.range(3).element_spec, tf.TypeSpec)
    True
    """

    __slots__ = ()

    def __init__(self) -> None:
        if type(self) is TypeSpec:
            raise TypeError("Can't instantiate abstract class TypeSpec: use tf.TensorSpec or another spec.")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value (or everything the other spec describes) may stand here.

        >>> tf.TensorSpec([None]).is_compatible_with(tf.constant([1.0, 2.0]))
        True

        Args:
            spec_or_value: A value, or another spec.

        Returns:
            True or False.
        """
        raise NotImplementedError

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The tightest spec that covers both.

        >>> tf.TensorSpec([2, 3]).most_specific_compatible_type(tf.TensorSpec([4, 3]))
        TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)

        Args:
            other: Another spec of the same kind.

        Returns:
            A spec.

        Raises:
            ValueError: There is none.
        """
        raise NotImplementedError

    def is_subtype_of(self, other: object) -> bool:
        """Whether every value that fits this spec fits the other.

        >>> tf.RaggedTensorSpec([2, None]).is_subtype_of(tf.RaggedTensorSpec([None, None]))
        True

        Args:
            other: Another spec.

        Returns:
            True or False.
        """
        return bool(self.most_specific_common_supertype([other]) == other)

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The tightest spec that covers this one and all others.

        >>> tf.TensorSpec([2]).most_specific_common_supertype([tf.TensorSpec([3]), tf.TensorSpec([4])])
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)

        Args:
            others: A list of specs.

        Returns:
            A spec; None where there is none.
        """
        spec: Any = self
        try:
            for other in others:
                spec = spec.most_specific_compatible_type(other)
        except ValueError:
            return None
        return spec

    def _serialize(self) -> tuple[Any, ...]:
        """What the constructor takes to make an equal spec."""
        raise NotImplementedError

    @classmethod
    def _deserialize(cls, parts: Sequence[Any]) -> Any:
        """The spec that was serialized."""
        return cls(*parts)


class CompositeSpec(TypeSpec):
    """The spec of a value made of several tensors."""

    __slots__ = ()

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec of an existing value.

        >>> tf.SparseTensorSpec.from_value(tf.sparse.from_dense([0, 5]))
        SparseTensorSpec(TensorShape([2]), tf.int32)

        Args:
            value: A value of the class that the spec describes.

        Returns:
            A spec.
        """
        raise NotImplementedError

    @property
    def value_type(self) -> type[Any]:
        """The class that the spec describes."""
        raise NotImplementedError

    def _fitted(self, value: Any) -> Any:
        """A compatible value in the form of which the components are those of the spec."""
        return value

    @property
    def _component_specs(self) -> list[TypeSpec]:
        """The specs of the tensors that a value is made of, in order."""
        raise NotImplementedError

    def _from_components(self, components: Sequence[Any]) -> Any:
        """The value made of these tensors, checked as far as users' values are."""
        raise NotImplementedError

    def _with_changed_shape(self, change: Callable[[TensorShape], Any]) -> CompositeSpec:
        """The spec of values of another shape, as batches and rows have; one that says nothing of shapes stays as it is."""
        return self


class ShapedSpec(CompositeSpec):
    """The spec of a composite value that has, as a whole, a shape and a type of elements."""

    __slots__ = ("_dtype", "_shape")

    _shape: TensorShape
    _dtype: DType

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._dtype

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._serialize() == other._serialize()

    def __hash__(self) -> int:
        return hash(self._serialize())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._serialize()))})"


class NoneTensorSpec(TypeSpec):
    """The spec of None."""

    __slots__ = ()

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value is None, or another spec of it."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def most_specific_compatible_type(self, other: Any) -> NoneTensorSpec:
        """The spec that covers both."""
        if not isinstance(other, NoneTensorSpec):
            raise ValueError(f"No spec covers both {self!r} and {other!r}.")
        return self

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"
