"""`tf.profiler`: where the time goes, measured by Python's own profiler.

An op of gradtape is a Python call, so `cProfile` sees each of them. The profile is a `.prof` file: `python -m pstats
FILE` reads it, and so do SnakeViz and the profilers of editors.
"""

from __future__ import annotations

import cProfile
import itertools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from .base.context import STATE
from .base.errors import AlreadyExistsError, UnavailableError, from_os_error
from .base.namespaces import listing, namespace

_COUNT = itertools.count()


class ProfilerOptions:
    """Accepted for compatibility: there is one way to measure.

    >>> import gradtape as tf
    >>> tf.profiler.experimental.ProfilerOptions(host_tracer_level=3).host_tracer_level
    3

    Args:
        host_tracer_level: Ignored; accepted for compatibility with TensorFlow.
        python_tracer_level: Ignored; accepted for compatibility with TensorFlow.
        device_tracer_level: Ignored; accepted for compatibility with TensorFlow.
        delay_ms: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(
        self,
        host_tracer_level: int = 2,
        python_tracer_level: int = 0,
        device_tracer_level: int = 1,
        delay_ms: int | None = None,
    ) -> None:
        self.host_tracer_level = host_tracer_level
        self.python_tracer_level = python_tracer_level
        self.device_tracer_level = device_tracer_level
        self.delay_ms = delay_ms


def start(logdir: Any, options: ProfilerOptions | None = None) -> None:
    """Measure this thread from now on; `stop` writes the profile below `logdir`.

    The profile is one of Python's, which `python -m pstats` and snakeviz show.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.profiler.experimental.start(folder)
    >>> total = tf.reduce_sum(tf.ones([10, 10]))
    >>> tf.profiler.experimental.stop()
    >>> len(os.listdir(folder))
    1

    Args:
        logdir: The folder for the files, which is made if it is not there; TensorBoard and `gradtape plot` take it.
        options: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        AlreadyExistsError: This thread is measured already.
    """
    if STATE.profile is not None:
        raise AlreadyExistsError(None, None, "Another profiler is running.")
    profile = cProfile.Profile()
    try:
        profile.enable()
    except ValueError as error:  # (since Python 3.12, where another tool measures)
        raise AlreadyExistsError(None, None, f"Another profiler is running: {error}") from None
    STATE.profile = profile, os.fsdecode(logdir)


def stop(save: bool = True) -> None:
    """End the measurement, and write it.

    >>> import gradtape as tf
    >>> import tempfile
    >>> tf.profiler.experimental.start(tempfile.mkdtemp())
    >>> tf.profiler.experimental.stop(save=False)

    Args:
        save: Whether to write the profile.

    Raises:
        UnavailableError: `start` was not called in this thread.
    """
    if STATE.profile is None:
        raise UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")
    (profile, logdir), STATE.profile = STATE.profile, None
    profile.disable()
    if not save:
        return
    path = os.path.join(logdir, f"gradtape.{int(time.time())}.{os.getpid()}.{next(_COUNT)}.prof")
    try:
        os.makedirs(logdir, exist_ok=True)
        profile.dump_stats(path)
    except OSError as error:
        raise from_os_error(error, f"Cannot write the profile {path!r}") from error


class Profile:
    """Context manager: measures its block, and writes the profile below `logdir`.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.profiler.experimental.Profile(folder):
    ...     total = tf.reduce_sum(tf.ones([10, 10]))
    >>> len(os.listdir(folder))
    1

    Args:
        logdir: The folder for the files, which is made if it is not there; TensorBoard and `gradtape plot` take it.
        options: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(self, logdir: object, options: ProfilerOptions | None = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *error: object) -> None:
        stop()


@contextmanager
def Trace(name: str, **kwargs: object) -> Iterator[None]:
    """A block with a name; accepted, since calls are shown by their own names.

    >>> import gradtape as tf
    >>> for step in range(2):
    ...     with tf.profiler.experimental.Trace("train", step_num=step):
    ...         loss = tf.reduce_sum(tf.ones([2]))

    Args:
        name: Ignored; accepted for compatibility with TensorFlow.
        **kwargs: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A context manager.
    """
    yield


_Profile: TypeAlias = Profile  # in the class below, a name that stands for itself is no type to checkers
_ProfilerOptions: TypeAlias = ProfilerOptions


@namespace("gradtape.profiler.experimental")
class experimental:
    """`tf.profiler.experimental`: a trace of what a stretch of the program computed, for TensorBoard and browsers."""

    Profile: TypeAlias = _Profile
    ProfilerOptions: TypeAlias = _ProfilerOptions
    Trace = staticmethod(Trace)
    start = staticmethod(start)
    stop = staticmethod(stop)


__all__ = ["experimental"]

__dir__ = listing(globals())
