"""`tf.compat`: v2 is the package itself; of v1 there is what programs for TensorFlow 2 use (`compat_v1`)."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any


class _V1(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from . import compat_v1

        if hasattr(compat_v1, name):
            return getattr(compat_v1, name)
        instead = f"tf.{name}" if hasattr(v2, name) else "eager ops with tf.GradientTape"
        raise AttributeError(
            f"tf.compat.v1.{name} does not exist: gradtape has TensorFlow 2's eager interface only, without graphs and sessions, "
            f"and tf.compat.v2 is the package itself. Use {instead}."
        )

    def __repr__(self) -> str:
        return "<tf.compat.v1: not offered by gradtape, but for a few names>"


v1 = _V1(f"{__name__}.v1")
v2 = sys.modules["gradtape"]
# For `import gradtape.compat.v2 as tf`; the same line with v1 runs too, and its first use says what is wrong.
__path__: list[str] = []  # (what has submodules is a package to Python)
sys.modules.update({f"{__name__}.v1": v1, f"{__name__}.v2": v2})


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


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes as text, anything else as `str` shows it."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as text, anything else as it is."""
    return os.fspath(path) if hasattr(path, "__fspath__") else path


def dimension_value(dimension: Any) -> Any:
    """The size: dimensions are integers or None."""
    return dimension
