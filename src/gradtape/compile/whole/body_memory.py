"""What a native function has of its own: memory, the interpreter's lock while it works, and the ways in which it ends."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from ...native.language import INT32, INT64, POINTER
from .memory import Memory, Table, i64, untyped
from .texts import BYTE

DONE, RAISED, REFUSED = 0, 1, 2  # how steps end: with results, with an error of Python's, or as `otherwise` does

_STACK = 1 << 15  # bytes that a function takes of the stack; more come from the heap


class BodyMemory(Memory):
    """The memory of a function that can end early, and that lets go of the interpreter's lock."""

    def __init__(self, builder: ir.IRBuilder, table: Any, addresses: Table) -> None:
        super().__init__(builder, table, addresses)
        self._blocks: list[Any] = []  # where addresses stand of what has to be freed
        self._thread: Any = None  # the state of the thread, while it does not hold the lock
        self._failed = builder.append_basic_block("failed")
        self._status = untyped(builder.alloca(INT32))

    def release(self) -> None:
        """Let go of the lock."""
        self._thread = self.call("PyEval_SaveThread", POINTER)

    def arena(self, size: int) -> Any:
        """Memory of the function's own."""
        if size <= _STACK:
            room = self.b.alloca(BYTE, size=i64(max(size, 1)))
            room.align = 64
            return untyped(room)
        slot = self.grown()
        begin = self.resized(ir.Constant(POINTER, None), i64(size + 64))
        self.b.store(begin, slot)
        line = self.b.and_(self.b.add(self.b.ptrtoint(begin, INT64), i64(63)), i64(-64))
        return self.b.inttoptr(line, POINTER)

    def grown(self) -> Any:
        """A place for an address of memory that is freed at the end."""
        with self.b.goto_entry_block():
            slot = untyped(self.b.alloca(POINTER))
            self.b.store(ir.Constant(POINTER, None), slot)
        self._blocks.append(slot)
        return slot

    def resized(self, begin: Any, size: Any) -> Any:
        """Memory of another size, with what was there."""
        found = self.call("PyMem_RawRealloc", POINTER, begin, size)
        self._fail_if(self.b.icmp_unsigned("==", self.b.ptrtoint(found, INT64), i64(0)), REFUSED)
        return found

    def check_interrupts(self, condition: Any) -> None:
        """Where the condition holds, end if the program is interrupted."""
        with self.b.if_then(condition, likely=False):
            if self._thread is not None:
                self.call("PyEval_RestoreThread", None, self._thread)
            found = self.call("PyErr_CheckSignals", INT32)
            if self._thread is not None:
                self.call("PyEval_SaveThread", POINTER)
            self._fail_if(self.b.icmp_signed("!=", found, INT32(0)), RAISED)

    def _fail_if(self, condition: Any, status: int) -> None:
        with self.b.if_then(condition, likely=False):
            self.b.store(INT32(status), self._status)
            self.b.branch(self._failed)

    def end(self) -> None:
        """Return."""
        b = self.b
        b.store(INT32(DONE), self._status)
        b.branch(self._failed)
        b.position_at_end(self._failed)
        for slot in self._blocks:
            self.call("PyMem_RawFree", None, b.load(slot, typ=POINTER))
        if self._thread is not None:
            self.call("PyEval_RestoreThread", None, self._thread)
        b.ret(b.load(self._status, typ=INT32))
