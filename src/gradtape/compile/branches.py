"""Branches while a graph is lowered: each becomes a program of its own.

A branch is recorded on tapes as one call. Its gradient makes the same choice again, among the gradients of the branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.sizes import UNKNOWN
from ..differentiation.backward import zeros_of
from ..differentiation.custom import record_call
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import Batched
from ..op.family import with_batch_axis
from ..trace.abstract_tensor import AbstractTensor, NeedsValue
from ..trace.control import common
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
    look_of,
    opened,
    operand,
    present_values,
    tangent_of,
    tensors_in,
)
from .outcomes import BranchOutcomes, Outcomes, Replay
from .program import Branch, Node, Program, Value

if TYPE_CHECKING:
    from .lowering import Lowering


def branch(
    evaluator: Lowering,
    number: object,
    functions: list[Callable[[], Any]],
    seen: Sequence[Any] = (),
    outcomes: BranchOutcomes | None = None,
) -> tuple[Any, BranchOutcomes]:
    """The result of the function of that number, or of the last one, and what they read and draw.

    `seen` are values that the functions may use, `outcomes` what they have read and drawn in an earlier run.
    """
    if number.__class__ is Batched:
        raise NeedsValue("Each entry of a batch may take a branch of its own.")
    seen = [*seen, *(value for function in functions if hasattr(function, "seen") for value in function.seen())]
    hidden: dict[int, Batched] = {}  # the results that are batched in one of the branches
    while True:
        try:
            return _Branch(evaluator, number, functions, hidden, seen, outcomes).written()
        except Wider as found:
            hidden[found.place] = found.like


class _Branch:
    """One attempt to lower a branch."""

    def __init__(
        self,
        evaluator: Lowering,
        number: Any,
        functions: list[Callable[[], Any]],
        hidden: dict[int, Batched],
        seen: Sequence[Any],
        earlier: BranchOutcomes | None,
    ) -> None:
        self.evaluator, self.number, self.functions, self.hidden, self.seen = evaluator, number, functions, hidden, seen
        self.recorded = is_recording()
        self.used: dict[int, Tensor] = {}
        self.assigned: set[int] = set()
        self.before: dict[int, Any] = {}  # what variables hold when it begins
        self.earlier = earlier
        self.outcomes: list[Outcomes] = []  # of each branch

    def written(self) -> tuple[Any, BranchOutcomes]:
        """Record the branch; its results, and what it reads and draws."""
        evaluator = self.evaluator
        programs, structures, layers = zip(*map(self._program, range(len(self.functions))), strict=True)
        looks = [[program.look_of(output) for output in program.outputs] for program in programs]
        kinds = [[dtype for _, dtype in found] for found in looks]
        if any(found != kinds[0] for found in kinds) or any(found != layers[0] for found in layers):
            raise NeedsValue("The branches give different numbers of tensors, or different types.")
        shapes = [reduce(common, [shape for shape, _ in each]) for each in zip(*looks, strict=True)]
        free = free_values(programs, set())
        for program in programs:
            program.inputs = list(free)
        abstracts = [evaluator.tensor_of(*look) for look in zip(shapes, kinds[0], strict=True)]
        drawn, outcomes = self._outcomes(programs)
        evaluator.note(self.number)
        inputs = (operand(self.number), *map(Value, free))
        evaluator.append(
            Node(Branch(tuple(programs)), inputs, {}, tuple(abstract.number for abstract in (*abstracts, *drawn)))
        )
        results = [shell(abstract) for shell, abstract in zip(layers[0], abstracts, strict=True)]
        if self.recorded and results:
            # Ops on batched values use their data; what is differentiated by is the batched value.
            batched = {id(value.data): value for value in self.seen if value.__class__ is Batched}
            used = followed_among([*self.used.values(), *present_values(programs)])
            sources = {value._id: batched.get(id(value), value) for value in used}
            self._record(results, list(sources.values()), self.earlier or outcomes)
        return filled(structures[0], results), outcomes

    def _outcomes(self, programs: Sequence[Program]) -> tuple[list[AbstractTensor], BranchOutcomes]:
        """What the branches read and draw, as results of the whole: each program gives zeros in place of those of the others."""
        found = [outcomes.all for outcomes in self.outcomes]
        given: list[AbstractTensor] = []
        for place, value in ((place, value) for place, values in enumerate(found) for value in values):
            shape, dtype = look_of(value)
            # (A size that only running shows is another one where the branch does not run.)
            sizes = None if shape is None else tuple([size if size.__class__ is int else UNKNOWN for size in shape])
            given.append(self.evaluator.tensor_of(sizes, dtype, value.__class__))
            filler = np.zeros([size if size.__class__ is int and size >= 0 else 0 for size in sizes or ()], dtype)
            for other, program in enumerate(programs):
                program.outputs.append(operand(value) if other == place else filler)
        following = iter(given)
        return given, BranchOutcomes([outcomes.like(following) for outcomes in self.outcomes])

    def _program(self, place: int) -> tuple[Program, Any, list[Shell]]:
        """The program of one branch, what it returns, and the hidden axes of that."""
        with self.evaluator.inside(False, self.recorded, self.assigned) as level:
            if self.earlier is not None:
                level.replay = Replay(self.earlier.branches[place])
            structure, _ = as_carried(self.functions[place]())
            values = tensors_in(structure)
            for place, value in enumerate(values):
                like = self.hidden.get(place)
                if value.__class__ is Batched and like is None:
                    raise Wider(place, value)
                if value.__class__ is not Batched and like is not None:
                    values[place] = Batched(with_batch_axis(value, like.batch_size), like.level, like.depth)
            kept = [opened(value) for value in values]
            for data, _ in kept:
                self.evaluator.note(data)
            level.program.outputs = [operand(data) for data, _ in kept]
        self.used.update(level.used)
        self.before.update(level.before)
        self.outcomes.append(level.outcomes)
        return level.program, structure, [shell for _, shell in kept]

    def _record(self, results: list[Any], sources: list[Any], outcomes: BranchOutcomes) -> None:
        def each(what: Callable[[Callable[[], Any]], list[Any]], given: list[Any]) -> list[Any]:
            """The same choice among functions derived from the branches, which use these values too."""
            functions: list[Callable[[], Any]] = [partial(what, function) for function in self.functions]
            with self.evaluator.variables_as(self.before):
                made: list[Any] = branch(self.evaluator, self.number, functions, [*self.seen, *given], outcomes)[0]
            return made

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

            return each(back, [*cotangents, *sources])

        def push(tangents: list[Any]) -> list[Any]:
            pairs = [(source, slope) for source, slope in zip(sources, tangents, strict=True) if slope is not None]

            def along(function: Callable[[], Any]) -> list[Any]:
                with ForwardAccumulator([source for source, _ in pairs], [slope for _, slope in pairs]) as accumulator:
                    values = again(function)
                return [tangent_of(accumulator, value) for value in values if value.dtype.is_differentiable]

            kept = iter(each(along, [*tangents, *sources]))
            return [next(kept) if result.dtype.is_differentiable else None for result in results]

        if sources:
            record_call(as_recorded(gradient), as_recorded(push), sources, results)
