"""How the value of a variable is changed: one writer at a time, and in place where nothing else refers to the memory.

All writers go through here: the methods of variables, updates of optimizers, compiled functions.

**One at a time.** What reads a value to write another holds the variable's lock in between, so that no update is lost. The locks
are few, and the variable's identity says which one is its own: making, copying and pickling a variable know nothing of them.
Whoever needs several takes them in one order.

**In place.** `changed` takes the value out of the variable, and then counts who holds it. A reader from before is counted,
and keeps what was read: the new value gets memory of its own. A later reader does not find it, and waits
(`AbsentValue`) until it is whole again. So a tensor never changes, whatever other threads do, and reading costs nothing more.

The counts are exact because of the interpreter's lock; without that (free-threaded Python) nothing is changed in place.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any, TypeVar

import numpy as np

from ..base.context import RESTORATIONS
from ..base.dtypes import Array
from ..base.locks import new_rlock, on_fork
from ..native.abi import counts_holders, holders
from ..values.tensor import EagerTensor, from_array

_COUNT, _NEIGHBOURS = 256, 8  # variables that were made one after the other are changed together, and share a lock
_made = [new_rlock(held_through_forks=True) for _ in range(_COUNT)]
LOCKS = tuple([lock for lock in _made for _ in range(_NEIGHBOURS)])  # of `variable`: LOCKS[variable._id & MASK]
MASK = _COUNT * _NEIGHBOURS - _NEIGHBOURS
_WAITING: list[object] = []  # threads that wait to read a variable
_PATIENCE = 1e-3  # seconds between two looks
_ABSENT = object()
_T = TypeVar("_T")

Compute = Callable[..., Any]


on_fork(after_in_child=_WAITING.clear)  # (the waiting threads are in the parent)


def lock_of(variable: Any) -> Any:
    """The lock to hold while the value of a variable is read and another is written in its place."""
    return LOCKS[variable._id & MASK]


def is_locked_here(variable: object) -> bool:
    """Whether this thread holds the lock. (A variable of Keras without a value yet has no identity.)"""
    return "_id" in variable.__dict__ and bool(lock_of(variable)._is_owned())


def value_of(variable: Any, array: Array) -> EagerTensor:
    """An array as the value of a variable: a tensor with the variable's identity."""
    value = from_array(array)
    value._id = variable._id
    return value


def changed(variables: Sequence[Any], arrays: list[Any], compute: Compute, *given: object) -> Any:
    """Give variables new values, in one step; returns what `compute` returns.

    Args:
        variables: The variables to change.
        arrays: For each the array that was read of it, under no other name, or None to insert the present one.
        compute: Is called with `arrays`, whether each may be written to, and what is given; leaves the new ones in `arrays`. It
            must not read or change other variables.
    """
    if _alone is None:
        _count_nobody_else()  # (before the lock: it may log a notice, which can run code of the user)
    if RESTORATIONS:
        for variable in variables:
            variable._value  # noqa: B018 - a checkpoint may have it, and is not consulted under the lock
    if len(variables) == 1:
        with LOCKS[variables[0]._id & MASK]:
            return _changed_one(variables[0], arrays, compute, given)
    return under_locks(locks_of(variables), _changed, variables, arrays, compute, given)


def locks_of(variables: Sequence[Any]) -> list[Any]:
    """The locks of variables, in the order in which they are taken: from the newest on, as forks do."""
    return [LOCKS[number] for number in sorted({variable._id & MASK for variable in variables}, reverse=True)]


def under_locks(locks: list[Any], work: Callable[..., _T], *given: object) -> _T:
    """Work while locks are held. An interrupt at any moment releases all that were taken.

    Each line that takes or releases them is one call of C, which no interrupt divides: `with` takes four times as long for many.
    """
    taken: list[bool] = []
    releases = map(_RELEASE, compress(locks, taken))  # (it looks into `taken` when it is used)
    try:
        taken.extend(map(_ACQUIRE, locks))
        return work(*given)
    finally:
        _use_up(releases)


_ACQUIRE, _RELEASE = type(LOCKS[0]).acquire, type(LOCKS[0]).release
_use_up: Callable[[Iterable[Any]], None] = deque[Any](maxlen=0).extend


def written(variables: Sequence[Any], write: Callable[[list[Array]], None]) -> None:
    """Change variables by a function that writes into their arrays; these are copies where others hold them."""

    def compute(arrays: list[Any], own: list[bool]) -> None:
        for place, is_own in enumerate(own):
            if not is_own:
                arrays[place] = np.array(arrays[place], order="C")
        write(arrays)

    changed(variables, [None] * len(variables), compute)


