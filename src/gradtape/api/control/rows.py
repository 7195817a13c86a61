"""Functions over the rows of tensors: map_fn, foldl, foldr, scan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ...base import dtypes, nest
from ...base.errors import BranchTypeError, OpError, OutOfRangeError, ScalarElementsError, invalid
from ...base.sizes import UNKNOWN, Dim, same
from ...base.traceable import traceable
from ...base.type_spec import CompositeSpec
from ...base.types import Composite, DTypeLike, TensorLeaf
from ...op.arguments import count, optional_count, takes
from ...trace.abstract_tensor import Evaluator, NeedsValue
from ...trace.control import Callee, is_written_out, rounds_on_abstract
from ...trace.graph import Graph
from ...trace.host_calls import blank, fitting
from ...trace.inference import Inference, depending_on, repeated, slice_of
from ...values.composite import COMPOSITES, Rows, expanded, is_composite
from ...values.tensor import Tensor, TensorSpec, to_tensor
from ..arrays import zeros
from ..layout import concat, expand_dims, unstack
from ..tensor_array import TensorArray
from .loops import loop_result

if TYPE_CHECKING:
    from ...ragged.tensor import RaggedTensor
    from ...sparse.tensor import SparseTensor


_Result = TypeVar("_Result")


def _elements(elems: Any, name: str) -> list[Any]:
    """The slices along the first axis, each in the structure of `elems`."""
    tensors = [to_tensor(value) if _rows_of(value) is None else value for value in nest.flatten(elems)]
    if not tensors:
        raise ValueError(f"{name}: elems must be a Tensor or (possibly nested) sequence of Tensors, got {elems!r}.")
    if any(_rows_of(tensor) is None and not len(tensor.shape) for tensor in tensors):
        raise ScalarElementsError(f"{name}: Elements in elems must be 1+ dimensional Tensors, not scalars.")
    counts = [_row_count(tensor) for tensor in tensors]
    sizes = set(counts)
    if len(sizes) > 1:
        raise _unequal(name, sizes)
    columns = [_slices(tensor) for tensor in tensors]
    return [nest.pack_sequence_as(elems, [column[i] for column in columns]) for i in range(counts[0] or 0)]


def _unequal(name: str, sizes: Iterable[Dim]) -> ValueError:
    given = ", ".join(sorted(map(str, set(sizes))))
    return ValueError(f"{name}: Dimensions [{given}] are not compatible: all elems need one first size.")


def _row_count(value: Any) -> Any:
    rows = _rows_of(value)
    return value.shape[0] if rows is None else rows.count(value)


def _rows_of(value: Any) -> Rows[Any] | None:
    """How a composite value is taken apart along its first axis; None for anything else."""
    kind = COMPOSITES.get(value.__class__)
    return None if kind is None else kind.rows


def _slices(value: Any) -> list[Any]:
    rows = _rows_of(value)
    return unstack(value) if rows is None else [rows.at(value, index) for index in range(rows.count(value))]


def _function(fn: Any, name: str) -> None:
    if not callable(fn):
        raise BranchTypeError(f"{name}: fn must be callable, got {fn!r}.")


def _collected(results: list[list[Any]], kinds: list[Any], infer_shape: bool) -> list[Any]:
    """The leaves of all results stacked, one tensor for each place in the structure."""
    collected = []
    for place, kind in enumerate(kinds):
        if isinstance(kind, CompositeSpec):
            collected.append(_joined([leaves[place] for leaves in results], kind))
            continue
        spec = kind if isinstance(kind, TensorSpec) else TensorSpec(None, dtypes.as_dtype(kind))
        array = TensorArray(spec.dtype, len(results), infer_shape=infer_shape, element_shape=spec.shape)
        for position, leaves in enumerate(results):
            array.write(position, leaves[place])
        collected.append(array.stack())
    return collected


def _joined(values: list[Any], spec: Any) -> Any:
    """Results as the rows of one composite: rows of different lengths as those of a ragged tensor."""
    kind = COMPOSITES[spec.value_type]
    if kind.rows is None:
        raise TypeError(f"map_fn: a {kind.name} has no rows, and results cannot be stacked to one.")
    parts = [to_tensor(value) if _rows_of(value) is None else value for value in values]
    ragged = kind.values is not None and kind.values.complete  # a row may be a plain tensor
    for part in parts if hasattr(spec, "dtype") else ():
        if part.dtype != spec.dtype or not len(part.shape) or not (ragged or isinstance(part, kind.cls)):
            raise invalid(
                f"map_fn: rows of {spec.dtype!r} are expected for a {kind.name}, got a {type(part).__name__} of {part.dtype!r} "
                f"of shape {part.shape}. Say what fn returns with fn_output_signature."
            )
    return kind.rows.stack(parts) if parts else _no_rows(spec)


def _no_rows(spec: Any) -> Any:
    """A composite without rows, where each would be of this spec."""
    if spec._shape.rank is None:
        return spec._from_components([zeros([0], spec.dtype), [0]])
    none = spec._with_changed_shape(lambda shape: (0, *shape))
    return none._from_components([blank(part) for part in none._component_specs])


@overload
def map_fn(
    fn: Callable[[Tensor], _Result],
    elems: TensorLeaf,
    dtype: Any = ...,
    parallel_iterations: int | None = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    infer_shape: bool = ...,
    name: str | None = ...,
    fn_output_signature: Any = ...,
) -> _Result: ...
@overload
def map_fn(
    fn: Callable[..., Any],
    elems: Sequence[Any] | Mapping[Any, Any] | Composite | TensorArray,
    dtype: Any = ...,
    parallel_iterations: int | None = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    infer_shape: bool = ...,
    name: str | None = ...,
    fn_output_signature: Any = ...,
) -> Any: ...
@takes(parallel_iterations=optional_count)
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: DTypeLike | None = None,
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

    The rows of a ragged tensor give rows of any length, unless `fn_output_signature` says otherwise.

    Args:
        fn: A function of one slice.
        elems: Tensors with a common first axis, in any structure.
        dtype: The same as `fn_output_signature`.
        parallel_iterations: Ignored; accepted for compatibility with TensorFlow.
        back_prop: Ignored; accepted for compatibility with TensorFlow.
        swap_memory: Ignored; accepted for compatibility with TensorFlow.
        infer_shape: Whether all results must have one shape.
        name: Ignored; accepted for compatibility with TensorFlow.
        fn_output_signature: The types, or specs, of what `fn` returns.

    Returns:
        The results, stacked.

    Raises:
        ValueError: `fn` gives another structure than was said.
    """
    _function(fn, "map_fn")
    slices = _elements(elems, "map_fn")
    signature = dtype if fn_output_signature is None else fn_output_signature
    kinds = nest.map_structure(_kind, elems) if signature is None else signature
    results = []
    for part in slices:
        returned = fn(part)
        nest.assert_same_structure(kinds, returned)
        results.append(nest.flatten(returned))
    stacked = _collected(results, nest.flatten(kinds), infer_shape)
    return nest.pack_sequence_as(kinds, stacked)


