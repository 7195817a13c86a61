"""Backward steps in which a zero cotangent stays zero, whatever it is multiplied by.

`tf.where(x > 0, tf.math.log(x), 0.0)` has a finite value at 0, but its gradient there is 0 * inf = nan: the branch
that was not taken sends a zero backwards, and the derivative it meets is infinite. A tape made with `nan_safe=True`
takes this step instead of the plain one:

- elementwise ops: where the cotangent is 0 the result is 0; where the cotangent is infinite and the derivative is 0
  (a norm at 0), the result is 0 too. A nan that the forward pass made, or that arrives from above, stays.
- other ops: a nan is 0 where neither the cotangent nor anything the rule was given held one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.context import Record
from ..native.background import Product
from ..op.family import is_complex
from ..op.record import OpPull, op_of, saved_by
from ..ops.array.layout import sum_to_shape
from ..ops.math.complex_numbers import conj, real
from ..ops.math.logic import equal, is_inf, is_nan, logical_and, logical_or, select, zeros_like
from ..values.tensor import EagerTensor, IndexedSlices, Tensor


class SafeRecords(dict[int, Any]):
    """The records of such a tape: each op has its own, so a compiled function is run step by step under it."""


def pull_safely(pull: Any, cotangent: Any, record: Record, on_tensors: bool) -> Sequence[Any]:
    """What `pull(cotangent, record)` gives, without the nans that the step itself would make."""
    op = op_of(pull)
    plain: Callable[[Any, Record], Sequence[Any]] = pull.on_tensors if on_tensors else pull
    if op is None:  # a custom gradient is taken as the user wrote it
        return plain(cotangent, record)
    if op.broadcasts and op.outputs == 1:
        return _elementwise(pull, cotangent, record, on_tensors)
    parts = plain(cotangent, record)
    if _holds_nan(cotangent) or any(_holds_nan(kept) for kept in saved_by(record)):
        return parts
    return [_without_nan(part) for part in parts]


def _elementwise(pull: OpPull, g: Any, record: Record, on_tensors: bool) -> list[Any]:
    op = pull.op
    followed, _, broadcast, conjugate = pull.key
    names = op.saved_names(followed, broadcast)
    values: Sequence[Any] = saved_by(record)
    if not on_tensors:
        values = [value._array if value.__class__ is EagerTensor else value for value in values]
    known = dict(zip(names, values, strict=True))
    parts = []
    for position in followed:
        argument = op.arguments[position]
        rule = op.vjps[argument]
        conjugated = conjugate and argument in op.holomorphic
        part = rule.rule(conj(g) if conjugated else g, *(known[name] for name in rule.needs))
        part = _guarded(conj(part) if conjugated else part, g)
        parts.append(sum_to_shape(part, shape=known[f"{argument}_shape"]) if broadcast else part)
    return parts


def _guarded(part: object, g: object) -> Any:
    size = real(g) if is_complex(g) else g
    checked = real(part) if is_complex(part) else part
    stays_zero = logical_or(equal(g, zeros_like(g)), logical_and(is_inf(size), is_nan(checked)))
    return select(stays_zero, zeros_like(part), part)


def _without_nan(part: object) -> Any:
    if part.__class__ is Product:
        part = part.value()
    if part.__class__ is IndexedSlices:
        return IndexedSlices(_without_nan(part.values), part.indices, part.dense_shape)
    if part is None or not hasattr(part, "dtype"):
        return part
    return select(is_nan(real(part) if is_complex(part) else part), zeros_like(part), part)


def _holds_nan(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_nan(item) for item in value)
    array = value._array if value.__class__ is EagerTensor else value
    if isinstance(array, Tensor):  # batched: its data
        return _holds_nan(getattr(array, "data", None))
    return isinstance(array, np.ndarray | np.generic) and array.dtype.kind in "fc" and bool(np.isnan(array).any())
