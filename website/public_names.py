"""Every public name of gradtape, and the one place where the reference describes it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, field

import gradtape

# Described elsewhere: Keras has a reference of its own; raw ops and the names of TensorFlow 1 are other names for
# what the other namespaces have (`TABLES` in website/reference.py).
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

    A function with several names is described under the longest path, as in TensorFlow: `tf.sin` is an alias of `tf.math.sin`.
    A class is described under the shortest: `tf.autodiff.GradientTape` is an alias of `tf.GradientTape`.
    """
    found = sorted(_walk("tf", gradtape, {}).items())
    homes: dict[int, tuple[bool, int, str]] = {}
    pages = [Namespace(name, module) for name, module in found]
    for page in pages:
        for name, value in _values(page.module):
            if _is_described(value):
                place = _place(page.name, name, value)
                homes[id(value)] = min(homes.get(id(value), place), place)
    for page in pages:
        for name, value in _values(page.module):
            home = homes[id(value)][-1] if id(value) in homes else f"{page.name}.{name}"
            if home == f"{page.name}.{name}":
                page.described[name] = value
            else:
                page.aliases[name] = home
    return [page for page in pages if page.described or page.aliases]


def _walk(name: str, module: types.ModuleType, found: dict[str, types.ModuleType]) -> dict[str, types.ModuleType]:
    """The modules by their paths. One that has two paths, as `tf.numpy` and `tf.experimental.numpy`, is there twice."""
    found[name] = module
    for below in dir(module):
        if below.startswith("_") or below in ELSEWHERE:
            continue
        value = getattr(module, below)
        if isinstance(value, types.ModuleType) and value.__name__.startswith("gradtape.") and value is not module:
            _walk(f"{name}.{below}", value, found)
    return found


def _values(module: types.ModuleType) -> Iterator[tuple[str, object]]:
    for name in dir(module):
        if not name.startswith("_") and not isinstance(value := getattr(module, name), types.ModuleType):
            yield name, value


def _place(namespace: str, name: str, value: object) -> tuple[bool, int, str]:
    """The smallest is a value's home: not among the names that are there for TensorFlow's sake, if it has another."""
    depth = namespace.count(".")
    later = namespace.startswith("tf.experimental.") or namespace.startswith("tf.compat.")
    return later, depth if isinstance(value, type) else -depth, f"{namespace}.{name}"


def _is_described(value: object) -> bool:
    """Whether the value has a text of its own; numbers and strings have none, and may be equal by chance."""
    return isinstance(value, type) or callable(value)
