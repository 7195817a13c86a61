"""What runs traced functions: the native engine (`compile/`), or another one that is asked for by its name.

An engine puts itself into `ENGINES` when its room is imported; `trace/` stands below it and cannot import it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..base.places import Place
from ..values.tensor import TensorSpec
from .graph import Graph

Executor = Callable[[list[Any]], Any]
Maker = Callable[[Graph, list[TensorSpec]], Executor | None]  # of the native engine

NATIVE = "native"


@dataclass(frozen=True)
class Engine:
    """Another engine than the native one."""

    check: Callable[[], None]  # raises where what it needs is not installed
    executor: Callable[[Graph, list[TensorSpec], Place | None], Executor | None]  # on a device, or where its values are


ENGINES: dict[str, Engine] = {}


class _Choice:
    """The engine of functions that ask for none (`tf.config.set_engine`)."""

    name = NATIVE


CHOICE = _Choice()


def engine_on_devices() -> str:
    """What runs functions of values on several devices: the engine that was chosen, or XLA where that is the native one."""
    return "xla" if CHOICE.name == NATIVE else CHOICE.name


class _Where:
    """Where the values of a call are, once there are values on several devices (xla/sharding.py)."""

    # For a graph: a function of the tensors of a call. It gives None for what any engine takes, a device that variables were made
    # for, or `SHARED_OUT`. None where all values are on one device.
    values_are: Callable[[Graph], Callable[[list[Any]], Any]] | None = None


WHERE = _Where()
SHARED_OUT = object()  # says that values are cut over several devices


class ByValues:
    """Runs a function as it was chosen, and on other devices where the values of a call are there."""

    def __init__(
        self, graph: Graph, own: Executor, place: Place | None, on: Callable[[Place | None], Executor]
    ) -> None:
        """`own` runs it on the device that was chosen, if any; `on` gives what runs it on others."""
        assert WHERE.values_are is not None
        self._where, self._place, self._on = WHERE.values_are(graph), place, on
        self._own: Any = own
        self._has_variables = bool(graph.variables)

    def __call__(self, tensors: list[Any]) -> Any:
        found = self._where(tensors)
        if found is SHARED_OUT:
            return self._on(None)(tensors)
        return self._own(tensors) if found is None or self._place is not None else self._on(found)(tensors)

    @property
    def direct(self) -> Any:
        """What takes the tensors of a call as they are. It would not see where a variable is."""
        return None if self._has_variables else getattr(self._own, "direct", None)

    @direct.setter
    def direct(self, value: object) -> None:
        self._own.direct = value


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


def renew() -> None:
    """Make what runs functions on other engines than the native one anew, with their next calls."""
    for chosen in list(CHOSEN):
        chosen.forget_engine(renewed=True)
