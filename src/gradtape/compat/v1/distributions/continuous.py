"""Distributions of one real number."""

from __future__ import annotations

import math as python_math
from typing import Any, ClassVar

import numpy as np

from .... import debugging, math, random
from ....api.arrays import convert_to_tensor, ones, ones_like, zeros_like
from ....api.indexing import where
from ....base.types import IntLike, ShapeLike, TensorLike
from ....values.tensor import Tensor
from .base import FULLY_REPARAMETERIZED, Distribution, RegisterKL, salted

_HALF_LOG_TAU = 0.5 * python_math.log(2 * python_math.pi)


class _Real(Distribution):
    """A distribution whose samples are differentiable, with parameters of one floating type."""

    positive: ClassVar[tuple[str, ...]] = ()

    def __init__(self, parameters: dict[str, Any], validate_args: bool, allow_nan_stats: bool, name: str) -> None:
        for key in self.batch_parameters:
            setattr(self, f"_{key}", convert_to_tensor(parameters[key]))
        given = [getattr(self, f"_{key}") for key in self.batch_parameters]
        debugging.assert_same_float_dtype(given)
        if validate_args:
            for key in self.positive:
                debugging.assert_positive(getattr(self, f"_{key}"), message=f"{key} must be positive.")
        parameters |= {"validate_args": validate_args, "allow_nan_stats": allow_nan_stats, "name": name}
        super().__init__(given[0].dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, name=name)

    def _where_defined(self, defined: Tensor, x: Tensor, what: str) -> Any:
        """A statistic where it is defined: nan elsewhere, or an error."""
        if self.allow_nan_stats:
            return where(defined, x, convert_to_tensor(np.nan, self.dtype))
        debugging.Assert(math.reduce_all(defined), [f"{what} is not defined for all parameters."])
        return x


class _LocationAndScale(_Real):
    batch_parameters: ClassVar[tuple[str, ...]] = ("loc", "scale")
    positive: ClassVar[tuple[str, ...]] = ("scale",)
    _loc: Any
    _scale: Any

    @property
    def loc(self) -> Any:
        """The location."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The scale."""
        return self._scale

    def _z(self, x: Tensor) -> Any:
        return (x - self.loc) / self.scale

    def _mean(self) -> Any:
        return self.loc + zeros_like(self.scale)

    def _mode(self) -> Any:
        return self._mean()


class Normal(_LocationAndScale):
    """The normal distribution with mean `loc` and standard deviation `scale`.

    >>> import gradtape as tf
    >>> normal = tf.compat.v1.distributions.Normal(0.0, [1.0, 2.0])
    >>> normal.cdf(0.0).numpy()
    array([0.5, 0.5], dtype=float32)

    Args:
        loc: The mean.
        scale: The standard deviation.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        super().__init__({"loc": loc, "scale": scale}, validate_args, allow_nan_stats, name)

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        return random.normal(self._shape_of_samples(n), dtype=self.dtype, seed=seed) * self.scale + self.loc

    def _log_prob(self, x: Tensor) -> Any:
        return -0.5 * math.square(self._z(x)) - (_HALF_LOG_TAU + math.log(self.scale))

    def _cdf(self, x: Tensor) -> Any:
        return _ndtr(self._z(x))

    def _log_cdf(self, x: Tensor) -> Any:
        return _log_ndtr(self._z(x))

    def _survival_function(self, x: Tensor) -> Any:
        return _ndtr(-self._z(x))

    def _log_survival_function(self, x: Tensor) -> Any:
        return _log_ndtr(-self._z(x))

    def _quantile(self, p: Tensor) -> Any:
        return math.ndtri(p) * self.scale + self.loc

    def _entropy(self) -> Any:
        return 0.5 + _HALF_LOG_TAU + math.log(self.scale * ones_like(self.loc))

    def _stddev(self) -> Any:
        return self.scale * ones_like(self.loc)


def _ndtr(z: Tensor) -> Any:
    """The standard normal distribution function."""
    return 0.5 * math.erfc(-z / python_math.sqrt(2))


def _log_ndtr(z: Tensor) -> Any:
    """Its logarithm: far below zero by the asymptotic series, where `_ndtr` is 0, and far above by `_ndtr` of the other side."""
    low, high = (-20.0, 8.0) if z.dtype.size == 8 else (-10.0, 5.0)
    far = math.minimum(z, low)
    square = math.square(far)
    series = 1 - 1 / square + 3 / square**2 - 15 / square**3
    tail = -0.5 * square - math.log(-far) - _HALF_LOG_TAU + math.log(series)
    middle = math.log(_ndtr(math.maximum(z, low)))
    return where(z > high, -_ndtr(-z), where(z > low, middle, tail))


class Laplace(_LocationAndScale):
    """The Laplace distribution: two exponential ones, back to back.

    >>> import gradtape as tf
    >>> round(float(tf.compat.v1.distributions.Laplace(0.0, 1.0).prob(0.0)), 4)
    0.5

    Args:
        loc: The location: the middle, or a tensor of them.
        scale: The scale: how wide it is.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        super().__init__({"loc": loc, "scale": scale}, validate_args, allow_nan_stats, name)

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        above = np.nextafter(self.dtype.as_numpy_dtype(-1), self.dtype.as_numpy_dtype(0))
        u = random.uniform(self._shape_of_samples(n), minval=above, maxval=1.0, dtype=self.dtype, seed=seed)
        return self.loc - self.scale * math.sign(u) * math.log1p(-math.abs(u))

    def _log_prob(self, x: Tensor) -> Any:
        return -math.abs(self._z(x)) - python_math.log(2) - math.log(self.scale)

    def _cdf(self, x: Tensor) -> Any:
        z = self._z(x)
        return 0.5 - 0.5 * math.sign(z) * math.expm1(-math.abs(z))

    def _log_cdf(self, x: Tensor) -> Any:
        return _log_laplace(self._z(x))

    def _log_survival_function(self, x: Tensor) -> Any:
        return _log_laplace(-self._z(x))

    def _entropy(self) -> Any:
        return 1.0 + python_math.log(2) + math.log(self.scale + zeros_like(self.loc))

    def _stddev(self) -> Any:
        return python_math.sqrt(2) * self.scale + zeros_like(self.loc)


