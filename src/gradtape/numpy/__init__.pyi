# Written by `python -m tests.checkers.stubs`.

from ..base.types import AxisLike, DTypeLike, TensorLike
from ..values.tensor import Tensor
from . import fft as fft
from . import linalg as linalg
from . import random as random
from ..values.tensor import Tensor as ndarray
from .behavior import experimental_enable_numpy_behavior as experimental_enable_numpy_behavior
from .creation import arange as arange
from .creation import array as array
from .creation import asanyarray as asanyarray
from .creation import ascontiguousarray as ascontiguousarray
from .creation import copy as copy
from .creation import diag as diag
from .creation import diag_indices as diag_indices
from .creation import diagflat as diagflat
from .creation import diagonal as diagonal
from .creation import empty as empty
from .creation import empty_like as empty_like
from .creation import eye as eye
from .creation import full as full
from .creation import full_like as full_like
from .creation import geomspace as geomspace
from .creation import identity as identity
from .creation import ix_ as ix_
from .creation import linspace as linspace
from .creation import logspace as logspace
from .creation import meshgrid as meshgrid
from .creation import ndim as ndim
from .creation import ones as ones
from .creation import ones_like as ones_like
from .creation import shape as shape
from .creation import size as size
from .creation import tri as tri
from .creation import tril as tril
from .creation import triu as triu
from .creation import vander as vander
from .creation import zeros as zeros
from .creation import zeros_like as zeros_like
from .elementwise import allclose as allclose
from .elementwise import angle as angle
from .elementwise import array_equal as array_equal
from .elementwise import clip as clip
from .elementwise import fix as fix
from .elementwise import imag as imag
from .elementwise import isclose as isclose
from .elementwise import iscomplexobj as iscomplexobj
from .elementwise import isrealobj as isrealobj
from .elementwise import isscalar as isscalar
from .elementwise import nan_to_num as nan_to_num
from .elementwise import real as real
from .elementwise import round as around
from .elementwise import round as round
from .elementwise import sinc as sinc
from .manipulation import append as append
from .manipulation import argpartition as argpartition
from .manipulation import argsort as argsort
from .manipulation import array_split as array_split
from .manipulation import astype as astype
from .manipulation import atleast_1d as atleast_1d
from .manipulation import atleast_2d as atleast_2d
from .manipulation import atleast_3d as atleast_3d
from .manipulation import block as block
from .manipulation import broadcast_arrays as broadcast_arrays
from .manipulation import broadcast_to as broadcast_to
from .manipulation import column_stack as column_stack
from .manipulation import compress as compress
from .manipulation import concatenate as concatenate
from .manipulation import delete as delete
from .manipulation import digitize as digitize
from .manipulation import dsplit as dsplit
from .manipulation import dstack as dstack
from .manipulation import expand_dims as expand_dims
from .manipulation import flatten as flatten
from .manipulation import flip as flip
from .manipulation import fliplr as fliplr
from .manipulation import flipud as flipud
from .manipulation import histogram as histogram
from .manipulation import hsplit as hsplit
from .manipulation import hstack as hstack
from .manipulation import insert as insert
from .manipulation import isin as isin
from .manipulation import lexsort as lexsort
from .manipulation import matrix_transpose as matrix_transpose
from .manipulation import moveaxis as moveaxis
from .manipulation import packbits as packbits
from .manipulation import pad as pad
from .manipulation import partition as partition
from .manipulation import promote_types as promote_types
from .manipulation import ravel as ravel
from .manipulation import repeat as repeat
from .manipulation import reshape as reshape
from .manipulation import roll as roll
from .manipulation import rollaxis as rollaxis
from .manipulation import rot90 as rot90
from .manipulation import select as select
from .manipulation import sort as sort
from .manipulation import split as split
from .manipulation import squeeze as squeeze
from .manipulation import stack as stack
from .manipulation import swapaxes as swapaxes
from .manipulation import take as take
from .manipulation import take_along_axis as take_along_axis
from .manipulation import tile as tile
from .manipulation import transpose as transpose
from .manipulation import unpackbits as unpackbits
from .manipulation import unstack as unstack
from .manipulation import vsplit as vsplit
from .manipulation import vstack as vstack
from .manipulation import where as where
from .products import cross as cross
from .products import dot as dot
from .products import einsum as einsum
from .products import inner as inner
from .products import kron as kron
from .products import matmul as matmul
from .products import outer as outer
from .products import tensordot as tensordot
from .products import trace as trace
from .products import vdot as vdot
from .products import vecdot as vecdot
from .promotion import asarray as asarray
from .promotion import result_type as result_type
from .reductions import count_nonzero as count_nonzero
from .reductions import cumulative_prod as cumulative_prod
from .reductions import cumulative_sum as cumulative_sum
from .reductions import nanargmax as nanargmax
from .reductions import nanargmin as nanargmin
from .reductions import nancumsum as nancumsum
from .reductions import nanstd as nanstd
from .reductions import nanvar as nanvar
from .reductions import nonzero as nonzero
from .reductions import ptp as ptp
from .reductions import std as std
from .reductions import var as var
from .series import convolve as convolve
from .series import correlate as correlate
from .series import diff as diff
from .series import ediff1d as ediff1d
from .series import gradient as gradient
from .series import interp as interp
from .series import polyval as polyval
from .series import trapezoid as trapezoid
from .series import unwrap as unwrap
from .statistics import average as average
from .statistics import corrcoef as corrcoef
from .statistics import cov as cov
from .statistics import median as median
from .statistics import percentile as percentile
from .statistics import quantile as quantile
from numpy import bool as bool_
from numpy import bytes_ as string_
from numpy import complex128 as complex128
from numpy import complex128 as complex_
from numpy import complex64 as complex64
from numpy import finfo as finfo
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import float64 as float_
from numpy import iinfo as iinfo
from numpy import inexact as inexact
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int64 as int_
from numpy import int8 as int8
from numpy import issubdtype as issubdtype
from numpy import object_ as object_
from numpy import str_ as unicode_
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy import uint8 as uint8

