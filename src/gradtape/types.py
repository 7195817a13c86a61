"""`tf.types`: names for annotations."""

from __future__ import annotations

import abc
from typing import Any, Protocol, runtime_checkable

import numpy as np

from .base.namespaces import listing, namespace
from .distribute.strategy import DistributedValues
from .trace import ConcreteFunction, Function
from .values.tensor import Tensor
from .variables.variable import Variable

__all__ = ["experimental"]

# What `tf.convert_to_tensor` takes.
TensorLike = Tensor | Variable | np.ndarray | np.generic | bool | int | float | complex | str | bytes | list | tuple  # type: ignore[type-arg]


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


@namespace("gradtape.types.experimental")
class experimental:
    """`tf.types.experimental`."""

    Callable = Function | ConcreteFunction
    ConcreteFunction = ConcreteFunction
    GenericFunction = Function
    PolymorphicFunction = Function

    @namespace("gradtape.types.experimental.distributed")
    class distributed:
        """`tf.types.experimental.distributed`: values with a part for each replica, of which there is one."""

        Mirrored = DistributedValues
        PerReplica = DistributedValues

    SupportsTracingProtocol = SupportsTracingProtocol
    TensorLike = TensorLike
    TraceType = TraceType


__dir__ = listing(globals())
