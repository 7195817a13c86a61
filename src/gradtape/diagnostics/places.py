"""From a record to a line of the user's program."""

from __future__ import annotations

import functools
import linecache
from dataclasses import dataclass
from types import CodeType
from typing import Any

from ..base.frames import PACKAGES, is_library, package_of
from ..base.notes import SPANS, Span


@dataclass(frozen=True, slots=True)
class Where:
    """A line of a file."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """What stands there; empty where the file cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def line_of(code: CodeType, offset: int) -> int:
    """The line of an instruction."""
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
    return line


def where_of(code: CodeType, offset: int) -> Where:
    """The line of an instruction, with its file."""
    return Where(code.co_filename, line_of(code, offset))


def from_text(line: str) -> Where | None:
    """What `user_line` of base/frames.py wrote: "file:line"."""
    file, _, number = line.rpartition(":")
    return Where(file, int(number)) if file and number.isdigit() else None


def where_of_record(number: int, code: Any, offset: int) -> Where:
    """The line of the user's program that a record was made for: its own, or that of the call of a library around it."""
    if not _is_of_library(code):
        return where_of(code, offset)
    around = _span_of(number)
    return where_of(code, offset) if around is None else where_of(around[3], around[4])


def layer_of(number: int) -> str:
    """The path of the innermost layer that made a record; empty outside of layers."""
    around = [span for span in SPANS if span[2] and span[0] <= number <= span[1]]
    return min(around, key=_length)[2] if around else ""


def _span_of(number: int) -> Span | None:
    """The innermost call around a record that the user's program made."""
    around = [span for span in SPANS if span[0] <= number <= span[1] and not _is_of_library(span[3])]
    return min(around, key=_length, default=None)


def _length(span: Span) -> int:
    return span[1] - span[0]


@functools.cache
def _is_of_library(code: CodeType) -> bool:
    name = code.co_filename.replace("\\", "/")
    ours = any(f"/{package}/" in name for package in PACKAGES)
    return is_library(code.co_filename) or ours or package_of(name) in PACKAGES
