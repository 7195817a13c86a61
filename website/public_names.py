"""Every public name of gradtape, and the one place where the reference describes it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, field

import gradtape

# Described elsewhere: Keras and its parts have a reference of their own; raw ops are the ops of the other namespaces under
# TensorFlow's names.
ELSEWHERE = frozenset(("keras", "raw_ops", "compat"))


@dataclass
class Namespace:
    """One page of the reference: `tf.math` with what is described there, and names that are described on another page."""

    name: str
    module: types.ModuleType
    described: dict[str, object] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)  # name here: where it is described


def namespaces() -> list[Namespace]:
    """All namespaces, in the order of their names.

    A value that has several names is described under the longest path, as in TensorFlow: `tf.sin` is an alias of `tf.math.sin`.
    """
    found = sorted(_walk("tf", gradtape, {}).items())
    homes: dict[int, tuple[int, str]] = {}
    pages = [Namespace(name, module) for name, module in found]
    for page in pages:
        for name, value in _values(page.module):
            place = (-page.name.count("."), f"{page.name}.{name}")
            if _is_described(value):
                homes[id(value)] = min(homes.get(id(value), place), place)
    for page in pages:
        for name, value in _values(page.module):
            home = homes.get(id(value), (0, f"{page.name}.{name}"))[1]
            if home == f"{page.name}.{name}":
                page.described[name] = value
            else:
                page.aliases[name] = home
    return [page for page in pages if page.described or page.aliases]


def _walk(name: str, module: types.ModuleType, found: dict[str, types.ModuleType]) -> dict[str, types.ModuleType]:
    found[name] = module
    for below in dir(module):
        if below.startswith("_") or below in ELSEWHERE:
            continue
        value = getattr(module, below)
        if (
            isinstance(value, types.ModuleType)
            and value.__name__.startswith("gradtape")
            and value not in found.values()
        ):
            _walk(f"{name}.{below}", value, found)
    return found


def _values(module: types.ModuleType) -> Iterator[tuple[str, object]]:
    for name in dir(module):
        if not name.startswith("_") and not isinstance(value := getattr(module, name), types.ModuleType):
            yield name, value


def _is_described(value: object) -> bool:
    """Whether the value has a text of its own; numbers and strings have none, and may be equal by chance."""
    return isinstance(value, type) or callable(value)
