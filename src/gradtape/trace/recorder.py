"""Tracing: a Python function runs once on symbolic tensors, and every step it takes is written down.

To say what a step gives, it is also run in one or two worlds of ghosts. Where a size is unknown, the worlds have
different numbers for it, and what differs between their results is unknown too. So `x.shape` shows None where it
must, gradients are None where they are None eagerly, and a mistake is found at the user's line.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..context import STATE, activate, deactivate
from ..entry import leave_general_path, take_general_path
from ..errors import (
    ArgumentValueError,
    InaccessibleTensorError,
    InvalidArgumentError,
    OperatorNotAllowedInGraphError,
    OpError,
)
from ..op import RUNNERS, Op
from ..shapes import TensorShape
from ..tensor import EagerTensor, IndexedSlices, Tensor, TensorSpec, identify, to_tensor
from ..variable import Variable
from .ghost import Ghost, NeedsValue, World, depending_on, is_known_error
from .graph import Environment, Graph, Method, Ref, Step, bind, call_step, leaves, map_parts, parts_of
from .printing import name_of
from .symbolic import SymbolicTensor, is_symbolic

# Stand-ins for an unknown size, by axis, in the first and the second world. They divide well, because programs split.
_SIZES = ((12, 24), (48, 96), (60, 120), (36, 72), (18, 54), (30, 90))
_MOST_TRIES = 60

Unknown = tuple[str, int]  # ("axis", 0), ("guess", 3), ("rank", 2)


class Inference(World):
    """A world in which unknown sizes have a number, to see what comes out."""

    def __init__(self, side: int, chosen: dict[Unknown, tuple[int, int]]) -> None:
        super().__init__()
        self.side = side  # 0 or 1: which of the two numbers of an unknown size this world has
        self.chosen = chosen
        self.environment = Environment({})
        self.used: dict[Unknown, None] = {}  # the unknowns that were met, in order
        self._guessed = 0

    def size(self, unknown: Unknown) -> int:
        """The number that stands for an unknown size here."""
        self.used[unknown] = None
        if unknown in self.chosen:
            return self.chosen[unknown][self.side]
        kind, place = unknown
        if kind == "rank":
            return 1 + self.side
        return _SIZES[place % len(_SIZES)][self.side] if kind == "axis" else (7, 11)[self.side] + 6 * place

    def ghost(self, spec: TensorSpec, label: int = 0) -> Ghost:
        """A ghost that fits a spec."""
        if spec.shape.rank is None:
            sizes: list[int | None] = [None] * self.size(("rank", label))
        else:
            sizes = list(spec.shape)
        shape = tuple(self.size(("axis", axis)) if n is None else n for axis, n in enumerate(sizes))
        return Ghost(self, shape, spec.dtype.numpy)

    def initial(self, variable: Variable) -> Any:
        """A ghost of the variable's shape."""
        ghost = self.ghost(TensorSpec(variable.shape, variable.dtype), variable._id)
        ghost._id = variable._id
        return ghost

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The variable has another value of the same shape; what was read before is not followed to it."""
        self.hold(variable, self.ghost(TensorSpec(variable.shape, variable.dtype), variable._id))

    def looks(self, op: Op, inputs: list[Any], attributes: dict[str, Any]) -> list[Any]:
        """Shapes and types of an op's results; a guess need not divide what it is to divide."""
        try:
            return super().looks(op, inputs, attributes)
        except (OpError, ValueError):
            if op.name != "reshape" or not any(kind == "guess" for kind, _ in self.used):
                raise
            shape = tuple(self.guess() if size == -1 else size for size in attributes["shape"])
            return [(shape, inputs[0]._array.dtype)]

    def outputs(self, op: Op, inputs: list[Any], attributes: dict[str, Any], shapes: list[Any]) -> list[Ghost]:
        """The results of an op; sizes that depend on values are guesses."""
        for position, axes in op.shaped_by_values.items():
            shape, dtype = shapes[position]
            unknown = {axis % len(shape) for axis in axes}
            shapes[position] = tuple(self.guess() if a in unknown else n for a, n in enumerate(shape)), dtype
        return super().outputs(op, inputs, attributes, shapes)

    def value_of(self, array: Any) -> Any:
        """A guess at integers, which are sizes as a rule; for anything else there is none."""
        if array.dtype.kind not in "iu":
            raise NeedsValue(f"The value of a tensor of shape {array.shape} is needed before the function runs.")
        guesses = [self.guess() for _ in range(array.size)]
        return np.array(guesses, array.dtype).reshape(array.shape)

    def adopt(self, thing: Any, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Some classes have a form that does with guesses."""
        if cls not in GUESSED or thing.__class__ is not cls:
            return False
        thing.__class__ = GUESSED[cls]
        GUESSED[cls].begin(thing, *args, **kwargs)
        return True

    def guess(self) -> int:
        """A number for a size that nothing is known of."""
        self._guessed += 1
        return self.size(("guess", self._guessed))

    def perform(self, entry: _Entry) -> Any:
        """Run one entry of the journal here."""
        guesses = self._guessed
        with self.running():
            result = entry.action(self)
        if self._guessed != guesses:
            result = _all_ghosts(self, result)  # what was computed with a guess is a guess
        if entry.results is not None:
            bind(entry.results, result, self.environment.values)
        return result


@dataclass(slots=True)
class _Entry:
    """Something that was done in all worlds, to be done again in new ones."""

    action: Callable[[Inference], Any]
    results: Any = None
    given: Any = ()  # what the step is given, to find sizes in


@dataclass
class TracePolicy:
    """What the function that is traced wants of its trace."""

    create_variable: Callable[[Variable], None] | None = None
    created: list[Variable] = field(default_factory=list)


class Recorder:
    """One trace: writes down the steps, and knows what every symbolic tensor looks like."""

    def __init__(self, name: str, policy: TracePolicy) -> None:
        self.graph = Graph(name=name)
        self.policy = policy
        self.outer: Recorder | None = STATE.trace if isinstance(STATE.trace, Recorder) else None
        self.thread = threading.get_ident()
        self._levels = [self.graph.steps]  # the steps of the function, and of the graphs in it that are being traced
        self._chosen: dict[Unknown, tuple[int, int]] = {}
        self._worlds = [Inference(0, self._chosen)]
        self._journal: list[_Entry] = []
        self._numbers = itertools.count()
        self._inputs: set[int] = set()
        self._followed: set[int] = set()  # tensors from outside that a tape of the function watches

    # --- entering and leaving --------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """In this block the thread traces: nobody else records."""
        outside = STATE.tapes, STATE.accumulators, STATE.readers, STATE.trace, STATE.nan_safe
        STATE.tapes, STATE.accumulators, STATE.readers, STATE.trace, STATE.nan_safe = [], [], [], self, 0
        activate(self)
        try:
            yield
        finally:
            deactivate(self)
            if self._followed:
                leave_general_path(self)
            STATE.tapes, STATE.accumulators, STATE.readers, STATE.trace, STATE.nan_safe = outside
            for world in self._worlds:
                world.close()

    def placeholder(self, spec: TensorSpec) -> SymbolicTensor:
        """A new input of the function."""
        number = next(self._numbers)
        self._inputs.add(number)
        return self._stand_in(number, spec, lambda world: world.ghost(spec, number))

    def _stand_in(self, number: int, spec: TensorSpec, value: Callable[[Inference], Any]) -> SymbolicTensor:
        """A symbolic tensor that no step computes."""
        self.graph.specs[number] = spec
        self._do(_Entry(value, Ref(number)))
        return SymbolicTensor(self, number, spec)

    # --- what the layers below ask of `STATE.trace` ----------------------------------------------------------------

    def read(self, variable: Variable) -> Any:
        """The value of a variable is another each time the function runs."""
        return self.step(read_variable, (variable,), {})

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An assignment is a step, in the order of the program."""
        self.step(Method(method), (variable, *args), kwargs, effect=True)

    def composite(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A public function with a symbolic operand or a variable is a step; any other runs as it is."""
        given = (*args, *kwargs.values())
        if function.always or _has_symbolic(given) or self._has_source(given):
            on_trace = getattr(function, "on_trace", None)
            if on_trace is not None:
                return on_trace(self, *args, **kwargs)
            return self.step(function, args, kwargs)
        return function.__wrapped__(*args, **kwargs)

    def _has_source(self, given: Any) -> bool:
        """Whether there is a variable, or a tensor that a tape of the function follows."""
        found = list(leaves(given))
        return any(isinstance(leaf, Variable) for leaf in found) or self.follows(found)

    def follow(self, tensor: EagerTensor) -> None:
        """A tape of the function watches a tensor from outside: what is computed from it is a step."""
        if not self._followed:
            take_general_path(self)
        self._followed.add(identify(tensor))

    def follows(self, tensors: Any) -> bool:
        """Whether one of the tensors is followed by a tape of the function."""
        return bool(self._followed) and any(getattr(t, "_id", 0) in self._followed for t in tensors)

    def adopt(self, thing: Any, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """A tape or the like that is made inside the function: its methods become steps."""
        number = next(self._numbers)
        thing.__class__ = FACADES[cls]
        thing._trace, thing._number = self, number
        for leaf in leaves(args) if hasattr(FACADES[cls], "jvp") else ():
            if leaf.__class__ is EagerTensor and leaf.dtype.is_differentiable:
                self.follow(leaf)
        step = Step(cls, self.refs(args), self.refs(kwargs), Ref(number), _user_line())
        entry = _Entry(lambda world: call_step(cls, step.args, step.kwargs, world.environment), Ref(number))
        self._do(entry)
        self._levels[-1].append(step)
        return True

    def method(self, thing: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A method of something adopted."""
        return self.step(Method(name), (thing, *args), kwargs)

    # --- steps -----------------------------------------------------------------------------------------------------

    def step(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], effect: bool = False) -> Any:
        """Write a step down; what it gives, as far as it is known."""
        given, settings = self.refs(args), self.refs(kwargs)
        entry = _Entry(
            lambda world: call_step(function, given, settings, world.environment),
            given=(given, tuple(settings.values())),
        )
        try:
            results = self._do(entry)
        except NeedsValue as error:
            raise OperatorNotAllowedInGraphError(
                f"{name_of(function)} needs the value of a tensor, which is known only when the function runs. ({error}) "
                "Use an op that takes a tensor there, or tf.py_function."
            ) from error
        except InvalidArgumentError as error:
            if error.__class__ is not InvalidArgumentError:
                raise
            # What shapes and types alone show to be wrong is a ValueError in TensorFlow's graphs.
            raise ArgumentValueError(error.node_def, error.op, error.message) from error
        merged = None if effect else self._merged(results)
        template = None if effect else _template(merged)
        if template is not None:
            entry.results = template
            for world, result in zip(self._worlds, results, strict=True):
                bind(template, result, world.environment.values)
        self._levels[-1].append(Step(function, given, settings, template, _user_line()))
        return merged

    def subgraph(self, function: Callable[..., Any], args: tuple[Any, ...], name: str) -> tuple[Graph, Any]:
        """Trace a function that a step takes: its graph, and what it returned.

        The symbolic values in `args` show what the function will be given.
        """
        given = tuple(self.like(value) for value in args)
        graph = Graph(inputs=self.refs(given), name=name)
        self._levels.append(graph.steps)
        try:
            returned = function(*given)
        finally:
            self._levels.pop()
        graph.outputs = self.refs(returned)
        return graph, returned

    def like(self, value: Any, shape: Any = None) -> Any:
        """New symbolic values that look like those in a structure, or have another shape."""
        if isinstance(value, SymbolicTensor):
            number, source = next(self._numbers), value._number
            if shape is None:
                return self._stand_in(number, value._spec, lambda world: _as_ghost(world, world.environment[source]))
            spec = TensorSpec(shape, value.dtype)
            return self._stand_in(number, spec, lambda world: world.ghost(spec, number))
        if is_symbolic(value):
            number, source = next(self._numbers), value._number
            self._do(_Entry(lambda world: world.environment[source], Ref(number)))
            return value.twin(number)
        return map_parts(value, self.like)

    def slice_like(self, value: SymbolicTensor) -> SymbolicTensor:
        """A new symbolic value that looks like a slice along the first axis, of which there may be none."""
        number, source, dtype = next(self._numbers), value._number, value.dtype.numpy
        spec = TensorSpec(value.shape[1:], value.dtype)
        return self._stand_in(
            number, spec, lambda world: Ghost(world, tuple(world.environment[source].shape)[1:], dtype)
        )

    def refine(self, value: SymbolicTensor, spec: TensorSpec) -> None:
        """More is known of a value. Where a world has guessed another shape, a step says which it has from here on."""
        number = value._number
        self.graph.specs[number] = spec
        if all(spec.shape.is_compatible_with(world.environment[number].shape) for world in self._worlds):
            return
        self._do(_Entry(lambda world: with_known_shape(world.environment[number], spec), Ref(number)))
        self._levels[-1].append(Step(with_known_shape, (Ref(number), spec), {}, Ref(number), _user_line()))

    def symbolic(self, value: Any) -> Any:
        """The value as a symbolic tensor, also where it is known."""
        return value if is_symbolic(value) else self.step(to_tensor, (value,), {})

    def refs(self, value: Any) -> Any:
        """The value with Refs in place of what is symbolic."""
        if isinstance(value, SymbolicTensor) or is_symbolic(value):
            self._check_own(value)
            return Ref(value._number)
        return map_parts(value, self.refs)

    def _check_own(self, value: Any) -> None:
        if value._trace is not self:
            raise InaccessibleTensorError(
                f"{value!r} belongs to the trace of another function, {value._trace.graph.name!r}, and has no value here. "
                "Return it from that function, or keep it in a tf.Variable."
            )

    def steps_so_far(self) -> list[Step]:
        """All steps before this point of the program."""
        return [step for level in self._levels for step in level]

    # --- worlds ----------------------------------------------------------------------------------------------------

    def _do(self, entry: _Entry) -> list[Any]:
        """Run an entry in all worlds, with other numbers for unknown sizes if these do not fit together."""
        try:
            results = [world.perform(entry) for world in self._worlds]
            if len(self._worlds) == 1 and self._worlds[0].used:
                second = self._replayed(1, self._chosen)
                results.append(second.perform(entry))
                self._worlds.append(second)
        except Exception as error:
            if not any(world.used for world in self._worlds) or not (
                is_known_error(error) or isinstance(error, NeedsValue)
            ):
                raise
            results = self._refit(entry, error)
        self._journal.append(entry)
        return results

    def _replayed(self, side: int, chosen: dict[Unknown, tuple[int, int]]) -> Inference:
        world = Inference(side, chosen)
        try:
            for entry in self._journal:
                world.perform(entry)
        except Exception:
            world.close()
            raise
        return world

    def _refit(self, entry: _Entry, error: Exception) -> list[Any]:
        """Choose sizes with which the entry runs: an unknown size may have to be equal to another."""
        for chosen in itertools.chain(itertools.islice(self._choices(entry), _MOST_TRIES), [self._small()]):
            try:
                worlds = [self._replayed(side, chosen) for side in (0, 1)]
                results = [world.perform(entry) for world in worlds]
            except Exception:
                continue
            for world in self._worlds:
                world.close()
            self._chosen, self._worlds = chosen, worlds
            return results
        raise error

    def _choices(self, entry: _Entry) -> Iterator[dict[Unknown, tuple[int, int]]]:
        world = self._worlds[0]
        near = [world.environment[v.number] if v.__class__ is Ref else v for v in leaves(entry.given)]
        sizes: dict[int, None] = {}
        for value in (*near, *world.environment.values.values()):
            if isinstance(value, (Tensor, Variable, np.ndarray)):
                sizes.update((n, None) for n in getattr(getattr(value, "_array", value), "shape", ()) if n)
        unknowns = list(world.used)[::-1]
        pairs = [(world.size(u), self._worlds[-1].size(u)) for u in unknowns]
        candidates = [*pairs, *((n, n) for n in sizes), (1, 1)]
        for unknown in unknowns:
            if unknown[0] == "rank":
                for rank in range(5):
                    yield {**self._chosen, unknown: (rank, rank)}
            else:
                for candidate in candidates:
                    yield {**self._chosen, unknown: candidate}

    def _small(self) -> dict[Unknown, tuple[int, int]]:
        """Small numbers for all unknown sizes: something may have to hold them, such as an image that others are put into."""
        axes = [unknown for unknown in self._worlds[0].used if unknown[0] == "axis"]
        return {**self._chosen, **{unknown: (2 + unknown[1] % 3, 5 + unknown[1] % 3) for unknown in axes}}

    def _merged(self, results: list[Any]) -> Any:
        """One value for the user from what a step gave in each world."""
        first = results[0]
        if isinstance(first, Tensor):
            return self._tensor(results)
        if isinstance(first, Variable):
            return first
        if first.__class__ in FACADES:
            return self._facade(first)
        if first.__class__ is not IndexedSlices and len({r.__class__ for r in results}) > 1:
            raise _different(results)
        columns = [parts_of(result) for result in results]
        if len({len(column) for column in columns}) > 1:
            raise _different(results)
        if not columns[0]:
            return first
        merged = iter([self._merged(list(parts)) for parts in zip(*columns, strict=True)])
        return map_parts(first, lambda part: next(merged))

    def _tensor(self, results: list[Any]) -> SymbolicTensor:
        number = next(self._numbers)
        shapes = [tuple(result.shape) for result in results]
        if len({len(shape) for shape in shapes}) > 1:
            shape = TensorShape(None)
        else:
            shape = TensorShape([sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes, strict=True)])
        spec = TensorSpec(shape, results[0].dtype)
        self.graph.specs[number] = spec
        return SymbolicTensor(self, number, spec)

    def _facade(self, thing: Any) -> Any:
        return FACADES[thing.__class__].standing_for(thing, self, next(self._numbers))  # type: ignore[attr-defined]

    # --- questions -------------------------------------------------------------------------------------------------

    def known_value(self, symbolic: SymbolicTensor) -> Any:
        """The value of a symbolic tensor that does not depend on inputs or variables, else None."""
        values: list[Any] = [world.environment.values.get(symbolic._number) for world in self._worlds]
        if any(value.__class__ is not EagerTensor for value in values):
            return None
        if any(not _same_array(values[0]._array, value._array) for value in values[1:]):
            return None
        return values[0]

    # --- variables -------------------------------------------------------------------------------------------------

    def create_variable(self, variable: Variable) -> None:
        """A variable is made inside the function."""
        root: Recorder = self
        while root.outer is not None:
            root = root.outer
        if root.policy.create_variable is not None:
            root.policy.create_variable(variable)
        root.policy.created.append(variable)

    def initial_value(self, value: Any) -> Any:
        """The initial value of a variable made inside the function: computed now, outside of it."""
        if callable(value) and not isinstance(value, Tensor):
            with outside_traces():
                return value()
        if not _has_symbolic((value,)):
            return value
        return self._evaluated(self.refs(value))

    def _evaluated(self, refs: Any) -> Any:
        """Compute now what was traced, from steps that do not depend on the function's arguments."""
        wanted = {leaf.number for leaf in leaves(refs) if leaf.__class__ is Ref}
        needed: list[Step] = []
        for step in reversed(self.steps_so_far()):
            if wanted & {leaf.number for leaf in leaves(step.results) if leaf.__class__ is Ref}:
                needed.append(step)
                wanted |= {
                    leaf.number for leaf in leaves((step.args, tuple(step.kwargs.values()))) if leaf.__class__ is Ref
                }
        if wanted & self._inputs:
            raise ValueError(
                "The initial value of a tf.Variable that is created inside tf.function depends on the function's arguments. "
                "Give it a function, tf.Variable(lambda: ...), or create it outside."
            )
        with outside_traces():
            environment = Environment({})
            graph = Graph(steps=needed[::-1], outputs=refs)
            return graph.run(environment)


