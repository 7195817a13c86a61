"""`tf.math.sobol_sample`: points that fill a cube evenly."""

from __future__ import annotations

import numpy as np

from ..base import dtypes
from ..base.dtypes import as_dtype
from ..base.errors import invalid
from ..base.traceable import shaped, traceable
from ..base.types import DTypeLike, TensorLike
from ..op.abstract import Abstract
from ..op.attributes import as_int
from ..values.tensor import Tensor, from_array

_DIMENSIONS = 1111  # as many as TensorFlow has direction numbers for


def _look(
    dim: TensorLike,
    num_results: TensorLike,
    skip: TensorLike = 0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Abstract:
    return Abstract((as_int(num_results), as_int(dim)), as_dtype(dtype).numpy)


@shaped(_look)
def sobol_sample(
    dim: TensorLike,
    num_results: TensorLike,
    skip: TensorLike = 0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The points of the Sobol sequence of `dim` dimensions after the first `skip`, one in each row.

    >>> import gradtape as tf
    >>> tf.math.sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]

    Args:
        dim: How many numbers a point has.
        num_results: How many points.
        skip: How many points of the sequence to leave out first.
        dtype: float32 or float64.
        name: Ignored; accepted for compatibility with TensorFlow.

    Returns:
        A matrix of numbers from 0 to 1, which fill the cube more evenly than random ones.

    Raises:
        tf.errors.InvalidArgumentError: There are no points of that many numbers.
    """
    from scipy.stats import qmc  # (it takes a second to import)

    dimensions, count, first, kind = as_int(dim), as_int(num_results), as_int(skip), as_dtype(dtype)
    if not 1 <= dimensions <= _DIMENSIONS:
        raise invalid(f"sobol_sample: dim must be from 1 to {_DIMENSIONS}, got {dimensions}.")
    if count < 1 or first < 0:
        raise invalid(f"sobol_sample: num_results must be positive, skip not negative, got {count} and {first}.")
    if kind.name not in ("float32", "float64"):
        raise TypeError(f"sobol_sample: dtype must be float32 or float64, got {kind.name}.")
    sequence = qmc.Sobol(dimensions, scramble=False)
    sequence.fast_forward(first + 1)  # (the origin is not one of TensorFlow's points)
    return from_array(np.asarray(sequence.random(count), kind.numpy))


sobol_sample = traceable(sobol_sample)
