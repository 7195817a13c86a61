"""Follows a program that was written without pictures in mind: what its tapes hold when they are asked for a gradient.

While a `Watch` is open, it is told of each tape that is differentiated and of each call of a function. Several may be open.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ...base.context import STATE
from ...base.frames import program_frame
from ...differentiation.tape import GradientTape
from ...op.call import TAPE_OBSERVERS
from ...trace.function import Function, observe_functions, unobserve_functions
from ..places import Where, where_of
from .graphs import pictures_of_function
from .picture import Picture, short_name
from .tapes import picture_of_tape
from .view import View

_MOST = 12  # pictures of each kind


class Watch:
    """A block in which tapes and functions are seen: the first gradient of each line, and every function that was called."""

    def __init__(self) -> None:
        self._tapes: dict[Where, Picture] = {}
        self._functions: dict[int, Function] = {}

    def __enter__(self) -> Watch:
        TAPE_OBSERVERS.append(self._see)
        observe_functions(self._see_call)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        TAPE_OBSERVERS.remove(self._see)
        unobserve_functions(self._see_call)

    def _see_call(self, function: Function[..., Any]) -> None:
        self._functions.setdefault(id(function), function)

    def _see(self, tape: GradientTape) -> None:
        if STATE.trace is not None:
            return
        frame = program_frame(2)
        where = where_of(frame.f_code, frame.f_lasti)
        if where in self._tapes or len(self._tapes) >= _MOST or tape._tape is None:
            return
        picture = picture_of_tape(tape)
        picture.title = f"{short_name(where.file)}:{where.line} · {picture.title}"
        self._tapes[where] = picture

    def pictures(self) -> list[Picture]:
        """The pictures of tapes, in the order of their first gradients, then those of functions."""
        traced = [function for function in self._functions.values() if function._all_traces()]
        return [*self._tapes.values(), *(one for each in traced[:_MOST] for one in pictures_of_function(each)[:_MOST])]

    def view(self) -> View:
        """All of them."""
        return View(self.pictures())
