"""Several processes that compute together: who they are, and how they find each other.

One process of them is the coordinator, whose address all know; the others report to it, and it notices when one is gone.
Functions run on a mesh of the devices of all processes. `gradtape launch` starts such processes and watches them; a cluster does
the same by environment variables.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..base.errors import invalid
from . import checked

# What `gradtape launch` tells the processes that it starts.
ADDRESS, COUNT, NUMBER = "GRADTAPE_COORDINATOR", "GRADTAPE_PROCESSES", "GRADTAPE_PROCESS"
HEARTBEAT = 10  # seconds after which a process that says nothing is gone


@dataclass(frozen=True)
class Processes:
    """How many processes there are, which one this is, and where the coordinator is."""

    count: int = 1
    number: int = 0
    address: str | None = None


class _Here:
    processes: Processes | None = None  # not joined yet


def here() -> Processes:
    """The processes that this one has joined: itself alone unless it has joined others."""
    return _Here.processes or Processes()


def from_environment() -> Processes:
    """The processes that environment variables name: those of `gradtape launch`, or TensorFlow's TF_CONFIG."""
    if COUNT in os.environ:
        return Processes(int(os.environ[COUNT]), int(os.environ[NUMBER]), os.environ[ADDRESS])
    cluster, task = tf_config()
    return of_cluster(cluster, task.get("type"), task.get("index"), "TF_CONFIG")


def tf_config() -> tuple[dict[str, Any], dict[str, Any]]:
    """The cluster that TF_CONFIG names, and the task."""
    try:
        found = json.loads(os.environ.get("TF_CONFIG") or "{}")
        return found.get("cluster", {}), found.get("task", {})
    except (ValueError, AttributeError) as error:
        raise ValueError(f"The environment variable TF_CONFIG is not a JSON object: {error}") from None


def of_cluster(cluster: dict[str, Any], kind: str | None, index: int | None, source: str) -> Processes:
    """The processes of the jobs "chief" and "worker" of a cluster, of which this one is named."""
    chiefs, workers = cluster.get("chief", []), cluster.get("worker", [])
    addresses = [*chiefs, *workers]
    if len(addresses) < 2:
        return Processes()
    if kind not in ("chief", "worker") or not isinstance(index, int) or index >= len(cluster.get(kind, [])):
        task = {"type": kind, "index": index} if kind is not None or index is not None else {}
        raise ValueError(
            f"{source} names {len(addresses)} workers, and its task is {task!r}: there must be a type, 'worker' or 'chief', and "
            "an index in the list of the cluster."
        )
    return Processes(len(addresses), index + (len(chiefs) if kind == "worker" else 0), addresses[0])


def join(processes: Processes) -> Processes:
    """Find the other processes, and wait for them. To be called before the first use of XLA."""
    if processes.count <= 1 or processes == _Here.processes:
        return here()
    if _Here.processes is not None:
        raise invalid(
            f"This process has joined {_Here.processes.count} processes already, and is asked to join {processes}."
        )
    checked()
    from . import together

    together.join(processes.address, processes.count, processes.number, HEARTBEAT)
    _Here.processes = processes
    return processes


def initialize(addresses: str | None = None, count: int | None = None, number: int | None = None) -> Processes:
    """Join other processes: those that are named, or those that environment variables name.

    Args:
        addresses: The address of the coordinator, "host:port", or of all processes, that of the coordinator first.
        count: How many processes there are.
        number: Which of them this is.
    """
    if addresses is None and count is None:
        return join(from_environment())
    listed = [] if addresses is None else addresses.split(",")
    if len(listed) > 1 and count is not None and count != len(listed):
        raise ValueError(f"{len(listed)} addresses were given ({addresses}), and {count} processes.")
    total = count or max(len(listed), 1)
    if total > 1 and (not listed or number is None):
        raise ValueError(f"{total} processes need the address of the coordinator and the number of this one.")
    return join(Processes(total, number or 0, listed[0] if listed else None))


def is_first() -> bool:
    """Whether this is the first process, which does what is done once."""
    return here().number == 0


class _Meetings:
    count = 0  # of barriers and messages so far: all processes come to them in one order


def barrier(name: str) -> None:
    """Wait until all processes are here."""
    if here().count > 1:
        from . import together

        _Meetings.count += 1
        together.barrier(f"{name}/{_Meetings.count}")


def gathered(message: str) -> Iterator[list[str]]:
    """In the first process, once what all processes say; in the others nothing."""
    from . import together

    _Meetings.count += 1
    room, here_ = f"message/{_Meetings.count}", here()
    together.tell(f"{room}/{here_.number}", message)
    if here_.number == 0:
        yield [together.told(f"{room}/{number}") for number in range(here_.count)]
