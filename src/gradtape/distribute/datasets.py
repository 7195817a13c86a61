"""Datasets under a strategy: batches that are shared out to the replicas; with one replica, the dataset as it is."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..base import nest
from ..base.errors import OutOfRangeError
from ..data.optional import Optional


class InputContext:
    """What a function that makes a dataset can ask about the replicas it is for.

    >>> import gradtape as tf
    >>> context = tf.distribute.InputContext(num_replicas_in_sync=2)
    >>> context.get_per_replica_batch_size(64)
    32

    Args:
        num_input_pipelines: How many datasets are made in all.
        input_pipeline_id: Which of them this is.
        num_replicas_in_sync: How many replicas share a batch.
    """

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
        """The part of a batch for one replica.

        >>> tf.distribute.InputContext(num_replicas_in_sync=4).get_per_replica_batch_size(32)
        8

        Args:
            global_batch_size: How many elements all replicas together take.

        Returns:
            An integer.

        Raises:
            ValueError: It does not come out even.
        """
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
    """How a dataset is shared out to replicas; accepted for compatibility.

    >>> import gradtape as tf
    >>> tf.distribute.InputReplicationMode.PER_WORKER.value
    'PER_WORKER'
    """

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputOptions(NamedTuple):
    """How a dataset is brought to the devices; accepted, since there is one.

    >>> import gradtape as tf
    >>> tf.distribute.InputOptions().experimental_per_replica_buffer_size
    1

    Args:
        experimental_fetch_to_device: Ignored; accepted for compatibility with TensorFlow.
        experimental_replication_mode: Ignored; accepted for compatibility with TensorFlow.
        experimental_place_dataset_on_device: Ignored; accepted for compatibility with TensorFlow.
        experimental_per_replica_buffer_size: Ignored; accepted for compatibility with TensorFlow.
    """

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(NamedTuple):
    """How a step is compiled; accepted for compatibility.

    >>> import gradtape as tf
    >>> tf.distribute.RunOptions().experimental_enable_dynamic_batch_size
    True

    Args:
        experimental_enable_dynamic_batch_size: Ignored; accepted for compatibility with TensorFlow.
        experimental_bucketizing_dynamic_shape: Ignored; accepted for compatibility with TensorFlow.
        experimental_xla_options: Ignored; accepted for compatibility with TensorFlow.
    """

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


class DistributedDataset:
    """A dataset, or anything that can be iterated over, whose batches go to the replicas.

    >>> import gradtape as tf
    >>> strategy = tf.distribute.get_strategy()
    >>> batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
    >>> [batch.numpy().tolist() for batch in batches]
    [[0, 1], [2, 3]]

    Args:
        dataset: The dataset.
        replicas: Where there are several, how values are shared out to them.
        each: Whether a batch is for one replica, rather than for all of them.

    Raises:
        ValueError: `dataset` can not be iterated over.
    """

    def __init__(self, dataset: Any, replicas: Any = None, each: bool = False) -> None:
        if not hasattr(dataset, "__iter__"):
            raise ValueError(f"A tf.data.Dataset is needed, or something to iterate over, got {dataset!r}.")
        self._dataset, self._replicas, self._each = dataset, replicas, each

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(self._dataset, self._replicas, self._each)

    def in_functions(self) -> Any:
        """The same, whose elements are all as the spec says: a loop of a traced function takes them so.

        >>> batches = tf.distribute.DistributedDataset(tf.data.Dataset.range(4).batch(2))
        >>> batches.in_functions() is batches
        True

        Returns:
            A dataset.
        """
        return self if self._replicas is None else _Uniform(self)

    def __len__(self) -> int:
        return -(-len(self._dataset) // (self._replicas.local if self._replicas is not None and self._each else 1))

    @property
    def element_spec(self) -> Any:
        """What an element looks like."""
        return _specs(self._dataset.element_spec, self._replicas, self._each)

    @property
    def cardinality(self) -> Any:
        """How many elements there are."""
        return self._dataset.cardinality()


def _specs(spec: Any, replicas: Any, each: bool) -> Any:
    if replicas is None:
        return spec
    return nest.map_structure(lambda one: replicas.spec(one, each), spec)


class _Uniform:
    """Elements of another dataset, or of an iterator: all are as the spec says, also batches that come out even."""

    def __init__(self, dataset: DistributedDataset | DistributedIterator) -> None:
        self._dataset, self.element_spec = dataset, dataset.element_spec

    def __iter__(self) -> Iterator[Any]:
        return (
            nest.map_structure(lambda spec, value: spec._fitted(value), self.element_spec, element)
            for element in self._dataset
        )


class DistributedIterator:
    """Steps through a `DistributedDataset`.

    >>> import gradtape as tf
    >>> iterator = iter(tf.distribute.DistributedDataset(tf.data.Dataset.range(4).batch(2)))
    >>> iterator.get_next().numpy()
    array([0, 1])

    Args:
        dataset: The dataset.
        replicas: Where there are several, how values are shared out to them.
        each: Whether a batch is for one replica, rather than for all of them.
    """

    def __init__(self, dataset: Any, replicas: Any = None, each: bool = False) -> None:
        self._dataset, self._replicas, self._each = dataset, replicas, each
        self._iterator = iter(dataset)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self._replicas is None:
            return next(self._iterator)
        if not self._each:
            return nest.map_structure(self._replicas.split, next(self._iterator))
        batches = [next(self._iterator)]
        for _ in range(self._replicas.local - 1):
            # (At the end there may be fewer batches than replicas: the last ones get no rows, as in TensorFlow.)
            batch = next(self._iterator, None)
            batches.append(nest.map_structure(lambda rows: rows[:0], batches[0]) if batch is None else batch)
        return nest.map_structure(lambda *values: self._replicas.stacked(list(values)), *batches)

    @property
    def element_spec(self) -> Any:
        """What an element looks like."""
        return _specs(self._dataset.element_spec, self._replicas, self._each)

    def in_functions(self) -> Any:
        """The same, whose elements are all as the spec says: a loop of a traced function takes them so.

        >>> iterator = iter(tf.distribute.DistributedDataset(tf.data.Dataset.range(4).batch(2)))
        >>> iterator.in_functions() is iterator
        True

        Returns:
            An iterator.
        """
        return self if self._replicas is None else _Uniform(self)

    def get_next(self) -> Any:
        """The next element.

        >>> iterator = iter(tf.distribute.DistributedDataset(tf.data.Dataset.range(4).batch(2)))
        >>> iterator.get_next().numpy()
        array([0, 1])

        Returns:
            The element, with a part for each replica where there are several.

        Raises:
            tf.errors.OutOfRangeError: There is none.
        """
        try:
            return next(self)
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Any:
        """The next element, or none at the end.

        >>> iterator = iter(tf.distribute.DistributedDataset(tf.data.Dataset.range(4).batch(2)))
        >>> [bool(iterator.get_next_as_optional().has_value()) for _ in range(3)]
        [True, True, False]

        Returns:
            An Optional, empty at the end.
        """
        if self._replicas is None:
            return self._iterator.get_next_as_optional()
        try:
            return Optional.from_value(next(self))
        except StopIteration:
            return Optional.empty(self.element_spec)