def _kind(elem: Any) -> Any:
    kind = COMPOSITES.get(elem.__class__)
    return (
        to_tensor(elem).dtype if kind is None or kind.spec is None or kind.rows is None else kind.spec.from_value(elem)
    )


def _folded(fn: Callable[..., Any], slices: Sequence[Any], initializer: Any, name: str) -> Any:
    if initializer is None:
        if not slices:
            raise _nothing_to_begin_with(fn, name)
        value, slices = slices[0], slices[1:]
    else:
        value = initializer
    for part in slices:
        value = fn(value, part)
    return nest.map_structure(loop_result, value)


def _nothing_to_begin_with(fn: Callee, name: str) -> OpError:
    """The error of a fold of nothing: TensorFlow's class is another one inside functions, where `fn` runs a graph."""
    message = f"{name}: Tried to read from index 0 but array size is: 0. Use an initializer."
    return invalid(message) if isinstance(getattr(fn, "graph", None), Graph) else OutOfRangeError(None, None, message)


@overload
def foldl(
    fn: Callable[[Tensor, Tensor], _Result],
    elems: TensorLeaf,
    initializer: TensorLeaf | None = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    name: str | None = ...,
) -> _Result: ...
@overload
def foldl(
    fn: Callable[..., Any],
    elems: Sequence[Any] | Mapping[Any, Any] | RaggedTensor | SparseTensor,
    initializer: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    name: str | None = ...,
) -> Any: ...
@takes(parallel_iterations=count)
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

    Args:
        fn: A function of the value so far and one slice, which gives the next value.
        elems: A tensor whose first axis is walked, or a structure of such tensors.
        initializer: The first value; by default the first slice.
        parallel_iterations: Ignored; accepted for compatibility with TensorFlow.
        back_prop: Ignored; accepted for compatibility with TensorFlow.
        swap_memory: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The last value.
    """
    _function(fn, "foldl")
    return _folded(fn, _elements(elems, "foldl"), initializer, "foldl")


@overload
def foldr(
    fn: Callable[[Tensor, Tensor], _Result],
    elems: TensorLeaf,
    initializer: TensorLeaf | None = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    name: str | None = ...,
) -> _Result: ...
@overload
def foldr(
    fn: Callable[..., Any],
    elems: Sequence[Any] | Mapping[Any, Any] | RaggedTensor | SparseTensor,
    initializer: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    name: str | None = ...,
) -> Any: ...
@takes(parallel_iterations=count)
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """As `foldl`, from the last element to the first.

    >>> import gradtape as tf
    >>> int(tf.foldr(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])))
    321

    Args:
        fn: A function of the value so far and one slice, which gives the next value.
        elems: A tensor whose first axis is walked, or a structure of such tensors.
        initializer: The first value; by default the last slice.
        parallel_iterations: Ignored; accepted for compatibility with TensorFlow.
        back_prop: Ignored; accepted for compatibility with TensorFlow.
        swap_memory: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The last value.
    """
    _function(fn, "foldr")
    return _folded(fn, _elements(elems, "foldr")[::-1], initializer, "foldr")


@overload
def scan(
    fn: Callable[[Tensor, Tensor], _Result],
    elems: TensorLeaf,
    initializer: TensorLeaf | None = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    infer_shape: bool = ...,
    reverse: bool = ...,
    name: str | None = ...,
) -> _Result: ...
@overload
def scan(
    fn: Callable[..., Any],
    elems: Sequence[Any] | Mapping[Any, Any] | RaggedTensor | SparseTensor,
    initializer: Any = ...,
    parallel_iterations: int = ...,
    back_prop: bool = ...,
    swap_memory: bool = ...,
    infer_shape: bool = ...,
    reverse: bool = ...,
    name: str | None = ...,
) -> Any: ...
@takes(parallel_iterations=count)
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

    Args:
        fn: A function of the value so far and one slice, which gives the next value.
        elems: A tensor whose first axis is walked, or a structure of such tensors.
        initializer: The first value; by default the first slice, which is then the first result.
        parallel_iterations: Ignored; accepted for compatibility with TensorFlow.
        back_prop: Ignored; accepted for compatibility with TensorFlow.
        swap_memory: Ignored; accepted for compatibility with TensorFlow.
        infer_shape: Whether all values have one shape, which is checked.
        reverse: Whether to walk from the last element to the first.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The values, stacked along a new first axis.
    """
    _function(fn, "scan")
    slices = _elements(elems, "scan")
    if reverse:
        slices = slices[::-1]
    if initializer is None and not slices:
        raise _nothing_to_begin_with(fn, "scan")
    structure = elems if initializer is None else initializer
    value = nest.map_structure(loop_result, slices[0] if initializer is None else initializer)
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


