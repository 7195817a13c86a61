"""Tensors in and out, control flow, and the inference of shapes: `keras.ops` core on gradtape."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.stateless_scope import StatelessScope
from keras.src.backend.common.symbolic_scope import SymbolicScope
from keras.src.backend.common.variables import standardize_dtype

import gradtape
from gradtape.base.context import scope
from gradtape.base.dtypes import DType, as_dtype
from gradtape.base.types import DTypeLike, TensorLike
from gradtape.trace import is_symbolic
from gradtape.trace.recorder import running_recorder
from gradtape.values.composite import COMPOSITES, is_composite
from gradtape.values.tensor import EagerTensor, Tensor, contains_tensor, from_array, to_tensor

SUPPORTS_SPARSE_TENSORS = True
SUPPORTS_RAGGED_TENSORS = True
SUPPORTS_COMPLEX_DTYPES = True
IS_THREAD_SAFE = True


# --- tensors in and out ----------------------------------------------------------------------------------------------


def convert_to_tensor(
    x: TensorLike, dtype: DTypeLike | None = None, sparse: bool | None = None, ragged: bool | None = None
) -> Tensor:
    """`x` as a tensor, cast to `dtype` if one is given. Sparse and ragged tensors are made dense by `False`."""
    if x.__class__ is EagerTensor:
        return x if dtype is None or x.dtype is dtype or x.dtype.name == dtype else cast(x, dtype)
    if dtype is not None:
        dtype = standardize_dtype(dtype)
    tensor: Any = x
    if is_composite(x):
        if (ragged if x.__class__ is gradtape.RaggedTensor else sparse) is False:
            tensor = _dense(x)
    elif not gradtape.is_tensor(x):
        if isinstance(x, (list, tuple)) and contains_tensor(x):
            tensor = gradtape.stack([convert_to_tensor(part, dtype) for part in x])
        elif dtype is None or dtype == "string" or isinstance(x, KerasTensor):
            tensor = gradtape.convert_to_tensor(x)
        else:
            # NumPy converts as Keras allows it: floats to ints, ints to bools.
            return from_array(np.array(x).astype(as_dtype(dtype).numpy))
    else:
        tensor = to_tensor(x)  # variables are read
    return tensor if dtype is None or tensor.dtype.name == dtype else cast(tensor, dtype)


def _dense(x: Any) -> Any:
    """One tensor with the elements of a sparse or ragged one."""
    dense = COMPOSITES[x.__class__].dense
    return x if dense is None else dense(x)


def convert_to_numpy(x: Any) -> Any:
    """A copy of `x` as a NumPy array."""
    return np.array(_dense(x) if is_composite(x) else x)


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor or a variable."""
    return gradtape.is_tensor(x)


def shape(x: Any) -> tuple[Any, ...]:
    """The sizes of all axes; inside a function, a tensor in place of a size that is not known yet."""
    if not hasattr(x, "shape"):
        x = convert_to_tensor(x)
    sizes = tuple(x.shape)
    if None in sizes and is_symbolic(x):
        later = gradtape.shape(x)
        sizes = tuple(later[axis] if size is None else size for axis, size in enumerate(sizes))
    return sizes


def cast(x: Any, dtype: Any) -> Any:
    """`x` with elements of another type."""
    if dtype.__class__ is not DType:
        dtype = standardize_dtype(dtype)
    if isinstance(x, gradtape.Tensor):
        return gradtape.cast(x, dtype)
    if is_composite(x):
        return gradtape.cast(x, dtype)
    return convert_to_tensor(x, dtype)


# --- shapes without values -------------------------------------------------------------------------------------------

# Each unknown size is tried with two values: a result axis whose size differs between the two runs is unknown too.
_STAND_INS = (83, 89)


