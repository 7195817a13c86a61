"""The file `checkpoint` of a folder: which checkpoints are in it, and which is the newest; in TensorFlow's text format."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import Any

from ..base.errors import DataLossError
from . import storage

_LINE = re.compile(r'\s*(\w+):\s*("(?:[^"\\]|\\.)*"|[-+.\w]+)\s*')


class CheckpointState:
    """What the file says.

    Attributes:
        model_checkpoint_path: The newest checkpoint.
        all_model_checkpoint_paths: All that are kept, oldest first.
        all_model_checkpoint_timestamps: When they were written, in seconds.
        last_preserved_timestamp: When the last one was written that is kept for good.
    """

    def __init__(self) -> None:
        self.model_checkpoint_path = ""
        self.all_model_checkpoint_paths: list[str] = []
        self.all_model_checkpoint_timestamps: list[float] = []
        self.last_preserved_timestamp = 0.0

    def __repr__(self) -> str:
        return f"<CheckpointState: latest {self.model_checkpoint_path!r} of {len(self.all_model_checkpoint_paths)}>"


def update_checkpoint_state(
    folder: str,
    latest: str,
    paths: Sequence[str],
    timestamps: Sequence[float] = (),
    last_preserved: float | None = None,
    latest_filename: str | None = None,
) -> None:
    """Write the file; paths in the folder itself are kept relative, so that the folder can be moved."""
    lines = [f"model_checkpoint_path: {_quoted(latest, folder)}"]
    lines += [f"all_model_checkpoint_paths: {_quoted(path, folder)}" for path in paths]
    lines += [f"all_model_checkpoint_timestamps: {stamp!r}" for stamp in timestamps]
    if last_preserved is not None:
        lines.append(f"last_preserved_timestamp: {last_preserved!r}")
    path = os.path.join(folder or ".", latest_filename or "checkpoint")
    with storage.named_errors(path, "write"):
        storage.write_file(path, ["\n".join([*lines, ""]).encode()])


def _quoted(path: str, folder: str) -> str:
    absolute, base = os.path.abspath(path), os.path.abspath(folder or ".")
    inside = os.path.dirname(absolute) == base
    return json.dumps(os.path.basename(absolute) if inside else absolute, ensure_ascii=False)


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> CheckpointState | None:
    """What the folder's file `checkpoint` says, with paths that can be opened; None where there is no such file.

    >>> import gradtape as tf, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(w=tf.Variable(1.0)).save(folder + "/weights")
    >>> tf.train.get_checkpoint_state(folder).model_checkpoint_path == path
    True

    Args:
        checkpoint_dir: The folder that the checkpoints were saved to.
        latest_filename: The name of the file, where it is not `checkpoint`.

    Returns:
        An object with `model_checkpoint_path` and `all_model_checkpoint_paths`, or None.

    Raises:
        tf.errors.DataLossError: The file is damaged.
    """
    folder = os.fspath(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError:
        raise _damaged(path, "it is no text") from None
    state = CheckpointState()
    try:
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            match = _LINE.fullmatch(line)
            if match is None:
                raise ValueError(f"line {number} is {line[:80]!r}")
            _take(state, match[1], match[2], folder)
    except (ValueError, TypeError) as error:
        raise _damaged(path, str(error)) from None
    return state if state.model_checkpoint_path else None


def _take(state: CheckpointState, name: str, text: str, folder: str) -> None:
    if name == "model_checkpoint_path":
        state.model_checkpoint_path = os.path.join(folder, json.loads(text))
    elif name == "all_model_checkpoint_paths":
        state.all_model_checkpoint_paths.append(os.path.join(folder, json.loads(text)))
    elif name == "all_model_checkpoint_timestamps":
        state.all_model_checkpoint_timestamps.append(float(text))
    elif name == "last_preserved_timestamp":
        state.last_preserved_timestamp = float(text)


def _damaged(path: str, reason: str) -> DataLossError:
    return DataLossError(
        None,
        None,
        f"{path} does not list checkpoints: {reason}. Delete it, and give the checkpoint's path to restore().",
    )


def latest_checkpoint(checkpoint_dir: object, latest_filename: str | None = None) -> str | None:
    """The path of the newest whole checkpoint in a folder, to be given to `Checkpoint.restore`; None if there is none.

    Where the newest is damaged, it is the one before that.

    >>> import gradtape as tf, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> w = tf.Variable(1.0)
    >>> path = tf.train.Checkpoint(w=w).save(folder + "/weights")
    >>> restored = tf.Variable(0.0)
    >>> _ = tf.train.Checkpoint(w=restored).restore(tf.train.latest_checkpoint(folder))
    >>> restored.numpy()
    np.float32(1.0)

    Args:
        checkpoint_dir: The folder that the checkpoints were saved to.
        latest_filename: The name of the file that lists them, where it is not `checkpoint`.

    Returns:
        A path, or None.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    older = [path for path in reversed(state.all_model_checkpoint_paths) if path != state.model_checkpoint_path]
    return next((path for path in [state.model_checkpoint_path, *older] if storage.exists(path)), None)
