# Written by `python -m tests.checkers.stubs`.

from ..base.types import AxisLike, DTypeLike, TensorLike
from ..values.tensor import Tensor
from . import fft as fft
from . import linalg as linalg
from . import random as random
from ..values.tensor import Tensor as Tensor
ndarray = Tensor
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
from .elementwise import round as round
from .elementwise import round as round
around = round
from .elementwise import sinc as sinc
from .joining import append as append
from .joining import array_split as array_split
from .joining import block as block
from .joining import column_stack as column_stack
from .joining import concatenate as concatenate
from .joining import delete as delete
from .joining import dsplit as dsplit
from .joining import dstack as dstack
from .joining import hsplit as hsplit
from .joining import hstack as hstack
from .joining import insert as insert
from .joining import split as split
from .joining import stack as stack
from .joining import unstack as unstack
from .joining import vsplit as vsplit
from .joining import vstack as vstack
from .manipulation import astype as astype
from .manipulation import atleast_1d as atleast_1d
from .manipulation import atleast_2d as atleast_2d
from .manipulation import atleast_3d as atleast_3d
from .manipulation import broadcast_arrays as broadcast_arrays
from .manipulation import broadcast_to as broadcast_to
from .manipulation import expand_dims as expand_dims
from .manipulation import flatten as flatten
from .manipulation import flip as flip
from .manipulation import fliplr as fliplr
from .manipulation import flipud as flipud
from .manipulation import matrix_transpose as matrix_transpose
from .manipulation import moveaxis as moveaxis
from .manipulation import pad as pad
from .manipulation import ravel as ravel
from .manipulation import repeat as repeat
from .manipulation import reshape as reshape
from .manipulation import roll as roll
from .manipulation import rollaxis as rollaxis
from .manipulation import rot90 as rot90
from .manipulation import squeeze as squeeze
from .manipulation import swapaxes as swapaxes
from .manipulation import tile as tile
from .manipulation import transpose as transpose
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
from .promotion import promote_types as promote_types
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
from .selection import argpartition as argpartition
from .selection import argsort as argsort
from .selection import compress as compress
from .selection import digitize as digitize
from .selection import histogram as histogram
from .selection import isin as isin
from .selection import lexsort as lexsort
from .selection import packbits as packbits
from .selection import partition as partition
from .selection import select as select
from .selection import sort as sort
from .selection import take as take
from .selection import take_along_axis as take_along_axis
from .selection import unpackbits as unpackbits
from .selection import where as where
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
from numpy import bool_ as bool_
from numpy import bytes_ as bytes_
string_ = bytes_
from numpy import complex128 as complex128
from numpy import complex128 as complex128
complex_ = complex128
from numpy import complex64 as complex64
from numpy import finfo as finfo
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import float64 as float64
float_ = float64
from numpy import iinfo as iinfo
from numpy import inexact as inexact
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int8 as int8
from numpy import int_ as int_
from numpy import issubdtype as issubdtype
from numpy import object_ as object_
from numpy import str_ as str_
unicode_ = str_
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
    """The magnitude; of complex numbers too. The same as `absolute`.

    >>> import gradtape as tf
    >>> tf.numpy.abs([-1.0, 3 + 4j]).numpy()
    array([1., 5.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def absolute(x: TensorLike) -> Tensor:
    """The magnitude; of complex numbers too.

    >>> import gradtape as tf
    >>> tf.numpy.absolute([-1.0, 3 + 4j]).numpy()
    array([1., 5.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def add(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The sum x1 + x2; of truth values, whether either holds.

    >>> import gradtape as tf
    >>> tf.numpy.add([1, 2], 0.5).numpy()
    array([1.5, 2.5])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def all(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """Whether all elements are true, or not zero.

    >>> import gradtape as tf
    >>> tf.numpy.all([[1, 0], [2, 3]], axis=1).numpy()
    array([False,  True])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        Truth values.
    """

def amax(a: TensorLike, axis: AxisLike | None = ..., out: TensorLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The largest element; NaN if any is. The same as `max`.

    >>> import gradtape as tf
    >>> tf.numpy.amax([[1, 5], [7, 2]], axis=1).numpy()
    array([5, 7])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        out: Must be None: a tensor never changes.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def amin(a: TensorLike, axis: AxisLike | None = ..., out: TensorLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The smallest element; NaN if any is. The same as `min`.

    >>> import gradtape as tf
    >>> tf.numpy.amin([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 2])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        out: Must be None: a tensor never changes.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def any(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """Whether any element is true, or not zero.

    >>> import gradtape as tf
    >>> tf.numpy.any([[0, 0], [2, 0]], axis=1).numpy()
    array([False,  True])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        Truth values.
    """

def arccos(x: TensorLike) -> Tensor:
    """The angle between 0 and pi whose cosine is x.

    >>> import gradtape as tf
    >>> tf.numpy.arccos([1.0, 0.0]).numpy()
    array([0.        , 1.57079633])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def arccosh(x: TensorLike) -> Tensor:
    """The number, not below 0, whose hyperbolic cosine is x.

    >>> import gradtape as tf
    >>> tf.numpy.arccosh([1.0, 2.0]).numpy()
    array([0.       , 1.3169579])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def arcsin(x: TensorLike) -> Tensor:
    """The angle between -pi/2 and pi/2 whose sine is x.

    >>> import gradtape as tf
    >>> tf.numpy.arcsin([0.0, 1.0]).numpy()
    array([0.        , 1.57079633])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def arcsinh(x: TensorLike) -> Tensor:
    """The number whose hyperbolic sine is x.

    >>> import gradtape as tf
    >>> tf.numpy.arcsinh([0.0, 1.0]).numpy()
    array([0.        , 0.88137359])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def arctan(x: TensorLike) -> Tensor:
    """The angle between -pi/2 and pi/2 whose tangent is x.

    >>> import gradtape as tf
    >>> tf.numpy.arctan([0.0, 1.0]).numpy()
    array([0.        , 0.78539816])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def arctan2(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The angle of the point (x2, x1), between -pi and pi.

    >>> import gradtape as tf
    >>> tf.numpy.arctan2([1.0, 1.0], [1.0, -1.0]).numpy()
    array([0.78539816, 2.35619449])

    Args:
        x1: The second coordinates, y.
        x2: The first coordinates, x, which broadcast with them.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def arctanh(x: TensorLike) -> Tensor:
    """The number whose hyperbolic tangent is x.

    >>> import gradtape as tf
    >>> tf.numpy.arctanh([0.0, 0.5]).numpy()
    array([0.        , 0.54930614])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def argmax(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The position of the largest element: of the first of them, or of the first NaN.

    >>> import gradtape as tf
    >>> tf.numpy.argmax([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 0])

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        Whole numbers.
    """

def argmin(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The position of the smallest element: of the first of them, or of the first NaN.

    >>> import gradtape as tf
    >>> tf.numpy.argmin([[1, 5], [7, 2]], axis=1).numpy()
    array([0, 1])

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        Whole numbers.
    """

def bitwise_and(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The bits that both have.

    >>> import gradtape as tf
    >>> tf.numpy.bitwise_and(0b1100, 0b1010).numpy()
    np.int64(8)

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Whole numbers.
    """

def bitwise_count(x: TensorLike) -> Tensor:
    """How many bits the magnitude has that are 1.

    >>> import gradtape as tf
    >>> tf.numpy.bitwise_count([7, -8]).numpy()
    array([3, 1], dtype=uint8)

    Args:
        x: A tensor, or what can become one.

    Returns:
        Whole numbers.
    """

def bitwise_not(x: TensorLike) -> Tensor:
    """All bits turned; of truth values, `logical_not`.

    >>> import gradtape as tf
    >>> tf.numpy.bitwise_not([0, 5]).numpy()
    array([-1, -6])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Whole numbers.
    """

def bitwise_or(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The bits that either has.

    >>> import gradtape as tf
    >>> tf.numpy.bitwise_or(0b1100, 0b1010).numpy()
    np.int64(14)

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Whole numbers.
    """

def bitwise_xor(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The bits that exactly one has.

    >>> import gradtape as tf
    >>> tf.numpy.bitwise_xor(0b1100, 0b1010).numpy()
    np.int64(6)

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Whole numbers.
    """

def cbrt(x: TensorLike) -> Tensor:
    """The cube root, of negative numbers too.

    >>> import gradtape as tf
    >>> tf.numpy.cbrt([8.0, -27.0]).numpy()
    array([ 2., -3.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def ceil(x: TensorLike) -> Tensor:
    """The smallest whole number that is not below x.

    >>> import gradtape as tf
    >>> tf.numpy.ceil([1.5, -1.5]).numpy()
    array([ 2., -1.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; without derivative.
    """

def conj(x: TensorLike) -> Tensor:
    """The complex conjugate; the same as `conjugate`.

    >>> import gradtape as tf
    >>> tf.numpy.conj([1 + 2j, 3.0]).numpy()
    array([1.-2.j, 3.-0.j])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def conjugate(x: TensorLike) -> Tensor:
    """The complex conjugate.

    >>> import gradtape as tf
    >>> tf.numpy.conjugate([1 + 2j, 3.0]).numpy()
    array([1.-2.j, 3.-0.j])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def copysign(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The magnitude of x1 with the sign of x2.

    >>> import gradtape as tf
    >>> tf.numpy.copysign(3.0, [-1.0, 1.0]).numpy()
    array([-3.,  3.])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def cos(x: TensorLike) -> Tensor:
    """The cosine of angles in radians.

    >>> import gradtape as tf
    >>> tf.numpy.cos([0.0, 1.0]).numpy()
    array([1.        , 0.54030231])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def cosh(x: TensorLike) -> Tensor:
    """The hyperbolic cosine.

    >>> import gradtape as tf
    >>> tf.numpy.cosh([0.0, 1.0]).numpy()
    array([1.        , 1.54308063])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def cumprod(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ...) -> Tensor:
    """The products of all elements up to each.

    >>> import gradtape as tf
    >>> tf.numpy.cumprod([1, 2, 3, 4]).numpy()
    array([ 1,  2,  6, 24])

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.
        dtype: The type to compute in; by default the one that NumPy chooses.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def cumsum(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ...) -> Tensor:
    """The sums of all elements up to each.

    >>> import gradtape as tf
    >>> tf.numpy.cumsum([1, 2, 3, 4]).numpy()
    array([ 1,  3,  6, 10])

    Args:
        a: A tensor, or what can become one.
        axis: The axis; None: all elements, flattened.
        dtype: The type to compute in; by default the one that NumPy chooses.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def deg2rad(x: TensorLike) -> Tensor:
    """Degrees as radians.

    >>> import gradtape as tf
    >>> tf.numpy.deg2rad([0.0, 180.0]).numpy()
    array([0.        , 3.14159265])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def degrees(x: TensorLike) -> Tensor:
    """Radians as degrees; the same as `rad2deg`.

    >>> import gradtape as tf
    >>> tf.numpy.degrees([0.0, 1.0]).numpy()
    array([ 0.        , 57.29577951])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The quotient x1 / x2, a float for whole numbers too.

    >>> import gradtape as tf
    >>> tf.numpy.divide([1, 2], 4).numpy()
    array([0.25, 0.5 ])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def divmod(x1: TensorLike, x2: TensorLike) -> tuple[Tensor, Tensor]:
    """The whole quotient and the remainder: `floor_divide` and `remainder` at once.

    >>> import gradtape as tf
    >>> tf.numpy.divmod(7, 3)[1].numpy()
    np.int64(1)

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Two tensors of the type that NumPy chooses.
    """

def equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether x1 == x2.

    >>> import gradtape as tf
    >>> tf.numpy.equal([1, 2], [1.0, 3.0]).numpy()
    array([ True, False])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Truth values.
    """

def exp(x: TensorLike) -> Tensor:
    """e to the power of x.

    >>> import gradtape as tf
    >>> tf.numpy.exp([0.0, 1.0]).numpy()
    array([1.        , 2.71828183])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def exp2(x: TensorLike) -> Tensor:
    """2 to the power of x.

    >>> import gradtape as tf
    >>> tf.numpy.exp2([3.0, -1.0]).numpy()
    array([8. , 0.5])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def expm1(x: TensorLike) -> Tensor:
    """exp(x) - 1, exact for small x.

    >>> import gradtape as tf
    >>> tf.numpy.expm1([0.0, 1e-10]).numpy()
    array([0.e+00, 1.e-10])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def fabs(x: TensorLike) -> Tensor:
    """The magnitude of real numbers, as floats.

    >>> import gradtape as tf
    >>> tf.numpy.fabs([-1, 2]).numpy()
    array([1., 2.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def float_power(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 to the power of x2, in float64 at least.

    >>> import gradtape as tf
    >>> tf.numpy.float_power([2, 3], -1).numpy()
    array([0.5       , 0.33333333])

    Args:
        x1: The bases.
        x2: The exponents, which broadcast with them.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def floor(x: TensorLike) -> Tensor:
    """The largest whole number that is not above x.

    >>> import gradtape as tf
    >>> tf.numpy.floor([1.5, -1.5]).numpy()
    array([ 1., -2.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; without derivative.
    """

def floor_divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The largest whole number that is not above x1 / x2.

    >>> import gradtape as tf
    >>> tf.numpy.floor_divide([7, -7], 2).numpy()
    array([ 3, -4])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; without derivative.
    """

def fmax(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The larger of two numbers; the other one if one is NaN.

    >>> import gradtape as tf
    >>> tf.numpy.fmax([1.0, tf.numpy.nan], 0.5).numpy()
    array([1. , 0.5])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def fmin(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The smaller of two numbers; the other one if one is NaN.

    >>> import gradtape as tf
    >>> tf.numpy.fmin([1.0, tf.numpy.nan], 2.5).numpy()
    array([1. , 2.5])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def fmod(x1: TensorLike, x2: TensorLike) -> Tensor:
    """What a division cut towards zero leaves over, with the sign of x1.

    >>> import gradtape as tf
    >>> tf.numpy.fmod([7, -7], 3).numpy()
    array([ 1, -1])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def frexp(x: TensorLike) -> tuple[Tensor, Tensor]:
    """The mantissa, at least 0.5 and below 1 in magnitude, and the exponent: x = mantissa * 2**exponent.

    >>> import gradtape as tf
    >>> tf.numpy.frexp(12.0)[0].numpy()
    np.float64(0.75)

    Args:
        x: A tensor, or what can become one.

    Returns:
        Two tensors: mantissas and whole exponents.
    """

def gcd(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The greatest common divisor.

    >>> import gradtape as tf
    >>> tf.numpy.gcd([12, 18], 8).numpy()
    array([4, 2])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Whole numbers.
    """

def greater(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether x1 > x2.

    >>> import gradtape as tf
    >>> tf.numpy.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Truth values.
    """

def greater_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether x1 >= x2.

    >>> import gradtape as tf
    >>> tf.numpy.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Truth values.
    """

def heaviside(x1: TensorLike, x2: TensorLike) -> Tensor:
    """0 below zero, 1 above, and x2 at zero.

    >>> import gradtape as tf
    >>> tf.numpy.heaviside([-2.0, 0.0, 2.0], 0.5).numpy()
    array([0. , 0.5, 1. ])

    Args:
        x1: A tensor, or what can become one.
        x2: The value at zero, which broadcasts with x1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def hypot(x1: TensorLike, x2: TensorLike) -> Tensor:
    """sqrt(x1**2 + x2**2), without overflow.

    >>> import gradtape as tf
    >>> tf.numpy.hypot([3.0, 5.0], [4.0, 12.0]).numpy()
    array([ 5., 13.])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def invert(x: TensorLike) -> Tensor:
    """All bits turned; of truth values, `logical_not`. The same as `bitwise_not`.

    >>> import gradtape as tf
    >>> tf.numpy.invert([0, 5]).numpy()
    array([-1, -6])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Whole numbers.
    """

def iscomplex(x: TensorLike) -> Tensor:
    """Whether the imaginary part is not zero.

    >>> import gradtape as tf
    >>> tf.numpy.iscomplex([1 + 0j, 2j]).numpy()
    array([False,  True])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Truth values.
    """

def isfinite(x: TensorLike) -> Tensor:
    """Whether it is neither infinite nor NaN.

    >>> import gradtape as tf
    >>> tf.numpy.isfinite([1.0, tf.numpy.nan, tf.numpy.inf]).numpy()
    array([ True, False, False])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Truth values.
    """

def isinf(x: TensorLike) -> Tensor:
    """Whether it is infinite, of either sign.

    >>> import gradtape as tf
    >>> tf.numpy.isinf([1.0, tf.numpy.nan, tf.numpy.inf]).numpy()
    array([False, False,  True])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Truth values.
    """

def isnan(x: TensorLike) -> Tensor:
    """Whether it is NaN.

    >>> import gradtape as tf
    >>> tf.numpy.isnan([1.0, tf.numpy.nan, tf.numpy.inf]).numpy()
    array([False,  True, False])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Truth values.
    """

def isneginf(x: TensorLike) -> Tensor:
    """Whether it is minus infinity.

    >>> import gradtape as tf
    >>> tf.numpy.isneginf([-tf.numpy.inf, 0.0, tf.numpy.inf]).numpy()
    array([ True, False, False])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Truth values.
    """

def isposinf(x: TensorLike) -> Tensor:
    """Whether it is plus infinity.

    >>> import gradtape as tf
    >>> tf.numpy.isposinf([-tf.numpy.inf, 0.0, tf.numpy.inf]).numpy()
    array([False, False,  True])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Truth values.
    """

def isreal(x: TensorLike) -> Tensor:
    """Whether the imaginary part is zero.

    >>> import gradtape as tf
    >>> tf.numpy.isreal([1 + 0j, 2j]).numpy()
    array([ True, False])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Truth values.
    """

def lcm(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The least common multiple.

    >>> import gradtape as tf
    >>> tf.numpy.lcm([4, 6], 10).numpy()
    array([20, 30])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Whole numbers.
    """

def ldexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 * 2**x2.

    >>> import gradtape as tf
    >>> tf.numpy.ldexp([1.0, 3.0], [2, 3]).numpy()
    array([ 4., 24.])

    Args:
        x1: Numbers.
        x2: Whole exponents, which broadcast with them.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def left_shift(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The bits moved to the left: x1 * 2**x2.

    >>> import gradtape as tf
    >>> tf.numpy.left_shift([1, 3], 2).numpy()
    array([ 4, 12])

    Args:
        x1: Whole numbers.
        x2: How many places, which broadcasts with them.

    Returns:
        Whole numbers.
    """

def less(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether x1 < x2.

    >>> import gradtape as tf
    >>> tf.numpy.less([1, 2, 3], 2).numpy()
    array([ True, False, False])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Truth values.
    """

def less_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether x1 <= x2.

    >>> import gradtape as tf
    >>> tf.numpy.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Truth values.
    """

def log(x: TensorLike) -> Tensor:
    """The natural logarithm.

    >>> import gradtape as tf
    >>> tf.numpy.log([1.0, 10.0]).numpy()
    array([0.        , 2.30258509])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def log10(x: TensorLike) -> Tensor:
    """The logarithm to the base 10.

    >>> import gradtape as tf
    >>> tf.numpy.log10([1.0, 100.0]).numpy()
    array([0., 2.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def log1p(x: TensorLike) -> Tensor:
    """log(1 + x), exact for small x.

    >>> import gradtape as tf
    >>> tf.numpy.log1p([0.0, 1e-10]).numpy()
    array([0.e+00, 1.e-10])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def log2(x: TensorLike) -> Tensor:
    """The logarithm to the base 2.

    >>> import gradtape as tf
    >>> tf.numpy.log2([1.0, 8.0]).numpy()
    array([0., 3.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def logaddexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """log(exp(x1) + exp(x2)), without overflow.

    >>> import gradtape as tf
    >>> tf.numpy.logaddexp(1000.0, [1000.0, 0.0]).numpy()
    array([1000.69314718, 1000.        ])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def logaddexp2(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The same to the base 2: log2(2**x1 + 2**x2), without overflow.

    >>> import gradtape as tf
    >>> tf.numpy.logaddexp2(2000.0, [2000.0, 0.0]).numpy()
    array([2001., 2000.])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def logical_and(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether both are not zero.

    >>> import gradtape as tf
    >>> tf.numpy.logical_and([0, 1, 2], [1, 0, 3]).numpy()
    array([False, False,  True])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Truth values.
    """

def logical_not(x: TensorLike) -> Tensor:
    """Whether it is zero.

    >>> import gradtape as tf
    >>> tf.numpy.logical_not([0, 1, 2]).numpy()
    array([ True, False, False])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Truth values.
    """

def logical_or(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether either is not zero.

    >>> import gradtape as tf
    >>> tf.numpy.logical_or([0, 1, 0], [0, 0, 3]).numpy()
    array([False,  True,  True])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Truth values.
    """

def logical_xor(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether exactly one is not zero.

    >>> import gradtape as tf
    >>> tf.numpy.logical_xor([0, 1, 2], [0, 0, 3]).numpy()
    array([False,  True, False])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Truth values.
    """

def max(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The largest element; NaN if any is.

    >>> import gradtape as tf
    >>> tf.numpy.max([[1, 5], [7, 2]], axis=1).numpy()
    array([5, 7])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def maximum(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The larger of two numbers; NaN if either is.

    >>> import gradtape as tf
    >>> tf.numpy.maximum([1, 5], 3).numpy()
    array([3, 5])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def mean(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., out: TensorLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The mean, a float for whole numbers too.

    >>> import gradtape as tf
    >>> tf.numpy.mean([[1, 2], [3, 4]], axis=1).numpy()
    array([1.5, 3.5])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        out: Must be None: a tensor never changes.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def min(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The smallest element; NaN if any is.

    >>> import gradtape as tf
    >>> tf.numpy.min([[1, 5], [7, 2]], axis=1).numpy()
    array([1, 2])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def minimum(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The smaller of two numbers; NaN if either is.

    >>> import gradtape as tf
    >>> tf.numpy.minimum([1, 5], 3).numpy()
    array([1, 3])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def mod(x1: TensorLike, x2: TensorLike) -> Tensor:
    """What `floor_divide` leaves over, with the sign of x2; the same as `remainder`.

    >>> import gradtape as tf
    >>> tf.numpy.mod([7, -7], 3).numpy()
    array([1, 2])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def modf(x: TensorLike) -> tuple[Tensor, Tensor]:
    """The part behind the point, and the whole part; both have the sign of x.

    >>> import gradtape as tf
    >>> tf.numpy.modf([1.5, -2.25])[0].numpy()
    array([ 0.5 , -0.25])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Two tensors: the parts behind the point and the whole parts.
    """

def multiply(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The product x1 * x2; of truth values, whether both hold.

    >>> import gradtape as tf
    >>> tf.numpy.multiply([1, 2], 0.5).numpy()
    array([0.5, 1. ])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def nanmax(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The largest element that is not NaN.

    >>> import gradtape as tf
    >>> tf.numpy.nanmax([1.0, tf.numpy.nan, 3.0]).numpy()
    np.float64(3.0)

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def nanmean(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The mean of what is not NaN.

    >>> import gradtape as tf
    >>> tf.numpy.nanmean([1.0, tf.numpy.nan, 3.0]).numpy()
    np.float64(2.0)

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def nanmin(a: TensorLike, axis: AxisLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The smallest element that is not NaN.

    >>> import gradtape as tf
    >>> tf.numpy.nanmin([1.0, tf.numpy.nan, 3.0]).numpy()
    np.float64(1.0)

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def nanprod(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The product of what is not NaN; 1 of nothing.

    >>> import gradtape as tf
    >>> tf.numpy.nanprod([2.0, tf.numpy.nan, 3.0]).numpy()
    np.float64(6.0)

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def nansum(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The sum of what is not NaN; 0 of nothing.

    >>> import gradtape as tf
    >>> tf.numpy.nansum([1.0, tf.numpy.nan, 3.0]).numpy()
    np.float64(4.0)

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def negative(x: TensorLike) -> Tensor:
    """Each number with the other sign.

    >>> import gradtape as tf
    >>> tf.numpy.negative([1.0, -2.0]).numpy()
    array([-1.,  2.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def nextafter(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The next number of the type from x1 towards x2.

    >>> import gradtape as tf
    >>> tf.numpy.nextafter(1.0, 2.0).numpy()
    np.float64(1.0000000000000002)

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def not_equal(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Whether x1 != x2.

    >>> import gradtape as tf
    >>> tf.numpy.not_equal([1, 2], [1.0, 3.0]).numpy()
    array([False,  True])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        Truth values.
    """

def positive(x: TensorLike) -> Tensor:
    """The numbers as they are.

    >>> import gradtape as tf
    >>> tf.numpy.positive([1.0, -2.0]).numpy()
    array([ 1., -2.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def power(x1: TensorLike, x2: TensorLike) -> Tensor:
    """x1 to the power of x2, in the type of both.

    >>> import gradtape as tf
    >>> tf.numpy.power([2, 3], 2).numpy()
    array([4, 9])

    Args:
        x1: The bases.
        x2: The exponents, which broadcast with them.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def prod(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The product.

    >>> import gradtape as tf
    >>> tf.numpy.prod([[1, 2], [3, 4]], axis=1).numpy()
    array([ 2, 12])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def rad2deg(x: TensorLike) -> Tensor:
    """Radians as degrees.

    >>> import gradtape as tf
    >>> tf.numpy.rad2deg([0.0, 1.0]).numpy()
    array([ 0.        , 57.29577951])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def radians(x: TensorLike) -> Tensor:
    """Degrees as radians; the same as `deg2rad`.

    >>> import gradtape as tf
    >>> tf.numpy.radians([0.0, 180.0]).numpy()
    array([0.        , 3.14159265])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def reciprocal(x: TensorLike) -> Tensor:
    """1 / x; of whole numbers, cut to a whole number.

    >>> import gradtape as tf
    >>> tf.numpy.reciprocal([2.0, 4.0]).numpy()
    array([0.5 , 0.25])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def remainder(x1: TensorLike, x2: TensorLike) -> Tensor:
    """What `floor_divide` leaves over, with the sign of x2.

    >>> import gradtape as tf
    >>> tf.numpy.remainder([7, -7], 3).numpy()
    array([1, 2])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def right_shift(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The bits moved to the right: x1 // 2**x2.

    >>> import gradtape as tf
    >>> tf.numpy.right_shift([8, 13], 2).numpy()
    array([2, 3])

    Args:
        x1: Whole numbers.
        x2: How many places, which broadcasts with them.

    Returns:
        Whole numbers.
    """

def rint(x: TensorLike) -> Tensor:
    """The nearest whole number; halves go to the even one.

    >>> import gradtape as tf
    >>> tf.numpy.rint([0.5, 1.5, 2.6]).numpy()
    array([0., 2., 3.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; without derivative.
    """

def sign(x: TensorLike) -> Tensor:
    """-1, 0 or 1; of a complex number, its direction.

    >>> import gradtape as tf
    >>> tf.numpy.sign([-2.5, 0.0, 3.0]).numpy()
    array([-1.,  0.,  1.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def signbit(x: TensorLike) -> Tensor:
    """Whether the sign is negative, that of -0.0 too.

    >>> import gradtape as tf
    >>> tf.numpy.signbit([-1.0, -0.0, 0.0]).numpy()
    array([ True,  True, False])

    Args:
        x: A tensor, or what can become one.

    Returns:
        Truth values.
    """

def sin(x: TensorLike) -> Tensor:
    """The sine of angles in radians.

    >>> import gradtape as tf
    >>> tf.numpy.sin([0.0, 1.0]).numpy()
    array([0.        , 0.84147098])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def sinh(x: TensorLike) -> Tensor:
    """The hyperbolic sine.

    >>> import gradtape as tf
    >>> tf.numpy.sinh([0.0, 1.0]).numpy()
    array([0.        , 1.17520119])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def spacing(x: TensorLike) -> Tensor:
    """The distance to the next number of the type.

    >>> import gradtape as tf
    >>> tf.numpy.spacing([1.0, 4.0]).numpy()
    array([2.22044605e-16, 8.88178420e-16])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; without derivative.
    """

def sqrt(x: TensorLike) -> Tensor:
    """The square root; NaN for negative numbers.

    >>> import gradtape as tf
    >>> tf.numpy.sqrt([4, 9]).numpy()
    array([2., 3.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def square(x: TensorLike) -> Tensor:
    """x * x.

    >>> import gradtape as tf
    >>> tf.numpy.square([2, 3]).numpy()
    array([4, 9])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def subtract(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The difference x1 - x2.

    >>> import gradtape as tf
    >>> tf.numpy.subtract([1, 2], 0.5).numpy()
    array([0.5, 1.5])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def sum(a: TensorLike, axis: AxisLike | None = ..., dtype: DTypeLike | None = ..., keepdims: bool | None = ...) -> Tensor:
    """The sum.

    >>> import gradtape as tf
    >>> tf.numpy.sum([[1, 2], [3, 4]], axis=0).numpy()
    array([4, 6])

    Args:
        a: A tensor, or what can become one.
        axis: The axis, or several; None: all.
        dtype: The type to compute in; by default the one that NumPy chooses.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def tan(x: TensorLike) -> Tensor:
    """The tangent of angles in radians.

    >>> import gradtape as tf
    >>> tf.numpy.tan([0.0, 1.0]).numpy()
    array([0.        , 1.55740772])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def tanh(x: TensorLike) -> Tensor:
    """The hyperbolic tangent.

    >>> import gradtape as tf
    >>> tf.numpy.tanh([0.0, 1.0]).numpy()
    array([0.        , 0.76159416])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def true_divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The quotient x1 / x2, a float for whole numbers too; the same as `divide`.

    >>> import gradtape as tf
    >>> tf.numpy.true_divide([1, 2], 4).numpy()
    array([0.25, 0.5 ])

    Args:
        x1: A tensor, or what can become one.
        x2: Another; both broadcast, and are promoted to one type.

    Returns:
        A tensor of the type that NumPy chooses; the tape follows.
    """

def trunc(x: TensorLike) -> Tensor:
    """The nearest whole number towards zero.

    >>> import gradtape as tf
    >>> tf.numpy.trunc([1.5, -1.5]).numpy()
    array([ 1., -1.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the type that NumPy chooses; without derivative.
    """
