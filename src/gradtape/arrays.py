"""TensorFlow's top-level functions that make, reshape, join, cut and index tensors."""

from __future__ import annotations

import builtins
import functools
from typing import Any

import numpy as np

from . import dtypes
from .dtypes import DType
from .errors import ArgumentValueError, ResourceExhaustedError, invalid
from .math import cast, imag, maximum, minimum, real
from .math import complex as make_complex
from .op import as_axis, as_int, as_ints, as_shape
from .ops import blocks, borders, index, layout, logic, polynomials, rearrange, scatter
from .ops import elementwise as e
from .ops.linalg import contract, matmul
from .shapes import TensorShape, broadcast
from .tensor import EagerTensor, IndexedSlices, Tensor, from_array, to_tensor
from .traceable import trace_public
from .variable import SliceAssigner, Variable

reshape = layout.reshape.public
broadcast_to = layout.broadcast_to.public
identity_of = e.identity.public
stop_gradient = e.stop_gradient.public
tensor_scatter_nd_update = index.tensor_scatter_nd_update.public
newaxis = None

# --- making tensors --------------------------------------------------------------------------------------------------


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Any:
    """A tensor with the given value, copied; a single value fills `shape`.

    >>> import gradtape as tf
    >>> tf.constant([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
    """
    requested = None if dtype is None else dtypes.as_dtype(dtype)
    if requested is not None and isinstance(value, (Tensor, Variable)) and value.dtype is not requested:
        if isinstance(value, Tensor):
            raise TypeError(f"Expected tensor {value!r} with dtype {requested!r}, but got dtype {value.dtype!r}.")
        value = value.numpy()
    tensor = to_tensor(value, requested)
    if shape is None:
        return tensor
    sizes = as_shape(shape)
    if tuple(tensor.shape) == sizes:
        return tensor
    count = int(np.prod(sizes, dtype=np.int64))
    elements = tensor.shape.num_elements()
    if elements == count:
        return reshape(tensor, sizes)
    if elements == 1:
        return broadcast_to(reshape(tensor, ()), sizes)
    raise TypeError(
        f"constant: a value with {elements} elements (shape {tensor.shape}) does not fill shape {list(sizes)}, which has {count}."
    )


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    dtype_hint: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
) -> Any:
    """The value as a tensor: tensors as they are, variables read, numbers, lists and arrays converted.

    `dtype_hint` is tried first and dropped where it does not fit.
    """
    requested = None if dtype is None else dtypes.as_dtype(dtype)
    hint = dtype_hint if dtype_hint is not None else preferred_dtype
    if isinstance(value, Variable):
        value = value.read_value()
    if requested is None and hint is not None:
        try:
            return to_tensor(value, dtypes.as_dtype(hint))
        except (TypeError, ValueError):
            return to_tensor(value)
    return to_tensor(value, requested)


def identity(input: Any, name: str | None = None) -> Any:
    """The same value as a tensor of its own."""
    if isinstance(input, IndexedSlices):
        return IndexedSlices(identity(input.values), input.indices, input.dense_shape)
    return identity_of(input)


def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """The same values as tensors of their own."""
    return [identity(value) for value in input]


def _filled(shape: Any, value: Any, dtype: DType) -> Tensor:
    sizes = as_shape(shape)
    if -1 in sizes:
        raise invalid(f"A size cannot be negative, got shape {list(sizes)}.")
    try:
        return from_array(np.full(sizes, value, dtype.numpy))
    except MemoryError as error:
        raise ResourceExhaustedError(None, None, f"A tensor of shape {list(sizes)} does not fit: {error}.") from None


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros of the given shape (empty strings for tf.string)."""
    kind = dtypes.as_dtype(dtype)
    return _filled(shape, b"" if kind is dtypes.string else 0, kind)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones of the given shape."""
    kind = dtypes.as_dtype(dtype)
    if kind is dtypes.string:
        raise TypeError("tf.ones is not defined for tf.string.")
    return _filled(shape, 1, kind)