GUESSED: dict[type, Any] = {}  # classes whose objects need more than shapes, with the class that stands for them
FACADES: dict[type, type] = {}  # what stands in a trace for tapes, accumulators and arrays of tensors


def read_variable(variable: Variable) -> Any:
    """The value of a variable."""
    return variable._read()


@contextlib.contextmanager
def outside_traces() -> Iterator[None]:
    """Leave all traces and tapes of this thread for a block (`tf.init_scope`)."""
    outside = STATE.tapes, STATE.accumulators, STATE.readers, STATE.trace, STATE.nan_safe
    STATE.tapes, STATE.accumulators, STATE.readers, STATE.trace, STATE.nan_safe = [], [], [], None, 0
    try:
        yield
    finally:
        STATE.tapes, STATE.accumulators, STATE.readers, STATE.trace, STATE.nan_safe = outside


def run_symbolic(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """An op with a symbolic operand is a step of the trace it belongs to."""
    operands = args[0] if op.variadic else args
    trace = STATE.trace
    if not isinstance(trace, Recorder):
        stray = next(value for value in operands if value.__class__ is SymbolicTensor)
        raise InaccessibleTensorError(
            f"{stray!r} was made inside the function {stray._trace.graph.name!r} and has no value outside of it. Return it "
            "from the function, or keep it in a tf.Variable."
        )
    return trace.step(op, args, attributes)


RUNNERS[SymbolicTensor] = run_symbolic


def _has_symbolic(values: Any) -> bool:
    for value in values:
        cls = value.__class__
        if getattr(cls, "_symbolic", False):
            return True
        if cls in (int, float, str, bool, EagerTensor) or value is None:
            continue
        if _has_symbolic(parts_of(value)):
            return True
    return False


def _template(merged: Any) -> Any:
    """The results of a step: Refs in place of what is symbolic."""
    if is_symbolic(merged):
        return Ref(merged._number)
    return map_parts(merged, _template)


def _all_ghosts(world: Inference, value: Any) -> Any:
    """The value with ghosts in place of constants."""
    return _as_ghost(world, value) if isinstance(value, Tensor) else map_parts(value, lambda p: _all_ghosts(world, p))


def _as_ghost(world: Inference, value: Any) -> Any:
    """A value that may be another each time: constants too are only seen by type and shape."""
    if value.__class__ is EagerTensor:
        return Ghost(world, value._array.shape, value._array.dtype)
    return value


def with_known_shape(value: Any, spec: TensorSpec) -> Any:
    """The value; in a world that only guessed at its shape, something of the shape that it has."""
    world = getattr(value, "world", None)
    if not isinstance(world, Inference) or spec.shape.is_compatible_with(value.shape):
        return value
    return depending_on(world.ghost(spec), value)


def _same_array(a: Any, b: Any) -> bool:
    return bool(np.shape(a) == np.shape(b) and np.array_equal(a, b))


def _different(results: list[Any]) -> Exception:
    return ValueError(
        f"How many tensors this step gives depends on a size that is not known before the function runs: {results[0]!r} "
        f"or {results[-1]!r}. Use an op that gives one tensor, or say the size in input_signature."
    )


def _user_line() -> str:
    """File and line of the innermost frame outside gradtape."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(("gradtape", "keras_gradtape")):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
