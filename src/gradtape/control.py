"""Control flow as functions: `cond`, `case`, `switch_case`, `while_loop`, `map_fn`, `foldl`, `foldr`, `scan`.

Eagerly they are Python's own: the condition is read, one branch runs, and tapes record what runs. Inside a traced function
the functions they are given are recorded, each once, as graphs of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dtypes, nest
from .arrays import zeros
from .errors import BranchTypeError, LoopStructureError, OutOfRangeError, ScalarElementsError, invalid
from .layout import unstack
from .shapes import TensorShape
from .tensor import Tensor, TensorSpec, to_tensor
from .tensor_array import TensorArray
from .trace.control import (
    branches_in_world,
    can_unroll,
    either,
    loop_in_world,
    repeated,
    trace_branches,
    trace_loop,
)
from .trace.ghost import Ghost
from .trace.symbolic import is_symbolic
from .traceable import traceable
from .variable import Variable

# --- branches --------------------------------------------------------------------------------------------------------


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """What `true_fn` returns if `pred` is true, else what `false_fn` returns; the other one is not called.

    >>> import gradtape as tf
    >>> x = tf.constant(3.0)
    >>> tf.cond(x > 2.0, lambda: x * x, lambda: -x).numpy()
    np.float32(9.0)
    """
    for label, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if function is None:
            raise TypeError(f"cond(): '{label}' argument required")
        if not callable(function):
            raise TypeError(f"'{label}' must be callable.")
    assert true_fn is not None
    assert false_fn is not None
    return true_fn() if _truth(pred) else false_fn()


def _truth(pred: Any) -> bool:
    if isinstance(pred, (bool, np.bool_)):
        return bool(pred)
    return bool(to_tensor(pred))


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """What the function of the first true predicate returns; without one, what `default` returns.

    >>> import gradtape as tf
    >>> x = tf.constant(1.0)
    >>> tf.case([(x < 0.0, lambda: "negative"), (x > 0.0, lambda: "positive")], default=lambda: "zero")
    'positive'
    """
    pairs = _checked_pairs(pred_fn_pairs, exclusive)
    if default is not None and not callable(default):
        raise TypeError(f"'default' must be callable, got {default!r}.")
    for pred, function in pairs:
        if _truth(pred):
            return function()
    if default is not None:
        return default()
    raise invalid(f"case: none of the {len(pairs)} conditions is true, and there is no default.")


def _checked_pairs(pred_fn_pairs: Any, exclusive: bool) -> list[tuple[Any, Callable[[], Any]]]:
    if isinstance(pred_fn_pairs, dict):
        if not exclusive:
            raise ValueError(
                "Unordered dictionaries are not supported for 'pred_fn_pairs' when `exclusive=False`: pass a list of pairs."
            )
        pairs = list(pred_fn_pairs.items())
    elif isinstance(pred_fn_pairs, (list, tuple)):
        pairs = list(pred_fn_pairs)
    else:
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}")
    if not pairs:
        raise ValueError("'pred_fn_pairs' is empty: give at least one pair of a predicate and a function.")
    checked = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair!r}.")
        pred, function = pair
        pred = pred.deref() if hasattr(pred, "deref") else pred
        if not isinstance(pred, (Tensor, Variable)):
            raise TypeError(f"pred must be a Tensor, got: {pred!r}")
        if pred.dtype != dtypes.bool:
            raise BranchTypeError(f"pred must be Tensor of type bool, got {pred.dtype!r}")
        if not callable(function):
            raise BranchTypeError(f"fn for pred {pred!r} must be callable, got {function!r}.")
        checked.append((pred, function))
    return checked


def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str = "switch_case"
) -> Any:
    """What the function of that number returns; out of range, what `default` returns, or else the last function.

    >>> import gradtape as tf
    >>> tf.switch_case(tf.constant(1), [lambda: "zero", lambda: "one"])
    'one'
    """
    functions = _numbered(branch_fns)
    if not isinstance(branch_index, (Tensor, Variable)):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!r}")
    if to_tensor(branch_index).ndim:
        raise invalid(f"switch_case: 'branch_index' must be a scalar, got shape {branch_index.shape}.")
    if default is not None:
        if not callable(default):
            raise TypeError(f"'default' must be callable, got {default!r}.")
        functions.append(default)
    number = int(branch_index)
    return functions[number if 0 <= number < len(functions) else -1]()


def _numbered(branch_fns: Any) -> list[Callable[[], Any]]:
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    elif isinstance(branch_fns, (list, tuple)):
        pairs = list(enumerate(branch_fns)) if branch_fns and all(callable(f) for f in branch_fns) else list(branch_fns)
    else:
        raise TypeError(f"'branch_fns' must be a list, tuple, or dict, got {type(branch_fns)}")
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair!r}.")
        if isinstance(pair[0], bool) or not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
        if not callable(pair[1]):
            raise TypeError(f"fn for key {pair[0]} must be callable, got {pair[1]!r}.")
    keys = sorted(key for key, _ in pairs)
    if keys != list(range(len(pairs))):
        raise ValueError(f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found {keys}")
    by_number = dict(pairs)
    return [by_number[key] for key in keys]


# --- loops -----------------------------------------------------------------------------------------------------------


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

    `shape_invariants`, `parallel_iterations`, `back_prop` and `swap_memory` speak of graphs; eagerly they change nothing.
    """
    for label, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise TypeError(f"'{label}' must be callable.")
    if not nest.is_nested(loop_vars) or not loop_vars:
        raise ValueError("'loop_vars' must be provided, as a list or tuple.")
    if not isinstance(parallel_iterations, int) or parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    limit = None if maximum_iterations is None else _iteration_limit(maximum_iterations)
    values = list(loop_vars)
    steps = 0
    while (limit is None or steps < limit) and _truth(cond(*values)):
        returned = body(*values)
        if not isinstance(returned, (list, tuple)) or isinstance(returned, TensorShape):
            raise LoopStructureError(
                f"while_loop: body must return {len(values)} value(s) in a list or tuple, like loop_vars; got {returned!r}."
            )
        returned = list(returned)
        nest.assert_same_structure(values, returned)
        values = returned
        steps += 1
    final = [nest.map_structure(_loop_result, value) for value in values]
    return tuple(final) if isinstance(loop_vars, tuple) else final


