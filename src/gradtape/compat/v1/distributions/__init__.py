"""`tf.compat.v1.distributions`: probability distributions, with the samples that TensorFlow draws from the same seeds."""

from __future__ import annotations

from ....base.namespaces import listing
from .base import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    RegisterKL,
    ReparameterizationType,
    kl_divergence,
)
from .continuous import Beta, Exponential, Gamma, Laplace, Normal, StudentT, Uniform
from .discrete import Bernoulli, Categorical
from .vectors import Dirichlet, DirichletMultinomial, Multinomial

__all__ = [
    "FULLY_REPARAMETERIZED",
    "NOT_REPARAMETERIZED",
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Exponential",
    "Gamma",
    "Laplace",
    "Multinomial",
    "Normal",
    "RegisterKL",
    "ReparameterizationType",
    "StudentT",
    "Uniform",
    "kl_divergence",
]

__dir__ = listing(globals())