def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Any:
    """A tensor of the given shape, all of one value; the tape follows the value."""
    value = to_tensor(value)
    if value.shape == (1,):
        value = reshape(value, ())
    if value.ndim:
        raise invalid(f"fill: the value must be a scalar, got shape {value.shape}.")
    sizes = as_shape(dims)
    if -1 in sizes:
        raise invalid(f"fill: a size cannot be negative, got {list(sizes)}.")
    return broadcast_to(value, sizes)


def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Zeros of the same shape, and of the same type unless one is given."""
    x = to_tensor(input)
    kind = x.dtype if dtype is None else dtypes.as_dtype(dtype)
    if x.dtype is kind and kind is not dtypes.string:
        return logic.zeros_like.public(x)
    return zeros(tuple(x.shape), kind)


def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Ones of the same shape, and of the same type unless one is given."""
    x = to_tensor(input)
    kind = x.dtype if dtype is None else dtypes.as_dtype(dtype)
    return logic.ones_like.public(x) if x.dtype is kind else ones(tuple(x.shape), kind)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The identity matrix, repeated over `batch_shape`."""
    rows = as_int(num_rows)
    columns = rows if num_columns is None else as_int(num_columns)
    if rows < 0 or columns < 0:
        raise invalid(f"eye: sizes cannot be negative, got {rows} and {columns}.")
    matrix = np.eye(rows, columns, dtype=dtypes.as_dtype(dtype).numpy)
    lead = () if batch_shape is None else as_shape(batch_shape)
    return from_array(np.broadcast_to(matrix, (*lead, rows, columns)))


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    """Numbers from `start` up to (without) `limit` in steps of `delta`.

    >>> import gradtape as tf
    >>> tf.range(3).numpy()
    array([0, 1, 2], dtype=int32)
    """
    if limit is None:
        start, limit = 0, start
    parts = [to_tensor(value) for value in (start, limit, delta)]
    if dtype is None:
        order = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
        for part in parts:
            if part.dtype not in order:
                raise invalid(f"range: bounds must be numbers, got {part.dtype!r}.")
        kind = max((part.dtype for part in parts), key=order.index)
    else:
        kind = dtypes.as_dtype(dtype)
    if any(part.ndim for part in parts):
        raise invalid(f"range: start, limit and delta must be scalars, got shapes {[p.shape for p in parts]}.")
    if kind.is_floating and any(part.__class__ is not EagerTensor for part in parts):
        # Inside a function, where the bounds are known only when it runs.
        begin, end, by = (cast(part, kind) for part in parts)
        count = as_int(cast(e.ceil.public((end - begin) / by), dtypes.int32))
        return begin + by * cast(range(count), kind)
    # Python's numbers as they are: as tensors they would have been rounded to float32.
    first, last, step = (
        value if value.__class__ in (int, float) else _number(part)
        for value, part in zip((start, limit, delta), parts, strict=True)
    )
    if step == 0:
        raise invalid("range: delta must not be zero.")
    if (last - first) * step < 0:
        raise invalid(f"range: from {first} the step {step} never reaches {last}.")
    if kind.is_floating:  # counted in the type itself: in float32, from 0.1 to 1.1 by 0.1 are ten numbers
        bounds = [kind.numpy.type(value) for value in (first, last, step)]
        count = max(0, int(np.ceil((bounds[1] - bounds[0]) / bounds[2])))
    else:
        count = max(0, int(-((first - last) // step)))
    if count > 2**40:
        raise invalid(f"range: {count} numbers are too many.")
    if kind.is_integer:
        return from_array(np.arange(first, last, step, dtype=kind.numpy))
    return from_array(
        (np.arange(count, dtype=kind.numpy) * kind.numpy.type(step) + kind.numpy.type(first)).astype(kind.numpy)
    )


def _number(scalar: Any) -> Any:
    """The value of a scalar; in a trace, where it is not known, a guess."""
    return scalar._array.item() if scalar.__class__ is EagerTensor else as_int(scalar)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, both included; the tape follows both."""
    start = to_tensor(start)
    stop = to_tensor(stop, start.dtype)
    count = as_int(num)
    if count < 0:
        raise invalid(f"linspace: num cannot be negative, got {count}.")
    if start.dtype.is_integer:
        start, stop = cast(start, dtypes.float64), cast(stop, dtypes.float64)
    if start.shape != stop.shape:
        common = broadcast(tuple(start.shape), tuple(stop.shape))
        if common is None:
            raise invalid(f"linspace: shapes {start.shape} and {stop.shape} do not broadcast.")
        start, stop = broadcast_to(start, common), broadcast_to(stop, common)
    return polynomials.linspace.public(start, stop, count, as_int(axis))


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """`on_value` at each index along a new axis of size `depth`, `off_value` elsewhere.

    >>> import gradtape as tf
    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    if dtype is None:
        given = next((v for v in (on_value, off_value) if v is not None), None)
        kind = dtypes.float32 if given is None else to_tensor(given).dtype
    else:
        kind = dtypes.as_dtype(dtype)
    values = [default if v is None else to_tensor(v, kind)._array for v, default in ((on_value, 1), (off_value, 0))]
    x = to_tensor(indices)
    return index.encode_one_hot.public(
        x, as_int(depth), values[0], values[1], -1 if axis is None else as_int(axis), kind.numpy
    )


def meshgrid(*args: Any, **kwargs: Any) -> list[Any]:
    """Coordinate grids from coordinate vectors; `indexing` is "xy" or "ij"."""
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}.")
    vectors = [to_tensor(a) for a in args]
    count = len(vectors)
    axes = [*builtins.range(count)]
    if indexing == "xy" and count > 1:
        axes[0], axes[1] = 1, 0
    sizes = [v.shape.num_elements() or 0 for v in vectors]
    shape = [0] * count
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    grids = []
    for vector, axis, size in zip(vectors, axes, sizes, strict=True):
        lined = reshape(vector, tuple(size if a == axis else 1 for a in builtins.range(count)))
        grids.append(broadcast_to(lined, tuple(shape)))
    return grids


# --- what a tensor is like -------------------------------------------------------------------------------------------


def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The shape as an integer tensor."""
    kind = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    value = input if hasattr(input.__class__, "_components") else to_tensor(input)
    return from_array(np.array(tuple(value.shape), kind.numpy))


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors."""
    return [shape(value, out_type) for value in input]


def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """The number of elements."""
    return from_array(dtypes.as_dtype(out_type).numpy.type(to_tensor(input).shape.num_elements()))


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of axes."""
    return from_array(np.int32(to_tensor(input).ndim))  # type: ignore[arg-type]


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """x, checked to have a shape in which None matches anything."""
    tensor = to_tensor(x)
    if not TensorShape(shape).is_compatible_with(tensor.shape):
        raise invalid(
            f"ensure_shape: shape of tensor {tensor.shape} is not compatible with expected shape {TensorShape(shape)}."
        )
    return identity_of(tensor)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that operands of two shapes have together."""
    common = broadcast(tuple(TensorShape(shape_x)), tuple(TensorShape(shape_y)))  # type: ignore[arg-type]
    if common is None:
        raise ValueError(f"Incompatible shapes for broadcasting: {TensorShape(shape_x)} and {TensorShape(shape_y)}.")
    return TensorShape(common)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that operands of two shapes have together, as a tensor."""
    common = broadcast(as_ints(shape_x), as_ints(shape_y))
    if common is None:
        raise invalid(f"Incompatible shapes for broadcasting: {list(as_ints(shape_x))} and {list(as_ints(shape_y))}.")
    return from_array(np.array(common, np.int32))


