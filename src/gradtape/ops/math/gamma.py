"""The gamma function and its relatives: logarithm and derivatives, the zeta function, incomplete integrals,
the multivariate beta function (lbeta).

`igamma` is differentiated in both arguments, to any order: the n-th derivative in `a` is an op of its own,
computed as an integral, and in `x` it is the gamma density and its derivatives in `a`: closed forms.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.errors import invalid
from ...base.types import Cotangent, Draw, Namespace, Tangent, Value
from ...native import thresholds
from ...op.declaration import BadInput, Op, Sample, op
from ...op.family import as_array, batch_leading, elementwise, in_float32, rank_of, sample_binary, sample_unary
from ...op.shapes import without_last
from ..array.layout import expand_dims
from .elementwise import log, log1p
from .logic import ones_like
from .reduce import reduce_sum
from .special import from_scipy, functions, keeping_type, reject_types

# --- the gamma function -------------------------------------------------------------------------------------


@functools.cache
def _around_2() -> Array:
    """The coefficients of log(gamma(2 + e)): 1 - Euler's constant, then (zeta(k) - 1) / k with alternating signs."""
    k = np.arange(2, 26)
    return np.concatenate([[0.0, 1 - np.euler_gamma], functions(np).zetac(k) / k * (-1.0) ** k])


def _near_its_zeros(x: Array) -> Array:
    """log(gamma(x)) at most 0.3 away from 1 or 2, where it is 0 and SciPy's has few digits."""
    e = x - np.round(x)
    above: Array = np.polynomial.polynomial.polyval(e, _around_2())
    return np.where(x < 1.5, above - np.log1p(e), above)


def _lgamma(x: Array) -> Any:
    value = np.where(x == -np.inf, np.inf, functions(np).gammaln(x))  # C's limit; SciPy's is -inf
    tiny = (np.abs(x) < 1e-300) & (x != 0)  # gamma(x) is 1 / x there, which may overflow
    value = np.where(tiny, -np.log(np.abs(np.where(tiny, x, 1))), value)
    near = (x > 0.7) & (x < 2.3) & (np.abs(x - np.round(x)) < 0.3)
    return np.where(near, _near_its_zeros(np.where(near, x, 1.0)), value)


@elementwise(eager=keeping_type(_lgamma), dtypes=FLOATING)
def lgamma(xp: Namespace, x: Array) -> Any:
    """The logarithm of the absolute value of the gamma function.

    >>> import gradtape as tf
    >>> tf.math.lgamma([1.0, 5.0]).numpy()
    array([0.       , 3.1780539], dtype=float32)
    """
    return functions(xp).gammaln(x)


@lgamma.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * digamma(x)


def _digamma(x: Array) -> Any:
    value = functions(np).digamma(x)
    # Next to a pole by reflection, with the exact distance from it: SciPy takes the tangent of pi times x.
    distance = x - np.round(x)
    near = (x < 0) & (np.abs(distance) < 0.1) & (distance != 0)
    if not near.any():
        return value
    wide = np.where(near, x, -1.1).astype(np.float64)
    reflected = functions(np).digamma(1 - wide) - math.pi / np.tan(math.pi * (wide - np.round(wide)))
    return np.where(near, reflected, value)


@elementwise(eager=keeping_type(_digamma), dtypes=FLOATING)
def digamma(xp: Namespace, x: Array) -> Any:
    """The derivative of lgamma.

    >>> import gradtape as tf
    >>> tf.math.digamma([1.0]).numpy()
    array([-0.5772157], dtype=float32)
    """
    return functions(xp).digamma(x)


@digamma.derivative("x")
def _(t: Value, x: Value) -> Any:
    return t * polygamma(ones_like(x), x)


def _polygamma(xp: Namespace, a: Array, x: Array) -> Any:
    special = functions(xp)
    whole = (a >= 0) & (a == xp.floor(a))
    order = xp.where(whole, a, 1)
    sign = xp.where(order % 2 == 0, -1, 1)
    higher = sign * special.gamma(order + 1) * special.zeta(order + 1, x)
    return xp.where(whole, xp.where(order == 0, special.digamma(x), higher), xp.nan)


@elementwise(eager=keeping_type(functools.partial(_polygamma, np)), dtypes=FLOATING)
def polygamma(xp: Namespace, a: Array, x: Array) -> Any:
    """The a-th derivative of digamma at x; nan unless a is 0, 1, 2, ... As in tf, no derivative in a.

    >>> import gradtape as tf
    >>> tf.math.polygamma(1.0, [1.0]).numpy()
    array([1.644934], dtype=float32)
    """
    return _polygamma(xp, a, x)


