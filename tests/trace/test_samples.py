"""Eager equals function, for every op on every one of its samples: values, types, gradients."""

from __future__ import annotations

import pytest
from tests.ops.registry import all_ops

from gradtape.extend import suite
from gradtape.op.declaration import Op


@pytest.mark.parametrize("op", all_ops(), ids=lambda op: op.name)
def test_function_is_eager(op: Op) -> None:
    suite.functions(op)