def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """The same bits read as another type; a larger type takes the last axis away, a smaller one adds one.

    >>> import gradtape as tf
    >>> hex(int(tf.bitcast(1.0, tf.int32)))
    '0x3f800000'
    """
    return rearrange.bitcast.public(input, dtypes.as_dtype(type).numpy)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """The values in another type; what does not fit becomes its smallest or largest value.

    >>> import gradtape as tf
    >>> tf.saturate_cast([300.0, -5.0], tf.uint8).numpy()
    array([255,   0], dtype=uint8)
    """
    x, target = to_tensor(value), dtypes.as_dtype(dtype)
    if x.dtype is dtypes.bool:
        raise TypeError("saturate_cast: tf.bool has no smallest and largest value to compare with. Use tf.cast.")
    if x.dtype.is_complex:
        if target.is_complex:
            return make_complex(saturate_cast(real(x), target.real_dtype), saturate_cast(imag(x), target.real_dtype))
        x = real(x)
    low, high = _representable(x.dtype, target.real_dtype)
    return cast(minimum(maximum(x, low), high), target)


def _representable(given: DType, target: DType) -> tuple[Any, Any]:
    """The smallest and largest value of type `given` that fit in type `target`."""
    kind = given.numpy.type
    low, high = max(given.min, target.min), min(given.max, target.max)
    if given.is_integer:
        return (int(low), int(high)) if target.is_integer else (given.min, given.max)
    smallest, largest = kind(low), kind(high)
    # The bounds of an integer type may round to floats outside of it: take the next one towards zero.
    if target.is_integer and int(smallest) < target.min:
        smallest = np.nextafter(smallest, kind(0))
    if target.is_integer and int(largest) > target.max:
        largest = np.nextafter(largest, kind(0))
    return smallest, largest


