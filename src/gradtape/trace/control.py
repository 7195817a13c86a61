"""Control flow in a trace: the functions that a step takes are traced once, each into a graph of its own.

When the graph runs, `tf.cond` and `tf.while_loop` run as in eager code, with these graphs in place of the user's
functions. This module traces these functions, and infers the shapes and gradients of the results.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..base import nest
from ..base.context import STATE, next_id, remove_identical
from ..base.shapes import TensorShape
from ..base.sizes import UNKNOWN, Dim, same, static
from ..differentiation.custom import linked
from ..native import thresholds
from ..op.abstract import Shape
from ..op.attributes import as_shape
from ..op.record import leaves_below
from ..op.shapes import broadcasted
from ..ops.math.conversion import identity
from ..values.composite import COMPOSITES, expanded, is_composite
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array, to_tensor
from ..variables.variable import Variable
from .abstract_tensor import AbstractTensor, Evaluator, abstract_of
from .composites import filled
from .graph import Graph, fill, leaves, map_parts, parts_of
from .inference import Inference, as_abstract, depending_on, like
from .recorder import Recorder, outside_traces
from .symbolic import SymbolicTensor, is_symbolic

Callee = Callable[..., Any]


# --- branches --------------------------------------------------------------------------------------------------------


def trace_branches(trace: Recorder, functions: list[Callee], name: str) -> list[Graph]:
    """The graphs of functions of which one will run; all must return the same structure and types."""
    traced = [trace.subgraph(function, (), f"{name}_{place}") for place, function in enumerate(functions)]
    graphs, first = [graph for graph, _ in traced], traced[0][1]
    for place, (_, other) in enumerate(traced[1:], 1):
        _check_branches(first, other, name, place)
    if any(not is_symbolic(leaf) for _, returned in traced for leaf in nest.flatten(returned)):
        traced = [_returning_tensors(trace, graph, returned, first) for graph, returned in traced]
    return graphs


def _returning_tensors(trace: Recorder, graph: Graph, returned: object, first: object) -> tuple[Graph, Any]:
    """Python numbers and constants that a branch returns become tensors, as in TensorFlow."""
    converted, _ = trace.subgraph(lambda: nest.map_structure(lambda v: _as_symbolic(trace, v), returned), (), "")
    graph.steps += converted.steps
    graph.outputs = converted.outputs
    return graph, returned


def _as_symbolic(trace: Recorder, value: Any) -> Any:
    """A leaf as a tensor of the trace, or as a composite of such tensors; None stays."""
    if is_composite(value):
        return map_parts(value, lambda part: _as_symbolic(trace, part))
    return None if value is None else trace.symbolic(value)


def _check_branches(first: Any, other: Any, name: str, place: int) -> None:
    try:
        nest.assert_same_structure(first, other)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"tf.{name}: all branches must return the same structure. Branch 0 returns {first!r}, branch {place} "
            f"returns {other!r}. ({error})"
        ) from None
    for a, b in zip(nest.flatten(first), nest.flatten(other), strict=True):
        if (a is None) != (b is None) or (a is not None and _types_of(a) != _types_of(b)):
            raise TypeError(
                f"tf.{name}: all branches must return tensors of the same types. Branch 0 returns {a!r}, branch {place} "
                f"returns {b!r}. Use tf.cast."
            )


def _types_of(value: Any) -> list[Any]:
    """The types of a tensor, or of the tensors of a composite."""
    return [value.__class__ if is_composite(value) else None, *map(_type_of, expanded(value))]


def _type_of(value: Any) -> Any:
    return getattr(value, "dtype", None) or to_tensor(value).dtype if _is_value(value) else type(value)


def _is_value(value: object) -> bool:
    return isinstance(value, (Tensor, bool, int, float, complex, str, bytes)) or hasattr(value, "__array__")


def either(evaluator: Inference, first: object, second: object) -> Any:
    """An abstract value whose shape covers both values, and which depends on both."""

    def one(a: Any, b: Any) -> Any:
        if is_composite(a) and a.__class__ is b.__class__:
            kind = COMPOSITES[a.__class__]
            return kind.rebuilt(a, [one(*pair) for pair in zip(kind.parts(a), kind.parts(b), strict=True)])
        if not isinstance(a, Tensor) and not (isinstance(b, Tensor) and _is_value(a)):
            return a
        a, b = (x if isinstance(x, Tensor) else to_tensor(x) for x in (a, b))
        abstract = evaluator.tensor_of(common(abstract_of(a).known, abstract_of(b).known), a.dtype.numpy)
        return depending_on(evaluator, abstract, [a, b], linearly=True)

    return nest.map_structure(one, first, second)


def common(first: Any, second: Any) -> Any:
    """The shape that covers two."""
    if first is None or second is None or len(first) != len(second):
        return None
    return tuple([a if same(a, b) else UNKNOWN for a, b in zip(first, second, strict=True)])


def branches_on_abstract(evaluator: Evaluator, number: Any, functions: list[Callee]) -> Any:
    """The result of one of several branches, when it is not known which: that of this number, or the last one."""
    if not isinstance(evaluator, Inference):
        return evaluator.branches(number, functions)  # type: ignore[attr-defined]
    results = [evaluator.result_of(function) for function in functions]
    result = results[0]
    for other in results[1:]:
        result = either(evaluator, result, other)
    return result


def chosen_on_abstract(evaluator: Evaluator, place: int, functions: list[Callee]) -> Any:
    """The result of one of several branches, when it is known which. Inputs of the others have gradient 0, not None."""
    result = functions[place]()
    if not (STATE.tapes or STATE.accumulators):
        return result
    seen = [value for function in functions for value in function.seen()]  # type: ignore[attr-defined]

    def connected(leaf: Any) -> Any:
        if isinstance(leaf, EagerTensor):  # (a constant is not followed)
            (leaf,) = evaluator.outputs(identity, [leaf], {}, [abstract_of(leaf)])
        return linked(leaf, seen)

    return nest.map_structure(connected, result)


# --- loops -----------------------------------------------------------------------------------------------------------


def trace_loop(
    trace: Recorder, condition: Callee, body: Callee, variables: list[Any], invariants: list[Any] | None
) -> tuple[Graph, Graph, list[Any]]:
    """The graphs of condition and body of a loop, and its variables as tensors."""
    values = [nest.map_structure(lambda v: _as_symbolic(trace, v), value) for value in variables]
    if invariants is not None:
        shown = [_with_shapes(trace, value, shapes) for value, shapes in zip(values, invariants, strict=True)]
    else:
        shown = [trace.like(nest.map_structure(lambda v: _of_any_sizes(trace, v), value)) for value in values]
    turn = Round(trace.evaluator)
    for leaf in leaves(shown):
        if isinstance(leaf, SymbolicTensor):
            trace.rebind(leaf, turn.enter)
    with turn.following():
        condition_graph, truth = trace.subgraph(condition, tuple(shown), "condition")
        if isinstance(truth, Tensor) and truth.shape.rank:
            raise TypeError(f"tf.while_loop: the condition must be a scalar, got shape {truth.shape}.")
        body_graph, returned = trace.subgraph(_in_list(body, len(values)), tuple(shown), "body")
    _check_loop(trace, shown, returned)
    if any(not is_symbolic(leaf) for leaf in nest.flatten(returned)):
        _returning_tensors(trace, body_graph, returned, returned)
    trace.evaluator.rounds[id(body_graph)] = turn
    return condition_graph, body_graph, values


class Round:
    """One round of a loop on abstract values, from which it follows what any number of rounds gives."""

    def __init__(self, evaluator: Inference) -> None:
        self._evaluator = evaluator
        self._records: dict[int, Any] = {}

    def enter(self, value: Any) -> Any:
        """What stands in the round for a value that goes into it: constants are not constant there."""
        if not self._evaluator.is_followed or not isinstance(value, Tensor):
            return as_abstract(self._evaluator, value)
        abstract = depending_on(self._evaluator, like(self._evaluator, value), [value], linearly=True)
        abstract._id = abstract._id or next_id()
        self._records[abstract._id] = None
        return abstract

    @contextlib.contextmanager
    def following(self) -> Iterator[None]:
        """A block in which it is noted what depends on what goes into the round."""
        tapes = self._evaluator.tapes
        tapes.append(self._records)
        try:
            yield
        finally:
            remove_identical(tapes, self._records)

    def after(self, entered: object, returned: object) -> Any:
        """The values after any number of rounds, in the structure of what one round returned."""
        before, new = list(leaves(entered)), list(leaves(returned))
        places = {value._id: place for place, value in enumerate(before) if isinstance(value, Tensor) and value._id}
        reached = [self._reached(value, places) for value in new]
        for _ in new:  # what depends on a value depends on what that depends on, a round earlier
            reached = [places.union(*[reached[place] for place in places]) for places in reached]
        triples = zip(before, new, reached, strict=True)
        return refilled(returned, iter([self._one(old, now, [new[p] for p in at]) for old, now, at in triples]))

    def _one(self, before: Any, new: Any, others: list[Any]) -> Any:
        if not isinstance(new, Tensor) or not isinstance(before, Tensor):
            if hasattr(new, "link"):
                new.link(others)
            return new
        shape = common(abstract_of(before).known, abstract_of(new).known)
        abstract = self._evaluator.tensor_of(shape, new.dtype.numpy)
        return depending_on(self._evaluator, abstract, [before, new, *others], linearly=True)

    def _reached(self, value: Any, places: dict[int, int]) -> set[int]:
        """Which of the values that went in a value depends on."""
        waiting = [v._id for v in (value.written if hasattr(value, "link") else [value]) if isinstance(v, Tensor)]
        return {places[number] for number in leaves_below(self._records, waiting)}


def refilled(structure: Any, values: Iterator[Any]) -> Any:
    """The structure with other leaves, in order."""
    if not parts_of(structure):
        return next(values)
    return map_parts(structure, lambda part: refilled(part, values))


def _of_any_sizes(trace: Recorder, value: Any) -> Any:
    """What stands in a loop for a composite: its tensors have the sizes that its spec tells, and no others."""
    if not is_composite(value) or COMPOSITES[value.__class__].spec is None:
        return value
    kind = COMPOSITES[value.__class__]
    specs = kind.spec.from_value(value)._component_specs  # type: ignore[union-attr]
    pairs = zip(kind.parts(value), specs, strict=True)
    return kind.rebuilt(
        value,
        [_of_any_sizes(trace, part) if is_composite(part) else trace.like(part, spec.shape) for part, spec in pairs],
    )


def _with_shapes(trace: Recorder, value: Any, shapes: Any) -> Any:
    if isinstance(value, SymbolicTensor):
        shape = shapes.shape if isinstance(shapes, TensorSpec) else TensorShape(shapes)
        if not value.shape.is_subtype_of(shape) and value.shape.is_fully_defined():
            raise ValueError(
                f"tf.while_loop: the shape invariant {shape} does not fit {value!r}, which enters the loop with shape "
                f"{value.shape}."
            )
        return trace.like(value, shape)
    if nest.is_nested(value):
        flat = [_with_shapes(trace, v, s) for v, s in zip(nest.flatten(value), nest.flatten(shapes), strict=True)]
        return nest.pack_sequence_as(value, flat)
    return value


def _in_list(body: Callee, count: int) -> Callee:
    def run(*values: object) -> Any:
        returned = body(*values)
        if count == 1 and not (isinstance(returned, (list, tuple)) and len(returned) == 1):
            return [returned]
        return list(returned) if isinstance(returned, (list, tuple)) else returned

    return run


def _check_loop(trace: Recorder, values: list[Any], returned: object) -> None:
    try:
        nest.assert_same_structure(values, returned, check_types=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"tf.while_loop: the body must return what it is given, of the same structure. {error}"
        ) from None
    for before, after in _tensor_pairs(values, returned):
        if not isinstance(before, SymbolicTensor):
            continue
        kind = _type_of(after)
        if kind != before.dtype:
            raise TypeError(
                f"tf.while_loop: the body turns a loop variable of type {before.dtype.name} into {kind.name}. Loop variables "
                "keep their type: use tf.cast."
            )
        shape = TensorShape(getattr(after, "shape", ()))
        if not shape.is_subtype_of(before.shape):
            raise ValueError(
                f"Input tensor {before.name!r} enters the loop with shape {before.shape}, but has shape {shape} after one "
                "iteration. To allow the shape to vary across iterations, use the `shape_invariants` argument of "
                "tf.while_loop to specify a less-specific shape."
            )


def _tensor_pairs(values: Any, returned: Any) -> Iterator[tuple[Any, Any]]:
    """Pairs of the old and the new value at each place, with composites taken apart."""
    for before, after in zip(nest.flatten(values), nest.flatten(returned), strict=True):
        first, second = expanded(before), expanded(after)
        if is_composite(before) != is_composite(after) or len(first) != len(second):
            raise TypeError(
                f"tf.while_loop: the body turns the loop variable {before!r} into {after!r}, of another type."
            )
        yield from zip(first, second, strict=True)


def loop_on_abstract(
    evaluator: Evaluator, condition: Callee, body: Callee, variables: list[Any], limit: Any = None
) -> list[Any]:
    """The variables after a loop of unknown length."""
    if not isinstance(evaluator, Inference):
        return evaluator.loop(condition, body, variables, limit)  # type: ignore[attr-defined]
    return rounds_on_abstract(evaluator, body, variables)


def rounds_on_abstract(evaluator: Inference, body: Any, variables: list[Any]) -> list[Any]:
    """What is carried through a loop of unknown length, after it."""
    values, rounds = (
        variables,
        max(1, len(evaluator.tapes)),
    )  # (the n-th derivative of a product takes n rounds to be there)
    graph = getattr(body, "graph", None)
    if graph is not None and id(graph) in evaluator.rounds and body.environment is evaluator.environment:
        entered, returned = fill(graph.inputs, evaluator.environment), fill(graph.outputs, evaluator.environment)
        values, rounds = evaluator.rounds[id(graph)].after(entered, returned), rounds - 1
    while rounds > 0:
        turn = Round(evaluator)
        entered = refilled(values, map(turn.enter, leaves(values)))
        with turn.following():
            returned = body(*entered)
        values, rounds = turn.after(entered, list(returned)), rounds - 1
        if any(_is_wider(*pair) for pair in zip(leaves(entered), leaves(values), strict=True)):
            rounds = max(rounds, 1)  # once more, with the shapes that cover those before and after
    return values


def _is_wider(before: Any, after: Any) -> bool:
    """Whether less is known of a shape after a round than before: a rank, or a size that was a number."""
    if not isinstance(before, Tensor):
        return False
    return static(abstract_of(before).known) != static(abstract_of(after).known)


def is_written_out(evaluator: Evaluator, count: Dim) -> bool:
    """Whether the rounds of a loop are written one after the other: there are few of them, and it is known how many."""
    return not isinstance(evaluator, Inference) and isinstance(count, int) and 0 < count <= thresholds.UNROLLED_ROUNDS


# --- functions with effects, or with results that are no function of their arguments --------------------------------------


def effect_on_abstract(evaluator: Evaluator, function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """A function that is called for its effect, as `traceable` takes it."""
    return evaluator.effect(function, args, kwargs)


def sample_on_abstract(evaluator: Evaluator, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Random numbers: drawn each time the function runs."""
    first, draw = kwargs.pop("first", ()), kwargs.pop("draw", function.__wrapped__)
    looks, structure = _drawn_looks(draw, args, kwargs)
    if isinstance(evaluator, Inference):
        results: list[Any] = [evaluator.tensor_of(shape, dtype) for shape, dtype in looks]
    else:
        results = evaluator.opaque(function, (*first, *args), kwargs, looks)  # type: ignore[attr-defined]
    return nest.pack_sequence_as(structure, results)


