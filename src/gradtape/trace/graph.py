"""The graph of a traced function: steps in the order of the program, each a public function or op and its arguments.

A step stores values by number. Running a graph means running its steps one after the other with an `Environment` that
maps numbers to values: eager tensors in the interpreter, abstract values elsewhere. Functions that a step takes (the body of
`tf.while_loop`) are graphs themselves, which see the environment around them.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.context import STATE, next_id, scope
from ..base.errors import InaccessibleTensorError, NonFiniteError
from ..base.nest import children, is_nested, is_record, record_of
from ..base.notebook import Form, in_notebook
from ..base.notes import STEPS, STEPS_OF_WORLDS
from ..base.places import Place
from ..base.seeds import GLOBAL, SeedScope
from ..base.sizes import UNKNOWN
from ..op.call import STEPWISE
from ..op.declaration import Op
from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, TensorSpec, to_tensor
from ..variables.variable import Variable
from .symbolic import SymbolicTensor


@dataclass(frozen=True, slots=True)
class Ref:
    """Stands in a step's arguments and results for the value of that number."""

    number: int


# The methods of tapes and accumulators that follow a value back.
_ASKING = frozenset(
    {"gradient", "jacobian", "batch_jacobian", "hessian", "hvp", "hessian_diagonal", "laplacian", "jvp"}
)


@dataclass(slots=True)
class Method:
    """Calls a method of its first argument: of a tape, a TensorArray, a variable."""

    name: str

    def __call__(self, thing: Any, *args: object, **kwargs: object) -> Any:
        return getattr(thing, self.name)(*args, **kwargs)


@dataclass(slots=True)
class Step:
    """One step: `results = function(*args, **kwargs)`; Refs stand for values."""

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: Any
    line: str = ""  # the line of the user's program

    @property
    def inputs(self) -> tuple[Any, ...]:
        """All arguments."""
        return (self.args, *self.kwargs.values())

    def asks_around(self, levels: Sequence[set[int]]) -> bool:
        """Whether it asks a tape for a gradient of what is computed in a deeper graph than that which makes the tape.

        `levels` has the numbers of the values of this step's graph, and of those around it, outermost first.
        """
        if isinstance(self.function, Method) and self.function.name in _ASKING and isinstance(self.args[0], Ref):
            at = next((place for place, known in enumerate(levels) if self.args[0].number in known), -1)
            targets = used_numbers((self.args[1:2], self.kwargs.get("target")))
            return any(number in known for known in levels[at + 1 :] for number in targets)
        inside = [leaf for leaf in leaves(self.inputs) if leaf.__class__ is Graph]
        return any(graph.asks_around(levels) for graph in inside)

    def is_idle(self, over: tuple[int, ...]) -> bool:
        """Whether it only computes values that are not used: `over` has the numbers that are not needed after it.

        (A loop over `tf.range(n)` uses a counter, so the range itself need not be computed.)
        """
        computes = isinstance(self.function, Op) or getattr(self.function, "pure", False)
        return computes and all(number in over for number in used_numbers(self.results))

    def run(self, environment: Environment) -> None:
        """Call it, and store what it gives."""
        try:
            result = call_step(self.function, self.args, self.kwargs, environment)
        except NonFiniteError as error:
            raise error.inside(self.line) from None
        bind(self.results, result, environment.values)


