"""The variables that branches and loops carry: which parts are tensors, which stay Python.

A statement of the user sets names to anything: tensors, numbers, lists of tensors, None, objects. The ops behind it
(`cond`, `while_loop`) carry tensors only. Here values are taken apart into the leaves that are carried and the rest,
which must be the same whatever happens, and put together again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import nest
from ..values.tensor import Tensor, to_tensor
from ..variables.variable import Variable
from . import public
from .lists import TensorList
from .symbolic import is_composite, is_symbolic, is_tensor_array, is_tensor_like
from .undefined import is_undefined


class Restart(BaseException):
    """Restarts the trace of a statement with what was learned about its variables.

    (No Exception: user code inside the statement must not catch it.)
    """

    def __init__(self, owner: object, values: dict[int, Any]) -> None:
        super().__init__()
        self.owner, self.values = owner, values


def is_carried(value: object) -> bool:
    """Whether a leaf is handed to the op."""
    # A variable stays one, as long as nothing else takes its name.
    return (
        (is_tensor_like(value) and not isinstance(value, Variable))
        or is_composite(value)
        or isinstance(value, TensorList)
    )


def is_python(value: object) -> bool:
    """Whether a leaf is a plain Python value: a number, a text."""
    return isinstance(value, (bool, int, float, complex, str, bytes))


def is_number(value: object) -> bool:
    """Whether a leaf is a Python number, which becomes a tensor where it changes in a loop."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(first: object, second: object) -> bool:
    """Whether a program cannot tell two Python values apart."""
    if first is second:
        return True
    if first.__class__ is not second.__class__ or isinstance(first, Tensor) or is_composite(first):
        return False
    try:
        return bool(first == second)
    except Exception:
        return False


def to_leaf(value: Any, dtype: Any = None) -> Any:
    """A carried value as the op takes it."""
    if isinstance(value, TensorList):
        return value.array
    if is_composite(value):
        return value
    if dtype is not None and is_python(value):
        return to_tensor(value, dtype)
    return to_tensor(value)


def takes_type(value: object, tensor: object) -> bool:
    """Whether a value takes the type of a tensor that stands in its place on another path, as numbers do in arithmetic."""
    if not isinstance(tensor, (Tensor, np.ndarray, np.generic)):
        return False
    if isinstance(value, Variable):
        return True
    if not is_python(value) or to_tensor(value).dtype == to_tensor(tensor).dtype:
        return False
    try:
        to_tensor(value, to_tensor(tensor).dtype)
    except (TypeError, ValueError):
        return False
    return True


def from_leaf(like: object, leaf: object) -> Any:
    """A value as the user sees it, from what the op gave back."""
    return TensorList(leaf) if isinstance(like, TensorList) else leaf


def placeholder(value: object) -> Any:
    """A placeholder of the same structure, types and shapes, for a name that has no value yet; it is never read."""

    def leaf(part: Any) -> Any:
        if not is_carried(part):
            return part
        if isinstance(part, TensorList):
            return TensorList.empty_like(part)
        if is_tensor_array(part):
            return TensorList.empty_like(TensorList(part)).array
        if is_composite(part):
            return part
        tensor = part if is_symbolic(part) else to_tensor(part)
        shape = tensor.shape
        sizes = [] if shape.rank is None else [size or 0 for size in shape.as_list()]
        return public.arrays().zeros(sizes, tensor.dtype)

    return nest.map_structure(leaf, value)


def shown(value: object) -> str:
    """The description of a value in an error message."""
    if isinstance(value, Tensor):
        return f"a tensor of {value.dtype.name} and shape {value.shape}"
    if is_undefined(value):
        return "undefined"
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."


def same_structure(first: object, second: object) -> bool:
    """Whether two values are nested in the same way."""
    try:
        nest.assert_same_structure(first, second)
    except (TypeError, ValueError):
        return False
    return True
