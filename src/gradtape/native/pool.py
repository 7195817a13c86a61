"""Threads that wait in machine code, and run parts of a kernel within a few microseconds.

A Python thread that is handed work needs the interpreter's lock first, and 50 us or more. These do not: each is started once,
from Python, calls `work` and stays there. What a kernel's parts need is handed over in a few words of memory, and one word
says how many parts are left. Whoever is free takes the next, so a core that another program holds for a while delays one
part, not half of the work. Who finds nothing to do looks again for a while and then sleeps (a futex, so Linux only: elsewhere
Python's threads do the work): a thread that only looked would seem busy, and the system would not move another onto its core.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import sys
import threading
from typing import Any, NamedTuple

from ..threads import cores, in_parts
from .engine import Kernel, compiled

_WORDS: list[Any] = []  # workers never end, and always look at theirs
PARTS = 4  # of a kernel for each core
_LOOKS = 100_000  # before going to sleep, with a pause in between: about 1.3 ms


class _Machine(NamedTuple):
    futex: int  # the number of the system call
    pause: str  # says to the core that it only waits
    hint: str  # what is given to it


_MACHINES = {
    "x86_64": _Machine(202, "void @llvm.x86.sse2.pause(", ""),
    "aarch64": _Machine(98, "void @llvm.aarch64.hint(", "i32 1"),
}


def run(kernel: Kernel, arguments: Any, size: int, smallest: int, line: int = 1, each: int = PARTS) -> None:
    """`kernel(arguments, start, stop)` for parts of `range(size)`, `each` of them for a core, none shorter than `smallest`.

    Borders are multiples of `line`. A function in the place of the arguments makes them for one part, which has memory of its
    own then: there is one part for each core.
    """
    separate = callable(arguments)
    parts = max(1, min(cores() * (1 if separate else each), size // smallest))
    given = [arguments() for _ in range(parts)] if separate else [arguments]
    if parts == 1 or cores() == 1:
        kernel(given[0], 0, size)
    elif _possible():
        length = -(-size // (parts * line)) * line
        _pool().run(kernel.address, given, size, length)
    else:
        left = list(given)
        in_parts(lambda start, stop: kernel(left.pop() if separate else given[0], start, stop), size, smallest, line)


@functools.cache
def _possible() -> bool:
    return sys.platform == "linux" and platform.machine() in _MACHINES


@functools.cache
def _pool() -> _Pool:
    """The pool of this process."""
    return _Pool(cores() - 1)


if hasattr(os, "register_at_fork"):  # a forked child has no threads of its parent
    os.register_at_fork(after_in_child=_pool.cache_clear)


class _Pool:
    """The threads of a process, and the words through which they are told what to do."""

    def __init__(self, workers: int) -> None:
        machine = _MACHINES[platform.machine()]
        texts = {
            "FUTEX": str(machine.futex),
            "declare PAUSE": f"declare {machine.pause}{machine.hint.partition(' ')[0]})",
            "call PAUSE": f"call {machine.pause}{machine.hint})",
            "LOOKS": str(_LOOKS),
        }
        program = functools.reduce(lambda text, name: text.replace(name, texts[name]), texts, _PROGRAM)
        work, dispatch = compiled(program, "work", "dispatch")
        self._words = (ctypes.c_int64 * 40)()
        _WORDS.append(self._words)
        self._state = ctypes.addressof(self._words)
        numbers = [ctypes.c_int64] * 3
        self._dispatch = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, *numbers)(dispatch)
        enter = ctypes.CFUNCTYPE(None, ctypes.c_int64)(work)
        for number in range(1, workers + 1):
            threading.Thread(target=enter, args=(self._state,), daemon=True, name=f"gradtape kernels {number}").start()

    def run(self, kernel: int, arguments: list[Any], size: int, length: int) -> None:
        """Parts of that length, with the arguments of each, or the same for all."""
        first = arguments[0]
        if len(arguments) > 1:
            first = (ctypes.c_int64 * (len(first) * len(arguments)))(*[word for part in arguments for word in part])
        stride = len(arguments[0]) if len(arguments) > 1 else 0
        self._dispatch(self._state, kernel, first, stride, size, length)


# The words, by their number; what different threads write to stands in lines of the cache of its own, eight words each:
#     0 whether a kernel is running
#     8 kernel   9 arguments   10 size   11 length of a part   12 words from the arguments of one part to those of the next
#     13 parts
#     16 parts left (the lower half of the word; the upper half counts kernels, so that no word comes again)
#     24 parts done   25 whether the caller sleeps
#     32 workers that sleep
_PROGRAM = """
declare i64 @syscall(i64, ...)
declare PAUSE
declare i64 @llvm.smin.i64(i64, i64)

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
  %start = mul i64 %part, %length
  %end = add i64 %start, %length
  %stop = call i64 @llvm.smin.i64(i64 %end, i64 %size)
  call void %kernel(ptr %own, i64 %start, i64 %stop)
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

; A worker, for ever.
define void @work(ptr %state) {
entry:
  %left.at = getelementptr i64, ptr %state, i64 16
  %sleepers = getelementptr i64, ptr %state, i64 32
  br label %look
look:
  %looks = phi i64 [ 0, %entry ], [ 0, %look ], [ %next, %rest ], [ 0, %sleep ]
  %worked = call i1 @take(ptr %state)
  br i1 %worked, label %look, label %rest
rest:
  call PAUSE
  %next = add i64 %looks, 1
  %tired = icmp sgt i64 %next, LOOKS
  br i1 %tired, label %sleep, label %look
sleep:
  %more = atomicrmw add ptr %sleepers, i64 1 seq_cst
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %left.at, i64 128, i32 0, ptr null)
  %fewer = atomicrmw sub ptr %sleepers, i64 1 seq_cst
  br label %look
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
  %sleepers.at = getelementptr i64, ptr %state, i64 32
  %sleepers = load atomic i64, ptr %sleepers.at seq_cst, align 8
  %some = icmp ne i64 %sleepers, 0
  br i1 %some, label %wake, label %own
wake:
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %left.at, i64 129, i32 2147483647)
  br label %own
own:
  %worked = call i1 @take(ptr %state)
  br i1 %worked, label %own, label %wait
wait:
  %looks = phi i64 [ 0, %own ], [ %next, %rest ], [ 0, %sleep ]
  %done = load atomic i64, ptr %done.at seq_cst, align 8
  %all = icmp eq i64 %done, %parts
  br i1 %all, label %end, label %rest
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
