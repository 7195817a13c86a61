"""What eager programs take from `tf.compat.v1`: functions and classes of TensorFlow 2 under their old names, variables,
optimizers, losses, logging, seeds, event files, and switches that are on. There are no graphs and no sessions."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

from ...api.framework import executing_eagerly as executing_eagerly
from ...api.framework import get_logger
from ...base.absent import elsewhere, nearest
from ...base.dimension import Dimension as Dimension
from ...base.namespaces import listing
from ...random import set_seed
from ...summary.event_file import messages
from . import distributions as distributions
from . import losses as losses
from . import train as train
from .functions import *  # noqa: F403
from .names import GFILE, IN_MODULES, MODULES, NN, RENAMED, SAME
from .variables import *  # noqa: F403

PLACES: dict[str, str] = {
    **{name: name for name in SAME.split()},
    **{name: f"{module}.{name}" for module, names in IN_MODULES.items() for name in names.split()},
    **RENAMED,
}


set_random_seed = set_seed


def executing_eagerly_outside_functions() -> bool:
    """True: there is no other mode.

    >>> import gradtape as tf
    >>> tf.compat.v1.executing_eagerly_outside_functions()
    True

    Returns:
        True.
    """
    return True


_SWITCH = """Nothing to do: gradtape has TensorFlow 2's behaviour only.

>>> import gradtape as tf
>>> tf.compat.v1.{name}()

Args:
    *args: Ignored; accepted for compatibility with TensorFlow.
    **kwargs: Ignored; accepted for compatibility with TensorFlow.
"""


def _is_on(name: str) -> Any:
    def switch(*args: object, **kwargs: object) -> None: ...

    switch.__name__ = switch.__qualname__ = name
    switch.__doc__ = _SWITCH.format(name=name)
    return switch


enable_control_flow_v2 = _is_on("enable_control_flow_v2")
enable_eager_execution = _is_on("enable_eager_execution")
enable_resource_variables = _is_on("enable_resource_variables")
enable_tensor_equality = _is_on("enable_tensor_equality")
enable_v2_behavior = _is_on("enable_v2_behavior")
enable_v2_tensorshape = _is_on("enable_v2_tensorshape")


class ConfigProto:
    """The settings of a session, which nothing reads: there are no sessions.

    >>> import gradtape as tf
    >>> tf.compat.v1.ConfigProto(allow_soft_placement=True).allow_soft_placement
    True

    Args:
        **settings: Any settings; they become attributes.
    """

    def __init__(self, **settings: Any) -> None:
        self.gpu_options = SimpleNamespace(allow_growth=False, per_process_gpu_memory_fraction=0.0)
        self.graph_options = SimpleNamespace(optimizer_options=SimpleNamespace())
        vars(self).update(settings)


def reset_default_graph() -> None:
    """Nothing to do: there are no graphs.

    >>> import gradtape as tf
    >>> tf.compat.v1.reset_default_graph()
    """


def global_variables_initializer() -> None:
    """Nothing to do: variables have their values from the start.

    >>> import gradtape as tf
    >>> tf.compat.v1.global_variables_initializer()
    """


local_variables_initializer = tables_initializer = global_variables_initializer


class logging:
    """`tf.compat.v1.logging`: the logger of `tf.get_logger`."""

    DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50

    @staticmethod
    def set_verbosity(v: int | str) -> None:
        """Show messages of this level and above.

        >>> import gradtape as tf
        >>> before = tf.compat.v1.logging.get_verbosity()
        >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
        >>> tf.compat.v1.logging.get_verbosity()
        40
        >>> tf.compat.v1.logging.set_verbosity(before)

        Args:
            v: The level: a number, such as `tf.compat.v1.logging.ERROR`, or its name.
        """
        get_logger().setLevel(v)

    @staticmethod
    def get_verbosity() -> int:
        """The lowest level that is shown.

        >>> import gradtape as tf
        >>> tf.compat.v1.logging.get_verbosity() >= 0
        True

        Returns:
            A whole number.
        """
        return get_logger().getEffectiveLevel()

    @staticmethod
    def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
        """A message of that level.

        >>> import gradtape as tf
        >>> tf.compat.v1.logging.log(tf.compat.v1.logging.DEBUG, "%d steps", 3)

        Args:
            level: The level.
            msg: The message, with the places of Python's % for the arguments.
            *args: The arguments.
            **kwargs: Those of `logging.Logger.log`.
        """
        get_logger().log(level, msg, *args, **kwargs)

    debug, info, warning, warn, error, fatal = (
        lambda msg, *args, _level=level, **kwargs: get_logger().log(_level, msg, *args, **kwargs)
        for level in (DEBUG, INFO, WARN, WARN, ERROR, FATAL)
    )


_MESSAGES = {
    "Event": "event_pb2",
    "Summary": "summary_pb2",
    "SummaryMetadata": "summary_pb2",
    "HistogramProto": "summary_pb2",
}


def _nn(v2: Any) -> SimpleNamespace:
    """`tf.compat.v1.nn`."""
    same = {name: getattr(v2.nn, name) for name in NN.split()}
    return SimpleNamespace(**same, softmax_cross_entropy_with_logits_v2=v2.nn.softmax_cross_entropy_with_logits)


def _gfile(v2: Any) -> SimpleNamespace:
    """`tf.compat.v1.gfile`."""
    return SimpleNamespace(**{name: getattr(v2.io.gfile, now) for name, now in GFILE.items()})


def _image(v2: Any) -> SimpleNamespace:
    """`tf.compat.v1.image`."""
    from .image import OWN

    return SimpleNamespace(**{name: getattr(v2.image, name) for name in v2.image.__all__} | OWN)


_MADE = {"gfile": _gfile, "image": _image, "nn": _nn}


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        return getattr(messages(_MESSAGES[name]), name)
    if name.startswith("__"):
        raise AttributeError(name)
    v2: Any = sys.modules["gradtape"]
    if name in MODULES.split():
        return getattr(v2, name)
    if name in _MADE:
        globals()[name] = _MADE[name](v2)
        return globals()[name]
    if name in PLACES:
        module, _, last = PLACES[name].rpartition(".")
        place = getattr(v2, module) if module else v2
        if hasattr(place, last):
            return getattr(place, last)
    plain = (
        f"tf.compat.v1.{name} does not exist: gradtape has TensorFlow 2's eager interface only, without graphs and sessions, "
        "and tf.compat.v2 is the package itself. "
    )
    if instead := elsewhere(name):
        raise AttributeError(plain + instead)
    instead = f"tf.{name}" if hasattr(v2, name) else "eager ops with tf.GradientTape"
    raise AttributeError(f"{plain}Use {instead}{nearest(__name__, name) or '.'}")


__dir__ = listing(globals(), (*_MESSAGES, *MODULES.split(), *_MADE, *PLACES, "AUTO_REUSE", "Dimension", "train"))
