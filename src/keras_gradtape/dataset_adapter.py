"""`tf.data.Dataset`s of gradtape as data for `fit`, `evaluate` and `predict`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keras.src.trainers.data_adapters.data_adapter import DataAdapter
from keras.src.trainers.data_adapters.data_adapter_utils import class_weight_to_sample_weights

import gradtape


class DatasetAdapter(DataAdapter):
    """Batches of a dataset, which is expected to be batched and shuffled already."""

    def __init__(self, dataset: Any, class_weight: dict[Any, float] | None = None) -> None:
        self._dataset = dataset
        self._class_weight = class_weight
        cardinality = int(dataset.cardinality())
        self._num_batches = cardinality if cardinality >= 0 else None

    def get_numpy_iterator(self) -> Iterator[Any]:
        """The batches, as tensors."""
        for batch in self._dataset:
            yield self._weighted(batch)

    def _weighted(self, batch: Any) -> Any:
        if self._class_weight is None:
            return batch
        if not isinstance(batch, tuple) or len(batch) < 2:
            raise ValueError("`class_weight` needs a dataset of (x, y): this one has no targets.")
        if len(batch) > 2:
            raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
        x, y = batch
        return x, y, gradtape.constant(class_weight_to_sample_weights(y.numpy(), self._class_weight))

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


def adapted(x: Any, y: Any, sample_weight: Any, class_weight: Any) -> Any:
    """A dataset of gradtape in its adapter; anything else as it is."""
    if not isinstance(x, gradtape.data.Dataset):
        return x
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        if given is not None:
            raise ValueError(
                f"When `x` is a tf.data.Dataset, `{name}` is not given: its elements are (x, y) or (x, y, sample_weight)."
            )
    return DatasetAdapter(x, class_weight)
