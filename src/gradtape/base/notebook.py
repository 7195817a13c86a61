"""What a value shows of itself in a notebook. A class says it beside its `repr`; diagnostics/notebook.py draws it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Form(NamedTuple):
    """The parts of what is shown; all text is escaped where it is drawn."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()  # names and values, in one line
    array: Any = None  # shown as numbers, a picture or a histogram
    table: tuple[tuple[str, ...], ...] = ()  # the first row has the names of the columns
    text: str = ""  # in lines, as it is


def in_notebook(thing: object) -> str:
    """`_repr_html_` of a class with `_notebook_form`. (What draws stands above, and is imported by notebooks alone.)"""
    from ..diagnostics.notebook import drawn

    return drawn(thing)