def _slice_of(elems: Any, name: str, one: Callable[[Any], Any]) -> Any:
    """`one` applied to each tensor; it must return a value like the slices along the first axis."""
    tensors = nest.map_structure(to_tensor, elems)
    if any(tensor.shape.rank == 0 for tensor in nest.flatten(tensors)):
        raise ScalarElementsError(f"{name}: Elements in elems must be 1+ dimensional Tensors, not scalars.")
    return nest.map_structure(one, tensors)


def _first_of(evaluator: Inference, elems: Any, name: str) -> Any:
    """The first slice of each tensor, or a placeholder of the same shape and type where there is none."""

    def first(tensor: Any) -> Any:
        return slice_of(evaluator, tensor)

    return _slice_of(elems, name, first)


def _trace_map_fn(trace: Any, fn: Any, elems: Any, dtype: Any = None, *rest: Any, **kwargs: Any) -> Any:
    _function(fn, "map_fn")
    symbolic = nest.map_structure(lambda value: value if is_composite(value) else trace.symbolic(value), elems)
    rows = nest.map_structure(
        lambda value: (
            trace.stand_in(_row_spec(value)) if is_composite(value) else _slice_of(value, "map_fn", trace.slice_like)
        ),
        symbolic,
    )
    graph, returned = trace.subgraph(fn, (rows,), "fn")
    signature = kwargs.get("fn_output_signature", dtype)
    if signature is None:
        nest.assert_same_structure(elems, returned)
    kept = {k: v for k, v in kwargs.items() if k in ("fn_output_signature", "infer_shape")}
    return trace.step(map_fn, (graph, symbolic, dtype), kept)


