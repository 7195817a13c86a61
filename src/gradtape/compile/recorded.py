"""Compiled functions under a tape: one record for the whole call, with a compiled backward pass.

The function and its gradient are lowered together. The forward program gives the results and what the backward program
needs of them; the backward program runs when the tape asks. Where the backward pass itself is recorded (second order),
the gradient is a computation of its own, of the inputs, the cotangents, and what was read and drawn the first time. It is
lowered with its gradient in the same way, and so on for all orders.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..base.context import STATE, Records, scope
from ..base.frames import user_location
from ..base.nest import is_nested
from ..base.notes import is_followed, note_cut
from ..base.seeds import SeedScope
from ..base.sizes import UNKNOWN, Size, is_known, static
from ..differentiation.forward import ForwardAccumulator
from ..differentiation.slices import densify
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import Batched
from ..op.record import Pull, looks_of, new_record, pull_of, refusals, write
from ..ops.array.layout import stack
from ..ops.math.conversion import identity
from ..trace.abstract_tensor import AbstractTensor, NeedsValue
from ..trace.graph import PLAIN, Environment, Graph, bind, leaves, map_parts
from ..values.tensor import EagerTensor, IndexedSlices, from_array, to_tensor
from ..variables.variable import Variable
from .batched_backward import BatchedBackward, batched_backward, key_of_batch
from .codegen import explain
from .dead_code import needed_by, without_dead_code
from .lowering import Lowering
from .measures import Measure
from .outcomes import Outcomes, Replay
from .passes import optimized
from .program import Branch, Loop, Node, Program, Read, Update, Value
from .warming import NATIVE, Form


class _FollowsAll(GradientTape):
    """A tape that follows every variable that is read: one outside may watch those that are not trainable."""

    def _variable_read(self, variable: Variable) -> None:
        if variable.dtype.is_differentiable:
            self._follow_variable(variable)


@dataclass(frozen=True, slots=True)
class LostInFunction:
    """Stands in a `Cut` (base/notes.py) for a compiled function that gives no gradient for the sources at these places."""

    function: weakref.ref[Recorded]
    name: str
    places: tuple[int, ...]


Runs = Callable[[Graph, Environment], Any]


class Computation:
    """A graph, as a computation of its arguments and of tensors from outside that it refers to."""

    def __init__(self, graph: Graph, captured: list[EagerTensor]) -> None:
        self.graph, self._captured = graph, captured

    def run(
        self, evaluator: Lowering, inputs: list[AbstractTensor], outcomes: Outcomes | None, run: Runs = Graph.run
    ) -> Any:
        """The results; what it reads and draws is taken from `outcomes` where there are some. `run` runs the graph."""
        environment = Environment({})
        arguments = inputs[: len(inputs) - len(self._captured)]
        bind(self.graph.inputs, tuple(arguments), environment.values)
        for tensor, abstract in zip(self._captured, inputs[len(arguments) :], strict=True):
            evaluator.lift(tensor, abstract)
        evaluator.replay = None if outcomes is None else Replay(outcomes)
        try:
            # (The random ops of a function that is differentiated are others than its own, as in TensorFlow.)
            with scope(seeds=SeedScope(None, (0,))):
                return run(self.graph, environment)
        finally:
            evaluator.replay = None


class Gradient:
    """The gradient of a computation, as a computation of the inputs and of cotangents, which may be batched."""

    def __init__(
        self,
        of: Computation | Gradient | Tangent,
        variables: list[Variable],
        places: tuple[int, ...],
        batches: list[Batch | None],
        refused: Collection[int] = (),
    ) -> None:
        """`places` are those of the sources among all inputs and variables, `batches` the hidden axes of the cotangents.

        Results at the places in `refused` have no cotangents.
        """
        self._refused = refused
        self._of, self._variables, self._places, self._batches = of, variables, places, batches
        self.graph: Graph = of.graph
        self.is_batched: list[bool] = []  # for each gradient

    def run(
        self, evaluator: Lowering, inputs: list[AbstractTensor], outcomes: Outcomes | None, run: Runs = Graph.run
    ) -> list[Any]:
        """The gradients of the sources; None where there is none."""
        count = len(inputs) - len(self._batches)
        given = inputs[:count]
        with _FollowsAll(persistent=True) as tape:
            tape.watch([abstract for abstract in given if abstract.dtype.is_differentiable])
            results = self._of.run(evaluator, given, outcomes, run)
        followed = _followed(results, self._refused)
        sources: list[Any] = [*given, *self._variables]
        cotangents = [
            _batched(_shaped_as(value, result, batch), batch)
            for value, result, batch in zip(inputs[count:], followed, self._batches, strict=True)
        ]
        found = tape.gradient(followed, [sources[place] for place in self._places], cotangents)
        if any(self._batches):  # (IndexedSlices cannot be batched)
            found = [densify(part) if part.__class__ is IndexedSlices else part for part in found]
        opened = list(map(_opened, found))
        self.is_batched = [batch is not None for _, batch in opened]
        return [part for part, _ in opened]


class Tangent:
    """The tangents of a computation's results, as a computation of the inputs and of the tangents of some of them."""

    def __init__(
        self, of: Computation | Gradient | Tangent, variables: list[Variable], places: tuple[int, ...]
    ) -> None:
        """`places` are those of the sources that have tangents, among all inputs and variables."""
        self._of, self._variables, self._places = of, variables, places
        self.graph: Graph = of.graph

    def run(
        self, evaluator: Lowering, inputs: list[AbstractTensor], outcomes: Outcomes | None, run: Runs = Graph.run
    ) -> list[Any]:
        """The tangents of the differentiable results; None where there is none."""
        count = len(inputs) - len(self._places)
        given, tangents = inputs[:count], inputs[count:]
        sources: list[Any] = [*given, *self._variables]
        with ForwardAccumulator([sources[place] for place in self._places], tangents) as accumulator:
            results = self._of.run(evaluator, given, outcomes, run)
        return [accumulator.jvp(abstract) for abstract in _followed(results)]


