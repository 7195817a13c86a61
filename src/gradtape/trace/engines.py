"""What runs traced functions: the native engine (`compile/`), or another one that is asked for by its name.

An engine puts itself into `ENGINES` when its room is imported; `trace/` stands below it and cannot import it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..values.tensor import TensorSpec
from .graph import Graph

Executor = Callable[[list[Any]], Any]
Maker = Callable[[Graph, list[TensorSpec]], Executor | None]

NATIVE = "native"


@dataclass(frozen=True)
class Engine:
    """Another engine than the native one."""

    check: Callable[[], None]  # raises where what it needs is not installed
    executor: Maker


ENGINES: dict[str, Engine] = {}


class _Choice:
    """The engine of functions that ask for none (`tf.config.set_engine`)."""

    name = NATIVE


CHOICE = _Choice()

# What has chosen an engine: told when the choice changes, so that a call need not ask.
CHOSEN: weakref.WeakSet[Any] = weakref.WeakSet()


def checked(name: object) -> str:
    """The name of an engine that can be used; ValueError where there is none of that name."""
    if name == NATIVE:
        return NATIVE
    if not isinstance(name, str) or name not in ENGINES:
        known = ", ".join(map(repr, (NATIVE, *ENGINES)))
        raise ValueError(f"There is no engine {name!r}. Choose one of {known}.")
    ENGINES[name].check()
    return name


def choose(name: str) -> None:
    """Run functions that ask for no engine on this one from now on."""
    CHOICE.name = checked(name)
    for chosen in list(CHOSEN):
        chosen.forget_engine()


def renew(name: str) -> None:
    """Make what runs functions on an engine anew, with their next calls."""
    for chosen in list(CHOSEN):
        chosen.forget_engine(name)
