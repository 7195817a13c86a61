"""`tf.data.Dataset`s as data for `fit`, `evaluate` and `predict`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keras.src.trainers.data_adapters.data_adapter import DataAdapter
from keras.src.trainers.data_adapters.data_adapter_utils import class_weight_to_sample_weights

import gradtape


def is_dataset(x: Any) -> bool:
    """Whether x is a dataset of gradtape."""
    return isinstance(x, (gradtape.data.Dataset, gradtape.distribute.DistributedDataset))


class DatasetAdapter(DataAdapter):
    """Batches of a dataset of gradtape or TensorFlow, which must be batched and shuffled already."""

    def __init__(self, dataset: Any, class_weight: dict[Any, float] | None = None, distribution: Any = None) -> None:
        self._dataset = dataset if distribution is None else distribution.distribute_dataset(dataset)
        self._class_weight = class_weight
        cardinality = dataset.cardinality
        count = int(cardinality() if callable(cardinality) else cardinality)
        self._num_batches = count if count >= 0 else None

    def get_numpy_iterator(self) -> Iterator[Any]:
        """The batches, as tensors of gradtape or as NumPy arrays. The pass begins now: Keras begins passes that it does not use,
        and which order a shuffled dataset has depends on how many were begun."""
        ours = is_dataset(self._dataset)
        return map(self._weighted, iter(self._dataset) if ours else self._dataset.as_numpy_iterator())

    def _weighted(self, batch: Any) -> Any:
        if self._class_weight is None:
            return batch
        if not isinstance(batch, tuple) or len(batch) < 2:
            raise ValueError("`class_weight` needs a dataset of (x, y): this one has no targets.")
        if len(batch) > 2:
            raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
        x, y = batch
        if isinstance(y, (list, tuple, dict)):
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        return x, y, class_weight_to_sample_weights(y, self._class_weight)

    @property
    def num_batches(self) -> int | None:
        """How many there are; None if that is not known."""
        return self._num_batches

    @property
    def batch_size(self) -> int | None:
        """Not known."""
        return None

    @property
    def has_partial_batch(self) -> bool | None:
        """Not known."""
        return None

    @property
    def partial_batch_size(self) -> int | None:
        """Not known."""
        return None