Batch = tuple[Any, int]  # the level and the depth of a hidden axis


def _shaped_as(cotangent: AbstractTensor, result: AbstractTensor, batch: Batch | None) -> AbstractTensor:
    """A cotangent with the sizes of its value, where these depend on values."""
    known, sizes = cotangent._array.known, result._array.known
    if sizes is None or is_known(sizes):
        return cotangent
    shape = sizes if batch is None else (*known[:1], *sizes)
    abstract = AbstractTensor(cotangent.evaluator, shape, cotangent.dtype.numpy, cotangent.number)
    abstract._id = cotangent._id
    return abstract


def _batched(value: Any, batch: Batch | None) -> Any:
    return value if batch is None else Batched(value, *batch)


def _opened(value: Any) -> tuple[Any, Batch | None]:
    return (value.data, (value.level, value.depth)) if value.__class__ is Batched else (value, None)


class _Backward:
    """A program that gives gradients; it is compiled when it runs first."""

    def __init__(self, program: Program, form: Form) -> None:
        self.program = program
        self._form = form
        self._run: Any = None
        self._batched: dict[Any, BatchedBackward | None] = {}  # for batches of cotangents, by their sizes

    def run(self, *given: Any) -> Any:
        """The gradients, of arrays."""
        if self._run is None:
            self._run = self._form.runs(self.program, partial(setattr, self, "_run"))
        return self._run(*given)

    def run_batched(self, given: list[Any]) -> list[Any]:
        """The gradients, where cotangents are batched."""
        key = key_of_batch(given)
        if key is None:
            return self.program.run(given)
        if key not in self._batched:
            made = self._batched[key] = batched_backward(self.program, given)
            if made is not None:
                made.compiled = self._form.runs(made.program, partial(setattr, made, "compiled"))
        found = self._batched[key]
        if found is None:
            return self.program.run(given)
        try:
            return found.run(given)
        except Exception as error:
            raise explain(error) from None


