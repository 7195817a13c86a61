"""Replicas: the rounds of a loop on devices of their own, at the same time (`shard_map` of JAX).

A round takes its elements of the sequences and the same values of all else. Variables are the same on all devices, before and
after: what a round assigns to them has been agreed upon by all rounds (distribute/replicas.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

from ..compile.program import Loop
from ..trace.abstract_tensor import NeedsValue
from .names import REPLICAS

_specs: Any = PartitionSpec
EACH, ALL = _specs(REPLICAS), _specs()

Inside = Callable[..., Any]


class NotTogether(NeedsValue):
    """Replicas cannot run on all devices at once: they take turns on the host."""


def on_all_devices(loop: Loop, reason: str) -> str:
    """The reason against a loop; where its rounds are replicas they cannot run at the same time."""
    if loop.across is None:
        return reason
    raise NotTogether(
        f"The function given to `run` cannot run on {loop.across.size} devices at once: {reason.removeprefix('loop with ')}."
    )


def run_replicas(loop: Loop, operands: list[Any], state: Any, changed: list[int], inside: Inside) -> list[Any]:
    """What the loop gives: the number of rounds, and what they collect, stacked."""
    count, *given = operands
    sequences, constants = given[: loop.sequences], given[loop.sequences :]
    kept = [number for number in state if number not in changed]

    def one(rows: list[Any], constants: list[Any], held: list[Any], values: list[Any]) -> Any:
        before = dict(zip(kept, held, strict=True))
        results, after = inside(loop.body, [*(row[0] for row in rows), *constants], before, changed, values)
        return [jnp.expand_dims(result, 0) for result in results], after

    run = jax.shard_map(
        one,
        mesh=loop.across.backend,
        in_specs=(EACH, ALL, ALL, ALL),
        out_specs=(EACH, ALL),
        check_vma=False,
    )
    collected, after = run(
        sequences, constants, [state[number] for number in kept], [state[number] for number in changed]
    )
    state.update(zip(changed, after, strict=True))
    return [jnp.asarray(count, np.int64), *collected]