e: float
euler_gamma: float
inf: float
nan: float
newaxis: None
pi: float

def abs(x: TensorLike) -> Tensor:
    """NumPy's abs(x), with NumPy's types; the tape follows."""

def absolute(x: TensorLike) -> Tensor:
    """NumPy's absolute(x), with NumPy's types; the tape follows."""

def add(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's add(x1, x2), with NumPy's types; the tape follows."""

def all(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """Whether all elements are true over an axis, several, or all; NumPy's types."""

def amax(a: TensorLike, axis: AxisLike | None = ..., out: TensorLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The largest element over an axis, several, or all; NumPy's types."""

def amin(a: TensorLike, axis: AxisLike | None = ..., out: TensorLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The smallest element over an axis, several, or all; NumPy's types."""

def any(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """Whether any element is true over an axis, several, or all; NumPy's types."""

def arccos(x: TensorLike) -> Tensor:
    """NumPy's arccos(x), with NumPy's types; the tape follows."""

def arccosh(x: TensorLike) -> Tensor:
    """NumPy's arccosh(x), with NumPy's types; the tape follows."""

def arcsin(x: TensorLike) -> Tensor:
    """NumPy's arcsin(x), with NumPy's types; the tape follows."""

def arcsinh(x: TensorLike) -> Tensor:
    """NumPy's arcsinh(x), with NumPy's types; the tape follows."""

def arctan(x: TensorLike) -> Tensor:
    """NumPy's arctan(x), with NumPy's types; the tape follows."""

def arctan2(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's arctan2(x1, x2), with NumPy's types; the tape follows."""

def arctanh(x: TensorLike) -> Tensor:
    """NumPy's arctanh(x), with NumPy's types; the tape follows."""

def argmax(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The position of the extreme over an axis, several, or all; NumPy's types."""

def argmin(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The position of the extreme over an axis, several, or all; NumPy's types."""

def bitwise_and(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's bitwise_and(x1, x2), with NumPy's types; the tape follows."""

def bitwise_count(x: TensorLike) -> Tensor:
    """NumPy's bitwise_count(x), with NumPy's types; the tape follows."""

def bitwise_not(x: TensorLike) -> Tensor:
    """NumPy's bitwise_not(x), with NumPy's types; the tape follows."""

def bitwise_or(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's bitwise_or(x1, x2), with NumPy's types; the tape follows."""

def bitwise_xor(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's bitwise_xor(x1, x2), with NumPy's types; the tape follows."""

def cbrt(x: TensorLike) -> Tensor:
    """NumPy's cbrt(x), with NumPy's types; the tape follows."""

def ceil(x: TensorLike) -> Tensor:
    """NumPy's ceil(x), with NumPy's types; the tape follows."""

def conj(x: TensorLike) -> Tensor:
    """NumPy's conj(x), with NumPy's types; the tape follows."""

def conjugate(x: TensorLike) -> Tensor:
    """NumPy's conjugate(x), with NumPy's types; the tape follows."""

def copysign(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's copysign(x1, x2), with NumPy's types; the tape follows."""

def cos(x: TensorLike) -> Tensor:
    """NumPy's cos(x), with NumPy's types; the tape follows."""

def cosh(x: TensorLike) -> Tensor:
    """NumPy's cosh(x), with NumPy's types; the tape follows."""

def cumprod(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ...) -> Tensor:
    """Running totals over an axis, several, or all; NumPy's types."""

def cumsum(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ...) -> Tensor:
    """Running totals over an axis, several, or all; NumPy's types."""

def deg2rad(x: TensorLike) -> Tensor:
    """NumPy's deg2rad(x), with NumPy's types; the tape follows."""

def degrees(x: TensorLike) -> Tensor:
    """NumPy's degrees(x), with NumPy's types; the tape follows."""

def divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's divide(x1, x2), with NumPy's types; the tape follows."""

def divmod(x1: TensorLike, x2: TensorLike) -> tuple[Tensor, Tensor]:
    """NumPy's divmod(x1, x2), with NumPy's types; the tape follows."""

def equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's equal(x1, x2), with NumPy's types; the tape follows."""

def exp(x: TensorLike) -> Tensor:
    """NumPy's exp(x), with NumPy's types; the tape follows."""

def exp2(x: TensorLike) -> Tensor:
    """NumPy's exp2(x), with NumPy's types; the tape follows."""

def expm1(x: TensorLike) -> Tensor:
    """NumPy's expm1(x), with NumPy's types; the tape follows."""

def fabs(x: TensorLike) -> Tensor:
    """NumPy's fabs(x), with NumPy's types; the tape follows."""

def float_power(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's float_power(x1, x2), with NumPy's types; the tape follows."""

def floor(x: TensorLike) -> Tensor:
    """NumPy's floor(x), with NumPy's types; the tape follows."""

def floor_divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's floor_divide(x1, x2), with NumPy's types; the tape follows."""

def fmax(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's fmax(x1, x2), with NumPy's types; the tape follows."""

def fmin(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's fmin(x1, x2), with NumPy's types; the tape follows."""

def fmod(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's fmod(x1, x2), with NumPy's types; the tape follows."""

def frexp(x: TensorLike) -> tuple[Tensor, Tensor]:
    """NumPy's frexp(x), with NumPy's types; the tape follows."""

def gcd(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's gcd(x1, x2), with NumPy's types; the tape follows."""

def greater(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's greater(x1, x2), with NumPy's types; the tape follows."""

def greater_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's greater_equal(x1, x2), with NumPy's types; the tape follows."""

def heaviside(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's heaviside(x1, x2), with NumPy's types; the tape follows."""

def hypot(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's hypot(x1, x2), with NumPy's types; the tape follows."""

def invert(x: TensorLike) -> Tensor:
    """NumPy's invert(x), with NumPy's types; the tape follows."""

def iscomplex(x: TensorLike) -> Tensor:
    """NumPy's iscomplex: truth values, without derivative."""

def isfinite(x: TensorLike) -> Tensor:
    """NumPy's isfinite(x), with NumPy's types; the tape follows."""

def isinf(x: TensorLike) -> Tensor:
    """NumPy's isinf(x), with NumPy's types; the tape follows."""

def isnan(x: TensorLike) -> Tensor:
    """NumPy's isnan(x), with NumPy's types; the tape follows."""

def isneginf(x: TensorLike) -> Tensor:
    """NumPy's isneginf: truth values, without derivative."""

def isposinf(x: TensorLike) -> Tensor:
    """NumPy's isposinf: truth values, without derivative."""

def isreal(x: TensorLike) -> Tensor:
    """NumPy's isreal: truth values, without derivative."""

def lcm(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's lcm(x1, x2), with NumPy's types; the tape follows."""

def ldexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's ldexp(x1, x2), with NumPy's types; the tape follows."""

def left_shift(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's left_shift(x1, x2), with NumPy's types; the tape follows."""

def less(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's less(x1, x2), with NumPy's types; the tape follows."""

def less_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's less_equal(x1, x2), with NumPy's types; the tape follows."""

def log(x: TensorLike) -> Tensor:
    """NumPy's log(x), with NumPy's types; the tape follows."""

def log10(x: TensorLike) -> Tensor:
    """NumPy's log10(x), with NumPy's types; the tape follows."""

def log1p(x: TensorLike) -> Tensor:
    """NumPy's log1p(x), with NumPy's types; the tape follows."""

def log2(x: TensorLike) -> Tensor:
    """NumPy's log2(x), with NumPy's types; the tape follows."""

def logaddexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's logaddexp(x1, x2), with NumPy's types; the tape follows."""

def logaddexp2(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's logaddexp2(x1, x2), with NumPy's types; the tape follows."""

def logical_and(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's logical_and(x1, x2), with NumPy's types; the tape follows."""

def logical_not(x: TensorLike) -> Tensor:
    """NumPy's logical_not(x), with NumPy's types; the tape follows."""

def logical_or(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's logical_or(x1, x2), with NumPy's types; the tape follows."""

def logical_xor(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's logical_xor(x1, x2), with NumPy's types; the tape follows."""

def max(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The largest element over an axis, several, or all; NumPy's types."""

def maximum(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's maximum(x1, x2), with NumPy's types; the tape follows."""

def mean(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., out: TensorLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The mean over an axis, several, or all; NumPy's types."""

def min(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The smallest element over an axis, several, or all; NumPy's types."""

def minimum(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's minimum(x1, x2), with NumPy's types; the tape follows."""

def mod(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's mod(x1, x2), with NumPy's types; the tape follows."""

def modf(x: TensorLike) -> tuple[Tensor, Tensor]:
    """NumPy's modf(x), with NumPy's types; the tape follows."""

def multiply(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's multiply(x1, x2), with NumPy's types; the tape follows."""

def nanmax(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The max of what is not NaN over an axis, several, or all; NumPy's types."""

def nanmean(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The mean of what is not NaN over an axis, several, or all; NumPy's types."""

def nanmin(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The min of what is not NaN over an axis, several, or all; NumPy's types."""

def nanprod(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The prod of what is not NaN over an axis, several, or all; NumPy's types."""

def nansum(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The sum of what is not NaN over an axis, several, or all; NumPy's types."""

def negative(x: TensorLike) -> Tensor:
    """NumPy's negative(x), with NumPy's types; the tape follows."""

def nextafter(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's nextafter(x1, x2), with NumPy's types; the tape follows."""

def not_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's not_equal(x1, x2), with NumPy's types; the tape follows."""

def positive(x: TensorLike) -> Tensor:
    """NumPy's positive(x), with NumPy's types; the tape follows."""

def power(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's power(x1, x2), with NumPy's types; the tape follows."""

def prod(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The product over an axis, several, or all; NumPy's types."""

def rad2deg(x: TensorLike) -> Tensor:
    """NumPy's rad2deg(x), with NumPy's types; the tape follows."""

def radians(x: TensorLike) -> Tensor:
    """NumPy's radians(x), with NumPy's types; the tape follows."""

def reciprocal(x: TensorLike) -> Tensor:
    """NumPy's reciprocal(x), with NumPy's types; the tape follows."""

def remainder(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's remainder(x1, x2), with NumPy's types; the tape follows."""

def right_shift(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's right_shift(x1, x2), with NumPy's types; the tape follows."""

def rint(x: TensorLike) -> Tensor:
    """NumPy's rint(x), with NumPy's types; the tape follows."""

def sign(x: TensorLike) -> Tensor:
    """NumPy's sign(x), with NumPy's types; the tape follows."""

def signbit(x: TensorLike) -> Tensor:
    """NumPy's signbit(x), with NumPy's types; the tape follows."""

def sin(x: TensorLike) -> Tensor:
    """NumPy's sin(x), with NumPy's types; the tape follows."""

def sinh(x: TensorLike) -> Tensor:
    """NumPy's sinh(x), with NumPy's types; the tape follows."""

def spacing(x: TensorLike) -> Tensor:
    """NumPy's spacing(x), with NumPy's types; the tape follows."""

def sqrt(x: TensorLike) -> Tensor:
    """NumPy's sqrt(x), with NumPy's types; the tape follows."""

def square(x: TensorLike) -> Tensor:
    """NumPy's square(x), with NumPy's types; the tape follows."""

def subtract(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's subtract(x1, x2), with NumPy's types; the tape follows."""

def sum(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The sum over an axis, several, or all; NumPy's types."""

def tan(x: TensorLike) -> Tensor:
    """NumPy's tan(x), with NumPy's types; the tape follows."""

def tanh(x: TensorLike) -> Tensor:
    """NumPy's tanh(x), with NumPy's types; the tape follows."""

def true_divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """NumPy's true_divide(x1, x2), with NumPy's types; the tape follows."""

def trunc(x: TensorLike) -> Tensor:
    """NumPy's trunc(x), with NumPy's types; the tape follows."""
