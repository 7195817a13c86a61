"""`tf.DeviceSpec`: the parts of a device's name, as in "/job:worker/task:2/device:GPU:0"."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True, repr=False)
class DeviceSpec:
    """The name of a device, in parts; None for what is left open.

    >>> tf.DeviceSpec.from_string("/job:worker/GPU:1").to_string()
    '/job:worker/device:GPU:1'

    Args:
        job: The name of a job of a cluster.
        replica: The number of a replica.
        task: The number of a task of the job.
        device_type: "CPU", "GPU" or "TPU".
        device_index: Which device of that kind.
    """

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None

    def __post_init__(self) -> None:
        for name in ("replica", "task", "device_index"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else int(value))
        if self.device_type is not None:
            object.__setattr__(self, "device_type", str(self.device_type).upper())

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The parts of a name.

        >>> tf.DeviceSpec.from_string("/job:worker/GPU:1").device_index
        1

        Args:
            spec: The name, with "/" before each part.

        Returns:
            A DeviceSpec.

        Raises:
            ValueError: There is something in it that is no part of a device's name.
        """
        parts: dict[str, Any] = {}
        for piece in filter(None, spec.split("/")):
            name, _, value = piece.partition(":")
            if name in ("job", "replica", "task") and value:
                parts[name] = value
                continue
            kind, _, index = value.partition(":") if name == "device" else (name, "", value)
            if kind.upper() not in ("CPU", "GPU", "TPU", "XLA_CPU", "XLA_GPU") and name != "device":
                raise ValueError(f"Unknown attribute {name!r} is encountered while parsing the device spec: {spec!r}.")
            if "device_type" in parts:
                raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
            parts["device_type"] = kind
            if index not in ("", "*"):
                parts["device_index"] = index
        try:
            return cls(**parts)
        except ValueError:
            raise ValueError(f"The numbers in the device spec {spec!r} must be integers.") from None

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """The same as `from_string`.

        >>> tf.DeviceSpec().parse_from_string("/CPU:0").to_string()
        '/device:CPU:0'

        Args:
            spec: The name, with "/" before each part.

        Returns:
            A new DeviceSpec; this one stays as it is.

        Raises:
            ValueError: There is something in it that is no part of a device's name.
        """
        return self.from_string(spec)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """These parts, with those of another where it has any.

        >>> tf.DeviceSpec.from_string("/job:worker/CPU:0").make_merged_spec(tf.DeviceSpec(device_type="GPU")).to_string()
        '/job:worker/device:GPU:0'

        Args:
            dev: Another DeviceSpec.

        Returns:
            A DeviceSpec.
        """
        return self.replace(**{key: value for key, value in dataclasses.asdict(dev).items() if value is not None})

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """The same with other parts.

        >>> tf.DeviceSpec(job="worker").replace(task=2).to_string()
        '/job:worker/task:2'

        Args:
            kwargs: The parts that are others, by name.

        Returns:
            A DeviceSpec.
        """
        return dataclasses.replace(self, **kwargs)

    def to_string(self) -> str:
        """The name of the device.

        >>> tf.DeviceSpec(job="worker", device_type="GPU", device_index=1).to_string()
        '/job:worker/device:GPU:1'

        Returns:
            A text.
        """
        name = "".join(
            f"/{part}:{getattr(self, part)}" for part in ("job", "replica", "task") if getattr(self, part) is not None
        )
        if self.device_type is not None:
            name += f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"
        return name

    def __repr__(self) -> str:
        parts = ", ".join(f"{key}={value}" for key, value in dataclasses.asdict(self).items())
        return f"<DeviceSpec({parts})>"

    __str__ = __repr__
