"""Functions of `tf.compat.v1` whose arguments or meaning are not those of TensorFlow 2."""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import math, random
from ...api import arrays, layout, shapes
from ...api.indexing import gather as gather_v2
from ...api.indexing import where as where_v2
from ...base import dtypes
from ...base.dimension import Dimension
from ...base.errors import invalid
from ...base.types import AxisLike, DTypeLike, IntLike, ShapeLike, TensorLike
from ...linalg import norm as norm_v2
from ...sparse.tensor import SparseTensor
from ...values.composite import STANDING_FOR
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
    """The parts of a sparse tensor as arrays; `tf.SparseTensor.from_value` takes it.

    >>> import gradtape as tf
    >>> parts = tf.compat.v1.SparseTensorValue([[0, 1]], [5.0], [2, 3])
    >>> tf.sparse.to_dense(tf.SparseTensor.from_value(parts)).numpy()
    array([[0., 5., 0.],
           [0., 0., 0.]], dtype=float32)

    Args:
        indices: The places of the values, a row for each.
        values: The values.
        dense_shape: The shape of the whole.
    """

    indices: Any
    values: Any
    dense_shape: Any


STANDING_FOR[SparseTensorValue] = SparseTensor.from_value  # in the elements of datasets


def where(
    condition: TensorLike, x: TensorLike | None = None, y: TensorLike | None = None, name: str | None = None
) -> Any:
    """x where the condition holds, else y: of one shape, or rows of them by a vector of conditions; nothing is broadcast.

    >>> import gradtape as tf
    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
    [[1, 2], [7, 8]]

    Args:
        condition: Truth values: one, a vector, or as many as elements.
        x: What is taken where it holds; without `x` and `y`, the places where it holds are returned.
        y: What is taken elsewhere.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `x`.

    Raises:
        ValueError: Only one of `x` and `y` is given.
        InvalidArgumentError: The shapes differ.
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
    """The position of the largest element along an axis, by default the first.

    >>> import gradtape as tf
    >>> tf.compat.v1.argmax([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 0])

    Args:
        input: A tensor.
        axis: The axis; None: the first.
        name: Ignored; accepted for compatibility with TensorFlow.
        dimension: The older name of `axis`.
        output_type: The type of the result.

    Returns:
        Whole numbers.
    """
    return math.argmax(input, _either(axis, dimension, "'axis' and 'dimension'") or 0, output_type)


def argmin(
    input: TensorLike,
    axis: AxisLike | None = None,
    name: str | None = None,
    dimension: AxisLike | None = None,
    output_type: DTypeLike = dtypes.int64,
) -> Any:
    """The position of the smallest element along an axis, by default the first.

    >>> import gradtape as tf
    >>> tf.compat.v1.argmin([[1, 5], [7, 2]], axis=1).numpy()
    array([0, 1])

    Args:
        input: A tensor.
        axis: The axis; None: the first.
        name: Ignored; accepted for compatibility with TensorFlow.
        dimension: The older name of `axis`.
        output_type: The type of the result.

    Returns:
        Whole numbers.
    """
    return math.argmin(input, _either(axis, dimension, "'axis' and 'dimension'") or 0, output_type)


_REDUCTION = """{does}

>>> import gradtape as tf
>>> tf.compat.v1.{name}({given}, axis=1).numpy()
{result}

Args:
    input_tensor: A tensor.
    axis: The axis, or several; None: all.
    keepdims: Whether the axes stay, with size 1.
    name: Ignored; accepted for compatibility with TensorFlow.
    reduction_indices: The older name of `axis`.
    keep_dims: The older name of `keepdims`.

Returns:
    A tensor.

Raises:
    ValueError: An argument is given under both of its names.
