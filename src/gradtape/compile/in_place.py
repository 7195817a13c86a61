"""Variables updated in place, when nobody else can see their arrays.

`v.assign_sub(step)` makes a new array in eager code: tensors that were read before keep theirs. A compiled function may
write into the array itself if the variable is the only one that holds it, which the reference counts tell.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..tensor import from_array


def updated(variable: Any, ufunc: np.ufunc, array: Any, *operands: Any) -> Any:
    """`ufunc(*operands)`, written into `array`, which was read from the variable, if no one else has it."""
    value = variable._value
    counts = sys.getrefcount(value), sys.getrefcount(array)
    del value
    if counts == ALONE and variable._value._array is array and array.flags.owndata and array.flags.writeable:
        return ufunc(*operands, out=array)
    return ufunc(*operands)


class _Probe:
    _value: Any


def _counts_of_one_holder() -> tuple[int, int]:
    """What `updated` counts when the variable is the only holder: measured, because interpreters differ."""
    seen: list[tuple[int, int]] = []

    def look(variable: Any, ufunc: Any, array: Any, *operands: Any) -> None:
        value = variable._value
        counts = sys.getrefcount(value), sys.getrefcount(array)
        del value
        seen.append(counts)

    probe = _Probe()
    probe._value = from_array(np.zeros(2))
    v0 = probe._value._array
    look(probe, None, v0, v0, 1.0)
    return seen[0]


ALONE = _counts_of_one_holder()
