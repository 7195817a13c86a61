"""Sampled classes that happen to be true ones (`tf.nn.compute_accidental_hits`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.dtypes import Array
from ...base.errors import invalid
from ...base.sizes import UNKNOWN
from ...base.types import Draw, Namespace
from ...op.declaration import BadInput, Sample, op
from ...op.shapes import fixed


@op(dtypes=frozenset({np.dtype(np.int64)}), outputs=3, shape=fixed(UNKNOWN), gives=(np.int32, np.int64, np.float32))
def compute_accidental_hits(xp: Namespace, true_classes: Array, sampled_candidates: Array, *, num_true: int) -> Any:
    """Where a sampled candidate is a true class: the row, the candidate's place, and a weight that hides it."""
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true or sampled_candidates.ndim != 1:
        raise invalid(
            f"compute_accidental_hits: true_classes (batch, {num_true}) and a vector of candidates are needed, "
            f"got {true_classes.shape} and {sampled_candidates.shape}."
        )
    rows, ids, seen = [], [], {int(c): k for k, c in enumerate(sampled_candidates.tolist())}
    for row, classes in enumerate(true_classes.tolist()):
        for c in classes:
            if c in seen:
                rows.append(row)
                ids.append(seen[c])
    weights = np.full(len(rows), -np.finfo(np.float32).max, np.float32)
    return np.array(rows, np.int32), np.array(ids, np.int64), weights


compute_accidental_hits.host_only("how many hits there are depends on the values")
compute_accidental_hits.not_differentiable("classes are integers")


@compute_accidental_hits.samples
def _(draw: Draw) -> Iterator[Sample]:
    yield Sample((np.array([[1], [5]], np.int64), np.array([5, 1, 7], np.int64)), {"num_true": 1})
    yield Sample((np.array([[1, 2], [5, 9]], np.int64), np.array([2, 9], np.int64)), {"num_true": 2})
    yield Sample((np.zeros((0, 1), np.int64), np.array([2], np.int64)), {"num_true": 1})


@compute_accidental_hits.rejects
def _() -> Iterator[BadInput]:
    good, candidates = np.ones((2, 1), np.int64), np.ones(3, np.int64)
    for true_classes in (np.ones(2, np.int64), np.ones((2, 2), np.int64), np.int64(1)):
        yield BadInput("rows of true classes", (true_classes, candidates), {"num_true": 1})
    yield BadInput("a vector of candidates", (good, good), {"num_true": 1})
