"""Tracebacks that end at the user's line: frames of gradtape are left out of errors where they are printed.

That is by the interpreter, at the end of a thread, in a notebook, and by all that formats errors with Python's module
`traceback`: `traceback.print_exc`, `logging.exception`, `unittest`. Raising costs nothing, and a program that looks at
`error.__traceback__` has all frames. (A frame that takes part in raising cannot take itself out: to filter while an error passes,
as TensorFlow does, leaves one frame of the library at the end.) pytest, which has tracebacks of its own, is given folded ones by
`keras_gradtape/pytest_frames.py`.

An error that gradtape has caught itself and raised again as another is no news to a user: it is left out too.
"""

from __future__ import annotations

import functools
import sys
import threading
import traceback as standard
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


def _is_inner(error: BaseException | None) -> bool:
    """Whether an error was raised and caught in gradtape, so that no frame of the user's is in its traceback."""
    if error is None or error.__traceback__ is None:
        return False
    entry: TracebackType | None = error.__traceback__
    while entry is not None and _is_left_out(entry):
        entry = entry.tb_next
    return entry is None


def _before(error: BaseException | None) -> BaseException | None:
    """The error that is shown before this one as its cause, or as what was handled."""
    if error is None:
        return None
    return error.__cause__ if error.__cause__ is not None or error.__suppress_context__ else error.__context__


def _outer(error: BaseException | None) -> BaseException | None:
    """The error, or if it is one of gradtape's own the first before it that is not."""
    seen: set[int] = set()
    while _is_inner(error) and id(error) not in seen:
        seen.add(id(error))
        error = _before(error)
    return error


def fold(error: BaseException, says_so: bool = True) -> list[tuple[Any, ...]]:
    """Leave the frames of gradtape out of an error and of those before it, and its own errors; a note says how many frames.

    Returns what each of the errors was before: traceback, cause, context, and whether the context is shown.
    """
    waiting: list[BaseException | None] = [error]
    whole: dict[int, tuple[Any, ...]] = {}
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in whole:
            continue
        whole[id(one)] = (one, one.__traceback__, one.__cause__, one.__context__, one.__suppress_context__)
        before, after = _length(one.__traceback__), folded(one.__traceback__)
        left_out = before - _length(after)
        one.__traceback__ = after
        if says_so and left_out and one is error and not any(_NOTE in note for note in getattr(one, "__notes__", ())):
            frames = "1 frame of gradtape is" if left_out == 1 else f"{left_out} frames of gradtape are"
            one.add_note(f"({frames} {_NOTE}.)")
        if _is_inner(one.__cause__):
            one.__cause__ = _outer(one.__cause__)
        if _is_inner(one.__context__):
            one.__context__ = _outer(one.__context__)
        waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
    return list(whole.values())


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
    _install_in_standard_module()


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


def _install_in_standard_module() -> None:
    """All functions of Python's `traceback` that format an error make a `TracebackException` of it first."""
    made = standard.TracebackException.__init__

    @functools.wraps(made)
    def init(
        self: Any, exc_type: Any, exc_value: Any, exc_traceback: TracebackType | None, *args: Any, **kwargs: Any
    ) -> None:
        # (What comes before an error is made by the call for the error itself, which knows what was seen.)
        if not FILTERING.on or exc_value is None or kwargs.get("_seen") is not None:
            made(self, exc_type, exc_value, exc_traceback, *args, **kwargs)
            return
        whole = fold(exc_value, says_so=False)
        try:
            made(self, exc_type, exc_value, folded(exc_traceback), *args, **kwargs)
        finally:  # a program that has caught the error may still ask it for all frames
            for one, *states in whole:
                one.__traceback__, one.__cause__, one.__context__, one.__suppress_context__ = states

    standard.TracebackException.__init__ = init  # type: ignore[method-assign]