def _changed(variables: Sequence[Any], arrays: list[Any], compute: Compute, given: tuple[Any, ...]) -> Any:
    values: list[Any] = []
    own: list[bool] = []
    try:
        for place, variable in enumerate(variables):
            _take_out(variable, values)
            own.append(_is_own(values, arrays, place))
        result = compute(arrays, own, *given)
        for place, variable in enumerate(variables):
            if arrays[place] is not values[place]._array:
                values[place] = value_of(variable, arrays[place])
        return result
    finally:
        _put_back(variables, values)


def _take_out(variable: Any, values: list[Any]) -> None:
    """Append the value of a variable whose lock is held, and take it out of the variable: later readers wait for the next one."""
    slots = variable.__dict__
    values.append(variable._value)
    slots["_changing"] = values[-1]  # whatever interrupts this, the value is not lost
    if not _WAITING:  # else it stays, and is not written to: no thread may wait for ever
        slots.pop("_value", None)


def _put_back(variables: Sequence[Any], values: list[Any]) -> None:
    """Give variables their values, those that were taken out or others."""
    for variable, value in zip(variables, values):  # noqa: B905 - an interrupt may have come before the last
        variable._value = value
        variable.__dict__.pop("_changing", None)


def _changed_one(variable: Any, arrays: list[Any], compute: Compute, given: tuple[Any, ...]) -> Any:
    """The same for one variable, which it mostly is, in half the time."""
    values: list[Any] = []
    slots = variable.__dict__
    try:
        values.append(variable._value)
        slots["_changing"] = values[0]
        if not _WAITING:
            slots.pop("_value", None)
        result = compute(arrays, [_is_own(values, arrays, 0)], *given)
        if arrays[0] is not values[0]._array:
            values[0] = value_of(variable, arrays[0])
        return result
    finally:
        if values:
            variable._value = values[0]
            slots.pop("_changing", None)


def _is_own(values: list[Any], arrays: list[Any], place: int) -> bool:
    """Whether an array can be written to: it is that of the value taken out, and nobody else holds either."""
    if arrays[place] is None:
        arrays[place] = values[place]._array
    elif arrays[place] is not values[place]._array:
        return False
    if holders(values, arrays, place) != _alone:
        return False
    flags = arrays[place].flags
    return bool(flags.carray and flags.owndata)  # (`carray`: writeable, without gaps)


_NEVER = (0, 0)  # counts that never occur
_alone: tuple[int, int] | None = None  # the reference counts if only the variable holds the value, measured on demand


def _count_nobody_else() -> None:
    """Measure `_alone`, because interpreters differ."""
    global _alone
    changing = {"_changing": from_array(np.zeros(2))}
    values, arrays = [changing["_changing"]], [changing["_changing"]._array]
    _alone = holders(values, arrays, 0) if counts_holders() else _NEVER


class AbsentValue:
    """Stands in the class of variables as `_value`: Python asks it where a variable has none, and only then."""

    def __get__(self, variable: object, owner: type | None = None) -> Any:
        return self if variable is None else _awaited_value(variable)


def present_value(variable: object) -> Any:
    """The value of a variable, whatever the checkpoints that wait for variables have for it."""
    try:
        return variable.__dict__["_value"]
    except KeyError:
        return _awaited_value(variable)


def any_value(variable: Any) -> Any:
    """The value of a variable, perhaps one that is being changed: for its type and shape, for which nobody has to wait."""
    if RESTORATIONS:  # a checkpoint may have it
        return variable._value
    value = variable.__dict__.get("_value")
    if value is None:
        value = variable.__dict__.get("_changing")
    return variable._value if value is None else value


def _awaited_value(variable: object) -> Any:
    """The value of a variable after somebody has changed it."""
    lock = lock_of(variable)
    if lock._is_owned():
        found = variable.__dict__.get("_value", _ABSENT)
        return _left_value(variable) if found is _ABSENT else found
    me = object()
    try:  # (an interrupt may come after any of these steps)
        _WAITING.append(me)
        while True:
            is_free = lock.acquire(timeout=_PATIENCE)
            found = variable.__dict__.get("_value", _ABSENT)
            if found is not _ABSENT:
                return found
            if is_free:
                return _left_value(variable)
    finally:
        if lock._is_owned():
            lock.release()
        if me in _WAITING:
            _WAITING.remove(me)


def _left_value(variable: object) -> EagerTensor:
    """This thread is changing the variable, and runs a finalizer or a signal handler; or an interrupt ended a change."""
    left = variable.__dict__.get("_changing")
    if left is not None:
        return value_of(variable, np.array(left._array))
    if "_value" in variable.__dict__:  # (a handler within this one has changed it)
        return variable.__dict__["_value"]
    raise AttributeError(f"{type(variable).__name__!r} object has no attribute '_value'")
