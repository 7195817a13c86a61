"""Control flow in a trace: the functions that a step takes are traced once, each into a graph of its own.

When the graph runs, `tf.cond` and `tf.while_loop` run as in eager code, with these graphs in place of the user's
functions. This module traces these functions, and infers the shapes and gradients of the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..base import nest
from ..base.context import STATE
from ..base.shapes import TensorShape
from ..differentiation.custom import linked
from ..ops.array.layout import broadcast_to, expand_dims
from ..ops.math.elementwise import identity
from ..ops.math.logic import select
from ..values.composite import COMPOSITES, expanded, is_composite
from ..values.tensor import EagerTensor, Tensor, TensorSpec, from_array, to_tensor
from .ghost import Ghost, World, depending_on, filled
from .graph import Graph, map_parts
from .inference import Inference
from .recorder import Recorder, outside_traces
from .symbolic import SymbolicTensor, is_symbolic

Callee = Callable[..., Any]
_MOST_UNROLLED = 32


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


def either(world: World, first: object, second: object) -> Any:
    """An abstract value whose shape covers both values, and which depends on both."""

    def one(a: Any, b: Any) -> Any:
        if is_composite(a) and a.__class__ is b.__class__:
            kind = COMPOSITES[a.__class__]
            return kind.rebuilt(a, [one(*pair) for pair in zip(kind.parts(a), kind.parts(b), strict=True)])
        if not isinstance(a, Tensor) and not (isinstance(b, Tensor) and _is_value(a)):
            return a
        a, b = (x if isinstance(x, Tensor) else to_tensor(x) for x in (a, b))
        if tuple(a.shape) == tuple(b.shape):
            return select(Ghost(world, (), _BOOL), a, b)
        shape = TensorShape(a.shape).most_specific_compatible_shape(b.shape)
        ghost = world.ghost(TensorSpec(shape, a.dtype))  # type: ignore[attr-defined]
        return depending_on(ghost, a, b)

    return nest.map_structure(one, first, second)


_BOOL = to_tensor(True)._array.dtype


def branches_in_world(world: World, number: Any, functions: list[Callee]) -> Any:
    """The result of one of several branches, when it is not known which: that of this number, or the last one."""
    if not isinstance(world, Inference):
        return world.branches(number, functions)  # type: ignore[attr-defined]
    result = functions[0]()
    for function in functions[1:]:
        result = either(world, result, function())
    return result


def chosen_in_world(world: World, place: int, functions: list[Callee]) -> Any:
    """The result of one of several branches, when it is known which. Inputs of the others have gradient 0, not None."""
    result = functions[place]()
    if not (STATE.tapes or STATE.accumulators):
        return result
    seen = [value for function in functions for value in function.seen()]  # type: ignore[attr-defined]

    def connected(leaf: Any) -> Any:
        if leaf.__class__ is EagerTensor:  # (a constant is not followed)
            (leaf,) = world.outputs(identity, [leaf], {}, [(leaf._array.shape, leaf._array.dtype)])
        return linked(leaf, seen)

    return nest.map_structure(connected, result)


# --- loops -----------------------------------------------------------------------------------------------------------


def trace_loop(
    trace: Recorder, condition: Callee, body: Callee, variables: list[Any], invariants: list[Any] | None
) -> tuple[Graph, Graph, list[Any]]:
    """The graphs of condition and body of a loop, and its variables as tensors."""
    values = [nest.map_structure(lambda v: _as_symbolic(trace, v), value) for value in variables]
    shown = [nest.map_structure(lambda v: _of_any_sizes(trace, v), value) for value in values]
    if invariants is not None:
        shown = [_with_shapes(trace, value, shapes) for value, shapes in zip(values, invariants, strict=True)]
    condition_graph, truth = trace.subgraph(condition, tuple(shown), "condition")
    if isinstance(truth, Tensor) and truth.ndim:
        raise TypeError(f"tf.while_loop: the condition must be a scalar, got shape {truth.shape}.")
    body_graph, returned = trace.subgraph(_in_list(body, len(values)), tuple(shown), "body")
    _check_loop(trace, shown, returned)
    if any(not is_symbolic(leaf) for leaf in nest.flatten(returned)):
        _returning_tensors(trace, body_graph, returned, returned)
    return condition_graph, body_graph, values


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


def loop_in_world(world: World, condition: Callee, body: Callee, variables: list[Any], limit: Any = None) -> list[Any]:
    """The variables after a loop of unknown length: a few rounds show which value depends on which."""
    if not isinstance(world, Inference):
        return world.loop(condition, body, variables, limit)  # type: ignore[attr-defined, no-any-return]
    values = [_loose(world, value) for value in variables]
    condition(*values)
    for _ in range(min(len(nest.flatten(values)), 3)):
        values = [either(world, old, new) for old, new in zip(values, body(*values), strict=True)]
    return values


def _loose(world: World, value: object) -> Any:
    """Constants that enter a loop are not constant in it."""

    def loose(v: Any) -> Any:
        if is_composite(v):
            return map_parts(v, loose)
        return Ghost(world, v._array.shape, v._array.dtype) if v.__class__ is EagerTensor else v

    return nest.map_structure(loose, value)


def repeated(value: object, count: int) -> Any:
    """`count` times the same along a new first axis."""
    tensor = to_tensor(value)
    return broadcast_to(expand_dims(tensor, axis=0), shape=(count, *tuple(tensor.shape)))


def is_written_out(world: World, count: int) -> bool:
    """Whether the rounds of a loop of known length are written one after the other."""
    return not isinstance(world, Inference) and 0 < count <= _MOST_UNROLLED


# --- functions with effects, or with results that are no function of their arguments --------------------------------------


def effect_in_world(world: World, function: object, *args: object, **kwargs: object) -> Any:
    """On abstract values nothing is printed and nothing asserted."""
    if not isinstance(world, Inference):
        return world.opaque(function, args, kwargs, [])  # type: ignore[attr-defined]
    return None


def sample_in_world(world: World, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Random numbers: drawn each time the function runs. Their shapes are found by a draw that is thrown away."""
    first, draw = kwargs.pop("first", ()), kwargs.pop("draw", function.__wrapped__)
    given = [_settled(value) for value in args]
    settings = {name: _settled(value) for name, value in kwargs.items()}
    with outside_traces():
        drawn = draw(*given, **settings)
    shapes = [(d._array.shape, d._array.dtype) for d in nest.flatten(drawn)]
    if isinstance(world, Inference):
        results: list[Any] = [Ghost(world, shape, dtype) for shape, dtype in shapes]
    else:
        results = world.opaque(function, (*first, *args), kwargs, shapes)  # type: ignore[attr-defined]
    return nest.pack_sequence_as(drawn, results)


def _settled(value: Any) -> Any:
    """A value with stand-ins for abstract values."""
    if value.__class__ is Ghost:
        return from_array(filled(tuple(value.shape), value.dtype.numpy, "ones"))
    if isinstance(value, (list, tuple)) and any(v.__class__ is Ghost for v in value):
        return [int(v) if v.__class__ is Ghost else v for v in value]
    return value
