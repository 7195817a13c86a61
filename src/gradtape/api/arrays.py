"""TensorFlow's top-level functions that make tensors."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..base import dtypes
from ..base.context import shapes_only
from ..base.dtypes import DType
from ..base.errors import invalid
from ..base.memory import check_room
from ..base.namespaces import homes, on_first_use
from ..base.shapes import broadcast
from ..base.sizes import UNKNOWN, Size, is_known, larger
from ..base.traceable import shaped, trace_public
from ..base.types import AxisLike, DTypeLike, IntLike, ShapeLike, TensorLike
from ..math import cast
from ..op.abstract import Abstract
from ..op.attributes import as_eye, as_int, as_ints, as_shape
from ..ops.array import masks
from ..ops.math import elementwise as e
from ..ops.math import logic, polynomials
from ..ops.public import broadcast_to as broadcast_to
from ..ops.public import identity as identity_of
from ..ops.public import reshape as reshape
from ..ops.public import stop_gradient as stop_gradient
from ..trace.abstract_tensor import abstract_of
from ..trace.symbolic import check_scope
from ..values.composite import complete_values
from ..values.tensor import CONVERSIONS, EagerTensor, IndexedSlices, Tensor, from_array, to_tensor
from ..variables.variable import Variable

if TYPE_CHECKING:
    from ..ragged.tensor import RaggedTensor
    from ..sparse.tensor import SparseTensor

_CHECKED_ELEMENTS = 1 << 24  # larger tensors are checked against the machine's memory first


# --- making tensors --------------------------------------------------------------------------------------------------


def constant(
    value: TensorLike, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, name: str = "Const"
) -> Tensor:
    """A tensor with the given value, copied; a single value fills `shape`.

    >>> import gradtape as tf
    >>> tf.constant([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>

    Args:
        value: A number, a text, an array, or lists of these.
        dtype: The type; otherwise float32 for Python floats, int32 for integers, and that of an array.
        shape: The shape; a single value fills it.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        TypeError: The value does not have the type, or does not fill the shape.
    """
    requested = None if dtype is None else dtypes.as_dtype(dtype)
    if requested is not None and isinstance(value, (Tensor, Variable)) and value.dtype is not requested:
        if isinstance(value, Tensor):
            raise TypeError(f"Expected tensor {value!r} with dtype {requested!r}, but got dtype {value.dtype!r}.")
        value = value.numpy()
    tensor = to_tensor(value, requested)
    if tensor.__class__ is not EagerTensor:
        check_scope(tensor)
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
    dtype: DTypeLike | None = None,
    dtype_hint: object = None,
    name: str | None = None,
) -> Tensor:
    """The value as a tensor: tensors as they are, variables read, numbers, lists and arrays converted.

    `dtype_hint` is tried first and dropped where it does not fit.

    >>> import gradtape as tf
    >>> tf.convert_to_tensor([[1.0], [2.0]])
    <tf.Tensor: shape=(2, 1), dtype=float32, numpy=
    array([[1.],
           [2.]], dtype=float32)>

    Args:
        value: A tensor, a variable, a number, a text, an array, lists of these, or an object whose class was
            registered.
        dtype: The type that is needed.
        dtype_hint: A type to try first.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor; a tensor is returned as it is.

    Raises:
        ValueError: A tensor of another type than `dtype`; TypeError: nothing that can become a tensor.
    """
    requested = None if dtype is None else dtypes.as_dtype(dtype)
    hint = None if dtype_hint is None else dtypes.as_dtype(dtype_hint)
    if isinstance(value, Variable):
        value = value.read_value()
    if requested is None and hint is not None:
        try:
            return to_tensor(value, hint)
        except (TypeError, ValueError):
            return to_tensor(value)
    return to_tensor(value, requested)


def register_tensor_conversion_function(base_type: Any, conversion_func: Any, priority: int = 100) -> None:
    """Let values of a class become tensors wherever tensors are expected.

    >>> import gradtape as tf
    >>> class Degrees:
    ...     def __init__(self, value):
    ...         self.value = value
    >>> def convert(degrees, dtype=None, name=None, as_ref=False):
    ...     return tf.constant(degrees.value * 3.14159265 / 180, dtype or tf.float32)
    >>> tf.register_tensor_conversion_function(Degrees, convert)
    >>> tf.sin(Degrees(90.0)).numpy() == 1.0
    np.True_

    Args:
        base_type: A class, or a tuple of classes.
        conversion_func: Called with the value and the keyword arguments `dtype`, `name` and `as_ref`. NotImplemented leaves the
            value to the next function.
        priority: Functions with a smaller one are asked first.

    Raises:
        TypeError: `base_type` is no type, or one of Python's and NumPy's numbers and arrays; or `conversion_func` cannot be
            called.
    """
    classes = base_type if isinstance(base_type, tuple) else (base_type,)
    if not classes or not all(isinstance(cls, type) for cls in classes):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
    if any(issubclass(cls, (int, float, complex, np.generic, np.ndarray)) for cls in classes):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    CONVERSIONS.append((priority, classes, conversion_func))
    CONVERSIONS.sort(key=lambda entry: entry[0])


@overload
def identity(input: IndexedSlices, name: str | None = None) -> IndexedSlices: ...  # type: ignore[overload-overlap]
@overload
def identity(input: RaggedTensor, name: str | None = None) -> RaggedTensor: ...  # type: ignore[overload-overlap]
@overload
def identity(input: SparseTensor, name: str | None = None) -> SparseTensor: ...  # type: ignore[overload-overlap]
@overload
def identity(input: TensorLike, name: str | None = None) -> Tensor: ...
def identity(input: Any, name: str | None = None) -> Any:
    """A copy of the value, as a new tensor.

    >>> import gradtape as tf
    >>> tf.identity([1.0]).numpy()
    array([1.], dtype=float32)

    Args:
        input: A tensor, or what can become one.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A new tensor, which tapes follow by itself.
    """
    if isinstance(input, IndexedSlices):
        return IndexedSlices(identity(input.values), input.indices, input.dense_shape)
    return identity_of(input)


def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """Copies of the values, as new tensors.

    >>> import gradtape as tf
    >>> [x.numpy() for x in tf.identity_n([1.0, [2.0, 3.0]])]
    [np.float32(1.0), array([2., 3.], dtype=float32)]

    Args:
        input: A list of tensors, at least one.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A list of new tensors, which tapes follow by themselves.

    Raises:
        tf.errors.InvalidArgumentError: The list is empty.
    """
    values = [identity(value) for value in input]
    if not values:
        raise invalid("identity_n: at least one tensor is needed, got an empty list.")
    return values


def _filled(shape: ShapeLike, value: TensorLike, dtype: DType) -> Tensor:
    sizes = as_shape(shape)
    if sizes is UNKNOWN or not is_known(sizes):
        return broadcast_to(from_array(np.asarray(value, dtype.numpy)), sizes)
    if -1 in sizes:
        raise invalid(f"A size cannot be negative, got shape {list(sizes)}.")
    if shapes_only():
        return from_array(np.broadcast_to(np.asarray(value, dtype.numpy), sizes))  # only its shape is asked for
    if prod(sizes) > _CHECKED_ELEMENTS:
        check_room("fill", sizes, dtype.numpy)
    return from_array(np.full(sizes, value, dtype.numpy))


def zeros(
    shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None
) -> Tensor:
    """Zeros of the given shape (empty strings for tf.string).

    >>> import gradtape as tf
    >>> tf.zeros([2, 3]).numpy()
    array([[0., 0., 0.],
           [0., 0., 0.]], dtype=float32)

    Args:
        shape: The sizes of the axes: a list such as [2, 3], or [] for one number.
        dtype: The type of the elements, such as tf.float32.
        name: Ignored; accepted for compatibility with TensorFlow.
        layout: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of zeros.

    Raises:
        tf.errors.InvalidArgumentError: A size is negative.
    """
    kind = dtypes.as_dtype(dtype)
    return _filled(shape, b"" if kind is dtypes.string else 0, kind)


def ones(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: str | None = None, layout: object = None) -> Tensor:
    """Ones of the given shape.

    >>> import gradtape as tf
    >>> tf.ones([2]).numpy()
    array([1., 1.], dtype=float32)

    Args:
        shape: The sizes of the axes: a list such as [2, 3], or [] for one number.
        dtype: The type of the elements, such as tf.float32.
        name: Ignored; accepted for compatibility with TensorFlow.
        layout: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of ones.

    Raises:
        tf.errors.InvalidArgumentError: A size is negative.
    """
    kind = dtypes.as_dtype(dtype)
    if kind is dtypes.string:
        raise TypeError("tf.ones is not defined for tf.string.")
    return _filled(shape, 1, kind)


def fill(dims: TensorLike, value: Any, name: str | None = None, layout: object = None) -> Tensor:
    """A tensor of the given shape, all of one value; the tape follows the value.

    >>> import gradtape as tf
    >>> tf.fill([2, 2], 7).numpy()
    array([[7, 7],
           [7, 7]], dtype=int32)

    Args:
        dims: The sizes of the axes: a list such as [2, 3], or [] for one number.
        value: One number or text.
        name: Ignored; accepted for compatibility with TensorFlow.
        layout: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: A size is negative, or the value no scalar.
    """
    value = to_tensor(value)
    if value.shape == (1,):
        value = reshape(value, ())
    if value.ndim:
        raise invalid(f"fill: the value must be a scalar, got shape {value.shape}.")
    sizes = as_shape(dims)
    if sizes is UNKNOWN or not is_known(sizes):
        return broadcast_to(value, sizes)
    if -1 in sizes:
        raise invalid(f"fill: a size cannot be negative, got {list(sizes)}.")
    check_room("fill", sizes, value.dtype.numpy)  # a filled tensor takes no memory, but what is computed from it does
    return broadcast_to(value, sizes)


def zeros_like(input: Any, dtype: DTypeLike | None = None, name: str | None = None, layout: object = None) -> Tensor:
    """Zeros of the same shape, and of the same type unless one is given.

    >>> import gradtape as tf
    >>> tf.zeros_like([1.0, 2.0]).numpy()
    array([0., 0.], dtype=float32)

    Args:
        input: A tensor, or what can become one.
        dtype: The type of the elements, where it is not that of the argument.
        name: Ignored; accepted for compatibility with TensorFlow.
        layout: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Zeros.
    """
    values = complete_values(input)
    if values is not None:
        return values.put(input, zeros_like(values.of(input), dtype))
    x = to_tensor(input)
    kind = x.dtype if dtype is None else dtypes.as_dtype(dtype)
    if x.dtype is kind and kind is not dtypes.string:
        return logic.zeros_like.public(x)
    return zeros(tuple(x.shape), kind)


def ones_like(input: Any, dtype: DTypeLike | None = None, name: str | None = None, layout: object = None) -> Tensor:
    """Ones of the same shape, and of the same type unless one is given.

    >>> import gradtape as tf
    >>> tf.ones_like([5, 6]).numpy()
    array([1, 1], dtype=int32)

    Args:
        input: A tensor, or what can become one.
        dtype: The type of the elements, where it is not that of the argument.
        name: Ignored; accepted for compatibility with TensorFlow.
        layout: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Ones.
    """
    values = complete_values(input)
    if values is not None:
        return values.put(input, ones_like(values.of(input), dtype))
    x = to_tensor(input)
    kind = x.dtype if dtype is None else dtypes.as_dtype(dtype)
    return logic.ones_like.public(x) if x.dtype is kind else ones(tuple(x.shape), kind)


def _eye_look(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Abstract:
    lead: Any = () if batch_shape is None else as_ints(batch_shape)
    rows = as_int(num_rows)
    columns = rows if num_columns is None else as_int(num_columns)
    return Abstract(None if lead is UNKNOWN else (*lead, rows, columns), dtypes.as_dtype(dtype).numpy)


@shaped(_eye_look)
def eye(
    num_rows: IntLike,
    num_columns: IntLike | None = None,
    batch_shape: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The identity matrix, repeated over `batch_shape`.

    >>> import gradtape as tf
    >>> tf.eye(2).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)

    Args:
        num_rows: The number of rows.
        num_columns: The number of columns; that of the rows if it is not given.
        batch_shape: Axes in front.
        dtype: The type of the elements, such as tf.float32.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Identity matrices.

    Raises:
        TypeError: `batch_shape` is no list.
    """
    rows, columns = as_eye(num_rows, num_columns)
    if batch_shape is not None and not np.ndim(batch_shape):
        raise TypeError(f"eye: batch_shape must be a list of sizes, got {batch_shape!r}. Use [{batch_shape!r}].")
    matrix = np.eye(rows, columns, dtype=dtypes.as_dtype(dtype).numpy)
    lead = () if batch_shape is None else as_shape(batch_shape)
    return from_array(np.broadcast_to(matrix, (*lead, rows, columns)))


# The types of numbers in a range; that of the result is the last of those that it is given.
_RANGE_TYPES = (dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def _range_look(
    start: TensorLike,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str = "range",
) -> Abstract:
    if limit is None:
        start, limit = 0, start
    parts = [abstract_of(to_tensor(value)) for value in (start, limit, delta)]
    order = [kind.numpy for kind in _RANGE_TYPES]
    kind = max((part.dtype for part in parts), key=order.index) if dtype is None else dtypes.as_dtype(dtype).numpy
    first, last, step = (UNKNOWN if part.value is None else part.value.item() for part in parts)
    is_counted = not isinstance(step, Size) and step == 1
    return Abstract((larger(last - first, 0) if is_counted else UNKNOWN,), kind)


@shaped(_range_look)
def range(start: Any, limit: Any = None, delta: Any = 1, dtype: DTypeLike | None = None, name: str = "range") -> Tensor:
    """Numbers from `start` up to (without) `limit` in steps of `delta`.

    >>> import gradtape as tf
    >>> tf.range(3).numpy()
    array([0, 1, 2], dtype=int32)

    Args:
        start: The first number, or the limit if no other is given.
        limit: Where to stop; it does not occur.
        delta: What one number is larger than the one before; negative to count down.
        dtype: The type of the result; otherwise that of the value.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A vector.

    Raises:
        tf.errors.InvalidArgumentError: `delta` is 0.
    """
    if limit is None:
        start, limit = 0, start
    parts = [to_tensor(value) for value in (start, limit, delta)]
    if dtype is None:
        for part in parts:
            if part.dtype not in _RANGE_TYPES:
                raise invalid(f"range: bounds must be numbers, got {part.dtype!r}.")
        kind = max((part.dtype for part in parts), key=_RANGE_TYPES.index)
    else:
        kind = dtypes.as_dtype(dtype)
    if any(part.ndim for part in parts):
        raise invalid(f"range: start, limit and delta must be scalars, got shapes {[p.shape for p in parts]}.")
    if kind.is_floating and any(part.__class__ is not EagerTensor for part in parts):
        # Inside a function, where the bounds are known only when it runs.
        begin, end, by = (cast(part, kind) for part in parts)
        count = as_int(cast(e.ceil.public((end - begin) / by), dtypes.int32))
        return begin + by * cast(range(count), kind)
    # Python numbers stay Python numbers: as tensors they would be rounded to float32.
    first, last, step = (
        value if value.__class__ in (int, float) else _number(part)
        for value, part in zip((start, limit, delta), parts, strict=True)
    )
    if kind.is_integer:
        if float in (start.__class__, limit.__class__, delta.__class__):
            raise TypeError(
                f"range: start {start}, limit {limit} and delta {delta} cannot all be {kind.name}. Use tf.cast."
            )
        first, last, step = (int(value) if isinstance(value, float) else value for value in (first, last, step))
    if step == 0:
        raise invalid("range: delta must not be zero.")
    if (last - first) * step < 0:
        raise invalid(f"range: from {first} the step {step} never reaches {last}.")
    if kind.is_floating:  # computed in the type itself: in float32, 0.1 to 1.1 by 0.1 is ten numbers
        bounds = [kind.numpy.type(value) for value in (first, last, step)]
        if not np.isfinite(np.asarray(bounds, np.float64)).all():
            raise invalid(f"range: start, limit and delta must be finite, got {first}, {last} and {step}.")
        count = max(0, int(np.ceil((bounds[1] - bounds[0]) / bounds[2])))
    else:
        count = max(0, int(-((first - last) // step)))
    check_room("range", [count], kind.numpy)
    if kind.is_integer:
        return from_array(np.arange(first, last, step, dtype=kind.numpy))
    return from_array(
        (np.arange(count, dtype=kind.numpy) * kind.numpy.type(step) + kind.numpy.type(first)).astype(kind.numpy)
    )


def _number(scalar: Tensor) -> Any:
    """The value of a scalar; in a trace, where it is not known, a guess."""
    return scalar._array.item() if scalar.__class__ is EagerTensor else as_int(scalar)


def linspace(start: Any, stop: Any, num: TensorLike, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included; the tape follows both.

    >>> import gradtape as tf
    >>> tf.linspace(0.0, 1.0, 3).numpy()
    array([0. , 0.5, 1. ], dtype=float32)

    Args:
        start: The first number.
        stop: The last one.
        num: How many numbers there are, both ends included.
        name: Ignored; accepted for compatibility with TensorFlow.
        axis: The axis of the numbers, where the ends are tensors.

    Returns:
        Numbers at equal distances, both ends included.

    Raises:
        tf.errors.InvalidArgumentError: `num` is negative, or the shapes of `start` and `stop` do not broadcast.
    """
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
    depth: IntLike,
    on_value: TensorLike | None = None,
    off_value: TensorLike | None = None,
    axis: AxisLike | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`on_value` at each index along a new axis of size `depth`, `off_value` elsewhere.

    >>> import gradtape as tf
    >>> tf.one_hot([0, 2], 3).numpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)

    Args:
        indices: Integers; others than 0 to depth - 1 give `off_value` everywhere.
        depth: The size of the new axis.
        on_value: What stands at the index; 1 if it is not given.
        off_value: What stands elsewhere; 0 if it is not given.
        axis: Where the new axis is; the last if it is not given.
        dtype: The type of the result.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor with one more axis.

    Raises:
        TypeError: `on_value` and `off_value` are of another type than `dtype` says, or of two.
        tf.errors.InvalidArgumentError: `depth` or a value is no scalar.
        ValueError: The new axis of a ragged tensor is not the last.
    """
    elements = complete_values(indices)
    if elements is not None:
        if axis not in (None, -1):
            raise ValueError(f"one_hot: the new axis of a ragged tensor is the last, got axis={axis}.")
        return elements.put(indices, one_hot(elements.of(indices), depth, on_value, off_value, None, dtype))
    if dtype is None:
        found = [to_tensor(v).dtype for v in (on_value, off_value) if v is not None]
        kind = found[0] if found else dtypes.float32
        if len(set(found)) > 1:
            raise TypeError(
                f"one_hot: dtype {found[0].name} of on_value does not match dtype {found[1].name} of off_value."
            )
    else:
        kind = dtypes.as_dtype(dtype)
    values = [to_tensor(default if v is None else v, kind) for v, default in ((on_value, 1), (off_value, 0))]
    for label, value in zip(("on_value", "off_value"), values, strict=True):
        if abstract_of(value).rank:
            raise invalid(f"one_hot: {label} must be a scalar, got shape {value.shape}.")
    x, count, place = to_tensor(indices), as_int(depth), -1 if axis is None else as_int(axis)
    if all(value.__class__ is EagerTensor for value in values):
        on, off = (value._array for value in values)
        return masks.encode_one_hot.public(x, count, on, off, place, kind.numpy)
    # (As in TensorFlow, no gradient goes to the two.)
    is_on = masks.encode_one_hot.public(x, count, True, False, place, dtypes.bool.numpy)
    return logic.select.public(is_on, *map(stop_gradient, values))


def meshgrid(*args: object, **kwargs: object) -> list[Tensor]:
    """Coordinate grids from coordinate vectors; `indexing` is "xy" or "ij".

    >>> import gradtape as tf
    >>> x, y = tf.meshgrid([1, 2], [3, 4])
    >>> x.numpy()
    array([[1, 2],
           [1, 2]], dtype=int32)

    Args:
        args: The coordinates along each axis: vectors, or scalars.
        kwargs: `indexing`: "xy", or "ij" for the order of matrices.

    Returns:
        One tensor for each vector.

    Raises:
        TypeError: An argument has an unknown name.
        ValueError: `indexing` is neither "xy" nor "ij".
        tf.errors.InvalidArgumentError: The vectors have different types.
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', got {indexing!r}.")
    vectors = [to_tensor(a) for a in args]
    for position, vector in enumerate(vectors):
        if vector.dtype is not vectors[0].dtype:
            kinds = f"{vectors[0].dtype.name} and {vector.dtype.name}"
            raise invalid(f"meshgrid: all vectors need one type, got {kinds} (number {position}). Use tf.cast.")
    count = len(vectors)
    axes = [*builtins.range(count)]
    if indexing == "xy" and count > 1:
        axes[0], axes[1] = 1, 0
    sizes = [v._array.size for v in vectors]
    shape = [0] * count
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    grids = []
    for vector, axis, size in zip(vectors, axes, sizes, strict=True):
        lined = reshape(vector, tuple(size if a == axis else 1 for a in builtins.range(count)))
        grids.append(broadcast_to(lined, tuple(shape)))
    return grids


# --- what a tensor is like -------------------------------------------------------------------------------------------


trace_public(
    globals(),
    always=("constant", "zeros", "ones", "fill", "range", "eye", "linspace"),
    skip=("register_tensor_conversion_function",),
    pure=True,
)
# Pickles of earlier versions look for these names here.
__getattr__ = on_first_use(
    globals(),
    homes(
        __name__,
        {
            "api.shapes": "shape shape_n size rank ensure_shape broadcast_static_shape broadcast_dynamic_shape",
            "api.casts": "bitcast saturate_cast",
        },
    ),
)
