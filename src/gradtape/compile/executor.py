"""Runs graphs as compiled programs, one for each set of sizes, also under a tape that is open outside."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from ..base.context import ACTIVE, STATE
from ..base.errors import GradientLookupError
from ..base.generated import Names
from ..base.locks import new_rlock
from ..differentiation.forward import ForwardAccumulator
from ..op.call import CALL_OBSERVERS, STEPWISE
from ..trace.concrete import Executor, interpret
from ..trace.ghost import Ghost, NeedsValue
from ..trace.graph import Environment, Graph, Ref, bind, leaves, map_parts
from ..values.tensor import EagerTensor, TensorSpec, from_array
from ..variables.variable import Variable
from .advanced import Advanced
from .codegen import explain, packed, python_of
from .fusion import whole_function
from .lowering import Lowering
from .passes import optimized
from .program import Value
from .recorded import Computation, Recorded
from .warming import Warming

LOGGER = logging.getLogger("gradtape")

Key = tuple[tuple[int, ...], ...]


def compiled(graph: Graph, specs: list[TensorSpec]) -> Executor | None:
    """An executor that compiles the graph when it knows the sizes; None for a graph that is left to the interpreter."""
    return CompiledGraph(graph, specs)


class CompiledGraph:
    """A graph with the programs that were made of it."""

    def __init__(self, graph: Graph, specs: list[TensorSpec]) -> None:
        self._graph = graph
        self._static = all(spec.shape.is_fully_defined() for spec in specs)
        self._dtypes = [spec.dtype.numpy for spec in specs]
        self._plans: dict[Key, Any] = {}  # by sizes: a generated Python function, or None to interpret the graph
        self._recorded: dict[tuple[Key, tuple[int, ...]], Recorded | None] = {}
        self._advanced: dict[tuple[Key, tuple[int, ...], tuple[int, ...]], Advanced | None] = {}
        # Makes a function of tensors in machine code, which calls what it is given for anything else; None until there is one.
        self.direct: Callable[[Callable[..., Any]], Any] | None = None
        self._lock = new_rlock()
        self.reasons: dict[Any, str] = {}  # why a graph is interpreted, by what it could not be compiled for
        constants = [value for value in graph.constants() if value.dtype.is_differentiable]
        self._captured = [value for value in constants if value.__class__ is EagerTensor]
        self._variables = [value for value in constants if isinstance(value, Variable)]
        # Tensors captured by Python functions that a step calls are not visible here.
        self._calls_python = any(isinstance(value, (FunctionType, MethodType)) for value in graph.given())

    def __call__(self, tensors: list[Any]) -> Any:
        for tensor in tensors:
            if tensor.__class__ is not EagerTensor:
                return interpret(self._graph, tensors)
        if STEPWISE:
            return interpret(self._graph, tensors)
        key: Key = () if self._static else tuple([tensor._array.shape for tensor in tensors])
        if ACTIVE and (STATE.tapes or STATE.accumulators or STATE.readers):
            result = self._under_tapes(key, tensors)
        else:
            result = self._run(key, tensors)
            if result is NotImplemented:
                return interpret(self._graph, tensors)
        for observe in CALL_OBSERVERS:
            observe(self._graph.name)
        return result

    def run_compiled(self, tensors: list[Any]) -> Any:
        """Run a compiled program on tensors of any sizes; NotImplemented where there is none."""
        return self._run(tuple([tensor._array.shape for tensor in tensors]), tensors)

    def _run(self, key: Key, tensors: list[Any]) -> Any:
        try:
            run = self._plans[key]
        except KeyError:
            run = self._planned(key, tensors)
        if run is None:
            return NotImplemented
        try:
            return run(*[tensor._array for tensor in tensors])
        except Exception as error:
            raise explain(error) from None

    def _planned(self, key: Key, tensors: list[Any]) -> Any:
        with self._lock:
            if key not in self._plans:
                self._plans[key] = self._plan(key, [tensor._array.shape for tensor in tensors])
            return self._plans[key]

    def _plan(self, key: Key, shapes: list[tuple[int, ...]]) -> Any:
        try:
            world, structure, _ = lowered(self._graph, shapes, self._dtypes)
        except NeedsValue as error:
            self.reasons[key] = str(error)
            return None
        program = optimized(world.program)

        returned = _renamed(structure, iter(program.outputs))
        if packed(returned, Names()) is None:
            self.reasons[key] = "It returns what a program cannot."
            return None

        def write(whole: bool) -> Any:
            names = Names()
            run = python_of(program, packed(returned, names), names, whole=False)
            if not whole:
                return run
            code = whole_function(program, returned)
            if code is None:
                names = Names()
                return python_of(program, packed(returned, names), names, whole=True)
            self.direct = code.function
            return code.function(run)

        return Warming(program, write, lambda run: self._plans.__setitem__(key, run))

    def ways(self) -> list[tuple[str, str]]:
        """How it has run so far, in words: each way with the reason where it is interpreted."""
        found: list[tuple[str, Any, Any]] = [("alone", key, made) for key, made in self._plans.items()]
        found += [("under a tape", key, made) for key, made in self._recorded.items()]
        found += [("under an accumulator", key, made) for key, made in self._advanced.items()]
        ways = [
            (f"{how}, {'interpreted' if made is None else 'compiled'}", self.reasons.get(key, ""))
            for how, key, made in found
        ]
        if self._calls_python:
            ways.append(
                ("under a tape, interpreted", "A step calls a Python function, whose tensors a tape may follow.")
            )
        return ways

    def _under_tapes(self, key: Key, tensors: list[Any]) -> Any:
        """A call under a tape: one record for the whole call, unless a tape needs more."""
        # Tapes with their own class of records need each op: for nan-safe steps, or to recompute it.
        if self._calls_python or any(records.__class__ is not dict for records in STATE.tapes):
            return interpret(self._graph, tensors)
        if STATE.accumulators:
            return interpret(self._graph, tensors) if STATE.tapes else self._advanced_by(key, tensors)
        followed = [
            tensor for tensor in self._captured if tensor._id and any(tensor._id in records for records in STATE.tapes)
        ]
        kind = key, tuple([tensor._id for tensor in followed])
        failure = None
        try:
            recorded = self._recorded[kind]
        except KeyError:
            looks = [(tensor._array.shape, tensor._array.dtype) for tensor in (*tensors, *followed)]
            recorded, failure = self._differentiated(
                self._recorded, kind, lambda: Recorded(Computation(self._graph, followed), looks)
            )
        return self._interpreted(tensors, failure) if recorded is None else recorded([*tensors, *followed])

    def _differentiated(
        self, found: dict[Any, Any], kind: object, make: Callable[[], Any]
    ) -> tuple[Any, Exception | None]:
        """The graph compiled together with its derivative, and kept in `found`.

        None where that is not possible, with the error if it was not an expected one.
        """
        with self._lock:
            if kind not in found:
                try:
                    found[kind] = make()
                except (
                    NeedsValue,
                    GradientLookupError,
                ) as error:  # (the second is raised where somebody asks for the gradient)
                    found[kind] = None
                    self.reasons[kind] = str(error)
                except Exception as error:
                    found[kind] = None
                    self.reasons[kind] = str(error)
                    return None, error
            return found[kind], None

    def _interpreted(self, tensors: list[Any], failure: Exception | None) -> Any:
        """Run step by step, then log why the graph was not compiled. If the run itself raises an error, that error is enough."""
        result = interpret(self._graph, tensors)
        if failure is not None:
            LOGGER.debug(
                "%s could not be compiled together with its derivative, and runs step by step: the results are the same, and "
                "take longer. If the error below does not come from your own code, please report it.",
                self._graph.name,
                exc_info=failure,
            )
        return result

    def _advanced_by(self, key: Key, tensors: list[Any]) -> Any:
        """A call that an accumulator follows: the results have tangents."""
        accumulator = STATE.accumulators[0]
        if len(STATE.accumulators) > 1 or not isinstance(accumulator, ForwardAccumulator):
            return interpret(self._graph, tensors)
        followed = [place for place, tensor in enumerate(tensors) if accumulator.follows(tensor._id)]
        captured = [tensor for tensor in self._captured if accumulator.follows(tensor._id)]
        variables = [variable for variable in self._variables if accumulator.follows(variable._id)]
        sources = [*(tensors[place] for place in followed), *captured, *variables]
        tangents = accumulator.jvp(sources)
        if any(tangent.__class__ is not EagerTensor for tangent in tangents):
            return interpret(self._graph, tensors)
        kind = key, tuple(followed), tuple(source._id for source in sources[len(followed) :])
        failure = None
        try:
            advanced = self._advanced[kind]
        except KeyError:
            shapes = [tensor._array.shape for tensor in tensors]
            advanced, failure = self._differentiated(
                self._advanced, kind, lambda: Advanced(self._graph, shapes, self._dtypes, captured, followed, variables)
            )
        if advanced is None:
            return self._interpreted(tensors, failure)
        return advanced([tensor._array for tensor in (*tensors, *captured)], tangents, accumulator)


class CompiledBody:
    """A branch or the body of a loop as a compiled graph, when no tape records."""

    def __init__(self, graph: Graph) -> None:
        self._numbers = [*(leaf.number for leaf in leaves(graph.inputs) if leaf.__class__ is Ref), *graph.free()]
        self._graph = Graph(
            graph.steps,
            tuple(map(Ref, self._numbers)),
            graph.outputs,
            name=graph.name,
            seed=graph.seed,
            number=graph.number,
        )
        self._compiled: dict[Any, CompiledGraph] = {}

    def __call__(self, environment: Environment) -> Any:
        tensors = [environment[number] for number in self._numbers]
        for tensor in tensors:
            if tensor.__class__ is not EagerTensor:
                return NotImplemented
        kinds = tuple([tensor._array.dtype for tensor in tensors])
        compiled = self._compiled.get(kinds)
        if compiled is None:
            specs = [TensorSpec(None, tensor.dtype) for tensor in tensors]
            compiled = self._compiled[kinds] = CompiledGraph(self._graph, specs)
        return compiled.run_compiled(tensors)


def lowered(graph: Graph, shapes: list[tuple[int, ...]], dtypes: list[Any]) -> tuple[Lowering, Any, list[Ghost]]:
    """The graph as a program for these sizes: the lowering, the structure it returns with Values in it, and its inputs."""
    world = Lowering()
    inputs = [world.input(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    environment = Environment({})
    bind(graph.inputs, tuple(inputs), environment.values)
    try:
        with world.running():
            results = graph.run(environment)
    finally:
        world.close()
    structure = as_values(results)
    world.program.outputs = [leaf for leaf in leaves(structure) if leaf.__class__ is Value]
    return world, structure, inputs


def as_values(results: Any) -> Any:
    """Values in place of abstract values."""
    return Value(results.number) if results.__class__ is Ghost else map_parts(results, as_values)


def _renamed(structure: Any, outputs: Any) -> Any:
    """The structure, filled with the values that a call of the program returned."""
    if structure.__class__ is Value:
        output = next(outputs)
        return output if output.__class__ is Value else from_array(output)
    return map_parts(structure, lambda part: _renamed(part, outputs))