@polygamma.derivative("x")
def _(t: Value, a: Value, x: Value) -> Any:
    return t * polygamma(a + 1.0, x)


def _zeta(xp: Namespace, x: Array, q: Array) -> Any:
    found = functions(xp).zeta(x, q)
    # SciPy has nan for powers that are too large to add up; the first term is all of the sum there.
    found = xp.where((x > 1e5) & (q > 1), xp.asarray(q, dtype=found.dtype) ** -x, found)
    return xp.where(x != x, x, found)  # (of q at a pole SciPy does not look at x)


@elementwise(eager=keeping_type(functools.partial(_zeta, np)), dtypes=FLOATING)
def zeta(xp: Namespace, x: Array, q: Array) -> Any:
    """Hurwitz's zeta function: the sum of (q + k)^-x over k = 0, 1, 2, ... As in tf, no derivative in x.

    >>> import gradtape as tf
    >>> tf.math.zeta(2.0, [1.0]).numpy()
    array([1.644934], dtype=float32)
    """
    return _zeta(xp, x, q)


@zeta.derivative("q")
def _(t: Value, x: Value, q: Value) -> Any:
    return t * (-x * zeta(x + 1.0, q))


# --- incomplete gamma functions -----------------------------------------------------------------------------


@elementwise(eager=from_scipy("gammainc"), dtypes=FLOATING)
def igamma(xp: Namespace, a: Array, x: Array) -> Any:
    """The regularized lower incomplete gamma function: the gamma distribution function of shape a at x.

    >>> import gradtape as tf
    >>> tf.math.igamma(1.0, [1.0]).numpy()
    array([0.63212055], dtype=float32)
    """
    return functions(xp).gammainc(a, x)


@igamma.derivative("a")
def _(t: Value, a: Value, x: Value) -> Any:
    return t * igamma_in_a(a, x, order=1)


@igamma.derivative("x")
def _(t: Value, a: Value, x: Value) -> Any:
    return t * gamma_density(a, x, order=0)


@elementwise(eager=from_scipy("gammaincc"), dtypes=FLOATING)
def igammac(xp: Namespace, a: Array, x: Array) -> Any:
    """1 - igamma(a, x), exact where that is small.

    >>> import gradtape as tf
    >>> tf.math.igammac(1.0, [1.0]).numpy()
    array([0.36787945], dtype=float32)
    """
    return functions(xp).gammaincc(a, x)


@igammac.derivative("a")
def _(t: Value, a: Value, x: Value) -> Any:
    return -t * igamma_in_a(a, x, order=1)


@igammac.derivative("x")
def _(t: Value, a: Value, x: Value) -> Any:
    return -t * gamma_density(a, x, order=0)


# The coefficients of 1/b^11, 1/b^9, ..., 1/b in log(gamma(b)).
_STIRLING = (691 / 360360, 1 / 1188, 1 / 1680, 1 / 1260, 1 / 360, 1 / 12)


def _log_power_over_gamma(a: Array, x: Array) -> Array:
    """a log(x) - x - log(gamma(a)); for large a by Stirling's formula, whose terms do not cancel."""
    large = a >= 10
    b = np.where(large, a, 10.0)
    away = (x - b) / b
    r = 1 / (b * b)
    tail = 1 / 156 * np.ones_like(b)
    for coefficient in _STIRLING:
        tail = coefficient - r * tail
    tail = tail / b
    log_ratio = np.where(np.abs(away) < 0.5, np.log1p(np.maximum(away, -0.5)), np.log(x / b))
    stirling = 0.5 * np.log(b / (2 * math.pi)) - tail - b * (away - log_ratio)
    direct = functions(np).xlogy(a, x) - x - functions(np).gammaln(a)
    return np.where(large, stirling, direct)


def _growth(a: Array, log_t: Array, order: int) -> Any:
    """What the gamma density at t is multiplied with by `order` derivatives in a: a complete Bell polynomial.

    The density is exp(h) with h' = log(t) - digamma(a) and h'' = -trigamma(a), ...; those of exp(h) follow.
    """
    slopes = [log_t - functions(np).digamma(a)]
    slopes += [np.broadcast_to(-_polygamma(np, np.full_like(a, n), a), slopes[0].shape) for n in range(1, order)]
    factors = [np.ones_like(slopes[0])]
    for n in range(1, order + 1):
        factors.append(sum(math.comb(n - 1, k) * factors[k] * slopes[n - 1 - k] for k in range(n)))
    return factors[order]


def _gamma_density(a: Array, x: Array, order: int) -> Array:
    _check_order(order)
    a, x = np.broadcast_arrays(as_array(a, np.float64), as_array(x, np.float64))
    valid = (a > 0) & (x >= 0)
    inside = valid & (x > 0) & (x < np.inf)
    safe_a, safe_x = np.where(valid, a, 1.0), np.where(inside, x, 1.0)
    value = np.exp(_log_power_over_gamma(safe_a, safe_x)) / safe_x * _growth(safe_a, np.log(safe_x), order)
    # x^(a-1) log(x)^order where x goes to 0.
    infinite = np.where(a < 1, np.inf, 1.0) if order == 0 else np.full_like(a, (-1.0) ** order * np.inf)
    at_zero = np.where(a > 1, 0.0, infinite)
    return np.where(inside, value, np.where(valid, np.where(x == 0, at_zero, 0.0), np.nan))


_HIGHEST = 100  # the cost grows with the square of the order


def _check_order(order: int) -> None:
    if order.__class__ is not int or not 0 <= order <= _HIGHEST:
        raise invalid(f"The order of a derivative is 0, 1, 2, ..., at most {_HIGHEST}, got {order!r}.")


@elementwise(eager=keeping_type(_gamma_density), dtypes=FLOATING, tf_name="GammaDensity")
def gamma_density(xp: Namespace, a: Array, x: Array, *, order: int = 0) -> Any:
    """The density of the gamma distribution of shape a at x, differentiated `order` times in a."""
    value = xp.exp(functions(xp).xlogy(a - 1, x) - x - functions(xp).gammaln(a))
    factors = [xp.ones_like(value)]
    slopes = [
        xp.log(x) - functions(xp).digamma(a),
        *(-functions(xp).polygamma(n, a) for n in range(1, order)),
    ]
    for n in range(1, order + 1):
        factors.append(sum(math.comb(n - 1, k) * factors[k] * slopes[n - 1 - k] for k in range(n)))
    return value * factors[order]


@gamma_density.derivative("a")
def _(t: Value, a: Value, x: Value, order: int) -> Any:
    return t * gamma_density(a, x, order=order + 1)


@gamma_density.derivative("x")
def _(t: Value, a: Value, x: Value, out: Value, order: int) -> Any:
    # The density times (a - 1) / x - 1, differentiated in a by the product rule.
    slope = out * ((a - 1.0) / x - 1.0)
    return t * slope if order == 0 else t * (slope + order * gamma_density(a, x, order=order - 1) / x)


# Where log(density) is this far below its largest value, contributions vanish in float64.
_DEPTH = 45.0


