"""Sparse and ragged data and text for `fit`, `evaluate` and `predict`: how batches are cut out of them.

Keras knows such tensors by the module that TensorFlow defines them in. This module adds gradtape's. The trainer
uses Keras's iterator of NumPy arrays, which passes them through unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src import tree
from keras.src.trainers.data_adapters import data_adapter_utils
from keras.src.trainers.data_adapters.array_slicing import Sliceable, to_tensorflow_sparse_wrapper

import gradtape as tf
from gradtape.ragged.splits import ranges
from gradtape.sparse.tensor import from_parts, places_of, sizes_of
from gradtape.values.tensor import from_array
from keras_gradtape.ops.core import cast


class SparseRows(Sliceable):
    """Rows of a sparse tensor."""

    def __init__(self, array: Any) -> None:
        super().__init__(tf.sparse.reorder(array))
        self._starts = np.searchsorted(places_of(self.array)[:, 0], np.arange(sizes_of(array)[0] + 1))

    @property
    def shape(self) -> Any:
        """The shape of the whole."""
        return self.array.shape

    def __getitem__(self, indices: Any) -> Any:
        count, *sizes = sizes_of(self.array)
        rows = np.arange(count)[indices if isinstance(indices, slice) else np.asarray(indices)]
        lengths = self._starts[rows + 1] - self._starts[rows]
        picks = ranges(self._starts[rows], lengths)
        places = places_of(self.array)[picks]
        places[:, 0] = np.repeat(np.arange(len(rows)), lengths)
        return from_parts(places, from_array(self.array.values._array[picks]), (len(rows), *sizes))

    @classmethod
    def cast(cls, x: Any, dtype: Any) -> Any:
        """The whole, with elements of another type."""
        return cast(x, dtype)

    @classmethod
    def convert_to_tf_dataset_compatible(cls, x: Any) -> Any:
        """What Keras takes rows from inside a dataset."""
        return to_tensorflow_sparse_wrapper(x)


class Rows(Sliceable):
    """Rows of a ragged tensor, or texts."""

    def __getitem__(self, indices: Any) -> Any:
        return self.array[indices] if isinstance(indices, slice) else tf.gather(self.array, indices)

    @classmethod
    def cast(cls, x: Any, dtype: Any) -> Any:
        """The whole, with elements of another type."""
        return cast(x, dtype)


def _sliceable(x: Any) -> type[Any] | None:
    """The class for values that NumPy arrays cannot represent."""
    if x.__class__ is tf.SparseTensor:
        return SparseRows
    is_text = isinstance(x, tf.Tensor) and x.dtype == tf.string
    return Rows if is_text or x.__class__ is tf.RaggedTensor else None


def as_tensors(x: Any) -> Any:
    """The sparse arrays of SciPy and JAX as sparse tensors, arrays of text as string tensors; anything else as it is."""
    if isinstance(x, np.ndarray):
        is_text = x.dtype.kind in "US" or (x.dtype == object and all(isinstance(e, (str, bytes)) for e in x.flat))
        return tf.convert_to_tensor(x, tf.string) if is_text else x
    if data_adapter_utils.is_scipy_sparse(x):
        found = x.tocoo()
        places, values = np.stack([found.row, found.col], axis=1), found.data
    elif data_adapter_utils.is_jax_sparse(x):
        places, values = np.asarray(x.indices), np.asarray(x.data)
    else:
        return x
    return tf.sparse.reorder(tf.SparseTensor(places, values, x.shape))


def complete(module: Any) -> None:
    """Let `keras.src.trainers.data_adapters.array_slicing` slice these too."""

    def can_slice_array(x: Any) -> bool:
        return _sliceable(x) is not None or bool(can_slice(x))

    def convert_to_sliceable(arrays: Any, target_backend: str | None = None) -> Any:
        return tree.map_structure(lambda x: convert_one(as_tensors(x), target_backend), arrays)

    def convert_one(x: Any, target_backend: str | None) -> Any:
        rows = _sliceable(x)
        if rows is None:
            return convert(x, target_backend)
        if x.dtype.is_floating and x.dtype.name != tf.keras.backend.floatx():
            x = rows.cast(x, tf.keras.backend.floatx())
        return rows.convert_to_tf_dataset_compatible(x) if target_backend == "tensorflow" else rows(x)

    can_slice, convert = module.can_slice_array, module.convert_to_sliceable
    module.can_slice_array, module.convert_to_sliceable = can_slice_array, convert_to_sliceable
