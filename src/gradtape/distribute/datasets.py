"""Datasets under a strategy: with one replica, the dataset as it is."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..base.errors import OutOfRangeError


class InputContext:
    """What a function that makes a dataset can ask about the replicas it is for."""

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_input_pipelines(self) -> int:
        """How many datasets are made in all."""
        return self._num_input_pipelines

    @property
    def input_pipeline_id(self) -> int:
        """Which of them this is."""
        return self._input_pipeline_id

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas share a batch."""
        return self._num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The part of a batch for one replica; ValueError where it does not come out even."""
        if global_batch_size % self._num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by `num_replicas_in_sync` "
                f"{self._num_replicas_in_sync}"
            )
        return global_batch_size // self._num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: {self.num_input_pipelines})"
        )


class InputReplicationMode(enum.Enum):
    """How a dataset is shared out to replicas; accepted for compatibility."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """How a dataset is brought to the devices; accepted, since there is one."""

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(NamedTuple):
    """How a step is compiled; accepted for compatibility."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class DistributedDataset:
    """A dataset, or anything that can be iterated over, whose batches go to the one replica."""

    def __init__(self, dataset: Any) -> None:
        if not hasattr(dataset, "__iter__"):
            raise ValueError(f"A tf.data.Dataset is needed, or something to iterate over, got {dataset!r}.")
        self._dataset = dataset

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(self._dataset)

    def __len__(self) -> int:
        return len(self._dataset)

    @property
    def element_spec(self) -> Any:
        """What an element looks like."""
        return self._dataset.element_spec

    @property
    def cardinality(self) -> Any:
        """How many elements there are."""
        return self._dataset.cardinality()


class DistributedIterator:
    """Steps through a `DistributedDataset`."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._iterator = iter(dataset)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._iterator)

    @property
    def element_spec(self) -> Any:
        """What an element looks like."""
        return self._dataset.element_spec

    def get_next(self) -> Any:
        """The next element; OutOfRangeError at the end."""
        try:
            return next(self._iterator)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Any:
        """The next element as an Optional, which is empty at the end."""
        return self._iterator.get_next_as_optional()
