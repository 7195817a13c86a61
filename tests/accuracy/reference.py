"""What an op's true values are: a function of mpmath's numbers, its partial derivatives, and arguments that are hard for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import mpmath
import numpy as np
from mpmath import mp

from . import arguments

mp.dps = 50
Array = np.ndarray[Any, Any]
Function = Callable[..., Any]
FULL = 10_000  # arguments of an op
SOME, FEW = 2000, 300  # where mpmath is slow


@dataclass(frozen=True)
class Reference:
    """The true values of an elementwise op.

    `slopes` are the partial derivatives by argument; `near` are the points around which arguments crowd, for each argument;
    `within` is where arguments lie. `ends` are (value, slope) of a function of one argument where a formula has no limit,
    by the argument's text ("-0.0", "inf"); `beyond` gives the values of a function of several where one is infinite or nan.
    """

    value: Function
    slopes: Mapping[str, Function] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    near: Sequence[Sequence[float]] = ()
    within: Sequence[tuple[float, float]] = ()
    ends: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    beyond: Function | None = None
    count: int = FULL

    def arguments(self, how_many: int, count: int, dtype: Any, seed: int) -> list[Array]:
        """`count` arguments for each of the op's operands."""
        draw = np.random.default_rng(seed)
        near = [*self.near, *[()] * how_many]
        within = [*self.within, *[(-np.inf, np.inf)] * how_many]
        lists = [arguments.numbers(draw, count, dtype, near[k], *within[k]) for k in range(how_many)]
        if how_many == 1:
            return lists
        first, second = arguments.pairs(draw, draw.permutation(lists[0]), lists[1], *within[1])
        rest = [draw.permutation(numbers) for numbers in lists[2:]]
        return [first, second, *rest]


class Truth(NamedTuple):
    """True results as sums of two float64 numbers, times 2^64 where `large`; `known` is False where there is none to hold to."""

    high: Array
    low: Array
    large: Array
    known: Array


_LARGE = mpmath.mpf(2) ** 900
_SCALE = mpmath.mpf(2) ** -64


def truth(
    function: Function, lists: Sequence[Array], ends: Mapping[str, float], beyond: Function | None, at_nan: bool = True
) -> Truth:
    """The true results at all arguments; `at_nan` says whether nan has to give nan."""
    count = len(lists[0])
    high, low, large, known = np.zeros(count), np.zeros(count), np.zeros(count, bool), np.ones(count, bool)
    single = len(lists) == 1
    for place, values in enumerate(zip(*[x.tolist() for x in lists], strict=True)):
        if single and repr(values[0]) in ends:
            high[place] = ends[repr(values[0])]
            continue
        if single and math.isnan(values[0]):
            high[place], known[place] = math.nan, at_nan
            continue
        if not single and not all(map(math.isfinite, values)):
            known[place] = beyond is not None
            if beyond is not None:
                with np.errstate(all="ignore"):
                    high[place] = beyond(*values)
            continue
        exact = _called(function, values)
        if exact is None:
            known[place] = False
        elif not mpmath.isfinite(exact):
            high[place] = float(exact)
        else:
            large[place] = abs(exact) > _LARGE
            scaled = exact * _SCALE if large[place] else exact
            high[place] = float(scaled)
            low[place] = float(scaled - mpmath.mpf(high[place])) if math.isfinite(high[place]) else 0.0
    return Truth(high, low, large, known)


def _called(function: Function, values: Sequence[float]) -> Any:
    """A real number; nan where the function has none, None where nothing is promised."""
    try:
        found = function(*map(mpmath.mpf, values))
    except (ZeroDivisionError, ValueError):
        return mpmath.nan
    except mp.NoConvergence:
        return None
    if found is None:
        return None
    found = mpmath.mpmathify(found)
    if isinstance(found, mpmath.mpc):
        return found.real if found.imag == 0 else mpmath.nan
    return found
