"""The order of steps, which of them are one loop, and where in memory each value lies."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...base.memory import CACHE_LINE
from ...native import thresholds
from .steps import (
    CONSTANT,
    MADE,
    AnyStep,
    Assembly,
    Buffer,
    Called,
    Check,
    Choice,
    Elementwise,
    MatrixFunction,
    Product,
    Rounds,
    Step,
)
from .texts import is_light

LINE = CACHE_LINE  # bytes: values begin on whole lines of the cache
_LONGEST = 96  # steps of one loop: longer ones keep more values than there are registers


@dataclass(slots=True, eq=False)
class Fused(Step):
    """Elementwise steps on one shape, as one loop; only what others need is written to memory."""

    steps: list[Elementwise] = field(default_factory=list)
    stored: list[Elementwise] = field(default_factory=list)

    @property
    def made(self) -> list[Buffer]:
        return [step.writes.buffer for step in self.stored]


def is_fusible(step: AnyStep) -> bool:
    """Whether a step is written out, element by element."""
    return isinstance(step, Elementwise) and is_light(step.name, tuple(v.dtype for v in (*step.reads, step.writes)))


def scheduled(steps: list[AnyStep], wanted: list[Buffer]) -> list[AnyStep]:
    """The steps that are needed, in an order in which many elementwise ones are beside each other, those as loops."""
    needed = _needed(steps, wanted)
    makers = {buffer: step for step in needed for buffer in step.made}
    waits = {step: len({makers[b] for b in step.used if b in makers}) for step in needed}
    users: dict[Buffer, list[AnyStep]] = {}
    for step in needed:
        for buffer in dict.fromkeys(step.used):
            users.setdefault(buffer, []).append(step)
    order: list[AnyStep] = []
    light: list[Elementwise] = []  # steps whose operands are there
    heavy: deque[AnyStep] = deque()

    def add_ready(found: Iterable[AnyStep]) -> None:
        for step in found:
            if is_fusible(step):
                light.append(step)  # type: ignore[arg-type]
            else:
                heavy.append(step)

    def done(step: AnyStep) -> list[AnyStep]:
        freed = []
        for user in dict.fromkeys(user for buffer in step.made for user in users.get(buffer, ())):
            waits[user] -= 1
            if not waits[user]:
                freed.append(user)
        return freed

    add_ready(step for step in needed if not waits[step])
    while heavy or light:
        if heavy:
            order.append(heavy.popleft())
            add_ready(done(order[-1]))
            continue
        shape = light[0].writes.shape
        group = [step for step in light if step.writes.shape == shape][:_LONGEST]
        taken: set[AnyStep] = set(group)
        light[:] = [step for step in light if step not in taken]
        for member in group:  # (the list grows)
            for user in done(member):
                fits = isinstance(user, Elementwise) and user.writes.shape == shape and is_fusible(user)
                if fits and len(group) < _LONGEST and _reads_whole(user, makers, taken):  # type: ignore[arg-type]
                    group.append(user)  # type: ignore[arg-type]
                    taken.add(user)
                else:
                    add_ready([user])
        order.append(_fused(group, users, set(wanted)))
    return order


def _needed(steps: list[AnyStep], wanted: list[Buffer]) -> list[AnyStep]:
    """Without steps whose results nobody uses."""
    used = set(wanted)
    kept = []
    for step in reversed(steps):
        if isinstance(step, Check) or used.intersection(step.made):
            kept.append(step)
            used.update(step.used)
    return kept[::-1]


def _reads_whole(step: Step, makers: dict[Buffer, AnyStep], group: set[AnyStep]) -> bool:
    """Whether a step reads what the group makes in the very order in which it is made."""
    for view in step.reads:
        maker = makers.get(view.buffer)
        if maker in group:
            made = maker.writes  # type: ignore[union-attr]
            if (view.offset, view.shape, view.strides) != (made.offset, made.shape, made.strides):
                return False
    return True


def _fused(group: list[Elementwise], users: dict[Buffer, list[AnyStep]], wanted: set[Buffer]) -> Fused:
    inside = set(group)
    stored = [
        step
        for step in group
        if step.writes.buffer in wanted or any(user not in inside for user in users.get(step.writes.buffer, ()))
    ]
    made = {step.writes.buffer for step in group}
    reads = [view for step in group for view in step.reads if view.buffer not in made]
    return Fused(reads, stored[0].writes, group, stored)


def in_registers(order: list[AnyStep]) -> list[Buffer]:
    """Values so small that the processor's registers have room for them, which no function of others is given the address of.

    They are in the order in which they are made: it is that of the text, which must be the same in every process.
    """
    made = (b for step in order for b in step.made if b.kind == MADE and b.array.nbytes <= LINE and not b.extra)
    addressed = _addressed(order)
    return [buffer for buffer in dict.fromkeys(made) if buffer not in addressed]


def _addressed(order: Iterable[AnyStep]) -> set[Buffer]:
    """Values whose addresses are computed, or given to others."""
    found: set[Buffer] = set()
    for step in order:
        if isinstance(step, Rounds):
            found.update(step.collected, (view.buffer for view, _ in step.sequences), [step.scratch])
            found |= _addressed(step.body.order)
            found |= set() if step.condition is None else _addressed(step.condition.order)
        elif isinstance(step, Choice):
            found.add(step.scratch)
            found = found.union(*(_addressed(part.order) for part in step.parts))
        elif not isinstance(step, (Fused, Assembly, Check)):
            found.update(step.used, step.made)
    return found


def laid_out(order: list[AnyStep], outside: set[Buffer], wanted: list[Buffer]) -> tuple[dict[Buffer, int], int]:
    """Where each value lies in the function's own memory, and how large that is.

    What is `outside` lies elsewhere; what is wanted is kept until the end.
    """
    last: dict[Buffer, int] = {}
    for position, step in enumerate(order):
        last.update(dict.fromkeys(step.used, position))
    last.update(dict.fromkeys(wanted, len(order)))
    ending: dict[int, list[Buffer]] = {}
    places: dict[Buffer, int] = {}
    free: list[tuple[int, int]] = []  # begin and size of what is free again
    end = 0
    for position, step in enumerate(order):
        for buffer in step.made:
            if buffer in outside or buffer.kind != MADE:
                continue
            size = -(-buffer.bytes // LINE) * LINE
            fitting = [room for room in free if room[1] >= size]
            if fitting:
                begin, room = min(fitting, key=lambda found: found[1])
                free.remove((begin, room))
                if room > size:
                    free.append((begin + size, room - size))
            else:
                begin, end = end, end + size
            places[buffer] = begin
            ending.setdefault(last.get(buffer, position), []).append(buffer)
        for buffer in ending.pop(position, ()):
            free.append((places[buffer], -(-buffer.bytes // LINE) * LINE))
    return places, end


def every_step(order: Iterable[AnyStep]) -> Iterator[AnyStep]:
    """Steps, with those inside of loops and branches."""
    for step in order:
        yield step
        parts = step.parts if isinstance(step, Choice) else [step.body] if isinstance(step, Rounds) else []
        parts += [step.condition] if isinstance(step, Rounds) and step.condition is not None else []
        for part in parts:
            yield from every_step(part.order)


def calls_python(order: Iterable[AnyStep]) -> bool:
    """Whether one of the steps is a function of Python's."""
    return any(isinstance(step, Called) for step in every_step(order))


