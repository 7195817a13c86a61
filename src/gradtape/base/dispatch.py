"""Public functions that give way to others where an argument is of a certain type.

`tf.experimental.dispatch_for_api` and its relatives (api/dispatch.py) fill the table, linear operators and ragged tensors too. It
is asked where a public function begins (`base/traceable.py`), and by ops that meet an operand of such a type (`op/overrides.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Override:
    """What is called instead of a public function, and the arguments it is called for.

    These are told by name, or by a class that any of them, or of the elements of a list, may have. The latter needs no look at
    the signature, which takes longer than most functions do on small tensors.
    """

    target: Callable[..., Any]
    accepts: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    operand: type | None = None


OVERRIDES: dict[Any, list[Override]] = {}  # by the public function


def overridden(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result of what was registered for such arguments; NotImplemented where nothing was."""
    given: dict[str, Any] | None = None
    found: list[Override] = []
    for override in OVERRIDES[function]:
        if override.operand is not None:
            if _has(override.operand, args) or _has(override.operand, kwargs.values()):
                found.append(override)
            continue
        if given is None:
            try:
                given = inspect.signature(function).bind_partial(*args, **kwargs).arguments
            except TypeError:  # the function itself says what is wrong with its arguments
                return NotImplemented
        if all(name in given and accepts(given[name]) for name, accepts in override.accepts.items()):
            found.append(override)
    if len(found) > 1:
        names = ", ".join(repr(override.target) for override in found)
        raise ValueError(
            f"Multiple dispatch targets that were registered with tf.dispatch_for_api ({names}) match the arguments."
        )
    return found[0].target(*args, **kwargs) if found else NotImplemented


def _has(cls: type, values: Iterable[Any]) -> bool:
    for value in values:
        kind = value.__class__
        if kind is cls or (kind in (list, tuple) and _has(cls, value)):
            return True
    return False
