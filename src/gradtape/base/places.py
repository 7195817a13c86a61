"""Devices by their names: which one a `tf.device` scope has chosen, and where a value belongs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_TASK = "/job:localhost/replica:0/task:{}/device:{}:{}"

# In the `__dict__` of a variable: the `Place` it was made for. In that of a tensor: something with the `name` of its device.
MADE_FOR = "_made_for"
ON_DEVICE = "_on_device"


@dataclass(frozen=True)
class Place:
    """A device of this process."""

    kind: str  # "CPU", "GPU" or "TPU"
    number: int  # among the devices of that kind that programs see

    @property
    def name(self) -> str:
        """The name, as TensorFlow writes it."""
        return full_name(self.kind, self.number)

    @property
    def is_host(self) -> bool:
        """Whether this is where the native engine computes."""
        return self.kind == "CPU" and self.number == 0


@dataclass(frozen=True)
class Belongs:
    """What an eager tensor notes that was computed in a device's scope: a function there moves its value, once."""

    place: Place

    array = value = None  # it is on the host

    @property
    def name(self) -> str:
        """The name of the device."""
        return self.place.name


def full_name(kind: str, number: int, task: int = 0) -> str:
    """The name of a device, with that of its process."""
    return _TASK.format(task, kind, number)


HOST = Place("CPU", 0)

# Open scopes of devices are told what a public function was given, and what it gave.
OPEN: list[Callable[[tuple[Any, ...], Any], None]] = []
