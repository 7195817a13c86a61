"""From objects to what is stored of them: variables, traces, functions and modules, each in a list and known by number."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections import deque
from collections.abc import Mapping
from typing import Any

from ..api.generator import Generator
from ..base.errors import NotStorableError
from ..lookup import TABLES
from ..trace.concrete import CallGraph, ConcreteFunction
from ..trace.function import Function
from ..trace.graph import Graph, Step
from ..trace.printing import name_of as shown_name
from ..trace.signature import Parameters
from ..train import tracking
from ..variables.module import Module
from ..variables.variable import Variable
from .names import check_no_files, name_of
from .restored import RestoredFunction
from .values import Encoder, is_stored

Table = tuple(TABLES.values())
Traced = (Function, RestoredFunction, ConcreteFunction)


class ModelWriter(Encoder):
    """Collects an object with everything it refers to, and the traces that are its signatures."""

    def __init__(
        self,
        root: object,
        signatures: Mapping[str, ConcreteFunction] | None = None,
        aliases: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.variables: list[dict[str, Any]] = []
        self.traces: list[dict[str, Any]] = []
        self.functions: list[dict[str, Any]] = []
        self.objects: list[dict[str, Any]] = []
        self.tables: list[dict[str, Any]] = []
        self.untraced: list[str] = []  # functions that were never called
        self._numbers: dict[
            int, tuple[int, Any]
        ] = {}  # of objects, functions and variables by identity, with what has it
        self._trace_numbers: dict[int, tuple[int, Any]] = {}
        self._waiting: deque[tuple[Any, dict[str, Any]]] = deque()
        self._lenient = False
        self._number(root, self.objects)
        self.signatures = {name: self._trace(concrete) for name, concrete in (signatures or {}).items()}
        self.aliases = {name: self._number(function, self.functions) for name, function in (aliases or {}).items()}
        while self._waiting:
            value, description = self._waiting.popleft()
            description.update(self._function(value) if isinstance(value, Traced) else self._object(value))

    def content(self) -> dict[str, Any]:
        """What the index of the files says."""
        return {
            "variables": self.variables,
            "traces": self.traces,
            "functions": self.functions,
            "objects": self.objects,
            "signatures": self.signatures,
            "aliases": self.aliases,
            "tables": self.tables,
        }

    # --- what is known by number -----------------------------------------------------------------------------------

    def special(self, value: object) -> Any:
        """Variables, graphs, functions and modules."""
        variable = tracking.variable_in(value)
        if variable is not None:
            return {"variable": self._variable(variable)}
        if isinstance(value, Graph):
            return {"graph": self._graph(value)}
        if isinstance(value, Traced):
            if isinstance(value, ConcreteFunction):
                self._trace(value)  # (a trace that is given another comes after it)
            return {"traced": self._number(value, self.functions)}
        if isinstance(value, Table):
            return {"table": self._table(value)}
        if isinstance(value, Generator):
            return {"generator": [self._variable(value._state), value._alg]}
        if isinstance(value, Module) or (self._lenient and is_module(value)):
            return {"object": self._number(value, self.objects)}
        return None

    def encode(self, value: object) -> Any:
        """The value as JSON; in attributes, what cannot be stored is left out."""
        try:
            return super().encode(value)
        except NotStorableError:
            if not self._lenient:
                raise
            return {"left_out": type(value).__name__}

    def _number(self, value: object, kept: list[dict[str, Any]]) -> int:
        """The number of a function or a module, which is described when its turn comes."""
        if id(value) not in self._numbers:
            self._numbers[id(value)] = (len(kept), value)
            kept.append({})
            self._waiting.append((value, kept[-1]))
        return self._numbers[id(value)][0]

    def _variable(self, variable: Variable) -> int:
        if -variable._id not in self._numbers:
            number = len(self.variables)
            self._numbers[-variable._id] = (number, variable)
            key = f"variable/{number}"
            self.arrays[key] = variable._value._array
            self.variables.append(
                {
                    "name": variable.name,
                    "trainable": variable.trainable,
                    "shape": self.encode(variable.shape),
                    "value": key,
                }
            )
        return self._numbers[-variable._id][0]

    def _table(self, table: Any) -> int:
        if id(table) not in self._numbers:
            self._numbers[id(table)] = (len(self.tables), table)
            keys, values = table.export()
            self.tables.append(
                {
                    "class": type(table).__name__,
                    "name": table.name,
                    "keys": self.encode(keys),
                    "values": self.encode(values),
                    "default": self.encode(table.default_value),
                    "settings": self.encode(table._settings()),
                }
            )
        return self._numbers[id(table)][0]

    def _object(self, value: object) -> dict[str, Any]:
        self._lenient = True
        try:
            attributes = {name: self.encode(part) for name, part in attributes_of(value).items() if is_stored(name)}
        except RecursionError as error:
            raise NotStorableError(
                f"An attribute of a {type(value).__name__} is nested too deeply, or contains itself: {error}."
            ) from None
        finally:
            self._lenient = False
        return {"class": type(value).__name__, "attributes": attributes}

    # --- functions -------------------------------------------------------------------------------------------------

    def _trace(self, concrete: ConcreteFunction) -> int:
        """The number of a trace. Those that it calls come before it."""
        if id(concrete) not in self._trace_numbers:
            described = self._concrete(concrete)
            self._trace_numbers[id(concrete)] = (len(self.traces), concrete)
            self.traces.append(described)
        return self._trace_numbers[id(concrete)][0]

    def _function(self, function: Any) -> dict[str, Any]:
        if isinstance(function, ConcreteFunction):
            return {"name": function.name, "trace": self._trace(function)}
        traces = traces_of(function)
        if not traces:
            self.untraced.append(function.name)
        return {
            "name": function.name,
            "parameters": self._parameters(function._parameters),
            "signature": self.encode(function.input_signature),
            "traces": [self._trace(trace) for trace in traces],
        }

    def _parameters(self, parameters: Parameters) -> list[list[Any]]:
        described = []
        for parameter in parameters.signature.parameters.values():
            defaults = []  # one or none
            if parameter.default is not inspect.Parameter.empty:
                with contextlib.suppress(NotStorableError):  # (it must be given then)
                    defaults.append(self.encode(parameter.default))
            described.append([parameter.name, parameter.kind.name, defaults])
        return described

    def _concrete(self, concrete: ConcreteFunction) -> dict[str, Any]:
        specs, arguments = concrete.all_specs, concrete.arguments
        if concrete.enclosed:  # only the graph around it calls it, with tensors in order
            arguments = tuple(specs), {}
        try:
            return {
                "name": concrete.name,
                "specs": [self.encode(spec) for spec in specs],
                "arguments": self.encode(arguments),
                "parameters": self._parameters(concrete._parameters),
                "outputs": self.encode(concrete.structured_outputs),
                "graph": self._graph(concrete.graph),
            }
        except (NotStorableError, RecursionError) as error:
            raise NotStorableError(f"The function {concrete.name!r} cannot be saved: {error}") from error

    def _graph(self, graph: Graph) -> dict[str, Any]:
        return {
            "name": graph.name,
            "inputs": self.encode(graph.inputs),
            "steps": [self._step(step) for step in graph.steps],
            "outputs": self.encode(graph.outputs),
            "specs": [[number, self.encode(spec)] for number, spec in graph.specs.items()],
        }

    def _step(self, step: Step) -> dict[str, Any]:
        try:
            if isinstance(step.function, CallGraph):
                call: list[Any] = ["trace", self._trace(step.function.concrete)]
            else:
                call = name_of(step.function)
            check_no_files(step.function, step.args, step.kwargs)
            return {
                "call": call,
                "args": [self.encode(value) for value in step.args],
                "kwargs": {name: self.encode(value) for name, value in step.kwargs.items()},
                "results": self.encode(step.results),
                "line": os.path.basename(step.line),  # (without the folder, which is private)
            }
        except NotStorableError as error:
            if "(step " in str(error):  # a step of a graph inside this one
                raise
            raise NotStorableError(f"{error} (step {shown_name(step.function)!r}, line {step.line})") from error


# --- what objects are made of ----------------------------------------------------------------------------------------------


def is_module(value: Any) -> bool:
    """Whether the attributes of a value are stored with it."""
    if isinstance(value, (type, list, tuple, dict, *Traced)):  # (Keras has lists of its own)
        return False
    return (
        isinstance(value, Module)
        or hasattr(type(value), "_trackable_children")
        or tracking.is_of_keras(value.__class__)
    )


def attributes_of(value: object) -> dict[str, Any]:
    """The attributes of a module that are stored: its own, and the traced functions of its class."""
    if isinstance(value, Module):
        ignored = {"_signatures", *value._TF_MODULE_IGNORED_PROPERTIES}
        attributes = {name: part for name, part in vars(value).items() if name not in ignored}
    else:
        attributes = {name: part for name, part in tracking.children_of(value).items() if part is not value}
    for name in dir(type(value)):
        if isinstance(inspect.getattr_static(type(value), name, None), Function) and name not in attributes:
            attributes[name] = getattr(value, name)
    return attributes


def traces_of(function: Any) -> list[ConcreteFunction]:
    """The traces of a function; one that was never called, but has a signature, is traced now."""
    if isinstance(function, RestoredFunction):
        return function.concrete_functions
    if not function._all_traces() and function.input_signature is not None:
        function.get_concrete_function()
    traces: list[ConcreteFunction] = function._all_traces()
    return traces
