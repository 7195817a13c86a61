"""`tf.math`: arithmetic, elementary and special functions, reductions, segments, counts."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .api import special as special
from .api.special import bessel_i0 as bessel_i0
from .api.special import bessel_i0e as bessel_i0e
from .api.special import bessel_i1 as bessel_i1
from .api.special import bessel_i1e as bessel_i1e
from .base import dtypes
from .base.errors import OperandTypeError, UnimplementedError, UnsupportedTypeError
from .base.namespaces import homes, listing, on_first_use
from .base.shapes import TensorShape
from .base.traceable import trace_public
from .base.types import AxisLike, DTypeLike, Function, ShapeLike, TensorLike
from .op.arguments import flag, takes
from .op.attributes import as_axis, as_float, as_int
from .op.call import OBSERVERS
from .ops.array import borders, layout
from .ops.math import arithmetic, complex_numbers, conversion, cumulative, gamma, logic
from .ops.math import elementwise as e
from .ops.math import reduce as r
from .ops.nn import activations as n
from .ops.nn import normalization
from .ops.public import abs as abs
from .ops.public import conj as conj
from .ops.public import equal as equal
from .ops.public import floormod as floormod
from .ops.public import less as less
from .ops.public import less_equal as less_equal
from .ops.public import maximum as maximum
from .ops.public import multiply as multiply
from .ops.public import real as real
from .ops.public import reduce_all as reduce_all
from .ops.public import reduce_mean as reduce_mean
from .ops.public import reduce_sum as reduce_sum
from .ops.public import rsqrt as rsqrt
from .ops.public import sqrt as sqrt
from .ops.public import square as square
from .values.composite import COMPOSITES, OPERANDS, is_composite
from .values.tensor import EagerTensor, IndexedSlices, Tensor, from_array, to_tensor
from .variables.operators import as_divisible as _as_divisible
from .variables.operators import truediv as truediv
from .variables.variable import Variable

# Imported on first use; type checkers must not see `__getattr__`, which would give every name a type.
if TYPE_CHECKING:
    from .api.counts import bincount as bincount
    from .api.counts import confusion_matrix as confusion_matrix
    from .api.segments import unsorted_segment_max as unsorted_segment_max
    from .api.segments import unsorted_segment_mean as unsorted_segment_mean
    from .api.segments import unsorted_segment_min as unsorted_segment_min
    from .api.segments import unsorted_segment_prod as unsorted_segment_prod
    from .api.segments import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
    from .api.segments import unsorted_segment_sum as unsorted_segment_sum
    from .api.sobol import sobol_sample as sobol_sample
    from .api.sorting import approx_max_k as approx_max_k
    from .api.sorting import approx_min_k as approx_min_k
    from .api.sorting import in_top_k as in_top_k
    from .api.sorting import invert_permutation as invert_permutation
    from .api.sorting import top_k as top_k
    from .ops.public import acos as acos
    from .ops.public import acosh as acosh
    from .ops.public import add as add
    from .ops.public import asin as asin
    from .ops.public import asinh as asinh
    from .ops.public import atan as atan
    from .ops.public import atan2 as atan2
    from .ops.public import atanh as atanh
    from .ops.public import betainc as betainc
    from .ops.public import ceil as ceil
    from .ops.public import cos as cos
    from .ops.public import cosh as cosh
    from .ops.public import cumprod as cumprod
    from .ops.public import cumsum as cumsum
    from .ops.public import digamma as digamma
    from .ops.public import erf as erf
    from .ops.public import erfc as erfc
    from .ops.public import erfcinv as erfcinv
    from .ops.public import erfinv as erfinv
    from .ops.public import exp as exp
    from .ops.public import expm1 as expm1
    from .ops.public import floor as floor
    from .ops.public import floordiv as floordiv
    from .ops.public import greater as greater
    from .ops.public import greater_equal as greater_equal
    from .ops.public import igamma as igamma
    from .ops.public import igammac as igammac
    from .ops.public import is_finite as is_finite
    from .ops.public import is_inf as is_inf
    from .ops.public import is_nan as is_nan
    from .ops.public import lgamma as lgamma
    from .ops.public import log as log
    from .ops.public import log1p as log1p
    from .ops.public import log_sigmoid as log_sigmoid
    from .ops.public import logical_and as logical_and
    from .ops.public import logical_not as logical_not
    from .ops.public import logical_or as logical_or
    from .ops.public import logical_xor as logical_xor
    from .ops.public import minimum as minimum
    from .ops.public import multiply_no_nan as multiply_no_nan
    from .ops.public import ndtri as ndtri
    from .ops.public import negative as negative
    from .ops.public import nextafter as nextafter
    from .ops.public import not_equal as not_equal
    from .ops.public import polygamma as polygamma
    from .ops.public import pow as pow
    from .ops.public import reciprocal as reciprocal
    from .ops.public import reduce_any as reduce_any
    from .ops.public import reduce_euclidean_norm as reduce_euclidean_norm
    from .ops.public import reduce_logsumexp as reduce_logsumexp
    from .ops.public import reduce_max as reduce_max
    from .ops.public import reduce_min as reduce_min
    from .ops.public import reduce_prod as reduce_prod
    from .ops.public import rint as rint
    from .ops.public import round as round
    from .ops.public import segment_max as segment_max
    from .ops.public import segment_mean as segment_mean
    from .ops.public import segment_min as segment_min
    from .ops.public import segment_prod as segment_prod
    from .ops.public import segment_sum as segment_sum
    from .ops.public import sigmoid as sigmoid
    from .ops.public import sign as sign
    from .ops.public import sin as sin
    from .ops.public import sinh as sinh
    from .ops.public import softplus as softplus
    from .ops.public import softsign as softsign
    from .ops.public import squared_difference as squared_difference
    from .ops.public import subtract as subtract
    from .ops.public import tan as tan
    from .ops.public import tanh as tanh
    from .ops.public import truncatediv as truncatediv
    from .ops.public import truncatemod as truncatemod
    from .ops.public import xdivy as xdivy
    from .ops.public import xlog1py as xlog1py
    from .ops.public import xlogy as xlogy
    from .ops.public import zeta as zeta

_HOMES = homes(
    __name__,
    {
        "api.counts": "bincount confusion_matrix",
        "api.segments": """
            unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n
            unsorted_segment_sum
        """,
        "api.sobol": "sobol_sample",
        "api.sorting": "approx_max_k approx_min_k in_top_k invert_permutation top_k",
        "ops.public": """
            acos acosh add asin asinh atan atan2 atanh betainc ceil cos cosh cumprod cumsum digamma erf erfc erfcinv
            erfinv exp expm1 floor floordiv greater greater_equal igamma igammac is_finite is_inf is_nan lgamma log
            log1p log_sigmoid logical_and logical_not logical_or logical_xor minimum multiply_no_nan ndtri negative
            nextafter not_equal polygamma pow reciprocal reduce_any reduce_euclidean_norm reduce_logsumexp reduce_max
            reduce_min reduce_prod rint round segment_max segment_mean segment_min segment_prod segment_sum sigmoid
            sign sin sinh softplus softsign squared_difference subtract tan tanh truncatediv truncatemod xdivy xlog1py
            xlogy zeta
        """,
    },
)
if not TYPE_CHECKING:
    __getattr__ = on_first_use(globals(), _HOMES)

_LOGGER = logging.getLogger("gradtape")

mod = floormod


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, as Python's operator does it.

    >>> import gradtape as tf
    >>> tf.divide([1.0, 3.0], 2.0).numpy()
    array([0.5, 1.5], dtype=float32)

    Args:
        x: A tensor, or what can become one.
        y: The same, to broadcast with it.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not broadcast.
    """
    return truediv(x, y)


