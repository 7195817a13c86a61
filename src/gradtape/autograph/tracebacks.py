"""Tracebacks that show the user's lines.

Converted code is compiled with the positions of the original, so its frames already name the user's file, line and
function. What is left to do: take the frames of the operators out of the traceback, and say in a note how the user's
code got there. The exception stays the very object that was raised, with its class, arguments and attributes.
"""

from __future__ import annotations

import linecache
import os
from types import TracebackType

_HERE = os.path.dirname(os.path.abspath(__file__))
_NOTE = "in user code:"


def clean(error: BaseException) -> None:
    """Remove the operators' frames from the traceback of an error, and note the way through the user's code."""
    frames: list[TracebackType] = []
    link = error.__traceback__
    while link is not None:
        if os.path.dirname(link.tb_frame.f_code.co_filename) != _HERE:
            frames.append(link)
        link = link.tb_next
    for link, following in zip(frames, [*frames[1:], None], strict=False):
        link.tb_next = following
    error.__traceback__ = frames[0] if frames else None
    if not any(note.startswith(_NOTE) for note in getattr(error, "__notes__", ())):
        lines = [_NOTE]
        for link in frames:
            code = link.tb_frame.f_code
            if not link.tb_frame.f_globals.get("__name__", "").startswith("gradtape"):
                lines.append(f'    File "{code.co_filename}", line {link.tb_lineno}, in {code.co_name}')
                text = linecache.getline(code.co_filename, link.tb_lineno).strip()
                if text:
                    lines.append(f"        {text}")
        if len(lines) > 1:
            error.add_note("\n".join(lines))
