"""Products and functions of matrices, by the loops that NumPy has for them: they call BLAS and LAPACK as eager code does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...native.language import INT32
from .body_memory import REFUSED, BodyMemory
from .elementwise import write_copy
from .memory import Memory, call_address
from .origins import library_function
from .steps import MatrixFunction, Product

_INVALID = 0x01  # FE_INVALID: see abi.calls_matrix_functions


def write_product(memory: Memory, step: Product) -> None:
    """NumPy's own loop of `matmul`, which calls BLAS as it does."""
    a, b = step.reads
    target = step.writes
    if not target.size:
        return
    rows, inner = a.shape[-2:]
    lead = target.shape[:-2]
    first, second = a.broadcast((*lead, *a.shape[-2:])), b.broadcast((*lead, *b.shape[-2:]))
    views = [first, second, target]
    steps = [0, 0, 0, *first.strides[-2:], *second.strides[-2:], *target.strides[-2:]]
    with memory.over(lead, views, [view.strides[:-2] for view in views]) as places:
        addresses = [memory.at(view.buffer, place) for view, place in zip(views, places, strict=True)]
        kinds = [view.dtype for view in views]
        memory.call_loop(np.matmul, kinds, addresses, [1, rows, inner, target.shape[-1]], steps)


def write_matrix_function(memory: BodyMemory, step: MatrixFunction) -> None:
    """One matrix after the other. LAPACK's failures are noted as invalid numbers, which NumPy raises an error for."""
    results = [step.writes, *step.others]
    reads = step.reads
    if step.in_place:
        reads = [results.pop()]
        write_copy(memory, *step.reads, *reads)
    views = [*reads, *results]
    lead = results[0].shape[: len(results[0].shape) - step.axes[len(reads)]]
    wide = [
        view.broadcast((*lead, *view.shape[len(view.shape) - core :]))
        for view, core in zip(views, step.axes, strict=True)
    ]
    if not all(lead):
        return
    _noted(memory, "feclearexcept", _INVALID)
    inside = [stride for view in wide for stride in view.strides[len(lead) :]]
    with memory.over(lead, wide, [view.strides[: len(lead)] for view in wide]) as places:
        addresses = [memory.at(view.buffer, place) for view, place in zip(wide, places, strict=True)]
        kinds = [view.dtype for view in views]
        memory.call_loop(step.ufunc, kinds, addresses, [1, *step.core], [*[0] * len(views), *inside])
    memory.fail_if(memory.b.icmp_signed("!=", _noted(memory, "fetestexcept", _INVALID), INT32(0)), REFUSED)


def _noted(memory: Memory, name: str, kinds: int) -> Any:
    """Call one of the C library's functions that ask for, or clear, what the processor has noted."""
    function = memory.entry(memory.addresses.place(*library_function(name)))
    return call_address(memory.b, function, INT32, INT32(kinds))