def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """x / y, and 0 where y is 0; integers are divided as floats.

    >>> import gradtape as tf
    >>> tf.math.divide_no_nan([1.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)

    Args:
        x: A tensor, or what can become one.
        y: The same, to broadcast with it.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        tf.errors.InvalidArgumentError: The shapes do not broadcast.
    """
    return e.divide_no_nan.public(*_as_divisible(x, y))


@overload
def scalar_mul(scalar: TensorLike, x: IndexedSlices, name: str | None = None) -> IndexedSlices: ...  # type: ignore[overload-overlap]
@overload
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A scalar times a tensor or IndexedSlices.

    >>> import gradtape as tf
    >>> tf.math.scalar_mul(2.0, [1.0, 2.0]).numpy()
    array([2., 4.], dtype=float32)

    Args:
        scalar: The number that all elements are multiplied by: a scalar of the type of `x`.
        x: A tensor, or `tf.IndexedSlices`.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor, or `tf.IndexedSlices` where such are given.

    Raises:
        ValueError: The first is no scalar.
    """
    if np.ndim(scalar) and to_tensor(scalar).ndim:
        raise ValueError(f"Only scalar multiply works, got shape {to_tensor(scalar).shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(multiply(scalar, x.values), x.indices, x.dense_shape)
    return multiply(scalar, x)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape.

    >>> import gradtape as tf
    >>> tf.math.add_n([[1, 2], [3, 4]]).numpy()
    array([4, 6], dtype=int32)

    Args:
        inputs: Tensors of one shape and type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor.

    Raises:
        ValueError: There is none.
    """
    if isinstance(inputs, (Tensor, Variable)):
        if not inputs.ndim:
            raise TypeError("add_n: a list of tensors is needed, got one scalar.")
        inputs = layout.unpack.public(to_tensor(inputs), axis=0)
    inputs = list(inputs)
    if not inputs:
        raise ValueError("add_n needs at least one tensor, got an empty list.")
    if len(inputs) == 1:
        return conversion.identity.public(inputs[0])
    return arithmetic.add_n.public([to_tensor(value) for value in inputs])


