"""What a native function has of its own: memory, the interpreter's lock while it works, and the ways in which it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from ...native import blas
from ...native.language import INT32, INT64, POINTER
from .memory import Memory, Table, i64, untyped
from .steps import Buffer
from .texts import BYTE

DONE, RAISED, REFUSED = 0, 1, 2  # how steps end: with results, with an error of Python's, or as `otherwise` does

_TO_ZERO = 0x8040  # bits of the mode: results and operands below the normal numbers are zero
_STACK = 1 << 15  # bytes that a function takes of the stack; more come from the heap


class BodyMemory(Memory):
    """The memory of a function that can end early, and that lets go of the interpreter's lock."""

    def __init__(self, builder: ir.IRBuilder, table: Any, addresses: Table) -> None:
        super().__init__(builder, table, addresses)
        self._blocks: list[Any] = []  # where addresses stand of what has to be freed
        self._modes: tuple[Any, Any] | None = None  # where the processor's mode before, and that of the function, stand
        self._failed = builder.append_basic_block("failed")
        self._status = untyped(builder.alloca(INT32))
        self._is_alone = False  # whether OpenBLAS is kept to one thread
        self._thread: Any = (
            None  # where the state of the thread stands while it does not hold the lock, if it may be so
        )

    def may_release(self) -> None:
        """The function may let go of the lock: none of its steps needs it."""
        self._thread = untyped(self.b.alloca(POINTER))
        self.b.store(ir.Constant(POINTER, None), self._thread)

    def release(self) -> None:
        """Let go of the lock."""
        self.b.store(self.call("PyEval_SaveThread", POINTER), self._thread)

    def keep_blas_to_one_thread(self) -> None:
        """Until the end, as eager code does for such products. Called before the lock is let go."""
        self._is_alone = True
        self._call_python(blas.hold)

    def _call_python(self, function: object) -> None:
        """Call a function of ours that takes nothing and does not fail."""
        self.call("Py_DecRef", None, self.call("PyObject_CallNoArgs", POINTER, self.thing(function)))

    def flush_denormals(self) -> None:
        """Numbers below the normal ones are zero until the end: a processor of x86 takes 100 cycles for each of them."""
        self._modes = untyped(self.b.alloca(INT32)), untyped(self.b.alloca(INT32))
        before, within = self._modes
        self._mode("stmxcsr", before)
        self.b.store(self.b.or_(self.b.load(before, typ=INT32), INT32(_TO_ZERO)), within)
        self._mode("ldmxcsr", within)

    def _mode(self, name: str, place: object) -> None:
        module, full = self.b.module, f"llvm.x86.sse.{name}"
        kind = ir.FunctionType(ir.VoidType(), [POINTER])
        self.b.call(module.globals.get(full) or ir.Function(module, kind, full), [place])

    @contextmanager
    def as_python_runs(self) -> Iterator[None]:
        """The processor's mode as it was before, for code of others."""
        if self._modes is not None:
            self._mode("ldmxcsr", self._modes[0])
        yield
        if self._modes is not None:
            self._mode("ldmxcsr", self._modes[1])

    def hold(self) -> None:
        """Take the lock again, if the function has let go of it."""
        if self._thread is None:
            return
        state = self.b.load(self._thread, typ=POINTER)
        with self.b.if_then(self.b.icmp_unsigned("!=", self.b.ptrtoint(state, INT64), i64(0))):
            self.call("PyEval_RestoreThread", None, state)
            self.b.store(ir.Constant(POINTER, None), self._thread)

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

    def register(self, buffer: Buffer) -> Any:
        """Memory for a small value by itself: LLVM puts it into registers where it sees all of its uses."""
        with self.b.goto_entry_block():
            room = self.b.alloca(ir.ArrayType(BYTE, buffer.bytes))
        room.align = 64
        return untyped(room)

    def grown(self) -> Any:
        """A place for an address of memory that is freed at the end."""
        with self.b.goto_entry_block():
            slot = untyped(self.b.alloca(POINTER))
            self.b.store(ir.Constant(POINTER, None), slot)
        self._blocks.append(slot)
        return slot

    def resized(self, begin: object, size: object) -> Any:
        """Memory of another size, with what was there."""
        found = self.call("PyMem_RawRealloc", POINTER, begin, size)
        self.fail_if(self.b.icmp_unsigned("==", self.b.ptrtoint(found, INT64), i64(0)), REFUSED)
        return found

    def check_interrupts(self, condition: object) -> None:
        """Where the condition holds, end if the program is interrupted. What has taken so long goes on without the lock."""
        with self.b.if_then(condition, likely=False):
            self.hold()
            found = self.call("PyErr_CheckSignals", INT32)
            if self._thread is not None:
                self.release()
            self.fail_if(self.b.icmp_signed("!=", found, INT32(0)), RAISED)

    def fail_if(self, condition: object, status: int) -> None:
        """Where the condition holds, end in this way."""
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
        self.hold()
        if self._modes is not None:
            self._mode("ldmxcsr", self._modes[0])
        if self._is_alone:
            error = [untyped(b.alloca(POINTER)) for _ in range(3)]  # (an interrupt, perhaps)
            self.call("PyErr_Fetch", None, *error)
            self._call_python(blas.let_go)
            self.call("PyErr_Restore", None, *(b.load(part, typ=POINTER) for part in error))
        b.ret(b.load(self._status, typ=INT32))
