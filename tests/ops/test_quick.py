"""Every op of the registry on a few of its samples: what `pytest -m quick` sees of test_registry.py."""

import numpy as np
import pytest

from gradtape.extend import checks, suite
from gradtape.op.declaration import Op

from .registry import all_ops

pytestmark = pytest.mark.quick


def few(samples: list, places: tuple[float, ...]) -> list:
    """Those at these places, from 0 to 1, of a list of samples: samplers begin with the simplest shapes."""
    return [samples[k] for k in sorted({round(place * (len(samples) - 1)) for place in places})] if samples else []


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.name)
def test_value_and_first_derivatives(op: Op) -> None:
    suite.declaration(op)
    for sample in few(list(checks.samples(op, checks.numeric_kind(op))), (0, 0.5, 1)):
        checks.check_value(op, sample)
    for sample in few([s for s in checks.samples(op, np.float64) if s.differentiable] if op.vjps else [], (0.4, 0.9)):
        case = checks.Directional(op, sample)
        checks.check_reverse(case)
        checks.check_forward(case)