def _log_laplace(z: Tensor) -> Any:
    return where(z < 0, math.minimum(z, 0) - python_math.log(2), math.log1p(-0.5 * math.exp(-math.abs(z))))


class StudentT(_LocationAndScale):
    """Student's t distribution with `df` degrees of freedom, moved and scaled.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.distributions.StudentT(df=3.0, loc=1.0, scale=2.0).mean())
    1.0

    Args:
        df: The degrees of freedom, above 0.
        loc: The location: the middle, or a tensor of them.
        scale: The scale: how wide it is.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    batch_parameters = ("df", "loc", "scale")
    positive = ("df",)
    _df: Any

    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        super().__init__({"df": df, "loc": loc, "scale": scale}, validate_args, allow_nan_stats, name)

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self._df

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        normal = random.normal(self._shape_of_samples(n), dtype=self.dtype, seed=seed)
        df = self._over_batch(self.df)
        gamma = random.gamma([n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=salted(seed, "student_t"))
        return normal * math.rsqrt(gamma / df) * self.scale + self.loc

    def _log_prob(self, x: Tensor) -> Any:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        constant = math.log(math.abs(self.scale)) + 0.5 * math.log(self.df) + 0.5 * python_math.log(python_math.pi)
        tail = more * math.log1p(math.square(self._z(x)) / self.df)
        return -tail - (constant + math.lgamma(half) - math.lgamma(more))

    def _cdf(self, x: Tensor) -> Any:
        y = (x - self.loc) / math.abs(self.scale)
        below = 0.5 * math.betainc(
            0.5 * self.df, convert_to_tensor(0.5, self.dtype), self.df / (math.square(y) + self.df)
        )
        return where(y < 0, below, 1 - below)

    def _entropy(self) -> Any:
        half, more = 0.5 * self._over_batch(self.df), 0.5 * (self._over_batch(self.df) + 1)
        beta = math.lgamma(half) + 0.5 * python_math.log(python_math.pi) - math.lgamma(more)
        spread = math.log(math.abs(self.scale)) + 0.5 * math.log(self.df) + beta
        return spread + more * (math.digamma(more) - math.digamma(half))

    def _mean(self) -> Any:
        return self._where_defined(self._over_batch(self.df) > 1, self._over_batch(self.loc), "mean")

    def _variance(self) -> Any:
        df = self._over_batch(self.df)
        finite = math.square(self.scale) * df / where(df > 2, df - 2, ones_like(df))
        infinity = convert_to_tensor(np.inf, self.dtype)
        return self._where_defined(df > 1, where(df > 2, finite, infinity), "variance")

    def _mode(self) -> Any:
        return self.loc


class Uniform(_Real):
    """The uniform distribution on `[low, high)`.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.distributions.Uniform(2.0, 6.0).mean())
    4.0

    Args:
        low: The lower end, which is part of it.
        high: The upper end, which is not.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    batch_parameters = ("low", "high")
    _low: Any
    _high: Any

    def __init__(
        self,
        low: TensorLike = 0.0,
        high: TensorLike = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        super().__init__({"low": low, "high": high}, validate_args, allow_nan_stats, name)
        if validate_args:
            debugging.assert_less(self._low, self._high, message="uniform not defined when low >= high.")

    @property
    def low(self) -> Any:
        """The lower end, which is part of it."""
        return self._low

    @property
    def high(self) -> Any:
        """The upper end, which is not."""
        return self._high

    def range(self, name: str = "range") -> Any:
        """`high - low`.

        >>> import gradtape as tf
        >>> float(tf.compat.v1.distributions.Uniform(2.0, 6.0).range())
        4.0

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A tensor.
        """
        return self.high - self.low

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        return self.low + self.range() * random.uniform(self._shape_of_samples(n), dtype=self.dtype, seed=seed)

    def _prob(self, x: Tensor) -> Any:
        x = self._over_batch(x)
        inside = where((x < self.low) | (x >= self.high), zeros_like(x), ones_like(x) / self.range())
        return where(math.is_nan(x), x, inside)

    def _cdf(self, x: Tensor) -> Any:
        x = self._over_batch(x)
        within = where(x < self.low, zeros_like(x), (x - self.low) / self.range())
        return where(x >= self.high, ones_like(x), within)

    def _entropy(self) -> Any:
        return math.log(self.range())

    def _mean(self) -> Any:
        return (self.low + self.high) / 2

    def _variance(self) -> Any:
        return math.square(self.range()) / 12

    def _stddev(self) -> Any:
        return self.range() / python_math.sqrt(12)


class Gamma(_Real):
    """The gamma distribution with a concentration (shape) and a rate.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.distributions.Gamma(concentration=3.0, rate=2.0).mean())
    1.5

    Args:
        concentration: The concentration, above 0.
        rate: The rate, above 0: one by the scale.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    batch_parameters = ("concentration", "rate")
    positive = ("concentration", "rate")
    _concentration: Any
    _rate: Any

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        super().__init__({"concentration": concentration, "rate": rate}, validate_args, allow_nan_stats, name)

    @property
    def concentration(self) -> Any:
        """The concentration."""
        return self._concentration

    @property
    def rate(self) -> Any:
        """The rate."""
        return self._rate

    def _valid(self, x: Tensor) -> Any:
        if self.validate_args:
            debugging.assert_positive(x)
        return x

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        return random.gamma([n], self.concentration, beta=self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, x: Tensor) -> Any:
        constant = math.lgamma(self.concentration) - self.concentration * math.log(self.rate)
        return math.xlogy(self.concentration - 1, self._valid(x)) - self.rate * x - constant

    def _cdf(self, x: Tensor) -> Any:
        return math.igamma(self.concentration, self.rate * self._valid(x))

    def _entropy(self) -> Any:
        c = self.concentration
        return c - math.log(self.rate) + math.lgamma(c) + (1 - c) * math.digamma(c)

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / math.square(self.rate)

    def _stddev(self) -> Any:
        return math.sqrt(self.concentration) / self.rate

    def _mode(self) -> Any:
        return self._where_defined(self.concentration > 1, (self.concentration - 1) / self.rate, "mode")


class Exponential(Gamma):
    """The exponential distribution.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.distributions.Exponential(rate=4.0).mean())
    0.25

    Args:
        rate: The rate, above 0: one by the mean.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    def __init__(
        self, rate: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential"
    ) -> None:
        rates = convert_to_tensor(rate)
        super().__init__(ones([], rates.dtype), rates, validate_args, allow_nan_stats, name)
        self._parameters = {
            "rate": rate,
            **{k: v for k, v in self._parameters.items() if k not in self.batch_parameters},
        }

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        return {"rate": super()._param_shapes(sample_shape)["rate"]}

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        smallest = np.finfo(self.dtype.as_numpy_dtype).tiny
        u = random.uniform(self._shape_of_samples(n), minval=smallest, maxval=1.0, dtype=self.dtype, seed=seed)
        return -math.log(u) / self.rate

    def _log_survival_function(self, x: Tensor) -> Any:
        return self._log_prob(x) - math.log(self.rate)


