"""What all distributions share: shapes, samples, the ways from one quantity to another, and divergences between two of them."""

from __future__ import annotations

import hashlib
import math as python_math
from collections.abc import Callable
from typing import Any, ClassVar, Self

from .... import debugging, math
from ....api.arrays import convert_to_tensor, reshape
from ....api.arrays import ones as ones_of
from ....api.layout import concat
from ....api.shapes import broadcast_dynamic_shape, broadcast_static_shape
from ....api.shapes import shape as shape_of
from ....base import dtypes
from ....base.shapes import TensorShape
from ....base.types import DTypeLike, IntLike, ShapeLike, TensorLike
from ....values.tensor import Tensor


class ReparameterizationType:
    """Whether samples can be differentiated by the parameters of their distribution.

    >>> import gradtape as tf
    >>> tf.compat.v1.distributions.Normal(0.0, 1.0).reparameterization_type
    <Reparameterization Type: FULLY_REPARAMETERIZED>

    Args:
        rep_type: Its name.
    """

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def _missing(what: str) -> Callable[..., Any]:
    """A method that a distribution may define."""

    def method(self: Distribution, *args: TensorLike, **kwargs: TensorLike) -> Any:
        raise NotImplementedError(f"{what} is not implemented: {type(self).__name__}")

    return method


