"""Writers of summaries, the default writer of each thread, the default step, and when to record."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import numpy as np

from ..base import dtypes
from ..base.context import STATE, scope
from ..base.traceable import traceable
from ..trace.control import effect_on_abstract
from ..values.tensor import Tensor, from_array, to_tensor
from ..variables.variable import Variable
from .event_file import EventFile

_MAX_QUEUE = 10
_FLUSH_MILLIS = 2 * 60 * 1000


class SummaryWriter:
    """Takes summaries. Made by `create_file_writer`, used as `with writer.as_default(): ...`.

    >>> import gradtape as tf, tempfile
    >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    >>> isinstance(writer, tf.summary.SummaryWriter)
    True
    >>> writer.close()
    """

    _closed = False

    def set_as_default(self, step: object = None) -> None:
        """Send this thread's summaries here from now on.

        >>> import tempfile
        >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
        >>> with tf.summary.create_noop_writer().as_default(step=0):  # what was the default before is so again after it
        ...     writer.set_as_default(step=3)
        ...     bool(tf.summary.scalar("loss", 0.5)), tf.summary.experimental.get_step()
        (True, 3)

        Args:
            step: The default step from now on; None for that of before.

        Raises:
            RuntimeError: It is closed.
        """
        self._check_open()
        STATE.summary_writer = self
        if step is not None:
            STATE.summary_step = checked_step(step)

    def as_default(self, step: object = None) -> AbstractContextManager[SummaryWriter]:
        """A context in which this thread's summaries go here; flushed at its end.

        >>> import tempfile
        >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
        >>> with writer.as_default(step=3):
        ...     bool(tf.summary.scalar("loss", 0.5))
        True

        Args:
            step: The default step in it; None for that of before.

        Returns:
            A context manager, which gives the writer.

        Raises:
            RuntimeError: It is closed.
        """
        self._check_open()
        if step is not None:
            step = checked_step(step)

        @contextmanager
        def context() -> Iterator[SummaryWriter]:
            with scope(summary_writer=self) if step is None else scope(summary_writer=self, summary_step=step):
                yield self
                if STATE.trace is None:
                    self.flush()

        return context()

    def init(self) -> None:
        """Nothing to do: a writer is ready when it is made.

        >>> tf.summary.create_noop_writer().init()
        """

    def flush(self) -> None:
        """Write what waits in memory to the file.

        >>> import tempfile
        >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
        >>> writer.flush()
        """

    def close(self) -> None:
        """Flush, and take no more.

        >>> import tempfile
        >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
        >>> writer.close()
        >>> writer.as_default()
        Traceback (most recent call last):
        RuntimeError: SummaryWriter <...> is already closed
        """
        self.flush()
        self._closed = True

    @property
    def writes(self) -> bool:
        """Whether it keeps the events that it is given."""
        return True

    def add(self, **fields: object) -> None:
        """Take an event.

        Args:
            fields: The fields of the event, by name.

        Raises:
            NotImplementedError: The writer is of the base class: `tf.summary.create_file_writer` makes one that writes.
        """
        raise NotImplementedError("Make a writer with tf.summary.create_file_writer.")

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")


class _NoopWriter(SummaryWriter):
    @property
    def writes(self) -> bool:
        return False

    def add(self, **fields: object) -> None:
        pass


class _FileWriter(SummaryWriter):
    def __init__(self, logdir: str, max_queue: int, flush_millis: int, suffix: str) -> None:
        self._logdir = logdir
        self._file = EventFile(logdir, suffix)
        self._max_queue, self._flush_seconds = max_queue, flush_millis / 1000
        self._waiting, self._flushed = 0, time.monotonic()

    def add(self, **fields: object) -> None:
        self._check_open()
        self._file.add(**fields)
        self._waiting += 1
        if self._waiting > self._max_queue or time.monotonic() - self._flushed >= self._flush_seconds:
            self.flush()

    def flush(self) -> None:
        if not self._closed:
            self._waiting, self._flushed = 0, time.monotonic()
            self._file.flush()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._file.close()

    def __repr__(self) -> str:
        return f"<tf.summary.SummaryWriter of {self._logdir!r}>"


def create_file_writer(
    logdir: object,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: object = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: object = None,
) -> SummaryWriter:
    """A writer of a new event file in `logdir`, which is made where it does not exist.

    >>> import gradtape as tf, tempfile
    >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    >>> with writer.as_default():
    ...     for step in range(3):
    ...         _ = tf.summary.scalar("loss", 1 / (1 + step), step=step)
    >>> writer.close()

    Args:
        logdir: The folder for the files, which is made if it is not there; TensorBoard and `gradtape plot` take it.
        max_queue: How many summaries may wait before the file is flushed; 10 by default.
        flush_millis: After how many milliseconds the file is flushed with the next summary; two minutes by default.
        filename_suffix: What the name of the file ends with; ".v2" by default.
        name: Ignored; accepted for compatibility with TensorFlow.
        experimental_trackable: Ignored; accepted for compatibility with TensorFlow.
        experimental_mesh: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A `tf.summary.SummaryWriter`.

    Raises:
        ValueError: `logdir` is None.
    """
    if logdir is None:
        raise ValueError("Argument `logdir` cannot be None. Give the folder that the event file is to be written to.")
    return _FileWriter(
        _text(logdir),
        _MAX_QUEUE if max_queue is None else int(max_queue),
        _FLUSH_MILLIS if flush_millis is None else int(flush_millis),
        ".v2" if filename_suffix is None else _text(filename_suffix),
    )


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing.

    >>> import gradtape as tf
    >>> with tf.summary.create_noop_writer().as_default():
    ...     bool(tf.summary.scalar("loss", 0.5, step=1))
    False

    Returns:
        A writer.
    """
    return _NoopWriter()


