"""What eager programs take from `tf.compat.v1`: functions and classes of TensorFlow 2 under their old names, variables,
optimizers, losses, logging, seeds, event files, and switches that are on. There are no graphs and no sessions."""

from __future__ import annotations

import contextlib
import functools
import sys
from importlib import import_module
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
from . import graph_keys, namespaces
from . import losses as losses
from . import train as train
from .earlier import *  # noqa: F403
from .functions import *  # noqa: F403
from .graph_keys import *  # noqa: F403
from .initial_values import *  # noqa: F403
from .names import IN_MODULES, MODULES, RENAMED, SAME
from .rows import function_of, of
from .uneven import sparse_merge as sparse_merge
from .uneven import string_split as string_split
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
    """Empties the collections; there are no graphs.

    >>> import gradtape as tf
    >>> tf.compat.v1.reset_default_graph()
    """
    graph_keys.forget()


def global_variables_initializer() -> None:
    """Nothing to do: variables have their values from the start.

    >>> import gradtape as tf
    >>> tf.compat.v1.global_variables_initializer()
    """


local_variables_initializer = tables_initializer = global_variables_initializer
initialize_all_variables = initialize_local_variables = initialize_all_tables = global_variables_initializer


_LOGGED: dict[str, int] = {}  # how often `log_every_n` and `log_first_n` were called for each message


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

    @staticmethod
    def log_if(level: int, msg: str, condition: object, *args: Any) -> None:
        """A message of that level, if the condition holds.

        >>> import gradtape as tf
        >>> tf.compat.v1.logging.log_if(tf.compat.v1.logging.ERROR, "never", False)

        Args:
            level: The level.
            msg: The message.
            condition: A truth value.
            *args: The arguments of the message.
        """
        if condition:
            get_logger().log(level, msg, *args)

    @staticmethod
    def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
        """A message of that level, with every n-th call for this message.

        >>> import gradtape as tf
        >>> tf.compat.v1.logging.log_every_n(tf.compat.v1.logging.DEBUG, "every third", 3)

        Args:
            level: The level.
            msg: The message.
            n: How many calls belong to one message.
            *args: The arguments of the message.
        """
        _LOGGED[msg] = count = _LOGGED.get(msg, -1) + 1
        if not count % n:
            get_logger().log(level, msg, *args)

    @staticmethod
    def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
        """A message of that level, with the first n calls for this message.

        >>> import gradtape as tf
        >>> tf.compat.v1.logging.log_first_n(tf.compat.v1.logging.DEBUG, "once", 1)

        Args:
            level: The level.
            msg: The message.
            n: How often it is logged.
            *args: The arguments of the message.
        """
        _LOGGED[msg] = count = _LOGGED.get(msg, -1) + 1
        if count < n:
            get_logger().log(level, msg, *args)

    @staticmethod
    def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
        """The same as `log`.

        >>> import gradtape as tf
        >>> tf.compat.v1.logging.vlog(tf.compat.v1.logging.DEBUG, "a word")

        Args:
            level: The level.
            msg: The message.
            *args: The arguments of the message.
            **kwargs: Those of `logging.Logger.log`.
        """
        get_logger().log(level, msg, *args, **kwargs)

    @staticmethod
    def flush() -> None:
        """Nothing to do: messages are written at once.

        >>> import gradtape as tf
        >>> tf.compat.v1.logging.flush()
        """

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


class GraphOptions:
    """Settings of graphs, which nothing reads.

    >>> import gradtape as tf
    >>> tf.compat.v1.GraphOptions(infer_shapes=True).infer_shapes
    True

    Args:
        **settings: Any settings; they become attributes.
    """

    def __init__(self, **settings: Any) -> None:
        vars(self).update(settings)


GPUOptions = OptimizerOptions = RunOptions = GraphOptions


def initialize_variables(var_list: object = None, name: str = "init") -> None:
    """Nothing to do: variables have their values from the start.

    >>> import gradtape as tf
    >>> tf.compat.v1.variables_initializer([tf.Variable(1)])

    Args:
        var_list: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.
    """


