"""What is noted while a tape records, and is in no record: where a followed value was lost, and whose line called a library.

Notes answer questions that are asked later (diagnostics/). They hold no arrays and no tensors, only identities, code objects
and instruction offsets. Identities are never used again, so one set of notes serves all threads; the oldest are dropped when
there are too many. Nothing is noted while no tape records.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from sys import _getframe
from types import CodeType
from typing import Any, NamedTuple, Protocol

from .context import STATE, next_id
from .dtypes import BY_NUMPY
from .frames import PROGRAM_FILES, program_frame

_MOST = 4096  # notes of one kind


class Cut(NamedTuple):
    """A value that was computed from a followed one, or from another cut, without a record."""

    by: Any  # the op, or the compiled function
    ids: tuple[int, ...]  # of the operands, some of which were followed, or cut before; 0 for one that no tape has seen
    mixed: bool  # whether the output has a record too, because of its other operands
    kind: Any  # the output's type, as NumPy has it
    code: CodeType | None  # None where the output has a record, which has the place
    offset: int

    @property
    def typed(self) -> bool:
        """Whether the output is of a type that has derivatives."""
        return BY_NUMPY[self.kind].is_differentiable


class End(NamedTuple):
    """A backward step that gave no gradient to a followed operand, or that cannot be taken."""

    op: Any  # the op; None for a function with a custom gradient
    name: str
    ids: tuple[int, ...]  # of those operands
    code: CodeType
    offset: int


class Exit(NamedTuple):
    """A followed value that was read as a number or an array, or that was assigned to a variable."""

    how: str
    at: int  # an identity that was given out then
    into: int  # the identity of the variable, or 0
    code: CodeType
    offset: int


DRAW = "a parameter of a draw"
CHOICE = "a choice"  # how a value leaves where Python's `if` or `while` asks whether it is true

CUTS: dict[int, Cut] = {}  # by the identity of the output
EXITS: dict[int, Exit] = {}  # by the identity of the value; its last exit
ENDS: deque[End] = deque(maxlen=64)  # of the backward pass that ran last
# The calls of public functions and of layers: the first and the last identity that was given out while one ran, the path of the
# layer (empty for a function), and who called it, as code and offset. (A named tuple takes four times as long to make.)
Span = tuple[int, int, str, CodeType, int]
SPANS: deque[Span] = deque(maxlen=4 * _MOST)
SCOPES: deque[Span] = deque(maxlen=_MOST)  # the same of name scopes, with the path of the scope
# The steps of functions that run step by step under a tape: their first and last identity, and their line ("file:line").
STEPS: deque[tuple[int, int, str]] = deque(maxlen=4 * _MOST)


class Asking(Protocol):
    """Who asks about the lines of a function, and has it recorded once more on abstract values."""

    def begins(self) -> int:
        """A step begins: how many values have been made before."""

    def ends(self, first: int, line: str) -> None:
        """It has ended: the values since `first` were made on this line."""


# Not empty while somebody asks: then steps on abstract values are noted too.
STEPS_OF_WORLDS: list[Asking] = []


def is_followed(number: int) -> bool:
    """Whether a tape that records in this thread follows the value."""
    for records in STATE.tapes:  # noqa: SIM110 - (a generator takes twice the time)
        if number in records:
            return True
    return False


def note_lost(by: object, output: Any, first: int, second: int = 0) -> None:
    """The same as `note_cut` for entries of ops: the identities of one or two operands, and one output that has none yet.

    (Comparisons are many, and most of them are on what a tape follows: so this is written for the fewest instructions.)
    """
    for records in STATE.tapes:
        if first in records or second in records:
            break
    else:
        if first not in CUTS and second not in CUTS:
            return
    frame = _getframe(2)
    if frame.f_code.co_filename not in PROGRAM_FILES:
        frame = program_frame(2)
    output._id = number = next_id()
    kind = output._array.dtype
    CUTS[number] = _new(Cut, (by, (first, second), False, kind, frame.f_code, frame.f_lasti))
    if len(CUTS) > _MOST:
        _bound(CUTS)


def note_cut(by: object, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Note an op whose outputs are not followed, although a tape follows one of its inputs, or a cut one led to it."""
    ids: tuple[int, ...] = ()
    for value in inputs:
        number = value._id
        if number and (number in CUTS or is_followed(number)):
            ids = (*ids, number)
    if ids and outputs:
        _note(by, ids, outputs)


def note_shadow(by: object, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Note which operands of an op had been cut before; the others may be followed."""
    ids: tuple[int, ...] = ()
    for value in inputs:
        if value._id in CUTS:
            ids = (*ids, value._id)
    if not ids or not outputs:
        return
    first = outputs[0]
    if not first._id:
        _note(by, ids, outputs)
        return
    # (It has a record, and so have the others.)
    cut = _new(Cut, (by, ids, True, first.dtype.numpy, None, 0))
    for output in outputs:
        CUTS[output._id] = cut
    if len(CUTS) > _MOST:
        _bound(CUTS)


_new = tuple.__new__  # (a third of the time of calling the class)


def _note(by: object, ids: tuple[int, ...], outputs: Sequence[Any]) -> None:
    frame = program_frame(2)
    first = outputs[0]
    cut = _new(Cut, (by, ids, first._id != 0, first.dtype.numpy, frame.f_code, frame.f_lasti))
    for output in outputs:
        if not output._id:
            output._id = next_id()
        CUTS[output._id] = cut
    if len(CUTS) > _MOST:
        _bound(CUTS)


def note_exit(number: int, how: str, into: int = 0) -> None:
    """Note that a value leaves for code that no tape sees. (A variable may leave before any tape follows it.)"""
    if STATE.tapes:
        frame = program_frame(1)
        EXITS[number] = Exit(how, next_id(), into, frame.f_code, frame.f_lasti)
        _bound(EXITS)


def note_choice(number: int) -> None:
    """Note that the program asks whether a value is true; a value that has left as more than that keeps its note."""
    if STATE.tapes and number not in EXITS:
        note_exit(number, CHOICE)


def note_draw(value: Any) -> None:
    """Note that numbers are drawn with these logits, rates or probabilities, and come from there without a derivative."""
    if value._id:
        note_exit(value._id, DRAW)


def _bound(notes: dict[int, Any]) -> None:
    if len(notes) > _MOST:
        for number in list(itertools.islice(notes, _MOST // 2)):
            notes.pop(number, None)
