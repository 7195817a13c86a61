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
        if chain and value is state.buffer and alone and _is_all(end):
            for step in chain:
                step.in_place = True
                aliases[step.writes.buffer] = state.buffer
    return aliases


def _is_all(value: StandIn) -> bool:
    """Whether a value is all of its memory, as it lies there."""
    whole = value.buffer.array
    return (value.shape, value.strides) == (whole.shape, whole.strides)


def _is_whole(step: RowsWritten | RowsCombined, value: Buffer) -> bool:
    """Whether a step reads and writes all of an array, in the same order."""
    before, after = step.reads[0], step.writes
    same = (before.offset, before.shape, before.strides) == (after.offset, after.shape, after.strides)
    return same and before.buffer.array.shape == value.array.shape and after.size == value.array.size


def expect_no_large_copies(steps: list[AnyStep], copied: list[StandIn]) -> None:
    """Leave to Python lines what would copy large arrays in each round, or in a branch, where they copy none.

    Args:
        steps: The steps of a round, or of a branch.
        copied: The values that are copied when it begins or ends.
    """
    if any(value.size >= thresholds.WHOLE_ELEMENTS for value in copied):
        raise Unsupported("a copy of a large array")
    for step in steps:
        if not isinstance(step, (RowsWritten, RowsCombined)) or step.in_place:
            continue
        array = step.writes.buffer.array
        if array.size >= thresholds.WHOLE_ELEMENTS or (step.is_row and array.nbytes > thresholds.ROW_CHANGE_BYTES):
            raise Unsupported("a row of a large array")