"""


def _reduction(reduce: Any, does: str, given: str, result: str) -> Any:
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

    name = call.__name__ = call.__qualname__ = reduce.__name__
    call.__doc__ = _REDUCTION.format(does=does, name=name, given=given, result=result)
    return call


reduce_all = _reduction(
    math.reduce_all, "Whether all elements are True.", "[[True, False], [True, True]]", "array([False,  True])"
)
reduce_any = _reduction(
    math.reduce_any, "Whether any element is True.", "[[False, False], [True, False]]", "array([False,  True])"
)
reduce_logsumexp = _reduction(
    math.reduce_logsumexp,
    "The logarithm of the sum of exponentials.",
    "[[0.0, 0.0], [1.0, 1.0]]",
    "array([0.6931472, 1.6931472], dtype=float32)",
)
reduce_max = _reduction(math.reduce_max, "The largest element.", "[[1, 5], [7, 2]]", "array([5, 7], dtype=int32)")
reduce_mean = _reduction(math.reduce_mean, "The mean.", "[[1.0, 2.0], [3.0, 4.0]]", "array([1.5, 3.5], dtype=float32)")
reduce_min = _reduction(math.reduce_min, "The smallest element.", "[[1, 5], [7, 2]]", "array([1, 2], dtype=int32)")
reduce_prod = _reduction(math.reduce_prod, "The product.", "[[1, 2], [3, 4]]", "array([ 2, 12], dtype=int32)")
reduce_sum = _reduction(math.reduce_sum, "The sum.", "[[1, 2], [3, 4]]", "array([3, 7], dtype=int32)")


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
    """How many elements are not 0.

    >>> import gradtape as tf
    >>> int(tf.compat.v1.count_nonzero([0, 3, 0, 4]))
    2

    Args:
        input_tensor: A tensor.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.
        dtype: The type of the result.
        name: Ignored; accepted for compatibility with TensorFlow.
        reduction_indices: The older name of `axis`.
        keep_dims: The older name of `keepdims`.
        input: Another name of `input_tensor`.

    Returns:
        Whole numbers.
    """
    return math.count_nonzero(
        _either(input, input_tensor, "'input' and 'input_tensor'"),
        _either(axis, reduction_indices, "'axis' and 'reduction_indices'"),
        bool(_either(keepdims, keep_dims, "'keepdims' and 'keep_dims'")),
        dtype,
    )


def expand_dims(
    input: TensorLike, axis: AxisLike | None = None, name: str | None = None, dim: AxisLike | None = None
) -> Any:
    """A new axis of size 1.

    >>> import gradtape as tf
    >>> tf.compat.v1.expand_dims([1, 2], 0).shape
    TensorShape([1, 2])

    Args:
        input: A tensor.
        axis: Where the new axis is.
        name: Ignored; accepted for compatibility with TensorFlow.
        dim: The older name of `axis`.

    Returns:
        A tensor.

    Raises:
        ValueError: No axis is given.
    """
    axis = _either(axis, dim, "'axis' and 'dim'")
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return layout.expand_dims(input, axis)


def squeeze(
    input: TensorLike, axis: AxisLike | None = None, name: str | None = None, squeeze_dims: AxisLike | None = None
) -> Any:
    """Without axes of size 1.

    >>> import gradtape as tf
    >>> tf.compat.v1.squeeze([[1, 2]], squeeze_dims=[0]).shape
    TensorShape([2])

    Args:
        input: A tensor.
        axis: The axes to leave out; None: all of size 1.
        name: Ignored; accepted for compatibility with TensorFlow.
        squeeze_dims: The older name of `axis`.

    Returns:
        A tensor.
    """
    return layout.squeeze(input, _either(axis, squeeze_dims, "'axis' and 'squeeze_dims'"))


def transpose(a: TensorLike, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Any:
    """The axes in another order.

    >>> import gradtape as tf
    >>> tf.compat.v1.transpose([[1, 2], [3, 4]]).numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)

    Args:
        a: A tensor.
        perm: The order of the axes; None: reversed.
        name: Ignored; accepted for compatibility with TensorFlow.
        conjugate: Whether complex numbers are conjugated too.

    Returns:
        A tensor.
    """
    return layout.transpose(a, perm, conjugate)


def shape(input: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """The shape as a tensor.

    >>> import gradtape as tf
    >>> tf.compat.v1.shape([[1, 2, 3]]).numpy()
    array([1, 3], dtype=int32)

    Args:
        input: A tensor.
        name: Ignored; accepted for compatibility with TensorFlow.
        out_type: The type of the result; None: int32.

    Returns:
        A vector.
    """
    return shapes.shape(input, out_type or dtypes.int32)


def size(input: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """How many elements there are.

    >>> import gradtape as tf
    >>> int(tf.compat.v1.size([[1, 2, 3]]))
    3

    Args:
        input: A tensor.
        name: Ignored; accepted for compatibility with TensorFlow.
        out_type: The type of the result; None: int32.

    Returns:
        One number.
    """
    return shapes.size(input, out_type or dtypes.int32)


def ones_like(
    tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Ones of the same shape.

    >>> import gradtape as tf
    >>> tf.compat.v1.ones_like([5.0, 6.0]).numpy()
    array([1., 1.], dtype=float32)

    Args:
        tensor: A tensor.
        dtype: The type; None: that of the tensor.
        name: Ignored; accepted for compatibility with TensorFlow.
        optimize: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return arrays.ones_like(tensor, dtype)


def zeros_like(
    tensor: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Any:
    """Zeros of the same shape.

    >>> import gradtape as tf
    >>> tf.compat.v1.zeros_like([5.0, 6.0]).numpy()
    array([0., 0.], dtype=float32)

    Args:
        tensor: A tensor.
        dtype: The type; None: that of the tensor.
        name: Ignored; accepted for compatibility with TensorFlow.
        optimize: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return arrays.zeros_like(tensor, dtype)


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: object = None,
    name: str | None = None,
    axis: AxisLike | None = None,
    batch_dims: int = 0,
) -> Any:
    """Slices at positions along an axis.

    >>> import gradtape as tf
    >>> tf.compat.v1.gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)

    Args:
        params: The tensor that is read from.
        indices: The positions.
        validate_indices: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.
        axis: The axis; None: the one behind the batch axes.
        batch_dims: How many of the first axes both have in common.

    Returns:
        A tensor.
    """
    return gather_v2(params, indices, axis=axis, batch_dims=batch_dims)


