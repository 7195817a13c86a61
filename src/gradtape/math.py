"""`tf.math`: arithmetic, elementary functions, reductions."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from . import dtypes
from .errors import UnimplementedError, invalid
from .op import as_axis
from .operators import truediv as truediv
from .ops import elementwise as e
from .ops import reduce as r
from .ops import special as s
from .tensor import IndexedSlices, Tensor, to_tensor
from .variable import Variable

_LOGGER = logging.getLogger("gradtape")

add = e.add.public
subtract = e.subtract.public
multiply = e.multiply.public
floordiv = e.floordiv.public
floormod = e.floormod.public
mod = floormod
negative = e.negative.public
pow = e.pow.public
square = e.square.public
squared_difference = e.squared_difference.public
reciprocal = e.reciprocal.public
divide_no_nan = e.divide_no_nan.public
multiply_no_nan = e.multiply_no_nan.public
sqrt = e.sqrt.public
rsqrt = e.rsqrt.public
exp = e.exp.public
expm1 = e.expm1.public
log = e.log.public
log1p = e.log1p.public
sin = e.sin.public
cos = e.cos.public
tan = e.tan.public
asin = e.asin.public
acos = e.acos.public
atan = e.atan.public
atan2 = e.atan2.public
sinh = e.sinh.public
cosh = e.cosh.public
tanh = e.tanh.public
asinh = e.asinh.public
acosh = e.acosh.public
atanh = e.atanh.public
sigmoid = e.sigmoid.public
softplus = e.softplus.public
abs = e.abs.public
sign = e.sign.public
floor = e.floor.public
ceil = e.ceil.public
rint = e.rint.public
round = e.round.public
equal = e.equal.public
not_equal = e.not_equal.public
less = e.less.public
less_equal = e.less_equal.public
greater = e.greater.public
greater_equal = e.greater_equal.public
logical_and = e.logical_and.public
logical_or = e.logical_or.public
logical_xor = e.logical_xor.public
logical_not = e.logical_not.public
is_nan = e.is_nan.public
is_inf = e.is_inf.public
is_finite = e.is_finite.public
maximum = e.maximum.public
minimum = e.minimum.public
conj = e.conj.public
real = e.real.public
imag = e.imag.public
angle = e.angle.public
reduce_sum = r.reduce_sum.public
reduce_mean = r.reduce_mean.public
reduce_prod = r.reduce_prod.public
reduce_max = r.reduce_max.public
reduce_min = r.reduce_min.public
reduce_all = r.reduce_all.public
reduce_any = r.reduce_any.public
reduce_logsumexp = r.reduce_logsumexp.public
reduce_euclidean_norm = r.reduce_euclidean_norm.public
erf = s.erf.public
erfc = s.erfc.public
xlogy = s.xlogy.public
xdivy = s.xdivy.public
xlog1py = s.xlog1py.public
cumsum = r.cumsum.public
cumprod = r.cumprod.public


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """x / y, as Python's operator does it."""
    return truediv(x, y)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """A scalar times a tensor or IndexedSlices."""
    if np.ndim(scalar) and to_tensor(scalar).ndim:
        raise ValueError(f"Only scalar multiply works, got shape {to_tensor(scalar).shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(multiply(scalar, x.values), x.indices, x.dense_shape)
    return multiply(scalar, x)


def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of a list of tensors of one shape."""
    if isinstance(inputs, (Tensor, Variable)):
        inputs = [inputs]
    inputs = list(inputs)
    if not inputs:
        raise ValueError("add_n needs at least one tensor, got an empty list.")
    tensors = [to_tensor(value) for value in inputs]
    total = tensors[0] if len(tensors) > 1 else e.identity.public(tensors[0])
    for tensor in tensors[1:]:
        if tensor.shape != tensors[0].shape:
            raise invalid(f"add_n: all shapes must be equal, got {[t.shape for t in tensors]}.")
        total = total + tensor
    return total


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The mean squared distance from the mean."""
    x = to_tensor(input_tensor)
    if not x.dtype.is_differentiable:
        raise TypeError(f"Input must be either real or complex floating. Received integer type {x.dtype!r}. Use tf.cast.")
    centred = x - reduce_mean(x, axis, True)
    squares = square(centred) if not x.dtype.is_complex else real(centred * conj(centred))
    return reduce_mean(squares, axis, keepdims)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The square root of the variance."""
    return sqrt(reduce_variance(input_tensor, axis, keepdims))


def argmax(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Any:
    """The position of the largest element along an axis (the first by default)."""
    return r.argmax.public(input, 0 if axis is None else as_axis(axis), dtypes.as_dtype(output_type).numpy)


def argmin(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Any:
    """The position of the smallest element along an axis (the first by default)."""
    return r.argmin.public(input, 0 if axis is None else as_axis(axis), dtypes.as_dtype(output_type).numpy)


def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = dtypes.int64, name: str | None = None
) -> Any:
    """How many elements are not zero."""
    x = to_tensor(input)
    zero = b"" if x.dtype == dtypes.string else 0 if x.dtype != dtypes.bool else False
    return reduce_sum(cast(not_equal(x, zero), dtype), axis, keepdims)


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """The values in another type; gradients come back in the type of `x`.

    >>> import gradtape as tf
    >>> tf.cast([1.9, -1.9], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -1], dtype=int32)>
    """
    target = dtypes.as_dtype(dtype)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, target), x.indices, x.dense_shape)
    tensor = to_tensor(x)
    if tensor.dtype is target:
        return tensor
    if (target is dtypes.string) != (tensor.dtype is dtypes.string):
        raise UnimplementedError(
            None, None, f"Cast {tensor.dtype.name} to {target.name} is not supported. Use tf.strings."
        )
    if tensor.dtype.is_complex and not (target.is_complex or target.is_bool):
        _LOGGER.warning(
            "You are casting an input of type %s to an incompatible dtype %s.  This will discard the imaginary part and may "
            "not be what you intended.",
            tensor.dtype.name,
            target.name,
        )
    return e.convert.public(tensor, target.numpy)


def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """The complex number with this real and this imaginary part."""
    return e.make_complex.public(real, imag)


def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """log(sigmoid(x)), without overflow."""
    return negative(softplus(negative(x)))


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Any:
    """The same as `add_n`."""
    return add_n(inputs)


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None) -> Any:
    """x divided by its Euclidean norm along `axis`; the squared norm is at least `epsilon`."""
    x = to_tensor(x)
    squares = reduce_sum(square(x) if not x.dtype.is_complex else square(abs(x)), axis, True)
    factor = rsqrt(maximum(squares, epsilon))
    return multiply(x, factor) if not x.dtype.is_complex else multiply(x, cast(factor, x.dtype))


def zero_fraction(value: Any, name: str | None = None) -> Any:
    """The fraction of elements that are zero, as float32."""
    value = to_tensor(value)
    return reduce_mean(cast(equal(value, 0), dtypes.float32))
