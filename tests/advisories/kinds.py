"""What is put in the place of a good argument, by kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

NAN, INF = float("nan"), float("inf")


@dataclass(frozen=True)
class Attempt:
    """One call with one bad argument; `call()` makes it."""

    subject: str  # the op or public function
    kind: str
    text: str  # what is called, for a reader
    call: Any


NUMBERS: dict[str, tuple[Any, ...]] = {
    "negative": (-1, -7, -(2**31), -(2**63)),
    "zero": (0,),
    "huge": (10**9, 2**31, 2**40, 2**62, 2**63 - 1),
    "beyond all integers": (2**63, 2**70, -(2**70)),
    "not a whole number": (1.5, NAN, INF, -INF),
    "None": (None,),
    "another type": ("text", b"", True, 1j, [], object),
}
FLOATS: dict[str, tuple[Any, ...]] = {
    "negative": (-1.0, -1e300),
    "zero": (0.0,),
    "huge": (1e300, 2**63),
    "not a finite number": (NAN, INF, -INF),
    "None": (None,),
    "another type": ("text", [], 1j),
}
TEXTS: dict[str, tuple[Any, ...]] = {
    "None": (None,),
    "another type": (0, 1.5, ["text"]),
    "unknown text": ("", "nonsense", "\0"),
}


def replacements(value: Any) -> Iterator[tuple[str, Any]]:
    """Bad values for an attribute that has this good value, each with its kind."""
    if isinstance(value, (list, tuple)):
        yield from _of_a_list(value)
        return
    table = TEXTS if isinstance(value, (str, bytes)) else FLOATS if isinstance(value, float) else NUMBERS
    for kind, bad in table.items():
        for other in bad:
            yield kind, other


def _of_a_list(values: Any) -> Iterator[tuple[str, Any]]:
    kind = type(values) if type(values) in (list, tuple) else tuple
    yield "wrong rank", kind()
    yield "wrong rank", kind([*values, *values])
    yield "wrong rank", kind(values[:-1])
    yield "wrong rank", kind([values])
    yield "None", None
    if all(isinstance(v, int) for v in values):
        yield "an overflowing product", kind([2**21] * max(len(values), 3))
        yield "an overflowing product", kind([2**62] * max(len(values), 1))
    for place in {0, len(values) - 1} if values else ():
        for name, other in replacements(values[place]):
            yield name, kind([*values[:place], other, *values[place + 1 :]])


def tensors_like(value: Any) -> Iterator[tuple[str, Any]]:
    """Bad tensors for an operand that has this good value, each with its kind."""
    array = np.asarray(value)
    yield "None", None
    for axis in range(array.ndim):
        yield "empty", np.zeros([0 if a == axis else n for a, n in enumerate(array.shape)], array.dtype)
    yield "empty", np.zeros([0] * array.ndim, array.dtype)
    yield "empty", np.zeros([0], array.dtype)
    yield "wrong rank", array[None]
    yield "wrong rank", array[..., None, None]
    yield "wrong rank", array.reshape(-1)
    yield "wrong rank", array.reshape(-1)[:1].reshape(() if array.size else (0, 1))
    if array.ndim:
        yield "wrong size", np.concatenate([array, array], -1)
        yield "wrong size", array[..., :-1]
    for dtype in (np.float32, np.int32, np.uint8, np.bool_, np.complex64, object):
        if array.dtype != dtype and array.dtype != object:
            good = np.zeros(array.shape, "S1").astype(object) if dtype is object else np.real(array).astype(dtype)
            yield "another type", good
    if array.dtype.kind in "iu" and array.size:
        yield from _numbers_in(array)
    if array.dtype.kind in "fc" and array.size:
        for number in (NAN, INF, -INF, 0.0, -1.0, 1e30):
            yield "not a finite number" if not np.isfinite(number) else "unusual number", _put(array, number)


def _numbers_in(array: Any) -> Iterator[tuple[str, Any]]:
    limits = np.iinfo(array.dtype)
    for kind in ("negative", "zero", "huge"):
        for number in {max(limits.min, min(limits.max, n)) for n in NUMBERS[kind]}:
            yield kind, _put(array, number)
            yield kind, np.full_like(array, number)
    for number in {*array.shape, array.size, -array.size - 1, array.size + 1}:
        yield "index out of range", _put(array, max(limits.min, min(limits.max, number)))


def _put(array: Any, number: Any) -> Any:
    changed = array.copy()
    changed.reshape(-1)[-1] = number
    return changed
