"""Loops that go on while something holds, or while a dataset has elements: while_loop, and `for` over a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

import numpy as np

from ...base import dtypes, nest
from ...base.errors import LoopStructureError
from ...base.namespaces import homes, on_first_use
from ...base.traceable import traceable
from ...base.type_spec import CompositeSpec
from ...base.types import TensorLeaf
from ...trace.abstract_tensor import Evaluator
from ...trace.control import Callee, loop_on_abstract, rounds_on_abstract, trace_loop
from ...trace.host_calls import blank, called_on_abstract, fitting, specs_of_parts
from ...trace.inference import Inference
from ...trace.recorder import Recorder
from ...values.composite import COMPOSITES, expanded, is_composite
from ...values.tensor import Tensor, TensorSpec, from_array, to_tensor
from .branches import truth_of


@overload
def while_loop(
    cond: Callable[[Tensor], Any],
    body: Callable[[Tensor], Any],
    loop_vars: tuple[TensorLeaf],
    shape_invariants: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    maximum_iterations: Any = ...,
    name: str | None = ...,
) -> tuple[Tensor]: ...
@overload
def while_loop(
    cond: Callable[[Tensor, Tensor], Any],
    body: Callable[[Tensor, Tensor], Any],
    loop_vars: tuple[TensorLeaf, TensorLeaf],
    shape_invariants: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    maximum_iterations: Any = ...,
    name: str | None = ...,
) -> tuple[Tensor, Tensor]: ...
@overload
def while_loop(
    cond: Callable[[Tensor, Tensor, Tensor], Any],
    body: Callable[[Tensor, Tensor, Tensor], Any],
    loop_vars: tuple[TensorLeaf, TensorLeaf, TensorLeaf],
    shape_invariants: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    maximum_iterations: Any = ...,
    name: str | None = ...,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def while_loop(
    cond: Callable[[Tensor, Tensor, Tensor, Tensor], Any],
    body: Callable[[Tensor, Tensor, Tensor, Tensor], Any],
    loop_vars: tuple[TensorLeaf, TensorLeaf, TensorLeaf, TensorLeaf],
    shape_invariants: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    maximum_iterations: Any = ...,
    name: str | None = ...,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
@overload
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: list[TensorLeaf],
    shape_invariants: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    maximum_iterations: Any = ...,
    name: str | None = ...,
) -> list[Tensor]: ...
@overload
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: tuple[TensorLeaf, ...],
    shape_invariants: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    maximum_iterations: Any = ...,
    name: str | None = ...,
) -> tuple[Tensor, ...]: ...
@overload
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    maximum_iterations: Any = ...,
    name: str | None = ...,
) -> Any: ...
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Calls `body` with the loop variables, and takes what it returns as the next ones, while `cond` of them is true.

    >>> import gradtape as tf
    >>> i, total = tf.while_loop(lambda i, total: i < 4, lambda i, total: (i + 1, total + i), [0, 0])
    >>> int(total)
    6

    `shape_invariants`, `parallel_iterations`, `back_prop` and `swap_memory` matter for graphs; eagerly they have no effect.

    Args:
        cond: A function of the loop variables that gives one truth value.
        body: A function of the loop variables that gives the next ones, in the same structure.
        loop_vars: The first values of the loop variables, as a list or tuple.
        shape_invariants: The shapes that variables may have in a traced function, where they change from round to round.
        parallel_iterations: Ignored; accepted for compatibility with TensorFlow.
        back_prop: Ignored; accepted for compatibility with TensorFlow.
        swap_memory: Ignored; accepted for compatibility with TensorFlow.
        maximum_iterations: The most rounds; None: no limit.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The last loop variables.

    Raises:
        TypeError: `cond` or `body` is no function.
        ValueError: The body gives another structure.
    """
    for label, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise TypeError(f"'{label}' must be callable.")
    if not nest.is_nested(loop_vars) or not loop_vars:
        raise LoopStructureError("'loop_vars' must be provided, as a list or tuple.")
    if not isinstance(parallel_iterations, int) or parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    limit = None if maximum_iterations is None else _iteration_limit(maximum_iterations)
    values = list(loop_vars)
    steps = 0
    while (limit is None or steps < limit) and truth_of(cond(*values)):
        returned = body(*values)
        if not isinstance(returned, (list, tuple)):
            raise LoopStructureError(
                f"while_loop: body must return {len(values)} value(s) in a list or tuple, like loop_vars; got {returned!r}."
            )
        returned = list(returned)
        nest.assert_same_structure(values, returned)
        values = returned
        steps += 1
    final = [nest.map_structure(loop_result, value) for value in values]
    return tuple(final) if isinstance(loop_vars, tuple) else final


