"""What `tf.experimental.dtensor` tells of the processes that take part."""

from __future__ import annotations

import os

from ..xla import processes
from .mesh import Mesh


def barrier(mesh: Mesh, barrier_name: str | None = None, timeout_in_ms: int | None = None) -> None:
    """Wait until all processes are here.

    >>> import gradtape as tf
    >>> from gradtape.experimental import dtensor
    >>> dtensor.barrier(dtensor.create_mesh([("batch", 1)], devices=["CPU:0"]))

    Args:
        mesh: Not used: all processes wait for each other.
        barrier_name: A name for messages.
        timeout_in_ms: Not used: the coordinator notices when a process is gone.
    """
    processes.barrier("dtensor" if barrier_name is None else barrier_name)


def job_name() -> str:
    """The name of the job: "localhost" where there is one process, else the environment variable DTENSOR_JOB_NAME, or "worker".

    >>> tf.experimental.dtensor.job_name()
    'localhost'

    Returns:
        A text.
    """
    return os.environ.get("DTENSOR_JOB_NAME", "localhost" if processes.here().count == 1 else "worker")


def full_job_name(task_id: int | None = None) -> str:
    """The name of the job with the number of a process.

    >>> tf.experimental.dtensor.full_job_name()
    'localhost/replica:0/task:0'

    Args:
        task_id: The number of a process; by default of this one.

    Returns:
        A text.

    Raises:
        ValueError: There is no such process.
    """
    number = processes.here().number if task_id is None else task_id
    if not 0 <= number < processes.here().count:
        raise ValueError(f"Unexpected task id: {number}. There are {processes.here().count} processes.")
    return f"{job_name()}/replica:0/task:{number}"


def device_name() -> str:
    """The name that TensorFlow gives to all devices of a mesh together, in this process.

    >>> tf.experimental.dtensor.device_name()
    '/job:localhost/replica:0/task:0/device:CUSTOM:0'

    Returns:
        A text.
    """
    return f"/job:{full_job_name()}/device:CUSTOM:0"


def jobs() -> list[str]:
    """The addresses of the processes, as the environment variable DTENSOR_JOBS lists them; [] where it does not.

    >>> tf.experimental.dtensor.jobs()
    []

    Returns:
        A list of texts.
    """
    return [address for address in os.environ.get("DTENSOR_JOBS", "").split(",") if address]


def heartbeat_enabled() -> bool:
    """True: the coordinator notices when a process is gone.

    >>> tf.experimental.dtensor.heartbeat_enabled()
    True

    Returns:
        True.
    """
    return True
