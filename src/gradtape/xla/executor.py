"""Runs the programs of a function on XLA: one executable for each set of sizes, values and variables stay on the device.

Compiled ahead of time, an executable does not ask for JAX's settings when it is called; while it is made they are those that our
programs need, in this thread and block alone. A JAX program beside gradtape notices nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from ..compile.codegen import explain, python_of
from ..compile.executor import CompiledGraph, Key
from ..compile.program import Program, Value
from ..compile.warming import Form, Run
from ..trace.graph import Graph, map_parts
from ..values.tensor import EagerTensor, TensorSpec
from ..variables.in_place import any_value, put_back, take_out, under_locks
from ..variables.variable import Variable
from .arrays import (
    COPIES,
    DeviceTensor,
    abstract,
    buffer_of,
    is_on_host,
    on_device,
    on_host,
    own_buffers,
    replace_buffers,
    value_of,
)
from .lowering import Refused, run_program, touched
from .parts import Part, parts_of


@contextlib.contextmanager
def settings() -> Iterator[None]:
    """What programs need of JAX while it traces them: all types, NumPy's broadcasts."""
    with jax.enable_x64(True), jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        yield


class Executable:
    """A part on XLA: a function of arrays, of the variables it reads and of those it changes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        variables = {number: variable for number, variable, _ in touched(program)}
        changed = {number: variables[number] for number, _, is_changed in touched(program) if is_changed}
        self._changed: list[Variable] = list(changed.values())
        self._read: list[Variable] = [variable for number, variable in variables.items() if number not in changed]
        given = [abstract(*program.looks[number]) for number in program.inputs]
        kept = [_look_of(variable) for variable in (*self._read, *self._changed)]
        count = len(given) + len(kept)
        self._donated = range(count - len(self._changed), count)
        with settings():
            self._compiled = self._compile([*given, *kept])

    def _compile(self, looks: list[Any]) -> Callable[..., Any]:
        # (All values by their places: nested arguments take JAX longer than the work of a small program.)
        found: Callable[..., Any] = jax.jit(self._step, donate_argnums=self._donated).lower(*looks).compile()
        return found

    def _step(self, *values: Any) -> list[Any]:
        """What jax traces: what the program gives, then the variables that it changes."""
        count = len(self.program.inputs)
        variables = (*self._read, *self._changed)
        state = {variable._id: value for variable, value in zip(variables, values[count:], strict=True)}
        results = run_program(self.program, list(values[:count]), state)
        return [*results, *(state[variable._id] for variable in self._changed)]

    def __call__(self, given: list[Any]) -> list[Any]:
        if self._changed:
            return under_locks(self._changed, lambda: self._change(given))
        return self._run(given, [])

    def _run(self, given: list[Any], changed: list[Any]) -> list[Any]:
        read = [value_of(variable) for variable in self._read]
        if not any(map(is_on_host, given)):
            return self._compiled(*given, *read, *changed)  # type: ignore[no-any-return]
        # A copy: what JAX is given it may keep, and what it keeps must not change.
        arrays = [np.array(value) if is_on_host(value) else value for value in given]
        COPIES.to_device += sum(map(is_on_host, given))
        with jax.enable_x64(True):  # else JAX makes float64 float32
            return self._compiled(*arrays, *read, *changed)  # type: ignore[no-any-return]

    def _change(self, given: list[Any]) -> list[Any]:
        """Run it on the values of the variables that it changes, which are taken out of them: their memory is used again."""
        values: list[Any] = []
        try:
            for variable in self._changed:
                if variable.__dict__.get("_value").__class__ is not DeviceTensor:
                    value_of(variable)
                take_out(variable, values)
            results = self._run(given, own_buffers(values))
            count = len(results) - len(values)
            replace_buffers(values, results[count:])
            return results[:count]
        finally:
            put_back(self._changed, values)


def _look_of(variable: Variable) -> Any:
    value = any_value(variable)
    return abstract(tuple(value.shape), value.dtype.numpy)


class Making:
    """What runs a part on XLA: another class where there are several devices (sharding.py)."""

    executable = Executable


class Parts:
    """A program as its parts: a function of arrays, on the host or on the device, to such arrays."""

    def __init__(self, program: Program) -> None:
        self._program = program
        refused: dict[int, str] = {}
        while True:
            self.parts = parts_of(program, refused)
            try:
                self.runs = [
                    _host_run(part) if part.on_host else Making.executable(part.program) for part in self.parts
                ]
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
    def reasons(self) -> list[str]:
        """Why parts of it stay on the host."""
        return [reason for part in self.parts for reason in part.reasons]


def _host_run(part: Part) -> Callable[[list[Any]], Sequence[Any]]:
    run = python_of(part.program)
    return lambda given: run(*[on_host(value) if isinstance(value, jax.Array) else value for value in given])


class XlaForm(Form):
    """Programs on XLA, of values on the device."""

    updates_in_place = False

    def __init__(self) -> None:
        self.made: list[Parts] = []

    def runs(self, program: Program, settle: Callable[[Run], None]) -> Run:
        """The program in parts."""
        self.made.append(Parts(program))
        return self.made[-1]

    def given(self, tensor: EagerTensor) -> Any:
        """The value on the device, where it is there."""
        found = buffer_of(tensor)
        return tensor._array if found is None else found

    def tensor(self, result: Any) -> EagerTensor:
        """A tensor of a value on the device or on the host."""
        return super().tensor(result) if is_on_host(result) else on_device(result)


class XlaGraph(CompiledGraph):
    """A graph with the programs that were made of it for XLA."""

    form: XlaForm

    def __init__(self, graph: Graph, specs: list[TensorSpec]) -> None:
        super().__init__(graph, specs)
        self.form = XlaForm()

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

    def _written(self, key: Key, program: Program, returned: Any) -> Any:
        run = self.form.runs(program, lambda _: None)

        def call(*arrays: Any) -> Any:
            made = {
                o.number: value for o, value in zip(program.outputs, run(*arrays), strict=True) if o.__class__ is Value
            }
            return _filled(returned, {number: self.form.tensor(value) for number, value in made.items()})

        return call

    def ways(self) -> list[tuple[str, str]]:
        """How it has run so far, in words; with what stays on the host."""
        found = [(way.replace("compiled", "compiled for XLA"), reason) for way, reason in super().ways()]
        hosted = dict.fromkeys(reason for parts in self.form.made for reason in parts.reasons)
        return found + [("in parts, compiled for XLA around what stays on the host", reason) for reason in hosted]


def _sizes_of(tensor: EagerTensor) -> tuple[int, ...]:
    return tuple(tensor.shape) if tensor.__class__ is DeviceTensor else tensor._array.shape


def _filled(structure: Any, tensors: dict[int, EagerTensor]) -> Any:
    """What a function returns, with tensors in place of values."""
    if structure.__class__ is Value:
        return tensors[structure.number]
    return map_parts(structure, lambda part: _filled(part, tensors))
