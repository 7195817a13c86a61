"""Several processes of JAX: how they find each other, wait for each other, and agree."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np


def join(address: str | None, count: int, number: int, heartbeat: int) -> None:
    """Find the other processes; CPUs exchange values by Gloo."""
    settings: Any = jax.config
    settings.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, count, number, heartbeat_timeout_seconds=heartbeat)


def barrier(name: str, seconds: float = 300.0) -> None:
    """Wait until all processes are here."""
    from jax._src import distributed

    client: Any = distributed.global_state.client
    client.wait_at_barrier(name, int(seconds * 1000))


def same_for_all(number: int) -> int:
    """The number that the first process has."""
    from jax.experimental import multihost_utils

    with jax.enable_x64(True):
        spread: Any = multihost_utils.broadcast_one_to_all
        return int(spread(np.asarray(number, np.int64)))
