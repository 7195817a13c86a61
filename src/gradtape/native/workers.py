"""The machine code of the pool's threads: taking parts of kernels, posting kernels, waiting and sleeping.

All that several threads change is changed by atomic instructions, in one order that all of them see. Between taking a part of a
kernel and reporting it done, the kernel's words do not change: the thread that wrote them waits for every part.
"""

from __future__ import annotations

import platform

from llvmlite import ir

from . import thresholds
from .engine import compiled
from .language import INT32, INT64, POINTER, Function, Memory, Number, Variable, Word, Words, begin_block, select
from .pool_words import MACHINES, SLOT, SLOTS, STATE

_BOOL, _NOTHING = ir.IntType(1), ir.VoidType()
_KERNEL = ir.FunctionType(_NOTHING, [POINTER, INT64, INT64])
_LOWER_HALF = (1 << 32) - 1
_WAIT, _WAKE = 128, 129  # futexes of this process alone
_EVERYBODY = (1 << 31) - 1


def compiled_workers() -> tuple[int, ...]:
    """The addresses of `work`, `dispatch`, `post` and `settle`."""
    program = _Program()
    return compiled(program.module, "work", "dispatch", "post", "settle")


class _Program:
    def __init__(self) -> None:
        self.module = ir.Module("pool")
        machine = MACHINES[platform.machine()]
        self._futex = ir.Constant(INT64, machine.futex)
        self._syscall = ir.Function(self.module, ir.FunctionType(INT64, [INT64], var_arg=True), "syscall")
        self._hints = [] if machine.hint is None else [ir.Constant(INT32, machine.hint)]
        kind = ir.FunctionType(_NOTHING, [hint.type for hint in self._hints])
        self._pause = ir.Function(self.module, kind, machine.pause)
        self._run_part = self._written_run_part()
        self._take = self._written_take()
        self._is_done = self._written_is_done()
        self._take_posted = self._written_take_posted()
        self._tell_workers = self._written_tell_workers()
        self._write_work()
        self._write_dispatch()
        self._write_post()
        self._write_settle()

    # --- parts of kernels --------------------------------------------------------------------------------------------------

    def _written_run_part(self) -> Function:
        """Run one part of a kernel."""
        function = Function(self.module, "run_part", _NOTHING, [POINTER, POINTER, INT64, INT64, INT64], internal=True)
        kernel, arguments, part, length, size = function.arguments
        start = part * length
        function.call_address(kernel, _KERNEL, arguments, start, _smaller(start + length, size))
        function.give()
        return function

    def _written_take(self) -> Function:
        """Take the next part of the kernel that a caller waits for, and run it; returns whether there was one."""
        function = Function(self.module, "take", _BOOL, [POINTER], internal=True)
        builder, state = function.builder, Words(function.builder, function.arguments[0], STATE)
        look = begin_block(builder, "look")
        word = state["left"].load_atomic()
        left = word & _LOWER_HALF
        with function.where(left == 0):
            function.give(False)
        with function.where(~state["left"].exchange_if(word, word - 1)):
            builder.branch(look)
        kernel, arguments = (
            state["kernel"].load(POINTER),
            Memory(builder, state["arguments"].load(POINTER).value, INT64),
        )
        parts = state["parts"].load()
        part = parts - left
        own = Number(builder, arguments.from_(part * state["stride"].load()).address)
        self._run_part(builder, kernel, own, part, state["length"].load(), state["size"].load())
        with function.where(state["done"].add_atomic(1) + 1 == parts):
            self._wake(function, state["done"], state["caller_sleeps"], 1)
        function.give(True)
        return function

    def _written_is_done(self) -> Function:
        """Whether the posted kernel of a number is done."""
        function = Function(self.module, "is_done", _BOOL, [POINTER, INT64], internal=True)
        state, number = function.arguments
        function.give(_slot(state, number)["last"].load_atomic() >= number)
        return function

    def _written_take_posted(self) -> Function:
        """Take the next part of the first posted kernel that has one and need not wait for another; whether there was one."""
        function = Function(self.module, "take_posted", _BOOL, [POINTER], internal=True)
        builder, (address,) = function.builder, function.arguments
        state = Words(builder, address, STATE)
        posted = state["posted"].load_atomic()
        with function.where(posted == state["all_done"].load_atomic()):
            function.give(False)
        number = Variable(builder, _larger(posted - (SLOTS - 1), 1))
        look = begin_block(builder, "look")
        here = number.get()
        slot = _slot(address, here)
        word = slot["left"].load_atomic()
        left = word & _LOWER_HALF
        with function.where((left != 0) & (word >> 32 == here & _LOWER_HALF)):
            ready = self._is_done(builder, address, slot["after"].load())
            with function.where(ready):
                with function.where(~slot["left"].exchange_if(word, word - 1)):
                    builder.branch(look)
                self._write_run_posted(function, state, slot, here, left)
                function.give(True)
        number.set(here + 1)
        with function.where(here < posted):
            builder.branch(look)
        function.give(False)
        return function

    def _write_run_posted(self, function: Function, state: Words, slot: Words, number: Number, left: Number) -> None:
        """Run the part of a posted kernel that was taken."""
        builder, parts = function.builder, slot["parts"].load()
        kernel, arguments = slot["kernel"].load(POINTER), Number(builder, slot["arguments"].address)
        self._run_part(builder, kernel, arguments, parts - left, slot["length"].load(), slot["size"].load())
        with function.where(slot["done"].add_atomic(1) + 1 == parts):
            slot["last"].store_atomic(number)
            state["all_done"].add_atomic(1)
            self._wake(function, state["all_done"], state["waiting"], _EVERYBODY)

    # --- waiting and sleeping ----------------------------------------------------------------------------------------------

    def _wake(self, function: Function, word: Word, sleepers: Word, count: int) -> None:
        """Wake threads that sleep until a word changes, if there are any."""
        with function.where(sleepers.load_atomic() != 0):
            operands = [self._futex, word.address, ir.Constant(INT64, _WAKE), ir.Constant(INT32, count)]
            function.builder.call(self._syscall, operands)

    def _sleep(self, builder: ir.IRBuilder, word: Word, seen: Number) -> None:
        """Sleep until a word changes, unless it has another value than the one seen."""
        expected, forever = builder.trunc(seen.value, INT32), ir.Constant(POINTER, None)
        builder.call(self._syscall, [self._futex, word.address, ir.Constant(INT64, _WAIT), expected, forever])

    def _look_again(self, function: Function, looks: Variable, look: object) -> None:
        """Pause and poll again, up to a number of times."""
        function.builder.call(self._pause, self._hints)
        looks.set(looks.get() + 1)
        with function.where(looks.get() <= thresholds.LOOKS_BEFORE_SLEEP):
            function.builder.branch(look)

    def _when(self, function: Function, worked: Number, looks: Variable, look: object) -> None:
        """Poll again at once after work was done."""
        with function.where(worked):
            looks.set(function.number(0))
            function.builder.branch(look)

    def _written_tell_workers(self) -> Function:
        function = Function(self.module, "tell_workers", _NOTHING, [POINTER], internal=True)
        state = Words(function.builder, function.arguments[0], STATE)
        state["news"].add_atomic(1)
        self._wake(function, state["news"], state["sleepers"], _EVERYBODY)
        function.give()
        return function

    # --- what Python calls -------------------------------------------------------------------------------------------------

    def _write_work(self) -> None:
        """The endless loop of a worker. Parts of a kernel that is not posted come first: its caller waits for them."""
        function = Function(self.module, "work", _NOTHING, [POINTER])
        builder, (address,) = function.builder, function.arguments
        state, looks = Words(builder, address, STATE), Variable(builder, function.number(0))
        look = begin_block(builder, "look")
        news = state["news"].load_atomic()
        self._when(function, self._take(builder, address), looks, look)
        self._when(function, self._take_posted(builder, address), looks, look)
        self._look_again(function, looks, look)
        state["sleepers"].add_atomic(1)
        self._sleep(builder, state["news"], news)
        state["sleepers"].add_atomic(-1)
        looks.set(function.number(0))
        builder.branch(look)

    def _write_dispatch(self) -> None:
        """Offer the parts, run some, wait for those that others took. A second caller runs all of its kernel itself."""
        function = Function(self.module, "dispatch", _NOTHING, [POINTER, POINTER, POINTER, INT64, INT64, INT64])
        builder, (address, kernel, arguments, stride, size, length) = function.builder, function.arguments
        state = Words(builder, address, STATE)
        zero = function.number(0)
        with function.where(~state["is_running"].exchange_if(zero, zero + 1)):
            function.call_address(kernel, _KERNEL, arguments, zero, size)
            function.give()
        parts = _parts(size, length)
        offered = {
            "kernel": kernel,
            "arguments": arguments,
            "size": size,
            "length": length,
            "stride": stride,
            "parts": parts,
        }
        for name, value in offered.items():
            state[name].store(value)
        state["done"].store_atomic(zero)
        state["left"].store_atomic(state["left"].load_atomic() + (1 << 32) + parts)
        self._tell_workers(builder, address)
        own = begin_block(builder, "own")
        with function.where(self._take(builder, address)):
            builder.branch(own)
        looks = Variable(builder, zero)
        wait = begin_block(builder, "wait")
        done = state["done"].load_atomic()
        with function.where(done == parts):
            state["is_running"].store_atomic(zero)
            function.give()
        self._when(function, self._take_posted(builder, address), looks, wait)
        self._look_again(function, looks, wait)
        state["caller_sleeps"].store_atomic(zero + 1)
        self._sleep(builder, state["done"], done)
        state["caller_sleeps"].store_atomic(zero)
        looks.set(zero)
        builder.branch(wait)

    def _write_post(self) -> None:
        """Put a kernel into its slot; its number, or 0 while the slot is taken."""
        function = Function(self.module, "post", INT64, [POINTER, POINTER, POINTER, INT64, INT64, INT64, INT64])
        builder, (address, kernel, arguments, count, size, length, after) = function.builder, function.arguments
        state = Words(builder, address, STATE)
        number = state["posted"].load_atomic() + 1
        slot = _slot(address, number)
        with function.where(slot["last"].load_atomic() < _larger(number - SLOTS, 0)):
            function.give(0)
        parts = _parts(size, length)
        given = {
            "kernel": kernel,
            "size": size,
            "length": length,
            "parts": parts,
            "after": after,
            "done": function.number(0),
        }
        for name, value in given.items():
            slot[name].store(value)
        Memory(builder, slot["arguments"].address, ir.IntType(8)).copy(
            0, Memory(builder, arguments.value, INT64), count
        )
        slot["left"].store_atomic((number << 32) | parts)
        state["posted"].store_atomic(number)
        self._tell_workers(builder, address)
        function.give(number)

    def _write_settle(self) -> None:
        """Take part in what is posted until a kernel of it is done."""
        function = Function(self.module, "settle", _NOTHING, [POINTER, INT64])
        builder, (address, number) = function.builder, function.arguments
        state, looks = Words(builder, address, STATE), Variable(builder, function.number(0))
        look = begin_block(builder, "look")
        all_done = state["all_done"].load_atomic()
        with function.where(self._is_done(builder, address, number)):
            function.give()
        self._when(function, self._take_posted(builder, address), looks, look)
        self._look_again(function, looks, look)
        state["waiting"].add_atomic(1)
        self._sleep(builder, state["all_done"], all_done)
        state["waiting"].add_atomic(-1)
        looks.set(function.number(0))
        builder.branch(look)


def _slot(state: Number, number: Number) -> Words:
    """The slot of a posted kernel."""
    words = Memory(state.builder, state.value, INT64).from_((number & (SLOTS - 1)) * SLOT.size + STATE.size)
    return Words(state.builder, Number(state.builder, words.address), SLOT)


def _parts(size: Number, length: Number) -> Number:
    return (size + length - 1) // length


def _smaller(x: Number, y: Number) -> Number:
    return select(x < y, x, y)


def _larger(x: Number, least: int) -> Number:
    return select(x > least, x, least)
