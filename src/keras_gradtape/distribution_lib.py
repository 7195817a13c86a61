"""What Keras asks of a backend about devices: there is one, and nothing is distributed."""

from __future__ import annotations

from typing import Any


def list_devices(device_type: str | None = None) -> list[str]:
    """The devices of that type."""
    return ["cpu:0"] if device_type is None or device_type.lower() == "cpu" else []


def get_device_count(device_type: str | None = None) -> int:
    """How many devices of that type there are."""
    return len(list_devices(device_type))


def distribute_variable(value: Any, layout: Any) -> Any:
    """The value itself."""
    return value


def distribute_tensor(tensor: Any, layout: Any) -> Any:
    """The tensor itself."""
    return tensor


def initialize(job_addresses: Any = None, num_processes: int | None = None, process_id: int | None = None) -> None:
    """One process needs no preparation; more than one is refused."""
    if num_processes is not None and num_processes > 1:
        raise NotImplementedError(f"The gradtape backend runs in one process, {num_processes} were asked for.")


def num_processes() -> int:
    """One."""
    return 1


def process_id() -> int:
    """The first."""
    return 0
