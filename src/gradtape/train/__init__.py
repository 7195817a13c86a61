"""`tf.train`: tools for training loops: saving and restoring, averages of weights, sums of gradients."""

from __future__ import annotations

from ..base.namespaces import listing
from ..io.examples import (
    BytesList,
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
    SequenceExample,
)
from . import experimental
from .accumulation import GradientAccumulator
from .averages import ExponentialMovingAverage
from .checkpoint import Checkpoint, CheckpointOptions
from .manager import CheckpointManager, checkpoints_iterator
from .per_example import per_example_gradients
from .reader import list_variables, load_checkpoint, load_variable
from .state_file import get_checkpoint_state, latest_checkpoint

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FloatList",
    "GradientAccumulator",
    "Int64List",
    "SequenceExample",
    "checkpoints_iterator",
    "experimental",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "per_example_gradients",
]

__dir__ = listing(globals())