def _iteration_limit(maximum_iterations: Any) -> int:
    limit = to_tensor(maximum_iterations)
    if limit.ndim:
        raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}")
    return int(np.ceil(limit._array))


def _loop_result(value: Any) -> Any:
    return value if value is None or isinstance(value, TensorArray) else to_tensor(value)


def _elements(elems: Any, name: str) -> list[Any]:
    """The slices along the first axis, each in the structure of `elems`."""
    tensors = [to_tensor(value) for value in nest.flatten(elems)]
    if not tensors:
        raise ValueError(f"{name}: elems must be a Tensor or (possibly nested) sequence of Tensors, got {elems!r}.")
    if any(not tensor.ndim for tensor in tensors):
        raise ScalarElementsError(f"{name}: Elements in elems must be 1+ dimensional Tensors, not scalars.")
    sizes = {tensor.shape[0] for tensor in tensors}
    if len(sizes) > 1:
        raise ValueError(
            f"{name}: Dimensions {sorted(sizes, key=str)} are not compatible: all elems need one first size."
        )
    columns = [unstack(tensor) for tensor in tensors]
    count = tensors[0].shape[0] or 0
    return [nest.pack_sequence_as(elems, [column[i] for column in columns]) for i in range(count)]


def _function(fn: Any, name: str) -> None:
    if not callable(fn):
        raise BranchTypeError(f"{name}: fn must be callable, got {fn!r}.")