# --- layout ----------------------------------------------------------------------------------------------------------


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Any:
    """The axes in the order `perm`, or reversed."""
    x = to_tensor(a)
    order = tuple(builtins.range(x.ndim))[::-1] if perm is None else as_ints(perm)
    if any(p < 0 for p in order) and min(order) >= -x.ndim:
        order = tuple(p + x.ndim if p < 0 else p for p in order)
    result = layout.permute.public(x, order)
    return e.conj.public(result) if conjugate and x.dtype.is_complex else result


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor with a new axis of size one at `axis`."""
    return layout.expand_dims.public(input, as_int(axis))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """The tensor without its axes of size one, or without those named in `axis`."""
    return layout.squeeze.public(input, as_axis(axis))


def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """The tensors one after the other along an existing axis."""
    if isinstance(values, (Tensor, Variable)) or not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ArgumentValueError(None, None, "concat needs at least one tensor, got an empty list.")
    where = as_int(axis)
    for value in values:
        if hasattr(value.__class__, "_concatenated"):  # ragged
            return value._concatenated(values, where)
    if len(values) == 1:
        return identity(values[0])
    return layout.concat.public(list(values), where)


def stack(values: Any, axis: Any = 0, name: str = "stack") -> Any:
    """The tensors, all of one shape, along a new axis."""
    if isinstance(values, (Tensor, Variable)):
        values = unstack(values)
    values = list(values)
    where = as_int(axis)
    for value in values:
        if hasattr(value.__class__, "_stacked_along"):  # ragged
            return value._stacked_along(values, where)
    if not values:
        if where:
            raise ArgumentValueError(None, None, f"stack of nothing has one axis, got axis={where}.")
        return zeros((0,))
    return layout.stack.public(values, where)


def unstack(value: Any, num: int | None = None, axis: Any = 0, name: str = "unstack") -> list[Any]:
    """The slices along one axis, as a list of tensors without it."""
    where = as_int(axis)
    x = to_tensor(value)
    if not -x.ndim <= where < x.ndim:
        raise ValueError(f"Argument `axis` = {where} not in range [{-x.ndim}, {x.ndim}).")
    if num is not None and num != x.shape[where]:
        raise invalid(f"unstack: num is {num}, but axis {where} of shape {x.shape} has size {x.shape[where]}.")
    if x.shape[where] == 0:
        return []
    parts: list[Any] = layout.unpack.public(x, where)
    return parts


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split") -> list[Any]:
    """Pieces along one axis: as many as an integer says, all of one size, or of the sizes in a list (-1: the rest)."""
    x = to_tensor(value)
    where = as_int(axis)
    if not -x.ndim <= where < x.ndim:
        raise invalid(f"split: axis {where} does not exist in a tensor of shape {x.shape}.")
    length = x.shape[where] or 0
    if np.ndim(num_or_size_splits) or isinstance(num_or_size_splits, (list, tuple)):
        sizes = list(as_ints(num_or_size_splits))
        if sizes.count(-1) == 1:
            sizes[sizes.index(-1)] = length - sum(s for s in sizes if s != -1)
    else:
        count = as_int(num_or_size_splits)
        if count <= 0 or length % count:
            raise invalid(f"split: axis {where} of size {length} cannot be cut into {count} equal pieces.")
        sizes = [length // count] * count
    parts: list[Any] = layout.split_sizes.public(x, tuple(sizes), where)
    return parts


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None) -> Any:
    """The tensor with a border: constant, or mirrored with (SYMMETRIC) or without (REFLECT) the edge itself.

    `paddings` has one row (before, after) for each axis.
    """
    x = to_tensor(tensor)
    table = np.asarray(to_tensor(paddings)._array)
    if table.shape != (x.ndim, 2) or (table.size and table.min() < 0):
        raise invalid(
            f"pad: paddings must be {x.ndim} pairs of non-negative integers for shape {x.shape}, got {table.tolist()}."
        )
    rows = tuple((int(before), int(after)) for before, after in table.tolist())
    kind = str(mode).upper()
    if kind == "CONSTANT":
        if (
            not isinstance(constant_values, (Tensor, Variable))
            and np.ndim(constant_values) == 0
            and not constant_values
        ):
            # 0 stands for what is zero in any type
            constant_values = from_array(np.asarray(b"" if x.dtype is dtypes.string else 0, x.dtype.numpy))
        value = to_tensor(constant_values, None if isinstance(constant_values, (Tensor, Variable)) else x.dtype)
        return borders.pad_constant.public(
            x, rows, value._array.item() if x.dtype is not dtypes.string else value._array[()]
        )
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"mode must be CONSTANT, REFLECT or SYMMETRIC, got {mode!r}.")
    return blocks.mirror_pad.public(x, rows, kind)


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """The tensor repeated `multiples[i]` times along axis i."""
    return borders.tile.public(input, as_ints(multiples))


def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Any:
    """Each element (or slice along `axis`) repeated."""
    x = to_tensor(input)
    if axis is None:
        x, where = reshape(x, (-1,)), 0
    else:
        where = as_int(axis)
    counts = np.asarray(to_tensor(repeats)._array)
    if counts.dtype.kind not in "iu":
        raise TypeError(f"repeat: repeats must be integers, got {counts.tolist()} of type {counts.dtype}.")
    if not -x.ndim <= where < x.ndim:
        raise ArgumentValueError(None, None, f"repeat: axis {where} does not exist in a tensor of shape {x.shape}.")
    length = x.shape[where] or 0
    if counts.ndim > 1 or (counts.ndim == 1 and counts.size not in (1, length)) or (counts.size and counts.min() < 0):
        message = f"repeat: repeats must be one non-negative integer, or {length} of them; got {counts.tolist()}."
        raise ArgumentValueError(None, None, message)
    return _rows(x, np.repeat(np.arange(length, dtype=np.int32), counts), where)


def _rows(x: Any, positions: Any, axis: int) -> Any:
    """The slices at `positions`, with a dense gradient: only lookups of the user's own give IndexedSlices."""
    return index.pick.public(x, (*(builtins.slice(None),) * (axis % x.ndim), positions))


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor with the order along the given axes turned round."""
    return borders.reverse.public(tensor, as_ints(axis))


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Any:
    """The tensor moved cyclically along the given axes."""
    shifts, axes = as_axis(shift), as_axis(axis)
    return borders.roll.public(input, shifts, axes)


# --- indexing --------------------------------------------------------------------------------------------------------


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """The box that starts at `begin` and has `size` (-1: to the end)."""
    x = to_tensor(input_)
    starts, sizes = as_ints(begin), as_ints(size)
    if len(starts) != x.ndim or len(sizes) != x.ndim:
        raise invalid(
            f"slice: begin and size need {x.ndim} numbers for a tensor of shape {x.shape}, got {list(starts)}, {list(sizes)}."
        )
    key = []
    for axis, (start, count) in enumerate(zip(starts, sizes, strict=True)):
        length = x.shape[axis] or 0
        stop = length if count == -1 else start + count
        if not 0 <= start <= length or count < -1 or stop > length:
            raise invalid(f"slice: begin {start} and size {count} leave axis {axis} of size {length}.")
        key.append(builtins.slice(start, stop))
    return index.getitem.public(x, tuple(key))


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    """`input_[begin:end:strides]`, axis by axis; the bits of the masks say what else stands at a position.

    With `var`, a variable, the result can be assigned to, as a slice of that variable can.

    >>> import gradtape as tf
    >>> tf.strided_slice([1, 2, 3, 4], [0], [4], [2]).numpy()
    array([1, 3], dtype=int32)
    """
    starts, stops = as_ints(begin), as_ints(end)
    steps = (1,) * len(starts) if strides is None else as_ints(strides)
    if not len(starts) == len(stops) == len(steps):
        raise invalid(
            f"strided_slice: begin, end and strides must be as long, got {len(starts)}, {len(stops)} and {len(steps)}."
        )
    key: list[Any] = []
    for position, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        bit = 1 << position
        if ellipsis_mask & bit:
            if Ellipsis in key:
                raise invalid("strided_slice: only one ellipsis is allowed.")
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            if step <= 0:
                raise invalid(f"strided_slice: where an axis is taken away the stride must be 1, got {step}.")
            key.append(start)
        else:
            key.append(builtins.slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step))
    part = index.getitem.public(to_tensor(input_), tuple(key))
    if isinstance(var, Variable):
        assigner = SliceAssigner(var, tuple(key))
        part.assign, part.assign_add, part.assign_sub = (
            assigner.assign,
            assigner.assign_add,
            assigner.assign_sub,
        )
    return part


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """The slices of `params` at `indices` along `axis`."""
    where = as_int(batch_dims) if axis is None else as_int(axis)
    return index.take.public(params, indices, where, as_int(batch_dims))


def gather_nd(
    params: Any, indices: Any, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Any:
    """The elements (or slices) at positions that `indices` lists in its last axis."""
    return index.take_nd.public(params, indices, as_int(batch_dims))


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Any:
    """Zeros of `shape` with `updates` added at positions that `indices` lists in its last axis."""
    return index.put_nd.public(updates, indices, as_shape(shape), 0)


def _scatter_combining(combine: Any, tensor: Any, indices: Any, updates: Any, bad_indices_policy: str) -> Any:
    if bad_indices_policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise invalid(f"bad_indices_policy must be '', 'DEFAULT', 'ERROR' or 'IGNORE', got {bad_indices_policy!r}.")
    if bad_indices_policy == "IGNORE":
        x, positions = to_tensor(tensor), np.asarray(to_tensor(indices)._array)
        if positions.ndim and positions.shape[-1] <= x.ndim:
            sizes = np.array(tuple(x.shape)[: positions.shape[-1]], np.int64)
            inside = ((positions >= 0) & (positions < sizes)).all(axis=-1)
            changes = to_tensor(updates, None if isinstance(updates, (Tensor, Variable)) else x.dtype)
            if tuple(changes.shape)[: inside.ndim] == inside.shape and not inside.all():
                return combine.public(x, positions[inside], index.pick.public(changes, (inside,)))
    return combine.public(tensor, indices, updates)


def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """The tensor with `updates` added at positions that `indices` lists in its last axis; "IGNORE" drops bad positions.

    >>> import gradtape as tf
    >>> tf.tensor_scatter_nd_add([1.0, 2.0, 3.0], [[0], [0]], [10.0, 20.0]).numpy()
    array([31.,  2.,  3.], dtype=float32)
    """
    return _scatter_combining(scatter.tensor_scatter_nd_add, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """The tensor with `updates` subtracted at positions that `indices` lists in its last axis."""
    return _scatter_combining(scatter.tensor_scatter_nd_sub, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """The tensor, with the larger of its element and the updates at `indices`; ties share the derivative."""
    return _scatter_combining(scatter.tensor_scatter_nd_max, tensor, indices, updates, bad_indices_policy)


def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Any:
    """The tensor, with the smaller of its element and the updates at `indices`; ties share the derivative."""
    return _scatter_combining(scatter.tensor_scatter_nd_min, tensor, indices, updates, bad_indices_policy)


def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Any:
    """The elements (or slices) where the mask is true."""
    x, truth = to_tensor(tensor), to_tensor(mask)
    where = 0 if axis is None else as_int(axis)
    where = where + x.ndim if where < 0 else where
    if truth.__class__ is not EagerTensor:
        return _masked(x, truth, where)
    chosen = np.asarray(truth._array)
    if chosen.ndim == 0:
        raise ValueError("mask cannot be scalar.")
    if chosen.dtype.kind != "b":
        raise invalid(f"boolean_mask: the mask must be bool, got {to_tensor(mask).dtype!r}.")
    if tuple(x.shape[where : where + chosen.ndim]) != chosen.shape:
        raise ValueError(f"Shapes {x.shape[where : where + chosen.ndim]} and {chosen.shape} are incompatible")
    return index.pick.public(x, (*(builtins.slice(None),) * where, chosen))


def _masked(x: Any, mask: Any, axis: int) -> Any:
    """`boolean_mask` with a mask whose values are not known yet: the true positions are looked up first."""
    if not mask.ndim:
        raise ValueError("mask cannot be scalar.")
    if tuple(x.shape[axis : axis + mask.ndim]) != tuple(mask.shape):
        raise ValueError(f"Shapes {x.shape[axis : axis + mask.ndim]} and {mask.shape} are incompatible")
    front = (*builtins.range(axis, axis + mask.ndim), *builtins.range(axis), *builtins.range(axis + mask.ndim, x.ndim))
    picked = index.take_nd.public(layout.permute.public(x, front), index.nonzero.public(mask))
    back = (*builtins.range(1, axis + 1), 0, *builtins.range(axis + 1, picked.ndim))
    return layout.permute.public(picked, back)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """x where the condition holds and y elsewhere; with the condition alone, the positions where it holds.

    >>> import gradtape as tf
    >>> tf.where([True, False], [1.0, 2.0], 0.0).numpy()
    array([1., 0.], dtype=float32)
    """
    if x is None and y is None:
        return index.nonzero.public(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return logic.select.public(condition, x, y)


# --- products --------------------------------------------------------------------------------------------------------


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """The sum of products over some axes of a and some of b: an integer for the last and first, or two lists."""
    x = to_tensor(a)
    y = to_tensor(b, None if isinstance(b, (Tensor, Variable)) else x.dtype)
    if isinstance(axes, (int, np.integer)):
        count = int(axes)
        if not 0 <= count <= min(x.ndim, y.ndim):
            raise ValueError(f"tensordot: axes must be from 0 to {min(x.ndim, y.ndim)}, got {count}.")
        left, right = tuple(builtins.range(x.ndim - count, x.ndim)), tuple(builtins.range(count))
    else:
        if len(axes) != 2:
            raise ValueError(f"'axes' must be an integer or have length 2, got {axes}.")
        left, right = as_ints(axes[0]), as_ints(axes[1])
    if len(left) != len(right):
        raise ValueError(f"Different number of contraction axes 'a' and 'b', {len(left)} != {len(right)}.")
    for value, chosen, label in ((x, left, "a"), (y, right, "b")):
        if any(not -value.ndim <= axis < value.ndim for axis in chosen):
            raise invalid(f"tensordot: axes {list(chosen)} do not all exist in {label} of shape {value.shape}.")
    left, right = tuple(i % x.ndim for i in left), tuple(i % y.ndim for i in right)
    rows = [i for i in builtins.range(x.ndim) if i not in left]
    columns = [i for i in builtins.range(y.ndim) if i not in right]
    inner = [x.shape[i] or 0 for i in left]
    if inner != [y.shape[i] or 0 for i in right]:
        raise invalid(f"tensordot: sizes differ along axes {list(left)} of {x.shape} and {list(right)} of {y.shape}.")
    count = int(np.prod(inner, dtype=np.int64))
    outer = [x.shape[i] for i in rows], [y.shape[i] for i in columns]
    first = reshape(transpose(x, [*rows, *left]), (int(np.prod(outer[0], dtype=np.int64)), count))
    second = reshape(transpose(y, [*right, *columns]), (count, int(np.prod(outer[1], dtype=np.int64))))
    return reshape(matmul.public(first, second), (*outer[0], *outer[1]))


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Einstein summation: `tf.einsum("ij,jk->ik", a, b)` is the product of two matrices.

    >>> import gradtape as tf
    >>> tf.einsum("...ij,...jk->...ik", tf.ones([1, 2, 3]), tf.ones([4, 3, 2])).shape
    TensorShape([4, 2, 2])

    A label has one size in all operands; only axes under an ellipsis broadcast.
    """
    kwargs.pop("optimize", None)
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for this function: {', '.join(kwargs)}. Expected: 'name', 'optimize'"
        )
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) and "," in equation:
        inputs = tuple(inputs[0])
    tensors = [to_tensor(value) for value in inputs]
    written = explicit_equation(equation, tuple([t.ndim for t in tensors]))
    if "." in equation:
        written, tensors = _without_repeated_axes(equation, written, tensors)
    return contract.public(tensors, written)


