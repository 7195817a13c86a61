"""Predicates for the operators: whether a value is known only when the traced function runs."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..values.composite import COMPOSITES
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from . import public


def is_symbolic(value: object) -> bool:
    """Whether `value` is a tensor of a trace, which has no value yet."""
    return getattr(value.__class__, "_symbolic", False) and isinstance(value, Tensor)


def tracing() -> bool:
    """Whether a function is being recorded in this thread."""
    trace = sys.modules.get("gradtape.trace")
    return trace is not None and bool(trace.inside_function())


def is_staged(value: object) -> bool:
    """Whether a loop with this condition or iterable becomes a loop of the graph.

    A tensor that Python could read counts too: `while i < 1000` on a tensor `i` must not become a thousand steps.
    """
    return is_symbolic(value) or (isinstance(value, Tensor) and tracing())


def is_tensor_like(value: object) -> bool:
    """Whether the value can be carried as a tensor: tensors, variables, numbers, arrays, texts."""
    return isinstance(value, (Tensor, Variable, bool, int, float, complex, str, bytes, np.ndarray, np.generic))


def is_composite(value: object) -> bool:
    """Whether the value is made of tensors that loops and branches carry together (TensorArray, SparseTensor)."""
    return value.__class__ in COMPOSITES


def is_tensor_array(value: object) -> bool:
    """Whether the value is a TensorArray."""
    return isinstance(value, public.tensor_array().TensorArray)


def truth(value: Any, where: str) -> Any:
    """A condition: a symbolic scalar bool, or anything else as it is."""
    if isinstance(value, Variable) and tracing():
        value = to_tensor(value)
    if not is_symbolic(value):
        return value
    if value.dtype.name != "bool":
        advice = "to use as boolean Tensor, use `tf.cast`; to check for None, use `is not None`"
    elif value.shape.rank not in (0, None):
        advice = "use `tf.reduce_any` or `tf.reduce_all`; to check for None, use `is not None`"
    else:
        return value
    raise ValueError(f"condition of {where} expected to be `tf.bool` scalar, got {value}; {advice}")


def decided(value: object, where: str) -> Any:
    """A condition, as a Python bool if it is the same in every run of the function: `if tf.shape(x)[0] > 1`."""
    value = truth(value, where)
    if is_symbolic(value):
        known = public.framework().get_static_value(value)
        if known is not None:
            return bool(known)
    return value
