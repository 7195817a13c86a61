"""Names of `tensorflow.python` without a public counterpart: for each module a table of functions."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from typing import Any

from ..api.framework import executing_eagerly
from ..base import nest
from ..config import list_logical_devices
from ..trace import outside_traces
from ..variables.module import Module


@dataclasses.dataclass(frozen=True)
class DeviceAttributes:
    """A device, as `device_lib.list_local_devices` shows it."""

    name: str
    device_type: str
    memory_limit: int = 0
    physical_device_desc: str = ""


def _list_local_devices(session_config: object = None) -> list[DeviceAttributes]:
    """The CPU."""
    return [DeviceAttributes(device.name, device.device_type) for device in list_logical_devices()]


class _Context:
    """What programs ask of `context.context()`: the devices, and whether ops run at once."""

    def executing_eagerly(self) -> bool:
        """Whether an op runs when it is called."""
        return executing_eagerly()

    def num_gpus(self) -> int:
        """0."""
        return 0

    def devices(self) -> list[str]:
        """The names of the devices."""
        return [device.name for device in list_logical_devices()]

    def ensure_initialized(self) -> None:
        """Nothing to do."""


_CONTEXT = _Context()


def _false(*args: object, **kwargs: object) -> bool:
    """False: gradtape compiles functions as a whole, and no part of a graph is marked."""
    return False


def _true() -> bool:
    return True


def _eager_mode() -> contextlib.AbstractContextManager[None]:
    """A block in which ops run at once, also inside a traced function."""
    return outside_traces()


client_device_lib = {"list_local_devices": _list_local_devices}
eager_context = {
    "context": lambda: _CONTEXT,
    "eager_mode": _eager_mode,
    "num_gpus": _CONTEXT.num_gpus,
}
framework_ops = {
    "executing_eagerly_outside_functions": _true,
    "inside_function": lambda: not executing_eagerly(),
}
ops_control_flow_util = {
    "GraphOrParentsInXlaContext": _false,
    "IsInXLAContext": _false,
    "IsInWhileContext": _false,
    "IsCondContext": _false,
    "EnableControlFlowV2": _true,
    "ENABLE_CONTROL_FLOW_V2": True,
}
trackable_autotrackable = training_tracking_tracking = {"AutoTrackable": Module}
util_nest = {"is_nested_or_composite": nest.is_nested, "is_sequence": nest.is_nested}
util_tf_inspect = {
    name: getattr(inspect, name)
    for name in ("getfullargspec", "signature", "isfunction", "ismethod", "isclass", "getdoc", "getmembers", "unwrap")
}


def names_of(module: str) -> dict[str, Any]:
    """The table of a module below `tensorflow.python`."""
    found: dict[str, Any] = globals().get(module.replace(".", "_"), {})
    return found