def _drawn_looks(draw: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], Any]:
    """Shapes and types of what is drawn, and its structure.

    Where a `shape` is given, the shape is that, or that and the common one of the parameters: the draw of one number shows
    which, and the type. Else numbers are drawn, and thrown away.
    """
    given = inspect.signature(draw).bind(*args, **kwargs).arguments
    if "shape" not in given:
        settled = {name: _settled(value) for name, value in given.items()}
        with outside_traces():
            drawn = draw(**settled)
        return [(d._array.shape, d._array.dtype) for d in nest.flatten(drawn)], drawn
    sizes = as_shape(given["shape"])
    tensors = {name: to_tensor(v) for name, v in given.items() if name not in ("shape", "seed") and _has_axes(v)}
    alone = {name: value for name, value in given.items() if name != "shape" and name not in tensors}
    for place, (name, value) in enumerate(alone.items()):  # (a lower bound comes before the upper one)
        alone[name] = _stand_in(value, place)
    with outside_traces():
        drawn = draw(**alone | {name: _one_element(v) for name, v in tensors.items()} | {"shape": [1]})
    shape: Shape = None if sizes is UNKNOWN else tuple(sizes)
    if drawn._array.ndim > 1 and shape is not None:
        common = broadcasted(*map(abstract_of, tensors.values()))
        shape = None if common is None else (*shape, *common)
    return [(shape, drawn._array.dtype)], drawn


