"""Runs the programs of a function on XLA: one executable for each set of sizes, values and variables stay on the device.

Compiled ahead of time, an executable does not ask for JAX's settings when it is called; while it is made they are those that our
programs need, in this thread and block alone. A JAX program beside gradtape notices nothing.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..base.context import scope
from ..base.locks import new_lock
from ..base.places import Place
from ..compile.codegen import explain, python_of
from ..compile.executor import CompiledGraph, Key
from ..compile.program import Look, Program, Value
from ..compile.warming import Form, Run
from ..op.call import CALL_OBSERVERS, GRADIENT_OBSERVERS, STEPWISE
from ..trace.graph import Graph, map_parts
from ..values.tensor import EagerTensor, TensorSpec
from ..variables.in_place import any_value, locks_of, under_locks
from ..variables.variable import Variable
from .arrays import (
    COPIES,
    HOSTED,
    DeviceTensor,
    abstract,
    buffer_of,
    changed,
    given,
    is_on_host,
    on_device,
    on_host,
    values_of,
)
from .lowering import Refused, Room, calls_host, run_program, stacks_of, touched
from .partition import Part, parts_of
from .replicas import NotTogether

LOGGER = logging.getLogger("gradtape")


@contextlib.contextmanager
def settings() -> Iterator[None]:
    """What programs need of JAX while it traces them: all types, NumPy's broadcasts."""
    with jax.enable_x64(True), jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        yield


ROUNDS = 64  # of a loop, of which only running shows how many there are: room for what the first ones collect
MANY_INSTRUCTIONS = 1000  # in one program: XLA takes some milliseconds for each
ROUNDS_OF_LOOP = 10  # of one line in a trace, which show that it is in a Python loop
_WIDE = {np.dtype(kind) for kind in "lLqQdD"}  # types that JAX makes narrower where nothing says otherwise


class Executable:
    """A part on XLA: a function of arrays, of the variables it reads and of those it changes."""

    donates = True  # whether the memory of variables that are changed is used again
    _home: Any = None  # where values of variables are put that are on the host; None: on JAX's first device

    def __init__(self, program: Program) -> None:
        self.program = program
        variables = {number: variable for number, variable, _ in touched(program)}
        changed = {number: variables[number] for number, _, is_changed in touched(program) if is_changed}
        self._changed: list[Variable] = list(changed.values())
        self._read: list[Variable] = [variable for number, variable in variables.items() if number not in changed]
        self._locks = locks_of(self._changed)
        self._growing = new_lock()
        given = [abstract(*program.looks[number]) for number in program.inputs]
        self._is_wide = any(look.dtype in _WIDE for look in given)
        kept = [_look_of(variable) for variable in (*self._read, *self._changed)]
        count = len(given) + len(kept)
        self._looks = [*given, *kept]
        self._room = ROUNDS if any(stacks_of(node, program) for node in program.nodes) else None
        self._errors_of_calls: list[Exception] | None = [] if calls_host(program) else None
        is_given_away = self.donates and self._room is None and self._errors_of_calls is None
        self._donated = range(count - len(self._changed), count) if is_given_away else ()
        with settings():
            self._compiled = self._compile(self._looks)
        self._call: Callable[..., list[Any]] = self._first_call if self._room is None else self._call_with_room

    def _compile(self, looks: list[Any]) -> Callable[..., Any]:
        # (All values by their places: nested arguments take JAX longer than the work of a small program.)
        found: Callable[..., Any] = jax.jit(self._step, donate_argnums=self._donated).lower(*looks).compile()
        return found

    def _step(self, *values: Any) -> list[Any]:
        """What jax traces: what the program gives, then the variables that it changes."""
        count = len(self.program.inputs)
        variables = (*self._read, *self._changed)
        state = {variable._id: value for variable, value in zip(variables, values[count:], strict=True)}
        room = None if self._room is None else Room(self._room)
        with scope(room=room, call_errors=self._errors_of_calls):
            results = run_program(self.program, list(values[:count]), state)
        needed = [] if room is None else [jnp.max(jnp.stack(room.needed))]
        return [*results, *(state[variable._id] for variable in self._changed), *needed]

    def __call__(self, given: list[Any]) -> list[Any]:
        """What the program gives for these values, on the device or on the host."""
        arrays = 0
        for place, value in enumerate(given):
            if isinstance(value, HOSTED):
                given[place] = np.array(
                    value
                )  # a copy: what JAX is given it may keep, and what it keeps must not change
                arrays += 1
        COPIES.to_device += arrays
        if self._read:
            given += values_of(self._read, self._home)
        if arrays and self._is_wide:
            with jax.enable_x64(True):
                return self._run(given)
        return self._run(given)

    def _run(self, values: list[Any]) -> list[Any]:
        if not self._changed:
            return self._call(*values)
        # (The values of variables that are only read were read before: nobody waits while holding locks.)
        return under_locks(self._locks, changed, self._changed, self._call, values)

    def _call_with_room(self, *values: object) -> list[Any]:
        """Run it; once more where there were more rounds than it has room for, with twice the room or more."""
        while True:
            room = self._room
            assert room is not None
            *results, needed = self._compiled(*values)
            if int(needed) <= room:
                return results
            with self._growing:
                if self._room == room:
                    self._room = 1 << int(needed).bit_length()
                    with settings():
                        self._compiled = self._compile(self._looks)

    def _first_call(self, *values: object) -> list[Any]:
        results: list[Any] = self._compiled(*values)
        # JAX has by now what the call comes down to; without its Python a small program takes a sixth less.
        self._call = getattr(self._compiled, "_call", None) or self._compiled
        return results


