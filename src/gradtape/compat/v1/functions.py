"""Functions of `tf.compat.v1` whose arguments or meaning are not those of TensorFlow 2."""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import math, random
from ...api import arrays, layout
from ...api.indexing import gather as gather_v2
from ...api.indexing import where as where_v2
from ...base import dtypes
from ...base.dimension import Dimension
from ...base.errors import invalid
from ...base.types import AxisLike, DTypeLike, IntLike, ShapeLike, TensorLike
from ...linalg import norm as norm_v2
from ...values.tensor import IndexedSlices, to_tensor
from ...variables.variable import Variable

__all__ = [
    "SparseTensorValue",
    "argmax",
    "argmin",
    "count_nonzero",
    "dimension_at_index",
    "dimension_value",
    "div",
    "expand_dims",
    "gather",
    "multinomial",
    "norm",
    "ones_like",
    "placeholder_with_default",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd_add",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_sub",
    "scatter_update",
    "shape",
    "size",
    "squeeze",
    "to_bfloat16",
    "to_complex128",
    "to_complex64",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "transpose",
    "where",
    "zeros_like",
]


class SparseTensorValue(NamedTuple):
    """The parts of a sparse tensor as arrays; `tf.SparseTensor.from_value` takes it."""

    indices: Any
    values: Any
    dense_shape: Any


