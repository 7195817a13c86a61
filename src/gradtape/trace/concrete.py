"""`ConcreteFunction`: one trace of a function, and how it is run."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import nest
from ..base.context import STATE
from ..base.errors import invalid
from ..base.shapes import TensorShape
from ..base.type_spec import TypeSpec
from ..values.composite import expanded, is_composite
from ..values.tensor import EagerTensor, Tensor, TensorSpec, to_tensor
from ..variables.variable import Variable
from .function_type import FunctionType, described, recorded_type
from .graph import Environment, Graph, bind, leaves, map_parts
from .recorder import Recorder
from .signature import Parameters, fixed_parts, is_other_value, shown, with_specs
from .symbolic import SymbolicTensor

Executor = Callable[[list[Any]], Any]

# Makes a faster way to run a graph, or None where it has none; the compiler registers itself here.
COMPILERS: list[Callable[[Graph, list[TensorSpec]], Executor | None]] = []


class ConcreteFunction:
    """A graph with the signature it was recorded for. Called with tensors, it runs; it is never recorded again."""

    def __init__(
        self,
        graph: Graph,
        name: str,
        specs: list[TensorSpec],
        arguments: tuple[tuple[Any, ...], dict[str, Any]],
        outputs: object,
        parameters: Parameters,
    ) -> None:
        self._graph = graph
        self._name = name
        self.specs = specs
        self._arguments = _weakly(with_specs(arguments, iter(specs)))
        self._outputs = map_parts_to_specs(outputs)
        self._parameters = parameters
        self._executor: Executor | None = None
        self.enclosed: list[SymbolicTensor] = []  # the values of a function around it that it refers to

    # --- what users see --------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._name

    @property
    def graph(self) -> Graph:
        """The graph; printing it shows its steps."""
        return self._graph

    @property
    def structured_input_signature(self) -> Any:
        """The arguments, with specs in place of tensors; None for an object that is gone."""
        args, kwargs = self.arguments
        labelled = [shown(value, self._parameters.label(place)) for place, value in enumerate(args)]
        return tuple(labelled), {name: shown(value, name) for name, value in kwargs.items()}

    @property
    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments it was recorded with: composites are composites of specs, where each tensor of them has its place."""
        return _strongly(self._arguments)  # type: ignore[no-any-return]

    @property
    def structured_outputs(self) -> Any:
        """What it returns, with specs in place of tensors: a composite is one of specs."""
        return self._outputs

    @property
    def inputs(self) -> list[TensorSpec]:
        """The specs of all tensors it takes."""
        return list(self.specs)

    @property
    def outputs(self) -> list[TensorSpec]:
        """The specs of all tensors it returns."""
        return [leaf for leaf in leaves(self._outputs) if isinstance(leaf, TensorSpec)]

    @property
    def output_shapes(self) -> Any:
        """The shapes of what it returns."""
        return nest.map_structure(lambda s: s.shape if isinstance(s, TensorSpec) else s, self._outputs)

    @property
    def output_dtypes(self) -> Any:
        """The types of what it returns."""
        return nest.map_structure(lambda s: s.dtype if isinstance(s, TensorSpec) else s, self._outputs)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that it reads or changes."""
        found = {v._id: v for v in self._graph.constants() if isinstance(v, Variable)}
        return tuple(found.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of its variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def captured_inputs(self) -> list[Any]:
        """The tensors and variables from outside that it refers to, in the order of their first use."""
        return [value for found in self._graph.captured.values() if (value := found()) is not None]

    @property
    def all_specs(self) -> list[TensorSpec]:
        """The specs of all inputs of the graph: of the arguments, and of values captured from an enclosing function."""
        return [*self.specs, *(value._spec for value in self.enclosed)]

    @property
    def function_type(self) -> FunctionType:
        """The parameters with the types of the arguments, and the type of the results."""
        args, kwargs = self.structured_input_signature
        labels = [self._parameters.label(place) for place in range(len(args))]
        return recorded_type(self._parameters.signature, labels, args, kwargs, self._outputs)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Arguments, results and captured tensors in words; without `verbose`, the type alone."""
        if not verbose:
            return f"{self._name}{self.function_type}"
        return described(self.function_type, self.captured_inputs)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(verbose=False)}>"

    # --- running ---------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: object) -> Any:
        return self.run(self._bound(args, kwargs))

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The tensors of a call, checked against the specs."""
        self._check_literals(args, kwargs)
        flat = [*args, *(kwargs[name] for name in self._ordered(kwargs))]
        found = [part for leaf in nest.flatten(flat) for part in self._parts(leaf)]
        values = [v for v in found if isinstance(v, (Tensor, Variable)) or _becomes_tensor(v)]
        if len(values) != len(self.specs):
            takes = [v for v in values if isinstance(v, (Tensor, Variable)) or hasattr(v, "__array__")]
            if len(takes) != len(self.specs):
                raise TypeError(
                    f"{self._name} takes {len(self.specs)} tensors, got {len(values)}: {self.pretty_printed_signature(False)}."
                )
            values = takes
        tensors = []
        for value, spec in zip(values, self.specs, strict=True):
            tensor = to_tensor(value, None if isinstance(value, (Tensor, Variable)) else spec.dtype)
            if tensor.dtype != spec.dtype or not TensorShape(tensor.shape).is_compatible_with(spec.shape):
                raise _wrong(self, tensor, spec)
            tensors.append(tensor)
        return tensors

    def _parts(self, leaf: Any) -> list[Any]:
        """The tensors of an argument that the function takes."""
        if leaf.__class__ not in {part.__class__ for part in nest.flatten(self.arguments) if is_composite(part)}:
            return expanded(leaf)  # a tensor, or a composite that a spec stood for
        fixed = fixed_parts(leaf)  # parts that belong to the type, for which a function is recorded anew
        recorded = [part for part in leaves(self.arguments) if part.__class__ is EagerTensor]
        if fixed and not any(np.array_equal(fixed[0], part) for part in recorded):
            raise TypeError(
                f"{self._name} was recorded for another {type(leaf).__name__}, got {leaf!r}: "
                f"{self.pretty_printed_signature(False)}."
            )
        return [part for part in expanded(leaf) if not any(part is other for other in fixed)]

    def _check_literals(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """TypeError where a Python value differs from the one that the function was recorded with."""
        positional, named = self.structured_input_signature
        recorded = {self._parameters.label(place): value for place, value in enumerate(positional)} | named
        given = dict(kwargs)
        if len(args) == len(positional):  # (else values were left out, and which ones is not known)
            given |= {self._parameters.label(place): value for place, value in enumerate(args)}
        for name, value in given.items():
            if name in recorded and is_other_value(value, recorded[name]):
                raise TypeError(
                    f"Binding inputs to tf.function failed due to `Can not cast {value!r} to Literal[{recorded[name]!r}]`: "
                    f"{name} had another value when the function was recorded. The signature is "
                    f"{self.pretty_printed_signature(False)}."
                )

    def _ordered(self, kwargs: dict[str, Any]) -> list[str]:
        # A tensor may be given by the name of its spec too.
        known = dict.fromkeys([*self._parameters.names, *(spec.name for spec in self.specs)])
        names = [name for name in known if name in kwargs]
        others = [name for name in kwargs if name not in names]
        if others and not self._parameters.takes_any_name:
            raise TypeError(
                f"{self._name} got unexpected keyword arguments: {', '.join(others)}. It takes "
                f"{', '.join(self._parameters.names) or 'none'}."
            )
        return names + others

    def run(self, tensors: list[Any]) -> Any:
        """Run on tensors that fit the specs."""
        if self.enclosed and len(tensors) == len(self.specs):  # (a graph that calls it gives all of its inputs)
            tensors = [*tensors, *self.enclosed]
        trace = STATE.trace
        if trace is None:
            executor = self._executor
            if executor is None:
                executor = self._executor = self._made()
            return executor(tensors)
        if isinstance(trace, Recorder):
            trace.graph.captured.update(self._graph.captured)
            return trace.step(CallGraph(self), tuple(tensors), {})
        return self.interpret(tensors)

    @property
    def has_direct(self) -> bool:
        """Whether there is machine code that takes the tensors of a call as they are, and nobody has taken it yet."""
        return not self.enclosed and getattr(self._executor, "direct", None) is not None

    def take_direct(self) -> Any:
        """What makes a function of it; that calls what it is given for arguments that it does not take."""
        executor: Any = self._executor
        direct, executor.direct = executor.direct, None
        return direct

    def _made(self) -> Executor:
        for compiler in COMPILERS:
            executor = compiler(self._graph, self.all_specs)
            if executor is not None:
                return executor
        return self.interpret

    def interpret(self, tensors: list[Any]) -> Any:
        """Run step by step, on whatever the tensors are."""
        return interpret(self._graph, tensors)


def interpret(graph: Graph, tensors: list[Any]) -> Any:
    """Run a graph step by step."""
    environment = Environment({})
    bind(graph.inputs, tuple(tensors), environment.values)
    return graph.run(environment)


class CallGraph:
    """A step that calls another traced function."""

    def __init__(self, concrete: ConcreteFunction) -> None:
        self.concrete = concrete
        self.__name__ = concrete.name

    def __call__(self, *tensors: Any) -> Any:
        return self.concrete.run(list(tensors))


def map_parts_to_specs(value: Any) -> Any:
    """Specs in place of the tensors that a function returned."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    return map_parts(value, map_parts_to_specs)


_KEPT = (TypeSpec, Variable, Tensor, bool, int, float, complex, str, bytes, type)


def _weakly(value: object) -> Any:
    """Arguments that are known by identity are not kept alive by a trace."""
    parts = map_parts(value, _weakly)
    if parts is not value or isinstance(value, _KEPT) or value is None or callable(value):
        return parts
    try:
        return weakref.ref(value)
    except TypeError:
        return value


def _strongly(value: Any) -> Any:
    return value() if value.__class__ is weakref.ref else map_parts(value, _strongly)


def _becomes_tensor(value: object) -> bool:
    return isinstance(value, (bool, int, float, complex)) or hasattr(value, "__array__")


def _wrong(concrete: ConcreteFunction, tensor: Any, spec: TensorSpec) -> Exception:
    return invalid(
        f"{concrete.name}: cannot compute with a tensor of {tensor.dtype.name} and shape {tensor.shape} where {spec!r} was "
        f"recorded. The signature is {concrete.pretty_printed_signature(False)}."
    )
