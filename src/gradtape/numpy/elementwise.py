"""NumPy's ufuncs, as a table: for each the gradtape function that computes it in the type that NumPy chooses."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import bitwise, math
from ..api import arrays, indexing
from ..base.traceable import trace_public
from ..base.types import TensorLike, Value
from ..op.attributes import as_float, as_int
from ..ops.math import logic
from ..ops.math import ufuncs as u
from ..values.tensor import Tensor, from_array
from . import descriptions
from .descriptions import describe
from .promotion import asarray, kind_of, loop_types, promoted, reduced_type, to_type

Function = Callable[..., Any]


def _ufunc(name: str, compute: Function) -> Function:
    ufunc: np.ufunc = getattr(np, name)

    def computed(*args: object) -> Any:
        types = loop_types(ufunc, tuple([kind_of(a) for a in args]))
        result = compute(*[asarray(a, t) for a, t in zip(args, types, strict=False)])
        if ufunc.nout > 1:
            return tuple(to_type(part, t) for part, t in zip(result, types[ufunc.nin :], strict=True))
        return to_type(result, types[-1])

    def of_one(x: object) -> Tensor:
        return computed(x)

    def of_two(x1: object, x2: object) -> Tensor:
        return computed(x1, x2)

    call: Function = of_one if ufunc.nin == 1 else of_two
    if ufunc.nout > 1:
        call.__annotations__["return"] = "tuple[Tensor, Tensor]"
    describe(call, name, descriptions.UFUNCS[name])
    call.op = getattr(compute, "op", None)  # type: ignore[attr-defined]
    return call


def _by_kind(default: Function, **special: Function) -> Function:
    """Another function where the operands are bool (b), integers (i) or complex (c)."""

    def compute(x: Value, *more: TensorLike) -> Any:
        kind = x.dtype.numpy.kind
        return special.get("i" if kind == "u" else kind, default)(x, *more)

    compute.op = getattr(default, "op", None)  # type: ignore[attr-defined]
    compute.default, compute.special = default, special  # type: ignore[attr-defined]
    return compute


@functools.cache
def on_one_type(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Function | None:
    """What computes the ufunc on operands of this type, if NumPy computes in it; None if it converts the operands first."""
    compute = UFUNCS.get(ufunc.__name__)
    if compute is None:
        return None
    try:
        types = loop_types(ufunc, (dtype,) * ufunc.nin)
    except TypeError:  # NumPy has no loop; the function itself says so
        return None
    if types[: ufunc.nin] != (dtype,) * ufunc.nin:
        return None
    special: dict[str, Function] = getattr(compute, "special", {})
    return special.get("i" if dtype.kind == "u" else dtype.kind, getattr(compute, "default", compute))


def truth(x: Tensor) -> Any:
    """Whether each element is not zero."""
    return x if x.dtype.is_bool else math.not_equal(x, arrays.zeros_like(x))


def _logical(function: Function) -> Function:
    return lambda *args: function(*[truth(a) for a in args])


def _compared(function: Function) -> Function:
    """Comparison of truth values goes by 0 and 1; that of complex numbers by NumPy, on the values."""
    name = function.__name__

    def on_values(x: Any, y: Any) -> Any:
        return from_array(np.asarray(getattr(np, name)(x._array, y._array)))

    return _by_kind(function, b=lambda x, y: function(to_type(x, np.int8), to_type(y, np.int8)), c=on_values)


def _same(x: TensorLike) -> Any:
    return arrays.identity(x)


def _never(x: Any) -> Any:
    return math.is_nan(arrays.zeros_like(to_type(x, np.float32)))


def _always(x: Any) -> Any:
    return math.is_finite(arrays.zeros_like(to_type(x, np.float32)))


def _of_parts(function: Function, combine: Function) -> Function:
    return lambda x: combine(function(math.real(x)), function(math.imag(x)))


def _chosen(compare: np.ufunc) -> Function:
    """Of two complex numbers, the one that NumPy chooses: it compares real parts first."""
    return lambda x, y: indexing.where(from_array(np.asarray(compare(x._array, y._array))), x, y)


MINIMAX: dict[Function, Function] = {
    math.maximum: _by_kind(math.maximum, b=math.logical_or, c=_chosen(np.greater_equal)),
    math.minimum: _by_kind(math.minimum, b=math.logical_and, c=_chosen(np.less_equal)),
}


def _ldexp(x: Any, y: Any) -> Any:
    return u.ldexp.public(x, to_type(y, np.int64))


def _bitwise_count(x: Any) -> Any:
    # NumPy counts the bits of the absolute value; TensorFlow's op those of the number as it is stored.
    return u.population_count.public(to_type(x, np.uint8) if x.dtype.is_bool else math.abs(x))


def _divmod(x: TensorLike, y: TensorLike) -> tuple[Any, Any]:
    return math.floordiv(x, y), math.floormod(x, y)


UFUNCS: dict[str, Function] = {
    "add": _by_kind(math.add, b=math.logical_or),
    "subtract": math.subtract,
    "multiply": _by_kind(math.multiply, b=math.logical_and),
    "divide": math.truediv,
    "true_divide": math.truediv,
    "floor_divide": u.floor_divide.public,
    "remainder": math.floormod,
    "mod": math.floormod,
    "fmod": math.truncatemod,
    "divmod": _divmod,
    "power": math.pow,
    "float_power": math.pow,
    "negative": math.negative,
    "positive": _same,
    "absolute": _by_kind(math.abs, b=_same),
    "abs": _by_kind(math.abs, b=_same),
    "fabs": math.abs,
    "sign": math.sign,
    "square": math.square,
    "sqrt": math.sqrt,
    "cbrt": u.cbrt.public,
    "reciprocal": _by_kind(math.reciprocal, i=lambda x: math.floordiv(arrays.ones_like(x), x)),
    "exp": math.exp,
    "exp2": u.exp2.public,
    "expm1": math.expm1,
    "log": math.log,
    "log2": u.log2.public,
    "log10": u.log10.public,
    "log1p": math.log1p,
    "logaddexp": u.logaddexp.public,
    "logaddexp2": u.logaddexp2.public,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
    "arctan2": math.atan2,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "arcsinh": math.asinh,
    "arccosh": math.acosh,
    "arctanh": math.atanh,
    "hypot": u.hypot.public,
    "deg2rad": u.deg2rad.public,
    "radians": u.deg2rad.public,
    "rad2deg": u.rad2deg.public,
    "degrees": u.rad2deg.public,
    "floor": _by_kind(math.floor, i=_same, b=_same),
    "ceil": _by_kind(math.ceil, i=_same, b=_same),
    "trunc": _by_kind(u.trunc.public, i=_same, b=_same),
    "rint": _by_kind(math.rint, c=_of_parts(math.rint, math.complex)),
    "maximum": MINIMAX[math.maximum],
    "minimum": MINIMAX[math.minimum],
    "fmax": _by_kind(u.fmax.public, b=math.logical_or, c=MINIMAX[math.maximum]),
    "fmin": _by_kind(u.fmin.public, b=math.logical_and, c=MINIMAX[math.minimum]),
    "copysign": u.copysign.public,
    "heaviside": u.heaviside.public,
    "nextafter": math.nextafter,
    "conjugate": _by_kind(_same, c=math.conj),
    "conj": _by_kind(_same, c=math.conj),
    "equal": math.equal,
    "not_equal": math.not_equal,
    "less": _compared(math.less),
    "less_equal": _compared(math.less_equal),
    "greater": _compared(math.greater),
    "greater_equal": _compared(math.greater_equal),
    "logical_and": _logical(math.logical_and),
    "logical_or": _logical(math.logical_or),
    "logical_xor": _logical(math.logical_xor),
    "logical_not": _logical(math.logical_not),
    "isnan": _by_kind(math.is_nan, b=_never, i=_never, c=_of_parts(math.is_nan, math.logical_or)),
    "isinf": _by_kind(math.is_inf, b=_never, i=_never, c=_of_parts(math.is_inf, math.logical_or)),
    "isfinite": _by_kind(math.is_finite, b=_always, i=_always, c=_of_parts(math.is_finite, math.logical_and)),
    "signbit": u.signbit.public,
    "bitwise_and": _by_kind(bitwise.bitwise_and, b=math.logical_and),
    "bitwise_or": _by_kind(bitwise.bitwise_or, b=math.logical_or),
    "bitwise_xor": _by_kind(bitwise.bitwise_xor, b=math.logical_xor),
    "bitwise_not": _by_kind(bitwise.invert, b=math.logical_not),
    "invert": _by_kind(bitwise.invert, b=math.logical_not),
    "left_shift": bitwise.left_shift,
    "right_shift": bitwise.right_shift,
    "gcd": u.gcd.public,
    "lcm": u.lcm.public,
    "ldexp": _ldexp,
    "frexp": u.frexp.public,
    "modf": u.modf.public,
    "spacing": u.spacing.public,
    "bitwise_count": _bitwise_count,
}
FUNCTIONS: dict[str, Function] = {name: _ufunc(name, compute) for name, compute in UFUNCS.items()}

# --- elementwise functions that are no ufuncs ----------------------------------------------------------


def real(val: TensorLike) -> Tensor:
    """The real part.

    >>> import gradtape as tf
    >>> tf.numpy.real([1 + 2j, 3 - 4j]).numpy()
    array([1., 3.])

    Args:
        val: A tensor, or what can become one.

    Returns:
        A tensor of the same shape; `val` itself where it is real.
    """
    x = asarray(val)
    return math.real(x) if x.dtype.is_complex else x


def imag(val: TensorLike) -> Tensor:
    """The imaginary part.

    >>> import gradtape as tf
    >>> tf.numpy.imag([1 + 2j, 3 - 4j]).numpy()
    array([ 2., -4.])

    Args:
        val: A tensor, or what can become one.

    Returns:
        A tensor of the same shape; zeros where `val` is real.
    """
    x = asarray(val)
    return math.imag(x) if x.dtype.is_complex else arrays.zeros_like(x)


def angle(z: TensorLike, deg: bool = False) -> Tensor:
    """The angle of complex numbers, in radians or degrees.

    >>> import gradtape as tf
    >>> tf.numpy.angle([1j, -1.0], deg=True).numpy()
    array([ 90., 180.])

    Args:
        z: A tensor of real or complex numbers, or what can become one.
        deg: Whether the angle is in degrees.

    Returns:
        A tensor of the same shape.
    """
    x = asarray(z)
    if not x.dtype.is_complex:
        x = to_type(x, reduced_type("sqrt", x.dtype.numpy))
        result = indexing.where(x < 0, arrays.ones_like(x) * np.pi, arrays.zeros_like(x))
    else:
        result = math.angle(x)
    return result * float(180 / np.pi) if deg else result


def sinc(x: TensorLike) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0; the derivative at 0 is 0.

    >>> import gradtape as tf
    >>> tf.numpy.sinc([0.0, 0.5]).numpy()
    array([1.        , 0.63661977])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the same shape.
    """
    x = asarray(x)
    return u.sinc.public(to_type(x, reduced_type("sinc", x.dtype.numpy)))


def fix(x: TensorLike) -> Tensor:
    """The nearest integer towards zero.

    >>> import gradtape as tf
    >>> tf.numpy.fix([-1.7, 1.7]).numpy()
    array([-1.,  1.])

    Args:
        x: A tensor, or what can become one.

    Returns:
        A tensor of the same shape.
    """
    return FUNCTIONS["trunc"](x)


def round(a: TensorLike, decimals: int = 0) -> Tensor:
    """The nearest number with so many decimals; halves go to the even one.

    >>> import gradtape as tf
    >>> tf.numpy.round([1.5, 2.5, 3.14]).numpy()
    array([2., 2., 3.])
    >>> tf.numpy.round([1.234, 5.678], 1).numpy()
    array([1.2, 5.7])

    Args:
        a: A tensor, or what can become one.
        decimals: How many digits follow the point; a negative number rounds to tens, hundreds, ...

    Returns:
        A tensor of the same shape.
    """
    x, decimals = asarray(a), as_int(decimals)
    if not x.dtype.is_floating and not x.dtype.is_complex:
        return to_type(from_array(np.round(x._array, decimals)), reduced_type("round", x.dtype.numpy))
    if x.dtype.is_complex:
        return math.complex(round(math.real(x), decimals), round(math.imag(x), decimals))
    if not decimals:
        return math.rint(x)
    factor = 10.0 ** abs(decimals)
    return math.rint(x * factor) / factor if decimals > 0 else math.rint(x / factor) * factor


def clip(
    a: TensorLike,
    a_min: TensorLike | None = None,
    a_max: TensorLike | None = None,
    *,
    min: TensorLike | None = None,
    max: TensorLike | None = None,
) -> Tensor:
    """The values brought between two bounds, which NumPy 2 calls `min` and `max` as well; None is no bound.

    >>> import gradtape as tf
    >>> tf.numpy.clip([1.0, 5.0, 9.0], 2.0, 8.0).numpy()
    array([2., 5., 8.])

    Args:
        a: A tensor, or what can become one.
        a_min: The lower bound, which broadcasts with `a`; None: there is none.
        a_max: The upper bound; None: there is none.
        min: The lower bound under its other name.
        max: The upper bound under its other name.

    Returns:
        A tensor of the type that all three have together.
    """
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    x, *bounds = promoted(*[v for v in (a, low, high) if v is not None])
    if low is not None:
        x = math.maximum(x, bounds[0])
    return x if high is None else math.minimum(x, bounds[-1])


def nan_to_num(
    x: TensorLike, nan: float = 0.0, posinf: TensorLike | None = None, neginf: TensorLike | None = None
) -> Tensor:
    """NaN replaced by `nan`, infinities by the largest numbers or what is given.

    >>> import gradtape as tf
    >>> tf.numpy.nan_to_num([1.0, tf.numpy.nan, tf.numpy.inf], posinf=100.0).numpy()
    array([  1.,   0., 100.])

    Args:
        x: A tensor, or what can become one.
        nan: What takes the place of NaN.
        posinf: What takes the place of infinity; None: the largest number of the type.
        neginf: What takes the place of minus infinity; None: the smallest number of the type.

    Returns:
        A tensor of the same shape.
    """
    x = asarray(x)
    if x.dtype.is_complex:
        return math.complex(
            nan_to_num(math.real(x), nan, posinf, neginf), nan_to_num(math.imag(x), nan, posinf, neginf)
        )
    return u.nan_to_num.public(x, nan, posinf, neginf) if x.dtype.is_floating else x


def isclose(
    a: TensorLike, b: TensorLike, rtol: TensorLike = 1e-5, atol: TensorLike = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether |a - b| <= atol + rtol * |b|, element by element.

    >>> import gradtape as tf
    >>> tf.numpy.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).numpy()
    array([ True, False])

    Args:
        a: A tensor, or what can become one.
        b: Another, which broadcasts with it.
        rtol: The tolerance as a part of |b|.
        atol: The tolerance as a number.
        equal_nan: Whether NaN is close to NaN.

    Returns:
        Truth values.
    """
    x, y = promoted(a, b)
    if x.dtype.is_bool:
        x, y = to_type(x, np.int8), to_type(y, np.int8)
    return u.isclose.public(x, y, as_float(rtol), as_float(atol), equal_nan)


def _questioned(name: str, ask: Function, only_real: bool) -> Function:
    def call(x: TensorLike) -> Tensor:
        x = asarray(x)
        if x.dtype.is_complex and only_real:
            raise TypeError(f"{name}: complex numbers have no sign.")
        wide = x if x.dtype.is_complex else to_type(x, np.result_type(x.dtype.numpy, np.float32))
        return ask(wide)

    describe(call, name, descriptions.QUESTIONS[name])
    call.op = ask.op  # type: ignore[attr-defined]
    return call


VALUED = {
    "isneginf": _questioned("isneginf", logic.isneginf.public, True),
    "isposinf": _questioned("isposinf", logic.isposinf.public, True),
    "isreal": _questioned("isreal", logic.isreal.public, False),
    "iscomplex": _questioned("iscomplex", logic.iscomplex.public, False),
}


def allclose(
    a: TensorLike, b: TensorLike, rtol: TensorLike = 1e-5, atol: TensorLike = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether all elements are nearly equal.

    >>> import gradtape as tf
    >>> bool(tf.numpy.allclose([1.0, 2.0], [1.0 + 1e-9, 2.0]))
    True

    Args:
        a: A tensor, or what can become one.
        b: Another, which broadcasts with it.
        rtol: The tolerance as a part of |b|.
        atol: The tolerance as a number.
        equal_nan: Whether NaN is close to NaN.

    Returns:
        One truth value.
    """
    x, y = np.asarray(asarray(a)), np.asarray(asarray(b))
    return from_array(np.asarray(np.allclose(x, y, as_float(rtol), as_float(atol), equal_nan)))


def array_equal(a1: object, a2: object) -> Tensor:
    """Whether shapes and elements are equal.

    >>> import gradtape as tf
    >>> bool(tf.numpy.array_equal([1, 2], [1.0, 2.0])), bool(tf.numpy.array_equal([1], [1, 1]))
    (True, False)

    Args:
        a1: A tensor, or what can become one.
        a2: Another. It does not broadcast.

    Returns:
        One truth value.
    """
    return from_array(np.asarray(np.array_equal(np.asarray(asarray(a1)), np.asarray(asarray(a2)))))


def iscomplexobj(x: TensorLike) -> bool:
    """Whether the type is complex.

    >>> import gradtape as tf
    >>> tf.numpy.iscomplexobj([1.0, 2j]), tf.numpy.iscomplexobj([1.0])
    (True, False)

    Args:
        x: A tensor, or what can become one.

    Returns:
        True or False.
    """
    return bool(asarray(x).dtype.is_complex)


def isrealobj(x: TensorLike) -> bool:
    """Whether the type is not complex.

    >>> import gradtape as tf
    >>> tf.numpy.isrealobj([1.0, 2j]), tf.numpy.isrealobj([1.0])
    (False, True)

    Args:
        x: A tensor, or what can become one.

    Returns:
        True or False.
    """
    return not iscomplexobj(x)


def isscalar(num: object) -> bool:
    """Whether the value is a number, or a tensor without axes.

    >>> import gradtape as tf
    >>> tf.numpy.isscalar(3), tf.numpy.isscalar([3])
    (True, False)

    Args:
        num: A value of any kind.

    Returns:
        True or False.
    """
    return np.isscalar(num) or (hasattr(num, "ndim") and not num.ndim)


__test__ = {**FUNCTIONS, **VALUED}  # doctest looks at these too

trace_public(globals())
