"""`tf.edit_distance`: how many changes make one sequence another."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from ..base.errors import NotATensorError, invalid
from ..base.traceable import trace_public
from ..trace.composites import by_stand_ins
from ..values.tensor import Tensor, from_array
from .tensor import SparseTensor


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """Levenshtein's distance of the sequences along the last axis, divided by the length of the truth if `normalize`.

    >>> import gradtape as tf
    >>> letters = [tf.sparse.from_dense([list(word)]) for word in ("kitten", "sitting")]
    >>> tf.edit_distance(*letters, normalize=False).numpy()
    array([3.], dtype=float32)

    Args:
        hypothesis: A sparse tensor: the sequences.
        truth: A sparse tensor of the same type and number of axes: the sequences they should be.
        normalize: Whether a distance is divided by the length of the truth; without a truth it is infinite then.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A distance for each sequence, in float32: the shape without the last axis.

    Raises:
        tf.errors.InvalidArgumentError: The two have different types or numbers of axes, or a single axis.
        TypeError: One of the two is no sparse tensor.
    """
    for given in (hypothesis, truth):
        if not isinstance(given, SparseTensor):
            raise NotATensorError(f"edit_distance: two sparse tensors are needed, got {given!r}.")
    sizes = [tuple(given.dense_shape._array.tolist()) for given in (hypothesis, truth)]
    if len(sizes[0]) != len(sizes[1]) or len(sizes[0]) < 2:
        raise invalid(f"edit_distance: both need as many axes, at least two, got the shapes {sizes[0]} and {sizes[1]}.")
    if hypothesis.dtype is not truth.dtype:
        raise invalid(f"edit_distance: both need one type, got {hypothesis.dtype.name} and {truth.dtype.name}.")
    guesses, wanted = _sequences(hypothesis), _sequences(truth)
    result = np.zeros(np.maximum(sizes[0][:-1], sizes[1][:-1]), np.float32)
    for place in {*guesses, *wanted}:
        guess, right = guesses.get(place, []), wanted.get(place, [])
        changes = _changes(guess, right)
        result[place] = changes if not normalize else changes / len(right) if right else np.inf
    return from_array(result)


def _sequences(sparse: SparseTensor) -> dict[tuple[int, ...], list[Any]]:
    """The sequences along the last axis by their places; the places are in order."""
    found = zip(map(tuple, sparse.indices._array[:, :-1].tolist()), sparse.values._array.tolist(), strict=True)
    return {place: [value for _, value in values] for place, values in groupby(found, key=itemgetter(0))}


def _changes(first: list[Any], second: list[Any]) -> int:
    """How many elements are put in, taken out or replaced."""
    row = list(range(len(second) + 1))
    for taken, one in enumerate(first, start=1):
        before, row[0] = row[0], taken
        for place, other in enumerate(second, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (one != other))
    return row[-1]


trace_public(globals(), on_abstract=by_stand_ins)
