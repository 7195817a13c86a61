"""Random numbers that depend smoothly on a parameter without a closed formula: implicit reparameterization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base.dtypes import FLOATING, Array
from ..base.types import Draw, Namespace, Value
from ..op.declaration import BadInput, Sample
from ..op.family import elementwise, numpy_type
from .math.conversion import convert
from .math.gamma import gamma_density, igamma_in_a


def _broadcast_sample(alpha: Array, sample: Array) -> Array:
    return np.array(np.broadcast_arrays(alpha, sample)[1])


@elementwise(eager=_broadcast_sample, dtypes=FLOATING, tf_name="RandomGamma")
def gamma_sample(xp: Namespace, alpha: Array, sample: Array) -> Any:
    """`sample`, which was drawn from the gamma distribution of shape `alpha`.

    As alpha moves, the sample moves so that its quantile igamma(alpha, sample) stays what it is (Figurnov, Mohamed and
    Mnih, "Implicit reparameterization gradients").
    """
    return xp.broadcast_arrays(alpha, sample)[1]


@gamma_sample.derivative("alpha")
def _(t: Value, alpha: Value, out: Value) -> Any:
    # In float64: both parts of the quotient are tiny in the tails. `out` moves with alpha when this is differentiated.
    a, x = convert(alpha, dtype=np.dtype(np.float64)), convert(out, dtype=np.dtype(np.float64))
    slope = -igamma_in_a(a, x, order=1) / gamma_density(a, x, order=0)
    return t * convert(slope, dtype=numpy_type(t))


@gamma_sample.samples
def _(draw: Draw) -> Iterator[Sample]:
    # Not differentiable: the sample is a constant here, and moves only with the generator that drew it.
    for alpha, sample in [
        ((), ()), ((3,), (3,)), ((2, 3), (2, 3)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((), (2, 3)), ((0,), (0,)), ((1,), (4,)), ((2, 0), (2, 0)),
        ((1, 3), (2, 2, 3)), ((2, 1), (3, 2, 2)), ((1, 1, 1), (1, 1, 1)),
    ]:  # fmt: skip
        yield Sample((draw(alpha, 0.4, 3.0), draw(sample, 0.1, 3.0)), differentiable=False)


@gamma_sample.rejects
def _() -> Iterator[BadInput]:
    x = np.ones((2, 3), np.float32)
    for other in [(2,), (3, 2), (4,), (2, 2, 2)]:
        yield BadInput("shapes broadcast", (x, np.ones(other, np.float32)))
    yield BadInput("types never mix", (x, x.astype(np.float64)))
