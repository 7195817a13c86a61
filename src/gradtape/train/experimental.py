"""`tf.train.experimental`."""

from __future__ import annotations

from .checkpoint import PythonState

__all__ = ["PythonState"]
