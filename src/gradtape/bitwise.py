"""`tf.bitwise`: operations on the bits of integers."""

from __future__ import annotations

from .base.namespaces import listing
from .ops.math import bitwise as b

bitwise_and = b.bitwise_and.public
bitwise_or = b.bitwise_or.public
bitwise_xor = b.bitwise_xor.public
invert = b.invert.public
left_shift = b.left_shift.public
right_shift = b.right_shift.public

__dir__ = listing(globals())
