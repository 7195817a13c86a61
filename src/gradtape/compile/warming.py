"""When a program becomes a native function: not before it has been called for a while.

Both forms give the same bits, so that only the time tells which one ran. Python lines are there at once; machine code takes
50 to 300 ms to write and compile, which a program that runs a few times would never make up for. With `jit_compile=True` the bits
may differ from those of Python lines; such a program is compiled with its first call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.locks import new_rlock
from ..native import thresholds
from ..values.tensor import EagerTensor, from_array
from .codegen import python_of
from .program import Branch, Loop, Program

# A long program takes longer to compile, 1 ms an instruction: it must have run longer before.
_LONG = 2000  # instructions of its text: with more, it runs as many times more often first
_SHORT = 100  # with more, it runs as many times more instructions first
_ROUNDS = 32  # of a loop, where their number is known only while it runs

Run = Callable[..., Any]


class Warming:
    """A program as Python lines; after some calls it is written again, with native functions.

    Args:
        program: The program.
        write: Gives it as a function; called with True, with native functions.
        settle: Is given what is to be called from then on in place of this object.
    """

    def __init__(self, program: Program, write: Callable[[bool], Run], settle: Callable[[Run], None]) -> None:
        self._write: Callable[[bool], Run] | None = write
        self._settle = settle
        waits = (
            not program.own_arithmetic
        )  # (there the two forms have other bits: results must not depend on the number of calls)
        self._calls = _calls(program) if waits else 0
        self._run: Run | None = write(False) if self._calls else None
        self._lock = new_rlock()

    @property
    def __source__(self) -> str:
        """The text of the Python lines."""
        return str(getattr(self._run, "__source__", ""))

    def __call__(self, *arrays: Any) -> Any:
        if self._calls:
            self._calls -= 1  # (two threads may count one call: it is no exact number)
            run = self._run
        else:
            with self._lock:
                if self._write is not None:
                    self._run = self._write(True)
                    self._write = None
                    self._settle(self._run)
            run = self._run
        assert run is not None
        return run(*arrays)


class Form:
    """How programs are run, and what they are given and give: here Python lines and machine code, on arrays.

    Another engine derives its own (xla/executor.py).
    """

    updates_in_place = True  # whether updates of optimizers are calls that write into the variables, rather than ops

    def runs(self, program: Program, settle: Callable[[Run], None]) -> Run:
        """The program as a function of its inputs; `settle` is given what is to be called in its place later on."""
        return Warming(program, lambda whole: python_of(program, whole=whole), settle)

    def given(self, tensor: EagerTensor) -> Any:
        """What a program is given of a tensor."""
        return tensor._array

    def tensor(self, result: Any) -> EagerTensor:
        """A tensor of what a program gives."""
        return from_array(result)

    def arrays(self, results: list[Any]) -> list[Any]:
        """What a program gives, as a backward pass on arrays takes it."""
        return results


NATIVE = Form()


def _calls(program: Program) -> int:
    """How often a program is called as Python lines, before it is compiled."""
    length = _length(program)
    run = thresholds.WARMING_INSTRUCTIONS * max(length, _SHORT) // (_SHORT * max(_instructions(program), 1))
    return min(thresholds.WARMING_CALLS, run) * max(length, _LONG) // _LONG


def _length(program: Program) -> int:
    """How many instructions a program has, with those inside of loops and branches."""
    inside = (inner for node in program.nodes if isinstance(node.what, (Loop, Branch)) for inner in node.what.programs)
    return len(program.nodes) + sum(map(_length, inside))


def _instructions(program: Program) -> int:
    """How many instructions a call runs, about."""
    total = 0
    for node in program.nodes:
        if isinstance(node.what, Loop):
            count = node.inputs[0] if node.what.condition is None else _ROUNDS
            rounds = int(count) if isinstance(count, (int, np.integer, np.ndarray)) else _ROUNDS
            total += rounds * sum(map(_instructions, node.what.programs))
        elif isinstance(node.what, Branch):
            total += max(map(_instructions, node.what.programs))
        else:
            total += 1
    return total
