"""Threads that wait in machine code, and run parts of a kernel within a few microseconds.

A Python thread that is handed work needs the interpreter's lock first, and 50 us or more. These do not: each is started once,
from Python, calls `work` and stays there. What a kernel's parts need is handed over in a few words of memory, and one word
says how many parts are left. Whoever is free takes the next, so a core that another program holds for a while delays one
part, not half of the work. Who finds nothing to do looks again for a while and then sleeps (a futex, so Linux only: elsewhere
Python's threads do the work): a thread that only looked would seem busy, and the system would not move another onto its core.

Nobody has to wait for a kernel that is posted: it is run by whoever would otherwise wait.
"""

from __future__ import annotations

import _thread
import ctypes
import functools
import os
import platform
import sys
from typing import Any, NamedTuple

from ..base.locks import new_lock
from ..base.threads import cores, in_parts
from . import thresholds
from .engine import Kernel, compiled

_SLOTS = 16  # for kernels that are posted, a power of two


class _Machine(NamedTuple):
    futex: int  # the number of the system call
    pause: str  # says to the core that it only waits
    hint: str  # what is given to it


_MACHINES = {
    "x86_64": _Machine(202, "void @llvm.x86.sse2.pause(", ""),
    "aarch64": _Machine(98, "void @llvm.aarch64.hint(", "i32 1"),
}


def run(
    kernel: Kernel, arguments: Any, size: int, smallest: int, line: int = 1, each: int = thresholds.PARTS_OF_CORE
) -> None:
    """`kernel(arguments, start, stop)` for parts of `range(size)`, `each` of them for a core, none shorter than `smallest`.

    Borders are multiples of `line`. A function in the place of the arguments makes them for one part, which has memory of its
    own then: there is one part for each core.
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
    """How long the parts are that `run` makes."""
    parts = max(1, min(cores() * each, size // smallest)) if cores() > 1 else 1
    return max(1, -(-size // (parts * line)) * line)


def run_parts(kernel: Kernel, arguments: Any, size: int, length: int) -> None:
    """`run` with parts of that length."""
    if length >= size:
        kernel(arguments, 0, size)
    elif _possible():
        _pool().run(kernel.address, arguments, size, length)
    else:
        in_parts(lambda start, stop: kernel(arguments, start, stop), size, length, length)


def post(kernel: Kernel, arguments: bytes, size: int, length: int, after: int, kept: Any) -> int:
    """Have `kernel(arguments, start, stop)` run by and by, in parts of that length, and keep something alive until then.

    The number that it gives says to `settle` what to wait for, and as `after` what must be done before; 0 is nothing.
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
    return sys.platform == "linux" and platform.machine() in _MACHINES


_POOLS: list[_Pool] = []  # the one of this process, once it is needed
_LOCK = new_lock()
_POSTED_BEFORE = 0  # by the process that this one was forked from: all of that is done


def _pool() -> _Pool:
    """The pool of this process. (Numbers of kernels belong to it: there must never be two.)"""
    if not _POOLS:
        with _LOCK:
            if not _POOLS:
                _POOLS.append(_Pool(cores() - 1, _POSTED_BEFORE))
    return _POOLS[0]


def _begin_again() -> None:
    """In a forked child, which has no threads of its parent."""
    global _POSTED_BEFORE
    if _POOLS:
        _POSTED_BEFORE = _POOLS.pop()._words[_POSTED]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=settle_all, after_in_child=_begin_again)