def reduce_variance(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean squared distance from the mean.

    >>> import gradtape as tf
    >>> tf.math.reduce_variance([1.0, 3.0]).numpy()
    np.float32(1.0)

    Args:
        input_tensor: A floating or complex tensor.
        axis: One axis, or several; all if none is given.
        keepdims: Whether reduced axes stay, with size 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        TypeError: The numbers are integers.
    """
    x: Any = input_tensor if input_tensor.__class__ in OPERANDS else to_tensor(input_tensor)
    if not x.dtype.is_differentiable and not is_composite(x):
        message = f"Input must be either real or complex floating. Received integer type {x.dtype!r}. Use tf.cast."
        raise OperandTypeError(None, None, message)
    if not x.dtype.is_complex:
        return normalization.reduce_variance.public(x, as_axis(axis), bool(keepdims))
    centred = x - reduce_mean(x, axis, True)
    return reduce_mean(real(centred * conj(centred)), axis, keepdims)


def reduce_std(
    input_tensor: TensorLike, axis: AxisLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the variance.

    >>> import gradtape as tf
    >>> tf.math.reduce_std([1.0, 3.0]).numpy()
    np.float32(1.0)

    Args:
        input_tensor: A floating or complex tensor.
        axis: One axis, or several; all if none is given.
        keepdims: Whether reduced axes stay, with size 1.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the reduced axes, or with size 1 there.

    Raises:
        TypeError: The numbers are integers.
    """
    x: Any = input_tensor if input_tensor.__class__ in OPERANDS else to_tensor(input_tensor)
    if x.dtype.is_floating or is_composite(x):
        return normalization.reduce_std.public(x, as_axis(axis), bool(keepdims))
    return sqrt(reduce_variance(x, axis, keepdims))


def _place_type(name: str, output_type: DTypeLike) -> Any:
    kind = dtypes.int64 if output_type is None else dtypes.as_dtype(output_type)
    allowed = ("int32", "int64") if name == "argmin" else ("int16", "int32", "int64", "uint16")
    if kind.name not in allowed:
        raise UnsupportedTypeError(
            None, None, f"{name}: output_type must be one of tf.{', tf.'.join(allowed)}, got tf.{kind.name}."
        )
    return kind.numpy


def argmax(
    input: TensorLike, axis: AxisLike | None = None, output_type: DTypeLike = dtypes.int64, name: str | None = None
) -> Tensor:
    """The position of the largest element along an axis (the first by default).

    >>> import gradtape as tf
    >>> tf.argmax([[1.0, 5.0], [7.0, 2.0]], axis=1).numpy()
    array([1, 0])

    Args:
        input: A tensor of numbers.
        axis: The axis; 0 if it is not given.
        output_type: An integer type.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Integers, without the axis.

    Raises:
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    return r.argmax.public(input, 0 if axis is None else as_axis(axis), _place_type("argmax", output_type))


def argmin(
    input: TensorLike, axis: AxisLike | None = None, output_type: DTypeLike = dtypes.int64, name: str | None = None
) -> Tensor:
    """The position of the smallest element along an axis (the first by default).

    >>> import gradtape as tf
    >>> tf.argmin([[1.0, 5.0], [7.0, 2.0]], axis=1).numpy()
    array([0, 1])

    Args:
        input: A tensor of numbers.
        axis: The axis; 0 if it is not given.
        output_type: int32 or int64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Integers, without the axis.

    Raises:
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    return r.argmin.public(input, 0 if axis is None else as_axis(axis), _place_type("argmin", output_type))


def count_nonzero(
    input: TensorLike,
    axis: AxisLike | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """How many elements are not zero.

    >>> import gradtape as tf
    >>> tf.math.count_nonzero([0, 1, 2]).numpy()
    np.int64(2)

    Args:
        input: A tensor.
        axis: One axis, or several; all if none is given.
        keepdims: Whether reduced axes stay, with size 1.
        dtype: The type of the result.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Whole numbers.
    """
    return cast(r.count_nonzero.public(input, as_axis(axis), bool(keepdims)), dtype)


def cast(x: Any, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """The values in another type; gradients come back in the type of `x`.

    >>> import gradtape as tf
    >>> tf.cast([1.9, -1.9], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -1], dtype=int32)>

    Args:
        x: A tensor, or what can become one.
        dtype: The type to convert to.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor (sparse, ragged or slices, as given) of the type.

    Raises:
        tf.errors.UnimplementedError: The type cannot be converted.
    """
    target = dtypes.as_dtype(dtype)
    if x.__class__ in COMPOSITES:
        values = COMPOSITES[x.__class__].values
        if values is not None:
            return values.put(x, cast(values.of(x), target))
    tensor = to_tensor(x)
    if tensor.dtype is target:
        return tensor
    # Integers have no gradient: this shortcut takes a fifth of the time of the general path.
    if x.__class__ is EagerTensor and tensor.dtype.is_integer and target.is_numeric and not (OBSERVERS or x._id):
        return from_array(tensor._array.astype(target.numpy))
    if (target is dtypes.string) != (tensor.dtype is dtypes.string):
        raise UnimplementedError(
            None, None, f"Cast {tensor.dtype.name} to {target.name} is not supported. Use tf.strings."
        )
    if tensor.dtype.is_complex and not (target.is_complex or target.is_bool):
        _LOGGER.warning(
            "You are casting an input of type %s to an incompatible dtype %s.  This will discard the "
            "imaginary part and may not be what you intended.",
            tensor.dtype.name,
            target.name,
        )
    return conversion.convert.public(tensor, target.numpy)


def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part; of what is not complex, zeros of its type, through which no derivative passes.

    >>> import gradtape as tf
    >>> tf.math.imag([1.0 + 2.0j, 3.0]).numpy()
    array([2., 0.])

    Args:
        input: A tensor of numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape, of floats.
    """
    x = to_tensor(input)
    if x.dtype is dtypes.string:
        return from_array(np.full(tuple(x.shape), b"", object))
    return complex_numbers.imag.public(x) if x.dtype.is_complex else logic.zeros_like.public(x)


def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The argument of complex numbers; of real numbers 0 or pi, through which no derivative passes.

    >>> import gradtape as tf
    >>> tf.math.angle([1.0j, -1.0]).numpy().round(4)
    array([1.5708, 3.1416])

    Args:
        input: A tensor of numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Angles from -pi to pi, in the same shape.
    """
    x = to_tensor(input)
    return complex_numbers.angle.public(x if x.dtype.is_complex else conversion.stop_gradient.public(x))


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """The complex numbers with these real and imaginary parts.

    >>> import gradtape as tf
    >>> tf.complex([1.0, 2.0], [0.5, -1.0]).numpy()
    array([1.+0.5j, 2.-1.j ], dtype=complex64)

    Args:
        real: A tensor of float32 or float64.
        imag: Another of the same type; shapes broadcast.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of complex64, or of complex128.

    Raises:
        TypeError: The types are others, or differ.
    """
    real, imag = to_tensor(real), to_tensor(imag)
    if real.dtype is not imag.dtype or real.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"complex: the parts must both be float32 or both be float64, got {real.dtype.name} and {imag.dtype.name}. "
            "Use tf.cast."
        )
    return complex_numbers.make_complex.public(real, imag)


def softmax(logits: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis, the last by default.

    >>> import gradtape as tf
    >>> tf.math.softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)

    Args:
        logits: A floating tensor.
        axis: The axis; the last if none is given.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        Positive numbers whose sum along the axis is 1.

    Raises:
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    return n.softmax.public(logits, -1 if axis is None else as_int(axis))


def log_softmax(logits: TensorLike, axis: AxisLike | None = None, name: str | None = None) -> Tensor:
    """log(softmax(x)) along an axis, the last by default, without overflow.

    >>> import gradtape as tf
    >>> tf.math.log_softmax([0.0, 0.0]).numpy()
    array([-0.6931472, -0.6931472], dtype=float32)

    Args:
        logits: A floating tensor.
        axis: The axis; the last if none is given.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    return n.log_softmax.public(logits, -1 if axis is None else as_int(axis))


def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: ShapeLike | None = None,
    tensor_dtype: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The sum of a list of tensors of one shape and type.

    >>> import gradtape as tf
    >>> tf.math.accumulate_n([[1.0, 2.0], [10.0, 20.0]]).numpy()
    array([11., 22.], dtype=float32)

    Args:
        inputs: A list of tensors.
        shape: The shape they must have.
        tensor_dtype: The type they must have.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: The list is empty, or shapes or types differ.
        TypeError: `tensor_dtype` is another type.
    """
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    tensors = [to_tensor(value) for value in inputs]
    if any(tensor.dtype is not tensors[0].dtype for tensor in tensors):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    for tensor in tensors:
        if not TensorShape(tensors[0].shape if shape is None else shape).is_compatible_with(tensor.shape):
            raise ValueError(
                f"Shapes {tensors[0].shape if shape is None else shape} and {tensor.shape} are not compatible"
            )
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) is not tensors[0].dtype:
        raise TypeError(f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type {tensors[0].dtype}.")
    return add_n(tensors)


def l2_normalize(
    x: TensorLike,
    axis: AxisLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: AxisLike | None = None,
) -> Tensor:
    """x divided by its Euclidean norm along `axis`.

    >>> import gradtape as tf
    >>> tf.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers.
        axis: One axis, or several; all if None.
        epsilon: The smallest square of a norm that is divided by: zeros stay zeros.
        name: Ignored; accepted for compatibility with TensorFlow.
        dim: An old name of `axis`.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: Both `axis` and `dim` are given.
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    x = to_tensor(x)
    if dim is not None and axis is not None:
        raise ValueError(f"l2_normalize: axis ({axis!r}) and dim ({dim!r}) are two names of one argument. Use axis.")
    axis = dim if axis is None else axis
    if not x.dtype.is_complex:
        return normalization.l2_normalize.public(x, as_axis(axis), as_float(epsilon))
    factor = rsqrt(maximum(reduce_sum(square(abs(x)), axis, True), epsilon))
    return multiply(x, cast(factor, x.dtype))


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The fraction of elements that are zero; nan of nothing.

    >>> import gradtape as tf
    >>> tf.math.zero_fraction([0.0, 1.0, 0.0, 2.0]).numpy()
    np.float32(0.5)

    Args:
        value: A tensor of numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A number in float32.
    """
    value = to_tensor(value)
    return reduce_mean(cast(equal(value, logic.zeros_like.public(value)), dtypes.float32))


def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0.

    >>> import gradtape as tf
    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)

    Args:
        x: A tensor of floating or complex numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape. The gradient is 0 where x is 0.

    Raises:
        tf.errors.InvalidArgumentError: The operand has another type.
    """
    x = to_tensor(x)
    return e.divide_no_nan.public(logic.ones_like.public(x), x)


def polyval(coeffs: Any, x: TensorLike, name: str | None = None) -> Tensor:
    """The polynomial with these coefficients, the highest power first, at x.

    >>> import gradtape as tf
    >>> tf.math.polyval([2, 1, 0], 3).numpy()
    np.int32(21)

    Args:
        coeffs: A list of numbers or tensors.
        x: Where to compute it.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the shape of `x`, if the coefficients are numbers.

    Raises:
        ValueError: `coeffs` is not a list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = to_tensor(x)
    if not coeffs:
        return logic.zeros_like.public(x)
    value = to_tensor(coeffs[0])
    for coefficient in coeffs[1:]:
        value = to_tensor(coefficient) + value * x
    return value


def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """log(|Beta(x)|) over the last axis: the sum of lgamma(x), less lgamma(sum of x).

    >>> import gradtape as tf
    >>> tf.math.lbeta([1.0, 2.0]).numpy().round(4)
    np.float32(-0.6931)

    Args:
        x: A floating tensor.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor without the last axis.
    """
    return gamma.lbeta.public(x)


@takes(exclusive=flag, reverse=flag)
def cumulative_logsumexp(
    x: Any, axis: AxisLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log(cumsum(exp(x))) along an axis, without overflow.

    >>> import gradtape as tf
    >>> tf.math.cumulative_logsumexp([0.0, 0.0, 0.0]).numpy().round(4)
    array([0.    , 0.6931, 1.0986], dtype=float32)

    Args:
        x: A floating tensor.
        axis: The axis.
        exclusive: Whether each element is left out of its own sum.
        reverse: Whether sums begin at the end.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of the same shape.

    Raises:
        tf.errors.InvalidArgumentError: There is no such axis.
    """
    x, axis, reverse = to_tensor(x), as_int(axis), bool(reverse)
    running = cumulative.running_logsumexp.public(x, axis, reverse)
    if not exclusive:
        return running
    front, back = ((0, 1), (1, 0)) if reverse else ((1, 0), (0, 1))
    axes = [a == axis % x.ndim for a in range(x.ndim)]
    longer = borders.pad_constant.public(running, tuple(front if a else (0, 0) for a in axes), -np.inf)
    return borders.crop.public(longer, tuple(back if a else (0, 0) for a in axes))


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element is below the one before it, in row-major order.

    >>> import gradtape as tf
    >>> tf.math.is_non_decreasing([1, 2, 2]).numpy()
    np.True_

    Args:
        x: A tensor of real numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        True or False; True for less than two elements.
    """
    return _ordered(x, less_equal)


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element is above the one before it, in row-major order.

    >>> import gradtape as tf
    >>> tf.math.is_strictly_increasing([1, 2, 2]).numpy()
    np.False_

    Args:
        x: A tensor of real numbers.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        True or False; True for less than two elements.
    """
    return _ordered(x, less)


def _ordered(x: TensorLike, compare: Function) -> Any:
    x = to_tensor(x)
    flat = layout.reshape.public(x, (int(np.prod(tuple(x.shape), dtype=np.int64)),))
    return reduce_all(compare(flat[:-1], flat[1:]))


trace_public(globals())

__path__: list[str] = []  # as a package, so that finders are asked for `math.special`
sys.modules[f"{__name__}.special"] = special
__dir__ = listing(globals(), _HOMES)
