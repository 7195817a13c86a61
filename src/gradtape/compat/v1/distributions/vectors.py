"""Distributions of vectors: chances that sum to 1, and counts of several classes."""

from __future__ import annotations

from typing import Any

from .... import debugging, linalg, math, nn, random
from ....api.arrays import convert_to_tensor, one_hot, ones_like, reshape
from ....api.control import map_fn
from ....api.indexing import where
from ....api.layout import concat, transpose
from ....api.shapes import shape as shape_of
from ....base import dtypes
from ....base.types import IntLike, TensorLike
from ....values.tensor import Tensor
from .base import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution, RegisterKL, salted
from .discrete import _Chances, logits_and_probs


class _Vectors(Distribution):
    """`_over_events` has the shape of one sample of the whole batch."""

    def _over_events(self) -> Any:
        raise NotImplementedError

    def _batch_shape(self) -> Any:
        return self._over_events().shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self._over_events())[:-1]

    def _event_shape(self) -> Any:
        return self._over_events().shape[-1:]

    def _event_shape_tensor(self) -> Any:
        return shape_of(self._over_events())[-1:]

    def _counted(self, drawn: Tensor, n: IntLike) -> Any:
        """How often each class is among the draws of a sample."""
        classes = self.event_shape_tensor()
        counts = math.reduce_sum(one_hot(drawn, depth=classes[0], dtype=self.dtype), -2)
        return reshape(counts, concat([[n], self.batch_shape_tensor(), classes], 0))


def _outer(x: Tensor, y: Tensor) -> Any:
    return x[..., :, None] * y[..., None, :]


def _log_combinations(n: Tensor, counts: Tensor) -> Any:
    """The logarithm of the number of orders of so many draws."""
    return math.lgamma(n + 1) - math.reduce_sum(math.lgamma(counts + 1), -1)


class Dirichlet(_Vectors):
    """Chances of several classes that sum to 1.

    >>> import gradtape as tf
    >>> tf.compat.v1.distributions.Dirichlet([1.0, 3.0]).mean().numpy()
    array([0.25, 0.75], dtype=float32)

    Args:
        concentration: The concentration of each class, above 0, in the last axis.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    def __init__(
        self,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        given = {k: v for k, v in locals().items() if k != "__class__"}
        self._concentration = convert_to_tensor(concentration)
        if validate_args:
            debugging.assert_positive(self._concentration, message="Concentration parameter must be positive.")
        super().__init__(
            self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, given, name=name
        )

    @property
    def concentration(self) -> Any:
        """The concentration of each class."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """Their sum."""
        return math.reduce_sum(self._concentration, -1)

    def _over_events(self) -> Any:
        return self._concentration

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        drawn = random.gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return drawn / math.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x: Tensor) -> Any:
        if self.validate_args:
            debugging.assert_positive(x, message="samples must be positive")
            debugging.assert_near(math.reduce_sum(x, -1), 1.0, message="sample last-dimension must sum to `1`")
        return math.reduce_sum(math.xlogy(self.concentration - 1, x), -1) - math.lbeta(self.concentration)

    def _classes(self) -> Any:
        return math.cast(self.event_shape_tensor()[0], self.dtype)

    def _entropy(self) -> Any:
        total, each = self.total_concentration, self.concentration
        parts = math.reduce_sum((each - 1) * math.digamma(each), axis=-1)
        return math.lbeta(each) + (total - self._classes()) * math.digamma(total) - parts

    def _mean(self) -> Any:
        return self.concentration / self.total_concentration[..., None]

    def _variance(self) -> Any:
        mean = self._mean()
        return mean * (1 - mean) / (1 + self.total_concentration[..., None])

    def _covariance(self) -> Any:
        mean = self._mean()
        return linalg.set_diag(-_outer(mean, mean) / (1 + self.total_concentration)[..., None, None], self._variance())

    def _mode(self) -> Any:
        mode = (self.concentration - 1) / (self.total_concentration[..., None] - self._classes())
        defined = math.reduce_all(self.concentration > 1, axis=-1, keepdims=True)
        if self.allow_nan_stats:
            return where(defined, mode, convert_to_tensor(float("nan"), self.dtype))
        debugging.Assert(math.reduce_all(defined), ["Mode undefined when any concentration <= 1"])
        return mode


class Multinomial(_Vectors, _Chances):
    """How often each class comes in `total_count` draws.

    >>> import gradtape as tf
    >>> tf.compat.v1.distributions.Multinomial(4.0, probs=[0.25, 0.75]).mean().numpy()
    array([1., 3.], dtype=float32)

    Args:
        total_count: The number of draws.
        logits: Logarithms of what the chances are proportional to; give these or `probs`.
        probs: The chances; give these or `logits`.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        given = {k: v for k, v in locals().items() if k != "__class__"}
        self._total_count = convert_to_tensor(total_count)
        if validate_args:
            debugging.assert_non_negative(self._total_count)
        self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args)
        super().__init__(self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, given, name=name)

    @property
    def total_count(self) -> Any:
        """The number of draws."""
        return self._total_count

    def _over_events(self) -> Any:
        return self._total_count[..., None] * self._probs

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        draws = math.cast(self.total_count, dtypes.int32) * ones_like(self.logits[..., 0], dtype=dtypes.int32)
        scores = self.logits * ones_like(draws[..., None], dtype=self.logits.dtype)
        classes = self.event_shape_tensor()[0]

        def counts_of(one: tuple[Any, Any]) -> Any:
            drawn = reshape(random.categorical(one[0][None], one[1], seed=seed), [n, -1])
            return math.reduce_sum(one_hot(drawn, depth=classes, dtype=self.dtype), -2)

        rows = (reshape(scores, [-1, classes]), n * reshape(draws, [-1]))
        found = transpose(map_fn(counts_of, rows, fn_output_signature=self.dtype), [1, 0, 2])
        return reshape(found, concat([[n], self.batch_shape_tensor(), [classes]], 0))

    def _log_prob(self, counts: Tensor) -> Any:
        if self.validate_args:
            debugging.assert_non_negative(counts)
            debugging.assert_equal(
                self.total_count, math.reduce_sum(counts, -1), message="counts must sum to `self.total_count`"
            )
        chosen = math.reduce_sum(counts * nn.log_softmax(self.logits), -1)
        return chosen + _log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        return self._over_events()

    def _variance(self) -> Any:
        return self._mean() * (1 - self.probs)

    def _covariance(self) -> Any:
        chances = self.probs * ones_like(self._mean())
        return linalg.set_diag(-_outer(self._mean(), chances), self._variance())


