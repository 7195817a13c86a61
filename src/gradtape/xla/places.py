"""Which devices programs see, and which one a name means. JAX is asked only where it may know of accelerators."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib import metadata
from typing import Any

from ..base.errors import invalid
from ..base.places import HOST, Place
from . import checked
from .names import LOGICAL

ACCELERATORS = ("GPU", "TPU")


class _Seen:
    """What programs have said about devices."""

    visible: dict[str, list[int]]  # by kind, where `tf.config.set_visible_devices` has chosen some
    is_soft = True  # whether a device that is not there is the CPU

    def __init__(self) -> None:
        self.visible = {}


SEEN = _Seen()


def may_have_accelerators() -> bool:
    """Whether something is installed that tells JAX of accelerators: without it JAX need not be imported to be asked."""
    if importlib.util.find_spec("jax") is None or os.environ.get("JAX_PLATFORMS", "").lower() == "cpu":
        return False
    return bool(
        any(importlib.util.find_spec(plugin) for plugin in ("jax_plugins", "libtpu"))
        or metadata.entry_points(group="jax_plugins")
    )


def accelerators(kind: str, all_there_are: bool = False) -> list[Any]:
    """JAX's devices of a kind in this process: those that programs see, or all."""
    if f"{__package__}.logical" not in sys.modules and not may_have_accelerators():
        return []
    from . import logical

    return logical.devices(kind, local=True) if all_there_are else logical.visible(kind, local=True)


def place_of(kind: str | None, number: int | None) -> Place | None:
    """The device of that kind and number; None where there is none."""
    kind = "" if kind is None else kind.upper().removeprefix("XLA_")
    count = len(LOGICAL.devices()) if kind == "CPU" else len(accelerators(kind)) if kind in ACCELERATORS else 0
    return Place(kind, number or 0) if (number or 0) < count else None


def chosen(kind: str, number: int | None, name: str) -> Place:
    """The device that a scope asks for; the CPU where there is none, if that is allowed."""
    found = place_of(kind, number)
    if found is not None:
        if not found.is_host:
            checked()
        return found
    if SEEN.is_soft:
        return HOST
    known = [place.name for place in all_places()]
    raise invalid(
        f"Could not satisfy device specification {name!r}. enable_soft_placement=0. All available devices {known}. Use one of "
        "them, or tf.config.set_soft_device_placement(True), with which the CPU takes the place of a device that is not there."
    )


def all_places() -> list[Place]:
    """The devices that programs see."""
    found = [Place("CPU", number) for number in range(len(LOGICAL.devices()))]
    return found + [Place(kind, number) for kind in ACCELERATORS for number in range(len(accelerators(kind)))]
