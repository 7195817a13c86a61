"""Graphs that are no single program run in parts: each part is one, and between them stand steps that need values.

What Python code returns, what a dataset gives, and whatever else a lowering cannot know, ends a part. The step itself runs as in
eager code (a loop in it runs compiled rounds), and the next part begins with the sizes that it gave. Only tensors go from part to
part: a step that makes a tape or an array of tensors for a later part runs by itself, and so do all that use it. Parts under such
a tape are recorded by it as any function is.

Where a graph is cut is decided when it runs first, and kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from ..base.context import STATE, scope
from ..base.locks import new_rlock
from ..differentiation.tape import GradientTape
from ..trace.concrete import interpret
from ..trace.engines import Executor
from ..trace.graph import Environment, Graph, Ref, Step, bind, fill, leaves, used_numbers
from ..trace.printing import name_of
from ..values.tensor import EagerTensor, Tensor, TensorSpec
from .lowering import Lowering

_FEWEST = 2  # steps that are worth a program
_MOST_SIZES = 64  # sets of sizes that are remembered of a part, to see which of them come again

Seeds = tuple[int, int, int]  # how far the numbers of a `SeedScope` are


@dataclass(slots=True)
class Part:
    """Steps that run together, or one that runs by itself."""

    graph: Graph
    run: Executor | None  # None for a step by itself
    inputs: list[int]
    over: tuple[int, ...]  # the values that nobody needs after it
    seeds: Seeds  # after it
    reason: str  # why it is by itself
    sizes: dict[Any, int]  # how often it was given tensors of these sizes


class Parts:
    """A graph, cut where a step needs a value."""

    def __init__(
        self, graph: Graph, compiled: Callable[[Graph, list[TensorSpec]], Executor], is_followed: bool
    ) -> None:
        """`compiled` makes the executor of a part; `is_followed` says whether tapes or accumulators outside see the parts."""
        self._graph, self._compiled, self._is_followed = graph, compiled, is_followed
        self._parts: dict[int, Part] = {}  # by the number of the first step
        self._lock = new_rlock()

    def __call__(self, tensors: list[Any]) -> Any:
        environment = Environment({})
        bind(self._graph.inputs, tuple(tensors), environment.values)
        return self.run(environment)

    @property
    def programs(self) -> int:
        """How many parts are programs, or loops and branches with programs inside."""
        alone = [part.graph.steps[0] for part in self._parts.values() if part.run is None]
        graphs = [leaf for step in alone for leaf in leaves(step.inputs) if isinstance(leaf, Graph)]
        with_programs = [graph for graph in graphs if graph.body is not None and graph.body.programs]
        return len(self._parts) - len(alone) + len(with_programs)

    @property
    def reasons(self) -> list[str]:
        """The steps that run by themselves, each with the reason."""
        return [f"{name_of(step.function)}: {reason}" for step, reason in self.alone() if reason]

    def alone(self) -> list[tuple[Step, str]]:
        """The steps that run by themselves, and the reasons."""
        return [(part.graph.steps[0], part.reason) for part in self._parts.values() if part.run is None]

    def run(self, environment: Environment) -> Any:
        """Run all parts; what the graph returns."""
        graph, values, place = self._graph, environment.values, 0
        around = STATE.seeds
        seeds = graph.seed_scope()
        with scope(seeds=seeds):
            while place < len(graph.steps):
                part = self._parts.get(place) or self._cut(place, environment, seeds.reached)
                if part.run is None:
                    seeds.step += 1
                    part.graph.steps[0].run(environment)
                else:
                    tensors = [environment[number] for number in part.inputs]
                    run = part.run if _is_worth_a_program(part, tensors) else partial(interpret, part.graph)
                    with scope(seeds=around):
                        bind(part.graph.outputs, run(tensors), values)
                    seeds.go_to(part.seeds)
                place += len(part.graph.steps)
                for number in part.over:
                    values.pop(number, None)
        return fill(graph.outputs, environment)

    # --- where it is cut -----------------------------------------------------------------------------------------------

    def _cut(self, start: int, environment: Environment, seeds: Seeds) -> Part:
        """The part that begins with a step, as long as it can be with the values at hand."""
        with self._lock:
            if start not in self._parts:
                trial = _Trial(self._graph, start, environment, seeds, self._is_followed)
                end = self._without_crossing_objects(start, trial)
                self._parts[start] = self._made(start, end, trial)
            return self._parts[start]

    def _without_crossing_objects(self, start: int, trial: _Trial) -> int:
        """The last end of a part from which nothing but tensors goes on."""
        end = trial.end
        if start == 0 and end == len(self._graph.steps):
            end //= 2  # all of it is no program, as is known, for a reason that does not show in single steps
        while end > start:
            needed = self._needed_after(end)
            crossing = [place for number, place in trial.objects.items() if place < end and number in needed]
            if not crossing:
                return end
            end = min(crossing)
        return start

    def _needed_after(self, place: int) -> set[int]:
        """The values that steps from this one on, and the results, are made of."""
        return {
            number
            for structure in (*(step.inputs for step in self._graph.steps[place:]), self._graph.outputs)
            for number in used_numbers(structure)
        }

    def _made(self, start: int, end: int, trial: _Trial) -> Part:
        alone = end - start < _FEWEST
        end = start + 1 if alone else end
        steps = self._graph.steps[start:end]
        made = {number for step in steps for number in used_numbers(step.results)}
        used = dict.fromkeys(number for step in steps for number in used_numbers(step.inputs))
        inputs = [number for number in used if number not in made or number in trial.given]
        needed = self._needed_after(end)
        outputs = [Ref(number) for number in sorted(made & needed)]
        over = tuple((made | used.keys()) - needed - self._seen_by_graphs())
        graph = Graph(
            steps,
            tuple(map(Ref, inputs)),
            outputs,
            name=self._graph.name,
            seed=self._graph.seed,
            number=self._graph.number,
            begin=trial.seeds[0],
        )
        specs = [] if alone else [TensorSpec(None, trial.given[number].dtype) for number in inputs]
        run = None if alone else self._compiled(graph, specs)
        seeds = trial.seeds[min(end - start, len(trial.seeds) - 1)]
        return Part(graph, run, inputs, over, seeds, trial.reason if trial.end == start else "", {})

    def _seen_by_graphs(self) -> set[int]:
        """What functions inside see: they may be called later, as the gradient of a `tf.custom_gradient` is."""
        graphs = [leaf for step in self._graph.steps for leaf in leaves(step.inputs) if isinstance(leaf, Graph)]
        return set(used_numbers(graphs))


class _Trial:
    """Steps that are lowered one after the other, to see how far that goes."""

    def __init__(self, graph: Graph, start: int, environment: Environment, seeds: Seeds, is_followed: bool) -> None:
        self.given: dict[int, EagerTensor] = {}  # the values from before that the steps take
        self.objects: dict[int, int] = {}  # values that are no tensors, each with the step that makes it
        self.seeds = [seeds]  # before each step
        self.reason = ""
        self.end = start
        self._outside, self._inside = environment, Environment({})
        self._is_followed = is_followed
        self._numbers = graph.numbers()
        self._evaluator = Lowering()
        try:
            with self._evaluator.running(), self._tape() as self._tape_inside, scope(seeds=graph.seed_scope(seeds)):
                while self.end < len(graph.steps) and self._takes(graph.steps[self.end]):
                    assert STATE.seeds is not None
                    STATE.seeds.step += 1
                    self._run(graph.steps[self.end])
                    self.seeds.append(STATE.seeds.reached)
                    self.end += 1
        except Exception as error:  # (whatever it is shows when the step itself runs)
            self.reason = str(error)
        finally:
            self._evaluator.close()

    def _tape(self) -> Any:
        return GradientTape(persistent=True) if self._is_followed else contextlib.nullcontext()

    def _takes(self, step: Step) -> bool:
        """Whether a step takes nothing but tensors from before; they become inputs."""
        if step.asks_around([self._numbers]):
            self.reason = "It asks a tape that was made outside of it for a gradient of what it computes itself."
            return False
        if self._is_followed and any(isinstance(leaf, (FunctionType, MethodType)) for leaf in leaves(step.inputs)):
            self.reason = "A tape may follow the tensors that a Python function refers to."
            return False
        for number in used_numbers(step.inputs):
            if number in self._inside.values:
                continue
            value = self._outside[number]
            if not isinstance(value, EagerTensor):
                return False
            self.given[number] = value
            abstract = self._inside.values[number] = self._evaluator.input(value._array.shape, value._array.dtype)
            if self._is_followed and value.dtype.is_differentiable:
                self._tape_inside.watch(abstract)
        return True

    def _run(self, step: Step) -> None:
        step.run(self._inside)
        for number in used_numbers(step.results):
            if not isinstance(self._inside.values[number], Tensor):
                self.objects[number] = self.end


def _is_worth_a_program(part: Part, tensors: list[Any]) -> bool:
    """Whether these sizes are the first ones or come again: those that depend on values may be others each time."""
    sizes = part.sizes
    # (A tensor whose value is on another device is not fetched for its shape.)
    key = tuple([t._array.shape if t.__class__ is EagerTensor else tuple(t.shape) for t in tensors])
    count = sizes[key] = sizes.pop(key, 0) + 1
    if len(sizes) > _MOST_SIZES:
        del sizes[next(iter(sizes))]
    return count > 1 or len(sizes) == 1
