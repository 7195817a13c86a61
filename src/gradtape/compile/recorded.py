"""Compiled functions under a tape: one record for the whole call, with a compiled backward pass.

The function and its gradient are lowered together. The forward program gives the results and what the backward program
needs of them; the backward program runs when the tape asks. Where the backward pass itself is recorded (second order),
the forward program runs again op by op, on what was read and drawn the first time.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..base.context import STATE, Records, scope
from ..base.frames import user_location
from ..base.notes import note_cut
from ..base.seeds import SeedScope
from ..differentiation.slices import densify
from ..differentiation.tape import GradientTape
from ..differentiation.vectorize import Batched
from ..op.record import looks_of, new_record, write
from ..ops.math.elementwise import identity
from ..trace.ghost import Ghost, NeedsValue
from ..trace.graph import Environment, Graph, bind, leaves, map_parts
from ..values.tensor import EagerTensor, IndexedSlices, Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .codegen import explain, python_of
from .lowering import Lowering
from .passes import optimized, without_dead_code
from .program import Branch, Loop, Program, Read, Value
from .warming import Warming


class _FollowsAll(GradientTape):
    """A tape that follows every variable that is read: one outside may watch those that are not trainable."""

    def variable_read(self, variable: Variable) -> None:
        if variable.dtype.is_differentiable:
            self._follow_variable(variable)


@dataclass(frozen=True, slots=True)
class LostInFunction:
    """Stands in a `Cut` (base/notes.py) for a compiled function that gives no gradient for the sources at these places."""

    function: weakref.ref[Recorded]
    name: str
    places: tuple[int, ...]


class Recorded:
    """A function for given sizes, with its gradient, also with respect to the captured tensors that are followed."""

    def __init__(
        self, graph: Graph, shapes: list[tuple[int, ...]], dtypes: list[Any], captured: list[EagerTensor]
    ) -> None:
        world = Lowering()
        self._graph, self._shapes, self._dtypes = graph, shapes, dtypes
        self._captured = captured
        try:
            with world.running():
                tape, inputs, self._results = self._on_tape(world, Graph.run)
                if world.has_rules:
                    raise NeedsValue("A second derivative follows the rules, and a program has only their ops.")
                self._variables = list(tape.watched_variables())
                followed = _followed(self._results)
                cotangents = [world.input(ghost._array.shape, ghost.dtype.numpy) for ghost in followed]
                sources = [*inputs, *self._variables]
                found = tape.gradient(followed, sources, cotangents) if followed else [None] * len(sources)
        finally:
            world.close()
        self._outputs = [ghost.number for ghost in followed]
        self._gradients = [_numbers(part) for part in found]
        self._split(world.program, len(inputs), all_ghosts(self._results))

    def _on_tape(
        self, world: Lowering, run: Callable[[Graph, Environment], Any]
    ) -> tuple[GradientTape, list[Any], Any]:
        """Record the graph on abstract values: the tape, what it was given, and its results."""
        arguments = [world.input(shape, dtype) for shape, dtype in zip(self._shapes, self._dtypes, strict=True)]
        environment = Environment({})
        bind(self._graph.inputs, tuple(arguments), environment.values)
        inputs = [*arguments, *map(world.lift, self._captured)]
        with _FollowsAll(persistent=True) as tape:
            tape.watch([ghost for ghost in inputs if ghost.dtype.is_differentiable])
            # (The random ops of a function that is differentiated are others than its own, as in TensorFlow.)
            with scope(seeds=SeedScope(None, (0,))):
                results = run(self._graph, environment)
        return tape, inputs, results

    @property
    def graph(self) -> Graph:
        """The function as it was traced."""
        return self._graph

    def again(self, run: Callable[[Graph, Environment], Any]) -> tuple[Records, list[Any]]:
        """Record the graph once more, run by `run`: the records, and the sources in their order."""
        world = Lowering()
        try:
            with world.running():
                tape, inputs, _ = self._on_tape(world, run)
        finally:
            world.close()
        return tape._records(), [*inputs, *self._variables]

    def _split(self, program: Program, given: int, results: list[Ghost]) -> None:
        """Split one program in two: the forward pass, and the backward pass from the cotangents."""
        wanted = [Value(ghost.number) for ghost in results]
        parts = [part for gradient in self._gradients for part in gradient if part.__class__ is Value]
        program = optimized(program.with_nodes(program.nodes, [*wanted, *parts]))
        if any(isinstance(node.what, (Loop, Branch)) and not node.computes for node in program.nodes):
            raise NeedsValue("A second derivative runs a loop again, and what it has drawn is not kept.")
        wanted, parts = program.outputs[: len(wanted)], program.outputs[len(wanted) :]
        renamed = iter(parts)
        self._gradients = [
            tuple(next(renamed) if part.__class__ is Value else part for part in gradient)
            for gradient in self._gradients
        ]
        forward = without_dead_code(program.with_nodes(program.nodes, wanted))
        inputs, cotangents = program.inputs[:given], program.inputs[given:]
        needed = {number for node in forward.nodes for number in node.outputs}
        before = [node for node in program.nodes if node.has_effect or needed.intersection(node.outputs)]
        there = {*inputs, *(number for node in before for number in node.outputs)}
        backward = [node for node in program.nodes if not (node.has_effect or there.intersection(node.outputs))]
        used = {number for node in backward for number in node.used}
        used |= {part.number for part in parts if part.__class__ is Value}
        kept = sorted(used & there)
        # For a second derivative the forward program runs again, with what was read and drawn.
        asked = {number for node in forward.nodes for number in node.used}
        asked |= {output.number for output in wanted if output.__class__ is Value}
        self._drawn = {
            number
            for node in before
            if not node.computes
            for number in node.outputs
            if number in asked or number in kept
        }
        self._kept = [*kept, *sorted(self._drawn.difference(kept))]
        ends = [*wanted, *(Value(number) for number in self._kept)]
        self._forward = forward = without_dead_code(replace(program, inputs=inputs, nodes=before, outputs=ends))
        computed = [part for part in parts if part.__class__ is Value]
        self._backward = Program([*self._kept, *cotangents], backward, computed, program.looks)
        self._backward = without_dead_code(self._backward)
        self._count = len(wanted)
        self._run_forward: Any = Warming(
            forward, lambda whole: python_of(forward, whole=whole), partial(setattr, self, "_run_forward")
        )
        self._run_backward: Any = None
        positions = {id(ghost): place for place, ghost in enumerate(results)}
        self._places = [positions[id(ghost)] for ghost in _followed(self._results)]
        self._reads = {node.outputs[0]: node.what.variable for node in forward.nodes if isinstance(node.what, Read)}

    # --- running ---------------------------------------------------------------------------------------------------

    def __call__(self, arguments: list[Any]) -> Any:
        tensors = [*arguments, *self._captured]
        for variable in self._variables:
            variable._read()  # tapes follow it by this identity
        try:
            arrays = self._run_forward(*[tensor._array for tensor in tensors])
        except Exception as error:
            raise explain(error) from None
        results = [from_array(array) for array in arrays[: self._count]]
        outputs = [results[place] for place in self._places]
        if outputs:
            self._record(tensors, outputs, dict(zip(self._kept, arrays[self._count :], strict=True)))
        return filled(self._results, iter(results))

    def _record(self, tensors: list[Any], outputs: list[Any], kept: dict[int, Any]) -> None:
        sources = [*tensors, *self._variables]
        looks = looks_of(outputs)
        for records in STATE.tapes:
            watched = [place for place, source in enumerate(sources) if source._id in records]
            followed = tuple([place for place in watched if any(p is not None for p in self._gradients[place])])
            if len(followed) != len(watched):
                lost = tuple([place for place in watched if place not in followed])
                by = LostInFunction(weakref.ref(self), self._graph.name, lost)
                note_cut(by, [sources[place] for place in lost], outputs)
            if not followed:
                continue
            pull = self._pull(tensors, kept, followed)
            pull.function = self, tensors  # (its closure holds both anyway)
            ids = [sources[place]._id for place in followed]
            write(records, outputs, new_record(pull, ids, (), looks, user_location()))

    def _pull(self, tensors: list[Any], kept: dict[int, Any], followed: tuple[int, ...]) -> Any:
        def on_arrays(cotangents: list[Any], entry: Any) -> list[Any]:
            given = [*(kept[number] for number in self._kept), *cotangents]
            if any(cotangent.__class__ is Batched for cotangent in cotangents):
                packed = self._packed(iter(self._backward.run(given)))
                # IndexedSlices cannot be batched, so the hidden axis would be lost.
                dense = [densify(part) if part.__class__ is IndexedSlices else part for part in packed]
                return [dense[place] for place in followed]
            if self._run_backward is None:
                self._run_backward = Warming(
                    self._backward,
                    lambda whole: python_of(self._backward, whole=whole),
                    partial(setattr, self, "_run_backward"),
                )
            try:
                found = self._run_backward(*given)
            except Exception as error:
                raise explain(error) from None
            packed = self._packed(iter(found))
            return [packed[place] for place in followed]

        def on_tensors(cotangents: list[Any], entry: Any) -> list[Any]:
            reads = {number: from_array(kept[number]) for number in self._drawn}
            for number, variable in self._reads.items():
                reads[number]._id = variable._id
            # The program is shorter than the function: a lookup may have become one in the source itself. Tapes outside
            # see copies, which have dense gradients as the function's own values have.
            given = [identity.public(tensor) for tensor in tensors]
            with GradientTape(watch_accessed_variables=False, persistent=True) as tape:
                tape.watch([t for t in given if t.dtype.is_differentiable])
                tape.watch(self._variables)
                again = self._forward.run(given, reads)[: self._count]
            targets = [again[place] for place in self._places]
            found = tape.gradient(targets, [*given, *self._variables], cotangents)
            dense = [to_tensor(part) if len(g) == 1 else part for part, g in zip(found, self._gradients, strict=True)]
            return [dense[place] for place in followed]

        on_arrays.on_tensors = on_tensors  # type: ignore[attr-defined]
        return on_arrays

    def _packed(self, found: Any) -> list[Any]:
        """The gradients of all sources from the results of the backward program."""
        packed: list[Any] = []
        for gradient in self._gradients:
            parts = [next(found) if part.__class__ is Value else part for part in gradient]
            packed.append(None if not parts else parts[0] if len(parts) == 1 else IndexedSlices(*parts))
        return packed


def _followed(results: Any) -> list[Ghost]:
    return [ghost for ghost in all_ghosts(results) if ghost.dtype.is_differentiable]


def all_ghosts(results: Any) -> list[Ghost]:
    """The part of a function's results that the program computes."""
    found = []
    for leaf in leaves(results):
        if leaf.__class__ is Ghost:
            found.append(leaf)
        elif isinstance(leaf, Tensor) and leaf.__class__ is not EagerTensor:
            raise NeedsValue("A result of another kind.")
    return found


def filled(results: Any, values: Any) -> Any:
    """What a function returns, with these values in place of abstract values."""
    if results.__class__ is Ghost:
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
    return Value(value.number) if value.__class__ is Ghost else np.asarray(value._array)
