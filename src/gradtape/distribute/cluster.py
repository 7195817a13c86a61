"""Clusters, which gradtape does not have: the classes that find one raise an error that says what is missing.

The error is a ValueError, as TensorFlow's is where no TPU is found, so that the usual
`try: TPUClusterResolver() except ValueError: get_strategy()` goes on with one replica.
"""

from __future__ import annotations

from ..base.namespaces import namespace


class Missing(ValueError, NotImplementedError):
    """A cluster, a TPU or a server that gradtape does not have."""


_TEXT = """Not offered: gradtape has no servers. {instead}

>>> import gradtape as tf
>>> {name}()
Traceback (most recent call last):
gradtape.distribute.cluster.Missing: {name}: gradtape connects to no servers. ...

Args:
    *args: Ignored.
    **kwargs: Ignored.

Raises:
    ValueError: Always.
"""


class Absent:
    """What a script names to find a cluster: making it is an error that says what to use instead."""

    _missing: str

    def __init_subclass__(cls, *, name: str, instead: str) -> None:
        cls._missing = f"{name}: gradtape connects to no servers. {instead}"
        cls.__doc__ = _TEXT.format(name=name, instead=instead)

    def __init__(self, *args: object, **kwargs: object) -> None:
        raise Missing(self._missing)


LOCAL = "Use tf.distribute.get_strategy(), or tf.distribute.MirroredStrategy() for one replica."
_PARTITIONERS = "tf.distribute.experimental.partitioners."
_NOTHING_TO_SHARE = "There are no servers to share out to."


class Server(Absent, name="tf.distribute.Server", instead="There is nothing to serve."): ...


class PreemptionCheckpointHandler(
    Absent,
    name="tf.distribute.experimental.PreemptionCheckpointHandler",
    instead="Use tf.train.CheckpointManager.",
): ...


@namespace("gradtape.distribute.coordinator", "gradtape.distribute.experimental.coordinator")
class coordinator:
    """`tf.distribute.coordinator`: work that is given to parameter servers, which gradtape does not have."""

    class ClusterCoordinator(Absent, name="tf.distribute.coordinator.ClusterCoordinator", instead=LOCAL): ...


@namespace("gradtape.distribute.experimental.partitioners")
class partitioners:
    """`tf.distribute.experimental.partitioners`: how variables would be shared out to servers."""

    class FixedShardsPartitioner(Absent, name=_PARTITIONERS + "FixedShardsPartitioner", instead=_NOTHING_TO_SHARE): ...

    class MaxSizePartitioner(Absent, name=_PARTITIONERS + "MaxSizePartitioner", instead=_NOTHING_TO_SHARE): ...

    class MinSizePartitioner(Absent, name=_PARTITIONERS + "MinSizePartitioner", instead=_NOTHING_TO_SHARE): ...

    class Partitioner(Absent, name=_PARTITIONERS + "Partitioner", instead=_NOTHING_TO_SHARE): ...
