"""The docstrings of the functions that are made from tables: what each gives, and a call with its result.

What a parameter means is said once, by its name, unless a function's own row says it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple

_FOLLOWED = "A tensor of the type that NumPy chooses; the tape follows."
_VALUES = "A tensor of the type that NumPy chooses; without derivative."
_TRUTH = "Truth values."
_WHOLE = "Whole numbers."

_PARAMETERS = {
    "x": "A tensor, or what can become one.",
    "x1": "A tensor, or what can become one.",
    "x2": "Another; both broadcast, and are promoted to one type.",
    "a": "A tensor, or what can become one.",
    "axis": "The axis, or several; None: all.",
    "dtype": "The type to compute in; by default the one that NumPy chooses.",
    "out": "Must be None: a tensor never changes.",
    "keepdims": "Whether the axes stay, with size 1.",
    "include_initial": "Whether the start, 0 or 1, stands first.",
    "arys": "Tensors, or what can become one.",
}


class Text(NamedTuple):
    """What is said of one function.

    Args:
        does: A sentence.
        example: A call, behind `tf.numpy.`.
        result: What Python prints for it.
        returns: What the function returns.
        parameters: What its parameters mean, where this is special.
    """

    does: str
    example: str
    result: str
    returns: str = _FOLLOWED
    parameters: MappingProxyType[str, str] | dict[str, str] = MappingProxyType({})


def describe(function: Callable[..., Any], name: str, text: Text) -> None:
    """Give the function its name and its docstring."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{text.does}

>>> import gradtape as tf
>>> tf.numpy.{text.example}
{text.result}

Args:
{_arguments(function, text)}

Returns:
    {text.returns}
"""


def _arguments(function: Callable[..., Any], text: Text) -> str:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount] or [f"*{code.co_varnames[0]}"]
    meanings = _PARAMETERS | dict(text.parameters)
    return "\n".join(f"    {name}: {meanings[name.lstrip('*')]}" for name in names)


# NumPy's ufuncs.
UFUNCS: dict[str, Text] = {
    "add": Text(
        "The sum x1 + x2; of truth values, whether either holds.", "add([1, 2], 0.5).numpy()", "array([1.5, 2.5])"
    ),
    "subtract": Text("The difference x1 - x2.", "subtract([1, 2], 0.5).numpy()", "array([0.5, 1.5])"),
    "multiply": Text(
        "The product x1 * x2; of truth values, whether both hold.", "multiply([1, 2], 0.5).numpy()", "array([0.5, 1. ])"
    ),
    "divide": Text(
        "The quotient x1 / x2, a float for whole numbers too.", "divide([1, 2], 4).numpy()", "array([0.25, 0.5 ])"
    ),
    "true_divide": Text(
        "The quotient x1 / x2, a float for whole numbers too; the same as `divide`.",
        "true_divide([1, 2], 4).numpy()",
        "array([0.25, 0.5 ])",
    ),
    "floor_divide": Text(
        "The largest whole number that is not above x1 / x2.",
        "floor_divide([7, -7], 2).numpy()",
        "array([ 3, -4])",
        _VALUES,
    ),
    "remainder": Text(
        "What `floor_divide` leaves over, with the sign of x2.", "remainder([7, -7], 3).numpy()", "array([1, 2])"
    ),
    "mod": Text(
        "What `floor_divide` leaves over, with the sign of x2; the same as `remainder`.",
        "mod([7, -7], 3).numpy()",
        "array([1, 2])",
    ),
    "fmod": Text(
        "What a division cut towards zero leaves over, with the sign of x1.",
        "fmod([7, -7], 3).numpy()",
        "array([ 1, -1])",
    ),
    "divmod": Text(
        "The whole quotient and the remainder: `floor_divide` and `remainder` at once.",
        "divmod(7, 3)[1].numpy()",
        "np.int64(1)",
        "Two tensors of the type that NumPy chooses.",
    ),
    "power": Text(
        "x1 to the power of x2, in the type of both.",
        "power([2, 3], 2).numpy()",
        "array([4, 9])",
        _FOLLOWED,
        {"x1": "The bases.", "x2": "The exponents, which broadcast with them."},
    ),
    "float_power": Text(
        "x1 to the power of x2, in float64 at least.",
        "float_power([2, 3], -1).numpy()",
        "array([0.5       , 0.33333333])",
        _FOLLOWED,
        {"x1": "The bases.", "x2": "The exponents, which broadcast with them."},
    ),
    "negative": Text("Each number with the other sign.", "negative([1.0, -2.0]).numpy()", "array([-1.,  2.])"),
    "positive": Text("The numbers as they are.", "positive([1.0, -2.0]).numpy()", "array([ 1., -2.])"),
    "absolute": Text("The magnitude; of complex numbers too.", "absolute([-1.0, 3 + 4j]).numpy()", "array([1., 5.])"),
    "abs": Text(
        "The magnitude; of complex numbers too. The same as `absolute`.",
        "abs([-1.0, 3 + 4j]).numpy()",
        "array([1., 5.])",
    ),
    "fabs": Text("The magnitude of real numbers, as floats.", "fabs([-1, 2]).numpy()", "array([1., 2.])"),
    "sign": Text(
        "-1, 0 or 1; of a complex number, its direction.", "sign([-2.5, 0.0, 3.0]).numpy()", "array([-1.,  0.,  1.])"
    ),
    "square": Text("x * x.", "square([2, 3]).numpy()", "array([4, 9])"),
    "sqrt": Text("The square root; NaN for negative numbers.", "sqrt([4, 9]).numpy()", "array([2., 3.])"),
    "cbrt": Text("The cube root, of negative numbers too.", "cbrt([8.0, -27.0]).numpy()", "array([ 2., -3.])"),
    "reciprocal": Text(
        "1 / x; of whole numbers, cut to a whole number.", "reciprocal([2.0, 4.0]).numpy()", "array([0.5 , 0.25])"
    ),
    "exp": Text("e to the power of x.", "exp([0.0, 1.0]).numpy()", "array([1.        , 2.71828183])"),
    "exp2": Text("2 to the power of x.", "exp2([3.0, -1.0]).numpy()", "array([8. , 0.5])"),
    "expm1": Text("exp(x) - 1, exact for small x.", "expm1([0.0, 1e-10]).numpy()", "array([0.e+00, 1.e-10])"),
    "log": Text("The natural logarithm.", "log([1.0, 10.0]).numpy()", "array([0.        , 2.30258509])"),
    "log2": Text("The logarithm to the base 2.", "log2([1.0, 8.0]).numpy()", "array([0., 3.])"),
    "log10": Text("The logarithm to the base 10.", "log10([1.0, 100.0]).numpy()", "array([0., 2.])"),
    "log1p": Text("log(1 + x), exact for small x.", "log1p([0.0, 1e-10]).numpy()", "array([0.e+00, 1.e-10])"),
    "logaddexp": Text(
        "log(exp(x1) + exp(x2)), without overflow.",
        "logaddexp(1000.0, [1000.0, 0.0]).numpy()",
        "array([1000.69314718, 1000.        ])",
    ),
    "logaddexp2": Text(
        "The same to the base 2: log2(2**x1 + 2**x2), without overflow.",
        "logaddexp2(2000.0, [2000.0, 0.0]).numpy()",
        "array([2001., 2000.])",
    ),
    "sin": Text("The sine of angles in radians.", "sin([0.0, 1.0]).numpy()", "array([0.        , 0.84147098])"),
    "cos": Text("The cosine of angles in radians.", "cos([0.0, 1.0]).numpy()", "array([1.        , 0.54030231])"),
    "tan": Text("The tangent of angles in radians.", "tan([0.0, 1.0]).numpy()", "array([0.        , 1.55740772])"),
    "arcsin": Text(
        "The angle between -pi/2 and pi/2 whose sine is x.",
        "arcsin([0.0, 1.0]).numpy()",
        "array([0.        , 1.57079633])",
    ),
    "arccos": Text(
        "The angle between 0 and pi whose cosine is x.", "arccos([1.0, 0.0]).numpy()", "array([0.        , 1.57079633])"
    ),
    "arctan": Text(
        "The angle between -pi/2 and pi/2 whose tangent is x.",
        "arctan([0.0, 1.0]).numpy()",
        "array([0.        , 0.78539816])",
    ),
    "arctan2": Text(
        "The angle of the point (x2, x1), between -pi and pi.",
        "arctan2([1.0, 1.0], [1.0, -1.0]).numpy()",
        "array([0.78539816, 2.35619449])",
        _FOLLOWED,
        {"x1": "The second coordinates, y.", "x2": "The first coordinates, x, which broadcast with them."},
    ),
    "sinh": Text("The hyperbolic sine.", "sinh([0.0, 1.0]).numpy()", "array([0.        , 1.17520119])"),
    "cosh": Text("The hyperbolic cosine.", "cosh([0.0, 1.0]).numpy()", "array([1.        , 1.54308063])"),
    "tanh": Text("The hyperbolic tangent.", "tanh([0.0, 1.0]).numpy()", "array([0.        , 0.76159416])"),
    "arcsinh": Text(
        "The number whose hyperbolic sine is x.", "arcsinh([0.0, 1.0]).numpy()", "array([0.        , 0.88137359])"
    ),
    "arccosh": Text(
        "The number, not below 0, whose hyperbolic cosine is x.",
        "arccosh([1.0, 2.0]).numpy()",
        "array([0.       , 1.3169579])",
    ),
    "arctanh": Text(
        "The number whose hyperbolic tangent is x.", "arctanh([0.0, 0.5]).numpy()", "array([0.        , 0.54930614])"
    ),
    "hypot": Text(
        "sqrt(x1**2 + x2**2), without overflow.", "hypot([3.0, 5.0], [4.0, 12.0]).numpy()", "array([ 5., 13.])"
    ),
    "deg2rad": Text("Degrees as radians.", "deg2rad([0.0, 180.0]).numpy()", "array([0.        , 3.14159265])"),
    "radians": Text(
        "Degrees as radians; the same as `deg2rad`.", "radians([0.0, 180.0]).numpy()", "array([0.        , 3.14159265])"
    ),
    "rad2deg": Text("Radians as degrees.", "rad2deg([0.0, 1.0]).numpy()", "array([ 0.        , 57.29577951])"),
    "degrees": Text(
        "Radians as degrees; the same as `rad2deg`.", "degrees([0.0, 1.0]).numpy()", "array([ 0.        , 57.29577951])"
    ),
    "floor": Text(
        "The largest whole number that is not above x.", "floor([1.5, -1.5]).numpy()", "array([ 1., -2.])", _VALUES
    ),
    "ceil": Text(
        "The smallest whole number that is not below x.", "ceil([1.5, -1.5]).numpy()", "array([ 2., -1.])", _VALUES
    ),
    "trunc": Text("The nearest whole number towards zero.", "trunc([1.5, -1.5]).numpy()", "array([ 1., -1.])", _VALUES),
    "rint": Text(
        "The nearest whole number; halves go to the even one.",
        "rint([0.5, 1.5, 2.6]).numpy()",
        "array([0., 2., 3.])",
        _VALUES,
    ),
    "maximum": Text("The larger of two numbers; NaN if either is.", "maximum([1, 5], 3).numpy()", "array([3, 5])"),
    "minimum": Text("The smaller of two numbers; NaN if either is.", "minimum([1, 5], 3).numpy()", "array([1, 3])"),
    "fmax": Text(
        "The larger of two numbers; the other one if one is NaN.",
        "fmax([1.0, tf.numpy.nan], 0.5).numpy()",
        "array([1. , 0.5])",
    ),
    "fmin": Text(
        "The smaller of two numbers; the other one if one is NaN.",
        "fmin([1.0, tf.numpy.nan], 2.5).numpy()",
        "array([1. , 2.5])",
    ),
    "copysign": Text(
        "The magnitude of x1 with the sign of x2.", "copysign(3.0, [-1.0, 1.0]).numpy()", "array([-3.,  3.])"
    ),
    "heaviside": Text(
        "0 below zero, 1 above, and x2 at zero.",
        "heaviside([-2.0, 0.0, 2.0], 0.5).numpy()",
        "array([0. , 0.5, 1. ])",
        _FOLLOWED,
        {"x2": "The value at zero, which broadcasts with x1."},
    ),
    "nextafter": Text(
        "The next number of the type from x1 towards x2.",
        "nextafter(1.0, 2.0).numpy()",
        "np.float64(1.0000000000000002)",
    ),
    "conjugate": Text("The complex conjugate.", "conjugate([1 + 2j, 3.0]).numpy()", "array([1.-2.j, 3.-0.j])"),
    "conj": Text(
        "The complex conjugate; the same as `conjugate`.", "conj([1 + 2j, 3.0]).numpy()", "array([1.-2.j, 3.-0.j])"
    ),
    "equal": Text("Whether x1 == x2.", "equal([1, 2], [1.0, 3.0]).numpy()", "array([ True, False])", _TRUTH),
    "not_equal": Text("Whether x1 != x2.", "not_equal([1, 2], [1.0, 3.0]).numpy()", "array([False,  True])", _TRUTH),
    "less": Text("Whether x1 < x2.", "less([1, 2, 3], 2).numpy()", "array([ True, False, False])", _TRUTH),
    "less_equal": Text("Whether x1 <= x2.", "less_equal([1, 2, 3], 2).numpy()", "array([ True,  True, False])", _TRUTH),
    "greater": Text("Whether x1 > x2.", "greater([1, 2, 3], 2).numpy()", "array([False, False,  True])", _TRUTH),
    "greater_equal": Text(
        "Whether x1 >= x2.", "greater_equal([1, 2, 3], 2).numpy()", "array([False,  True,  True])", _TRUTH
    ),
    "logical_and": Text(
        "Whether both are not zero.",
        "logical_and([0, 1, 2], [1, 0, 3]).numpy()",
        "array([False, False,  True])",
        _TRUTH,
    ),
    "logical_or": Text(
        "Whether either is not zero.",
        "logical_or([0, 1, 0], [0, 0, 3]).numpy()",
        "array([False,  True,  True])",
        _TRUTH,
    ),
    "logical_xor": Text(
        "Whether exactly one is not zero.",
        "logical_xor([0, 1, 2], [0, 0, 3]).numpy()",
        "array([False,  True, False])",
        _TRUTH,
    ),
    "logical_not": Text(
        "Whether it is zero.", "logical_not([0, 1, 2]).numpy()", "array([ True, False, False])", _TRUTH
    ),
    "isnan": Text(
        "Whether it is NaN.", "isnan([1.0, tf.numpy.nan, tf.numpy.inf]).numpy()", "array([False,  True, False])", _TRUTH
    ),
    "isinf": Text(
        "Whether it is infinite, of either sign.",
        "isinf([1.0, tf.numpy.nan, tf.numpy.inf]).numpy()",
        "array([False, False,  True])",
        _TRUTH,
    ),
    "isfinite": Text(
        "Whether it is neither infinite nor NaN.",
        "isfinite([1.0, tf.numpy.nan, tf.numpy.inf]).numpy()",
        "array([ True, False, False])",
        _TRUTH,
    ),
    "signbit": Text(
        "Whether the sign is negative, that of -0.0 too.",
        "signbit([-1.0, -0.0, 0.0]).numpy()",
        "array([ True,  True, False])",
        _TRUTH,
    ),
    "bitwise_and": Text("The bits that both have.", "bitwise_and(0b1100, 0b1010).numpy()", "np.int64(8)", _WHOLE),
    "bitwise_or": Text("The bits that either has.", "bitwise_or(0b1100, 0b1010).numpy()", "np.int64(14)", _WHOLE),
    "bitwise_xor": Text("The bits that exactly one has.", "bitwise_xor(0b1100, 0b1010).numpy()", "np.int64(6)", _WHOLE),
    "bitwise_not": Text(
        "All bits turned; of truth values, `logical_not`.", "bitwise_not([0, 5]).numpy()", "array([-1, -6])", _WHOLE
    ),
    "invert": Text(
        "All bits turned; of truth values, `logical_not`. The same as `bitwise_not`.",
        "invert([0, 5]).numpy()",
        "array([-1, -6])",
        _WHOLE,
    ),
    "left_shift": Text(
        "The bits moved to the left: x1 * 2**x2.",
        "left_shift([1, 3], 2).numpy()",
        "array([ 4, 12])",
        _WHOLE,
        {"x1": "Whole numbers.", "x2": "How many places, which broadcasts with them."},
    ),
    "right_shift": Text(
        "The bits moved to the right: x1 // 2**x2.",
        "right_shift([8, 13], 2).numpy()",
        "array([2, 3])",
        _WHOLE,
        {"x1": "Whole numbers.", "x2": "How many places, which broadcasts with them."},
    ),
    "gcd": Text("The greatest common divisor.", "gcd([12, 18], 8).numpy()", "array([4, 2])", _WHOLE),
    "lcm": Text("The least common multiple.", "lcm([4, 6], 10).numpy()", "array([20, 30])", _WHOLE),
    "ldexp": Text(
        "x1 * 2**x2.",
        "ldexp([1.0, 3.0], [2, 3]).numpy()",
        "array([ 4., 24.])",
        _FOLLOWED,
        {"x1": "Numbers.", "x2": "Whole exponents, which broadcast with them."},
    ),
    "frexp": Text(
        "The mantissa, at least 0.5 and below 1 in magnitude, and the exponent: x = mantissa * 2**exponent.",
        "frexp(12.0)[0].numpy()",
        "np.float64(0.75)",
        "Two tensors: mantissas and whole exponents.",
    ),
    "modf": Text(
        "The part behind the point, and the whole part; both have the sign of x.",
        "modf([1.5, -2.25])[0].numpy()",
        "array([ 0.5 , -0.25])",
        "Two tensors: the parts behind the point and the whole parts.",
    ),
    "spacing": Text(
        "The distance to the next number of the type.",
        "spacing([1.0, 4.0]).numpy()",
        "array([2.22044605e-16, 8.88178420e-16])",
        _VALUES,
    ),
    "bitwise_count": Text(
        "How many bits the magnitude has that are 1.",
        "bitwise_count([7, -8]).numpy()",
        "array([3, 1], dtype=uint8)",
        _WHOLE,
    ),
}

# Questions about each element that are no ufuncs.
QUESTIONS: dict[str, Text] = {
    "isneginf": Text(
        "Whether it is minus infinity.",
        "isneginf([-tf.numpy.inf, 0.0, tf.numpy.inf]).numpy()",
        "array([ True, False, False])",
        _TRUTH,
    ),
    "isposinf": Text(
        "Whether it is plus infinity.",
        "isposinf([-tf.numpy.inf, 0.0, tf.numpy.inf]).numpy()",
        "array([False, False,  True])",
        _TRUTH,
    ),
    "isreal": Text(
        "Whether the imaginary part is zero.", "isreal([1 + 0j, 2j]).numpy()", "array([ True, False])", _TRUTH
    ),
    "iscomplex": Text(
        "Whether the imaginary part is not zero.", "iscomplex([1 + 0j, 2j]).numpy()", "array([False,  True])", _TRUTH
    ),
}

# Over axes, or along one.
REDUCTIONS: dict[str, Text] = {
    "sum": Text("The sum.", "sum([[1, 2], [3, 4]], axis=0).numpy()", "array([4, 6])"),
    "prod": Text("The product.", "prod([[1, 2], [3, 4]], axis=1).numpy()", "array([ 2, 12])"),
    "mean": Text(
        "The mean, a float for whole numbers too.", "mean([[1, 2], [3, 4]], axis=1).numpy()", "array([1.5, 3.5])"
    ),
    "max": Text("The largest element; NaN if any is.", "max([[1, 5], [7, 2]], axis=1).numpy()", "array([5, 7])"),
    "amax": Text(
        "The largest element; NaN if any is. The same as `max`.",
        "amax([[1, 5], [7, 2]], axis=1).numpy()",
        "array([5, 7])",
    ),
    "min": Text("The smallest element; NaN if any is.", "min([[1, 5], [7, 2]], axis=1).numpy()", "array([1, 2])"),
    "amin": Text(
        "The smallest element; NaN if any is. The same as `min`.",
        "amin([[1, 5], [7, 2]], axis=1).numpy()",
        "array([1, 2])",
    ),
    "all": Text(
        "Whether all elements are true, or not zero.",
        "all([[1, 0], [2, 3]], axis=1).numpy()",
        "array([False,  True])",
        _TRUTH,
    ),
    "any": Text(
        "Whether any element is true, or not zero.",
        "any([[0, 0], [2, 0]], axis=1).numpy()",
        "array([False,  True])",
        _TRUTH,
    ),
    "nansum": Text(
        "The sum of what is not NaN; 0 of nothing.", "nansum([1.0, tf.numpy.nan, 3.0]).numpy()", "np.float64(4.0)"
    ),
    "nanprod": Text(
        "The product of what is not NaN; 1 of nothing.", "nanprod([2.0, tf.numpy.nan, 3.0]).numpy()", "np.float64(6.0)"
    ),
    "nanmax": Text(
        "The largest element that is not NaN.", "nanmax([1.0, tf.numpy.nan, 3.0]).numpy()", "np.float64(3.0)"
    ),
    "nanmin": Text(
        "The smallest element that is not NaN.", "nanmin([1.0, tf.numpy.nan, 3.0]).numpy()", "np.float64(1.0)"
    ),
    "nanmean": Text("The mean of what is not NaN.", "nanmean([1.0, tf.numpy.nan, 3.0]).numpy()", "np.float64(2.0)"),
    "cumsum": Text(
        "The sums of all elements up to each.",
        "cumsum([1, 2, 3, 4]).numpy()",
        "array([ 1,  3,  6, 10])",
        _FOLLOWED,
        {"axis": "The axis; None: all elements, flattened."},
    ),
    "cumprod": Text(
        "The products of all elements up to each.",
        "cumprod([1, 2, 3, 4]).numpy()",
        "array([ 1,  2,  6, 24])",
        _FOLLOWED,
        {"axis": "The axis; None: all elements, flattened."},
    ),
    "argmax": Text(
        "The position of the largest element: of the first of them, or of the first NaN.",
        "argmax([[1, 5], [7, 2]], axis=1).numpy()",
        "array([1, 0])",
        _WHOLE,
        {"axis": "The axis; None: all elements, flattened."},
    ),
    "argmin": Text(
        "The position of the smallest element: of the first of them, or of the first NaN.",
        "argmin([[1, 5], [7, 2]], axis=1).numpy()",
        "array([0, 1])",
        _WHOLE,
        {"axis": "The axis; None: all elements, flattened."},
    ),
    "cumulative_sum": Text(
        "The sums of all elements up to each, along an axis.",
        "cumulative_sum([1, 2, 3], include_initial=True).numpy()",
        "array([0, 1, 3, 6])",
        _FOLLOWED,
        {"axis": "The axis; None: the only one."},
    ),
    "cumulative_prod": Text(
        "The products of all elements up to each, along an axis.",
        "cumulative_prod([2, 3, 4], include_initial=True).numpy()",
        "array([ 1,  2,  6, 24])",
        _FOLLOWED,
        {"axis": "The axis; None: the only one."},
    ),
}

# `atleast_1d` and its kind.
RANKS: dict[str, Text] = {
    "atleast_1d": Text(
        "The values with at least one axis.",
        "atleast_1d(3.0).numpy()",
        "array([3.])",
        "A tensor; a list of them, where several values are given.",
    ),
    "atleast_2d": Text(
        "The values with at least two axes: a vector becomes a row.",
        "atleast_2d([1, 2]).numpy()",
        "array([[1, 2]])",
        "A tensor; a list of them, where several values are given.",
    ),
    "atleast_3d": Text(
        "The values with at least three axes: a vector becomes the middle one.",
        "atleast_3d([1, 2]).shape",
        "TensorShape([1, 2, 1])",
        "A tensor; a list of them, where several values are given.",
    ),
}
