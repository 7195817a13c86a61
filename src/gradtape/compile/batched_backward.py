"""Backward programs for batches of cotangents, as Jacobians have them.

A backward program says what is computed for one set of cotangents. Run on batched values (differentiation/vectorize.py) whose
data are values of a program, its instructions become those of another program, which does the same for all cotangents at once:
the ops' batching rules write it. That program is optimized and compiled as any other is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..base.context import STATE
from ..base.errors import UnimplementedError
from ..base.sizes import Undecided
from ..differentiation.vectorize import Batched
from ..op.declaration import Op
from ..trace.abstract_tensor import NeedsValue
from ..values.tensor import Tensor, to_tensor
from .inside import operand
from .lowering import Lowering
from .passes import optimized
from .program import Branch, Program, Value, perform

Run = Callable[..., Any]


class BatchedBackward:
    """A backward program for batches of one size.

    Args:
        program: The program for single cotangents.
        given: What it is called with, arrays and batched arrays; only types and shapes count.
    """

    def __init__(self, program: Program, given: Sequence[Any]) -> None:
        evaluator = Lowering(False)
        try:
            with evaluator.running():
                level = len(STATE.tapes), len(STATE.accumulators)

                def taken(value: Any) -> Any:
                    data = value.data if value.__class__ is Batched else value
                    abstract = evaluator.input(data.shape, data.dtype)
                    return Batched(abstract, level, value.depth) if value.__class__ is Batched else abstract

                results = _run(evaluator, program, list(map(taken, given)))
                self._is_batched = [value.__class__ is Batched for value in results]
                ends = [value.data if value.__class__ is Batched else value for value in results]
                outputs = [operand(end) if isinstance(end, Tensor) else np.asarray(end) for end in ends]
        finally:
            evaluator.close()
        self.program = optimized(evaluator.program.with_nodes(evaluator.program.nodes, outputs))
        self.compiled: Run | None = None  # the program as a function of arrays

    def run(self, given: Sequence[Any]) -> list[Any]:
        """The gradients, batched where the cotangents have a say in them."""
        assert self.compiled is not None
        like = next(value for value in given if value.__class__ is Batched)
        found = self.compiled(*[value.data if value.__class__ is Batched else value for value in given])
        return [
            Batched(part, like.level, like.depth) if is_batched else part
            for part, is_batched in zip(found, self._is_batched, strict=True)
        ]


def key_of_batch(given: Sequence[Any]) -> tuple[Any, ...] | None:
    """What such a program depends on; None where there is none: hidden axes of several maps, or data that somebody follows."""
    arrays = [value.data if value.__class__ is Batched else value for value in given]
    depths = {value.depth for value in given if value.__class__ is Batched}
    if len(depths) != 1 or not all(isinstance(array, (np.ndarray, np.generic)) for array in arrays):
        return None
    return tuple((value.__class__ is Batched, array.shape) for value, array in zip(given, arrays, strict=True))


def batched_backward(program: Program, given: Sequence[Any]) -> BatchedBackward | None:
    """The program for batches like these; None where there is none, and one instruction runs after the other."""
    if not all(isinstance(node.what, (Op, Branch)) for node in program.nodes):
        return None
    try:
        return BatchedBackward(program, given)
    except (NeedsValue, Undecided, UnimplementedError, NotImplementedError):
        return None


def _run(evaluator: Lowering, program: Program, given: Sequence[Any]) -> list[Any]:
    """Run a program on abstract values, batched or not."""
    values: dict[int, Any] = dict(zip(program.inputs, given, strict=True))
    for node in program.nodes:
        operands = [values[o.number] if o.__class__ is Value else o for o in node.inputs]
        if isinstance(node.what, Branch):
            number, *rest = operands
            functions = [partial(_run, evaluator, inner, rest) for inner in node.what.programs]
            results = evaluator.branches(to_tensor(number), functions)
        else:
            results = perform(node, operands, values)
        values.update(zip(node.outputs, results, strict=True))
    return [values[o.number] if o.__class__ is Value else o for o in program.outputs]
