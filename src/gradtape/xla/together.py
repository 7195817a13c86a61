"""Several processes of JAX: how they find each other, wait for each other, and agree."""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np

from ..base.errors import UnimplementedError


def join(address: str | None, count: int, number: int, heartbeat: int) -> None:
    """Find the other processes; CPUs exchange values by Gloo."""
    settings: Any = jax.config
    settings.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, count, number, heartbeat_timeout_seconds=heartbeat)


_PATIENCE = 300_000  # milliseconds


def _client() -> Any:
    try:
        from jax._src import distributed  # (JAX has no public name for it)

        return distributed.global_state.client
    except (ImportError, AttributeError) as error:
        raise UnimplementedError(
            None,
            None,
            f"JAX {jax.__version__} has no jax._src.distributed.global_state.client, by which processes find each "
            "other. Install a version of jax that gradtape's extra `xla` names.",
        ) from error


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


def sums(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The sum of each array over all processes, which have arrays of the same shapes: one exchange for each type."""
    found: list[Any] = [None] * len(arrays)
    for dtype in dict.fromkeys(array.dtype for array in arrays):
        places = [place for place, array in enumerate(arrays) if array.dtype == dtype]
        flat = np.concatenate([arrays[place].reshape(-1) for place in places])
        # Gloo sums no complex numbers, and short floats lose digits in a sum.
        words = flat.view(flat.real.dtype) if dtype.kind == "c" else flat
        total = _sum(words if words.dtype.itemsize >= 4 else words.astype(np.float32)).astype(words.dtype).view(dtype)
        ends = np.cumsum([arrays[place].size for place in places])[:-1]
        for place, part in zip(places, np.split(total, ends), strict=True):
            found[place] = part.reshape(arrays[place].shape)
    return found


def _sum(row: np.ndarray) -> np.ndarray:
    add, each = _adding()
    laid_out: Any = jax.make_array_from_process_local_data
    with jax.enable_x64(True):
        return np.asarray(add(laid_out(each, row[None])))


@functools.cache
def _adding() -> tuple[Any, Any]:
    """What adds up a row of each process, and how the rows are laid out: on one device of each."""
    first = {device.process_index: device for device in reversed(jax.devices())}
    mesh = jax.sharding.Mesh(np.array([first[number] for number in sorted(first)]), ("process",))
    spec: Any = jax.sharding.PartitionSpec
    each, whole = (jax.sharding.NamedSharding(mesh, spec(*names)) for names in (("process",), ()))
    return jax.jit(lambda rows: rows.sum(0), out_shardings=whole), each