class Recorded:
    """A computation on inputs of given sizes, with its gradient."""

    def __init__(
        self,
        computation: Computation | Gradient | Tangent,
        looks: list[tuple[tuple[int, ...], Any]],
        before: Recorded | None = None,
        form: Form = NATIVE,
    ) -> None:
        """`before` is the record of which this one computes the gradient: it has read and drawn what is needed."""
        self.computation, self._looks, self._before, self._form = computation, looks, before, form
        evaluator = Lowering(self._form.updates_in_place)
        try:
            with evaluator.running():
                tape, inputs, self._results = self._on_tape(evaluator, Graph.run)
                self._taken = len(evaluator.program.inputs)  # the inputs, and what comes from an earlier run
                self._outcomes: Outcomes = evaluator.outcomes if before is None else before._outcomes
                evaluator.outcomes = Outcomes()  # (the gradient may read more)
                drawn = self._outcomes.all if before is None else []
                self._variables = list(tape.watched_variables())
                self._refusals = _refusals(tape._records(), self._results)
                followed = _followed(self._results, self._refusals)
                cotangents = [evaluator.input(abstract._array.known, abstract.dtype.numpy) for abstract in followed]
                sources = [*inputs, *self._variables]
                found = tape.gradient(followed, sources, cotangents) if followed else [None] * len(sources)
        finally:
            evaluator.close()
        self._has_rules = evaluator.has_rules
        self._gradients = [_numbers(part) for part in found]
        self._seconds: dict[
            Any, Recorded
        ] = {}  # its gradients as computations of their own, by the batches of the cotangents
        self._pushes: dict[tuple[int, ...], Recorded] = {}  # its tangents, by the places of those that are given
        self._split(evaluator.program, all_abstract(self._results), drawn)

    def _on_tape(self, evaluator: Lowering, run: Runs) -> tuple[GradientTape, list[Any], Any]:
        """Record the computation on abstract values: the tape, what it was given, and its results."""
        inputs = [evaluator.input(*look) for look in self._looks]
        outcomes = None if self._before is None else self._before.replayed(evaluator)
        with _FollowsAll(persistent=True) as tape:
            tape.watch([abstract for abstract in inputs if abstract.dtype.is_differentiable])
            results = self.computation.run(evaluator, inputs, outcomes, run)
        return tape, inputs, results

    @property
    def programs(self) -> tuple[Program, ...]:
        """What runs: the forward and the backward pass."""
        return self._forward, self._backward

    @property
    def graph(self) -> Graph:
        """The function as it was traced."""
        return self.computation.graph

    @property
    def kept(self) -> list[int]:
        """The numbers of the values that the backward pass takes from the forward pass."""
        return self._kept

    def again(self, run: Runs = Graph.run) -> tuple[Records, list[Any], Any]:
        """Record the graph once more, run by `run`: the records, the sources in their order, and the results."""
        evaluator = Lowering(self._form.updates_in_place)
        try:
            with evaluator.running():
                tape, inputs, results = self._on_tape(evaluator, run)
        finally:
            evaluator.close()
        return tape._records(), [*inputs, *self._variables], results

    def replayed(self, evaluator: Lowering) -> Outcomes:
        """Inputs of another lowering for what this one has read and drawn."""

        def taken(abstract: AbstractTensor) -> AbstractTensor:
            made = evaluator.tensor_of(abstract._array.known, abstract.dtype.numpy, abstract.__class__)
            evaluator.program.inputs.append(made.number)
            return made

        return self._outcomes.like(iter([taken(abstract) for abstract in self._outcomes.all]))

    def _split(self, program: Program, results: list[AbstractTensor], drawn: list[AbstractTensor]) -> None:
        """Split one program in two: the forward pass, and the backward pass from the cotangents."""
        wanted = [Value(abstract.number) for abstract in results]
        kept_draws = [Value(abstract.number) for abstract in drawn]
        parts = [part for gradient in self._gradients for part in gradient if part.__class__ is Value]
        program = optimized(program.with_nodes(program.nodes, [*wanted, *kept_draws, *parts]))
        wanted, rest = program.outputs[: len(wanted)], program.outputs[len(wanted) :]
        kept_draws, parts = rest[: len(kept_draws)], rest[len(kept_draws) :]
        renamed = iter(parts)
        self._gradients = [
            tuple(next(renamed) if part.__class__ is Value else part for part in gradient)
            for gradient in self._gradients
        ]
        inputs, cotangents = program.inputs[: self._taken], program.inputs[self._taken :]
        needed = needed_by(program, [*wanted, *kept_draws])
        before, there = list[Node](), {*inputs}
        for node in program.nodes:
            # (A size is measured at once: to keep the array that has it would take more memory.)
            is_size = isinstance(node.what, Measure) and there.issuperset(node.used)
            if is_size or node.has_effect or needed.intersection(node.outputs):
                before.append(node)
                there.update(node.outputs)
        backward = [node for node in program.nodes if not (node.has_effect or there.intersection(node.outputs))]
        used = {number for node in backward for number in node.used}
        used |= {part.number for part in parts if part.__class__ is Value}
        self._kept = sorted(used & there)
        ends = [*wanted, *kept_draws, *(Value(number) for number in self._kept)]
        self._forward = without_dead_code(replace(program, inputs=inputs, nodes=before, outputs=ends))
        computed = [part for part in parts if part.__class__ is Value]
        self._backward = Program([*self._kept, *cotangents], backward, computed, program.looks)
        self._backward = without_dead_code(self._backward)
        self._count, self._drawn = len(wanted), len(kept_draws)
        self._has_loops = any(isinstance(node.what, (Loop, Branch)) for node in program.nodes)
        self._run_forward: Any = self._form.runs(self._forward, partial(setattr, self, "_run_forward"))
        self._for_sources: dict[tuple[int, ...], _Backward] = {}  # by the places of those that are asked for
        # (By place, not by value: each of several results that are one value is a tensor of its own.)
        places = [place for place, abstract in enumerate(results) if abstract.dtype.is_differentiable]
        self._places = [place for number, place in enumerate(places) if number not in self._refusals]
        self._refused = [(places[number], pull) for number, pull in self._refusals.items()]

    # --- running ---------------------------------------------------------------------------------------------------

    def __call__(self, tensors: list[Any], drawn: Sequence[Any] = ()) -> Any:
        """Run it; `drawn` is what an earlier run has read and drawn."""
        for variable in self._variables:
            variable._read()  # tapes follow it by this identity
        try:
            arrays = self._run_forward(*map(self._form.given, tensors), *drawn)
        except Exception as error:
            raise explain(error) from None
        results = list(map(self._form.tensor, arrays[: self._count]))
        outputs = [results[place] for place in self._places]
        if self._refused:
            self._record_refusals(tensors, results)
        if len(outputs) != len(results) and STATE.tapes:
            self._note_integers(tensors, [each for place, each in enumerate(results) if place not in self._places])
        if outputs:
            own = arrays[self._count : self._count + self._drawn]
            self._record(tensors, outputs, arrays[self._count + self._drawn :], drawn or own)
            for accumulator in STATE.accumulators:
                push = partial(self._tangents, tensors, drawn or own)
                accumulator._advance_call(push, [*tensors, *self._variables], outputs)
        return filled(self._results, iter(results))

    def _record(self, tensors: list[Any], outputs: list[Any], kept: Sequence[Any], drawn: Sequence[Any]) -> None:
        sources = [*tensors, *self._variables]
        looks = looks_of(outputs)
        for records in STATE.tapes:
            watched = [place for place, source in enumerate(sources) if source._id in records]
            followed = tuple([place for place in watched if any(p is not None for p in self._gradients[place])])
            if len(followed) != len(watched):
                lost = tuple([place for place in watched if place not in followed])
                by = LostInFunction(weakref.ref(self), self.graph.name, lost)
                note_cut(by, [sources[place] for place in lost], outputs)
            if not followed:
                continue
            pull = self._pull(tensors, kept, drawn, followed)
            pull.function, pull.kept = (self, tensors), kept  # (its closure holds them anyway)
            ids = [sources[place]._id for place in followed]
            write(records, outputs, new_record(pull, ids, (), looks, user_location()))

    def _note_integers(self, tensors: list[Any], results: list[Any]) -> None:
        """Results of types that have no derivatives end the gradient of all that the function was given."""
        sources = [*tensors, *self._variables]
        results = [each for each in results if not (each._id or each.dtype.is_differentiable)]
        places = tuple([place for place, source in enumerate(sources) if is_followed(source._id)])
        if results and places:
            by = LostInFunction(weakref.ref(self), self.graph.name, places)
            note_cut(by, [sources[place] for place in places], results)

    def _tangents(self, tensors: list[Any], drawn: Sequence[Any], tangents: list[Any]) -> list[Any]:
        """The tangents of the outputs from those of the sources: a computation of its own, which others may follow."""
        places = tuple([place for place, tangent in enumerate(tangents) if tangent is not None])
        inputs = [*tensors, *(tangents[place] for place in places)]
        found = self._pushes.get(places)
        if found is None:
            looks = [(tensor._array.shape, tensor.dtype.numpy) for tensor in inputs]
            tangent = Tangent(self.computation, self._variables, places)
            found = self._pushes[places] = Recorded(tangent, looks, before=self)
        slopes: list[Any] = found(inputs, drawn)
        return slopes

    def _record_refusals(self, tensors: list[Any], results: list[Any]) -> None:
        """Who asks for the gradient of a result of an op that has none is told so."""
        sources = [*tensors, *self._variables]
        for records in STATE.tapes:
            ids = [source._id for source in sources if source._id in records]
            for place, pull in self._refused if ids else ():
                output = results[place]
                write(records, [output], new_record(pull, ids, (), looks_of([output]), user_location()))

    def _pull(self, tensors: list[Any], kept: Sequence[Any], drawn: Sequence[Any], followed: tuple[int, ...]) -> Any:
        def on_arrays(cotangents: list[Any], entry: Any) -> list[Any]:
            given = [*kept, *cotangents]
            backward = self._for_sources.get(followed)
            if backward is None:
                backward = self._for_sources[followed] = self._backward_of(followed)
            if any(cotangent.__class__ is Batched for cotangent in cotangents):
                packed = self._packed(iter(backward.run_batched(self._form.arrays(given))), followed)
                # IndexedSlices cannot be batched, so the hidden axis would be lost.
                return [densify(part) if part.__class__ is IndexedSlices else part for part in packed]
            try:
                found = backward.run(*given)
            except Exception as error:
                raise explain(error) from None
            return self._packed(iter(self._form.arrays(found)), followed)

        def on_tensors(cotangents: list[Any], entry: Any) -> list[Any]:
            # The program is shorter than the function: a lookup may have become one in the source itself. Tapes outside
            # see copies, which have dense gradients as the function's own values have.
            given = [identity.public(tensor) for tensor in tensors]
            if STATE.trace is None:
                found = self._gradient(given, drawn, cotangents, followed)
            else:
                found = self._gradient_by_ops(given, kept, drawn, cotangents, followed)
            single = [len(self._gradients[place]) == 1 for place in followed]
            return [
                to_tensor(part) if dense and part is not None else part
                for part, dense in zip(found, single, strict=True)
            ]

        on_arrays.on_tensors = on_tensors  # type: ignore[attr-defined]
        return on_arrays

    def _backward_of(self, places: tuple[int, ...]) -> _Backward:
        """What gives the gradients of the sources at these places: what only others need is not computed."""
        wanted = [part for place in places for part in self._gradients[place] if part.__class__ is Value]
        program = without_dead_code(replace(self._backward, outputs=wanted))
        return _Backward(program, self._form)

    def _gradient(
        self, given: list[Any], drawn: Sequence[Any], cotangents: list[Any], places: tuple[int, ...]
    ) -> list[Any]:
        """The gradients, as a function that is itself followed: a computation of its own, compiled with its own gradient."""
        opened = [_opened(cotangent) for cotangent in cotangents]
        inputs, batches = [*given, *(to_tensor(data) for data, _ in opened)], [batch for _, batch in opened]
        several = any(tensor.__class__ is not EagerTensor for tensor in inputs) or len({*batches} - {None}) > 1
        if several or (any(batches) and self._has_loops):
            return self._gradient_of_each(given, drawn, cotangents, places)
        looks = [(tensor._array.shape, tensor.dtype.numpy) for tensor in inputs]
        followed = _followed(self._results, self._refusals)
        for place, (abstract, batch) in enumerate(zip(followed, batches, strict=True), len(given)):
            sizes = abstract._array.known
            if sizes is not None and not is_known(sizes):  # (one program for all sizes that depend on values)
                lead = () if batch is None else looks[place][0][:1]
                looks[place] = (
                    (*lead, *(UNKNOWN if isinstance(size, Size) else size for size in sizes)),
                    looks[place][1],
                )
        key = (places, *(batch is None for batch in batches), *(static(shape) for shape, _ in looks[len(given) :]))
        second = self._seconds.get(key)
        if second is None:
            gradient = Gradient(self.computation, self._variables, places, batches, self._refusals)
            second = self._seconds[key] = Recorded(gradient, looks, before=self, form=self._form)
        assert isinstance(second.computation, Gradient)
        batch = next((batch for batch in batches if batch is not None), None)
        results = zip(second(inputs, drawn), second.computation.is_batched, strict=True)
        return [_batched(part, batch) if is_batched else part for part, is_batched in results]

    def _gradient_of_each(
        self, given: list[Any], drawn: Sequence[Any], cotangents: list[Any], places: tuple[int, ...]
    ) -> list[Any]:
        """The same for cotangents with several hidden axes, or through loops: one entry of the outermost at a time."""
        batch = max((c for c in cotangents if c.__class__ is Batched), key=lambda c: c.depth)

        def entry(cotangent: Any, number: int) -> Any:
            is_batched = cotangent.__class__ is Batched and cotangent.depth == batch.depth
            return cotangent.data[number] if is_batched else cotangent

        entries = [
            self._gradient(given, drawn, [entry(c, number) for c in cotangents], places)
            for number in range(batch.batch_size)
        ]
        return [
            None if p[0] is None else Batched(stack(list(map(to_tensor, p)), axis=0), batch.level, batch.depth)
            for p in zip(*entries, strict=True)
        ]

    def _gradient_by_ops(
        self,
        given: list[Any],
        kept: Sequence[Any],
        drawn: Sequence[Any],
        cotangents: list[Any],
        places: tuple[int, ...],
    ) -> list[Any]:
        """The same inside a function that is recorded, op by op."""
        if self._has_rules or any(isinstance(n.what, (Loop, Branch)) and not n.computes for n in self._forward.nodes):
            tensors = [value if isinstance(value, (int, tuple)) else from_array(value) for value in kept]
            program = self._backward_of(places).program
            return self._packed(iter(program.run([*tensors, *cotangents])), places)
        ends = self._forward.outputs[self._count : self._count + self._drawn]
        reads = {
            end.number: from_array(value) for end, value in zip(ends, drawn, strict=True) if end.__class__ is Value
        }
        for node in self._forward.nodes:
            if isinstance(node.what, (Read, Update)) and node.outputs[0] in reads:
                reads[node.outputs[0]]._id = node.what.variable._id
        with GradientTape(watch_accessed_variables=False, persistent=True) as tape:
            tape.watch([t for t in given if t.dtype.is_differentiable])
            tape.watch(self._variables)
            again = self._forward.run([*given, *drawn[: self._taken - len(given)]], reads)[: self._count]
        targets = [again[place] for place in self._places]
        sources = [*given, *self._variables]
        found: list[Any] = tape.gradient(targets, [sources[place] for place in places], cotangents)
        return found

    def _packed(self, found: Any, places: tuple[int, ...]) -> list[Any]:
        """The gradients of the sources at these places, from the results of the backward program for them."""
        packed: list[Any] = []
        for gradient in [self._gradients[place] for place in places]:
            parts = [next(found) if part.__class__ is Value else part for part in gradient]
            packed.append(None if not parts else parts[0] if len(parts) == 1 else IndexedSlices(*parts))
        return packed


