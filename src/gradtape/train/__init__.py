"""`tf.train`: what stands around a training loop: saving and restoring, averages of weights, sums of gradients."""

from __future__ import annotations

from .accumulation import GradientAccumulator
from .averages import ExponentialMovingAverage

__all__ = ["ExponentialMovingAverage", "GradientAccumulator"]