def _collected(results: list[list[Any]], kinds: list[Any], infer_shape: bool) -> list[Any]:
    """The leaves of all results stacked, one tensor for each place in the structure."""
    collected = []
    for place, kind in enumerate(kinds):
        spec = kind if isinstance(kind, TensorSpec) else TensorSpec(None, dtypes.as_dtype(kind))
        array = TensorArray(spec.dtype, len(results), infer_shape=infer_shape, element_shape=spec.shape)
        for position, leaves in enumerate(results):
            array.write(position, leaves[place])
        collected.append(array.stack())
    return collected


def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each slice of `elems` along the first axis, one after the other, and the results stacked.

    Where `fn` returns another structure or type than `elems` has, `fn_output_signature` (or `dtype`) says which.
    `tf.vectorized_map` does the same at once, where `fn` is made of ops that can be batched.

    >>> import gradtape as tf
    >>> tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0])).numpy()
    array([1., 4., 9.], dtype=float32)
    >>> pairs = tf.constant([1, 2]), tf.constant([3, 4])
    >>> tf.map_fn(lambda pair: pair[0] * pair[1], pairs, fn_output_signature=tf.int32).numpy()
    array([3, 8], dtype=int32)
    """
    _function(fn, "map_fn")
    slices = _elements(elems, "map_fn")
    signature = dtype if fn_output_signature is None else fn_output_signature
    kinds = nest.map_structure(lambda e: to_tensor(e).dtype, elems) if signature is None else signature
    results = []
    for part in slices:
        returned = fn(part)
        nest.assert_same_structure(kinds, returned)
        results.append(nest.flatten(returned))
    stacked = _collected(results, nest.flatten(kinds), infer_shape)
    return nest.pack_sequence_as(kinds, stacked)


def _folded(fn: Callable[..., Any], slices: Sequence[Any], initializer: Any, name: str) -> Any:
    if initializer is None:
        if not slices:
            raise OutOfRangeError(
                None, None, f"{name}: Tried to read from index 0 but array size is: 0. Use an initializer."
            )
        value, slices = slices[0], slices[1:]
    else:
        value = initializer
    for part in slices:
        value = fn(value, part)
    return nest.map_structure(_loop_result, value)


def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(... fn(fn(initializer, elems[0]), elems[1]) ...)`; without an initializer it starts with `elems[0]`.

    >>> import gradtape as tf
    >>> int(tf.foldl(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])))
    123
    """
    _function(fn, "foldl")
    return _folded(fn, _elements(elems, "foldl"), initializer, "foldl")


def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """As `foldl`, from the last element to the first."""
    _function(fn, "foldr")
    return _folded(fn, _elements(elems, "foldr")[::-1], initializer, "foldr")