class Distribution:
    """A batch of distributions of one kind.

    A class of one's own defines some of `_sample_n(n, seed)`, `_log_prob(value)`, `_prob`, `_cdf`, `_log_cdf`, `_mean`, `_mode`,
    `_variance`, `_stddev`, `_entropy`, `_quantile`, `_covariance`, and its shapes; the public methods find the rest from them.

    >>> import gradtape as tf
    >>> normal = tf.compat.v1.distributions.Normal(loc=0.0, scale=[1.0, 2.0])
    >>> normal.log_prob(0.0).numpy().round(4)
    array([-0.9189, -1.6121], dtype=float32)
    >>> normal.batch_shape
    TensorShape([2])

    Args:
        dtype: The type of samples.
        reparameterization_type: `FULLY_REPARAMETERIZED` or `NOT_REPARAMETERIZED`.
        validate_args: Whether parameters and values are checked.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        parameters: The arguments, which `copy` uses.
        graph_parents: Ignored; accepted for compatibility with TensorFlow.
        name: The name; None: that of the class.
    """

    # Of the classes here: the attributes whose shapes, broadcast together, are the shape of the batch.
    batch_parameters: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        dtype: DTypeLike,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: object = None,
        name: str | None = None,
    ) -> None:
        self._dtype = dtypes.as_dtype(dtype)
        self._reparameterization_type = reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._parameters = {k: v for k, v in (parameters or {}).items() if k != "self" and not k.startswith("__")}
        self._name = f"{(name or type(self).__name__).rstrip('/')}/"

    @property
    def name(self) -> str:
        """The name, as a scope."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The type of samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that this was made with."""
        return dict(self._parameters)

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether samples can be differentiated by the parameters."""
        return self._reparameterization_type

    @property
    def validate_args(self) -> bool:
        """Whether values are checked."""
        return self._validate_args

    @property
    def allow_nan_stats(self) -> bool:
        """Whether an undefined statistic is nan; otherwise it is an error."""
        return self._allow_nan_stats

    def copy(self, **override_parameters_kwargs: object) -> Self:
        """The same with some other parameters."""
        return type(self)(**{**self._parameters, **override_parameters_kwargs})

    # --- shapes ---------------------------------------------------------------------------------------------------

    def _batch_shape(self) -> Any:
        found: Any = TensorShape([])
        for name in self.batch_parameters:
            found = broadcast_static_shape(found, getattr(self, name).shape)
        return found if self.batch_parameters else TensorShape(None)

    def _batch_shape_tensor(self) -> Any:
        if not self.batch_parameters:
            raise NotImplementedError(f"batch_shape_tensor is not implemented: {type(self).__name__}")
        found: Any = convert_to_tensor([], dtypes.int32)
        for name in self.batch_parameters:
            found = broadcast_dynamic_shape(found, shape_of(getattr(self, name)))
        return found

    def _event_shape(self) -> Any:
        return TensorShape([]) if self.batch_parameters else TensorShape(None)

    _event_shape_tensor = _missing("event_shape_tensor")

    @property
    def batch_shape(self) -> TensorShape:
        """How many distributions there are."""
        return TensorShape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one sample of one distribution."""
        return TensorShape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """`batch_shape` as a tensor."""
        known = self.batch_shape
        return (
            convert_to_tensor(known.as_list(), dtypes.int32) if known.is_fully_defined() else self._batch_shape_tensor()
        )

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Any:
        """`event_shape` as a tensor."""
        known = self.event_shape
        return (
            convert_to_tensor(known.as_list(), dtypes.int32) if known.is_fully_defined() else self._event_shape_tensor()
        )

    def is_scalar_event(self, name: str = "is_scalar_event") -> Any:
        """Whether a sample is one number."""
        return math.equal(shape_of(self.event_shape_tensor())[0], 0)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Any:
        """Whether there is one distribution."""
        return math.equal(shape_of(self.batch_shape_tensor())[0], 0)

    @classmethod
    def param_shapes(cls, sample_shape: ShapeLike, name: str = "DistributionParamShapes") -> dict[str, Any]:
        """The shapes of parameters that give samples of this shape."""
        return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: ShapeLike) -> dict[str, TensorShape]:
        """`param_shapes` as TensorShapes."""
        return {
            name: TensorShape(sizes.numpy().tolist())
            for name, sizes in cls.param_shapes(TensorShape(sample_shape).as_list()).items()
        }

    @classmethod
    def _param_shapes(cls, sample_shape: ShapeLike) -> dict[str, Any]:
        if not cls.batch_parameters:
            raise NotImplementedError("_param_shapes not implemented")
        return {name: convert_to_tensor(sample_shape, dtypes.int32) for name in cls.batch_parameters}

    # --- samples --------------------------------------------------------------------------------------------------

    _sample_n = _missing("sample_n")

    def sample(self, sample_shape: ShapeLike = (), seed: int | None = None, name: str = "sample") -> Any:
        """Samples of shape `sample_shape + batch_shape + event_shape`."""
        sizes = reshape(convert_to_tensor(sample_shape, dtypes.int32), [-1])
        known = [int(size) for size in sizes.numpy()] if isinstance(sizes, Tensor) else None
        count = math.reduce_prod(sizes) if known is None else python_math.prod(known)
        drawn = self._sample_n(count, seed)
        return reshape(drawn, concat([sizes, shape_of(drawn)[1:]], 0))

    def _shape_of_samples(self, count: IntLike) -> Any:
        """So many samples of the whole batch."""
        return concat([[count], self.batch_shape_tensor()], 0)

    def _over_batch(self, x: Tensor) -> Any:
        """A statistic, once for each distribution."""
        return x * ones_of(self.batch_shape_tensor(), self.dtype)

    # --- probabilities --------------------------------------------------------------------------------------------

    _log_prob, _prob = _missing("log_prob"), _missing("prob")
    _log_cdf, _cdf = _missing("log_cdf"), _missing("cdf")
    _log_survival_function, _survival_function = _missing("log_survival_function"), _missing("survival_function")
    _quantile, _entropy, _covariance = _missing("quantile"), _missing("entropy"), _missing("covariance")
    _mean, _variance, _stddev, _mode = (_missing(what) for what in ("mean", "variance", "stddev", "mode"))

    def _value(self, value: TensorLike) -> Any:
        return convert_to_tensor(value, dtype_hint=self.dtype)

    def log_prob(self, value: TensorLike, name: str = "log_prob") -> Any:
        """The logarithm of the density, or of the probability."""
        x = self._value(value)
        return _either(lambda: self._log_prob(x), lambda: math.log(self._prob(x)))

    def prob(self, value: TensorLike, name: str = "prob") -> Any:
        """The density, or the probability."""
        x = self._value(value)
        return _either(lambda: self._prob(x), lambda: math.exp(self._log_prob(x)))

    def log_cdf(self, value: TensorLike, name: str = "log_cdf") -> Any:
        """The logarithm of `cdf`."""
        x = self._value(value)
        return _either(lambda: self._log_cdf(x), lambda: math.log(self._cdf(x)))

    def cdf(self, value: TensorLike, name: str = "cdf") -> Any:
        """The probability of a value at most as large."""
        x = self._value(value)
        return _either(lambda: self._cdf(x), lambda: math.exp(self._log_cdf(x)))

    def log_survival_function(self, value: TensorLike, name: str = "log_survival_function") -> Any:
        """The logarithm of `survival_function`."""
        x = self._value(value)
        return _either(lambda: self._log_survival_function(x), lambda: math.log1p(-self.cdf(x)))

    def survival_function(self, value: TensorLike, name: str = "survival_function") -> Any:
        """The probability of a larger value."""
        x = self._value(value)
        return _either(lambda: self._survival_function(x), lambda: 1.0 - self.cdf(x))

    def quantile(self, value: TensorLike, name: str = "quantile") -> Any:
        """The value whose `cdf` is given."""
        return self._quantile(self._value(value))

    # --- statistics -----------------------------------------------------------------------------------------------

    def mean(self, name: str = "mean") -> Any:
        """The mean."""
        return self._mean()

    def mode(self, name: str = "mode") -> Any:
        """The likeliest value."""
        return self._mode()

    def variance(self, name: str = "variance") -> Any:
        """The variance."""
        return _either(self._variance, lambda: math.square(self._stddev()))

    def stddev(self, name: str = "stddev") -> Any:
        """The standard deviation."""
        return _either(self._stddev, lambda: math.sqrt(self._variance()))

    def covariance(self, name: str = "covariance") -> Any:
        """The covariances of the parts of a sample."""
        return self._covariance()

    def entropy(self, name: str = "entropy") -> Any:
        """Shannon's entropy, in nats."""
        return self._entropy()

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Any:
        """The entropy of this one plus its divergence from the other."""
        return self.entropy() + self.kl_divergence(other)

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Any:
        """The Kullback-Leibler divergence of this one from the other."""
        return kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def __str__(self) -> str:
        shapes = (("batch_shape", self.batch_shape), ("event_shape", self.event_shape))
        known = "".join(f", {name}={shape}" for name, shape in shapes if shape.rank is not None)
        return f'tfp.distributions.{type(self).__name__}("{self.name}"{known}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        shapes = f"batch_shape={self.batch_shape} event_shape={self.event_shape}"
        return f"<tfp.distributions.{type(self).__name__} '{self.name}' {shapes} dtype={self.dtype.name}>"


