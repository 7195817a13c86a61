"""Every op of the registry on a few of its samples: what `pytest -m quick` sees of test_registry.py."""

import numpy as np
import pytest

from gradtape.extend import checks, suite
from gradtape.op.declaration import Op

from .registry import all_ops

pytestmark = pytest.mark.quick


def few(samples: list) -> list:
    """Three or so, of all sizes: samplers begin with the simplest shapes."""
    return samples[:: max(1, len(samples) // 3)]


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.name)
def test_value_and_first_derivatives(op: Op) -> None:
    suite.declaration(op)
    for sample in few(list(checks.samples(op, checks.numeric_kind(op)))):
        checks.check_value(op, sample)
    for sample in few([s for s in checks.samples(op, np.float64) if s.differentiable] if op.vjps else []):
        case = checks.Directional(op, sample)
        checks.check_reverse(case)
        checks.check_forward(case)
