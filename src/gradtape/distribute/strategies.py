"""TensorFlow's strategies: those that fit a single process run with one replica, the others raise an error."""

from __future__ import annotations

import enum
import json
import logging
import os
from typing import Any

from .cluster import Missing
from .strategy import Strategy

LOGGER = logging.getLogger("gradtape")


class OneDeviceStrategy(Strategy):
    """Everything on one device."""

    def __init__(self, device: object) -> None:
        super().__init__()


class MirroredStrategy(Strategy):
    """A copy of the model on each device; there is one device."""

    def __init__(self, devices: Any = None, cross_device_ops: object = None) -> None:
        super().__init__()
        if isinstance(devices, (list, tuple)) and len(devices) > 1:
            LOGGER.warning(
                "MirroredStrategy: %d devices were asked for; there is one replica, on the CPU.", len(devices)
            )


class CentralStorageStrategy(Strategy):
    """Variables in one place, steps on each device; there is one device."""

    def __init__(self, compute_devices: object = None, parameter_device: object = None) -> None:
        super().__init__()


class MultiWorkerMirroredStrategy(Strategy):
    """A copy of the model on each worker; there is one worker.

    Raises:
        RuntimeError: The environment variable TF_CONFIG names more than one worker.
    """

    def __init__(self, cluster_resolver: object = None, communication_options: object = None) -> None:
        super().__init__()
        try:
            cluster = json.loads(os.environ.get("TF_CONFIG") or "{}").get("cluster", {})
        except (ValueError, AttributeError) as error:
            raise ValueError(f"The environment variable TF_CONFIG is not a JSON object: {error}") from None
        workers = len(cluster.get("worker", [])) + len(cluster.get("chief", []))
        if workers > 1:
            raise RuntimeError(
                f"TF_CONFIG names {workers} workers, and gradtape runs in one process. Unset it to run with one worker."
            )


class TPUStrategy(Strategy):
    """Steps on the cores of a TPU: ValueError, as there is none."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise Missing("TPUStrategy needs a TPU, and gradtape computes on the CPU. Use tf.distribute.get_strategy().")


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