@functools.cache
def _nodes() -> tuple[Array, Array]:
    """Nodes and weights of Gauss's quadrature on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def _tail(a: Array, x: Array, order: int, upper: bool) -> Any:
    """The integral over t of the density's derivative, from 0 to x <= a (for a >= 10) or from x >= max(a, 1).

    In s = |log(t / x)| the density falls from its largest value at s = 0, its logarithm concave and smooth.
    """

    def fall(s: Array, a: Array, x: Array) -> Array:
        """How far log(density) has fallen at s."""
        fallen: Array = (x - a) * s + x * (np.expm1(s) - s) if upper else (a - x) * s + x * (np.expm1(-s) + s)
        return fallen

    if upper:
        s = np.minimum(np.sqrt(2 * _DEPTH / x), np.maximum(np.log1p(2 * _DEPTH / x), 1.26))
    else:
        s = 0.5 * (_DEPTH / a + np.sqrt((_DEPTH / a) ** 2 + 8 * _DEPTH / a))
    for _ in range(8):  # Newton's method from the right of the root never passes it: the function is convex
        slope = x * np.exp(s) - a if upper else a - x * np.exp(-s)
        s = s - (fall(s, a, x) - _DEPTH) / slope
    nodes, weights = _nodes()
    steps = s[:, None] * nodes
    log_t = np.log(x)[:, None] + (steps if upper else -steps)
    values = np.exp(-fall(steps, a[:, None], x[:, None])) * _growth(a[:, None], log_t, order)
    return np.exp(_log_power_over_gamma(a, x)) * s * (values @ weights)


_SHIFTS = 10


def _in_a(a: Array, x: Array, order: int) -> Array:
    """The kernel below, for vectors of positive finite numbers."""
    result = np.empty_like(a)
    right = x > np.maximum(a, 1.0)
    if right.any():
        result[right] = -_tail(a[right], x[right], order, upper=True)  # the whole integral is 0
    left = ~right
    if left.any():
        b, y = a[left], x[left]
        small = b < _SHIFTS
        total = _tail(np.where(small, b + _SHIFTS, b), y, order, upper=False)
        if small.any():  # igamma(a, x) = igamma(a + 1, x) + x^a exp(-x) / gamma(a + 1)
            steps = b[small][:, None] + np.arange(1, _SHIFTS + 1)
            total[small] += _gamma_density(steps, y[small][:, None], order).sum(axis=-1)
        result[left] = total
    return result


def _igamma_in_a(a: Array, x: Array, order: int) -> Array:
    _check_order(order)
    if order == 0:
        return functions(np).gammainc(a, x)
    a, x = np.broadcast_arrays(as_array(a, np.float64), as_array(x, np.float64))
    value = np.where((a > 0) & (x >= 0), 0.0, np.nan)
    inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    given_a, given_x = a[inside], x[inside]
    found = np.empty_like(given_a)
    length = thresholds.INTEGRAL_BLOCK_ELEMENTS
    for start in range(0, found.size, length):
        part = slice(start, start + length)
        found[part] = _in_a(given_a[part], given_x[part], order)
    value[inside] = found
    return value


@elementwise(eager=keeping_type(_igamma_in_a), dtypes=FLOATING, tf_name="IgammaGradA")
def igamma_in_a(xp: Namespace, a: Array, x: Array, *, order: int = 1) -> Any:
    """igamma(a, x) differentiated `order` times in a."""
    return _igamma_in_a(a, x, order)


igamma_in_a.host_only("XLA has the first derivative alone")


@igamma_in_a.derivative("a")
def _(t: Value, a: Value, x: Value, order: int) -> Any:
    return t * igamma_in_a(a, x, order=order + 1)


@igamma_in_a.derivative("x")
def _(t: Value, a: Value, x: Value, order: int) -> Any:
    return t * gamma_density(a, x, order=order)


# --- the incomplete beta function ---------------------------------------------------------------------------


def _betainc(a: Array, b: Array, x: Array) -> Any:
    # SciPy's float32 form is wrong from the sixth digit on.
    return functions(np).betainc(a.astype(np.float64), b.astype(np.float64), x.astype(np.float64))


@elementwise(eager=keeping_type(_betainc), dtypes=FLOATING)
def betainc(xp: Namespace, a: Array, b: Array, x: Array) -> Any:
    """The regularized incomplete beta function: the beta distribution function at x.

    As in TensorFlow, it has a derivative in x only.

    >>> import gradtape as tf
    >>> tf.math.betainc(2.0, 3.0, [0.5]).numpy()
    array([0.6875], dtype=float32)
    """
    return functions(xp).betainc(a, b, x)


@betainc.derivative("x")
def _(t: Value, a: Value, b: Value, x: Value) -> Any:
    return t * beta_density(a, b, x)


def _beta_density(a: Array, b: Array, x: Array) -> Any:
    # In float64: the terms of the logarithm are large and of both signs.
    a, b, x = (as_array(v, np.float64) for v in (a, b, x))
    special = functions(np)
    return np.exp(special.xlog1py(b - 1, -x) + special.xlogy(a - 1, x) - special.betaln(a, b))


@elementwise(eager=keeping_type(_beta_density), dtypes=FLOATING)
def beta_density(xp: Namespace, a: Array, b: Array, x: Array) -> Any:
    """The density of the beta distribution of shapes a and b at x."""
    special = functions(xp)
    return xp.exp(special.xlog1py(b - 1, -x) + special.xlogy(a - 1, x) - special.betaln(a, b))


@beta_density.derivative("a")
def _(t: Value, a: Value, b: Value, x: Value, out: Value) -> Any:
    return t * (out * (log(x) + digamma(a + b) - digamma(a)))


@beta_density.derivative("b")
def _(t: Value, a: Value, b: Value, x: Value, out: Value) -> Any:
    return t * (out * (log1p(-x) + digamma(a + b) - digamma(b)))


@beta_density.derivative("x")
def _(t: Value, a: Value, b: Value, x: Value, out: Value) -> Any:
    return t * (out * ((a - 1.0) / x - (b - 1.0) / (1.0 - x)))


# --- samples ------------------------------------------------------------------------------------------------

for _op in (lgamma, digamma):
    sample_unary(_op, 0.2, 4.0)
    reject_types(_op)
for _op in (igamma, igammac):
    sample_binary(_op, first=(0.3, 4.0), second=(0.2, 5.0))
sample_binary(zeta, first=(1.5, 4.0), second=(0.5, 3.0))
for _op in (polygamma, zeta, igamma, igammac, gamma_density, igamma_in_a, betainc, beta_density):
    reject_types(_op)
lgamma.value(np.vectorize(math.lgamma, otypes=[np.float64]))


@polygamma.samples
def _(draw: Draw) -> Iterator[Sample]:
    for order, shape in enumerate(
        [(), (3,), (2, 3), (0,), (1,), (2, 1, 3), (5,), (2, 2), (4, 1), (3, 2), (1, 3), (2, 0)]
    ):
        x = draw(shape, 0.5, 3.0)
        yield Sample((np.full(shape, order % 4, x.dtype), x))
        yield Sample((np.array(order % 3, x.dtype), x))


@beta_density.samples
@betainc.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shapes in [
        ((), (), ()), ((3,), (3,), (3,)), ((2, 3), (2, 3), (2, 3)), ((), (), (2, 3)), ((2,), (2,), ()),
        ((2, 1), (3,), ()), ((0,), (0,), (0,)),
        ((1,), (), (4,)), ((2, 2), (2,), (1,)), ((), (3,), (2, 3)), ((4, 1, 2), (3, 1), ()), ((2, 0), (), ()),
    ]:  # fmt: skip
        a, b, x = shapes
        yield Sample((draw(a, 0.4, 4.0), draw(b, 0.4, 4.0), draw(x, 0.1, 0.9)))


def _sample_orders(op: Op, orders: tuple[int, ...]) -> None:
    pairs: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((), ()),
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2, 1), (1, 3)),
        ((0,), (0,)),
        ((), (4,)),
    ]

    @op.samples
    def _(draw: Draw) -> Iterator[Sample]:
        for order in orders:
            for left, right in pairs:
                yield Sample((draw(left, 0.3, 4.0), draw(right, 0.2, 5.0)), {"order": order})

    @op.rejects
    def _() -> Iterator[BadInput]:
        for order in (-1, -5, 1.5, None):
            yield BadInput("an order is 0, 1, 2, ...", (np.ones(2, np.float32),) * 2, {"order": order})


_sample_orders(gamma_density, (0, 1, 2))
_sample_orders(igamma_in_a, (1, 2))


# --- the multivariate beta function ---------------------------------------------------------------------------


@in_float32
def _lbeta(x: Array) -> Any:
    if not x.ndim:
        raise invalid("lbeta: at least one axis is needed, got a scalar.")
    gammaln = functions(np).gammaln
    return gammaln(x).sum(axis=-1) - gammaln(x.sum(axis=-1))


@op(eager=_lbeta, dtypes=FLOATING, shape=without_last())
def lbeta(xp: Namespace, x: Array) -> Any:
    """log of the beta function of many arguments: the sum of log gamma over the last axis, less that of the sum."""
    gammaln = functions(xp).gammaln
    return xp.sum(gammaln(x), axis=-1) - gammaln(xp.sum(x, axis=-1))


@lbeta.vjp("x")
def _(g: Cotangent, x: Value) -> Any:
    slope = digamma(x) - digamma(reduce_sum(x, axis=-1, keepdims=True))
    return expand_dims(g, axis=rank_of(g)) * slope


@lbeta.jvp("x")
def _(t: Tangent, x: Value) -> Any:
    slope = digamma(x) - digamma(reduce_sum(x, axis=-1, keepdims=True))
    return reduce_sum(t * slope, axis=-1, keepdims=False)


lbeta.batching = batch_leading


@lbeta.samples
def _(draw: Draw) -> Iterator[Sample]:
    for shape in [(2,), (3,), (2, 3), (1,), (4, 2), (0, 3), (2, 2, 2), (5,), (1, 4), (3, 1), (2, 5), (6,)]:
        yield Sample((draw(shape, 0.3, 3.0),))


@lbeta.value
def _(x: Array) -> Any:
    beta = functions(np).betaln
    total, result = x[..., 0], np.zeros(x.shape[:-1])
    for k in range(1, x.shape[-1]):  # B(a, b, c) = B(a, b) B(a + b, c)
        result = result + beta(total, x[..., k])
        total = total + x[..., k]
    return result


@lbeta.rejects
def _() -> Iterator[BadInput]:
    for dtype in (np.int32, np.int64, np.bool_, np.complex64, np.complex128):
        yield BadInput("real numbers", (np.ones(3, dtype),))
