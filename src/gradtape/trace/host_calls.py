"""What runs outside of programs while a function runs: Python code, and elements that are taken from datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import nest
from ..base.type_spec import CompositeSpec
from ..base.types import Look
from ..values.tensor import TensorSpec
from .ghost import NeedsValue, World
from .inference import Inference


def called_in_world(world: World, function: Callable[..., Any], args: tuple[Any, ...], specs: object, why: str) -> Any:
    """What a call gives that fits `specs`, a structure of them.

    A program has an instruction for it where all shapes are known, and ends before it otherwise, because of `why`.
    """
    if isinstance(world, Inference):
        return nest.map_structure(lambda spec: fitting(world, spec), specs)
    looks = _looks(nest.flatten(specs))
    if looks is None:
        raise NeedsValue(why)
    return nest.pack_sequence_as(specs, world.opaque(function, args, {}, looks))  # type: ignore[attr-defined]


def fitting(world: Inference, spec: object) -> Any:
    """An abstract value that fits a spec."""
    if isinstance(spec, TensorSpec):
        return world.ghost(spec)
    if isinstance(spec, CompositeSpec):
        return spec._from_components([fitting(world, part) for part in spec._component_specs])
    raise NeedsValue(f"What fits {spec!r} is known only when the function runs.")


def _looks(specs: list[Any]) -> list[Look] | None:
    """Shapes and types, where all shapes are known."""
    if not all(isinstance(spec, TensorSpec) and spec.shape.is_fully_defined() for spec in specs):
        return None
    return [(tuple(spec.shape), np.dtype(spec.dtype.numpy)) for spec in specs]
