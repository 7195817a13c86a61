"""`tf.config`: what there is to compute on. One CPU, no accelerators."""

from __future__ import annotations

import dataclasses
import os
from typing import Any


@dataclasses.dataclass(frozen=True)
class PhysicalDevice:
    """A device of the machine."""

    name: str
    device_type: str


@dataclasses.dataclass(frozen=True)
class LogicalDevice:
    """A device as programs see it."""

    name: str
    device_type: str


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The CPU; [] for any other kind.

    >>> import gradtape as tf
    >>> tf.config.list_physical_devices("GPU")
    []
    """
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The CPU; [] for any other kind."""
    return [LogicalDevice("/device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The same as `list_physical_devices`."""
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Accepted where it leaves the CPU visible; hiding accelerators that are not there is fine."""
    chosen = devices if isinstance(devices, (list, tuple)) else [devices]
    if device_type in (None, "CPU") and not any(getattr(d, "device_type", None) == "CPU" for d in chosen):
        raise ValueError("The CPU cannot be hidden: there is nothing else to compute on.")


def set_soft_device_placement(enabled: bool) -> None:
    """Accepted: unknown devices always fall back to the CPU."""


def get_soft_device_placement() -> bool:
    """Always True."""
    return True


class threading:
    """`tf.config.threading`: how many threads the linear algebra library may use."""

    @staticmethod
    def get_inter_op_parallelism_threads() -> int:
        """1: ops run one after the other."""
        return 1

    @staticmethod
    def get_intra_op_parallelism_threads() -> int:
        """What OPENBLAS_NUM_THREADS or OMP_NUM_THREADS say, else 0 for the library's choice."""
        return int(os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS") or 0)

    @staticmethod
    def set_inter_op_parallelism_threads(num_threads: int) -> None:
        """Accepted: ops run one after the other."""

    @staticmethod
    def set_intra_op_parallelism_threads(num_threads: int) -> None:
        """Not possible once NumPy is loaded."""
        raise RuntimeError(
            "The number of threads is read when NumPy is imported: set the environment variable OPENBLAS_NUM_THREADS before "
            "starting Python."
        )


class experimental:
    """`tf.config.experimental`: names that older programs use."""

    list_physical_devices = staticmethod(list_physical_devices)
    list_logical_devices = staticmethod(list_logical_devices)
    get_visible_devices = staticmethod(get_visible_devices)
    set_visible_devices = staticmethod(set_visible_devices)

    @staticmethod
    def set_memory_growth(device: Any, enable: bool) -> None:
        """Accepted: memory is taken as it is needed."""

    @staticmethod
    def get_memory_growth(device: Any) -> bool:
        """Always True."""
        return True
