"""`tf.autograph`: Python's `if`, `while`, `for`, `and`, `assert` ... on the tensors of a traced function.

`convert` gives a function whose statements are calls of operators. Each operator looks at its condition: where that is
a symbolic tensor it makes a branch or a loop of the graph (`tf.cond`, `tf.while_loop`), otherwise it does what Python
does. In the order of reading: `source` finds the text of a function, `syntax`, `passes` and `transpile` rewrite it (with
diastatic-malt, which is imported at the first conversion), `calls` decides what is converted and holds the operators;
these are in `branches`, `loops`, `logic`, `functions` (Python's built-in ones) and `lists`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.namespaces import listing
from . import experimental
from .calls import AutographWarning, callback, convert
from .source import ConversionError
from .verbosity import set_verbosity, trace

__all__ = [
    "AutographWarning",
    "callback",
    "convert",
    "experimental",
    "set_verbosity",
    "to_code",
    "to_graph",
    "trace",
]


def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: object = None) -> Callable[..., Any]:
    """The converted function, at once.

    >>> import gradtape as tf
    >>> def sign(x):
    ...     if x > 0:
    ...         return 1
    ...     return -1
    >>> tf.autograph.to_graph(sign)(tf.constant(2.0))
    1

    Args:
        entity: A Python function.
        recursive: Whether the functions that it calls are converted too.
        experimental_optional_features: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A function of the same arguments.

    Raises:
        ValueError: Where the function cannot be converted; the message says why.
    """
    _conversion(entity)
    return convert(entity, recursive)


def to_code(entity: object, recursive: bool = True, experimental_optional_features: object = None) -> str:
    """The text of the converted function.

    >>> import gradtape as tf
    >>> def sign(x):
    ...     return 1 if x > 0 else -1
    >>> print(tf.autograph.to_code(sign))
    def sign_1(x):
        with ag__.FunctionScope('sign', 'fscope', ag__.STD) as fscope:
            return ag__.if_exp(x > 0, lambda: 1, lambda: -1, 'x > 0')

    Args:
        entity: A Python function.
        recursive: Ignored; accepted for compatibility with TensorFlow.
        experimental_optional_features: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Python code, as text.

    Raises:
        ValueError: The function cannot be converted; the message says why.
    """
    text: str = _conversion(entity).code()
    return text


def _conversion(entity: Any) -> Any:
    function = getattr(entity, "__func__", entity)
    if not hasattr(function, "__code__"):
        raise ValueError(
            f"Cannot convert {entity!r}: it has no code of its own. Of a @tf.function, pass f.python_function."
        )
    from .transpile import conversion_of

    try:
        return conversion_of(function)
    except ConversionError as error:
        raise ValueError(f"converting {entity}: {error}") from error


__dir__ = listing(globals())
