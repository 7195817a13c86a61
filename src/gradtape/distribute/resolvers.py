"""Who takes part in a cluster: resolvers, as `strategy.cluster_resolver` has one, and the `ClusterSpec` that they give."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ..base.namespaces import namespace
from ..xla import processes
from ..xla.places import accelerators
from .cluster import LOCAL, Absent, Missing


class ClusterSpec:
    """The jobs of a cluster, each with the addresses of its tasks.

    >>> import gradtape as tf
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver({"worker": ["a:1", "b:1"]})
    >>> resolver.cluster_spec()
    ClusterSpec({'worker': ['a:1', 'b:1']})

    Args:
        cluster: A dict from names of jobs to lists of addresses, or to dicts from numbers of tasks to them.

    Raises:
        TypeError: `cluster` is no dict.
    """

    def __init__(self, cluster: ClusterSpec | Mapping[str, Any] | object) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster._jobs
        if not isinstance(cluster, Mapping):
            raise TypeError(
                f"`cluster` must be a dictionary mapping job names to lists of network addresses, got {cluster!r}."
            )
        self._jobs: dict[str, dict[int, str]] = {
            job: dict(tasks) if isinstance(tasks, Mapping) else dict(enumerate(tasks)) for job, tasks in cluster.items()
        }

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def as_dict(self) -> dict[str, Any]:
        """The dict it was made of.

        >>> tf.distribute.MultiWorkerMirroredStrategy().cluster_resolver.cluster_spec().as_dict()
        {}

        Returns:
            A dict from names of jobs to addresses.
        """
        return {
            job: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has.

        >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver({"worker": ["a:1", "b:1"]})
        >>> resolver.cluster_spec().num_tasks("worker")
        2

        Args:
            job_name: The name of the job.

        Returns:
            An integer.

        Raises:
            ValueError: There is no such job.
        """
        return len(self._tasks(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of the tasks of a job.

        >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver({"worker": ["a:1", "b:1"]})
        >>> resolver.cluster_spec().task_indices("worker")
        [0, 1]

        Args:
            job_name: The name of the job.

        Returns:
            A list of integers.
        """
        return sorted(self._tasks(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver({"worker": ["a:1", "b:1"]})
        >>> resolver.cluster_spec().task_address("worker", 1)
        'b:1'

        Args:
            job_name: The name of the job.
            task_index: The number of the task.

        Returns:
            A text.

        Raises:
            ValueError: There is no such job or task.
        """
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}. It has {sorted(tasks)}.")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of the tasks of a job, by their numbers; None for a number that is left out.

        >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver({"worker": ["a:1", "b:1"]})
        >>> resolver.cluster_spec().job_tasks("worker")
        ['a:1', 'b:1']

        Args:
            job_name: The name of the job.

        Returns:
            A list.
        """
        tasks = self._tasks(job_name)
        return [tasks.get(number) for number in range(max(tasks, default=-1) + 1)]

    def _tasks(self, job_name: str) -> dict[int, str]:
        if job_name not in self._jobs:
            raise ValueError(f"No such job in cluster: {job_name!r}. Its jobs are {self.jobs}.")
        return self._jobs[job_name]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"


class ClusterResolver:
    """What knows a cluster, and which task this process is.

    >>> import gradtape as tf
    >>> resolver = tf.distribute.MultiWorkerMirroredStrategy().cluster_resolver
    >>> isinstance(resolver, tf.distribute.cluster_resolver.ClusterResolver), resolver.task_type
    (True, None)
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment: str | None = None

    def cluster_spec(self) -> ClusterSpec:
        """The cluster; without jobs where there is one process.

        >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().cluster_spec()
        ClusterSpec({})

        Returns:
            A ClusterSpec.

        Raises:
            NotImplementedError: A subclass does not say.
        """
        raise NotImplementedError("cluster_spec() is not implemented.")

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The address of a task, by default of this process; "" where there is none.

        >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().master()
        ''

        Args:
            task_type: The name of a job.
            task_id: The number of a task.
            rpc_layer: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A text.
        """
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        return "" if kind is None or number is None else self.cluster_spec().task_address(kind, number)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> dict[str, int]:
        """How many accelerators of each kind this process has.

        >>> dict(tf.distribute.cluster_resolver.TFConfigClusterResolver().num_accelerators())
        {}

        Args:
            task_type: Ignored; accepted for compatibility with TensorFlow.
            task_id: Ignored; accepted for compatibility with TensorFlow.
            config_proto: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dict from kinds to numbers.
        """
        found: dict[str, int] = defaultdict(int)
        found.update({kind: count for kind in ("GPU", "TPU") if (count := len(accelerators(kind)))})
        return found


class SimpleClusterResolver(ClusterResolver):
    """A cluster that is written down.

    >>> import gradtape as tf
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver({"worker": ["a:1", "b:1"]}, task_type="worker", task_id=1)
    >>> resolver.task_id, resolver.master("worker", 1)
    (1, 'b:1')

    Args:
        cluster_spec: A ClusterSpec, or what it is made of.
        master: What `master()` gives where no task is named.
        task_type: The job of this process.
        task_id: Which of its tasks this is.
        environment: Kept.
        num_accelerators: A dict from kinds to numbers; by default what JAX sees.
        rpc_layer: Kept.
    """

    def __init__(
        self,
        cluster_spec: ClusterSpec | Mapping[str, Any],
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: dict[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        self._spec, self._master, self._counts = ClusterSpec(cluster_spec), master, num_accelerators
        self.task_type, self.task_id, self.environment, self.rpc_layer = task_type, task_id, environment, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        return self._spec

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        return self._master if task_type is None or task_id is None else super().master(task_type, task_id, rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: object = None
    ) -> dict[str, int]:
        return super().num_accelerators() if self._counts is None else self._counts


class TFConfigClusterResolver(ClusterResolver):
    """The cluster that the environment names: by TF_CONFIG, or by `gradtape launch`.

    >>> import gradtape as tf
    >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().task_id

    Args:
        task_type: The job of this process, in place of the environment's.
        task_id: Which of its tasks this is, likewise.
        rpc_layer: Kept.
        environment: Kept.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        if processes.COUNT in os.environ:
            found = processes.from_environment()
            # Only the coordinator listens; the others have no port.
            host = str(found.address).rpartition(":")[0]
            cluster: dict[str, Any] = {"worker": [found.address, *[f"{host}:0"] * (found.count - 1)]}
            task: dict[str, Any] = {"type": "worker", "index": found.number}
        else:
            cluster, task = processes.tf_config()
        self._spec = ClusterSpec(cluster)
        self.task_type = task.get("type") if task_type is None else task_type
        number = task.get("index") if task_id is None else task_id
        self.task_id = None if number is None else int(number)
        self.rpc_layer, self.environment = rpc_layer, environment

    def cluster_spec(self) -> ClusterSpec:
        return self._spec


class TPUClusterResolver(ClusterResolver):
    """The TPUs of this machine, where JAX sees any.

    >>> import gradtape as tf
    >>> tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
    Traceback (most recent call last):
    gradtape.distribute.cluster.Missing: Please provide a TPU Name to connect to. JAX sees no TPU here. ...

    Args:
        tpu: The name, which is not looked at: "" and "local" mean this machine.
        *args: Ignored; accepted for compatibility with TensorFlow.
        **kwargs: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: JAX sees no TPU.
    """

    environment = ""
    task_type, task_id = "worker", 0

    def __init__(self, tpu: object = None, *args: object, **kwargs: object) -> None:
        if not accelerators("TPU"):
            raise Missing(
                "Please provide a TPU Name to connect to. JAX sees no TPU here. Use tf.distribute.get_strategy(), or "
                "tf.distribute.MirroredStrategy()."
            )
        self.tpu = tpu

    @classmethod
    def connect(cls, tpu: object = None, zone: object = None, project: object = None) -> TPUClusterResolver:
        """A resolver of the TPUs of this machine: there is nothing to connect to.

        >>> try:
        ...     resolver = tf.distribute.cluster_resolver.TPUClusterResolver.connect("local")
        ... except ValueError:
        ...     resolver = None

        Args:
            tpu: The name, which is not looked at.
            zone: Ignored; accepted for compatibility with TensorFlow.
            project: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A TPUClusterResolver.
        """
        return cls(tpu)

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec({})  # (the TPUs are those of this process)

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        return "local"

    def get_master(self) -> str:
        """The same as `master`.

        >>> try:
        ...     address = tf.distribute.cluster_resolver.TPUClusterResolver().get_master()
        ... except ValueError:
        ...     address = ""

        Returns:
            A text.
        """
        return self.master()


def of_strategy(given: ClusterResolver | None) -> tuple[ClusterResolver, processes.Processes]:
    """The resolver of a strategy of several processes, and these: those that were given, or those that the environment names."""
    if given is None:
        return TFConfigClusterResolver(), processes.from_environment()
    spec = given.cluster_spec()
    jobs: dict[str, Sequence[Any]] = {job: spec.job_tasks(job) for job in spec.jobs}
    return given, processes.of_cluster(jobs, given.task_type, given.task_id, "The cluster resolver")


_ClusterResolver: TypeAlias = (
    ClusterResolver  # in the class below, a name that stands for itself is no type to checkers
)
_SimpleClusterResolver: TypeAlias = SimpleClusterResolver
_TFConfigClusterResolver: TypeAlias = TFConfigClusterResolver
_TPUClusterResolver: TypeAlias = TPUClusterResolver
_HERE = "tf.distribute.cluster_resolver."


@namespace("gradtape.distribute.cluster_resolver")
class cluster_resolver:
    """`tf.distribute.cluster_resolver`: ways to find a cluster."""

    ClusterResolver: TypeAlias = _ClusterResolver
    SimpleClusterResolver: TypeAlias = _SimpleClusterResolver
    TFConfigClusterResolver: TypeAlias = _TFConfigClusterResolver
    TPUClusterResolver: TypeAlias = _TPUClusterResolver

    class GCEClusterResolver(Absent, name=_HERE + "GCEClusterResolver", instead=LOCAL): ...

    class KubernetesClusterResolver(Absent, name=_HERE + "KubernetesClusterResolver", instead=LOCAL): ...

    class SlurmClusterResolver(Absent, name=_HERE + "SlurmClusterResolver", instead=LOCAL): ...

    class UnionResolver(Absent, name=_HERE + "UnionResolver", instead=LOCAL): ...
