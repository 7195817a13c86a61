"""From a graph to a program: the steps run on abstract values of known sizes, and every op that is called is recorded.

What depends on no input and no variable is computed here, once. Where a value would be needed to go on (a branch, a
size that depends on data) `NeedsValue` is raised, and the graph is interpreted instead.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..base.sizes import UNKNOWN
from ..base.types import Function
from ..op.declaration import Op
from ..ops.math.elementwise import add, subtract
from ..trace.ghost import Ghost, NeedsValue, World
from ..trace.graph import map_parts
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .program import Assign, Call, Node, Program, Read, Update, Value


class Lowering(World):
    """The world (see trace/ghost.py) that records the ops that run in it."""

    def __init__(self) -> None:
        super().__init__()
        self.program = Program()
        self._numbers = itertools.count()
        self.read_variables: dict[int, Variable] = {}
        self._captured: dict[int, Ghost] = {}

    def ghost_of(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Ghost:
        """A new value."""
        number = next(self._numbers)
        self.program.looks[number] = (shape, dtype)
        return Ghost(self, shape, dtype, number)

    def input(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Ghost:
        """A new input of the program."""
        ghost = self.ghost_of(shape, dtype)
        self.program.inputs.append(ghost.number)
        return ghost

    def lift(self, tensor: EagerTensor) -> Ghost:
        """A new input of the program in place of a tensor that the graph refers to."""
        ghost = self._captured[id(tensor)] = self.input(tensor._array.shape, tensor._array.dtype)
        return ghost

    def captured(self, tensor: EagerTensor) -> Any:
        """Tensors from outside are constants, unless they are inputs."""
        return self._captured.get(id(tensor), tensor)

    def emit(self, what: Any, inputs: tuple[Any, ...], attributes: dict[str, Any], looks: list[Any]) -> list[Ghost]:
        """Append an instruction; returns its results."""
        results = [self.ghost_of(shape, dtype) for shape, dtype in looks]
        node = Node(what, inputs, attributes, tuple(result.number for result in results))
        self.program.nodes.append(node)
        return results

    # --- what runs here --------------------------------------------------------------------------------------------

    def outputs(self, op: Op, inputs: list[Any], attributes: dict[str, Any], shapes: list[Any]) -> list[Ghost]:
        """The results of an op, which becomes an instruction."""
        if any(size is UNKNOWN for shape, _ in shapes for size in shape):
            raise NeedsValue(f"The shape of what {op.name} gives depends on values.")
        return self.emit(op, tuple(map(operand_of, inputs)), attributes, shapes)

    def initial(self, variable: Variable) -> Any:
        """A variable is read once, unless it is assigned."""
        array = variable._value._array
        (ghost,) = self.emit(Read(variable), (), {}, [(array.shape, array.dtype)])
        ghost._id = variable._id
        self.read_variables[variable._id] = variable
        return ghost

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An assignment of a value that is computed here, an update by such a value, or what the variable does itself."""
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
        if method in _UPDATES:
            look = (present.shape, present.dtype)
            (ghost,) = self.emit(Update(variable, _UPDATES[method]), (operand_of(value),), {}, [look])
            self.hold(variable, ghost)
            return
        self.emit(Assign(variable), (operand_of(value),), {}, [])
        if value.__class__ is Ghost:
            self.hold(variable, Ghost(self, value._array.shape, present.dtype, value.number))
        else:
            self.hold(variable, from_array(value._array))

    def opaque(
        self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], shapes: list[Any]
    ) -> list[Ghost]:
        """A Python function that is called at each run."""

        def value(part: Any) -> Any:
            return Value(part.number) if part.__class__ is Ghost else map_parts(part, value)

        return self.emit(Call(function, value((args, kwargs))), (), {}, shapes)


_SETTINGS = ("use_locking", "name", "read_value")
_CHANGING = (Tensor, Variable, IndexedSlices, bool, int, float, complex, list, tuple, np.ndarray, np.generic)


_UPDATES: dict[str, Op] = {"assign_add": add, "assign_sub": subtract}


def operand_of(value: Any) -> Any:
    """An operand as instructions store it: the number of a value, or a constant array."""
    if value is None:
        return None
    if value.__class__ is Ghost:
        return Value(value.number)
    if value.__class__ is EagerTensor:
        return value._array
    return to_tensor(value)._array
