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


_PATIENCE = 300_000  # milliseconds


def _client() -> Any:
    from jax._src import distributed  # (JAX has no public name for it)

    return distributed.global_state.client


def barrier(name: str) -> None:
    """Wait until all processes are here."""
    _client().wait_at_barrier(name, _PATIENCE)


def tell(key: str, message: str) -> None:
    """Say something to all processes, by the coordinator."""
    _client().key_value_set(key, message)


def told(key: str) -> str:
    """What a process says; this waits for it."""
    return str(_client().blocking_key_value_get(key, _PATIENCE))


def same_for_all(array: np.ndarray) -> np.ndarray:
    """The array that the first process has; those of the others have its shape."""
    from jax.experimental import multihost_utils

    with jax.enable_x64(True):
        spread: Any = multihost_utils.broadcast_one_to_all
        return np.asarray(spread(array), array.dtype)