class DirichletMultinomial(_Vectors):
    """How often each class comes in `total_count` draws, with chances that are themselves Dirichlet distributed.

    >>> import gradtape as tf
    >>> tf.compat.v1.distributions.DirichletMultinomial(4.0, [1.0, 3.0]).mean().numpy()
    array([1., 3.], dtype=float32)

    Args:
        total_count: The number of draws.
        concentration: The concentration of each class, above 0, in the last axis.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    def __init__(
        self,
        total_count: TensorLike,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        given = {k: v for k, v in locals().items() if k != "__class__"}
        self._total_count, self._concentration = convert_to_tensor(total_count), convert_to_tensor(concentration)
        if validate_args:
            debugging.assert_non_negative(self._total_count)
            debugging.assert_positive(self._concentration, message="Concentration parameter must be positive.")
        super().__init__(
            self._concentration.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, given, name=name
        )

    @property
    def total_count(self) -> Any:
        """The number of draws."""
        return self._total_count

    @property
    def concentration(self) -> Any:
        """The concentration of each class."""
        return self._concentration

    @property
    def total_concentration(self) -> Any:
        """Their sum."""
        return math.reduce_sum(self._concentration, -1)

    def _over_events(self) -> Any:
        return self._concentration

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        chances = random.gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        scores = reshape(math.log(chances), [-1, self.event_shape_tensor()[0]])
        draws = math.cast(self.total_count, dtypes.int32)
        return self._counted(random.categorical(scores, draws, seed=salted(seed, "dirichlet_multinomial")), n)

    def _log_prob(self, counts: Tensor) -> Any:
        if self.validate_args:
            debugging.assert_non_negative(counts)
            message = "counts last-dimension must sum to `self.total_count`"
            debugging.assert_equal(self.total_count, math.reduce_sum(counts, -1), message=message)
        ordered = math.lbeta(self.concentration + counts) - math.lbeta(self.concentration)
        return ordered + _log_combinations(self.total_count, counts)

    def _chances(self) -> Any:
        return self.concentration / self.total_concentration[..., None]

    def _spread(self) -> Any:
        """What the (co)variances of a multinomial distribution are multiplied with, times the number of draws."""
        total = self.total_concentration
        return self.total_count * (self.total_count + total) / (1 + total)

    def _mean(self) -> Any:
        return (
            self.total_count[..., None] * self._chances()
            if self.total_count.shape.rank
            else self.total_count * self._chances()
        )

    def _variance(self) -> Any:
        chances = self._chances()
        return self._spread()[..., None] * chances * (1 - chances)

    def _covariance(self) -> Any:
        chances = self._chances()
        return linalg.set_diag(-self._spread()[..., None, None] * _outer(chances, chances), self._variance())


@RegisterKL(Dirichlet, Dirichlet)
def _between_dirichlets(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Any:
    logarithms = math.digamma(a.concentration) - math.digamma(a.total_concentration)[..., None]
    moved = math.reduce_sum((a.concentration - b.concentration) * logarithms, axis=-1)
    return moved - math.lbeta(a.concentration) + math.lbeta(b.concentration)
