"""Tracing: a Python function runs once on symbolic tensors, and every step it takes is recorded.

To infer its results, a step also runs once on abstract values, whose unknown sizes are symbols (trace/inference.py). So `x.shape`
shows None where it must, gradients are None where they are None eagerly, and a mistake is found at the user's line.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ..base import nest
from ..base.context import STATE, activate, deactivate, nobody_outside
from ..base.errors import (
    REFUSALS,
    InvalidArgumentError,
    OperatorNotAllowedInGraphError,
    StepArgumentError,
    UnknownShapeError,
    raise_named,
)
from ..base.frames import user_line
from ..base.sizes import Undecided, static
from ..base.type_spec import CompositeSpec, TypeSpec
from ..base.types import Function, ShapeLike
from ..differentiation.slices import densify
from ..native.abi import become
from ..op.call import RUNNERS
from ..op.declaration import Op
from ..op.entry import leave_general_path, take_general_path
from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, TensorSpec, from_array, to_tensor
from ..variables.variable import Variable
from .abstract_tensor import AbstractTensor, NeedsValue, UnknownNumber
from .graph import Environment, Graph, Method, Ref, Step, bind, call_step, fill, leaves, map_parts, parts_of
from .inference import as_abstract, depending_on, slice_of, with_known_shape, without_large
from .printing import name_of
from .symbolic import SymbolicTensor, is_symbolic, out_of_scope
from .trials import Symbols


@dataclass
class TracePolicy:
    """The options of the traced function that concern its trace."""

    where: str = ""  # the file and line of the Python function
    create_variable: Callable[[Variable], None] | None = None
    arguments: list[EagerTensor] | None = None  # those of the call that is recorded; None for one with specs
    created: list[Variable] = field(default_factory=list)


ON_CHANGE = "_on_change"  # in the `__dict__` of a variable: what to do after each change of it that is recorded


class Recorder:
    """One trace: records the steps, and knows shape and type of every symbolic tensor."""

    computes = True
    depth = 0  # (a loop or a branch is one step)

    def __init__(self, name: str, policy: TracePolicy) -> None:
        self.graph = Graph(name=name)
        self.policy = policy
        self.outer: Recorder | None = running_recorder()
        self.thread = threading.get_ident()
        self._levels = [self.graph.steps]  # the steps of the function, and of the graphs in it that are being traced
        self.evaluator = Symbols()
        self._numbers = itertools.count()
        self._inputs: set[int] = set()
        self._enclosed: dict[int, tuple[SymbolicTensor, SymbolicTensor]] = {}  # what it takes from the trace around it
        self._makers: dict[int, Step] = {}  # the step that computes a value, by the number of the value
        self._adopted: dict[int, Step] = {}  # that of a tape or the like
        self._folding = 0  # nesting depth of calls whose results no tape can follow

    # --- entering and leaving --------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """In this block the thread traces, and nothing else records."""
        activate(self)
        take_general_path(self)
        try:
            with nobody_outside(self):
                yield
        finally:
            leave_general_path(self)
            deactivate(self)
            self.evaluator.close()
            self.evaluator = Symbols()  # symbolic tensors that outlive the trace must not keep its values alive

    def placeholder(self, spec: TensorSpec) -> SymbolicTensor:
        """A new input of the function."""
        number = next(self._numbers)
        self._inputs.add(number)
        return self._stand_in(number, spec, self.evaluator.tensor(spec))

    def stand_in(self, spec: TypeSpec) -> Any:
        """Symbolic values for what fits a spec: a tensor, or a composite of tensors. They show what a body will be given."""
        if isinstance(spec, CompositeSpec):
            with self.steps_into([]):  # the steps that put it together have nothing to run on
                return spec._from_components([self.stand_in(part) for part in spec._component_specs])
        assert isinstance(spec, TensorSpec)
        return self.placeholder(spec)

    def _stand_in(self, number: int, spec: TensorSpec, value: Any) -> SymbolicTensor:
        """A symbolic tensor that no step computes."""
        self.graph.specs[number] = spec
        self.evaluator.environment.values[number] = value
        return SymbolicTensor(self, number, spec)

    def _performed(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a step gives on abstract values."""
        with self.evaluator.running():
            return without_large(self.evaluator, call_step(function, args, kwargs, self.evaluator.environment))

    # --- the interface of `STATE.trace` for lower layers -----------------------------------------------------------

    @property
    def recorder(self) -> Recorder:
        """Itself."""
        return self

    def read(self, variable: Variable) -> Any:
        """Reading a variable is a step: its value may differ in each run."""
        if STATE.strategies:
            variable = self.refs(variable)
        self._capture(variable)
        return self.step(read_variable, (variable,), {})

    def change(self, variable: Variable, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """An assignment is a step, in the order of the program."""
        if STATE.strategies and (replica := STATE.strategies[-1][1]) is not None:
            variable, args, kwargs = replica.agreed(variable, method, args, kwargs)
        self.step(Method(method), (variable, *args), kwargs, effect=True)
        if ON_CHANGE in variable.__dict__:
            variable.__dict__[ON_CHANGE]()

    def composite(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A public function is a step, unless it is called with nothing that a tape could follow."""
        given = list(leaves((*args, *kwargs.values())))
        is_step = self.follows(given) or function.always
        is_step = is_step or any(is_symbolic(value) or isinstance(value, Variable) for value in given)
        calls = any(isinstance(value, (FunctionType, MethodType)) for value in given)  # and they may refer to anything
        if function.on_trace is not None and (is_step or calls):
            return function.on_trace(self, *args, **kwargs)
        if is_step:
            return self.step(function, args, kwargs)
        self._folding += not calls
        try:
            return function.__wrapped__(*args, **kwargs)
        except REFUSALS as error:
            raise_named(error, name_of(function))
            raise
        finally:
            self._folding -= not calls

    def follows(self, values: Any) -> bool:
        """Whether one of the operands is a tensor from outside that a tape or an accumulator there may follow.

        Tensors made here from Python values have no identity outside; integers, booleans and text have no derivative.
        """
        if self._folding:
            return False
        found = [value for value in values if isinstance(value, EagerTensor)]
        for tensor in found:
            self._capture(tensor)
        return any(tensor.dtype.is_differentiable for tensor in found)

    def on_attributes(self, op: Op, tensors: list[Any], attributes: dict[str, Any]) -> Any:
        """An op with a symbolic attribute is a step."""
        return self.step(op, (tensors,) if op.variadic else tuple(tensors), attributes)

    def like_followed(self, record: Any, cotangent: Any) -> list[Any]:
        """Rules run on abstract values, never here."""
        raise NotImplementedError

    def sized(self, sizes: Any, dtype: Any = None) -> Any:
        """Backward passes run on abstract values, never here."""
        raise NotImplementedError

    def captured(self, tensor: EagerTensor) -> EagerTensor:
        """The stand-in for a tensor captured by another graph that is run here (by a tape that recorded it)."""
        return tensor

    def _capture(self, value: object) -> None:
        known = self.graph.captured.get(id(value))
        if known is None or known() is not value:
            self.graph.captured[id(value)] = weakref.ref(value)

    def adopt(self, thing: Any, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """A tape or the like that is made inside the function: its methods become steps."""
        number = next(self._numbers)
        facade = facade_of(cls)
        assert facade is not None, cls
        become(thing, facade)
        thing._trace, thing._number = self, number
        step = Step(cls, self.refs(args), self.refs(kwargs), Ref(number), user_line())
        self.evaluator.environment.values[number] = self._performed(cls, step.args, step.kwargs)
        self._levels[-1].append(step)
        self._adopted[number] = step
        return True

    def method(self, thing: object, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A method of something adopted."""
        return self.step(Method(name), (thing, *args), kwargs)

    # --- steps -----------------------------------------------------------------------------------------------------

    def step(self, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], effect: bool = False) -> Any:
        """Record a step; returns its results, as far as they are known."""
        given, settings = self.refs(args), self.refs(kwargs)
        try:
            result = self._performed(function, given, settings)
        except UnknownNumber as error:
            raise ValueError(f"{error} Use an op that gives one tensor, or say the size in input_signature.") from None
        except NeedsValue as error:
            raise OperatorNotAllowedInGraphError(
                f"{name_of(function)} needs the value of a tensor, which is known only when the function runs. ({error}) "
                "Use an op that takes a tensor there, or tf.py_function."
            ) from error
        except Undecided as error:
            raise UnknownShapeError(
                None,
                None,
                f"{name_of(function)} needs more of a shape than is known before the function runs: {error} "
                "Say the shape in input_signature, by x.set_shape or tf.ensure_shape, or use tf.py_function.",
            ) from error
        except InvalidArgumentError as error:
            if error.__class__ is not InvalidArgumentError:
                raise
            # Errors that follow from shapes and types alone are ValueErrors and TypeErrors in TensorFlow's graphs.
            raise StepArgumentError(error.node_def, error.op, error.message) from error
        except REFUSALS as error:
            raise_named(error, name_of(function))
            raise
        if isinstance(function, Method) and function.name == "gradient":
            result = self._dense_through_graphs(result, given, settings)
        symbolic = None if effect else self._symbolic(result)
        template = None if effect else _template(symbolic)
        if template is not None:
            bind(template, result, self.evaluator.environment.values)
        step = Step(function, given, settings, template, user_line())
        self._levels[-1].append(step)
        self._makers.update((leaf.number, step) for leaf in leaves(template) if leaf.__class__ is Ref)
        return symbolic

    def _dense_through_graphs(self, gradients: Any, given: Any, settings: Any) -> Any:
        """Gradients of which those by what a branch or a loop sees are one tensor: it gives no slices of what it sees."""
        flat = nest.flatten(gradients)
        if all(part.__class__ is not IndexedSlices for part in flat):
            return gradients
        steps = [step for level in self._levels for step in level]
        graphs = [leaf for step in steps for leaf in leaves(step.inputs) if leaf.__class__ is Graph]
        seen = {number for graph in graphs for number in graph.free()}
        used = {variable._id for graph in graphs for variable in graph.variables}
        sources = nest.flatten(settings["sources"] if "sources" in settings else given[2])

        def is_seen(source: Any) -> bool:
            return source.number in seen if source.__class__ is Ref else getattr(source, "_id", None) in used

        with self.evaluator.running():
            found = [
                densify(part) if part.__class__ is IndexedSlices and is_seen(source) else part
                for source, part in zip(sources, flat, strict=True)
            ]
        return nest.pack_sequence_as(gradients, found)

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
        self.evaluator.performed[id(graph)] = graph
        return graph, returned

    def made_here(self, number: int) -> bool:
        """Whether the step that made a tape or the like is one of the same function, branch, or body of a loop as the next."""
        maker = self._adopted.get(number)
        return any(step is maker for step in self._levels[-1])

    @contextlib.contextmanager
    def steps_into(self, steps: list[Step]) -> Iterator[None]:
        """In this block steps are recorded into a list, for a place that is chosen later."""
        self._levels.append(steps)
        try:
            yield
        finally:
            self._levels.pop()

    def like(self, value: Any, shape: ShapeLike | None = None) -> Any:
        """New symbolic values that look like those in a structure, or have another shape."""
        values = self.evaluator.environment
        if isinstance(value, SymbolicTensor):
            number, source = next(self._numbers), self.own(value)._number
            if shape is None:
                return self._stand_in(number, value._spec, as_abstract(self.evaluator, values[source]))
            spec = TensorSpec(shape, value.dtype)
            with self.evaluator.running():
                abstract = depending_on(self.evaluator, self.evaluator.tensor(spec), [values[source]], linearly=True)
            return self._stand_in(number, spec, abstract)
        if is_symbolic(value):
            number = next(self._numbers)
            values.values[number] = values[value._number]
            return value.twin(number)
        return map_parts(value, self.like)

    def slice_like(self, value: SymbolicTensor) -> SymbolicTensor:
        """A new symbolic value that looks like a slice along the first axis, of which there may be none."""
        number = next(self._numbers)
        with self.evaluator.running():
            abstract = slice_of(self.evaluator, self.evaluator.environment[self.own(value)._number])
        return self._stand_in(number, TensorSpec(value.shape[1:], value.dtype), abstract)

    def refine(self, value: SymbolicTensor, spec: TensorSpec) -> None:
        """Refine the shape of a value: a step says so wherever the graph runs on abstract values."""
        number = value._number
        self.graph.specs[number] = spec
        self.evaluator.environment.values[number] = with_known_shape(self.evaluator.environment[number], spec)
        maker = self._makers.get(number)
        if maker is not None and hasattr(maker.function, "learn_shape") and any(s is maker for s in self._levels[-1]):
            maker.function.learn_shape(maker, number, spec)
        self._levels[-1].append(Step(with_known_shape, (Ref(number), spec), {}, Ref(number), user_line()))

    def rebind(self, value: SymbolicTensor, change: Callable[[Any], Any]) -> None:
        """Let another abstract value stand for a symbolic one."""
        with self.evaluator.running():
            self.evaluator.environment.values[value._number] = change(self.evaluator.environment[value._number])

    def symbolic(self, value: object) -> Any:
        """The value as a symbolic tensor, also where it is known."""
        return self.own(value) if is_symbolic(value) else self.step(to_tensor, (value,), {})

    def refs(self, value: object) -> Any:
        """The value with Refs in place of what is symbolic."""
        if isinstance(value, SymbolicTensor) or is_symbolic(value):
            return Ref(self.own(value)._number)
        if STATE.strategies and isinstance(value, Variable) and (replica := STATE.strategies[-1][1]) is not None:
            return replica.own(value)
        if value.__class__ is np.ndarray:  # the elements that it has now: the caller may change them later
            return np.array(value)
        return map_parts(value, self.refs)

    def own(self, value: Any) -> Any:
        """The symbolic value; for one of a function around this one, the input that stands for it here."""
        if value._trace is self:
            return value
        if not isinstance(value, SymbolicTensor) or not self._is_inside(value._trace):
            raise out_of_scope(value)
        if id(value) not in self._enclosed:
            self._enclosed[id(value)] = (value, self.placeholder(value._spec))
        return self._enclosed[id(value)][1]

    def sees(self, value: SymbolicTensor) -> bool:
        """Whether a value is one of this function, or of a function around it."""
        return value._trace is self or self._is_inside(value._trace)

    def _is_inside(self, trace: Recorder) -> bool:
        return self.outer is not None and (self.outer is trace or self.outer._is_inside(trace))

    @property
    def enclosed(self) -> list[tuple[SymbolicTensor, SymbolicTensor]]:
        """The values of functions around this one that it refers to, each with the input that stands for it here."""
        return list(self._enclosed.values())

    def abstract(self, value: object) -> Any:
        """What stands for symbolic values, and for tapes and the like, where this trace runs on abstract values."""
        return fill(self.refs(value), self.evaluator.environment)

    def steps_so_far(self) -> list[Step]:
        """All steps before this point of the program."""
        return [step for level in self._levels for step in level]

    def _symbolic(self, result: Any) -> Any:
        """What a step gave on abstract values, as the function sees it."""
        if isinstance(result, Tensor):
            return self._tensor(result)
        if isinstance(result, Variable):
            return result
        facade = facade_of(result.__class__)
        if facade is not None:
            return facade.standing_for(result, self, next(self._numbers))
        return map_parts(result, self._symbolic)

    def _tensor(self, result: Any) -> SymbolicTensor:
        number = next(self._numbers)
        known = result._array.known if result.__class__ is AbstractTensor else result._array.shape
        spec = self.graph.specs[number] = TensorSpec(static(known), result.dtype)
        return SymbolicTensor(self, number, spec)

    # --- questions -------------------------------------------------------------------------------------------------

    def known_value(self, symbolic: SymbolicTensor) -> Any:
        """The value of a symbolic tensor that does not depend on inputs or variables, else None."""
        value: Any = self.evaluator.environment.values.get(symbolic._number)
        if (
            value.__class__ is AbstractTensor
            and value._array.value is not None
            and value._array.value.dtype.kind != "O"
        ):
            return from_array(np.asarray(value._array.value, value.dtype.numpy))
        return value if isinstance(value, EagerTensor) else None

    def value_at_once(self, symbolic: SymbolicTensor) -> Any:
        """The value, if it is needed while tracing; None if it may differ between runs.

        Of values computed from large captured tensors, only the shape is tracked while tracing. The value is computed on demand.
        """
        known = self.known_value(symbolic)
        if known is not None or symbolic._number not in self.evaluator.environment.values:
            return known  # (abstract values are gone once the trace is over)
        steps = self._pure_steps(symbolic._number)
        if steps is None:
            return None
        with outside_traces():
            return Graph(steps=steps, outputs=Ref(symbolic._number)).run(Environment({}))

    def _pure_steps(self, number: int) -> list[Step] | None:
        """The steps that compute a value, in order; None if it depends on something that may differ between runs."""
        needed: dict[int, Step] = {}
        numbers = [number]
        while numbers:
            step = self._makers.get(number := numbers.pop())
            if step is None or not _is_pure(step):
                return None
            if number not in needed:
                needed[number] = step
                numbers += (leaf.number for leaf in leaves(step.inputs) if leaf.__class__ is Ref)
        return list({id(step): step for _, step in sorted(needed.items())}.values())

    # --- variables -------------------------------------------------------------------------------------------------

    def create_variable(self, variable: Variable) -> None:
        """Called when a variable is made inside the function."""
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

    def _evaluated(self, refs: object) -> Any:
        """Compute now what was traced, from the arguments of this call if it depends on them."""
        wanted = {leaf.number for leaf in leaves(refs) if leaf.__class__ is Ref}
        needed: list[Step] = []
        for step in reversed(self.steps_so_far()):
            if wanted & {leaf.number for leaf in leaves(step.results) if leaf.__class__ is Ref}:
                needed.append(step)
                wanted |= {
                    leaf.number for leaf in leaves((step.args, tuple(step.kwargs.values()))) if leaf.__class__ is Ref
                }
        given = (
            {}
            if self.policy.arguments is None
            else dict(zip(sorted(self._inputs), self.policy.arguments, strict=False))
        )
        if wanted & self._inputs - given.keys():
            raise ValueError(
                "The initial value of a tf.Variable that is created inside tf.function depends on the function's arguments. "
                "Give it a function, tf.Variable(lambda: ...), or create it outside."
            )
        with outside_traces():
            environment = Environment(given)
            graph = Graph(steps=needed[::-1], outputs=refs)
            return graph.run(environment)


# Facades for objects that are not values: tapes, accumulators, contexts.
FACADES: dict[type, type[Any]] = {}


def facade_of(cls: type) -> type[Any] | None:
    """The facade for objects of a class; None for values that need none."""
    return COMPOSITES[cls].facade if cls in COMPOSITES else FACADES.get(cls)


def read_variable(variable: Variable) -> Any:
    """The value of a variable."""
    return variable._read()


@contextlib.contextmanager
def outside_traces() -> Iterator[None]:
    """Leave all traces and tapes of this thread for a block (`tf.init_scope`).

    >>> import gradtape as tf
    >>> made = []
    >>> @tf.function
    ... def step(x):
    ...     with tf.init_scope():
    ...         if not made:
    ...             made.append(tf.constant(2.0))
    ...     return x * made[0]
    >>> step(tf.constant(3.0)).numpy()
    np.float32(6.0)

    Returns:
        A context manager.
    """
    with nobody_outside():
        yield


def running_recorder() -> Recorder | None:
    """The running trace, if it is one that records a function."""
    trace = STATE.trace
    return None if trace is None else trace.recorder


def run_symbolic(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """An op with a symbolic operand is a step of the trace it belongs to."""
    operands = args[0] if op.variadic else args
    trace = running_recorder()
    if trace is None:
        raise out_of_scope(next(value for value in operands if value.__class__ is SymbolicTensor))
    return trace.step(op, args, attributes)


RUNNERS[SymbolicTensor] = run_symbolic


def _is_pure(step: Step) -> bool:
    """Whether a step is deterministic: it reads no variable, draws no random numbers and has no side effect."""
    if any(isinstance(leaf, Variable) for leaf in leaves(step.inputs)):
        return False
    return isinstance(step.function, Op) or not getattr(step.function, "always", True)


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
