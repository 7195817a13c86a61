"""`tf.train.CheckpointManager`: the last few checkpoints of a folder, and waiting for new ones."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from ..base.locks import new_lock
from ..values.tensor import to_tensor
from ..xla.processes import is_first
from . import storage
from .checkpoint import Checkpoint, CheckpointOptions, next_number
from .state_file import get_checkpoint_state, latest_checkpoint, update_checkpoint_state

LOGGER = logging.getLogger("gradtape")


class CheckpointManager:
    """Saves checkpoints with rising numbers to a folder, and deletes old ones.

    >>> import gradtape as tf, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> checkpoint = tf.train.Checkpoint(step=tf.Variable(0))
    >>> manager = tf.train.CheckpointManager(checkpoint, folder.name, max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [p.rpartition("/")[2] for p in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    >>> status = checkpoint.restore(manager.latest_checkpoint)
    >>> folder.cleanup()

    Args:
        checkpoint: The `tf.train.Checkpoint` to save.
        directory: The folder; checkpoints that an earlier run left there are managed too.
        max_to_keep: How many to keep; None keeps all.
        keep_checkpoint_every_n_hours: Keeps one for good whenever so many hours have passed since the last such one.
        checkpoint_name: What the files' names begin with.
        step_counter: A variable with the number of the step, for `checkpoint_interval`.
        checkpoint_interval: How many steps must pass between two checkpoints.
        init_fn: Called by `restore_or_initialize` where there is nothing to restore.
        last_checkpoint_step: The step of the last checkpoint that an earlier run saved.

    Raises:
        ValueError: `max_to_keep` is not positive, or `checkpoint_interval` is given without `step_counter`.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: object = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint = checkpoint
        self._directory: str = os.fspath(directory)
        self._max_to_keep = max_to_keep
        self._keep_every = keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._lock = new_lock()  # for the list of what is kept
        self._kept: dict[str, float] = {}  # path: when it was written; those that may be deleted, oldest first
        self._last_preserved = time.time() - 1.0
        self._find_earlier()

    def _find_earlier(self) -> None:
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        stamps, folder = state.all_model_checkpoint_timestamps, os.path.dirname(os.path.abspath(self._prefix))
        for place, path in enumerate(state.all_model_checkpoint_paths):
            # (What it keeps it may delete: files of its own folder, whatever the list says.)
            if os.path.dirname(os.path.abspath(path)) == folder and storage.exists(path):
                self._kept[path] = stamps[place] if place < len(stamps) else self._last_preserved
        if state.last_preserved_timestamp:
            self._last_preserved = state.last_preserved_timestamp
        elif self._kept:
            self._last_preserved = min(self._kept.values()) - 1.0

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps must pass between two checkpoints."""
        return self._interval

    @property
    def checkpoints(self) -> list[str]:
        """The paths of those that are kept, oldest first; those kept for good are not among them."""
        return list(self._kept)

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the newest, or None."""
        return next(reversed(self._kept), None)

    def save(
        self, checkpoint_number: object = None, check_interval: bool = True, options: CheckpointOptions | None = None
    ) -> str | None:
        """Save a checkpoint, then delete what is too old.

        >>> import tempfile
        >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(1.0))
        >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
        >>> paths = [manager.save() for _ in range(3)]
        >>> manager.checkpoints == paths[1:]
        True

        Args:
            checkpoint_number: The number in its name, an integer or a variable; by default that of the save.
            check_interval: Whether to do nothing before `checkpoint_interval` steps have passed.
            options: As for `Checkpoint.save`.

        Returns:
            Its path; None if it is too early for one.
        """
        step = None if self._step_counter is None else int(to_tensor(self._step_counter)._array)
        too_early = (
            self._interval is not None
            and step is not None
            and self._last_step is not None
            and step < self._last_step + self._interval
        )
        if check_interval and too_early:
            return None
        with next_number(self._checkpoint.save_counter) as number:
            if checkpoint_number is not None:
                number = int(to_tensor(checkpoint_number)._array)
            path = f"{self._prefix}-{number}"
            self._checkpoint.write(path, options)
        with self._lock:
            self._note(path, step)
        return path

    def _note(self, path: str, step: int | None) -> None:
        """Put a checkpoint on the list, and delete what is too old."""
        self._last_step = step
        self._kept.pop(path, None)  # saved again under the same number, it is the newest
        self._kept[path] = time.time()
        too_old = self._too_old()
        if not is_first():
            return
        # First the list, then the files: after a crash, every checkpoint on the list exists.
        update_checkpoint_state(
            self._directory, path, list(self._kept), list(self._kept.values()), self._last_preserved
        )
        for old in too_old:
            storage.delete(old)

    def _too_old(self) -> list[str]:
        """Remove surplus checkpoints from the list; returns those to delete. The others are kept for good."""
        found: list[str] = []
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            path = next(iter(self._kept))
            stamp = self._kept.pop(path)
            if self._keep_every is not None and stamp - self._keep_every * 3600.0 >= self._last_preserved:
                self._last_preserved = stamp
            else:
                found.append(path)
        return found

    def restore_or_initialize(self) -> str | None:
        """Restore the newest checkpoint; without one, call `init_fn`.

        >>> import tempfile
        >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(1.0))
        >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
        >>> manager.restore_or_initialize() is None
        True
        >>> path = manager.save()
        >>> manager.restore_or_initialize() == path
        True

        Returns:
            The path of the checkpoint, or None.
        """
        if self.latest_checkpoint is not None:
            self._checkpoint.restore(self.latest_checkpoint)
            if self._step_counter is not None:
                self._last_step = int(to_tensor(self._step_counter)._array)
            return self.latest_checkpoint
        if self._init_fn is not None:
            self._init_fn()
            LOGGER.info("Customized initialization is done through the passed `init_fn`.")
        return None

    def sync(self) -> None:
        """Nothing to do: a checkpoint is on the disk when `save` returns.

        >>> import tempfile
        >>> checkpoint = tf.train.Checkpoint(w=tf.Variable(1.0))
        >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
        >>> manager.sync()
        """


def checkpoints_iterator(
    checkpoint_dir: object,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The newest checkpoint of a folder, and each newer one as another process writes it.

    >>> import gradtape as tf, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).save(folder + "/weights")
    >>> list(tf.train.checkpoints_iterator(folder, timeout=0)) == [path]
    True

    Args:
        checkpoint_dir: The folder that the checkpoints were saved to.
        min_interval_secs: How much time at least lies between two.
        timeout: How many seconds to wait for the next; None waits forever.
        timeout_fn: Called when the time is over; if it returns True, or is not given, the iteration ends.

    Returns:
        An iterator over paths.
    """
    last: str | None = None
    while True:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (path := latest_checkpoint(checkpoint_dir)) is None or path == last:
            if deadline is not None and time.monotonic() + min(1.0, timeout or 0.0) > deadline:
                path = None
                break
            time.sleep(1.0 if timeout is None else min(1.0, timeout))
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        last = path
        start = time.monotonic()
        yield path
        time.sleep(max(0.0, start + min_interval_secs - time.monotonic()))
