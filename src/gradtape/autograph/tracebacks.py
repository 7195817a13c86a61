"""Tracebacks that show the user's lines.

Converted code is compiled with the positions of the original, so its frames already name the user's file, line and
function. This module removes the frames of the operators from the traceback, and adds a note that says how the user's
code got there. The exception stays the object that was raised, with its class, arguments and attributes.
"""

from __future__ import annotations

import linecache
import os
from types import TracebackType

from ..base.frames import is_ours
from ..base.tracebacks import FILTERING

_HERE = os.path.dirname(os.path.abspath(__file__))
_NOTE = "in user code:"


def clean(error: BaseException) -> None:
    """Keep only the user's frames and the last call in the traceback of an error; a note lists the user's frames.

    (All frames stay where tracebacks are not to be filtered.)
    """
    links: list[TracebackType] = []
    link = error.__traceback__
    while link is not None:
        links.append(link)
        link = link.tb_next
    users = [not is_ours(link.tb_frame) for link in links]
    last = max((place for place, user in enumerate(users) if user), default=-1)
    kept = [
        link
        for place, link in enumerate(links)
        if users[place] or (place > last and os.path.dirname(link.tb_frame.f_code.co_filename) != _HERE)
    ]
    kept = [link for link, below in zip(kept, [*kept[1:], None], strict=False) if not _is_body_of_lambda(below)]
    if FILTERING.on:
        for place, link in enumerate(kept):
            link.tb_next = kept[place + 1] if place + 1 < len(kept) else None
        error.__traceback__ = kept[0] if kept else None
    if last >= 0 and not any(note.startswith(_NOTE) for note in getattr(error, "__notes__", ())):
        error.add_note("\n".join([_NOTE, *(_shown(link) for link in kept if not is_ours(link.tb_frame))]))


def _is_body_of_lambda(link: TracebackType | None) -> bool:
    """Whether the frame runs the body of a converted lambda, which is a lambda inside: what called it shows the same line."""
    if link is None:
        return False
    code = link.tb_frame.f_code
    return code.co_name == "<lambda>" and code.co_argcount == 1 and code.co_varnames[0].startswith("lscope")


def _shown(link: TracebackType) -> str:
    code = link.tb_frame.f_code
    text = linecache.getline(code.co_filename, link.tb_lineno).strip()
    place = f'    File "{code.co_filename}", line {link.tb_lineno}, in {code.co_name}'
    return f"{place}\n        {text}" if text else place
