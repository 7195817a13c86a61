"""`tf.compat`: v2 is the package itself; v1 has the part that programs for TensorFlow 2 use (`v1.py`)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ..base.absent import missing
from ..base.namespaces import import_late, listing
from ..base.types import PathLikeOrTensor

if TYPE_CHECKING:
    import gradtape as v2
else:
    v2 = sys.modules["gradtape"]
sys.modules[f"{__name__}.v2"] = v2  # for `import gradtape.compat.v2 as tf`


if TYPE_CHECKING:  # what is imported on first use
    from . import v1 as v1
else:

    def __getattr__(name: str) -> Any:
        if name == "v1":  # imported by programs that use it
            return import_late(f"{__name__}.v1")
        raise missing(__name__, name)


def as_bytes(bytes_or_text: object, encoding: str = "utf-8") -> bytes:
    r"""Text as bytes.

    >>> import gradtape as tf
    >>> tf.compat.as_bytes("é")
    b'\xc3\xa9'

    Args:
        bytes_or_text: Text or bytes, which stay as they are.
        encoding: How letters become bytes.

    Returns:
        Bytes.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: object, encoding: str = "utf-8") -> str:
    r"""Bytes as text.

    >>> import gradtape as tf
    >>> tf.compat.as_text(b"caf\xc3\xa9")
    'café'

    Args:
        bytes_or_text: Bytes or text, which stays as it is.
        encoding: How bytes become letters.

    Returns:
        A text.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: object, encoding: str = "utf-8") -> str:
    """Bytes as text, anything else as `str` shows it.

    >>> import gradtape as tf
    >>> tf.compat.as_str_any(b"text"), tf.compat.as_str_any(3)
    ('text', '3')

    Args:
        value: A value of any kind.
        encoding: How bytes become letters.

    Returns:
        A text.
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: PathLikeOrTensor) -> Any:
    """A path object as text, anything else as it is.

    >>> import gradtape as tf
    >>> import pathlib
    >>> tf.compat.path_to_str(pathlib.PurePosixPath("folder") / "file")
    'folder/file'

    Args:
        path: A path object, or a text.

    Returns:
        A text, or what was given.
    """
    return os.fspath(path) if hasattr(path, "__fspath__") else path


def dimension_value(dimension: object) -> Any:
    """The size: dimensions are integers or None.

    >>> import gradtape as tf
    >>> tf.compat.dimension_value(tf.ones([2, 3]).shape[0])
    2

    Args:
        dimension: A size of a shape.

    Returns:
        A whole number, or None.
    """
    return dimension


__dir__ = listing(globals())
