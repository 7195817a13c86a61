"""Whose code runs in a frame: the user's, or a package of this project."""

from __future__ import annotations

import dis
import functools
import math
import os
import sys
import sysconfig
from types import CodeType, FrameType

from .reliance import otherwise

PACKAGES = frozenset({"gradtape", "keras_gradtape"})


def package_of(module: str | None) -> str:
    """The first part of a module's name; where another name stands in its place (stand_in/identity.py), of its own one."""
    return (getattr(module, "own", module) or "").partition(".")[0]


def module_of(value: object) -> str:
    """The name of the module of a class or function, also where another name stands in its place."""
    name = getattr(value, "__module__", None)
    return str(getattr(name, "own", name) or "")


@functools.cache  # (recording an op on the general path asks for some frames)
def _is_our_module(name: str | None) -> bool:
    return package_of(name) in PACKAGES


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this project. (That of a user's module named `gradtape_demo` is the user's.)"""
    return _is_our_module(frame.f_globals.get("__name__"))


def user_frame(depth: int) -> FrameType:
    """The innermost frame of the user's, at least `depth` above the caller's (as `sys._getframe` counts)."""
    frame = sys._getframe(depth + 1)
    while frame.f_back is not None:
        file = frame.f_code.co_filename
        if file not in _OUR_FILES:
            if not _is_our_module(frame.f_globals.get("__name__")):
                break
            _OUR_FILES.add(file)
        frame = frame.f_back
    return frame


_OUR_FILES: set[str] = set()  # (the name of a file is found faster than what is known of a module)


@functools.cache
def _standard_library() -> str:
    return os.path.join(sysconfig.get_paths()["stdlib"], "")


@functools.cache
def is_library(filename: str) -> bool:
    """Whether a file belongs to an installed package or to Python itself."""
    installed = "site-packages" in filename or "dist-packages" in filename
    return installed or filename.startswith((_standard_library(), "<frozen", "<gradtape", "<__array_function__"))


def program_frame(depth: int) -> FrameType:
    """The innermost frame of the user's own program: no package of this project, and no installed one (Keras, SciPy).

    Where all frames are of libraries, it is what `user_frame` gives.
    """
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None:
        if frame.f_code.co_filename in PROGRAM_FILES:
            return frame
        if not _is_our_module(frame.f_globals.get("__name__")):
            break  # not seen before, or a library
        frame = frame.f_back
    found = _program_frame(depth + 1)
    file = found.f_code.co_filename
    if not (is_library(file) or is_ours(found)):
        PROGRAM_FILES.add(file)
    return found


PROGRAM_FILES: set[str] = set()  # for the same reason


def _program_frame(depth: int) -> FrameType:
    first = frame = user_frame(depth + 1)
    while is_library(frame.f_code.co_filename) or is_ours(frame):
        if frame.f_back is None:
            return first
        frame = frame.f_back
    return frame


def user_location() -> tuple[CodeType, int]:
    """Code object and instruction offset of the innermost frame of the user's: what a record keeps."""
    frame = user_frame(2)
    return frame.f_code, frame.f_lasti


def user_line() -> str:
    """File and line of the innermost frame of the user's: what a step of a trace keeps."""
    frame = user_frame(2)
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


# --- what a frame is doing -------------------------------------------------------------------------------------------

UNKNOWN = object()
_CALLS = frozenset(number for name, number in dis.opmap.items() if name.startswith("CALL"))


def _loaded_name(found: dis.Instruction) -> str | None:
    """The name whose value an instruction loads last; None if it loads none."""
    if not found.opname.startswith(("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF", "STORE_FAST_LOAD_FAST")):
        return None
    name: str = found.argval[-1] if isinstance(found.argval, tuple) else found.argval
    return name


@functools.lru_cache(1024)
def _callee_names(code: CodeType, offset: int) -> tuple[str, ...] | None:
    """The parts of the dotted name that the call at this instruction is written with; None for what has no such name."""
    place = next(found.positions for found in dis.get_instructions(code) if found.offset == offset)
    if place is None or place.col_offset is None:
        return None
    names: tuple[str, ...] | None = None
    before: str | None = None  # the name that the instruction before has loaded
    for found in dis.get_instructions(code):
        if found.offset >= offset:
            break
        loaded = _loaded_name(found)
        start = found.positions
        if start is not None and (start.lineno, start.col_offset) == (place.lineno, place.col_offset):
            if loaded is not None:
                names = (loaded,)
            elif found.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                # From Python 3.13 on, one instruction stores a name and loads the next, and has the position of the first.
                names = names or (before and (before,)) or None
                names = names and (*names, found.argval)
            elif found.opname.startswith(("CALL", "BINARY")):  # what another call or a key gives has no name
                names = None
        before = loaded
    return names


def called_function(frame: FrameType) -> object:
    """The function that a frame is calling, if its name tells; None while it runs an operator, else `UNKNOWN`.

    A C function that calls back leaves no frame of its own. This tells `math.sin(x)` from `float(x)`, and `array + x` from
    `np.add(array, x)`.
    """
    return _called_by(frame) if names_calls._holds or names_calls() else UNKNOWN


def _called_by(frame: FrameType) -> object:
    if frame.f_code.co_code[frame.f_lasti] not in _CALLS:
        return None
    names = _callee_names(frame.f_code, frame.f_lasti)
    if names is None:
        return UNKNOWN
    first, *attributes = names
    for scope in (frame.f_locals, frame.f_globals, frame.f_builtins):
        if first in scope:
            value = scope[first]
            for name in attributes:
                value = getattr(value, name, UNKNOWN)
            return value
    return UNKNOWN


class _Asking:
    """Asks the frame that C code has called it from."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def __float__(self) -> float:
        self.told.append(_called_by(sys._getframe(1)))
        return 1.0

    def __rmul__(self, other: object) -> float:
        self.told.append(_called_by(sys._getframe(1)))
        return 1.0


@otherwise(
    "`array + x` counts as `np.add(array, x)`, warnings about values that leave a tape do not name NumPy's functions, and the "
    "buffers of bfloat16 and the small floats are closed.",
    "Write x + array and x.numpy().",
)
def names_calls() -> bool:
    """The instruction of a frame tells a call from an operator, and the instructions before it load the function by name."""
    asking = _Asking()
    calls = {"own": math.floor}
    math.sqrt(asking)  # the attribute of a module
    float(asking)  # a builtin
    calls["own"](asking)  # no name
    (lambda f: f(asking))(math.sin)  # a local name
    _ = 2 * asking  # an operator
    return asking.told == [math.sqrt, float, UNKNOWN, math.sin, None]
