"""Which public functions a trace takes as one step.

Inside a traced function a composite such as `tf.image.resize` becomes one step of the graph and is expanded only
when the sizes of its operands are known. `traceable` marks such a function; eagerly the mark costs one check. The mark is
also where errors of arithmetic and of array libraries (no memory, a size beyond all integers) get their names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from sys import _getframe
from types import FunctionType
from typing import Any, TypeVar

from .context import ACTIVE, STATE, next_id
from .dispatch import OVERRIDES, overridden
from .errors import REFUSALS, raise_named
from .notes import SPANS
from .places import OPEN
from .signatures import DeferredSignature

_Function = TypeVar("_Function", bound=Callable[..., Any])


def traceable(
    function: _Function,
    always: bool = False,
    on_abstract: object = None,
    on_trace: object = None,
    kinds: Any = None,
    pure: bool = False,
    draws: str = "",
    of_library: bool = False,
) -> _Function:
    """The function, as one step of a trace that calls it with a symbolic value.

    Args:
        function: What to mark.
        always: Whether it is a step also without symbolic operands: it has an effect, or is different each time.
        on_abstract: Called instead on abstract values, with their evaluator and the function before its arguments.
        on_trace: Called instead while a function is traced, with the trace before its arguments, to write the step down.
        kinds: Classes of operands, each with what is called instead for it, with the function before its arguments.
        pure: Whether it has no side effect: it is not called if its result is not used.
        draws: "stream" or "generator" if it draws random numbers: from a stream of numbers, or from the `tf.random.Generator`
            that is its first argument, whose state it changes.
        of_library: Whether a function of Keras calls it, so that the caller of that one is the one to note.
    """
    if kinds:
        call = _one_step_by_kind(function, kinds, of_library)
    else:
        call = _called(function, is_step=True, of_library=of_library)
    call.always = always
    call.pure = pure
    call.on_abstract = on_abstract
    call.on_trace = on_trace
    call.draws = draws
    return call


def shaped(rule: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """Decorator: in a trace, where the function asks for sizes or values that are not known yet, `rule` says what it gives.

    It is called as the function is, and returns what is known of the results (`Abstract`, see op/abstract.py) in their structure.
    """

    def mark(function: _Function) -> _Function:
        function.look = rule  # type: ignore[attr-defined]
        return function

    return mark


def _one_step_by_kind(function: Any, kinds: dict[type, Any], of_library: bool) -> Any:
    """One step, with a check of the classes of the operands; also if a trace calls the function itself."""

    @functools.wraps(function)
    def eager(*args: object, **kwargs: object) -> Any:
        for value in args:
            if value.__class__ in kinds:
                return kinds[value.__class__](function, *args, **kwargs)
        return function(*args, **kwargs)

    return functools.wraps(eager)(_called(function, is_step=True, kinds=kinds, of_library=of_library))


def _called(function: Any, is_step: bool, kinds: dict[type, Any] | None = None, of_library: bool = False) -> Any:
    """A call of the function, with all checks before and after it. (In one function: a second call would double the cost.)"""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if OVERRIDES and call in OVERRIDES:
            result = overridden(call, args, kwargs)
            if result is not NotImplemented:
                return result
        first = 0
        if ACTIVE:
            if STATE.trace is not None and is_step:
                return STATE.trace.composite(call, args, kwargs)
            if STATE.tapes:
                first = next_id()
        if kinds:
            for value in args:
                if value.__class__ in kinds:
                    return kinds[value.__class__](function, *args, **kwargs)
        try:
            result = function(*args, **kwargs)
        except REFUSALS as error:
            raise_named(error, function.__name__)
            raise
        if OPEN:
            for note in OPEN:
                note(args, result)
        if first:  # records in between lead to the caller
            frame = _getframe(1)
            if of_library:
                frame = frame.f_back or frame
            SPANS.append((first, next_id(), "", frame.f_code, frame.f_lasti))
        return result

    call.__signature__ = DeferredSignature(function)  # type: ignore[attr-defined]
    return call


def naming(function: _Function) -> _Function:
    """The function, with `named` errors, for what is no step of a trace."""
    return _called(function, is_step=False)


def name_errors(cls: type, *methods: str) -> None:
    """Let these methods of a class have `named` errors; called where the class is complete."""
    for method in methods:
        found = cls.__dict__[method]
        plain = isinstance(found, (classmethod, staticmethod))
        setattr(cls, method, type(found)(naming(found.__func__)) if plain else naming(found))


def trace_public(
    namespace: dict[str, Any],
    always: tuple[str, ...] = (),
    skip: tuple[str, ...] = (),
    on_abstract: object = None,
    pure: bool = False,
    draws: str = "",
) -> None:
    """Mark every public function that a module defines (called at its end, with its `globals()`)."""
    marked: dict[int, Any] = {}  # two names for one function stay two names for one function
    for name, value in list(namespace.items()):
        if name.startswith("_") or name in skip or not isinstance(value, FunctionType) or hasattr(value, "on_abstract"):
            continue
        op = getattr(value, "op", None)
        # The entry of an op takes symbolic operands by itself, but not a symbolic shape.
        if value.__module__ == namespace["__name__"] if op is None else "shape" in op.attributes:
            if id(value) not in marked:
                marked[id(value)] = traceable(
                    value, always=name in always, on_abstract=on_abstract, pure=pure, draws=draws
                )
            namespace[name] = marked[id(value)]
