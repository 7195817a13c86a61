"""`Program`: ops in order on values by number, with types and, as far as they are known, shapes; each value is written once.

A size that depends on values is a symbol in the shapes, and a value of the program where an instruction needs it (measures.py).
What a program means is given by `Program.run`: one op after the other, as they are declared. Passes keep that meaning, and
`check` says what a well-formed program is; the tests call it after every pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..base.errors import invalid
from ..base.nest import flatten
from ..base.sizes import is_known, surely_equal
from ..op.declaration import Op
from ..ops.array.layout import stack
from ..trace.graph import leaves, map_parts
from ..values.tensor import EagerTensor, Tensor, from_array
from ..variables.in_place import lock_of
from ..variables.variable import Variable
from .measures import Measure, map_attribute

Shape = tuple[int, ...]  # with symbols (base/sizes.py) for what depends on values; None where even the rank does
Look = tuple[Shape, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Value:
    """A reference to the value of that number."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """Calls a Python function with tensors: random numbers, printing, assertions, a step that asks for values (deferred.py)."""

    function: Callable[..., Any]
    arguments: Any  # positional and keyword arguments, with Values
    pure: bool = False  # whether its results depend on its arguments alone, and it does nothing else

    @property
    def name(self) -> str:
        """What is called."""
        return getattr(self.function, "__name__", "call")


MANY = -1  # the size of what a loop collects in a number of rounds that only running it shows
ANY_SIZES = -2  # stands in the shape of such a list for the sizes of elements whose rank is unknown


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Runs a program repeatedly.

    Its operands are, in this order: the number of rounds, where it has no condition; the values carried from round to
    round; sequences, of which each round takes one element; values that stay the same. It gives the number of rounds, the
    values after the last one, and what the rounds have collected, stacked.
    """

    condition: Program | None  # of the carried and the constant values
    body: Program  # from the carried values, elements and constants to the next values and what is collected
    carried: int
    sequences: int
    reverse: bool = False  # from the last element to the first; what is collected stands where its element stood
    arrays: int = (
        0  # of what is collected, the first ones, which must have one shape; others may be lists, for another loop
    )
    across: Any = (
        None  # a mesh of devices, each of which takes one round, all at the same time (distribute/replicas.py)
    )
    name = "loop"

    @property
    def programs(self) -> tuple[Program, ...]:
        """What runs inside."""
        return (self.body,) if self.condition is None else (self.condition, self.body)


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """Runs one of several programs: the one whose number is the first operand, or the last one. The rest is given to it."""

    programs: tuple[Program, ...]
    name = "branch"


@dataclass(slots=True)
class Node:
    """One instruction."""

    what: Op | Read | Assign | Update | Call | Loop | Branch | Measure
    inputs: tuple[Any, ...]  # Values, arrays, Python numbers, or None
    attributes: dict[str, Any]  # with Values for sizes that only running shows
    outputs: tuple[int, ...]
    _used: tuple[int, ...] | None = field(default=None, init=False, repr=False, compare=False)  # (a node never changes)
    _open: tuple[int, ...] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def used(self) -> tuple[int, ...]:
        """The numbers of the values it takes."""
        if self._used is None:
            given = leaves(self.what.arguments) if isinstance(self.what, Call) else self.inputs
            numbers = [operand.number for operand in given if operand.__class__ is Value]
            self._used = (*numbers, *self._used_by_attributes)
        return self._used

    @property
    def has_open_attributes(self) -> bool:
        """Whether an attribute is known only when the program runs."""
        return bool(self._used_by_attributes)

    @property
    def _used_by_attributes(self) -> tuple[int, ...]:
        if self._open is None:
            attributes = (value for value in self.attributes.values() if value.__class__ not in _PLAIN)
            self._open = tuple([number for attribute in attributes for number in _measured(attribute)])
        return self._open

    @property
    def has_effect(self) -> bool:
        """Whether it has a side effect."""
        if isinstance(self.what, (Loop, Branch)):
            return any(node.has_effect for program in self.what.programs for node in program.nodes)
        if isinstance(self.what, Call):
            return not self.what.pure
        return isinstance(self.what, (Assign, Update))

    @property
    def computes(self) -> bool:
        """Whether its outputs depend on its operands alone."""
        if isinstance(self.what, (Loop, Branch)):
            return all(node.computes for program in self.what.programs for node in program.nodes)
        if isinstance(self.what, Call):
            return self.what.pure
        return isinstance(self.what, (Op, Measure))

    def __str__(self) -> str:
        given = [_shown(operand) for operand in self.inputs]
        given += [f"{name}={map_attribute(value, _Shown)!r}" for name, value in self.attributes.items()]
        if isinstance(self.what, (Read, Assign)):
            given.insert(0, repr(self.what.variable.name.removesuffix(":0")))
        elif isinstance(self.what, Update):
            given = [repr(self.what.variable.name.removesuffix(":0")), self.what.op.name, *given]
        left = ", ".join(f"%{number}" for number in self.outputs)
        text = f"{left}{' = ' if left else ''}{self.what.name}({', '.join(given)})"
        if isinstance(self.what, (Loop, Branch)):
            for program in self.what.programs:
                text += "\n    " + str(program).replace("\n", "\n    ")
        return text


