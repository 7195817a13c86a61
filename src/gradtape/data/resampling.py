"""`Dataset.rejection_resample`: elements left out or repeated at random until their classes have given shares.

With t the wanted and p the present share of each class, elements come from the data as they are with the probability
m = min(t / p), and else from a part of them in which an element of a class is accepted with (t / p - m) / (max(t / p) - m).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.errors import invalid
from ..base.types import TensorLike
from ..values.tensor import to_tensor

_BATCH = 32  # elements whose classes are counted at once
_SEEN = 10  # of each class, before the first element: the first estimates are close to equal shares


def resampled(
    dataset: Any, class_func: Callable[..., Any], target: TensorLike, initial: TensorLike | None, seed: Any
) -> Any:
    """The dataset of pairs of a class and an element; `initial` None: shares are estimated from the elements."""
    from .. import math
    from ..random import uniform

    wanted = math.cast(target, dtypes.float32)
    if wanted.shape.rank != 1:
        raise invalid(f"rejection_resample: target_dist must have one share for each class, got shape {wanted.shape}.")
    whole = dataset.map(lambda *parts: (class_func(*parts), parts[0] if len(parts) == 1 else parts))
    make = type(dataset)
    if initial is None:
        present = _estimated(dataset.map(class_func), int(wanted.shape[0]))
        shares = present.map(lambda found: _acceptance(found, wanted))
    else:
        found = math.cast(initial, dtypes.float32)
        if found.shape != wanted.shape:
            raise invalid(
                f"rejection_resample: initial_dist has shape {found.shape}, target_dist {wanted.shape}: one share for each class."
            )
        shares = make.from_tensors(_acceptance(found, wanted)).repeat()
        lowest = float(np.min(np.asarray(wanted) / np.asarray(found)))
        if lowest == 1:
            return whole
    accepted = (
        make.zip(shares.map(lambda accept, original: accept), dataset)
        .map(lambda accept, element: _with_class(class_func, accept, element))
        .filter(lambda number, share, element: uniform([], seed=seed) < share)
        .map(lambda number, share, element: (number, element))
    )
    if initial is not None and lowest == 0:
        return accepted
    weights = shares.map(lambda accept, original: [original, 1.0 - original])
    return make.sample_from_datasets([whole, accepted], weights, seed=seed, stop_on_empty_dataset=True)


def _with_class(class_func: Callable[..., Any], accept: Any, element: Any) -> tuple[Any, Any, Any]:
    number = class_func(*element) if isinstance(element, tuple) else class_func(element)
    return number, accept[number], element


def _acceptance(present: Any, wanted: Any) -> tuple[Any, Any]:
    """The probability to accept an element of each class, and that to take one of the data as they are."""
    from .. import math

    ratios = wanted / (present + np.finfo(np.float32).tiny)
    lowest, largest = math.reduce_min(ratios), math.reduce_max(ratios)
    return (ratios - lowest) / (largest - lowest), lowest


def _estimated(classes: Any, count: int) -> Any:
    """For each element the shares of the classes, as far as they have been seen."""
    from .. import math

    def turn(seen: Any, numbers: Any) -> tuple[Any, Any]:
        seen = seen + math.bincount(numbers, minlength=count, maxlength=count, dtype=dtypes.int64)
        shares = math.cast(seen / math.reduce_sum(seen), dtypes.float32)
        return seen, rows + shares

    rows = to_tensor(np.zeros((_BATCH, count), np.float32))
    start = to_tensor(np.full(count, _SEEN, np.int64))
    return classes.batch(_BATCH).scan(start, turn).unbatch()
