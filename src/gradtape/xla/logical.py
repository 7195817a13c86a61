"""The devices that there are, by the names that programs use: "CPU:0", "GPU:1"."""

from __future__ import annotations

import os
import re
from typing import Any

import jax

from ..base.errors import invalid

_FLAG = "--xla_force_host_platform_device_count"  # another way to ask for them
_NAME = re.compile(r"(?:.*[:/])?([A-Za-z]+):(\d+)$")


def devices(kind: str | None = None, local: bool = False) -> list[Any]:
    """JAX's devices of a kind, of all processes or of this one; without a kind, the accelerators, or else the CPUs."""
    found = jax.local_devices() if local else jax.devices()
    if kind is None or found[0].platform == kind.lower():
        return list(found)
    try:
        return list(jax.local_devices(backend=kind.lower()) if local else jax.devices(kind.lower()))
    except RuntimeError:  # (there is no such kind)
        return []


def name_of(device: Any) -> str:
    """The name of a device."""
    return f"{device.platform.upper()}:{device.id}"


def device_of(name: str) -> Any:
    """The device of a name: "cpu:3", "/GPU:0", "/job:localhost/replica:0/task:0/device:CPU:1"."""
    match = _NAME.match(name)
    if match is None:
        raise invalid(f'A device has a name such as "CPU:0", got {name!r}.')
    found = devices(match[1])
    place = int(match[2])
    chosen = [device for device in found if device.id == place] or found[place : place + 1]
    if not chosen:
        known = ", ".join(name_of(device) for device in found) or "none"
        raise invalid(
            f"There is no device {name!r}; of that kind there are: {known}. More CPUs are made before the first use of XLA, by "
            "tf.config.set_logical_device_configuration."
        )
    return chosen[0]


def divide_cpu(count: int) -> None:
    """Let the CPU stand for several devices; RuntimeError once it stands for another number of them."""
    settings: Any = jax.config
    if _FLAG in os.environ.get("XLA_FLAGS", "") and len(jax.devices("cpu")) == count:
        return
    try:
        settings.update("jax_num_cpu_devices", count)
    except RuntimeError as error:
        if len(jax.devices("cpu")) == count:
            return
        raise RuntimeError(
            f"{count} logical devices were asked for after the first use of XLA. Ask for them at the beginning of the program."
        ) from error
