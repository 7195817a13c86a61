"""`tf.autograph.experimental`: what a user can tell AutoGraph."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

from ..base import context
from ..base.namespaces import listing
from ..base.types import DTypeLike, ShapeLike
from .policy import artifact

_UNSPECIFIED: Any = object()


class Feature(enum.Enum):
    """Names of optional parts of the conversion. All that gradtape has are always on; the names are accepted.

    >>> import gradtape as tf
    >>> tf.autograph.experimental.Feature.LISTS in tf.autograph.experimental.Feature.all()
    True
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All features.

        >>> tf.autograph.experimental.Feature.ALL in tf.autograph.experimental.Feature.all()
        True

        Returns:
            A tuple.
        """
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: object) -> tuple[Feature, ...]:
        """All features but some.

        >>> feature = tf.autograph.experimental.Feature
        >>> feature.LISTS in feature.all_but(feature.LISTS)
        False

        Args:
            exclude: A feature, or several.

        Returns:
            A tuple.
        """
        excluded = {*exclude} if isinstance(exclude, (list, tuple, set)) else {exclude}
        return tuple(feature for feature in cls if feature not in excluded and feature is not cls.ALL)


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Decorator: the function runs as it is, also inside a traced function.

    >>> import gradtape as tf
    >>> @tf.autograph.experimental.do_not_convert
    ... def double(x):
    ...     return x + x
    >>> double(3)
    6

    Args:
        func: The function; without it, a decorator is given.

    Returns:
        A function of the same arguments.
    """
    if func is None:
        return do_not_convert

    @functools.wraps(func)
    def as_it_is(*args: object, **kwargs: object) -> Any:
        with context.scope(autograph=False):
            return func(*args, **kwargs)

    return artifact(as_it_is)


def set_element_type(entity: object, dtype: DTypeLike, shape: ShapeLike = _UNSPECIFIED) -> None:
    """Say what a list will hold. Accepted: the type is taken from what is appended first.

    >>> import gradtape as tf
    >>> values = []
    >>> tf.autograph.experimental.set_element_type(values, tf.float32)

    Args:
        entity: A list.
        dtype: The type of its elements.
        shape: Their shape.
    """


def set_loop_options(
    parallel_iterations: object = _UNSPECIFIED,
    swap_memory: object = _UNSPECIFIED,
    maximum_iterations: object = _UNSPECIFIED,
    shape_invariants: object = _UNSPECIFIED,
) -> None:
    """As the first statement of a loop: how it is traced. Outside a traced function it does nothing.

    >>> import gradtape as tf
    >>> def grown(n):  # with @tf.function before it
    ...     x = tf.zeros([0])
    ...     for i in tf.range(n):
    ...         tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
    ...         x = tf.concat([x, [1.0]], 0)
    ...     return x
    >>> grown(3).numpy()
    array([1., 1., 1.], dtype=float32)

    Args:
        parallel_iterations: Accepted and without effect.
        swap_memory: Accepted and without effect.
        maximum_iterations: How often the loop runs at most.
        shape_invariants: Pairs of a variable of the loop and the shape that all its values have, None for a size that
            changes: `[(x, tf.TensorShape([None]))]`.
    """


__all__ = ["Feature", "do_not_convert", "set_element_type", "set_loop_options"]

__dir__ = listing(globals())
