"""`tf.distribute`: one training step on several devices or processes; a script written for them runs on one, too."""

from typing import TypeAlias

from ..base.namespaces import listing, namespace
from .cluster import Server, coordinator
from .datasets import (
    DistributedDataset,
    DistributedIterator,
    InputContext,
    InputOptions,
    InputReplicationMode,
    RunOptions,
)
from .resolvers import cluster_resolver
from .strategies import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    MirroredStrategy,
    MultiWorkerMirroredStrategy,
    NcclAllReduce,
    OneDeviceStrategy,
    ParameterServerStrategy,
    ReductionToOneDevice,
    TPUStrategy,
)
from .strategy import (
    DistributedValues,
    ReduceOp,
    ReplicaContext,
    Strategy,
    StrategyExtended,
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)


@namespace("gradtape.distribute.experimental")
class experimental:
    """`tf.distribute.experimental`: earlier names of strategies and their options."""

    # (Imports: a name that stands for itself is no type to checkers.)
    from .cluster import PreemptionCheckpointHandler as PreemptionCheckpointHandler
    from .cluster import coordinator as coordinator
    from .cluster import partitioners as partitioners
    from .strategies import CentralStorageStrategy as CentralStorageStrategy
    from .strategies import CommunicationImplementation as CommunicationImplementation
    from .strategies import CommunicationOptions as CommunicationOptions
    from .strategies import MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy
    from .strategies import ParameterServerStrategy as ParameterServerStrategy
    from .strategies import TPUStrategy as TPUStrategy
    from .strategy import ValueContext as ValueContext

    CollectiveCommunication: TypeAlias = CommunicationImplementation
    CollectiveHints: TypeAlias = CommunicationOptions


__all__ = [
    "CrossDeviceOps",
    "DistributedDataset",
    "DistributedIterator",
    "DistributedValues",
    "HierarchicalCopyAllReduce",
    "InputContext",
    "InputOptions",
    "InputReplicationMode",
    "MirroredStrategy",
    "MultiWorkerMirroredStrategy",
    "NcclAllReduce",
    "OneDeviceStrategy",
    "ParameterServerStrategy",
    "ReduceOp",
    "ReductionToOneDevice",
    "ReplicaContext",
    "RunOptions",
    "Server",
    "Strategy",
    "StrategyExtended",
    "TPUStrategy",
    "cluster_resolver",
    "coordinator",
    "experimental",
    "experimental_set_strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]

__dir__ = listing(globals())
