"""Locks that are free in a forked child.

`os.fork` copies the memory of all threads, but only the thread that called it goes on in the child. A lock that another thread
held at that moment would stay closed for ever. Every lock of gradtape is therefore made here, and is renewed in the child;
`tests/forks/test_forks.py` looks for others.

What a lock guards may be half changed in the child. Where that could be seen, the lock is made with `held_through_forks`: a fork
waits until it is free. No code of a user may run under such a lock, because it could wait for the thread that forks. Elsewhere
what is guarded is written last, in one step.

Locks that others make are three kinds: those of modules under way (`base/module_locks.py`), those of objects that a child makes
anew (NumPy's generators: `random.py`), and those that are put here (`hold_through_forks`: LLVM's).
"""

from __future__ import annotations

import logging  # noqa: F401  (it takes its own lock before a fork, which imports need: hooks run from the last one backward)
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from .module_locks import forget_imports, imports_under_way

# Seconds after which a fork does not wait any longer, and the child imports anew: the import waits for this thread itself.
_IMPORTS_END = 5.0
_RENEWED: set[weakref.ref[Any]] = set()
_HELD: list[weakref.ref[Any]] = []  # in the order in which they were made
_TAKEN: list[Any] = []  # while a fork is under way


def new_lock() -> Any:
    """A `threading.Lock`."""
    return _renewed(threading.Lock())


def new_rlock(held_through_forks: bool = False) -> Any:
    """A `threading.RLock`.

    A thread that holds several which are held through forks takes the newest first, as a fork does.
    """
    lock = _renewed(threading.RLock())
    if held_through_forks:
        _HELD.append(weakref.ref(lock, _HELD.remove))
    return lock


def new_condition() -> threading.Condition:
    """A `threading.Condition` with an `RLock`; in a forked child nobody waits for it."""
    condition: threading.Condition = _renewed(threading.Condition(threading.RLock()))
    return condition


def hold_through_forks(lock: object) -> None:
    """Let forks wait for an `RLock` that another package has made; our own locks are never taken under it."""
    _HELD.insert(0, weakref.ref(_renewed(lock), _HELD.remove))


def _renewed(lock: object) -> Any:
    _RENEWED.add(weakref.ref(lock, _RENEWED.discard))
    return lock


def _before() -> None:
    """Take the locks at a moment when nothing is being imported: an import may need one of them, and who holds one may import."""
    end = time.monotonic() + _IMPORTS_END
    _take()
    while imports_under_way() and time.monotonic() < end:
        _give_back()
        time.sleep(1e-3)
        _take()


def _take() -> None:
    """Those that this thread does not hold already (in a finalizer)."""
    taken = [lock for lock in (r() for r in reversed(_HELD.copy())) if lock is not None and not lock._is_owned()]
    _TAKEN[:] = taken
    for lock in taken:
        lock.acquire()


def _give_back() -> None:
    """Idempotent: an interrupt may end it anywhere, and it is called again."""
    for lock in _TAKEN:
        if lock._is_owned():
            lock.release()
    _TAKEN.clear()


def _renew() -> None:
    _TAKEN.clear()
    forget_imports()
    for reference in _RENEWED.copy():
        lock = reference()
        if lock is not None:
            lock._at_fork_reinit()


def on_fork(**hooks: Callable[[], Any]) -> None:
    """Call these around each `os.fork`, where there is one: `before`, `after_in_parent`, `after_in_child`."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(**hooks)


on_fork(before=_before)
for _ in range(3):  # an interrupt may have ended the one before
    on_fork(after_in_parent=_give_back, after_in_child=_renew)