def _without_repeated_axes(equation: str, written: str, tensors: list[Any]) -> tuple[str, list[Any]]:
    """Operands without the axes of size one under the ellipsis along which they would be repeated."""
    inputs, output = written.split("->")
    terms = inputs.split(",")
    hidden = {c for c in inputs if c.isalpha() and c not in equation}
    if hidden and "->" in equation and "." not in equation.partition("->")[2]:
        raise invalid(
            f"einsum: equation '{equation}' needs '...' in its output: the operands have axes that it stands for."
        )
    shapes = [tuple(t.shape) for t in tensors]
    repeated = {
        c for term, shape in zip(terms, shapes, strict=True) for c, n in zip(term, shape, strict=True) if n != 1
    } & hidden
    for position, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        kept = [i for i, c in enumerate(term) if not (shape[i] == 1 and c in repeated)]
        if len(kept) < len(term):
            terms[position] = "".join(term[i] for i in kept)
            tensors[position] = reshape(tensors[position], tuple(shape[i] for i in kept))
    return ",".join(terms) + "->" + output, tensors


@functools.cache
def explicit_equation(equation: str, ranks: tuple[int, ...]) -> str:
    """The equation without blanks and ellipses, with its output written out."""
    text = equation.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"einsum: equation '{equation}' has {len(terms)} operands, {len(ranks)} were given.")
    letters = "".join(terms) + output
    if any(not (c.isalpha() or c in ".") for c in letters):
        raise ValueError(f"einsum: equation '{equation}' may hold letters, commas, '->' and '...' only.")
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in letters]
    widths = [
        rank - len(term.replace("...", "")) if "..." in term else 0 for term, rank in zip(terms, ranks, strict=True)
    ]
    if min(widths, default=0) < 0:
        raise ValueError(
            f"einsum: equation '{equation}' has more axes than its operands, which have ranks {list(ranks)}."
        )
    hidden = "".join(free[: max(widths, default=0)])
    terms = [term.replace("...", hidden[len(hidden) - width :]) for term, width in zip(terms, widths, strict=True)]
    if arrow:
        output = output.replace("...", hidden)
        if len(set(output)) != len(output):
            raise ValueError(f"einsum: the output of equation '{equation}' names a label more than once.")
        if not set(output) <= set("".join(terms)):
            raise ValueError(f"einsum: the output of equation '{equation}' names a label that no operand has.")
    else:
        joined = "".join(terms)
        output = hidden + "".join(sorted(c for c in set(joined) if joined.count(c) == 1 and c not in hidden))
    return ",".join(terms) + "->" + output


trace_public(globals(), always=("constant", "zeros", "ones", "fill", "range", "eye", "linspace"))
