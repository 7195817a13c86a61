"""Looking into a checkpoint without the program that wrote it."""

from __future__ import annotations

import json
import os
from typing import Any

from ..base import dtypes
from ..base.dtypes import Array, DType
from ..base.errors import NotFoundError
from .state_file import latest_checkpoint
from .storage import Bundle

# TensorFlow keeps its graph of objects under this name, and lists it with the variables; here it is in the index.
_OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"


class CheckpointReader:
    """The variables of a checkpoint by name, each read when it is asked for."""

    def __init__(self, prefix: str) -> None:
        self._bundle = Bundle(prefix)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shapes by name."""
        return {_OBJECT_GRAPH: []} | {key: list(entry["shape"]) for key, entry in self._bundle.tensors.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The types by name."""
        types = {key: dtypes.as_dtype(entry["dtype"]) for key, entry in self._bundle.tensors.items()}
        return {_OBJECT_GRAPH: dtypes.string} | types

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a variable with this name."""
        return tensor_str == _OBJECT_GRAPH or tensor_str in self._bundle.tensors

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a variable as a NumPy array."""
        if tensor_str == _OBJECT_GRAPH:
            return json.dumps(self._bundle.objects).encode()
        array = self._bundle.read([tensor_str])[tensor_str]
        return array if array.ndim else array[()]

    def debug_string(self) -> bytes:
        """One line for each variable: name, type and shape."""
        rows = [f"{key} ({entry['dtype']}) {entry['shape']}" for key, entry in sorted(self._bundle.tensors.items())]
        return "\n".join(rows).encode()


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader for a checkpoint, or for the newest of a folder.

    >>> import gradtape as tf, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write(f"{folder}/weights")
    ...     tf.train.load_checkpoint(path).get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)

    Args:
        ckpt_dir_or_file: The path of a checkpoint, or of a folder of them.

    Returns:
        An object with `get_tensor` and `get_variable_to_shape_map`.

    Raises:
        tf.errors.NotFoundError: There is no checkpoint.
    """
    path = os.fspath(ckpt_dir_or_file)
    if not os.path.isdir(path):
        return CheckpointReader(path)
    newest = latest_checkpoint(path)
    if newest is None:
        raise NotFoundError(None, None, f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}.")
    return CheckpointReader(newest)


def load_variable(ckpt_dir_or_file: object, name: str) -> Array:
    """The value of one variable of a checkpoint, or of the newest of a folder.

    >>> import gradtape as tf, tempfile
    >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/weights")
    >>> tf.train.load_variable(path, "w/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)

    Args:
        ckpt_dir_or_file: The path of a checkpoint, or of a folder of them.
        name: The name of the variable, as `list_variables` has it.

    Returns:
        A NumPy array.

    Raises:
        tf.errors.NotFoundError: There is no checkpoint, or no such variable.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: object) -> list[tuple[str, list[int]]]:
    """Names and shapes of the variables of a checkpoint, or of the newest of a folder, in the order of the names.

    >>> import gradtape as tf, tempfile
    >>> path = tf.train.Checkpoint(w=tf.Variable([1.0, 2.0])).write(tempfile.mkdtemp() + "/weights")
    >>> tf.train.list_variables(path)[-1]
    ('w/.ATTRIBUTES/VARIABLE_VALUE', [2])

    Args:
        ckpt_dir_or_file: The path of a checkpoint, or of a folder of them.

    Returns:
        A list of pairs of a name and a shape.

    Raises:
        tf.errors.NotFoundError: There is no checkpoint.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
