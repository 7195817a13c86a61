"""Warnings about functions that are recorded again at nearly every call."""

from __future__ import annotations

import inspect
import logging
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..base.context import STATE
from ..values.tensor import Tensor, TensorSpec
from ..variables.variable import Variable

LOGGER = logging.getLogger("gradtape")
_TRACES = 5  # in a row without reuse, after which the user is warned
_WARNINGS = 2  # of one function

_EXPENSIVE = "%d out of the last %d calls to %r triggered tf.function retracing. Tracing is expensive: "


@dataclass(slots=True, eq=False)
class Storm:
    """How often a Python function was recorded in a row, and how often the user was told."""

    traces: int = 0
    warnings: int = 0

    def traced(
        self, name: str, values: dict[str, Any], now: dict[str, str], before: dict[str, str] | None, is_call: bool
    ) -> None:
        """Count a trace. `values` are its arguments; `now` and `before` what is shown of them and of those of the last trace.

        Traces that `get_concrete_function` asks for are not counted.
        """
        changed = [argument for argument, text in now.items() if before is not None and before.get(argument) != text]
        if before is not None:
            changes = "; ".join(f"{argument}: {before.get(argument)} -> {now[argument]}" for argument in changed)
            LOGGER.info("%r is traced again: %s", name, changes or "an object is another one")
        if not is_call or STATE.trace is not None:  # (in another function, that one is counted)
            return
        self.traces += 1
        if self.traces < _TRACES or self.warnings == _WARNINGS:
            return
        self.warnings += 1
        if before is None:
            made_anew = (
                "tf.function was applied to one Python function again and again. Apply it once, outside of the loop."
            )
            LOGGER.warning(_EXPENSIVE + made_anew, self.traces, self.traces, name)
            return
        lines = [f"  {arg}: {before.get(arg)} -> {now[arg]}. {_advice(values[arg])}" for arg in changed]
        LOGGER.warning(
            _EXPENSIVE
            + "the Python function was run again each time, which is slow. What changed between the last two calls:\n%s",
            self.traces,
            self.traces,
            name,
            "\n".join(lines) or "  nothing that can be seen: arguments are compared by identity.",
        )


# By the code of the Python function, which is the same where tf.function is applied to it again and again.
_STORMS: weakref.WeakKeyDictionary[types.CodeType, Storm] = weakref.WeakKeyDictionary()


def storm_of(function: Callable[..., Any]) -> Storm:
    """What is counted for a Python function."""
    code = code_of(function)
    return Storm() if code is None else _STORMS.setdefault(code, Storm())


def code_of(function: Callable[..., Any]) -> types.CodeType | None:
    """The code of a Python function, also of a method or one that was decorated; None for other callables."""
    return getattr(inspect.unwrap(function), "__code__", None)


def shown(value: object) -> str:
    """An argument in words."""
    if isinstance(value, (Tensor, TensorSpec, Variable)):
        return f"a tensor of {value.dtype.name} and shape {value.shape}"
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) < 60 else text[:57] + '...'}"


def _advice(value: object) -> str:
    if isinstance(value, Tensor):
        return "Use input_signature with None for sizes that vary, or reduce_retracing=True."
    if isinstance(value, (bool, int, float)):
        return "Pass a tensor, tf.constant(...), instead of a Python number."
    return "Pass the same object each time, or tensors."
