"""Bad inputs of the registry whose errors XLA cannot raise, because they depend on values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.ops.registry import all_ops

import gradtape as tf
from gradtape.op.declaration import BadInput, Op

pytest.importorskip("jax", reason="the extra `xla` is not installed")

from gradtape.xla.checks import passes_rules


def all_bad_inputs() -> Iterator[tuple[Op, BadInput]]:
    """Those that the shape rules of their ops let through, where XLA runs the op."""
    for op in all_ops():
        if op.stays_on_host is None:
            for declared in op.bad_inputs:
                for bad in declared():
                    if passes_rules(op, bad):
                        yield op, bad


def error_of(op: Op, bad: BadInput, engine: str | None = None) -> Exception | None:
    """What a call raises, in eager code or on an engine, where the operands are arguments of a function."""
    operands = bad.args[0] if op.variadic else bad.args
    tensors = [None if value is None else tf.constant(np.asarray(value)) for value in operands]

    def call(*given: Any) -> Any:
        known = iter(given)
        values = [None if value is None else next(known) for value in tensors]
        return op(values, **bad.attributes) if op.variadic else op(*values, **bad.attributes)

    run = call if engine is None else tf.function(call, engine=engine)
    try:
        run(*[value for value in tensors if value is not None])
    except Exception as error:
        return error
    return None