def _either(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """The first that is implemented; neither: the error of the first."""
    try:
        return first()
    except NotImplementedError as missing:
        try:
            return second()
        except NotImplementedError:
            raise missing from None


def salted(seed: int | None, salt: str) -> int | None:
    """Another seed for the second random op of a sample, as TensorFlow derives it."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


# --- divergences ------------------------------------------------------------------------------------------------------

_DIVERGENCES: dict[tuple[type[Any], type[Any]], Callable[..., Any]] = {}


class RegisterKL:
    """Register a function of two distributions as their divergence: `@RegisterKL(Mine, Mine)`.

    >>> import gradtape as tf
    >>> d = tf.compat.v1.distributions
    >>> class Mine(d.Normal):
    ...     pass
    >>> @d.RegisterKL(Mine, Mine)
    ... def divergence(a, b, name=None):
    ...     return tf.constant(7.0)
    >>> float(d.kl_divergence(Mine(0.0, 1.0), Mine(1.0, 1.0)))
    7.0

    Args:
        dist_cls_a: The class of the first.
        dist_cls_b: The class of the second.
    """

    def __init__(self, dist_cls_a: type[Any], dist_cls_b: type[Any]) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _DIVERGENCES:
            first, second = self._key
            raise ValueError(f"KL({first.__name__} || {second.__name__}) has already been registered.")
        _DIVERGENCES[self._key] = kl_fn
        return kl_fn


def kl_divergence(
    distribution_a: Distribution, distribution_b: Distribution, allow_nan_stats: bool = True, name: str | None = None
) -> Any:
    """The Kullback-Leibler divergence of the first from the second, for each distribution of the batch.

    >>> import gradtape as tf
    >>> d = tf.compat.v1.distributions
    >>> float(d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0)))
    0.5

    Args:
        distribution_a: The first.
        distribution_b: The second.
        allow_nan_stats: Whether a statistic that is not defined is nan; otherwise it is an error.
        name: What the registered function gets as `name`.

    Returns:
        A tensor of the shape of the batch.

    Raises:
        NotImplementedError: No divergence is registered for their classes.
    """
    classes = type(distribution_a).__mro__, type(distribution_b).__mro__
    pairs = [
        (i + j, a, b) for i, a in enumerate(classes[0]) for j, b in enumerate(classes[1]) if (a, b) in _DIVERGENCES
    ]
    if not pairs:
        kinds = f"distribution_a type {classes[0][0].__name__} and distribution_b type {classes[1][0].__name__}"
        raise NotImplementedError(f"No KL(distribution_a || distribution_b) registered for {kinds}")
    _, a, b = min(pairs, key=lambda pair: pair[0])
    found = _DIVERGENCES[a, b](distribution_a, distribution_b, name=name)
    if not allow_nan_stats:
        debugging.Assert(math.reduce_all(~math.is_nan(found)), ["The divergence is nan:", found])
    return found
