"""Variables as `tf.compat.v1` makes and changes them in eager code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from ...api.initial_values import zeros_initializer
from ...base import dtypes
from ...base.context import STATE
from ...base.types import DTypeLike
from ...variables.module import name_scope
from ...variables.variable import Variable
from .initial_values import glorot_uniform_initializer

__all__ = [
    "AUTO_REUSE",
    "assign",
    "assign_add",
    "assign_sub",
    "get_variable",
    "variable_scope",
]

AUTO_REUSE = "AUTO_REUSE"


def get_variable(
    name: str,
    shape: Any = None,
    dtype: DTypeLike | None = None,
    initializer: Any = None,
    regularizer: object = None,
    trainable: bool | None = None,
    collections: object = None,
    caching_device: object = None,
    partitioner: object = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: object = None,
    constraint: Callable[[Any], Any] | None = None,
    synchronization: object = None,
    aggregation: object = None,
) -> Variable:
    """A new variable: in eager code none is found again by its name, as in TensorFlow.

    >>> import gradtape as tf
    >>> with tf.compat.v1.variable_scope("layer"):
    ...     w = tf.compat.v1.get_variable("w", [2], initializer=tf.zeros_initializer())
    >>> w.name
    'layer/w:0'

    Args:
        name: The name.
        shape: The shape; None: that of the initializer's value.
        dtype: The type; None: float32, or that of the initializer's value.
        initializer: A value, a function of shape and dtype, or a class of such functions; None:
            `glorot_uniform_initializer`, and zeros for whole numbers.
        regularizer: Ignored; accepted for compatibility with TensorFlow.
        trainable: Whether tapes watch it; None: they do.
        collections: Ignored; accepted for compatibility with TensorFlow.
        caching_device: Ignored; accepted for compatibility with TensorFlow.
        partitioner: Ignored; accepted for compatibility with TensorFlow.
        validate_shape: Ignored; accepted for compatibility with TensorFlow.
        use_resource: Ignored; accepted for compatibility with TensorFlow.
        custom_getter: Ignored; accepted for compatibility with TensorFlow.
        constraint: A function of the value that optimizers apply after each step.
        synchronization: Ignored; accepted for compatibility with TensorFlow.
        aggregation: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A variable.
    """
    whole = "/".join([*STATE.name_scopes, name])
    if _KEPT and whole in _KEPT[-1]:
        return _KEPT[-1][whole]
    kind = dtypes.as_dtype(dtype or dtypes.float32)
    if initializer is None:
        initializer = glorot_uniform_initializer() if kind.is_floating else zeros_initializer()
    value = initializer
    if callable(initializer):
        made = initializer() if isinstance(initializer, type) else initializer
        value = made(shape, dtype=kind) if shape is not None else made()
    new = Variable(
        value,
        trainable=trainable is not False,
        name=name,
        dtype=kind if callable(initializer) or dtype else None,
        constraint=constraint,
    )
    if _KEPT:
        _KEPT[-1][whole] = new
    return new


_KEPT: list[dict[str, Variable]] = []  # the variables of templates that run


@contextmanager
def found_again(kept: dict[str, Variable]) -> Iterator[None]:
    """A block in which `get_variable` gives what is kept under the name, and keeps what it makes."""
    _KEPT.append(kept)
    try:
        yield
    finally:
        _KEPT.pop()


class variable_scope(name_scope):
    """Context manager: variables made inside have the name in front of theirs.

    >>> import gradtape as tf
    >>> with tf.compat.v1.variable_scope("layer"):
    ...     v = tf.Variable(1.0, name="v")
    >>> v.name
    'layer/v:0'

    Args:
        name_or_scope: The name, or a scope that has it.
        default_name: The name where `name_or_scope` is None.
        values: Ignored; accepted for compatibility with TensorFlow.
        initializer: Ignored; accepted for compatibility with TensorFlow.
        regularizer: Ignored; accepted for compatibility with TensorFlow.
        caching_device: Ignored; accepted for compatibility with TensorFlow.
        partitioner: Ignored; accepted for compatibility with TensorFlow.
        custom_getter: Ignored; accepted for compatibility with TensorFlow.
        reuse: Kept as an attribute; in eager code no variable is found again.
        dtype: Ignored; accepted for compatibility with TensorFlow.
        use_resource: Ignored; accepted for compatibility with TensorFlow.
        constraint: Ignored; accepted for compatibility with TensorFlow.
        auxiliary_name_scope: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: object = None,
        initializer: object = None,
        regularizer: object = None,
        caching_device: object = None,
        partitioner: object = None,
        custom_getter: object = None,
        reuse: object = None,
        dtype: object = None,
        use_resource: object = None,
        constraint: object = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        chosen = name_or_scope if name_or_scope is not None else default_name
        if chosen is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        super().__init__(chosen.name if isinstance(chosen, name_scope) else chosen)
        self.reuse = reuse

    def __enter__(self) -> Any:
        super().__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, traceback)


def assign(
    ref: Any, value: Any, validate_shape: object = None, use_locking: object = None, name: str | None = None
) -> Any:
    """Give a variable a value.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> float(tf.compat.v1.assign(v, 5.0))
    5.0

    Args:
        ref: The variable.
        value: The value.
        validate_shape: Ignored; accepted for compatibility with TensorFlow.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The variable.
    """
    return ref.assign(value)


def assign_add(ref: Any, value: Any, use_locking: object = None, name: str | None = None) -> Any:
    """Add to a variable.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> float(tf.compat.v1.assign_add(v, 5.0))
    6.0

    Args:
        ref: The variable.
        value: What is added.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The variable.
    """
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, use_locking: object = None, name: str | None = None) -> Any:
    """Subtract from a variable.

    >>> import gradtape as tf
    >>> v = tf.Variable(1.0)
    >>> float(tf.compat.v1.assign_sub(v, 5.0))
    -4.0

    Args:
        ref: The variable.
        value: What is subtracted.
        use_locking: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The variable.
    """
    return ref.assign_sub(value)