def _row_spec(value: Any) -> CompositeSpec:
    """The spec of a row of a composite."""
    kind = COMPOSITES[value.__class__].spec
    if kind is None:
        raise TypeError(f"map_fn: {value!r} cannot be taken apart inside a function.")
    found: CompositeSpec = kind.from_value(value)._with_changed_shape(lambda shape: shape[1:])
    return found


def _mapped_rows(evaluator: Inference, fn: Callee, elems: object, signature: object) -> Any:
    """What a function gives for each row of composites, of which only the specs are known."""
    found = nest.flatten(elems)
    rows = [
        fitting(evaluator, _row_spec(value)) if is_composite(value) else slice_of(evaluator, to_tensor(value))
        for value in found
    ]
    result = evaluator.result_of(fn, nest.pack_sequence_as(elems, rows))
    sources = [tensor for value in found for tensor in expanded(value)]

    def stacked(kind: Any, part: Any) -> Any:
        if isinstance(kind, CompositeSpec):
            return fitting(
                evaluator, kind._with_changed_shape(lambda shape: None if shape.rank is None else (None, *shape))
            )
        return depending_on(evaluator, repeated(evaluator, part, None), sources)

    return nest.map_structure(stacked, result if signature is None else signature, result)


def _count(evaluator: Evaluator, elems: Any, name: str) -> Dim:
    """How many slices there are, by the first tensor; UNKNOWN where not even its rank is known."""
    sizes = _first_sizes(elems)
    if isinstance(evaluator, Inference) and any(same(sizes[0], size) is False for size in sizes):
        raise _unequal(name, sizes)
    return sizes[0]


def _first_sizes(elems: Any) -> list[Dim]:
    shapes = [to_tensor(value).shape for value in nest.flatten(elems)]
    return [UNKNOWN if shape.rank is None else shape[0] for shape in shapes]


def _can_be_written_out(evaluator: Evaluator, elems: Any) -> bool:
    """Whether the rounds are few, and each tensor is known to have a slice for each."""
    sizes = _first_sizes(elems)
    return is_written_out(evaluator, sizes[0]) and all(isinstance(size, int) for size in sizes)


def _map_fn_on_abstract(evaluator: Any, function: Any, fn: Any, elems: Any, dtype: Any = None, **kwargs: Any) -> Any:
    signature = kwargs.get("fn_output_signature", dtype)
    if any(map(is_composite, nest.flatten(elems))) or any(
        isinstance(k, CompositeSpec) for k in nest.flatten(signature)
    ):
        if isinstance(evaluator, Inference):
            return _mapped_rows(evaluator, fn, elems, signature)
        raise NeedsValue("Rows of what is made of several tensors have sizes of their own.")
    count = _count(evaluator, elems, "map_fn")
    if _can_be_written_out(evaluator, elems):
        return function.__wrapped__(fn, elems, dtype, **kwargs)
    if isinstance(evaluator, Inference):
        _slice_of(elems, "map_fn", lambda tensor: tensor)
        tensors = [to_tensor(value) for value in nest.flatten(elems)]
        return evaluator.mapped(fn, tensors, lambda slices: nest.pack_sequence_as(elems, slices))
    kinds = elems if signature is None else signature

    def turn(carried: list[Any], elements: list[Any]) -> tuple[list[Any], list[Any]]:
        returned = fn(nest.pack_sequence_as(elems, elements))
        nest.assert_same_structure(kinds, returned)
        return [], nest.flatten(returned)

    _, collected = evaluator.rounds(turn, [], _sequences(elems), count)
    for value, kind in zip(collected, nest.flatten(kinds), strict=True):
        if value.dtype != (getattr(kind, "dtype", None) or dtypes.as_dtype(kind)):
            raise NeedsValue("The function itself says what is wrong with the type.")
    return nest.pack_sequence_as(kinds, collected)


