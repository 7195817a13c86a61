"""Modules by the names they had before they moved into folders.

Pickles name functions and classes by their modules. A pickle of an earlier version is read as long as its names lead to
the modules of today; programs should not use these names, and nothing in the package does.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# Folder: the modules that stood one level above it.
_MOVED = {
    "base": "shapes context type_spec threads locks memory philox farmhash traceable generated",
    "values": "tensor",
    "op": "entry arguments",
    "variables": "variable module operators in_place",
    "differentiation": "nan_safe memory_budget backward vectorize jacobian tape forward custom",
    "api": (
        "arrays layout indexing blocks partition clip sorting special framework script graph_mode "
        "interop tensor_array control device_spec initial_values generator candidates"
    ),
    "cli": "demo plot launch show_trace progress",
    "ops.array": "layout index rearrange borders blocks scatter search sort segment pooled_segments accumulate",
    "ops.math": (
        "elementwise arithmetic trigonometric special bessel gamma logic rounding reduce cumulative "
        "statistics nans ufuncs polynomials series bitwise"
    ),
    "ops.linalg": "contractions decompositions spectral solve tridiagonal diagonal matrix_functions norms sparse",
    "ops.nn": "conv conv_kernels pool window normalization slopes sequence ctc decoding quantize rows",
    "ops.image": "colour resize patches detection morphology",
    "ops.signal": "fourier frames",
    "ops.text": "strings unicode encoding",
}


def _names() -> dict[str, str]:
    names = {
        "compat_v1": "compat.v1",
        "experimental.dtensor": "distribute.dtensor",
        "trace.ghost": "trace.abstract_tensor",
    }
    for room, modules in _MOVED.items():
        above = room.rpartition(".")[0]
        for module in modules.split():
            names[f"{above}.{module}".lstrip(".")] = f"{room}.{module}"
    return {f"gradtape.{earlier}": f"gradtape.{today}" for earlier, today in names.items()}


NAMES = _names()


class _EarlierNames:
    """Finds nothing but the names above, and gives the module of today for each."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        loader: Any = self  # (`importlib.abc.Loader` as a base would import 20 modules)
        return importlib.util.spec_from_loader(fullname, loader) if _today(fullname) else None

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        today = _today(module.__name__)
        assert today is not None
        sys.modules[module.__name__] = importlib.import_module(today)


def _today(fullname: str) -> str | None:
    """`gradtape.control.loops` is `gradtape.api.control.loops`."""
    if not fullname.startswith("gradtape."):
        return None
    earlier = fullname
    while earlier not in NAMES:
        earlier = earlier.rpartition(".")[0]
        if earlier == "gradtape":
            return None
    return NAMES[earlier] + fullname.removeprefix(earlier)


def install() -> None:
    """Let `import` know the earlier names (before other finders: a moved folder would find its modules under both names)."""
    sys.meta_path.insert(0, _EarlierNames())
