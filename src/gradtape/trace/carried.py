"""Values that loops carry although they have no fixed shapes: what their types declare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Types that loops carry although they have no fixed shapes, with a function that converts them to a form that has. It takes
# the value, the shape of an element, and the final length, as far as an earlier attempt has found them; None for a length that
# only running shows. A growing form has a `length`, which is a tensor, and a `capacity`, None where it gets more rows by itself.
CARRIED: dict[type, Callable[[Any, Any, int | None], Any]] = {}
UNSHAPED: set[type] = set()  # forms whose element shape is not known yet


ANY_RANK: Any = object()  # in place of the shape of elements whose rank only running shows


class ElementShape(Exception):
    """Restarts the lowering of a loop with the shape of the elements of a carried value."""

    def __init__(self, owner: Any, shape: Any) -> None:
        self.owner, self.shape = owner, shape
