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
    dtypes.STRING: "text",
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
_ONE_AXIS = "The axis along which to go; a negative one counts from the last."
_ATTRIBUTES = {
    "axis": "The axis along which to go, or a list of axes; negative ones count from the last. None stands for all.",
    "keepdims": "Whether these axes stay, with size 1, so that the result broadcasts against the operand.",
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


def _kinds(op: Op) -> str:
    """What the operands hold: the smallest kind of types that has all that the op is defined for."""
    fitting = [kind for kind in _TYPES if op.dtypes <= kind]
    return _TYPES[min(fitting, key=len)] if fitting else "any type"


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
            meaning = f"A tensor of {_kinds(op)}, or what becomes one, such as a list."
            if argument != first and argument not in op.other:
                fits = ", and of a shape that broadcasts with its" if op.broadcasts else ""
                meaning = f"A tensor of the type of `{first}`{fits}."
        yield f"{inner}{argument}: {meaning}"
    for attribute, default in op.attributes.items():
        meaning = _ONE_AXIS if attribute == "axis" and isinstance(default, int) else _ATTRIBUTES.get(attribute)
        yield f"{inner}{attribute}: {meaning or f'{default!r} unless it is given.'}"
    yield f"{inner}name: Ignored; accepted for compatibility with TensorFlow."
    yield ""
    yield "Returns:"
    yield f"{inner}{_result(op)}"
    if refused := _refused(op):
        yield ""
        yield "Raises:"
        yield f"{inner}tf.errors.InvalidArgumentError: {refused}"


def _result(op: Op) -> str:
    if op.outputs != 1:
        return "Several tensors."
    if op.name.startswith("reduce_"):
        return "A tensor without the reduced axes, or with size 1 there."
    kind = "and the type" if op.gives is None else ""
    if op.broadcasts and len(op.arguments) > 1:
        return "A tensor of the shape that the operands broadcast to" + (", of their type." if kind else ".")
    if op.broadcasts:
        return f"A tensor of the shape {kind} of `{op.arguments[0]}`.".replace("  ", " ")
    return "A tensor."


def _refused(op: Op) -> str:
    """What raises an error, by the declaration; nothing where all is taken."""
    first, *others = op.arguments
    if others:
        return "The operands are of two types, or their shapes do not " + ("broadcast." if op.broadcasts else "fit.")
    reasons = [] if op.dtypes >= dtypes.ANY else [f"`{first}` does not hold {_kinds(op)}"]
    if "axis" in op.attributes:
        reasons.append(f"`{first}` has no such axis")
    return ", or ".join(reasons) + "." if reasons else ""
