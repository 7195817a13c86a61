"""`tf.train`: tools for training loops: saving and restoring, averages of weights, sums of gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.namespaces import homes, listing, on_first_use
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

if TYPE_CHECKING:
    from ..distribute.resolvers import ClusterSpec as ClusterSpec
else:
    __getattr__ = on_first_use(globals(), homes(__name__, {"distribute.resolvers": "ClusterSpec"}))

__all__ = [
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "ClusterSpec",
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
