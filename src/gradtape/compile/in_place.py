"""Variables updated in place, when nobody else can see their arrays.

`v.assign_sub(step)` makes a new array in eager code: tensors that were read before keep theirs. A compiled function may
write into the array itself if the variable is the only one that holds it, which the reference counts tell.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..tensor import from_array


def is_alone(variable: Any, array: Any) -> bool:
    """Whether an array, which the caller read from the variable and has under one name, is held by nobody else."""
    if _counts(variable, array) != ALONE or variable._value._array is not array:
        return False
    return bool(array.flags.owndata and array.flags.writeable)


def _counts(variable: Any, array: Any) -> tuple[int, int]:
    value = variable._value
    return sys.getrefcount(value), sys.getrefcount(array)


class _Probe:
    _value: Any


def _counts_of_one_holder() -> tuple[int, int]:
    """What is counted when the variable is the only holder: measured, because interpreters differ."""

    def look(variable: Any, array: Any) -> tuple[int, int]:
        return _counts(variable, array)

    probe = _Probe()
    probe._value = from_array(np.zeros(2))
    v0 = probe._value._array
    return look(probe, v0)


ALONE = _counts_of_one_holder()
