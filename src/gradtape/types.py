"""`tf.types`: names for annotations."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from .base.namespaces import listing, namespace
from .distribute.strategy import DistributedValues
from .trace import ConcreteFunction as _ConcreteFunction
from .trace import Function
from .values.tensor import Tensor
from .variables.variable import Variable

__all__ = ["experimental"]

if TYPE_CHECKING:
    from .base.types import TensorLike as _TensorLike
else:  # what `tf.convert_to_tensor` takes, as classes for isinstance
    _TensorLike = (
        Tensor | Variable | np.ndarray | np.generic | bool | int | float | complex | str | bytes | list | tuple
    )


class TraceType(abc.ABC):
    """How the arguments of a `tf.function` are told apart: a class of a user's own returns one from `__tf_tracing_type__`.

    >>> import gradtape as tf
    >>> class OfName(tf.types.experimental.TraceType):
    ...     def __init__(self, name):
    ...         self.name = name
    ...     def is_subtype_of(self, other):
    ...         return self == other
    ...     def most_specific_common_supertype(self, others):
    ...         return self if all(self == other for other in others) else None
    ...     def placeholder_value(self, placeholder_context):
    ...         return self
    ...     def __hash__(self):
    ...         return hash(self.name)
    ...     def __eq__(self, other):
    ...         return isinstance(other, OfName) and self.name == other.name
    >>> OfName("a").is_subtype_of(OfName("b"))
    False
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether what was traced for another type can be used for this one.

        Args:
            other: Another type.

        Returns:
            True or False.
        """

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: object) -> TraceType | None:
        """The tightest type that covers this one and all others.

        Args:
            others: Types.

        Returns:
            A type; None where there is none.
        """

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: object) -> Any:
        """What stands for the argument while the function is traced.

        Args:
            placeholder_context: Where placeholders are made.

        Returns:
            A value.
        """

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """An argument of a `tf.function` that says itself what type it is.

    >>> import gradtape as tf
    >>> class Setting:
    ...     def __tf_tracing_type__(self, context):
    ...         return context.make_reference_type(self, id(self))
    >>> isinstance(Setting(), tf.types.experimental.SupportsTracingProtocol)
    True

    Args:
        *args: Ignored: the protocol itself is never called.
        **kwargs: Ignored.
    """

    def __tf_tracing_type__(self, context: object) -> TraceType:
        """The type."""


_SupportsTracingProtocol: TypeAlias = (
    SupportsTracingProtocol  # in the class below, a name that stands for itself is no type
)
_TraceType: TypeAlias = TraceType


@namespace("gradtape.types.experimental")
class experimental:
    """`tf.types.experimental`: what can become a tensor, and what `tf.function` gives, for annotations and `isinstance`."""

    Callable: TypeAlias = Function | _ConcreteFunction
    ConcreteFunction: TypeAlias = _ConcreteFunction
    GenericFunction: TypeAlias = Function
    PolymorphicFunction: TypeAlias = Function

    @namespace("gradtape.types.experimental.distributed")
    class distributed:
        """`tf.types.experimental.distributed`: values with a part for each replica, for annotations."""

        Mirrored: TypeAlias = DistributedValues
        PerReplica: TypeAlias = DistributedValues

    SupportsTracingProtocol: TypeAlias = _SupportsTracingProtocol
    TensorLike: TypeAlias = _TensorLike
    TraceType: TypeAlias = _TraceType


__dir__ = listing(globals())
