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


def missing(name: str, instead: str) -> type:
    message = f"{name}: gradtape connects to no servers. {instead}"

    def __init__(self: object, *args: object, **kwargs: object) -> None:
        raise Missing(message)

    text = _TEXT.format(name=name, instead=instead)
    return type(name.rsplit(".", 1)[-1], (), {"__init__": __init__, "__doc__": text, "__module__": __name__})


_PARTITIONERS = "tf.distribute.experimental.partitioners."
LOCAL = "Use tf.distribute.get_strategy(), or tf.distribute.MirroredStrategy() for one replica."

Server = missing("tf.distribute.Server", "There is nothing to serve.")


@namespace("gradtape.distribute.coordinator", "gradtape.distribute.experimental.coordinator")
class coordinator:
    """`tf.distribute.coordinator`: work that is given to parameter servers, which gradtape does not have."""

    ClusterCoordinator = missing("tf.distribute.coordinator.ClusterCoordinator", LOCAL)


@namespace("gradtape.distribute.experimental.partitioners")
class partitioners:
    """`tf.distribute.experimental.partitioners`: how variables would be shared out to servers."""

    FixedShardsPartitioner = missing(_PARTITIONERS + "FixedShardsPartitioner", "There are no servers to share out to.")
    MaxSizePartitioner = missing(_PARTITIONERS + "MaxSizePartitioner", "There are no servers to share out to.")
    MinSizePartitioner = missing(_PARTITIONERS + "MinSizePartitioner", "There are no servers to share out to.")
    Partitioner = missing(_PARTITIONERS + "Partitioner", "There are no servers to share out to.")


PreemptionCheckpointHandler = missing(
    "tf.distribute.experimental.PreemptionCheckpointHandler", "Use tf.train.CheckpointManager."
)
