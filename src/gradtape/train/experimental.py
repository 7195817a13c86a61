"""`tf.train.experimental`: state in Python objects that checkpoints save too."""

from __future__ import annotations

from ..base.namespaces import listing
from .checkpoint import PythonState

__all__ = ["PythonState"]

__dir__ = listing(globals())
