"""TensorFlow's strategies: which devices have replicas. Without XLA, or with one device, there is one."""

from __future__ import annotations

import enum
import importlib.util
import logging
from typing import Any

from ..base.errors import InvalidArgumentError
from ..xla import checked, processes
from ..xla.names import LOGICAL
from .cluster import Missing
from .mesh import device_names
from .strategy import Strategy

LOGGER = logging.getLogger("gradtape")


class OneDeviceStrategy(Strategy):
    """Everything on one device."""

    def __init__(self, device: object) -> None:
        super().__init__()


class MirroredStrategy(Strategy):
    """A copy of the model on each device.

    Args:
        devices: The names of the devices; by default all accelerators, or else what the CPU was shared out to by
            `tf.config.set_logical_device_configuration`.
        cross_device_ops: Accepted: XLA chooses how devices exchange values.
    """

    def __init__(self, devices: Any = None, cross_device_ops: object = None) -> None:
        super().__init__()
        names = [devices] if isinstance(devices, str) else list(devices or default_devices())
        if len(names) > 1:
            self._replicas = _replicas_on(self, names)


def default_devices() -> list[str]:
    """The devices that are used where none are named."""
    if any(importlib.util.find_spec(plugin) for plugin in ("jax_plugins", "libtpu")):  # else there are none but CPUs
        found = device_names()
        if not found[0].startswith("CPU"):
            return found
    return [device.name for device in LOGICAL.devices()]


def _replicas_on(strategy: Strategy, names: list[str]) -> Any:
    """Replicas on these devices; None, with a warning, where they are not there."""
    try:
        checked()
        from .replicas import Replicas

        return Replicas(strategy, names)
    except (ModuleNotFoundError, InvalidArgumentError) as error:
        LOGGER.warning(
            "%s: %d devices were asked for; there is one replica, on the CPU. %s",
            type(strategy).__name__,
            len(names),
            getattr(error, "message", error),
        )
        return None


class CentralStorageStrategy(Strategy):
    """Variables in one place, steps on each device; there is one device."""

    def __init__(self, compute_devices: object = None, parameter_device: object = None) -> None:
        super().__init__()


class MultiWorkerMirroredStrategy(Strategy):
    """A copy of the model on each device of several processes.

    They are those that `gradtape launch` has started, or that the environment variable TF_CONFIG names. Without either there is
    one process.

    Raises:
        ValueError: TF_CONFIG names no task of the cluster.
        ModuleNotFoundError: There are several processes, and the extra `xla` is not installed.
    """

    def __init__(self, cluster_resolver: object = None, communication_options: object = None) -> None:
        super().__init__()
        if processes.initialize().count > 1:
            from .replicas import Replicas

            self._replicas = Replicas(self, device_names())
        else:
            names = default_devices()
            if len(names) > 1:
                self._replicas = _replicas_on(self, names)


class TPUStrategy(Strategy):
    """A copy of the model on each core of the TPUs: ValueError where there is none."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()
        names = [name for name in default_devices() if name.startswith("TPU")]
        if not names:
            raise Missing(
                "TPUStrategy needs a TPU, and gradtape runs on the CPU here. Use tf.distribute.get_strategy()."
            )
        if len(names) > 1:
            self._replicas = _replicas_on(self, names)


class ParameterServerStrategy(Strategy):
    """Variables on servers, steps on workers: ValueError, as there is one process."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise Missing(
            "ParameterServerStrategy needs a cluster, and gradtape runs in one process. Use tf.distribute.get_strategy()."
        )


# --- how replicas would talk to each other; accepted for compatibility ----------------------------------------------------


class CrossDeviceOps:
    """How values of several devices are brought together."""


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """By way of a few of the devices."""

    def __init__(self, num_packs: int = 1) -> None:
        self.num_packs = num_packs


class NcclAllReduce(CrossDeviceOps):
    """With NVIDIA's library."""

    def __init__(self, num_packs: int = 1) -> None:
        self.num_packs = num_packs


class ReductionToOneDevice(CrossDeviceOps):
    """All on one device."""

    def __init__(self, reduce_to_device: object = None, accumulation_fn: object = None) -> None:
        self.reduce_to_device, self.accumulation_fn = reduce_to_device, accumulation_fn


class CommunicationImplementation(enum.Enum):
    """The library that workers communicate with."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How workers communicate."""

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation = CommunicationImplementation.AUTO,
    ) -> None:
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation
