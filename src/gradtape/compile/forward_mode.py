"""Compiled functions under an accumulator: one program gives the results and their tangents."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..differentiation.forward import ForwardAccumulator
from ..trace.graph import Environment, Graph, bind
from ..values.tensor import EagerTensor
from ..variables.variable import Variable
from .codegen import explain
from .lowering import Lowering
from .passes import optimized
from .recorded import all_abstract, filled, operand_of_result
from .warming import NATIVE, Form


class Advanced:
    """A function for given sizes, with the tangents of its results from those of some of its sources."""

    def __init__(
        self,
        graph: Graph,
        shapes: list[tuple[int, ...]],
        dtypes: list[Any],
        captured: list[EagerTensor],
        followed: list[int],
        variables: list[Variable],
        form: Form = NATIVE,
    ) -> None:
        """`followed` are the arguments that have tangents; all captured tensors and variables here have one."""
        evaluator = Lowering(form.updates_in_place)
        arguments = [evaluator.input(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
        environment = Environment({})
        bind(graph.inputs, tuple(arguments), environment.values)
        lifted = [evaluator.input(tensor._array.shape, tensor._array.dtype) for tensor in captured]
        for tensor, abstract in zip(captured, lifted, strict=True):
            evaluator.lift(tensor, abstract)
        sources: list[Any] = [*(arguments[place] for place in followed), *lifted, *variables]
        looks = [(tuple(source.shape), source.dtype.numpy) for source in sources]
        tangents = [evaluator.input(*look) for look in looks]
        try:
            with evaluator.running():
                with ForwardAccumulator(sources, tangents) as accumulator:
                    self._results = graph.run(environment)
                abstracts = all_abstract(self._results)
                slopes = [
                    accumulator.jvp(abstract) if abstract.dtype.is_differentiable else None for abstract in abstracts
                ]
        finally:
            evaluator.close()
        self._count = len(abstracts)
        self._places = [place for place, slope in enumerate(slopes) if slope is not None]
        ends = [*abstracts, *(slope for slope in slopes if slope is not None)]
        program = evaluator.program.with_nodes(evaluator.program.nodes, [operand_of_result(end) for end in ends])
        shorter = optimized(program)
        self.programs = (shorter,)
        self._form = form
        self._run: Any = form.runs(shorter, partial(setattr, self, "_run"))

    def __call__(self, tensors: list[Any], tangents: list[Any], accumulator: ForwardAccumulator) -> Any:
        try:
            found = self._run(*map(self._form.given, (*tensors, *tangents)))
        except Exception as error:
            raise explain(error) from None
        results = list(map(self._form.tensor, found[: self._count]))
        for place, slope in zip(self._places, found[self._count :], strict=True):
            accumulator.watch(results[place], self._form.tensor(slope))
        return filled(self._results, iter(results))
