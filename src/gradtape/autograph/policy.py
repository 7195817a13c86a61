"""Which functions are converted when converted code calls them: the user's, not those of libraries."""

from __future__ import annotations

import dis
import functools
import inspect
import os
import sysconfig
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ..base.frames import package_of
from ..base.types import Function
from ..op.declaration import Op

# Packages whose functions handle symbolic tensors themselves, or never see them.
_LIBRARIES = frozenset({"gradtape", "keras", "malt", "numpy", "scipy", "ml_dtypes", "jax", "torch", "tensorflow"})
_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def is_artifact(function: Function) -> bool:
    """Whether the function is the result of a conversion, or must be left alone."""
    return getattr(function, "_autograph_artifact", False) is True


def artifact(function: object) -> Any:
    """Mark a function that is not to be converted (again)."""
    target: Any = function.__func__ if isinstance(function, MethodType) else function
    target._autograph_artifact = True
    return function


def wants_conversion(function: FunctionType, requested: bool = False) -> bool:
    """Whether a function is converted: because it is the user's own, or because it was handed to `tf.function`."""
    if isinstance(getattr(function, "op", None), Op):
        return False  # the generated entry of an op, which a package of the user's may have declared
    # (A wrapper that a library puts around a function of the user's has the name of that function's module.)
    packages = {package_of(function.__module__), package_of(function.__globals__.get("__name__"))}
    code = function.__code__
    if packages & _LIBRARIES or code.co_flags & _SUSPENDED or code.co_filename.startswith("<frozen "):
        return False
    if requested:
        return True
    installed, standard = _folders()
    if code.co_filename.startswith(installed):
        # An installed package of models counts as user code; code that does not use tensors gains nothing from conversion.
        return any(_is_tensor_library(value) for value in function.__globals__.values())
    return not code.co_filename.startswith(standard)


@functools.cache
def _folders() -> tuple[tuple[str, ...], str]:
    """The folders of installed packages, and that of the standard library."""
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return tuple(folder + os.sep for folder in installed), sysconfig.get_path("stdlib") + os.sep


def _is_tensor_library(value: object) -> bool:
    return isinstance(value, ModuleType) and package_of(value.__name__) in ("gradtape", "keras")


def branches(code: CodeType) -> bool:
    """Whether code has anything that conversion would change: an `if`, a loop, `and`, `or`, `not`, `assert`."""
    comprehension, begins = -1, False  # the end of one that stands in line, as they do from Python 3.12 on
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_FAST_AND_CLEAR":
            begins = True
        elif step.opname == "FOR_ITER" and begins:
            comprehension, begins = max(comprehension, step.argval), False
        elif step.offset > comprehension and ("JUMP" in step.opname or step.opname in ("FOR_ITER", "UNARY_NOT")):
            return True
    return False