def _iteration_limit(maximum_iterations: Any) -> int:
    limit = to_tensor(maximum_iterations)
    if limit.ndim:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    return int(np.ceil(limit._array))


def loop_result(value: Any) -> Any:
    return value if value is None or value.__class__ in COMPOSITES else to_tensor(value)


def for_dataset(
    dataset: Any,
    body: Callable[..., Any],
    loop_vars: list[Any],
    shape_invariants: Any = None,
    test: Callable[..., Any] | None = None,
) -> list[Any]:
    """A `for` statement over a dataset or an iterator.

    `body` takes an element and the loop variables, and returns as many values. Where `test` of the variables does not hold, no
    further element is taken; it is called like `body`, and does not look at the element.
    """
    values, elements = list(loop_vars), iter(dataset)
    nothing = nest.map_structure(_unseen, dataset.element_spec)
    while test is None or truth_of(test(nothing, *values)):
        try:
            element = next(elements)
        except StopIteration:
            break
        values = list(body(element, *values))[1:]
    return values


# --- inside traced functions -------------------------------------------------------------------------------------------


def _trace_while_loop(
    trace: Any,
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    if not nest.is_nested(loop_vars) or not loop_vars:
        raise LoopStructureError("'loop_vars' must be provided, as a list or tuple.")
    invariants = None if shape_invariants is None else list(shape_invariants)
    condition, graph, values = trace_loop(trace, cond, body, list(loop_vars), invariants)
    others = {} if maximum_iterations is None else {"maximum_iterations": maximum_iterations}
    final = trace.step(while_loop, (condition, graph, values), others)
    return tuple(final) if isinstance(loop_vars, tuple) else final


def _while_loop_on_abstract(
    evaluator: Any,
    function: Any,
    cond: Any,
    body: Any,
    loop_vars: Any,
    maximum_iterations: Any = None,
) -> Any:
    return loop_on_abstract(
        evaluator, cond, body, loop_vars, None if maximum_iterations is None else _iteration_limit(maximum_iterations)
    )


def _trace_for_dataset(
    trace: Recorder,
    dataset: Any,
    body: Callee,
    loop_vars: list[Any],
    shape_invariants: Any = None,
    test: Callee | None = None,
) -> Any:
    dataset = dataset.in_functions() if hasattr(dataset, "in_functions") else dataset
    specs = _specs_of(dataset)
    element = nest.map_structure(trace.stand_in, specs)
    invariants = None
    if shape_invariants is not None:
        invariants = [nest.map_structure(lambda spec: spec.shape, specs), *shape_invariants]

    def turn(element: Any, *values: Any) -> Any:
        return body(nest.map_structure(_with_known_sizes, specs, element), *values)

    condition = test or (lambda *values: True)
    test_graph, graph, values = trace_loop(trace, condition, turn, [element, *loop_vars], invariants)
    others = {} if test is None else {"test": test_graph}
    return trace.step(for_dataset, (dataset, graph, values[1:]), others)


def _for_dataset_on_abstract(
    evaluator: Evaluator, function: Callee, dataset: Any, body: Callee, loop_vars: list[Any], test: Callee | None = None
) -> Any:
    specs = _specs_of(dataset)
    if isinstance(evaluator, Inference):
        element = nest.map_structure(lambda spec: fitting(evaluator, spec), specs)
        return rounds_on_abstract(evaluator, body, [element, *loop_vars])[1:]
    why = "The elements of a dataset have sizes that are known when they are taken."
    handle = called_on_abstract(evaluator, begun, (dataset,), TensorSpec((), dtypes.string), why)
    parts = [part for spec in nest.flatten(specs) for part in specs_of_parts(spec)]

    def taken(go_on: Tensor) -> list[Any]:
        """Whether there is another element, and the tensors that it is made of."""
        given = handle, go_on, specs, parts
        return list(called_on_abstract(evaluator, next_element, given, [TensorSpec((), dtypes.bool), *parts], why))

    def go_on(element: object, values: list[Any]) -> Tensor:
        return to_tensor(True) if test is None else to_tensor(test(element, *values))

    def turn(there: Tensor, *values: Any) -> list[Any]:
        element = _put_together(specs, values[: len(parts)])
        after = list(body(element, *values[len(parts) :]))[1:]
        return [*taken(go_on(element, after)), *after]

    nothing = nest.map_structure(_unseen, specs)
    start = [*taken(go_on(nothing, loop_vars)), *loop_vars]
    return loop_on_abstract(evaluator, lambda there, *rest: there, turn, start)[1 + len(parts) :]


def _specs_of(dataset: Any) -> Any:
    """The specs of the elements: for an element that is a dataset, that of what stands for one in a function."""
    return nest.map_structure(lambda spec: getattr(spec, "in_functions", spec), dataset.element_spec)


def _put_together(specs: Any, parts: Sequence[Any]) -> Any:
    """An element, of the tensors that it is made of."""
    following = iter(parts)

    def put(spec: Any) -> Any:
        return (
            spec._from_components([put(part) for part in spec._component_specs])
            if isinstance(spec, CompositeSpec)
            else next(following)
        )

    return nest.map_structure(put, specs)


def _with_known_sizes(spec: object, value: object) -> Any:
    """The value; a composite, of whose sizes a loop knows nothing, with those that the spec tells."""
    if not isinstance(spec, CompositeSpec) or not is_composite(value):
        return value
    return spec._from_components(expanded(value))


def _unseen(spec: object) -> Any:
    """What stands for an element at which nobody looks."""
    return blank(spec) if isinstance(spec, CompositeSpec) else None


def begun(dataset: Iterable[Any]) -> Tensor:
    """A scalar that holds a new iterator over a dataset, or this iterator."""
    return _box(iter(dataset))


def _box(thing: object) -> Tensor:
    box = np.empty((), object)
    box[()] = thing
    return from_array(box)


def next_element(handle: Tensor, go_on: Tensor, specs: object, parts: list[Any]) -> list[Any]:
    """Whether there is another element, and the tensors that it is made of; blank ones where there is none, or none is wanted."""
    try:
        if bool(go_on):
            element = next(handle._array.item())
            values = zip(nest.flatten(specs), nest.flatten(element), strict=True)
            return [to_tensor(True), *(part for spec, value in values for part in _taken_apart(spec, value))]
    except StopIteration:
        pass
    return [to_tensor(False), *map(blank, parts)]


def _taken_apart(spec: object, value: Any) -> list[Any]:
    """The tensors of a part of an element; a dataset is held by one."""
    is_held = isinstance(spec, CompositeSpec) and not is_composite(value) and not isinstance(value, Tensor)
    return [_box(value)] if is_held else expanded(value)


while_loop = traceable(while_loop, always=True, on_abstract=_while_loop_on_abstract, on_trace=_trace_while_loop)
for_dataset = traceable(for_dataset, always=True, on_abstract=_for_dataset_on_abstract, on_trace=_trace_for_dataset)

# Pickles of earlier versions look for these names here.
__getattr__ = on_first_use(globals(), homes(__name__, {"api.control.rows": "map_fn foldl foldr scan"}))
