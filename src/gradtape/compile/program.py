"""`Program`: ops in order on values by number, all shapes and types known; each value is written once.

What a program means is given by `Program.run`: one op after the other, as they are declared. Passes keep that meaning,
and `check` says what a well-formed program is; the tests call it after every pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..base.nest import flatten
from ..op.declaration import Op
from ..trace.graph import leaves, map_parts
from ..values.tensor import Tensor, from_array
from ..variables.in_place import lock_of
from ..variables.variable import Variable

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """Stands for the value of that number."""

    number: int


@dataclass(frozen=True, slots=True)
class Read:
    """Gives the value of a variable."""

    variable: Variable
    name = "read"


@dataclass(frozen=True, slots=True)
class Assign:
    """Gives a variable a value."""

    variable: Variable
    name = "assign"


@dataclass(frozen=True, slots=True)
class Update:
    """Updates a variable by an op of its value and an operand, atomically."""

    variable: Variable
    op: Op
    name = "update"


@dataclass(frozen=True, slots=True)
class Call:
    """Calls a Python function with tensors: random numbers, printing, assertions."""

    function: Callable[..., Any]
    arguments: Any  # positional and keyword arguments, with Values

    @property
    def name(self) -> str:
        """What is called."""
        return getattr(self.function, "__name__", "call")


@dataclass(slots=True)
class Node:
    """One instruction."""

    what: Op | Read | Assign | Update | Call
    inputs: tuple[Any, ...]  # Values, arrays, Python numbers, or None
    attributes: dict[str, Any]
    outputs: tuple[int, ...]

    @property
    def used(self) -> Iterator[int]:
        """The numbers of the values it takes."""
        given = leaves(self.what.arguments) if isinstance(self.what, Call) else self.inputs
        return (operand.number for operand in given if operand.__class__ is Value)

    @property
    def has_effect(self) -> bool:
        """Whether it has a side effect."""
        return isinstance(self.what, (Assign, Update, Call))

    def __str__(self) -> str:
        given = [_shown(operand) for operand in self.inputs]
        given += [f"{name}={value!r}" for name, value in self.attributes.items()]
        if isinstance(self.what, (Read, Assign)):
            given.insert(0, repr(self.what.variable.name.removesuffix(":0")))
        elif isinstance(self.what, Update):
            given = [repr(self.what.variable.name.removesuffix(":0")), self.what.op.name, *given]
        left = ", ".join(f"%{number}" for number in self.outputs)
        return f"{left}{' = ' if left else ''}{self.what.name}({', '.join(given)})"


def _shown(operand: Any) -> str:
    if operand.__class__ is Value:
        return f"%{operand.number}"
    if isinstance(operand, np.ndarray) and operand.size > 4:
        return f"{operand.dtype}{list(operand.shape)}"
    return repr(operand.tolist() if isinstance(operand, (np.ndarray, np.generic)) else operand)


@dataclass(slots=True)
class Program:
    """Instructions, with inputs and outputs."""

    inputs: list[int] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)  # Values and arrays
    looks: dict[int, tuple[Shape, np.dtype[Any]]] = field(default_factory=dict)

    def with_nodes(self, nodes: Iterable[Node], outputs: list[Any] | None = None) -> Program:
        """The same with other instructions."""
        return replace(self, nodes=list(nodes), outputs=self.outputs if outputs is None else outputs)

    def run(self, given: list[Any], reads: dict[int, Any] | None = None) -> list[Any]:
        """Run one instruction after the other, on arrays or whatever else ops take.

        With `reads`, what was read and drawn before is taken from there, and nothing has an effect.
        """
        values = dict(zip(self.inputs, given, strict=True))
        for node in self.nodes:
            if reads is not None and not isinstance(node.what, Op):
                values.update((number, reads[number]) for number in node.outputs if number in reads)
                continue
            operands = [values[o.number] if o.__class__ is Value else o for o in node.inputs]
            values.update(zip(node.outputs, perform(node, operands, values), strict=True))
        return [values[o.number] if o.__class__ is Value else o for o in self.outputs]

    def __str__(self) -> str:
        given = ", ".join(f"%{number}: {_look(self.looks[number])}" for number in self.inputs)
        lines = [f"program({given}):"]
        for node in self.nodes:
            looks = ", ".join(_look(self.looks[number]) for number in node.outputs)
            lines.append(f"    {node}{'  # ' if looks else ''}{looks}")
        lines.append(f"    return {', '.join(_shown(o) for o in self.outputs)}")
        return "\n".join(lines)


def _look(look: tuple[Shape, np.dtype[Any]]) -> str:
    return f"{look[1]}[{', '.join(map(str, look[0]))}]"


def perform(node: Node, operands: list[Any], values: dict[int, Any]) -> tuple[Any, ...]:
    """Run one instruction."""
    what = node.what
    if isinstance(what, Op):
        result = what(operands, **node.attributes) if what.variadic else what(*operands, **node.attributes)
        return (result,) if what.outputs == 1 else tuple(result)
    if isinstance(what, Read):
        return (what.variable._value._array,)
    if isinstance(what, Assign):
        what.variable._store(operands[0])
        return ()
    if isinstance(what, Update):
        with lock_of(what.variable):
            result = what.op(what.variable._value._array, *operands)
            what.variable._store(result)
        return (result,)
    return tuple(call_outside(what, values))


def call_outside(call: Call, values: Any) -> list[Any]:
    """Call the Python function of an instruction with tensors; its results as arrays."""

    def tensor(part: Any) -> Any:
        return from_array(values[part.number]) if part.__class__ is Value else map_parts(part, tensor)

    args, kwargs = tensor(call.arguments)
    return arrays_of(call.function(*args, **kwargs))


def arrays_of(results: object) -> list[Any]:
    """The arrays of the tensors in what a Python function returned."""
    return [result._array for result in flatten(results) if isinstance(result, Tensor)]


def check(program: Program) -> None:
    """Raise unless the program is well-formed: every value is written once, before its use, with its declared shape and type."""
    written = set(program.inputs)
    if len(written) != len(program.inputs):
        raise AssertionError("an input is given twice")
    for node in program.nodes:
        for number in node.used:
            if number not in written:
                raise AssertionError(f"%{number} is used before it is written: {node}")
        for number in node.outputs:
            if number in written:
                raise AssertionError(f"%{number} is written twice: {node}")
            if number not in program.looks:
                raise AssertionError(f"nothing is known of %{number}: {node}")
            written.add(number)
    for output in program.outputs:
        if output.__class__ is Value and output.number not in written:
            raise AssertionError(f"%{output.number} is returned and never written")
