"""What replicas draw at random: it is drawn before them, one replica after the other, and each gets its own.

Replicas are the rounds of a loop that run at the same time (`Loop.across`), where no Python function can be called. A first
attempt to lower the rounds notes the calls; in the second one each round has its numbers among its elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..base.context import STATE
from ..base.errors import UnimplementedError
from ..base.seeds import OpSeed
from ..ops.array.layout import stack
from ..trace.graph import leaves, map_parts

if TYPE_CHECKING:
    from .lowering import Lowering


class DrawnBefore:
    """What one round draws: taken from its elements, or noted where it is not there yet."""

    def __init__(self, taken: Iterator[Any] | None) -> None:
        self.taken, self.calls = taken, list[Draw]()


class Draw:
    """A call that draws random numbers."""

    def __init__(self, function: Any, args: Any, kwargs: Any, looks: list[Any], is_nested: bool) -> None:
        self.function, self.args, self.kwargs, self.looks = function, args, kwargs, looks
        self.seed = next((leaf for leaf in leaves((args, kwargs)) if leaf.__class__ is OpSeed), None)
        # An op with a seed of its own has a stream on each device in TensorFlow, and the same numbers come out of it. A branch is
        # a graph of its own there, in which ops are numbered from 0 in each replica.
        has_seed = self.seed is not None and (self.seed.own is not None or (is_nested and self.seed.pair is not None))
        self.is_same = has_seed or self.function.__name__.startswith("stateless_")

    def by(self, evaluator: Lowering, number: int) -> list[Any]:
        """What it draws as the op with this number among those without a seed."""
        args, kwargs = self.args, self.kwargs
        if self.seed is not None:
            eager = STATE.seeds_as_eager
            seed = self.seed.own if eager else self.seed if self.is_same else self.seed.numbered(number)
            args, kwargs = _with_seed((args, kwargs), seed)
        return evaluator.opaque(self.function, args, kwargs, self.looks)


def _with_seed(part: object, seed: object) -> Any:
    return seed if part.__class__ is OpSeed else map_parts(part, lambda inner: _with_seed(inner, seed))


class Undrawn(Exception):
    """Restarts the lowering of rounds, after what they draw has been drawn."""

    def __init__(self, calls: list[Draw]) -> None:
        self.calls = calls


def draws_numbers(function: object, args: tuple[Any, ...]) -> bool:
    """Whether a function draws random numbers on the host."""
    # (A generator of replicas draws on their devices, each with a key of its own.)
    of_replicas = any(getattr(arg, "of_replicas", False) for arg in args[:1])
    return bool(getattr(function, "draws", "")) and not of_replicas


def undrawable(function: Any) -> None:
    """UnimplementedError for a generator, which would give the same numbers to all replicas. (XLA names other functions.)"""
    if function.draws == "generator":
        raise UnimplementedError(
            None,
            None,
            f"Generator.{function.__name__} in a replica, inside of a loop or with parameters that the replica computes. Make "
            "the generator in the strategy's scope: then replicas draw on their own.",
        )


def with_draws(evaluator: Lowering, turn: Callable[..., Any], count: int, is_drawn: bool) -> Callable[..., Any]:
    """The same rounds, each of which has what it draws after its elements of `count` sequences."""

    def again(carried: list[Any], elements: list[Any]) -> Any:
        before = evaluator.levels[-1].replicas = DrawnBefore(iter(elements[count:]) if is_drawn else None)
        found = turn(carried, elements[:count])
        if before.calls:
            raise Undrawn(before.calls)
        return found

    return again


def drawn_before(evaluator: Lowering, calls: list[Draw], rounds: int) -> list[Any]:
    """What rounds draw by these calls, in the order in which TensorFlow's replicas do, each stacked."""
    count = sum(not call.is_same for call in calls)
    numbers = iter(range(rounds * count) if STATE.seeds is None else STATE.seeds.reserved(rounds * count))
    same = [call.by(evaluator, 0) if call.is_same else None for call in calls]
    rows = [
        [call.by(evaluator, next(numbers)) if found is None else found for call, found in zip(calls, same, strict=True)]
        for _ in range(rounds)
    ]
    flat = [[value for found in row for value in found] for row in rows]
    return [stack(list(values), axis=0) for values in zip(*flat, strict=True)]
