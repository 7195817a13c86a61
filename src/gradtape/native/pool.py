"""Threads that wait in machine code, and run parts of a kernel within a few microseconds.

A Python thread that is handed work needs the interpreter's lock first, and 50 us or more. These do not: each is started once,
from Python, calls `work` and stays there. What a kernel's parts need is handed over in a few words of memory, and one word
says how many parts are left. A free thread takes the next, so a core that another program holds for a while delays one
part, not half of the work. An idle thread polls for a while and then sleeps (on a futex, so on Linux only: elsewhere
Python's threads do the work): a thread that kept polling would seem busy, and the system would not move another onto its core.

A posted kernel runs in the background, on threads that would otherwise wait.
"""

from __future__ import annotations

import _thread
import ctypes
import functools
import platform
import sys
from typing import Any

from ..base.locks import new_lock, on_fork
from ..base.threads import cores, in_parts
from . import abi, thresholds
from .engine import Kernel
from .pool_words import MACHINES, SLOT, SLOTS, STATE, slot_of


def run(
    kernel: Kernel, arguments: object, size: int, smallest: int, line: int = 1, each: int = thresholds.PARTS_OF_CORE
) -> None:
    """`kernel(arguments, start, stop)` for parts of `range(size)`, `each` of them for a core, none shorter than `smallest`.

    Borders are multiples of `line`. A function in place of the arguments makes them for one part, which then has memory of its
    own: there is one part for each core.
    """
    if not callable(arguments):
        run_parts(kernel, arguments, size, part_length(size, smallest, line, each))
        return
    length = part_length(size, smallest, line, 1)
    given = [arguments() for _ in range(-(-size // length))]
    if len(given) == 1:
        kernel(given[0], 0, size)
    elif _possible():
        beside = (ctypes.c_int64 * (len(given[0]) * len(given)))(*[word for part in given for word in part])
        _pool().run(kernel.address, beside, size, length, len(given[0]))
    else:
        in_parts(lambda start, stop: kernel(given[start // length], start, stop), size, length, length)


def part_length(size: int, smallest: int, line: int = 1, each: int = thresholds.PARTS_OF_CORE) -> int:
    """The length of the parts that `run` makes."""
    parts = max(1, min(cores() * each, size // smallest)) if cores() > 1 else 1
    return max(1, -(-size // (parts * line)) * line)


def run_parts(kernel: Kernel, arguments: object, size: int, length: int) -> None:
    """`run` with parts of that length."""
    if length >= size:
        kernel(arguments, 0, size)
    elif _possible():
        _pool().run(kernel.address, arguments, size, length)
    else:
        in_parts(lambda start, stop: kernel(arguments, start, stop), size, length, length)


def post(kernel: Kernel, arguments: bytes, size: int, length: int, after: int, kept: object) -> int:
    """Schedule `kernel(arguments, start, stop)` in parts of that length, and keep an object alive until it has run.

    Returns the kernel's number: `settle` waits for it, and a later kernel given it as `after` runs after it; 0 is no kernel.
    """
    return _pool().post(kernel.address, arguments, size, length, after, kept)


def settle(number: int) -> None:
    """Run what is posted until the kernel of this number is done."""
    _pool().settle(number)


def settle_all() -> None:
    """Run what is posted until all of it is done, and nothing is kept."""
    for pool in _POOLS:
        pool.settle_all()


def can_post() -> bool:
    """Whether there is a second core to run what is posted, and a way to hand it over."""
    return cores() > 1 and _possible()


@functools.cache
def _possible() -> bool:
    return sys.platform == "linux" and platform.machine() in MACHINES


_POOLS: list[_Pool] = []  # the one of this process, once it is needed
_LOCK = new_lock()
_POSTED_BEFORE = 0  # the last number given before a fork: kernels up to it are done


def _pool() -> _Pool:
    """The pool of this process. (Numbers of kernels belong to it: there must never be two.)"""
    if not _POOLS:
        with _LOCK:
            if not _POOLS:
                _POOLS.append(_Pool(cores() - 1, _POSTED_BEFORE))
    return _POOLS[0]


def _begin_again() -> None:
    """Runs in a forked child, which has none of its parent's threads."""
    global _POSTED_BEFORE
    if _POOLS:
        _POSTED_BEFORE = _POOLS.pop().posted


on_fork(before=settle_all, after_in_child=_begin_again)


class _Pool:
    """The threads of a process, and the words of memory that control them."""

    def __init__(self, workers: int, posted: int = 0) -> None:
        from .workers import compiled_workers  # llvmlite is imported with the first kernel that is shared out

        work, dispatch, post, settle = compiled_workers()
        self._words = (ctypes.c_int64 * (STATE.size + SLOTS * SLOT.size))()
        self._last = [
            slot_of(k) + SLOT["last"] for k in range(SLOTS)
        ]  # the words with the last finished kernel of each slot
        for place in (STATE["posted"], STATE["all_done"], *self._last):
            self._words[place] = posted
        abi.keep_for_ever(self._words)  # workers never end, and always look at them
        self._state = ctypes.addressof(self._words)
        # For each kernel that is posted its number (0: not known yet), and what it reads and writes.
        self._kept: dict[int, list[Any]] = {}
        i64, pointer = ctypes.c_int64, ctypes.c_void_p
        self._dispatch = ctypes.CFUNCTYPE(None, i64, i64, pointer, i64, i64, i64)(dispatch)
        # (Called with the interpreter's lock held: it is fast, and no other thread can post meanwhile.)
        self._post = ctypes.PYFUNCTYPE(i64, i64, i64, pointer, i64, i64, i64, i64)(post)
        self._settle = ctypes.CFUNCTYPE(None, i64, i64)(settle)
        enter = ctypes.CFUNCTYPE(None, ctypes.c_int64)(work)
        for _ in range(workers):
            _thread.start_new_thread(enter, (self._state,))  # (`threading` does not count it: it runs no Python)

    @property
    def posted(self) -> int:
        """The number of the last kernel that was posted."""
        return int(self._words[STATE["posted"]])

    def run(self, kernel: int, arguments: object, size: int, length: int, stride: int = 0) -> None:
        """Parts of that length; the arguments of one begin `stride` words after those of the part before."""
        self._dispatch(self._state, kernel, arguments, stride, size, length)

    def post(self, kernel: int, arguments: bytes, size: int, length: int, after: int, kept: object) -> int:
        """As the module's function."""
        entry = [0, kept]  # (before the kernel can start: its arrays stay alive even if this is interrupted)
        self._kept[id(entry)] = entry
        try:
            while not (number := self._post(self._state, kernel, arguments, len(arguments), size, length, after)):
                self.settle(self.posted + 1 - SLOTS)  # the slot is taken
            entry[0] = number
        except BaseException:  # an interrupt: the kernel may be posted, but its number is unknown
            last = self.posted
            for posted in range(max(1, last + 1 - SLOTS), last + 1):
                self._settle(self._state, posted)
            self._kept.pop(id(entry), None)
            raise
        self._forget()
        return int(number)

    def settle(self, number: int) -> None:
        """As the module's function."""
        self._settle(self._state, number)
        self._forget()

    def settle_all(self) -> None:
        """As the module's function."""
        for number, _ in self._kept.copy().values():
            self.settle(number)

    def _forget(self) -> None:
        """Let go of what was kept for kernels that are done."""
        for key, (number, _) in self._kept.copy().items():
            if number and self._words[self._last[number % SLOTS]] >= number:
                self._kept.pop(key, None)
