"""Distributions of one integer."""

from __future__ import annotations

from typing import Any

from .... import debugging, math, nn, random
from ....api.arrays import convert_to_tensor, identity, ones_like, reshape, zeros_like
from ....api.indexing import where
from ....api.layout import transpose
from ....api.partition import sequence_mask
from ....api.shapes import shape as shape_of
from ....base import dtypes
from ....base.shapes import TensorShape
from ....base.types import DTypeLike, IntLike, TensorLike
from ....values.tensor import Tensor
from .base import NOT_REPARAMETERIZED, Distribution, RegisterKL


def logits_and_probs(
    logits: TensorLike | None, probs: TensorLike | None, vectors: bool, validate_args: bool
) -> tuple[Any, Any]:
    """Both, from the one that is given; `vectors` of several classes, or chances of a 1."""
    if (logits is None) == (probs is None):
        raise ValueError("Must pass probs or logits, but not both.")
    if probs is None:
        scores = convert_to_tensor(logits)
        return scores, (nn.softmax if vectors else math.sigmoid)(scores)
    chances = convert_to_tensor(probs)
    if validate_args:
        debugging.assert_non_negative(chances, message="probs has components less than 0.")
        if not vectors:
            debugging.assert_less_equal(chances, ones_like(chances), message="probs has components greater than 1.")
    return (math.log(chances) if vectors else math.log(chances) - math.log1p(-chances)), chances


class _Chances(Distribution):
    _logits: Any
    _probs: Any

    @property
    def logits(self) -> Any:
        """Logarithms of odds or, of several classes, of what the chances are proportional to."""
        return self._logits

    @property
    def probs(self) -> Any:
        """The chances."""
        return self._probs


class Bernoulli(_Chances):
    """1 with a chance, else 0.

    >>> import gradtape as tf
    >>> tf.compat.v1.distributions.Bernoulli(probs=0.25).prob([0, 1]).numpy()
    array([0.75, 0.25], dtype=float32)

    Args:
        logits: Logarithms of the odds of a 1; give these or `probs`.
        probs: The chances of a 1; give these or `logits`.
        dtype: The type of samples.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    batch_parameters = ("logits",)

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        given = {k: v for k, v in locals().items() if k != "__class__"}
        self._logits, self._probs = logits_and_probs(logits, probs, False, validate_args)
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, given, name=name)

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        u = random.uniform(self._shape_of_samples(n), dtype=self.probs.dtype, seed=seed)
        return math.cast(u < self.probs, self.dtype)

    def _log_prob(self, event: Tensor) -> Any:
        event = math.cast(event, self.logits.dtype)
        labels, scores = event * ones_like(self.logits), self.logits * ones_like(event)
        return -nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=scores)

    def _entropy(self) -> Any:
        return self.logits * (1 - math.sigmoid(self.logits)) + math.softplus(-self.logits)

    def _mean(self) -> Any:
        return identity(self.probs)

    def _variance(self) -> Any:
        return self.probs * (1 - self.probs)

    def _mode(self) -> Any:
        return math.cast(self.probs > 0.5, self.dtype)


class Categorical(_Chances):
    """A class out of several; the last axis of the parameters is over classes.

    >>> import gradtape as tf
    >>> float(tf.compat.v1.distributions.Categorical(probs=[0.25, 0.75]).prob(1))
    0.75

    Args:
        logits: Logarithms of what the chances are proportional to; give these or `probs`.
        probs: The chances; give these or `logits`.
        dtype: The type of samples.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: The name.
    """

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        given = {k: v for k, v in locals().items() if k != "__class__"}
        self._logits, self._probs = logits_and_probs(logits, probs, True, validate_args)
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, given, name=name)

    @property
    def event_size(self) -> Any:
        """The number of classes."""
        return shape_of(self.logits)[-1]

    def _batch_shape(self) -> Any:
        return self.logits.shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        return shape_of(self.logits)[:-1]

    def _event_shape(self) -> Any:
        return TensorShape([])

    def _sample_n(self, n: IntLike, seed: int | None = None) -> Any:
        rows = reshape(self.logits, [-1, self.event_size])
        drawn = random.categorical(rows, n, dtype=dtypes.int64 if self.dtype.size > 4 else dtypes.int32, seed=seed)
        return math.cast(reshape(transpose(drawn), self._shape_of_samples(n)), self.dtype)

    def _with_classes(self, k: Tensor, over_classes: Tensor) -> tuple[Any, Any]:
        """A class for each distribution and the parameters, of the same batch."""
        k = math.cast(k, self.dtype if self.dtype.is_integer else dtypes.int32)
        k = k * ones_like(over_classes[..., 0], dtype=k.dtype)
        return k, over_classes * ones_like(k[..., None], dtype=over_classes.dtype)

    def _log_prob(self, k: Tensor) -> Any:
        labels, scores = self._with_classes(k, self.logits)
        return -nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)

    def _cdf(self, k: Tensor) -> Any:
        """The probability of a smaller class, as TensorFlow has it."""
        bound, chances = self._with_classes(k, self.probs)
        below = sequence_mask(bound, self.event_size)
        return math.reduce_sum(where(below, chances, zeros_like(chances)), axis=-1)

    def _entropy(self) -> Any:
        return -math.reduce_sum(nn.log_softmax(self.logits) * self.probs, axis=-1)

    def _mode(self) -> Any:
        return math.cast(math.argmax(self.logits, axis=-1), self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _between_bernoullis(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    ones_part = math.sigmoid(a.logits) * (math.softplus(-b.logits) - math.softplus(-a.logits))
    return ones_part + math.sigmoid(-a.logits) * (math.softplus(b.logits) - math.softplus(a.logits))


@RegisterKL(Categorical, Categorical)
def _between_categoricals(a: Categorical, b: Categorical, name: str | None = None) -> Any:
    return math.reduce_sum(nn.softmax(a.logits) * (nn.log_softmax(a.logits) - nn.log_softmax(b.logits)), axis=-1)
