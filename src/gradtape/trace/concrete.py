"""`ConcreteFunction`: one trace of a function, and how it is run."""

from __future__ import annotations

import copy
import functools
import operator
import types
import weakref
from typing import Any

from ..base import nest
from ..base.context import ACTIVE, STATE
from ..base.errors import REFUSALS, raise_named
from ..base.notebook import Form, in_notebook
from ..base.places import Place
from ..base.type_spec import TypeSpec
from ..values.tensor import Tensor, TensorSpec
from ..variables.variable import Variable
from .binding import Binding
from .engines import CHOICE, CHOSEN, ENGINES, NATIVE, WHERE, ByValues, Executor, Maker, engine_on_devices
from .function_type import FunctionType, described, recorded_type
from .graph import Environment, Graph, bind, leaves, map_parts
from .signature import Parameters, shown, with_specs
from .symbolic import SymbolicTensor

# Makes a faster way to run a graph, or None where it has none; the compiler registers itself here.
COMPILERS: list[Maker] = []


class ConcreteFunction:
    """A graph with the signature it was recorded for. Called with tensors, it runs; it is never recorded again.

    >>> import gradtape as tf
    >>> double = tf.function(lambda x: x + x).get_concrete_function(tf.TensorSpec([2]))
    >>> double(tf.constant([1.0, 2.0])).numpy()
    array([2., 4.], dtype=float32)

    Args:
        graph: The recorded graph.
        name: The name of the function.
        specs: What the function is given, as specs.
        arguments: The arguments it was recorded with, as positions and names.
        outputs: What it returned.
        parameters: The parameters of the Python function.
    """

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
        self.engine: str | None = None  # the engine that its function asks for
        self._binding: Binding | None = None  # how calls are taken apart, since the first one
        self._executor: Executor | None = None
        self._executors: dict[tuple[str, Place | None], Executor] = {}  # by engine, and device
        self._places: dict[Place, Executor] = {}  # what runs it in the scopes of devices
        self.enclosed: list[SymbolicTensor] = []  # the values of a function around it that it refers to

    def view(self) -> Any:
        """A picture of its steps, with loops, branches and calls as groups, and how it runs; see docs/guide/view.md.

        >>> @tf.function
        ... def square(x):
        ...     return x * x
        >>> concrete = square.get_concrete_function(tf.TensorSpec([None], name="x"))
        >>> [node.name for node in concrete.view().pictures[0].nodes]
        ['x', 'multiply', 'return']

        Returns:
            A `View`, which shows itself in a notebook.
        """
        from ..diagnostics.view import graphs, view

        return view.View([graphs.picture_of_trace(self)])

    def renamed(self, names: list[str | None]) -> ConcreteFunction:
        """The same recording, whose tensors have other names.

        Args:
            names: A name for each tensor that it takes; one for which it is None keeps its own.

        Returns:
            A ConcreteFunction.
        """
        specs = [
            spec if name in (None, spec.name) else TensorSpec(spec.shape, spec.dtype, name)
            for spec, name in zip(self.specs, names, strict=True)
        ]
        if all(map(operator.is_, specs, self.specs)):
            return self
        made = copy.copy(self)
        made.specs, made._binding = specs, None
        made._arguments = _weakly(with_specs(self.arguments, iter(specs)))
        return made

    # --- what users see --------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._name

    @property
    def graph(self) -> Graph:
        """The graph; printing it shows its steps, `get_operations` lists them as TensorFlow does."""
        if not self._graph.labels:
            named = [leaf for leaf in leaves(self.structured_input_signature) if isinstance(leaf, TensorSpec)]
            self._graph.labels = tuple((spec.name or "input").split(":")[0] for spec in named)
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
        return _strongly(self._arguments)

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
        return self._graph.variables

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of its variables that are trainable."""
        return self._graph.trainable_variables

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
        """Arguments, results and captured tensors in words.

        >>> @tf.function
        ... def square(x):
        ...     return x * x
        >>> concrete = square.get_concrete_function(tf.TensorSpec([None], name="x"))
        >>> print(concrete.pretty_printed_signature(verbose=False))
        (x: TensorSpec(shape=(None,), dtype=tf.float32, name=None)) -> TensorSpec(shape=(None,), dtype=tf.float32, name=None)

        Args:
            verbose: Whether each has a line of its own; False for the type alone.

        Returns:
            A text.
        """
        if not verbose:
            return str(self.function_type)
        return described(self.function_type, self.captured_inputs)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def _notebook_form(self) -> Form:
        steps = str(len(self._graph.steps))
        return Form("ConcreteFunction", (("name", self._name), ("steps", steps)), text=str(self._graph))

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self._name}{self.function_type} at {id(self):#x}>"

    # --- running ---------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: object) -> Any:
        return self.run(self.tensors_of(args, kwargs))

    def tensors_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The tensors of a call, in the order of the specs.

        Args:
            args: The positional arguments.
            kwargs: Those by name.

        Returns:
            A list of tensors.
        """
        if self._binding is None:
            kind = self.function_type
            self._binding = Binding(kind, self._arguments, self.specs, f"{self._name}{kind}")
        return self._binding.tensors(args, kwargs)

    def run(self, tensors: list[Any]) -> Any:
        """Run on tensors that fit the specs.

        Args:
            tensors: The tensors, in the order of the specs.

        Returns:
            What the function returns.
        """
        if self.enclosed and len(tensors) == len(self.specs):  # (a graph that calls it gives all of its inputs)
            tensors = [*tensors, *self.enclosed]
        trace = STATE.trace
        if trace is None:
            if ACTIVE and STATE.place is not None:
                return self._placed(STATE.place)(tensors)
            executor = self._executor
            if executor is None:
                executor = self._executor = self._made(self._graph.place)
            try:
                return executor(tensors)
            except REFUSALS as error:
                raise_named(error, self._name)
                raise
        recorder = trace.recorder
        if recorder is not None:
            recorder.graph.captured.update(self._graph.captured)
            recorder.graph.place = recorder.graph.place or self._graph.place
            return recorder.step(CallGraph(self), tuple(tensors), {})
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

    @property
    def executors(self) -> list[Any]:
        """What has run it so far, on each engine and device."""
        return list(self._executors.values())

    def _placed(self, place: Place) -> Executor:
        found = self._places.get(place)
        if found is None:
            found = self._places[place] = self._made(place)
        return found

    def _made(self, place: Place | None) -> Executor:
        """What runs it on a device: on the native engine or another one, and on another one where the values are elsewhere."""
        CHOSEN.add(self)
        name = self.engine or CHOICE.name
        is_native = name == NATIVE
        if place is not None and not place.is_host and is_native:
            name = engine_on_devices()
        found = self._on(name, None if name == NATIVE else place)
        if WHERE.values_are is None or (self.engine is not None and is_native):
            return found
        other = engine_on_devices() if is_native else name
        return ByValues(self._graph, found, place, lambda place: self._on(other, place))

    def forget_engine(self, renewed: bool = False) -> None:
        """Choose the engine again with the next call.

        Args:
            renewed: Whether programs of other engines than the native one are made anew.
        """
        self._executor = None
        self._places.clear()
        if renewed:
            self._executors = {key: made for key, made in self._executors.items() if key[0] == NATIVE}

    def _on(self, name: str, place: Place | None) -> Executor:
        """What runs the graph on an engine and a device, kept."""
        if (name, place) not in self._executors:
            if name == NATIVE:
                made = (compiler(self._graph, self.all_specs) for compiler in COMPILERS)
                found = next((executor for executor in made if executor is not None), None)
            else:
                found = ENGINES[name].executor(self._graph, self.all_specs, place)
            self._executors[name, place] = found or self.interpret
        return self._executors[name, place]

    def interpret(self, tensors: list[Any]) -> Any:
        """Run step by step, on whatever the tensors are.

        Args:
            tensors: The tensors, in the order of the specs.

        Returns:
            What the function returns.
        """
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


def map_parts_to_specs(value: object) -> Any:
    """Specs in place of the tensors that a function returned."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    return map_parts(value, map_parts_to_specs)


_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)
_KEPT = (TypeSpec, Variable, Tensor, bool, int, float, complex, str, bytes, type, *_FUNCTIONS)


def _weakly(value: object) -> Any:
    """Arguments that are known by identity are not kept alive by a trace."""
    parts = map_parts(value, _weakly)
    if parts is not value or isinstance(value, _KEPT) or value is None:
        return parts
    try:
        return weakref.ref(value)
    except TypeError:
        return value


def _strongly(value: object) -> Any:
    return value() if value.__class__ is weakref.ref else map_parts(value, _strongly)