def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Any:
    """The norm of vectors or matrices.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.norm([3.0, 4.0]))
    5.0

    Args:
        tensor: A tensor.
        ord: "euclidean", "fro", 1, 2, infinity, or another positive number.
        axis: The axis of vectors, or the two axes of matrices; None: the whole tensor is one vector.
        keepdims: Whether the axes stay, with size 1.
        name: Ignored; accepted for compatibility with TensorFlow.
        keep_dims: The older name of `keepdims`.

    Returns:
        A tensor.
    """
    return norm_v2(tensor, ord, axis, bool(_either(keepdims, keep_dims, "'keepdims' and 'keep_dims'")))


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """x / y, for integers rounded down.

    >>> import gradtape as tf
    >>> tf.compat.v1.div([7, -7], 2).numpy(), float(tf.compat.v1.div(7.0, 2.0))
    (array([ 3, -4], dtype=int32), 3.5)

    Args:
        x: A tensor.
        y: Another of the same type, to broadcast with it.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
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
    """Classes drawn by their logits.

    >>> import gradtape as tf
    >>> tf.compat.v1.multinomial([[0.0, -100.0]], 3).numpy()
    array([[0, 0, 0]])

    Args:
        logits: A matrix with the logits of one distribution in each row.
        num_samples: How many are drawn for each row.
        seed: For the same numbers in every run.
        name: Ignored; accepted for compatibility with TensorFlow.
        output_dtype: The type of the result; None: int64.

    Returns:
        A matrix of whole numbers.
    """
    return random.categorical(logits, num_samples, output_dtype or dtypes.int64, seed)


_CAST = """x as {type}.

>>> import gradtape as tf
>>> tf.compat.v1.{name}([1, 2]).dtype
tf.{type}

Args:
    x: A tensor of numbers or truth values.
    name: Ignored; accepted for compatibility with TensorFlow.

Returns:
    A tensor of the same shape.
