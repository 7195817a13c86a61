"""Whether contestants computed the same: a comparison of times means nothing otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.step import Array


def disagreement(results: Sequence[Array], reference: Sequence[Array], tolerance: float) -> str | None:
    """In what the results differ from the reference, or None.

    Each array must be near in its norm: ||result - reference|| <= tolerance * ||reference||.

    >>> disagreement([np.array([1.0, 2.0])], [np.array([1.0, 2.1])], 1e-3)
    'result 0 is off by 4.3e-02 (tolerance 1e-03)'
    """
    if len(results) != len(reference):
        return f"{len(results)} results instead of {len(reference)}"
    for i, (result, expected) in enumerate(zip(results, reference, strict=True)):
        if result.shape != expected.shape:
            return f"result {i} has shape {result.shape} instead of {expected.shape}"
        if not np.isfinite(result).all():
            return f"result {i} has nan or inf"
        error = np.linalg.norm(np.subtract(result, expected, dtype=np.float64).ravel())
        norm = np.linalg.norm(expected.astype(np.float64).ravel())
        if error > tolerance * norm:
            return f"result {i} is off by {error / norm if norm else error:.1e} (tolerance {tolerance:.0e})"
    return None
