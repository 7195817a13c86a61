"""How many different things test_registry.py checks: (op, shapes and attributes, type, way) and (op, bad input).

    python -m tests.ops.count

Other random numbers of the same shapes, and other names for an op, are no other checks.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from gradtape.extend import checks
from gradtape.op.declaration import Op, Sample

from .registry import all_ops

NARROW = (np.float32, np.float16, ml_dtypes.bfloat16)


def distinct_checks(ops: list[Op]) -> collections.Counter[str]:
    """How many there are of each way."""
    return collections.Counter(way for _, way in {(what, way) for op in ops for what, way in _checks_of(op)})


def _checks_of(op: Op) -> Iterator[tuple[Any, str]]:
    kind = np.float64 if op.vjps else checks.numeric_kind(op)
    for sample in checks.samples(op, kind):
        what = _looks(op, sample, kind)
        yield from ((what, way) for way in ("value", "strides"))
        if op.batching is not None:
            yield what, "batched"
        if op.vjps and sample.differentiable:
            yield from ((what, way) for way in ("reverse", "forward", "second", "jacobian"))
    if op.vjps:
        for dtype in NARROW:
            if np.dtype(dtype) in op.dtypes:
                for sample in checks.samples(op, dtype):
                    yield from ((_looks(op, sample, dtype), way) for way in ("value", "type and shape of gradients"))
        if np.dtype(np.complex128) in op.dtypes:
            for sample in checks.samples(op, np.complex128):
                if sample.differentiable:
                    yield from ((_looks(op, sample, complex), way) for way in ("reverse", "forward", "second"))
    for number, _ in enumerate(checks.bad_inputs(op)):
        yield (op.name, number), "bad input"


def _looks(op: Op, sample: Sample, dtype: Any) -> Any:
    return op.name, _shapes(sample.args), repr(sorted(sample.attributes.items())), np.dtype(dtype).name


def _shapes(value: Any) -> Any:
    return tuple(map(_shapes, value)) if isinstance(value, (list, tuple)) else np.shape(value)


if __name__ == "__main__":
    found = distinct_checks(all_ops())
    for way, count in found.most_common():
        print(f"{count:7,}  {way}")
    print(f"{found.total():7,}  together")
