"""Several elements of a dataset as one, and one as several."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ...base import dtypes, nest
from ...base.errors import invalid
from ...base.shapes import TensorShape
from ...base.types import DTypeLike, IntLike
from ...op.arguments import function, takes, truth
from ...op.attributes import as_int
from ...values.tensor import Tensor, to_tensor
from .. import batching, grouping, nested, transforms
from ..functions import Function
from ..iterator import T
from ..node import Node
from .pipeline import Pipeline, dataset_of, node_of, parallel_calls

if TYPE_CHECKING:
    from ..dataset import Dataset


class Batches(Pipeline[T]):
    """The methods of `Dataset` that make batches, windows and groups, and take them apart."""

    @takes(drop_remainder=truth)
    def batch(
        self,
        batch_size: IntLike,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[T]:
        """Elements stacked along a new first axis; the last batch may be smaller unless `drop_remainder`.

        >>> import gradtape as tf
        >>> [batch.numpy().tolist() for batch in tf.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]

        Args:
            batch_size: How many elements make a batch.
            drop_remainder: Whether a last batch that is smaller is left out.
            num_parallel_calls: How many batches are made ahead in a thread of their own; None: none.
            deterministic: Not used: the order is always the same.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        node: Node = batching.Batch(self._node, as_int(batch_size), bool(drop_remainder))
        parallel = parallel_calls(num_parallel_calls, "batch")
        return self._then(node if parallel is None else transforms.Prefetch(node, max(1, parallel)))

    @takes(drop_remainder=truth)
    def padded_batch(
        self,
        batch_size: IntLike,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset[T]:
        """Batches of elements of different sizes, padded to the largest, or to `padded_shapes`.

        >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> next(iter(rows.padded_batch(3))).numpy()
        array([[1, 0, 0],
               [2, 2, 0],
               [3, 3, 3]])

        Args:
            batch_size: How many elements make a batch.
            padded_shapes: The shape of each part; None or -1 in it, or no shape at all: the largest size of the batch.
            padding_values: What is filled in, for each part; None: 0, or "".
            drop_remainder: Whether a last batch that is smaller is left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(
            batching.PaddedBatch(self._node, as_int(batch_size), padded_shapes, padding_values, bool(drop_remainder))
        )

    def ragged_batch(
        self,
        batch_size: IntLike,
        drop_remainder: Any = False,
        row_splits_dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements of different sizes as ragged tensors.

        >>> import gradtape as tf
        >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> next(iter(rows.ragged_batch(3))).to_list()
        [[1], [2, 2], [3, 3, 3]]

        Args:
            batch_size: How many elements make a batch.
            drop_remainder: Whether a last batch that is smaller is left out.
            row_splits_dtype: The type of the positions at which rows begin: int32 or int64.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of ragged tensors.
        """
        from ...ragged.batches import gathered, spec_of_batch

        splits = dtypes.as_dtype(row_splits_dtype)
        return self._then(
            batching.Gathered(
                self._node,
                as_int(batch_size),
                bool(drop_remainder),
                lambda elements: gathered(elements, splits),
                lambda spec, size: spec_of_batch(spec, size, splits),
            )
        )

    def sparse_batch(self, batch_size: IntLike, row_shape: Any, name: str | None = None) -> Dataset:
        """Batches of elements of different sizes as sparse tensors, each row of shape `row_shape`.

        >>> import gradtape as tf
        >>> rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
        >>> tf.sparse.to_dense(next(iter(rows.sparse_batch(2, [3])))).numpy()
        array([[1, 0, 0],
               [2, 2, 0]])

        Args:
            batch_size: How many elements make a batch.
            row_shape: The shape of each row, at least as large as the elements.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of sparse tensors.
        """
        from ...sparse.batches import gathered, spec_of_batch

        shape = TensorShape(row_shape)
        return self._then(
            batching.Gathered(
                self._node,
                as_int(batch_size),
                False,
                lambda elements: gathered(elements, shape),
                lambda spec, size: spec_of_batch(spec, size, shape),
            )
        )

    def unbatch(self, name: str | None = None) -> Dataset[T]:
        """The rows of each element as elements.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.from_tensors([1, 2, 3]).unbatch()]
        [1, 2, 3]

        Args:
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(batching.Unbatch(self._node))

    @takes(drop_remainder=truth)
    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Dataset[T]:
        """The rows of batches in batches of another size, or of several sizes that take turns.

        >>> import gradtape as tf
        >>> [batch.numpy().tolist() for batch in tf.data.Dataset.range(6).batch(3).rebatch(2)]
        [[0, 1], [2, 3], [4, 5]]

        Args:
            batch_size: How many rows make a batch; a vector: these sizes take turns.
            drop_remainder: Whether a last batch that is smaller is left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        sizes = np.asarray(to_tensor(batch_size)).reshape(-1).tolist()
        return self._then(batching.Rebatch(self._node, sizes, bool(drop_remainder)))

    @overload
    def window(
        self: Batches[Tensor],
        size: IntLike,
        shift: IntLike | None = ...,
        stride: IntLike = ...,
        drop_remainder: Any = ...,
        name: str | None = ...,
    ) -> Dataset[Dataset[Tensor]]: ...
    @overload
    def window(
        self,
        size: IntLike,
        shift: IntLike | None = ...,
        stride: IntLike = ...,
        drop_remainder: Any = ...,
        name: str | None = ...,
    ) -> Dataset[Any]: ...
    @takes(drop_remainder=truth)
    def window(
        self,
        size: IntLike,
        shift: IntLike | None = None,
        stride: IntLike = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of neighbouring elements.

        >>> windows = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
        >>> [batch.numpy().tolist() for batch in windows.flat_map(lambda w: w.batch(3))]
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]

        Args:
            size: How many elements a window has.
            shift: How many elements the next window begins later; None: `size`.
            stride: How far neighbours in a window are apart.
            drop_remainder: Whether last windows that are smaller are left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset of datasets.
        """
        length = as_int(size)
        step = length if shift is None else as_int(shift)
        return self._then(grouping.Window(self._node, length, step, as_int(stride), bool(drop_remainder), dataset_of))

    @takes(key_func=function)
    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: IntLike | None = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements gathered by key; `reduce_func(key, dataset)` makes a dataset of each full group.

        >>> numbers = tf.data.Dataset.range(6)
        >>> groups = numbers.group_by_window(lambda x: x % 2, lambda key, group: group.batch(3), window_size=3)
        >>> [batch.numpy().tolist() for batch in groups]
        [[0, 2, 4], [1, 3, 5]]

        Args:
            key_func: A function of an element that returns its key, an int64 number.
            reduce_func: A function of a key and the dataset of a group, that returns a dataset.
            window_size: How many elements make a group.
            window_size_func: A function of a key that returns this number, in place of `window_size`.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        size = None if window_size is None else as_int(window_size)
        return self._then(
            grouping.GroupByWindow(self._node, key_func, reduce_func, size, window_size_func, dataset_of, node_of)
        )

    @takes(element_length_func=function)
    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset[T]:
        """Batches of elements of similar length, padded to the longest of each batch.

        Lengths below the first boundary make a bucket, those below the second the next, and so on; each has its batch size.

        >>> import gradtape as tf
        >>> rows = tf.data.Dataset.from_tensor_slices([1, 4, 2, 5]).map(lambda n: tf.fill([n], n))
        >>> batches = rows.bucket_by_sequence_length(lambda row: tf.shape(row)[0], [3], [2, 2])
        >>> [batch.shape.as_list() for batch in batches]
        [[2, 2], [2, 5]]

        Args:
            element_length_func: A function of an element that returns its length.
            bucket_boundaries: The boundaries, ascending.
            bucket_batch_sizes: The batch size of each bucket, one more than there are boundaries.
            padded_shapes: As for `padded_batch`.
            padding_values: As for `padded_batch`.
            pad_to_bucket_boundary: Whether to pad to the longest length of the bucket, instead of the longest of the batch.
            no_padding: Whether not to pad: the elements of a bucket have one shape.
            drop_remainder: Whether a last batch that is smaller is left out.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.

        Raises:
            ValueError: The number of batch sizes is not that of the buckets.
        """
        boundaries = [as_int(boundary) for boundary in bucket_boundaries]
        batch_sizes = [as_int(size) for size in bucket_batch_sizes]
        if len(batch_sizes) != len(boundaries) + 1:
            raise ValueError(
                f"bucket_by_sequence_length: `len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"got {len(batch_sizes)} and {len(boundaries)}."
            )
        length_of = Function(element_length_func, "bucket_by_sequence_length")

        def bucket(*parts: Any) -> Any:
            element = parts if len(parts) > 1 else parts[0]
            length = length_of.scalar(element, int, "element_length_func must return one integer")
            return np.int64(np.searchsorted(boundaries, length, side="right"))

        def batches(key: Any, group: Dataset) -> Dataset:
            return batched(int(key), batch_sizes[int(key)], group)

        def batched(number: int | None, size: int, group: Dataset) -> Dataset:
            if no_padding:
                return group.batch(size, drop_remainder=drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = nest.map_structure(
                    lambda leaf: TensorShape([None] * (leaf.shape.rank or 0)), group.element_spec
                )
            if pad_to_bucket_boundary and number is not None:
                if number == len(boundaries):
                    raise invalid(
                        "bucket_by_sequence_length: when pad_to_bucket_boundary=True, elements must have length < "
                        f"max(bucket_boundaries) = {max(boundaries, default=0)}."
                    )
                shapes = _open_sizes_as(shapes, boundaries[number] - 1)
            return group.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

        def spec() -> Any:
            """That of a batch of any bucket, of which no size is known."""
            return batched(None, 1, dataset_of(nested.Described(self._node.spec()))).element_spec

        def size(key: Any) -> Any:
            return np.int64(batch_sizes[int(key)])

        return self._then(
            grouping.GroupByWindow(self._node, bucket, batches, None, size, dataset_of, node_of, reduced_spec=spec)
        )


def _open_sizes_as(shapes: Any, size: int) -> Any:
    """Shapes with every unknown size replaced by `size`."""
    if isinstance(shapes, TensorShape) or batching.is_shape(shapes):
        return TensorShape([size if known is None or known == -1 else known for known in shapes])
    if isinstance(shapes, dict):
        return {key: _open_sizes_as(part, size) for key, part in shapes.items()}
    return tuple(_open_sizes_as(part, size) for part in shapes)
