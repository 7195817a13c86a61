"""Which elements of a dataset come, how often, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base import dtypes
from ...base.errors import invalid
from ...base.types import IntLike
from ...op.arguments import optional_flag, takes
from ...op.attributes import as_int
from ...values.tensor import Tensor
from .. import mixing, selection, sources, transforms
from ..iterator import T
from ..node import UNKNOWN, Node
from ..shuffling import Shuffle
from .pipeline import Pipeline, node_of

if TYPE_CHECKING:
    from ..dataset import Dataset


class Order(Pipeline[T]):
    """The methods of `Dataset` that choose, repeat and order elements."""

    def take(self, count: IntLike, name: str | None = None) -> Dataset[T]:
        """The first elements; all for -1.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(10).take(3)]
        [0, 1, 2]

        Args:
            count: How many elements; -1 for all.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(selection.Take(self._node, as_int(count)))

    def skip(self, count: IntLike, name: str | None = None) -> Dataset[T]:
        """All but the first elements; none for -1.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
        [3, 4]

        Args:
            count: How many are left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(selection.Skip(self._node, as_int(count)))

    def shard(self, num_shards: IntLike, index: IntLike, name: str | None = None) -> Dataset[T]:
        """Every `num_shards`-th element, beginning with number `index`.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(7).shard(num_shards=3, index=1)]
        [1, 4]

        Args:
            num_shards: Into how many parts the dataset is shared out.
            index: Which of them this is, from 0 on.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(selection.Shard(self._node, as_int(num_shards), as_int(index)))

    def repeat(self, count: IntLike | None = None, name: str | None = None) -> Dataset[T]:
        """The elements `count` times over, or without end.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(3)]
        [0, 1, 0, 1, 0, 1]

        Args:
            count: How often; None or -1: without end.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(selection.Repeat(self._node, None if count is None else as_int(count)))

    @takes(reshuffle_each_iteration=optional_flag)
    def shuffle(
        self,
        buffer_size: IntLike,
        seed: Any = None,
        reshuffle_each_iteration: bool = True,
        name: str | None = None,
    ) -> Dataset[T]:
        """Elements in random order: each is drawn from a buffer of `buffer_size`.

        A buffer as large as the dataset makes all orders equally likely. The same seed gives the same orders in every
        run, and a different order in each iteration (unless `reshuffle_each_iteration` is False). Without a seed the global one
        of `tf.random.set_seed` decides, as for random ops.

        >>> import gradtape as tf
        >>> numbers = tf.data.Dataset.range(5).shuffle(5, seed=1)
        >>> sorted(int(x) for x in numbers)
        [0, 1, 2, 3, 4]

        Args:
            buffer_size: How many elements wait in the buffer.
            seed: For the same orders in every run; None: as `tf.random.set_seed` says.
            reshuffle_each_iteration: Whether each iteration has another order.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.

        Raises:
            InvalidArgumentError: The buffer has no place.
        """
        size = as_int(buffer_size)
        if size == UNKNOWN:
            size = max(1, 2**62 if self._node.cardinality() < 0 else self._node.cardinality())
        if size < 1:
            raise invalid(f"shuffle: buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}.")
        renew = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        return self._then(Shuffle(self._node, size, seed, renew))

    def enumerate(self, start: IntLike = 0, name: str | None = None) -> Dataset[tuple[Tensor, T]]:
        """Pairs of a number and an element.

        >>> import gradtape as tf
        >>> [(int(i), x.numpy()) for i, x in tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=1)]
        [(1, b'a'), (2, b'b')]

        Args:
            start: The first number.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of pairs.
        """
        first = as_int(start)
        numbers: Node = sources.Counting(first, 1, dtypes.int64)
        if isinstance(self._node, sources.Ordered):
            numbers = sources.range_of((first, first + self._node.cardinality()), dtypes.int64)
        return self._then(sources.Zip((None, None), [numbers, self._node]))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset[T]:
        """These elements, then those of another dataset.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(7, 9))]
        [0, 1, 7, 8]

        Args:
            dataset: The other dataset, with elements of the same kind.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(mixing.Concatenate(self._node, node_of(dataset)), dataset)

    def unique(self, name: str | None = None) -> Dataset[T]:
        """Each element once.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([3, 1, 3, 2, 1]).unique()]
        [3, 1, 2]

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(transforms.Unique(self._node))
