"""Whole files as string tensors: `tf.io.read_file`, `write_file`, `matching_files`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import Array
from ..base.errors import from_os_error, invalid
from ..base.traceable import traceable
from ..base.types import Function, PathLikeOrTensor, TensorLike
from ..trace.abstract_tensor import NeedsValue
from ..trace.control import effect_on_abstract
from ..trace.host_calls import gives
from ..trace.inference import Inference
from ..values.tensor import Tensor, TensorSpec, from_array, to_tensor
from . import gfile


def read_file(filename: PathLikeOrTensor, name: str | None = None) -> Tensor:
    """The bytes of a file, as a string tensor without axes.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "note.txt")
    >>> tf.io.write_file(path, "hello")
    >>> tf.io.read_file(path).numpy()
    b'hello'

    Args:
        filename: The path.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The bytes of the file, as one text.

    Raises:
        tf.errors.NotFoundError: There is no such file.
    """
    path = gfile.local_path(_one(filename, "filename"))
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise from_os_error(error, path) from None
    return to_tensor(data)


def write_file(filename: PathLikeOrTensor, contents: TensorLike, name: str | None = None) -> None:
    """Write bytes to a file; folders that do not exist are made, a file that does is replaced.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "folder", "note.txt")
    >>> tf.io.write_file(path, "hello")
    >>> tf.io.gfile.exists(path)
    True

    Args:
        filename: The path.
        contents: The bytes or the text.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        None.

    Raises:
        tf.errors.PermissionDeniedError: The system refuses access.
    """
    path = gfile.local_path(_one(filename, "filename"))
    data = _one(contents, "contents")
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise from_os_error(error, path) from None


@gives(lambda pattern, name=None: TensorSpec([None], dtypes.string))
def matching_files(pattern: object, name: str | None = None) -> Tensor:
    """The paths of files that fit a pattern or one of several, sorted, as a string tensor.

    >>> import gradtape as tf
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a.txt"), "a")
    >>> tf.io.write_file(os.path.join(folder, "b.csv"), "b")
    >>> [os.path.basename(path) for path in tf.io.matching_files(folder + "/*.txt").numpy()]
    [b'a.txt']

    Args:
        pattern: A pattern with `*`, `?` and `[...]`, or several.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        The paths, as a string vector.
    """
    patterns: Array = np.atleast_1d(np.asarray(to_tensor(pattern, dtypes.string)._array))
    found = sorted(os.fsencode(path) for one in patterns.reshape(-1).tolist() for path in gfile.glob(one))
    paths = np.empty(len(found), object)
    paths[:] = found
    return from_array(paths)


def _one(value: object, what: str) -> bytes:
    """The one byte string of an argument."""
    array = to_tensor(os.fsencode(value) if isinstance(value, os.PathLike) else value, dtypes.string)._array
    if array.ndim:
        raise invalid(f"Input {what} tensor must be scalar, but had shape: {list(array.shape)}")
    data: bytes = array.item()
    return data


def _read_on_abstract(
    evaluator: object, function: Function, filename: PathLikeOrTensor, name: str | None = None
) -> Any:
    """The contents of a file are known only when the function runs; type and shape are known during tracing."""
    if not isinstance(evaluator, Inference):
        raise NeedsValue("What is in a file is known only when it is read.")
    return evaluator.tensor(TensorSpec([], dtypes.string))


read_file = traceable(read_file, always=True, on_abstract=_read_on_abstract)
write_file = traceable(write_file, always=True, on_abstract=effect_on_abstract)
