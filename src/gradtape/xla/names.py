"""What rooms above use of this one without importing jax."""

from __future__ import annotations

import dataclasses
from typing import Any

REPLICAS = "replica"  # the axis of a mesh along which replicas stand


@dataclasses.dataclass(frozen=True)
class LogicalDevice:
    """A device as programs see it.

    >>> import gradtape as tf
    >>> tf.config.list_logical_devices("CPU")[0].device_type
    'CPU'

    Args:
        name: The name, as "/device:CPU:0".
        device_type: "CPU".
    """

    name: str
    device_type: str


class Logical:
    """How the CPU is shared out (`tf.config.set_logical_device_configuration`)."""

    configuration: list[Any] | None = None

    def devices(self) -> list[LogicalDevice]:
        """What the CPU stands for."""
        return [LogicalDevice(f"/device:CPU:{number}", "CPU") for number in range(len(self.configuration or [None]))]


LOGICAL = Logical()
