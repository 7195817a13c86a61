"""Whose code runs in a frame: the user's, or a package of this project."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from types import CodeType, FrameType

PACKAGES = frozenset({"gradtape", "keras_gradtape"})


def package_of(module: str | None) -> str:
    """The first part of a module's name."""
    return (module or "").partition(".")[0]


@functools.cache  # (recording an op on the general path asks for some frames)
def _is_our_module(name: str | None) -> bool:
    return package_of(name) in PACKAGES


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs code of this project. (That of a user's module named `gradtape_demo` is the user's.)"""
    return _is_our_module(frame.f_globals.get("__name__"))


def user_frame(depth: int) -> FrameType:
    """The innermost frame of the user's, at least `depth` above the caller's (as `sys._getframe` counts)."""
    frame = sys._getframe(depth + 1)
    while frame.f_back is not None and _is_our_module(frame.f_globals.get("__name__")):
        frame = frame.f_back
    return frame


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
