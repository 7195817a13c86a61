"""Threads that wait in machine code, and run parts of a kernel within a few microseconds.

A Python thread that is handed work needs the interpreter's lock first, and 50 us or more. These do not: each is started once,
from Python, calls `work` and stays there. What a kernel's parts need is handed over in a few words of memory; a worker's
`ticket` changes when there is work for it. A worker looks at its ticket for a while and then sleeps on it (a futex, so Linux
only: elsewhere Python's threads do the work). Between two looks it lets others run: OpenBLAS has threads that do the same.
"""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import sys
import threading
from typing import Any

from ..threads import cores, in_parts
from .engine import Kernel, compiled

_WORDS: list[Any] = []  # workers never end, and always look at theirs
_FUTEX = {"x86_64": 202, "aarch64": 98}  # the number of the system call


def run(kernel: Kernel, arguments: Any, size: int, smallest: int, line: int = 1) -> None:
    """`kernel(arguments, start, stop)` for parts of `range(size)`, one on each core, none shorter than `smallest`.

    Borders are multiples of `line`. A function in the place of the arguments makes them for one part: each has memory of its own.
    """
    parts = max(1, min(cores(), size // smallest))
    given = [arguments() for _ in range(parts)] if callable(arguments) else [arguments]
    if parts == 1:
        kernel(given[0], 0, size)
    elif _possible():
        length = -(-size // (parts * line)) * line
        _pool(os.getpid()).run(kernel.address, given, size, length)
    else:
        left = list(given)
        in_parts(
            lambda start, stop: kernel(left.pop() if len(given) > 1 else given[0], start, stop), size, smallest, line
        )


@functools.cache
def _possible() -> bool:
    return sys.platform == "linux" and platform.machine() in _FUTEX


@functools.cache
def _pool(process: int) -> _Pool:
    """The pool of a process: a forked child has no threads of its parent."""
    return _Pool(cores() - 1)


class _Pool:
    """The threads of a process, and the words through which they are told what to do."""

    def __init__(self, workers: int) -> None:
        work, dispatch = compiled(_PROGRAM.replace("FUTEX", str(_FUTEX[platform.machine()])), "work", "dispatch")
        self._words = (ctypes.c_int64 * (8 * (3 + workers)))()
        _WORDS.append(self._words)
        self._state = ctypes.addressof(self._words)
        self._workers = workers
        self._dispatch = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 7)(dispatch)
        enter = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(work)
        for number in range(1, workers + 1):
            threading.Thread(
                target=enter, args=(self._state, number), daemon=True, name=f"gradtape kernels {number}"
            ).start()

    def run(self, kernel: int, arguments: list[Any], size: int, length: int) -> None:
        """Parts of that length, with the arguments of each, or the same for all."""
        first = arguments[0]
        if len(arguments) > 1:
            first = (ctypes.c_int64 * (len(first) * len(arguments)))(*[word for part in arguments for word in part])
        stride = len(arguments[0]) if len(arguments) > 1 else 0
        others = min(self._workers, -(-size // length) - 1)
        self._dispatch(self._state, others, kernel, ctypes.addressof(first), stride, size, length)


# The words, by their number; what different threads write to stands in lines of the cache of its own, eight words each:
#     0 whether a kernel is running   16 parts not yet done   16 + 8 n: the ticket of worker n, and whether it sleeps
#     8 kernel   9 arguments   10 size   11 length of a part   12 words from the arguments of one part to those of the next
_PROGRAM = """
declare i32 @sched_yield()
declare i64 @syscall(i64, ...)

define internal void @run_part(ptr %state, i64 %part) {
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
  %offset = mul i64 %part, %stride
  %own = getelementptr i64, ptr %arguments, i64 %offset
  %start = mul i64 %part, %length
  %end = add i64 %start, %length
  %stop = call i64 @llvm.smin.i64(i64 %end, i64 %size)
  %some = icmp slt i64 %start, %stop
  br i1 %some, label %run, label %done
run:
  call void %kernel(ptr %own, i64 %start, i64 %stop)
  br label %done
done:
  ret void
}

declare i64 @llvm.smin.i64(i64, i64)

; A worker, for ever: wait for a new ticket, run the part, say so.
define void @work(ptr %state, i64 %number) {
entry:
  %line = mul i64 %number, 8
  %place = add i64 %line, 16
  %ticket = getelementptr i64, ptr %state, i64 %place
  %asleep = getelementptr i64, ptr %ticket, i64 1
  %pending = getelementptr i64, ptr %state, i64 16
  br label %begin
begin:
  %seen = phi i64 [ 0, %entry ], [ %now, %work ]
  br label %look
look:
  %looks = phi i64 [ 0, %begin ], [ %next, %idle ], [ 0, %sleep ]
  %now = load atomic i64, ptr %ticket seq_cst, align 8
  %new = icmp ne i64 %now, %seen
  br i1 %new, label %work, label %idle
idle:
  call i32 @sched_yield()
  %next = add i64 %looks, 1
  %tired = icmp sgt i64 %next, 10000
  br i1 %tired, label %sleep, label %look
sleep:
  store atomic i64 1, ptr %asleep seq_cst, align 8
  %word = trunc i64 %seen to i32
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %ticket, i64 128, i32 %word, ptr null)
  store atomic i64 0, ptr %asleep seq_cst, align 8
  br label %look
work:
  call void @run_part(ptr %state, i64 %number)
  %before = atomicrmw sub ptr %pending, i64 1 seq_cst
  br label %begin
}

; Hand the parts out, run the first, wait for the others. A second caller meanwhile runs all of its kernel itself.
define void @dispatch(ptr %state, i64 %workers, ptr %kernel, ptr %arguments, i64 %stride, i64 %size, i64 %length) {
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
  %pending = getelementptr i64, ptr %state, i64 16
  store atomic i64 %workers, ptr %pending seq_cst, align 8
  br label %hand
hand:
  %number = phi i64 [ 1, %prepare ], [ %following, %handed ]
  %over = icmp sgt i64 %number, %workers
  br i1 %over, label %own, label %wake
wake:
  %line = mul i64 %number, 8
  %place = add i64 %line, 16
  %ticket = getelementptr i64, ptr %state, i64 %place
  %old = atomicrmw add ptr %ticket, i64 1 seq_cst
  %asleep = getelementptr i64, ptr %ticket, i64 1
  %sleeps = load atomic i64, ptr %asleep seq_cst, align 8
  %needed = icmp ne i64 %sleeps, 0
  br i1 %needed, label %call, label %handed
call:
  call i64 (i64, ...) @syscall(i64 FUTEX, ptr %ticket, i64 129, i32 1)
  br label %handed
handed:
  %following = add i64 %number, 1
  br label %hand
own:
  call void @run_part(ptr %state, i64 0)
  br label %wait
wait:
  %left = load atomic i64, ptr %pending seq_cst, align 8
  %all = icmp eq i64 %left, 0
  br i1 %all, label %end, label %yield
yield:
  call i32 @sched_yield()
  br label %wait
end:
  store atomic i64 0, ptr %state seq_cst, align 8
  ret void
}
"""
