"""`tf.bitwise`: operations on the bits of integers."""

from __future__ import annotations

from .base.namespaces import listing
from .ops.public import bitwise_and as bitwise_and
from .ops.public import bitwise_or as bitwise_or
from .ops.public import bitwise_xor as bitwise_xor
from .ops.public import invert as invert
from .ops.public import left_shift as left_shift
from .ops.public import right_shift as right_shift

__dir__ = listing(globals())
