"""The docstring of an op's public entry: what the kernel says, then arguments, result and errors from the declaration.

What a parameter means is said here once, by its name; the examples stand in the docstrings of the kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import cleandoc
from typing import TYPE_CHECKING

from ..base import dtypes

if TYPE_CHECKING:
    from .declaration import Op

_TYPES = {
    dtypes.ANY: "any type",
    dtypes.NUMERIC: "numbers",
    dtypes.INEXACT: "floating or complex numbers",
    dtypes.REAL: "real numbers",
    dtypes.FLOATING: "floating numbers",
    dtypes.INTEGER: "integers",
    dtypes.BOOL: "truth values",
    dtypes.COMPLEX: "complex numbers",
}
_OPERANDS = {
    "segment_ids": "The segment of each row: integers, ascending.",
    "indices": "Places: integers, the last axis of which holds one index.",
    "updates": "The values for these places.",
    "dims": "The shape that the places are in.",
    "matrix": "Square matrices: the last two axes.",
    "rhs": "Right-hand sides, as the columns of matrices.",
    "images": "Images whose last axis holds three colours.",
}
_ATTRIBUTES = {
    "axis": "One axis, or several; negative ones count from the last. None stands for all.",
    "keepdims": "Whether reduced axes stay, with size 1.",
    "shape": "The shape of the result.",
    "exclusive": "Whether an element itself is left out.",
    "reverse": "Whether to begin at the end.",
    "adjoint": "Whether to take the conjugate transpose of the matrices.",
    "lower": "Whether the lower triangles are read, or the upper ones.",
    "precision": "How many digits follow the point; -1 for as many as are needed.",
    "scientific": "Whether to write an exponent.",
    "shortest": "Whether to choose the shorter of both forms.",
    "width": "The least number of characters.",
    "fill": "What is put in front of shorter texts: a space, or 0.",
}


def documentation(op: Op) -> str | None:
    """The docstring of the entry."""
    text = op.__doc__
    if not text or "Args:" in text:
        return text
    return cleandoc(text) + "\n\n" + "\n".join(_sections(op))


def _sections(op: Op) -> Iterator[str]:
    inner = " " * 4
    yield "Args:"
    first = op.arguments[0]
    for argument in op.arguments:
        meaning = _OPERANDS.get(argument)
        if meaning is None:
            meaning = f"A tensor of {_TYPES.get(op.dtypes, 'numbers')}, or what can become one."
            if argument != first and argument not in op.other:
                meaning = f"The same, of the type of `{first}`" + (", to broadcast with it." if op.broadcasts else ".")
        yield f"{inner}{argument}: {meaning}"
    for attribute, default in op.attributes.items():
        yield f"{inner}{attribute}: {_ATTRIBUTES.get(attribute) or f'{default!r} unless it is given.'}"
    yield f"{inner}name: Ignored; accepted for compatibility with TensorFlow."
    yield ""
    yield "Returns:"
    yield f"{inner}{_result(op)}"
    yield ""
    yield "Raises:"
    if len(op.arguments) > 1:
        yield f"{inner}tf.errors.InvalidArgumentError: The shapes or types of the operands do not fit each other."
    else:
        yield f"{inner}tf.errors.InvalidArgumentError: The op is not defined for the operand's type or shape."


def _result(op: Op) -> str:
    if op.outputs != 1:
        return "Several tensors."
    if op.name.startswith("reduce_"):
        return "A tensor without the reduced axes, or with size 1 there."
    if op.broadcasts and len(op.arguments) > 1:
        return "A tensor of the shape that the operands broadcast to."
    if op.broadcasts:
        return f"A tensor of the shape of `{op.arguments[0]}`."
    return "A tensor."
