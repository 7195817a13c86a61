"""The ops, one block each: kernel, derivatives, batching, samples. See docs/design/ops.md."""

from __future__ import annotations

import functools
import importlib


@functools.cache
def load_all() -> None:
    """Import every file of ops, so that the registry has all of them: most are imported when a function that uses them is."""
    import pkgutil

    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        importlib.import_module(module.name)
