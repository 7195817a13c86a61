"""The state that the threads of the pool share with Python: named words of memory, and what depends on the platform."""

from __future__ import annotations

from typing import NamedTuple

from .layout import Layout

SLOTS = 16  # for kernels that are posted, a power of two

# A kernel that somebody waits for. `left` has the parts left in its lower half; the upper half counts kernels, so that no value
# of the word comes again.
STATE = Layout(
    {"is_running": 1},
    {"kernel": 1, "arguments": 1, "size": 1, "length": 1, "stride": 1, "parts": 1},
    {"left": 1},
    {"done": 1, "caller_sleeps": 1},
    {"sleepers": 1, "news": 1},  # workers that sleep, and how often new work was announced
    {"posted": 1},
    {"all_done": 1, "waiting": 1},  # kernels posted that are done, and how many threads sleep until there are more
)
# A kernel that is posted; the slots come after the state. `after` is the number of the kernel to be done before, the upper half
# of `left` the kernel's own, and `last` that of the last kernel done in this slot.
SLOT = Layout(
    {"kernel": 1, "size": 1, "length": 1, "parts": 1, "after": 1, "arguments": 19},
    {"left": 1, "done": 1, "last": 1},
)


def slot_of(number: int) -> int:
    """The first word of the slot of a kernel that is posted."""
    return STATE.size + number % SLOTS * SLOT.size


class Machine(NamedTuple):
    """What differs between processors."""

    futex: int  # the number of the system call
    pause: str  # LLVM's intrinsic that tells the core that this is a waiting loop
    hint: int | None  # what is given to it


MACHINES = {
    "x86_64": Machine(202, "llvm.x86.sse2.pause", None),
    "aarch64": Machine(98, "llvm.aarch64.hint", 1),
}