def multiplies_much(order: Iterable[AnyStep]) -> bool:
    """Whether one of the steps is a product for which OpenBLAS would use threads of its own."""
    products = (step for step in every_step(order) if isinstance(step, Product))
    return any(multiplications(step) >= thresholds.BLAS_THREADS_MULTIPLICATIONS for step in products)


def multiplications(step: Product) -> int:
    """How many multiplications a product is."""
    return step.writes.size * step.reads[0].shape[-1]


def cost(step: AnyStep) -> float:
    """About how many nanoseconds a step takes."""
    if isinstance(step, Fused):
        return len(step.steps) * (1 + step.writes.size / 8)
    if isinstance(step, Product):
        return 100 + multiplications(step) / 8
    if isinstance(step, Rounds):
        known = step.count is not None and step.count.buffer.kind == CONSTANT
        rounds = int(step.count.buffer.array) if known else 1000  # type: ignore[union-attr]
        return float(rounds * sum(map(cost, step.body.order)))
    if isinstance(step, Choice):
        return max(sum(map(cost, part.order)) for part in step.parts)
    if isinstance(step, Check):
        return 1
    if isinstance(step, MatrixFunction):
        return 500 + step.reads[0].size * step.reads[0].shape[-1]
    return 40 + 2.0 * step.writes.size
