"""States of objects other than variables, as JSON: nested Python values, whose arrays are stored beside them.

A value that JSON cannot express is an object with one member that names its kind: {"tuple": [...]}, {"array": key}.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..base.dtypes import Array
from ..base.errors import invalid
from ..values.tensor import EagerTensor, from_array


def encoded_state(state: object, key: str, arrays: dict[str, Array]) -> Any:
    """The state as JSON; its arrays go to `arrays`, under names that begin with `key`."""

    def put(array: object) -> str:
        name = f"{key}/{len(arrays)}"
        arrays[name] = np.asarray(array)
        return name

    def encode(value: object) -> Any:
        if value is None or isinstance(value, (bool, str)) or value.__class__ in (int, float):
            return value
        if isinstance(value, list):
            return [encode(part) for part in value]
        if isinstance(value, tuple):
            return {"tuple": [encode(part) for part in value]}
        if isinstance(value, Mapping):
            return {"dict": [[encode(name), encode(part)] for name, part in value.items()]}
        if isinstance(value, bytes):
            return {"bytes": base64.b64encode(value).decode()}
        if isinstance(value, np.ndarray):
            return {"array": put(value)}
        if isinstance(value, np.generic):
            return {"scalar": put(value)}
        if isinstance(value, EagerTensor):
            return {"tensor": put(value._array)}
        if isinstance(value, complex):
            return {"complex": [value.real, value.imag]}
        raise invalid(
            f"checkpoint: the state {key} contains {value!r} of type {type(value).__name__}. States are made of Python's "
            "plain values, lists, tuples, dicts and NumPy arrays."
        )

    return encode(state)


def arrays_in(tree: object) -> list[str]:
    """The keys of the arrays that an encoded state refers to."""
    found: list[str] = []
    decoded_state(tree, lambda key: found.append(key))
    return found


def decoded_state(tree: object, array: Callable[[str], Any]) -> Any:
    """The state that was encoded; `array` finds the arrays by key. ValueError where the JSON is not an encoded state."""
    if isinstance(tree, list):
        return [decoded_state(part, array) for part in tree]
    if not isinstance(tree, dict):
        return tree
    if len(tree) != 1:
        raise ValueError(f"a state has a part {tree!r}")
    ((kind, content),) = tree.items()
    if kind == "tuple":
        return tuple([decoded_state(part, array) for part in content])
    if kind == "dict":
        return {decoded_state(name, array): decoded_state(part, array) for name, part in content}
    if kind == "bytes":
        return base64.b64decode(content, validate=True)
    if kind == "complex":
        real, imaginary = content
        return complex(real, imaginary)
    if kind not in ("array", "scalar", "tensor"):
        raise ValueError(f"a state has a part of the unknown kind {kind!r}")
    found = array(content)
    if found is None or kind == "array":
        return found
    return found[()] if kind == "scalar" else from_array(found)