def _look_of(variable: Variable) -> Any:
    value = any_value(variable)
    return abstract(tuple(value.shape), value.dtype.numpy)


class Making:
    """What makes the executables of parts, once there are several devices (sharding.py)."""

    on: Callable[[type[Executable], Place | None], type[Executable]] | None = (
        None  # the form of a class for several devices
    )


class Parts:
    """A program as its parts: a function of arrays, on the host or on the device, to such arrays."""

    def __init__(self, program: Program, executable: type[Executable] = Executable) -> None:
        self._program = program
        refused: dict[int, str] = {}
        while True:
            self.parts = parts_of(program, refused)
            try:
                self.runs = [_host_run(part) if part.on_host else executable(part.program) for part in self.parts]
                break
            except Refused as found:
                refused[id(found.node)] = found.reason

    def __call__(self, *arrays: Any) -> list[Any]:
        if self.parts and self.parts[0].program is self._program:
            return list(self.runs[0](list(arrays)))
        values = dict(zip(self._program.inputs, arrays, strict=True))
        for part, run in zip(self.parts, self.runs, strict=True):
            results = run([values[number] for number in part.program.inputs])
            values.update(zip((output.number for output in part.program.outputs), results, strict=True))
        return [values[o.number] if o.__class__ is Value else o for o in self._program.outputs]

    @property
    def whole(self) -> Executable | None:
        """The executable, if all of the program runs on XLA."""
        is_whole = len(self.parts) == 1 and self.parts[0].program is self._program and not self.parts[0].on_host
        return self.runs[0] if is_whole else None  # type: ignore[return-value]

    @property
    def reasons(self) -> list[str]:
        """Why parts of it stay on the host."""
        return [reason for part in self.parts for reason in part.reasons]


def _host_run(part: Part) -> Callable[[list[Any]], Sequence[Any]]:
    run = python_of(part.program)
    return lambda given: run(*[on_host(value) if isinstance(value, jax.Array) else value for value in given])


class XlaForm(Form):
    """Programs on XLA, of values on the device."""

    updates_in_place = False

    def __init__(self, executable: type[Executable], graph: Graph) -> None:
        self.made: list[Parts] = []
        self._executable, self._graph = executable, graph
        self._keeps = Making.on is None
        self._has_warned = False

    def runs(self, program: Program, settle: Callable[[Run], None]) -> Parts:
        """The program in parts."""
        if len(program.nodes) > MANY_INSTRUCTIONS and not self._has_warned:
            self._has_warned = True
            self._warn(len(program.nodes))
        self.made.append(Parts(program, self._executable))
        return self.made[-1]

    def _warn(self, count: int) -> None:
        """Say that XLA will take long to compile the program, and which line is in it again and again."""
        lines = Counter(step.line for step in self._graph.steps if step.line)
        line, times = lines.most_common(1)[0] if lines else ("", 0)
        LOGGER.warning(
            "%s has %d instructions for XLA, which takes long to compile so many: some seconds for a thousand.%s",
            self._graph.name,
            count,
            f" The line {line} is in it {times} times, as in a Python loop: `for k in tf.range(n)` instead of `range(n)` is one "
            "loop on the device, compiled once."
            if times >= ROUNDS_OF_LOOP
            else "",
        )

    def given(self, tensor: EagerTensor) -> Any:
        """The value on the device, where it is there."""
        if self._keeps:
            return given(tensor)
        found = buffer_of(tensor)
        return tensor._array if found is None else found

    def tensor(self, result: Any) -> EagerTensor:
        """A tensor of a value on the device or on the host."""
        return super().tensor(result) if is_on_host(result) else on_device(result)

    def arrays(self, results: list[Any]) -> list[Any]:
        """What a program gives, fetched."""
        return [on_host(result) if isinstance(result, jax.Array) else result for result in results]