@dataclass(slots=True, eq=False, repr=False)
class Graph:
    """Steps, with the numbers of what they are given and what they return."""

    steps: list[Step] = field(default_factory=list)
    inputs: Any = ()
    outputs: Any = None
    specs: dict[int, TensorSpec] = field(default_factory=dict)
    name: str = "f"
    body: Any = None  # a faster way to run it inside another graph, once it is known
    last_uses: list[tuple[int, ...]] = field(default_factory=list)
    # The tensors and variables it refers to, by `id`. (Steps keep those that they use alive; the others are not kept alive here.)
    captured: dict[int, weakref.ref[Any]] = field(default_factory=dict)
    # What its random ops have their seeds from: the global seed at the time of the trace, and a number of its own.
    seed: int | None = field(default_factory=lambda: GLOBAL.seed)
    number: int = field(default_factory=itertools.count(1).__next__)
    begin: tuple[int, int, int] = (0, 0, 0)  # of a part of a graph: how far the numbers of a `SeedScope` are before it
    labels: tuple[str, ...] = ()  # the names of its inputs, where a function with named parameters was traced
    place: Place | None = None  # the device that the function names itself (tf.device), where there is one
    jit_compile: bool = False  # whether results may be rounded in another way than those of eager code

    def __repr__(self) -> str:
        counts = (
            (len(self.steps), "step"),
            (len(list(leaves(self.inputs))), "input"),
            (len(self.variables), "variable"),
        )
        return f"<Graph {self.name}: {', '.join(f'{n} {name}' + 's' * (n != 1) for n, name in counts)}>"

    def _notebook_form(self) -> Form:
        return Form("Graph", (("name", self.name), ("steps", str(len(self.steps)))), text=str(self))

    _repr_html_ = in_notebook

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that it reads or changes."""
        found = {v._id: v for v in self.constants() if isinstance(v, Variable)}
        return tuple(found.values())

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of its variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    def run(self, environment: Environment) -> Any:
        """Run all steps; what the graph returns."""
        values = environment.values
        if len(self.last_uses) != len(self.steps):
            self.last_uses = self._last_uses()
        on_abstract = STATE.trace is not None
        asking = STEPS_OF_WORLDS[-1] if on_abstract and STEPS_OF_WORLDS else None
        silent = on_abstract and asking is None
        seeds = self.seed_scope()
        with scope(seeds=seeds):
            for step, over in zip(self.steps, self.last_uses, strict=True):
                seeds.step += 1
                if on_abstract and step.is_idle(over):
                    continue
                first = 0 if silent or not STATE.tapes else next_id()
                made = 0 if asking is None else asking.begins()
                step.run(environment)
                if asking is not None:
                    asking.ends(made, step.line)
                if first:  # records in between lead to the line inside the function, not to its call
                    STEPS.append((first, next_id(), step.line))
                for number in over:
                    values.pop(number, None)
        return fill(self.outputs, environment)

    def seed_scope(self, begin: tuple[int, int, int] | None = None) -> SeedScope:
        """What numbers the random ops of a run that begins now."""
        around = STATE.seeds
        place = (self.number,) if around is None else (*around.place, around.step, self.number)
        return SeedScope(self.seed, place, None if around is None else around.used, begin or self.begin)

    def _last_uses(self) -> list[tuple[int, ...]]:
        """For each step the numbers of the values that nobody needs after it.

        What a graph inside this one sees stays: it may be called later, as the gradient of a `tf.custom_gradient` is.
        """
        needed = set(used_numbers(self.outputs))
        for step in self.steps:
            needed.update(used_numbers([leaf for leaf in leaves(step.inputs) if isinstance(leaf, Graph)]))
        uses: list[tuple[int, ...]] = []
        for step in reversed(self.steps):
            over = {*used_numbers(step.inputs), *used_numbers(step.results)} - needed
            needed |= over
            uses.append(tuple(over))
        return uses[::-1]

    def constants(self, called: bool = True) -> list[Any]:
        """The variables and tensors from outside that its steps use, each once; `called` as in `graphs`."""
        found = {id(leaf): leaf for leaf in self.given(called) if isinstance(leaf, (Tensor, Variable))}
        return list(found.values())

    def given(self, called: bool = True) -> Iterator[Any]:
        """All arguments of its steps and its results, also those of nested graphs and of the graphs it calls."""
        for graph in self.graphs(called):
            for structure in (*(step.inputs for step in graph.steps), graph.outputs):
                yield from (leaf for leaf in leaves(structure) if leaf.__class__ is not Graph)

    def graphs(self, called: bool = True) -> Iterator[Graph]:
        """The graph itself, nested graphs, and with `called` the graphs it calls: each once, however often it is called."""
        seen, waiting = {id(self)}, [self]
        while waiting:
            graph = waiting.pop()
            yield graph
            calls = graph.steps if called else ()
            inside = [step.function.concrete.graph for step in calls if hasattr(step.function, "concrete")]
            for structure in (*(step.inputs for step in graph.steps), graph.outputs):
                inside += [leaf for leaf in leaves(structure) if leaf.__class__ is Graph]
            for inner in inside:
                if id(inner) not in seen:
                    seen.add(id(inner))
                    waiting.append(inner)

    def takes_gradients(self) -> bool:
        """Whether a tape inside is asked for a gradient."""
        steps = (step.function for graph in self.graphs() for step in graph.steps)
        return any(isinstance(function, Method) and function.name == "gradient" for function in steps)

    def asks_around(self, levels: Sequence[set[int]] = ()) -> bool:
        """Whether a branch or a loop asks a tape that was made outside of it for a gradient of what it computes itself."""
        here = [*levels, self.numbers()]
        return any(step.asks_around(here) for step in self.steps)

    def numbers(self) -> set[int]:
        """The numbers of the values that it is given and makes, without those in the graphs inside."""
        return {
            number
            for structure in (self.inputs, *(step.results for step in self.steps))
            for number in used_numbers(structure)
        }

    def as_function(self, environment: Environment) -> Callable[..., Any]:
        """The graph as a Python function that sees `environment`."""

        def run(*args: object) -> Any:
            inner = Environment({}, environment)
            bind(self.inputs, args, inner.values)
            if STATE.trace is None and BODIES and not STEPWISE:
                if self.body is None:
                    self.body = BODIES[0](self)
                result = self.body(inner)
                if result is not NotImplemented:
                    return result
            return self.run(inner)

        run.graph, run.environment = self, environment  # type: ignore[attr-defined]
        run.seen = lambda: [environment[number] for number in self.free()]  # type: ignore[attr-defined]
        return run

    def as_graph_def(self, *settings: object, **named: object) -> Any:
        """The graph as a `GraphDef` message, to look at: print it, or write it with `tf.summary.graph`. It cannot be run.

        Its nodes are the steps, with TensorFlow's names of ops. (The package tensorboardX has the messages.)
        """
        if not GRAPH_DEFS:
            from ..api import graph_mode  # noqa: F401
        return GRAPH_DEFS[0](self)

    def free(self) -> list[int]:
        """The numbers of the values that it sees from outside."""
        used: dict[int, None] = {}
        made = set(used_numbers(self.inputs))
        for step in self.steps:
            used.update(dict.fromkeys(number for number in used_numbers(step.inputs) if number not in made))
            made.update(used_numbers(step.results))
        used.update(dict.fromkeys(number for number in used_numbers(self.outputs) if number not in made))
        return list(used)


def used_numbers(structure: object) -> list[int]:
    """The numbers of the values in a structure, and of those that graphs in it see."""
    numbers: list[int] = []
    for leaf in leaves(structure):
        if leaf.__class__ is Ref:
            numbers.append(leaf.number)
        elif leaf.__class__ is Graph:
            numbers += leaf.free()
    return numbers


# Makes a faster way to run a graph inside another one: called with its environment, it gives the results or
# NotImplemented. The compiler registers itself here.
BODIES: list[Callable[[Graph], Callable[[Environment], Any]]] = []


# Makes a GraphDef message of a graph. The layer that knows the messages registers itself here.
GRAPH_DEFS: list[Callable[[Graph], Any]] = []


class Environment:
    """The values of a running graph by number, and those of the graph around it."""

    __slots__ = ("outer", "values")

    def __init__(self, values: dict[int, Any], outer: Environment | None = None) -> None:
        self.values = values
        self.outer = outer

    def __getitem__(self, number: int) -> Any:
        scope: Environment | None = self
        while scope is not None:
            if number in scope.values:
                return scope.values[number]
            scope = scope.outer
        raise InaccessibleTensorError(
            "A tensor that was made inside a branch or a loop is used outside of it, where it may not exist: return it from the "
            "function that `tf.cond` or `tf.while_loop` calls, or assign it to a local variable of the converted function."
        )


def call_step(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], environment: Environment) -> Any:
    """Call what a step calls, with values in place of Refs."""
    arguments = [fill(value, environment) for value in args]
    settings = {name: fill(value, environment) for name, value in kwargs.items()} if kwargs else {}
    if isinstance(function, Op):
        return function.public(*arguments, **{name: _attribute(value) for name, value in settings.items()})
    return function(*arguments, **settings)


def _attribute(value: Any) -> Any:
    """An attribute of an op that was written as a tensor, in plain numbers, or in sizes as far as it is known."""
    if value.__class__ is EagerTensor:
        return _in_tuples(value._array.tolist())
    if hasattr(value.__class__, "sizes"):
        sizes = value.sizes
        return sizes if sizes is UNKNOWN else _in_tuples(sizes.tolist())
    return value


def _in_tuples(value: Any) -> Any:
    return tuple(map(_in_tuples, value)) if value.__class__ is list else value


def fill(value: Any, environment: Environment) -> Any:
    """The value, with what Refs and graphs in it stand for in this environment."""
    cls = value.__class__
    if cls is Ref:
        return environment[value.number]
    if cls in PLAIN:
        return value
    if isinstance(value, EagerTensor):
        return value if STATE.trace is None else STATE.trace.captured(value)
    if cls is Graph:
        return value.as_function(environment)
    return map_parts(value, lambda part: fill(part, environment))


PLAIN = {int, float, bool, str, bytes, complex, type(None)}
_WHOLE = {*PLAIN, Ref, EagerTensor, SymbolicTensor}  # frequent types that have no parts


def map_parts(value: Any, function: Callable[[Any], Any]) -> Any:
    """Rebuild what a value is made of (a list, a slice, IndexedSlices ...) with `function` of its parts."""
    cls = value.__class__
    if cls is list:
        return [function(part) for part in value]
    if cls is tuple:
        return tuple([function(part) for part in value])
    if cls is slice:
        return slice(function(value.start), function(value.stop), function(value.step))
    if cls in COMPOSITES:
        kind = COMPOSITES[cls]
        return value if kind.components is None else kind.rebuilt(value, [function(p) for p in kind.components(value)])
    if is_nested(value) and cls is not range:
        if isinstance(value, Mapping):
            items = {key: function(part) for key, part in value.items()}
            return items if cls is dict else _like(value, items)
        if is_record(value):
            return record_of(value, [function(part) for part in children(value)])
        if isinstance(value, MappingView):  # (views cannot be constructed: a list, as in `nest`)
            return [function(part) for part in value]  # type: ignore[attr-defined]
        return value._make(map(function, value)) if hasattr(value, "_make") else _like(value, [*map(function, value)])
    return value


def _like(value: Any, items: object) -> Any:
    if hasattr(value, "default_factory"):
        return value.__class__(value.default_factory, items)
    return value.__class__(items)


def bind(results: Any, value: Any, values: dict[int, Any]) -> None:
    """Store the parts of a value under the numbers at the same places in `results`."""
    cls = results.__class__
    if cls is Ref:  # (slices, where a tensor was promised: the source is also seen by a branch or a loop)
        values[results.number] = to_tensor(value) if value.__class__ is IndexedSlices else value
    elif cls in PLAIN:
        return
    else:
        for place, part in zip(parts_of(results), parts_of(value), strict=True):
            bind(place, part, values)


def parts_of(value: object) -> list[Any]:
    """What `map_parts` would rebuild a value from."""
    parts: list[Any] = []
    map_parts(value, lambda part: parts.append(part) or part)  # type: ignore[func-returns-value]
    return parts


def leaves(value: Any) -> Iterator[Any]:
    """Everything in a value that has no parts."""
    parts = parts_of(value) if value.__class__ not in _WHOLE else []
    if not parts:
        yield value
    for part in parts:
        yield from leaves(part)
