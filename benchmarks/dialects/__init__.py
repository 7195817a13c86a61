"""The dialects that workloads are spoken in: one file for each library, the same words in all of them.

A workload is written once, in these words, and each library says them in its own best way. gradtape speaks
TensorFlow's dialect: the same text runs on both, with nothing but the module exchanged.
"""

from benchmarks.dialects.dialect import ByHand, Dialect, Speaker
from benchmarks.dialects.jax import Jax
from benchmarks.dialects.tensorflow import TensorFlow
from benchmarks.dialects.torch import Torch
from benchmarks.dialects.xla import Xla

__all__ = ["ByHand", "Dialect", "Jax", "Speaker", "TensorFlow", "Torch", "Xla"]
