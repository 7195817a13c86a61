"""Branches while a graph is lowered: each becomes a program of its own.

A branch is recorded on tapes as one call. Its gradient makes the same choice again, among the gradients of the branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from ..differentiation.backward import zeros_of
from ..differentiation.custom import record_call
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import Batched
from ..op.family import with_batch_axis
from ..trace.control import common
from ..trace.ghost import NeedsValue
from ..values.tensor import Tensor, to_tensor
from .inside import (
    Shell,
    Wider,
    as_carried,
    as_recorded,
    filled,
    followed_among,
    free_values,
    is_recording,
    opened,
    operand,
    tangent_of,
    tensors_in,
)
from .program import Branch, Node, Program, Value

if TYPE_CHECKING:
    from .lowering import Lowering


def branch(world: Lowering, number: Any, functions: list[Callable[[], Any]], seen: Sequence[Any] = ()) -> Any:
    """The result of the function of that number, or of the last one; `seen` are values that the functions may use."""
    if number.__class__ is Batched:
        raise NeedsValue("Each entry of a batch may take a branch of its own.")
    seen = [*seen, *(value for function in functions if hasattr(function, "seen") for value in function.seen())]
    hidden: dict[int, Batched] = {}  # the results that are batched in one of the branches
    while True:
        try:
            return _Branch(world, number, functions, hidden, seen).written()
        except Wider as found:
            hidden[found.place] = found.like


class _Branch:
    """One attempt to lower a branch."""

    def __init__(
        self,
        world: Lowering,
        number: Any,
        functions: list[Callable[[], Any]],
        hidden: dict[int, Batched],
        seen: Sequence[Any],
    ) -> None:
        self.world, self.number, self.functions, self.hidden, self.seen = world, number, functions, hidden, seen
        self.recorded = is_recording()
        self.used: dict[int, Tensor] = {}
        self.assigned: set[int] = set()

    def written(self) -> Any:
        """Record the branch and return its results."""
        world = self.world
        programs, structures, layers = zip(*map(self._program, self.functions), strict=True)
        looks = [[program.look_of(output) for output in program.outputs] for program in programs]
        kinds = [[dtype for _, dtype in found] for found in looks]
        if any(found != kinds[0] for found in kinds) or any(found != layers[0] for found in layers):
            raise NeedsValue("The branches give different numbers of tensors, or different types.")
        shapes = [reduce(common, [shape for shape, _ in each]) for each in zip(*looks, strict=True)]
        free = free_values(programs, set())
        for program in programs:
            program.inputs = list(free)
        ghosts = [world.ghost_of(*look) for look in zip(shapes, kinds[0], strict=True)]
        world.note(self.number)
        inputs = (operand(self.number), *map(Value, free))
        world.append(Node(Branch(tuple(programs)), inputs, {}, tuple(ghost.number for ghost in ghosts)))
        results = [shell(ghost) for shell, ghost in zip(layers[0], ghosts, strict=True)]
        if self.recorded and results:
            # Ops on batched values use their data; what is differentiated by is the batched value.
            batched = {id(value.data): value for value in self.seen if value.__class__ is Batched}
            self._record(results, [batched.get(id(value), value) for value in followed_among(self.used.values())])
        return filled(structures[0], results)

    def _program(self, function: Callable[[], Any]) -> tuple[Program, Any, list[Shell]]:
        """The program of one branch, what it returns, and the hidden axes of that."""
        with self.world.inside(False, self.recorded, self.assigned) as level:
            structure, _ = as_carried(function())
            values = tensors_in(structure)
            for place, value in enumerate(values):
                like = self.hidden.get(place)
                if value.__class__ is Batched and like is None:
                    raise Wider(place, value)
                if value.__class__ is not Batched and like is not None:
                    values[place] = Batched(with_batch_axis(value, like.batch_size), like.level, like.depth)
            kept = [opened(value) for value in values]
            for data, _ in kept:
                self.world.note(data)
            level.program.outputs = [operand(data) for data, _ in kept]
        if self.recorded and level.drawn:
            raise NeedsValue("What is drawn in a branch is not kept for its gradient.")
        self.used.update(level.used)
        return level.program, structure, [shell for _, shell in kept]

    def _record(self, results: list[Any], sources: list[Any]) -> None:
        def again(function: Callable[[], Any]) -> list[Any]:
            return tensors_in(as_carried(function())[0])

        def gradient(*cotangents: Any) -> list[Any]:
            def back(function: Callable[[], Any]) -> list[Any]:
                with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                    tape.watch(sources)
                    values = again(function)
                pairs = [(v, c) for v, c in zip(values, cotangents, strict=True) if v.dtype.is_differentiable]
                found = tape.gradient([v for v, _ in pairs], sources, output_gradients=[c for _, c in pairs])
                return [
                    zeros_of(s) if part is None else to_tensor(part) for s, part in zip(sources, found, strict=True)
                ]

            return self._each(back, [*cotangents, *sources])

        def push(tangents: list[Any]) -> list[Any]:
            pairs = [(source, slope) for source, slope in zip(sources, tangents, strict=True) if slope is not None]

            def along(function: Callable[[], Any]) -> list[Any]:
                with ForwardAccumulator([source for source, _ in pairs], [slope for _, slope in pairs]) as accumulator:
                    values = again(function)
                return [tangent_of(accumulator, value) for value in values if value.dtype.is_differentiable]

            kept = iter(self._each(along, [*tangents, *sources]))
            return [next(kept) if result.dtype.is_differentiable else None for result in results]

        if sources:
            record_call(as_recorded(gradient), as_recorded(push), sources, results)

    def _each(self, what: Callable[[Callable[[], Any]], list[Any]], given: list[Any]) -> list[Any]:
        """The same choice among functions derived from the branches, which use these values too."""
        functions: list[Callable[[], Any]] = [partial(what, function) for function in self.functions]
        made: list[Any] = branch(self.world, self.number, functions, [*self.seen, *given])
        return made