class XlaGraph(CompiledGraph):
    """A graph with the programs that were made of it for XLA."""

    form: XlaForm
    executable = Executable

    place: Place | None = None  # the device it runs on; None: where the values are

    def __init__(self, graph: Graph, specs: list[TensorSpec]) -> None:
        super().__init__(graph, specs)
        executable = self.executable if Making.on is None else Making.on(self.executable, self.place)
        self.form = XlaForm(executable, graph)

    def _takes(self, tensor: object) -> bool:
        return tensor.__class__ is DeviceTensor

    def _sizes(self, tensors: list[Any]) -> Key:
        return tuple([_sizes_of(tensor) for tensor in tensors])

    def _run(self, key: Key, tensors: list[Any]) -> Any:
        run = self._plans[key] if key in self._plans else self._planned(key, tensors)
        if run is None:
            return NotImplemented
        try:
            return run(*map(self.form.given, tensors))
        except Exception as error:
            raise explain(error) from None

    def _plan(self, key: Key, shapes: list[tuple[int, ...]]) -> Any:
        try:
            return super()._plan(key, shapes)
        except NotTogether as error:
            self._notes[key] = str(error)
            return None

    def _written(self, key: Key, program: Program, returned: object) -> Any:
        run = self.form.runs(program, lambda _: None)

        places = [place for place, output in enumerate(program.outputs) if output.__class__ is Value]
        numbers = [program.outputs[place].number for place in places]

        def tensors_of(results: list[Any]) -> Any:
            tensors = [self.form.tensor(results[place]) for place in places]
            return _filled(returned, dict(zip(numbers, tensors, strict=True)))

        executable = run.whole
        if executable is not None and key == () and len(program.inputs) == len(self._dtypes):
            looks = [program.looks[number] for number in program.inputs]
            is_one = returned.__class__ is Value
            self.direct = partial(_direct, executable, looks, self.form.given, _only if is_one else tensors_of)
        return lambda *arrays: tensors_of(run(*arrays))

    def ways(self) -> list[tuple[str, str]]:
        """How it has run so far, in words; with what stays on the host."""
        found = [(way.replace("compiled", "compiled for XLA"), reason) for way, reason in super().ways()]
        hosted = dict.fromkeys(reason for parts in self.form.made for reason in parts.reasons)
        return found + [("in parts, compiled for XLA around what stays on the host", reason) for reason in hosted]


@functools.cache
def graph_on(place: Place | None, graph: type[XlaGraph] = XlaGraph) -> type[XlaGraph]:
    """The class of graphs that run on a device: the parts that they are cut into run there, too."""
    return graph if place is None else type(graph.__name__, (graph,), {"place": place})


def _direct(
    run: Executable,
    looks: list[Look],
    value_of: Callable[[Any], Any],
    tensors_of: Callable[[list[Any]], Any],
    otherwise: Run,
    names: tuple[str, ...],
) -> Run:
    """A function of tensors of these shapes and types, which runs at once; for all else it asks `otherwise`."""
    count = len(looks)

    def call(*tensors: Any, **named: Any) -> Any:
        if len(tensors) != count or named or STEPWISE or GRADIENT_OBSERVERS or CALL_OBSERVERS:
            return otherwise(*tensors, **named)
        values = []
        for tensor, look in zip(tensors, looks):  # noqa: B905 - as long as each other
            if tensor.__class__ is not DeviceTensor and tensor.__class__ is not EagerTensor:
                return otherwise(*tensors)
            value = value_of(tensor)
            if (value.shape, value.dtype) != look:
                return otherwise(*tensors)
            values.append(value)
        try:
            return tensors_of(run(values))
        except Exception as error:
            raise explain(error) from None

    return call


def _only(results: list[jax.Array]) -> DeviceTensor:
    return on_device(results[0])


def _sizes_of(tensor: EagerTensor) -> tuple[int, ...]:
    return tuple(tensor.shape) if tensor.__class__ is DeviceTensor else tensor._array.shape


def _filled(structure: object, tensors: dict[int, EagerTensor]) -> Any:
    """What a function returns, with tensors in place of values."""
    if structure.__class__ is Value:
        return tensors[structure.number]
    return map_parts(structure, lambda part: _filled(part, tensors))
