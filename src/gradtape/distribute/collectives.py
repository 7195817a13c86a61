"""Ops that concern several devices: how a value is laid out, and what replicas tell each other.

What replicas exchange takes the number of the replica, too: so nothing is computed before it is known how many there are. On the
host replicas take turns (in_turn.py), or there is one, and nothing to exchange.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..base.context import STATE
from ..base.dtypes import ANY, INTEGER, NUMERIC, Array
from ..base.types import Cotangent, Jax, Namespace, Value
from ..op.abstract import Abstract, Shape
from ..op.declaration import op
from ..op.family import elementwise, sample_unary
from ..op.shapes import like, replaced
from ..xla.names import REPLICAS


def _same(x: Array, layout: object = None) -> Array:
    return x


@elementwise(eager=_same, dtypes=ANY)
def lay_out(xp: Namespace, input: Array, *, layout: object = None) -> Any:
    """The same value, shared out to devices as a `Layout` says, or a sharding of JAX's."""
    return input


lay_out.is_for_devices = True


@lay_out.xla
def _(jax: Jax, input: object, *, layout: object = None) -> Any:
    return input if layout is None else jax.lax.with_sharding_constraint(input, getattr(layout, "sharding", layout))


@lay_out.derivative("input")
def _(t: Value, layout: object) -> Any:
    return lay_out(t, layout=layout)


sample_unary(lay_out)


def _sum(value: Array, replica: Array) -> Array:
    return (
        value if STATE.turn is None else STATE.turn.exchanged(value, lambda all: np.sum(all, axis=0, dtype=value.dtype))
    )


@op(eager=_sum, dtypes=NUMERIC, other={"replica": INTEGER}, shape=like(0))
def replica_sum(xp: Namespace, value: Array, replica: Array) -> Any:
    """The sum of the values of all replicas."""
    return value


@replica_sum.xla
def _(jax: Jax, value: object, replica: object) -> Any:
    return jax.lax.psum(value, REPLICAS)


@replica_sum.vjp("value")
def _(g: Cotangent, replica: Value) -> Any:
    return replica_sum(g, replica)


replica_sum.linear("value")


def _gather(value: Array, replica: Array, axis: int, count: int) -> Array:
    return value if STATE.turn is None else STATE.turn.exchanged(value, partial(np.concatenate, axis=axis))


@op(eager=_gather, dtypes=ANY, other={"replica": INTEGER})
def replica_gather(xp: Namespace, value: Array, replica: Array, *, axis: int, count: int) -> Any:
    """The values of all replicas one after the other along an axis."""
    return value


@replica_gather.shapes
def _(value: Abstract, replica: Abstract, *, axis: int, count: int) -> Shape:
    return replaced(value.shape, axis, value.shape[axis] * count)


@replica_gather.xla
def _(jax: Jax, value: Any, replica: Any, *, axis: int, count: int) -> Any:
    return jax.lax.all_gather(value, REPLICAS, axis=axis % value.ndim, tiled=True)


def _scatter(value: Array, replica: Array, axis: int, count: int) -> Array:
    return value if STATE.turn is None else np.split(_sum(value, replica), count, axis)[int(replica)]


@op(eager=_scatter, dtypes=NUMERIC, other={"replica": INTEGER}, shape=like(0))
def replica_scatter(xp: Namespace, value: Array, replica: Array, *, axis: int, count: int) -> Any:
    """The sum of the values of all replicas, of which each replica gets its part along an axis."""
    return value


@replica_scatter.shapes
def _(value: Abstract, replica: Abstract, *, axis: int, count: int) -> Shape:
    return replaced(value.shape, axis, value.shape[axis] // count)


@replica_scatter.xla
def _(jax: Jax, value: Any, replica: Any, *, axis: int, count: int) -> Any:
    return jax.lax.psum_scatter(value, REPLICAS, scatter_dimension=axis % value.ndim, tiled=True)


@replica_gather.vjp("value")
def _(g: Cotangent, replica: Value, axis: int, count: int) -> Any:
    return replica_scatter(g, replica, axis=axis, count=count)


@replica_scatter.vjp("value")
def _(g: Cotangent, replica: Value, axis: int, count: int) -> Any:
    return replica_gather(g, replica, axis=axis, count=count)


for exchange in (replica_sum, replica_gather, replica_scatter):
    exchange.waits = True