def _sequences(elems: Any) -> list[Any]:
    return [to_tensor(value) for value in nest.flatten(elems)]


def _trace_fold(name: str) -> Any:
    def trace_fold(
        trace: Any,
        fn: Any,
        elems: Any,
        initializer: Any = None,
        *rest: Any,
        **kwargs: Any,
    ) -> Any:
        _function(fn, name)
        symbolic = nest.map_structure(trace.symbolic, elems)
        first = _slice_of(symbolic, name, trace.slice_like)
        start = None if initializer is None else nest.map_structure(trace.symbolic, initializer)
        graph, returned = trace.subgraph(fn, (first if start is None else start, first), "fn")
        nest.assert_same_structure(first if start is None else start, returned)
        kept = {k: v for k, v in kwargs.items() if k in ("reverse", "infer_shape")}
        return trace.step(globals()[name], (graph, symbolic, start), kept)

    return trace_fold


def _fold_on_abstract(
    evaluator: Any,
    function: Any,
    fn: Any,
    elems: Any,
    initializer: Any = None,
    **kwargs: Any,
) -> Any:
    count = _count(evaluator, elems, function.__name__)
    is_empty = isinstance(count, int) and count == 0
    if _can_be_written_out(evaluator, elems) or (
        is_empty and initializer is None and not isinstance(evaluator, Inference)
    ):
        return function.__wrapped__(fn, elems, initializer, **kwargs)
    collects, reverse = function.__name__ == "scan", kwargs.get("reverse", function.__name__ == "foldr")
    if isinstance(evaluator, Inference):
        first = _first_of(evaluator, elems, function.__name__)
        (value,) = rounds_on_abstract(
            evaluator, lambda value: [fn(value, first)], [first if initializer is None else initializer]
        )
        return nest.map_structure(lambda part: repeated(evaluator, part, count), value) if collects else value
    sequences = _sequences(elems)
    structure, first = elems if initializer is None else initializer, []
    if initializer is None:
        first = [sequence[-1] if reverse else sequence[0] for sequence in sequences]
        sequences = [sequence[:-1] if reverse else sequence[1:] for sequence in sequences]
        count -= 1

    def turn(carried: list[Any], elements: list[Any]) -> tuple[list[Any], list[Any]]:
        value = fn(nest.pack_sequence_as(structure, carried), nest.pack_sequence_as(elems, elements))
        nest.assert_same_structure(structure, value)
        return nest.flatten(value), nest.flatten(value) if collects else []

    start = first or [to_tensor(value) for value in nest.flatten(initializer)]
    after, collected = evaluator.rounds(turn, start, sequences, count, reverse)
    if not collects:
        return nest.pack_sequence_as(structure, after)
    if first:
        ends = [expand_dims(value, 0) for value in first]
        pairs = zip(ends, collected, strict=True)
        collected = [concat([rest, end] if reverse else [end, rest], 0) for end, rest in pairs]
    return nest.pack_sequence_as(structure, collected)


map_fn = traceable(map_fn, always=True, on_abstract=_map_fn_on_abstract, on_trace=_trace_map_fn)
foldl = traceable(foldl, always=True, on_abstract=_fold_on_abstract, on_trace=_trace_fold("foldl"))
foldr = traceable(foldr, always=True, on_abstract=_fold_on_abstract, on_trace=_trace_fold("foldr"))
scan = traceable(scan, always=True, on_abstract=_fold_on_abstract, on_trace=_trace_fold("scan"))
