"""Derivatives of roots and of the reciprocal as ops of their own, under TensorFlow's names: sqrt_grad, rsqrt_grad,
reciprocal_grad. Those of activations are in ops/nn/slopes.py, which says what they are for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.dtypes import FLOATING, Array
from ...base.types import Draw, Namespace, Value
from ...op.declaration import Op, Sample
from ...op.family import UNARY_SHAPES, elementwise, one_pass


@one_pass
def _sqrt_grad(y: Array, dy: Array) -> Any:
    return dy * y.dtype.type(0.5) / y


@elementwise(eager=_sqrt_grad, dtypes=FLOATING)
def sqrt_grad(xp: Namespace, y: Array, dy: Array) -> Any:
    """dy / (2 y): the slope of the square root where it is y."""
    return dy * 0.5 / y


@sqrt_grad.derivative("y")
def _(t: Value, y: Value, out: Value) -> Any:
    return -t * out / y


@sqrt_grad.derivative("dy")
def _(t: Value, y: Value) -> Any:
    return sqrt_grad(y, t)


@one_pass
def _rsqrt_grad(y: Array, dy: Array) -> Any:
    return dy * y.dtype.type(-0.5) * y * y * y


@elementwise(eager=_rsqrt_grad, dtypes=FLOATING)
def rsqrt_grad(xp: Namespace, y: Array, dy: Array) -> Any:
    """-dy y^3 / 2: the slope of 1 / sqrt(x) where it is y."""
    return dy * -0.5 * y * y * y


@rsqrt_grad.derivative("y")
def _(t: Value, y: Value, dy: Value) -> Any:
    return t * dy * -1.5 * y * y


@rsqrt_grad.derivative("dy")
def _(t: Value, y: Value) -> Any:
    return rsqrt_grad(y, t)


@one_pass
def _reciprocal_grad(y: Array, dy: Array) -> Any:
    return -dy * y * y


@elementwise(eager=_reciprocal_grad, dtypes=FLOATING)
def reciprocal_grad(xp: Namespace, y: Array, dy: Array) -> Any:
    """-dy y^2: the slope of 1 / x where it is y."""
    return -dy * y * y


@reciprocal_grad.derivative("y")
def _(t: Value, y: Value, dy: Value) -> Any:
    return -2.0 * (t * dy) * y


@reciprocal_grad.derivative("dy")
def _(t: Value, y: Value) -> Any:
    return reciprocal_grad(y, t)


def sample_slope(op: Op, low: float, high: float, kept_first: bool, avoid: tuple[float, ...] = ()) -> None:
    """Samples of a slope: what the forward pass kept, from `low` to `high`, and a cotangent; `kept_first` says their order."""

    @op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for shape in UNARY_SHAPES:
            pair = (draw(shape, low, high, avoid), draw(shape))
            yield Sample(pair if kept_first else pair[::-1])


for _op in (sqrt_grad, rsqrt_grad, reciprocal_grad):
    sample_slope(_op, 0.3, 2.0, True)


@sqrt_grad.value
def _(y: Array, dy: Array) -> Any:
    return dy / (2 * y)


@rsqrt_grad.value
def _(y: Array, dy: Array) -> Any:
    return -dy / (2 * (1 / y**2) ** 1.5)


@reciprocal_grad.value
def _(y: Array, dy: Array) -> Any:
    return -dy / (1 / y) ** 2