"""


def _cast_to(name: str, dtype: Any) -> Any:
    def cast(x: TensorLike, name: str | None = None) -> Any:
        return math.cast(x, dtype)

    cast.__doc__ = _CAST.format(name=name, type=dtype.name)
    cast.__name__ = cast.__qualname__ = name
    return cast


to_bfloat16 = _cast_to("to_bfloat16", dtypes.bfloat16)
to_complex64 = _cast_to("to_complex64", dtypes.complex64)
to_complex128 = _cast_to("to_complex128", dtypes.complex128)
to_double = _cast_to("to_double", dtypes.float64)
to_float = _cast_to("to_float", dtypes.float32)
to_int32 = _cast_to("to_int32", dtypes.int32)
to_int64 = _cast_to("to_int64", dtypes.int64)


def dimension_value(dimension: Any) -> int | None:
    """A size as a number, whether it is one or a `Dimension`.

    >>> import gradtape as tf
    >>> tf.compat.v1.dimension_value(tf.compat.v1.Dimension(3))
    3

    Args:
        dimension: A number, None, or a `Dimension`.

    Returns:
        A whole number, or None.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """The size of one axis of a shape.

    >>> import gradtape as tf
    >>> tf.compat.v1.dimension_at_index(tf.TensorShape([2, 3]), 1).value
    3

    Args:
        shape: A `TensorShape`.
        index: The axis.

    Returns:
        A `Dimension`.
    """
    return Dimension(None if shape.rank is None else shape[index])


# --- changes of parts of a variable ----------------------------------------------------------------------------------------


def placeholder_with_default(input: TensorLike, shape: ShapeLike | None, name: str | None = None) -> Any:
    """The default itself: outside of TensorFlow 1's graphs nothing else is fed.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.placeholder_with_default(3.0, shape=[]))
    3.0

    Args:
        input: The default.
        shape: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.
    """
    return arrays.identity(input)


_SCATTER = """{does}

>>> import gradtape as tf
>>> v = tf.Variable([1.0, 2.0, 3.0])
>>> tf.compat.v1.{name}(v, {indices}, [2.0, 4.0]).numpy()
array({result}, dtype=float32)

Args:
    ref: The variable.
    indices: {meaning}
    updates: What they are changed with.
    use_locking: Ignored; accepted for compatibility with TensorFlow.
    name: Ignored; accepted for compatibility with TensorFlow.

Returns:
    The variable.
"""
_ROWS = {"indices": "[0, 2]", "meaning": "The numbers of the rows."}
_PLACES = {"indices": "[[0], [2]]", "meaning": "The places, a row of the last axis for each."}


def _scatter(method: str, does: str, result: str) -> Any:
    def call(
        ref: Variable, indices: TensorLike, updates: TensorLike, use_locking: bool = False, name: str | None = None
    ) -> Any:
        places, values = to_tensor(indices), to_tensor(updates, ref.dtype)
        if values.shape.rank == 0:  # one update for all
            values = arrays.broadcast_to(values, [*places.shape, *ref.shape[1:]])
        return getattr(ref, method)(IndexedSlices(values, places))

    call.__name__ = call.__qualname__ = method
    call.__doc__ = _SCATTER.format(does=does, name=method, result=result, **_ROWS)
    return call


def _scatter_nd(method: str, does: str, result: str) -> Any:
    def call(
        ref: Variable, indices: TensorLike, updates: TensorLike, use_locking: bool = False, name: str | None = None
    ) -> Any:
        return getattr(ref, method)(indices, to_tensor(updates, ref.dtype))

    call.__name__ = call.__qualname__ = method
    call.__doc__ = _SCATTER.format(does=does, name=method, result=result, **_PLACES)
    return call


scatter_add = _scatter("scatter_add", "Add to some rows of a variable.", "[3., 2., 7.]")
scatter_div = _scatter("scatter_div", "Divide some rows of a variable.", "[0.5 , 2.  , 0.75]")
scatter_max = _scatter("scatter_max", "The larger of some rows of a variable and updates.", "[2., 2., 4.]")
scatter_min = _scatter("scatter_min", "The smaller of some rows of a variable and updates.", "[1., 2., 3.]")
scatter_mul = _scatter("scatter_mul", "Multiply some rows of a variable.", "[ 2.,  2., 12.]")
scatter_sub = _scatter("scatter_sub", "Subtract from some rows of a variable.", "[-1.,  2., -1.]")
scatter_update = _scatter("scatter_update", "Give some rows of a variable other values.", "[2., 2., 4.]")
scatter_nd_add = _scatter_nd("scatter_nd_add", "Add to some elements or slices of a variable.", "[3., 2., 7.]")
scatter_nd_sub = _scatter_nd(
    "scatter_nd_sub", "Subtract from some elements or slices of a variable.", "[-1.,  2., -1.]"
)
scatter_nd_update = _scatter_nd(
    "scatter_nd_update", "Give some elements or slices of a variable other values.", "[2., 2., 4.]"
)
