"""What the methods of a dataset stand on: its last step, its options, and how a dataset of one more step is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic

from ...base.errors import invalid
from ...op.attributes import as_int
from .. import nested
from ..iterator import T
from ..node import Node
from ..options import Options
from ..transforms import AUTOTUNE

if TYPE_CHECKING:
    from ..dataset import Dataset


class Pipeline(Generic[T]):
    """A step that produces elements, with the options it runs under; every instance is a `Dataset`."""

    def __init__(self, node: Node, options: Options | None = None) -> None:
        if not isinstance(node, Node):
            raise TypeError(
                f"Dataset is made by its methods, such as tf.data.Dataset.from_tensor_slices, not from {node!r}."
            )
        self._node = node
        self._options = Options() if options is None else options

    def _then(self, node: Node, *others: Dataset) -> Dataset:
        """The dataset of a further step."""
        options = self._options
        for other in others:
            options = options.merge(other._options)
        return dataset_of(node, options)


def dataset_of(node: Node, options: Options | None = None) -> Dataset[Any]:
    """The dataset that a step gives; the class stands above."""
    return nested.DATASETS[0](node, options)  # type: ignore[call-arg]


def node_of(dataset: Any) -> Node:
    """The last step of a dataset."""
    if not isinstance(dataset, Pipeline):
        raise TypeError(f"A dataset is needed here, got {dataset!r}.")
    return dataset._node


def parallel_calls(calls: Any, name: str) -> int | None:
    """How many calls at once: None, AUTOTUNE, or a positive number."""
    if calls is None:
        return None
    count = as_int(calls)
    if count != AUTOTUNE and count < 1:
        raise invalid(f"{name}: num_parallel_calls must be greater than zero or AUTOTUNE, got {count}.")
    return count
