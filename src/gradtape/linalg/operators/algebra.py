"""Which operator is the adjoint, the inverse, the Cholesky factor of one, the product or the quotient of two.

Each table has the special cases by class; `rules.py` fills them. What is not there is an operator that computes it when it is
applied: a `LinearOperatorAdjoint`, a `LinearOperatorInversion`, a `LinearOperatorComposition`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]

ADJOINTS: dict[tuple[type, ...], Rule] = {}
INVERSES: dict[tuple[type, ...], Rule] = {}
CHOLESKY_FACTORS: dict[tuple[type, ...], Rule] = {}
PRODUCTS: dict[tuple[type, ...], Rule] = {}  # left @ right
QUOTIENTS: dict[tuple[type, ...], Rule] = {}  # left^-1 @ right


def by_rule(table: dict[tuple[type, ...], Rule], *operators: object) -> Any:
    """The result by the rule of the nearest classes, those of the first operator before those of the second."""
    for classes in itertools.product(*(type(operator).__mro__ for operator in operators)):
        if classes in table:
            return table[classes](*operators)
    raise NotImplementedError(f"No rule for {', '.join(type(operator).__name__ for operator in operators)}.")
