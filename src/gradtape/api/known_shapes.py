"""Operands that can have only one shape: where a traced function does not know it, it is checked when the function runs."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from ..base.shapes import TensorShape
from ..base.types import Function
from ..trace.symbolic import is_symbolic
from .shapes import ensure_shape


def of_shape(function: Function, **shapes: Any) -> None:
    """Let a traceable function see operands of this shape, so that it can ask for as many elements as there must be.

    Args:
        function: A function that `traceable` has made.
        shapes: Shapes by the names of parameters: a tuple, or a function of the arguments by name that gives one, or None where
            it is not known either.
    """
    signature, inner = inspect.signature(function), function.on_trace  # type: ignore[attr-defined]

    def on_trace(trace: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        for name, shape in shapes.items():
            value: Any = given.arguments.get(name)
            if is_symbolic(value):
                wanted: Any = shape(given.arguments) if callable(shape) else shape
                if wanted is not None and not _is_one_of(value.shape, wanted):
                    given.arguments[name] = ensure_shape(value, wanted)
        if inner is not None:
            return inner(trace, *given.args, **given.kwargs)
        return trace.step(function, given.args, given.kwargs)

    function.on_trace = on_trace  # type: ignore[attr-defined]


def _is_one_of(shape: TensorShape, wanted: Sequence[int | None]) -> bool:
    """Whether all that is wanted is known of a shape already."""
    return shape.rank == len(wanted) and all(
        size is None or known == size for known, size in zip(shape, wanted, strict=True)
    )
