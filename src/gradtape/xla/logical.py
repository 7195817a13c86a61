"""The devices that there are, by the names that programs use: "CPU:0", "GPU:1"."""

from __future__ import annotations

import os
import re
from typing import Any

import jax

from ..base.errors import invalid
from ..base.places import Place, full_name
from .places import ACCELERATORS, SEEN, may_have_accelerators

_FLAG = "--xla_force_host_platform_device_count"  # another way to ask for them
_NAME = re.compile(r"(?:.*[:/])?([A-Za-z]+):(\d+)$")


def devices(kind: str | None = None, local: bool = False) -> list[Any]:
    """JAX's devices of a kind, of all processes or of this one; without a kind, the accelerators, or else the CPUs.

    All questions for devices come down to this one.
    """
    if kind is not None and kind.upper() in ACCELERATORS and not may_have_accelerators():
        return []  # (JAX, once asked, can no longer divide the CPU)
    found = jax.local_devices() if local else jax.devices()
    if kind is None or found[0].platform == kind.lower():
        return list(found)
    try:
        return list(jax.local_devices(backend=kind.lower()) if local else jax.devices(kind.lower()))
    except RuntimeError:  # (there is no such kind)
        return []


def visible(kind: str | None = None, local: bool = False) -> list[Any]:
    """Those of `devices` that programs are to see (`tf.config.set_visible_devices`)."""
    if kind is None:
        if not SEEN.visible:
            return devices(None, local)
        return next((found for each in (*ACCELERATORS, "CPU") if (found := visible(each, local))), [])
    chosen = SEEN.visible.get(kind.upper())
    if chosen is None:
        return devices(kind, local)
    own = devices(kind, local=True)
    hidden = [device for number, device in enumerate(own) if number not in chosen]
    return [device for device in devices(kind, local) if device not in hidden]


def at(place: Place) -> Any:
    """JAX's device of a place."""
    found = visible(place.kind, local=True)
    if place.number >= len(found):
        raise invalid(f"There is no device {place.name!r} any more: there are {len(found)} of that kind.")
    return found[place.number]


def place_name(device: jax.Device) -> str:
    """The name of JAX's device as TensorFlow writes it: the number is that among the devices of its kind in its process."""
    for kind in (*ACCELERATORS, device.platform.upper()):
        own = [other for other in visible(kind) if other.process_index == device.process_index]
        if device in own:
            return full_name(kind, own.index(device), device.process_index)
    return full_name(device.platform.upper(), device.id, device.process_index)


def name_of(device: jax.Device) -> str:
    """The name of a device among those of all processes."""
    return f"{device.platform.upper()}:{device.id}"


def device_of(name: str) -> Any:
    """The device of a name: "cpu:3", "/GPU:0", "/job:localhost/replica:0/task:0/device:CPU:1"."""
    match = _NAME.match(name)
    if match is None:
        raise invalid(f'A device has a name such as "CPU:0", got {name!r}.')
    found = visible(match[1])
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
