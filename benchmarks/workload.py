"""What a row of the table is: its data, the program in every dialect, gradients by hand, and its limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from benchmarks.dialects import Dialect
from benchmarks.optimizers import Optimizer
from benchmarks.step import Array, Data, Step, Unavailable

TF = ("tf", "tf function", "tf XLA")
TORCH = ("torch", "torch channels_last", "torch compiled")
JAX = ("jax", "jax jit")
THE_BEST = TF + TORCH + JAX

EAGER = ("numpy", "gradtape", "tf", "torch")
EVERYONE = ("numpy", "gradtape", "gradtape function", *TF, "torch", "jax jit")


@dataclass(frozen=True)
class Limit:
    """`contestant` takes at most `factor` times the fastest of `of`; without these, at most `factor` units.

    A required limit decides the exit status; the others are where we are going, and are only reported.
    """

    contestant: str
    factor: float
    of: tuple[str, ...] = ()
    required: bool = True
    note: str = ""

    def describe(self, unit: str) -> str:
        if not self.of:
            bound = f"{self.factor:g} {unit}"
        else:
            rivals = "the best" if self.of == THE_BEST else " and ".join(self.of)
            bound = rivals if self.factor == 1 else f"{self.factor:g} x {rivals}"
        return f"{self.contestant} <= {bound}" + (f" ({self.note})" if self.note else "")


def limit(contestant: str, factor: float, *of: str) -> Limit:
    return Limit(contestant, factor, of)


def aim(contestant: str, factor: float, *of: str, note: str = "") -> Limit:
    return Limit(contestant, factor, of, required=False, note=note)


class Workload(ABC):
    """One row of the table. `tolerance` bounds ||theirs - reference|| / ||reference|| for each result."""

    name: ClassVar[str]
    title: ClassVar[str]
    contestants: ClassVar[tuple[str, ...]] = EVERYONE
    limits: ClassVar[tuple[Limit, ...]] = ()
    tolerance: ClassVar[float] = 1e-4
    unit: ClassVar[str] = "ms"
    unit_scale: ClassVar[float] = 1e3  # units in what is measured: a second, or what a Reading reads
    is_timed: ClassVar[bool] = True  # a Reading may read something else
    by_default: ClassVar[bool] = True  # False: takes long, and runs where --only names it
    most_rounds: ClassVar[int] = 1000

    @abstractmethod
    def data(self, rng: np.random.Generator) -> Data:
        """The arrays everybody starts from."""

    @abstractmethod
    def step(self, dialect: Dialect, data: Data) -> Step:
        """The program, in the words of a library."""

    @abstractmethod
    def by_hand(self, data: Data) -> Step:
        """The same results in plain NumPy, gradients written out: the floor under any tape on NumPy."""

    def observed(self, data: Data, results: Sequence[Array]) -> Sequence[Array]:
        """The numbers in which contestants must agree."""
        return results


class Gradient(Workload):
    """A loss and its gradient with respect to all parameters."""

    @abstractmethod
    def loss(self, d: Dialect, parameters: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """The loss, in the words that all dialects share."""

    @abstractmethod
    def loss_and_gradient(self, parameters: Sequence[Array], inputs: Sequence[Array]) -> tuple[Any, list[Array]]:
        """The loss and the gradient of each parameter, by hand."""

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.gradient(self.loss, data)

    def by_hand(self, data: Data) -> Step:
        return Step(self.loss_and_gradient, (data.parameters, data.inputs))


class Training(Gradient):
    """A gradient, and the parameters moved along it in place."""

    optimizer: ClassVar[Optimizer]
    tolerance = 1e-2  # Adam's first step is nearly the gradient's sign, which rounding decides where it is near zero

    def step(self, dialect: Dialect, data: Data) -> Step:
        return dialect.training(self.loss, data, self.optimizer)

    def by_hand(self, data: Data) -> Step:
        parameters = [parameter.copy() for parameter in data.parameters]
        update = self.optimizer.numpy(parameters)

        def step() -> Any:
            loss, gradients = self.loss_and_gradient(parameters, data.inputs)
            update(gradients)
            return loss

        return Step(step, state=lambda: parameters)

    def observed(self, data: Data, results: Sequence[Array]) -> Sequence[Array]:
        """The loss and how far each parameter moved: an error in the move would hide in the parameter."""
        loss, *parameters = results
        return [loss, *(new - old for new, old in zip(parameters, data.parameters, strict=True))]


class Tracing(Workload):
    """The program of another row before it computes: the first call of a new function less the second.

    Each round traces and compiles anew. What a library keeps for all functions (gradtape its kernels) is found again.
    """

    contestants = ("gradtape function", "tf function", "tf XLA", "jax jit")
    by_default = False
    most_rounds = 3

    def __init__(self, name: str, row: Workload, *limits: Limit) -> None:
        self.name = name  # type: ignore[misc]
        self.limits = limits  # type: ignore[misc]
        self.row = row
        self.title = f"{row.title}: first call less second"  # type: ignore[misc]
        self.tolerance = row.tolerance  # type: ignore[misc]
        # A row for few contestants has few in its tracing too.
        self.contestants = tuple(c for c in type(self).contestants if c in row.contestants) or row.contestants  # type: ignore[misc]

    def data(self, rng: np.random.Generator) -> Data:
        return self.row.data(rng)

    def step(self, dialect: Dialect, data: Data) -> Step:
        return self.row.step(dialect, data)

    def by_hand(self, data: Data) -> Step:
        raise Unavailable("NumPy traces nothing")

    def observed(self, data: Data, results: Sequence[Array]) -> Sequence[Array]:
        return self.row.observed(data, results)


class Reading(Workload):
    """A row that is read off each installed library instead of timed: the step returns seconds or bytes."""

    contestants = ("numpy", "gradtape", "tf", "torch", "jax")

    @abstractmethod
    def read(self, module: str) -> float:
        """The figure of the installed module of this name."""

    def data(self, rng: np.random.Generator) -> Data:
        return Data([], [])

    def step(self, dialect: Dialect, data: Data) -> Step:
        return Step(self.read, (dialect.module.__name__,))

    def by_hand(self, data: Data) -> Step:
        return Step(self.read, (np.__name__,))