def _followed(results: Any, refused: Collection[int] = ()) -> list[AbstractTensor]:
    """The results that have gradients, without those at the places in `refused`."""
    found = [abstract for abstract in all_abstract(results) if abstract.dtype.is_differentiable]
    return [abstract for place, abstract in enumerate(found) if place not in refused]


def _refusals(records: Records, results: Any) -> dict[int, Pull]:
    """The results, by place, whose gradient would go through an op without a derivative, with what raises its error."""
    if not any(record and getattr(pull_of(record), "refuses", False) for record in records.values()):
        return {}
    found = {place: refusals(records, abstract._id) for place, abstract in enumerate(_followed(results))}
    return {place: pulls[0] for place, pulls in found.items() if pulls}


def all_abstract(results: Any) -> list[AbstractTensor]:
    """The part of a function's results that the program computes."""
    found = []
    for leaf in leaves(results):
        if leaf.__class__ is AbstractTensor:
            found.append(leaf)
        elif leaf.__class__ is not EagerTensor and leaf.__class__ not in PLAIN and not _is_empty(leaf):
            raise NeedsValue("It returns what a program cannot.")
    return found


def _is_empty(leaf: Any) -> bool:
    return is_nested(leaf) and not leaf


def filled(results: Any, values: Any) -> Any:
    """What a function returns, with these values in place of abstract values."""
    if results.__class__ is AbstractTensor:
        return next(values)
    return map_parts(results, lambda part: filled(part, values))


def _numbers(gradient: Any) -> tuple[Any, ...]:
    """What a gradient is made of: nothing, one value, or the three parts of IndexedSlices."""
    if gradient is None:
        return ()
    parts = (
        (gradient.values, gradient.indices, gradient.dense_shape)
        if isinstance(gradient, IndexedSlices)
        else (gradient,)
    )
    return tuple(map(operand_of_result, parts))


def operand_of_result(value: Any) -> Any:
    """How a program returns a tensor that came out of the lowering: by number, or as the array itself."""
    return Value(value.number) if value.__class__ is AbstractTensor else np.asarray(value._array)
