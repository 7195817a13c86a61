"""From a graph to a program: the steps run on abstract values of known sizes, and every op that is called is recorded.

Values that depend on no input and no variable are computed here, once. Where a value would be needed to go on (a branch, a
size that depends on data) `NeedsValue` is raised, and the graph is interpreted instead.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.context import STATE, Paused
from ..base.sizes import is_known
from ..base.types import Function
from ..op.abstract import Abstract
from ..op.declaration import Op
from ..ops.math.elementwise import add, subtract
from ..trace.ghost import Ghost, NeedsValue, World
from ..trace.graph import map_parts
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .control import Assigned, Draws, Level, branch, loop, while_loop
from .program import Assign, Call, Node, Program, Read, Update, Value


class Outcomes:
    """What the run of a graph has read and drawn: values outside of loops in order, and what each loop has drawn."""

    def __init__(self, values: list[Ghost] | None = None, loops: list[Draws] | None = None) -> None:
        self.made: list[Ghost] = []
        self.loops_made: list[Draws] = []
        self.values, self.loops = iter(values or ()), iter(loops or ())

    @property
    def ghosts(self) -> list[Ghost]:
        """All that another run needs."""
        return [*self.made, *(ghost for draws in self.loops_made for ghost in draws.all)]

    def like(self, given: Iterator[Ghost]) -> Outcomes:
        """The same for another run, which is given these values."""
        values = [next(given) for _ in self.made]
        return Outcomes(values, [draws.like(given) for draws in self.loops_made])


class Lowering(World):
    """The world (see trace/ghost.py) that records the ops that run in it."""

    def __init__(self) -> None:
        super().__init__()
        self.program = Program()
        self._numbers = itertools.count()
        self.read_variables: dict[int, Variable] = {}
        self._captured: dict[int, Ghost] = {}
        self.root = self.program
        self.levels: list[Level] = []
        self._depths: dict[int, int] = {}  # the nesting depth at which each value was made
        self.outcomes = Outcomes()  # what is read and drawn here
        self.replay: Outcomes | None = (
            None  # what an earlier run has read and drawn: it is taken from there, and no effect is repeated
        )

    def ghost_of(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], kind: type[Ghost] = Ghost, depth: int = -1
    ) -> Ghost:
        """A new value."""
        number = next(self._numbers)
        self.program.looks[number] = (shape, dtype)
        self._depths[number] = len(self.levels) if depth < 0 else depth
        return kind(self, shape, dtype, number)

    def input(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Ghost:
        """A new input of the program."""
        ghost = self.ghost_of(shape, dtype)
        self.program.inputs.append(ghost.number)
        return ghost

    def lift(self, tensor: EagerTensor, ghost: Ghost) -> None:
        """Put a value of the program in place of a tensor that the graph refers to."""
        self._captured[id(tensor)] = ghost

    def captured(self, tensor: EagerTensor) -> Any:
        """Tensors from outside are constants, unless they are inputs."""
        return self._captured.get(id(tensor), tensor)

    def emit(self, what: Any, inputs: tuple[Any, ...], attributes: dict[str, Any], looks: list[Any]) -> list[Ghost]:
        """Append an instruction; returns its results."""
        results = [self.ghost_of(shape, dtype) for shape, dtype in looks]
        self.append(Node(what, inputs, attributes, tuple(result.number for result in results)))
        return results

    def append(self, node: Node) -> None:
        """Record an instruction."""
        self.program.nodes.append(node)

    # --- programs inside ---------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def inside(self, is_loop: bool, recorded: bool, assigned: set[int]) -> Iterator[Level]:
        """A block that records the program of a loop or branch. Outer tapes do not see its ops."""
        outer, variables = self.program, dict(self._variables)
        tapes, accumulators = STATE.tapes, STATE.accumulators
        level = Level(Program(looks=outer.looks), is_loop, recorded, assigned)
        if is_loop:
            for variable in assigned:
                self._variables.pop(variable, None)
        self.levels.append(level)
        self.program = level.program
        STATE.tapes, STATE.accumulators = [Paused() for _ in tapes], []
        try:
            yield level
        finally:
            STATE.tapes, STATE.accumulators = tapes, accumulators
            self.levels.pop()
            self.program = outer
            # What was read before the loop is known outside of it too.
            inner = {k: v for k, v in self._variables.items() if k not in assigned and self._is_outer(v)}
            self._variables = {**{k: v for k, v in variables.items() if k not in assigned}, **inner}

    def _is_outer(self, value: Any) -> bool:
        return value.__class__ is EagerTensor or self._depths.get(value.number, 0) <= len(self.levels)

    def note(self, tensor: Any) -> None:
        """Note that an op uses a tensor: it becomes an operand of every enclosing level in which it was not made."""
        depth = 0 if tensor.__class__ is EagerTensor else self._depths.get(getattr(tensor, "number", -1), 0)
        for level in self.levels[depth:]:
            level.used[id(tensor)] = tensor

    # --- what runs here --------------------------------------------------------------------------------------------

    def outputs(self, op: Op, inputs: list[Any], attributes: dict[str, Any], found: list[Abstract]) -> list[Ghost]:
        """The results of an op, which becomes an instruction."""
        looks = [(result.known, result.dtype) for result in found]
        if any(shape is None or not is_known(shape) for shape, _ in looks):
            raise NeedsValue(f"The shape of what {op.name} gives depends on values.")
        if self.levels:
            for tensor in inputs:
                self.note(tensor)
        return self.emit(op, tuple(map(operand_of, inputs)), attributes, looks)

    def initial(self, variable: Variable) -> Any:
        """A variable is read once, unless it is assigned."""
        array = variable._value._array
        depth = len(self.levels)
        while depth and not (self.levels[depth - 1].is_loop and variable._id in self.levels[depth - 1].assigned):
            depth -= 1  # outside of the loops that do not change it
        ghost = self._again(depth)
        if ghost is None:
            ghost = self.ghost_of(array.shape, array.dtype, depth=depth)
            program = self.levels[depth - 1].program if depth else self.root
            program.nodes.append(Node(Read(variable), (), {}, (ghost.number,)))
            self._keep([ghost], depth)
        ghost._id = variable._id
        self.read_variables[variable._id] = variable
        return ghost

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An assignment of a value that is computed here, an update by such a value, or a call of the variable's own method."""
        for place, level in enumerate(self.levels):
            if level.recorded and (not level.is_loop or place < len(self.levels) - 1):
                raise NeedsValue("A tape follows a branch, or a loop inside another one, that changes a variable.")
            if level.is_loop and variable._id not in level.assigned:
                raise Assigned(variable)
            level.assigned.add(variable._id)
        if method.startswith("scatter_") or (method in _UPDATES and not variable.shape.is_fully_defined()):
            self.opaque(getattr(variable, method), args, kwargs, [])
            self.forget([variable])
            return
        if method != "assign" and method not in _UPDATES:
            raise NeedsValue(f"Variable.{method} is done where the values are.")
        given = {**dict(zip(("value",), args, strict=False)), **kwargs}
        values = [v for k, v in given.items() if k not in _SETTINGS and isinstance(v, _CHANGING)]
        if len(values) != 1:
            raise NeedsValue("The variable itself says what is wrong with the value.")
        value = to_tensor(values[0], None if isinstance(values[0], (Tensor, Variable)) else variable.dtype)
        present = variable._value._array
        if value.dtype.numpy != present.dtype or tuple(value.shape) != present.shape:
            # Errors, and variables of varying shape, are left to the variable itself.
            raise NeedsValue(f"Variable {variable.name!r} is assigned a value of another shape or type.")
        depth = len(self.levels)
        if method in _UPDATES:
            updated = self._again(depth)
            if updated is None:
                look = (present.shape, present.dtype)
                (updated,) = self.emit(Update(variable, _UPDATES[method]), (operand_of(value),), {}, [look])
                self._keep([updated], depth)
            self.hold(variable, updated)
            return
        if not self._replays(depth):
            self.emit(Assign(variable), (operand_of(value),), {}, [])
        if value.__class__ is Ghost:
            self.hold(variable, Ghost(self, value._array.shape, present.dtype, value.number))
        else:
            self.hold(variable, from_array(value._array))

    def opaque(
        self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], shapes: list[Any]
    ) -> list[Ghost]:
        """A Python function that is called at each run."""
        depth = len(self.levels)
        if self._replays(depth):
            return [self._again(depth) for _ in shapes]
        if shapes and any(level.recorded for level in self.levels[:-1]):
            raise NeedsValue("What is drawn in a loop inside another one is not kept for its gradient.")

        def value(part: Any) -> Any:
            return Value(part.number) if part.__class__ is Ghost else map_parts(part, value)

        results = self.emit(Call(function, value((args, kwargs))), (), {}, shapes)
        self._keep(results, depth)
        return results

    def _replays(self, depth: int) -> bool:
        """Whether what runs at a nesting depth has run before."""
        return self.replay is not None or any(level.replay is not None for level in self.levels[:depth])

    def _again(self, depth: int) -> Any:
        """The next value that was read or drawn before; None where this run is the first."""
        if not self._replays(depth):
            return None
        replay: Iterator[Any] | None = None
        if depth:
            replay = self.levels[depth - 1].replay
        elif self.replay is not None:
            replay = self.replay.values
        found = None if replay is None else next(replay, None)
        if found is None:
            raise NeedsValue("What was read or drawn in the first run is not kept.")
        return found

    def _keep(self, results: list[Ghost], depth: int) -> None:
        if not depth:
            self.outcomes.made += results
        elif self.levels[depth - 1].recorded:
            self.levels[depth - 1].drawn += results

    def loop(self, condition: Any, body: Any, variables: list[Any], limit: Any) -> list[Any]:
        """`tf.while_loop`."""
        return while_loop(self, condition, body, variables, limit, self._draws())

    def _draws(self) -> Draws | None:
        """Where what a loop draws is kept for another run, or comes from in it."""
        if self.levels:
            return None
        if self.replay is not None:
            return next(self.replay.loops)
        self.outcomes.loops_made.append(Draws())
        return self.outcomes.loops_made[-1]

    def rounds(
        self, turn: Any, carried: list[Any], sequences: list[Any], count: int, reverse: bool = False
    ) -> tuple[list[Any], list[Any]]:
        """A loop over the elements of sequences: the carried values after it, and what was collected."""
        draws = self._draws()
        _, after, collected = loop(self, turn, carried, sequences, count=count, reverse=reverse, draws=draws)
        return after, collected

    def branches(self, number: Any, functions: list[Any]) -> Any:
        """One of several functions is called."""
        return branch(self, number, functions)


_SETTINGS = ("use_locking", "name", "read_value")
_CHANGING = (Tensor, Variable, IndexedSlices, bool, int, float, complex, list, tuple, np.ndarray, np.generic)


_UPDATES: dict[str, Op] = {"assign_add": add, "assign_sub": subtract}


def operand_of(value: Any) -> Any:
    """An operand as instructions store it: the number of a value, or a constant array."""
    if value is None:
        return None
    if isinstance(value, Ghost):
        return Value(value.number)
    if value.__class__ is EagerTensor:
        return value._array
    return to_tensor(value)._array
