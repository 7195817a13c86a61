"""Comparison, logic, selection and predicates (is_nan, isreal), element by element; constants shaped like an operand; and
check_numerics.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import ANY, BOOL, FLOATING, INEXACT, NARROW_FLOATS, REAL, Array
from ...base.errors import invalid
from ...base.sizes import larger, smaller
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import UNARY_SHAPES, elementwise, sample_binary, sample_unary, usually
from ...op.shapes import like

# --- comparison, logic, selection ------------------------------------------------------------------------------------


@elementwise(eager=operator.eq, dtypes=ANY, numbers=True, gives=np.bool_)
def equal(xp: Namespace, x: Array, y: Array) -> Any:
    """Whether x equals y, element by element.

    >>> import gradtape as tf
    >>> tf.equal([1, 2, 3], 2).numpy()
    array([False,  True, False])
    """
    return x == y


@elementwise(eager=operator.ne, dtypes=ANY, numbers=True, gives=np.bool_)
def not_equal(xp: Namespace, x: Array, y: Array) -> Any:
    """Whether x differs from y, element by element.

    >>> import gradtape as tf
    >>> tf.not_equal([1, 2, 3], 2).numpy()
    array([ True, False,  True])
    """
    return x != y


@elementwise(eager=operator.lt, dtypes=REAL, numbers=True, gives=np.bool_)
def less(xp: Namespace, x: Array, y: Array) -> Any:
    """Whether x < y, element by element.

    >>> import gradtape as tf
    >>> tf.less([1, 2, 3], 2).numpy()
    array([ True, False, False])
    """
    return x < y


@elementwise(eager=operator.le, dtypes=REAL, numbers=True, gives=np.bool_)
def less_equal(xp: Namespace, x: Array, y: Array) -> Any:
    """Whether x <= y, element by element.

    >>> import gradtape as tf
    >>> tf.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])
    """
    return x <= y


@elementwise(eager=operator.gt, dtypes=REAL, numbers=True, gives=np.bool_)
def greater(xp: Namespace, x: Array, y: Array) -> Any:
    """Whether x > y, element by element.

    >>> import gradtape as tf
    >>> tf.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """
    return x > y


@elementwise(eager=operator.ge, dtypes=REAL, numbers=True, gives=np.bool_)
def greater_equal(xp: Namespace, x: Array, y: Array) -> Any:
    """Whether x >= y, element by element.

    >>> import gradtape as tf
    >>> tf.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])
    """
    return x >= y


for _op in (equal, not_equal, less, less_equal, greater, greater_equal):
    _op.not_differentiable("truth values have no derivative")


@elementwise(eager=np.logical_and, dtypes=BOOL)
def logical_and(xp: Namespace, x: Array, y: Array) -> Any:
    """Whether both are true.

    >>> import gradtape as tf
    >>> tf.logical_and([True, True], [True, False]).numpy()
    array([ True, False])
    """
    return xp.logical_and(x, y)


@elementwise(eager=np.logical_or, dtypes=BOOL)
def logical_or(xp: Namespace, x: Array, y: Array) -> Any:
    """Whether at least one is true.

    >>> import gradtape as tf
    >>> tf.logical_or([True, False], [False, False]).numpy()
    array([ True, False])
    """
    return xp.logical_or(x, y)


@elementwise(eager=np.logical_xor, dtypes=BOOL)
def logical_xor(xp: Namespace, x: Array, y: Array) -> Any:
    """Whether exactly one is true.

    >>> import gradtape as tf
    >>> tf.math.logical_xor([True, True], [True, False]).numpy()
    array([False,  True])
    """
    return xp.logical_xor(x, y)


@elementwise(eager=np.logical_not, dtypes=BOOL)
def logical_not(xp: Namespace, x: Array) -> Any:
    """Whether x is false.

    >>> import gradtape as tf
    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])
    """
    return xp.logical_not(x)


for _op in (logical_and, logical_or, logical_xor, logical_not):
    _op.not_differentiable("truth values have no derivative")


@elementwise(eager=np.isnan, dtypes=FLOATING, tf_name="IsNan", gives=np.bool_)
def is_nan(xp: Namespace, x: Array) -> Any:
    """Whether x is not a number.

    >>> import gradtape as tf
    >>> tf.math.is_nan([1.0, float("nan")]).numpy()
    array([False,  True])
    """
    return xp.isnan(x)


@elementwise(eager=np.isinf, dtypes=FLOATING, tf_name="IsInf", gives=np.bool_)
def is_inf(xp: Namespace, x: Array) -> Any:
    """Whether x is infinite.

    >>> import gradtape as tf
    >>> tf.math.is_inf([1.0, float("inf")]).numpy()
    array([False,  True])
    """
    return xp.isinf(x)


@elementwise(eager=np.isfinite, dtypes=FLOATING, tf_name="IsFinite", gives=np.bool_)
def is_finite(xp: Namespace, x: Array) -> Any:
    """Whether x is a finite number.

    >>> import gradtape as tf
    >>> tf.math.is_finite([1.0, float("inf")]).numpy()
    array([ True, False])
    """
    return xp.isfinite(x)


for _op in (is_nan, is_inf, is_finite):
    _op.not_differentiable("truth values have no derivative", lookup_error=True)


@elementwise(eager=np.maximum, dtypes=REAL, numbers=True, on_sizes=np.frompyfunc(larger, 2, 1))
def maximum(xp: Namespace, x: Array, y: Array) -> Any:
    """The larger of x and y, element by element, with broadcasting.

    >>> import gradtape as tf
    >>> tf.maximum([1.0, 5.0], 2.0).numpy()
    array([2., 5.], dtype=float32)

    Where both are equal the derivative goes to x. Where one is nan, so is the result.
    """
    return xp.maximum(x, y)


@maximum.derivative("x")
def _(t: Value, x: Value, y: Value) -> Any:
    return select(greater_equal(x, y), t, zeros_like(t))


@maximum.derivative("y")
def _(t: Value, x: Value, y: Value) -> Any:
    return select(greater_equal(x, y), zeros_like(t), t)


@elementwise(eager=np.minimum, dtypes=REAL, numbers=True, on_sizes=np.frompyfunc(smaller, 2, 1))
def minimum(xp: Namespace, x: Array, y: Array) -> Any:
    """The smaller of x and y, element by element, with broadcasting.

    >>> import gradtape as tf
    >>> tf.minimum([1.0, 5.0], 2.0).numpy()
    array([1., 2.], dtype=float32)

    Where both are equal the derivative goes to x. Where one is nan, so is the result.
    """
    return xp.minimum(x, y)


@minimum.derivative("x")
def _(t: Value, x: Value, y: Value) -> Any:
    return select(less_equal(x, y), t, zeros_like(t))


@minimum.derivative("y")
def _(t: Value, x: Value, y: Value) -> Any:
    return select(less_equal(x, y), zeros_like(t), t)


@elementwise(eager=np.where, dtypes=ANY, other={"condition": BOOL}, tf_name="SelectV2")
def select(xp: Namespace, condition: Array, x: Array, y: Array) -> Any:
    """x where the condition holds, y elsewhere."""
    return xp.where(condition, x, y)


@select.vjp("x")
def _(g: Cotangent, condition: Value) -> Any:
    return select(condition, g, zeros_like(g))


@select.vjp("y")
def _(g: Cotangent, condition: Value) -> Any:
    return select(condition, zeros_like(g), g)


@select.jvp("x")
def _(t: Tangent, condition: Value) -> Any:
    return select(condition, t, zeros_like(t))


@select.jvp("y")
def _(t: Tangent, condition: Value) -> Any:
    return select(condition, zeros_like(t), t)


@select.samples
def _(draw: Draw) -> Iterator[Sample]:
    for condition, x, y in [
        ((3,), (3,), (3,)), ((2, 3), (2, 3), (2, 3)), ((), (), ()), ((3,), (), (3,)), ((2, 1), (3,), ()), ((2, 3), (3,), (2, 1)), ((0,), (0,), (0,)),
        ((), (2, 3), (3,)), ((1,), (4,), (4,)), ((2, 1, 2), (3, 1), (2,)), ((3, 1), (1, 2), (3, 2)), ((2, 0), (), ()),
    ]:  # fmt: skip
        mask = np.asarray(np.arange(int(np.prod(condition))).reshape(condition) % 2 == 0)
        yield Sample((mask, draw(x), draw(y)))


@select.rejects
def _() -> Iterator[BadInput]:
    mask, x = np.array([True, False]), np.ones(2, np.float32)
    for condition in (np.array([1.0, 0.0], np.float32), np.array([1, 0], np.int32)):
        yield BadInput("the condition is bool", (condition, x, x))
    for a, b in [((3,), (2,)), ((2,), (3,)), ((2, 3), (2,)), ((4, 1), (3,))]:
        yield BadInput("the shapes must broadcast", (mask, np.ones(a, np.float32), np.ones(b, np.float32)))
    yield BadInput("types never mix", (mask, x, x.astype(np.float64)))


# --- constants shaped like an operand --------------------------------------------------------------------------------


@elementwise(eager=np.zeros_like, dtypes=ANY)
def zeros_like(xp: Namespace, input: Array) -> Any:
    """Zeros of the same shape and type."""
    return xp.zeros_like(input)


@elementwise(eager=np.ones_like, dtypes=ANY)
def ones_like(xp: Namespace, input: Array) -> Any:
    """Ones of the same shape and type."""
    return xp.ones_like(input)


zeros_like.not_differentiable("its value does not depend on that of its operand")
ones_like.not_differentiable("its value does not depend on that of its operand")


# --- samples: the values on which each op is tested ------------------------------------------------------------------

for _op in (is_nan, is_inf, is_finite, zeros_like, ones_like, logical_not):
    sample_unary(_op)
for _op in (equal, not_equal, less, less_equal, greater, greater_equal, logical_and, logical_or, logical_xor):
    sample_binary(_op)
for _op in (maximum, minimum):
    sample_binary(_op)


# --- predicates of single numbers ---------------------------------------------------------------------------


@elementwise(eager=np.isneginf, dtypes=FLOATING - NARROW_FLOATS, gives=np.bool_)
def isneginf(xp: Namespace, x: Array) -> Any:
    """Whether x is minus infinity."""
    return xp.isneginf(x)


@elementwise(eager=np.isposinf, dtypes=FLOATING - NARROW_FLOATS, gives=np.bool_)
def isposinf(xp: Namespace, x: Array) -> Any:
    """Whether x is plus infinity."""
    return xp.isposinf(x)


@elementwise(eager=np.isreal, dtypes=INEXACT, gives=np.bool_)
def isreal(xp: Namespace, x: Array) -> Any:
    """Whether the imaginary part is 0."""
    return xp.isreal(x)


@elementwise(eager=np.iscomplex, dtypes=INEXACT, gives=np.bool_)
def iscomplex(xp: Namespace, x: Array) -> Any:
    """Whether the imaginary part is not 0."""
    return xp.iscomplex(x)


for _op in (isneginf, isposinf, isreal, iscomplex):
    _op.not_differentiable("truth values have no derivative")
    sample_unary(_op)
for _op in (isneginf, isposinf):

    @_op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        yield Sample((np.array([np.inf, -np.inf, np.nan, 0.0]),))


@isneginf.value
def _(x: Array) -> Any:
    return x == -np.inf


@isposinf.value
def _(x: Array) -> Any:
    return x == np.inf


# --- checks -------------------------------------------------------------------------------------------------


def _check_numerics(tensor: Array, message: str = "") -> Array:
    if not usually(np.all(np.isfinite(tensor))):
        found = [word for word, test in (("Inf", np.isinf), ("NaN", np.isnan)) if np.any(test(tensor))]
        raise invalid(f"{message} : Tensor had {' and '.join(found)} values")
    return tensor


@op(eager=_check_numerics, dtypes=INEXACT, shape=like(0))
def check_numerics(xp: Namespace, tensor: Array, *, message: str) -> Any:
    """The tensor, if it has no nan and no inf."""
    return tensor


@check_numerics.vjp("tensor")
def _(g: Cotangent) -> Any:
    return g


@check_numerics.jvp("tensor")
def _(t: Tangent) -> Any:
    return t


@check_numerics.batched
def _(declared: Op, is_batched: tuple[bool, ...], args: tuple[Value, ...], attributes: dict[str, Any]) -> Any:
    return declared(args[0], **attributes)


@check_numerics.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in UNARY_SHAPES:
        yield Sample((draw(shape),), {"message": "checked"})


@check_numerics.rejects
def _() -> Iterator[BadInput]:
    for value in (np.nan, np.inf, -np.inf):
        yield BadInput("a finite number", (np.array([1.0, value], np.float32),), {"message": "checked"})
        yield BadInput("a finite number", (np.array(value),), {"message": "checked"})