_PLAIN = {int, float, bool, str, type(None), np.dtype}


def _measured(attribute: Any) -> Iterator[int]:
    """The numbers of the values in an attribute."""
    cls = attribute.__class__
    if cls is Value:
        yield attribute.number
    elif cls in (tuple, list):
        for part in attribute:
            yield from _measured(part)
    elif cls is slice:
        yield from _measured((attribute.start, attribute.stop, attribute.step))


class _Shown:
    """A part of an attribute as programs show it."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"%{self._value.number}" if self._value.__class__ is Value else repr(self._value)


def _shown(operand: object) -> str:
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
    looks: dict[int, Look] = field(default_factory=dict)
    own_arithmetic: bool = (
        False  # whether native functions may round in another way than eager code (`jit_compile=True`)
    )

    def with_nodes(self, nodes: Iterable[Node], outputs: list[Any] | None = None) -> Program:
        """The same with other instructions."""
        return replace(self, nodes=list(nodes), outputs=self.outputs if outputs is None else outputs)

    def run(self, given: list[Any], reads: dict[int, Any] | None = None) -> list[Any]:
        """Run one instruction after the other, on arrays or whatever else ops take.

        With `reads`, earlier reads and random draws are taken from there, and nothing has a side effect.
        """
        values = dict(zip(self.inputs, given, strict=True))
        for node in self.nodes:
            if reads is not None and not node.computes:
                values.update((number, reads[number]) for number in node.outputs if number in reads)
                continue
            operands = [values[o.number] if o.__class__ is Value else o for o in node.inputs]
            values.update(zip(node.outputs, perform(node, operands, values), strict=True))
        return [values[o.number] if o.__class__ is Value else o for o in self.outputs]

    def look_of(self, operand: object) -> Look:
        """Shape and type of an operand."""
        if operand.__class__ is Value:
            return self.looks[operand.number]
        array = np.asarray(operand)
        return array.shape, array.dtype

    def __str__(self) -> str:
        given = ", ".join(f"%{number}: {_look(self.looks[number])}" for number in self.inputs)
        lines = [f"program({given}):"]
        for node in self.nodes:
            looks = ", ".join(_look(self.looks[number]) for number in node.outputs)
            first, *inner = str(node).split("\n")
            lines.append(f"    {first}{'  # ' if looks else ''}{looks}")
            lines += [f"    {line}" for line in inner]
        lines.append(f"    return {', '.join(_shown(o) for o in self.outputs)}")
        return "\n".join(lines)


def _look(look: Look) -> str:
    return f"{look[1]}[{'?' if look[0] is None else ', '.join(map(str, look[0]))}]"


def size_of(look: Look) -> int | None:
    """The number of elements; None where only running shows it."""
    return None if look[0] is None or not is_known(look[0]) else math.prod(look[0])


def bytes_of(look: Look) -> int:
    """The memory of an array, as far as it is known: 0 where it is not."""
    return (size_of(look) or 0) * look[1].itemsize


def same_looks(a: Look, b: Look) -> bool:
    """Whether two values have the same type and shape, whatever sizes are that only running shows."""
    return a[0] is not None and b[0] is not None and surely_equal(a, b)


def perform(node: Node, operands: list[Any], values: dict[int, Any]) -> tuple[Any, ...]:
    """Run one instruction."""
    what = node.what
    if isinstance(what, Op):
        attributes = given_attributes(node, values)
        result = what(operands, **attributes) if what.variadic else what(*operands, **attributes)
        return (result,) if what.outputs == 1 else tuple(result)
    if isinstance(what, Measure):
        return (what(*operands),)
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
    if isinstance(what, Loop):
        return tuple(_run_loop(what, operands))
    if isinstance(what, Branch):
        return tuple(chosen(what.programs, operands[0]).run(operands[1:]))
    return tuple(call_outside(what, values))


def given_attributes(node: Node, values: Mapping[int, Any]) -> dict[str, Any]:
    """The attributes of an instruction, with these numbers in place of values."""
    if not node.has_open_attributes:
        return node.attributes

    def number(part: Any) -> Any:
        return values[part.number] if part.__class__ is Value else part

    return {name: map_attribute(value, number) for name, value in node.attributes.items()}


def _run_loop(loop: Loop, operands: list[Any]) -> list[Any]:
    """What a loop means: one round after the other."""
    count = None if loop.condition is not None else int(operands.pop(0))
    carried, rest = operands[: loop.carried], operands[loop.carried :]
    sequences, constants = rest[: loop.sequences], rest[loop.sequences :]
    kept: list[list[Any]] = [[] for _ in loop.body.outputs[loop.carried :]]
    rounds = 0
    while rounds < count if count is not None else _holds(loop.condition, [*carried, *constants]):
        place = rounds if count is None or not loop.reverse else count - 1 - rounds
        results = loop.body.run([*carried, *(element(sequence, place) for sequence in sequences), *constants])
        carried = results[: loop.carried]
        for collected, value in zip(kept, results[loop.carried :], strict=True):
            collected.append(value)
        rounds += 1
    if loop.reverse:
        kept = [collected[::-1] for collected in kept]
    looks = [loop.body.look_of(output) for output in loop.body.outputs[loop.carried :]]
    stacks = [
        stacked(collected, *look, place >= loop.arrays)
        for place, (collected, look) in enumerate(zip(kept, looks, strict=True))
    ]
    return [np.int64(rounds), *carried, *stacks]


def _holds(condition: Program | None, given: list[Any]) -> bool:
    assert condition is not None
    return bool(condition.run(given)[0])


def is_stack(shape: Shape) -> bool:
    """Whether this is the shape of what a loop collects in a number of rounds that only running it shows."""
    return bool(shape) and shape[0].__class__ is int and shape[0] == MANY


def stack_of(shape: Any) -> tuple[Any, ...]:
    """The shape of a list of what has this one."""
    return (MANY, ANY_SIZES) if shape is None else (MANY, *shape)


def element_of(shape: Any) -> Any:
    """The shape of what one round of a loop takes of a sequence or a list."""
    if shape is None or (len(shape) == 2 and shape[1].__class__ is int and shape[1] == ANY_SIZES):
        return None
    return shape[1:]


def stacked(values: list[Any], shape: Shape, dtype: np.dtype[Any], lists: bool = False) -> Any:
    """Values of one shape and type stacked along a new first axis, also if there are none; with `lists`, a list of others."""
    if not values:
        sizes = () if shape is None else [size if size.__class__ is int and size >= 0 else 0 for size in shape]
        return np.zeros((0, *sizes), dtype)
    if is_stack(shape):  # what inner loops have collected, each in its own number of rounds
        return values
    if isinstance(values[0], Tensor):
        return stack(values, axis=0)
    if (shape is None or not is_known(shape)) and any(value.shape != values[0].shape for value in values):
        if lists:
            return values
        raise invalid(
            "The rounds of a loop give elements of several shapes, which cannot be stacked: "
            f"{', '.join(dict.fromkeys(str(value.shape) for value in values))}."
        )
    if dtype.kind == "O":  # (`np.array` would keep scalar arrays as they are)
        return np.stack([np.asarray(value, dtype) for value in values])
    return np.array(values, dtype)


def element(sequence: Any, place: int) -> Any:
    """What one round of a loop takes of a sequence; of an array of text, NumPy would give the bare text."""
    found = sequence[place]
    return np.array(found, object) if found.__class__ is bytes else found


def chosen(programs: Sequence[Any], number: Any) -> Any:
    """The one of that number, or the last one."""
    place = int(number)
    return programs[place if 0 <= place < len(programs) else -1]


def call_outside(call: Call, values: Any) -> list[Any]:
    """Call the Python function of an instruction with tensors; its results as arrays."""

    def tensor(part: Any) -> Any:
        if part.__class__ is not Value:
            return map_parts(part, tensor)
        value = values[part.number]
        return value if isinstance(value, Tensor) else from_array(value)

    args, kwargs = tensor(call.arguments)
    return arrays_of(call.function(*args, **kwargs))


def arrays_of(results: object) -> list[Any]:
    """The arrays of the tensors in what a Python function returned; batched values stay what they are."""
    found = [result for result in flatten(results) if isinstance(result, Tensor)]
    return [result._array if result.__class__ is EagerTensor else result for result in found]


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
        if isinstance(node.what, (Loop, Branch)):
            for inner in node.what.programs:
                check(inner)
    for output in program.outputs:
        if output.__class__ is Value and output.number not in written:
            raise AssertionError(f"%{output.number} is returned and never written")
