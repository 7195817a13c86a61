"""From stored data to objects: the inverse of `writer`. All data is checked before it is used, and nothing is run."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Mapping
from typing import Any

from ..api.generator import Generator
from ..base.dtypes import Array
from ..base.shapes import TensorShape
from ..lookup import TABLES
from ..trace.concrete import CallGraph, ConcreteFunction
from ..trace.graph import Graph, Ref, Step, leaves
from ..trace.signature import Encoder, Parameters
from ..values.tensor import EagerTensor, Tensor, TensorSpec, to_tensor
from ..variables.variable import Variable
from .names import check_no_files, function_named
from .restored import CallableModule, LoadedModule, RestoredFunction
from .values import Decoder, is_stored, text_or_none, whole

_PARTS_OF_TABLE = ("keys", "values", "default", "settings")
_KINDS = {kind.name: kind for kind in inspect._ParameterKind}


class ModelReader(Decoder):
    """The parts of a saved model, made in the order in which they need each other."""

    def __init__(self, content: dict[str, Any], arrays: Mapping[str, Array]) -> None:
        super().__init__(arrays)
        self.objects: list[LoadedModule] = [_empty(described) for described in content["objects"]]
        self.variables: list[Variable] = []
        self._values: dict[str, Tensor] = {}  # of variables, by key
        self.traces: list[ConcreteFunction] = []
        self._described: list[dict[str, Any]] = content["functions"]
        self.functions: list[Any] = list(map(_unmade, self._described))
        self.tables: list[Any] = []
        self._scopes: list[set[int]] = []  # the numbers that are defined in the graphs around the present place
        self.kinds.update(
            {
                "variable": lambda number: self.variables[whole(number, len(self.variables))],
                "graph": self._graph,
                "traced": self.function,
                "generator": self._generator,
                "table": lambda number: self.tables[whole(number, len(self.tables))],
                "object": lambda number: self.objects[whole(number, len(self.objects))],
            }
        )
        for described in content["variables"]:
            self.variables.append(self._variable(described))
        for described in content.get("tables", []):
            self.tables.append(self._table(described))
        for described in content["traces"]:
            self.traces.append(self._trace(described))
        for number, described in enumerate(self._described):
            self._make(self.function(number), described)
        for module, described in zip(self.objects, content["objects"], strict=True):
            attributes = module.__dict__  # (taken once: a stored attribute stands before those of the class)
            for name, value in described["attributes"].items():
                if is_stored(name):
                    attributes[name] = self.decode(value)
        if not self.objects:
            raise ValueError("it has no objects")

    def trace(self, number: Any) -> ConcreteFunction:
        """The trace of a number; a trace can only call those that came before it."""
        return self.traces[whole(number, len(self.traces))]

    # --- variables and functions -----------------------------------------------------------------------------------

    def _variable(self, described: dict[str, Any]) -> Variable:
        key, shape = described["value"], self.decode(described["shape"])
        if key not in self._values:  # (once, however many variables begin with it)
            self._values[key] = to_tensor(self._arrays[key])
        value = self._values[key]
        if not isinstance(shape, TensorShape) or not shape.is_compatible_with(value.shape):
            raise ValueError(f"a variable of shape {shape} has a value of shape {value.shape}")
        variable: Variable = Variable(value, trainable=bool(described["trainable"]), shape=shape)
        variable._name = str(described["name"])  # (without the name scope that is open during loading)
        return variable

    def _generator(self, content: Any) -> Generator:
        number, algorithm = content
        return Generator(state=self.variables[whole(number, len(self.variables))], alg=whole(algorithm))

    def _table(self, described: dict[str, Any]) -> Any:
        keys, values, default, settings = map(self.decode, [described[name] for name in _PARTS_OF_TABLE])
        if not all(isinstance(tensor, EagerTensor) for tensor in (keys, values, default)):
            raise ValueError("the entries of a table are no tensors")
        return TABLES[described["class"]]._restored(keys, values, default, text_or_none(described["name"]), settings)

    def function(self, number: Any) -> Any:
        """The function of a number; a trace may be given one whose own traces come later."""
        place = whole(number, len(self.functions))
        if self.functions[place] is None:
            self.functions[place] = self.trace(self._described[place]["trace"])
        return self.functions[place]

    def _make(self, function: object, described: dict[str, Any]) -> None:
        if not isinstance(function, RestoredFunction):
            return
        signature = self.decode(described["signature"])
        if signature is not None and not isinstance(signature, tuple):
            raise ValueError(f"a function has the signature {signature!r}")
        traces = [self.trace(number) for number in described["traces"]]
        function.__init__(str(described["name"]), self._parameters(described["parameters"]), signature, traces)  # type: ignore[misc]

    def _parameters(self, described: Any) -> Parameters:
        parameters = []
        for name, kind, defaults in described:
            default = self.decode(defaults[0]) if defaults else inspect.Parameter.empty
            parameters.append(inspect.Parameter(name, _KINDS[kind], default=default))
        return parameters_of(inspect.Signature(parameters))

    # --- graphs ----------------------------------------------------------------------------------------------------

    def _trace(self, described: dict[str, Any]) -> ConcreteFunction:
        specs = [self.decode(spec) for spec in described["specs"]]
        arguments = self.decode(described["arguments"])
        graph = self._graph(described["graph"])
        if not all(isinstance(spec, TensorSpec) for spec in specs):
            raise ValueError(f"a trace takes {specs!r}")
        if not isinstance(graph.inputs, tuple) or len(graph.inputs) != len(specs):
            raise ValueError(f"a trace takes {len(specs)} tensors, and its graph {graph.inputs!r}")
        args, kwargs = arguments
        if not isinstance(args, tuple) or not isinstance(kwargs, dict):
            raise ValueError(f"a trace has the arguments {arguments!r}")
        taken = Encoder()
        taken.key(arguments)
        if taken.tensors != specs:
            raise ValueError("the arguments of a trace are not the tensors that it takes")
        graph.captured = _captured_by(graph)
        outputs, parameters = self.decode(described["outputs"]), self._parameters(described["parameters"])
        return ConcreteFunction(graph, str(described["name"]), specs, arguments, outputs, parameters)

    def _graph(self, described: dict[str, Any]) -> Graph:
        inputs = self.decode(described["inputs"])
        self._scopes.append(_numbers(inputs))
        steps = [self._step(step) for step in described["steps"]]
        outputs = self._seen(self.decode(described["outputs"]))
        specs = {whole(number): self.decode(spec) for number, spec in described["specs"]}
        self._scopes.pop()
        if not all(isinstance(spec, TensorSpec) for spec in specs.values()):
            raise ValueError("a graph has a spec that is none")
        return Graph(steps, inputs, outputs, specs, str(described["name"]))

    def _step(self, described: dict[str, Any]) -> Step:
        kind, name = described["call"]
        function = CallGraph(self.trace(name)) if kind == "trace" else function_named(kind, name)
        args = self._seen(tuple([self.decode(value) for value in described["args"]]))
        kwargs = self._seen({name: self.decode(value) for name, value in described["kwargs"].items()})
        check_no_files(function, args, kwargs)
        results = self.decode(described["results"])
        self._scopes[-1] |= _numbers(results)
        return Step(function, args, kwargs, results, str(described["line"]))

    def _seen(self, value: object) -> Any:
        """The value, if everything that it refers to was computed before."""
        for number in _numbers(value):
            if not any(number in scope for scope in self._scopes):
                raise ValueError(f"a step uses the value %{number}, which none has computed")
        return value


def parameters_of(signature: inspect.Signature) -> Parameters:
    """The parameters of a function that was stored with its signature only."""

    def function(*args: Any, **kwargs: Any) -> None:
        """Never called."""

    function.__signature__ = signature  # type: ignore[attr-defined]
    return Parameters(function)


def _unmade(described: dict[str, Any]) -> RestoredFunction | None:
    """A function whose parts are set later; None in place of a trace."""
    return None if "trace" in described else RestoredFunction.__new__(RestoredFunction)


def _empty(described: dict[str, Any]) -> LoadedModule:
    """A module whose attributes are set later, since they may lead back to it."""
    cls = CallableModule if "__call__" in described["attributes"] else LoadedModule
    module = cls.__new__(cls)
    vars(module)["_class_name"] = str(described["class"])
    return module


def _captured_by(graph: Graph) -> dict[int, weakref.ref[Any]]:
    """What a graph refers to: its own tensors and variables, and those of the traces it calls, which came before it."""
    found = {id(value): weakref.ref(value) for value in graph.constants(called=False)}
    for inner in graph.graphs(called=False):
        for step in inner.steps:
            if isinstance(step.function, CallGraph):
                found.update(step.function.concrete.graph.captured)
    return found


def _numbers(value: Any) -> set[int]:
    return {leaf.number for leaf in leaves(value) if leaf.__class__ is Ref}