variables_initializer = initialize_variables


def report_uninitialized_variables(var_list: object = None, name: str = "report_uninitialized_variables") -> Any:
    """The names of variables without a value: none.

    >>> import gradtape as tf
    >>> tf.compat.v1.report_uninitialized_variables().shape
    TensorShape([0])

    Args:
        var_list: Ignored; accepted for compatibility with TensorFlow.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A tensor of no text.
    """
    return sys.modules["gradtape"].constant([], dtype="string")


def _is_true(name: str) -> Any:
    def asked() -> bool:
        return True

    asked.__name__ = asked.__qualname__ = name
    asked.__doc__ = f"""True: there is no other behaviour.

>>> import gradtape as tf
>>> tf.compat.v1.{name}()
True

Returns:
    True.
"""
    return asked


control_flow_v2_enabled = _is_true("control_flow_v2_enabled")
resource_variables_enabled = _is_true("resource_variables_enabled")


def _of_absl(name: str) -> Any:
    """`tf.compat.v1.flags` and `tf.compat.v1.app`, which TensorFlow takes from absl too."""
    try:
        flags = import_module("absl.flags")
    except ImportError as error:
        raise ImportError(f"tf.compat.v1.{name} is that of the package absl: pip install absl-py") from error
    if name == "flags":
        return flags

    def run(main: Any = None, argv: Any = None) -> Any:
        """Runs the program with its flags read; those that are not known are left to `main`."""
        called = main or sys.modules["__main__"].main  # type: ignore[attr-defined]
        return import_module("absl.app").run(called, argv, flags_parser=lambda args: flags.FLAGS(args, known_only=True))

    return SimpleNamespace(run=run, flags=flags)


_CONSTANTS = {
    "VERSION": "version.VERSION",
    "GIT_VERSION": "version.GIT_VERSION",
    "COMPILER_VERSION": "version.COMPILER_VERSION",
    "GRAPH_DEF_VERSION": "version.GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER": "version.GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER": "version.GRAPH_DEF_VERSION_MIN_PRODUCER",
    "CXX11_ABI_FLAG": "sysconfig.CXX11_ABI_FLAG",
    "MONOLITHIC_BUILD": "sysconfig.MONOLITHIC_BUILD",
}


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        return getattr(messages(_MESSAGES[name]), name)
    if name.startswith("__"):
        raise AttributeError(name)
    v2: Any = sys.modules["gradtape"]
    if name in MODULES.split():
        return getattr(v2, name)
    if name in namespaces.MODULES:
        return namespaces.module_of(name)
    if name in of(""):
        return function_of(name)
    if name in ("app", "flags"):
        return _of_absl(name)
    if name in _CONSTANTS:
        return _at(v2, _CONSTANTS[name])
    if name in PLACES:
        with contextlib.suppress(AttributeError):
            return _at(v2, PLACES[name])
    plain = (
        f"tf.compat.v1.{name} does not exist: gradtape has TensorFlow 2's eager interface only, without graphs and sessions, "
        "and tf.compat.v2 is the package itself. "
    )
    if instead := elsewhere(name):
        raise AttributeError(plain + instead)
    instead = f"tf.{name}" if hasattr(v2, name) else "eager ops with tf.GradientTape"
    raise AttributeError(f"{plain}Use {instead}{nearest(__name__, name) or '.'}")


def _at(v2: Any, path: str) -> Any:
    return functools.reduce(getattr, path.split("."), v2)


for _space in namespaces.MODULES:  # for `import tensorflow.compat.v1.math`
    namespaces.module_of(_space)

__dir__ = listing(
    globals(),
    (
        *_MESSAGES,
        *MODULES.split(),
        *namespaces.MODULES,
        *of(""),
        *PLACES,
        *(name for name in _CONSTANTS if hasattr(sys.modules["gradtape"], _CONSTANTS[name].partition(".")[0])),
        "AUTO_REUSE",
        "Dimension",
        "app",
        "flags",
        "train",
    ),
)
