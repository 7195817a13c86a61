"""Ops that concern several devices: how a value is laid out, and what replicas tell each other.

On one device, and outside of replicas, each gives its operand: there is one replica.
"""

from __future__ import annotations

from typing import Any

from ..base.dtypes import ANY, Array
from ..base.types import Jax, Namespace, Value
from ..op.family import elementwise, sample_unary


def _same(x: Array, layout: object = None) -> Array:
    return x


@elementwise(eager=_same, dtypes=ANY)
def lay_out(xp: Namespace, input: Array, *, layout: Any = None) -> Any:
    """The same value, shared out to devices as a `Layout` says."""
    return input


@lay_out.xla
def _(jax: Jax, input: Any, *, layout: Any = None) -> Any:
    return input if layout is None else jax.lax.with_sharding_constraint(input, layout.sharding)


@lay_out.derivative("input")
def _(t: Value, layout: Any) -> Any:
    return lay_out(t, layout=layout)


sample_unary(lay_out)
