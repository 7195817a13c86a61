"""Runs graphs as compiled programs, one for each set of sizes, also under a tape that is open outside."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter_ns
from types import FunctionType, MethodType
from typing import Any

from ..base.context import ACTIVE, STATE
from ..base.errors import GradientLookupError
from ..base.generated import Names
from ..base.locks import new_rlock
from ..base.sizes import Undecided
from ..differentiation.forward import ForwardAccumulator
from ..op.call import BEGAN, CALL_OBSERVERS, GRADIENT_OBSERVERS, STEPWISE
from ..trace.abstract_tensor import AbstractTensor
from ..trace.concrete import interpret
from ..trace.engines import Executor
from ..trace.graph import Environment, Graph, Ref, bind, leaves, map_parts
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array
from ..variables.variable import Variable
from .codegen import explain, packed, python_of
from .deferred import calls_in
from .forward_mode import Advanced
from .fusion import whole_function
from .lowering import Lowering
from .parts import Parts
from .passes import optimized
from .program import Program, Value
from .recorded import Computation, Recorded
from .warming import NATIVE, Warming

LOGGER = logging.getLogger("gradtape")

Key = tuple[tuple[int, ...], ...]

_OBSERVED = (-1,)  # in a key, beside the sizes: the program also shows its gradients to who observes them


def compiled(graph: Graph, specs: list[TensorSpec]) -> Executor | None:
    """An executor that compiles the graph when it knows the sizes; None for a graph that is left to the interpreter."""
    return CompiledGraph(graph, specs)


class CompiledGraph:
    """A graph with the programs that were made of it."""

    form = NATIVE

    def __init__(self, graph: Graph, specs: list[TensorSpec]) -> None:
        self._graph = graph
        self._static = all(spec.shape.is_fully_defined() for spec in specs)
        self._dtypes = [spec.dtype.numpy for spec in specs]
        self._plans: dict[Key, Any] = {}  # by sizes: a generated Python function, or None to interpret the graph
        self._recorded: dict[tuple[Key, tuple[int, ...]], Recorded | None] = {}
        self._advanced: dict[tuple[Key, tuple[int, ...], tuple[int, ...]], Advanced | None] = {}
        # Makes a function of tensors in machine code, which calls what it is given for anything else; None until there is one.
        self.direct: Callable[[Callable[..., Any], tuple[str, ...]], Any] | None = None
        self._parts: dict[bool, Parts] = {}
        self._takes_gradients: bool | None = None  # not looked at yet
        self._lock = new_rlock()
        self._notes: dict[Any, str] = {}  # by plan: why the graph is interpreted, or what a compiled one calls
        constants = [value for value in graph.constants() if value.dtype.is_differentiable]
        self._captured = [value for value in constants if value.__class__ is EagerTensor]
        self._variables = [value for value in constants if isinstance(value, Variable)]
        # Tensors captured by Python functions that a step calls are not visible here.
        self._asks_around = graph.asks_around()
        self._calls_python = any(isinstance(value, (FunctionType, MethodType)) for value in graph.given())

    def __call__(self, tensors: list[Any]) -> Any:
        for tensor in tensors:
            if tensor.__class__ is not EagerTensor and not self._takes(tensor):
                return interpret(self._graph, tensors)
        if STEPWISE:
            return interpret(self._graph, tensors)
        if CALL_OBSERVERS:
            return self._shown(tensors)
        return self.run(tensors)

    def _shown(self, tensors: list[Any]) -> Any:
        """Run, and show the call to who observes calls."""
        began = perf_counter_ns()
        result = self.run(tensors)
        BEGAN[0] = began
        for observe in CALL_OBSERVERS:
            observe(self._graph.name)
        return result

    def _takes(self, tensor: object) -> bool:
        """Whether programs take a tensor of another class: one whose value is elsewhere is fetched."""
        return isinstance(tensor, EagerTensor) and tensor._array is not None

    def _sizes(self, tensors: list[Any]) -> Key:
        return tuple([tensor._array.shape for tensor in tensors])

    def run(self, tensors: list[Any]) -> Any:
        """Run on eager tensors, whoever follows them."""
        key: Key = () if self._static else self._sizes(tensors)
        if GRADIENT_OBSERVERS:
            key = self._observed(key)
        if self._asks_around:
            return self._around(key, tensors)
        if ACTIVE and (STATE.tapes or STATE.accumulators or STATE.readers):
            return self._under_tapes(key, tensors)
        result = self._run(key, tensors)
        return self.parts()(tensors) if result is NotImplemented else result

    def _around(self, key: Key, tensors: list[Any]) -> Any:
        """Run in parts: tapes are asked in branches and loops for what these compute."""
        followed = bool(ACTIVE and (STATE.tapes or STATE.accumulators or STATE.readers))
        if followed and any(records.__class__ is not dict for records in STATE.tapes):
            return interpret(self._graph, tensors)
        if followed:
            self._recorded[key, ()] = None
        else:
            self._plans[key] = None
        return self.parts(followed)(tensors)

    def _observed(self, key: Key) -> Key:
        """The key of the program that shows the gradients it takes; the same key if it takes none."""
        if self._takes_gradients is None:
            self._takes_gradients = self._graph.takes_gradients()
        return (*key, _OBSERVED) if self._takes_gradients else key

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
                self._plans[key] = self._plan(key, list(self._sizes(tensors)))
            return self._plans[key]

    def _plan(self, key: Key, shapes: list[tuple[int, ...]]) -> Any:
        try:
            evaluator, structure, _ = lowered(self._graph, shapes, self._dtypes, self.form.updates_in_place)
        except Undecided as error:
            self._notes[key] = str(error)
            return None
        program = replace(optimized(evaluator.program), own_arithmetic=self._graph.jit_compile)
        self._notes[key] = _calls(program)

        returned = renamed(structure, iter(program.outputs))
        if packed(returned, Names()) is None:
            self._notes[key] = "It returns what a program cannot."
            return None
        return self._written(key, program, returned)

    def _written(self, key: Key, program: Program, returned: Any) -> Any:
        """The program as a function of arrays, which gives this structure with tensors in place of values."""

        lines: list[Any] = []

        def as_lines(whole: bool) -> Any:
            names = Names()
            return python_of(program, packed(returned, names), names, whole=whole)

        def write(whole: bool) -> Any:
            code = whole_function(program, returned) if whole else None
            if whole and code is None:
                return as_lines(True)
            if not lines:
                lines.append(as_lines(False))
            if code is None:
                return lines[0]
            self.direct = code.function
            return code.function(lines[0])

        if _OBSERVED in key:
            return write(False)  # it runs now and then: no machine code is made for it
        return Warming(program, write, lambda run: self._plans.__setitem__(key, run))

    def parts(self, followed: bool = False) -> Parts:
        """The graph in parts, for calls that a tape or an accumulator follows or for others."""
        with self._lock:
            if followed not in self._parts:
                self._parts[followed] = Parts(self._graph, type(self), followed)
            return self._parts[followed]

    def ways(self) -> list[tuple[str, str]]:
        """How it has run so far, in words: each way with the reason where it is interpreted."""
        found: list[tuple[str, Any, Any]] = [("alone", key, made) for key, made in self._plans.items()]
        found += [("under a tape", key, made) for key, made in self._recorded.items()]
        found += [("under an accumulator", key, made) for key, made in self._advanced.items()]
        ways = []
        for how, key, made in found:
            if made is not None:
                ways.append((f"{how}, compiled", self._notes.get(key, "")))
            else:
                ways.append(self._in_parts(how, self._parts.get(how != "alone"), self._notes.get(key, "")))
        if self._calls_python and True in self._parts:
            ways.append(self._in_parts("under a tape", self._parts[True], ""))
        return ways

    def alone(self) -> dict[int, str]:
        """The steps that run by themselves, between compiled parts: the reasons by `id`."""
        return {id(step): reason for parts in self._parts.values() for step, reason in parts.alone()}

    def _in_parts(self, how: str, parts: Parts | None, reason: str) -> tuple[str, str]:
        """How it runs where it is no single program, and why."""
        if parts is None or not parts.programs:
            return f"{how}, interpreted", reason
        reasons = "; ".join(dict.fromkeys(parts.reasons)) or reason
        return f"{how}, compiled in {parts.programs} part{'s' if parts.programs > 1 else ''}", reasons

    @property
    def programs(self) -> int:
        """How many programs were made of it and its parts."""
        made = [*self._plans.values(), *self._recorded.values(), *self._advanced.values()]
        return sum(found is not None for found in made) + sum(parts.programs for parts in self._parts.values())

    def _under_tapes(self, key: Key, tensors: list[Any]) -> Any:
        """A call under a tape: one record for the whole call, unless a tape needs more."""
        # Tapes with their own class of records need each op: for nan-safe steps, or to recompute it.
        if any(records.__class__ is not dict for records in STATE.tapes):
            return interpret(self._graph, tensors)
        if self._calls_python:
            return self.parts(followed=True)(tensors)
        if STATE.accumulators:
            sources = [*tensors, *self._captured, *self._variables]
            if not all(
                isinstance(accumulator, ForwardAccumulator) and accumulator._has_plain_tangents(sources)
                for accumulator in STATE.accumulators
            ):
                return interpret(self._graph, tensors)
            if len(STATE.accumulators) == 1 and not STATE.tapes:
                return self._advanced_by(key, tensors)
        followed = [tensor for tensor in self._captured if tensor._id and _is_followed(tensor._id)]
        kind = key, tuple([tensor._id for tensor in followed])
        failure = None
        try:
            recorded = self._recorded[kind]
        except KeyError:
            looks = [(tensor._array.shape, tensor._array.dtype) for tensor in (*tensors, *followed)]
            recorded, failure = self._differentiated(
                self._recorded, kind, lambda: Recorded(Computation(self._graph, followed), looks, form=self.form)
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
                    found[kind] = made = make()
                    self._notes[kind] = _calls(*made.programs)
                except (
                    Undecided,
                    GradientLookupError,
                ) as error:  # (the second is raised where somebody asks for the gradient)
                    found[kind] = None
                    self._notes[kind] = str(error)
                except Exception as error:
                    found[kind] = None
                    self._notes[kind] = str(error)
                    return None, error
            return found[kind], None

    def _interpreted(self, tensors: list[Any], failure: Exception | None) -> Any:
        """Run in parts, then log why the graph was not compiled. If the run itself raises an error, that error is enough."""
        result = self.parts(followed=True)(tensors)
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
        (accumulator,) = STATE.accumulators
        assert isinstance(accumulator, ForwardAccumulator)
        followed = [place for place, tensor in enumerate(tensors) if accumulator._follows(tensor._id)]
        captured = [tensor for tensor in self._captured if accumulator._follows(tensor._id)]
        variables = [variable for variable in self._variables if accumulator._follows(variable._id)]
        sources = [*(tensors[place] for place in followed), *captured, *variables]
        tangents = accumulator.jvp(sources)
        kind = key, tuple(followed), tuple(source._id for source in sources[len(followed) :])
        failure = None
        try:
            advanced = self._advanced[kind]
        except KeyError:
            shapes = [tensor._array.shape for tensor in tensors]
            advanced, failure = self._differentiated(
                self._advanced,
                kind,
                lambda: Advanced(self._graph, shapes, self._dtypes, captured, followed, variables, self.form),
            )
        if advanced is None:
            return self._interpreted(tensors, failure)
        return advanced([*tensors, *captured], tangents, accumulator)


def _is_followed(number: int) -> bool:
    """Whether a tape or an accumulator follows the value with this identity."""
    return any(number in records for records in STATE.tapes) or any(
        accumulator._follows(number) for accumulator in STATE.accumulators
    )


def _calls(*programs: Program) -> str:
    """What programs call as in eager code, in words."""
    called = calls_in(*programs)
    return f"calls {', '.join(called)} as in eager code, with values that only running shows" if called else ""


class CompiledBody:
    """A branch or the body of a loop as a compiled graph."""

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

    @property
    def programs(self) -> int:
        """How many programs were made of it."""
        return sum(compiled.programs for compiled in self._compiled.values())

    def ways(self) -> list[tuple[str, str]]:
        """How it has run so far, as `CompiledGraph.ways`."""
        return [way for compiled in self._compiled.values() for way in compiled.ways()]

    def __call__(self, environment: Environment) -> Any:
        """What it returns; NotImplemented for values that programs do not take."""
        values = [environment[number] for number in self._numbers]
        if any(isinstance(value, Tensor) and value.__class__ is not EagerTensor for value in values):
            return NotImplemented
        tensors = [value for value in values if value.__class__ is EagerTensor]
        kinds = tuple([tensor._array.dtype for tensor in tensors])
        compiled = self._compiled.get(kinds)
        if compiled is None:
            specs = [TensorSpec(None, tensor.dtype) for tensor in tensors]
            compiled = self._compiled[kinds] = CompiledGraph(self._graph, specs)
        if len(tensors) == len(values):
            return compiled.run(tensors)
        is_followed = bool(STATE.tapes or STATE.accumulators or STATE.readers)
        return compiled.parts(is_followed).run(environment)  # a tape or an array of tensors is among them


def lowered(
    graph: Graph, shapes: list[tuple[int, ...]], dtypes: list[Any], updates_in_place: bool = True
) -> tuple[Lowering, Any, list[AbstractTensor]]:
    """The graph as a program for these sizes: the lowering, the structure it returns with Values in it, and its inputs."""
    evaluator = Lowering(updates_in_place)
    inputs = [evaluator.input(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
    environment = Environment({})
    bind(graph.inputs, tuple(inputs), environment.values)
    try:
        with evaluator.running():
            results = graph.run(environment)
    finally:
        evaluator.close()
    structure = as_values(results)
    evaluator.program.outputs = [leaf for leaf in leaves(structure) if leaf.__class__ is Value]
    return evaluator, structure, inputs


def as_values(results: Any) -> Any:
    """Values in place of abstract values."""
    return Value(results.number) if results.__class__ is AbstractTensor else map_parts(results, as_values)


def renamed(structure: Any, outputs: Any) -> Any:
    """The structure, filled with the values that a call of the program returned."""
    if structure.__class__ is Value:
        output = next(outputs)
        return output if output.__class__ is Value else from_array(output)
    return map_parts(structure, lambda part: renamed(part, outputs))
