"""What programs for TensorFlow 2 still take from `tf.compat.v1`: logging, seeds, event files, and switches that are on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from ..api.framework import executing_eagerly, get_logger
from ..random import set_seed as set_random_seed
from ..summary.event_file import messages, read_events

__all__ = ["executing_eagerly", "executing_eagerly_outside_functions", "logging", "set_random_seed", "train"]


def executing_eagerly_outside_functions() -> bool:
    """True: there is no other mode."""
    return True


def _is_on(name: str) -> Any:
    def switch(*args: object, **kwargs: object) -> None:
        """Nothing to do: gradtape has TensorFlow 2's behaviour only."""

    switch.__name__ = name
    return switch


enable_control_flow_v2 = _is_on("enable_control_flow_v2")
enable_eager_execution = _is_on("enable_eager_execution")
enable_resource_variables = _is_on("enable_resource_variables")
enable_tensor_equality = _is_on("enable_tensor_equality")
enable_v2_behavior = _is_on("enable_v2_behavior")
enable_v2_tensorshape = _is_on("enable_v2_tensorshape")


class Dimension:
    """The size of an axis as TensorFlow 1 had it; in the shapes of gradtape sizes are plain numbers."""

    def __init__(self, value: int | None) -> None:
        self.value = value


class logging:
    """`tf.compat.v1.logging`: the logger of `tf.get_logger`."""

    DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50

    @staticmethod
    def set_verbosity(v: int | str) -> None:
        """Show messages of this level and above."""
        get_logger().setLevel(v)

    @staticmethod
    def get_verbosity() -> int:
        """The lowest level that is shown."""
        return get_logger().getEffectiveLevel()

    @staticmethod
    def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
        """A message of that level."""
        get_logger().log(level, msg, *args, **kwargs)

    debug, info, warning, warn, error, fatal = (
        lambda msg, *args, _level=level, **kwargs: get_logger().log(_level, msg, *args, **kwargs)
        for level in (DEBUG, INFO, WARN, WARN, ERROR, FATAL)
    )


class train:
    """The supported part of `tf.compat.v1.train`."""

    @staticmethod
    def summary_iterator(path: Any) -> Iterator[Any]:
        """The events of an event file, as messages."""
        return read_events(path)


_MESSAGES = {
    "Event": "event_pb2",
    "Summary": "summary_pb2",
    "SummaryMetadata": "summary_pb2",
    "HistogramProto": "summary_pb2",
}


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        return getattr(messages(_MESSAGES[name]), name)
    if name.startswith("__"):
        raise AttributeError(name)
    v2 = sys.modules["gradtape"]
    instead = f"tf.{name}" if hasattr(v2, name) else "eager ops with tf.GradientTape"
    raise AttributeError(
        f"tf.compat.v1.{name} does not exist: gradtape has TensorFlow 2's eager interface only, without graphs and sessions, "
        f"and tf.compat.v2 is the package itself. Use {instead}."
    )
