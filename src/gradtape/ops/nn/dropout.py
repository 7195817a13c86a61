"""Dropout: elements kept and scaled, or dropped, by noise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import FLOATING, Array
from ...base.errors import invalid
from ...base.types import Draw, Namespace, Value
from ...op.declaration import BadInput, Sample
from ...op.family import UNARY_SHAPES, elementwise, one_pass


@one_pass
def _keep_scaled(x: Array, noise: Array, rate: float = 0.5) -> Any:
    # A product with 0 and 1: where() takes eight times as long on a random mask.
    return x * ((noise >= rate) * x.dtype.type(1 / (1 - rate)))


def _dropped(x: Array, noise: Array, rate: float = 0.5) -> Any:
    if not 0 <= rate < 1:
        raise invalid(f"apply_dropout: the rate must be in [0, 1), got {rate}.")
    return _keep_scaled(x, noise, rate=rate)


@elementwise(eager=_dropped, dtypes=FLOATING)
def apply_dropout(xp: Namespace, x: Array, noise: Array, *, rate: float = 0.5) -> Any:
    """x / (1 - rate) where the noise is at least the rate, 0 elsewhere."""
    return xp.where(noise >= rate, x / (1 - rate), 0)


@apply_dropout.derivative("x")
def _(t: Value, noise: Value, rate: float) -> Any:
    return apply_dropout(t, noise, rate=rate)


apply_dropout.constant_in("noise")


@apply_dropout.samples
def _(draw: Draw) -> Iterator[Sample]:
    for number, shape in enumerate(UNARY_SHAPES):
        rate = (0.3, 0.6, 0.0)[number % 3]
        yield Sample((draw(shape), draw(shape, 0.0, 1.0, (rate,))), {"rate": rate})
    yield Sample((draw((2, 3)), draw((2, 1), 0.0, 1.0, (0.5,))), {"rate": 0.5})


@apply_dropout.value
def _(x: Array, noise: Array, rate: float) -> Any:
    return x * (np.floor(noise - rate) + 1) / (1 - rate)


@apply_dropout.rejects
def _() -> Iterator[BadInput]:
    x = np.ones(2, np.float32)
    for rate in (1.0, -0.1, 2.0, float("nan")):
        yield BadInput("a rate", (x, x), {"rate": rate})
