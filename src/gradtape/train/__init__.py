"""`tf.train`: what stands around a training loop: saving and restoring, averages of weights, sums of gradients."""

from __future__ import annotations

from . import experimental
from .accumulation import GradientAccumulator
from .averages import ExponentialMovingAverage
from .checkpoint import Checkpoint, CheckpointOptions
from .manager import CheckpointManager, checkpoints_iterator
from .per_example import per_example_gradients
from .reader import list_variables, load_checkpoint, load_variable
from .state_file import get_checkpoint_state, latest_checkpoint

__all__ = [
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "ExponentialMovingAverage",
    "GradientAccumulator",
    "checkpoints_iterator",
    "experimental",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "per_example_gradients",
]
