"""From a graph to a program: the steps run on abstract values of known sizes, and every op that is called is recorded.

Values that depend on no input and no variable are computed here, once. A size that depends on values is a symbol, and where
an attribute of an op needs it, it is measured when the program runs (measures.py). A function that asks for a value to go on is
called then, too (deferred.py). Where not even that is possible `NeedsValue` is raised, and the graph is interpreted instead.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..base.context import STATE, Paused, Record, scope
from ..base.notes import STEPS_OF_WORLDS, note_exit
from ..base.sizes import UNKNOWN, Atom, OpenShape, Size, Undecided, atoms_of, is_known, symbol, whole_number
from ..base.types import Function
from ..op.abstract import Abstract
from ..op.declaration import Op
from ..op.entry import leave_general_path, take_general_path
from ..op.record import ids_of
from ..ops.math.elementwise import add, subtract
from ..trace.abstract_tensor import AbstractTensor, Evaluator, NeedsValue
from ..trace.graph import leaves, map_parts
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .branches import branch
from .deferred import deferred, deferred_rule
from .inside import Assigned, Level
from .loops import loop, while_loop
from .measures import Element, Extent, Extents, Formula, Measure, Vector, has_sizes, map_attribute
from .outcomes import Outcomes, Replay
from .program import Assign, Call, Node, Program, Read, Update, Value
from .replica_draws import Draw, draws_numbers, undrawable

_NUMBER = np.dtype(np.int64)  # the type of a measured size
_MOST_ATTRIBUTE_ELEMENTS = 256  # of a tensor in place of an attribute


class Lowering(Evaluator):
    """The evaluator (see trace/abstract_tensor.py) that records the ops that run in it."""

    def __init__(self, updates_in_place: bool = True) -> None:
        super().__init__()
        self.updates_in_place = updates_in_place  # whether an optimizer's update is a call, rather than ops
        self.program = Program()
        self._numbers = itertools.count()
        self.read_variables: dict[int, Variable] = {}
        self._captured: dict[int, AbstractTensor] = {}
        self.root = self.program
        self.levels: list[Level] = []
        self._depths: dict[int, int] = {}  # the nesting depth at which each value was made
        # The symbols of sizes that depend on values: each with the value in which it is found, and how.
        self.symbols: dict[Atom, tuple[int, Measure]] = {}
        self._has_open_sizes = False  # whether there ever was one
        self._elements: dict[tuple[int, int], Any] = {}  # the symbols of elements, by value and place
        self._followed: dict[int, Any] = {}  # by identity, the values that records refer to
        self.outcomes = Outcomes()  # what is read and drawn here
        # What an earlier run has read and drawn: it is taken from there, and no effect is repeated.
        self.replay: Replay | None = None

    @property
    def depth(self) -> int:
        """How many loops and branches are open."""
        return len(self.levels)

    def tensor_of(
        self,
        shape: Any,
        dtype: np.dtype[Any],
        kind: type[AbstractTensor] = AbstractTensor,
        depth: int = -1,
        value: Any = None,
    ) -> AbstractTensor:
        """A new value; its sizes may be unknown, and so may its rank."""
        number = next(self._numbers)
        if shape is not None and not is_known(shape):
            if kind is AbstractTensor:
                shape = tuple([self._size(size, number, axis) for axis, size in enumerate(shape)])
            else:  # (nothing is measured in a list of arrays, each of which may have its own size)
                shape = tuple([size if self.has_size(size) else UNKNOWN for size in shape])
        self.program.looks[number] = (shape, dtype)
        self._depths[number] = len(self.levels) if depth < 0 else depth
        return kind(self, shape, dtype, number, value)

    def _size(self, size: Any, number: int, axis: int) -> Any:
        """A size of a new value: one that is known here, or a symbol that is found in it."""
        if self.has_size(size):
            return size
        found = symbol(f"n{number}" if not axis else f"n{number}_{axis}")
        self._define(found, number, Extent(axis))
        return found

    def _define(self, size: Any, number: int, measure: Measure) -> None:
        if not self._has_open_sizes:  # from here on an op may have such an attribute and no other abstract operand
            self._has_open_sizes = True
            take_general_path(self)
        self.symbols[atoms_of(size)[0]] = number, measure

    def input(self, shape: Any, dtype: np.dtype[Any]) -> AbstractTensor:
        """A new input of the program."""
        abstract = self.tensor_of(shape, dtype)
        self.program.inputs.append(abstract.number)
        return abstract

    def lift(self, tensor: EagerTensor, abstract: AbstractTensor) -> None:
        """Put a value of the program in place of a tensor that the graph refers to."""
        self._captured[id(tensor)] = abstract

    def captured(self, tensor: EagerTensor) -> Any:
        """Tensors from outside are constants, unless they are inputs."""
        return self._captured.get(id(tensor), tensor)

    def emit(
        self, what: Any, inputs: tuple[Any, ...], attributes: dict[str, Any], looks: list[Any]
    ) -> list[AbstractTensor]:
        """Append an instruction; returns its results."""
        results: list[AbstractTensor] = []
        same_here: dict[Atom, Any] = {}  # symbols that several of the shapes have in common
        for shape, dtype in looks:
            if shape is not None and not is_known(shape):
                shape = tuple([self._renamed(size, same_here) for size in shape])
            results.append(self.tensor_of(shape, dtype))
            for size, found in zip(shape or (), results[-1]._array.known or (), strict=True):
                if isinstance(size, Size) and size.is_symbol and not self.has_size(size):
                    same_here[atoms_of(size)[0]] = found
        self.append(Node(what, inputs, attributes, tuple(result.number for result in results)))
        return results

    @staticmethod
    def _renamed(size: Any, names: dict[Atom, Any]) -> Any:
        alone = isinstance(size, Size) and size.is_symbol
        return names.get(atoms_of(size)[0], size) if alone and names else size

    def append(self, node: Node) -> None:
        """Record an instruction."""
        self.program.nodes.append(node)

    @property
    def values_made(self) -> int:
        """How many values there are; the next one has this number."""
        return len(self._depths)

    def close(self) -> None:
        """Entries of ops take their usual path again."""
        super().close()
        if self._has_open_sizes:
            leave_general_path(self)

    # --- sizes that only running shows -------------------------------------------------------------------------------

    @contextlib.contextmanager
    def sizes_inside(self) -> Iterator[None]:
        """A block whose symbols have no meaning outside of it."""
        symbols = dict(self.symbols)
        try:
            yield
        finally:
            self.symbols = symbols

    def has_size(self, size: Any) -> bool:
        """Whether a size has a meaning here."""
        if not isinstance(size, Size):
            return True
        return size is not UNKNOWN and all(atom in self.symbols for atom in atoms_of(size))

    def measured(self, size: Any) -> Value:
        """A size as a value of the program, in the outermost program that has what it is measured in."""
        if isinstance(size, OpenShape):
            return self._new_measure(Extents(), (Value(size.of.number),), self._depths[size.of.number])
        if not self.has_size(size):
            raise NeedsValue(f"A size ({size}) is needed that only a part of the function knows.")
        symbols, found = atoms_of(size), []
        for one in symbols:
            number, measure = self.symbols[one]
            found.append(self._new_measure(measure, (Value(number),), self._depths[number]))
        if size.is_symbol:
            return found[0]
        depth = max(self._depths[value.number] for value in found)
        return self._new_measure(Formula(size, tuple(symbols), size.terms), tuple(found), depth)

    def _new_measure(self, measure: Measure, inputs: tuple[Any, ...], depth: int) -> Value:
        abstract = self.tensor_of((), _NUMBER, depth=depth)
        program = self.levels[depth - 1].program if depth else self.root
        program.nodes.append(Node(measure, inputs, {}, (abstract.number,)))
        return Value(abstract.number)

    def sized(self, sizes: Any, dtype: Any = np.int32) -> Any:
        """A tensor of sizes, or one size: a constant where they are numbers."""
        found = Abstract.of_sizes(sizes, dtype)
        if found.value is None or found.value.dtype.kind != "O":
            return from_array(found.value)  # type: ignore[arg-type]
        given = tuple(
            self.measured(size) if isinstance(size, Size) else size for size in found.value.reshape(-1).tolist()
        )
        abstract = self.tensor_of(found.known, found.dtype, value=found.value if found.dtype.kind in "iu" else None)
        self.append(Node(Vector(found.dtype, not found.known), given, {}, (abstract.number,)))
        return abstract

    def sizes_of(self, abstract: AbstractTensor) -> Any:
        """The elements of a tensor as an attribute takes them: numbers, sizes, or symbols that are found in it."""
        array = abstract._array
        if array.dtype.kind not in "iu" or array.known is None or not is_known(array.known):
            return self.value_of(array)
        found = np.empty(array.known, object) if array.value is None else np.array(array.value, object)
        if found.size > _MOST_ATTRIBUTE_ELEMENTS:
            return self.value_of(array)
        for place, size in enumerate(found.reshape(-1).tolist()):
            if size is None or size is UNKNOWN:
                found.flat[place] = self._element(abstract.number, place)
        return found

    def _element(self, number: int, place: int) -> Any:
        one = self._elements.get((number, place))
        if one is None or not self.has_size(one):
            one = self._elements[number, place] = whole_number(f"e{number}_{place}")
            self._define(one, number, Element(place))
        return one

    def open_shape(self, abstract: AbstractTensor) -> Any:
        """The shape of an abstract tensor of unknown rank, which running shows."""
        return OpenShape(abstract)

    def value_of(self, array: Any) -> Any:
        """The elements, where all are numbers."""
        if array.value is None or not is_known(array.value.reshape(-1).tolist()):
            return super().value_of(array)
        return array.value.astype(array.dtype)

    def known(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Elements of tensors, of which a rule could not tell whether they are sizes, are unknown to it."""
        if not any(map(has_sizes, attributes.values())):
            return attributes
        return {name: map_attribute(value, self._as_size) for name, value in attributes.items()}

    def _as_size(self, part: Any) -> Any:
        if not isinstance(part, Size):
            return part
        if isinstance(part, OpenShape):
            return UNKNOWN
        found = [self.symbols.get(atom, (0, None))[1] for atom in atoms_of(part)]
        return UNKNOWN if any(measure.__class__ is Element for measure in found) else part

    def opened(self, attributes: dict[str, Any]) -> dict[str, Any]:
        """Attributes as instructions have them: with values in place of sizes that only running shows."""
        if not any(map(has_sizes, attributes.values())):
            return attributes

        def value(part: Any) -> Any:
            return self.measured(part) if isinstance(part, Size) else part

        return {name: map_attribute(attribute, value) for name, attribute in attributes.items()}

    def composite(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A public function comes apart; one that asks for what only running shows is called then."""
        outcomes, replay = self._here
        nodes, symbols, variables = len(self.program.nodes), dict(self.symbols), dict(self._variables)
        made, taken = outcomes.place, None if replay is None else replay.place
        try:
            return super().composite(function, args, kwargs)
        except Undecided as question:
            if (function.always and not function.pure) or any(node.has_effect for node in self.program.nodes[nodes:]):
                raise
            del self.program.nodes[nodes:]
            outcomes.cut(made)
            if replay is not None and taken is not None:
                replay.place = taken
            self.symbols, self._variables = symbols, variables
            return deferred(self, function, args, kwargs, question)

    def like_followed(self, record: Record, cotangent: Any) -> list[Any]:
        """The results of a rule that asks for what only running shows."""
        question = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
        assert isinstance(question, Exception)
        if not self._followed.keys() >= set(ids_of(record)):
            raise NeedsValue(f"A derivative rule asks for what only running shows. ({question})") from question
        sources = [self._followed[number] for number in ids_of(record)]
        return deferred_rule(self, record, cotangent, sources, question)

    # --- programs inside ---------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def inside(self, is_loop: bool, recorded: bool, assigned: set[int]) -> Iterator[Level]:
        """A block that records the program of a loop or branch. Outer tapes do not see its ops."""
        outer, variables, symbols = self.program, dict(self._variables), dict(self.symbols)
        level = Level(Program(looks=outer.looks), is_loop, recorded, assigned, before=dict(variables))
        if is_loop:
            for variable in assigned:
                self._variables.pop(variable, None)
        self.levels.append(level)
        self.program = level.program
        try:
            with scope(tapes=[Paused() for _ in STATE.tapes], accumulators=[]):
                yield level
        finally:
            self.levels.pop()
            self.program = outer
            self.symbols = symbols  # (those of values inside have no meaning outside)
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

    def outputs(
        self, op: Op, inputs: list[Any], attributes: dict[str, Any], found: list[Abstract]
    ) -> list[AbstractTensor]:
        """The results of an op, which becomes an instruction."""
        for tensor in inputs:
            if tensor is not None and tensor._id:
                self._followed[tensor._id] = tensor
        if self.levels:
            for tensor in inputs:
                self.note(tensor)
        looks = [(result.known, result.dtype) for result in found]
        results = self.emit(op, tuple(map(operand_of, inputs)), self.opened(attributes), looks)
        for result, known in zip(results, found, strict=True):
            if known.value is not None and has_sizes(known.value.reshape(-1).tolist()):
                result._array.value = known.value
        return results

    def initial(self, variable: Variable) -> Any:
        """A variable is read once, unless it is assigned."""
        depth = len(self.levels)
        while depth and not (self.levels[depth - 1].is_loop and variable._id in self.levels[depth - 1].assigned):
            depth -= 1  # outside of the loops that do not change it
        abstract = self._again(depth)
        if abstract is None:
            abstract = self.tensor_of(*_look_of(variable), depth=depth)
            program = self.levels[depth - 1].program if depth else self.root
            program.nodes.append(Node(Read(variable), (), {}, (abstract.number,)))
            self._keep([abstract], depth)
        for level in self.levels[depth:]:
            level.before.setdefault(variable._id, abstract)
        abstract._id = variable._id
        self.read_variables[variable._id] = variable
        return abstract

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An assignment of a value that is computed here, an update by such a value, or a call of the variable's own method."""
        self._note_assigned(variable)
        changes_a_part = method == "_assign_part" or method.startswith("scatter_")
        if changes_a_part or (method in _UPDATES and not variable.shape.is_fully_defined()):
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
        shape, dtype = _look_of(variable)
        if value.dtype.numpy != dtype or tuple(value.shape) != shape:
            # Errors, and variables of varying shape, are left to the variable itself.
            raise NeedsValue(f"Variable {variable.name!r} is assigned a value of another shape or type.")
        if STEPS_OF_WORLDS and value._id:
            note_exit(value._id, "assign", variable._id)
        depth = len(self.levels)
        if method in _UPDATES:
            updated = self._again(depth)
            if updated is None:
                (updated,) = self.emit(Update(variable, _UPDATES[method]), (operand_of(value),), {}, [(shape, dtype)])
                self._keep([updated], depth)
            self.hold(variable, updated)
            return
        if not self._replays(depth):
            self.emit(Assign(variable), (operand_of(value),), {}, [])
        if value.__class__ is AbstractTensor:
            self.hold(variable, AbstractTensor(self, value._array.shape, dtype, value.number))
        else:
            self.hold(variable, from_array(value._array))

    def forget(self, variables: Iterable[Variable]) -> None:
        """A function that was called has changed these: loops and branches around it assign them."""
        found = list(variables)
        for variable in found:
            self._note_assigned(variable)
        super().forget(found)

    def _note_assigned(self, variable: Variable) -> None:
        """Note that loops and branches that are open assign a variable; a loop that has not known it begins again."""
        for level in self.levels:
            if level.is_loop and variable._id not in level.assigned:
                raise Assigned(variable)
            level.assigned.add(variable._id)

    def opaque(
        self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], shapes: list[Any]
    ) -> list[AbstractTensor]:
        """A Python function that is called at each run."""
        found = self._drawn_before(function, args, kwargs, shapes)
        if found is not None:
            return found
        depth = len(self.levels)
        if self._replays(depth):
            return [self._again(depth) for _ in shapes]
        results = self.emit(Call(function, self.values_of((args, kwargs))), (), {}, shapes)
        self._keep(results, depth)
        return results

    def _drawn_before(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], looks: list[Any]) -> Any:
        """Random numbers of a replica, if what they depend on is known before the replicas; None for all else."""
        place = next((place for place, level in enumerate(self.levels) if level.replicas is not None), None)
        if place is None or not looks or not draws_numbers(function, args):
            return None
        inside = [leaf for leaf in leaves((args, kwargs)) if isinstance(leaf, AbstractTensor)]
        if any(level.is_loop for level in self.levels[place + 1 :]) or not all(map(self._is_known_at(place), inside)):
            return undrawable(function)
        before = self.levels[place].replicas
        assert before is not None
        if before.taken is not None:
            return [next(before.taken) for _ in looks]
        before.calls.append(Draw(function, args, kwargs, looks, len(self.levels) > place + 1))
        return [self.tensor_of(*look) for look in looks]

    def _is_known_at(self, depth: int) -> Callable[[AbstractTensor], bool]:
        return lambda abstract: self._depths.get(abstract.number, 0) <= depth

    def values_of(self, part: Any) -> Any:
        """The arguments of a call as its instruction has them."""
        if isinstance(part, Size):
            part = self.sized(part, np.int64)
        return Value(part.number) if part.__class__ is AbstractTensor else map_parts(part, self.values_of)

    def effect(self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A Python function that is called at each run, for its effect."""
        self.opaque(function, args, kwargs, [])

    def _replays(self, depth: int) -> bool:
        """Whether what runs at a nesting depth has run before."""
        for level in reversed(self.levels[:depth]):
            if level.discarded or level.replay is not None:
                return not level.discarded
        return self.replay is not None

    def _again(self, depth: int) -> Any:
        """The next value that was read or drawn before; None where this run is the first."""
        if not self._replays(depth):
            return None
        replay = self.levels[depth - 1].replay if depth else self.replay
        found = None if replay is None else replay.value()
        if found is None:
            raise NeedsValue("What was read or drawn in the first run is not kept.")
        return found

    def _keep(self, results: list[AbstractTensor], depth: int) -> None:
        if not depth:
            self.outcomes.values += results
        elif self.keeps_outcomes:
            self.levels[depth - 1].outcomes.values += results

    @property
    def keeps_outcomes(self) -> bool:
        """Whether somebody may run again what is lowered now, loops and branches that are."""
        return any(level.recorded for level in self.levels)

    @property
    def _here(self) -> tuple[Outcomes, Replay | None]:
        """Where what is read and drawn in the program that is written goes, and where it comes from."""
        return (self.levels[-1].outcomes, self.levels[-1].replay) if self.levels else (self.outcomes, self.replay)

    def _earlier(self) -> Any:
        """What the loop or branch that begins here has read and drawn in an earlier run, if there was one."""
        if not self._replays(len(self.levels)):
            return None
        replay = self._here[1]
        if replay is None:
            raise NeedsValue("What was read or drawn in the first run is not kept.")
        return replay.part()

    def _happened(self, earlier: Any, found: Any) -> None:
        """Note what a loop or branch reads and draws, where this run is the first."""
        if earlier is None:
            self._here[0].inside.append(found)

    @contextlib.contextmanager
    def variables_as(self, held: dict[int, Any]) -> Iterator[None]:
        """A block in which variables hold what they held when a loop or branch began, which is now run again."""
        now, self._variables = self._variables, dict(held)
        try:
            yield
        finally:
            self._variables = now

    def loop(self, condition: Any, body: Any, variables: list[Any], limit: Any) -> list[Any]:
        """`tf.while_loop`."""
        earlier = self._earlier()
        results, found = while_loop(self, condition, body, variables, limit, earlier)
        self._happened(earlier, found)
        return results

    def rounds(
        self,
        turn: Any,
        carried: list[Any],
        sequences: list[Any],
        count: int,
        reverse: bool = False,
        across: Any = None,
    ) -> tuple[list[Any], list[Any]]:
        """A loop over the elements of sequences: the carried values after it, and what was collected."""
        earlier = self._earlier()
        made = loop(self, turn, carried, sequences, count=count, reverse=reverse, earlier=earlier, across=across)
        self._happened(earlier, made.outcomes)
        return made.after, made.collected

    def branches(self, number: Any, functions: list[Any]) -> Any:
        """One of several functions is called."""
        earlier = self._earlier()
        results, found = branch(self, number, functions, outcomes=earlier)
        self._happened(earlier, found)
        return results


_SETTINGS = ("use_locking", "name", "read_value")
_CHANGING = (Tensor, Variable, IndexedSlices, bool, int, float, complex, list, tuple, np.ndarray, np.generic)


_UPDATES: dict[str, Op] = {"assign_add": add, "assign_sub": subtract}


def _look_of(variable: Variable) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of the present value, which is not fetched from where it is."""
    value = variable._value
    return tuple(value.shape), value.dtype.numpy


def operand_of(value: Any) -> Any:
    """An operand as instructions store it: the number of a value, or a constant array."""
    if value is None:
        return None
    if isinstance(value, AbstractTensor):
        return Value(value.number)
    if value.__class__ is EagerTensor:
        return value._array
    return to_tensor(value)._array
