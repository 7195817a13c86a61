"""Whether two recordings are of the same program, so that what was compiled for one runs the other as well.

Equal programs have the same steps in the same order. Constants count by their values, but a variable, a function and any
object that knows no equality of its own is only the same as itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..values.composite import COMPOSITES
from ..values.tensor import EagerTensor, Tensor
from ..variables.variable import Variable
from .concrete import CallGraph, ConcreteFunction
from .graph import Graph, Step, parts_of


def same_program(one: ConcreteFunction, other: ConcreteFunction) -> bool:
    """Whether two recordings compute the same of the same arguments.

    Args:
        one: A recording.
        other: Another one.

    Returns:
        True only if each may run in place of the other.
    """
    outside = zip(one.enclosed, other.enclosed, strict=False)
    return (
        one.specs == other.specs
        and one.engine == other.engine
        and len(one.enclosed) == len(other.enclosed)
        and all(mine is its for mine, its in outside)
        and _same_graph(one.graph, other.graph)
    )


def _same_graph(one: Graph, other: Graph) -> bool:
    # (Values are numbered in the order in which they are recorded, so that equal programs have equal numbers.)
    return (
        len(one.steps) == len(other.steps)
        and (one.seed, one.place, one.jit_compile) == (other.seed, other.place, other.jit_compile)
        and _same(one.inputs, other.inputs)
        and all(map(_same_step, one.steps, other.steps))
        and _same(one.outputs, other.outputs)
    )


def _same_step(one: Step, other: Step) -> bool:
    return (
        _same_function(one.function, other.function)
        and _same(one.args, other.args)
        and _same(one.kwargs, other.kwargs)
        and _same(one.results, other.results)
    )


def _same_function(one: Any, other: Any) -> bool:
    if one.__class__ is CallGraph and other.__class__ is CallGraph:
        return one.concrete is other.concrete or same_program(one.concrete, other.concrete)
    return _same(one, other)


def _same(one: Any, other: Any) -> bool:
    """Whether two parts of steps are the same."""
    if one is other:
        return True
    if isinstance(one, EagerTensor) and isinstance(other, EagerTensor):
        return _same_array(one._array, other._array)
    if one.__class__ is not other.__class__ or isinstance(one, Variable):
        return False
    if one.__class__ is Graph:
        return _same_graph(one, other)
    if isinstance(one, np.ndarray | np.generic):
        return _same_array(one, other)
    if isinstance(one, Mapping) and (list(one) != list(other)):
        return False
    kind = COMPOSITES.get(one.__class__)
    if kind is not None and (kind.components is None or kind.static(one) != kind.static(other)):
        return False
    mine, its = parts_of(one), parts_of(other)
    if mine or its:
        return len(mine) == len(its) and all(map(_same, mine, its))
    if isinstance(one, float | complex):
        return repr(one) == repr(other)  # (nan is the same as nan, and -0.0 another number than 0.0)
    return not isinstance(one, Tensor) and (one == other) is True


def _same_array(one: Any, other: Any) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return one.tolist() == other.tolist() if one.dtype.hasobject else one.tobytes() == other.tobytes()


class Recordings:
    """The recordings whose compiled programs are kept, the last ones used."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[ConcreteFunction] = []

    def known(self, concrete: ConcreteFunction) -> ConcreteFunction:
        """The one of an equal program that was recorded before; this one, which is kept then, if there is none.

        Args:
            concrete: A new recording.

        Returns:
            The one to run.
        """
        found = next((kept for kept in reversed(self._kept) if same_program(kept, concrete)), concrete)
        others = [kept for kept in self._kept if kept is not found]
        self._kept = [*others[-self._limit + 1 :], found]
        return found