def compute_output_spec(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Shapes and types of what `fn` would return, found by running it on zeros; no variable is changed."""
    with StatelessScope(), SymbolicScope(), scope(stand_ins=True):
        symbolic = [x for x in tree.flatten((args, kwargs)) if isinstance(x, KerasTensor)]
        sizes = _STAND_INS if any(None in x.shape for x in symbolic) else _STAND_INS[:1]
        runs = []
        for size in sizes:
            run_args, run_kwargs = tree.map_structure(lambda x, n=size: _stand_in(x, n), (args, kwargs))
            runs.append(fn(*run_args, **run_kwargs))
        return tree.map_structure(_spec, runs[0], runs[-1])


def _stand_in(x: Any, size: int) -> Any:
    if not isinstance(x, KerasTensor):
        return x
    sizes = [size if axis is None else axis for axis in x.shape]
    if x.sparse:
        one = min(1, np.prod(sizes, dtype=int))  # one value, at the first place
        return gradtape.SparseTensor(np.zeros((one, len(sizes)), int), gradtape.zeros([one], x.dtype), sizes)
    zeros = gradtape.zeros(sizes, x.dtype)
    return gradtape.RaggedTensor.from_tensor(zeros, ragged_rank=_ragged_rank(x)) if x.ragged else zeros


def _ragged_rank(x: KerasTensor) -> int:
    """The number of ragged axes: all axes up to the last unknown size, except the first."""
    return x.ragged_rank or max([1, *(axis for axis, size in enumerate(x.shape) if size is None)])


def _spec(first: Any, last: Any) -> Any:
    if not gradtape.is_tensor(first):
        return first
    sizes = [a if a == b else None for a, b in zip(first.shape, last.shape, strict=True)]
    sparse, ragged = (isinstance(first, kind) for kind in (gradtape.SparseTensor, gradtape.RaggedTensor))
    return KerasTensor(sizes, standardize_dtype(first.dtype), sparse=sparse, ragged=ragged)


# --- control flow ----------------------------------------------------------------------------------------------------


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """What `true_fn` returns if `pred` is true, else what `false_fn` returns."""
    if isinstance(pred, bool):
        return true_fn() if pred else false_fn()
    return gradtape.cond(pred, true_fn, false_fn)


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """What the branch of that number returns; numbers out of range mean the first or the last."""
    index = gradtape.clip_by_value(convert_to_tensor(index, "int32"), 0, len(branches) - 1)
    return gradtape.switch_case(index, [functools.partial(branch, *operands) for branch in branches])


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, maximum_iterations: int | None = None
) -> Any:
    """Run `body` on the loop variables as long as `cond` is true of them."""
    several = isinstance(loop_vars, (tuple, list))
    state = tuple(loop_vars) if several else (loop_vars,)

    def step(*values: Any) -> tuple[Any, ...]:
        new = body(*values)
        return tuple(new) if several else (new,)

    state = gradtape.while_loop(cond, step, state, maximum_iterations=maximum_iterations)
    return tuple(state) if several else state[0]


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """`init_val` after `body_fun(i, value)` for each i from `lower` to `upper` - 1."""
    if is_symbolic(lower) or is_symbolic(upper):
        lower, upper = convert_to_tensor(lower, "int32"), convert_to_tensor(upper, "int32")
        return while_loop(lambda i, _: i < upper, lambda i, value: (i + 1, body_fun(i, value)), (lower, init_val))[1]
    value = init_val
    for i in range(int(lower), int(upper)):
        value = body_fun(gradtape.constant(i), value)
    return value


def vectorized_map(function: Callable[[Any], Any], elements: Any) -> Any:
    """`function` of every entry of the first axis, all at once."""
    return gradtape.vectorized_map(function, tree.map_structure(convert_to_tensor, elements))


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """`f` of every entry of the first axis, one after another."""
    return scan(lambda carry, x: (carry, f(x)), (), xs)[1]


def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
) -> Any:
    """Carry a state over the first axis of `xs`: `carry, y = f(carry, x)`; returns the last carry and all ys."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    if not isinstance(unroll, bool) and (not isinstance(unroll, int) or unroll < 1):
        raise ValueError(f"`unroll` must be an positive integer or boolean. Received: unroll={unroll}")
    if xs is None and length is None:
        raise ValueError("Got no `xs` to scan over and `length` not provided.")
    flat = [] if xs is None else [convert_to_tensor(x) for x in tree.flatten(xs)]
    carry = tree.map_structure(convert_to_tensor, init)
    if is_symbolic(length) or (length is None and flat[0].shape[0] is None):
        count = gradtape.shape(flat[0])[0] if length is None else length
        return _scan_unknown_length(f, carry, xs, flat, convert_to_tensor(count, "int32"), reverse)
    flat_rows = [gradtape.unstack(x) for x in flat]
    steps = int(length) if length is not None else len(flat_rows[0])
    nothing = tree.map_structure(gradtape.zeros_like, carry)  # placeholder for a y that is None
    ys: list[Any] = []
    for i in reversed(range(steps)) if reverse else range(steps):
        x = None if xs is None else tree.pack_sequence_as(xs, [row[i] for row in flat_rows])
        carry, y = f(carry, x)
        ys.append(nothing if y is None else y)
    if reverse:
        ys.reverse()
    if not ys:
        return carry, tree.map_structure(lambda x: gradtape.zeros([0, *x.shape], x.dtype), nothing)
    return carry, tree.map_structure(lambda *parts: gradtape.stack(parts), *ys)


def _scan_unknown_length(
    f: Callable[[Any, Any], Any], carry: Any, xs: Any, flat: list[Any], count: Any, reverse: bool
) -> Any:
    """`scan` inside a function that does not know how many steps there are."""
    trace = running_recorder()
    assert trace is not None  # elsewhere all sizes are known

    def step(carry: Any, *row: Any) -> Any:
        carry, y = f(carry, tree.pack_sequence_as(xs, list(row)) if row else None)
        return carry, tree.map_structure(gradtape.zeros_like, carry) if y is None else y

    def turn(i: Any, carry: Any, arrays: Any) -> Any:
        place = count - 1 - i if reverse else i
        carry, y = step(carry, *[x[place] for x in flat])
        written = [array.write(place, part) for array, part in zip(arrays, tree.flatten(y), strict=True)]
        return i + 1, carry, written

    carry = tree.map_structure(trace.symbolic, carry)
    _, (_, y) = trace.subgraph(step, (carry, *[trace.slice_like(x) for x in flat]), "scan")  # an example of a y
    looks = [convert_to_tensor(part) for part in tree.flatten(y)]
    arrays = [gradtape.TensorArray(part.dtype, count, element_shape=part.shape) for part in looks]
    start = (gradtape.constant(0), carry, arrays)
    _, carry, arrays = gradtape.while_loop(lambda i, *_: i < count, turn, start)
    return carry, tree.pack_sequence_as(y, [array.stack() for array in arrays])


def associative_scan(f: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """All partial results of an associative `f` along an axis, in a logarithmic number of calls."""
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")
    flat = [convert_to_tensor(elem) for elem in tree.flatten(elems)]
    axis = axis % flat[0].ndim
    if len({elem.shape[axis] for elem in flat}) > 1:
        raise ValueError(
            "Array inputs to associative_scan must have the same first dimension. "
            f"(saw: {[elem.shape for elem in flat]})"
        )
    flip = [axis] if reverse else []
    flat = [gradtape.reverse(elem, flip) for elem in flat]

    def part(elem: Any, start: int | None, stop: int | None, step: int = 1) -> Any:
        return elem[(builtins.slice(None),) * axis + (builtins.slice(start, stop, step),)]

    def combine(a: list[Any], b: list[Any]) -> list[Any]:
        return tree.flatten(f(tree.pack_sequence_as(elems, a), tree.pack_sequence_as(elems, b)))

    def interleave(a: Any, b: Any) -> Any:
        """a0 b0 a1 b1 ...; `a` may have one entry more."""
        pairs = gradtape.stack([part(a, 0, b.shape[axis]), b], axis + 1)
        sizes = list(b.shape)
        sizes[axis] *= 2
        return gradtape.concat([gradtape.reshape(pairs, sizes), part(a, b.shape[axis], None)], axis)

    def partial_results(values: list[Any]) -> list[Any]:
        size = values[0].shape[axis]
        if size < 2:
            return values
        # Results at odd places come from pairs, those at even places from the odd one before.
        odd = partial_results(combine([part(v, 0, -1, 2) for v in values], [part(v, 1, None, 2) for v in values]))
        before = [part(v, 0, -1) for v in odd] if size % 2 == 0 else odd
        first = [part(v, 0, 1) for v in values]
        if size == 2:
            even = first
        else:
            rest = combine(before, [part(v, 2, None, 2) for v in values])
            even = [gradtape.concat(parts, axis) for parts in zip(first, rest, strict=True)]
        return [interleave(a, b) for a, b in zip(even, odd, strict=True)]

    def by_doubling(values: list[Any]) -> list[Any]:
        """For an unknown size: each iteration doubles the number of preceding elements that every result covers."""
        size = gradtape.shape(values[0])[axis]
        places = gradtape.range(size)

        def turn(reach: Any, *values: Any) -> Any:
            earlier = [gradtape.gather(v, gradtape.maximum(places - reach, 0), axis=axis) for v in values]
            further = combine(earlier, list(values))
            reached = [gradtape.reshape(places >= reach, [-1] + [1] * (v.ndim - axis - 1)) for v in values]
            return 2 * reach, *[gradtape.where(*parts) for parts in zip(reached, further, values, strict=True)]

        return list(gradtape.while_loop(lambda reach, *_: reach < size, turn, (gradtape.constant(1), *values))[1:])

    combined = by_doubling(flat) if flat[0].shape[axis] is None else partial_results(flat)
    results = [gradtape.reverse(value, flip) for value in combined]
    return tree.pack_sequence_as(elems, results)


# --- parts of tensors ------------------------------------------------------------------------------------------------


def scatter(indices: Any, values: Any, shape: Any) -> Any:
    """Zeros of that shape with the values added at the indices."""
    return gradtape.scatter_nd(convert_to_tensor(indices), convert_to_tensor(values), list(shape))


_SCATTERED: dict[str | None, Callable[..., Any]] = {
    None: gradtape.tensor_scatter_nd_update,
    "add": gradtape.tensor_scatter_nd_add,
    "max": gradtape.tensor_scatter_nd_max,
    "min": gradtape.tensor_scatter_nd_min,
}


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: str | None = None) -> Any:
    """`inputs` with other values at the indices, or with these added, multiplied and so on."""
    inputs = convert_to_tensor(inputs)
    indices, updates = convert_to_tensor(indices), convert_to_tensor(updates, inputs.dtype.name)
    if reduction == "mul":
        return _scatter_multiply(inputs, indices, updates)
    if reduction not in _SCATTERED:
        raise ValueError(f"Unsupported reduction: {reduction}")
    return _SCATTERED[reduction](inputs, indices, updates)


def _scatter_multiply(inputs: Any, indices: Any, updates: Any) -> Any:
    """Repeated indices multiply repeatedly."""
    sizes = gradtape.shape(inputs)
    depth = indices.shape[-1]
    count = gradtape.reduce_prod(sizes[:depth])
    places = gradtape.gather_nd(gradtape.reshape(gradtape.range(count), sizes[:depth]), indices)
    rows = gradtape.reshape(updates, gradtape.concat([[-1], sizes[depth:]], 0))
    factors = gradtape.math.unsorted_segment_prod(rows, gradtape.reshape(places, [-1]), count)
    return inputs * gradtape.reshape(factors, sizes)


def slice(inputs: Any, start_indices: Any, shape: Any) -> Any:
    """The block of that shape that begins at the given indices."""
    return gradtape.slice(convert_to_tensor(inputs), start_indices, shape)


def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    """`inputs` with a block replaced; a block that would reach over the end is moved back."""
    inputs = convert_to_tensor(inputs)
    updates = convert_to_tensor(updates, inputs.dtype.name)
    if is_symbolic(start_indices) or None in inputs.shape or None in updates.shape:
        return _slice_update_anywhere(inputs, convert_to_tensor(start_indices, "int32"), updates)
    starts = [int(start) for start in convert_to_numpy(start_indices)]
    sizes = list(zip(inputs.shape, updates.shape, strict=True))
    starts = [min(max(start, 0), whole - block) for start, (whole, block) in zip(starts, sizes, strict=True)]
    paddings = [[start, whole - block - start] for start, (whole, block) in zip(starts, sizes, strict=True)]
    inside = np.zeros(inputs.shape, bool)
    inside[tuple(builtins.slice(start, start + block) for start, (_, block) in zip(starts, sizes, strict=True))] = True
    return gradtape.where(inside, gradtape.pad(updates, paddings), inputs)


def _slice_update_anywhere(inputs: Any, starts: Any, updates: Any) -> Any:
    """`slice_update` with unknown start indices: each position along an axis looks up its part of the block."""
    whole, block = gradtape.shape(inputs), gradtape.shape(updates)
    starts = gradtape.minimum(gradtape.maximum(starts, 0), whole - block)
    inside: Any = True
    for axis in range(inputs.ndim):
        places = gradtape.range(whole[axis]) - starts[axis]
        updates = gradtape.gather(updates, gradtape.clip_by_value(places, 0, block[axis] - 1), axis=axis)
        here = gradtape.reshape((places >= 0) & (places < block[axis]), [-1] + [1] * (inputs.ndim - axis - 1))
        inside = here & inside
    return gradtape.where(inside, updates, inputs)


def unstack(x: Any, num: int | None = None, axis: int = 0) -> Any:
    """The entries along an axis."""
    return gradtape.unstack(convert_to_tensor(x), num, axis)


# --- gradients, seeds, scopes ----------------------------------------------------------------------------------------


def stop_gradient(variable: Any) -> Any:
    """The value, through which no gradient flows."""
    return gradtape.stop_gradient(variable)


def custom_gradient(f: Callable[..., Any]) -> Any:
    """A function that returns its value and its gradient function."""
    return gradtape.custom_gradient(f)


def remat(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with its intermediate values recomputed in the backward pass."""
    return gradtape.recompute_grad(f)


def random_seed_dtype() -> str:
    """The type of seeds, as with TensorFlow."""
    return "int64"


def device_scope(device_name: str) -> Any:
    """There is one device: the CPU."""
    return gradtape.device(device_name)
