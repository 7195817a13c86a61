"""Keys that are equal for instructions that compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import Node, Value


def key_of(node: Node) -> Any:
    """Op, operands and attributes, equal for instructions that compute the same; None where that cannot be told."""
    operands = tuple(operand_key(operand) for operand in node.inputs)
    try:
        attributes = tuple((name, _attribute_key(value)) for name, value in node.attributes.items())
        key = (node.what, operands, attributes)
        hash(key)
    except TypeError:
        return None  # an attribute that cannot be compared cheaply
    return key


def operand_key(operand: object) -> Any:
    """Equal for operands that are one value, or equal small constants."""
    if operand.__class__ is Value or operand is None:
        return operand
    array = np.asarray(operand)
    if array.size <= 16 and array.dtype.kind != "O":
        return array.dtype.str, array.shape, array.tobytes()
    return "array", id(operand)


def _attribute_key(value: object) -> Any:
    if isinstance(value, slice):
        return "slice", value.start, value.stop, value.step
    if isinstance(value, (list, tuple)):
        return value.__class__, tuple(map(_attribute_key, value))
    return value.__class__, value
