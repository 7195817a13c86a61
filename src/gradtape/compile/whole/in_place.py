"""Arrays that go round in a loop and are changed in some rows: in place, where nobody else needs what they were.

A change of rows (`RowsWritten`, `RowsCombined`) gives a new array. If a round does nothing else with a value that goes round than
to change it, the new arrays lie where that value lies, and a round takes as long as its rows and not as the array.
"""

from __future__ import annotations

from collections import Counter

from ...native import thresholds
from ...native.language import Unsupported
from .stand_in import StandIn
from .steps import AnyStep, Buffer, Part, RowsCombined, RowsWritten


def changed_in_place(
    steps: list[AnyStep], states: list[StandIn], results: list[StandIn], condition: Part | None
) -> dict[Buffer, Buffer]:
    """The values of a round that lie where one that goes round does; the steps that make them are told.

    Args:
        steps: The steps of a round.
        states: The values that go round, as it begins.
        results: Those that it ends with, and others that it leaves behind.
        condition: What is asked before a round.
    """
    makers = {buffer: step for step in steps for buffer in step.made}
    uses = Counter(buffer for step in steps for buffer in dict.fromkeys(step.used))
    uses.update(result.buffer for result in results)
    if condition is not None:
        uses.update(condition.outside)
    aliases: dict[Buffer, Buffer] = {}
    for state, end in zip(states, results, strict=False):
        chain = []
        value, step = end.buffer, makers.get(end.buffer)
        while isinstance(step, (RowsWritten, RowsCombined)) and len(step.reads) == 3 and _is_whole(step, value):
            chain.append(step)
            value = step.reads[0].buffer
            step = makers.get(value)
        alone = all(uses[buffer] == 1 for buffer in (state.buffer, *(step.writes.buffer for step in chain)))
        if chain and value is state.buffer and alone and end.array is end.buffer.array:
            for step in chain:
                step.in_place = True
                aliases[step.writes.buffer] = state.buffer
    return aliases


def _is_whole(step: RowsWritten | RowsCombined, value: Buffer) -> bool:
    """Whether a step reads and writes all of an array, in the same order."""
    before, after = step.reads[0], step.writes
    same = (before.offset, before.shape, before.strides) == (after.offset, after.shape, after.strides)
    return same and before.buffer.array.shape == value.array.shape and after.size == value.array.size


def expect_no_large_copies(steps: list[AnyStep]) -> None:
    """Leave changes of single rows of a large array to Python lines, where they would be copies of all of it."""
    for step in steps:
        is_copied = isinstance(step, RowsCombined) and step.is_row and not step.in_place
        if is_copied and step.writes.buffer.array.nbytes > thresholds.ROW_CHANGE_BYTES:  # type: ignore[union-attr]
            raise Unsupported("a row of a large array")