def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """All the values that `foldl` goes through, stacked; with `reverse`, from the last element to the first.

    >>> import gradtape as tf
    >>> tf.scan(lambda total, x: total + x, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    _function(fn, "scan")
    slices = _elements(elems, "scan")
    if reverse:
        slices = slices[::-1]
    if initializer is None and not slices:
        raise OutOfRangeError(None, None, "scan: Tried to read from index 0 but array size is: 0. Use an initializer.")
    structure = elems if initializer is None else initializer
    value = nest.map_structure(_loop_result, slices[0] if initializer is None else initializer)
    kinds = [leaf.dtype for leaf in nest.flatten(value)]
    if not slices:
        empty = [zeros((0, *tuple(leaf.shape)), leaf.dtype) for leaf in nest.flatten(value)]
        return nest.pack_sequence_as(structure, empty)
    results = [nest.flatten(value)] if initializer is None else []
    first = [leaf.shape for leaf in nest.flatten(value)]
    for part in slices[len(results) :]:
        value = fn(value, part)
        nest.assert_same_structure(structure, value)
        results.append(nest.flatten(value))
    specs = [TensorSpec(shape if infer_shape else None, kind) for shape, kind in zip(first, kinds, strict=True)]
    stacked = _collected(results[::-1] if reverse else results, specs, infer_shape)
    return nest.pack_sequence_as(structure, stacked)


# --- inside traced functions -------------------------------------------------------------------------------------------


def _trace_cond(trace: Any, pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    if not is_symbolic(pred):
        return cond.__wrapped__(pred, true_fn, false_fn)  # type: ignore[attr-defined]
    for label, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"'{label}' must be callable.")
    if pred.shape.rank not in (0, None) and pred.shape.num_elements() != 1:
        raise ValueError(f"tf.cond: the predicate must be a scalar, got shape {pred.shape}.")
    return trace.step(cond, (pred, *trace_branches(trace, [true_fn, false_fn], "cond")), {})


def _cond_in_world(world: Any, function: Any, pred: Any, true_fn: Any, false_fn: Any) -> Any:
    if pred.__class__ is not Ghost:
        return function.__wrapped__(pred, true_fn, false_fn)
    return branches_in_world(world, [true_fn, false_fn])


def _trace_case(
    trace: Any,
    pred_fn_pairs: Any,
    default: Any = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    pairs = _checked_pairs(pred_fn_pairs, exclusive)
    otherwise = default if default is not None else pairs[-1][1]
    for pred, function in reversed(pairs if default is not None else pairs[:-1]):
        otherwise = _branch(pred, function, otherwise)
    return otherwise()


def _branch(pred: Any, function: Any, otherwise: Any) -> Any:
    return lambda: cond(pred, function, otherwise)


def _trace_switch_case(
    trace: Any, branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case"
) -> Any:
    functions = _numbered(branch_fns)
    if not is_symbolic(branch_index):
        return switch_case.__wrapped__(branch_index, branch_fns, default)  # type: ignore[attr-defined]
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!r}")
    graphs = trace_branches(trace, [*functions, *([default] if default is not None else [])], "switch_case")
    others = {"default": graphs[-1]} if default is not None else {}
    return trace.step(switch_case, (branch_index, graphs[: len(functions)]), others)


def _switch_case_in_world(world: Any, function: Any, branch_index: Any, branch_fns: Any, default: Any = None) -> Any:
    if branch_index.__class__ is not Ghost:
        return function.__wrapped__(branch_index, branch_fns, default)
    return branches_in_world(world, [*branch_fns, *([default] if default is not None else [])])


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
        raise ValueError("'loop_vars' must be provided, as a list or tuple.")
    invariants = None if shape_invariants is None else list(shape_invariants)
    condition, graph, values = trace_loop(trace, cond, body, list(loop_vars), invariants)
    others = {} if maximum_iterations is None else {"maximum_iterations": maximum_iterations}
    final = trace.step(while_loop, (condition, graph, values), others)
    return tuple(final) if isinstance(loop_vars, tuple) else final


def _while_loop_in_world(
    world: Any, function: Any, cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None
) -> Any:
    return loop_in_world(world, cond, body, loop_vars)


def for_dataset(
    dataset: Any, body: Callable[..., Any], loop_vars: list[Any], shape_invariants: Any = None
) -> list[Any]:
    """A `for` statement over a dataset: `body` takes an element and the loop variables, and returns as many values."""
    values = list(loop_vars)
    for element in dataset:
        values = list(body(element, *values))[1:]
    return values


def _trace_for_dataset(trace: Any, dataset: Any, body: Any, loop_vars: list[Any], shape_invariants: Any = None) -> Any:
    element = nest.map_structure(trace.placeholder, dataset.element_spec)
    invariants = None
    if shape_invariants is not None:
        invariants = [nest.map_structure(lambda spec: spec.shape, dataset.element_spec), *shape_invariants]
    _, graph, values = trace_loop(trace, lambda *values: True, body, [element, *loop_vars], invariants)
    return trace.step(for_dataset, (dataset, graph, values[1:]), {})


def _for_dataset_in_world(world: Any, function: Any, dataset: Any, body: Any, loop_vars: list[Any]) -> Any:
    def turn(*values: Any) -> Any:
        return body(nest.map_structure(world.ghost, dataset.element_spec), *values)[1:]

    return loop_in_world(world, lambda *values: True, turn, loop_vars)


def _slice_of(elems: Any, name: str, one: Callable[[Any], Any]) -> Any:
    """`one` of each tensor, which is to give something like its slices along the first axis."""
    tensors = nest.map_structure(to_tensor, elems)
    if any(tensor.shape.rank == 0 for tensor in nest.flatten(tensors)):
        raise ScalarElementsError(f"{name}: Elements in elems must be 1+ dimensional Tensors, not scalars.")
    return nest.map_structure(one, tensors)


def _first_of(elems: Any, name: str) -> Any:
    """The first slice of each tensor."""
    return _slice_of(elems, name, lambda tensor: tensor[0])


def _trace_map_fn(trace: Any, fn: Any, elems: Any, dtype: Any = None, *rest: Any, **kwargs: Any) -> Any:
    _function(fn, "map_fn")
    symbolic = nest.map_structure(trace.symbolic, elems)
    graph, returned = trace.subgraph(fn, (_slice_of(symbolic, "map_fn", trace.slice_like),), "fn")
    signature = kwargs.get("fn_output_signature", dtype)
    if signature is None:
        nest.assert_same_structure(elems, returned)
    kept = {k: v for k, v in kwargs.items() if k in ("fn_output_signature", "infer_shape")}
    return trace.step(map_fn, (graph, symbolic, dtype), kept)


def _count(elems: Any) -> int:
    return int(to_tensor(nest.flatten(elems)[0]).shape[0] or 0)


def _map_fn_in_world(world: Any, function: Any, fn: Any, elems: Any, dtype: Any = None, **kwargs: Any) -> Any:
    count = _count(elems)
    if can_unroll(world, count):
        return function.__wrapped__(fn, elems, dtype, **kwargs)
    return nest.map_structure(lambda value: repeated(value, count), fn(_first_of(elems, "map_fn")))


def _trace_fold(name: str) -> Any:
    def trace_fold(trace: Any, fn: Any, elems: Any, initializer: Any = None, *rest: Any, **kwargs: Any) -> Any:
        _function(fn, name)
        symbolic = nest.map_structure(trace.symbolic, elems)
        first = _slice_of(symbolic, name, trace.slice_like)
        start = None if initializer is None else nest.map_structure(trace.symbolic, initializer)
        graph, returned = trace.subgraph(fn, (first if start is None else start, first), "fn")
        nest.assert_same_structure(first if start is None else start, returned)
        kept = {k: v for k, v in kwargs.items() if k in ("reverse", "infer_shape")}
        return trace.step(globals()[name], (graph, symbolic, start), kept)

    return trace_fold


def _fold_in_world(world: Any, function: Any, fn: Any, elems: Any, initializer: Any = None, **kwargs: Any) -> Any:
    count = _count(elems)
    if can_unroll(world, count):
        return function.__wrapped__(fn, elems, initializer, **kwargs)
    first = _first_of(elems, function.__name__)
    value = first if initializer is None else initializer
    for _ in range(2):
        value = either(world, value, fn(value, first))
    if function.__name__ != "scan":
        return value
    return nest.map_structure(lambda part: repeated(part, count), value)


def _in_traces(function: Any, on_trace: Any, in_world: Any = None) -> Any:
    traced: Any = traceable(function, always=True, in_world=in_world)
    traced.on_trace = on_trace
    return traced


cond = _in_traces(cond, _trace_cond, _cond_in_world)
case = _in_traces(case, _trace_case)
switch_case = _in_traces(switch_case, _trace_switch_case, _switch_case_in_world)
while_loop = _in_traces(while_loop, _trace_while_loop, _while_loop_in_world)
for_dataset = _in_traces(for_dataset, _trace_for_dataset, _for_dataset_in_world)
map_fn = _in_traces(map_fn, _trace_map_fn, _map_fn_in_world)
foldl = _in_traces(foldl, _trace_fold("foldl"), _fold_in_world)
foldr = _in_traces(foldr, _trace_fold("foldr"), _fold_in_world)
scan = _in_traces(scan, _trace_fold("scan"), _fold_in_world)
