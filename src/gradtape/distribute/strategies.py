"""TensorFlow's strategies: which devices have replicas. Without XLA, or with one device, there is one."""

from __future__ import annotations

import enum
import logging
from typing import Any

from ..base.errors import InvalidArgumentError
from ..xla import checked, processes
from ..xla.names import LOGICAL
from ..xla.places import ACCELERATORS, accelerators, chosen
from .cluster import Missing
from .mesh import device_names
from .resolvers import ClusterResolver, of_strategy
from .strategy import Strategy

LOGGER = logging.getLogger("gradtape")


class OneDeviceStrategy(Strategy):
    """Everything on one device.

    >>> import gradtape as tf
    >>> tf.distribute.OneDeviceStrategy("/cpu:0").num_replicas_in_sync
    1

    Args:
        device: The name of the device; the CPU takes the place of one that is not there.
    """

    def __init__(self, device: object) -> None:
        super().__init__()
        name = str(device)
        kind, _, number = name.rpartition("/")[2].removeprefix("device:").partition(":")
        self._place = chosen(kind, int(number) if number.isdecimal() else None, name)


class MirroredStrategy(Strategy):
    """A copy of the model on each device.

    >>> import gradtape as tf
    >>> strategy = tf.distribute.MirroredStrategy()
    >>> with strategy.scope():
    ...     w = tf.Variable(2.0)
    >>> strategy.run(lambda x: w * x, args=(tf.constant(3.0),)).numpy()
    np.float32(6.0)

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
    for kind in ACCELERATORS:
        if accelerators(kind):
            return device_names(kind)
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
    """Variables in one place, steps on each device; there is one device.

    >>> import gradtape as tf
    >>> tf.distribute.experimental.CentralStorageStrategy().num_replicas_in_sync
    1

    Args:
        compute_devices: Ignored; accepted for compatibility with TensorFlow.
        parameter_device: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(self, compute_devices: object = None, parameter_device: object = None) -> None:
        super().__init__()


class MultiWorkerMirroredStrategy(Strategy):
    """A copy of the model on each device of several processes.

    They are those that `gradtape launch` has started, or that the environment variable TF_CONFIG names. Without either there is
    one process.

    >>> import gradtape as tf
    >>> tf.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync
    1

    Args:
        cluster_resolver: Names the processes, in place of the environment.
        communication_options: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: TF_CONFIG, or the resolver, names no task of the cluster.
        ModuleNotFoundError: There are several processes, and the extra `xla` is not installed.
    """

    def __init__(self, cluster_resolver: ClusterResolver | None = None, communication_options: object = None) -> None:
        super().__init__()
        self._resolver, found = of_strategy(cluster_resolver)
        if processes.join(found).count > 1:
            from .replicas import Replicas

            self._replicas = Replicas(self, device_names())
        else:
            names = default_devices()
            if len(names) > 1:
                self._replicas = _replicas_on(self, names)


class TPUStrategy(Strategy):
    """A copy of the model on each core of the TPUs.

    >>> import gradtape as tf
    >>> try:
    ...     strategy = tf.distribute.TPUStrategy()
    ... except ValueError:
    ...     strategy = tf.distribute.get_strategy()

    Args:
        tpu_cluster_resolver: Kept as `cluster_resolver`: the TPUs are those that JAX sees.
        *args: Ignored; accepted for compatibility with TensorFlow.
        **kwargs: Ignored; accepted for compatibility with TensorFlow.

    Raises:
        ValueError: There is no TPU.
    """

    def __init__(self, tpu_cluster_resolver: ClusterResolver | None = None, *args: object, **kwargs: object) -> None:
        super().__init__()
        names = [name for name in default_devices() if name.startswith("TPU")]
        self._resolver = tpu_cluster_resolver
        if not names:
            raise Missing(
                "TPUStrategy needs a TPU, and gradtape runs on the CPU here. Use tf.distribute.get_strategy()."
            )
        if len(names) > 1:
            self._replicas = _replicas_on(self, names)


class ParameterServerStrategy(Strategy):
    """Not offered: variables on servers, steps on workers need a cluster.

    >>> import gradtape as tf
    >>> tf.distribute.experimental.ParameterServerStrategy()
    Traceback (most recent call last):
    gradtape.distribute.cluster.Missing: ParameterServerStrategy needs servers, ...

    Args:
        *args: Ignored.
        **kwargs: Ignored.

    Raises:
        ValueError: Always.
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise Missing(
            "ParameterServerStrategy needs servers, and gradtape connects to none. Use tf.distribute.get_strategy()."
        )


# --- how replicas would talk to each other; accepted for compatibility ----------------------------------------------------


class CrossDeviceOps:
    """How values of several devices are brought together; accepted, since XLA chooses.

    >>> import gradtape as tf
    >>> isinstance(tf.distribute.NcclAllReduce(), tf.distribute.CrossDeviceOps)
    True
    """


class HierarchicalCopyAllReduce(CrossDeviceOps):
    """By way of a few of the devices; accepted, since XLA chooses.

    >>> import gradtape as tf
    >>> strategy = tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.HierarchicalCopyAllReduce())

    Args:
        num_packs: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(self, num_packs: int = 1) -> None:
        self.num_packs = num_packs


class NcclAllReduce(CrossDeviceOps):
    """With NVIDIA's library; accepted, since XLA chooses.

    >>> import gradtape as tf
    >>> strategy = tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.NcclAllReduce())

    Args:
        num_packs: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(self, num_packs: int = 1) -> None:
        self.num_packs = num_packs


class ReductionToOneDevice(CrossDeviceOps):
    """All on one device; accepted, since XLA chooses.

    >>> import gradtape as tf
    >>> strategy = tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.ReductionToOneDevice())

    Args:
        reduce_to_device: Ignored; accepted for compatibility with TensorFlow.
        accumulation_fn: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(self, reduce_to_device: object = None, accumulation_fn: object = None) -> None:
        self.reduce_to_device, self.accumulation_fn = reduce_to_device, accumulation_fn


class CommunicationImplementation(enum.Enum):
    """The library that workers communicate with; accepted, since XLA chooses.

    >>> import gradtape as tf
    >>> tf.distribute.experimental.CommunicationImplementation.RING.value
    'RING'
    """

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """How workers communicate; accepted, since XLA chooses.

    >>> import gradtape as tf
    >>> options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=120.0)
    >>> strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)

    Args:
        bytes_per_pack: Ignored; accepted for compatibility with TensorFlow.
        timeout_seconds: Ignored; accepted for compatibility with TensorFlow.
        implementation: Ignored; accepted for compatibility with TensorFlow.
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation = CommunicationImplementation.AUTO,
    ) -> None:
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation
