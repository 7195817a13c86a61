"""Tracebacks that end at the user's line: frames of gradtape are left out of an error that nobody has caught.

They are left out where a traceback is printed: by the interpreter, at the end of a thread, in a notebook. Raising costs
nothing, and who catches an error has all its frames. (A frame that takes part in raising cannot take itself out: to filter
while an error passes, as TensorFlow does, leaves one frame of the library at the end.)
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .frames import is_ours

_NOTE = "left out above; tf.debugging.disable_traceback_filtering() shows the whole"


class _Filtering(threading.local):
    """Whether frames are left out: for each thread, as in TensorFlow."""

    on = True


FILTERING = _Filtering()


def folded(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without the frames of gradtape; as it is where there are no others."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    kept = [entry for entry in entries if not _is_left_out(entry)]
    result: TracebackType | None = None
    for entry in reversed(kept or entries):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def _is_left_out(entry: TracebackType) -> bool:
    return is_ours(entry.tb_frame) or entry.tb_frame.f_code.co_filename.startswith("<gradtape")


def fold(error: BaseException, says_so: bool = True) -> None:
    """Leave the frames of gradtape out of an error and of those that it was caused by; a note says how many."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        before, after = _length(one.__traceback__), folded(one.__traceback__)
        left_out = before - _length(after)
        one.__traceback__ = after
        if says_so and left_out and one is error and not any(_NOTE in note for note in getattr(one, "__notes__", ())):
            frames = "1 frame of gradtape is" if left_out == 1 else f"{left_out} frames of gradtape are"
            one.add_note(f"({frames} {_NOTE}.)")
        waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]


def _length(traceback: TracebackType | None) -> int:
    count = 0
    while traceback is not None:
        count, traceback = count + 1, traceback.tb_next
    return count


def _is_read_by_a_person() -> bool:
    """Whether errors go to a terminal. Programs that read them take the last line for the message."""
    return sys.stderr is not None and sys.stderr.isatty()


# --- where errors are printed ------------------------------------------------------------------------------------------


def install() -> None:
    """Let uncaught errors be printed so. What printed them before goes on printing them."""
    sys.excepthook = _folding(sys.excepthook)
    before = threading.excepthook

    def in_thread(args: Any) -> None:
        if FILTERING.on and args.exc_value is not None:
            fold(args.exc_value, _is_read_by_a_person())
            args = threading.ExceptHookArgs((args.exc_type, args.exc_value, args.exc_value.__traceback__, args.thread))
        before(args)

    threading.excepthook = in_thread
    _install_in_notebook()


Hook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]


def _folding(before: Hook) -> Hook:
    def hook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if FILTERING.on:
            fold(error, _is_read_by_a_person())
            traceback = folded(traceback)
        before(kind, error, traceback)

    return hook


def _install_in_notebook() -> None:
    """IPython prints errors itself, and has a place for who wants to print some of them."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    if shell is None or shell.custom_exceptions:
        return  # (no session, or a program has taken the place)

    def show(
        shell: Any, kind: type[BaseException], error: BaseException, traceback: Any, tb_offset: Any = None
    ) -> None:
        if FILTERING.on:
            fold(error)
            traceback = error.__traceback__
        shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)

    shell.set_custom_exc((Exception,), show)