def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Any:
    """x where the condition holds, else y: of one shape, or rows of them by a vector of conditions; nothing is broadcast.

    >>> import gradtape as tf
    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
    [[1, 2], [7, 8]]
    """
    if x is None and y is None:
        return where_v2(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    chosen, first = to_tensor(condition), to_tensor(x)
    second = to_tensor(y, None if isinstance(y, Variable) else first.dtype)
    if not first.shape.is_compatible_with(second.shape):
        raise invalid(f"where: x and y must have one shape, got {first.shape} and {second.shape}.")
    if chosen.ndim == 1 and first.ndim > 1:
        chosen = (
            layout.expand_dims(chosen, -1) if first.ndim == 2 else arrays.reshape(chosen, [-1] + [1] * (first.ndim - 1))
        )
    elif chosen.ndim and not chosen.shape.is_compatible_with(first.shape):
        raise invalid(f"where: the condition has shape {chosen.shape}, x has {first.shape}.")
    return where_v2(chosen, first, second)


def _either(first: Any, second: Any, names: str) -> Any:
    """One of two arguments that mean the same."""
    if first is not None and second is not None:
        raise ValueError(f"Cannot specify both {names}.")
    return second if first is None else first


def argmax(
    input: TensorLike,
    axis: AxisLike | None = None,
    name: str | None = None,
    dimension: AxisLike | None = None,
    output_type: DTypeLike = dtypes.int64,
) -> Any:
    """The position of the largest element along an axis, by default the first."""
    return math.argmax(input, _either(axis, dimension, "'axis' and 'dimension'") or 0, output_type)


def argmin(
    input: TensorLike,
    axis: AxisLike | None = None,
    name: str | None = None,
    dimension: AxisLike | None = None,
    output_type: DTypeLike = dtypes.int64,
) -> Any:
    """The position of the smallest element along an axis, by default the first."""
    return math.argmin(input, _either(axis, dimension, "'axis' and 'dimension'") or 0, output_type)


def _reduction(reduce: Any, doc: str) -> Any:
    def call(
        input_tensor: TensorLike,
        axis: AxisLike | None = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: AxisLike | None = None,
        keep_dims: bool | None = None,
    ) -> Any:
        axis = _either(axis, reduction_indices, "'axis' and 'reduction_indices'")
        return reduce(input_tensor, axis, bool(_either(keepdims, keep_dims, "'keepdims' and 'keep_dims'")))

    call.__name__ = call.__qualname__ = reduce.__name__
    call.__doc__ = doc
    return call


reduce_all = _reduction(math.reduce_all, "Whether all elements are True.")
reduce_any = _reduction(math.reduce_any, "Whether any element is True.")
reduce_logsumexp = _reduction(math.reduce_logsumexp, "The logarithm of the sum of exponentials.")
reduce_max = _reduction(math.reduce_max, "The largest element.")
reduce_mean = _reduction(math.reduce_mean, "The mean.")
reduce_min = _reduction(math.reduce_min, "The smallest element.")
reduce_prod = _reduction(math.reduce_prod, "The product.")
reduce_sum = _reduction(math.reduce_sum, "The sum.")


def count_nonzero(
    input_tensor: TensorLike | None = None,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
    reduction_indices: AxisLike | None = None,
    keep_dims: bool | None = None,
    input: TensorLike | None = None,
) -> Any:
    """How many elements are not 0."""
    return math.count_nonzero(
        _either(input, input_tensor, "'input' and 'input_tensor'"),
        _either(axis, reduction_indices, "'axis' and 'reduction_indices'"),
        bool(_either(keepdims, keep_dims, "'keepdims' and 'keep_dims'")),
        dtype,
    )


def expand_dims(
    input: TensorLike, axis: AxisLike | None = None, name: str | None = None, dim: AxisLike | None = None
) -> Any:
    """A new axis of size 1."""
    axis = _either(axis, dim, "'axis' and 'dim'")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return layout.expand_dims(input, axis)


def squeeze(
    input: TensorLike, axis: AxisLike | None = None, name: str | None = None, squeeze_dims: AxisLike | None = None
) -> Any:
    """Without axes of size 1."""
    return layout.squeeze(input, _either(axis, squeeze_dims, "'axis' and 'squeeze_dims'"))


def transpose(a: TensorLike, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Any:
    """The axes in another order."""
    return layout.transpose(a, perm, conjugate)


def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """The shape as a tensor."""
    return arrays.shape(input, out_type or dtypes.int32)


def size(input: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """How many elements there are."""
    return arrays.size(input, out_type or dtypes.int32)


def ones_like(
    tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Ones of the same shape."""
    return arrays.ones_like(tensor, dtype)


def zeros_like(
    tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Zeros of the same shape."""
    return arrays.zeros_like(tensor, dtype)


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: object = None,
    name: str | None = None,
    axis: AxisLike | None = None,
    batch_dims: int = 0,
) -> Any:
    """Slices at positions along an axis."""
    return gather_v2(params, indices, axis=axis, batch_dims=batch_dims)


def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """The norm of vectors or matrices."""
    return norm_v2(tensor, ord, axis, bool(_either(keepdims, keep_dims, "'keepdims' and 'keep_dims'")))


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """x / y, for integers rounded down."""
    first = to_tensor(x)
    second = to_tensor(y, first.dtype)
    return (
        math.divide(first, second)
        if first.dtype.is_floating or first.dtype.is_complex
        else math.floordiv(first, second)
    )


def multinomial(
    logits: TensorLike, num_samples: IntLike, seed: int | None = None, name: str | None = None, output_dtype: Any = None
) -> Any:
    """Classes drawn by their logits."""
    return random.categorical(logits, num_samples, output_dtype or dtypes.int64, seed)


def _cast_to(dtype: Any) -> Any:
    def cast(x: TensorLike, name: str | None = None) -> Any:
        return math.cast(x, dtype)

    cast.__doc__ = f"x as {dtype.name}."
    return cast


to_bfloat16, to_complex64, to_complex128 = map(_cast_to, (dtypes.bfloat16, dtypes.complex64, dtypes.complex128))
to_double, to_float, to_int32, to_int64 = map(_cast_to, (dtypes.float64, dtypes.float32, dtypes.int32, dtypes.int64))


def dimension_value(dimension: Any) -> int | None:
    """A size as a number, whether it is one or a `Dimension`."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """The size of one axis of a shape."""
    return Dimension(None if shape.rank is None else shape[index])


# --- changes of parts of a variable ----------------------------------------------------------------------------------------


def placeholder_with_default(input: TensorLike, shape: ShapeLike | None, name: str | None = None) -> Any:
    """The default itself: outside of TensorFlow 1's graphs nothing else is fed."""
    return arrays.identity(input)


def _scatter(method: str, doc: str) -> Any:
    def call(
        ref: Variable, indices: TensorLike, updates: TensorLike, use_locking: bool = False, name: str | None = None
    ) -> Any:
        places, values = to_tensor(indices), to_tensor(updates, ref.dtype)
        if values.shape.rank == 0:  # one update for all
            values = arrays.broadcast_to(values, [*places.shape, *ref.shape[1:]])
        return getattr(ref, method)(IndexedSlices(values, places))

    call.__name__ = call.__qualname__ = method
    call.__doc__ = doc
    return call


def _scatter_nd(method: str, doc: str) -> Any:
    def call(
        ref: Variable, indices: TensorLike, updates: TensorLike, use_locking: bool = False, name: str | None = None
    ) -> Any:
        return getattr(ref, method)(indices, to_tensor(updates, ref.dtype))

    call.__name__ = call.__qualname__ = method
    call.__doc__ = doc
    return call


scatter_add = _scatter("scatter_add", "Add to some rows of a variable.")
scatter_div = _scatter("scatter_div", "Divide some rows of a variable.")
scatter_max = _scatter("scatter_max", "The larger of some rows of a variable and updates.")
scatter_min = _scatter("scatter_min", "The smaller of some rows of a variable and updates.")
scatter_mul = _scatter("scatter_mul", "Multiply some rows of a variable.")
scatter_sub = _scatter("scatter_sub", "Subtract from some rows of a variable.")
scatter_update = _scatter("scatter_update", "Give some rows of a variable other values.")
scatter_nd_add = _scatter_nd("scatter_nd_add", "Add to some elements or slices of a variable.")
scatter_nd_sub = _scatter_nd("scatter_nd_sub", "Subtract from some elements or slices of a variable.")
scatter_nd_update = _scatter_nd("scatter_nd_update", "Give some elements or slices of a variable other values.")