class _Pool:
    """The threads of a process, and the words through which they are told what to do."""

    def __init__(self, workers: int, posted: int = 0) -> None:
        machine = _MACHINES[platform.machine()]
        texts = {
            "FUTEX": str(machine.futex),
            "declare PAUSE": f"declare {machine.pause}{machine.hint.partition(' ')[0]})",
            "call PAUSE": f"call {machine.pause}{machine.hint})",
            "LOOKS": str(thresholds.LOOKS_BEFORE_SLEEP),
            "SLOTS": str(_SLOTS),
        }
        program = functools.reduce(lambda text, name: text.replace(name, texts[name]), texts, _PROGRAM)
        work, dispatch, post, settle = compiled(program, "work", "dispatch", "post", "settle")
        self._words = (ctypes.c_int64 * (_FIRST_SLOT + _SLOTS * _WORDS_OF_SLOT))()
        for place in (_POSTED, _ALL_DONE, *(_FIRST_SLOT + k * _WORDS_OF_SLOT + _DONE for k in range(_SLOTS))):
            self._words[place] = posted
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._words))  # workers never end, and always look at them
        self._state = ctypes.addressof(self._words)
        # For each kernel that is posted its number (0: not known yet), and what it reads and writes.
        self._kept: dict[int, list[Any]] = {}
        i64, pointer = ctypes.c_int64, ctypes.c_void_p
        self._dispatch = ctypes.CFUNCTYPE(None, i64, i64, pointer, i64, i64, i64)(dispatch)
        # (It keeps the interpreter's lock: it takes no time, and nobody else posts meanwhile.)
        self._post = ctypes.PYFUNCTYPE(i64, i64, i64, pointer, i64, i64, i64, i64)(post)
        self._settle = ctypes.CFUNCTYPE(None, i64, i64)(settle)
        enter = ctypes.CFUNCTYPE(None, ctypes.c_int64)(work)
        for _ in range(workers):
            _thread.start_new_thread(enter, (self._state,))  # (`threading` does not count it: it runs no Python)

    def run(self, kernel: int, arguments: Any, size: int, length: int, stride: int = 0) -> None:
        """Parts of that length; the arguments of one begin `stride` words after those of the part before."""
        self._dispatch(self._state, kernel, arguments, stride, size, length)

    def post(self, kernel: int, arguments: bytes, size: int, length: int, after: int, kept: Any) -> int:
        """As the module's function."""
        entry = [0, kept]  # (before the kernel can begin: whatever interrupts this, its arrays are there)
        self._kept[id(entry)] = entry
        try:
            while not (number := self._post(self._state, kernel, arguments, len(arguments), size, length, after)):
                self.settle(self._words[_POSTED] + 1 - _SLOTS)  # the slot is taken
            entry[0] = number
        except BaseException:  # an interrupt: perhaps it is posted, and nobody knows its number
            last = self._words[_POSTED]
            for posted in range(max(1, last + 1 - _SLOTS), last + 1):
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
            if number and self._words[_FIRST_SLOT + number % _SLOTS * _WORDS_OF_SLOT + _DONE] >= number:
                self._kept.pop(key, None)


_POSTED, _ALL_DONE, _FIRST_SLOT, _WORDS_OF_SLOT, _DONE = 40, 48, 64, 32, 26  # see below

