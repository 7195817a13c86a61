"""Class numbers as sparse tensors of ones."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradtape as tf
from gradtape.base.dtypes import Array, DType
from gradtape.sparse.tensor import from_parts


def one_hot(x: Any, num_classes: int, axis: int, kind: DType) -> Any:
    """1 at each class number along a new axis; nothing for a number that is no class."""
    places, sizes = _places(x, num_classes, axis)
    return _ones(places, sizes, kind)


def multi_hot(x: Any, num_classes: int, axis: int, kind: DType) -> Any:
    """1 at each of the class numbers of a row, each once."""
    places, sizes = _places(x, num_classes, axis)
    along = 1 if len(x.shape) > 1 else 0
    places = np.unique(np.delete(places, along, axis=1), axis=0)
    return _ones(places, [*sizes[:along], *sizes[along + 1 :]], kind)


def _places(x: Any, num_classes: int, axis: int) -> tuple[Array, list[int]]:
    numbers = np.asarray(x)
    axis %= numbers.ndim + 1
    places = np.argwhere((numbers >= 0) & (numbers < num_classes))
    classes = numbers[tuple(places.T)]
    places = np.insert(places, axis, classes, axis=1)
    return places[np.lexsort(places.T[::-1])], [*numbers.shape[:axis], num_classes, *numbers.shape[axis:]]


def _ones(places: Array, sizes: list[int], kind: DType) -> Any:
    return from_parts(places, tf.ones([len(places)], kind), sizes)