def _has_axes(value: Any) -> bool:
    return isinstance(value, (Tensor, Variable, np.ndarray, list, tuple)) and to_tensor(value).shape.rank != 0


def _one_element(tensor: Any) -> Any:
    """One of a tensor's elements, or a stand-in for it."""
    return from_array(
        filled((1,), tensor.dtype.numpy, "ones")
        if tensor.__class__ is AbstractTensor
        else tensor._array.reshape(-1)[:1]
    )


def _stand_in(value: Any, number: int) -> Any:
    """A parameter that has no value yet, in numbers that do not matter."""
    if isinstance(value, (list, tuple)):
        return [_stand_in(part, number) for part in value]
    if value.__class__ is not AbstractTensor:
        return value
    return from_array(np.full(tuple(value.shape), number, value.dtype.numpy))


def _settled(value: Any) -> Any:
    """A value with stand-ins for abstract values; whole numbers are sizes as a rule, and must be known."""
    if value.__class__ is AbstractTensor:
        is_whole = value.dtype.is_integer
        return from_array(np.asarray(value) if is_whole else filled(tuple(value.shape), value.dtype.numpy, "ones"))
    if isinstance(value, (list, tuple)) and any(v.__class__ is AbstractTensor for v in value):
        return [int(v) if v.__class__ is AbstractTensor else v for v in value]
    return value