# The words, by their number; what different threads write to stands in lines of the cache of its own, eight words each:
#     0 whether a kernel is running
#     8 kernel   9 arguments   10 size   11 length of a part   12 words from the arguments of one part to those of the next
#     13 parts
#     16 parts left (the lower half of the word; the upper half counts kernels, so that no word comes again)
#     24 parts done   25 whether the caller sleeps
#     32 workers that sleep   33 how often there was news for them
#     40 kernels posted
#     48 kernels of these that are done   49 how many sleep until there are more
#     64 the slots. In each, from its first word on:
#         0 kernel   1 size   2 length of a part   3 parts   4 the kernel to be done before   5 to 23 arguments
#         24 parts left (the upper half is the kernel's number)   25 parts done   26 the number of the last kernel done
_PROGRAM = """
declare i64 @syscall(i64, ...)
declare PAUSE
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @run_part(ptr %kernel, ptr %arguments, i64 %part, i64 %length, i64 %size) {
  %start = mul i64 %part, %length
  %end = add i64 %start, %length
  %stop = call i64 @llvm.smin.i64(i64 %end, i64 %size)
  call void %kernel(ptr %arguments, i64 %start, i64 %stop)
  ret void
}

; Take the next part and run it; whether there was one. Between taking a part and saying that it is done, the words cannot
; change: the caller waits for every part.
define internal i1 @take(ptr %state) {
entry:
  %left.at = getelementptr i64, ptr %state, i64 16
  br label %look
look:
  %word = load atomic i64, ptr %left.at seq_cst, align 8
  %left = and i64 %word, 4294967295
  %none = icmp eq i64 %left, 0
  br i1 %none, label %nothing, label %try
nothing:
  ret i1 false
try:
  %less = sub i64 %word, 1
  %pair = cmpxchg ptr %left.at, i64 %word, i64 %less seq_cst seq_cst
  %taken = extractvalue { i64, i1 } %pair, 1
  br i1 %taken, label %run, label %look
run:
  %kernel.at = getelementptr i64, ptr %state, i64 8
  %kernel = load ptr, ptr %kernel.at
  %arguments.at = getelementptr i64, ptr %state, i64 9
  %arguments = load ptr, ptr %arguments.at
  %size.at = getelementptr i64, ptr %state, i64 10
  %size = load i64, ptr %size.at
  %length.at = getelementptr i64, ptr %state, i64 11
  %length = load i64, ptr %length.at
  %stride.at = getelementptr i64, ptr %state, i64 12
  %stride = load i64, ptr %stride.at
  %parts.at = getelementptr i64, ptr %state, i64 13
  %parts = load i64, ptr %parts.at
  %part = sub i64 %parts, %left
  %offset = mul i64 %part, %stride
  %own = getelementptr i64, ptr %arguments, i64 %offset
  call void @run_part(ptr %kernel, ptr %own, i64 %part, i64 %length, i64 %size)
  %done.at = getelementptr i64, ptr %state, i64 24
  %before = atomicrmw add ptr %done.at, i64 1 seq_cst
  %now = add i64 %before, 1
  %last = icmp eq i64 %now, %parts
  br i1 %last, label %finish, label %some
finish:
  %asleep.at = getelementptr i64, ptr %state, i64 25
  %asleep = load atomic i64, ptr %asleep.at seq_cst, align 8
  %needed = icmp ne i64 %asleep, 0
  br i1 %needed, label %wake, label %some
wake:
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %done.at, i64 129, i32 1)
  br label %some
some:
  ret i1 true
}

define internal ptr @slot(ptr %state, i64 %number) {
  %place = urem i64 %number, SLOTS
  %words = mul i64 %place, 32
  %after.state = add i64 %words, 64
  %slot = getelementptr i64, ptr %state, i64 %after.state
  ret ptr %slot
}

define internal i1 @is_done(ptr %state, i64 %number) {
  %slot = call ptr @slot(ptr %state, i64 %number)
  %last.at = getelementptr i64, ptr %slot, i64 26
  %last = load atomic i64, ptr %last.at seq_cst, align 8
  %done = icmp sge i64 %last, %number
  ret i1 %done
}

; Take the next part of the first kernel posted that has one and need not wait for another, and run it; whether there was one.
define internal i1 @take_posted(ptr %state) {
entry:
  %posted.at = getelementptr i64, ptr %state, i64 40
  %posted = load atomic i64, ptr %posted.at seq_cst, align 8
  %all.done.at = getelementptr i64, ptr %state, i64 48
  %all.done = load atomic i64, ptr %all.done.at seq_cst, align 8
  %idle = icmp eq i64 %posted, %all.done
  br i1 %idle, label %nothing, label %start
start:
  %below = sub i64 %posted, SLOTS
  %oldest = add i64 %below, 1
  %first = call i64 @llvm.smax.i64(i64 %oldest, i64 1)
  br label %look
nothing:
  ret i1 false
look:
  %number = phi i64 [ %first, %start ], [ %number, %try ], [ %following, %next ]
  %slot = call ptr @slot(ptr %state, i64 %number)
  %left.at = getelementptr i64, ptr %slot, i64 24
  %word = load atomic i64, ptr %left.at seq_cst, align 8
  %left = and i64 %word, 4294967295
  %owner = lshr i64 %word, 32
  %short = and i64 %number, 4294967295
  %some = icmp ne i64 %left, 0
  %same = icmp eq i64 %owner, %short
  %open = and i1 %some, %same
  br i1 %open, label %check, label %next
check:
  %after.at = getelementptr i64, ptr %slot, i64 4
  %after = load i64, ptr %after.at
  %ready = call i1 @is_done(ptr %state, i64 %after)
  br i1 %ready, label %try, label %next
next:
  %following = add i64 %number, 1
  %more = icmp sle i64 %following, %posted
  br i1 %more, label %look, label %nothing
try:
  %less = sub i64 %word, 1
  %pair = cmpxchg ptr %left.at, i64 %word, i64 %less seq_cst seq_cst
  %taken = extractvalue { i64, i1 } %pair, 1
  br i1 %taken, label %run, label %look
run:
  %kernel = load ptr, ptr %slot
  %size.at = getelementptr i64, ptr %slot, i64 1
  %size = load i64, ptr %size.at
  %length.at = getelementptr i64, ptr %slot, i64 2
  %length = load i64, ptr %length.at
  %parts.at = getelementptr i64, ptr %slot, i64 3
  %parts = load i64, ptr %parts.at
  %arguments = getelementptr i64, ptr %slot, i64 5
  %part = sub i64 %parts, %left
  call void @run_part(ptr %kernel, ptr %arguments, i64 %part, i64 %length, i64 %size)
  %done.at = getelementptr i64, ptr %slot, i64 25
  %before = atomicrmw add ptr %done.at, i64 1 seq_cst
  %now = add i64 %before, 1
  %last = icmp eq i64 %now, %parts
  br i1 %last, label %finish, label %worked
finish:
  %last.at = getelementptr i64, ptr %slot, i64 26
  store atomic i64 %number, ptr %last.at seq_cst, align 8
  %others = atomicrmw add ptr %all.done.at, i64 1 seq_cst
  %asleep.at = getelementptr i64, ptr %state, i64 49
  %asleep = load atomic i64, ptr %asleep.at seq_cst, align 8
  %needed = icmp ne i64 %asleep, 0
  br i1 %needed, label %wake, label %worked
wake:
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %all.done.at, i64 129, i32 2147483647)
  br label %worked
worked:
  ret i1 true
}

define internal void @tell_workers(ptr %state) {
  %news.at = getelementptr i64, ptr %state, i64 33
  %before = atomicrmw add ptr %news.at, i64 1 seq_cst
  %sleepers.at = getelementptr i64, ptr %state, i64 32
  %sleepers = load atomic i64, ptr %sleepers.at seq_cst, align 8
  %some = icmp ne i64 %sleepers, 0
  br i1 %some, label %wake, label %end
wake:
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %news.at, i64 129, i32 2147483647)
  br label %end
end:
  ret void
}

; A worker, for ever. Somebody waits for the parts of a kernel that is not posted: they come first.
define void @work(ptr %state) {
entry:
  %news.at = getelementptr i64, ptr %state, i64 33
  %sleepers = getelementptr i64, ptr %state, i64 32
  br label %look
look:
  %looks = phi i64 [ 0, %entry ], [ 0, %look ], [ 0, %others ], [ %next, %rest ], [ 0, %sleep ]
  %news = load atomic i64, ptr %news.at seq_cst, align 8
  %worked = call i1 @take(ptr %state)
  br i1 %worked, label %look, label %others
others:
  %worked.too = call i1 @take_posted(ptr %state)
  br i1 %worked.too, label %look, label %rest
rest:
  call PAUSE
  %next = add i64 %looks, 1
  %tired = icmp sgt i64 %next, LOOKS
  br i1 %tired, label %sleep, label %look
sleep:
  %more = atomicrmw add ptr %sleepers, i64 1 seq_cst
  %seen = trunc i64 %news to i32
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %news.at, i64 128, i32 %seen, ptr null)
  %fewer = atomicrmw sub ptr %sleepers, i64 1 seq_cst
  br label %look
}

; Put a kernel into its slot; its number, or 0 while the slot is taken.
define i64 @post(ptr %state, ptr %kernel, ptr %arguments, i64 %bytes, i64 %size, i64 %length, i64 %after) {
entry:
  %posted.at = getelementptr i64, ptr %state, i64 40
  %posted = load atomic i64, ptr %posted.at seq_cst, align 8
  %number = add i64 %posted, 1
  %earlier = sub i64 %number, SLOTS
  %needed = call i64 @llvm.smax.i64(i64 %earlier, i64 0)
  %slot = call ptr @slot(ptr %state, i64 %number)
  %last.at = getelementptr i64, ptr %slot, i64 26
  %last = load atomic i64, ptr %last.at seq_cst, align 8
  %free = icmp sge i64 %last, %needed
  br i1 %free, label %prepare, label %taken
taken:
  ret i64 0
prepare:
  store ptr %kernel, ptr %slot
  %size.at = getelementptr i64, ptr %slot, i64 1
  store i64 %size, ptr %size.at
  %length.at = getelementptr i64, ptr %slot, i64 2
  store i64 %length, ptr %length.at
  %up = add i64 %size, %length
  %over = sub i64 %up, 1
  %parts = sdiv i64 %over, %length
  %parts.at = getelementptr i64, ptr %slot, i64 3
  store i64 %parts, ptr %parts.at
  %after.at = getelementptr i64, ptr %slot, i64 4
  store i64 %after, ptr %after.at
  %arguments.at = getelementptr i64, ptr %slot, i64 5
  call void @llvm.memcpy.p0.p0.i64(ptr %arguments.at, ptr %arguments, i64 %bytes, i1 false)
  %done.at = getelementptr i64, ptr %slot, i64 25
  store i64 0, ptr %done.at
  %owner = shl i64 %number, 32
  %word = or i64 %owner, %parts
  %left.at = getelementptr i64, ptr %slot, i64 24
  store atomic i64 %word, ptr %left.at seq_cst, align 8
  store atomic i64 %number, ptr %posted.at seq_cst, align 8
  call void @tell_workers(ptr %state)
  ret i64 %number
}

; Take part in what is posted until a kernel of it is done.
define void @settle(ptr %state, i64 %number) {
entry:
  %all.done.at = getelementptr i64, ptr %state, i64 48
  br label %look
look:
  %looks = phi i64 [ 0, %entry ], [ 0, %take ], [ %next, %rest ], [ 0, %sleep ]
  %all.done = load atomic i64, ptr %all.done.at seq_cst, align 8
  %done = call i1 @is_done(ptr %state, i64 %number)
  br i1 %done, label %end, label %take
take:
  %worked = call i1 @take_posted(ptr %state)
  br i1 %worked, label %look, label %rest
rest:
  call PAUSE
  %next = add i64 %looks, 1
  %tired = icmp sgt i64 %next, LOOKS
  br i1 %tired, label %sleep, label %look
sleep:
  %asleep.at = getelementptr i64, ptr %state, i64 49
  %more = atomicrmw add ptr %asleep.at, i64 1 seq_cst
  %seen = trunc i64 %all.done to i32
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %all.done.at, i64 128, i32 %seen, ptr null)
  %fewer = atomicrmw sub ptr %asleep.at, i64 1 seq_cst
  br label %look
end:
  ret void
}

; Offer the parts, take part, wait for those that others took. A second caller meanwhile runs all of its kernel itself.
define void @dispatch(ptr %state, ptr %kernel, ptr %arguments, i64 %stride, i64 %size, i64 %length) {
entry:
  %pair = cmpxchg ptr %state, i64 0, i64 1 seq_cst seq_cst
  %free = extractvalue { i64, i1 } %pair, 1
  br i1 %free, label %prepare, label %busy
busy:
  call void %kernel(ptr %arguments, i64 0, i64 %size)
  ret void
prepare:
  %kernel.at = getelementptr i64, ptr %state, i64 8
  store ptr %kernel, ptr %kernel.at
  %arguments.at = getelementptr i64, ptr %state, i64 9
  store ptr %arguments, ptr %arguments.at
  %size.at = getelementptr i64, ptr %state, i64 10
  store i64 %size, ptr %size.at
  %length.at = getelementptr i64, ptr %state, i64 11
  store i64 %length, ptr %length.at
  %stride.at = getelementptr i64, ptr %state, i64 12
  store i64 %stride, ptr %stride.at
  %up = add i64 %size, %length
  %over = sub i64 %up, 1
  %parts = sdiv i64 %over, %length
  %parts.at = getelementptr i64, ptr %state, i64 13
  store i64 %parts, ptr %parts.at
  %done.at = getelementptr i64, ptr %state, i64 24
  store atomic i64 0, ptr %done.at seq_cst, align 8
  %left.at = getelementptr i64, ptr %state, i64 16
  %old = load atomic i64, ptr %left.at seq_cst, align 8
  %kernels = add i64 %old, 4294967296
  %word = add i64 %kernels, %parts
  store atomic i64 %word, ptr %left.at seq_cst, align 8
  call void @tell_workers(ptr %state)
  br label %own
own:
  %worked = call i1 @take(ptr %state)
  br i1 %worked, label %own, label %wait
wait:
  %looks = phi i64 [ 0, %own ], [ 0, %others ], [ %next, %rest ], [ 0, %sleep ]
  %done = load atomic i64, ptr %done.at seq_cst, align 8
  %all = icmp eq i64 %done, %parts
  br i1 %all, label %end, label %others
others:
  %worked.too = call i1 @take_posted(ptr %state)
  br i1 %worked.too, label %wait, label %rest
rest:
  call PAUSE
  %next = add i64 %looks, 1
  %tired = icmp sgt i64 %next, LOOKS
  br i1 %tired, label %sleep, label %wait
sleep:
  %asleep.at = getelementptr i64, ptr %state, i64 25
  store atomic i64 1, ptr %asleep.at seq_cst, align 8
  %seen = trunc i64 %done to i32
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %done.at, i64 128, i32 %seen, ptr null)
  store atomic i64 0, ptr %asleep.at seq_cst, align 8
  br label %wait
end:
  store atomic i64 0, ptr %state seq_cst, align 8
  ret void
}
"""
