"""`Batched`: a value with a hidden first axis, on which every op runs once for the whole batch.

Jacobians are a backward pass over a batch of cotangents, and `vectorized_map` a function of a batch of examples. An
op meets a `Batched` operand through `RUNNERS` (op/call.py): its batching rule, written in ops, runs it on the data
inside. The data is an array, or a tensor where somebody outside records, or `Batched` again where maps are nested.

Tapes and accumulators opened inside a vectorized function follow the `Batched` values themselves; those from outside
see only the ops on the data. `level` says how many of each were outside.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar, overload

import numpy as np

from ..base import nest
from ..base.context import ACTIVE, STATE, scope
from ..base.dtypes import BY_NUMPY, DType
from ..base.errors import ScalarElementsError, UnimplementedError
from ..base.shapes import TensorShape, known_shape
from ..base.sizes import same
from ..base.traceable import traceable
from ..base.types import Composite, Function, TensorLeaf, TensorLike
from ..op.attributes import as_shape
from ..op.call import RUNNERS
from ..op.declaration import Op
from ..op.family import numpy_type, shape_of, with_batch_axis
from ..op.record import record_op
from ..ops.array.index import getitem
from ..ops.array.layout import stack
from ..ops.math import elementwise as e
from ..values.tensor import Tensor, from_array, to_tensor
from ..variables.operators import multiply_operator
from ..variables.variable import Variable

_Result = TypeVar("_Result")
LOGGER = logging.getLogger("gradtape")

Level = tuple[int, int]  # a number of tapes, and of accumulators


class Batched(Tensor):
    """A tensor whose data has one more axis in front, which ops do not see."""

    __slots__ = ("data", "depth", "level")

    is_batched = True

    def __init__(self, data: Any, level: Level, depth: int) -> None:
        self.data = data
        self.level = level  # how many tapes and accumulators of this thread follow the data, not this value
        self.depth = depth  # the number of the map, larger than those of the maps it is nested in
        self._id = 0

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return BY_NUMPY[numpy_type(self.data)]

    @property
    def shape(self) -> TensorShape:
        """The shape of one entry."""
        return known_shape(shape_of(self.data)[1:])

    @property
    def ndim(self) -> int:
        """The number of axes of one entry."""
        return int(self.data.ndim) - 1

    @property
    def batch_size(self) -> int:
        """The size of the hidden axis."""
        return shape_of(self.data)[0]

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return shape_of(self.data)[1]

    @property
    def _array(self) -> NoReturn:  # type: ignore[override]
        raise NotImplementedError(
            "A value inside a vectorized computation has no single NumPy value: it cannot be assigned to a variable, "
            "turned into a Python number, or used as a mask. Use tf ops on it (tf.where, tf.gather), or tf.map_fn."
        )

    def numpy(self) -> Any:
        """Not defined: there is one value for each entry of the batch."""
        return self._array

    def __float__(self) -> float:
        return float(self._array)

    def __int__(self) -> int:
        return int(self._array)

    def __index__(self) -> int:
        return int(self._array)

    def __bool__(self) -> bool:
        raise TypeError(
            "A value inside a vectorized computation has no single truth value. Use tf.where, or tf.map_fn."
        )

    def __array__(self, *args: object, **kwargs: object) -> Any:
        return self.numpy()

    def __repr__(self) -> str:
        return f"<Batched tensor: batch={self.batch_size}, shape={self.shape}, dtype={self.dtype.name}>"


def run_batched(op: Op, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """Run an op of which at least one operand is batched."""
    operands = args[0] if op.variadic else args
    depth, level = -1, (0, 0)
    for value in operands:
        if value.__class__ is Batched:
            if value.depth > depth:
                depth, level = value.depth, value.level
            elif value.depth == depth and value.level > level:
                level = value.level
    flags: list[bool] = []
    data: list[Any] = []
    for value in operands:
        batched = value.__class__ is Batched and value.depth == depth
        flags.append(batched)
        data.append(value.data if batched else value)
    is_batched = tuple(flags)
    if op.batching is None:
        raise UnimplementedError(
            None,
            None,
            f"{op.name} cannot be vectorized: it has no batching rule. Use tf.map_fn for this function.",
        )
    attributes = {**op.attributes, **attributes}
    given: tuple[Any, ...] = (data,) if op.variadic else tuple(data)
    inside = (len(STATE.tapes), len(STATE.accumulators)) != level
    if not inside:
        result = op.batching(op, is_batched, given, attributes)
    else:
        with only_outer(level):
            result = op.batching(op, is_batched, given, dict(attributes))
    if op.outputs == 1:
        outputs: tuple[Batched, ...] = (Batched(result, level, depth),)
    else:
        outputs = tuple([Batched(part, level, depth) for part in result])
    if inside and ACTIVE:
        inner = tuple(value if isinstance(value, Tensor) else to_tensor(value) for value in operands)
        with scope(tapes=STATE.tapes[level[0] :], accumulators=[]):
            record_op(op, inner, attributes, outputs)
        for accumulator in STATE.accumulators[level[1] :]:
            accumulator._advance(op, inner, attributes, outputs)
    return outputs[0] if op.outputs == 1 else list(outputs)


RUNNERS[Batched] = run_batched


def _operator(op: Op, reflected: bool) -> Callable[[Any, Any], Any]:
    """An operator of `Batched`: values that need no conversion go straight to the batching rule."""

    def operator(x: Any, y: Any) -> Any:
        cls = y.__class__
        if cls is Batched or (cls is np.ndarray and y.dtype == numpy_type(x.data)) or cls is float:
            return run_batched(op, (y, x) if reflected else (x, y), {})
        return op.public(y, x) if reflected else op.public(x, y)

    return operator


def _multiply(x: Any, y: TensorLike) -> Any:
    return multiply_operator(x, y) if numpy_type(x.data).kind == "b" else _multiply_numbers(x, y)


_multiply_numbers = _operator(e.multiply, reflected=False)

for _name, _op in (("add", e.add), ("sub", e.subtract), ("mul", e.multiply), ("truediv", e.divide)):
    setattr(Batched, f"__{_name}__", _operator(_op, reflected=False))
    setattr(Batched, f"__r{_name}__", _operator(_op, reflected=True))
setattr(Batched, "__mul__", _multiply)  # noqa: B010
setattr(Batched, "__neg__", lambda x: run_batched(e.negative, (x,), {}))  # noqa: B010


def only_outer(level: Level) -> scope:
    """In this block only the tapes and accumulators that follow the data are active."""
    return scope(tapes=STATE.tapes[: level[0]], accumulators=STATE.accumulators[: level[1]])


# Each map has a number of its own, for good: a custom gradient may meet values of a map that is over.
next_depth = itertools.count(1).__next__


def batch(data: TensorLike, depth: int) -> Batched:
    """`data` with its first axis hidden."""
    return Batched(data, (len(STATE.tapes), len(STATE.accumulators)), depth)


def unbatch(value: Any, size: int, depth: int) -> Any:
    """The data with the batch axis first again; what did not depend on the batch is repeated along it."""
    if value.__class__ is Batched and value.depth == depth:
        return value.data
    return with_batch_axis(value, size)


@overload
def vectorized_map(
    fn: Callable[[Tensor], _Result], elems: TensorLeaf, fallback_to_while_loop: bool = ..., warn: bool = ...
) -> _Result: ...
@overload
def vectorized_map(
    fn: Callable[..., _Result],
    elems: Sequence[Any] | Mapping[Any, Any] | Composite,
    fallback_to_while_loop: bool = ...,
    warn: bool = ...,
) -> _Result: ...
def vectorized_map(
    fn: Callable[..., Any], elems: object, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """`fn` of each slice of `elems` along the first axis, computed for all at once and stacked.

    >>> import gradtape as tf
    >>> tf.vectorized_map(lambda row: tf.reduce_sum(row * row), tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy()
    array([ 5., 25.], dtype=float32)

    Python code in `fn` runs once. Where an op cannot be vectorized, `fn` is called for one slice after the other and a
    warning names the op; with `fallback_to_while_loop=False` the error is raised instead.

    Args:
        fn: A function of one slice.
        elems: Tensors with a common first axis, in any structure.
        fallback_to_while_loop: Whether to go slice by slice where an op cannot be vectorized.
        warn: Whether to say so.

    Returns:
        The results, stacked.
    """
    return _mapped(lambda slices: (fn(slices), None), elems, fallback_to_while_loop, warn)[0]


def mapped_and_shared(fn: Callable[..., tuple[Any, Any]], elems: object) -> tuple[Any, Any]:
    """`vectorized_map` of a function that gives a pair: its second part is one for all slices, and is not stacked."""
    return _mapped(fn, elems, fallback_to_while_loop=True, warn=True)


def _mapped(
    fn: Callable[..., tuple[Any, Any]], elems: object, fallback_to_while_loop: bool, warn: bool
) -> tuple[Any, Any]:
    tensors = [to_tensor(value) for value in nest.flatten(elems)]
    size = _common_size(tensors)
    depth = next_depth()
    slices = [batch(tensor, depth) for tensor in tensors]
    try:
        with scope(maps=(*STATE.maps, (size, slices[0].level, depth))):
            outputs, shared = fn(nest.pack_sequence_as(elems, slices))
        return (
            nest.map_structure(lambda value: _stacked(value, size, depth), outputs),
            nest.map_structure(lambda value: _once(value, depth), shared),
        )
    except UnimplementedError as error:
        if not fallback_to_while_loop or not size:
            raise
        if warn:
            LOGGER.warning("vectorized_map takes one slice after the other: %s", error)
    return _one_by_one(fn, elems, tensors, size)


def drawn_for_each_slice(draw: Callable[..., Any], shape: Any) -> Any:
    """What `draw` gives for a shape: inside a vectorized map, other random numbers for each slice."""
    if not STATE.maps:
        return draw(shape)
    size, level, depth = STATE.maps[-1]
    with scope(maps=STATE.maps[:-1]):
        drawn = drawn_for_each_slice(draw, (size, *as_shape(shape)))
    return Batched(drawn, level, depth)


def _common_size(tensors: list[Any]) -> Any:
    sizes = [shape_of(tensor)[0] if tensor.ndim else None for tensor in tensors]
    if not sizes or None in sizes or any(same(sizes[0], size) is False for size in sizes):
        raise ScalarElementsError(
            f"vectorized_map: all elems need one common first size, got shapes {[t.shape for t in tensors]}."
        )
    return sizes[0]


def _one_by_one(fn: Callable[..., Any], elems: object, tensors: list[Any], size: int) -> Any:
    rows = [fn(nest.pack_sequence_as(elems, [getitem.public(t, (row,)) for t in tensors])) for row in range(size)]
    outputs = nest.map_structure(
        lambda *parts: None if parts[0] is None else stack.public(list(parts)), *[row[0] for row in rows]
    )
    return outputs, rows[0][1]


def _stacked(value: object, size: int, depth: int) -> Any:
    if value is None:
        return None
    if not isinstance(value, (Tensor, Variable)):
        value = to_tensor(value)
    data = unbatch(value, size, depth)
    return data if isinstance(data, Tensor) else from_array(np.asarray(data))


def _once(value: Any, depth: int) -> Any:
    if value.__class__ is Batched and value.depth == depth:
        raise ValueError(
            f"vmap: a result of shape {value.shape} depends on the mapped arguments, so there is one for each of "
            f"{value.batch_size} entries. It needs an axis in out_axes; None is for results that are one for all."
        )
    return value


# --- inside traced functions -------------------------------------------------------------------------------------------


def _traced_as(function: Function) -> Callable[..., Any]:
    def on_trace(
        trace: Any, fn: Function, elems: object, fallback_to_while_loop: bool = True, warn: bool = True
    ) -> Any:
        """The function is traced for one slice, and mapped when the graph runs: the number of slices may be unknown."""
        tensors = [trace.symbolic(value) for value in nest.flatten(elems)]
        if any(tensor.shape.rank == 0 for tensor in tensors):
            raise ValueError(f"vectorized_map: all elems need a first axis, got shapes {[t.shape for t in tensors]}.")
        symbolic = nest.pack_sequence_as(elems, tensors)
        graph, _ = trace.subgraph(fn, (nest.map_structure(trace.slice_like, symbolic),), "fn")
        return trace.step(function(), (graph, symbolic), {})

    return on_trace


def _mapped_on_abstract(evaluator: Any, function: Any, fn: Function, elems: object) -> Any:
    tensors = [to_tensor(value) for value in nest.flatten(elems)]
    shares = function is mapped_and_shared
    found = evaluator.mapped(fn, tensors, lambda slices: nest.pack_sequence_as(elems, slices), shares)
    return function.__wrapped__(fn, elems) if found is NotImplemented else found


vectorized_map = traceable(vectorized_map, on_abstract=_mapped_on_abstract, on_trace=_traced_as(lambda: vectorized_map))
mapped_and_shared = traceable(
    mapped_and_shared, on_abstract=_mapped_on_abstract, on_trace=_traced_as(lambda: mapped_and_shared)
)
