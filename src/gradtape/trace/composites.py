"""Values made of tensors, such as ragged ones, inside traced functions.

The result of a function of them depends on values: row lengths, positions of elements. Abstract values have none, so
the function runs on stand-ins, real values of the right shapes: twice, with values that differ wherever shapes allow it.
A size that differs between the two runs is not known before the function runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import OpError
from ..values.composite import COMPOSITES
from ..values.tensor import Tensor, from_array
from .ghost import Ghost, NeedsValue, World, depending_on, filled
from .graph import leaves, map_parts, parts_of
from .inference import Inference
from .recorder import outside_traces


def by_stand_ins(world: World, function: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a function of such values when only shapes are known (`traceable(..., in_world=by_stand_ins)`)."""
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
    # (Tapes follow the variables and captured tensors among the operands too.)
    operands = [leaf._read() if hasattr(leaf.__class__, "_read") else leaf for leaf in leaves((args, kwargs))]
    with outside_traces(), np.errstate(all="ignore"):
        first = function.__wrapped__(*solid(args, 0), **solid(kwargs, 0))
        try:
            second = function.__wrapped__(*solid(args, 1), **solid(kwargs, 1))
        except (OpError, ValueError, IndexError):  # the integers of the second were not places in the others
            second = function.__wrapped__(*solid(args, 1, "ones"), **solid(kwargs, 1, "ones"))
    return _ghostly(world, first, second, [operand for operand in operands if isinstance(operand, Tensor)])


def _depends_on_structure(value: Any) -> bool:
    kind = COMPOSITES.get(value.__class__)
    if kind is not None and kind.stand_in is not None:
        elements = None if kind.values is None else kind.values.of(value)
        return any(_has_ghosts(part) for part in kind.parts(value) if part is not elements)
    return any(_depends_on_structure(part) for part in parts_of(value))


def _has_ghosts(value: object) -> bool:
    return any(leaf.__class__ is Ghost for leaf in leaves(value))


def solid(value: Any, variant: int, kind: str = "") -> Any:
    """The value with a real value in place of every abstract one."""
    if value.__class__ is Ghost:
        return from_array(filled(tuple(value.shape), value.dtype.numpy, kind or ("ones", "ordered")[variant]))
    composite = COMPOSITES.get(value.__class__)
    if composite is not None and composite.stand_in is not None and _has_ghosts(value):
        return composite.stand_in(value, variant, solid)
    return map_parts(value, lambda part: solid(part, variant, kind))


def _ghostly(world: Inference, first: Any, second: Any, sources: list[Any]) -> Any:
    """What both results have in common, with guesses at sizes in which they differ."""
    if isinstance(first, Tensor):
        sizes = zip(first._array.shape, second._array.shape, strict=True)
        shape = tuple(a if a == b else world.guess(certain=True) for a, b in sizes)
        return depending_on(Ghost(world, shape, first.dtype.numpy), *sources)
    pairs = list(zip(parts_of(first), parts_of(second), strict=True))
    kind = COMPOSITES.get(first.__class__)
    fixed = () if kind is None else kind.fixed
    made = iter(
        [a if k in fixed and np.array_equal(a, b) else _ghostly(world, a, b, sources) for k, (a, b) in enumerate(pairs)]
    )
    return map_parts(first, lambda part: next(made))
