"""`tf.compat.v1.train`: optimizers, event files, and what `tf.train` has under the same names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ...base.absent import elsewhere
from ...base.namespaces import import_late, listing
from ...summary import event_file
from ...variables.variable import Variable
from .decays import cosine_decay as cosine_decay
from .decays import cosine_decay_restarts as cosine_decay_restarts
from .decays import exponential_decay as exponential_decay
from .decays import inverse_time_decay as inverse_time_decay
from .decays import linear_cosine_decay as linear_cosine_decay
from .decays import natural_exp_decay as natural_exp_decay
from .decays import piecewise_constant as piecewise_constant
from .decays import polynomial_decay as polynomial_decay
from .optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from .optimizers import AdagradOptimizer as AdagradOptimizer
from .optimizers import AdamOptimizer as AdamOptimizer
from .optimizers import FtrlOptimizer as FtrlOptimizer
from .optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from .optimizers import MomentumOptimizer as MomentumOptimizer
from .optimizers import Optimizer as Optimizer
from .optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from .optimizers import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from .optimizers import RMSPropOptimizer as RMSPropOptimizer

_STEP: list[Variable] = []  # the global step, once somebody asks for it


def summary_iterator(path: Any) -> Iterator[Any]:
    """The events of an event file, as messages.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(folder).as_default():
    ...     _ = tf.summary.scalar("loss", 0.5, step=3)
    >>> path = os.path.join(folder, os.listdir(folder)[0])
    >>> [value.tag for event in tf.compat.v1.train.summary_iterator(path) for value in event.summary.value]
    ['loss']

    Args:
        path: The path of the file.

    Returns:
        An iterator of `Event` messages.
    """
    return event_file.read_events(path)


def get_global_step(graph: object = None) -> Variable | None:
    """The variable that counts steps, if it was made.

    >>> import gradtape as tf
    >>> step = tf.compat.v1.train.get_or_create_global_step()
    >>> tf.compat.v1.train.get_global_step() is step
    True

    Args:
        graph: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A variable, or None.
    """
    return _STEP[0] if _STEP else None


def get_or_create_global_step(graph: object = None) -> Variable:
    """The variable that counts steps.

    >>> import gradtape as tf
    >>> tf.compat.v1.train.get_or_create_global_step().name
    'global_step:0'

    Args:
        graph: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A variable of type int64, which begins with 0.
    """
    if not _STEP:
        _STEP.append(Variable(0, trainable=False, name="global_step", dtype="int64"))
    return _STEP[0]


piecewise_constant_decay = piecewise_constant


def create_global_step(graph: object = None) -> Variable:
    """A new variable that counts steps.

    >>> import gradtape as tf
    >>> tf.compat.v1.train.get_or_create_global_step() is None
    False

    Args:
        graph: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A variable of type int64, which begins with 0.

    Raises:
        ValueError: There is one.
    """
    if _STEP:
        raise ValueError('"global_step" already exists.')
    return get_or_create_global_step(graph)


def global_step(sess: object, global_step_tensor: Any) -> int:
    """The number of steps.

    >>> import gradtape as tf
    >>> tf.compat.v1.train.global_step(None, tf.Variable(3))
    3

    Args:
        sess: Ignored; accepted for compatibility with TensorFlow.
        global_step_tensor: The variable that counts.

    Returns:
        A whole number.
    """
    return int(global_step_tensor)


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint of that name.

    >>> import gradtape as tf
    >>> tf.compat.v1.train.checkpoint_exists("no such")
    False

    Args:
        checkpoint_prefix: The path without its ending.

    Returns:
        A truth value.
    """
    return os.path.exists(f"{os.fspath(checkpoint_prefix)}.index")


def NewCheckpointReader(filepattern: Any) -> Any:
    """A reader of the variables of a checkpoint; see `tf.train.load_checkpoint`.

    >>> import gradtape as tf
    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tempfile.mkdtemp() + "/c")
    >>> tf.compat.v1.train.NewCheckpointReader(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE").item()
    1.0

    Args:
        filepattern: The path without its ending.

    Returns:
        A reader.
    """
    return import_late("gradtape.train").load_checkpoint(filepattern)


_SHARED = (
    "BytesList Checkpoint CheckpointManager CheckpointOptions ClusterSpec Example ExponentialMovingAverage Feature "
    "FeatureList FeatureLists Features FloatList Int64List SequenceExample checkpoints_iterator get_checkpoint_state "
    "latest_checkpoint list_variables load_checkpoint load_variable"
)


def __getattr__(name: str) -> Any:
    if name in _SHARED.split():
        return getattr(import_late("gradtape.train"), name)
    instead = elsewhere(f"train.{name}")
    raise AttributeError(
        f"tf.compat.v1.train.{name} does not exist: gradtape has TensorFlow 2's eager interface only, without sessions."
        + (f" {instead}" if instead else "")
    )


__dir__ = listing(globals(), _SHARED.split())
