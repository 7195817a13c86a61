"""Values made of tensors, such as ragged ones, inside traced functions.

What a function of them gives depends on values: how long rows are, where elements stand. A world of ghosts has none. There
the function runs on stand-ins, real values of the right shapes, twice, with two that differ in all that shapes leave open.
A size that comes out different in the two is not known before the function runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..base.errors import OpError
from ..values.tensor import IndexedSlices, Tensor, from_array
from .ghost import Ghost, NeedsValue, World, depending_on, filled
from .graph import FIXED, leaves, map_parts, parts_of
from .inference import Inference
from .recorder import outside_traces


class Composite(NamedTuple):
    """A class of such values."""

    structure: Callable[[Any], Any]  # the tensors that say where values stand
    stand_in: Callable[[Any, int], Any]  # something real for one made of ghosts; the number says which of the two


COMPOSITES: dict[type, Composite] = {}


def by_stand_ins(world: World, function: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function of such values gives when only shapes are known (`traceable(..., in_world=by_stand_ins)`)."""
    if not _depends_on_structure((args, kwargs)):
        doubts = getattr(world, "doubts", 0)
        try:
            result = function.__wrapped__(*args, **kwargs)
        except NeedsValue:
            pass
        else:
            if getattr(world, "doubts", 0) == doubts:  # a guess is not good enough for places
                return result
            world.doubts = doubts  # type: ignore[attr-defined]
    if not isinstance(world, Inference):
        raise NeedsValue(f"What {function.__name__} gives depends on the values of its operands.")
    with outside_traces(), np.errstate(all="ignore"):
        first = function.__wrapped__(*solid(args, 0), **solid(kwargs, 0))
        try:
            second = function.__wrapped__(*solid(args, 1), **solid(kwargs, 1))
        except (OpError, ValueError, IndexError):  # the integers of the second were not places in the others
            second = function.__wrapped__(*solid(args, 1, "ones"), **solid(kwargs, 1, "ones"))
    return _ghostly(world, first, second, [leaf for leaf in leaves((args, kwargs)) if leaf.__class__ is Ghost])


def _depends_on_structure(value: Any) -> bool:
    if value.__class__ in COMPOSITES:
        return _has_ghosts(COMPOSITES[value.__class__].structure(value))
    return any(_depends_on_structure(part) for part in parts_of(value))


def _has_ghosts(value: Any) -> bool:
    return any(leaf.__class__ is Ghost for leaf in leaves(value))


def solid(value: Any, variant: int, kind: str = "") -> Any:
    """The value with something real in place of every ghost."""
    if value.__class__ is Ghost:
        return from_array(filled(tuple(value.shape), value.dtype.numpy, kind or ("ones", "ordered")[variant]))
    if value.__class__ in COMPOSITES and _has_ghosts(value):
        return COMPOSITES[value.__class__].stand_in(value, variant)
    return map_parts(value, lambda part: solid(part, variant, kind))


def _ghostly(world: Inference, first: Any, second: Any, sources: list[Any]) -> Any:
    """What both results have in common, with guesses at sizes in which they differ."""
    if isinstance(first, Tensor):
        sizes = zip(first._array.shape, second._array.shape, strict=True)
        shape = tuple(a if a == b else world.guess(certain=True) for a, b in sizes)
        return depending_on(Ghost(world, shape, first.dtype.numpy), *sources)
    pairs = list(zip(parts_of(first), parts_of(second), strict=True))
    fixed = (2,) if first.__class__ is IndexedSlices else FIXED.get(first.__class__, ())
    made = iter(
        [a if k in fixed and np.array_equal(a, b) else _ghostly(world, a, b, sources) for k, (a, b) in enumerate(pairs)]
    )
    return map_parts(first, lambda part: next(made))


def _stand_in_for_slices(slices: IndexedSlices, variant: int) -> IndexedSlices:
    """One row again and again, or one row after the other."""
    indices = slices.indices
    if indices.__class__ is Ghost:
        size = indices._array.size
        rows = size if slices.dense_shape is None else int(np.asarray(solid(slices.dense_shape, variant))[0])
        numbers = variant * np.arange(size) % max(rows, 1)
        indices = from_array(numbers.astype(indices.dtype.numpy).reshape(indices._array.shape))
    return IndexedSlices(solid(slices.values, variant), indices, solid(slices.dense_shape, variant))


COMPOSITES[IndexedSlices] = Composite(lambda slices: [slices.indices, slices.dense_shape], _stand_in_for_slices)