class Beta(_Real):
    """The beta distribution on the numbers between 0 and 1.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.distributions.Beta(3.0, 1.0).mean())
    0.75

    Args:
        concentration1: The concentration at 1, above 0.
        concentration0: The concentration at 0, above 0.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    batch_parameters = ("concentration1", "concentration0")
    positive = batch_parameters
    _concentration1: Any
    _concentration0: Any

    def __init__(
        self,
        concentration1: TensorLike | None = None,
        concentration0: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        given = {"concentration1": concentration1, "concentration0": concentration0}
        super().__init__(given, validate_args, allow_nan_stats, name)

    @property
    def concentration1(self) -> Any:
        """The concentration at 1."""
        return self._concentration1

    @property
    def concentration0(self) -> Any:
        """The concentration at 0."""
        return self._concentration0

    @property
    def total_concentration(self) -> Any:
        """Their sum."""
        return self._concentration1 + self._concentration0

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        first, second = (self._over_batch(c) for c in (self.concentration1, self.concentration0))
        one = random.gamma([n], first, dtype=self.dtype, seed=seed)
        other = random.gamma([n], second, dtype=self.dtype, seed=salted(seed, "beta"))
        return one / (one + other)

    def _log_prob(self, x: Tensor) -> Any:
        if self.validate_args:
            debugging.assert_positive(x, message="sample must be positive")
            debugging.assert_less(x, ones([], self.dtype), message="sample must be less than `1`.")
        powers = math.xlogy(self.concentration1 - 1, x) + (self.concentration0 - 1) * math.log1p(-x)
        return powers - self._log_normalization()

    def _log_normalization(self) -> Any:
        parts = math.lgamma(self.concentration1) + math.lgamma(self.concentration0)
        return parts - math.lgamma(self.total_concentration)

    def _cdf(self, x: Tensor) -> Any:
        return math.betainc(
            self._over_batch(self.concentration1), self._over_batch(self.concentration0), self._over_batch(x)
        )

    def _entropy(self) -> Any:
        one, other, total = self.concentration1, self.concentration0, self.total_concentration
        parts = (one - 1) * math.digamma(one) + (other - 1) * math.digamma(other)
        return self._log_normalization() - parts + (total - 2) * math.digamma(total)

    def _mean(self) -> Any:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> Any:
        return self._mean() * (1 - self._mean()) / (1 + self.total_concentration)

    def _mode(self) -> Any:
        defined = (self.concentration1 > 1) & (self.concentration0 > 1)
        return self._where_defined(defined, (self.concentration1 - 1) / (self.total_concentration - 2), "mode")


# --- divergences ------------------------------------------------------------------------------------------------------


@RegisterKL(Normal, Normal)
def _between_normals(a: Normal, b: Normal, name: str | None = None) -> Any:
    ratio = math.square(a.scale / b.scale)
    return math.square(a.loc - b.loc) / (2 * math.square(b.scale)) + 0.5 * (ratio - 1 - math.log(ratio))


@RegisterKL(Gamma, Gamma)
def _between_gammas(a: Gamma, b: Gamma, name: str | None = None) -> Any:
    shapes = (a.concentration - b.concentration) * math.digamma(a.concentration)
    constants = math.lgamma(b.concentration) - math.lgamma(a.concentration)
    rates = b.concentration * (math.log(a.rate) - math.log(b.rate)) + a.concentration * (b.rate / a.rate - 1)
    return shapes + constants + rates


@RegisterKL(Beta, Beta)
def _between_betas(a: Beta, b: Beta, name: str | None = None) -> Any:
    ends = ("concentration1", "concentration0")
    moved = sum(math.digamma(getattr(a, end)) * (getattr(b, end) - getattr(a, end)) for end in ends)
    total = math.digamma(a.total_concentration) * (b.total_concentration - a.total_concentration)
    return b._log_normalization() - a._log_normalization() - moved + total
