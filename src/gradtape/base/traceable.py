"""Which public functions a trace takes as one step.

Inside a traced function a composite such as `tf.image.resize` becomes one step of the graph and is looked into only
when the sizes of its operands are known. `traceable` marks such a function; eagerly the mark costs one look. The mark is
also where errors of arithmetic and of array libraries (no memory, a size beyond all integers) get their names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from .context import ACTIVE, STATE
from .errors import REFUSALS, raise_named

_Function = TypeVar("_Function", bound=Callable[..., Any])


def traceable(
    function: _Function,
    always: bool = False,
    in_world: Any = None,
    on_trace: Any = None,
    kinds: Any = None,
    pure: bool = False,
) -> _Function:
    """The function, as one step of a trace that calls it with a symbolic value.

    Args:
        function: What to mark.
        always: Whether it is a step also without symbolic operands: it has an effect, or is different each time.
        in_world: Called instead when only shapes are known, with the world and the function before its arguments.
        on_trace: Called instead while a function is traced, with the trace before its arguments, to write the step down.
        kinds: Classes of operands, each with what is called instead for it, with the function before its arguments.
        pure: Whether it does nothing but to compute what it gives: where nobody uses that, it is not called.
    """
    call = _one_step(function) if not kinds else _one_step_by_kind(function, kinds)
    call.always = always
    call.pure = pure
    call.in_world = in_world
    call.on_trace = on_trace
    return call  # type: ignore[no-any-return]


def _one_step(function: Any) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if ACTIVE and STATE.trace is not None:
            return STATE.trace.composite(call, args, kwargs)
        try:
            return function(*args, **kwargs)
        except REFUSALS as error:
            raise_named(error, function.__name__)
            raise

    return call


def _one_step_by_kind(function: Any, kinds: dict[type, Any]) -> Any:
    """The same, with a look at the classes of the operands (in one function: a call between costs as much as the looks)."""

    @functools.wraps(function)
    def eager(*args: Any, **kwargs: Any) -> Any:
        for value in args:
            if value.__class__ in kinds:
                return kinds[value.__class__](function, *args, **kwargs)
        return function(*args, **kwargs)

    @functools.wraps(eager)
    def call(*args: Any, **kwargs: Any) -> Any:
        if ACTIVE and STATE.trace is not None:
            return STATE.trace.composite(call, args, kwargs)
        for value in args:
            if value.__class__ in kinds:
                return kinds[value.__class__](function, *args, **kwargs)
        try:
            return function(*args, **kwargs)
        except REFUSALS as error:
            raise_named(error, function.__name__)
            raise

    return call


def trace_public(
    namespace: dict[str, Any],
    always: tuple[str, ...] = (),
    skip: tuple[str, ...] = (),
    in_world: Any = None,
    pure: bool = False,
) -> None:
    """Mark every public function that a module defines (called at its end, with its `globals()`)."""
    marked: dict[int, Any] = {}  # two names for one function stay two names for one function
    for name, value in list(namespace.items()):
        if name.startswith("_") or name in skip or not isinstance(value, FunctionType) or hasattr(value, "in_world"):
            continue
        op = getattr(value, "op", None)
        # The entry of an op takes symbolic operands by itself, but not a symbolic shape.
        if value.__module__ == namespace["__name__"] if op is None else "shape" in op.attributes:
            if id(value) not in marked:
                marked[id(value)] = traceable(value, always=name in always, in_world=in_world, pure=pure)
            namespace[name] = marked[id(value)]
