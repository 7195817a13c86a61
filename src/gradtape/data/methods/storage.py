"""Elements of a dataset kept in memory and in files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...base.errors import invalid
from ...base.types import IntLike
from ...io.records import text_of
from ...op.attributes import as_int
from .. import caching, transforms
from ..iterator import T
from ..transforms import AUTOTUNE
from .pipeline import Pipeline, dataset_of

if TYPE_CHECKING:
    from ..dataset import Dataset


class Storage(Pipeline[T]):
    """The methods of `Dataset` that keep elements for later."""

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset[T]:
        """Keep the elements of the first complete iteration for all later ones, in memory or in a file.

        >>> import gradtape as tf
        >>> calls = []
        >>> numbers = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(lambda v: calls.append(v) or v, [x], tf.int64))
        >>> kept = numbers.cache()
        >>> for _ in range(2):
        ...     values = [int(x) for x in kept]
        >>> len(calls)
        3

        Args:
            filename: The path of the file; "": in memory.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        path = text_of(filename)
        return self._then(caching.FileCache(self._node, path) if path else caching.Cache(self._node))

    def prefetch(self, buffer_size: IntLike | None, name: str | None = None) -> Dataset[T]:
        """Elements computed ahead in a background thread, while the program works on earlier ones.

        >>> import gradtape as tf
        >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE)]
        [0, 1, 2]

        Args:
            buffer_size: How many elements wait at most; None or AUTOTUNE: it finds the number.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.

        Raises:
            InvalidArgumentError: The number is negative.
        """
        size = AUTOTUNE if buffer_size is None else as_int(buffer_size)
        if size < AUTOTUNE:
            raise invalid(f"prefetch: buffer_size must be >= 0 or AUTOTUNE, got {size}.")
        return self._then(transforms.Prefetch(self._node, size))

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Any = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements into a folder, for `Dataset.load`. (The format is gradtape's own.)

        >>> import gradtape as tf
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
        >>> tf.data.Dataset.range(3).save(path)
        >>> [int(x) for x in tf.data.Dataset.load(path)]
        [0, 1, 2]

        Args:
            path: The folder.
            compression: None, "GZIP" or "ZLIB".
            shard_func: Ignored; accepted for compatibility with TensorFlow.
            checkpoint_args: Ignored; accepted for compatibility with TensorFlow.
        """
        caching.save(self._node, text_of(path), compression)

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Any = None,
        wait: bool = False,
    ) -> Dataset:
        """The dataset that `save` wrote.

        >>> import gradtape as tf
        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
        >>> tf.data.Dataset.range(3).save(path)
        >>> [int(x) for x in tf.data.Dataset.load(path)]
        [0, 1, 2]

        Args:
            path: The folder.
            element_spec: Not used: the files say it.
            compression: What `save` was given.
            reader_func: Ignored; accepted for compatibility with TensorFlow.
            wait: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return dataset_of(caching.load(text_of(path), compression))

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Any = None,
        shard_func: Any = None,
        name: str | None = None,
    ) -> Dataset[T]:
        """The elements of the first whole iteration, kept in a folder for later programs.

        >>> import gradtape as tf
        >>> import tempfile
        >>> [int(x) for x in tf.data.Dataset.range(3).snapshot(tempfile.mkdtemp())]
        [0, 1, 2]

        Args:
            path: The folder.
            compression: Ignored; accepted for compatibility with TensorFlow.
            reader_func: Ignored; accepted for compatibility with TensorFlow.
            shard_func: Ignored; accepted for compatibility with TensorFlow.
            name: Ignored; accepted for compatibility with TensorFlow.

        Returns:
            A dataset.
        """
        return self._then(caching.FileCache(self._node, os.path.join(text_of(path), "snapshot")))
