"""The locks that Python holds while a module is imported, which it does not renew in a forked child.

A child that is forked while another thread imports a module would wait for ever when it needs that module. Many of our imports
are late (the first function, the first kernel), so a fork waits until those that are under way have ended. Only modules of which
we know that no user's code runs while they are imported are waited for: ours, those we stand on, and Python's own. A program's
`import app` may last as long as the program.

An import that begins between this wait and the fork is undone in the child, where it begins anew. Nobody can be kept from
beginning one: that takes Python's import lock, for which a thread may wait that holds what others do before the fork need.
"""

from __future__ import annotations

import importlib._bootstrap as bootstrap
import sys
import threading
from typing import Any

WAITED_FOR = frozenset(sys.stdlib_module_names) | {
    "gradtape", "keras_gradtape", "tensorflow",  # (the last by our stand-in)
    "flatbuffers", "google", "jax", "jaxlib", "keras", "llvmlite", "malt", "matplotlib", "ml_dtypes", "numpy", "opt_einsum",
    "PIL", "quickjs", "rich", "safetensors", "scipy", "tensorboardX", "typing_extensions",
}  # fmt: skip


_LOCKS: dict[str, Any] = getattr(bootstrap, "_module_locks", {})  # weak references, by name


def _others() -> dict[str, Any]:
    """The locks of modules that other threads import."""
    me, found = threading.get_ident(), {}
    for name, reference in list(_LOCKS.items()):
        lock = reference() if name.partition(".")[0] in WAITED_FOR else None
        if lock is not None and lock.owner is not None and lock.owner != me:
            found[name] = lock
    return found


def imports_under_way() -> bool:
    """Whether another thread imports a module, and this thread does not hold what that import waits for."""
    return any(not lock.has_deadlock() for lock in _others().values())


def forget_imports() -> None:
    """In a forked child: imports of lost threads never were."""
    for name in _others():
        del _LOCKS[name]
        if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
            del sys.modules[name]
