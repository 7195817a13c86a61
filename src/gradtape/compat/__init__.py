"""`tf.compat`: v2 is the package itself; v1 has the part that programs for TensorFlow 2 use (`v1.py`)."""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from ..base.namespaces import listing
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
            return importlib.import_module(f"{__name__}.v1")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text as bytes."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as text."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: object, encoding: str = "utf-8") -> str:
    """Bytes as text, anything else as `str` shows it."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: PathLikeOrTensor) -> Any:
    """A path object as text, anything else as it is."""
    return os.fspath(path) if hasattr(path, "__fspath__") else path


def dimension_value(dimension: object) -> Any:
    """The size: dimensions are integers or None."""
    return dimension


__dir__ = listing(globals())
