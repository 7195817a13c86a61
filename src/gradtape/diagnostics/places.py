"""From a record to a line of the user's program."""

from __future__ import annotations

import bisect
import functools
import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, TypeVar

from ..base.frames import PACKAGES, is_library, package_of
from ..base.notes import SPANS, STEPS, Span


@dataclass(frozen=True, slots=True)
class Where:
    """A line of a file, and where it is known, the expression on it."""

    file: str
    line: int
    # The expression as `ast` counts: its first line and column, its last line, and the column behind it.
    span: tuple[int, int, int, int] | None = field(default=None, compare=False, repr=False)

    @property
    def text(self) -> str:
        """What stands there; empty where the file cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        cell = _cell_of(self.file)
        return f"{cell}, line {self.line}" if cell else f"{self.file}:{self.line}"


def _cell_of(file: str) -> str:
    """The cell of a notebook, named as in the tracebacks of IPython; empty for a file."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return "" if shell is None else " ".join(shell.compile.format_code_name(file) or ())


_Found = TypeVar("_Found")


def kept_for_code(size: int) -> Callable[[Callable[[CodeType], _Found]], Callable[[CodeType], _Found]]:
    """A cache of what a function finds in code, by the identity of the code: the hash of code reads all its instructions
    (from Python 3.12 on), which for each line of a program would be quadratic.
    """

    def decorated(function: Callable[[CodeType], _Found]) -> Callable[[CodeType], _Found]:
        kept: dict[int, tuple[CodeType, _Found]] = {}

        @functools.wraps(function)
        def call(code: CodeType) -> _Found:
            found = kept.get(id(code))  # (the code is held, so that no other one gets its place)
            if found is None:
                if len(kept) >= size:
                    kept.clear()
                found = kept[id(code)] = code, function(code)
            return found[1]

        return call

    return decorated


def line_of(code: CodeType, offset: int) -> int:
    """The line of an instruction."""
    starts, lines = _lines(code)
    return lines[bisect.bisect_right(starts, offset) - 1]


@kept_for_code(256)
def _lines(code: CodeType) -> tuple[list[int], list[int]]:
    """Where the instructions of a line begin, and the line."""
    starts, lines = [0], [code.co_firstlineno]
    for start, _, number in code.co_lines():
        if number is not None:
            starts.append(start)
            lines.append(number)
    return starts, lines


def where_of(code: CodeType, offset: int) -> Where:
    """The line of an instruction, with its file, and its expression."""
    return Where(code.co_filename, line_of(code, offset), _span(code, offset))


def _span(code: CodeType, offset: int) -> tuple[int, int, int, int] | None:
    """Where the expression of an instruction stands; None where Python was told not to keep columns."""
    positions = _positions(code)
    found = positions[offset // 2] if offset // 2 < len(positions) else None
    if found is None or None in found:
        return None
    first, last, column, end = found
    return first, column, last, end  # type: ignore[return-value]


@kept_for_code(16)  # (they can only be read from the first one on, which for each of many lines would be quadratic)
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


def from_text(line: str) -> Where | None:
    """What `user_line` of base/frames.py wrote: "file:line"."""
    file, _, number = line.rpartition(":")
    return Where(file, int(number)) if file and number.isdigit() else None


def where_of_record(number: int, code: Any, offset: int) -> Where:
    """The line of the user's program that a record was made for: its own, or that of the call of a library around it."""
    step = step_of(number)
    if step is not None:
        return step
    if not is_of_library(code):
        return where_of(code, offset)
    around = _span_of(number)
    return where_of(code, offset) if around is None else where_of(around[3], around[4])


def layer_of(number: int) -> str:
    """The path of the innermost layer that made a record; empty outside of layers."""
    around = [span for span in SPANS if span[2] and span[0] <= number <= span[1]]
    return min(around, key=_length)[2] if around else ""


def _span_of(number: int) -> Span | None:
    """The innermost call around a record that the user's program made."""
    around = [span for span in SPANS if span[0] <= number <= span[1] and not is_of_library(span[3])]
    return min(around, key=_length, default=None)


def step_of(number: int) -> Where | None:
    """The line inside a function that ran step by step, of the innermost step around a record."""
    around = [step for step in STEPS if step[0] <= number <= step[1]]
    return from_text(min(around, key=_length)[2]) if around else None


def _length(span: tuple[Any, ...]) -> int:
    length: int = span[1] - span[0]
    return length


def is_of_library(code: CodeType) -> bool:
    """Whether code belongs to this project or to an installed package."""
    return _is_file_of_library(code.co_filename)


@functools.cache
def _is_file_of_library(file: str) -> bool:
    name = file.replace("\\", "/")
    ours = any(f"/{package}/" in name for package in PACKAGES)
    return is_library(file) or ours or package_of(name) in PACKAGES
