"""TensorFlow's older interface to gradients: `tf.gradients`, and the registry of gradients by op type."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NoReturn

from .op import REGISTRY

_EAGER = "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."


class AggregationMethod(enum.IntEnum):
    """How gradients of one value are added up; accepted for compatibility."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> NoReturn:
    """Symbolic derivatives; in eager code RuntimeError, which says to use a tape."""
    raise RuntimeError(_EAGER)


def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians"
) -> NoReturn:
    """Symbolic second derivatives; in eager code RuntimeError, which says to use a tape."""
    raise RuntimeError(_EAGER.replace("tf.GradientTape", "tf.GradientTape (tape.hessian)"))


_REGISTERED: dict[str, Callable[..., Any] | None] = {}


class RegisterGradient:
    """Decorator: register a gradient function under a type name of its own.

    >>> import gradtape as tf
    >>> @tf.RegisterGradient("MyRound")
    ... def pass_through(op, grad):
    ...     return grad
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError(f"op_type must be a string, got {op_type!r}.")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        _register(self._op_type, f)
        return f


def no_gradient(op_type: str) -> None:
    """Register an op type of your own as not differentiable."""
    if not isinstance(op_type, str):
        raise TypeError(f"op_type must be a string, got {op_type!r}.")
    _register(op_type, None)


def _register(op_type: str, function: Callable[..., Any] | None) -> None:
    if op_type in _REGISTERED or any(op.tf_name == op_type for op in REGISTRY.values()):
        raise KeyError(
            f"Registering two gradient with name {op_type!r}! It has a gradient already; use tf.custom_gradient."
        )
    _REGISTERED[op_type] = function
