"""`gradtape cache`: the machine code that is kept on disk (docs/design/native.md)."""

from __future__ import annotations

from ..native.object_cache import MOST_BYTES, Contents, ObjectCache, folder

__all__ = ["ACTIONS", "CannotUse", "run"]

ACTIONS = ("show", "clear")


class CannotUse(Exception):
    """There is no cache, or it cannot be used; why."""


def run(action: str) -> str:
    """Show what is kept, or remove it; returns what there is to say."""
    try:
        cache = ObjectCache(folder())
        if action == "clear":
            return f"removed {_said(cache.clear())} from {cache.path}"
        return f"{cache.path}\n{_said(cache.contents())} (at most {_megabytes(MOST_BYTES)})"
    except OSError as error:
        raise CannotUse(str(error)) from None


def _said(contents: Contents) -> str:
    kernels = "1 kernel" if contents.files == 1 else f"{contents.files:,} kernels"
    return f"{kernels}, {_megabytes(contents.bytes)}"


def _megabytes(count: int) -> str:
    return f"{count / (1 << 20):.3g} MiB"
