"""`tf.distribute`: one training step on several devices or processes; a script written for them runs on one, too."""

from ..base.namespaces import listing, namespace
from .cluster import PreemptionCheckpointHandler, Server, coordinator, partitioners
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
    CentralStorageStrategy,
    CommunicationImplementation,
    CommunicationOptions,
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
    ValueContext,
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)


@namespace("gradtape.distribute.experimental")
class experimental:
    """`tf.distribute.experimental`: earlier names of strategies and their options."""

    CentralStorageStrategy = CentralStorageStrategy
    CollectiveCommunication = CommunicationImplementation
    CollectiveHints = CommunicationOptions
    CommunicationImplementation = CommunicationImplementation
    CommunicationOptions = CommunicationOptions
    MultiWorkerMirroredStrategy = MultiWorkerMirroredStrategy
    ParameterServerStrategy = ParameterServerStrategy
    PreemptionCheckpointHandler = PreemptionCheckpointHandler
    TPUStrategy = TPUStrategy
    ValueContext = ValueContext
    coordinator = coordinator
    partitioners = partitioners


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