def _text(value: Any) -> str:
    if isinstance(value, (Tensor, Variable)):
        value = to_tensor(value, dtypes.string)._array.item()
    return os.fsdecode(value)


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Flush a writer, or the default one; nothing where there is none.

    >>> import gradtape as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default() as writer:
    ...     _ = tf.summary.scalar("loss", 0.5, step=1)
    ...     tf.summary.flush(writer)

    Args:
        writer: A writer; None: the default one.
        name: Ignored; accepted for compatibility with TensorFlow.
    """
    chosen = STATE.summary_writer if writer is None else writer
    if chosen is not None:
        chosen.flush()


# --- when to record --------------------------------------------------------------------------------------------------


@contextmanager
def record_if(condition: object) -> Iterator[None]:
    """A context in which summaries are recorded only where the condition holds: a bool, a tensor or a callable.

    >>> import gradtape as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     for step in range(4):
    ...         with tf.summary.record_if(step % 2 == 0):
    ...             print(bool(tf.summary.scalar("loss", 0.5, step=step)))
    True
    False
    True
    False

    Args:
        condition: A bool, a tensor, or a function without arguments that gives one.

    Returns:
        A context manager.
    """
    with scope(summary_condition=condition):
        yield


def should_record_summaries() -> Tensor:
    """Whether a summary written now in this thread would be recorded.

    >>> import gradtape as tf
    >>> bool(tf.summary.should_record_summaries())
    False

    Returns:
        One truth value, as a tensor.
    """
    return from_array(np.bool_(recording()))  # type: ignore[arg-type]


def recording() -> bool:
    """The same as a Python bool."""
    if STATE.summary_writer is None or not STATE.summary_writer.writes:
        return False
    condition = STATE.summary_condition
    return condition is None or bool(condition() if callable(condition) else condition)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def as_effect(function: _Function) -> _Function:
    """A function that writes summaries, as a step of a `tf.function` that calls it.

    The step writes at each run of the function, to the writer, at the step and under the condition that were the default where
    it was recorded; what was None there is that of the run.
    """

    @functools.wraps(function)
    def run(recorded: tuple[Any, Any, Any], *args: Any, **kwargs: Any) -> Any:
        here = STATE.summary_writer, STATE.summary_step, STATE.summary_condition
        writer, step, condition = (old if new is None else new for old, new in zip(here, recorded, strict=True))
        with scope(summary_writer=writer, summary_step=step, summary_condition=condition):
            return function(*args, **kwargs)

    step = traceable(run, always=True, on_abstract=effect_on_abstract)

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        if STATE.trace is None:
            return function(*args, **kwargs)
        condition = STATE.summary_condition
        recorded = STATE.summary_writer, STATE.summary_step, condition() if callable(condition) else condition
        return step(recorded, *args, **kwargs)

    return call  # type: ignore[return-value]


# --- steps -----------------------------------------------------------------------------------------------------------


def get_step() -> Any:
    """The default step of this thread, or None.

    >>> import gradtape as tf
    >>> tf.summary.experimental.set_step(3)
    >>> tf.summary.experimental.get_step()
    3
    >>> tf.summary.experimental.set_step(None)

    Returns:
        A number, a variable or None.
    """
    return STATE.summary_step


def set_step(step: object) -> None:
    """Set the default step of this thread: a number, a variable that is read at each summary, or None.

    >>> import gradtape as tf
    >>> tf.summary.experimental.set_step(3)
    >>> tf.summary.experimental.get_step()
    3
    >>> tf.summary.experimental.set_step(None)

    Args:
        step: The number of the training step, for the horizontal axis.

    Raises:
        TypeError: It is no whole number.
    """
    STATE.summary_step = None if step is None else checked_step(step)


def checked_step(step: Any) -> Any:
    """The step as it was given, if it is an integer; TypeError where it is none."""
    whole = isinstance(step, (int, np.integer)) and not isinstance(step, bool)
    if not whole and not (hasattr(step, "dtype") and dtypes.as_dtype(step.dtype).is_integer and not step.ndim):
        raise TypeError(f"The step of a summary must be an integer, got {step!r}.")
    return step


def current_step(step: object) -> int:
    """The step given, else the default; ValueError where there is neither."""
    if step is None:
        step = STATE.summary_step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through tf.summary.experimental.set_step()"
        )
    step = checked_step(step)
    return int(step if isinstance(step, (int, np.integer)) else to_tensor(step)._array)
